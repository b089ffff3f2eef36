//! What a question leans to when no phrase covers it: the family whose words it speaks, and in which direction.
//!
//! "Is anybody sitting there hoping to hear from me?" speaks of waiting, of an answer, and of *from me*. Each family has
//! words that it needs and words that speak for it; the one that is spoken for most is taken, and none where two are
//! alike. Only questions are read so, and only to look something up: the answer says what it was taken for. Invariant: a
//! leaning never becomes an action. Not here: phrases (`families`), which outrank it.

use super::families::{FamilyQuestion, QuestionFamily, apostrophes};
use super::question_words::{WORDS, is_german};
use crate::language::time;
use crate::language::time::Reference;
use crate::language::words::{fold, words};

/// Whether the person is who does something in a question, or to whom it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// "I", and no "me" behind the verb.
    By,
    /// "Me", "from me", "to me".
    To,
    /// "From me", "by me", "because of me": somebody wants something of the person.
    From,
}

/// The question that a message leans to; `None` where it leans nowhere, or to two at once.
pub fn leaning(text: &str, reference: &Reference) -> Option<FamilyQuestion> {
    if !super::families::is_question(text) || text.chars().count() > QUESTION_CHARS_MAX {
        return None;
    }
    let said = words(&apostrophes(text));
    let family = family_of(&said)?;
    let mentions = time::find(text, reference);
    // Two times are two questions.
    let when = match mentions.as_slice() {
        [] => None,
        [only] => Some(text[only.span.clone()].to_owned()),
        [..] => return None,
    };
    let who = name_in(text, &mentions);
    let has_span = when.is_some();
    let family = match family {
        QuestionFamily::NeedsMe if !has_span => return None,
        other => other,
    };
    Some(FamilyQuestion {
        family,
        who,
        topic: None,
        when,
        open: WORDS.open.is_in(&said),
        late: WORDS.late.is_in(&said),
        then: None,
        beside: None,
    })
}

/// A question is short; what is longer tells a story.
const QUESTION_CHARS_MAX: usize = 160;

fn family_of(said: &[String]) -> Option<QuestionFamily> {
    use QuestionFamily as F;
    let direction = direction(said)?;
    let asks_people = WORDS.people.is_in(said);
    if WORDS.most.is_in(said) && asks_people {
        return match (WORDS.meet.is_in(said), WORDS.write.is_in(said)) {
            (true, false) => Some(F::MeetsMost),
            (false, true) => Some(F::WritesMost),
            (true, true) | (false, false) => None,
        };
    }
    if let Some(promise) = said.iter().position(|word| WORDS.promise.holds(word)) {
        let is_own = direction == Direction::By || said[..promise].last().is_some_and(|before| WORDS.my.holds(before));
        return Some(if is_own { F::PromisedByMe } else { F::PromisedToMe });
    }
    if let Some(sayer) = announced(said) {
        return Some(if sayer == Direction::By { F::PromisedByMe } else { F::PromisedToMe });
    }
    if WORDS.need.is_in(said) && asks_people && direction == Direction::From {
        return Some(F::WaitingOnMe);
    }
    let speaks_of_waiting =
        WORDS.wait.is_in(said) || (WORDS.answer.is_in(said) && (WORDS.write.is_in(said) || asks_people));
    if speaks_of_waiting {
        let waits = said.iter().position(|word| WORDS.waiting.holds(word));
        let answers = said.iter().position(|word| WORDS.answer.holds(word));
        return match (direction, waits, answers) {
            // "Who waits for me", "who still hopes to hear from me".
            (Direction::From, ..) => Some(F::WaitingOnMe),
            // "Whom am I waiting for", "what do I expect from others".
            (Direction::By, Some(_), _) => Some(F::WaitingOnOthers),
            // "What do I still have to answer", "whom do I owe a reply".
            (Direction::By, None, _) => Some(F::WaitingOnMe),
            // "Who waits for me" without "for", "who has not answered me".
            (Direction::To, Some(_), None) => Some(F::WaitingOnMe),
            (Direction::To, _, _) => Some(F::WaitingOnOthers),
        };
    }
    if WORDS.need.is_in(said) && !WORDS.prepare.is_in(said) {
        return Some(F::NeedsMe);
    }
    None
}

/// Who said of themselves that they would do something: "did Orla say she'd send me the photos?"
fn announced(said: &[String]) -> Option<Direction> {
    let at = said.iter().position(|word| WORDS.say.holds(word))?;
    let would = said[at..].iter().position(|word| WORDS.would.holds(word))?;
    let is_own = at > 0 && said[at - 1] == "i";
    // "What did Anna say I would like?" is no promise of hers.
    let is_of_them = said[at + 1..at + would + 1].iter().all(|word| !WORDS.own.holds(word));
    (is_own || is_of_them).then_some(if is_own { Direction::By } else { Direction::To })
}

/// Where the person stands in a question; `None` when they are not in it at all.
fn direction(said: &[String]) -> Option<Direction> {
    let i = said.iter().position(|word| WORDS.i.holds(word));
    let me = said.iter().position(|word| WORDS.me.holds(word));
    let is_of_me = me.and_then(|me| said.get(me.checked_sub(1)?)).is_some_and(|before| WORDS.of.holds(before));
    match (i, me) {
        (Some(_), _) => Some(Direction::By),
        (None, Some(_)) if is_of_me => Some(Direction::From),
        (None, Some(_)) => Some(Direction::To),
        (None, None) => None,
    }
}

/// The name in a question: words that are written large, but for the first and those of a time.
fn name_in(text: &str, times: &[time::TimeMention]) -> Option<String> {
    if is_german(&words(text)) {
        return None;
    }
    let mut name: Vec<&str> = Vec::new();
    let mut at = 0;
    for (place, word) in text.split_whitespace().enumerate() {
        let start = text[at..].find(word).map_or(at, |found| at + found);
        at = start + word.len();
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
        let is_time = times.iter().any(|time| time.span.contains(&start));
        let is_name = place > 0 && !is_time && !WORDS.large.holds(&fold(bare)) && bare.starts_with(char::is_uppercase);
        match (is_name, name.is_empty()) {
            (true, _) => name.push(bare),
            (false, true) => {}
            (false, false) => break,
        }
    }
    (!name.is_empty()).then(|| name.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::requests::tests::monday;

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
            ("which person do I exchange the most mails with?", None),
            ("who do I exchange the most mails with?", Some(F::WritesMost)),
            ("what is the capital of France?", None),
            ("whos waiting on me rn", Some(F::WaitingOnMe)),
            ("list everyone who still needs something from me", Some(F::WaitingOnMe)),
            ("stuff others said they'd do for me", Some(F::PromisedToMe)),
            ("did Orla say she'd send me something?", Some(F::PromisedToMe)),
            ("things I said I'd do and haven't", Some(F::PromisedByMe)),
            ("which of my promises are late by now?", Some(F::PromisedByMe)),
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
}
