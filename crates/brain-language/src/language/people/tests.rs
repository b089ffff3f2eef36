use super::*;

fn person(name: &str, nicknames: &[&str], email: &str, groups: &[&str]) -> Candidate {
    let list = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
    Candidate {
        name: name.to_owned(),
        nicknames: list(nicknames),
        claimed: Vec::new(),
        rivals: Vec::new(),
        emails: email.split_whitespace().map(str::to_owned).collect(),
        groups: list(groups),
        familiarity: Familiarity::Saved,
        named_by: NamedBy::Person,
    }
}

fn seen(name: &str, email: &str) -> Candidate {
    Candidate { familiarity: Familiarity::Seen, named_by: NamedBy::Themself, ..person(name, &[], email, &[]) }
}

fn written(name: &str, email: &str, named_by: NamedBy) -> Candidate {
    Candidate { familiarity: Familiarity::Written, named_by, ..person(name, &[], email, &[]) }
}

fn everyone() -> Vec<Candidate> {
    vec![
        person("Bob Miller", &["Robert"], "bob.miller@example.com", &["team"]),
        person("Bob Tanaka", &[], "bob.tanaka@example.org", &["bookclub"]),
        person("Anna Kowalczyk", &[], "anna@example.com", &["team"]),
        person("Mum", &["Mom", "Helen"], "helen@example.net", &["family"]),
        person("Marek Dvořák", &[], "marek@example.org", &["bookclub"]),
        person("Dr. Mira Haddad", &["Dentist"], "reception@dental.example", &[]),
        person("Ольга Смирнова", &["Olga Smirnova"], "olga@example.org", &[]),
        person("Uncle Jim", &[], "", &[]),
        person("Hillcrest Primary", &["School"], "office@hill.example year2@hill.example", &[]),
        seen("Bob Miller", "bob@evil.example"),
        seen("Chad from Leadspark", "chad@leadspark.example"),
    ]
}

/// The result in one line: addresses, `? addresses`, `- nobody` or `! no address`.
fn short(asked: &str) -> String {
    let emails = |list: &[Recipient]| {
        let all: Vec<&str> = list.iter().map(|r| r.email.as_str()).collect();
        all.join(" ")
    };
    match resolve(asked, &everyone()) {
        Match::One(list) => emails(&list),
        Match::Several { candidates, .. } => format!("? {}", emails(&candidates)),
        Match::Nobody { asked } => format!("- {asked}"),
        Match::NoAddress { name } => format!("! {name}"),
    }
}

#[test]
fn names_become_addresses_only_when_they_are_clear() {
    for (asked, expected) in [
        ("Bob", "? bob.miller@example.com bob.tanaka@example.org"),
        ("bob miller", "bob.miller@example.com"),
        ("Miller, Bob", "bob.miller@example.com"),
        ("Tanaka", "bob.tanaka@example.org"),
        ("Robert", "bob.miller@example.com"),
        ("my mum", "helen@example.net"),
        ("mom", "helen@example.net"),
        ("my mother", "helen@example.net"),
        ("Mama", "helen@example.net"),
        ("marek dvorak", "marek@example.org"),
        ("Dr Haddad", "reception@dental.example"),
        ("my dentist", "reception@dental.example"),
        ("Olga", "olga@example.org"),
        ("Ольга", "olga@example.org"),
        ("the school", "office@hill.example"),
        ("School", "office@hill.example"),
        ("Uncle Jim", "! Uncle Jim"),
        ("Zaphod", "- Zaphod"),
        ("", "- "),
        ("   ", "- "),
        ("😀", "- 😀"),
        ("everyone", "- everyone"),
    ] {
        assert_eq!(short(asked), expected, "{asked}");
    }
}

#[test]
fn a_group_is_all_of_its_members() {
    for asked in ["the whole team", "team", "everyone on the team", "my team"] {
        assert_eq!(short(asked), "bob.miller@example.com anna@example.com", "{asked}");
    }
    for asked in ["everyone in the book club", "the bookclub", "book club"] {
        assert_eq!(short(asked), "bob.tanaka@example.org marek@example.org", "{asked}");
    }
    let mut people = everyone();
    people.push(person("Tim", &[], "", &["team"]));
    assert_eq!(resolve("the team", &people), Match::NoAddress { name: "Tim".into() });
}

#[test]
fn an_address_stays_itself() {
    assert_eq!(short("who@nowhere.example"), "who@nowhere.example");
    assert_eq!(short("Bob <bob@else.example>"), "bob@else.example");
    let Match::One(found) = resolve("ANNA@example.com", &everyone()) else {
        panic!("an address is one person");
    };
    assert_eq!(found[0].name, "Anna Kowalczyk");
    assert_eq!(found[0].email, "ANNA@example.com");
}

