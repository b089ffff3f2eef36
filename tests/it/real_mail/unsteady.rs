//! A conversation with the mail server that goes on, and badly: late, or without a word for ever, or with words that come
//! twice or in another order.
//!
//! How long a silence is taken for is told by a clock that is put forward, once a conversation has been seen to be dead.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::time::{advance, pause, resume, sleep};

use super::borders::{DRAFT, FLAG, Kind, MOVE, behind_proxy, is_told_truly, to_be_changed};
use super::changes::put;
use super::world::{HeldMail, World, mail};
use crate::support::byte_proxy::{ByteProxy, Dialogue, Direction, Fault, Manner, Place};

/// Longer than anything is waited for between two parts of an answer.
const SILENCE: Duration = Duration::from_secs(31);
/// A conversation that is not dead goes on sooner.
const QUIET: Duration = Duration::from_millis(100);

/// Where something happens, and what.
type Happening = (Direction, Place, Fault);

/// Waits for `work`, which begins the next conversation. Where that falls silent, time passes.
async fn noticed<T>(proxy: &ByteProxy, work: impl Future<Output = T>) -> T {
    let number = proxy.dialogues().len();
    let mut work = pin!(work);
    let (mut said, mut since) = (0, Instant::now());
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = sleep(Duration::from_millis(10)) => {}
        }
        let dialogues = proxy.dialogues();
        let Some(dialogue) = dialogues.get(number).filter(|dialogue| dialogue.faults > 0 && !dialogue.ended) else {
            continue;
        };
        let now = dialogue.to_server.len() + dialogue.to_client.len();
        if now != said {
            (said, since) = (now, Instant::now());
        }
        if since.elapsed() > QUIET {
            pause();
            advance(SILENCE).await;
            resume();
            since = Instant::now();
        }
    }
}

/// All of the end of a conversation, where something is changed, and some of its beginning.
fn some_of(lines: u64) -> impl Iterator<Item = u64> {
    (0..=lines).filter(move |line| *line + 10 >= lines || line % 4 == 0)
}

fn black(dialogue: &Dialogue) -> Vec<Happening> {
    let at = |direction| {
        some_of(dialogue.lines(direction)).map(move |line| (direction, Place::Line(line), Fault::Blackhole))
    };
    at(Direction::ToServer).chain(at(Direction::ToClient)).collect()
}

fn twice(dialogue: &Dialogue) -> Vec<Happening> {
    let lines = some_of(dialogue.lines(Direction::ToClient));
    lines.map(|line| (Direction::ToClient, Place::Line(line), Fault::Repeat)).collect()
}

/// Lines that change places with the next one: both untagged, or one and the end of the answer that it belongs to.
fn swapped(dialogue: &Dialogue) -> Vec<Happening> {
    let text = String::from_utf8_lossy(&dialogue.to_client);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_whole = |line: &&str| line.starts_with("* ") && !line.trim_end().ends_with('}');
    let is_end = |line: &&str| line.starts_with('B');
    let pairs =
        lines.windows(2).enumerate().filter(|(_, pair)| is_whole(&pair[0]) && (is_whole(&pair[1]) || is_end(&pair[1])));
    pairs.map(|(line, _)| (Direction::ToClient, Place::Line(line as u64), Fault::Reorder)).collect()
}

async fn a_change_under(kind: Kind, places: fn(&Dialogue) -> Vec<Happening>) {
    let (world, proxy, clean) = to_be_changed(kind).await;
    world.synchronised().await;
    let places = places(&clean);
    assert!(places.len() > 8, "{places:?}");
    for (direction, place, fault) in places {
        let at = format!("{direction:?} {place:?} {fault:?}");
        let wanted = (kind.change)(&world);
        proxy.next(Manner::clean().at(direction, place, fault));
        let outcome = noticed(&proxy, world.changes_anew(&wanted)).await;
        if is_told_truly(&world, (kind, &wanted), outcome, &at).await > 0 {
            (kind.undo)(&world);
            world.synchronised().await;
        }
    }
}

/// Passes over a mailbox of which nothing is here, and over one of which all but one mail is.
async fn a_pass_under(places: fn(&Dialogue) -> Vec<Happening>, sample: usize) {
    let (mut world, proxy) = behind_proxy().await;
    for n in 0..2 {
        world.deliver("INBOX", mail(&format!("i{n}"), "Inbox", &format!("inbox{n}")));
    }
    world.deliver("Sent", mail("s", "Sent", "sent"));
    world.deliver("Work", mail("w", "Work", "work"));
    let mut whole = world.synchronised().await;
    world.deliver("Work", mail("n", "New", "new"));
    whole = more(whole, world.synchronised().await);
    let next = places(proxy.dialogues().last().unwrap());
    // The lines of a mail are its own: what happens to them is known by the conversation that is had again.
    world = world.emptied().await;
    assert_eq!(world.synchronised().await, whole);
    let first = places(proxy.dialogues().last().unwrap());
    assert!(first.len() > 8 && next.len() > 4, "{first:?} {next:?}");
    for (n, (direction, place, fault)) in first.into_iter().enumerate().filter(|(n, _)| n % sample == 0) {
        let at = format!("{direction:?} {place:?} {fault:?}");
        world = world.emptied().await;
        proxy.next(Manner::clean().at(direction, place, fault));
        noticed(&proxy, world.synchronise()).await;
        let begun = world.held();
        assert!(begun.iter().all(|mail| whole.contains(mail)) && begun.len() <= whole.len(), "{n} {at}: {begun:?}");
        assert_eq!(world.synchronised().await, whole, "{n} {at}");
    }
    for (n, (direction, place, fault)) in next.into_iter().enumerate().filter(|(n, _)| n % sample == 0) {
        let at = format!("{direction:?} {place:?} {fault:?}");
        world.deliver("Work", mail(&format!("n{n}"), "New", &format!("new{n}")));
        proxy.next(Manner::clean().at(direction, place, fault));
        noticed(&proxy, world.synchronise()).await;
        let now = world.synchronised().await;
        assert_eq!(now.len(), whole.len() + 1, "{at}: {now:?}");
        whole = more(whole, now);
    }
}

