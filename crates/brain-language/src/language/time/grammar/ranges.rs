//! The two ends of a range: "from 2 to 4", "Monday to Wednesday", "3-5 May".

use super::super::TimeRole;
use super::super::words::{DaySet, Link, Unit};
use super::clock::{Surety, clock, plain};
use super::component::ComponentReader;
use super::leading_words::LeadingWords;
use super::numbered::{day_range, month_name};
use super::phrase::{Date, Phrase, RepeatRule};

impl ComponentReader<'_> {
    /// "… to Wednesday": the end of a range that has begun.
    pub fn other_end(&self, phrase: &mut Phrase, lead: &LeadingWords, depth: usize) -> Option<usize> {
        let has_hours = phrase.to.as_ref().is_some_and(|to| to.clock.is_some() && to.date.is_none());
        let ends_rule = has_hours && phrase.rule.is_some() && phrase.ends.is_none() && lead.link == Some(Link::Until);
        if phrase.is_empty() || phrase.to.is_some() && !ends_rule || depth == 0 || self.moves_on(phrase, lead) {
            return None;
        }
        // The joint has eaten an "until"; "to" and a dash are still there.
        let at = match lead.link {
            Some(Link::Until | Link::By) if phrase.role != TimeRole::Until => lead.next,
            Some(Link::For | Link::Since) => return None,
            _ => {
                let between = phrase.between;
                let and = between.then(|| self.line.link(lead.next, Link::And)).flatten();
                and.or_else(|| self.line.link(lead.next, Link::To))?
            }
        };
        // "Mo bis Fr".
        let days = matches!(phrase.date, Some(Date::Weekday { .. })) && phrase.clock.is_none();
        let reader =
            ComponentReader { whole: phrase.clock.is_some() || self.whole, anchor: days || self.anchor, ..*self };
        let (mut end, next) = reader.expression_within(at, depth - 1)?;
        let fits = end.to.is_none() && end.rule.is_none() && end.offset.is_none() && end.length.is_none();
        let same_kind = phrase.rule.is_some() || end.clock.is_some() == phrase.clock.is_some() || end.date.is_some();
        if !fits || !same_kind {
            return None;
        }
        if ends_rule {
            let is_day = end.date.is_some() && end.clock.is_none();
            phrase.ends = is_day.then(|| Box::new(end));
            return is_day.then_some(next);
        }
        if lead.link == Some(Link::By) && phrase.rule.is_none() && phrase.clock.is_none() {
            return None;
        }
        if days && end.date.is_some() && lead.link != Some(Link::From) && phrase.role != TimeRole::From {
            // "Mon to Fri 9am": the hour is that of each day.
            phrase.clock = end.clock.take();
            if phrase.clock.is_some() {
                let first = Phrase { date: phrase.date.take(), ..Phrase::default() };
                phrase.start = Some(Box::new(first));
                phrase.rule = Some(RepeatRule { every: 1, unit: Unit::Day, days: DaySet::default(), adjective: false });
            }
        }
        phrase.to = Some(Box::new(end));
        Some(next)
    }

    /// "2-4pm", "from 2 to 4", "between 2 and 4 on Thursday".
    pub fn clock_range(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        let line = self.line;
        if phrase.clock.is_some() || phrase.to.is_some() || phrase.has_exact_offset() {
            return None;
        }
        let between = lead.link == Some(Link::Between);
        if self.moves_on(phrase, lead) && !between && !self.dash_follows(lead.next) {
            return None;
        }
        // In "2 to 4" the first clock is the 2; "ten to five" is one clock.
        let first = match clock(line, lead.next)? {
            first if self.range_word(first.next, between).is_some() => first,
            first if first.surety == Surety::Bare => plain(line, lead.next)?,
            _ => return None,
        };
        let second_at = self.range_word(first.next, between)?;
        let second_at = line.link(second_at, Link::At).unwrap_or(second_at);
        // "The 7-eleven".
        let name = line.digits(lead.next).is_some() && line.digits(second_at).is_none() && line.glued(second_at);
        if name {
            return None;
        }
        let second = clock(line, second_at)?;
        // "At 7am until 2 March" ends on a day.
        let is_day = second.surety == Surety::Bare && month_name(line, second.next).is_some();
        if is_day && line.link(first.next, Link::Until).is_some() {
            return None;
        }
        let hours = (1..=12).contains(&first.clock.hour) && (1..=12).contains(&second.clock.hour);
        // "9 til 12" counts nothing.
        let until = line.link(first.next, Link::Until).is_some() && hours;
        // "My 12-8 shift".
        let shift = hours && line.link(second.next, Link::Carrier).is_some();
        let sure = first.surety.max(second.surety) > Surety::Bare || until || shift;
        let from = matches!(lead.link, Some(Link::From | Link::At));
        let has_date =
            phrase.date.is_some() || phrase.part.is_some() || phrase.rule.is_some() || phrase.offset.is_some();
        let named = lead.next.checked_sub(2).is_some_and(|b| line.link(b, Link::Label).is_some());
        let from = from || between && hours && !named && self.ends_here(second.next);
        // "10 to 2", without more, is a range or ten minutes to two.
        let two_ways = first.surety == Surety::Bare
            && clock(line, lead.next).is_some_and(|c| c.next >= second.next && c.next > first.next);
        if two_ways && !(sure || from || has_date || self.date_follows(second.next)) {
            return None;
        }
        let scale = !sure && matches!((first.clock.hour, second.clock.hour), (0 | 1, 10));
        if scale
            || !(sure || from || has_date || self.whole || self.date_follows(second.next))
            || self.counts(second.next)
        {
            return None;
        }
        phrase.clock = Some(first.clock.on_the_dial_of(second.clock));
        phrase.to = Some(Box::new(Phrase { clock: Some(second.clock), ..Phrase::default() }));
        if phrase.role == TimeRole::From {
            phrase.role = TimeRole::Plain;
        }
        Some(second.next)
    }

    /// In "move it from 2 to 4" the "to" is no end of a range; in "move it to 2 to 4" the second is.
    fn moves_on(&self, phrase: &Phrase, lead: &LeadingWords) -> bool {
        self.hints.moves && phrase.role != TimeRole::To && lead.link != Some(Link::MovedTo)
    }

    /// "2-4", "2pm - 4pm".
    fn dash_follows(&self, i: usize) -> bool {
        let first = plain(self.line, i);
        first.is_some_and(|first| ['-', '–', '—'].iter().any(|dash| self.line.mark(first.next, *dash)))
    }

    pub fn range_word(&self, i: usize, between: bool) -> Option<usize> {
        let and = between.then(|| self.line.link(i, Link::And)).flatten();
        and.or_else(|| self.line.link(i, Link::To))
    }

    pub fn day_range(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        if !phrase.is_empty() || self.moves_on(phrase, lead) {
            return None;
        }
        let (first, second, next) = day_range(self.line, lead.next)?;
        phrase.date = Some(first);
        phrase.to = Some(Box::new(Phrase { date: Some(second), ..Phrase::default() }));
        if phrase.role == TimeRole::From {
            phrase.role = TimeRole::Plain;
        }
        Some(next)
    }
}