#[test]
fn a_spelling_mistake_is_asked_about_and_never_taken() {
    assert_eq!(short("Mraek"), "? marek@example.org");
    assert_eq!(short("Anna Kowalczik"), "? anna@example.com");
    assert_eq!(short("Rob"), "- Rob");
}

#[test]
fn a_stranger_is_meant_only_when_nobody_known_fits_and_is_marked() {
    assert_eq!(short("Bob Miller"), "bob.miller@example.com");
    let Match::One(found) = resolve("Chad", &everyone()) else {
        panic!("Chad is the only one");
    };
    assert_eq!(found[0].familiarity, Familiarity::Seen);
}

#[test]
fn a_stranger_who_calls_himself_mum_is_not_mum() {
    let mut people = everyone();
    people.insert(0, seen("Mum", "mum@evil.example"));
    let found = resolve("mum", &people);
    assert!(matches!(found, Match::One(list) if list[0].email == "helen@example.net"));
}

#[test]
fn an_exact_full_name_beats_a_partial_one() {
    let mut people = everyone();
    people.push(person("Bob", &[], "just.bob@example.com", &[]));
    let found = resolve("Bob", &people);
    assert!(matches!(found, Match::One(list) if list[0].email == "just.bob@example.com"));
}

#[test]
fn a_look_up_shows_near_misses_only_when_nothing_fits() {
    let people = everyone();
    let names = |asked: &str| -> Vec<String> {
        let found = look_up(asked, &people);
        found.iter().map(|p| p.emails.join(" ")).collect()
    };
    assert_eq!(names("Bob"), ["bob.miller@example.com", "bob.tanaka@example.org", "bob@evil.example"]);
    assert_eq!(names("Mareck"), ["marek@example.org"]);
    assert_eq!(names("the team").len(), 2);
    assert_eq!(names("anna@example.com"), ["anna@example.com"]);
    assert!(names("").is_empty());
}

#[test]
fn a_self_chosen_name_outranks_nobody() {
    use NamedBy::{Person, Themself};
    let bob = || person("Bob Miller", &[], "bob@example.com", &[]);
    let eve = |by| written("Bob", "eve@evil.example", by);
    let tanaka = || written("Bob Tanaka", "tanaka@example.org", Person);
    for (people, expected) in [
        // Saved in part, written to in full: whoever chose the name.
        (vec![eve(Themself), bob()], "? bob@example.com eve@evil.example"),
        (vec![eve(Person), bob()], "? bob@example.com eve@evil.example"),
        (vec![tanaka(), bob()], "? bob@example.com tanaka@example.org"),
        (vec![eve(Person), person("Bob", &[], "bob@example.com", &[])], "bob@example.com"),
        // Nobody saved: the name that the person uses themself.
        (vec![eve(Person), tanaka()], "eve@evil.example"),
        (vec![eve(Themself), tanaka()], "? eve@evil.example tanaka@example.org"),
        (vec![eve(Themself)], "eve@evil.example"),
        (vec![eve(Themself), seen("Bob", "bob@seen.example")], "eve@evil.example"),
    ] {
        let emails = |list: &[Recipient]| list.iter().map(|r| r.email.as_str()).collect::<Vec<_>>().join(" ");
        let short = match resolve("Bob", &people) {
            Match::One(list) => emails(&list),
            Match::Several { candidates, .. } => format!("? {}", emails(&candidates)),
            other => format!("{other:?}"),
        };
        assert_eq!(short, expected, "{people:?}");
    }
}

#[test]
fn members_whom_somebody_else_put_into_a_group_take_its_name_from_nobody() {
    let eve = Candidate {
        named_by: NamedBy::Others,
        familiarity: Familiarity::Listed,
        ..person("Team", &[], "eve@evil.example", &[])
    };
    let people: Vec<Candidate> = everyone().into_iter().chain([eve]).collect();
    let found = resolve("the whole team", &people);
    assert!(matches!(&found, Match::One(list) if list.iter().all(|one| one.email != "eve@evil.example")), "{found:?}");
}

#[test]
fn who_is_listed_alone_under_a_name_that_somebody_writes_with_is_asked_about() {
    let listed = Candidate { familiarity: Familiarity::Listed, ..person("Bob", &[], "bob@card.example", &[]) };
    let people = [listed, written("Bob", "bob@known.example", NamedBy::Themself)];
    let found = resolve("Bob", &people);
    let Match::Several { candidates, .. } = found else { panic!("{found:?}") };
    assert_eq!(candidates.len(), 2);
}
