//! A model's notes about a conversation, held against it: what of them is kept, and what they leave out.
//!
//! Small models join what belongs apart, take one speaker for the other and leave the numbers away. So a sentence is kept
//! only where one message, or a message and the next, bears it out, and what holds names or numbers that no kept sentence
//! has stays in its own words. Not here: asking for notes, and what stands for them without a model.

use rustc_hash::FxHashSet;

use brain_core::core::history::{FoldPart, newest_within};
use brain_core::limits::{SUMMARY_BORNE_OUT_TENTHS, SUMMARY_CHARS_MAX, SUMMARY_OWN_TENTHS};
use brain_language::language::grounding::{self, specifics, telling_stems};
use brain_language::language::terms;
use brain_language::language::time::Reference;
use brain_language::language::words::words;

/// How the lines of a conversation, and sentences about it, name who speaks.
const SPEAKERS: [&str; 2] = ["person", ASSISTANT];
const ASSISTANT: &str = "assistant";

/// "The person said that", around what was said.
const ABOUT_IT_BYTES: usize = 60;

/// A line of what is summed up.
struct SourceLine<'a> {
    text: &'a str,
    stems: FxHashSet<String>,
    speaker: Option<&'static str>,
}

impl<'a> SourceLine<'a> {
    fn of(text: &'a str) -> Self {
        let label = text.split_once(':').map(|(label, _)| label);
        let speaker = SPEAKERS.into_iter().find(|speaker| label == Some(*speaker));
        Self { text, stems: all_stems(text), speaker }
    }
}

/// What a part comes to with these notes; `Err` says, without a word of either, why they are none of it.
pub(super) fn kept(notes: &str, part: &FoldPart, reference: &Reference) -> Result<String, String> {
    let source = part.source();
    let (said, told) = (telling_stems(&source), telling_stems(notes));
    if told.iter().filter(|stem| said.contains(*stem)).count() * 10 < told.len() * SUMMARY_OWN_TENTHS {
        return Err("it is in other words than what it sums up, or in another language".to_owned());
    }
    let lines: Vec<SourceLine<'_>> = source.lines().map(SourceLine::of).collect();
    let borne_out = sentences(notes).filter(|sentence| is_borne_out(sentence, &lines, reference));
    let borne_out: Vec<&str> = borne_out.collect();
    if borne_out.is_empty() {
        return Err("nobody said what it says".to_owned());
    }
    let kept = newest_within(SUMMARY_CHARS_MAX, borne_out.into_iter()).join("\n");
    let by_code = part.extracted();
    let has = all_stems(&kept);
    // What was done stands beside a summary by its name and id.
    let is_left_out = |line: &&str| {
        SourceLine::of(line).speaker != Some(ASSISTANT)
            && specifics(line).flat_map(words).any(|word| !has.contains(&terms::stem(&word)))
    };
    let left = SUMMARY_CHARS_MAX.saturating_sub(kept.chars().count() + 1);
    let beside = newest_within(left, part.in_own_words().filter(is_left_out));
    let all = [kept.as_str()].into_iter().chain(beside).collect::<Vec<_>>().join("\n");
    // Notes that are no shorter than all that code takes out are not worth their doubts.
    let has_everything = by_code.lines().count() == part.in_own_words().count();
    Ok(if has_everything && by_code.len() <= all.len() { by_code } else { all })
}

