//! The parts of an expression, each filling a slot of the phrase.

use super::super::{DateOrder, Role};
use super::super::words::{Kind, Line, Link, Sense, Unit};
use super::clock::{Surety, clock, plain};
use super::date::{Company, bare_day, date, day_range};
use super::lead::Lead;
use super::numeric;
use super::phrase::{Date, MonthOf, Period, Phrase, Rule, Span, Zone};
use super::rule;
use super::span::{number, span, unit};
use super::{Hints, hints};

const COMPONENTS_MAX: usize = 12;
/// "A week after the day before …" nests; people stop at two.
const DEPTH_MAX: usize = 2;

/// Reads expressions of one line in one language.
#[derive(Debug)]
pub struct Reader<'a> {
    line: &'a Line<'a>,
    order: DateOrder,
    /// The text is one expression: nothing needs company.
    whole: bool,
    /// What is read is what something else is counted from: "a day before the 20th".
    anchor: bool,
    hints: Hints,
}

impl<'a> Reader<'a> {
    pub fn new(line: &'a Line<'a>, order: DateOrder, whole: bool) -> Self {
        Reader { line, order, whole, anchor: false, hints: hints(line) }
    }

    /// The expression that begins at token `i`, with its prepositions.
    pub fn expression(&self, i: usize) -> Option<(Phrase, usize)> {
        self.expression_within(i, DEPTH_MAX)
    }

