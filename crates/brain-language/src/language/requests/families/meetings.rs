//! What is to be known before a meeting: what is asked, and the meeting, in either order.
//!
//! The meeting may be stated in a sentence before the question, or named in it behind a preposition. Both parts are
//! phrases of their own (`data/language/requests/meetings.*.txt`), so that any way to ask goes with any way to say
//! which meeting.

use super::wording::is_empty_of_names;
use super::{FamilyQuestion, QuestionFamily, apostrophes, covered_by, tidied};
use crate::language::requests::parse_input::ParseInput;
use crate::language::requests::phrases::Phrases;
use crate::language::requests::question_words::WORDS;
use crate::language::tables::MadeTables;
use crate::language::time::Reference;
use crate::language::words::{fold, words};
use crate::language::work::Work;
use brain_core::core::plan::PlannedAction;
use brain_core::limits::{BRIEFING_MARKS_MAX, BRIEFING_WORDS_MAX};

const TEXTS: [&str; 2] = [
    include_str!("../../../../../../data/language/requests/meetings.en.txt"),
    include_str!("../../../../../../data/language/requests/meetings.de.txt"),
];

static FRAMES: MadeTables<Phrases> = MadeTables::new(|| Phrases::own(&TEXTS.concat()));

/// Makes the frames, unless they are made.
pub(super) fn ready() {
    MadeTables::force(&FRAMES);
}

/// Marks behind which what is asked may stand, or the meeting.
const MARKS: [&str; 7] = [", ", ". ", "? ", "; ", "! ", " - ", " – "];

/// A question that prepares a meeting.
pub(super) fn prepared(input: &ParseInput, work: &Work) -> Option<FamilyQuestion> {
    let reference = input.reference;
    let text = apostrophes(input.text.trim());
    // Nearly every message is told by its words to be none of these.
    if !WORDS.prepares.is_in(&words(&text)) {
        return None;
    }
    let covered = |part: &str| covered_by(&FRAMES, &input.alone(part.trim()), work);
    let is = |action: &Option<PlannedAction>, command: &str| action.as_ref().is_some_and(|is| is.command == command);
    let apart = MARKS.iter().flat_map(|mark| text.match_indices(mark)).map(|(at, mark)| (at, at + mark.len()));
    for (end, start) in apart.take(BRIEFING_MARKS_MAX) {
        let parts = (covered(&text[..end]), covered(&text[start..]));
        let meeting = match parts {
            (stated, asked) if is(&stated, "stated") && is(&asked, "briefing") => stated,
            (asked, stated) if is(&asked, "briefing") && is(&stated, "stated") => stated,
            _ => None,
        };
        if let Some(question) = meeting.and_then(|meeting| question(&meeting, reference)) {
            return Some(question);
        }
    }
    text.match_indices(' ').take(BRIEFING_WORDS_MAX).find_map(|(at, _)| {
        covered(&text[..at]).filter(|asked| asked.command == "briefing")?;
        let named = covered(&text[at..]).or_else(|| covered(&dated(&text[at..])?));
        question(&named.filter(|named| named.command == "named")?, reference)
    })
}

/// What stands before a meeting that is called by its day, in the possessive.
fn dated(rest: &str) -> Option<String> {
    let folded = fold(rest.trim());
    let is_before = WORDS.before.iter().any(|word| folded.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')));
    is_before.then(|| format!("namely {}", rest.trim()))
}

fn question(meeting: &PlannedAction, reference: &Reference) -> Option<FamilyQuestion> {
    let said = |name: &str| meeting.params.get(name).and_then(|value| value.as_str());
    let slot = |name: &str| said(name).map(tidied).filter(|words| !words.is_empty());
    // A verb of the question, with what stands behind it, is no name of a meeting.
    let is_none = |meeting: &str| {
        let said = words(meeting);
        said.len() == 1 && is_empty_of_names(meeting) || WORDS.ahead.is_in(&said)
    };
    if slot("meeting").is_some_and(|meeting| is_none(&meeting)) {
        return None;
    }
    let question = FamilyQuestion {
        family: QuestionFamily::Prepare,
        who: slot("with"),
        topic: slot("meeting"),
        when: said("when").map(|when| when.strip_prefix("for ").unwrap_or(when).to_owned()),
        ..FamilyQuestion::default()
    };
    question.is_settled(reference).then_some(question)
}
