//! A request at the end of a message about what stands before it: "golf's off on Saturday, take it out of the diary",
//! "print my CV. Remind me on Wednesday".
//!
//! The message is said again as one clause ("take golf out of the diary") and planned as that.

use serde_json::Value;

use super::clauses::{self, Tries};
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::matching;
use super::said::without_determiner;
use super::text::{Mark, Token, capitalised, fold, tokens};
use super::{Hearing, Understood};
use crate::core::plan::{Params, Plan, PlannedAction};
use crate::core::when;

/// Words of a subject; longer ones are whole stories.
const SUBJECT_WORDS_MAX: usize = 6;
const TAIL_WORDS_MAX: usize = 24;
/// Words of the longest phrase of a class.
const PHRASE_WORDS_MAX: usize = 8;
/// Cuts that are looked at, the last ones.
const PARTS_MAX: usize = 8;

/// The plan of a message that is said again as one clause; `None` where it holds no such request.
pub(super) fn plan(text: &str, hearing: &Hearing, domains: &[String]) -> Option<Understood> {
    let tries = Tries::default();
    let planned = |text: &str| match clauses::plan_as_said(&Hearing { text, history: &[], ..*hearing }, domains, &tries)
    {
        Understood::Plan(plan) => Some(plan),
        Understood::Ask { .. } | Understood::NotUnderstood => None,
    };
    let tokens = tokens(text, &GRAMMAR.lexicon);
    let parts = parts(text, &tokens);
    let about = parts.iter().find_map(|(before, tail)| {
        entered(before, tail, &planned)
            .or_else(|| redone(before, tail, &planned))
            .or_else(|| said_again(before, tail, &planned))
    });
    let plan = about.or_else(|| parts.iter().find_map(|(before, tail)| planned(&remind_of(before, tail, hearing)?)))?;
    Some(Understood::Plan(plan))
}

/// Some words of a message that follow each other.
#[derive(Clone, Copy)]
struct Words<'t> {
    message: &'t str,
    tokens: &'t [Token],
}

impl<'t> Words<'t> {
    /// Without the marks at both ends.
    fn new(message: &'t str, tokens: &'t [Token]) -> Words<'t> {
        let is_word = |token: &Token| token.mark == Mark::Word;
        let first = tokens.iter().position(is_word).unwrap_or(tokens.len());
        let end = tokens.iter().rposition(is_word).map_or(first, |last| last + 1);
        Words { message, tokens: &tokens[first..end] }
    }

    fn text(&self) -> &'t str {
        match self.tokens {
            [first, .., last] => &self.message[first.span.start..last.span.end],
            [only] => &self.message[only.span.clone()],
            [] => "",
        }
    }

    fn split_at(&self, at: usize) -> (Words<'t>, Words<'t>) {
        let (left, right) = self.tokens.split_at(at.min(self.tokens.len()));
        (Words::new(self.message, left), Words::new(self.message, right))
    }

    fn ids(&self) -> Vec<WordId> {
        self.tokens.iter().map(|token| token.id).collect()
    }

    fn typed(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.message[token.span.clone()])
    }

    /// The words of a phrase at the start; 0 where none of the class stands there.
    fn starts(&self, class: &str) -> usize {
        let first = self.tokens.iter().take(PHRASE_WORDS_MAX).map(|token| token.id).collect::<Vec<_>>();
        GRAMMAR.lexicon.starts(class, &first).unwrap_or(0)
    }

    /// What follows a phrase of the class, if one stands at the start.
    fn behind(&self, class: &str) -> Words<'t> {
        self.split_at(self.starts(class)).1
    }

    /// The same, where one has to stand there.
    fn after(&self, class: &str) -> Option<Words<'t>> {
        (self.starts(class) > 0).then(|| self.behind(class))
    }

    /// Without politeness and sighs.
    fn without_lead(&self) -> Words<'t> {
        let starts = matching::starts(&GRAMMAR, &self.ids());
        starts.last().map_or(*self, |at| self.split_at(*at).1)
    }

    /// What is told one after the other, between full stops, commas and dashes.
    fn sentences(&self) -> Vec<Words<'t>> {
        let parts = self.tokens.split(|token| is_cut(token, self.message));
        parts.map(|part| Words::new(self.message, part)).filter(|part| !part.tokens.is_empty()).collect()
    }

    /// "(Callum has a mock in physics on Tuesday at 9, put) physics mock in": the name, if all its words were said
    /// before, and what stands behind it.
    fn named_in(&self, before: &Words) -> Option<(Words<'t>, Option<&'t str>)> {
        let (at, _) = GRAMMAR.lexicon.find("into", &self.ids()).filter(|(at, _)| *at > 0)?;
        let (name, rest) = self.split_at(at);
        let said: Vec<String> = before.tokens.iter().map(|token| fold(&before.message[token.span.clone()])).collect();
        let known = |at: usize| said.contains(&fold(name.typed(at)));
        let words = name.behind("thingarticle");
        ((0..words.tokens.len()).all(|at| said.contains(&fold(words.typed(at)))) && known(name.tokens.len() - 1))
            .then(|| (rest, Some(name.text())))
    }

    /// What stands before a phrase of the class, if one stands at the end.
    fn before(&self, class: &str) -> Words<'t> {
        let ids = self.ids();
        let cut = (0..ids.len()).find(|at| GRAMMAR.lexicon.is_phrase(class, &ids[*at..]));
        self.split_at(cut.unwrap_or(ids.len())).0
    }
}

