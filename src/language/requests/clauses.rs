//! From a message to its clauses and from clauses to a plan.
//!
//! A sentence is one clause unless a connector ("and", "then", a comma) is followed by something that is a
//! request by itself and what stands before is complete: "buy milk and eggs" is one. Not here: what a clause means.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::annotated::AnnotatedText;
use super::filling::{self, Built};
use super::grammar::{GRAMMAR, Grammar};
use super::matching::{self, Match, Slot};
use super::reading::ClauseReading;
use super::sentences::sentences;
use super::slot_types::SlotType;
use super::text::{Mark, own_words};
use super::{Hearing, PlanDraft, antecedent, finish, history, offsets};
use crate::core::plan::{Plan, PlannedAction};

/// Connectors looked at in one sentence.
pub(crate) const CONNECTORS_MAX: usize = 12;
/// Readings of one clause that are built before it is given up.
const READINGS_MAX: usize = 12;
/// Clauses of a message that are tried; every comma may divide, and twenty of them in a million ways.
const TRIES_MAX: usize = 300;

/// What only asks for something that is there.
const LOOK_UPS: &str = "calendar.list_events calendar.find_free_time task.list email.search \
    keep.search keep.list contacts.find memory.recall";

/// How many clauses may still be tried.
#[derive(Debug)]
pub(crate) struct Tries(Cell<usize>);

impl Default for Tries {
    fn default() -> Tries {
        Tries(Cell::new(TRIES_MAX))
    }
}

impl Tries {
    /// `None` when there are none left.
    fn take(&self) -> Option<()> {
        self.0.set(self.0.get().checked_sub(1)?);
        Some(())
    }

    /// For another message, or a part of one.
    pub fn renew(&self) {
        self.0.set(TRIES_MAX);
    }

    fn are_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// A clause, understood.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub built: Built,
    pub command: String,
    pub weak: bool,
    pub investigates: bool,
    /// The tokens that ask.
    pub tokens: Range<usize>,
    /// Those between the politeness at both ends.
    pub core: Range<usize>,
    pub slots: Vec<Slot<'static>>,
    /// Its last words are a slot that would take more of them (a title, a body).
    pub open_ended: bool,
    /// Its last words are the frame's own: "… on the shopping list".
    pub ends_fixed: bool,
    pub has_time: bool,
    /// Its words name something; "alarm for 6" does not.
    pub is_named: bool,
}

pub(crate) fn plan(hearing: &Hearing, domains: &[String]) -> PlanDraft {
    plan_and_clauses(hearing, domains).0
}

/// The plan, and the clauses it was read from; none where it was planned as something else than was said.
pub(crate) fn plan_and_clauses(hearing: &Hearing, domains: &[String]) -> (PlanDraft, Option<Vec<Clause>>) {
    let text = own_words(hearing.text);
    if text.trim().is_empty() {
        return (PlanDraft::Nothing, None);
    }
    let actions = offsets::plan(&text, hearing, domains);
    if !actions.is_empty() {
        return (PlanDraft::Plan(Plan { actions, ..Plan::default() }), None);
    }
    let quotes = text.contains(['"', '“', '„', '«']);
    match antecedent::plan(&text, hearing, domains).filter(|_| !quotes) {
        Some(draft) => (draft, None),
        None => read_as_said(hearing, domains, &Tries::default()),
    }
}

/// The plan of a message whose requests say for themselves what they are about.
pub(crate) fn plan_as_said(hearing: &Hearing, domains: &[String], tries: &Tries) -> PlanDraft {
    read_as_said(hearing, domains, tries).0
}

