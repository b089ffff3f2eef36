//! Anaphora resolution: a request at the end of a message that points with a pronoun, or with nothing, to what the
//! message states before it.
//!
//! The antecedent is put in the pronoun's place, and the message is planned as that one clause.

mod words;

use serde_json::Value;

use super::annotated::AnnotatedText;
use super::derivation;
use super::grammar::GRAMMAR;
use super::parse_input::ParseInput;
use super::reading::without_determiner;
use super::text::{Token, tokens};
use super::understood::PlanDraft;
use crate::language::time::{self, Reference};
use crate::language::work::Work;
use brain_core::core::plan::{Params, Plan, PlannedAction};
use brain_core::core::text::capital;
use words::{WordRun, is_cut, of_owner};

/// Words of a subject; longer ones are whole stories.
const SUBJECT_WORDS_MAX: usize = 6;
const TAIL_WORDS_MAX: usize = 24;
/// Cuts that are looked at, the last ones.
const PARTS_MAX: usize = 8;

/// The plan of a message that is said again as one clause; `None` where it holds no such request.
pub fn plan(text: &str, input: &ParseInput, domains: &[String], work: &Work) -> Option<PlanDraft> {
    let planned =
        |text: &str| match derivation::plan_as_said(&ParseInput { text, history: &[], ..*input }, domains, work) {
            PlanDraft::Plan(plan) => Some(plan),
            PlanDraft::Ask { .. } | PlanDraft::Nothing => None,
        };
    let tokens = tokens(text, GRAMMAR.lexicon);
    let parts = parts(text, &tokens);
    let about = parts.iter().find_map(|(before, tail)| {
        let (asks, behind) = tail.without_remark();
        let plan = entered(before, &asks, &planned)
            .or_else(|| kept(before, &asks, &planned))
            .or_else(|| retold(before, &asks, &planned))
            .or_else(|| weighed(before, &asks, &planned, input.reference))
            .or_else(|| redone(before, &asks, &planned))
            .or_else(|| said_again(before, &asks, &planned, input.reference))?;
        Some(and_then(plan, &behind, &planned))
    });
    let reminder = |(before, tail): &(WordRun, WordRun)| {
        let (asks, behind) = tail.without_remark();
        let plan = planned(&remind_of(before, &asks, input)?)?;
        Some(and_then(plan, &behind, &planned))
    };
    let plan = about.or_else(|| parts.iter().find_map(reminder))?;
    Some(PlanDraft::Plan(plan))
}

/// A question behind a report asks for more; a fragment that only tells does not.
fn and_then(mut plan: Plan, behind: &WordRun, planned: &impl Fn(&str) -> Option<Plan>) -> Plan {
    if let Some(more) = planned(behind.text()).filter(|_| !behind.tokens.is_empty()) {
        plan.actions.extend(more.actions);
    }
    plan
}

/// Every way to cut a message in two: at a stop, a comma, a dash, a conjunction, or a request to remind.
fn parts<'t>(text: &'t str, tokens: &'t [Token]) -> Vec<(WordRun<'t>, WordRun<'t>)> {
    let joins = |at: usize| {
        let rest = WordRun { message: text, tokens: &tokens[at..] };
        ["joins", "remindme"].iter().any(|class| rest.starts(class) > 0)
    };
    let is_cut = |at: &usize| is_cut(&tokens[*at], text) || joins(*at);
    let cut = |at: usize| {
        let tail = WordRun::new(text, &tokens[at..]);
        (WordRun::new(text, &tokens[..at]), tail.behind("joins"))
    };
    let fits = |(before, tail): &(WordRun, WordRun)| {
        !before.tokens.is_empty() && (1..=TAIL_WORDS_MAX).contains(&tail.tokens.len())
    };
    let mut parts: Vec<_> = (1..tokens.len()).rev().filter(is_cut).map(cut).filter(fits).take(PARTS_MAX).collect();
    parts.reverse();
    parts
}