    fn expression_within(&self, i: usize, depth: usize) -> Option<(Phrase, usize)> {
        if self.is_named_thing(i) {
            return None;
        }
        let mut lead = Lead::read(self.line, i, self.hints.moves || self.whole);
        let between = lead.link == Some(Link::Between);
        let mut phrase = Phrase { role: lead.role, cue: self.hints.cue, between, ..Phrase::default() };
        let mut end = None;
        for _ in 0..COMPONENTS_MAX {
            let next = self.component(&mut phrase, &lead, depth).or_else(|| {
                // The article or preposition may belong to the component: "the day after …".
                let bare = Lead { next: end.unwrap_or(i), ..Lead::none(i) };
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
        let label = |b: usize| self.line.pick(b, |a| (a.sense == Sense::Link(Link::Label) && b + a.len == i).then_some(()));
        let figure = self.line.digits(i).is_some() || self.line.atoms(i).iter().any(|a| matches!(a.sense, Sense::Number(_)));
        figure && i.checked_sub(1).is_some_and(|b| label(b).is_some())
    }

    /// The lead of a following component: commas, brackets and prepositions.
    fn joint(&self, i: usize) -> Lead {
        let mut at = i;
        while [',', '(', ')', '·'].iter().any(|m| self.line.mark(at, *m)) {
            at += 1;
        }
        Lead::read(self.line, at, false)
    }

    fn joint_of(&self, phrase: &Phrase, i: usize) -> Lead {
        // "The afternoon of the 22nd".
        let of = self.line.link(i, Link::Of).filter(|_| phrase.part.is_some() && phrase.date.is_none());
        match of {
            Some(next) => Lead { link: Some(Link::On), ..Lead::read(self.line, next, false) },
            None => self.joint(i),
        }
    }

    fn component(&self, phrase: &mut Phrase, lead: &Lead, depth: usize) -> Option<usize> {
        self.other_end(phrase, lead, depth)
            .or_else(|| self.rule(phrase, lead))
            .or_else(|| self.rule_start(phrase, lead, depth))
            .or_else(|| self.iso(phrase, lead))
            .or_else(|| self.offset(phrase, lead, depth))
            .or_else(|| self.length(phrase, lead))
            .or_else(|| self.day_range(phrase, lead))
            .or_else(|| self.clock_range(phrase, lead))
            .or_else(|| self.date(phrase, lead))
            .or_else(|| self.clock(phrase, lead))
            .or_else(|| self.part(phrase, lead))
            .or_else(|| self.zone(phrase, lead))
            .or_else(|| self.now(phrase, lead))
    }

    /// "… to Wednesday": the end of a range that has begun.
    fn other_end(&self, phrase: &mut Phrase, lead: &Lead, depth: usize) -> Option<usize> {
        if phrase.is_empty() || phrase.to.is_some() || depth == 0 || self.hints.moves {
            return None;
        }
        // The joint has eaten an "until"; "to" and a dash are still there.
        let at = match lead.link {
            Some(Link::Until | Link::By) if phrase.role != Role::Until => lead.next,
            Some(Link::For | Link::Since) => return None,
            _ => {
                let between = phrase.between;
                let and = between.then(|| self.line.link(lead.next, Link::And)).flatten();
                and.or_else(|| self.line.link(lead.next, Link::To))?
            }
        };
        let reader = Reader { whole: phrase.clock.is_some() || self.whole, ..*self };
        let (end, next) = reader.expression_within(at, depth - 1)?;
        let fits = end.to.is_none() && end.rule.is_none() && end.offset.is_none() && end.length.is_none();
        let same_kind = phrase.rule.is_some() || end.clock.is_some() == phrase.clock.is_some() || end.date.is_some();
        if !fits || !same_kind {
            return None;
        }
        if lead.link == Some(Link::By) && phrase.rule.is_none() && phrase.clock.is_none() {
            return None;
        }
        phrase.to = Some(Box::new(end));
        Some(next)
    }

    fn rule(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if let (Some(rule), true) = (phrase.rule, phrase.date.is_none()) {
            // "Weekly on Fridays".
            let heard = rule::plural_days(self.line, lead.next)?;
            let bare = rule.unit == Unit::Week && rule.days == Default::default();
            if !bare {
                return None;
            }
            phrase.rule = Some(Rule { days: heard.rule.days, ..rule });
            return Some(heard.next);
        }
        if phrase.rule.is_some() {
            return None;
        }
        if let Some(date) = &phrase.date {
            let numbered = matches!(date, Date::Numbered { .. } | Date::Holiday { .. });
            let (rule, next) = rule::repeats(self.line, lead.next).filter(|_| numbered)?;
            phrase.rule = Some(rule);
            return Some(next);
        }
        let heard = rule::rule(self.line, lead.next, self.order)?;
        if phrase.part.is_some() && heard.part.is_some() || phrase.offset.is_some() {
            return None;
        }
        phrase.rule = Some(heard.rule);
        phrase.date = heard.date;
        phrase.part = heard.part.or(phrase.part);
        Some(heard.next)
    }

    /// "Every Tuesday from February".
    fn rule_start(&self, phrase: &mut Phrase, lead: &Lead, depth: usize) -> Option<usize> {
        let fits = phrase.rule.is_some() && phrase.start.is_none() && lead.link == Some(Link::From);
        if !fits || depth == 0 {
            return None;
        }
        let (start, next) = self.expression_within(lead.next, depth - 1)?;
        let day = start.date.is_some() && start.rule.is_none() && start.to.is_none();
        phrase.clock = phrase.clock.or(start.clock);
        phrase.start = day.then(|| Box::new(start));
        day.then_some(next)
    }

    fn iso(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if !phrase.is_empty() {
            return None;
        }
        let (date, zone, next) = numeric::iso(self.line, lead.next)?;
        phrase.date = Some(date);
        phrase.zone = zone;
        Some(next)
    }

    /// "In 2 hours", "3 days ago", "a week from Friday", "10 minutes before noon".
    fn offset(&self, phrase: &mut Phrase, lead: &Lead, depth: usize) -> Option<usize> {
        let line = self.line;
        if phrase.offset.is_some() || phrase.shift.is_some() || phrase.clock.is_some() {
            return None;
        }
        let before = line.link(lead.next, Link::AgoBefore).and_then(|at| span(line, at));
        if let Some((length, next)) = before.filter(|_| phrase.is_empty()) {
            phrase.offset = Some(length.back());
            return Some(next);
        }
        if let Some(found) = self.short_offset(phrase, lead) {
            return Some(found);
        }
        let Some((length, next)) = span(line, lead.next) else {
            // "The day before", "the hour after": the article counts as one.
            let (one, next) = unit(line, lead.next).filter(|_| lead.article)?;
            return self.anchored(phrase, Span::of(one, 100), next, depth).filter(|_| phrase.shift.is_some());
        };
        if let Some(next) = line.link(next, Link::Ago).filter(|_| phrase.is_empty()) {
            phrase.offset = Some(length.back());
            return Some(next);
        }
        if let Some(next) = line.link(next, Link::Hence).filter(|_| phrase.is_empty()) {
            phrase.offset = Some(length);
            return Some(next);
        }
        if let Some(found) = self.anchored(phrase, length, next, depth) {
            return Some(found);
        }
        if lead.link != Some(Link::In) {
            return None;
        }
        match phrase.date {
            // "Friday in two weeks", "heute in einer Woche".
            Some(Date::Day(_) | Date::Weekday { .. }) if length.is_calendar() => phrase.shift = Some(length),
            Some(_) => return None,
            None if phrase.is_empty() => phrase.offset = Some(length),
            None => return None,
        }
        Some(next)
    }

    /// "In 10": of minutes, if the sentence ends there.
    fn short_offset(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        let asked = lead.link == Some(Link::In) && !lead.article && phrase.is_empty();
        let (minutes, _) = self.line.digits(lead.next).filter(|(n, _)| asked && (1..=90).contains(n))?;
        let next = lead.next + 1;
        let ends = self.line.tokens.get(next).is_none_or(|t| t.kind != Kind::Word) && self.line.ends_figure(next);
        let plain = ends && self.line.digits(next).is_none() && !self.line.glued_mark(next, ':') && !self.line.glued_mark(next, '-');
        phrase.offset = Some(Span::of(Unit::Minute, i64::from(minutes) * 100)).filter(|_| plain);
        plain.then_some(next)
    }

    /// A length and what it is counted from: "a week from Friday", "an hour before midnight".
    fn anchored(&self, phrase: &mut Phrase, length: Span, at: usize, depth: usize) -> Option<usize> {
        if !phrase.is_empty() || depth == 0 {
            return None;
        }
        let line = self.line;
        let whole_weeks = length.days > 0 && length.days % 7 == 0 && length.seconds == 0;
        let (shift, from) = if let Some(next) = line.link(at, Link::FromAnchor) {
            (length, next)
        } else if let Some(next) = line.link(at, Link::Before) {
            (length.back(), next)
        } else if whole_weeks {
            // "A week on Friday", "two weeks today".
            (length, line.link(at, Link::On).unwrap_or(at))
        } else {
            return None;
        };
        let reader = Reader { anchor: true, ..*self };
        let (anchor, next) = reader.expression_within(from, depth - 1)?;
        let fixed = anchor.rule.is_none() && anchor.to.is_none() && anchor.offset.is_none();
        let timed = anchor.date.is_some() || anchor.clock.is_some();
        if !fixed || !timed || anchor.shift.is_some() || anchor.role != Role::Plain && from == at {
            return None;
        }
        *phrase = Phrase { role: phrase.role, shift: Some(shift), ..anchor };
        Some(next)
    }

    fn length(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        let fits = phrase.length.is_none() && phrase.to.is_none() && phrase.offset.is_none();
        let asked = lead.link == Some(Link::For) || phrase.is_empty() && lead.link.is_none();
        if !fits || !asked {
            return None;
        }
        let (length, next) = span(self.line, lead.next)?;
        // "17h30" is a clock time, "1h30" more likely a length.
        let late = clock(self.line, lead.next).is_some_and(|c| c.surety == Surety::Sure && c.clock.hour > 4);
        if lead.link.is_none() && late {
            return None;
        }
        phrase.length = Some(length);
        Some(next)
    }

    /// "2-4pm", "from 2 to 4", "between 2 and 4 on Thursday".
    fn clock_range(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        let line = self.line;
        if phrase.clock.is_some() || phrase.to.is_some() || phrase.offset.is_some() || self.hints.moves {
            return None;
        }
        let between = lead.link == Some(Link::Between);
        // In "2 to 4" the first clock is the 2; "ten to five" is one clock.
        let first = match clock(line, lead.next)? {
            first if self.range_word(first.next, between).is_some() => first,
            first if first.surety == Surety::Bare => plain(line, lead.next)?,
            _ => return None,
        };
        let second_at = self.range_word(first.next, between)?;
        let second_at = line.link(second_at, Link::At).unwrap_or(second_at);
        let second = clock(line, second_at)?;
        let sure = first.surety.max(second.surety) > Surety::Bare;
        let from = matches!(lead.link, Some(Link::From | Link::At));
        let has_date = phrase.date.is_some() || phrase.part.is_some() || phrase.rule.is_some();
        let scale = !sure && matches!((first.clock.hour, second.clock.hour), (0 | 1, 10));
        if scale || !(sure || from || has_date || self.whole || self.date_follows(second.next)) || self.counts(second.next) {
            return None;
        }
        phrase.clock = Some(first.clock.on_the_dial_of(second.clock));
        phrase.to = Some(Box::new(Phrase { clock: Some(second.clock), ..Phrase::default() }));
        if phrase.role == Role::From {
            phrase.role = Role::Plain;
        }
        Some(second.next)
    }

    fn range_word(&self, i: usize, between: bool) -> Option<usize> {
        let and = between.then(|| self.line.link(i, Link::And)).flatten();
        and.or_else(|| self.line.link(i, Link::To))
    }

    /// Does a date or part of day stand here, whatever joins it?
    fn date_follows(&self, i: usize) -> bool {
        let lead = self.joint(i);
        let date = date(self.line, lead.next, self.order).is_some_and(|d| d.company != Company::DayWord);
        date || self.part_at(lead.next).is_some()
    }

    /// Is what precedes an amount of something: "5 people", "5%"?
    fn counts(&self, i: usize) -> bool {
        self.line.link(i, Link::Counted).is_some() || !self.line.ends_figure(i)
    }

    fn day_range(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if !phrase.is_empty() || self.hints.moves {
            return None;
        }
        let (first, second, next) = day_range(self.line, lead.next)?;
        phrase.date = Some(first);
        phrase.to = Some(Box::new(Phrase { date: Some(second), ..Phrase::default() }));
        if phrase.role == Role::From {
            phrase.role = Role::Plain;
        }
        Some(next)
    }

    fn date(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if phrase.offset.is_some() {
            return None;
        }
        if let Some(Date::Weekday { day, which, weeks: 0 }) = phrase.date {
            // "Friday 13": an hour would have an "at".
            if let (Some((number, next)), None) = (bare_day(self.line, lead.next), lead.link) {
                if self.line.glued_mark(next, ':') || date(self.line, lead.next, self.order).is_some_and(|d| d.next > next) {
                    // A longer date stands here: below.
                } else if which.is_none() && phrase.clock.is_none() {
                    phrase.date = Some(Date::Numbered { day: number, month: None, weekday: Some(day) });
                    return Some(next);
                }
            }
        }
        if let Some(next) = self.beside(phrase, lead) {
            return Some(next);
        }
        let heard = date(self.line, lead.next, self.order).or_else(|| self.year(phrase, lead))?;
        let bare_word = heard.company == Company::DayWord && self.line.digits(lead.next).is_none();
        let company = (self.whole || !phrase.is_empty()) && !bare_word
            || match heard.company {
                Company::Lead => lead.link.is_some() || lead.article || self.whole || !phrase.is_empty(),
                Company::Nothing => true,
                Company::Some => {
                    let named = lead.says_day() || lead.link == Some(Link::In) && !matches!(heard.date, Date::Weekday { .. });
                    named && !lead.article || self.time_follows(heard.next)
                }
                Company::DayWord => self.is_day_number(lead, heard.next),
            };
        if !company || heard.company > Company::Nothing && self.counts(heard.next) {
            return None;
        }
        let both_parts = phrase.part.is_some() && heard.part.is_some();
        if both_parts || phrase.to.is_some() && phrase.date.is_some() {
            return None;
        }
        phrase.date = Some(match phrase.date.take() {
            None => heard.date,
            Some(old) => match merged(&old, &heard.date) {
                Some(both) => both,
                None => {
                    phrase.date = Some(old);
                    return None;
                }
            },
        });
        phrase.part = phrase.part.or(heard.part);
        Some(heard.next)
    }

    /// "The Friday after Thanksgiving".
    fn beside(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        let (day, _, next) = super::date::weekday_name(self.line, lead.next).filter(|_| phrase.date.is_none())?;
        let (before, at) = match self.line.link(next, Link::After) {
            Some(at) => (false, at),
            None => (true, self.line.link(next, Link::Before)?),
        };
        let at = self.line.skip(at, &[Link::The]);
        let anchor = date(self.line, at, self.order).filter(|d| d.part.is_none() && d.date.is_one_day())?;
        phrase.date = Some(Date::Beside { day, before, anchor: Box::new(anchor.date) });
        Some(anchor.next)
    }

    /// "On the 15th": a preposition of days, and in words ("on the first") the end of the sentence.
    fn is_day_number(&self, lead: &Lead, next: usize) -> bool {
        let asked = lead.says_day() || self.anchor || self.whole || lead.article && self.time_follows(next);
        let repeats = || rule::repeats(self.line, next).is_some();
        asked && (self.line.digits(lead.next).is_some() && !self.anchor || self.ends_here(next) || repeats())
    }

    /// "In 2027".
    fn year(&self, phrase: &Phrase, lead: &Lead) -> Option<super::date::Heard> {
        let named = matches!(lead.link, Some(Link::In | Link::Since | Link::By)) && phrase.is_empty();
        let at = match unit(self.line, lead.next) {
            Some((Unit::Year, next)) => next,
            Some(_) | None => lead.next,
        };
        let (year, next) = super::date::year(self.line, at).filter(|_| named)?;
        if self.counts(next) || self.line.glued_mark(next, '-') {
            return None;
        }
        let date = Date::Period(Period::YearNumbered(year));
        Some(super::date::Heard { date, part: None, next, company: Company::Nothing })
    }

    /// Does a clock time or part of day stand here?
    fn time_follows(&self, i: usize) -> bool {
        let lead = self.joint(i);
        let at = lead.link == Some(Link::At);
        let sure = clock(self.line, lead.next).is_some_and(|c| c.surety == Surety::Sure || at);
        sure || self.part_at(lead.next).is_some()
    }

    fn clock(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if phrase.clock.is_some() || phrase.has_exact_offset() || matches!(phrase.date, Some(Date::Local(_))) {
            return None;
        }
        let heard = clock(self.line, lead.next)?;
        let asked = matches!(lead.link, Some(Link::At | Link::By | Link::Until | Link::Since | Link::From | Link::MovedTo))
            && !lead.article;
        let beside = phrase.date.is_some() || phrase.part.is_some() || phrase.rule.is_some() || phrase.offset.is_some();
        let followed = || self.part_at(self.joint(heard.next).next).is_some() || self.zone_at(heard.next).is_some();
        let fits = match heard.surety {
            Surety::Sure => lead.link != Some(Link::For),
            Surety::Likely => asked || beside || self.whole || followed(),
            Surety::Bare if lead.link == Some(Link::In) => false,
            Surety::Bare => {
                asked || self.whole || followed() || beside && lead.link.is_none() && self.ends_here(heard.next)
                    || lead.link.is_none() && self.today_follows(heard.next)
            }
        };
        if !fits || heard.surety < Surety::Sure && self.counts(heard.next) {
            return None;
        }
        // "By 10 March" is a date, "at 5 minutes" a length, "from 1 to 10" a range of something.
        let longer = span(self.line, lead.next).is_some_and(|(_, next)| next > heard.next)
            || date(self.line, lead.next, self.order).is_some_and(|d| d.next > heard.next);
        let range = lead.link == Some(Link::From)
            && self.range_word(heard.next, false).is_some_and(|at| number(self.line, at).is_some());
        if heard.surety < Surety::Sure && (longer || range && !self.hints.moves) {
            return None;
        }
        phrase.clock = Some(heard.clock);
        Some(heard.next)
    }

    /// "5 tomorrow": a bare number just before a day.
    fn today_follows(&self, i: usize) -> bool {
        self.line.pick(i, |a| matches!(a.sense, Sense::Day(_) | Sense::DayPart(..)).then_some(())).is_some()
    }

    /// Is the sentence over, or does it go on with a small word?
    fn ends_here(&self, i: usize) -> bool {
        match self.line.tokens.get(i).map(|t| &t.kind) {
            None | Some(Kind::Mark(_)) => true,
            Some(Kind::Word | Kind::Number { .. }) => {
                self.line.link(i, Link::Follow).is_some() || self.date_follows(i)
            }
        }
    }

    fn part_at(&self, i: usize) -> Option<(&'static crate::core::when::defaults::Part, bool, usize)> {
        self.line
            .pick(i, |a| match a.sense {
                Sense::Part(part) => Some((part, a.weak)),
                _ => None,
            })
            .map(|((part, weak), next)| (part, weak, next))
    }

    /// "In the morning", "tomorrow night", "at night".
    fn part(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if phrase.part.is_some() || phrase.has_exact_offset() {
            return None;
        }
        let (part, weak, next) = self.part_at(lead.next)?;
        let beside = phrase.date.is_some() || phrase.clock.is_some() || phrase.rule.is_some() || phrase.offset.is_some();
        let asked = matches!(lead.link, Some(Link::In | Link::At | Link::By | Link::On | Link::Until | Link::Since));
        // "Evening" alone is a greeting; "after work" and "end of day" say enough.
        let enough = part.alone || next > lead.next + 1 && !lead.article;
        if weak && !beside || !(beside || asked || self.whole || enough) {
            return None;
        }
        phrase.part = Some(part);
        Some(next)
    }

    fn zone_at(&self, i: usize) -> Option<(Zone, usize)> {
        let line = self.line;
        let abbreviation = line.pick(i, |a| match a.sense {
            Sense::Zone(zone) => Some(zone),
            _ => None,
        });
        if let Some((zone, next)) = abbreviation {
            let end = line.tokens.get(next - 1).map_or(0, |t| t.span.end);
            let offset = numeric::offset_text(line.text.get(end..)?);
            if let Some((zone, used)) = offset {
                let next = line.tokens.iter().position(|t| t.span.start >= end + used);
                return Some((zone, next.unwrap_or(line.tokens.len())));
            }
            let next = line.link(next, Link::TimeWord).unwrap_or(next);
            return Some((Zone::Named(zone), next));
        }
        let (at, in_place) = match line.link(i, Link::In) {
            Some(at) => (at, true),
            None => (i, false),
        };
        let (zone, next) = line.pick(at, |a| match a.sense {
            Sense::Place(zone) => Some(zone),
            _ => None,
        })?;
        match line.link(next, Link::TimeWord) {
            Some(next) => Some((Zone::Named(zone), next)),
            None => in_place.then_some((Zone::Named(zone), next)),
        }
    }

    fn zone(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if phrase.zone.is_some() || phrase.clock.is_none() {
            return None;
        }
        // The joint may have eaten the "in" of "in New York".
        let at = if lead.link == Some(Link::In) && !lead.article { lead.next.saturating_sub(1) } else { lead.next };
        let (zone, next) = self.zone_at(at)?;
        phrase.zone = Some(zone);
        Some(next)
    }

    fn now(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        let next = self.line.link(lead.next, Link::Now).filter(|_| self.whole && phrase.is_empty())?;
        phrase.now = true;
        Some(next)
    }
}

/// Two dates of one expression as one; `None`: they do not belong together.
fn merged(old: &Date, new: &Date) -> Option<Date> {
    use Date::{Day, Holiday, Numbered, Weekday, WeekdayOfWeek};
    Some(match (old, new) {
        (Weekday { day, .. }, Date::Period(Period::Week(week)))
        | (Date::Period(Period::Week(week)), Weekday { day, .. }) => WeekdayOfWeek { day: *day, week: *week },
        (Weekday { day: weekday, .. }, Numbered { day, month, weekday: None })
        | (Numbered { day, month, weekday: None }, Weekday { day: weekday, .. }) => {
            Numbered { day: *day, month: *month, weekday: Some(*weekday) }
        }
        (Numbered { day, month: None, weekday }, Date::Period(Period::Month(month)))
        | (Date::Period(Period::Month(month)), Numbered { day, month: None, weekday }) => {
            Numbered { day: *day, month: Some(*month), weekday: *weekday }
        }
        (
            Numbered { day, month: Some(MonthOf::Named { month, year: None, which: None }), weekday },
            Date::Period(Period::Year(n)),
        )
        | (
            Date::Period(Period::Year(n)),
            Numbered { day, month: Some(MonthOf::Named { month, year: None, which: None }), weekday },
        ) => Date::InYear { day: *day, month: *month, weekday: *weekday, year: *n },
        (Day(_) | Holiday { .. } | Date::Exact(_) | Date::Both(..), Numbered { .. } | Weekday { .. } | Holiday { .. } | Date::Exact(_))
        | (Numbered { .. } | Weekday { .. }, Day(_) | Holiday { .. } | Date::Exact(_)) => {
            Date::Both(Box::new(old.clone()), Box::new(new.clone()))
        }
        _ => return None,
    })
}

