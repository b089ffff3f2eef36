use std::fs;

use serde_json::json;

use super::*;
use crate::core::plan::{Action, Taint};
use crate::language::people;
use crate::language::people::Familiarity;
use crate::ports::{Batch, Expect};
use crate::services::address_book::PeopleQuery;
use crate::services::email::demo;
use crate::services::email::tests::{Home, mail, request_context, result, run};
use crate::services::provenance::Others;
use crate::services::service::{Attempt, Prepared, Wanted};
use crate::testing::authorized;

async fn find(home: &Home, query: &str) -> Vec<String> {
    let found = run(&home.people, &home.ctx, "find", json!({"query": query}), "1").await;
    let found = result(found);
    let people = found["people"].as_array().unwrap();
    people.iter().map(|p| p["name"].as_str().unwrap().to_owned()).collect()
}

/// Saves, commits, and gives the person as the receipt sees them.
async fn save(home: &Home, params: Value, key: &str) -> Value {
    let saved = run(&home.people, &home.ctx, "save", params, key).await;
    let changes = saved.changes.clone();
    home.store.commit(Batch { changes }).await.unwrap();
    result(saved)["person"].clone()
}

fn with_demo() -> Home {
    let home = Home::new();
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
    assert_eq!(known("bob.miller@example.com"), Some(Familiarity::Saved));
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
    assert_eq!(home.contacts.contacts(&home.ctx.owner, &PeopleQuery::names(["Tom"])).await.unwrap().0.len(), 1);
    assert_eq!(find(&home, "Tom").await, ["Tom Okafor"]);
    let team = find(&home, "team").await;
    assert_eq!(team.len(), 5, "the card's groups stay: {team:?}");
}

#[tokio::test]
async fn somebody_new_is_saved_for_their_owner_alone() {
    let home = Home::new();
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
    assert_eq!(ids, ["Bob Miller", "Bob Tanaka"]);
}

#[tokio::test]
async fn the_file_is_read_again_when_it_changes() {
    let home = Home::new();
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
    let wanted = Wanted { message: "email Bob about the chad offer".into(), limit: 5, in_sight_from: None };
    let noticed = home.people.service.notice(&home.ctx, &wanted).await.unwrap();
    let lines: Vec<&str> = noticed.iter().map(|n| n.line.as_str()).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("Bob Miller: bob.miller@example.com"));
    let sources: Vec<&str> = noticed[2].untrusted.iter().map(|words| words.source.as_str()).collect();
    assert_eq!(sources, ["a mail from “Chad from Leadspark” <chad@leadspark.example>"]);
}

#[tokio::test]
async fn an_address_that_somebody_else_gave_is_marked_until_the_person_gives_it_themself() {
    let home = Home::new();
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
    let wanted = Wanted { message: "email Zoe".into(), limit: 5, in_sight_from: None };
    let noticed = home.people.service.notice(&home.ctx, &wanted).await.unwrap();
    assert_eq!(noticed[0].untrusted[0].label(), "a contact from a mail from Bob");
    assert_eq!(noticed[0].untrusted, saved.untrusted);
    let found = run(&home.people, &home.ctx, "find", json!({"query": "Zoe"}), "2").await;
    assert_eq!(found.untrusted, saved.untrusted);
    let own = save(&home, params.clone(), "3").await;
    assert_eq!(own["emails"], json!(["zoe@evil.example"]));
    assert!(home.people.service.notice(&home.ctx, &wanted).await.unwrap()[0].untrusted.is_empty());
}

/// A saved person of this name in a group, written to at their name.
fn contact(home: &Home, id: usize, name: &str, group: &str) -> Contact {
    Contact {
        owner: home.ctx.owner.clone(),
        id: format!("c{id:06}"),
        name: name.to_owned(),
        nicknames: Vec::new(),
        emails: vec![format!("{}@work.example", name.to_lowercase().replace(' ', "."))],
        preferred: None,
        phones: Vec::new(),
        groups: vec![group.to_owned()],
        others: Others::default(),
        origin: None,
    }
}

#[tokio::test]
async fn among_ten_thousand_people_those_who_are_meant_are_found() {
    let home = Home::new();
    let mut batch = Batch::default();
    for n in 0..10_000 {
        let group = if n < 300 { "book club" } else { "others" };
        batch.put(&contact(&home, n, &format!("Person Number{n}"), group), Expect::Any).unwrap();
    }
    batch.put(&contact(&home, 10_000, "Zed Zimmermann", "others"), Expect::Any).unwrap();
    home.store.commit(batch).await.unwrap();
    for (asked, expected) in [
        ("Zed", "Zed Zimmermann"),
        ("zed zimmermann", "Zed Zimmermann"),
        ("Zimmermnan", "Zed Zimmermann"),
        ("zed.zimmermann@work.example", "Zed Zimmermann"),
        ("Number9999", "Person Number9999"),
    ] {
        assert_eq!(find(&home, asked).await, [expected], "{asked}");
    }
    assert!(find(&home, "Xerxes").await.is_empty());
    let found = result(run(&home.people, &home.ctx, "find", json!({"query": "person"}), "1").await);
    let shown = found["people"].as_array().unwrap().len();
    assert_eq!(shown + found["more"].as_u64().unwrap() as usize, 10_000);

    let people = home.contacts.people(&home.ctx.owner, &PeopleQuery::names(["the whole book club"])).await.unwrap();
    let candidates: Vec<people::Candidate> = people.iter().map(Into::into).collect();
    let people::Match::One(members) = people::resolve("the whole book club", &candidates) else { panic!() };
    assert_eq!(members.len(), 300, "all of them or nobody");
    let others = home.contacts.people(&home.ctx.owner, &PeopleQuery::names(["others"])).await;
    let Err(error) = others else { panic!("nine thousand are not written to in part") };
    assert!(error.to_string().contains("9701 people"), "{error}");

    let wanted = Wanted { message: "lunch with Zed tomorrow".into(), limit: 5, in_sight_from: None };
    let noticed = home.people.service.notice(&home.ctx, &wanted).await.unwrap();
    assert_eq!(noticed.len(), 1);
    let stranger = home.contacts.people(&request_context("you").owner, &PeopleQuery::names(["zed"])).await.unwrap();
    assert!(stranger.is_empty());
}
