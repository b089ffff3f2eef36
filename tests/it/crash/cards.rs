//! Cards: made, denied, expired, and killed on the way.

use serde_json::json;

use super::sends::asked;
use super::{NOW, SEND, World, each, times, told, told_at_start};
use crate::support::program::{button, outcomes_of, pending_id, pending_ids, text_of};
use crate::support::smtp_server::Mode;

/// Cards wait for 24 hours.
const OVER: &str = "2026-01-12T09:00:01Z";

#[test]
fn a_card_killed_while_it_is_made_is_there_whole_or_not_at_all() {
    each(&["answer-before", "answer-durable", "shown"], |border| {
        let world = World::new(Mode::Accept);
        let printed = world.dies_at(border, NOW, &json!({"text": SEND}));
        let open = world.program.open_cards();
        if border == "answer-before" {
            assert!(open.is_empty() && pending_ids(&printed).is_empty(), "{printed:#?}");
            assert_eq!(told(&told_at_start(&mut world.lives())), "");
            return;
        }
        let mut second = world.lives();
        let again = told_at_start(&mut second);
        assert_eq!(vec![pending_id(&again)], open, "{border}");
        if border == "shown" {
            assert_eq!(pending_id(&printed), pending_id(&again), "a repeated card keeps its id");
            assert_eq!(button(&printed, "approve"), button(&again, "approve"));
        }
        let done = second.press(&button(&again, "approve"));
        assert_eq!(outcomes_of(&done)[0]["status"], "succeeded", "{done:#?}");
        assert_eq!(world.sent(), 1, "{border}");
    });
}

#[test]
fn an_open_card_survives_a_kill_and_is_decided_by_a_bare_yes() {
    let world = World::new(Mode::Accept);
    let mut first = world.lives();
    let card = first.say(SEND);
    first.kill();
    let mut second = world.lives();
    let yes = second.say("yes");
    assert_eq!(outcomes_of(&yes)[0]["status"], "succeeded", "{yes:#?}");
    assert_eq!((world.sent(), pending_ids(&card).len()), (1, 1));
}

#[test]
fn a_no_that_is_killed_never_becomes_a_yes() {
    let borders = ["decision-before", "decision-durable", "answer-before", "answer-durable", "shown", "shown:2"];
    each(&borders, |border| {
        let world = World::new(Mode::Accept);
        let (id, yes, no) = asked(&world);
        world.dies_at(border, NOW, &json!({"press": no}));
        let mut second = world.lives();
        if border == "decision-before" {
            let denied = second.press(&no);
            assert_eq!(outcomes_of(&denied)[0]["status"], "denied", "{denied:#?}");
        }
        let late = second.press(&yes);
        assert!(text_of(&late).contains("That was already cancelled"), "{border}: {late:#?}");
        let bare = second.say("yes");
        assert!(outcomes_of(&bare).is_empty(), "{bare:#?}");
        drop(second);
        assert_eq!((world.sent(), world.state(&id).as_str()), (0, "denied"), "{border}");
        assert!(world.program.open_cards().is_empty(), "{border}");
    });
}

#[test]
fn a_change_that_is_killed_is_made_or_not_and_a_press_does_what_its_card_shows() {
    each(&["answer-before", "answer-durable"], |border| {
        let world = World::new(Mode::Accept);
        let mut first = world.lives();
        let card = first.say(SEND);
        let (id, yes) = (pending_id(&card), button(&card, "approve"));
        first.press(&button(&card, "edit"));
        drop(first);
        world.dies_at(border, NOW, &json!({"text": "say that it is late again"}));
        let mut second = world.lives();
        let again = told_at_start(&mut second);
        let is_made = border == "answer-durable";
        let late = second.press(&yes);
        let became = if is_made { "superseded" } else { "succeeded" };
        assert_eq!(outcomes_of(&late)[0]["status"], became, "{border}: {late:#?}");
        drop(second);
        assert_eq!((world.sent(), world.state(&id).as_str()), (usize::from(!is_made), became), "{border}");
        // The new card came with the commit that withdrew the old one, or not at all.
        assert_eq!(world.program.open_cards().len(), usize::from(is_made), "{border}: {again:#?}");
    });
}

#[test]
fn an_expiry_that_is_killed_is_told_and_never_decided() {
    each(&["tell-before", "tell-durable", "shown", "shown:2"], |border| {
        let world = World::new(Mode::Accept);
        let (id, yes, _) = asked(&world);
        let printed = world.dies_at(border, NOW, &json!({"now": OVER}));
        let mut second = world.lives_at(OVER);
        let lines = second.send(json!({"now": OVER}));
        let heard = told(&lines);
        // At least once, and at most once a life.
        assert_eq!(times(&heard, "⌛ That card has expired"), 1, "{border}: {heard}");
        assert_eq!(times(&told(&printed), "⌛ That card has expired"), usize::from(border == "shown:2"), "{border}");
        let late = second.press(&yes);
        assert!(text_of(&late).contains("expired"), "{border}: {late:#?}");
        drop(second);
        assert_eq!((world.sent(), world.state(&id).as_str()), (0, "expired"), "{border}");
    });
}

#[test]
fn a_press_on_an_expired_card_that_is_killed_stays_expired() {
    each(&["decision-before", "decision-durable", "answer-before", "answer-durable"], |border| {
        let world = World::new(Mode::Accept);
        let (id, yes, _) = asked(&world);
        world.dies_at(border, OVER, &json!({"press": yes}));
        let mut second = world.lives_at(OVER);
        let late = second.press(&yes);
        assert!(text_of(&late).contains("expired"), "{border}: {late:#?}");
        drop(second);
        assert_eq!((world.sent(), world.state(&id).as_str()), (0, "expired"), "{border}");
    });
}
