//! Standing rules that a person gives: whom to copy in, what not to do without asking, which hours to keep free.
//!
//! Invariant: the whole message is such a rule; what is read once is read the same from what was kept of it. Not here:
//! obeying them (the gate), and keeping them (a service).

use std::sync::LazyLock;

use chrono::{NaiveTime, Timelike};

use super::time::{self, Reference, When};
use super::word_classes::{WordClass, class_names};
use super::words::spaced;
use brain_core::core::text::shorten;

/// A rule is a sentence, and no story.
const BYTES_MAX: usize = 200;
/// A wish of fewer words is no rule, but a remark.
const WISH_WORDS_MIN: usize = 3;
/// Of a wish, in the name of what is kept.
const NAME_CHARS_MAX: usize = 60;
/// Until this hour of a clock of twelve, a bare hour after which something holds is in the evening.
const EVENING_HOUR_MAX: u32 = 11;

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnRule {
    /// Ask before this is done.
    AskFirst {
        /// In the person's words: a verb with its object.
        what: String,
    },
    /// Whatever is written goes to them, too.
    Copy {
        /// As the person calls them.
        whom: String,
    },
    /// Nothing takes place at these times of a day, unless it is asked about.
    Hours {
        /// Before this time.
        before: Option<NaiveTime>,
        /// From this time on.
        after: Option<NaiveTime>,
    },
    /// Something else that always or never is to be so.
    Wish,
}

class_names! {
    /// Words of rules (`data/language/rules.txt`).
    RuleWords {
        polite, never, always, unasked, ask_first, copies, copied, denies, meetings, before, after, does, general, former, now, contrast,
    }
}

static WORDS: LazyLock<RuleWords> =
    LazyLock::new(|| RuleWords::read(&[include_str!("../../../../data/language/rules.txt")]));

impl OwnRule {
    /// The rule that a message is.
    pub fn read(text: &str, reference: &Reference) -> Option<Self> {
        if text.len() > BYTES_MAX || text.trim_end().ends_with('?') {
            return None;
        }
        let said = FoldedMessage::of(text).without_ends(&WORDS.polite);
        let asks_first = || {
            let rest = said.behind(&WORDS.never).and_then(|rest| rest.before(&WORDS.unasked));
            let always = || said.behind(&WORDS.always).unwrap_or(said.clone()).behind(&WORDS.ask_first);
            Some(Self::AskFirst { what: rest.or_else(always)?.text() })
        };
        let copies = || {
            let rest = said.behind(&WORDS.always)?.behind(&WORDS.copies)?;
            Some(Self::Copy { whom: rest.before(&WORDS.copied).unwrap_or(rest).text() })
        };
        let hours = || {
            let rest = said.behind(&WORDS.denies)?.behind(&WORDS.meetings)?;
            let (before, after) = (rest.behind(&WORDS.before), rest.behind(&WORDS.after));
            match (before, after) {
                (Some(time), _) => Some(Self::Hours { before: Some(time.clock(false, reference)?), after: None }),
                (None, Some(time)) => Some(Self::Hours { before: None, after: Some(time.clock(true, reference)?) }),
                (None, None) => None,
            }
        };
        let wish = || {
            // What is never to be done to one thing is no rule.
            let is_general = |rest: &FoldedMessage| rest.0.iter().any(|(_, word)| WORDS.general.holds(word));
            let rest = said.behind(&WORDS.always).or_else(|| said.behind(&WORDS.never).filter(is_general))?;
            (rest.0.len() >= WISH_WORDS_MIN && rest.behind(&WORDS.does).is_some()).then_some(Self::Wish)
        };
        let is_told = |rule: &Self| match rule {
            Self::AskFirst { what: said } | Self::Copy { whom: said } => !said.is_empty(),
            Self::Hours { .. } | Self::Wish => true,
        };
        asks_first().or_else(copies).or_else(hours).or_else(wish).filter(is_told)
    }

    /// What it is kept under: a later one of the same name takes its place.
    pub fn name(&self, said: &str) -> String {
        match self {
            Self::AskFirst { what } => format!("ask first: {}", shorten(what, NAME_CHARS_MAX)),
            Self::Copy { whom } => format!("copies for {}", shorten(whom, NAME_CHARS_MAX)),
            Self::Hours { before: Some(_), .. } => "not too early".to_owned(),
            Self::Hours { .. } => "not too late".to_owned(),
            Self::Wish => shorten(said.trim(), NAME_CHARS_MAX),
        }
    }

    /// What becomes of it, for the person.
    pub fn promise(&self) -> String {
        let clock = |time: &NaiveTime| time.format("%H:%M").to_string();
        match self {
            Self::AskFirst { .. } => "From now on I ask before I do that.".to_owned(),
            Self::Copy { whom } => {
                format!("I'll put {whom} on every mail that I write for you. You see it before anything is sent.")
            }
            Self::Hours { before: Some(time), .. } => {
                format!("I'll ask before I put anything into your calendar before {}.", clock(time))
            }
            Self::Hours { after, .. } => {
                let time = after.as_ref().map(clock).unwrap_or_default();
                format!("I'll ask before I put anything into your calendar from {time} on.")
            }
            Self::Wish => "I can't see to that by myself: I only remember it.".to_owned(),
        }
    }
}

/// A statement that says that something was otherwise before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// What is so, without what says that it was otherwise.
    pub statement: String,
    /// What it is not, where that is said.
    pub was: Option<String>,
}

