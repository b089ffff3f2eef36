//! A consented send. Its card is made in one life and approved in another, which is killed at a border.

use serde_json::json;

use super::{NOW, SEND, SUBJECT, World, each, place, told, told_at_start, wait_reached};
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{button, outcomes_of, pending_id, pending_ids, text_of};
use crate::support::smtp_server::Mode;

/// What the books must say after the restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// Nobody knows of the yes: the card is open and can be decided.
    StillOpen,
    Succeeded,
    Failed,
    Unknown,
}

/// Borders in the life that approves, and what must have become of the mail: how often it went out, and what
/// the books say.
const ACCEPT: [(&str, usize, Then); 12] = [
    ("decision-before", 0, Then::StillOpen),
    // Approved and certainly not begun: the restart does it.
    ("decision-durable", 1, Then::Succeeded),
    // Begun, and nobody can tell: never tried again.
    ("effect-started", 0, Then::Unknown),
    ("smtp-before", 0, Then::Unknown),
    ("smtp-data", 0, Then::Unknown),
    ("smtp-answered", 1, Then::Unknown),
    // The copy in Sent carries the attempt's Message-ID: that settles it.
    ("sent-filed", 1, Then::Succeeded),
    ("effect-done", 1, Then::Succeeded),
    ("answer-before", 1, Then::Succeeded),
    ("answer-durable", 1, Then::Succeeded),
    ("shown", 1, Then::Succeeded),
    ("shown:2", 1, Then::Succeeded),
];

const TAKEN_WITHOUT_A_WORD: [(&str, usize, Then); 6] = [
    ("decision-durable", 1, Then::Unknown),
    ("smtp-answered", 1, Then::Unknown),
    ("effect-done", 1, Then::Unknown),
    ("answer-before", 1, Then::Unknown),
    ("answer-durable", 1, Then::Unknown),
    ("shown:2", 1, Then::Unknown),
];

const REFUSED: [(&str, usize, Then); 5] = [
    ("decision-durable", 0, Then::Failed),
    // It was refused, but that was not written down: nobody can tell any more.
    ("effect-done", 0, Then::Unknown),
    ("answer-before", 0, Then::Unknown),
    ("answer-durable", 0, Then::Failed),
    ("shown:2", 0, Then::Failed),
];

#[test]
fn a_consented_send_is_never_lost_nor_doubled_wherever_it_is_killed() {
    each(&ACCEPT, |(border, mails, then)| check(Mode::Accept, border, mails, then));
}

#[test]
fn a_mail_taken_without_an_answer_stays_unknown_wherever_the_program_is_killed() {
    each(&TAKEN_WITHOUT_A_WORD, |(border, mails, then)| {
        check(Mode::TakeMailAndDropAnswer, border, mails, then);
    });
}

#[test]
fn a_refused_mail_is_never_told_as_sent_wherever_the_program_is_killed() {
    each(&REFUSED, |(border, mails, then)| check(Mode::RejectRecipient, border, mails, then));
}

fn check(mode: Mode, border: &str, mails: usize, then: Then) {
    let world = World::new(mode);
    let (id, yes, no) = asked(&world);

    let printed = world.dies_at(border, NOW, &json!({"press": yes}));

    let mut second = world.lives();
    let at_start = told(&told_at_start(&mut second));
    assert_eq!(world.sent(), mails, "{border}");
    if then == Then::StillOpen {
        assert_eq!(at_start, "", "{border}");
        let again = second.press(&yes);
        assert_eq!(outcomes_of(&again)[0]["status"], "succeeded", "{again:#?}");
        assert_eq!(world.sent(), 1, "{border}");
        return;
    }
    // Told after the restart, unless the last thing the first life printed was just that.
    let mark = mark(then);
    assert!(at_start.contains(mark), "{border}: {at_start:?} lacks {mark}");
    // Decided once and for all: whatever is pressed now hears the result, and does nothing.
    let state = format!("{then:?}").to_lowercase();
    for data in [&yes, &no] {
        let late = second.press(data);
        assert_eq!(outcomes_of(&late)[0]["status"], state, "{border}: {late:#?}");
    }
    assert!(second.finish().code == 0);

    // A further life has nothing more to tell or to do.
    let mut third = world.lives();
    assert_eq!(told(&told_at_start(&mut third)), "", "{border}");
    drop(third);
    assert_eq!(world.sent(), mails, "{border}");
    assert_eq!(world.state(&id), state, "{border}");
    // What the person saw before the end stays true.
    let seen = text_of(&printed);
    assert!(!seen.contains("📨 Sent") || then == Then::Succeeded, "{border}: {seen}");
}

/// How each end is told.
fn mark(then: Then) -> &'static str {
    match then {
        Then::StillOpen | Then::Succeeded => "📨 Sent to bob.miller@example.com",
        Then::Failed => "❗ I could not send",
        Then::Unknown => "❓ I can't tell whether I managed to send",
    }
}

/// A card: its id and its buttons.
pub(super) fn asked(world: &World) -> (String, String, String) {
    let mut console = world.lives();
    let card = console.say(SEND);
    let found = (pending_id(&card), button(&card, "approve"), button(&card, "cancel"));
    assert_eq!(console.finish().code, 0);
    found
}

