//! The components that say on which day: dates and rules.

use super::super::TimeRole;
use super::super::words::{DaySet, Link, Sense, Unit};
use super::clock::{Surety, clock};
use super::component::ComponentReader;
use super::date::{Company, date, nth_day};
use super::leading_words::LeadingWords;
use super::numbered::{bare_day, year};
use super::numeric;
use super::phrase::{Date, MonthOf, Period, Phrase, RepeatRule, TimeDoubt};
use super::rule;
use super::span::unit;

/// Words of a clause to each side of a day: what stands further away says nothing of it.
const CLAUSE_TOKENS_MAX: usize = 60;

impl ComponentReader<'_> {
    pub fn rule(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        if let (Some(rule), Some(at)) = (phrase.rule, self.line.link(lead.next, Link::Except)) {
            let (days, next) = rule.without(self.line, at)?;
            phrase.rule = Some(days);
            return Some(next);
        }
        if let (Some(rule), true) = (phrase.rule, phrase.date.is_none()) {
            // "Weekly on Fridays".
            let heard = rule::plural_days(self.line, lead.next)?;
            let bare = rule.unit == Unit::Week && rule.days == Default::default();
            if !bare {
                return None;
            }
            phrase.rule = Some(RepeatRule { days: heard.rule.days, ..rule });
            return Some(heard.next);
        }
        if phrase.rule.is_some() {
            return None;
        }
        if phrase.role == TimeRole::From && phrase.date.is_some() && phrase.clock.is_none() {
            // "Starting tomorrow, every day at 6".
            let heard = rule::rule(self.line, lead.next, self.order)?;
            let start = Phrase { date: phrase.date.take(), ..Phrase::default() };
            phrase.start = Some(Box::new(start));
            phrase.rule = Some(heard.rule);
            phrase.date = heard.date;
            phrase.part = heard.part.or(phrase.part);
            return Some(heard.next);
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

    /// "This time tomorrow", "same time next week".
    pub fn same_time(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        let next = self.line.link(lead.next, Link::SameTime).filter(|_| phrase.is_empty())?;
        let day = date(self.line, self.line.link(next, Link::On).unwrap_or(next), self.order)?;
        if day.part.is_some() || day.company > Company::Some {
            return None;
        }
        phrase.same_time = true;
        phrase.date = Some(day.date);
        Some(day.next)
    }

    /// "Every Tuesday from February".
    pub fn rule_start(&self, phrase: &mut Phrase, lead: &LeadingWords, depth: usize) -> Option<usize> {
        let fits = phrase.rule.is_some() && phrase.start.is_none() && lead.link == Some(Link::From);
        if !fits || depth == 0 {
            return None;
        }
        let (start, next) = self.expression_within(lead.next, depth - 1)?;
        let day = start.date.is_some() && start.rule.is_none() && start.to.is_none();
        if !day {
            return None;
        }
        phrase.clock = phrase.clock.or(start.clock);
        phrase.start = Some(Box::new(start));
        Some(next)
    }

    pub fn iso(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        if !phrase.is_empty() {
            return None;
        }
        let (date, zone, next) = numeric::iso(self.line, lead.next)?;
        phrase.date = Some(date);
        phrase.zone = zone;
        Some(next)
    }

    pub fn date(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        if phrase.offset.is_some() {
            return None;
        }
        if let Some(next) = self
            .beside(phrase, lead)
            .or_else(|| self.day_of_rule(phrase, lead))
            .or_else(|| self.bare_day_of_weekday(phrase, lead))
        {
            return Some(next);
        }
        // "On Wednesday at 22.10."
        let timed = phrase.date.as_ref().is_some_and(Date::is_one_day) && lead.link == Some(Link::At);
        if timed && clock(self.line, lead.next).is_some_and(|c| c.surety > Surety::Bare) {
            return None;
        }
        let heard = date(self.line, lead.next, self.order).or_else(|| self.year(phrase, lead))?;
        // "At 6:30 for the Christmas market".
        let occasion = matches!(heard.date, Date::Holiday { .. }) && (lead.article || !phrase.is_empty());
        if occasion && self.noun_follows(heard.next) || self.is_first_name(&heard.date, lead, heard.next) {
            return None;
        }
        if !self.is_in_company(phrase, lead, &heard) {
            return None;
        }
        if self.counts_weekdays(phrase, lead, &heard.date) {
            phrase.doubt = Some(TimeDoubt::OneOfSeveral);
        }
        let both_parts = phrase.part.is_some() && heard.part.is_some();
        if matches!(phrase.date, Some(Date::Holiday { .. })) && lead.link == Some(Link::By) {
            // "Order the ham for Christmas by 10 December".
            (phrase.date, phrase.role) = (None, TimeRole::By);
        }
        // "8.30 til 4 on Saturday, 6 March" is one day.
        let other_days = phrase.date.is_some() && phrase.to.as_ref().is_some_and(|to| !to.is_clock_alone());
        if both_parts || other_days {
            return None;
        }
        phrase.date = Some(match phrase.date.take() {
            None => self.as_told(heard.date, lead),
            Some(old) => match merged(&old, &heard.date) {
                Some(both) => both,
                None => {
                    phrase.date = Some(old);
                    return None;
                }
            },
        });
        phrase.day_part |= heard.part.is_some();
        phrase.part = phrase.part.or(heard.part.map(|part| part.narrowed(phrase.edge)));
        Some(heard.next)
    }

    /// "The third Sunday" may be one that falls on the 3rd; with a comma it is.
    fn counts_weekdays(&self, phrase: &Phrase, lead: &LeadingWords, date: &Date) -> bool {
        let few = matches!(phrase.date, Some(Date::Numbered { day: 1..=5, month: None, weekday: None }));
        let comma = lead.next.checked_sub(1).is_some_and(|before| self.line.mark(before, ','));
        few && matches!(date, Date::Weekday { .. }) && !comma
    }

    /// "Friday 13": an hour would have an "at".
    fn bare_day_of_weekday(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        let Some(Date::Weekday { day: weekday, which: None, weeks: 0 }) = phrase.date else {
            return None;
        };
        let (day, next) = bare_day(self.line, lead.next).filter(|_| lead.link.is_none())?;
        let longer = date(self.line, lead.next, self.order).is_some_and(|d| d.next > next);
        // "Freitag 18 Uhr".
        let hour = clock(self.line, lead.next).is_some_and(|c| c.surety == Surety::Sure);
        if longer || hour || self.line.glued_mark(next, ':') || phrase.clock.is_some() || self.counts(next) {
            return None;
        }
        phrase.date = Some(Date::Numbered { day, month: None, weekday: Some(weekday) });
        Some(next)
    }

    /// "Every month on the last Friday".
    fn day_of_rule(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        let monthly = phrase.rule.is_some_and(|r| r.unit == Unit::Month) && phrase.date.is_none();
        let (n, days, next) = nth_day(self.line, lead.next).filter(|_| monthly)?;
        phrase.date = Some(Date::Nth { n, days, of: Period::Month(MonthOf::From(0)) });
        Some(next)
    }

    /// "The Friday after Thanksgiving".
    pub fn beside(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
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

    /// "The mail from April Jones".
    fn is_first_name(&self, date: &Date, lead: &LeadingWords, next: usize) -> bool {
        let month = matches!(date, Date::Period(Period::Month(MonthOf::Named { year: None, which: None, .. })));
        let in_it = matches!(lead.link, Some(Link::In | Link::On | Link::By | Link::Until | Link::Since));
        month && !in_it && self.noun_follows(next) && self.is_capital(lead.next) && self.is_capital(next)
    }

    pub fn is_capital(&self, i: usize) -> bool {
        let word = self.line.tokens.get(i).and_then(|t| self.line.text.get(t.span.clone()));
        word.is_some_and(|word| word.starts_with(char::is_uppercase))
    }

    fn noun_follows(&self, i: usize) -> bool {
        self.line.is_plain_word(i)
    }

    /// "The invoice I got in March", "what did I note on 2 Feb": told of the past, it is the last one.
    fn as_told(&self, date: Date, lead: &LeadingWords) -> Date {
        // "It was on 4 May" tells; "it was moved to 4 May" and "it was planned for then" do not.
        let past_day = self.clause_says(lead.next, Link::ToldOn) && !self.hints.moves && lead.link == Some(Link::On);
        // What "has to be paid by 31 December" or was "announced for" it is to come.
        let planned = matches!(lead.link, Some(Link::By | Link::Until));
        // "Class photos 22/09" tells nothing, "photos from 22/09" does.
        let told = lead.link.is_some() || lead.article || !matches!(date, Date::Numbered { .. });
        let past = (self.clause_says(lead.next, Link::Told) || self.looks_up_what_was(lead.next)) && !planned && told;
        let past_month =
            past || self.clause_says(lead.next, Link::ToldOn) && lead.link == Some(Link::In) && !self.hints.moves;
        match date {
            Date::Numbered { day, month: Some(MonthOf::Named { month, year: None, which: None }), weekday: None }
                if past && !self.hints.moves && lead.link != Some(Link::For) || past_day =>
            {
                let this = MonthOf::Named { month, year: None, which: Some(-1) };
                Date::Numbered { day, month: Some(this), weekday: None }
            }
            Date::Period(Period::Month(MonthOf::Named { month, year: None, which: None })) if past_month => {
                let this = MonthOf::Named { month, year: None, which: Some(-1) };
                Date::Period(Period::Month(this))
            }
            Date::Holiday { holiday, year: None, which: None } if past_day => {
                Date::Holiday { holiday, year: None, which: Some(-1) }
            }
            other => other,
        }
    }

    /// "Find the photos from 3 May", but not "chase the invoices on 31 March".
    fn looks_up_what_was(&self, i: usize) -> bool {
        let opens = self.line.link(self.line.skip(0, &[Link::The]), Link::ToldThing).is_some();
        self.clause_says(i, Link::ToldThing) && (opens || self.line.has_anywhere(Sense::Link(Link::LooksUp)))
    }

    /// Does its clause tell of something that has happened? "The finals are oct 8, we got tickets" does not.
    pub fn clause_says(&self, i: usize, link: Link) -> bool {
        let ends = |at: &usize| [',', ';', '.', '!', '?'].iter().any(|mark| self.line.mark(*at, *mark));
        let first = i.saturating_sub(CLAUSE_TOKENS_MAX);
        let from = (first..i).rev().find(ends).map_or(first, |at| at + 1);
        // "On 14 February to post the photos" tells nothing.
        let to = if matches!(link, Link::Told | Link::ToldThing) {
            i
        } else {
            let last = (i + CLAUSE_TOKENS_MAX).min(self.line.tokens.len());
            (i..last).find(ends).unwrap_or(last)
        };
        // "Mails about the show on 7 September" are of now.
        let lies_ahead = |p: usize, at: usize| {
            let small = [Link::Of, Link::Pronoun].iter().any(|link| self.line.link(p, *link).is_some());
            let about = p > at && self.line.link(p, Link::About).is_some() && !small;
            about || self.line.link(p, Link::Present).is_some_and(|next| next > at)
        };
        let present = |at: usize| (from..i).any(|p| lies_ahead(p, at));
        (from..to).any(|at| self.line.link(at, link).is_some() && !present(at))
    }

    /// "In 2027".
    pub fn year(&self, phrase: &Phrase, lead: &LeadingWords) -> Option<super::date::DateReading> {
        let named =
            matches!(lead.link, Some(Link::In | Link::Since | Link::By | Link::From | Link::For)) && phrase.is_empty();
        let at = match unit(self.line, lead.next) {
            Some((Unit::Year, next)) => next,
            Some(_) | None => lead.next,
        };
        let named = named || at > lead.next;
        // "By twenty thirty" is a clock time.
        let spoken = self.line.digits(at).is_none() && lead.link == Some(Link::By);
        let (year, next) = year(self.line, at).filter(|_| named && !spoken && phrase.is_empty())?;
        if self.counts(next) || self.line.glued_mark(next, '-') {
            return None;
        }
        let date = Date::Period(Period::YearNumbered(year));
        Some(super::date::DateReading { date, part: None, next, company: Company::Nothing })
    }
}

/// Two dates of one expression as one; `None`: they do not belong together.
fn merged(old: &Date, new: &Date) -> Option<Date> {
    within(old, new).or_else(|| within(new, old)).or_else(|| {
        let said = |d: &Date| matches!(d, Date::Numbered { .. } | Date::Weekday { .. });
        let fixed = |d: &Date| matches!(d, Date::Holiday { .. } | Date::Exact(_));
        let relative = |d: &Date| matches!(d, Date::Day(_) | Date::Both(..));
        let twice = (relative(old) || fixed(old)) && (said(new) || fixed(new))
            || said(old) && (fixed(new) || matches!(new, Date::Day(_)));
        twice.then(|| Date::Both(Box::new(old.clone()), Box::new(new.clone())))
    })
}

/// A date made exact by another one: "Friday" by "next week", "the 15th" by "next month".
pub fn within(date: &Date, frame: &Date) -> Option<Date> {
    let date = date.clone();
    match (date, frame) {
        (Date::Weekday { day, .. }, Date::Period(Period::Week(week))) => Some(Date::WeekdayOfWeek { day, week: *week }),
        (Date::Weekday { day, which: None, weeks: 0 }, Date::Period(of @ Period::WeekNumbered(_))) => {
            Some(Date::Nth { n: 1, days: DaySet::default().with(day), of: *of })
        }
        (Date::Numbered { day, month, weekday: None }, Date::Weekday { day: weekday, .. }) => {
            Some(Date::Numbered { day, month, weekday: Some(*weekday) })
        }
        (Date::Numbered { day, month: None, weekday }, Date::Period(Period::Month(month))) => {
            Some(Date::Numbered { day, month: Some(*month), weekday })
        }
        (Date::Numbered { day, month, weekday }, Date::Period(Period::Year(year))) => {
            Some(Date::InYear { day, month: bare_month(month?)?, weekday, year: *year })
        }
        (Date::Period(Period::Month(month)), Date::Period(Period::Year(year))) => {
            let month = bare_month(month)?;
            Some(Date::Period(Period::MonthOfYear { month, year: *year }))
        }
        _ => None,
    }
}

/// The number of a month that was named without a year.
fn bare_month(month: MonthOf) -> Option<u32> {
    match month {
        MonthOf::Named { month, year: None, .. } => Some(month),
        MonthOf::Named { .. } | MonthOf::From(_) => None,
    }
}
