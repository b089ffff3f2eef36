//! Mails that are marked, archived, deleted and brought back.

use std::fs;
use std::path::Path;

use super::*;
use crate::services::email::mailbox::source::maildir::Folder;
use brain_core::core::plan::Target;

fn lunch(home: &MailWorld) -> PathBuf {
    home.receive(
        "1767000001.lunch",
        &mail("Bob <bob@x.example>", "Lunch", "Mon, 4 May 2026 07:00:00 +0000", "Message-ID: <l@x>\n", "Thursday?"),
    )
}

fn files(home: &MailWorld) -> Vec<String> {
    fn walk(dir: &Path, root: &Path, into: &mut Vec<String>) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, root, into);
            } else {
                into.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    let root = home.mailboxes.maildir(&home.ctx.owner).root().to_owned();
    let mut found = Vec::new();
    walk(&root, &root, &mut found);
    found.sort();
    found
}

async fn ready(home: &MailWorld, command: &str, params: Value) -> Action {
    let Prepared::Ready { params, target, notes, .. } = home.prepare(command, params.clone()).await else {
        panic!("{command} {params} is not ready");
    };
    Action { service: "email".into(), command: command.into(), params, target, notes, ..Action::default() }
}

async fn perform(home: &MailWorld, action: &Action) -> Performed {
    home.email
        .perform(&home.ctx, &authorized(action.clone()), &Attempt { key: format!("{:0>32}", "a"), begun: home.ctx.now })
        .await
}

async fn settled(home: &MailWorld, action: &Action) -> Option<Outcome> {
    home.email.happened(&home.ctx, action, &Attempt { key: format!("{:0>32}", "a"), begun: home.ctx.now }).await
}

fn why(performed: Performed) -> String {
    performed.outcome.error().unwrap_or_else(|| panic!("{performed:?}")).to_owned()
}

