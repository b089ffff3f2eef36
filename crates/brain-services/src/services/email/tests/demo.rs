//! The demo's mailbox tells its story.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::services::email::demo;
use crate::services::email::mailbox::mailboxes::MailView;

fn filled() -> MailWorld {
    let home = MailWorld::new();
    let written = demo::fill(home.dir.path(), &home.ctx.owner, home.ctx.now, home.ctx.zone);
    assert_eq!(written.unwrap(), 104);
    home
}

#[tokio::test]
async fn every_file_is_one_thread_with_its_id() {
    let home = filled();
    let view = home.mailboxes.mail(&home.ctx.owner).await.unwrap();
    let mails = async |view: &MailView| view.search(Query::default()).await.unwrap().1;
    assert_eq!((mails(&view).await, view.count(|_, _| true)), (104, 41));
    assert_eq!(view.own(), ["alex.morgan@example.com"]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/demo/mail");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let messages = std::fs::read_to_string(&path).unwrap().split("\n=====\n").count();
        let slug = path.file_stem().unwrap().to_str().unwrap().split_once('-').unwrap().1;
        let id = demo::thread_of(slug);
        assert_eq!(view.thread(&id).map(|thread| thread.mails.len()), Some(messages), "{slug}");
    }
    demo::fill(home.dir.path(), &home.ctx.owner, home.ctx.now, home.ctx.zone).unwrap();
    let again = home.mailboxes.mail(&home.ctx.owner).await.unwrap();
    assert_eq!(mails(&again).await, 104);
}

#[tokio::test]
async fn the_unread_mails_and_the_late_report_are_found() {
    let home = filled();
    let unread = home.search(json!({"unread": true})).await;
    assert_eq!(unread["threads"].as_array().unwrap().len(), 14);
    let late = home.search(json!({"text": "late report", "from": "Priya"})).await;
    assert_eq!(late["threads"][0]["id"], demo::thread_of("q3-report"));
    assert_eq!(late["threads"][0]["unread"], true);
    let german = home.search(json!({"text": "Erdnüsse"})).await;
    assert_eq!(subjects(&german), ["Abendessen in Berlin"]);
    let russian = home.search(json!({"from": "Ольга"})).await;
    assert_eq!(russian["threads"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_phishing_mail_shows_what_it_is() {
    let home = filled();
    let prepared = home
        .prepare("reply_to_email", json!({"find_by": demo::thread_of("phishing-northwind-invoice"), "body": "No."}))
        .await;
    let Prepared::Ready { notes, .. } = prepared else { panic!("{prepared:?}") };
    assert!(notes[0].contains("northwind.accounts@fastpay-desk.example.net"), "{notes:?}");
    assert!(notes[0].contains("xn--"), "{notes:?}");
}
