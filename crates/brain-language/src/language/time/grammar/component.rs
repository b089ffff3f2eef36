//! The parts of an expression, each filling a slot of the phrase.

use super::super::DateOrder;
use super::super::words::{Link, Sense, TokenKind, TokenLine};
use super::date::{Company, date};
use super::leading_words::LeadingWords;
use super::names::is_somebody;
use super::numbered::day_and_month;
use super::phrase::Phrase;
use super::span::span;
use super::{Hints, hints};

const COMPONENTS_MAX: usize = 12;
/// "A week after the day before …" nests; people stop at two.
const DEPTH_MAX: usize = 2;

/// Reads expressions of one line in one language.
#[derive(Debug)]
pub struct ComponentReader<'a> {
    pub line: &'a TokenLine<'a>,
    pub order: DateOrder,
    /// The text is one expression: nothing needs company.
    pub whole: bool,
    /// What is read is what something else is counted from: "a day before the 20th".
    pub anchor: bool,
    pub hints: Hints,
}

impl<'a> ComponentReader<'a> {
    pub fn new(line: &'a TokenLine<'a>, order: DateOrder, whole: bool) -> Self {
        ComponentReader { line, order, whole, anchor: false, hints: hints(line) }
    }

    /// The expression that begins at token `i`, with its prepositions.
    pub fn expression(&self, i: usize) -> Option<(Phrase, usize)> {
        self.expression_within(i, DEPTH_MAX)
    }

    pub fn expression_within(&self, i: usize, depth: usize) -> Option<(Phrase, usize)> {
        if self.is_named_thing(i) || is_somebody(self.line, i) {
            return None;
        }
        let mut lead = LeadingWords::read(self.line, i, self.hints.moves || self.whole);
        let between = lead.link == Some(Link::Between);
        let mut phrase = Phrase { role: lead.role, cue: self.hints.cue, between, ..Phrase::default() };
        let mut end = None;
        for _ in 0..COMPONENTS_MAX {
            let next = self.component(&mut phrase, &lead, depth).or_else(|| {
                // The article or preposition may belong to the component: "the day after …".
                let bare = LeadingWords { next: end.unwrap_or(i), ..LeadingWords::none(i) };
                let again = lead.next > bare.next;
                again.then(|| self.component(&mut phrase, &bare, depth)).flatten()
            });
            let Some(next) = next else { break };
            end = Some(next);
            lead = self.joint_of(&phrase, next);
        }
        Some((phrase, end?))
    }

    /// "Room 5", "version 2": the figure is a name.
    fn is_named_thing(&self, i: usize) -> bool {
        let label =
            |b: usize| self.line.pick(b, |a| (a.sense == Sense::Link(Link::Label) && b + a.len == i).then_some(()));
        let figure =
            self.line.digits(i).is_some() || self.line.atoms(i).iter().any(|a| matches!(a.sense, Sense::Number(_)));
        // "The bus 6:50" leaves then.
        let minutes = self.line.glued_mark(i + 1, ':');
        // "The lesson 4pm" begins then.
        let half = |at: usize| self.line.link(at, Link::Am).or(self.line.link(at, Link::Pm)).is_some();
        let minutes = minutes || half(i + 1) || self.line.glued_mark(i + 1, '.') && half(i + 3);
        // "Bus 8.15 to the station".
        let leaves = i.checked_sub(1).is_some_and(|b| self.line.link(b, Link::Carrier) == Some(i));
        let minutes = minutes || leaves && self.line.glued_mark(i + 1, '.');
        // "Safaricom House, 19th June".
        let date = day_and_month(self.line, i).is_some();
        // "Open house 2 to 4 today".
        let until = self.line.link(i + 1, Link::To).filter(|at| self.line.digits(*at).is_some());
        let minutes = minutes || until.is_some_and(|at| half(at + 1) || self.today_follows(at + 1));
        let ratio = i.checked_sub(1).is_some_and(|b| self.line.link(b, Link::Ratio) == Some(i));
        figure && (ratio || !minutes && !date && i.checked_sub(1).is_some_and(|b| label(b).is_some()))
    }

    /// The lead of a following component: commas, brackets and prepositions.
    pub fn joint(&self, i: usize) -> LeadingWords {
        let mut at = i;
        while [',', '(', ')', '·'].iter().any(|m| self.line.mark(at, *m)) {
            at += 1;
        }
        LeadingWords::read(self.line, at, false)
    }

    pub fn joint_of(&self, phrase: &Phrase, i: usize) -> LeadingWords {
        // "Remind me at 5 about tomorrow's drill".
        let about = self.line.link(i, Link::About).is_some() && self.line.link(i, Link::At).is_some();
        if about && self.hints.asks && phrase.clock.is_some() {
            return LeadingWords::none(i);
        }
        // "The afternoon of the 22nd", but not "in the afternoon in 3 days".
        let of = self
            .line
            .link(i, Link::Of)
            .filter(|next| phrase.part.is_some() && phrase.date.is_none() && span(self.line, *next).is_none());
        match of {
            Some(next) => LeadingWords { link: Some(Link::On), ..LeadingWords::read(self.line, next, false) },
            None => self.joint(i),
        }
    }

    fn component(&self, phrase: &mut Phrase, lead: &LeadingWords, depth: usize) -> Option<usize> {
        self.other_end(phrase, lead, depth)
            .or_else(|| self.rule(phrase, lead))
            .or_else(|| self.rule_start(phrase, lead, depth))
            .or_else(|| self.iso(phrase, lead))
            .or_else(|| self.same_time(phrase, lead))
            .or_else(|| self.offset(phrase, lead, depth))
            .or_else(|| self.length(phrase, lead))
            .or_else(|| self.day_range(phrase, lead))
            .or_else(|| self.clock_range(phrase, lead))
            .or_else(|| self.edge_of_part(phrase, lead))
            .or_else(|| self.date(phrase, lead))
            .or_else(|| self.clock(phrase, lead))
            .or_else(|| self.part(phrase, lead))
            .or_else(|| self.zone(phrase, lead))
            .or_else(|| self.now(phrase, lead))
    }

    /// Does a date or part of day stand here, whatever joins it?
    pub fn date_follows(&self, i: usize) -> bool {
        let lead = self.joint(i);
        let date =
            date(self.line, lead.next, self.order).is_some_and(|d| d.company != Company::DayWord || lead.says_day());
        date || self.part_at(lead.next).is_some()
    }

    /// Is what precedes an amount of something: "5 people", "5%"?
    pub fn counts(&self, i: usize) -> bool {
        let address = self.line.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Word)
            && self.line.atoms(i).is_empty()
            && self.line.link(i + 1, Link::Street).is_some();
        // "250 units at 18.40 each".
        let apiece = self
            .line
            .link(i, Link::Each)
            .is_some_and(|next| self.line.tokens.get(next).is_none_or(|t| matches!(t.kind, TokenKind::Mark(_))));
        self.line.link(i, Link::Counted).is_some() || address || apiece || !self.line.ends_figure(i)
    }

    /// Is the sentence over, or does it go on with a small word?
    pub fn ends_here(&self, i: usize) -> bool {
        match self.line.tokens.get(i).map(|t| &t.kind) {
            None | Some(TokenKind::Mark(_)) => true,
            Some(TokenKind::Word | TokenKind::Number { .. }) => {
                self.line.link(i, Link::Follow).is_some() || self.date_follows(i)
            }
        }
    }
}
