//! What a capable model planned, beside the words that it says its values rest on.
//!
//! | a weighty value | its words stand where it says | and it follows from them, as code reads them | so it is |
//! |---|---|---|---|
//! | time, repetition, length, person, which item | yes | yes, also counted from a thing in hand | exact |
//! | | yes | code cannot tell | likely: shown in full, done with one tap |
//! | | no, and it does not follow from the message either | | left out, and told |
//!
//! Names, texts and letters are a planner's to word; of the numbers in them each has to stand somewhere. What only looks
//! has no effect that could be wrong. Invariants: nothing is pruned that code merely cannot read, and nothing that it
//! cannot read is done at once; pure. Not here: stakes, whose words a value is (taint), and what a small model plans
//! ([`super`]).

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDateTime, TimeDelta, Timelike, Weekday};

use super::{PlanGrounding, take};
use crate::services::contract::entry::Entry;
use crate::services::contract::show::Moment;
use crate::services::helpers::address_book::Person;
use crate::services::planning::values::{TypedValue, typed_values};
use brain_core::core::plan::{PlannedAction, StatedWords};
use brain_language::language::grounding::{Ground, TimeGround, ValueKind, says_choice};
use brain_language::language::offset::ReminderOffset;
use brain_language::language::people;
use brain_language::language::reading::{Mood, Reading};
use brain_language::language::time::{self, Reference, TimeMention, When};
use brain_language::language::words::words;

/// What values may rest on.
#[derive(Debug)]
pub struct Verifier<'a> {
    /// This message.
    pub reading: &'a Reading,
    /// What the person said, this message among it; others' words are in none of it.
    pub own: Vec<&'a str>,
    /// What else they have before them: rows, things, results, letters.
    pub shown: Vec<&'a str>,
    /// Times of the things in hand, as they are stored.
    pub times: Vec<String>,
    /// And how they repeat, as rules.
    pub rules: Vec<String>,
    /// Names of the things that a message may point at without naming them, by their ids.
    pub in_hand: BTreeMap<&'a str, &'a str>,
    /// Of all things that a planner was shown.
    pub items: BTreeMap<&'a str, &'a str>,
    /// Those whose addresses may stand in the plan.
    pub people: &'a [Person],
    /// When and where it was said.
    pub reference: &'a Reference,
}

/// How an action stands, and what was taken out of it.
#[derive(Debug, PartialEq)]
pub struct Verified {
    /// Exact or likely.
    pub standing: PlanGrounding,
    /// Values that nothing carries.
    pub unsaid: Vec<String>,
}

/// Longer words for a length are not looked through.
const NAMED_BYTES_MAX: usize = 200;
/// From so many figures on a number may be said in groups of them.
const GROUPED_FIGURES: usize = 5;

/// How a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ValueStanding {
    Follows,
    Stands,
    Unsaid,
}

