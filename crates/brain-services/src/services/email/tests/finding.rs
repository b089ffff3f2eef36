//! Threads, search, and what a description means.

use std::fs;

use serde_json::json;

use super::*;
use crate::services::contract::entry::ParamError;
use crate::testing::params;

fn story(home: &MailWorld) {
    let anna = "Anna Kowalczyk <anna@example.com>";
    let bob = "Bob Miller <bob@example.com>";
    home.receive(
        "1.a",
        &mail(
            anna,
            "Budget",
            "Mon, 27 Apr 2026 08:00:00 +0200",
            "Message-ID: <b1@x>\n",
            "Numbers for the dentists, please.",
        ),
    );
    home.receive(
        "2.b",
        &mail(
            bob,
            "Budget",
            "Tue, 28 Apr 2026 08:00:00 +0200",
            "Message-ID: <c1@x>\n",
            "A different budget, for the café.",
        ),
    );
    home.receive(
        "3.c",
        &mail(
            anna,
            "Re: Budget",
            "Wed, 29 Apr 2026 23:30:00 +0200",
            "Message-ID: <b2@x>\nIn-Reply-To: <b1@x>\n",
            "> Numbers for the dentists\n\nAny news?",
        ),
    );
    home.lay(
        "cur",
        "4.d:2,S",
        mail(bob, "Re: budget", "Thu, 30 Apr 2026 08:00:00 +0200", "Message-ID: <c2@x>\n", "Second try.").as_bytes(),
    );
}

#[tokio::test]
async fn two_threads_with_one_subject_stay_apart_and_their_replies_find_them() {
    let home = MailWorld::new();
    story(&home);
    let found = home.search(json!({"subject": "budget"})).await;
    assert_eq!(subjects(&found), ["Budget", "Budget"]);
    let rows = found["threads"].as_array().unwrap();
    assert_eq!((&rows[0]["from"], &rows[0]["messages"]), (&json!("“Bob Miller” <bob@example.com>"), &json!(2)));
    assert_eq!((&rows[1]["from"], &rows[1]["messages"]), (&json!("“Anna Kowalczyk” <anna@example.com>"), &json!(2)));
    assert_eq!(rows[1]["snippet"], "Any news?");
    assert_eq!(rows[1]["date"], "2026-04-29T23:30:00+02:00");
}

#[tokio::test]
async fn every_filter_narrows_the_search() {
    let home = MailWorld::new();
    story(&home);
    for (params, expected) in [
        (json!({}), 2),
        (json!({"from": "anna"}), 1),
        (json!({"from": "ANNA kowalczyk"}), 1),
        (json!({"from": "bob@example.com"}), 1),
        (json!({"from": "zoe"}), 0),
        (json!({"to": "me@example.com"}), 2),
        (json!({"to": "bob"}), 0),
        (json!({"text": "dentist"}), 1),
        (json!({"text": "cafe budgets"}), 1),
        (json!({"text": "the mail about dentists"}), 1),
        (json!({"text": "dentist cafe"}), 0),
        (json!({"unread": true, "from": "bob"}), 1),
        (json!({"unread": false}), 1),
        (json!({"since": "2026-04-30"}), 1),
        (json!({"since": "2026-04-29", "before": "2026-04-30"}), 1),
        (json!({"before": "2026-04-27"}), 0),
        (json!({"before": "2026-04-27T08:00:00+02:00"}), 0),
        (json!({"before": "2026-04-27T08:00:01+02:00"}), 1),
    ] {
        let found = home.search(params.clone()).await;
        assert_eq!(found["threads"].as_array().unwrap().len(), expected, "{params}");
        assert_eq!(found["more"], 0);
    }
}

#[tokio::test]
async fn a_long_result_says_how_many_more_there_are() {
    let home = MailWorld::new();
    for n in 0..25 {
        let date = format!("Mon, {} Apr 2026 08:00:00 +0000", n + 1);
        home.receive(&n.to_string(), &mail("a@x.example", &format!("Mail {n}"), &date, "", "x"));
    }
    let found = home.search(json!({})).await;
    assert_eq!(found["threads"].as_array().unwrap().len(), 20);
    assert_eq!(found["more"], 5);
    assert_eq!(subjects(&found)[0], "Mail 24");
    let long = "word ".repeat(200);
    home.receive("long", &mail("a@x.example", "Long", "Mon, 4 May 2026 08:00:00 +0000", "", &long));
    let found = home.search(json!({"subject": "long"})).await;
    assert!(found["threads"][0]["snippet"].as_str().unwrap().chars().count() <= 200);
}

