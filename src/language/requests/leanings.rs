//! What a question leans to when no phrase covers it: the family whose words it speaks, and in which direction.
//!
//! "Is anybody sitting there hoping to hear from me?" speaks of waiting, of an answer, and of *from me*. Each family has
//! words that it needs and words that speak for it; the one that is spoken for most is taken, and none where two are
//! alike. Only questions are read so, and only to look something up: the answer says what it was taken for. Invariant: a
//! leaning never becomes an action. Not here: phrases (`families`), which outrank it.

use super::families::{FamilyQuestion, QuestionFamily, apostrophes};
use crate::language::time;
use crate::language::time::Reference;
use crate::language::words::words;

/// Words that speak of something, folded; a star ends a beginning.
struct Concept {
    words: &'static [&'static str],
}

const WAIT: Concept = Concept {
    words: &[
        "wait*",
        "owe*",
        "block*",
        "stuck",
        "hanging",
        "pending",
        "overdue",
        "late",
        "holding",
        "chas*",
        "outstanding",
        "nudg*",
        "remind",
        "hoping",
        "expect*",
        "wart*",
        "schuld*",
        "due",
        "bottleneck",
        "keep",
        "keeping",
        "missing",
        "hear",
        "heard",
    ],
};
const ANSWER: Concept = Concept {
    words: &[
        "answer*",
        "repl*",
        "respon*",
        "back",
        "hear",
        "heard",
        "antwort*",
        "beantwort*",
        "geantwortet",
        "unanswered",
        "word",
        "reaction",
        "ignor*",
        "neglected",
        "forgotten",
        "melden",
        "zuruck*",
    ],
};
const PROMISE: Concept = Concept {
    words: &[
        "promis*",
        "commit*",
        "swore",
        "sworn",
        "pledg*",
        "versproch*",
        "zugesagt",
        "zusag*",
        "undertook",
        "undertaken",
        "agreed",
        "vow*",
    ],
};
const MOST: Concept = Concept { words: &["most", "meisten", "haufigsten", "oftesten", "oftenest", "top", "frequent*"] };
const MEET: Concept =
    Concept { words: &["meet*", "met", "see", "seeing", "treff*", "sehe", "calendar", "meetings", "company"] };
const WRITE: Concept = Concept {
    words: &[
        "write",
        "writes",
        "writing",
        "wrote",
        "mail*",
        "email*",
        "correspond*",
        "exchange*",
        "schreib*",
        "inbox",
        "letters",
        "contact*",
    ],
};
const PREPARE: Concept =
    Concept { words: &["prepar*", "brief", "briefing", "prep", "ready", "vorbereit*", "homework", "bereite"] };
const NEED: Concept = Concept {
    words: &[
        "need*",
        "needs",
        "plate",
        "urgent",
        "attention",
        "deal",
        "handle",
        "brauch*",
        "dringend",
        "ansteht",
        "anliegt",
        "waiting",
        "must",
        "agenda",
        "demands",
    ],
};
const OPEN: Concept = Concept {
    words: &[
        "open",
        "left",
        "unresolved",
        "outstanding",
        "unsettled",
        "undecided",
        "pending",
        "offen",
        "loose",
        "unfinished",
        "still",
    ],
};

impl Concept {
    fn is_in(&self, said: &[String]) -> bool {
        said.iter().any(|word| self.holds(word))
    }

    fn holds(&self, word: &str) -> bool {
        self.words.iter().any(|known| known.strip_suffix('*').map_or(*known == word, |begin| word.starts_with(begin)))
    }
}

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
        open: OPEN.is_in(&said),
        late: said.iter().any(|w| w == "overdue" || w == "late"),
        then: None,
    })
}

/// A question is short; what is longer tells a story.
const QUESTION_CHARS_MAX: usize = 160;

/// Words that ask for people.
const PEOPLE: [&str; 14] = [
    "who",
    "whom",
    "whose",
    "wer",
    "wem",
    "wen",
    "people",
    "anyone",
    "anybody",
    "somebody",
    "someone",
    "nobody",
    "everyone",
    "everybody",
];