/// Whether a message, or a message and the next one, says what a sentence says, and whoever is said to have said it did.
fn is_borne_out(sentence: &str, lines: &[SourceLine<'_>], reference: &Reference) -> bool {
    let stems: Vec<String> =
        telling_stems(sentence).into_iter().filter(|stem| !SPEAKERS.contains(&stem.as_str())).collect();
    let speaker = words(sentence).into_iter().find_map(|word| SPEAKERS.into_iter().find(|speaker| word == *speaker));
    let held = |line: &SourceLine<'_>| stems.iter().filter(|stem| line.stems.contains(*stem)).count();
    let bears_out = |window: &[SourceLine<'_>]| {
        let of_all = stems.iter().filter(|stem| window.iter().any(|line| line.stems.contains(*stem))).count();
        if of_all * 10 < stems.len() * SUMMARY_BORNE_OUT_TENTHS {
            return false;
        }
        let text = window.iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
        let is_speaker = |line: &SourceLine<'_>| line.speaker.is_none_or(|of| speaker.is_none_or(|named| named == of));
        sentence.len() <= text.len() + ABOUT_IT_BYTES
            && window.iter().max_by_key(|line| held(line)).is_some_and(is_speaker)
            && grounding::added(sentence, &[&text], reference).is_empty()
    };
    let alone = (0..lines.len()).map(|at| &lines[at..=at]);
    !stems.is_empty() && alone.chain(lines.windows(2)).any(bears_out)
}

/// Of lines that say nothing else: without the marks of a list.
fn sentences(notes: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let ends = notes.char_indices().filter_map(|(at, c)| {
        let next = notes[at + c.len_utf8()..].chars().next();
        let is_end = c == '\n' || matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace);
        is_end.then_some(at + c.len_utf8())
    });
    let ends: Vec<usize> = ends.chain([notes.len()]).collect();
    ends.into_iter().filter_map(move |to| {
        let sentence = notes[std::mem::replace(&mut from, to)..to].trim().trim_start_matches(['-', '*', '•', ' ']);
        (!sentence.is_empty()).then_some(sentence)
    })
}

fn all_stems(text: &str) -> FxHashSet<String> {
    words(text).into_iter().map(|word| terms::stem(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::core::history::{Fold, HistoryEntry, Voice};
    use brain_language::language::time::DateOrder;

    fn kept_of(said: &[(bool, &'static str)], notes: &str) -> Result<String, String> {
        let entry = |(is_own, text): &(bool, &'static str)| {
            let voice = if *is_own { Voice::Own } else { Voice::Assistant };
            HistoryEntry { voice, text, actions: &[], untrusted: &[] }
        };
        let entries: Vec<HistoryEntry<'_>> = said.iter().map(entry).collect();
        let now = "2026-01-12T09:00:00Z".parse().unwrap();
        let reference = Reference { now, zone: chrono_tz::UTC, order: DateOrder::DayFirst };
        kept(notes, Fold::of(None, &entries).own().unwrap(), &reference)
    }

    const SAID: [(bool, &str); 4] = [
        (true, "the plumber Kessler comes on 4 May, he wants 240 euros"),
        (false, "Noted. Shall I remind you the day before?"),
        (true, "no, somebody is at home all day long, so there is no need of it, and the neighbour has a key as well"),
        (true, "the dentist moved, Dr Ruiz sees me at Elm Street 7 now"),
    ];

    #[test]
    fn sentences_that_a_message_bears_out_are_kept_and_what_they_leave_out_stays_as_it_was_said() {
        let kept =
            kept_of(&SAID, "The person said that the plumber Kessler comes on 4 May and wants 240 euros.").unwrap();
        assert!(kept.starts_with("The person said that the plumber Kessler comes"), "{kept}");
        assert!(kept.contains("person: the dentist moved, Dr Ruiz sees me at Elm Street 7"), "{kept}");
        assert_eq!(kept.matches("Kessler").count(), 1, "{kept}");
    }

    #[test]
    fn what_was_joined_wrongly_or_said_by_the_other_is_left_out() {
        for wrong in [
            "The plumber Kessler is at Elm Street 7.",
            "The assistant said that the plumber Kessler wants 240 euros.",
            "Dr Ruiz wants 240 euros.",
            "The plumber Kessler brings a colleague, a ladder and a new pump along.",
        ] {
            let with = format!("{wrong} The person said that the plumber Kessler comes on 4 May.");
            let kept = kept_of(&SAID, &with).unwrap();
            assert!(!kept.contains(wrong.trim_end_matches('.')), "{wrong}: {kept}");
            assert!(kept.contains("240") && kept.contains("Ruiz"), "{kept}");
            assert!(kept_of(&SAID, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_dialogue_that_is_copied_is_cut_to_what_a_summary_may_take() {
        let said: Vec<(bool, &'static str)> = SAID.into_iter().cycle().take(80).collect();
        let copied: Vec<String> = said.iter().map(|(_, text)| format!("person: {text}.")).collect();
        let kept = kept_of(&said, &copied.join("\n")).unwrap();
        assert!(kept.chars().count() <= SUMMARY_CHARS_MAX, "{}", kept.chars().count());
    }
}