#[tokio::test]
async fn the_index_follows_the_folder() {
    let home = MailWorld::new();
    assert_eq!(subjects(&home.search(json!({})).await), Vec::<&str>::new());
    let one = home.receive("1", &mail("a@x.example", "One", "Mon, 4 May 2026 08:00:00 +0000", "", "x"));
    assert_eq!(home.search(json!({"unread": true})).await["threads"][0]["subject"], "One");
    let cur = home.lay("cur", "x", b"");
    fs::remove_file(&cur).unwrap();
    fs::rename(&one, cur.with_file_name("1:2,S")).unwrap();
    assert_eq!(subjects(&home.search(json!({"unread": true})).await), Vec::<&str>::new());
    assert_eq!(subjects(&home.search(json!({})).await), ["One"]);
    fs::remove_file(cur.with_file_name("1:2,S")).unwrap();
    assert_eq!(subjects(&home.search(json!({})).await), Vec::<&str>::new());
}

#[tokio::test]
async fn nobody_sees_anybody_elses_mail() {
    let home = MailWorld::new();
    story(&home);
    for other in ["you", "Me", "", "../me", "me/cur"] {
        let found = run(&home.email, &request_context(other), "search", json!({}), "1").await;
        assert_eq!(result(found)["threads"], json!([]), "{other}");
        let view = home.mailboxes.mail(&UserId::new(other)).await.unwrap();
        assert!(view.people().is_empty());
    }
}

#[tokio::test]
async fn a_description_means_one_thread_or_is_asked_about() {
    let home = MailWorld::new();
    story(&home);
    home.receive("9", &mail("Zoë <zoe@x.example>", "Berlin trip", "Fri, 1 May 2026 08:00:00 +0000", "", "hotel"));
    home.receive(
        "8",
        &mail("Zoë <zoe@x.example>", "Party", "Fri, 1 May 2026 07:00:00 +0000", "", "not in Berlin this time"),
    );
    let one = async |find_by: &str| match home.prepare("read_thread", json!({"find_by": find_by})).await {
        Prepared::Ready { target, .. } => target.unwrap().label,
        Prepared::Several { candidates, .. } => format!("{} choices", candidates.len()),
        Prepared::Every { ids } => format!("all {}", ids.len()),
        Prepared::NotFound { what } => what,
    };
    assert_eq!(one("the Berlin trip").await, "Berlin trip — “Zoë” <zoe@x.example>");
    assert_eq!(one("the mail about berlin").await, "Berlin trip — “Zoë” <zoe@x.example>");
    assert_eq!(one("zoe party").await, "Party — “Zoë” <zoe@x.example>");
    assert_eq!(one("Anna's mail").await, "Budget — “Anna Kowalczyk” <anna@example.com>");
    assert_eq!(one("dentists").await, "Budget — “Anna Kowalczyk” <anna@example.com>");
    assert_eq!(one("budget").await, "2 choices");
    assert_eq!(one("zoe").await, "2 choices");
    assert_eq!(one("the latest mail from zoe").await, "Berlin trip — “Zoë” <zoe@x.example>");
    assert_eq!(one("the last mail").await, "Berlin trip — “Zoë” <zoe@x.example>");
    assert_eq!(one("unicorns").await, "I found no mail like “unicorns”.");
    let nothing = home.email.command("read_thread").unwrap().check(params(&json!({"find_by": "   "})));
    assert!(matches!(&nothing, Err(ParamError::Missing { param, .. }) if param == "find_by"), "{nothing:?}");
}

