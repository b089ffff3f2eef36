//! The words of a question beside those that ask: what could be left out, what only stands for some matter or for anybody.

use crate::language::requests::reading::{tidy, without_determiner};

/// Whether a message asks something: by its mark, or by its first word.
pub fn is_question(text: &str) -> bool {
    const WORDS: [&str; 26] = [
        "who", "whom", "whose", "what", "what's", "whats", "when", "where", "where's", "which", "how", "why", "did",
        "does", "is", "are", "was", "were", "has", "have", "wer", "was", "wann", "wo", "welche", "wie",
    ];
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase().replace('’', "'");
    text.trim_end().ends_with(['?', '？', '؟']) || WORDS.contains(&first.as_str())
}

/// What people put into a question and could leave out.
pub(super) const FILLERS: [&str; 40] = [
    "at the moment",
    "at present",
    "right now",
    "currently",
    "presently",
    "so far",
    "by any chance",
    "actually",
    "really",
    "exactly",
    "basically",
    "in general",
    "generally",
    "please",
    "all in all",
    "as of now",
    "for now",
    "these days",
    "out there",
    "by the way",
    "as well",
    "in the meantime",
    "meanwhile",
    "after all",
    "in all",
    "again",
    "kindly",
    "eigentlich",
    "denn",
    "gerade",
    "momentan",
    "zurzeit",
    "im moment",
    "bitte",
    "alles",
    "mal",
    "and by when",
    "and until when",
    "and when",
    "already",
];

/// A question without what could be left out of it; what stands in quotation marks stays.
pub(super) fn without_fillers(text: &str) -> String {
    if text.contains(['"', '“', '„', '«']) {
        return text.to_owned();
    }
    let mut plain = format!(" {} ", text.trim());
    // "Tomorrow's call" takes place tomorrow.
    for day in [
        "today",
        "yesterday",
        "tomorrow",
        "tonight",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ] {
        for own in ["'s ", "’s "] {
            let capital = format!("{}{}", day[..1].to_uppercase(), &day[1..]);
            plain = plain
                .replace(&format!("{day}{own}"), &format!("{day} "))
                .replace(&format!("{capital}{own}"), &format!("{capital} "));
        }
    }
    for filler in FILLERS {
        loop {
            let lower = plain.to_lowercase();
            // Lower case may be of another length; then nothing is left out.
            let found = lower.find(&format!(" {filler} ")).filter(|_| lower.len() == plain.len());
            let Some(at) = found.or_else(|| {
                let ends = ["?", "!", "."].iter().find_map(|end| lower.find(&format!(" {filler}{end}")));
                ends.filter(|_| lower.len() == plain.len())
            }) else {
                break;
            };
            plain.replace_range(at..at + filler.len() + 1, "");
        }
    }
    plain.trim().to_owned()
}

/// A topic that was said in two places: "the flight booking for Berlin".
pub(super) fn with_more(words: &str, more: Option<String>) -> String {
    more.map_or_else(|| words.to_owned(), |more| format!("{words} {more}"))
}

/// Words for whoever it is.
pub(super) const ANYBODY: [&str; 20] = [
    "others",
    "other people",
    "people",
    "anyone",
    "anybody",
    "someone",
    "somebody",
    "everyone",
    "everybody",
    "anyone else",
    "somebody else",
    "someone else",
    "who",
    "whom",
    "others yet",
    "anderen",
    "andere",
    "jemand",
    "jemandem",
    "allen",
];

/// Words for *some matter*: they say nothing when the topic has others.
const MATTERS: [&str; 28] = [
    "trip",
    "tour",
    "holiday",
    "journeys",
    "travel",
    "journey",
    "visit",
    "project",
    "thing",
    "things",
    "topic",
    "matter",
    "story",
    "affair",
    "business",
    "stuff",
    "issue",
    "situation",
    "question",
    "case",
    "plan",
    "plans",
    "event",
    "reise",
    "projekt",
    "sache",
    "thema",
    "fahrt",
];
/// What stands between such a word and the others.
const JOINTS: [&str; 15] =
    ["the", "my", "our", "der", "die", "das", "den", "dem", "to", "of", "for", "nach", "zu", "mit", "with"];
/// "The new shed" is not called so by everybody.
const AGES: [&str; 10] = ["new", "old", "current", "latest", "upcoming", "whole", "entire", "neue", "neuen", "alten"];

/// A topic by the words that tell it from others: "the trip to Berlin" is Berlin.
pub(super) fn topic(words: &str) -> String {
    let spaced = words.replace('-', " ");
    let all: Vec<&str> = spaced.split_whitespace().collect();
    let is_matter = |word: &str| MATTERS.contains(&word.to_lowercase().as_str());
    let is_joint = |word: &str| JOINTS.contains(&word.to_lowercase().as_str());
    let telling: Vec<&str> = all.iter().filter(|word| !is_matter(word) && !is_joint(word)).copied().collect();
    if let [age, rest @ ..] = telling.as_slice()
        && !rest.is_empty()
        && all.first() == Some(age)
        && AGES.contains(age)
    {
        return rest.join(" ");
    }
    let has_matter = all.iter().any(|word| is_matter(word));
    if has_matter && !telling.is_empty() { telling.join(" ") } else { words.to_owned() }
}

pub(super) fn tidied(words: &str) -> String {
    let words = tidy(words);
    let bare = words.strip_suffix("'s").or_else(|| words.strip_suffix("’s")).unwrap_or(&words);
    without_determiner(bare).to_owned()
}
