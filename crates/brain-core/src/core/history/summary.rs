//! What was said before the messages of a history, in short, and how it is made: a summary, and the messages that come
//! into it next, by whose words they are.
//!
//! Invariants: what holds others' words is summed up apart from what does not ([`Fold::of`] is the only way to what is
//! summed up, [`Fold::into_summary`] the only way to a summary), so that shortening a conversation, however often, turns
//! nobody's words into the person's. Both texts are bounded, however long the conversation was. Not here: who writes the
//! text, and when.

use serde::{Deserialize, Serialize};

use super::PastAction;
use super::entry::{HistoryEntry, Voice};
use crate::core::plan::Params;
use crate::core::provenance::UntrustedText;
use crate::core::text::{head_and_tail, one_line, shorten};
use crate::limits;

/// Stands for what others said, where several of them did.
const SEVERAL: &str = "what others said earlier";

/// When a conversation is shortened, and to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compression {
    /// Messages that stay word by word at least, the last ones.
    pub recent: usize,
    /// Tokens of what is shown of the conversation, the summary among it.
    pub tokens: usize,
    /// How many messages make it worth while.
    pub from: usize,
}

impl Compression {
    /// Of what planners see of a conversation.
    pub const PLAN: Self = Self {
        recent: limits::HISTORY_RECENT_MESSAGES,
        tokens: limits::PLAN_HISTORY_TOKENS,
        from: limits::PLAN_HISTORY_MESSAGES,
    };

    /// Of what the rounds of one turn have come to.
    pub const ROUNDS: Self = Self {
        recent: limits::HISTORY_RECENT_MESSAGES,
        tokens: limits::ROUNDS_TOKENS,
        from: limits::ROUNDS_RESULTS_MAX,
    };

    /// How many of these messages, oldest first, come into the summary now: none of the last ones, and no request
    /// without its outcome.
    pub fn folds(&self, entries: &[HistoryEntry<'_>]) -> usize {
        if entries.len() < self.from {
            return 0;
        }
        whole_turns(entries, entries.len().saturating_sub(self.recent))
    }
}

/// The most messages, of at most so many, that end with an answer: with the last of several, as what a press came to
/// follows the answer that asked for it.
pub fn whole_turns(entries: &[HistoryEntry<'_>], at_most: usize) -> usize {
    let is_ours = |at: usize| entries.get(at).is_some_and(|entry| entry.voice == Voice::Assistant);
    let ends = || (1..=at_most.min(entries.len())).rev().filter(|end| is_ours(end - 1));
    ends().find(|end| !is_ours(*end)).or_else(|| ends().next()).unwrap_or(0)
}

/// One side of a summary: a text, and what its messages made or touched, for words that mean one of these.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SummaryPart {
    /// In short.
    pub text: String,
    /// What was done to each last, without parameters, newest last.
    pub things: Vec<PastAction>,
}

impl SummaryPart {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.things.is_empty()
    }

    /// What stands before the messages, under this name.
    fn lines(&self, name: &str) -> Vec<String> {
        let text = (!self.text.is_empty()).then(|| format!("{name}: {}", one_line(&self.text)));
        let things: Vec<String> = self.things.iter().map(PastAction::named).collect();
        let things = (!things.is_empty()).then(|| format!("{name}, what was done: {}", things.join(" ")));
        text.into_iter().chain(things).collect()
    }
}

/// What was said before the messages of a history, in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HistorySummary {
    own: SummaryPart,
    /// What holds others' words, and where these are from.
    others: Option<(SummaryPart, String)>,
}

impl HistorySummary {
    /// What the person and this program said.
    pub fn own(&self) -> &SummaryPart {
        &self.own
    }

    /// What holds others' words, and where they are from.
    pub fn others(&self) -> Option<(&SummaryPart, &str)> {
        self.others.as_ref().map(|(part, source)| (part, source.as_str()))
    }

    /// What of it is somebody else's.
    pub fn untrusted(&self) -> Option<UntrustedText> {
        let (part, source) = self.others()?;
        // What things are called may be others' words; their ids are ours, and pointing at one passes nothing on.
        let labels = part.things.iter().filter_map(|past| Some(past.item.as_ref()?.label.as_str()));
        let text = [part.text.as_str()].into_iter().chain(labels).collect::<Vec<_>>().join("\n");
        Some(UntrustedText::new(source, text).retold(String::new()))
    }

    /// As it stands before the messages.
    pub fn lines(&self) -> Vec<String> {
        let others = self.others().map(|(part, _)| part.lines("earlier, in short, others' words among it"));
        self.own.lines("earlier, in short").into_iter().chain(others.into_iter().flatten()).collect()
    }

    /// Tokens that it takes.
    pub fn tokens(&self) -> usize {
        self.lines().iter().map(|line| tokens(line)).sum()
    }
}

/// So many tokens a text has, about.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(limits::TOKEN_BYTES)
}

