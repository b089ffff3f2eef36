//! What is found, and in which order.

use chrono::{DateTime, TimeZone, Utc};

use super::*;
use brain_core::ports::{Candidates, Description, Needs, Participant, Ranking, Update};

#[tokio::test]
async fn words_are_found_by_stem_phrase_beginning_and_slip() {
    let (store, index) = in_memory();
    for (id, title) in [
        ("dentist", "Call the dentist"),
        ("report", "Quarterly report"),
        ("german", "Die Rechnungen und das Angebot"),
        ("cake", "🎂"),
        ("site", "Look at example.com"),
    ] {
        write(store.as_ref(), "u", id, title).await;
    }
    for (text, expected) in [
        ("dentists", "dentist"),
        ("dentits", "dentist"),
        ("reporting", "report"),
        ("rechnung", "german"),
        ("\"the dentist\"", "dentist"),
        ("quar*", "report"),
        ("🎂", "cake"),
        ("example", "site"),
    ] {
        assert_eq!(found(&index, "u", text).await, [expected], "{text}");
    }
    for text in ["\"dentist the\"", "plumber", "dentist report"] {
        assert!(found(&index, "u", text).await.is_empty(), "{text}");
    }
    let any = Query { needs: Needs::Any, ..query("dentist report") };
    assert_eq!(ids(&index, "u", &any).await.len(), 2);
    assert_eq!(ids(&index, "u", &query("")).await.len(), 5);
}

#[tokio::test]
async fn a_slip_finds_what_is_written_later_and_not_what_has_gone() {
    let (store, index) = in_memory();
    write(store.as_ref(), "u", "dentist", "Call the dentist").await;
    assert_eq!(found(&index, "u", "dentits").await, ["dentist"]);
    assert!(found(&index, "u", "plubmer").await.is_empty());
    write(store.as_ref(), "u", "plumber", "Call the plumber").await;
    assert_eq!(found(&index, "u", "plubmer").await, ["plumber"]);
    delete(store.as_ref(), "u", "dentist").await;
    assert!(found(&index, "u", "dentits").await.is_empty());
}

fn day(day: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 5, day, 12, 0, 0).unwrap()
}

fn mail(id: &str, title: &str, body: &str, from: (&str, &str), at: u32) -> Document {
    let (name, address) = (from.0.to_owned(), from.1.to_owned());
    Document {
        kind: "email".to_owned(),
        id: id.to_owned(),
        title: title.to_owned(),
        body: body.to_owned(),
        people: vec![Participant { role: "from".to_owned(), name, address }],
        at: Some(day(at)),
        flags: if at.is_multiple_of(2) { vec!["unread".to_owned()] } else { Vec::new() },
        group: Some(format!("thread{}", at % 3)),
        kept: id.as_bytes().to_vec(),
    }
}

fn mails() -> Vec<Document> {
    vec![
        mail("1", "Invoice", "please pay", ("Anna Meyer", "anna.meyer@example.com"), 1),
        mail("2", "Lunch", "the invoice is attached", ("Bob", "bob@other.example"), 2),
        mail("3", "Invoice", "please pay", ("Katrin", "k@example.com"), 3),
        mail("4", "Holidays", "see you in May", ("Anna Schmidt", "as@example.com"), 4),
    ]
}

#[tokio::test]
async fn filters_people_times_and_orders_hold_together() {
    let (_, index) = in_memory();
    let update = Update { feed: "mail".to_owned(), mark: "7".to_owned(), put: mails(), ..Update::default() };
    index.apply(&user("u"), update.clone()).await.unwrap();
    index.apply(&user("u"), update).await.unwrap();
    assert_eq!(index.mark(&user("u"), "mail").await.unwrap().as_deref(), Some("7"));
    let base = Query { kinds: vec!["email".to_owned()], limit: 10, ..Query::default() };
    let person = |role: &str, name: &str| vec![(role.to_owned(), name.to_owned())];
    let some_flags = |flags: &[&str]| flags.iter().map(|&flag| flag.to_owned()).collect::<Vec<String>>();
    let many_flags = (0..100).map(|n| format!("flag{n}")).chain(["unread".to_owned()]).collect();
    let cases = [
        (
            "title before body, newer before older",
            Query { text: "invoice".to_owned(), ..base.clone() },
            vec!["3", "1", "2"],
        ),
        ("in the title", Query { in_title: "invoice".to_owned(), ..base.clone() }, vec!["3", "1"]),
        ("a name", Query { people: person("from", "anna"), ..base.clone() }, vec!["4", "1"]),
        ("a whole name", Query { people: person("", "Anna Meyer"), ..base.clone() }, vec!["1"]),
        ("an address", Query { people: person("from", "k@example.com"), ..base.clone() }, vec!["3"]),
        ("a misspelt name", Query { people: person("from", "Catrin"), ..base.clone() }, vec!["3"]),
        ("another role", Query { people: person("to", "anna"), ..base.clone() }, vec![]),
        ("a flag", Query { flags: vec!["unread".to_owned()], ..base.clone() }, vec!["4", "2"]),
        ("any of some flags", Query { any_flags: some_flags(&["read", "unread"]), ..base.clone() }, vec!["4", "2"]),
        ("any of many flags", Query { any_flags: many_flags, ..base.clone() }, vec!["4", "2"]),
        ("any of others", Query { any_flags: some_flags(&["read"]), ..base.clone() }, vec![]),
        ("no flag", Query { without: vec!["unread".to_owned()], ..base.clone() }, vec!["3", "1"]),
        ("a thread", Query { group: Some("thread1".to_owned()), ..base.clone() }, vec!["4", "1"]),
        ("a span", Query { from: Some(day(2)), until: Some(day(4)), ..base.clone() }, vec!["3", "2"]),
        ("the oldest", Query { ranking: Ranking::Oldest, limit: 2, ..base.clone() }, vec!["1", "2"]),
        ("a page", Query { ranking: Ranking::Newest, skip: 1, limit: 2, ..base.clone() }, vec!["3", "2"]),
        ("another kind", Query { kinds: vec!["note".to_owned()], ..base.clone() }, vec![]),
    ];
    for (what, query, expected) in cases {
        assert_eq!(ids(&index, "u", &query).await, expected, "{what}");
    }
    let query = Query { text: "attached".to_owned(), snippet_chars: 30, ..base };
    let page = index.search(&user("u"), &query).await.unwrap();
    assert_eq!(page.hits[0].snippet.as_deref(), Some("is attached"));
    assert_eq!((page.hits[0].kept.as_slice(), page.total), (b"2".as_slice(), 1));
    let ids = ["2", "9"].map(str::to_owned);
    assert_eq!(index.get(&user("u"), "email", &ids).await.unwrap(), [("2".to_owned(), b"2".to_vec())]);
}

