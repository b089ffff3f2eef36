//! Residue: what of a message its plan carries, word by word, and what it leaves out.
//!
//! A word is carried when the wording of a command asks for it, or when a parameter holds it. Everything else has the
//! price of its class; a remark has none, unless it changes what is asked. Not here: how a plan comes to be.

mod must_cover;

use std::cell::OnceCell;
use std::ops::Range;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;

use super::account::{PartAccount, Residue, SpanRole};
use super::annotated::{AnnotatedText, Masked};
use super::carried::CarriedValues;
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::parser::Parse;
use super::parser::Passage;
use super::prices::{Prices, TokenClass};
use super::text::TokenMark;
use crate::language::time::{self, Problem, TimeMention, TimeRole, When};
use brain_core::core::plan::PlannedAction;

/// What was done was done today, if not before; a day is as long as that.
const HOURS_OF_A_DAY: i64 = 12;
/// Slots whose words somebody is to read: they may hold whatever people say.
pub(super) const SPOKEN: [&str; 10] =
    ["body", "ask", "clause", "request", "text", "fact", "value", "description", "reason", "about"];
/// Slots that something new is called by.
const TITLES: [&str; 2] = ["title", "summary"];
/// Slots whose words are kept for later.
const KEPT: [&str; 2] = ["text", "fact"];
/// Slots that are said to tell which, and are kept nowhere.
const TOLD: [&str; 3] = ["old", "x", "rest"];

/// What became of each part of the message, and what no action carries. Without parts, which only a message has that
/// was planned as it was said, a word counts as used where a parameter holds it or commands are worded with it.
pub(super) fn account(
    heard: &AnnotatedText,
    parts: Option<&[Passage]>,
    actions: &[PlannedAction],
    now: DateTime<Utc>,
) -> (PartAccount, Vec<Residue>) {
    let mut ledger = WordLedger::new(heard, &actions.iter().collect::<Vec<_>>(), now);
    match parts {
        Some(parts) => parts.iter().for_each(|part| ledger.part(part)),
        None => {
            ledger.offset();
            (0..heard.tokens.len()).for_each(|at| ledger.by_value(at));
        }
    }
    ledger.close()
}

/// What actions leave out of a message that was planned as another one.
pub(super) fn price_of(heard: &AnnotatedText, actions: &[PlannedAction], now: DateTime<Utc>) -> u32 {
    let mut ledger = WordLedger::new(heard, &actions.iter().collect::<Vec<_>>(), now);
    ledger.offset();
    (0..heard.tokens.len()).for_each(|at| ledger.by_value(at));
    ledger.price(0..heard.tokens.len(), &Prices::read())
}

pub(super) struct WordLedger<'a> {
    pub heard: &'a AnnotatedText<'a>,
    pub carried: CarriedValues,
    pub roles: Vec<Option<SpanRole>>,
    /// What each mask is to the actions, however many tokens it hides.
    masks: Vec<OnceCell<SpanRole>>,
    /// Some request was read from words that nothing better fits; then less may be left out.
    weak: bool,
    /// What a title points to is said in it.
    explained: bool,
    /// The actions only say what is done.
    completes: bool,
    now: DateTime<Utc>,
}

