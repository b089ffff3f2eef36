//! The words of a question beside those that ask: what could be left out, what only stands for some matter or for anybody.

use crate::language::requests::reading::{tidy, without_determiner};

/// Words that begin a question, and what asks for a look.
const ASKING: [&str; 52] = [
    "who", "whom", "whose", "what", "what's", "who's", "how's", "where's", "when's", "when", "where", "which", "how",
    "why", "did", "do", "does", "is", "are", "am", "was", "were", "has", "have", "haven't", "hasn't", "didn't", "any",
    "anything", "anyone", "anybody", "list", "show", "find", "things", "stuff", "wer", "wem", "wen", "wann", "wo",
    "welche", "welcher", "welches", "wie", "worauf", "habe", "hat", "gibt", "zeig", "zeige", "finde",
];

/// How messages begin that ask by an order.
const LOOKING: [&str; 6] =
    ["tell me about ", "tell me what ", "tell me who ", "remind me what ", "get me ready ", "mach mich fit "];

/// Whether a message asks something: by its mark, or by how it begins.
pub fn is_question(text: &str) -> bool {
    let text = apostrophes(text).to_lowercase();
    let first = text.split_whitespace().next().unwrap_or_default().trim_matches(',');
    text.trim_end().ends_with(['?', '？', '؟'])
        || ASKING.contains(&first)
        || LOOKING.iter().any(|begins| text.starts_with(begins))
}

/// Words of a question that only ask.
const ASKED: [&str; 60] = [
    "what",
    "who",
    "whom",
    "whose",
    "when",
    "where",
    "which",
    "how",
    "why",
    "whats",
    "did",
    "do",
    "does",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "will",
    "would",
    "should",
    "could",
    "can",
    "i",
    "we",
    "he",
    "she",
    "they",
    "us",
    "me",
    "him",
    "them",
    "want",
    "wanted",
    "ask",
    "asked",
    "say",
    "said",
    "tell",
    "told",
    "get",
    "got",
    "give",
    "gave",
    "need",
    "again",
    "much",
    "many",
    "long",
    "find",
    "show",
    "about",
    "before",
    "anything",
    "something",
    "if",
    "than",
    "then",
];

/// What a question is about: its words without those that only ask; all of them where there are no others.
pub fn asked_for(text: &str) -> String {
    let plain = without_fillers(&apostrophes(text));
    let says = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let bare = bare.split('\'').next().unwrap_or_default();
        !bare.is_empty() && !ASKED.contains(&bare)
    };
    let kept: Vec<&str> = plain.split_whitespace().filter(says).collect();
    if kept.is_empty() { text.to_owned() } else { kept.join(" ") }
}

/// Words that are written without their apostrophe.
const SHORTENED: [(&str, &str); 15] = [
    ("whos", "who's"),
    ("whats", "what's"),
    ("hows", "how's"),
    ("wheres", "where's"),
    ("whens", "when's"),
    ("ive", "I've"),
    ("im", "I'm"),
    ("theyd", "they'd"),
    ("youve", "you've"),
    ("havent", "haven't"),
    ("hasnt", "hasn't"),
    ("didnt", "didn't"),
    ("dont", "don't"),
    ("isnt", "isn't"),
    ("arent", "aren't"),
];

/// The same with straight apostrophes, and with those that were left out.
pub fn apostrophes(text: &str) -> String {
    let straight = text.replace('’', "'");
    let is_short = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_uppercase());
    let whole = |word: &str| {
        let bare = word.trim_end_matches(['?', '!', '.', ',']);
        let known = Some(bare).filter(is_short).map(str::to_lowercase);
        let long = known.and_then(|known| SHORTENED.iter().find(|(short, _)| *short == known));
        long.map_or_else(|| word.to_owned(), |(_, long)| format!("{long}{}", &word[bare.len()..]))
    };
    straight.split(' ').map(whole).collect::<Vec<_>>().join(" ")
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
