//! What a part of a message costs as a request, or as something said beside: what is left out, what a name swallows,
//! and what follows what.

use std::ops::Range;

use super::super::account::SpanRole;
use super::super::borders::{Border, BorderKind};
use super::super::built::Built;
use super::super::coordination::may_be_needed;
use super::super::matching::Filler;
use super::super::parser::{Parse, Parser};
use super::super::prices::{PartPrice, Prices, TokenClass};
use super::super::residue::WordLedger;
use super::Chart;
use crate::language::tokens::lower;

/// Slots that go on behind a comma, as people are to read them, and those that are read by the person alone.
const RUNNING_ON: [&str; 5] = ["body", "ask", "clause", "request", "to"];
const NOTED: [&str; 4] = ["text", "fact", "value", "description"];

/// Slots that are names, and how many words a name has before each more is a doubt.
const NAMING: [&str; 4] = ["title", "summary", "what", "key"];
const NAME_WORDS: usize = 9;

/// Steps of weighing one request, for each word of the message.
const WEIGHING_STEPS: usize = 2;

/// What stands between two neighbouring borders, as something that asks for nothing.
pub(super) struct BetweenBorders {
    pub role: Option<SpanRole>,
    /// Its price if it is left out of every request.
    pub price: u32,
}

impl Chart<'_, '_> {
    /// What it costs to take what stands behind a border for something said beside, and what it is then.
    pub(super) fn remark(&self, way: (usize, usize)) -> (u32, Option<SpanRole>) {
        let at = way.0;
        let BetweenBorders { role, price } = &self.beside[at];
        let range = self.range(at);
        let goes_on = at > 0
            && self.borders[at - 1].sentence == self.borders[at].sentence
            && self.parser.heard.typed(self.borders[at].end) != ":";
        let last = Some(&self.ways[at][way.1]).filter(|_| goes_on);
        let asks = self.parser.begins(&range, &["tickoff", "redo", "keepit", "makeit"]);
        let told = !asks && last.is_some_and(|way| way.role == Some(SpanRole::Reason));
        let why = || {
            let of_a_look_up = |asked: &Parse| asked.looks_up && self.parser.begins(&range, &["purposeful", "ownneed"]);
            self.last_request(way).is_some_and(|(asked, _)| of_a_look_up(asked))
        };
        let is_told = told || role.is_none() && self.is_told_behind_a_time(at);
        match role {
            None | Some(SpanRole::Reason | SpanRole::Skipped(TokenClass::Request)) if why() => {
                (self.prices.part(PartPrice::Remark), Some(SpanRole::Reason))
            }
            // What goes on with something told is told, too.
            None | Some(SpanRole::Skipped(TokenClass::Quotation)) if is_told => (
                if told { self.prices.part(PartPrice::GoesOn) } else { self.prices.part(PartPrice::Remark) },
                Some(SpanRole::Reason),
            ),
            Some(SpanRole::Reason) if told => (self.prices.part(PartPrice::GoesOn), Some(SpanRole::Reason)),
            Some(SpanRole::Politeness) => (*price, Some(SpanRole::Politeness)),
            role => (price.saturating_add(self.left_out(&range)), role.clone()),
        }
    }

    /// What it costs to take words for something told that are a request, the more if they begin with their own words,
    /// and not with what they are about.
    fn left_out(&self, range: &Range<usize>) -> u32 {
        let begins = |clause: &Parse| clause.slots.iter().all(|slot| slot.first != clause.core.start);
        match self.parser.clause(range.clone()) {
            Some(clause) if !clause.weak && begins(&clause) => self.prices.part(PartPrice::LeftOut),
            Some(clause) if clause.has_time => self.prices.part(PartPrice::LeftOutWeak),
            Some(_) | None => 0,
        }
    }

    /// What a request leaves out of its own words, and what its names swallow.
    pub(super) fn request(&self, clause: &Parse, from: usize, to: usize) -> u32 {
        let parser = self.parser;
        // Each of its words is held against what its actions carry.
        if parser.work.take(WEIGHING_STEPS * parser.heard.tokens.len()).is_none() {
            return u32::MAX;
        }
        let actions: Vec<_> = clause.actions().collect();
        let mut ledger = WordLedger::new(parser.heard, &actions, parser.input.reference.now);
        ledger.clause(clause);
        let weak = if clause.weak { self.prices.part(PartPrice::Weak) } else { 0 };
        let lacking = if matches!(clause.built, Built::Ask { .. }) { self.prices.part(PartPrice::Lacking) } else { 0 };
        let tells = to == from + 1 && self.beside[from].role == Some(SpanRole::Reason);
        let told = if tells && clause.weak && !clause.has_time && clause.command == "task.create" {
            self.prices.part(PartPrice::ToldAsRequest)
        } else {
            0
        };
        let swallowed: u32 = (from + 1..to).map(|at| self.swallowed(clause, from, at, to)).fold(0, u32::saturating_add);
        let left_out = ledger.price(clause.tokens.clone(), &self.prices);
        // A noun phrase with a determiner names a thing, and what stands behind it tells of that.
        let names = self.parser.begins(&clause.core, &["det", "a"])
            && tells
            && !clause.has_time
            && clause.command == "task.create";
        let told = if names { self.prices.part(PartPrice::Remark) } else { told };
        let kept_elsewhere = if clause.command == "memory.store"
            && self.parser.begins(&self.words(from, to), &["keeps"])
            && self.gives_details(from, to)
        {
            self.prices.part(PartPrice::Details)
        } else {
            0
        };
        let long =
            clause.slots.iter().filter(|slot| NAMING.contains(&slot.name)).map(|slot| self.length(slot)).sum::<u32>();
        left_out
            .saturating_add(long)
            .saturating_add(self.prices.part(PartPrice::Request) + weak + lacking + told + kept_elsewhere)
            .saturating_add(swallowed)
    }

