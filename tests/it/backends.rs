//! Services whose things are kept in accounts: every change goes there, the replica follows, and whatever the place does
//! is told as it is. The same for tasks, events and people.

use std::time::Duration;

use brain_agent::core::button::Role;
use brain_agent::core::outcome::Status;
use brain_agent::core::pending::State;
use brain_agent::ports::Table;
use brain_agent::services::Accounts;
use brain_agent::services::remote::backend::Backends;
use serde_json::{Value, json};

use crate::rig::place::{Manner, Place, Places};
use crate::rig::{ME, Rig, Setup, action};

/// A change of each kind of thing: a new one, and which table its replica is in.
fn kinds() -> [(Value, Table); 3] {
    [
        (action("task", "create", json!({"title": "Water the plants"})), Table::Tasks),
        (
            action("calendar", "create_event", json!({"summary": "Water the plants", "start_time": "tomorrow at 5pm"})),
            Table::Events,
        ),
        (action("contacts", "save", json!({"name": "Water the plants", "phone": "555 0100"})), Table::Contacts),
    ]
}

/// What is there, whatever its kind.
fn there(places: &Places) -> Vec<String> {
    [places.tasks.names(), places.events.names(), places.contacts.names()].concat()
}

fn setup(places: &Places) -> Setup {
    Setup { accounts: places.accounts(ME), ..Setup::default() }
}

async fn statuses(rig: &Rig, planned: Value) -> (Vec<Status>, String, crate::rig::Answer) {
    rig.plans(json!([planned]));
    let told = rig.says("please do that").await;
    let statuses = told.done.outcomes.iter().map(|outcome| outcome.status).collect();
    (statuses, told.text(), told)
}