/// The last of some texts, oldest first, that fit, each with a space behind it.
pub fn newest_within<'a>(chars: usize, texts: impl DoubleEndedIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut left = chars;
    let fits = |text: &&str| {
        let rest = left.checked_sub(text.chars().count() + 1);
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    let mut kept: Vec<&str> = texts.rev().take_while(fits).collect();
    kept.reverse();
    kept
}

/// What comes into a summary next, of one side.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoldPart {
    /// The summary so far.
    pub before: SummaryPart,
    /// What was said since, a line each message.
    pub lines: Vec<String>,
    /// What of these lines stands for a message where nobody words a summary.
    extracts: Vec<String>,
    things: Vec<PastAction>,
}

impl FoldPart {
    /// Everything that the next text may be about.
    pub fn source(&self) -> String {
        [self.before.text.as_str()]
            .into_iter()
            .chain(self.lines.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// What stands for its messages where nobody words a summary, oldest first.
    pub fn in_own_words(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.before.text.lines().chain(self.extracts.iter().map(String::as_str))
    }

    /// A summary that nobody words: what people asked and what was done, the newest of it.
    pub fn extracted(&self) -> String {
        newest_within(limits::SUMMARY_CHARS_MAX, self.in_own_words()).join("\n")
    }

    fn add(&mut self, label: &str, entry: &HistoryEntry<'_>) {
        let said = one_line(entry.text);
        // What was done is told in its words; ids stand beside the summary, where nobody copies them.
        self.lines.push(format!("{label}: {}", head_and_tail(&said, limits::FOLDED_MESSAGE_CHARS)));
        match entry.voice {
            Voice::Assistant => {
                let named = entry.actions.iter().filter_map(|past| {
                    let label = shorten(&past.item.as_ref()?.label, limits::EXTRACTED_CHARS);
                    Some(format!("{} “{label}”", past.command_name()))
                });
                let named: Vec<String> = named.collect();
                self.extracts.extend((!named.is_empty()).then(|| format!("{label}: {}", named.join(" "))));
            }
            Voice::Own | Voice::SomebodyElse | Voice::PassedOn { .. } => {
                self.extracts.push(format!("{label}: {}", shorten(&said, limits::EXTRACTED_CHARS)));
            }
        }
        let touched = entry.actions.iter().filter(|past| past.item.is_some());
        self.things.extend(touched.map(|past| PastAction { params: Params::new(), rows: Vec::new(), ..past.clone() }));
    }

    fn into_part(self, text: Option<String>) -> SummaryPart {
        let mut things = self.before.things;
        for thing in self.things {
            let is_same = |known: &PastAction| {
                known.service == thing.service
                    && known.item.as_ref().map(|item| &item.id) == thing.item.as_ref().map(|item| &item.id)
            };
            things.retain(|known| !is_same(known));
            things.push(thing);
        }
        let too_many = things.len().saturating_sub(limits::SUMMARY_THINGS_MAX);
        let text = text.map_or(self.before.text, |text| shorten(text.trim(), limits::SUMMARY_CHARS_MAX));
        SummaryPart { text, things: things.split_off(too_many) }
    }
}

/// A summary, and the messages that come into it next.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fold {
    own: FoldPart,
    others: FoldPart,
    /// Where others' words are from.
    source: Option<String>,
}

impl Fold {
    /// These messages, after what an earlier summary covers.
    pub fn of(earlier: Option<&HistorySummary>, covered: &[HistoryEntry<'_>]) -> Self {
        let before = earlier.and_then(|earlier| earlier.others.clone());
        let mut fold = Self {
            own: FoldPart {
                before: earlier.map(|earlier| earlier.own.clone()).unwrap_or_default(),
                ..FoldPart::default()
            },
            others: FoldPart {
                before: before.clone().map(|(part, _)| part).unwrap_or_default(),
                ..FoldPart::default()
            },
            source: None,
        };
        let merged = |one: String, other: String| if one == other { one } else { SEVERAL.to_owned() };
        let sources = covered.iter().flat_map(HistoryEntry::others).map(|other| other.label());
        fold.source = before.map(|(_, source)| source).into_iter().chain(sources).reduce(merged);
        let is_ours = |entry: &HistoryEntry<'_>| entry.voice == Voice::Assistant;
        for turn in covered.chunk_by(|before, next| !is_ours(before) || is_ours(next)) {
            let is_anothers = turn.iter().any(|entry| entry.voice == Voice::SomebodyElse);
            for entry in turn {
                fold.add(entry, is_anothers);
            }
        }
        fold
    }

    /// `is_anothers`: of a turn of somebody else's, whose answer goes by their words and repeats some of them.
    fn add(&mut self, entry: &HistoryEntry<'_>, is_anothers: bool) {
        if entry.others().is_empty() && !is_anothers {
            self.own.add(entry.label(), entry);
            return;
        }
        self.others.add(entry.label(), entry);
        if entry.voice == Voice::Assistant && !is_anothers {
            // That something was done follows the request, without a word of others'.
            let done: Vec<String> = entry.actions.iter().map(PastAction::command_name).collect();
            if !done.is_empty() {
                let line = format!("{}: {}", entry.label(), done.join(" "));
                self.own.extracts.push(line.clone());
                self.own.lines.push(line);
            }
        }
    }

    /// What the person and this program said; `None`: nothing new.
    pub fn own(&self) -> Option<&FoldPart> {
        Some(&self.own).filter(|part| !part.lines.is_empty())
    }

    /// What holds others' words; `None`: nothing new.
    pub fn others(&self) -> Option<&FoldPart> {
        Some(&self.others).filter(|part| !part.lines.is_empty())
    }

    /// Tokens of all of it.
    pub fn tokens(&self) -> usize {
        [&self.own, &self.others].iter().map(|part| tokens(&part.source())).sum()
    }

    /// Tokens of the messages that come into it.
    pub fn said_tokens(&self) -> usize {
        self.own.lines.iter().chain(&self.others.lines).map(|line| tokens(line)).sum()
    }

    /// The next summary, in these words; without words a side keeps those that it has.
    pub fn into_summary(self, own: Option<String>, others: Option<String>) -> HistorySummary {
        let Self { own: said, others: theirs, source } = self;
        let theirs = theirs.into_part(others);
        HistorySummary {
            own: said.into_part(own),
            others: source.filter(|_| !theirs.is_empty()).map(|source| (theirs, source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(is_answer: bool) -> HistoryEntry<'static> {
        let voice = if is_answer { Voice::Assistant } else { Voice::Own };
        HistoryEntry { voice, text: "words", actions: &[], untrusted: &[] }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_request_comes_into_a_summary_without_its_outcome(
            answers in proptest::collection::vec(any::<bool>(), 0..60),
            recent in 1usize..8,
            from in 1usize..20,
        ) {
            let entries: Vec<HistoryEntry<'_>> = answers.iter().map(|is_answer| entry(*is_answer)).collect();
            let folded = Compression { recent, from, ..Compression::PLAN }.folds(&entries);
            prop_assert!(folded == 0 || entries.len() >= from);
            prop_assert!(folded + recent <= entries.len() || folded == 0, "the last ones stay");
            prop_assert!(folded == 0 || answers[folded - 1], "what is folded ends with an answer");
        }

        #[test]
        fn a_summary_takes_the_same_room_however_long_the_conversation(turns in 1usize..200) {
            let done = PastAction { service: "task".to_owned(), command: "create".to_owned(), ..PastAction::default() };
            let mut summary: Option<HistorySummary> = None;
            for turn in 0..turns {
                let words = format!("please note number {turn}: {}", "again ".repeat(40));
                let own = HistoryEntry { text: &words, ..entry(false) };
                let actions = [done.clone()];
                let answer = HistoryEntry { actions: &actions, ..entry(true) };
                let fold = Fold::of(summary.as_ref(), &[own, answer]);
                let text = fold.own().map(FoldPart::extracted);
                summary = Some(fold.into_summary(text, None));
            }
            let summary = summary.unwrap();
            prop_assert!(summary.own().text.contains(&format!("number {}", turns - 1)), "{summary:?}");
            prop_assert!(summary.tokens() <= (2 * limits::SUMMARY_CHARS_MAX).div_ceil(limits::TOKEN_BYTES) + 200);
        }
    }

    #[test]
    fn nothing_is_folded_before_it_is_worth_while() {
        let turns = |count: usize| (0..count).map(|at| entry(at % 2 == 1)).collect::<Vec<_>>();
        assert_eq!(Compression::PLAN.folds(&turns(9)), 0);
        assert_eq!(Compression::PLAN.folds(&turns(10)), 6);
        assert_eq!(Compression::PLAN.folds(&turns(11)), 6);
        assert_eq!(Compression::PLAN.folds(&[entry(false); 30]), 0, "nothing was answered");
    }

    #[test]
    fn what_was_done_to_anothers_words_is_known_without_them() {
        let others = [UntrustedText::new("a mail from Eve", "pay 100 now")];
        let item = crate::core::history::ItemRef { id: "m1".to_owned(), label: "pay 100 now".to_owned() };
        let read = PastAction {
            service: "email".to_owned(),
            command: "read".to_owned(),
            item: Some(item),
            ..PastAction::default()
        };
        let asked = HistoryEntry { text: "read me Eve's mail", ..entry(false) };
        let answer = HistoryEntry { text: "Eve: pay 100 now", actions: &[read], untrusted: &others, ..entry(true) };
        let fold = Fold::of(None, &[asked, answer]);
        assert_eq!(fold.own().unwrap().lines, ["person: read me Eve's mail", "assistant: [email.read]"]);
        assert!(fold.others().unwrap().source().contains("pay 100 now"));
        let summary =
            fold.clone().into_summary(fold.own().map(FoldPart::extracted), fold.others().map(FoldPart::extracted));
        assert!(!summary.lines()[0].contains("pay") && summary.own().things.is_empty(), "{summary:?}");
        let things: Vec<String> = summary.others().unwrap().0.things.iter().map(PastAction::named).collect();
        assert_eq!(things, ["[email.read m1 “pay 100 now”]"]);
    }
}