fn read_as_said(hearing: &Hearing, domains: &[String], tries: &Tries) -> (PlanDraft, Option<Vec<Clause>>) {
    let text = own_words(hearing.text);
    let heard = AnnotatedText::new(&text, hearing.reference, GRAMMAR.lexicon);
    let parser = Parser::new(hearing, &heard, domains, tries);
    let mut clauses = Vec::new();
    let quoted = quoted_words(&heard);
    for sentence in sentences(&heard) {
        let mut found = parser.clauses(sentence.clone(), 0);
        // What is quoted was said by somebody, and asks for nothing.
        found.retain(|clause| !matches!(clause.built, Built::No) && !clause.asks_by(&quoted));
        if parser.tells_why(&clauses, &found, &sentence) {
            continue;
        }
        let open = found.iter().all(|clause| matches!(clause.built, Built::Ask { .. }));
        if !found.is_empty() || !continue_letter(&mut clauses, &heard, sentence.clone()) {
            let behind = if open { parser.behind_an_excuse(sentence) } else { Vec::new() };
            found = if behind.is_empty() { found } else { behind };
        }
        clauses.append(&mut found);
    }
    if clauses.is_empty()
        && let Some(action) = only_a_time(hearing, &heard, domains)
    {
        return (PlanDraft::Plan(Plan { actions: vec![action], ..Plan::default() }), None);
    }
    let built = clauses.iter().map(|clause| clause.built.clone()).collect();
    let priority = heard.priority_in(&(0..heard.tokens.len())).map(|(_, level)| level);
    (finish::finish(built, priority, hearing.history), Some(clauses))
}

/// Whether a message only talks, or only is polite.
pub(crate) fn says_nothing(hearing: &Hearing, heard: &AnnotatedText) -> bool {
    let tries = Tries::default();
    let parser = Parser::new(hearing, heard, &[], &tries);
    let all = sentences(heard);
    !all.is_empty() && all.into_iter().all(|sentence| parser.is_talk(sentence.clone()) || parser.is_polite(sentence))
}

/// For each token whether it is a word between quotation marks.
pub(super) fn quoted_words(heard: &AnnotatedText) -> Vec<bool> {
    let words = heard.tokens.iter().map(|token| token.mark == Mark::Word);
    heard.quoted().into_iter().zip(words).map(|(quoted, word)| quoted && word).collect()
}

/// "no, friday" and "at 6" correct what was planned last.
pub(crate) fn only_a_time(hearing: &Hearing, heard: &AnnotatedText, domains: &[String]) -> Option<PlannedAction> {
    let all = 0..heard.tokens.len();
    let ids = heard.ids(all.clone());
    let [time] = heard.times_in(&all)[..] else {
        return None;
    };
    let is_bare = ids.is_empty() || GRAMMAR.lexicon.is_phrase("correction", &ids);
    let last = history::latest(hearing.history, |past| filling::fits(domains, &past.service)).filter(|_| is_bare)?;
    let words = heard.words_of(&heard.masks[time]);
    filling::retimed(last, words)
}

impl Clause {
    /// Whether one of the words that ask, and not of those that it is about, is among these.
    pub fn asks_by(&self, words: &[bool]) -> bool {
        let in_slot = |at: &usize| self.slots.iter().any(|slot| (slot.first..=slot.last).contains(at));
        self.core.clone().any(|at| words[at] && (at == self.core.start || !in_slot(&at)))
    }

    pub fn looks_up(&self) -> bool {
        LOOK_UPS.split(' ').any(|command| command == self.command)
    }

    pub fn actions(&self) -> impl Iterator<Item = &PlannedAction> {
        let (one, several): (Option<&PlannedAction>, &[PlannedAction]) = match &self.built {
            Built::Act(action) | Built::Ask { partial: action, .. } => (Some(action), &[]),
            Built::Acts(actions) => (None, actions),
            Built::No => (None, &[]),
        };
        one.into_iter().chain(several)
    }
}

/// A sentence that is no request, after a mail with words of its own, belongs to that mail.
fn continue_letter(clauses: &mut [Clause], heard: &AnnotatedText, sentence: Range<usize>) -> bool {
    let live = heard.live(sentence.clone());
    if live.len() < 3 || sentence.is_empty() {
        return false;
    }
    let Some(Clause { built: Built::Act(action), .. }) = clauses.last_mut() else {
        return false;
    };
    let is_letter = action.service == "email" && action.params.contains_key("body");
    let Some(body) = action.params.get("body").and_then(|b| b.as_str()).filter(|_| is_letter) else {
        return false;
    };
    let more = filling::finish_body(heard.raw(sentence.start, sentence.end - 1));
    let body = format!("{} {more}\n", body.trim_end());
    action.params.insert("body".into(), body.into());
    true
}