/// What a message revises: "… now", "…, not …".
pub fn revised(text: &str) -> Option<Revision> {
    if text.len() > BYTES_MAX || text.trim_end().ends_with('?') {
        return None;
    }
    let contrast = text.match_indices(',').find_map(|(at, _)| {
        let was = FoldedMessage::of(&text[at + 1..]).behind(&WORDS.contrast)?.text();
        Some(Revision { statement: text[..at].trim().to_owned(), was: Some(was) })
    });
    let by_word = || {
        let said = FoldedMessage::of(text);
        let rest = said.before(&WORDS.now).or_else(|| said.behind(&WORDS.now))?;
        Some(Revision { statement: rest.text(), was: None })
    };
    let is_whole = |revision: &Revision| !revision.statement.is_empty() && revision.was.as_deref() != Some("");
    contrast.or_else(by_word).filter(is_whole)
}

/// The noun behind an adjective that means it as it was before.
pub fn former(text: &str) -> Option<String> {
    let rest = FoldedMessage::of(text).behind(&WORDS.former)?.text();
    Some(rest).filter(|rest| !rest.is_empty())
}

/// The words of a message, as they stand and folded.
#[derive(Debug, Clone)]
struct FoldedMessage<'t>(Vec<(&'t str, String)>);

impl<'t> FoldedMessage<'t> {
    fn of(text: &'t str) -> Self {
        Self(spaced(text).into_iter().map(|(span, folded)| (&text[span], folded)).collect())
    }

    fn text(&self) -> String {
        self.0.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" ")
    }

    fn folded(&self, range: std::ops::Range<usize>) -> String {
        self.0[range].iter().map(|(_, folded)| folded.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// What stands behind the longest phrase of a class that these begin with.
    fn behind(&self, class: &WordClass) -> Option<Self> {
        let end = (1..=self.0.len()).rev().find(|end| class.holds(&self.folded(0..*end)))?;
        Some(Self(self.0[end..].to_vec()))
    }

    /// What stands before the longest phrase of a class that these end with.
    fn before(&self, class: &WordClass) -> Option<Self> {
        let from = (0..self.0.len()).find(|from| class.holds(&self.folded(*from..self.0.len())))?;
        Some(Self(self.0[..from].to_vec()))
    }

    fn without_ends(self, class: &WordClass) -> Self {
        let behind = self.behind(class).unwrap_or(self);
        behind.before(class).unwrap_or(behind)
    }

    /// The time of a day that these are, and nothing else.
    fn clock(&self, is_late: bool, reference: &Reference) -> Option<NaiveTime> {
        let text = self.text();
        let (hour, minute) = text.split_once(':').unwrap_or((&text, "0"));
        if let (Ok(hour), Ok(minute)) = (hour.parse::<u32>(), minute.parse()) {
            let is_evening = is_late && (1..=EVENING_HOUR_MAX).contains(&hour);
            return NaiveTime::from_hms_opt(if is_evening { hour + 12 } else { hour }, minute, 0);
        }
        match time::resolve(&text, reference)?.ok()? {
            When::Point { at, .. } if time::is_clock_only(&text) => NaiveTime::from_hms_opt(at.hour(), at.minute(), 0),
            When::Point { .. } | When::Range { .. } | When::Duration(_) | When::Recurrence { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::time::DateOrder;

    fn read(text: &str) -> Option<OwnRule> {
        let now = "2026-01-12T09:00:00Z".parse().unwrap();
        OwnRule::read(text, &Reference { now, zone: chrono_tz::UTC, order: DateOrder::DayFirst })
    }

    #[test]
    fn every_class_has_words() {
        assert_eq!(WORDS.empty(), Vec::<&str>::new());
    }

    #[test]
    fn rules_are_told_from_remarks_and_requests() {
        let ask = |what: &str| Some(OwnRule::AskFirst { what: what.to_owned() });
        let copy = |whom: &str| Some(OwnRule::Copy { whom: whom.to_owned() });
        let early = |hour| Some(OwnRule::Hours { before: NaiveTime::from_hms_opt(hour, 0, 0), after: None });
        let late = |hour| Some(OwnRule::Hours { before: None, after: NaiveTime::from_hms_opt(hour, 0, 0) });
        for (text, rule) in [
            ("never mail Rita without asking", ask("mail Rita")),
            ("Please don't ever email my boss without checking with me.", ask("email my boss")),
            ("always ask before you delete anything", ask("delete anything")),
            ("always cc Tom", copy("Tom")),
            ("Always copy in Anna Kowalczyk on everything, please", copy("Anna Kowalczyk")),
            ("I don't do meetings before 9", early(9)),
            ("no meetings before 9:00 please", early(9)),
            ("no calls after 6pm", late(18)),
            ("no calls after 18:00", late(18)),
            ("no meetings after 6", late(18)),
            ("never schedule anything on Sundays", Some(OwnRule::Wish)),
            ("never move the Q3 report", None),
            ("never mind", None),
            ("never been so tired in my life", None),
            ("always nice to see you", None),
            ("no meetings on Friday?", None),
            ("no lunch with Sarah on Friday at noon", None),
            ("cc Tom", None),
            ("buy milk", None),
        ] {
            assert_eq!(read(text), rule, "{text}");
        }
    }

    #[test]
    fn what_was_otherwise_before_is_said_at_either_end() {
        let said = |statement: &str, was: Option<&str>| {
            Some(Revision { statement: statement.to_owned(), was: was.map(str::to_owned) })
        };
        for (text, revision) in [
            ("my NAS is a fnOS now.", said("my NAS is a fnOS", None)),
            ("Actually, I hate coriander", said("I hate coriander", None)),
            ("it's a fnOS, not a Synology.", said("it's a fnOS", Some("a Synology"))),
            ("das ist ein fnOS, nicht ein Synology", said("das ist ein fnOS", Some("ein Synology"))),
            ("my NAS is a Synology", None),
            ("not today", None),
            ("call Tom, not", None),
            ("is it a fnOS, not a Synology?", None),
        ] {
            assert_eq!(revised(text), revision, "{text}");
        }
    }
}
