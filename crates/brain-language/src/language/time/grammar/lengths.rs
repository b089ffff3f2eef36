//! Lengths of time: from now, from something else, or how long a thing takes.

use super::super::TimeRole;
use super::super::words::{Link, TokenKind, Unit};
use super::bytes;
use super::clock::{Surety, clock};
use super::component::ComponentReader;
use super::leading_words::LeadingWords;
use super::phrase::{Date, Phrase, SpanPhrase, TimeDoubt};
use super::residue::{names_day, names_time};
use super::span::{number, span, unit};

impl ComponentReader<'_> {
    /// "In 2 hours", "3 days ago", "a week from Friday", "10 minutes before noon".
    pub fn offset(&self, phrase: &mut Phrase, lead: &LeadingWords, depth: usize) -> Option<usize> {
        let line = self.line;
        // "At 5 on Friday in two weeks": the weeks are added to the day.
        let near = matches!(phrase.date, Some(Date::Day(_) | Date::Weekday { .. })) && lead.link == Some(Link::In);
        let room = phrase.clock.is_none() || phrase.is_time_alone() || near;
        if phrase.offset.is_some() || phrase.shift.is_some() || !room {
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
            // "The day before", "the hour after": the article counts as one; "day before Thanksgiving" needs none.
            // "A note to HR before noon" has no hour in it.
            let whole_word = self.line.tokens.get(lead.next).is_some_and(|t| t.key.len() > 2);
            let counts = |found: &(Unit, usize)| {
                lead.article || whole_word && line.link(found.1, Link::Before).is_some() && !self.anchor
            };
            let (one, next) = unit(line, lead.next).filter(counts)?;
            let mut found = phrase.clone();
            let next = self.anchored(&mut found, lead, SpanPhrase::of(one, 100), next, depth)?;
            if found.shift.is_none() || !lead.article && found.doubt.is_some() {
                return None;
            }
            *phrase = found;
            return Some(next);
        };
        // "At 5 in 3 days": the hour is of that day.
        let fits = |phrase: &Phrase| phrase.is_empty() || phrase.is_time_alone() && length.is_calendar();
        if let Some(next) = line.link(next, Link::Ago).filter(|_| fits(phrase)) {
            phrase.offset = Some(length.back());
            return Some(next);
        }
        if let Some(next) = line.link(next, Link::Hence).filter(|_| fits(phrase)) {
            phrase.offset = Some(length);
            return Some(next);
        }
        // "For 3 days from Monday" is a length and a beginning, "for a week on Friday" a day.
        let on_a_day = line.link(next, Link::On).is_some() || names_day(line, next);
        let counted = lead.link != Some(Link::For) || on_a_day || self.alarm_before(lead);
        if let Some(found) = counted.then(|| self.anchored(phrase, lead, length, next, depth)).flatten() {
            return Some(found);
        }
        // "After 15 minutes", from now.
        let after = lead.link == Some(Link::From) && phrase.is_empty() && self.ends_here(next) && self.says_after(lead);
        // "Ran 5k in 24 min".
        let took = !length.is_calendar() && self.clause_says(lead.next, Link::Told);
        if lead.link != Some(Link::In) && !after || took {
            return None;
        }
        // "In a day or two".
        let doubtful = line.link(next, Link::Or).is_some_and(|at| number(line, at).is_some());
        match phrase.date {
            // "Friday in two weeks", "heute in einer Woche".
            Some(Date::Day(_) | Date::Weekday { .. }) if length.is_calendar() => phrase.shift = Some(length),
            Some(_) => return None,
            None if fits(phrase) => phrase.offset = Some(length),
            None => return None,
        }
        // "Monday in 8 days" is no Monday.
        let another_day = matches!(phrase.date, Some(Date::Weekday { .. })) && length.days % 7 != 0;
        phrase.doubt = (doubtful || another_day).then_some(TimeDoubt::OneOfSeveral);
        Some(next)
    }

    fn says_after(&self, lead: &LeadingWords) -> bool {
        lead.next.checked_sub(1).is_some_and(|at| self.line.link(at, Link::After) == Some(lead.next))
    }

    /// "Timer 20 minutes", "a timer for 20 minutes", "timer: 20".
    fn timer_before(&self, lead: &LeadingWords) -> bool {
        (lead.next.saturating_sub(2)..lead.next).any(|at| self.line.link(at, Link::Timer).is_some())
    }

    /// "A 20 minute tea timer".
    fn timer_behind(&self, i: usize) -> bool {
        let word = |at: usize| self.line.tokens.get(at).is_some_and(|t| t.kind == TokenKind::Word);
        [i, i + 1].into_iter().take_while(|at| word(*at)).any(|at| self.line.link(at, Link::Timer).is_some())
    }

    /// "In 10": of minutes, if the sentence ends there.
    pub fn short_offset(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        // "118 over 76" and "dilute 1 in 10" are no times to come.
        let over = self.line.link(lead.next.wrapping_sub(1), Link::Over).is_some();
        let over = over || lead.next.checked_sub(2).is_some_and(|at| self.line.digits(at).is_some());
        let from_now = lead.link == Some(Link::In) || self.timer_before(lead);
        let asked = from_now && !lead.article && phrase.is_empty() && !over;
        let (minutes, _) = self.line.digits(lead.next).filter(|(n, _)| asked && (1..=90).contains(n))?;
        let next = lead.next + 1;
        // In German "im 3. Stock" is an ordinal.
        let dot = self.line.mark(next, '.') && next + 1 < self.line.tokens.len();
        let word = self.line.tokens.get(next).is_some_and(|t| t.kind == TokenKind::Word);
        let ends = !word && !dot && self.line.ends_figure(next);
        let plain = ends
            && self.line.digits(next).is_none()
            && !self.line.glued_mark(next, ':')
            && !self.line.glued_mark(next, '-');
        phrase.offset = Some(SpanPhrase::of(Unit::Minute, i64::from(minutes) * 100)).filter(|_| plain);
        plain.then_some(next)
    }

    /// "(An hour before my) flight at 6pm": the "at" or the day, if only a few words stand before it.
    fn past_the_event(&self, i: usize) -> Option<usize> {
        const EVENT_WORDS_MAX: usize = 3;
        let is_word = |at: &usize| self.line.tokens.get(*at).is_some_and(|t| t.kind == TokenKind::Word);
        let words = (i..i + EVENT_WORDS_MAX).take_while(is_word);
        let joins = |at| [Link::At, Link::On].iter().any(|link| self.line.link(at, *link).is_some());
        let sure =
            |at| self.line.digits(at).is_some() && clock(self.line, at).is_some_and(|c| c.surety >= Surety::Likely);
        let says_when = |at: &usize| joins(*at) || names_time(self.line, *at).is_some() || sure(*at);
        // "The kids' 3pm parade".
        let apostrophe = |at: usize| if self.line.mark(at, '\'') { at + 1 } else { at };
        words.map(|at| apostrophe(at + 1)).find(says_when)
    }

    /// A length and what it is counted from: "a week from Friday", "an hour before midnight".
    pub fn anchored(
        &self,
        phrase: &mut Phrase,
        lead: &LeadingWords,
        length: SpanPhrase,
        at: usize,
        depth: usize,
    ) -> Option<usize> {
        let at_an_hour = phrase.is_time_alone() && length.is_calendar();
        let bare = Phrase { date: None, ..phrase.clone() };
        let on_a_day = phrase.date.as_ref().is_some_and(Date::is_one_day) && bare.is_empty() && !length.is_calendar();
        if !(phrase.is_empty() || at_an_hour || on_a_day) || depth == 0 {
            return None;
        }
        let line = self.line;
        // "Half an hour before my 3pm call".
        let own = |at| line.skip(at, &[Link::Own]);
        let whole_weeks = length.days > 0 && length.days % 7 == 0 && length.seconds == 0;
        let (shift, from) = if let Some(next) = line.link(at, Link::FromAnchor) {
            (length, own(next))
        } else if let Some(next) = line.link(at, Link::Before) {
            (length.back(), own(next))
        } else if whole_weeks && (line.link(at, Link::On).is_some() || names_day(line, at)) {
            // "A week on Friday", "two weeks today".
            (length, line.link(at, Link::On).unwrap_or(at))
        } else {
            return None;
        };
        let reader = ComponentReader { anchor: true, ..*self };
        let found = reader.expression_within(from, depth - 1);
        let (anchor, next) = found.or_else(|| {
            let at = self.past_the_event(from).filter(|_| from > at)?;
            reader.expression_within(at, depth - 1)
        })?;
        // "A week on Wednesday between 8 and 12".
        let hours = anchor.to.as_ref().is_none_or(|to| whole_weeks && to.is_clock_alone());
        let fixed = anchor.rule.is_none() && hours && anchor.offset.is_none();
        let timed = anchor.date.is_some() || anchor.clock.is_some();
        if !fixed || !timed || anchor.shift.is_some() || anchor.role != TimeRole::Plain && from == at {
            return None;
        }
        // "In 3 days from 2 to 4", "in two weeks at 5": the hour is of that day.
        let from_now =
            lead.link == Some(Link::In) || line.link(at, Link::FromAnchor).or(line.link(at, Link::Before)).is_none();
        if from_now && length.is_calendar() && anchor.is_clock_alone() {
            return None;
        }
        if on_a_day {
            // "Tomorrow half an hour before my 6pm shift".
            let hour = anchor.clock.filter(|_| anchor.is_clock_alone() && anchor.doubt.is_none())?;
            (phrase.clock, phrase.shift) = (Some(hour), Some(shift));
            return Some(next);
        }
        if at_an_hour {
            // "In the morning a week from Friday".
            let day =
                anchor.date.filter(|_| anchor.clock.is_none() && anchor.part.is_none() && anchor.length.is_none())?;
            phrase.date = Some(day);
            phrase.shift = Some(shift);
            phrase.doubt = anchor.doubt;
            return Some(next);
        }
        // "The day before the concert at 7": at 7, but the day is the concert's.
        let day_unknown = length.is_calendar() && anchor.is_clock_alone();
        let words = || self.line.text.get(bytes(line, at, next)).unwrap_or_default().to_owned();
        let doubt = if day_unknown { Some(TimeDoubt::Unread(words())) } else { anchor.doubt.clone() };
        *phrase = Phrase { role: phrase.role, shift: Some(shift), doubt, ..anchor };
        Some(next)
    }

    pub fn length(&self, phrase: &mut Phrase, lead: &LeadingWords) -> Option<usize> {
        let fits = phrase.length.is_none() && phrase.to.is_none() && !phrase.has_exact_offset();
        let asked = lead.link == Some(Link::For) || phrase.is_empty() && lead.link.is_none();
        if !fits || !asked {
            return None;
        }
        let (length, next) = span(self.line, lead.next)?;
        // "17h30" is a clock time, "1h30" more likely a length.
        let is_clock = clock(self.line, lead.next).is_some_and(|c| {
            c.surety == Surety::Sure && (c.clock.hour > 4 || c.next > next) || self.is_hour_of_the_day(lead.next, &c)
        });
        if lead.link.is_none() && is_clock {
            return None;
        }
        let times = self.timer_before(lead) || self.timer_behind(next);
        *(if times && phrase.is_empty() { &mut phrase.offset } else { &mut phrase.length }) = Some(length);
        Some(next)
    }
}