/// An occasion was told, and the request enters a pronoun in a calendar: the occasion is what is to be entered.
fn entered(before: &WordRun, tail: &WordRun, planned: &impl Fn(&str) -> Option<Plan>) -> Option<Plan> {
    if tail.without_lead().starts("makeatask") > 0 {
        return planned(&format!("add {} to my todo list", before.without_lead().text()));
    }
    let entry = tail.after("add")?;
    let (at, name) = match entry.after("antecedent") {
        Some(rest) => (rest, None),
        None => entry.named_in(before)?,
    };
    let place = at.after("into")?.behind("my");
    let tells = |place: WordRun| ["remark", "why"].iter().any(|class| place.starts(class) > 0);
    let ends = |place: WordRun| place.before("tail").tokens.is_empty() || tells(place);
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

/// An event that the request names itself: when and where are as told, under this name.
fn named_event(told: &PlannedAction, name: &str) -> PlannedAction {
    let changes = told.params.get("changes").and_then(Value::as_object);
    let known = ["start_time", "end_time", "location"].into_iter().filter_map(|param| {
        let value = told.params.get(param).or_else(|| changes?.get(param))?;
        Some((param.to_owned(), value.clone()))
    });
    let mut params: Params = known.collect();
    params.insert("summary".to_owned(), capital(without_determiner(name)).into());
    PlannedAction { service: "calendar".into(), command: "create_event".into(), params, ..PlannedAction::default() }
}

/// A change was told, and the request to make it has a pronoun: it is made as it was told.
fn redone(before: &WordRun, tail: &WordRun, planned: &impl Fn(&str) -> Option<Plan>) -> Option<Plan> {
    let rest = tail.without_lead().after("redo")?.behind("into").behind("my").behind("diary").before("tail");
    let told = before.sentences();
    let found = told.iter().rev().find_map(|told| planned(told.text()).filter(only_updates));
    let (last, others) = told.split_last()?;
    let moved = || retold(others.last()?, last, planned);
    found.or_else(moved).filter(|_| rest.tokens.is_empty())
}

/// A change was told without its new value, and what follows tells the value.
fn retold(before: &WordRun, tail: &WordRun, planned: &impl Fn(&str) -> Option<Plan>) -> Option<Plan> {
    let when = tail.after("itsnow")?.before("tail");
    let told = before.sentences().pop()?;
    GRAMMAR.lexicon.find("shifted", &told.ids())?;
    planned(&format!("move {} to {}", subject(&told)?, when.text())).filter(only_updates)
}

fn only_updates(plan: &Plan) -> bool {
    plan.actions.iter().all(|action| action.command.starts_with("update"))
}

/// A task was asked for, and what follows sets its priority.
fn weighed(
    before: &WordRun,
    tail: &WordRun,
    planned: &impl Fn(&str) -> Option<Plan>,
    reference: &Reference,
) -> Option<Plan> {
    let level = tail.without_lead().after("makeit")?;
    let level = AnnotatedText::new(level.text(), reference, GRAMMAR.lexicon);
    let all = 0..level.tokens.len();
    let (_, priority) = level.priority_in(&all).filter(|_| level.live(all.clone()).is_empty())?;
    let mut plan = planned(before.text())?;
    let [task] = &mut plan.actions[..] else { return None };
    let created = (task.service.as_str(), task.command.as_str()) == ("task", "create");
    task.params.insert("priority".to_owned(), priority.into());
    created.then_some(plan)
}

/// A detail of somebody was told, and the request keeps a pronoun: what was told says itself that it is to be kept.
fn kept(before: &WordRun, tail: &WordRun, planned: &impl Fn(&str) -> Option<Plan>) -> Option<Plan> {
    tail.without_lead().after("keepit").filter(|rest| rest.tokens.is_empty() || rest.starts("tail") > 0)?;
    let keeps = |plan: &Plan| plan.actions.iter().all(|action| matches!(action.command.as_str(), "save" | "store"));
    planned(before.text()).filter(keeps)
}

/// The request again, with the subject of what was told in place of its pronoun.
fn said_again(
    before: &WordRun,
    tail: &WordRun,
    planned: &impl Fn(&str) -> Option<Plan>,
    reference: &Reference,
) -> Option<Plan> {
    if tail.starts("keeper") > 0 {
        return None;
    }
    let (at, len) = GRAMMAR.lexicon.find("antecedent", &tail.ids())?;
    let (left, right) = (tail.split_at(at).0.text(), tail.split_at(at + len).1.text());
    let ticks_off = tail.without_lead().starts("tickoff") > 0;
    let again = |thing: &str| planned(format!("{left} {thing} {right}").trim());
    // A statement that something is over, and perhaps why: what is over is meant.
    let ends = |told: &WordRun| told.tells_an_end() || ticks_off && finished(told).is_some();
    let (over, others): (Vec<WordRun>, Vec<WordRun>) = before.sentences().into_iter().rev().partition(ends);
    over.into_iter().chain(others).find_map(|told| {
        if let Some(thing) = finished(&told).filter(|_| ticks_off) {
            return again(without_time(thing, reference));
        }
        let thing = subject(&told)?;
        let plan = again(thing).or_else(|| again(without_kind(thing)))?;
        // A noun phrase with a time, before a request to move it, names an event and makes none.
        let changes = plan
            .actions
            .iter()
            .all(|action| action.command.starts_with("update") || action.command.starts_with("delete"));
        let names = changes && told.starts("thingarticle") > 0;
        (names || ticks_off || planned(told.text()).is_none()).then_some(plan)
    })
}

/// The object of a report in the perfect, behind words that only open it.
fn finished<'t>(told: &WordRun<'t>) -> Option<&'t str> {
    let did = told.without_lead().behind("ihave").without_lead();
    let word = did.typed(0);
    let regular = word.len() > 4 && word.ends_with("ed") && word.starts_with(char::is_lowercase);
    let thing = if did.starts("did") > 0 { did.behind("did") } else { did.split_at(usize::from(regular)).1 };
    let ended = did.starts("did") > 0 || regular;
    // A clause of time behind the object is no part of it.
    let ids = thing.ids();
    let more = (1..ids.len()).find(|at| GRAMMAR.lexicon.starts("clausal", &ids[*at..]).is_some());
    let thing = thing.split_at(more.unwrap_or(ids.len())).0;
    let thing = without_determiner(thing.before("tail").text());
    (ended && !thing.is_empty() && thing.split_whitespace().count() <= SUBJECT_WORDS_MAX).then_some(thing)
}

