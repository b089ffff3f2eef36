//! Mail that an account keeps: what becomes of it goes there, the Maildir follows, and whatever the account does is told as
//! it is.

use std::time::Duration;

use brain_agent::core::button::Role;
use brain_agent::core::ids::UserId;
use brain_agent::core::outcome::Status;
use brain_agent::core::pending::State;
use brain_agent::services::email::mailbox::mail_change::MailChange;
use serde_json::{Value, json};

use crate::rig::mail_place::MailPlace;
use crate::rig::place::Manner;
use crate::rig::{Answer, ME, Rig, Sending, Setup, action, send};

/// A change of each kind, and the folder that gets a mail by it.
fn kinds() -> [(Value, &'static str); 3] {
    [
        (action("email", "mark", json!({"find_by": "hens", "as": "archived"})), ".Archive"),
        (action("email", "delete_email", json!({"find_by": "hens"})), ".Trash"),
        (
            action("email", "create_draft", json!({"to": ["zoe@example.com"], "subject": "Late", "body": "Late."})),
            ".Drafts",
        ),
    ]
}

fn rig(place: &std::sync::Arc<MailPlace>) -> Rig {
    Rig::new(setup(place))
}

fn setup(place: &std::sync::Arc<MailPlace>) -> Setup {
    Setup { demo: true, accounts: place.accounts(), ..Setup::default() }
}

/// How many mails lie in a folder here.
fn held(rig: &Rig, folder: &str) -> usize {
    let mailbox = rig.folder().join("mail").join(UserId::new(ME).folder_name()).join(folder);
    let files = |part: &str| std::fs::read_dir(mailbox.join(part)).map_or(0, Iterator::count);
    files("cur") + files("new")
}

/// What it came to, after a yes where one was asked for.
async fn done(rig: &Rig, planned: Value) -> Answer {
    rig.plans(json!([planned]));
    let told = rig.says("please do that").await;
    if told.has_card() { rig.presses(&told.card().approve()).await } else { told }
}

fn status(answer: &Answer) -> Status {
    answer.done.outcomes.last().expect("an outcome").status
}

/// Something of which the account cannot say whether it did it, and how many mails lay in the folder before.
async fn doubted(really: bool, planned: Value, folder: &str) -> (std::sync::Arc<MailPlace>, Rig, usize) {
    let place = MailPlace::new();
    place.behaves(Manner::Doubts { done: really });
    let rig = rig(&place);
    let before = held(&rig, folder);
    let told = done(&rig, planned).await;
    assert_eq!(status(&told), Status::Unknown, "{}", told.text());
    assert_eq!(told.button(Role::Undo), None, "nobody knows what to take back");
    (place, rig, before)
}

#[tokio::test]
async fn a_change_goes_to_the_account_and_the_mailbox_follows_and_undo_does_both() {
    for (planned, folder) in kinds() {
        let place = MailPlace::new();
        let rig = rig(&place);
        let before = held(&rig, folder);
        let told = done(&rig, planned).await;
        assert_eq!(status(&told), Status::Succeeded, "{}", told.text());
        assert_eq!((place.done().len(), held(&rig, folder)), (1, before + 1));
        let Some(undo) = told.button(Role::Undo) else {
            assert_eq!(folder, ".Drafts", "no undo: {}", told.text());
            continue;
        };
        let told = rig.presses(&undo).await;
        assert_eq!(status(&told), Status::Succeeded, "{}", told.text());
        assert_eq!((place.done().len(), held(&rig, folder)), (2, before));
    }
}

#[tokio::test]
async fn what_the_account_refused_is_not_done_here_either() {
    for (planned, folder) in kinds() {
        let place = MailPlace::new();
        place.behaves(Manner::Refuses);
        let rig = rig(&place);
        let before = held(&rig, folder);
        let told = done(&rig, planned).await;
        assert_eq!(status(&told), Status::Failed, "{}", told.text());
        assert!(told.text().contains("The mail server is full; nothing was done."), "{}", told.text());
        assert_eq!((place.done().len(), held(&rig, folder)), (0, before));
    }
}

#[tokio::test]
async fn what_the_account_cannot_say_is_unknown_and_not_tried_again() {
    for really in [true, false] {
        for (planned, folder) in kinds() {
            let (place, rig, before) = doubted(really, planned, folder).await;
            place.behaves(Manner::Works);
            let rig = rig.restarts(Setup { demo: false, ..setup(&place) }).await;
            assert_eq!((place.asked(), held(&rig, folder)), (1, before));
        }
    }
}

#[tokio::test]
async fn what_nobody_could_tell_is_told_once_as_soon_as_it_shows_and_never_done_again() {
    for really in [true, false] {
        for (planned, folder) in kinds() {
            let (place, rig, before) = doubted(really, planned, folder).await;
            let (shown, edits) = rig.channel.counts();
            for _ in 0..4 {
                rig.moves_clock(chrono::Duration::minutes(2)).await;
            }
            let said = rig.channel.since(shown, edits).0.into_iter().map(|shown| shown.reply.text);
            let known: Vec<String> = said.filter(|said| said.contains("Now I can:")).collect();
            assert_eq!(known.len(), 1, "{really} {folder}: {known:?}");
            assert_eq!(known[0].contains("was not done"), !really, "{known:?}");
            assert_eq!((place.asked(), held(&rig, folder)), (1, before + usize::from(really)), "{folder}");
            let cards: Vec<State> = rig.all_pending().await.into_iter().map(|card| card.state).collect();
            let settled = if really { State::Succeeded } else { State::Failed };
            assert_eq!(cards, vec![settled; cards.len()], "{folder}: its card says the same");
            assert!(folder != ".Trash" || cards.len() == 1, "a deletion takes a card");
        }
    }
}

#[tokio::test]
async fn a_mail_that_was_moved_there_meanwhile_is_left_alone() {
    for (planned, folder) in kinds().into_iter().take(2) {
        let place = MailPlace::new();
        place.is_changed();
        let rig = rig(&place);
        let before = held(&rig, folder);
        let told = done(&rig, planned).await;
        assert_eq!(status(&told), Status::Failed, "{}", told.text());
        assert!(told.text().contains("not as it was in the account any more"), "{}", told.text());
        assert_eq!((place.done().len(), held(&rig, folder)), (0, before));
    }
}

#[tokio::test]
async fn a_run_that_died_meanwhile_is_settled_by_what_is_there() {
    for really in [true, false] {
        for (planned, folder) in kinds() {
            let place = MailPlace::new();
            place.behaves(Manner::Dies { done: really });
            let rig = rig(&place);
            let before = held(&rig, folder);
            let died = tokio::time::timeout(Duration::from_millis(2_500), done(&rig, planned)).await;
            assert!(died.is_err(), "it never answers");
            assert_eq!((place.asked(), held(&rig, folder)), (1, before));
            place.behaves(Manner::Works);
            let (shown, edits) = rig.channel.counts();
            let rig = rig.restarts(Setup { demo: false, ..setup(&place) }).await;
            let told: Vec<String> =
                rig.channel.since(shown, edits).0.into_iter().map(|shown| shown.reply.text).collect();
            let said = told.join("\n");
            assert_eq!(place.asked(), 1, "nothing is tried again");
            assert_eq!(held(&rig, folder), before + usize::from(really), "{said}");
            assert_eq!(said.contains("I was stopped before it was done"), !really, "{said}");
        }
    }
}

#[tokio::test]
async fn the_copy_of_what_was_sent_is_kept_in_the_account_as_well() {
    let place = MailPlace::new();
    let rig = Rig::new(Setup { sending: Sending::Real, ..setup(&place) });
    let told = done(&rig, send("zoe@example.com", "Late", "It is late.")).await;
    assert_eq!(status(&told), Status::Succeeded, "{}", told.text());
    let kept = place.done();
    assert!(matches!(kept.as_slice(), [MailChange::Put { folder: ".Sent", .. }]), "{kept:?}");
}
