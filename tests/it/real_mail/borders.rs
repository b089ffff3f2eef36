//! A conversation with the mail server that breaks anywhere: between any two lines, in either direction, or in the middle
//! of what makes no sense any more.

use brain_agent::services::email::mailbox::mail_change::MailChange;
use brain_agent::services::remote::backend::Unwritten;

use super::changes::put;
use super::world::{HeldMail, World, mail};
use crate::support::byte_proxy::{ByteProxy, Dialogue, Direction, Fault, Manner, Place};
use crate::support::dovecot::Dovecot;

/// A person whose connections go through a proxy.
pub async fn behind_proxy() -> (World, ByteProxy) {
    let mut proxy = None;
    let world = World::behind(Dovecot::setup(), |server| {
        let started = ByteProxy::start(server.port());
        let port = started.port();
        proxy = Some(started);
        port
    })
    .await;
    (world, proxy.unwrap())
}

fn faults() -> [Fault; 2] {
    [Fault::Cut, Fault::SwallowAnswer]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_breaks_anywhere_is_ended_by_the_next_and_nothing_is_lost_or_doubled() {
    let (mut world, proxy) = behind_proxy().await;
    for n in 0..3 {
        world.deliver("INBOX", mail(&format!("i{n}"), "Inbox", &format!("inbox{n}")));
    }
    world.deliver("Sent", mail("s", "Sent", "sent"));
    let whole = world.synchronised().await;
    let borders = proxy.dialogues().last().unwrap().borders();
    assert!(borders.len() > 40, "{}", borders.len());
    for (direction, place) in borders {
        world = world.emptied().await;
        proxy.next(Manner::clean().at(direction, place, Fault::Cut));
        world.synchronise().await;
        let begun = world.held();
        let is_part = |mail: &HeldMail| whole.contains(mail);
        assert!(begun.iter().all(is_part) && begun.len() <= whole.len(), "{direction:?} {place:?}: {begun:?}");
        assert_eq!(world.synchronised().await, whole, "{direction:?} {place:?}");
    }
}

/// A change, and what another program sees of it.
#[derive(Clone, Copy)]
pub struct Kind {
    pub change: fn(&World) -> MailChange,
    /// How often it is so.
    pub done: fn(&World) -> usize,
    pub undo: fn(&World),
}

pub const FLAG: Kind = Kind {
    change: |world| MailChange::Flag { mail: world.one("lunch").as_ref(), flag: 'F', wanted: true },
    done: flagged,
    undo: |world| {
        for seen in world.other().ids("INBOX") {
            world.other().unflag("INBOX", seen.uid, &["\\Flagged"]);
        }
    },
};

pub const MOVE: Kind = Kind {
    change: |world| MailChange::Move { mail: world.one("lunch").as_ref(), to: ".Archive".to_owned() },
    done: |world| world.other().ids("Archive").len(),
    undo: |world| {
        for seen in world.other().ids("Archive") {
            world.other().move_to("Archive", seen.uid, "INBOX");
        }
    },
};

pub const DRAFT: Kind = Kind {
    change: |_| put(".Drafts", "K1"),
    done: |world| world.other().ids("Drafts").len(),
    undo: |world| {
        for seen in world.other().ids("Drafts") {
            world.other().expunge("Drafts", seen.uid);
        }
    },
};

/// What an attempt came to is what another program sees; where nobody knows, a later look does or says nothing.
pub async fn is_told_truly(
    world: &World,
    (kind, wanted): (Kind, &MailChange),
    outcome: Result<(), Unwritten>,
    at: &str,
) -> usize {
    let times = (kind.done)(world);
    let at = format!("{at}: {outcome:?}");
    match outcome {
        Ok(()) => assert_eq!(times, 1, "{at}"),
        Err(Unwritten::Refused(_) | Unwritten::ChangedElsewhere) => assert_eq!(times, 0, "{at}"),
        Err(Unwritten::Doubtful(_)) => {
            let settled = world.is_settled(wanted).await;
            assert!(settled.is_none_or(|settled| settled == (times == 1)), "{at}: {settled:?}");
            assert!(times <= 1, "{at}");
        }
    }
    times
}

/// Two mails, one of which is changed; and how a conversation goes in which that is done.
pub async fn to_be_changed(kind: Kind) -> (World, ByteProxy, Dialogue) {
    let (world, proxy) = behind_proxy().await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    world.deliver("INBOX", mail("b", "Dinner", "dinner"));
    world.synchronised().await;
    let before = proxy.dialogues().len();
    world.changes_anew(&(kind.change)(&world)).await.unwrap();
    let dialogue = proxy.dialogues().remove(before);
    assert_eq!((kind.done)(&world), 1);
    (kind.undo)(&world);
    (world, proxy, dialogue)
}

async fn breaks_everywhere(kind: Kind) {
    let (world, proxy, clean) = to_be_changed(kind).await;
    for (direction, place) in clean.borders() {
        for fault in faults() {
            // What is swallowed is the answer to a line of ours.
            if fault == Fault::SwallowAnswer && direction == Direction::ToClient {
                continue;
            }
            world.synchronised().await;
            let wanted = (kind.change)(&world);
            proxy.next(Manner::clean().at(direction, place, fault.clone()));
            let outcome = world.changes_anew(&wanted).await;
            assert_ne!(
                outcome,
                Err(Unwritten::ChangedElsewhere),
                "nobody changed it: {direction:?} {place:?} {fault:?}"
            );
            is_told_truly(&world, (kind, &wanted), outcome, &format!("{direction:?} {place:?} {fault:?}")).await;
            (kind.undo)(&world);
        }
    }
}

fn flagged(world: &World) -> usize {
    world.other().ids("INBOX").iter().filter(|seen| seen.flags.contains(&"\\Flagged".to_owned())).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_is_told_as_it_is_wherever_the_conversation_breaks() {
    breaks_everywhere(FLAG).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_is_told_as_it_is_wherever_the_conversation_breaks() {
    breaks_everywhere(MOVE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_told_as_it_is_wherever_the_conversation_breaks() {
    breaks_everywhere(DRAFT).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_changes_nothing_and_is_no_answer() {
    let (world, proxy) = behind_proxy().await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    world.synchronised().await;
    let change = |wanted| MailChange::Flag { mail: world.one("lunch").as_ref(), flag: 'F', wanted };
    let before = proxy.dialogues().len();
    world.changes_anew(&change(true)).await.unwrap();
    let lines = proxy.dialogues()[before].lines(Direction::ToClient);
    for (n, wanted) in (0..lines).zip([false, true].into_iter().cycle()) {
        proxy.next(Manner::clean().at(Direction::ToClient, Place::Line(n), Fault::Garble));
        let outcome = world.changes_anew(&change(wanted)).await;
        let is_so = (flagged(&world) == 1) == wanted;
        match outcome {
            Ok(()) => assert!(is_so, "line {n}"),
            Err(Unwritten::Refused(why)) => assert!(!is_so, "line {n}: {why}"),
            Err(Unwritten::Doubtful(_) | Unwritten::ChangedElsewhere) => {}
        }
        // From the same state each time.
        world.changes_anew(&change(wanted)).await.unwrap();
    }
}
