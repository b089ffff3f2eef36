//! Mailboxes of any size: nothing is cut, nothing is read twice, nobody waits for another's.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::services::contract::searchable::ItemFilter;
use crate::services::email::mailbox::arriving::Arrival;
use crate::services::email::mailbox::indexing::SoFar;
use crate::services::email::mailbox::pool::Haste;
use crate::services::email::mailbox::source::maildir::Folder;
use crate::services::email::tests::light::{Becomes, LightIndex};
use brain_core::limits::FOUND_THREADS_AT_ONCE;

/// Many tiny mails; the first of those in Sent is the oldest of all.
fn fill(home: &MailWorld, folder: &str, count: usize) {
    let mailbox = home.dir.path().join("mail/me").join(folder);
    fs::create_dir_all(&mailbox).unwrap();
    for number in 0..count {
        let at = 1_500_000_000 + number;
        let mail = format!("From: p{}@x.example\nSubject: letter{number}\n\nhello\n", number % 100);
        fs::write(mailbox.join(format!("{at}.m{number}:2,S")), mail).unwrap();
    }
}

fn light(index: &Arc<LightIndex>) -> MailWorld {
    let mut world = World::of(request_context("me"));
    world.index = index.clone();
    MailWorld::over(world, None)
}

fn read_to_the_end() -> Duration {
    Duration::from_secs(120)
}

/// The same folder in another life of the program. The index is what was kept of the first.
fn another_life(home: &MailWorld) -> Arc<Mailboxes> {
    Mailboxes::new(home.dir.path(), None, home.index.clone())
}

/// Whoever reads a file of this folder now fails.
fn shut(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // As root, permissions are no hindrance: what stands there now is another mail.
        fs::write(path, "Subject: read again\n\n").unwrap();
    }
}