async fn not_ready(home: &MailWorld, command: &str, params: Value) -> String {
    match home.prepare(command, params).await {
        Prepared::NotFound { what } => what,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_mark_is_a_flag_in_the_name_and_the_index_follows() {
    let home = MailWorld::new();
    lunch(&home);
    for (mark, file, unread) in [
        ("starred", "cur/1767000001.lunch:2,F", true),
        ("read", "cur/1767000001.lunch:2,FS", false),
        ("unstarred", "cur/1767000001.lunch:2,S", false),
        ("unread", "cur/1767000001.lunch:2,", true),
    ] {
        let done = result(home.run("mark", json!({"find_by": "lunch", "as": mark}), "m").await);
        assert_eq!(done["changed"], true, "{mark}");
        assert_eq!(files(&home), [file]);
        let found = subjects(&home.search(json!({"unread": true})).await).len();
        assert_eq!(found, usize::from(unread), "{mark}");
    }
    let again = result(home.run("mark", json!({"find_by": "lunch", "as": "unread"}), "m").await);
    assert_eq!(again["changed"], false);
}

#[tokio::test]
async fn an_archived_mail_is_found_and_marked_so_and_a_deleted_one_is_not() {
    let home = MailWorld::new();
    lunch(&home);
    let done = result(home.run("mark", json!({"find_by": "lunch", "as": "archived"}), "m").await);
    assert_eq!(files(&home), [".Archive/cur/1767000001.lunch:2,"]);
    let row = home.search(json!({"text": "lunch"})).await["threads"][0].clone();
    assert_eq!((&row["archived"], &row["unread"]), (&json!(true), &json!(true)));
    // By its new id, and by the words.
    assert_eq!(
        ready(&home, "mark", json!({"find_by": done["id"], "as": "inbox"})).await.target.unwrap().id,
        done["id"]
    );
    let deleted = result(home.run("delete_email", json!({"find_by": "lunch"}), "d").await);
    assert_eq!(files(&home), [".Trash/cur/1767000001.lunch:2,"]);
    assert!(subjects(&home.search(json!({"text": "lunch"})).await).is_empty());
    assert!(not_ready(&home, "delete_email", json!({"find_by": "lunch"})).await.contains("no mail"));
    assert!(not_ready(&home, "delete_email", json!({"find_by": deleted["id"]})).await.contains("already"));
    // Its id brings it back, to where it was.
    let back = json!({"find_by": deleted["id"], "as": "inbox", "back_to": ".Archive"});
    result(home.run("mark", back, "b").await);
    assert_eq!(files(&home), [".Archive/cur/1767000001.lunch:2,"]);
    assert_eq!(subjects(&home.search(json!({"text": "lunch"})).await), ["Lunch"]);
}

#[tokio::test]
async fn what_takes_a_mark_back_is_about_the_very_mail_where_it_lies_now() {
    let home = MailWorld::new();
    lunch(&home);
    home.lay(
        ".Work/cur",
        "2:2,S",
        mail("Ann <ann@x.example>", "Plan", "Mon, 4 May 2026 06:00:00 +0000", "", "x").as_bytes(),
    );
    for (command, params, before) in [
        ("mark", json!({"find_by": "lunch", "as": "read"}), "cur/1767000001.lunch:2,"),
        ("mark", json!({"find_by": "lunch", "as": "starred"}), "cur/1767000001.lunch:2,"),
        ("mark", json!({"find_by": "lunch", "as": "archived"}), "cur/1767000001.lunch:2,"),
        ("delete_email", json!({"find_by": "lunch"}), "cur/1767000001.lunch:2,"),
        ("mark", json!({"find_by": "plan", "as": "archived"}), ".Work/cur/2:2,S"),
        ("delete_email", json!({"find_by": "plan"}), ".Work/cur/2:2,S"),
    ] {
        let action = ready(&home, command, params).await;
        let output = result(perform(&home, &action).await);
        assert!(!files(&home).contains(&before.to_owned()), "{command}");
        let back = home.email.command(command).unwrap().reversal(&action, &output).expect("it can be taken back");
        result(home.run(&back.command, Value::Object(back.params.clone()), "u").await);
        assert!(files(&home).contains(&before.to_owned()), "{command}: {:?}", files(&home));
        // A second one finds nothing to do.
        match home.prepare(&back.command, Value::Object(back.params)).await {
            Prepared::NotFound { .. } => {}
            Prepared::Ready { params, target, .. } => {
                let action =
                    Action { service: "email".into(), command: "mark".into(), params, target, ..Action::default() };
                assert_eq!(result(perform(&home, &action).await)["changed"], false);
            }
            other @ (Prepared::Several { .. } | Prepared::Every { .. }) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn nothing_is_brought_back_into_a_folder_that_says_who_wrote_what() {
    let home = MailWorld::new();
    let folder = home.mailboxes.maildir(&home.ctx.owner);
    folder
        .put(
            Folder::Sent,
            "s",
            "S",
            mail("Me <me@example.com>", "Mine", "Mon, 4 May 2026 06:00:00 +0000", "", "x").as_bytes(),
        )
        .unwrap();
    lunch(&home);
    let id = result(home.run("mark", json!({"find_by": "lunch", "as": "archived"}), "m").await)["id"].clone();
    for evil in [".Sent", ".Drafts", ".Trash", "..", "../other", "/tmp", ".Nowhere", "cur", ""] {
        let action = ready(&home, "mark", json!({"find_by": id, "as": "inbox", "back_to": evil})).await;
        assert_eq!(action.params.get("back_to"), None, "{evil}");
    }
    let own = not_ready(&home, "mark", json!({"find_by": "mine", "as": "archived"})).await;
    assert!(own.contains("wrote yourself"), "{own}");
    let own = not_ready(&home, "delete_email", json!({"find_by": "mine"})).await;
    assert!(own.contains("wrote yourself"), "{own}");
    result(home.run("mark", json!({"find_by": "mine", "as": "starred"}), "m").await);
    assert!(files(&home).contains(&".Sent/cur/s:2,FS".to_owned()));
}

#[tokio::test]
async fn a_mail_that_went_elsewhere_meanwhile_is_told_and_no_other_is_touched() {
    for command in ["mark", "delete_email"] {
        let home = MailWorld::new();
        let file = lunch(&home);
        let params =
            if command == "mark" { json!({"find_by": "lunch", "as": "read"}) } else { json!({"find_by": "lunch"}) };
        let action = ready(&home, command, params.clone()).await;
        // Read in a mail program: still the same mail.
        let cur =
            home.lay("cur", "other:2,S", b"From: z@z.example\r\nSubject: Other\r\n\r\nx").parent().unwrap().to_owned();
        fs::rename(&file, cur.join("1767000001.lunch:2,RF")).unwrap();
        result(perform(&home, &action).await);
        assert!(files(&home).iter().any(|f| f.contains("1767000001.lunch:2,")), "{:?}", files(&home));

        let home = MailWorld::new();
        let file = lunch(&home);
        let action = ready(&home, command, params.clone()).await;
        let elsewhere = home.lay(".Work/cur", "x:2,", b"Subject: x\r\n\r\nx").with_file_name("1767000001.lunch:2,");
        fs::rename(&file, &elsewhere).unwrap();
        let told = why(perform(&home, &action).await);
        assert!(told.contains("not there any more"), "{told}");
        assert!(elsewhere.exists());

        let home = MailWorld::new();
        let file = lunch(&home);
        let action = ready(&home, command, params).await;
        // The name now is another mail's.
        fs::write(&file, "From: Eve <eve@x.example>\r\nSubject: Rent\r\nMessage-ID: <e@x>\r\n\r\nx").unwrap();
        let told = why(perform(&home, &action).await);
        assert!(told.contains("has changed meanwhile"), "{told}");
        assert!(file.exists());
    }
}

#[tokio::test]
async fn the_mailbox_tells_after_a_crash_whether_it_was_done() {
    for (command, params) in [
        ("mark", json!({"find_by": "lunch", "as": "read"})),
        ("mark", json!({"find_by": "lunch", "as": "archived"})),
        ("delete_email", json!({"find_by": "lunch"})),
    ] {
        let home = MailWorld::new();
        lunch(&home);
        let action = ready(&home, command, params.clone()).await;
        let before = settled(&home, &action).await;
        assert!(matches!(&before, Some(Outcome::Failed { .. })), "{params}: {before:?}");
        let done = result(perform(&home, &action).await);
        assert_eq!(settled(&home, &action).await, Some(Outcome::Succeeded { result: done }), "{params}");
        // A mailbox that cannot be read says nothing.
        let root = home.mailboxes.maildir(&home.ctx.owner).root().to_owned();
        let away = root.with_extension("away");
        fs::rename(&root, &away).unwrap();
        fs::write(&root, "not a folder").unwrap();
        assert_eq!(settled(&home, &action).await, None, "{params}");
        fs::remove_file(&root).unwrap();
        fs::rename(&away, &root).unwrap();
        // Gone altogether: nobody can tell.
        for file in files(&home) {
            fs::remove_file(root.join(file)).unwrap();
        }
        assert_eq!(settled(&home, &action).await, None, "{params}");
    }
}

#[tokio::test]
async fn of_a_conversation_the_newest_mail_of_whoever_is_named_is_meant() {
    let home = MailWorld::new();
    let part = |name: &str, from: &str, hour: u32, more: &str| {
        let date = format!("Mon, 4 May 2026 {hour:02}:00:00 +0000");
        home.receive(name, &mail(from, "Picnic", &date, more, "Sunday"));
    };
    part("1", "Ann <ann@x.example>", 6, "Message-ID: <1@x>\n");
    part("2", "Ann <ann@x.example>", 7, "Message-ID: <2@x>\nIn-Reply-To: <1@x>\n");
    part("3", "Bob <bob@x.example>", 8, "Message-ID: <3@x>\nIn-Reply-To: <1@x>\n");
    for (words, base) in [("picnic", "3"), ("Ann picnic", "2"), ("ann", "2"), ("latest mail from Bob", "3")] {
        let Target { before, label, .. } =
            ready(&home, "delete_email", json!({"find_by": words})).await.target.unwrap();
        assert_eq!(before["file"]["base"], base, "{words}");
        assert_eq!(before["others"], 2);
        assert!(label.starts_with("Picnic — "), "{label}");
    }
}

#[tokio::test]
async fn hostile_nameless_and_huge_mails_are_moved_like_any_other() {
    let home = MailWorld::new();
    let name = "x\u{202E}[31m~;$(rm -rf)'\":1,:2,S";
    home.lay("cur", name, b"From: =?utf-8?q?A=0D=0AB?= <zed@hostile.example>\r\n\r\nnothing here");
    let mut huge = b"From: Big <big@x.example>\r\nSubject: Elephant\r\n\r\n".to_vec();
    huge.resize(11 * 1024 * 1024, b'x');
    home.lay("new", "huge", &huge);
    for (words, file) in
        [("zed hostile", ".Trash/cur/x\u{202E}[31m~;$(rm -rf)'\":1,:2,S"), ("elephant", ".Trash/cur/huge:2,")]
    {
        let action = ready(&home, "delete_email", json!({"find_by": words})).await;
        let output = result(perform(&home, &action).await);
        assert!(files(&home).contains(&file.to_owned()), "{:?}", files(&home));
        let back = home.email.command("delete_email").unwrap().reversal(&action, &output).unwrap();
        result(home.run("mark", Value::Object(back.params), "u").await);
    }
    // A name that leaves no room for a flag.
    let long = "y".repeat(252);
    home.lay("cur", &long, b"From: Long <long@x.example>\r\nSubject: Giraffe\r\n\r\nx");
    let told = why(home.run("mark", json!({"find_by": "giraffe", "as": "read"}), "m").await);
    assert!(told.contains("could not be changed"), "{told}");
    let refused = not_ready(&home, "forward_email", json!({"find_by": "elephant", "to": ["b@x.example"]})).await;
    assert!(refused.contains("too large"), "{refused}");
}
