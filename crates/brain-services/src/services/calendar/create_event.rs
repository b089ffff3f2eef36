//! `create_event`: put an event on the calendar; high stakes once it invites others.

use async_trait::async_trait;
use chrono::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::event_reminder::reminders_of;
use super::occurrence::{Occurrence, exclusive};
use super::record::{Event, NAME};
use super::service::{CalendarService, OTHERS_SEE_IT};
use super::values::{attendees, check_order, moment, optional, with_end};
use super::view::{EventChanged, backwards};
use crate::services::contract::command::{
    Base, Called, Command, Invocation, PastTimes, Receipt, Slot, Subject, one_or_many,
};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::contract::service::Prepared;
use crate::services::contract::show::{self, Moment};
use crate::services::helpers::items::Item;
use crate::services::helpers::offsets;
use crate::services::helpers::recurrence::Series;
use crate::services::helpers::texts;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{Action, PlannedAction, Target};
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::coordination::may_be_needed;
use brain_language::language::requests::lexicon::{RequestLexicon, WordId};
use brain_language::language::requests::reading::{
    ClauseReading, TimeWords, behind, people, tidy, title, without_determiner,
};
use brain_language::language::requests::several::{self, ListedParts};
use brain_language::language::requests::text::tokens;
use brain_language::language::time;
use brain_language::language::time::{Grain, TimeRole, When};
use brain_language::language::tokens::lower;

/// Overlapping events a card names.
const OVERLAPS_MAX: usize = 3;

/// Put an event on the calendar.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateEvent {
    /// What it is, without time and place.
    summary: String,
    /// ISO local time or the person's own words.
    #[schemars(required)]
    start_time: Option<String>,
    /// A time, or a length as the person said it.
    end_time: Option<String>,
    location: Option<String>,
    /// How often, in the person's own words; only where they say that it repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<String>,
    /// Names or addresses of people to invite.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    attendees: Vec<String>,
    /// Reminders, each a length of time before it.
    #[serde(default, deserialize_with = "offsets::one_or_many", skip_serializing_if = "Option::is_none")]
    remind_before: Option<Vec<String>>,
}

impl Command for CreateEvent {
    type Output = EventChanged;

    const NAME: &'static str = "create_event";
    const SUMMARY: &'static str = "put an event on the calendar";
    const EXAMPLE: &'static str = "Lunch with Sarah on Friday at noon";
    const STATUS: &'static str = "Putting it on your calendar…";
    const STAKES: Stakes = Stakes::Low;
    const NAMES: &'static [&'static str] = &["summary"];
    const LENGTHS: &'static [&'static str] = &["remind_before"];

    fn stakes(&self, action: &Action) -> Stakes {
        let others_see_it = action.notes.iter().any(|note| note == OTHERS_SEE_IT);
        if self.attendees.is_empty() && !others_see_it { Self::STAKES } else { Stakes::High }
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let (start, end, repeat) = (&mut self.start_time, &mut self.end_time, &mut self.repeat);
        let time = if repeat.is_some() {
            Slot::Repeat { repeat, first: start, end: Some(end) }
        } else {
            let (base, past) = (Base::Now, PastTimes::Ask);
            Slot::Span { param: "start_time", start, end, repeat: Some(repeat), base, past }
        };
        vec![time, Slot::People { param: "attendees", value: &mut self.attendees, unaddressed: None }]
    }

    fn called(&self) -> Called {
        Called::Occasion(self.summary.clone())
    }

    fn complete(&mut self, _: Option<&Target>) {
        offsets::durations(self.remind_before.as_deref_mut().unwrap_or_default());
    }

    fn problem(&self) -> Option<String> {
        let unreadable = offsets::unreadable(self.remind_before.as_deref().unwrap_or_default());
        unreadable.or_else(|| backwards(self.start_time.as_deref()?, self.end_time.as_deref()))
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Add this event?")
            .words("Event", &self.summary)
            .row(
                "When",
                show::span(self.start_time.as_deref().unwrap_or_default(), self.end_time.as_deref(), subject.reference),
            )
            .row("Repeats", self.repeat.as_deref().map(time::describe_recurrence).unwrap_or_default())
            .row("Reminder", offsets::also(self.remind_before.as_deref(), None, subject.reference))
            .words("Where", self.location.clone().unwrap_or_default())
            .lines("With", show::people(&self.attendees, subject.action))
    }

    fn receipt(&self, output: &EventChanged, receipt: &Receipt<'_>) -> String {
        let event = &output.event;
        let repeats = event.recurrence.as_deref().map(|rule| format!("; repeats {}", time::describe_recurrence(rule)));
        let calendar = output.calendar.as_ref().map(|name| format!(" (in “{}”)", texts::brief(name)));
        let (repeats, calendar) = (repeats.unwrap_or_default(), calendar.unwrap_or_default());
        let reminds = event.reminders_told().map(|told| format!("; ⏰ {told}")).unwrap_or_default();
        format!("📅 Added: {}{repeats}{reminds}{calendar}", event.line(receipt.reference))
    }

    fn attempt(&self, _: &Action) -> String {
        format!("add “{}” to your calendar", self.summary)
    }

    fn made(&self, output: &EventChanged) -> Option<ItemRef> {
        Some(output.event.named())
    }
}