/// What is here now: all that was, and more.
fn more(was: Vec<HeldMail>, now: Vec<HeldMail>) -> Vec<HeldMail> {
    let missing: Vec<&HeldMail> = was.iter().filter(|mail| !now.contains(mail)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    now
}

#[tokio::test]
async fn a_server_whose_every_line_is_late_is_read_and_changed() {
    let (world, proxy) = behind_proxy().await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    world.deliver("INBOX", mail("b", "Dinner", "dinner"));
    world.deliver("Sent", mail("s", "Sent", "sent"));
    let both = [Direction::ToServer, Direction::ToClient];
    let lines = (0..200).flat_map(|line| both.map(|direction| (direction, Place::Line(line))));
    let late = Fault::Delay(Duration::from_millis(8));
    proxy.otherwise(
        lines.fold(Manner::clean(), |late_so_far, (direction, place)| late_so_far.at(direction, place, late.clone())),
    );
    assert_eq!(world.synchronised().await.len(), 3);
    for kind in [FLAG, MOVE, DRAFT] {
        let wanted = (kind.change)(&world);
        assert_eq!(world.changes_anew(&wanted).await, Ok(()));
        let times = (kind.done)(&world);
        assert_eq!(times, 1, "{wanted:?}");
        assert_eq!(world.synchronised().await.len(), 3 + usize::from(wanted == put(".Drafts", "K1")));
    }
    assert_eq!(world.places("lunch"), [(".Archive".to_owned(), "F".to_owned())]);
    assert!(proxy.faults() > 200, "{}", proxy.faults());
}

#[tokio::test]
async fn a_pass_whose_server_falls_silent_ends_and_the_next_one_has_everything() {
    a_pass_under(black, 4).await;
}

#[tokio::test]
async fn a_flag_is_told_as_it_is_wherever_the_server_falls_silent() {
    a_change_under(FLAG, black).await;
}

#[tokio::test]
async fn a_move_is_told_as_it_is_wherever_the_server_falls_silent() {
    a_change_under(MOVE, black).await;
}

#[tokio::test]
async fn what_is_told_twice_doubles_nothing() {
    a_pass_under(twice, 2).await;
}

#[tokio::test]
async fn a_change_is_told_as_it_is_whatever_the_server_says_twice() {
    for kind in [FLAG, MOVE, DRAFT] {
        a_change_under(kind, twice).await;
    }
}

#[tokio::test]
async fn what_is_told_in_another_order_loses_nothing() {
    a_pass_under(swapped, 1).await;
}

#[tokio::test]
async fn a_change_is_told_as_it_is_in_whatever_order_the_server_says_things() {
    for kind in [FLAG, MOVE] {
        a_change_under(kind, swapped).await;
    }
}

#[tokio::test]
async fn a_conversation_that_died_while_it_was_listened_to_is_noticed_and_begun_anew() {
    let (world, proxy) = behind_proxy().await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    // The word that there is news is the first that does not come.
    proxy.next(Manner::clean().at(Direction::ToClient, Place::Before("* 2 EXISTS"), Fault::Blackhole));
    let _kept = world.keeps();
    let listens = |dialogue: &Dialogue| dialogue.to_client.windows(7).any(|part| part == b"+ idlin");
    let is_read = |world: &World, words: &str| world.places(words).len() == 1;
    let began = Instant::now();
    let wait = async |what: &str, is_so: &dyn Fn() -> bool| {
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(60), "{what}");
            sleep(Duration::from_millis(20)).await;
        }
    };
    wait("it is read and listened to", &|| is_read(&world, "lunch") && proxy.dialogues().iter().any(listens)).await;
    world.other().append("INBOX", &[], mail("b", "News", "news").as_bytes());
    wait("it dies", &|| proxy.faults() == 1).await;
    sleep(QUIET).await;
    assert!(!is_read(&world, "news"));
    // It is listened to for a while, then asked, then given up.
    let mut passed = Duration::ZERO;
    while proxy.dialogues().len() < 2 {
        pause();
        advance(SILENCE).await;
        resume();
        passed += SILENCE;
        assert!(passed < Duration::from_secs(600), "it was never given up");
        sleep(QUIET).await;
    }
    wait("the news", &|| is_read(&world, "news")).await;
}

#[tokio::test]
async fn a_server_that_nests_without_an_end_is_told_and_read_again_once_it_has_stopped() {
    let (world, proxy) = behind_proxy().await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    let deep = |levels| format!("* 1 FETCH (BODYSTRUCTURE {}\r\n", "(".repeat(levels)).into_bytes();
    for (place, levels, why) in [
        (Place::Line(0), 3_000, "it is no IMAP server"),
        (Place::Line(0), 100_000, "its greeting is longer than any"),
        (Place::Before("* LIST"), 3_000, "sent what nothing had asked for"),
        (Place::Before("* LIST"), 100_000, "sent more than it was asked for"),
    ] {
        proxy.next(Manner::clean().at(Direction::ToClient, place, Fault::Insert(deep(levels))));
        world.synchronise().await;
        let told = world.account().disconnected.unwrap().why;
        assert!(told.contains("127.0.0.1") && told.contains(why), "{place:?} {levels}: {told}");
    }
    assert_eq!(world.synchronised().await.len(), 1);
    assert_eq!(world.account().disconnected, None);
}
