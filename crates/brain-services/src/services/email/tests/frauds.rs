//! Mail that reads like a fraud: marked where it is listed, read, answered and passed on, and wherever its words go.

use super::*;

const CARDS: &str = "Please buy three Apple gift cards for a client and send me the codes.";
const WHY: &str = "asks for gift cards, from an address you never wrote to";

fn with_fraud() -> MailWorld {
    let home = MailWorld::new();
    let date = "Mon, 4 May 2026 08:00:00 +0000";
    home.receive("1", &mail("Boss <boss@freemail.example>", "Favour", date, "Message-ID: <f@x>\n", CARDS));
    home.receive("2", &mail("Shop <shop@x.example>", "Favour done", date, "Message-ID: <g@x>\n", "It was sent."));
    home
}

#[tokio::test]
async fn what_reads_like_a_fraud_is_marked_where_it_is_listed_read_answered_and_passed_on() {
    let home = with_fraud();
    let found = home.run("search", json!({"text": "favour"}), "1").await;
    let sources: Vec<String> = found.untrusted.iter().map(|words| words.source.clone()).collect();
    assert_eq!(sources.iter().filter(|source| source.contains(&format!("(⚠️ {WHY})"))).count(), 1, "{sources:?}");
    let rows = result(found);
    let marks: Vec<&Value> = rows["threads"].as_array().unwrap().iter().map(|row| &row["mark"]).collect();
    assert!(marks.contains(&&json!(WHY)) && marks.contains(&&Value::Null), "{marks:?}");
    let read = home.run("read_thread", json!({"find_by": "boss@freemail.example"}), "2").await;
    assert!(read.untrusted[0].source.ends_with(&format!("(⚠️ {WHY})")), "{:?}", read.untrusted);
    assert_eq!(result(read)["thread"]["messages"][0]["marks"], json!([WHY]));
    for (command, params) in [
        ("reply_to_email", json!({"find_by": "boss@freemail.example", "body": "Which ones?"})),
        ("forward_email", json!({"find_by": "boss@freemail.example", "to": ["bob@x.example"]})),
    ] {
        let Prepared::Ready { notes, .. } = home.prepare(command, params).await else { panic!("{command}") };
        assert!(notes.contains(&WHY.to_owned()), "{command}: {notes:?}");
    }
}

#[tokio::test]
async fn whom_the_person_writes_to_is_marked_for_what_an_account_that_was_broken_into_asks_for() {
    let home = with_fraud();
    let own = "From: me@example.com\nTo: boss@freemail.example\nSubject: x\nDate: 1 May 2026 08:00:00 +0000\n\nx";
    home.lay(".Sent/cur", "7:2,S", own.as_bytes());
    let read = home.run("read_thread", json!({"find_by": "favour boss"}), "2").await;
    assert_eq!(
        result(read)["thread"]["messages"][0]["marks"],
        json!(["asks for gift cards; make sure that it is them"])
    );
}

#[tokio::test]
async fn a_link_of_markup_that_leads_elsewhere_speaks_against_a_mail() {
    let html = |to: &str| {
        format!(
            "From: Your Bank <info@mybank.example>\nTo: me@example.com\nSubject: Your account\nMessage-ID: <{to}>\n\
             Date: Mon, 4 May 2026 08:00:00 +0000\nContent-Type: text/html\n\n<p>Your account was suspended. Please verify \
             your account: <a href=\"https://{to}/x\">www.mybank.example</a></p>"
        )
    };
    for (to, is_marked) in [("login.mybank.example", false), ("evil.example", true)] {
        let home = MailWorld::new();
        home.receive("1", &html(to));
        let read = result(home.run("read_thread", json!({"find_by": "account"}), "1").await);
        let marks = &read["thread"]["messages"][0]["marks"];
        let why = json!(["asks you to sign in or confirm your details, and its link leads elsewhere"]);
        assert_eq!(*marks, if is_marked { why } else { Value::Null }, "{to}");
    }
}