impl Verifier<'_> {
    /// Takes out of an action what nothing carries, and says how the rest stands.
    pub fn action(&self, entry: &dyn Entry, planned: &mut PlannedAction) -> Verified {
        let mut verified = Verified { standing: PlanGrounding::Exact, unsaid: Vec::new() };
        // What does not fit its command is the gate's to ask about.
        let Ok(params) = entry.check(planned.params.clone()) else { return verified };
        if !entry.writes() {
            return verified;
        }
        if self.only_asks_or_denies() {
            verified.standing = PlanGrounding::Likely;
        }
        let values = typed_values(entry, &params);
        let start = values.iter().find(|value| value.kind == ValueKind::Time && !value.ends);
        for value in values.iter().rev() {
            let standing = match self.value(value, &planned.words) {
                ValueStanding::Stands
                    if value.ends
                        && !self.says_an_end(value, &planned.words)
                        && start.is_some_and(|start| self.lasts_as_long(start, value)) =>
                {
                    ValueStanding::Follows
                }
                standing => standing,
            };
            match standing {
                ValueStanding::Follows => {}
                ValueStanding::Stands => verified.standing = PlanGrounding::Likely,
                ValueStanding::Unsaid if value.is_required && value.kind != ValueKind::Person => {
                    verified.standing = PlanGrounding::Likely;
                }
                ValueStanding::Unsaid => {
                    take(&mut planned.params, value);
                    verified.unsaid.push(value.text.clone());
                }
            }
        }
        verified
    }

    /// Whether code takes all of the message for what changes nothing.
    fn only_asks_or_denies(&self) -> bool {
        let clauses = &self.reading.clauses;
        !clauses.is_empty() && clauses.iter().all(|clause| matches!(clause.mood, Mood::Question | Mood::Negation))
    }

    fn value(&self, value: &TypedValue, stated: &[StatedWords]) -> ValueStanding {
        let text = value.text.as_str();
        let names = |one: &&StatedWords| value.path.contains(&one.param);
        let from: Vec<&str> = stated.iter().filter(names).map(|one| one.from.as_str()).collect();
        // A day stands behind one value, and the clock that goes with it behind another.
        let all = || stated.iter().map(|one| one.from.as_str()).collect::<Vec<_>>();
        let stands = from.iter().any(|words| self.stands(words));
        let or_stands = |follows: bool| match (follows, stands) {
            (true, _) => ValueStanding::Follows,
            (false, true) => ValueStanding::Stands,
            (false, false) => ValueStanding::Unsaid,
        };
        match value.kind {
            ValueKind::Time => or_stands(self.time_follows(text, &from, &all())),
            ValueKind::Repetition => or_stands(self.repeats_so(text, &from, &all())),
            ValueKind::Length => or_stands(self.is_length(text, &from)),
            // No words stand for an address.
            ValueKind::Person if self.is_person(text) => ValueStanding::Follows,
            ValueKind::Person => ValueStanding::Unsaid,
            // The words for one of few are at hand where somebody said one.
            ValueKind::Choice if stands || self.says_choice(text) => ValueStanding::Follows,
            ValueKind::Choice => ValueStanding::Unsaid,
            ValueKind::Plain | ValueKind::Composed => ValueStanding::Follows,
            ValueKind::Reference => match self.is_item(text) {
                true => ValueStanding::Follows,
                false => ValueStanding::Stands,
            },
            ValueKind::Name | ValueKind::Entries | ValueKind::Text => match self.numbers_stand(text) {
                true => ValueStanding::Follows,
                false => ValueStanding::Stands,
            },
        }
    }

    /// Whether words stand in what the person said or has before them.
    fn stands(&self, from: &str) -> bool {
        let from = words(from);
        let from = format!(" {} ", from.join(" "));
        let holds = |text: &&str| format!(" {} ", words(text).join(" ")).contains(&from);
        !from.trim().is_empty() && self.own.iter().chain(&self.shown).any(holds)
    }

    /// Whether a time follows from its words, from the message, or from both with the times of what is in hand: its
    /// clock on another day, or so long before or after it.
    fn time_follows(&self, value: &str, from: &[&str], all: &[&str]) -> bool {
        let in_hand: Vec<&str> = self.times.iter().map(String::as_str).collect();
        let said = |more: &[&str], reference: &Reference| {
            let ground = Ground::of(self.reading, more, &[], &[], reference);
            ground.time(value, self.reference) == TimeGround::Said
        };
        let from = self.those_that_stand(from);
        if said(&from, self.reference) || self.is_bare_hour(value, &from) {
            return true;
        }
        let with_hand = [self.those_that_stand(all).as_slice(), &in_hand].concat();
        let counted = || {
            let counted_from = self.times.iter().filter_map(|at| self.reference_at(at));
            let words = [from.as_slice(), &[self.reading.text.as_str()], &in_hand].concat();
            counted_from.into_iter().any(|there| said(&words, &there))
        };
        self.names_a_time(&from) && (said(&with_hand, self.reference) || counted())
    }

    /// Whether it is an hour that was said as a mere number, of the day of something in hand.
    fn is_bare_hour(&self, value: &str, from: &[&str]) -> bool {
        const HALF_A_DAY: u32 = 12;
        let Some(at) = Moment::read(value, self.reference.zone) else { return false };
        let at = at.start(self.reference.zone);
        let mut days = self.times.iter().filter_map(|time| self.reference_at(time));
        let is_day = days.any(|there| there.now.with_timezone(&at.timezone()).date_naive() == at.date_naive());
        let is_hour = |words: &&str| {
            let hour = time::number(words.trim()).filter(|hour| *hour <= 2 * HALF_A_DAY);
            hour.is_some_and(|hour| hour % HALF_A_DAY == at.hour() % HALF_A_DAY)
        };
        is_day && at.minute() == 0 && from.iter().any(is_hour)
    }

    fn those_that_stand<'w>(&self, words: &[&'w str]) -> Vec<&'w str> {
        words.iter().copied().filter(|words| self.stands(words)).collect()
    }

    /// Words are read as if they were said then: "a week earlier" is so long before that.
    fn reference_at(&self, local: &str) -> Option<Reference> {
        let at = NaiveDateTime::parse_from_str(local, "%Y-%m-%d %H:%M").ok()?;
        let now = time::local_instant(self.reference.zone, at).earliest().to_utc();
        Some(Reference { now, ..*self.reference })
    }

    /// Whether a length is one that the words or the message say.
    fn is_length(&self, value: &str, from: &[&str]) -> bool {
        const WORDS_MAX: usize = 4;
        let Ok(planned) = value.parse::<ReminderOffset>() else { return false };
        let minutes = |length: TimeDelta| u32::try_from(length.num_minutes()).ok();
        let lasts = |words: &str| match time::resolve(words, self.reference) {
            Some(Ok(When::Duration(length))) => minutes(length).and_then(|minutes| ReminderOffset::of(0, minutes)),
            _ => None,
        };
        let is_it = |words: &str| words.parse().ok() == Some(planned);
        let said = |text: &str, is_it: &dyn Fn(&str) -> bool| {
            let words: Vec<&str> = text.split_whitespace().collect();
            (1..=WORDS_MAX).any(|length| words.windows(length).any(|some| is_it(&some.join(" "))))
        };
        let is_or_lasts = |words: &str| is_it(words) || lasts(words) == Some(planned);
        // The words that are named are few.
        let few = from.iter().filter(|words| words.len() <= NAMED_BYTES_MAX && self.stands(words));
        said(&self.reading.text, &is_it) || few.into_iter().any(|words| said(words, &is_or_lasts))
    }

    /// Whether the words of an end name a time that code reads, which is another one then.
    fn says_an_end(&self, end: &TypedValue, stated: &[StatedWords]) -> bool {
        let of_end = stated.iter().filter(|one| end.path.contains(&one.param)).map(|one| one.from.as_str());
        let names_one = |words: &str| words.split_whitespace().any(|word| time::number(word).is_some());
        of_end.into_iter().any(|words| names_one(words) || !time::find(words, self.reference).is_empty())
    }

    /// Whether it is as long as something in hand is.
    fn lasts_as_long(&self, start: &TypedValue, end: &TypedValue) -> bool {
        let at = |text: &str| Some(Moment::read(text, self.reference.zone)?.start(self.reference.zone));
        let (Some(start), Some(end)) = (at(&start.text), at(&end.text)) else { return false };
        let in_hand: Vec<_> = self.times.iter().filter_map(|time| self.reference_at(time)).collect();
        end > start && in_hand.iter().any(|from| in_hand.iter().any(|to| to.now - from.now == end - start))
    }

    /// Whether the words or the message name any time, or point at one.
    fn names_a_time(&self, from: &[&str]) -> bool {
        !self.reading.mentions.is_empty() || !from.is_empty()
    }

    /// Whether a rule is what its words say, or those of the message that repeat; or that of a thing in hand with such a
    /// change, on the weekdays that are named.
    fn repeats_so(&self, rule: &str, from: &[&str], all: &[&str]) -> bool {
        let read = |words: &&str| time::find(words, self.reference).into_iter().filter_map(|found| found.result.ok());
        let of_message = || self.reading.mentions.iter().filter_map(|mention| mention.result.as_ref().ok().cloned());
        let of_words = |words: &[&str]| -> Vec<When> {
            words.iter().filter(|words| self.stands(words)).flat_map(read).chain(of_message()).collect()
        };
        let rules = |found: Vec<When>| -> Vec<BTreeMap<String, String>> {
            let rule = |when: &When| match when {
                When::Recurrence { rrule, .. } => Some(parts(rrule)),
                When::Point { .. } | When::Range { .. } | When::Duration(_) => None,
            };
            found.iter().filter_map(rule).collect()
        };
        let planned = match rule.contains('=') {
            true => parts(rule),
            false => {
                match rules(time::resolve(rule, self.reference).and_then(Result::ok).into_iter().collect()).pop() {
                    Some(planned) => planned,
                    None => return false,
                }
            }
        };
        let said = rules(of_words(from));
        if said.contains(&planned) {
            return true;
        }
        // Where it ends may be said apart.
        let mut endless = planned.clone();
        let ends = endless.remove("UNTIL").is_some_and(|until| {
            let is_day = |when: &When| when.start().is_some_and(|at| at.format("%Y%m%d").to_string() == until);
            of_words(all).iter().any(is_day)
        });
        if ends && said.contains(&endless) {
            return true;
        }
        let days: Vec<&str> = of_words(all).iter().filter_map(weekday).collect();
        let carries = |known: &BTreeMap<String, String>| {
            let is_carried = |(name, value): (&String, &String)| {
                known.get(name) == Some(value)
                    || said.iter().any(|said| said.get(name) == Some(value))
                    || name == "BYDAY" && value.split(',').all(|day| days.contains(&day))
            };
            // What the thing had is changed by a word for it, and goes away by none.
            planned.iter().all(is_carried) && known.keys().all(|name| planned.contains_key(name))
        };
        self.rules.iter().any(|known| carries(&parts(known)))
    }

    fn says_choice(&self, value: &str) -> bool {
        self.own.iter().any(|own| says_choice(value, own))
    }

    fn is_person(&self, text: &str) -> bool {
        let mailbox = people::mailbox_of(text);
        let is_address = mailbox.contains('@');
        let is_known = || self.people.iter().any(|person| person.emails.contains(&mailbox));
        let name = words(mailbox.split('@').next().unwrap_or_default());
        let is_named = || self.own.iter().flat_map(|own| words(own)).any(|word| name.contains(&word));
        // A name is looked up by code, and an address that nobody said or knows is nobody's.
        !is_address || is_known() || is_named()
    }

    /// Whether something in sight, or in the person's words, is what this finds.
    fn is_item(&self, text: &str) -> bool {
        // Behind an id may stand a day of a series.
        let text = text.split_once(' ').map(|(id, _)| id).filter(|id| self.items.contains_key(id)).unwrap_or(text);
        let is_named = |label: &str| {
            let ground = Ground::of(self.reading, &[], &self.own, &[], self.reference);
            ground.shares_a_word(label)
        };
        self.in_hand.contains_key(text) || is_named(self.items.get(text).copied().unwrap_or(text))
    }

    /// Whether each number of a text stands somewhere, in figures or in words; one is said by naming a thing.
    fn numbers_stand(&self, text: &str) -> bool {
        let figures = |text: &str| -> Vec<String> {
            text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).map(str::to_owned).collect()
        };
        let numbers = figures(text);
        if numbers.is_empty() {
            return true;
        }
        let known: Vec<String> = self.own.iter().chain(&self.shown).flat_map(|text| words(text)).collect();
        let in_figures = figures(&known.join(" "));
        // A long one may have been said in groups.
        let in_groups = |number: &str| number.len() >= GROUPED_FIGURES && in_figures.concat().contains(number);
        let in_words = |number: u32| known.iter().any(|word| time::number(word) == Some(number));
        // The figures of a day that was said by its name.
        let of_times: Vec<u32> =
            self.own.iter().flat_map(|own| time::find(own, self.reference)).flat_map(figures_of).collect();
        let in_words = |number: u32| in_words(number) || of_times.contains(&number);
        let stands = |number: &String| {
            number == "1" || in_figures.contains(number) || in_groups(number) || number.parse().is_ok_and(in_words)
        };
        numbers.iter().all(stands)
    }
}