#[async_trait]
impl Edits<CreateEvent> for CalendarService {
    /// The end filled in, and what it collides with.
    async fn prepare(&self, ctx: &RequestContext, command: CreateEvent) -> Result<Prepared<CreateEvent>, ServiceError> {
        let end_time = with_end(command.start_time.as_deref(), command.end_time, ctx);
        let command = CreateEvent { end_time, ..command };
        let mut notes = Vec::new();
        if let (Some(Moment::Instant(start)), Some(Moment::Instant(end))) =
            (optional(command.start_time.as_deref(), ctx)?, optional(command.end_time.as_deref(), ctx)?)
        {
            let taken = self.between(ctx, start.to_utc(), end.to_utc()).await?;
            let timed: Vec<_> = taken.iter().filter(|(event, o)| event.takes_time(o)).collect();
            notes.extend(timed.iter().take(OVERLAPS_MAX).map(|(event, o)| overlap(event, o, ctx)));
            let more = timed.len().saturating_sub(OVERLAPS_MAX);
            if more > 0 {
                notes.push(format!("Overlaps with {more} more"));
            }
        }
        let has_others = !texts::filled_all(&command.attendees).is_empty();
        // A remark makes a card: which calendar it is, the receipt says as well.
        let told = self.told_of_place(ctx, None, has_others).await?;
        let asks = has_others || told.iter().any(|note| note == OTHERS_SEE_IT);
        notes.extend(told.into_iter().filter(|_| asks));
        Ok(Prepared::Ready { params: command, target: None, notes, untrusted: Vec::new() })
    }

    async fn edits(
        &self,
        call: Invocation<'_, CreateEvent>,
    ) -> Result<PlannedEdits<Event, EventChanged>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let start = moment(command.start_time.as_deref().unwrap_or_default(), ctx)?;
        let end = with_end(command.start_time.as_deref(), command.end_time, ctx);
        let end = optional(end.as_deref(), ctx)?;
        check_order(start, end, ctx)?;
        let end = end.map(|end| exclusive(start, end));
        let recurrence = texts::filled(command.repeat.as_deref());
        if let Some(rule) = &recurrence {
            let before_start = start.start(ctx.zone).to_utc() - Duration::seconds(1);
            let series = Series::begun(rule, start, ctx.zone, before_start);
            series.map_err(|bad| ServiceError::Refused(format!("{bad} Nothing was written.")))?;
        }
        let summary = texts::title(&command.summary, Event::NOUN)?;
        let mut event = Event {
            end_time: end.map(Moment::store),
            location: texts::filled(command.location.as_deref()),
            attendees: attendees(Vec::new(), &command.attendees)?,
            recurrence,
            reminders: reminders_of(command.remind_before.as_deref().unwrap_or_default(), start, ctx)?,
            created_at: ctx.now,
            ..Event::new(texts::new_id(attempt), ctx.owner.clone(), summary, start, ctx.zone)
        };
        let location = event.location.as_deref().unwrap_or_default();
        let attendees = event.attendees.join("\n");
        for (field, text) in [("summary", event.summary.as_str()), ("location", location), ("attendees", &attendees)] {
            event.others.write(field, text, provenance::source(action, field));
        }
        let calendar = self.backends.kept_place(&ctx.owner, None).await?.name;
        let told = EventChanged::told(ctx, None);
        Ok(PlannedEdits::new(vec![RecordEdit::create(event)], move |event: &Event| EventChanged {
            calendar,
            ..told(event)
        }))
    }
}

