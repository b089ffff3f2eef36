use std::fs;

use serde_json::json;

use super::*;
use crate::services::contract::service::{Attempt, ContextRequest, Prepared};
use crate::services::email::demo;
use crate::services::email::tests::{MailWorld, mail, request_context, result, run};
use crate::services::helpers::address_book::PeopleQuery;
use crate::services::remote::backend::RecordOrigin;
use crate::services::remote::dav::{DavReader, ResourceName};
use crate::testing::authorized;
use brain_core::core::plan::{Action, Taint};
use brain_core::ports::{Batch, Expect};
use brain_language::language::people;
use brain_language::language::people::Familiarity;

mod many;

async fn find(home: &MailWorld, query: &str) -> Vec<String> {
    let found = run(&home.people, &home.ctx, "find", json!({"query": query}), "1").await;
    let found = result(found);
    let people = found["people"].as_array().unwrap();
    people.iter().map(|p| p["name"].as_str().unwrap().to_owned()).collect()
}

/// Saves, commits, and gives the person as the receipt sees them.
async fn save(home: &MailWorld, params: Value, key: &str) -> Value {
    let saved = run(&home.people, &home.ctx, "save", params, key).await;
    let changes = saved.changes.clone();
    home.store.commit(Batch { changes }).await.unwrap();
    result(saved)["person"].clone()
}

fn with_demo() -> MailWorld {
    let home = MailWorld::new();
    demo::fill(home.dir.path(), &home.ctx.owner, home.ctx.now, home.ctx.zone).unwrap();
    home
}