pub(crate) struct Parser<'a> {
    pub grammar: Grammar<'static>,
    pub hearing: &'a Hearing<'a>,
    pub heard: &'a AnnotatedText<'a>,
    domains: &'a [String],
    pub tries: &'a Tries,
    /// Clauses that were tried; a message is divided in many ways that share theirs.
    tried: RefCell<FxHashMap<Range<usize>, Option<Clause>>>,
}

impl<'a> Parser<'a> {
    pub fn new(
        hearing: &'a Hearing<'a>,
        heard: &'a AnnotatedText<'a>,
        domains: &'a [String],
        tries: &'a Tries,
    ) -> Parser<'a> {
        Parser { grammar: GRAMMAR, hearing, heard, domains, tries, tried: RefCell::default() }
    }

    /// "I've got a migraine, please cancel the planning session": what follows a comma and asks.
    fn behind_an_excuse(&self, sentence: Range<usize>) -> Vec<Clause> {
        let comma = |at: &usize| self.heard.typed(*at) == ",";
        let asks = |at: &usize| {
            let ids = self.heard.ids(*at + 1..sentence.end);
            ["lead", "delead"].iter().any(|class| self.grammar.lexicon.starts(class, &ids).is_some())
        };
        let starts = sentence.clone().filter(comma).filter(asks).take(CONNECTORS_MAX);
        starts.map(|at| self.clauses(at + 1..sentence.end, 0)).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The clauses of a token range; empty when it is no request.
    pub fn clauses(&self, range: Range<usize>, depth: usize) -> Vec<Clause> {
        if self.tries.are_spent() {
            return Vec::new();
        }
        let whole = self.clause(range.clone());
        if depth > CONNECTORS_MAX {
            return whole.into_iter().collect();
        }
        let connectors = self.connectors(&range);
        for (at, after) in connectors.iter().take(CONNECTORS_MAX) {
            let Some(left) = self.clause(range.start..*at) else {
                continue;
            };
            let link = self.heard.typed(*at);
            if matches!(link, ":" | "-" | "–" | "—" | "so" | "but") {
                continue;
            }
            // "List called fire log: certificates, alarm test sheet" goes on with its things.
            let listed = link == "," && left.command == "keep.create" && self.says_mark(range.start..*at, ":");
            if listed {
                continue;
            }
            let asks = matches!(left.built, Built::Ask { .. });
            // "Parish council Friday 7pm, also order the hymn books" is an event, whatever follows.
            let happening = left.command == "calendar.create_event" && left.has_time;
            if (left.weak && !happening || asks) && whole.as_ref().is_some_and(|w| !w.weak) {
                continue;
            }
            let right_range = *after..range.end;
            let right = self.clauses(right_range.clone(), depth + 1);
            let Some(first) = right.first() else { continue };
            if self.divides(&left, first, &right_range) {
                return std::iter::once(left).chain(right).collect();
            }
        }
        if let Some(clauses) = self.behind_a_reason(&range, &connectors, depth) {
            return clauses;
        }
        if let Some(clause) = self.without_aside(&range, &connectors, depth) {
            return vec![clause];
        }
        match whole {
            Some(clause) => vec![clause],
            None => self.after_preamble(&range, &connectors, depth),
        }
    }

    /// "Feed merchant shuts at 5 so remind me at 4 to collect the straw": a reason, unless it asks for something itself.
    fn behind_a_reason(
        &self,
        range: &Range<usize>,
        connectors: &[(usize, usize)],
        depth: usize,
    ) -> Option<Vec<Clause>> {
        let so = |at: usize| self.heard.typed(at) == "so";
        let (at, after) = connectors.iter().take(CONNECTORS_MAX).find(|(at, _)| so(*at))?;
        let request = *after..range.end;
        let found = self.begins(&request, &["remindme"]).then(|| self.clauses(request, depth + 1))?;
        found.first().filter(|clause| matches!(clause.built, Built::Act(_)))?;
        let asks = |clause: &Clause| !clause.weak || clause.command == "calendar.create_event";
        let reason = self.clause(range.start..*at).filter(asks);
        Some(reason.into_iter().chain(found).collect())
    }

    /// "I'm ill, cancel my meetings": the request after a remark.
    fn after_preamble(&self, range: &Range<usize>, connectors: &[(usize, usize)], depth: usize) -> Vec<Clause> {
        let is_told = self.is_told(range);
        for (at, after) in connectors.iter().take(CONNECTORS_MAX) {
            let comma = self.heard.typed(*at);
            if !matches!(comma, "," | "so" | "-" | "–" | "—" | ":") {
                continue;
            }
            let right = self.clauses(*after..range.end, depth + 1);
            // "Don't know what I did with half of them, show me all my notes" changes nothing.
            if right.first().is_some_and(|clause| !clause.weak && (!is_told || clause.looks_up())) {
                return right;
            }
        }
        Vec::new()
    }

    /// Talk that names our nouns but asks for nothing.
    pub fn is_talk(&self, range: Range<usize>) -> bool {
        let readings = matching::readings(self.grammar, self.heard, range);
        readings.first().is_some_and(|found| found.frame.command == "chat")
    }

    /// Nothing but politeness.
    fn is_polite(&self, range: Range<usize>) -> bool {
        let ids = self.heard.ids(range);
        let last = matching::starts(self.grammar.lexicon, &ids).last().copied().unwrap_or_default();
        ["lead", "delead", "tail"].iter().any(|class| self.grammar.lexicon.is_phrase(class, &ids[last..]))
    }

    /// Negated, wished or reported: no request of the person's own.
    pub fn is_told(&self, range: &Range<usize>) -> bool {
        let ids = self.heard.ids(range.clone());
        matching::starts(self.grammar.lexicon, &ids).into_iter().any(|at| {
            ["negation", "reported"].iter().any(|class| self.grammar.lexicon.starts(class, &ids[at..]).is_some())
        })
    }

    /// The best buildable reading of a clause.
    pub fn clause(&self, range: Range<usize>) -> Option<Clause> {
        self.tries.take()?;
        if let Some(tried) = self.tried.borrow().get(&range) {
            return tried.clone();
        }
        let clause = self.read_clause(range.clone());
        self.tried.borrow_mut().insert(range, clause.clone());
        clause
    }

    fn read_clause(&self, range: Range<usize>) -> Option<Clause> {
        let readings = matching::readings(self.grammar, self.heard, range.clone());
        // "Don't do …" and "which tasks are done" would be taken for the first slot of a frame.
        let is_told = self.is_told(&range) || self.begins(&range, &["question"]);
        for found in readings.iter().take(READINGS_MAX) {
            if found.frame.command == "chat" {
                return None;
            }
            if is_told && found.frame.begins_with_slot() {
                continue;
            }
            if let Some(clause) = self.built(found, &range) {
                return Some(clause);
            }
        }
        None
    }

    fn built(&self, found: &Match<'static>, range: &Range<usize>) -> Option<Clause> {
        let said = ClauseReading {
            grammar: self.grammar,
            hearing: self.hearing,
            heard: self.heard,
            found,
            domains: self.domains,
        };
        let built = filling::build(&said);
        let allowed = |action: &PlannedAction| filling::fits(self.domains, &action.service);
        let fits = match &built {
            Built::Act(action) | Built::Ask { partial: action, .. } => allowed(action),
            Built::Acts(actions) => !actions.is_empty() && actions.iter().all(allowed),
            Built::No => false,
        };
        let last_slot = found.slots.last().map(|slot| slot.last);
        let last_live = self.heard.live(range.clone()).last().copied();
        let last_is_time = self.heard.hidden_by(range.end.saturating_sub(1)).is_some();
        fits.then(|| Clause {
            built,
            command: found.frame.command.to_owned(),
            weak: found.frame.weak,
            investigates: found.frame.investigates,
            tokens: range.clone(),
            core: found.core.clone(),
            slots: found.slots.clone(),
            open_ended: last_slot.is_some() && last_slot == last_live && !last_is_time,
            ends_fixed: !last_is_time
                && (last_slot != last_live || found.slots.last().is_some_and(|s| s.kind == SlotType::List)),
            has_time: !self.heard.times_in(range).is_empty(),
            is_named: !found.slots.is_empty(),
        })
    }
}
