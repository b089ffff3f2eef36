//! Words inside the name of something that no name has: what restricts, corrects, sets a condition, asks for more, or
//! points to what nobody will know later.

use std::ops::Range;

use super::super::account::SpanRole;
use super::super::grammar::GRAMMAR;
use super::super::prices::TokenClass;
use super::{SPOKEN, TITLES, WordLedger};

/// Slots that a person's own task is called by; it may be done together with others, or instead of them.
const OWN: [&str; 2] = ["title", "items"];
/// Slots that name what is there already.
const FINDING: [&str; 4] = ["what", "whom", "topic", "key"];

impl WordLedger<'_> {
    /// Dear words in a slot that names something.
    pub(super) fn inside(&mut self, slot: &str, range: Range<usize>) {
        if SPOKEN.contains(&slot) {
            let styled = range.clone().find(|at| !self.heard.quoted[*at] && self.starts("dearstyle", *at).is_some());
            return styled.into_iter().for_each(|at| self.skip(at..range.end, TokenClass::Request));
        }
        if range.is_empty() {
            return;
        }
        // A negated request to be reminded: not to be done, and not what is to be done.
        if range.len() == 1 && self.starts("dearnegation", range.start).is_some() {
            return self.skip(range, TokenClass::Negation);
        }
        let mut at = range.start;
        let mut asks_whether = false;
        while at < range.end {
            asks_whether |= self.starts("whether", at).is_some();
            let dear = if self.heard.quoted[at] || self.heard.hidden_by(at).is_some() {
                None
            } else {
                self.dear(slot, range.start, at, asks_whether)
            };
            let Some((class, len)) = dear else {
                at += 1;
                continue;
            };
            let end = match class {
                TokenClass::Condition | TokenClass::Request | TokenClass::Correction => {
                    asks_whether = false;
                    range.end
                }
                _ => at + len,
            };
            self.skip(at..end, class);
            at = end;
        }
    }

    fn dear(&self, slot: &str, begin: usize, at: usize, asks_whether: bool) -> Option<(TokenClass, usize)> {
        let class = |class: TokenClass, name: &str| self.starts(name, at).map(|len| (class, len));
        let condition = class(TokenClass::Condition, "dearcondition").filter(|_| !asks_whether);
        let restriction = || class(TokenClass::Restriction, "dearrestriction").filter(|_| !OWN.contains(&slot));
        let correction = || {
            let number = |at: usize| {
                at < self.heard.tokens.len() && self.heard.typed(at).starts_with(|c: char| c.is_ascii_digit())
            };
            let says_no = self.heard.typed(at).eq_ignore_ascii_case("no") && number(at + 1);
            class(TokenClass::Correction, "dearcorrection").or(says_no.then_some((TokenClass::Correction, 1)))
        };
        // An order in the middle of a name: somebody goes on asking.
        let order = || class(TokenClass::Request, if at > begin { "dearrequest" } else { "pointedorder" });
        // A phrase for one of our places: where it should go is no part of a name.
        let ours = || class(TokenClass::Request, "intoours").filter(|_| TITLES.contains(&slot));
        // A clock time in four figures: nothing is called that.
        let clock =
            || is_bare_clock(self.heard.typed(at)).then_some((TokenClass::Time, 1)).filter(|_| TITLES.contains(&slot));
        let request = || {
            let joins = self.starts("joins", at).or((self.heard.typed(at) == ",").then_some(1))?;
            let head = at + joins;
            let asks = head < self.heard.tokens.len() && self.starts("tellsomeone", head).is_some();
            (asks && !OWN.contains(&slot)).then_some((TokenClass::Request, 1))
        };
        let quantifier = || {
            class(TokenClass::Restriction, "quantifier")
                .filter(|_| FINDING.contains(&slot) && !self.carried.is_about_all)
        };
        condition
            .or_else(correction)
            .or_else(order)
            .or_else(clock)
            .or_else(ours)
            .or_else(restriction)
            .or_else(quantifier)
            .or_else(request)
    }

    /// Pronouns and pro-forms behind other words: nobody will know later what is meant.
    pub(super) fn pointer(&mut self, slot: Range<usize>, start: usize) {
        const WORDS_MIN: usize = 3;
        let told_before = !self.explained && self.heard.live(0..start).len() >= WORDS_MIN;
        let last = slot.end.saturating_sub(1);
        let points = slot.contains(&last)
            && ["pronoun", "person"]
                .iter()
                .any(|class| GRAMMAR.lexicon.is_phrase(class, &self.heard.words[last..slot.end]));
        let opens = slot.contains(&slot.start) && self.starts("antecedent", slot.start).is_some() && slot.len() > 1;
        if told_before && points {
            self.skip(last..slot.end, TokenClass::Name);
        } else if told_before && opens && self.starts("thisdet", slot.start).is_none() {
            self.skip(slot.start..slot.start + 1, TokenClass::Name);
        }
    }

    /// A quantifier is about more than the one that is found.
    pub(super) fn quantified(&mut self, core: Range<usize>) {
        let mut at = core.start;
        while at < core.end {
            let plain = self.starts("notquantifier", at);
            let is_command = self.roles[at] == Some(SpanRole::Command);
            let len = self.starts("quantifier", at).filter(|_| plain.is_none() && is_command);
            // An action that is about all of them says so.
            if len.is_some() && !self.carried.is_about_all {
                self.skip(at..at + 1, TokenClass::Restriction);
            }
            at += plain.or(len).unwrap_or(1);
        }
    }
}

/// Four digits that are a time of day, or two of them.
fn is_bare_clock(word: &str) -> bool {
    let clock = |digits: &str| {
        let hour = digits.get(..2).and_then(|hour| hour.parse::<u8>().ok());
        let minute = digits.get(2..).and_then(|minute| minute.parse::<u8>().ok());
        digits.len() == 4
            && hour.is_some_and(|hour| hour < 24 && hour != 20 && hour != 19)
            && minute.is_some_and(|m| m < 60)
    };
    word.split('-').all(clock)
}