#[tokio::test]
async fn a_change_goes_to_the_account_and_the_replica_follows() {
    for (planned, table) in kinds() {
        let places = Places::new();
        let rig = Rig::new(setup(&places));
        let (done, text, _) = statuses(&rig, planned).await;
        assert_eq!(done, [Status::Succeeded], "{text}");
        assert_eq!(there(&places), ["Water the plants"]);
        assert_eq!(rig.count(table).await, 1);
        let replica = rig.bodies(table).await;
        assert!(replica.contains(r#""revision":"1""#) && replica.contains("account"), "{replica}");
    }
}

#[tokio::test]
async fn who_has_no_account_keeps_everything_here() {
    for (planned, table) in kinds() {
        let places = Places::new();
        let rig = Rig::new(Setup { accounts: places.accounts("somebody else"), ..Setup::default() });
        let (done, text, _) = statuses(&rig, planned).await;
        assert_eq!(done, [Status::Succeeded], "{text}");
        assert_eq!(there(&places), Vec::<String>::new());
        assert!(!rig.bodies(table).await.contains("origin"));
    }
}

#[tokio::test]
async fn what_the_place_refuses_is_told_and_nothing_is_kept() {
    for (planned, table) in kinds() {
        let places = Places::new();
        places.behave(Manner::Refuses);
        let rig = Rig::new(setup(&places));
        let (done, text, _) = statuses(&rig, planned).await;
        assert_eq!(done, [Status::Failed], "{text}");
        assert!(text.contains("full; nothing was done"), "{text}");
        assert_eq!((there(&places).len(), rig.count(table).await), (0, 0));
    }
}

#[tokio::test]
async fn what_the_place_cannot_say_is_unknown_and_not_tried_again() {
    for done in [true, false] {
        for (planned, table) in kinds() {
            let places = Places::new();
            places.behave(Manner::Doubts { done });
            let rig = Rig::new(setup(&places));
            let (statuses, text, answer) = statuses(&rig, planned).await;
            assert_eq!(statuses, [Status::Unknown], "{text}");
            assert!(text.contains("went silent"), "{text}");
            assert_eq!(answer.button(Role::Undo), None, "nobody knows what to take back");
            assert_eq!(rig.count(table).await, 0);
            places.behave(Manner::Works);
            let rig = rig.restarts(setup(&places)).await;
            assert_eq!(there(&places).len(), usize::from(done), "nothing is done twice, and nothing by itself");
            drop(rig);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_that_takes_too_long_is_doubtful() {
    for (planned, _) in kinds() {
        let places = Places::new();
        places.behave(Manner::Slow(Duration::from_secs(3_600)));
        let rig = Rig::new(setup(&places));
        let (statuses, text, _) = statuses(&rig, planned).await;
        assert_eq!(statuses, [Status::Unknown], "{text}");
    }
}

#[tokio::test]
async fn what_is_told_is_what_the_place_made_of_it() {
    for (planned, _) in kinds() {
        let places = Places::new();
        places.behave(Manner::Rewrites);
        let rig = Rig::new(setup(&places));
        let (statuses, text, _) = statuses(&rig, planned).await;
        assert_eq!(statuses, [Status::Succeeded], "{text}");
        assert!(text.contains("Water the plants (shortened)"), "{text}");
    }
}

#[tokio::test]
async fn a_place_that_lied_is_found_out_when_it_is_read() {
    for (planned, table) in kinds() {
        let places = Places::new();
        places.behave(Manner::Lies);
        let rig = Rig::new(setup(&places));
        statuses(&rig, planned).await;
        assert_eq!((there(&places).len(), rig.count(table).await), (0, 1));
        let name = rig.performed()[0].service.clone();
        let ctx =
            rig.brain.request_context(&rig.brain.user(&rig.me().user, &rig.me().chat).await.unwrap(), &rig.me().chat);
        rig.brain.services.now().find(&name).unwrap().service.mirror_anew(&ctx).await.unwrap();
        assert_eq!(rig.count(table).await, 0, "what is shown is what is there");
    }
}

#[tokio::test]
async fn a_run_that_died_while_the_place_worked_is_settled_by_what_is_there() {
    for done in [true, false] {
        for (planned, table) in kinds() {
            let places = Places::new();
            places.behave(Manner::Dies { done });
            let rig = Rig::new(setup(&places));
            rig.plans(json!([planned]));
            let died = tokio::time::timeout(Duration::from_millis(2_500), rig.says("please do that")).await;
            assert!(died.is_err(), "it never answers");
            assert_eq!((places_writes(&places), rig.count(table).await), (1, 0));
            places.behave(Manner::Works);
            let (shown, edits) = rig.channel.counts();
            let rig = rig.restarts(setup(&places)).await;
            let told: Vec<String> =
                rig.channel.since(shown, edits).0.into_iter().map(|shown| shown.reply.text).collect();
            assert_eq!(places_writes(&places), 1, "nothing is tried again");
            assert_eq!(rig.count(table).await, usize::from(done), "{told:?}");
            let said = told.join("\n");
            assert_eq!(said.contains("I was stopped before it was done"), !done, "{said}");
        }
    }
}

#[tokio::test]
async fn what_the_store_could_not_record_of_the_place_is_settled_by_what_is_there() {
    for (planned, table) in kinds() {
        let places = Places::new();
        let rig = Rig::new(setup(&places));
        rig.store.refuses(move |batch| batch.changes.iter().any(|change| change.table == table));
        let (statuses, text, answer) = statuses(&rig, planned).await;
        assert!(!text.contains("nothing was done") && !statuses.contains(&Status::Failed), "{text}");
        assert_eq!(answer.button(Role::Undo), None, "nothing is recorded that could be taken back");
        assert_eq!((there(&places).len(), rig.count(table).await), (1, 0));
        rig.store.refuses(|_| false);
        let rig = rig.restarts(setup(&places)).await;
        assert_eq!((places_writes(&places), rig.count(table).await), (1, 1), "the replica is what is there");
    }
}

fn places_writes(places: &Places) -> usize {
    places.tasks.writes() + places.events.writes() + places.contacts.writes()
}

#[tokio::test]
async fn what_was_changed_there_since_is_never_written_over() {
    let places = Places::new();
    let rig = Rig::new(setup(&places));
    statuses(&rig, kinds()[1].0.clone()).await;
    let changes = json!({"find_by": "plants", "changes": {"summary": "Water the roses"}});
    let card = rig.card_for(json!([action("calendar", "update_event", changes)])).await;
    places.events.is_changed(|event| event.summary = "Water the cacti".to_owned());
    let told = rig.presses(&card.approve()).await;
    assert_eq!(rig.pending(&card.id).await.state, State::Failed, "{}", told.text());
    assert!(told.text().contains("has changed meanwhile, so I left it as it is"), "{}", told.text());
    assert_eq!(places.events.names(), ["Water the cacti"]);
    assert!(rig.bodies(Table::Events).await.contains("Water the cacti"), "what is kept here is what is there");
}

#[tokio::test]
async fn undo_takes_back_what_is_elsewhere() {
    for (planned, table) in kinds() {
        let places = Places::new();
        let rig = Rig::new(setup(&places));
        let (_, text, answer) = statuses(&rig, planned).await;
        let undo = answer.button(Role::Undo).unwrap_or_else(|| panic!("no undo: {text}"));
        let told = rig.presses(&undo).await;
        assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{}", told.text());
        assert_eq!(told.button(Role::Undo), None);
        assert_eq!((there(&places).len(), rig.count(table).await), (0, 0));
        let again = rig.presses(&undo).await;
        assert!(again.text().contains("already taken back") || again.shown.is_empty(), "{}", again.text());
        assert_eq!(places_writes(&places), 2);
    }
}

#[tokio::test]
async fn undo_of_a_change_and_of_a_deletion_brings_back_what_was() {
    let places = Places::new();
    let rig = Rig::new(setup(&places));
    statuses(&rig, kinds()[0].0.clone()).await;
    let changes = json!({"find_by": "plants", "changes": {"title": "Water the roses"}});
    let (_, _, changed) = statuses(&rig, action("task", "update", changes)).await;
    assert_eq!(places.tasks.names(), ["Water the roses"]);
    rig.presses(&changed.button(Role::Undo).unwrap()).await;
    assert_eq!(places.tasks.names(), ["Water the plants"]);
    let card = rig.card_for(json!([action("task", "delete", json!({"find_by": "plants"}))])).await;
    let deleted = rig.presses(&card.approve()).await;
    assert_eq!(places.tasks.names(), Vec::<String>::new());
    rig.presses(&deleted.button(Role::Undo).unwrap()).await;
    assert_eq!(places.tasks.names(), ["Water the plants"]);
}

#[tokio::test]
async fn undo_leaves_what_was_changed_since() {
    let places = Places::new();
    let rig = Rig::new(setup(&places));
    let (_, _, made) = statuses(&rig, kinds()[1].0.clone()).await;
    places.events.is_changed(|event| event.summary = "Water the cacti".to_owned());
    let told = rig.presses(&made.button(Role::Undo).unwrap()).await;
    assert_eq!(told.done.outcomes[0].status, Status::Failed, "{}", told.text());
    assert_eq!(places.events.names(), ["Water the cacti"]);
}

#[tokio::test]
async fn no_planner_can_ask_for_what_undo_and_buttons_do() {
    let places = Places::new();
    let rig = Rig::new(setup(&places));
    statuses(&rig, kinds()[0].0.clone()).await;
    for (service, command, params) in [
        ("task", "restore", json!({"records": []})),
        ("calendar", "snooze_event", json!({"find_by": "a", "until": "2026-01-13T10:00:00Z"})),
        ("calendar", "add_events", json!({"ics": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"})),
    ] {
        let (_, text, _) = statuses(&rig, action(service, command, params)).await;
        assert!(text.contains(&format!("cannot “{command}”")), "{text}");
        let services = rig.brain.services.now();
        assert!(!services.plan_schema(&services.names()).value().to_string().contains(command));
        assert!(services.commands(&services.names()).iter().all(|entry| entry.command() != command));
    }
}

#[tokio::test]
async fn a_card_names_the_account_where_there_are_several_and_its_digest_holds_it() {
    let (places, home) = (Places::new(), Place::new("home", |_| ()));
    let of_work = Accounts { events: Backends::new(vec![places.events.account(ME)]), ..Accounts::default() };
    let both = Backends::new(vec![places.events.account(ME), home.account(ME)]);
    let both = Accounts { events: both, ..Accounts::default() };
    let invites = json!({"summary": "Lunch", "start_time": "tomorrow at noon", "attendees": ["bob@example.com"]});
    let invites = json!([action("calendar", "create_event", invites)]);
    let one = Rig::new(Setup { accounts: of_work, ..Setup::default() });
    let card = one.card_for(invites.clone()).await;
    assert!(!card.text().contains("Account"), "{}", card.text());
    assert_eq!(one.pending(&card.id).await.actions[0].account.as_ref().unwrap().id, "work");
    let rig = Rig::new(Setup { accounts: both, ..Setup::default() });
    let card = rig.card_for(invites).await;
    assert!(card.text().contains("Account: “work”"), "{}", card.text());
    rig.alters(&card.id, |pending| pending.actions[0].account.as_mut().unwrap().id = "home".to_owned()).await;
    rig.presses(&card.approve()).await;
    assert_eq!((places.events.writes(), home.writes()), (0, 0), "another account is another action");
}

#[tokio::test]
async fn an_account_that_is_gone_when_the_yes_comes_writes_nowhere() {
    let places = Places::new();
    let rig = Rig::new(setup(&places));
    statuses(&rig, kinds()[0].0.clone()).await;
    let card = rig.card_for(json!([action("task", "delete", json!({"find_by": "plants"}))])).await;
    let rig = rig.restarts(Setup::default()).await;
    let told = rig.presses(&card.approve()).await;
    assert!(told.text().contains("is not set up here any more; nothing was done"), "{}", told.text());
    assert_eq!((places.tasks.names().len(), rig.count(Table::Tasks).await), (1, 1));
}
