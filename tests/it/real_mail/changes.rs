//! What is changed from here is changed there, once, and on the mail that was meant.

use brain_agent::services::email::mailbox::mail_change::MailChange;
use brain_agent::services::remote::backend::Unwritten;

use super::world::{USER, World, mail};
use crate::support::dovecot::Dovecot;

async fn world() -> World {
    let world = World::new(Dovecot::setup()).await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    world.deliver("INBOX", mail("b", "Dinner", "dinner"));
    world.synchronised().await;
    world
}

pub fn put(folder: &'static str, key: &str) -> MailChange {
    let bytes = format!(
        "From: {USER}\r\nTo: bob@work.example\r\nSubject: Written\r\nMessage-ID: <{key}@example.com>\r\n\r\nwritten\r\n"
    );
    MailChange::Put { folder, name: format!("{key}.brain-agent"), bytes: bytes.into_bytes().into() }
}

/// How the server's folder looks to another program: message ids and flags.
fn there(world: &World, folder: &str) -> Vec<(String, Vec<String>)> {
    world.other().ids(folder).into_iter().map(|seen| (seen.message_id, seen.flags)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_a_move_a_draft_and_its_removal_reach_the_server() {
    for without in [vec![], vec!["MOVE"], vec!["MOVE", "UIDPLUS"], vec!["LITERAL+", "SASL-IR", "CONDSTORE", "QRESYNC"]]
    {
        let world = World::new(Dovecot::setup().without(&without)).await;
        world.deliver("INBOX", mail("a", "Lunch", "lunch"));
        world.deliver("INBOX", mail("b", "Dinner", "dinner"));
        world.synchronised().await;
        let lunch = world.one("lunch").as_ref();
        let flag = |wanted| MailChange::Flag { mail: lunch.clone(), flag: 'S', wanted };
        world.changes(&flag(true)).await.unwrap();
        assert_eq!(world.is_settled(&flag(true)).await, Some(true));
        assert_eq!(world.is_settled(&flag(false)).await, Some(false));
        assert_eq!(there(&world, "INBOX")[0].1, ["\\Seen"]);
        let away = MailChange::Move { mail: lunch, to: ".Archive".to_owned() };
        assert_eq!(world.is_settled(&away).await, Some(false));
        world.changes(&away).await.unwrap();
        assert_eq!(world.is_settled(&away).await, Some(true));
        assert_eq!(there(&world, "Archive"), [("<a@work.example>".to_owned(), vec!["\\Seen".to_owned()])]);
        world.changes(&put(".Drafts", "K1")).await.unwrap();
        assert_eq!(world.is_settled(&put(".Drafts", "K1")).await, Some(true));
        assert_eq!(world.is_settled(&put(".Drafts", "K2")).await, Some(false));
        assert_eq!(there(&world, "Drafts")[0].1, ["\\Draft", "\\Seen"]);
        let remove = MailChange::Remove { folder: ".Drafts", name: "K1.brain-agent".to_owned() };
        world.changes(&remove).await.unwrap();
        assert_eq!(world.is_settled(&remove).await, Some(true));
        // What the server cannot clear away by itself is marked, and gone for whoever looks here.
        let held = world.synchronised().await;
        assert_eq!(held.len(), 2, "{held:?}");
        assert_eq!(world.places("lunch"), [(".Archive".to_owned(), "S".to_owned())]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_we_wrote_is_one_mail_here_when_it_comes_back() {
    let world = world().await;
    for folder in [".Sent", ".Drafts"] {
        let change = put(folder, "K1");
        world.changes(&change).await.unwrap();
        let MailChange::Put { bytes, name, .. } = &change else { unreachable!() };
        let here = world.data.path().join("mail").join(world.owner.folder_name()).join(folder);
        for part in ["cur", "new", "tmp"] {
            std::fs::create_dir_all(here.join(part)).unwrap();
        }
        std::fs::write(here.join("cur").join(format!("{name}:2,S")), bytes).unwrap();
        world.synchronised().await;
        let held: Vec<_> = world.held().into_iter().filter(|mail| mail.folder == folder).collect();
        assert_eq!(held.len(), 1, "{held:?}");
        assert_eq!(held[0].name, "K1.brain-agent");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_another_client_moved_deleted_or_replaced_is_left_alone() {
    let world = world().await;
    let lunch = world.one("lunch").as_ref();
    let changes = [
        MailChange::Flag { mail: lunch.clone(), flag: 'F', wanted: true },
        MailChange::Move { mail: lunch.clone(), to: ".Trash".to_owned() },
    ];
    let other = world.other();
    let uid = other.only("INBOX", "<a@work.example>").uid;
    // The same Message-ID, other words: another mail.
    other.expunge("INBOX", uid);
    other.append("INBOX", &[], mail("a", "Lunch", "poisoned").as_bytes());
    for change in &changes {
        assert_eq!(world.changes(change).await, Err(Unwritten::ChangedElsewhere));
    }
    assert_eq!(there(&world, "Trash"), []);
    assert!(there(&world, "INBOX").iter().all(|(_, flags)| flags.is_empty()));
    // The same mail under another number is the one that was meant.
    other.append("INBOX", &[], mail("a", "Lunch", "lunch").as_bytes());
    world.server.renumber(USER, "INBOX");
    world.changes(&changes[1]).await.unwrap();
    let trash = other.messages("Trash");
    assert_eq!(trash.len(), 1);
    assert!(trash[0].text().contains("lunch"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_reached_is_not_done_and_says_so() {
    let mut world = world().await;
    let change = MailChange::Flag { mail: world.one("lunch").as_ref(), flag: 'F', wanted: true };
    world.server.stop();
    let Err(Unwritten::Refused(why)) = world.changes(&change).await else { panic!("it cannot be done") };
    assert!(why.contains("127.0.0.1 cannot be reached") && why.ends_with("Nothing was changed."), "{why}");
    world.synchronise().await;
    let state = world.account();
    assert!(!state.disconnected.unwrap().until_reconnected);
    assert_eq!(world.held().len(), 2, "what is here stays");
    world.server.start_again();
    world.changes(&change).await.unwrap();
    world.server.stop();
    world.server.set_users(&[(USER, "another")]);
    world.server.start_again();
    world.synchronise().await;
    let why = world.account().disconnected.unwrap().why;
    assert!(why.contains("user and password were not accepted"), "{why}");
    assert!(!why.contains("secret"), "{why}");
}
