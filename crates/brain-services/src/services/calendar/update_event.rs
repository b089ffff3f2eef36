//! `update_event`: move or change an event, one occurrence of a series, it and all after it, or all of it.

use async_trait::async_trait;
use chrono::{DateTime, Duration};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::exceptions::{self, Instead, Scope, Scoped};
use super::occurrence::Occurrence;
use super::record::{Event, NAME};
use super::service::CalendarService;
use super::values::{attendees, new_times, optional, repeat_so, reschedule};
use super::view::{EventChanged, EventView, backwards};
use crate::services::contract::command::{Base, Command, Invocation, PastTimes, Receipt, Slot, Subject, one_or_many};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::contract::service::Prepared;
use crate::services::contract::show::{self, Moment};
use crate::services::helpers::described::{self, Timing};
use crate::services::helpers::items::{self, Item, label};
use crate::services::helpers::texts;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{Action, Target};
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, people, title};
use brain_language::language::time;
use brain_language::language::tokens::lower;

/// Said where only the first time of a series is known.
const UNMOVABLE: &str =
    "It repeats by a rule that I can't follow, so I leave its times alone; please move it in your calendar.";

/// Move or change an event.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateEvent {
    /// The event's id or words from its title; one day of a series by that day behind it.
    find_by: String,
    changes: EventChanges,
    /// Of an event that repeats: this, following or all, as the person said; leave it out when they did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<Scope>,
}

impl Scoped for UpdateEvent {
    fn words(&self) -> String {
        self.find_by.clone()
    }

    fn scope(&mut self) -> &mut Option<Scope> {
        &mut self.scope
    }
}

/// What becomes of it; what is not named stays.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventChanges {
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    attendees: Vec<String>,
    /// How often from now on, in the person's own words; none, where it is to repeat no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<String>,
}

impl Command for UpdateEvent {
    type Output = EventChanged;

    const NAME: &'static str = "update_event";
    const SUMMARY: &'static str = "move or change an event";
    const EXAMPLE: &'static str = "Move the dentist to 4pm";
    const STATUS: &'static str = "Changing your calendar…";
    const STAKES: Stakes = Stakes::High;
    const NAMES: &'static [&'static str] = &["summary"];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let EventChanges { start_time, end_time, attendees, repeat, .. } = &mut self.changes;
        let (start, end) = (start_time, end_time);
        let time = match repeat.as_deref().map(is_no_repeat) {
            Some(false) => Slot::Repeat { repeat, first: start, end: Some(end) },
            ends => {
                let repeat = ends.is_none().then_some(repeat);
                Slot::Span { param: "start_time", start, end, repeat, base: Base::Target, past: PastTimes::Ask }
            }
        };
        vec![time, Slot::People { param: "attendees", value: attendees, unaddressed: None }]
    }

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    /// An event that is moved keeps its length; one that is to repeat on days keeps its hour.
    fn complete(&mut self, target: Option<&Target>) {
        let is_at_an_hour = |text: Option<&str>| text.is_some_and(|text| text.contains('T'));
        if self.changes.repeat.is_some()
            && !is_at_an_hour(self.changes.start_time.as_deref())
            && is_at_an_hour(target.and_then(|target| target.starts.as_deref()))
        {
            self.changes.start_time = None;
        }
        let (Some(start), None, Some(target)) = (&self.changes.start_time, &self.changes.end_time, target) else {
            return;
        };
        let instant = |text: &Option<String>| match Moment::read(text.as_deref()?, Tz::UTC)? {
            Moment::Instant(at) => Some(at),
            Moment::Day(_) => None,
        };
        if let (Some(from), Some(to), Ok(new)) =
            (instant(&target.starts), instant(&target.ends), DateTime::parse_from_rfc3339(start))
        {
            let length: Duration = to - from;
            self.changes.end_time = Some((new + length).to_rfc3339_opts(chrono::SecondsFormat::Secs, false));
        }
    }

    fn problem(&self) -> Option<String> {
        backwards(self.changes.start_time.as_deref()?, self.changes.end_time.as_deref())
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.before::<EventView>();
        let was = before.as_ref().map(|event| event.when(subject.reference)).unwrap_or_default();
        let when = match (&self.changes.start_time, &self.changes.end_time) {
            (Some(start), end) => format!("{was} → {}", show::span(start, end.as_deref(), subject.reference)),
            (None, Some(end)) => format!("{was} → until {}", show::time(end, subject.reference)),
            (None, None) => was,
        };
        let moves = self.changes.location.is_some();
        let left = before.as_ref().and_then(|event| event.location.clone()).filter(|_| moves);
        CardBody::titled("Change this event?")
            .words("Event", label(subject.action, &self.find_by))
            .words("New title", self.changes.summary.clone().unwrap_or_default())
            .row("When", when)
            .row("Repeats", self.repeats_told(before.as_ref()))
            .words("Where until now", left.unwrap_or_default())
            .words("Where", self.changes.location.clone().unwrap_or_default())
            .lines("With", show::people(&self.changes.attendees, subject.action))
            .lines(
                "Told about it",
                show::people(&before.map(|event| event.attendees).unwrap_or_default(), subject.action),
            )
    }

    fn approve(&self) -> &'static str {
        "✅ Change"
    }

    fn done(&self) -> &'static str {
        "Changed"
    }

    fn receipt(&self, output: &EventChanged, receipt: &Receipt<'_>) -> String {
        let repeats = match self.changes.repeat.as_ref().map(|_| output.event.recurrence.as_deref()) {
            Some(Some(rule)) => format!("; repeats {}", time::describe_recurrence(rule)),
            Some(None) => "; repeats no more".to_owned(),
            None => output.told_of_series().to_owned(),
        };
        format!("📅 Changed: {}{repeats}", output.event.line(receipt.reference))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("change “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &EventChanged) -> Option<ItemRef> {
        Some(output.event.named())
    }
}

