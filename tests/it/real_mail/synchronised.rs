//! What the server has and what lies here are the same, whatever becomes of either.

use std::time::{Duration, Instant};

use super::world::{USER, World, by_folder, mail};
use crate::support::dovecot::{Delivered, Dovecot};

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_fetched_with_its_flags_and_every_byte() {
    let world = World::new(Dovecot::setup()).await;
    let odd: [&[u8]; 6] = [
        b"",
        b"no header at all",
        b"Subject: \xff\xfe\r\n\r\n\x01 raw \xe9 bytes\r\n",
        b"From: <>\r\nMessage-ID: <a\"b\\c@x>\r\nContent-Type: multipart/mixed; boundary=\r\n\r\n--\r\n",
        b"\r\n\r\n\r\n",
        b"Subject: * 1 FETCH (FLAGS)\r\n\r\nB1 OK done\r\n* BYE\r\n)\r\n",
    ];
    for bytes in odd {
        world.deliver("INBOX", bytes);
    }
    let seen = Delivered { flags: &["\\Seen", "\\Flagged", "\\Answered"], arrived: Some(1_768_200_001) };
    world.server.deliver_as(USER, "INBOX", mail("a", "Lunch", "lunch"), seen);
    world.deliver("Sent", mail("b", "Sent", "sent"));
    world.deliver("Archive", mail("c", "Old", "old"));
    world.deliver("Trash", mail("d", "Gone", "gone"));
    world.deliver("Work/2026", mail("e", "Plan", "plan"));
    world.other().create("Entwürfe & mehr");
    world.other().append("Drafts", &["\\Draft"], mail("f", "Draft", "draft").as_bytes());
    let held = world.synchronised().await;

    let inbox: Vec<&[u8]> = held.iter().filter(|mail| mail.folder.is_empty()).map(|mail| &*mail.bytes).collect();
    let lunch = mail("a", "Lunch", "lunch");
    for bytes in odd.into_iter().chain([lunch.as_bytes()]) {
        // A line end of the file is one of the wire's.
        assert!(inbox.contains(&bytes), "{:?} is missing", String::from_utf8_lossy(bytes));
    }
    assert_eq!(inbox.len(), 7);
    assert_eq!(world.one("lunch").flags, "FRS");
    assert!(world.one("lunch").name.starts_with("1768200001."), "{}", world.one("lunch").name);
    assert_eq!(world.places("draft"), [(".Drafts".to_owned(), "D".to_owned())]);
    let folders = by_folder(&held);
    assert_eq!(
        folders.keys().map(String::as_str).collect::<Vec<_>>(),
        ["", ".Archive", ".Drafts", ".Sent", ".Work.2026"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_client_does_is_done_here() {
    let world = World::new(Dovecot::setup()).await;
    for id in ["one", "two", "three", "four"] {
        world.deliver("INBOX", mail(id, id, id));
    }
    world.synchronised().await;
    let other = world.other();
    let uid = |id: &str| other.only("INBOX", &format!("<{id}@work.example>")).uid;
    other.flag("INBOX", uid("one"), &["\\Seen", "\\Flagged"]);
    other.move_to("INBOX", uid("two"), "Archive");
    other.expunge("INBOX", uid("three"));
    other.flag("INBOX", uid("four"), &["\\Deleted"]);
    world.synchronised().await;
    assert_eq!(world.places("one"), [(String::new(), "FS".to_owned())]);
    assert_eq!(world.places("two"), [(".Archive".to_owned(), String::new())]);
    assert_eq!(world.places("three"), []);
    assert_eq!(world.places("four"), []);
    other.unflag("INBOX", uid("one"), &["\\Seen"]);
    other.unflag("INBOX", uid("four"), &["\\Deleted"]);
    world.synchronised().await;
    assert_eq!(world.places("one"), [(String::new(), "F".to_owned())]);
    assert_eq!(world.places("four"), [(String::new(), String::new())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_that_mean_something_else_and_folders_that_are_made_anew_lose_and_double_nothing() {
    let world = World::new(Dovecot::setup()).await;
    for n in 0..5 {
        world.deliver("INBOX", mail(&format!("i{n}"), "Inbox", &format!("inbox{n}")));
        world.deliver("Work", mail(&format!("w{n}"), "Work", &format!("work{n}")));
    }
    let before = world.synchronised().await;
    world.server.renumber(USER, "INBOX");
    assert_eq!(world.synchronised().await, before);
    world.other().recreate("Work");
    world.other().append("Work", &[], mail("w9", "Work", "work9").as_bytes());
    world.synchronised().await;
    assert_eq!(by_folder(&world.held())[".Work"], ["work9"]);
    world.other().delete("Work");
    let held = world.synchronised().await;
    assert_eq!(by_folder(&held).keys().collect::<Vec<_>>(), [""]);
    let world = world.restarted().await;
    assert_eq!(world.synchronised().await, held);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_left_and_came_back_between_two_looks_is_still_there() {
    let world = World::new(Dovecot::setup()).await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    let before = world.synchronised().await;
    for (from, to) in [("INBOX", "Archive"), ("Archive", "INBOX")] {
        world.other().move_to(from, world.other().only(from, "<a@work.example>").uid, to);
    }
    assert_eq!(world.synchronised().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_can_little_is_kept_in_step_as_well() {
    let can_little = ["CONDSTORE", "QRESYNC", "MOVE", "UIDPLUS", "IDLE", "SPECIAL-USE", "LIST-EXTENDED", "SASL-IR"];
    let world = World::new(Dovecot::setup().without(&can_little)).await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    world.deliver("Sent", mail("b", "Sent", "sent"));
    world.synchronised().await;
    assert_eq!(by_folder(&world.held())[".Sent"], ["sent"]);
    let uid = world.other().only("INBOX", "<a@work.example>").uid;
    world.other().move_to("INBOX", uid, "Archive");
    world.synchronised().await;
    assert_eq!(world.places("lunch"), [(".Archive".to_owned(), String::new())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_mails_of_the_same_bytes_are_one_file_until_both_are_gone() {
    let world = World::new(Dovecot::setup()).await;
    let seen = Delivered { flags: &[], arrived: Some(1_768_200_001) };
    for _ in 0..2 {
        world.server.deliver_as(USER, "INBOX", mail("a", "Twice", "twice"), seen);
    }
    world.synchronised().await;
    assert_eq!(world.places("twice").len(), 1);
    let uids: Vec<u32> = world.other().ids("INBOX").iter().map(|seen| seen.uid).collect();
    world.other().expunge("INBOX", uids[0]);
    world.synchronised().await;
    assert_eq!(world.places("twice").len(), 1);
    world.other().expunge("INBOX", uids[1]);
    world.synchronised().await;
    assert_eq!(world.places("twice").len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_mails_of_the_same_bytes_and_other_flags_hold_up_nothing() {
    let world = World::new(Dovecot::setup()).await;
    for flags in [&["\\Seen"][..], &["\\Seen", "\\Flagged"], &[]] {
        world.server.deliver_as(
            USER,
            "INBOX",
            mail("a", "Twice", "twice"),
            Delivered { flags, arrived: Some(1_768_200_001) },
        );
    }
    world.deliver("INBOX", mail("b", "Lunch", "lunch"));
    world.synchronised().await;
    assert_eq!((world.places("twice").len(), world.places("lunch").len()), (1, 1));
    world.server.renumber(USER, "INBOX");
    world.synchronised().await;
    assert_eq!((world.places("twice").len(), world.places("lunch").len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_mail_is_known_within_five_seconds() {
    let world = World::new(Dovecot::setup()).await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    let _kept = world.keeps();
    wait_for(|| world.places("lunch").len() == 1).await;
    // It listens by now, or looks once more before it does.
    tokio::time::sleep(Duration::from_millis(500)).await;
    world.other().append("INBOX", &[], mail("b", "News", "news").as_bytes());
    let delivered = Instant::now();
    wait_for(|| world.places("news").len() == 1).await;
    assert!(delivered.elapsed() < Duration::from_secs(5), "{:?}", delivered.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_holds_every_mail_once_more_is_the_archive_of_what_no_other_has() {
    // As a large provider does it: one folder holds a copy of everything.
    let all = "namespace inbox {\n mailbox Archive {\n special_use = \\All\n }\n}";
    let world = World::new(Dovecot::setup().setting(all)).await;
    let both = Delivered { flags: &[], arrived: Some(1_768_200_001) };
    for folder in ["INBOX", "Archive"] {
        world.server.deliver_as(USER, folder, mail("a", "Lunch", "lunch"), both);
    }
    world.server.deliver_as(USER, "Archive", mail("b", "Old", "old"), both);
    world.synchronised().await;
    assert_eq!(world.places("lunch"), [(String::new(), String::new())]);
    assert_eq!(world.places("old"), [(".Archive".to_owned(), String::new())]);
    // Archived by another client: it is in no other folder any more.
    world.other().expunge("INBOX", world.other().only("INBOX", "<a@work.example>").uid);
    world.synchronised().await;
    assert_eq!(world.places("lunch"), [(".Archive".to_owned(), String::new())]);
    // And back.
    world.server.deliver_as(USER, "INBOX", mail("b", "Old", "old"), both);
    world.synchronised().await;
    assert_eq!(world.places("old"), [(String::new(), String::new())]);
    world.other().expunge("Archive", world.other().only("Archive", "<a@work.example>").uid);
    world.synchronised().await;
    assert_eq!(world.places("lunch"), []);
}

pub async fn wait_for(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(30), "it never came");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