/// Year, month, day, hour and minute of a time.
fn figures_of(mention: TimeMention) -> Vec<u32> {
    let Some(at) = mention.result.ok().and_then(|when| when.start()) else { return Vec::new() };
    let year = u32::try_from(at.year()).unwrap_or_default();
    vec![year, at.month(), at.day(), at.hour(), at.minute()]
}

/// The weekday of a day that was named, as rules have it.
fn weekday(when: &When) -> Option<&'static str> {
    match when {
        When::Point { at, .. } => Some(match at.weekday() {
            Weekday::Mon => "MO",
            Weekday::Tue => "TU",
            Weekday::Wed => "WE",
            Weekday::Thu => "TH",
            Weekday::Fri => "FR",
            Weekday::Sat => "SA",
            Weekday::Sun => "SU",
        }),
        When::Range { .. } | When::Recurrence { .. } | When::Duration(_) => None,
    }
}

/// The parts of a rule that say how it repeats; which day or hour it begins with follows from its start.
fn parts(rule: &str) -> BTreeMap<String, String> {
    let parts = rule.trim().trim_start_matches("RRULE:").split(';').filter_map(|part| part.split_once('='));
    let parts = parts.map(|(name, value)| (name.to_uppercase(), value.to_uppercase()));
    let says = |(name, value): &(String, String)| match name.as_str() {
        "WKST" | "BYSECOND" => false,
        "INTERVAL" => value != "1",
        // One hour is that of the start.
        "BYHOUR" | "BYMINUTE" => value.contains(','),
        _ => true,
    };
    let until = |(name, value): (String, String)| {
        // An end is a day, whatever hour stands behind it.
        let day = value.get(..8).unwrap_or(&value).to_owned();
        if name == "UNTIL" { (name, day) } else { (name, value) }
    };
    parts.filter(says).map(until).collect()
}

#[cfg(test)]
mod tests;