fn overlap(event: &Event, o: &Occurrence, ctx: &RequestContext) -> String {
    let when = o.when(&ctx.reference());
    format!("Overlaps with “{}” ({when})", texts::brief(&event.summary))
}

/// An event from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "create_event");
    let listed = several::days(said);
    let when = listed.as_ref().map(ListedParts::first).or_else(|| said.moment("summary", &[]));
    let mut used = when.as_ref().map(|w| w.masks.clone()).unwrap_or_default();
    let length = said.lengths(&[]).first().map(|&mask| said.words(&[mask]));
    used.extend(length.iter().flat_map(|l| l.masks.clone()));
    // A pronoun without a time is no event.
    if said.grammar.lexicon.is_phrase("it", said.ids("summary")) && when.is_none() {
        return Built::No;
    }
    let is_bare = said.found.frame.weak;
    // What is booked by a deadline is to be done by then.
    let by = |words: &TimeWords| {
        words.masks.iter().all(|mask| said.heard.time(*mask).is_some_and(|t| t.role == TimeRole::By))
    };
    if when.as_ref().is_some_and(by) && said.typed().starts_with(" book ") {
        return Built::No;
    }
    // The verb of keeping without a time keeps no hour free.
    if when.is_none() && said.typed().starts_with(" keep ") {
        return Built::No;
    }
    if is_bare && (when.is_none() || !names_event(said) && !is_appointment(said, when.as_ref())) {
        return Built::No;
    }
    let (summary, place, invited) = parts(said, &used);
    // A statement that moves an event to a time.
    if let (true, Some(when), Some(name)) = (is_bare, when.as_ref().filter(|when| said.is_moved_to(when)), &summary) {
        let mut action = said.action(NAME, "update_event");
        set(&mut action, "find_by", Some(name.as_str()));
        set(&mut action, "changes", Some(json!({ "start_time": when.text })));
        return Built::Act(action);
    }
    let Some(summary) = summary else {
        return Built::Ask {
            question: "What should I call it?",
            partial: timed(action, when, length),
            param: "summary",
        };
    };
    set(&mut action, "summary", Some(title(&summary)));
    set(&mut action, "location", place);
    if !invited.is_empty() {
        set(&mut action, "attendees", Some(Value::Array(invited)));
    }
    if when.is_none() {
        return Built::Ask { question: "When is it?", partial: timed(action, None, length), param: "start_time" };
    }
    let action = timed(action, when, length);
    match listed {
        Some(listed) => listed.each(&action, "start_time"),
        None => Built::Act(action),
    }
}

fn names_event(said: &ClauseReading) -> bool {
    ["event", "deevent"].iter().any(|class| said.holds("summary", class))
}

/// A day and an hour to come make an appointment of what has no name for one.
fn is_appointment(said: &ClauseReading, when: Option<&TimeWords>) -> bool {
    let Some(words) = when.filter(|words| !time::is_clock_only(&words.text)) else {
        return false;
    };
    let reference = said.input.reference;
    match time::resolve(&words.text, reference) {
        Some(Ok(When::Point { at, grain: Grain::Minute } | When::Range { start: at, grain: Grain::Minute, .. })) => {
            at.to_utc() > reference.now
        }
        _ => false,
    }
}