async fn candidates(index: &dyn Index, owner: &str, sought: &Description) -> Candidates {
    asked(async || index.candidates(&user(owner), sought).await).await
}

fn description(words: &[&str], limit: usize) -> Description {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    Description { kind: "note".to_owned(), exact: words.join(" "), words, limit, ..Description::default() }
}

#[tokio::test]
async fn candidates_are_counted_within_the_kind_and_the_best_come_first() {
    let (store, index) = in_memory();
    for n in 0..40 {
        let record = json!({ "title": format!("Call person{n}"), "at": n * 86_400, "open": n >= 20 });
        store.commit(Batch { changes: vec![change("u", &format!("p{n:02}"), Some(record))] }).await.unwrap();
    }
    write(store.as_ref(), "u", "dentist", "Book the dentist").await;
    let mails = (0..9).map(|n| mail(&n.to_string(), "Call", "dentist", ("", ""), 1)).collect();
    let update = Update { feed: "mail".to_owned(), put: mails, ..Update::default() };
    index.apply(&user("u"), update).await.unwrap();
    let both = candidates(&index, "u", &description(&["call", "dentist"], 3)).await;
    assert_eq!((both.documents, both.words[0].documents, both.words[1].documents), (41, 40, 1));
    assert_eq!((both.ids[0].as_str(), both.ids.len(), both.more), ("dentist", 3, 38));
    let slip = candidates(&index, "u", &description(&["dentits"], 3)).await;
    assert_eq!((slip.ids, slip.words[0].stems.len()), (vec!["dentist".to_owned()], 1));
    let first = Description {
        first: Some("open".to_owned()),
        near: DateTime::from_timestamp(25 * 86_400, 0),
        ..description(&["call"], 3)
    };
    let first = candidates(&index, "u", &first).await;
    assert_eq!(first.ids[0], "p25");
    assert!(first.ids.iter().all(|id| id.as_str() >= "p20"));
    let exact = Description { exact: "call person3".to_owned(), ..description(&["call"], 1) };
    assert!(candidates(&index, "u", &exact).await.ids.contains(&"p03".to_owned()));
    assert!(candidates(&index, "u", &description(&["plumber"], 3)).await.ids.is_empty());
    assert_eq!(candidates(&index, "u", &description(&[], 5)).await.ids.len(), 5);
}

#[tokio::test]
async fn what_is_deleted_counts_no_more() {
    let (store, index) = in_memory();
    write(store.as_ref(), "u", "a", "Call the plumber").await;
    write(store.as_ref(), "u", "b", "Call the dentist").await;
    for n in 0..12 {
        write(store.as_ref(), "u", "a", &format!("Call the dentist {n}")).await;
        assert_eq!(found(&index, "u", "dentist").await.len(), 2);
    }
    let counted = candidates(&index, "u", &description(&["dentist", "plumber"], 5)).await;
    assert_eq!((counted.documents, counted.words[0].documents, counted.words[1].documents), (2, 2, 0));
}

#[tokio::test]
async fn two_owners_with_the_same_words_never_see_each_other() {
    let (store, index) = in_memory();
    for n in 0..30 {
        write(store.as_ref(), "ann", &format!("x{n}"), "Secret plan for the dentist").await;
    }
    write(store.as_ref(), "bob", "b", "Call the dentist").await;
    assert_eq!(found(&index, "bob", "dentist").await, ["b"]);
    assert!(found(&index, "bob", "secret").await.is_empty());
    let bob = candidates(&index, "bob", &description(&["dentist", "secret", "plam"], 9)).await;
    let alone = in_memory();
    write(alone.0.as_ref(), "bob", "b", "Call the dentist").await;
    assert_eq!(bob, candidates(&alone.1, "bob", &description(&["dentist", "secret", "plam"], 9)).await);
    assert!(found(&index, "nobody", "dentist").await.is_empty());
}