/// A full stop, a comma or a dash.
fn is_cut(token: &Token, text: &str) -> bool {
    token.mark == Mark::Stop || token.mark == Mark::Soft && matches!(&text[token.span.clone()], "," | "-" | "–" | "—")
}

/// Every way to cut a message in two at the end of a sentence, a comma, a dash, an "and" or before "remind me".
fn parts<'t>(text: &'t str, tokens: &'t [Token]) -> Vec<(Words<'t>, Words<'t>)> {
    let joins = |at: usize| {
        let rest = Words { message: text, tokens: &tokens[at..] };
        ["joins", "remindme"].iter().any(|class| rest.starts(class) > 0)
    };
    let is_cut = |at: &usize| is_cut(&tokens[*at], text) || joins(*at);
    let cut = |at: usize| {
        let tail = Words::new(text, &tokens[at..]);
        (Words::new(text, &tokens[..at]), tail.behind("joins"))
    };
    let fits = |(before, tail): &(Words, Words)| {
        !before.tokens.is_empty() && (1..=TAIL_WORDS_MAX).contains(&tail.tokens.len())
    };
    let mut parts: Vec<_> = (1..tokens.len()).rev().filter(is_cut).map(cut).filter(fits).take(PARTS_MAX).collect();
    parts.reverse();
    parts
}

/// "Boiler service Thursday at 10" and "pop it in the calendar": what was told is what is to be entered.
fn entered(before: &Words, tail: &Words, planned: &impl Fn(&str) -> Option<Plan>) -> Option<Plan> {
    if tail.without_lead().starts("makeatask") > 0 {
        return planned(&format!("add {} to my todo list", before.without_lead().text()));
    }
    let entry = tail.after("add")?;
    let (at, name) = match entry.after("antecedent") {
        Some(rest) => (rest, None),
        None => entry.named_in(before)?,
    };
    let place = at.after("into")?.behind("my");
    let ends = |place: Words| place.before("tail").tokens.is_empty() || place.starts("remark") > 0;
    if let Some(rest) = place.after("tasklist").filter(|rest| ends(*rest)) {
        let to_do = name.unwrap_or_else(|| before.without_lead().text());
        return planned(&format!("add {to_do} to my todo list{}", rest.text()));
    }
    if !ends(place.behind("diary")) {
        return None;
    }
    let is_told = |action: &PlannedAction| matches!(action.command.as_str(), "create_event" | "update_event");
    let is_event = |plan: &Plan| matches!(&plan.actions[..], [one] if is_told(one));
    let plan = planned(before.text()).or_else(|| planned(&format!("add {} to my calendar", before.text())));
    let mut plan = plan.filter(is_event)?;
    if let (Some(name), [event]) = (name, &mut plan.actions[..]) {
        *event = named_event(event, name);
    }
    Some(plan)
}

/// "The concert is on Saturday at 7 at the cathedral, put memorial concert in": when and where as told, under this name.
fn named_event(told: &PlannedAction, name: &str) -> PlannedAction {
    let changes = told.params.get("changes").and_then(Value::as_object);
    let known = ["start_time", "end_time", "location"].into_iter().filter_map(|param| {
        let value = told.params.get(param).or_else(|| changes?.get(param))?;
        Some((param.to_owned(), value.clone()))
    });
    let mut params: Params = known.collect();
    params.insert("summary".to_owned(), capitalised(without_determiner(name)).into());
    PlannedAction { service: "calendar".into(), command: "create_event".into(), params, ..PlannedAction::default() }
}