#[tokio::test]
async fn people_are_found_by_any_of_their_names_and_by_group() {
    let home = with_demo();
    for (query, expected) in [
        ("Anna", vec!["Anna Kowalczyk"]),
        ("bob", vec!["Bob Miller", "Bob Tanaka"]),
        ("marek dvorak", vec!["Marek Dvořák"]),
        ("Dvořak", vec!["Marek Dvořák"]),
        ("mom", vec!["Mum"]),
        ("my landlord", vec!["Gérard Dubois"]),
        ("joerg", vec!["Jörg Lehmann"]),
        ("Priyaa", vec!["Priya Raman"]),
        ("the whole team", vec!["Anna Kowalczyk", "Bob Miller", "Priya Raman", "Sarah Lindqvist", "Tom Okafor"]),
        ("katrin.vogel@spreewerk.example", vec!["Katrin Vogel"]),
        ("Xerxes", vec![]),
    ] {
        assert_eq!(find(&home, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn everybody_is_listed_once_and_known_as_well_as_they_are() {
    let home = with_demo();
    let everybody = PeopleQuery::names(["Lindenhof", "Hedgerow", "Bob", "Chad", "Alex", "the whole team", "Mum"]);
    let people = home.contacts.people(&home.ctx.owner, &everybody).await.unwrap();
    let mut addresses: Vec<String> = people.iter().flat_map(|p| p.emails.clone()).collect();
    addresses.sort();
    let count = addresses.len();
    addresses.dedup();
    assert_eq!(addresses.len(), count);
    let known = |address: &str| {
        let person = people.iter().find(|p| p.emails.contains(&address.to_owned()));
        person.map(|p| p.known)
    };
    assert_eq!(known("bob.miller@example.com"), Some(Familiarity::Written), "a card, and written to");
    assert_eq!(known("chad@leadspark.example"), Some(Familiarity::Seen));
    assert_eq!(known("alex.morgan@example.com"), None, "oneself is no contact");
    assert!(people.iter().any(|p| p.known == Familiarity::Written));
}

#[tokio::test]
async fn saving_completes_the_person_of_that_name() {
    let home = with_demo();
    let tom = save(&home, json!({"name": "Tom", "phone": "555 0100"}), "1").await;
    assert_eq!(tom["name"], "Tom Okafor");
    assert_eq!(tom["emails"], json!(["tom.okafor@example.com"]));
    assert_eq!(tom["phones"], json!(["555 0100", "+44 7700 900163"]));
    let tom = save(&home, json!({"name": "tom okafor", "email": "tom@home.example"}), "2").await;
    assert_eq!(tom["phones"], json!(["555 0100", "+44 7700 900163"]));
    assert_eq!(home.contacts.contacts(&home.ctx.owner, &PeopleQuery::names(["Tom"])).await.unwrap().contacts.len(), 1);
    assert_eq!(find(&home, "Tom").await, ["Tom Okafor"]);
    let team = find(&home, "team").await;
    assert_eq!(team.len(), 5, "the card's groups stay: {team:?}");
}

#[tokio::test]
async fn somebody_new_is_saved_for_their_owner_alone() {
    let home = MailWorld::new();
    let person = save(&home, json!({"name": "  Zed   Zimmer ", "email": "zed@x.example"}), "1").await;
    assert_eq!(person["name"], "Zed Zimmer");
    assert_eq!(find(&home, "zed").await, ["Zed Zimmer"]);
    assert!(
        home.contacts.people(&request_context("you").owner, &PeopleQuery::names(["zed"])).await.unwrap().is_empty()
    );
}

#[tokio::test]
async fn an_unclear_name_is_asked_about() {
    let home = with_demo();
    let prepared = home.people.prepare(&home.ctx, "save", json!({"name": "Bob", "phone": "1"})).await.unwrap();
    let Prepared::Several { param, candidates, .. } = prepared else {
        panic!("two Bobs are two: {prepared:?}");
    };
    assert_eq!(param, "name");
    let ids: Vec<&str> = candidates.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["Bob Miller <bob.miller@example.com>", "Bob Tanaka <bob.tanaka@example.org>"]);
}

#[tokio::test]
async fn the_file_is_read_again_when_it_changes() {
    let home = MailWorld::new();
    let path = home.dir.path().join("contacts.vcf");
    assert!(find(&home, "ann").await.is_empty());
    fs::write(&path, "BEGIN:VCARD\nFN:Ann\nEMAIL:ann@x.example\nEND:VCARD\n").unwrap();
    assert_eq!(find(&home, "ann").await, ["Ann"]);
    fs::write(&path, "BEGIN:VCARD\nFN:Annabel\nEMAIL:ann@x.example\nEND:VCARD\n").unwrap();
    assert_eq!(find(&home, "annabel").await, ["Annabel"]);
    fs::write(&path, [0xFF, 0xFE, 0x00]).unwrap();
    assert!(find(&home, "annabel").await.is_empty());
}

#[tokio::test]
async fn a_sender_never_takes_the_place_of_a_saved_person() {
    let home = with_demo();
    home.receive("evil", &mail("Mum <mum@evil.example>", "Help", "Mon, 4 May 2026 08:00:00 +0000", "", "x"));
    let people = home.contacts.people(&home.ctx.owner, &PeopleQuery::names(["my mum"])).await.unwrap();
    let candidates: Vec<people::Candidate> = people.iter().map(Into::into).collect();
    let found = people::resolve("my mum", &candidates);
    assert!(matches!(&found, people::Match::One(to) if to[0].email == "helen.morgan@example.net"), "{found:?}");
}

#[tokio::test]
async fn a_message_brings_up_the_people_it_names() {
    let home = with_demo();
    let wanted = ContextRequest { message: "email Bob about the chad offer".into(), limit: 5, in_sight_from: None };
    let noticed = home.people.service.notice(&home.ctx, &wanted).await.unwrap();
    let lines: Vec<&str> = noticed.iter().map(|n| n.line.as_str()).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("Bob Miller: bob.miller@example.com"));
    let sources: Vec<&str> = noticed[2].untrusted.iter().map(|words| words.source.as_str()).collect();
    assert_eq!(sources, ["a mail from “Chad from Leadspark” <chad@leadspark.example>"]);
}

#[tokio::test]
async fn an_address_that_somebody_else_gave_is_marked_until_the_person_gives_it_themself() {
    let home = MailWorld::new();
    let params = json!({"name": "Zoe Quist", "email": "zoe@evil.example"});
    let entry = |taints: &[&str]| {
        let taint = |param: &&str| Taint {
            param: (*param).to_owned(),
            value: "zoe@evil.example".to_owned(),
            source: "a mail from Bob".to_owned(),
            kept_in: None,
        };
        Action {
            service: "contacts".to_owned(),
            command: "save".to_owned(),
            params: params.as_object().unwrap().clone(),
            passed_on: taints.iter().map(taint).collect(),
            ..Action::default()
        }
    };
    let attempt = Attempt { key: "z".repeat(32), begun: chrono::DateTime::UNIX_EPOCH };
    let saved = home.people.perform(&home.ctx, &authorized(entry(&["email"])), &attempt).await;
    home.store.commit(Batch { changes: saved.changes.clone() }).await.unwrap();
    let wanted = ContextRequest { message: "email Zoe".into(), limit: 5, in_sight_from: None };
    let noticed = home.people.service.notice(&home.ctx, &wanted).await.unwrap();
    assert_eq!(noticed[0].untrusted[0].label(), "a contact from a mail from Bob");
    assert_eq!(noticed[0].untrusted, saved.untrusted);
    let found = run(&home.people, &home.ctx, "find", json!({"query": "Zoe"}), "2").await;
    assert_eq!(found.untrusted, saved.untrusted);
    let own = save(&home, params.clone(), "3").await;
    assert_eq!(own["emails"], json!(["zoe@evil.example"]));
    assert!(home.people.service.notice(&home.ctx, &wanted).await.unwrap()[0].untrusted.is_empty());
}

const KNOWN: &str = "anna@known.example";
const EVE: &str = "eve@evil.example";
const SHARED: &str = "an address book that others write into, too";

/// A card of an account's book: names (the first is FN), and addresses of which the first is preferred. `others`:
/// others write into that book.
async fn carded(home: &MailWorld, id: &str, names: &[&str], emails: &[&str], others: bool) {
    let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<String>>();
    let mut card = Contact {
        nicknames: list(&names[1..]),
        emails: list(emails),
        preferred: emails.first().map(|&email| email.to_owned()),
        given: Some(Vec::new()),
        origin: Some(RecordOrigin::new("home", id, "1")),
        ..Contact::called(&home.ctx.owner, id, names[0])
    };
    for text in names.iter().chain(emails).filter(|_| others) {
        card.others.add("card", text, Some(SHARED.to_owned()));
    }
    let mut batch = Batch::default();
    batch.put(&card, Expect::Any).unwrap();
    home.store.commit(batch).await.unwrap();
}

/// The person has written to Anna Berg, and called her so.
fn with_anna() -> MailWorld {
    let home = MailWorld::new();
    wrote(&home, "Anna Berg <anna@known.example>");
    home
}

fn wrote(home: &MailWorld, to: &str) {
    let text = format!("From: me@example.com\nTo: {to}\nSubject: x\nDate: 1 May 2026 08:00:00 +0000\n\nx");
    home.lay(".Sent/cur", &format!("{}:2,S", to.len()), text.as_bytes());
}

/// Whom a name means: an address, `? ` and those to choose from, or `-`.
async fn meant(home: &MailWorld, asked: &str) -> String {
    let people = home.contacts.people(&home.ctx.owner, &PeopleQuery::names([asked])).await.unwrap();
    let candidates: Vec<people::Candidate> = people.iter().map(Into::into).collect();
    let emails = |found: &[people::Recipient]| found.iter().map(|one| one.email.clone()).collect::<Vec<_>>().join(" ");
    match people::resolve(asked, &candidates) {
        people::Match::One(found) => emails(&found),
        people::Match::Several { candidates, .. } => format!("? {}", emails(&candidates)),
        people::Match::Nobody { .. } | people::Match::NoAddress { .. } => "-".to_owned(),
    }
}

#[tokio::test]
async fn a_card_takes_the_place_of_nobody_whom_the_person_has_written_to() {
    let both = format!("? {KNOWN} {EVE}");
    for (names, emails, asked, expected) in [
        (vec!["Anna Berg"], vec![EVE], "Anna Berg", both.as_str()),
        (vec!["Anna Berg"], vec![EVE], "Anna", &both),
        (vec!["anna  BERG"], vec![EVE], "Anna Berg", &both),
        (vec!["Anna\u{200B} B\u{AD}erg"], vec![EVE], "Anna Berg", &both),
        (vec!["Eve", "Anna"], vec![EVE], "Anna", &both),
        (vec!["Eve", "Anna Berg"], vec![EVE], "Anna Berg", &both),
        (vec!["\u{410}nna Berg"], vec![EVE], "Anna Berg", KNOWN),
        (vec![KNOWN], vec![EVE], "Anna", KNOWN),
        (vec!["Eve", KNOWN], vec![EVE], KNOWN, KNOWN),
        (vec!["Anna Berg"], vec![EVE, KNOWN], "Anna Berg", &both),
        (vec!["Somebody Else"], vec![KNOWN], "Anna Berg", KNOWN),
    ] {
        let home = with_anna();
        carded(&home, "c1", &names, &emails, true).await;
        assert_eq!(meant(&home, asked).await, expected, "{names:?} {asked}");
    }
    let home = with_anna();
    carded(&home, "c1", &["Somebody Else"], &[KNOWN], true).await;
    carded(&home, "c2", &["Anna Berg"], &[EVE], true).await;
    assert_eq!(meant(&home, "Anna Berg").await, both);
}

#[tokio::test]
async fn what_everybody_is_called_is_nobodys_name_on_a_card_that_others_write() {
    let names = ["me", "myself", "all", "everyone", "the team", "team", "my boss", "boss", "mum", "us", "Chef", "moi"];
    for name in names {
        let home = MailWorld::new();
        carded(&home, "c1", &[name, name], &[EVE], true).await;
        carded(&home, "c2", &["Eve", name], &[EVE], true).await;
        assert_eq!(meant(&home, name).await, "-", "{name}");
        let own = MailWorld::new();
        save(&own, json!({"name": name, "email": "anna@known.example"}), "1").await;
        assert_eq!(meant(&own, name).await, KNOWN, "whom the person calls {name} is called so");
    }
}

#[tokio::test]
async fn two_of_a_name_are_two_wherever_they_are_kept() {
    let home = MailWorld::new();
    save(&home, json!({"name": "Anna Berg", "email": KNOWN}), "1").await;
    assert_eq!(meant(&home, "Anna Berg").await, KNOWN);
    fs::write(
        home.dir.path().join("contacts.vcf"),
        format!("BEGIN:VCARD\nFN:Anna Berg\nEMAIL;TYPE=PREF:{EVE}\nEND:VCARD\n"),
    )
    .unwrap();
    assert_eq!(meant(&home, "Anna Berg").await, format!("? {KNOWN} {EVE}"));
    assert_eq!(meant(&home, "Anna").await, format!("? {KNOWN} {EVE}"));
    let params = json!({"name": "Anna Berg", "phone": "555 0100"});
    let asked = home.people.prepare(&home.ctx, "save", params.clone()).await.unwrap();
    let Prepared::Several { candidates, .. } = asked else { panic!("two are two: {asked:?}") };
    let chosen = candidates.iter().find(|one| one.id.contains(KNOWN)).unwrap();
    let saved = save(&home, json!({"name": chosen.id, "phone": "555 0100"}), "2").await;
    assert_eq!(saved["emails"], json!([KNOWN]));
    assert_eq!(meant(&home, "Anna Berg").await, format!("? {KNOWN} {EVE}"));
}

#[tokio::test]
async fn an_address_that_changed_on_a_card_is_asked_about_until_it_was_written_to() {
    let card = |email: &str| format!("BEGIN:VCARD\nVERSION:3.0\nUID:1\nFN:Anna Berg\nEMAIL:{email}\nEND:VCARD\n");
    let home = MailWorld::new();
    wrote(&home, KNOWN);
    let reader = DavReader {
        owner: &home.ctx.owner,
        chat: &home.ctx.chat,
        zone: home.ctx.zone,
        own: &[],
        is_shared: false,
        now: home.ctx.now,
    };
    let name = || ResourceName { id: "c1".to_owned(), origin: RecordOrigin::new("home", "c1", "1") };
    let before = Contact::read(&card(KNOWN), name(), None, &reader).unwrap().unwrap();
    let after = Contact::read(&card(EVE), name(), Some(&before), &reader).unwrap().unwrap();
    let keep = async |contact: &Contact| {
        let mut batch = Batch::default();
        batch.put(contact, Expect::Any).unwrap();
        home.store.commit(batch).await.unwrap();
    };
    keep(&before).await;
    assert_eq!(meant(&home, "Anna Berg").await, KNOWN);
    keep(&after).await;
    assert_eq!(meant(&home, "Anna Berg").await, format!("? {KNOWN} {EVE}"));
    wrote(&home, &format!("Anna Berg <{EVE}>"));
    assert_eq!(meant(&home, "Anna Berg").await, EVE);
}

#[tokio::test]
async fn what_others_write_on_a_card_names_nobody_who_writes() {
    let home = MailWorld::new();
    carded(&home, "c1", &["Mum"], &[EVE], true).await;
    let addresses = [EVE.to_owned()].into();
    let names = home.contacts.names_of(&home.ctx.owner, &addresses).await.unwrap();
    assert_eq!(names.party("Mum", EVE).known_as, None);
    carded(&home, "c1", &["Mum"], &[EVE], false).await;
    let names = home.contacts.names_of(&home.ctx.owner, &addresses).await.unwrap();
    assert_eq!(names.party("Eve", EVE).known_as.as_deref(), Some("Mum"));
}

#[tokio::test]
async fn only_whom_the_person_wrote_to_or_gave_is_no_stranger_on_a_card() {
    let home = with_anna();
    save(&home, json!({"name": "Zoe", "email": "zoe@x.example"}), "1").await;
    carded(&home, "c1", &["Bob"], &["bob@own.example"], false).await;
    carded(&home, "c2", &["Eve"], &[EVE], true).await;
    let file = "BEGIN:VCARD\nFN:Tom\nEMAIL:tom@file.example\nEND:VCARD\n";
    fs::write(home.dir.path().join("contacts.vcf"), file).unwrap();
    for (to, is_first) in
        [(KNOWN, false), ("zoe@x.example", false), ("bob@own.example", true), (EVE, true), ("tom@file.example", true)]
    {
        let prepared = home.prepare("send_email", json!({"to": [to], "subject": "s", "body": "b"})).await;
        let Prepared::Ready { notes, .. } = prepared else { panic!("{to}") };
        let first = format!("first mail to this address: {to}");
        assert_eq!(notes.contains(&first), is_first, "{to}: {notes:?}");
    }
}

#[tokio::test]
async fn a_number_and_an_address_are_taken_off_with_a_yes_and_a_note_is_kept() {
    let home = MailWorld::new();
    save(&home, json!({"name": "Rui Costa", "email": "rui@example.org", "phone": "+351 910 000 001"}), "1").await;
    let rui = save(&home, json!({"name": "Rui Costa", "email": "rui@work.example", "note": "our plumber"}), "2").await;
    assert_eq!((&rui["note"], rui["emails"].as_array().unwrap().len()), (&json!("our plumber"), 2));

    let params = json!({"name": "Rui", "remove": ["351910000001", "rui@example.org"]});
    let prepared = home.people.prepare(&home.ctx, "save", params.clone()).await.unwrap();
    let action = crate::testing::ready(&home.people, "save", prepared);
    let entry = home.people.command("save").unwrap();
    assert_eq!(entry.stakes(&action), brain_core::core::stakes::Stakes::High);
    let rui = save(&home, params, "3").await;
    assert_eq!((&rui["emails"], &rui["phones"]), (&json!(["rui@work.example"]), &json!([])));
    assert_eq!(rui["note"], "our plumber");

    let missing = json!({"name": "Rui", "remove": ["555 0100"]});
    let prepared = home.people.prepare(&home.ctx, "save", missing).await.unwrap();
    assert!(matches!(prepared, Prepared::NotFound { .. }), "{prepared:?}");
}

#[tokio::test]
async fn a_contact_is_deleted_and_one_of_the_file_is_not() {
    let home = with_demo();
    save(&home, json!({"name": "Rui Costa", "email": "rui@example.org"}), "1").await;
    let deleted = run(&home.people, &home.ctx, "delete", json!({"find_by": "rui"}), "2").await;
    home.store.commit(Batch { changes: deleted.changes.clone() }).await.unwrap();
    assert_eq!(result(deleted)["person"]["name"], "Rui Costa");
    assert_eq!(find(&home, "rui").await, Vec::<String>::new());
    for (who, told) in [("Anna Kowalczyk", "only read"), ("Xerxes", "no contact called")] {
        let prepared = home.people.prepare(&home.ctx, "delete", json!({"find_by": who})).await.unwrap();
        let Prepared::NotFound { what } = prepared else { panic!("{who}: {prepared:?}") };
        assert!(what.contains(told), "{what}");
    }
}