    /// What the words of a name cost beyond those that names have.
    fn length(&self, slot: &Filler) -> u32 {
        let words = self.parser.heard.live(slot.first..slot.last + 1).len().saturating_sub(NAME_WORDS);
        u32::try_from(words).unwrap_or(u32::MAX)
    }

    /// Whether an address or a long number is said, which is kept with whose it is.
    fn gives_details(&self, from: usize, to: usize) -> bool {
        const DIGITS_MIN: usize = 7;
        let words = self.words(from, to).map(|at| self.parser.heard.typed(at));
        let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
        words.clone().any(|word| word.contains('@')) || words.map(digits).sum::<usize>() >= DIGITS_MIN
    }

    /// What it costs that a request goes on over a border.
    fn swallowed(&self, clause: &Parse, from: usize, at: usize, to: usize) -> u32 {
        let border = &self.borders[at];
        let holds = |slot: &&Filler| slot.first <= border.start && border.start <= slot.last;
        // What stands before a border and is no part of the request is a courtesy.
        let Some(slot) = clause.slots.iter().find(holds) else {
            return if border.start <= clause.core.start { self.prices.part(PartPrice::RunOn) } else { 0 };
        };
        if self.asks_behind(clause, from, at, to) {
            return self.prices.part(PartPrice::Swallowed);
        }
        let announced = slot.first == border.start && border.kind == BorderKind::Turn;
        match &self.beside[at].role {
            _ if announced || RUNNING_ON.contains(&slot.name) || self.goes_on_with_a_list(clause, at) => 0,
            // A person's own remark behind a fact is nothing to keep.
            Some(SpanRole::Reason)
                if NOTED.contains(&slot.name)
                    && !clause.looks_up
                    && self.parser.begins(&self.range(at), &["myself"]) =>
            {
                self.prices.part(PartPrice::Swallowed)
            }
            Some(SpanRole::Reason | SpanRole::Skipped(_)) if NOTED.contains(&slot.name) && !clause.looks_up => {
                self.prices.part(PartPrice::ToldInside)
            }
            Some(SpanRole::Reason) if self.states(at) => self.prices.part(PartPrice::Swallowed),
            Some(SpanRole::Skipped(class)) => self
                .prices
                .of(*class)
                .saturating_add(self.prices.part(PartPrice::Swallowed) + self.prices.part(PartPrice::Remark)),
            Some(_) | None if self.has_ended(clause, at) => self.prices.part(PartPrice::BehindItsEnd),
            Some(_) | None => self.prices.part(PartPrice::RunOn),
        }
    }

    /// Whether what stands behind a border has a verb of its own; a noun phrase has none.
    fn states(&self, at: usize) -> bool {
        let range = self.range(at);
        let ids = self.parser.heard.ids(range.clone());
        let holds = |class: &str| self.parser.grammar.lexicon.find(class, ids).is_some();
        let of_verb = |at: usize| {
            let word = lower(self.parser.heard.typed(at));
            let ends = ["'s", "’s", "'m", "’m", "'re", "’re", "'ll", "’ll", "'ve", "’ve", "ed"];
            word.len() > 3 && ends.iter().any(|end| word.ends_with(end))
        };
        self.parser.begins(&range, &["speaker"])
            || ["tells", "alsotells", "state", "told", "sigh", "remark"].iter().any(|class| holds(class))
            || range.clone().any(of_verb)
    }

    /// A name ended with its time, something is told behind a border, and no other request begins.
    fn is_told_behind_a_time(&self, at: usize) -> bool {
        const WORDS_MIN: usize = 3;
        let Border { end, start, .. } = self.borders[at];
        let live = self.parser.heard.live(start..self.borders[at + 1].end);
        let behind_a_time = at > 0 && self.parser.heard.hidden_by(end.saturating_sub(1)).is_some();
        behind_a_time
            && self.parser.heard.typed(end) == ","
            && live.len() >= WORDS_MIN
            && self.states(at)
            && !self.may_be_needed(at)
    }