/// "The meeting got moved to 4" and "can you change it": it was told how.
fn redone(before: &Words, tail: &Words, planned: &impl Fn(&str) -> Option<Plan>) -> Option<Plan> {
    let rest = tail.without_lead().after("redo")?.behind("into").behind("my").behind("diary").before("tail");
    let updates = |plan: &Plan| plan.actions.iter().all(|action| action.command.starts_with("update"));
    let told = before.sentences();
    let found = told.iter().rev().find_map(|told| planned(told.text()).filter(updates));
    found.filter(|_| rest.tokens.is_empty())
}

/// "Golf's off on Saturday" and "take it out of the diary" as "take golf out of the diary".
fn said_again(before: &Words, tail: &Words, planned: &impl Fn(&str) -> Option<Plan>) -> Option<Plan> {
    if tail.starts("keeper") > 0 {
        return None;
    }
    let (at, len) = GRAMMAR.lexicon.find("antecedent", &tail.ids())?;
    let (left, right) = (tail.split_at(at).0.text(), tail.split_at(at + len).1.text());
    let ticks_off = tail.without_lead().starts("tickoff") > 0;
    let again = |thing: &str| planned(format!("{left} {thing} {right}").trim());
    before.sentences().into_iter().rev().find_map(|told| {
        if let Some(thing) = finished(&told).filter(|_| ticks_off) {
            return again(thing);
        }
        let plan = again(subject(&told)?)?;
        // "The dentist on Friday, shift it to 9:20" names an event and makes none.
        let changes = plan
            .actions
            .iter()
            .all(|action| action.command.starts_with("update") || action.command.starts_with("delete"));
        let names = changes && told.starts("thingarticle") > 0;
        (names || ticks_off || planned(told.text()).is_none()).then_some(plan)
    })
}

/// "The water rates" of "right, I've paid the water rates".
fn finished<'t>(told: &Words<'t>) -> Option<&'t str> {
    let did = told.without_lead().behind("ihave").without_lead();
    let word = did.typed(0);
    let regular = word.len() > 4 && word.ends_with("ed") && word.starts_with(char::is_lowercase);
    let thing = if did.starts("did") > 0 { did.behind("did") } else { did.split_at(usize::from(regular)).1 };
    let ended = did.starts("did") > 0 || regular;
    // "The bill | while standing in line".
    let ids = thing.ids();
    let more = (1..ids.len()).find(|at| GRAMMAR.lexicon.starts("clausal", &ids[*at..]).is_some());
    let thing = thing.split_at(more.unwrap_or(ids.len())).0;
    let thing = without_determiner(thing.before("tail").text());
    (ended && !thing.is_empty() && thing.split_whitespace().count() <= SUBJECT_WORDS_MAX).then_some(thing)
}

/// "Golf" of "golf's off on Saturday"; a bare name of a thing is its own.
fn subject<'t>(told: &Words<'t>) -> Option<&'t str> {
    let sentence = told.without_lead();
    let after = |at: usize| sentence.split_at(at).1;
    // "Golf's off", but not "Tuesday's lecture".
    let is_over = |at: usize| of_owner(sentence.typed(at)).is_some() && after(at + 1).starts("ended") > 0;
    let state = (0..sentence.tokens.len()).find(|at| after(*at).starts("told") > 0 || is_over(*at));
    let named = sentence.starts("thingarticle") > 0;
    let words = match state {
        Some(at) if is_over(at) => sentence.split_at(at + 1).0,
        Some(at) => sentence.split_at(at).0,
        None => sentence,
    };
    let fits = sentence.starts("teller") == 0
        && (state.is_some() || named)
        && words.tokens.len() <= SUBJECT_WORDS_MAX + usize::from(named);
    let thing = words.behind("thingarticle").behind("taskabout").text();
    let thing = without_determiner(of_owner(thing).unwrap_or(thing));
    (fits && !thing.is_empty()).then_some(thing)
}

/// "Golf" of "golf's".
fn of_owner(word: &str) -> Option<&str> {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"))
}