/// The admin's yes passes the same borders, told outside a turn.
#[test]
fn an_approval_by_the_admin_is_never_lost_nor_doubled_either() {
    let cases = [
        ("decision-before", 0, Then::StillOpen),
        ("decision-durable", 1, Then::Succeeded),
        ("smtp-answered", 1, Then::Unknown),
        ("tell-before", 1, Then::Succeeded),
        ("tell-durable", 1, Then::Succeeded),
    ];
    each(&cases, |(border, mails, then)| {
        let mut world = World::new(Mode::Accept);
        world.program = world.program.env("BRAIN_ADMIN_MAY_APPROVE", "true");
        let (id, _, _) = asked(&world);
        let digest = world.program.card(&id)["digest"].as_str().unwrap()[..12].to_owned();
        let dying = world.program.clone().fail_at(border);
        let mut owner = dying.at(NOW);
        owner.say("/pending");
        let approving = {
            let (program, id) = (world.program.clone(), id.clone());
            std::thread::spawn(move || program.run(&["pending", "approve", &id, &digest]))
        };
        wait_reached(&dying.reached_file(), border);
        owner.kill();
        let ended = approving.join().unwrap();
        assert!(ended.code != 0 && ended.stdout.is_empty(), "{border}: {ended:?}");

        let mut second = world.lives();
        let at_start = told(&told_at_start(&mut second));
        assert_eq!(at_start.contains(mark(then)), then != Then::StillOpen, "{border}: {at_start}");
        drop(second);
        let state = if then == Then::StillOpen { "pending".to_owned() } else { format!("{then:?}").to_lowercase() };
        assert_eq!((world.sent(), world.state(&id)), (mails, state), "{border}");
    });
}

/// The restart itself is killed, too, and the restart after it finds its way.
#[test]
fn a_recovery_that_is_killed_is_recovered() {
    let cases = [
        ("decision-durable", "effect-started", 0, Then::Unknown),
        ("decision-durable", "smtp-data", 0, Then::Unknown),
        ("decision-durable", "smtp-answered", 1, Then::Unknown),
        ("decision-durable", "effect-done", 1, Then::Succeeded),
        ("decision-durable", "tell-before", 1, Then::Succeeded),
        ("decision-durable", "tell-durable", 1, Then::Succeeded),
        ("effect-started", "tell-before", 0, Then::Unknown),
        ("smtp-answered", "tell-durable", 1, Then::Unknown),
        ("smtp-answered", "shown:2", 1, Then::Unknown),
    ];
    each(&cases, |(first, second, mails, then)| {
        let world = World::new(Mode::Accept);
        let (id, yes, _) = asked(&world);
        world.dies_at(first, NOW, &json!({"press": yes}));
        world.dies_at_start(second);
        let mut third = world.lives();
        let at_start = told(&told_at_start(&mut third));
        assert!(at_start.contains(mark(then)), "{first}, {second}: {at_start:?}");
        drop(third);
        assert_eq!(world.sent(), mails, "{first}, {second}");
        assert_eq!(world.state(&id), format!("{then:?}").to_lowercase(), "{first}, {second}");
    });
}

/// A yes that waited too long is no yes any more.
#[test]
fn an_approval_that_could_not_begin_in_time_expires() {
    let world = World::new(Mode::Accept);
    let (id, yes, _) = asked(&world);
    world.dies_at("decision-durable", NOW, &json!({"press": yes}));
    let mut much_later = world.lives_at("2026-01-11T09:11:00Z");
    let at_start = told(&told_at_start(&mut much_later));
    assert!(at_start.contains("the approval is too old"), "{at_start}");
    drop(much_later);
    assert_eq!((world.sent(), world.state(&id).as_str()), (0, "expired"));
}

/// A number that a person has seen never names another message afterwards.
#[test]
fn message_numbers_go_on_after_a_kill() {
    let world = World::new(Mode::Accept);
    let printed = world.dies_at("shown", NOW, &json!({"text": SEND}));
    let shown = printed.iter().filter_map(|line| line["id"].as_i64()).max().unwrap();
    let mut second = world.lives();
    let lines = second.say("hello");
    let again = lines.iter().filter_map(|line| line["id"].as_i64()).min().unwrap();
    assert!(again > shown, "{shown} was given again: {lines:#?}");
    assert_eq!(pending_ids(&lines), pending_ids(&printed), "the card keeps its id");
    assert_eq!(place("shown:2"), "shown");
}

/// Of two mails in one card the second waits for the first: how that ended is on record before the second begins.
#[test]
fn of_two_sends_the_first_keeps_its_outcome_when_the_second_is_killed() {
    let send = |to: &str, after: &[usize]| {
        let params = json!({"to": [to], "subject": SUBJECT, "body": "It is late."});
        json!({"service": "email", "command": "send_email", "params": params, "reasoning": "asked", "depends_on": after})
    };
    let plan = json!({"actions": [send("bob.miller@example.com", &[]), send("anna@example.com", &[0])]});
    let route = json!({"type": "action", "domains": ["email"], "is_followup": false});
    let script = Script::new().always("route", ModelReply::json(route)).always("plan", ModelReply::json(plan));
    let model = ModelServer::scripted(script.otherwise(ModelReply::text("Here you are.")));
    let mut world = World::new(Mode::Accept);
    world.program = world.program.model(&model);
    let mut first = world.lives();
    let card = first.say("send bob.miller@example.com and then anna@example.com a mail that the report is late");
    let (id, yes) = (pending_id(&card), button(&card, "approve"));
    assert_eq!(first.finish().code, 0);

    world.dies_at("effect-started:2", NOW, &json!({"press": yes}));
    let mut second = world.lives();
    let at_start = told(&told_at_start(&mut second));
    assert!(at_start.contains("📨 Sent to bob.miller@example.com"), "{at_start}");
    assert!(at_start.contains("❓ I can't tell whether I managed to send"), "{at_start}");
    drop(second);
    assert_eq!((world.sent(), world.state(&id).as_str()), (1, "unknown"));
}