async fn titles(mailboxes: &Arc<Mailboxes>, home: &MailWorld, in_title: &str) -> Vec<String> {
    let view = mailboxes.mail_within(&home.ctx.owner, read_to_the_end()).await.unwrap();
    assert_eq!(view.so_far, None);
    let query = Query { in_title: in_title.to_owned(), limit: 1_000, ..Query::default() };
    let (mails, total) = view.search(query).await.unwrap();
    assert_eq!(mails.len(), total);
    mails.into_iter().map(|mail| mail.head.parsed.subject).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mailbox_of_fifty_thousand_and_one_mails_is_read_whole_and_once() {
    let home = light(&LightIndex::new(Becomes::Applied));
    fill(&home, "cur", 50_000);
    let sent = home.dir.path().join("mail/me/.Sent/cur");
    fs::create_dir_all(&sent).unwrap();
    fs::write(sent.join("1400000000.old:2,S"), "From: me@x.example\nTo: p1@x.example\nSubject: Oldest\n\nfirst\n")
        .unwrap();
    assert_eq!(titles(&home.mailboxes, &home, "oldest").await, ["Oldest"]);
    let found = home.search(json!({"from": "p7@x.example"})).await;
    assert_eq!((found["threads"].as_array().unwrap().len(), &found["more"]), (20, &json!(480)));
    let found = home.search(json!({})).await;
    assert_eq!((&found["threads"][0]["subject"], &found["more"]), (&json!("letter49999"), &json!(49_981)));

    let again = another_life(&home);
    shut(&sent);
    shut(&home.dir.path().join("mail/me/cur"));
    assert_eq!(titles(&again, &home, "oldest").await, ["Oldest"]);
    assert_eq!(titles(&again, &home, "read again").await, Vec::<String>::new());
    // What is new is read all the same, and nothing else.
    home.receive("1900000000.new", "Subject: Brand new\n\nx\n");
    assert_eq!(titles(&again, &home, "brand").await, ["Brand new"]);
    assert_eq!(titles(&again, &home, "read again").await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_indexing_that_was_cut_off_goes_on_where_it_was() {
    let index = LightIndex::new(Becomes::Lost);
    let home = light(&index);
    fill(&home, "cur", 600);
    // The first slice is brought, and no more: then the process ends.
    let failed = home.mailboxes.mail_within(&home.ctx.owner, read_to_the_end()).await;
    assert!(failed.is_err(), "{failed:?}");
    let brought = home.index.all(&home.ctx.owner, NAME).await.unwrap().len();
    assert!((1..600).contains(&brought), "{brought}");

    for (id, kept) in home.index.all(&home.ctx.owner, NAME).await.unwrap() {
        let mail = Mail::kept(&kept).unwrap();
        assert_eq!(mail.id().to_string(), id);
        fs::write(home.dir.path().join("mail/me").join(&mail.file.path), "Subject: read again\n\n").unwrap();
    }
    *index.later.lock().unwrap() = Becomes::Applied;
    let again = another_life(&home);
    assert_eq!(titles(&again, &home, "read again").await, Vec::<String>::new());
    let view = again.mail(&home.ctx.owner).await.unwrap();
    assert_eq!(view.count(|_, _| true), 600);
}

/// Keeps all threads for mail busy until it is dropped.
fn block(home: &MailWorld) -> mpsc::Sender<()> {
    let (free, busy) = mpsc::channel::<()>();
    let busy = Arc::new(Mutex::new(busy));
    for _ in 0..home.mailboxes.pool().width() {
        let (mailboxes, busy) = (home.mailboxes.clone(), busy.clone());
        tokio::spawn(async move {
            let wait = move || _ = busy.lock().unwrap().recv();
            let _ = mailboxes.pool().run(&UserId::new("eighteen"), Haste::Short, wait).await;
        });
    }
    free
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_for_mail_is_answered_with_what_is_there_and_told_so() {
    let home = MailWorld::new();
    fill(&home, "cur", 40);
    let free = block(&home);
    tokio::task::yield_now().await;
    let view = home.mailboxes.mail_within(&home.ctx.owner, Duration::from_millis(50)).await.unwrap();
    assert!(view.so_far.is_some(), "nothing was read yet");
    drop(free);
    let view = home.mailboxes.mail_within(&home.ctx.owner, read_to_the_end()).await.unwrap();
    assert_eq!((view.so_far, view.count(|_, _| true)), (None, 40));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_an_account_brings_a_great_deal_a_search_waits_for_none_of_it_and_says_so() {
    let home = MailWorld::new();
    fill(&home, ".Archive/cur", 5);
    home.mailboxes.mail(&home.ctx.owner).await.unwrap();
    fill(&home, "new", 40);
    let arrival = Arrival::of(&home.mailboxes, &home.ctx.owner, "work");
    arrival.came(1, SoFar { done: 1, total: 900 });
    let free = block(&home);
    let view = home.mailboxes.looked_into(&home.ctx.owner).await.unwrap();
    assert_eq!((view.so_far, view.count(|_, _| true)), (Some(SoFar { done: 5, total: 900 }), 5));
    assert!(home.mailboxes.freshness(&home.ctx.owner).await.is_none(), "it changes all the time");
    drop(free);
    // What somebody wants to change is looked up as it is now.
    let view = home.mailboxes.mail(&home.ctx.owner).await.unwrap();
    assert_eq!((view.so_far, view.count(|_, _| true)), (None, 45));
    fill(&home, ".Work/cur", 7);
    drop(arrival);
    home.mailboxes.came().await;
    let view = home.mailboxes.looked_into(&home.ctx.owner).await.unwrap();
    assert_eq!((view.so_far, view.count(|_, _| true)), (None, 52));
}

#[tokio::test]
async fn in_the_middle_of_a_first_indexing_a_turn_says_so_and_answers_with_what_is_there() {
    let index = LightIndex::new(Becomes::Late);
    let home = light(&index);
    fill(&home, "cur", 1_600);
    let asks = tokio::spawn({
        let (mailboxes, owner) = (home.mailboxes.clone(), home.ctx.owner.clone());
        async move { mailboxes.mail_within(&owner, read_to_the_end()).await.unwrap().so_far }
    });
    let told = loop {
        if let Some(told) = home.email.service.waited_for(&home.ctx.owner).filter(|told| !told.what.contains("… 0 of"))
        {
            break told.to_string();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(told, "Reading your mail… 250 of 1,600");
    // Nothing more comes meanwhile: whoever is patient is so at once.
    tokio::time::pause();
    let found = home.search(json!({"from": "p7@x.example"})).await;
    assert_eq!(found["so_far"], json!({"read": 250, "of": 1_600}));
    // The newest are there first.
    assert_eq!(found["threads"][0]["subject"], "letter1507");
    let nothing = home.prepare("read_thread", json!({"find_by": "letter77"})).await;
    let Prepared::NotFound { what } = nothing else { panic!("{nothing:?}") };
    let so_far = "I've read 250 of your 1,600 mails so far, newest first. Ask me again in a moment.";
    assert_eq!(what, format!("I found no mail like “letter77” yet: {so_far}"));
    tokio::time::resume();
    index.go.add_permits(1_000);
    assert_eq!(asks.await.unwrap(), None);
    assert_eq!(home.email.service.waited_for(&home.ctx.owner), None);
    assert_eq!(home.search(json!({})).await.get("so_far"), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unchanged_mailbox_is_asked_without_its_threads() {
    let home = MailWorld::new();
    fill(&home, "cur", 40);
    home.search(json!({})).await;
    // Old enough to be trusted.
    let then = std::time::SystemTime::now() - Duration::from_secs(60);
    for dir in ["", "cur"] {
        fs::File::open(home.dir.path().join("mail/me").join(dir)).unwrap().set_modified(then).unwrap();
    }
    home.search(json!({})).await;
    let _blocked = block(&home);
    tokio::task::yield_now().await;
    let found = home.search(json!({"from": "p7@x.example"})).await;
    assert_eq!(found["threads"].as_array().unwrap().len(), 1);
    assert_eq!(home.mailboxes.mail(&home.ctx.owner).await.unwrap().people().len(), 40);
}

#[tokio::test]
async fn a_mail_that_goes_takes_along_what_was_known_by_it_alone() {
    let home = MailWorld::new();
    let anna = "From: Anna <anna@x.example>\nSubject: One\nDate: Fri, 1 May 2026 08:00:00 +0000\n\nx";
    let new_name = "From: Annabel <anna@x.example>\nSubject: Two\nDate: Sat, 2 May 2026 08:00:00 +0000\n\nx";
    home.receive("1", anna);
    let second = home.receive("2", new_name);
    let bob = home.receive("3", "From: Bob <bob@x.example>\nSubject: Three\n\nx");
    let names = async || home.correspondents().await.into_iter().map(|c| c.mailbox.name).collect::<Vec<_>>();
    assert_eq!(names().await, ["Annabel", "Bob"]);
    fs::remove_file(second).unwrap();
    fs::remove_file(bob).unwrap();
    assert_eq!(names().await, ["Anna"]);
    assert!(home.listed(Folder::Inbox).await.len() == 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_through_many_conversations_holds_the_heads_of_some_and_counts_the_rest() {
    let index = LightIndex::new(Becomes::Applied);
    let home = light(&index);
    fill(&home, "cur", 1_200);
    home.mailboxes.mail_within(&home.ctx.owner, read_to_the_end()).await.unwrap();
    let searchable = home.email.service.searchable().unwrap();
    let filter = ItemFilter { limit: 50, ..ItemFilter::default() };
    let found = searchable.find_items(&home.ctx, &filter).await.unwrap();
    assert_eq!((found.items.len(), found.more), (50, 1_150));
    let most = index.most_at_once.load(Ordering::Relaxed);
    assert!(most <= FOUND_THREADS_AT_ONCE, "{most}");
}