/// "Send the timesheet every Friday at 4" and "remind me": as "remind me: send the timesheet every Friday at 4".
fn remind_of(before: &Words, tail: &Words, hearing: &Hearing) -> Option<String> {
    let asked = tail.behind("please");
    if asked.starts("remindme") == 0 {
        return None;
    }
    let rest = asked.behind("remindme").behind("ofit");
    // "Remind me, because he won't".
    let time = if rest.starts("why") > 0 { "" } else { rest.before("please").text() };
    let timed = match &when::find(time, hearing.reference)[..] {
        [only] => time.get(only.span.clone()).is_some_and(|words| words.trim() == time),
        _ => time.is_empty(),
    };
    let thing = before.without_lead().behind("duty");
    let tells = thing.starts("teller") > 0 || thing.tokens.is_empty();
    (timed && !tells).then(|| format!("remind me {time}: {}", thing.text()).replace(" :", ":"))
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;

    use super::*;
    use crate::core::when::{DateOrder, Reference};

    /// The commands of a message with what they name.
    fn planned(text: &str) -> Option<String> {
        let reference =
            Reference { now: "2026-01-12T09:00:00Z".parse().unwrap(), zone: Tz::UTC, order: DateOrder::DayFirst };
        let hearing = Hearing { text, reference: &reference, history: &[] };
        let Understood::Plan(plan) = super::plan(text, &hearing, &[])? else { return None };
        let told = plan.actions.iter().map(|action| {
            let named = ["find_by", "title"].iter().find_map(|name| action.params.get(*name)?.as_str());
            format!("{}.{} {}", action.service, action.command, named.unwrap_or_default())
        });
        Some(told.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn it_is_what_the_sentence_before_tells_of() {
        for (text, expected) in [
            ("golf's off on saturday, take it out of the diary", "calendar.delete_event golf"),
            ("the nursery deposit is paid. tick it off pls", "task.complete nursery deposit"),
            ("dinner with josh is cancelled. delete that", "calendar.delete_event dinner with josh"),
            ("the dentist on friday, shift it to friday 9:20", "calendar.update_event dentist"),
            ("I have finally paid the mooring fee. Please mark it as done.", "task.complete mooring fee"),
            ("shower curtain is up, looks awful but its up. check it off", "task.complete shower curtain"),
            ("right ive paid the water rates, robbing so and sos. cross it off", "task.complete water rates"),
            ("fixed the coat pegs!! took all of 5 mins. tick it off", "task.complete coat pegs"),
            ("mums scan has been put back to 9th feb at 10am, can you change it", "calendar.update_event mums scan"),
            (
                "the house meeting is now sunday at 7pm, callum has football. change it pls",
                "calendar.update_event house meeting",
            ),
            ("boiler service thursday at 10, pop it in the calendar will you", "calendar.create_event"),
            ("paid the hydro bill while standing in line for coffee, mark it done pls", "task.complete hydro bill"),
            (
                "ok the passport photos are done, she blinked in 11 of them but done, check it off",
                "task.complete passport photos",
            ),
        ] {
            let got = planned(text).unwrap_or_default();
            assert!(got.starts_with(expected), "{text}: {got}");
        }
    }

    #[test]
    fn remind_me_at_the_end_is_of_what_stands_before() {
        for (text, expected) in [
            ("send timesheet every friday at 4pm - remind me", "task.create Send timesheet"),
            ("gotta print my cv. remind me wednesday evening", "task.create Print my cv"),
            ("bins out every thursday, remind me, because if its left to him we'll have rats", "task.create Bins out"),
            ("I will need to water the orchids on Thursday. Please remind me.", "task.create Water the orchids"),
            ("I must send the proposal by Friday, please make that a task.", "task.create Send the proposal"),
            ("pick up prescription remind me 11am today", "task.create Pick up prescription"),
            (
                "i need to cancel my puregym membership by the 25th, put it on my todos",
                "task.create Cancel my puregym membership",
            ),
        ] {
            assert_eq!(planned(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_asks_by_itself_is_not_said_again() {
        for text in [
            "add tape to the shopping list and remind me at 6 to go shopping",
            "my favourite colour is green, remember that",
            "i'm ill, cancel it",
            "my boss is late again, it sucks",
            "book a table for friday and cancel it",
            "it",
            ", it",
        ] {
            assert_eq!(planned(text), None, "{text}");
        }
    }
}