#[tokio::test]
async fn a_whole_thread_comes_with_its_texts_marked_as_foreign() {
    let home = MailWorld::new();
    story(&home);
    let read = home.run("read_thread", json!({"find_by": "dentists"}), "1").await;
    assert_eq!(read.untrusted.len(), 2);
    assert_eq!(read.untrusted[0].source, "a mail from “Anna Kowalczyk” <anna@example.com>");
    assert!(read.untrusted[0].text.contains("Numbers for the dentists"));
    let thread = &result(read)["thread"];
    assert_eq!(thread["messages"][0]["from"], "“Anna Kowalczyk” <anna@example.com>");
    assert_eq!(thread["messages"][1]["text"], "> Numbers for the dentists\n\nAny news?\n");
    // Reading marks nothing as read.
    assert_eq!(home.search(json!({"unread": true, "from": "anna"})).await["threads"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_newest_or_the_oldest_of_what_fits_is_one() {
    let home = MailWorld::new();
    story(&home);
    for (params, expected, order) in [
        (json!({"from": "anna", "which": "newest"}), "2026-04-29T23:30:00+02:00", "newest first"),
        (json!({"text": "budget", "which": "newest"}), "2026-04-30T08:00:00+02:00", "newest first"),
        (json!({"which": "newest"}), "2026-04-30T08:00:00+02:00", "newest first"),
        (json!({"text": "budget", "which": "oldest"}), "2026-04-29T23:30:00+02:00", "oldest first"),
    ] {
        let found = home.search(params.clone()).await;
        let rows = found["threads"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0]["date"], &found["order"]), (1, &json!(expected), &json!(order)), "{params}");
    }
    let found = home.search(json!({"text": "budget"})).await;
    assert_eq!(found["order"], "best match first, not by date");
    assert_eq!(home.search(json!({"from": "anna"})).await["order"], "newest first");
}

#[tokio::test]
async fn my_most_recent_mail_from_somebody_is_the_last_of_theirs() {
    let home = MailWorld::new();
    story(&home);
    let bob = "Bob Miller <bob@example.com>";
    home.receive(
        "5.e",
        &mail(bob, "Invoices", "Wed, 29 Apr 2026 08:00:00 +0200", "Message-ID: <i1@x>\n", "See there."),
    );
    home.receive(
        "6.f",
        &mail(
            "Carla <carla@example.com>",
            "Re: Invoices",
            "Sat, 2 May 2026 08:00:00 +0200",
            "Message-ID: <i2@x>\nIn-Reply-To: <i1@x>\n",
            "Thanks.",
        ),
    );
    for (find_by, expected) in [
        ("my most recent email from bob", "Re: budget — “Bob Miller” <bob@example.com>"),
        ("newest mail from anna", "Re: Budget — “Anna Kowalczyk” <anna@example.com>"),
        ("latest mail from bob about invoices", "Invoices — “Bob Miller” <bob@example.com>"),
    ] {
        let prepared = home.prepare("delete_email", json!({"find_by": find_by})).await;
        let Prepared::Ready { target: Some(target), .. } = prepared else { panic!("{find_by}: {prepared:?}") };
        assert_eq!(target.label, expected, "{find_by}");
    }
}

#[tokio::test]
async fn all_that_fit_and_several_by_their_ids_are_each_an_action() {
    let home = MailWorld::new();
    story(&home);
    let news = "Gazette <gazette@news.example>";
    for (name, date) in [("5.e", "Fri, 1 May 2026 08:00:00 +0200"), ("6.f", "Sat, 2 May 2026 08:00:00 +0200")] {
        home.receive(name, &mail(news, "Your newsletter", date, &format!("Message-ID: <{name}@x>\n"), "News."));
    }
    let all = async |command: &str, mut params: Value, find_by: &str| {
        params["find_by"] = json!(find_by);
        match home.prepare(command, params).await {
            Prepared::Every { ids } => ids,
            other => panic!("{find_by}: {other:?}"),
        }
    };
    let newsletters = all("mark", json!({"as": "archived"}), "all newsletters").await;
    assert_eq!(newsletters.len(), 2);
    assert_eq!(all("delete_email", json!({}), "all mails from bob").await.len(), 2);
    assert_eq!(all("delete_email", json!({}), &newsletters.join(", ")).await, newsletters);
    let nothing = home.prepare("delete_email", json!({"find_by": "all unicorns"})).await;
    assert!(matches!(nothing, Prepared::NotFound { .. }), "{nothing:?}");
}