fn family_of(said: &[String]) -> Option<QuestionFamily> {
    use QuestionFamily as F;
    let direction = direction(said)?;
    let asks_people = said.iter().any(|word| PEOPLE.contains(&word.as_str()));
    if MOST.is_in(said) && asks_people {
        return match (MEET.is_in(said), WRITE.is_in(said)) {
            (true, false) => Some(F::MeetsMost),
            (false, true) => Some(F::WritesMost),
            (true, true) | (false, false) => None,
        };
    }
    if let Some(promise) = said.iter().position(|word| PROMISE.holds(word)) {
        let is_own = direction == Direction::By || said[..promise].ends_with(&["my".to_owned()]);
        return Some(if is_own { F::PromisedByMe } else { F::PromisedToMe });
    }
    if let Some(sayer) = announced(said) {
        return Some(if sayer == Direction::By { F::PromisedByMe } else { F::PromisedToMe });
    }
    if NEED.is_in(said) && asks_people && direction == Direction::From {
        return Some(F::WaitingOnMe);
    }
    let speaks_of_waiting = WAIT.is_in(said) || (ANSWER.is_in(said) && (WRITE.is_in(said) || asks_people));
    if speaks_of_waiting {
        let waits = said
            .iter()
            .position(|word| Concept { words: &["wait*", "wart*", "hoping", "expect*", "chas*", "nudg*"] }.holds(word));
        let answers = said.iter().position(|word| ANSWER.holds(word));
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
    if NEED.is_in(said) && !PREPARE.is_in(said) {
        return Some(F::NeedsMe);
    }
    None
}

/// Who said of themselves that they would do something: "did Orla say she'd send me the photos?"
fn announced(said: &[String]) -> Option<Direction> {
    const SAY: [&str; 6] = ["say", "said", "says", "told", "tell", "mentioned"];
    const WOULD: [&str; 9] = ["would", "will", "i'd", "he'd", "she'd", "they'd", "i'll", "she'll", "they'll"];
    let at = said.iter().position(|word| SAY.contains(&word.as_str()))?;
    let would = said[at..].iter().position(|word| WOULD.contains(&word.as_str()))?;
    let is_own = at > 0 && said[at - 1] == "i";
    // "What did Anna say I would like?" is no promise of hers.
    let is_of_them = said[at + 1..at + would + 1].iter().all(|word| !["i", "i'd", "i'll"].contains(&word.as_str()));
    (is_own || is_of_them).then_some(if is_own { Direction::By } else { Direction::To })
}

/// Where the person stands in a question; `None` when they are not in it at all.
fn direction(said: &[String]) -> Option<Direction> {
    const ME: [&str; 5] = ["me", "my", "mich", "mir", "meine"];
    const BEFORE: [&str; 8] = ["from", "by", "of", "for", "on", "von", "auf", "bei"];
    const I: [&str; 8] = ["i", "we", "ich", "wir", "i've", "i'm", "i'd", "we've"];
    let i = said.iter().position(|word| I.contains(&word.as_str()));
    let me = said.iter().position(|word| ME.contains(&word.as_str()));
    let is_of_me =
        me.and_then(|me| said.get(me.checked_sub(1)?)).is_some_and(|before| BEFORE.contains(&before.as_str()));
    match (i, me) {
        (Some(_), _) => Some(Direction::By),
        (None, Some(_)) if is_of_me => Some(Direction::From),
        (None, Some(_)) => Some(Direction::To),
        (None, None) => None,
    }
}

/// The name in a question: words that are written large, but for the first and those of a time.
fn name_in(text: &str, times: &[time::TimeMention]) -> Option<String> {
    const NONE: [&str; 12] =
        ["I", "I'm", "I've", "I'll", "I'd", "E-Mails", "Mails", "Antwort", "Mail", "Ich", "Mich", "Wem"];
    let is_german =
        words(text).iter().any(|word| ["wer", "wem", "wen", "was", "welche", "auf"].contains(&word.as_str()));
    if is_german {
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
        let is_name = place > 0 && !is_time && !NONE.contains(&bare) && bare.starts_with(char::is_uppercase);
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
