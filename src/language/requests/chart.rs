//! The cheapest way to read a whole message: its parts are requests, remarks, politeness, and what none of these explains.
//!
//! A border may stand behind a mark and beside a connector. Between two borders stands a request that was read from just
//! these words, at the price of those that its actions do not carry, or, between neighbours, something else at the price
//! of its class. The cheapest path from the first border to the last is the derivation (Viterbi over borders: quadratic in
//! them, and they are bounded). Deterministic: of equally cheap ways the one with the longer first part counts.
//!
//! Not here: what a part is as a whole (`gaps`), and how a request is read (`clauses`, `matching`).

use std::ops::Range;

use super::annotated::AnnotatedText;
use super::clauses::{Clause, Parser, Tries, quoted_words};
use super::filling::Built;
use super::matching::Slot;
use super::prices::Prices;
use super::sentences::sentences;
use super::unread::Ledger;
use super::{Hearing, PlanDraft, finish};

/// Borders looked at in one message; every two of them may hold a request between them.
const BORDERS_MAX: usize = 20;
/// What a part costs that needs no words to be left out: a second request is worth more than a remark.
const REQUEST: u32 = 1;
const REMARK: u32 = 1;
/// A request that is right only when nothing else fits, and one that lacks something.
const WEAK: u32 = 3;
const LACKING: u32 = 4;
/// A part of a sentence inside what something is called.
const SWALLOWED: u32 = 12;
/// Slots that go on behind a comma.
const RUNNING_ON: [&str; 6] = ["body", "ask", "clause", "request", "items", "to"];
/// Two requests where nothing says that a second one begins.
const UNDIVIDED: u32 = 20;

/// Where one part ends and the next begins; what stands between belongs to neither.
#[derive(Debug, Clone, Copy)]
struct Border {
    end: usize,
    start: usize,
    /// Number of the sentence that begins or goes on here.
    sentence: usize,
}

/// The cheapest way to a border.
#[derive(Debug, Clone)]
struct Way {
    cost: u32,
    /// The border before.
    from: usize,
    clause: Option<Clause>,
}

/// What a message comes to by its cheapest derivation.
pub(super) fn read(hearing: &Hearing, heard: &AnnotatedText, domains: &[String]) -> Option<(PlanDraft, Vec<Clause>)> {
    let tries = Tries::default();
    let parser = Parser::new(hearing, heard, domains, &tries);
    let quoted = quoted_words(heard);
    let clauses = requests(&parser, |clause| !clause.asks_by(&quoted))?;
    let built = clauses.iter().map(|clause| clause.built.clone()).collect();
    let priority = heard.priority_in(&(0..heard.tokens.len())).map(|(_, level)| level);
    Some((finish::finish(built, priority, hearing.history), clauses))
}

/// The requests of the cheapest derivation, if it costs no more than a plan may spend.
fn requests(parser: &Parser, allowed: impl Fn(&Clause) -> bool) -> Option<Vec<Clause>> {
    let prices = Prices::read();
    let borders = borders(parser);
    let mut ways: Vec<Option<Way>> = vec![None; borders.len()];
    *ways.first_mut()? = Some(Way { cost: 0, from: 0, clause: None });
    parser.tries.renew();
    for to in 1..borders.len() {
        for from in 0..to {
            let Some(before) = ways[from].clone() else { continue };
            let range = borders[from].start..borders[to].end;
            let clause = (borders[from].sentence == borders[to - 1].sentence)
                .then(|| parser.clause(range.clone()))
                .flatten()
                .filter(&allowed);
            let asked = clause.map(|clause| {
                let goes_on = from > 0 && borders[from].sentence == borders[from - 1].sentence;
                let left = before.clause.as_ref().filter(|_| goes_on);
                let undivided = left.is_some_and(|left| !parser.divides(left, &clause, &range));
                (request(parser, &clause, &prices) + if undivided { UNDIVIDED } else { 0 }, Some(clause))
            });
            let told = (to == from + 1).then(|| (remark(parser, range.clone(), &prices), None));
            for (cost, clause) in asked.into_iter().chain(told) {
                let cost = before.cost.saturating_add(cost);
                if ways[to].as_ref().is_none_or(|known| cost < known.cost) {
                    ways[to] = Some(Way { cost, from, clause });
                }
            }
        }
    }
    let mut found = Vec::new();
    let mut at = borders.len() - 1;
    if ways[at].as_ref()?.cost > prices.budget {
        return None;
    }
    while at > 0 {
        let way = ways[at].take()?;
        found.extend(way.clause);
        at = way.from;
    }
    found.reverse();
    (!found.is_empty()).then_some(found)
}

/// The borders of a message, first and last included.
fn borders(parser: &Parser) -> Vec<Border> {
    let len = parser.heard.tokens.len();
    let mut borders = vec![Border { end: 0, start: 0, sentence: 0 }];
    for (sentence, range) in sentences(parser.heard).into_iter().enumerate() {
        if let Some(first) = borders.last_mut() {
            (first.start, first.sentence) = (range.start, sentence);
        }
        let inner = parser.connectors(&range).into_iter().map(|(end, start)| Border { end, start, sentence });
        borders.extend(inner);
        borders.push(Border { end: range.end, start: len, sentence });
    }
    // Of too many the last are one part; what is in it has its price.
    let last = borders.last().copied();
    borders.truncate(BORDERS_MAX);
    if let (Some(kept), Some(last)) = (borders.last_mut(), last) {
        *kept = last;
    }
    borders
}

/// What a request leaves out of its own words, and what its names swallow: behind a comma something else begins, but in
/// what somebody is to read.
fn request(parser: &Parser, clause: &Clause, prices: &Prices) -> u32 {
    let actions: Vec<_> = clause.actions().cloned().collect();
    let mut ledger = Ledger::new(parser.heard, &actions, parser.hearing.reference.now);
    ledger.clause(clause);
    let weak = if clause.weak { WEAK } else { 0 };
    let lacking = if matches!(clause.built, Built::Ask { .. }) { LACKING } else { 0 };
    let runs_on = |slot: &&Slot| !RUNNING_ON.contains(&slot.name) && slot.first < slot.last;
    let swallowed = clause.slots.iter().filter(runs_on).flat_map(|slot| slot.first..slot.last);
    let parts = swallowed.filter(|at| matches!(parser.heard.typed(*at), "," | "-" | "–" | "—")).count();
    let swallowed = SWALLOWED.saturating_mul(u32::try_from(parts).unwrap_or(u32::MAX));
    ledger.price(clause.tokens.clone(), prices).saturating_add(REQUEST + weak + lacking).saturating_add(swallowed)
}

/// What is no request.
fn remark(parser: &Parser, range: Range<usize>, prices: &Prices) -> u32 {
    let mut ledger = Ledger::new(parser.heard, &[], parser.hearing.reference.now);
    ledger.only(range.clone());
    ledger.gaps();
    ledger.price(range, prices).saturating_add(REMARK)
}
