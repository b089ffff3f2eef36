//! The components that say when on a day: clock times, parts of day and zones.

use super::super::TimeRole;
use super::super::defaults::PartOfDay;
use super::super::words::{Link, Sense, TokenKind};
use super::clock::{self, Surety, clock, plain};
use super::component::ComponentReader;
use super::date::{Company, date};
use super::leading_words::LeadingWords;
use super::numbered::year;
use super::numeric;
use super::phrase::{Date, Dial, Phrase, SpanPhrase, TimeDoubt, Zone};
use super::residue::names_time;
use super::span::{number, span};

impl ComponentReader<'_> {
    /// Does a clock time or part of day stand here?
    pub fn time_follows(&self, i: usize) -> bool {
        let lead = self.joint(i);
        let at = matches!(lead.link, Some(Link::At | Link::Between | Link::From));
        // "Sat 7", and no more.
        let last = |next| lead.next == i && next >= self.line.tokens.len() && self.line.digits(i).is_some();
        let sure = clock(self.line, lead.next).is_some_and(|c| {
            c.surety == Surety::Sure || (c.surety == Surety::Likely || at || last(c.next)) && !self.counts(c.next)
        });
        let range = || self.clock_range(&mut Phrase { date: Some(Date::Day(0)), ..Phrase::default() }, &lead);
        sure || [i, lead.next].into_iter().any(|at| self.part_at(at).is_some()) || range().is_some()
    }

    pub fn clock(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        // "3 by 2" is a size.
        let size =
            lead.link == Some(Link::By) && lead.next.checked_sub(2).is_some_and(|at| self.line.digits(at).is_some());
        let taken = phrase.clock.is_some() || phrase.has_exact_offset() || matches!(phrase.date, Some(Date::Local(_)));
        if taken || size {
            return None;
        }
        let heard = self.clock_behind(lead)?;
        // "The pace was 5:52", but not "I think it was 2pm".
        let told = lead.next.checked_sub(1).is_some_and(|at| self.line.link(at, Link::ToldOn) == Some(lead.next));
        if told && phrase.is_empty() && self.line.digits(lead.next).is_some() && heard.clock.dial == Dial::Half {
            return None;
        }
        let asked = self.asks_for_an_hour(lead);
        let beside = phrase.date.is_some() || phrase.part.is_some() || phrase.rule.is_some() || phrase.offset.is_some();
        let followed = || self.part_at(self.joint(heard.next).next).is_some() || self.zone_at(heard.next).is_some();
        let fits = match heard.surety {
            Surety::Sure => lead.link != Some(Link::For) || asked,
            _ if self.runs_at(lead) => true,
            Surety::Likely => {
                let meant = asked || self.anchor || self.is_hour_of_the_day(lead.next, &heard);
                meant
                    || beside
                    || self.whole
                    || followed()
                    || self.today_follows(heard.next)
                    || self.is_on_a_day(heard.next)
                    || self.is_of_a_rota(lead)
            }
            Surety::Odd => phrase.date.is_some() && matches!(lead.link, None | Some(Link::At)),
            Surety::Bare if lead.link == Some(Link::In) || self.may_be_any_figure(lead) => false,
            Surety::Bare => {
                asked
                    || self.whole
                    || followed()
                    || beside && lead.link.is_none() && (self.ends_here(heard.next) || self.is_of_a_rota(lead))
                    || lead.link.is_none() && !self.is_amount(lead) && self.today_follows(heard.next)
            }
        };
        if !fits || heard.surety < Surety::Sure && self.is_something_else(lead, &heard, asked) {
            return None;
        }
        let on_a_day = self.today_follows(heard.next) || self.is_on_a_day(heard.next);
        if heard.surety == Surety::Likely && !(asked || beside || followed() || on_a_day) {
            phrase.doubt = numeric::day_and_month(self.line, lead.next, heard.next).map(TimeDoubt::OrDate);
        }
        phrase.clock = Some(heard.clock);
        if heard.clock.dial == Dial::Midnight && (lead.link == Some(Link::Until) || self.hints.ends) {
            phrase.role = TimeRole::By;
        }
        Some(heard.next)
    }

    fn clock_behind(&self, lead: &LeadingWords) -> Option<clock::ClockReading> {
        let heard = clock(self.line, lead.next)?;
        // "Moved from 10 to 2", "move it on Friday at 10 to 6pm" are not ten minutes to two or six.
        let figure = self.line.digits(lead.next).is_some_and(|(hour, _)| (1..=12).contains(&hour));
        let moves = self.hints.moves && figure && self.line.link(lead.next + 1, Link::MovedTo).is_some();
        let hour = plain(self.line, lead.next).filter(|_| moves && lead.link != Some(Link::MovedTo));
        Some(hour.unwrap_or(heard))
    }

    /// "At", "by", "from", and "an alarm for": what follows is an hour.
    fn asks_for_an_hour(&self, lead: &LeadingWords) -> bool {
        let hours = [Link::At, Link::By, Link::Until, Link::Since, Link::From, Link::MovedTo];
        let alarm = |at: usize| self.line.link(at, Link::Alarm).is_some();
        match lead.link {
            Some(Link::For) => self.alarm_before(lead),
            Some(link) => hours.contains(&link) && !lead.article,
            None => lead.next.checked_sub(1).is_some_and(alarm),
        }
    }

    /// A figure that may be an hour, and is rather a date, a length, an amount, a year or the number of a house.
    fn is_something_else(&self, lead: &LeadingWords, heard: &clock::ClockReading, asked: bool) -> bool {
        let line = self.line;
        // "10 to 2" is also a range.
        let two_ways = heard.surety <= Surety::Bare && plain(line, lead.next).is_some_and(|c| c.next < heard.next);
        // "By 10 March" is a date, "at 5 minutes" a length, but "at 5 weekdays" none.
        let is_length = |length: SpanPhrase| length.workdays == 0 || lead.link != Some(Link::At);
        let longer = span(line, lead.next).is_some_and(|(length, next)| next > heard.next && is_length(length))
            || date(line, lead.next, self.order).is_some_and(|d| d.next > heard.next && d.company != Company::On);
        // "From 1 to 10" of something.
        let range = lead.link == Some(Link::From)
            && self.range_word(heard.next, false).is_some_and(|at| number(line, at).is_some());
        let digits = line.digits(lead.next).map_or(0, |(_, digits)| digits);
        // "The client at 1408 Oak called".
        let house = digits == 4 && lead.link == Some(Link::At) && !self.ends_here(heard.next);
        // "Invoices from 2025".
        let dates = [Link::From, Link::Since, Link::Until, Link::By, Link::For];
        let dated = lead.link.is_some_and(|link| dates.contains(&link)) && digits == 4;
        // "Broke after 2 uses".
        let after = lead.next.checked_sub(1).is_some_and(|at| line.link(at, Link::After) == Some(lead.next));
        let several = line.is_plain_word(heard.next) && line.tokens[heard.next].key.ends_with('s');
        let named =
            heard.surety == Surety::Bare && (house || after && several || dated && year(line, lead.next).is_some());
        two_ways && !asked || self.counts(heard.next) || longer || range && !self.hints.moves || named
    }

    /// "(The train) departs 1125": what runs by a timetable does so at a figure of three or more digits.
    fn runs_at(&self, lead: &LeadingWords) -> bool {
        let runs = |b: usize| (b.saturating_sub(2)..=b).any(|at| self.line.link(at, Link::Runs) == Some(b + 1));
        let digits = self.line.digits(lead.next).map_or(0, |(_, digits)| digits);
        let long = digits == 4 || self.line.glued_mark(lead.next + 1, '.');
        self.hints.day && long && lead.link.is_none() && lead.next.checked_sub(1).is_some_and(runs)
    }

    /// "At 350" is a heat as well as an hour, unless a day is named or a call asked for.
    fn may_be_any_figure(&self, lead: &LeadingWords) -> bool {
        let line = self.line;
        let three = line.digits(lead.next).is_some_and(|(_, digits)| digits == 3);
        // "Preheat to 350 tonight".
        let heated = lead.next.checked_sub(1).is_some_and(|b| line.link(b, Link::To).is_some());
        let timed = || self.hints.asks || (0..line.tokens.len()).any(|i| names_time(line, i).is_some());
        three && !self.whole && (heated || !(matches!(lead.link, None | Some(Link::At)) && timed()))
    }

    /// "Mon 1430 Gatwick", "monday back on 0610": four digits that are no year, where a day is named.
    fn is_of_a_rota(&self, lead: &LeadingWords) -> bool {
        let named = lead.next.checked_sub(1).is_some_and(|b| self.line.link(b, Link::Label) == Some(lead.next));
        let four = self.line.digits(lead.next).is_some_and(|(_, digits)| digits == 4);
        // A phone number goes on.
        let alone = self.line.digits(lead.next + 1).is_none();
        self.hints.day && four && alone && !named && year(self.line, lead.next).is_none()
    }

    /// "Mittwoch Friseur 16h": so many hours are rather one of them, where a day is named.
    pub fn is_hour_of_the_day(&self, i: usize, heard: &clock::ClockReading) -> bool {
        let h = self.line.link(i + 1, Link::ClockH).is_some_and(|next| next == heard.next);
        h && self.line.full_dial && self.hints.day && heard.clock.hour > 6
    }

    /// "An alarm for 7".
    pub fn alarm_before(&self, lead: &LeadingWords) -> bool {
        // The preposition is one word, so the alarm is two tokens back.
        let before = lead.next.checked_sub(2);
        before.is_some_and(|at| self.line.link(at, Link::Alarm).is_some())
    }

    /// "A table for six (tomorrow)", "buy one (tomorrow)".
    fn is_amount(&self, lead: &LeadingWords) -> bool {
        let before = lead.next.checked_sub(1);
        let so_many = before.is_some_and(|at| self.line.link(at, Link::For).is_some()) && !self.alarm_before(lead);
        let one = self.line.digits(lead.next).is_none() && number(self.line, lead.next).is_some_and(|(n, _)| n == 1);
        so_many || one
    }

    /// "Ward meeting 13.30 on the 11th", but not "I paid 13.30 on the 11th".
    fn is_on_a_day(&self, i: usize) -> bool {
        let day =
            self.line.link(i, Link::On).and_then(|at| date(self.line, self.line.skip(at, &[Link::The]), self.order));
        let paid = || [Link::Told, Link::ToldOn].iter().any(|link| self.line.has_anywhere(Sense::Link(*link)));
        day.is_some_and(|day| day.date.is_one_day()) && !paid()
    }

    /// "5 tomorrow", "7 this evening", "6.30 next friday": a figure just before a day.
    pub fn today_follows(&self, i: usize) -> bool {
        let i = self.line.skip(i, &[Link::The]);
        let near = self
            .line
            .pick(i, |a| matches!(a.sense, Sense::Day(_) | Sense::DayPart(..) | Sense::Weekdays(_)).then_some(()));
        let named = || super::date::weekday_name(self.line, i).is_some_and(|(_, weak, _)| !weak);
        let which = || {
            let day = super::period::which(self.line, i);
            day.is_some_and(|day| day.part.is_some() || matches!(day.date, Date::Weekday { .. }))
        };
        near.is_some() || named() || which()
    }

    pub fn part_at(&self, i: usize) -> Option<(&'static PartOfDay, bool, usize)> {
        self.line
            .pick(i, |a| match a.sense {
                Sense::Part(part) => Some((part, a.weak)),
                _ => None,
            })
            .map(|((part, weak), next)| (part, weak, next))
    }

    /// "In the morning", "tomorrow night", "at night".
    pub fn part(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        if phrase.part.is_some() || phrase.has_exact_offset() {
            return None;
        }
        // "Nach Feierabend" is not at the end of work.
        let longer = lead.next.checked_sub(1).and_then(|at| self.part_at(at)).filter(|(_, _, next)| *next > lead.next);
        let (part, weak, next) = longer.or_else(|| self.part_at(lead.next))?;
        // "This weekend am I working".
        let verb = weak && self.line.link(next, Link::Pronoun).is_some();
        let beside =
            phrase.date.is_some() || phrase.clock.is_some() || phrase.rule.is_some() || phrase.offset.is_some();
        let asked = matches!(lead.link, Some(Link::In | Link::At | Link::By | Link::On | Link::Until | Link::Since));
        // "Evening" alone is a greeting; "after work" and "end of day" say enough.
        // "Morgen Zahnarzt, nachmittags".
        let adverb = self.line.link(lead.next, Link::Adverb).is_some() && self.hints.day;
        let enough = part.alone || adverb || next > lead.next + 1 && !lead.article;
        if verb || weak && !beside || !(beside || asked || self.whole || enough) {
            return None;
        }
        phrase.part = Some(part.narrowed(phrase.edge));
        Some(next)
    }

    /// "Early tomorrow afternoon", "late on Friday evening": before the day, and the part is still to come.
    pub fn edge_of_part(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        let (edge, next) = self
            .line
            .pick(lead.next, |a| match a.sense {
                Sense::Edge(edge) => Some(edge),
                _ => None,
            })
            .filter(|_| phrase.is_empty() && phrase.edge.is_none())?;
        let day = date(self.line, self.joint(next).next, self.order).filter(|d| d.date.is_one_day())?;
        let part = day.part.or_else(|| Some(self.part_at(self.joint(day.next).next)?.0))?;
        phrase.edge = Some(edge).filter(|_| part.narrowed(Some(edge)) != part);
        phrase.edge.map(|_| next)
    }

    pub fn zone_at(&self, i: usize) -> Option<(Zone, usize)> {
        let line = self.line;
        // "5 IST", "5pm ist", but not German "Stock 5 ist" and "3pm pt with Dave".
        let ends = line.tokens.get(i + 1).is_none_or(|t| matches!(t.kind, TokenKind::Mark(_)));
        let half =
            || ends && i.checked_sub(1).is_some_and(|b| line.link(b, Link::Am).or(line.link(b, Link::Pm)).is_some());
        let abbreviation = line.pick(i, |a| match a.sense {
            Sense::Zone(zone) if !a.weak || self.is_capital(i) || half() => Some(zone),
            _ => None,
        });
        if let Some((zone, next)) = abbreviation {
            let end = line.tokens.get(next - 1).map_or(0, |t| t.span.end);
            let offset = numeric::offset_text(line.text.get(end..)?);
            if let Some((zone, used)) = offset {
                let next = line.begins_behind(end + used);
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

    pub fn zone(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        // "At 3 at the central station".
        let place = lead.article || lead.link == Some(Link::At);
        if phrase.zone.is_some() || phrase.clock.is_none() || place {
            return None;
        }
        // The joint may have eaten the "in" of "in New York".
        let at = if lead.link == Some(Link::In) && !lead.article { lead.next.saturating_sub(1) } else { lead.next };
        let (zone, next) = self.zone_at(at)?;
        // "8am, MDT with the team", but "3pm, Dubai time".
        let comma = lead.next.checked_sub(1).is_some_and(|b| self.line.mark(b, ','));
        if comma && self.line.link(next - 1, Link::TimeWord).is_none() {
            return None;
        }
        phrase.zone = Some(zone);
        Some(next)
    }

    pub fn now(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        let next = self.line.link(lead.next, Link::Now).filter(|_| self.whole && phrase.is_empty())?;
        phrase.now = true;
        Some(next)
    }
}
