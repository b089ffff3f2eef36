//! The components that say when on a day: clock times, parts of day and zones.

use super::super::defaults::Part;
use super::super::words::{Link, Sense};
use super::clock::{Surety, clock, plain};
use super::component::Reader;
use super::date::{Company, date};
use super::lead::Lead;
use super::numeric;
use super::phrase::{Date, Doubt, Phrase, Zone};
use super::span::{number, span};

impl Reader<'_> {
    /// Does a clock time or part of day stand here?
    pub fn time_follows(&self, i: usize) -> bool {
        let lead = self.joint(i);
        let at = matches!(lead.link, Some(Link::At | Link::Between));
        // "Sat 7", and no more.
        let last = |next| lead.next == i && next >= self.line.tokens.len() && self.line.digits(i).is_some();
        let sure = clock(self.line, lead.next).is_some_and(|c| c.surety == Surety::Sure || at || last(c.next));
        sure || self.part_at(lead.next).is_some()
    }

    pub fn clock(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if phrase.clock.is_some() || phrase.has_exact_offset() || matches!(phrase.date, Some(Date::Local(_))) {
            return None;
        }
        let heard = clock(self.line, lead.next)?;
        let asked =
            matches!(lead.link, Some(Link::At | Link::By | Link::Until | Link::Since | Link::From | Link::MovedTo))
                && !lead.article
                || lead.link == Some(Link::For) && self.alarm_before(lead);
        let beside = phrase.date.is_some() || phrase.part.is_some() || phrase.rule.is_some() || phrase.offset.is_some();
        let followed = || self.part_at(self.joint(heard.next).next).is_some() || self.zone_at(heard.next).is_some();
        let fits = match heard.surety {
            Surety::Sure => lead.link != Some(Link::For) || asked,
            Surety::Likely => asked || beside || self.whole || followed() || self.today_follows(heard.next),
            Surety::Bare if lead.link == Some(Link::In) => false,
            Surety::Bare => {
                asked
                    || self.whole
                    || followed()
                    || beside && lead.link.is_none() && self.ends_here(heard.next)
                    || lead.link.is_none() && !self.is_for_so_many(lead) && self.today_follows(heard.next)
            }
        };
        // "10 to 2" is also a range.
        let two_ways = heard.surety == Surety::Bare && plain(self.line, lead.next).is_some_and(|c| c.next < heard.next);
        if two_ways && !asked {
            return None;
        }
        if !fits || heard.surety < Surety::Sure && self.counts(heard.next) {
            return None;
        }
        // "By 10 March" is a date, "at 5 minutes" a length, "from 1 to 10" a range of something.
        let longer = span(self.line, lead.next).is_some_and(|(_, next)| next > heard.next)
            || date(self.line, lead.next, self.order).is_some_and(|d| d.next > heard.next && d.company != Company::On);
        let range = lead.link == Some(Link::From)
            && self.range_word(heard.next, false).is_some_and(|at| number(self.line, at).is_some());
        if heard.surety < Surety::Sure && (longer || range && !self.hints.moves) {
            return None;
        }
        // "The client at 1408 Oak called".
        let number = self.line.digits(lead.next).is_some_and(|(_, digits)| digits == 4);
        if heard.surety == Surety::Bare && number && lead.link == Some(Link::At) && !self.ends_here(heard.next) {
            return None;
        }
        if heard.surety == Surety::Likely && !(asked || beside || followed() || self.today_follows(heard.next)) {
            phrase.doubt = numeric::day_and_month(self.line, lead.next, heard.next).map(Doubt::OrDate);
        }
        phrase.clock = Some(heard.clock);
        Some(heard.next)
    }

    /// "An alarm for 7".
    fn alarm_before(&self, lead: &Lead) -> bool {
        // The preposition is one word, so the alarm is two tokens back.
        let before = lead.next.checked_sub(2);
        before.is_some_and(|at| self.line.link(at, Link::Alarm).is_some())
    }

    /// "A table for six".
    fn is_for_so_many(&self, lead: &Lead) -> bool {
        let before = lead.next.checked_sub(1);
        before.is_some_and(|at| self.line.link(at, Link::For).is_some()) && !self.alarm_before(lead)
    }

    /// "5 tomorrow", "7 this evening", "6.30 next friday": a figure just before a day.
    pub fn today_follows(&self, i: usize) -> bool {
        let near = self.line.pick(i, |a| matches!(a.sense, Sense::Day(_) | Sense::DayPart(..)).then_some(()));
        let named = || super::date::weekday_name(self.line, i).is_some_and(|(_, weak, _)| !weak);
        let which = || {
            let day = super::period::which(self.line, i);
            day.is_some_and(|day| day.part.is_some() || matches!(day.date, Date::Weekday { .. }))
        };
        near.is_some() || named() || which()
    }

    pub fn part_at(&self, i: usize) -> Option<(&'static Part, bool, usize)> {
        self.line
            .pick(i, |a| match a.sense {
                Sense::Part(part) => Some((part, a.weak)),
                _ => None,
            })
            .map(|((part, weak), next)| (part, weak, next))
    }

    /// "In the morning", "tomorrow night", "at night".
    pub fn part(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if phrase.part.is_some() || phrase.has_exact_offset() {
            return None;
        }
        let (part, weak, next) = self.part_at(lead.next)?;
        let beside =
            phrase.date.is_some() || phrase.clock.is_some() || phrase.rule.is_some() || phrase.offset.is_some();
        let asked = matches!(lead.link, Some(Link::In | Link::At | Link::By | Link::On | Link::Until | Link::Since));
        // "Evening" alone is a greeting; "after work" and "end of day" say enough.
        let enough = part.alone || next > lead.next + 1 && !lead.article;
        if weak && !beside || !(beside || asked || self.whole || enough) {
            return None;
        }
        phrase.part = Some(part);
        Some(next)
    }

    pub fn zone_at(&self, i: usize) -> Option<(Zone, usize)> {
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

    pub fn zone(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        if phrase.zone.is_some() || phrase.clock.is_none() {
            return None;
        }
        // The joint may have eaten the "in" of "in New York".
        let at = if lead.link == Some(Link::In) && !lead.article { lead.next.saturating_sub(1) } else { lead.next };
        let (zone, next) = self.zone_at(at)?;
        phrase.zone = Some(zone);
        Some(next)
    }

    pub fn now(&self, phrase: &mut Phrase, lead: &Lead) -> Option<usize> {
        let next = self.line.link(lead.next, Link::Now).filter(|_| self.whole && phrase.is_empty())?;
        phrase.now = true;
        Some(next)
    }
}