    /// Words behind a comma that may belong to what a request is about.
    fn may_be_needed(&self, at: usize) -> bool {
        let range = self.range(at);
        let heard = self.parser.heard;
        let ids = heard.ids(range.clone());
        ids.is_empty()
            || may_be_needed(heard.raw(range.start, range.end - 1), ids, self.parser.grammar.lexicon)
            || self.parser.begins(&range, &["invite", "errand", "joined"])
            || heard.hidden_by(range.start).is_some()
    }

    /// Whether a clause needs no more words at a comma inside it: a remark follows, and not a participant, a place, a
    /// detail of it, or an order.
    fn has_ended(&self, clause: &Parse, at: usize) -> bool {
        const WORDS_MIN: usize = 3;
        let end = self.borders[at].end;
        // What is short and states nothing may go on with a list of nouns.
        let says_more = self.states(at) || self.parser.heard.live(self.range(at)).len() >= WORDS_MIN;
        let heard = self.parser.heard;
        let behind_a_time = heard.hidden_by(end.saturating_sub(1)).is_some();
        heard.typed(end) == "," && says_more && !self.may_be_needed(at) && (behind_a_time || clause.ends_at_a_comma())
    }

    /// Whether another request begins at a border inside a clause.
    fn asks_behind(&self, clause: &Parse, from: usize, at: usize, to: usize) -> bool {
        let Border { end, start, .. } = self.borders[at];
        if self.goes_on_with_a_list(clause, at) {
            return false;
        }
        let before = self
            .parser
            .clause(self.borders[from].start..end)
            .is_some_and(|clause| !matches!(clause.built, Built::Ask { .. }));
        let ends = (at + 1..=to).map(|to| self.borders[to].end);
        let mut found = ends.filter_map(|end| Some((self.parser.clause(start..end)?, start..end)));
        found.any(|(right, range)| {
            let begins = right.slots.iter().all(|slot| slot.first != right.core.start);
            (begins && !right.weak || right.weak && before) && self.parser.is_further(clause, &right, &range)
        })
    }

    /// A name of a list, a colon and a first thing: what follows goes on with its things.
    fn goes_on_with_a_list(&self, clause: &Parse, at: usize) -> bool {
        let end = self.borders[at].end;
        let announced = |start: usize| (start..end).any(|at| self.parser.heard.typed(at) == ":");
        clause.command == "keep.create" && self.parser.heard.typed(end) == "," && announced(clause.tokens.start)
    }

    /// What it costs that a request follows what stands before it.
    pub(super) fn junction(&self, clause: &Parse, way: (usize, usize), to: usize) -> u32 {
        let from = way.0;
        let range = self.words(from, to);
        let Some((left, end)) = self.last_request(way) else { return 0 };
        if self.parser.tells_why(left, clause, &range) {
            return self.prices.part(PartPrice::Undivided);
        }
        let goes_on = from > 0 && self.borders[end - 1].sentence == self.borders[from].sentence;
        // No request begins with the second half of the subject of a statement.
        let goes_on_telling = self.ways[from][way.1].role == Some(SpanRole::Reason);
        if goes_on && goes_on_telling && clause.slots.iter().any(|slot| slot.first == clause.core.start) {
            return self.prices.part(PartPrice::Undivided);
        }
        let reminds = self.parser.begins(&range, &["remindme"]);
        let turn = self.borders[from].kind == BorderKind::Turn;
        if !goes_on {
            0
        } else if turn && reminds {
            if left.weak && left.command != "calendar.create_event" {
                self.prices.part(PartPrice::LeadsOver)
            } else {
                0
            }
        } else if turn || self.goes_on_with_a_list(left, from) || !self.parser.is_further(left, clause, &range) {
            self.prices.part(PartPrice::Undivided)
        } else {
            0
        }
    }
}

/// What some words are that ask for nothing, and what it costs to leave them out.
pub(super) fn beside(parser: &Parser, range: Range<usize>, prices: &Prices) -> BetweenBorders {
    let mut ledger = WordLedger::new(parser.heard, &[], parser.input.reference.now);
    if parser.heard.live(range.clone()).is_empty() && parser.heard.times_in(&range).is_empty() {
        return BetweenBorders { role: Some(SpanRole::Politeness), price: 0 };
    }
    let role = ledger.role_of_part(&range);
    let price = match &role {
        Some(SpanRole::Politeness) => 0,
        Some(SpanRole::Skipped(class)) => prices.of(*class).saturating_add(prices.part(PartPrice::Remark)),
        Some(_) => prices.part(PartPrice::Remark),
        None => {
            range.clone().for_each(|at| ledger.alone(at));
            ledger.price(range, prices).saturating_add(prices.part(PartPrice::Remark))
        }
    };
    BetweenBorders { role, price }
}
