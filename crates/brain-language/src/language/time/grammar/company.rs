//! What must stand beside a date for it to be one: "sat" alone is a verb, "sat 2pm" is not.

use super::super::words::{Link, TokenKind};
use super::clock::{Surety, clock};
use super::component::ComponentReader;
use super::date::{Company, DateReading, weekday_name};
use super::leading_words::LeadingWords;
use super::numbered::day_number;
use super::period::which;
use super::phrase::{Date, Period, Phrase};
use super::{ends_clause, rule};

impl ComponentReader<'_> {
    pub fn is_in_company(&self, phrase: &Phrase, lead: &LeadingWords, heard: &DateReading) -> bool {
        let bare_word = heard.company == Company::DayWord && self.line.digits(lead.next).is_none();
        let inside = (self.whole || !phrase.is_empty()) && !bare_word && heard.company != Company::On;
        let company = match heard.company {
            Company::Nothing => return true,
            Company::Some => self.is_some_day(lead, heard),
            Company::Lead => {
                let head = lead.next == 0 && self.line.mark(heard.next, ':');
                lead.link.is_some() || lead.article || head || self.time_follows(heard.next)
            }
            Company::DayWord => self.is_day_number(lead, heard.next),
            Company::On => lead.link == Some(Link::On) && !lead.article,
        };
        (inside || company) && !self.counts(heard.next)
    }

    /// Of a word that may be something else: "sat", "may", "3/4".
    fn is_some_day(&self, lead: &LeadingWords, heard: &DateReading) -> bool {
        let weekday = matches!(heard.date, Date::Weekday { .. });
        let named = lead.says_day() || lead.link == Some(Link::In) && !weekday;
        // "The programme for April".
        let month =
            matches!(heard.date, Date::Period(_)) && lead.link == Some(Link::For) && !self.is_capital(lead.next);
        let named = (named || month && ends_clause(self.line, heard.next)) && !lead.article;
        named
            || weekday && (self.anchor || self.closes(lead, heard.next) || self.is_told_exactly(heard.next))
            || self.time_follows(heard.next)
            || self.last_day_follows(&heard.date, heard.next)
            || self.opens_with_day(lead, heard.next)
    }

    /// "What's on for sat?", "back to school wed".
    fn closes(&self, lead: &LeadingWords, next: usize) -> bool {
        let after = self.line.tokens.get(next).map(|t| &t.kind);
        let last = matches!(after, None | Some(TokenKind::Mark(',' | '?' | '!' | '.')));
        last && (lead.link == Some(Link::For) || self.follows_a_thing(lead.next))
    }

    /// "Sat 13th", "wed this week".
    fn is_told_exactly(&self, next: usize) -> bool {
        let numbered = day_number(self.line, next).is_some_and(|(_, marked, _)| marked);
        numbered || which(self.line, next).is_some_and(|of| matches!(of.date, Date::Period(Period::Week(_))))
    }

    /// "On the 15th": a preposition of days, and in words ("on the first") the end of the sentence.
    pub fn is_day_number(&self, lead: &LeadingWords, next: usize) -> bool {
        let late = self.line.digits(lead.next).is_some_and(|(day, _)| day >= 10);
        // "The 22nd I'm away".
        let opens = lead.next == 1
            && self
                .line
                .digits(lead.next)
                .is_some_and(|(day, _)| day > 12 || self.line.link(next, Link::Pronoun).is_some());
        let article = lead.article
            && (late && self.ends_here(next) || opens || self.time_follows(next) || lead.link == Some(Link::For));
        // "Dentist 27th 3pm"; what came 3rd at noon is another matter.
        let timed = late && lead.link.is_none() && self.time_follows(next);
        let asked = lead.says_day() || self.anchor || self.whole || article || timed;
        let repeats = || rule::repeats(self.line, next).is_some();
        // "Two days before the 31st pay rent", but not "the day after the 1st meeting".
        let figure = self.line.digits(lead.next).is_some() && (!self.anchor || late);
        asked && (figure || self.ends_here(next) || repeats())
    }

    /// "Back to school wed", but not "in the sun", "how we sat".
    fn follows_a_thing(&self, i: usize) -> bool {
        let thing = |at: usize| self.line.is_plain_word(at);
        // German "do" and "so" are too short.
        i.checked_sub(1).is_some_and(thing) && self.line.tokens[i].key.len() > 2
    }

    /// "Mon to Wed".
    fn last_day_follows(&self, first: &Date, i: usize) -> bool {
        let last = || weekday_name(self.line, self.line.link(i, Link::To)?);
        matches!(first, Date::Weekday { .. }) && last().is_some()
    }

    /// "Sun brunch at 11": a short name of a day opens a message that has a clock time later on.
    fn opens_with_day(&self, lead: &LeadingWords, next: usize) -> bool {
        let line = self.line;
        let opens = lead.next == 0 && weekday_name(line, 0).is_some();
        opens
            && line.is_plain_word(next)
            && (next..line.tokens.len()).any(|i| {
                let sure = |at| clock(line, at).is_some_and(|c| c.surety == Surety::Sure && line.digits(at).is_some());
                line.link(i, Link::At).is_some_and(|at| clock(line, at).is_some()) || sure(i)
            })
    }
}