impl UpdateEvent {
    /// How it repeats until now and from now on, where that changes.
    fn repeats_told(&self, before: Option<&EventView>) -> String {
        let Some(repeat) = &self.changes.repeat else { return String::new() };
        let told = |rule: &str| if is_no_repeat(rule) { "no more".to_owned() } else { time::describe_recurrence(rule) };
        let was = before.and_then(|event| event.recurrence.as_deref()).map(|rule| format!("{} → ", told(rule)));
        format!("{}{}", was.unwrap_or_default(), told(repeat))
    }
}

/// Whether a repetition is taken away.
fn is_no_repeat(words: &str) -> bool {
    words.trim().eq_ignore_ascii_case("none")
}

#[async_trait]
impl Edits<UpdateEvent> for CalendarService {
    async fn prepare(
        &self,
        ctx: &RequestContext,
        mut command: UpdateEvent,
    ) -> Result<Prepared<UpdateEvent>, ServiceError> {
        // One time of a series has no repetition of its own.
        if command.changes.repeat.is_some() && command.scope != Some(Scope::Following) {
            command.scope = Some(Scope::All);
        }
        let invites = !texts::filled_all(&command.changes.attendees).is_empty();
        let mut prepared = exceptions::prepare((&self.store, &self.index), ctx, command).await?;
        if let Prepared::Ready { target: Some(target), notes, .. } = &mut prepared {
            let has_others = invites || !EventView::deserialize(&target.before)?.attendees.is_empty();
            notes.extend(self.told_of_place(ctx, Some(target), has_others).await?);
        }
        Ok(prepared)
    }

    async fn edits(
        &self,
        call: Invocation<'_, UpdateEvent>,
    ) -> Result<PlannedEdits<Event, EventChanged>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let (before, revision) = items::held::<Event>(&self.store, ctx, action).await?;
        let EventChanges { start_time, end_time, repeat, .. } = &command.changes;
        let moves = start_time.is_some() || end_time.is_some() || repeat.is_some();
        if moves && before.unfollowed_rule.is_some() {
            return Err(ServiceError::Refused(UNMOVABLE.to_owned()));
        }
        let (mut event, changes) = (before.clone(), command.changes);
        let of = exceptions::of(action, &event);
        let was = of.map_or_else(|| event.current(ctx.now, ctx.zone), |of| event.occurrence_of(of, ctx.zone));
        let was = was.ok_or_else(|| ServiceError::Refused("It does not take place any more.".to_owned()))?;
        let scope = command.scope.filter(|_| event.is_series());
        match scope {
            Some(Scope::This) => {
                let instead = instead(&mut event, &was, changes, action, ctx)?;
                event.except(was.of, Some(instead))?;
                let zone = ctx.zone;
                let told = move |event: &Event| {
                    let now = event.occurrence_of(was.of, zone).unwrap_or(was);
                    EventChanged { event: EventView::of(&event.as_at(&now), Some(&now)), scope, calendar: None }
                };
                Ok(PlannedEdits::new(vec![RecordEdit::update(before, revision, event)], told))
            }
            Some(Scope::Following) => match event.split(was.of, texts::new_id(attempt), ctx.now) {
                Some(mut rest) => {
                    change(&mut rest, &was, changes, action, ctx)?;
                    let both = vec![RecordEdit::update(before, revision, event), RecordEdit::create(rest)];
                    Ok(PlannedEdits::new(both, EventChanged::told(ctx, scope)))
                }
                None => {
                    change(&mut event, &was, changes, action, ctx)?;
                    let edits = vec![RecordEdit::update(before, revision, event)];
                    Ok(PlannedEdits::new(edits, EventChanged::told(ctx, Some(Scope::All))))
                }
            },
            Some(Scope::All) | None => {
                change(&mut event, &was, changes, action, ctx)?;
                Ok(PlannedEdits::new(vec![RecordEdit::update(before, revision, event)], EventChanged::told(ctx, scope)))
            }
        }
    }
}

