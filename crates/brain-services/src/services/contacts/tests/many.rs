//! Many people: what a look-up costs grows with what is asked for, and no faster.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;

use super::*;
use crate::testing::World;
use brain_core::core::ids::UserId;
use brain_core::limits::RECIPIENTS_MAX;
use brain_core::ports::{BuildProgress, Candidates, Description, Found, Index, IndexError, Query, Update};
use brain_testing::fuzzing::ThreadClock;

/// An index that counts its searches.
#[derive(Debug)]
struct CountedIndex {
    inner: Arc<dyn Index>,
    searches: AtomicUsize,
}

#[async_trait]
impl Index for CountedIndex {
    async fn search(&self, owner: &UserId, query: &Query) -> Result<Found, IndexError> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.inner.search(owner, query).await
    }

    async fn candidates(&self, owner: &UserId, description: &Description) -> Result<Candidates, IndexError> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.inner.candidates(owner, description).await
    }

    async fn all(&self, owner: &UserId, kind: &str) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        self.inner.all(owner, kind).await
    }

    async fn apply(&self, owner: &UserId, update: Update) -> Result<(), IndexError> {
        self.inner.apply(owner, update).await
    }

    async fn mark(&self, owner: &UserId, feed: &str) -> Result<Option<String>, IndexError> {
        self.inner.mark(owner, feed).await
    }

    fn progress(&self, owner: &UserId) -> Option<BuildProgress> {
        self.inner.progress(owner)
    }

    async fn purge(&self, owner: &UserId) -> Result<(), IndexError> {
        self.inner.purge(owner).await
    }
}

fn counted() -> (MailWorld, Arc<CountedIndex>) {
    let mut world = World::of(request_context("me"));
    let index = Arc::new(CountedIndex { inner: world.index.clone(), searches: AtomicUsize::new(0) });
    world.index = index.clone();
    (MailWorld::over(world, None), index)
}

fn address(n: usize) -> String {
    format!("person.number{n}@work.example")
}

/// So many members of the team, in the file.
fn team_in_file(home: &MailWorld, members: usize) {
    let card = |n: usize| {
        format!("BEGIN:VCARD\r\nFN:Person Number{n}\r\nEMAIL:{}\r\nCATEGORIES:team\r\nEND:VCARD\r\n", address(n))
    };
    fs::write(home.dir.path().join("contacts.vcf"), (0..members).map(card).collect::<String>()).unwrap();
}

async fn save_team(home: &MailWorld, members: usize) {
    let mut batch = Batch::default();
    for n in 0..members {
        batch.put(&contact(home, n, &format!("Person Number{n}"), "team"), Expect::Any).unwrap();
    }
    home.store.commit(batch).await.unwrap();
}

/// What whoever writes to the team is told.
async fn refused(home: &MailWorld) -> Option<String> {
    let asked = PeopleQuery { members_max: Some(RECIPIENTS_MAX), ..PeopleQuery::names(["the team"]) };
    let people = home.contacts.people(&home.ctx.owner, &asked).await;
    people.err().map(|error| error.to_string())
}

#[tokio::test]
async fn a_group_that_is_too_large_to_be_written_to_is_refused_by_its_size() {
    for (in_file, saved, expected) in [
        (RECIPIENTS_MAX, 0, None),
        (0, RECIPIENTS_MAX, None),
        (3_000, 0, Some("“the team” has 3,000 members, and one mail, invitation or watch takes 50 people at most")),
        (0, 3_000, Some("“the team” has 3,000 members, and one mail, invitation or watch takes 50 people at most")),
        (RECIPIENTS_MAX + 1, 0, Some("has 51 members")),
        (0, RECIPIENTS_MAX + 1, Some("has 51 members")),
        (RECIPIENTS_MAX + 1, RECIPIENTS_MAX + 1, Some("has 51 members")),
    ] {
        let (home, index) = counted();
        team_in_file(&home, in_file);
        save_team(&home, saved).await;
        let began = ThreadClock::now();
        let why = refused(&home).await;
        let took = began.elapsed();
        assert_eq!(why.is_some(), expected.is_some(), "{in_file} {saved}: {why:?}");
        assert!(why.unwrap_or_default().contains(expected.unwrap_or_default()), "{in_file} {saved}");
        let searches = index.searches.load(Ordering::Relaxed);
        assert!(searches < 20, "{in_file} {saved}: {searches}");
        assert!(took.as_secs() < 10, "{in_file} {saved}: {took:?}");
    }
}

#[tokio::test]
async fn whoever_is_called_like_a_large_group_is_still_written_to() {
    let (home, _) = counted();
    save_team(&home, 3_000).await;
    save(&home, json!({"name": "Team", "email": "everybody@work.example"}), "1").await;
    assert_eq!(refused(&home).await, None);
    let people = home.contacts.people(&home.ctx.owner, &PeopleQuery::names(["the team"])).await.unwrap();
    let candidates: Vec<people::Candidate> = people.iter().map(Into::into).collect();
    let people::Match::One(found) = people::resolve("the team", &candidates) else { panic!() };
    assert_eq!(found[0].email, "everybody@work.example");
}

#[tokio::test]
async fn thousands_of_addresses_are_looked_up_at_once() {
    let (home, index) = counted();
    team_in_file(&home, 2_000);
    save_team(&home, 3_000).await;
    let addresses: Vec<String> = (0..4_000).map(address).collect();
    let asked = PeopleQuery::addresses(addresses.iter().map(String::as_str));
    let began = ThreadClock::now();
    let people = home.contacts.people(&home.ctx.owner, &asked).await.unwrap();
    let names = home.contacts.names_of(&home.ctx.owner, &asked.addresses).await.unwrap();
    let took = began.elapsed();
    assert_eq!(people.len(), 3_000, "each once, and nobody whose address only looks like one");
    assert_eq!(names.party("", &address(2_999)).known_as.as_deref(), Some("Person Number2999"));
    assert_eq!(names.party("", &address(3_000)).known_as, None);
    let searches = index.searches.load(Ordering::Relaxed);
    assert!(searches < 40, "{searches}");
    assert!(took.as_secs() < 20, "{took:?}");
}

/// A saved person of this name in a group, written to at their name.
fn contact(home: &MailWorld, id: usize, name: &str, group: &str) -> Contact {
    Contact {
        emails: vec![format!("{}@work.example", name.to_lowercase().replace(' ', "."))],
        groups: vec![group.to_owned()],
        ..Contact::called(&home.ctx.owner, &format!("c{id:06}"), name)
    }
}

#[tokio::test]
async fn among_ten_thousand_people_those_who_are_meant_are_found() {
    let home = MailWorld::new();
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
    assert!(error.to_string().contains("9,701 people"), "{error}");

    let wanted = ContextRequest { message: "lunch with Zed tomorrow".into(), limit: 5, in_sight_from: None };
    let noticed = home.people.service.notice(&home.ctx, &wanted).await.unwrap();
    assert_eq!(noticed.len(), 1);
    let stranger = home.contacts.people(&request_context("you").owner, &PeopleQuery::names(["zed"])).await.unwrap();
    assert!(stranger.is_empty());
}