/// A thing without the time that stands behind it.
fn without_time<'t>(thing: &'t str, reference: &Reference) -> &'t str {
    let last = time::find(thing, reference).into_iter().next_back().filter(|found| found.span.end == thing.len());
    last.and_then(|found| thing.get(..found.span.start))
        .map(str::trim)
        .filter(|thing| !thing.is_empty())
        .unwrap_or(thing)
}

/// The subject of a statement that something is over; a bare name of a thing is its own.
fn subject<'t>(told: &WordRun<'t>) -> Option<&'t str> {
    let sentence = told.without_lead();
    let after = |at: usize| sentence.split_at(at).1;
    let state = (0..sentence.tokens.len()).find(|at| after(*at).starts("told") > 0 || sentence.is_over_at(*at));
    let named = sentence.starts("thingarticle") > 0;
    let words = match state {
        Some(at) if of_owner(sentence.typed(at)).is_some() && sentence.is_over_at(at) => sentence.split_at(at + 1).0,
        Some(at) => sentence.split_at(at).0,
        None => sentence,
    };
    let fits = sentence.starts("teller") == 0
        && (state.is_some() || named)
        && words.tokens.len() <= SUBJECT_WORDS_MAX + usize::from(named);
    let thing = words.behind("thingarticle").text();
    let thing = without_determiner(of_owner(thing).unwrap_or(thing));
    (fits && !thing.is_empty()).then_some(thing)
}

/// An errand without the noun of its kind before it.
fn without_kind(thing: &str) -> &str {
    let tokens = tokens(thing, GRAMMAR.lexicon);
    let name = WordRun::new(thing, &tokens).behind("taskabout");
    name.tokens.first().map_or(thing, |first| &thing[first.span.start..])
}

/// An errand with its time, and a bare request to be reminded: the request with the errand as its object.
fn remind_of(before: &WordRun, tail: &WordRun, input: &ParseInput) -> Option<String> {
    let asked = tail.behind("please");
    let rest = asked.after("remindme").or_else(|| asked.after("reminderplease"))?.behind("ofit");
    // A reason behind the request says no time.
    let time = if rest.starts("why") > 0 { "" } else { rest.before("please").text() };
    let timed = match &time::find(time, input.reference)[..] {
        [only] => time.get(only.span.clone()).is_some_and(|words| words.trim() == time),
        _ => time.is_empty(),
    };
    // A time that opens the errand is its time.
    let opens = time::find(before.text(), input.reference).into_iter().next().filter(|found| found.span.start == 0);
    let (first, thing) = match opens.filter(|_| time.is_empty()) {
        Some(found) => before.split_at_byte(found.span.end),
        None => (before.split_at(0).0, *before),
    };
    let thing = thing.without_lead().behind("duty");
    // A negated request has nothing before it but the negation.
    let negated = thing.starts("dearnegation") == thing.tokens.len();
    let tells = thing.starts("teller") > 0 || negated;
    (timed && !tells).then(|| format!("remind me {}{time}: {}", first.text(), thing.text()).replace(" :", ":"))
}