/// Changes an event; of a series, all of it.
fn change(
    event: &mut Event,
    was: &Occurrence,
    changes: EventChanges,
    action: &Action,
    ctx: &RequestContext,
) -> Result<(), ServiceError> {
    let EventChanges { summary, start_time, end_time, location, attendees: invited, repeat } = changes;
    // The gate looks at changes as one: what of them is not all the person's own is somebody else's.
    let source = provenance::source(action, "changes");
    if let Some(summary) = summary {
        event.summary = texts::title(&summary, Event::NOUN)?;
        event.others.write("summary", &event.summary, source.clone());
    }
    if let Some(location) = texts::filled(location.as_deref()) {
        event.others.write("location", &location, source.clone());
        event.location = Some(location);
    }
    event.others.add("attendees", &texts::filled_all(&invited).join("\n"), source);
    event.attendees = attendees(std::mem::take(&mut event.attendees), &invited)?;
    let (start, end) = (optional(start_time.as_deref(), ctx)?, optional(end_time.as_deref(), ctx)?);
    match texts::filled(repeat.as_deref()) {
        Some(rule) if is_no_repeat(&rule) => repeat_so(event, was, None, (start, end), ctx)?,
        Some(rule) => repeat_so(event, was, Some(rule), (start, end), ctx)?,
        None if start.is_some() || end.is_some() => reschedule(event, was, start, end, ctx)?,
        None => {}
    }
    Ok(())
}

/// What takes place in the stead of one occurrence; whose words it holds is kept with the series.
fn instead(
    event: &mut Event,
    was: &Occurrence,
    changes: EventChanges,
    action: &Action,
    ctx: &RequestContext,
) -> Result<Instead, ServiceError> {
    let EventChanges { summary, start_time, end_time, location, attendees: invited, repeat: _ } = changes;
    let at = event.as_at(was);
    let source = provenance::source(action, "changes");
    let summary = summary.map_or(Ok(at.summary), |summary| texts::title(&summary, Event::NOUN))?;
    let place = texts::filled(location.as_deref());
    for (field, text) in [("summary", &summary), ("location", place.as_ref().unwrap_or(&String::new()))] {
        event.others.add(field, text, source.clone());
    }
    event.others.add("attendees", &texts::filled_all(&invited).join("\n"), source);
    let (start, end) = (optional(start_time.as_deref(), ctx)?, optional(end_time.as_deref(), ctx)?);
    let (begins, ends) = new_times(was, start, end, ctx)?;
    Ok(Instead {
        summary,
        start_time: begins.store(),
        end_time: ends.map(Moment::store),
        location: place.or(at.location),
        attendees: attendees(at.attendees, &invited)?,
    })
}

/// A new place, name, length, time or guest for an event.
pub(super) fn built(said: &ClauseReading) -> Built {
    // Adding to a list invites nobody.
    if said.raw("what").is_some_and(|what| lower(&what).ends_with("list")) {
        return Built::No;
    }
    let mut changes = Map::new();
    let target = said.target();
    let text = said.typed();
    let names_new = text.contains(" invite ") && ![" to the ", " to my ", " to our "].iter().any(|w| text.contains(w));
    if names_new && !said.moments(&[]).is_empty() {
        return Built::No;
    }
    let is_end =
        [" end ", " end time ", " ending ", " duration ", " length ", "extend", "lengthen", "shorten", "prolong"]
            .iter()
            .any(|w| text.contains(w));
    if let Some((words, _)) = &target {
        changes.insert(if is_end { "end_time" } else { "start_time" }.into(), json!(words.text));
    } else if let Some(&length) = said.lengths(&[]).first() {
        changes.insert("end_time".into(), json!(said.words(&[length]).text));
    }
    if let Some(names) = said.raw("attendees") {
        changes.remove("start_time");
        changes.insert("attendees".into(), Value::Array(people(&names)));
    }
    // A name with a place tells of an event, unless an adverb of change stands beside it.
    let told = said.found.frame.begins_with_slot() && said.found.slot("location").is_some();
    if told && target.is_some() && !text.contains(" now ") {
        return Built::No;
    }
    let place = said.clean("location", &[]);
    if let Some(place) = place.and_then(|place| Some(place.split(", ").next()?.to_owned())) {
        changes.insert("location".into(), json!(place));
    }
    if let Some(name) = said.clean("summary", &[]) {
        changes.insert("summary".into(), json!(title(&name)));
    }
    let moved_to = target.as_ref().filter(|_| said.found.slot("attendees").is_none());
    let times = Timing::Which(moved_to.map(|(words, _)| words));
    let Some(found) = described::find_by(said, "what", NAME, times) else { return Built::No };
    let mut action = said.action(NAME, "update_event");
    set(&mut action, "find_by", Some(found));
    if changes.is_empty() {
        if !described::is_event(said, "what") || said.found.frame.weak {
            return Built::No;
        }
        return Built::Ask { question: "When should it be?", partial: action, param: "changes" };
    }
    set(&mut action, "changes", Some(Value::Object(changes)));
    Built::Act(action)
}
