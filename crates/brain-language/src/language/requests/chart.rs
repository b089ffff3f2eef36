//! Chart parsing: the cheapest way to read a message as requests, remarks, politeness, and what is left out.
//!
//! Between two borders stands a request that was read from just these words, at the price of those that its actions do
//! not carry and of what its names swallow, or, between neighbours, something that is said beside, at the price of its
//! class. The cheapest path from the first border to the last is the derivation (Viterbi over borders: quadratic in
//! them, and they are bounded); the cheapest one that asks for something else is its rival. Deterministic: of equally
//! cheap ways the one with the shorter last part counts.
//!
//! Not here: what each part costs (`weighing`), what a part is as a whole (`beside`), and how a request is read
//! (`parser`, `matching`).

mod weighing;

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHasher;

use super::account::SpanRole;
use super::borders::{Border, borders};
use super::parser::{Derivation, Parse, Parser, Passage};
use super::prices::{PartPrice, Prices};
use weighing::{BetweenBorders, beside};

/// Ways to a border that are followed side by side.
const WAYS_MAX: usize = 4;
/// Steps of finding the borders around a token, and what is said beside.
const DIVIDING_STEPS: usize = 10;

/// A way to a border.
#[derive(Debug, Clone)]
struct Way {
    cost: u32,
    /// The border before, and which of the ways to it.
    from: (usize, usize),
    clause: Option<Rc<Parse>>,
    role: Option<SpanRole>,
    /// Tells apart the ways that ask for something else.
    asks: u64,
}

impl Way {
    /// Ways that differ in this are kept side by side: what follows costs more or less behind a request.
    fn key(&self) -> (bool, u64) {
        (self.clause.is_some(), self.asks)
    }
}

impl Parser<'_> {
    pub(super) fn derive(&self, range: &Range<usize>) -> Derivation {
        let may_be_divided = self.work.take(DIVIDING_STEPS * range.len()).is_some();
        if may_be_divided { Chart::new(self, range).derivation() } else { Derivation::default() }
    }
}

struct Chart<'a, 'p> {
    parser: &'a Parser<'p>,
    prices: Prices,
    borders: Vec<Border>,
    /// What stands behind each border, up to the next.
    beside: Vec<BetweenBorders>,
    /// The cheapest ways to each border, in the order of their prices.
    ways: Vec<Vec<Way>>,
}

impl<'a, 'p> Chart<'a, 'p> {
    fn new(parser: &'a Parser<'p>, range: &Range<usize>) -> Chart<'a, 'p> {
        let borders = borders(parser.heard, range);
        let prices = Prices::read();
        let beside = borders.windows(2).map(|pair| beside(parser, pair[0].start..pair[1].end, &prices)).collect();
        let ways = vec![Vec::new(); borders.len()];
        Chart { parser, prices, borders, beside, ways }
    }

    fn derivation(mut self) -> Derivation {
        if let Some(first) = self.ways.first_mut() {
            first.push(Way { cost: 0, from: (0, 0), clause: None, role: None, asks: 0 });
        }
        for to in 1..self.borders.len() {
            for from in 0..to {
                if self.parser.work.is_spent() {
                    return Derivation::default();
                }
                // What is quoted was said by somebody, and asks for nothing.
                let is_one = self.is_one_sentence(from, to);
                let found = if is_one { self.parser.readings(&self.words(from, to)) } else { Rc::default() };
                let found: Vec<_> = found.iter().filter(|one| !one.asks_in_quotes(self.parser.heard)).collect();
                let price = |(nth, clause): (usize, &&Rc<Parse>)| {
                    self.request(clause, from, to) + if nth == 0 { 0 } else { self.prices.part(PartPrice::Second) }
                };
                let prices: Vec<u32> = found.iter().enumerate().map(price).collect();
                for nth in 0..self.ways[from].len() {
                    let before = (from, nth);
                    if to == from + 1 {
                        let (price, role) = self.remark(before);
                        self.take(before, to, price, None, role);
                    }
                    for (clause, price) in found.iter().zip(&prices) {
                        let cost = price.saturating_add(self.junction(clause, before, to));
                        self.take(before, to, cost, Some(Rc::clone(clause)), None);
                    }
                }
            }
        }
        let end = self.borders.len() - 1;
        let Some(best) = self.ways[end].first() else { return Derivation::default() };
        let other = self.ways[end].iter().position(|way| way.asks != best.asks);
        let (cost, rival) = (best.cost, other.map(|nth| (nth, self.ways[end][nth].cost - best.cost)));
        let rival = rival.map(|(nth, more)| (self.path((end, nth)), more));
        Derivation { parts: self.path((end, 0)), cost, rival }
    }

    /// The parts of a way, in order.
    fn path(&self, mut at: (usize, usize)) -> Vec<Passage> {
        let mut parts = Vec::new();
        while at.0 > 0 {
            let way = &self.ways[at.0][at.1];
            let tokens = self.words(way.from.0, at.0);
            let sentence = self.borders[way.from.0].sentence;
            parts.push(Passage { tokens, clause: way.clause.as_deref().cloned(), role: way.role.clone(), sentence });
            at = way.from;
        }
        parts.reverse();
        parts
    }

    fn take(&mut self, from: (usize, usize), to: usize, cost: u32, clause: Option<Rc<Parse>>, role: Option<SpanRole>) {
        let before = &self.ways[from.0][from.1];
        let asks = clause.as_ref().map_or(before.asks, |clause| {
            let mut hasher = FxHasher::default();
            let commands = clause.actions().map(|action| (&action.service, &action.command));
            (before.asks, commands.collect::<Vec<_>>()).hash(&mut hasher);
            hasher.finish()
        });
        let way = Way { cost: before.cost.saturating_add(cost), from, clause, role, asks };
        let ways = &mut self.ways[to];
        if let Some(known) = ways.iter().position(|known| known.key() == way.key()) {
            if ways[known].cost < way.cost {
                return;
            }
            ways.remove(known);
        }
        let place = ways.iter().position(|known| known.cost >= way.cost).unwrap_or(ways.len());
        ways.insert(place, way);
        if ways.len() > WAYS_MAX {
            // One that ends with a request and one that does not are always left.
            let only =
                |nth: usize| ways.iter().filter(|way| way.clause.is_some() == ways[nth].clause.is_some()).count() == 1;
            let last = (0..ways.len()).rev().find(|nth| !only(*nth)).unwrap_or(WAYS_MAX);
            ways.remove(last);
        }
    }

    fn is_one_sentence(&self, from: usize, to: usize) -> bool {
        self.borders[from].sentence == self.borders[to - 1].sentence
    }

    /// What stands between a border and the next.
    fn range(&self, at: usize) -> Range<usize> {
        self.borders[at].start..self.borders[at + 1].end
    }

    fn words(&self, from: usize, to: usize) -> Range<usize> {
        self.borders[from].start..self.borders[to].end
    }

    /// The request that a way holds last, and the border behind it.
    fn last_request(&self, mut at: (usize, usize)) -> Option<(&Parse, usize)> {
        while at.0 > 0 {
            let way = &self.ways[at.0][at.1];
            if let Some(clause) = way.clause.as_deref() {
                return Some((clause, at.0));
            }
            at = way.from;
        }
        None
    }
}