impl<'a> WordLedger<'a> {
    pub fn new(heard: &'a AnnotatedText<'a>, actions: &[&PlannedAction], now: DateTime<Utc>) -> WordLedger<'a> {
        WordLedger {
            heard,
            carried: CarriedValues::by(actions.iter().copied()),
            roles: vec![None; heard.tokens.len()],
            masks: vec![OnceCell::new(); heard.masks.len()],
            weak: false,
            explained: actions.iter().any(|action| super::finish::says_what_it_points_to(action)),
            completes: actions.iter().all(|action| action.command == "complete"),
            now,
        }
    }

    /// The length of a phrase of the class that begins at a token.
    fn starts(&self, class: &str, at: usize) -> Option<usize> {
        GRAMMAR.lexicon.starts(class, &self.heard.words[at..])
    }

    fn skip(&mut self, range: Range<usize>, class: TokenClass) {
        self.roles[range].fill(Some(SpanRole::Skipped(class)));
    }

    fn part(&mut self, part: &Passage) {
        let range = part.tokens.clone();
        let words = if range.is_empty() { "" } else { self.heard.raw(range.start, range.end - 1) };
        match (&part.clause, &part.role) {
            (Some(clause), _) => self.clause(clause),
            (None, _) if range.len() > 1 && self.carried.holds_all(words) => {
                self.roles[range].fill(Some(SpanRole::Param("text".to_owned())));
            }
            (None, Some(role)) => self.roles[range].fill(Some(role.clone())),
            (None, None) => range.for_each(|at| self.alone(at)),
        }
    }

    /// Tokens that a clause was read from.
    pub fn clause(&mut self, clause: &Parse) {
        self.weak |= clause.weak && !clause.has_time;
        let slot_at = |at: usize| clause.slots.iter().find(|slot| (slot.first..=slot.last).contains(&at));
        for at in clause.tokens.clone() {
            let role = match (self.heard.hidden_by(at), slot_at(at)) {
                (Some(mask), _) => self.masked(mask),
                (None, _) if self.heard.tokens[at].mark != TokenMark::Word => SpanRole::Connector,
                (None, Some(slot)) => {
                    // What is looked up changes nothing, and is shown with what it was found by.
                    let kept = clause.looks_up || TOLD.contains(&slot.name) || self.carried.holds(self.heard.typed(at));
                    match self.class_of(at) {
                        _ if kept => SpanRole::Param(slot.name.to_owned()),
                        // Reported speech becomes direct speech: its conjunction becomes the verb of a question.
                        TokenClass::Condition | TokenClass::Negation if SPOKEN.contains(&slot.name) => {
                            SpanRole::Skipped(TokenClass::Plain)
                        }
                        class => SpanRole::Skipped(class),
                    }
                }
                (None, None) if clause.core.contains(&at) => SpanRole::Command,
                (None, None) => SpanRole::Politeness,
            };
            self.roles[at] = Some(role);
        }
        for slot in clause.slots.iter().filter(|slot| TITLES.contains(&slot.name) || KEPT.contains(&slot.name)) {
            self.pointer(slot.first..slot.last.saturating_add(1).min(clause.tokens.end), clause.tokens.start);
        }
        for slot in &clause.slots {
            self.inside(slot.name, slot.first..slot.last.saturating_add(1).min(clause.tokens.end));
        }
        if !clause.looks_up {
            self.quantified(clause.core.clone());
        }
    }

    /// A length before something, where an action is to be told of so long ahead.
    fn offset(&mut self) {
        let Some(offset) = time::offset_in(self.heard.text).filter(|_| self.carried.has_length) else { return };
        for (at, token) in self.heard.tokens.iter().enumerate() {
            if offset.span.start <= token.span.start && token.span.end <= offset.span.end {
                self.roles[at] = Some(SpanRole::Time);
            }
        }
    }

    /// What a time or a priority is to the actions.
    fn masked(&self, mask: usize) -> SpanRole {
        self.masks[mask].get_or_init(|| self.role_of_mask(mask)).clone()
    }

    fn role_of_mask(&self, mask: usize) -> SpanRole {
        let said = &self.heard.masks[mask];
        match &said.what {
            Masked::Time(found) if self.carried.holds_time(self.heard.words_of(said), found) => SpanRole::Time,
            Masked::Time(found) if self.completes && self.has_been(found) => SpanRole::Reason,
            Masked::Time(_) => SpanRole::Skipped(TokenClass::Time),
            Masked::Priority(_) if self.carried.has_priority => SpanRole::Param("priority".to_owned()),
            // A conjunction of time is no priority, though it is a word for a low one.
            Masked::Priority(_) if self.heard.words_of(said).eq_ignore_ascii_case("whenever") => {
                SpanRole::Skipped(TokenClass::Condition)
            }
            Masked::Priority(_) | Masked::Timeish => SpanRole::Skipped(TokenClass::Plain),
        }
    }

    /// A part of today, as when something was done.
    fn has_been(&self, found: &TimeMention) -> bool {
        let begins_by = |at: DateTime<Tz>| at.with_timezone(&Utc) <= self.now + TimeDelta::hours(HOURS_OF_A_DAY);
        match &found.result {
            Ok(When::Recurrence { .. }) => false,
            Ok(when) => when.start().is_none_or(begins_by) && !matches!(found.role, TimeRole::By | TimeRole::Until),
            Err(problem) => matches!(problem, Problem::Past { .. }),
        }
    }

    /// A word that nothing around it explains.
    pub fn alone(&mut self, at: usize) {
        self.roles[at] = Some(match self.heard.hidden_by(at) {
            Some(mask) => self.masked(mask),
            None => SpanRole::Skipped(self.class_of(at)),
        });
    }

    /// A word of a message that was planned as another one.
    fn by_value(&mut self, at: usize) {
        let dear = [
            (TokenClass::Condition, "dearcondition"),
            (TokenClass::Correction, "dearcorrection"),
            (TokenClass::Restriction, "dearrestriction"),
        ];
        let dear = dear.into_iter().find(|(_, class)| self.starts(class, at).is_some());
        let role = match (self.heard.hidden_by(at), dear) {
            (Some(mask), _) => match self.masked(mask) {
                // An offset, an occasion and a day were one time, and are two by now.
                SpanRole::Skipped(TokenClass::Time)
                    if self.carried.holds(self.heard.typed(at)) || self.class_of(at) == TokenClass::Function =>
                {
                    SpanRole::Time
                }
                role => role,
            },
            (None, _) if self.heard.tokens[at].mark != TokenMark::Word => SpanRole::Connector,
            (None, Some((class, _))) => SpanRole::Skipped(class),
            (None, None) if self.carried.holds(self.heard.typed(at)) => SpanRole::Param("text".to_owned()),
            (None, None) => match self.class_of(at) {
                TokenClass::Address | TokenClass::Name => SpanRole::Skipped(self.class_of(at)),
                _ => SpanRole::Command,
            },
        };
        self.roles[at].get_or_insert(role);
    }

    fn class_of(&self, at: usize) -> TokenClass {
        let (token, typed) = (&self.heard.tokens[at], self.heard.typed(at));
        let is = |class: &str| GRAMMAR.lexicon.is_phrase(class, &[token.id]);
        if token.mark != TokenMark::Word || typed.is_empty() {
            TokenClass::Mark
        } else if typed.contains('@') || typed.contains("://") {
            TokenClass::Address
        } else if typed.chars().any(|c| c.is_ascii_digit()) {
            TokenClass::Number
        } else if is("dearcondition") {
            TokenClass::Condition
        } else if is("dearrestriction") || is("quantifier") {
            TokenClass::Restriction
        } else if is("dearnegation") {
            TokenClass::Negation
        } else if is("function") {
            TokenClass::Function
        } else if token.id != WordId::UNKNOWN {
            TokenClass::Plain
        } else if self.is_name(at) {
            TokenClass::Name
        } else {
            TokenClass::Unknown
        }
    }

    /// Written with a capital where a sentence does not begin, among words that are not.
    pub fn is_name(&self, at: usize) -> bool {
        let begins = at == 0 || self.heard.tokens[at - 1].mark == TokenMark::Stop;
        let capital = self.heard.typed(at).starts_with(char::is_uppercase);
        capital && !begins && self.heard.text.chars().any(char::is_lowercase)
    }

    /// What leaving out costs, of some tokens: a dear thing is one, however many words it has.
    pub fn price(&self, range: Range<usize>, prices: &Prices) -> u32 {
        let mut before = None;
        let mut price = 0u32;
        for role in &self.roles[range] {
            let Some(SpanRole::Skipped(class)) = role else {
                before = None;
                continue;
            };
            if before != Some(*class) || *class < TokenClass::Negation {
                price = price.saturating_add(prices.of(*class));
            }
            before = Some(*class);
        }
        price
    }

    fn close(self) -> (PartAccount, Vec<Residue>) {
        let heard = self.heard;
        let prices = Prices::read();
        let roles = self.roles.into_iter().map(|role| role.unwrap_or(SpanRole::Connector));
        let spans = heard.tokens.iter().map(|token| token.span.clone());
        let all: Vec<(Range<usize>, SpanRole)> = spans.zip(roles).filter(|(span, _)| !span.is_empty()).collect();
        let mut unread: Vec<(Range<usize>, TokenClass)> = Vec::new();
        let mut spent = 0u32;
        let mut follows = false;
        for (span, role) in &all {
            let SpanRole::Skipped(class) = role else {
                follows &= *role == SpanRole::Connector;
                continue;
            };
            // A phrase is one dear thing, however many words it has.
            let price = prices.of(*class);
            spent = spent.saturating_add(price);
            match unread.last_mut().filter(|_| follows) {
                Some((said, dearest)) => (said.end, *dearest) = (span.end, (*dearest).max(*class)),
                None => unread.push((span.clone(), *class)),
            }
            follows = true;
        }
        let is_dear = spent > if self.weak { prices.budget / 2 } else { prices.budget };
        let account = PartAccount::new(heard.text, all.into_iter().map(|(span, role)| (span.start, role)));
        unread.retain(|(_, class)| is_dear && *class > TokenClass::Function);
        let words = |(span, class): (Range<usize>, TokenClass)| Residue { text: heard.text[span].to_owned(), class };
        (account, unread.into_iter().map(words).collect())
    }
}