fn timed(mut action: PlannedAction, when: Option<TimeWords>, length: Option<TimeWords>) -> PlannedAction {
    set(&mut action, "start_time", when.map(|w| w.text));
    set(&mut action, "end_time", length.map(|w| w.text));
    action
}

/// Summary, place and the people to invite.
fn parts(said: &ClauseReading, used: &[usize]) -> (Option<String>, Option<String>, Vec<Value>) {
    if let Some(with) = said.clean("with", used) {
        let (with, place) = split_place(&with, said.grammar.lexicon);
        let what = ["lunch", "dinner", "call", "coffee", "drinks", "breakfast", "brunch"]
            .into_iter()
            .find(|w| said.typed().contains(&format!(" {w} ")));
        return (Some(format!("{} with {with}", what.unwrap_or("meeting"))), place, Vec::new());
    }
    let mut guests = said.raw("attendees").map(|names| people(&names)).unwrap_or_default();
    let placed = said.clean("summary", used).zip(said.clean("location", used)).or_else(|| named_place(said, used));
    if let Some((name, place)) = placed {
        return (Some(without_determiner(&name).to_owned()), Some(place), guests);
    }
    let Some(whole) = said.clean("summary", used) else {
        return (None, None, Vec::new());
    };
    // The name of a day that opens is also what it is about.
    let opens_with_place = ["at ", "with ", "in ", "@ "].iter().any(|link| lower(&whole).starts_with(link));
    let named = said.clean("summary", used.get(1..).unwrap_or_default());
    let whole = named.filter(|_| opens_with_place && used.len() > 1).unwrap_or(whole);
    let whole = without_determiner(behind(&whole, &["for "]));
    let (whole, invited) = match split_at(
        whole,
        &[" and invite ", ", invite ", " invite ", " inviting ", " and add ", " with attendees "],
    ) {
        Some((before, guests)) => (before, people(guests)),
        None => (whole, Vec::new()),
    };
    let (summary, place) = split_place(whole, said.grammar.lexicon);
    guests.extend(invited);
    let summary =
        Some(summary).filter(|s| !s.is_empty() && !matches!(s.as_str(), "event" | "something" | "time" | "a"));
    (summary, place, guests)
}

/// A place without a preposition behind the hour.
fn named_place(said: &ClauseReading, used: &[usize]) -> Option<(String, String)> {
    const PLACE_WORDS_MAX: usize = 5;
    let (name, place) = said.around_time("summary", used)?;
    let lexicon = said.grammar.lexicon;
    let place = behind(&place, &["location ", "venue ", "place "]).to_owned();
    let ids = ids_of(&place, lexicon);
    let says_more = ["whostop", "subject", "errand"].iter().any(|class| lexicon.starts(class, &ids).is_some());
    let says_more = says_more || lexicon.find("invite", &ids).is_some();
    let is_place = ids.len() <= PLACE_WORDS_MAX && !says_more && lexicon.find("placenoun", &ids).is_some();
    is_place.then_some((name, place))
}

fn ids_of(text: &str, lexicon: RequestLexicon) -> Vec<WordId> {
    tokens(text, lexicon).into_iter().map(|token| token.id).collect()
}

fn split_at<'t>(text: &'t str, links: &[&str]) -> Option<(&'t str, &'t str)> {
    links.iter().find_map(|link| text.split_once(link))
}

/// What happens, and the place behind a preposition.
fn split_place(text: &str, lexicon: RequestLexicon) -> (String, Option<String>) {
    for link in [" at the ", " at ", " @ ", " in the ", " in "] {
        let Some(at) = text.rfind(link) else { continue };
        let place = text[at..].trim();
        // Behind a comma stands the rest of an address, or a remark.
        let place = match place.split_once(", ") {
            Some((name, more)) if !may_be_needed(more, &ids_of(more, lexicon), lexicon) => name,
            _ => place,
        };
        let name = place.split_once(' ').map_or(place, |(_, name)| name);
        if name.is_empty() || name.split_whitespace().count() > 6 {
            continue;
        }
        return (tidy(&text[..at]), Some(name.to_owned()));
    }
    (text.to_owned(), None)
}
