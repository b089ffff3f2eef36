//! `list_events`: show what is on the calendar, and what is to be done in that time.

use async_trait::async_trait;
use chrono::{DateTime, Duration, NaiveDate, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Answered, answer};
use super::free;
use super::free::ClockTimes;
use super::occurrence::Occurrence;
use super::record::{Event, NAME};
use super::search::{EventQuery, FoundEvents, WhichEvent};
use super::service::CalendarService;
use super::values::{Frame, frame};
use super::view::{DueThen, EventView};
use crate::services::contract::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages::{self, Page};
use crate::services::contract::service::AgendaItem;
use crate::services::contract::show::{self, Moment, Paging};
use crate::services::helpers::items::Item;
use crate::services::helpers::texts;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::lexicon::RequestLexicon;
use brain_language::language::requests::reading::{ClauseReading, behind, without_determiner};
use brain_language::language::requests::several::{self, ListedParts};
use brain_language::language::tokens::lower;

/// Shorter pauses between events are no free time.
const GAP_MINUTES_MIN: i64 = 15;

/// Show what is on the calendar.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEvents {
    /// A day or a span in the person's own words is enough; empty: the coming week, or whenever `text` or `with` fits.
    from: Option<String>,
    to: Option<String>,
    /// Words from the title, to look for one event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Who takes part, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    with: Option<String>,
    /// When one of several is asked for: "my next meeting" is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) which: Option<WhichEvent>,
    /// When the question is whether the person is free or busy then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) whether: Option<Whether>,
    /// Where a page goes on; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    after: Option<String>,
}

/// What is asked about a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Whether {
    /// "Am I free?"
    Free,
    /// "Am I busy?"
    Busy,
    /// "Am I double booked?": whether two of them take place at once.
    #[serde(rename = "double_booked")]
    DoubleBooked,
}

/// What takes place in a span, in order.
#[derive(Debug, Serialize, Deserialize)]
pub struct Events {
    pub(super) events: Vec<EventView>,
    /// What is to be done in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) due: Vec<DueThen>,
    /// The span that was looked at, as RFC 3339; its end is exclusive.
    pub(super) from: String,
    pub(super) to: String,
    /// Where it is asked whether the person is free: from when on, and the spans that are, as RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) free_from: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) free: Vec<(String, String)>,
    /// Those that take some of a day, of all that was looked at.
    #[serde(default)]
    pub(super) compared: usize,
    /// By what they are in order.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    order: String,
    /// How many more there are.
    pub(super) more: usize,
    /// What the next page goes on after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// What a line is about.
enum AgendaRow {
    Event(Box<(Event, Occurrence)>),
    Due(AgendaItem),
}

/// Where a line stands: by day, what is for the whole of it first.
fn place(at: &str, zone: &impl TimeZone) -> Option<(NaiveDate, Option<DateTime<Utc>>)> {
    Some(match Moment::read(at, Tz::UTC)? {
        Moment::Day(day) => (day, None),
        Moment::Instant(at) => (at.with_timezone(zone).date_naive(), Some(at.to_utc())),
    })
}

impl Events {
    /// Events and what is to be done, in order.
    fn in_order<T>(
        &self,
        zone: &impl TimeZone,
        event: impl Fn(&EventView) -> T,
        due: impl Fn(&DueThen) -> T,
    ) -> Vec<T> {
        let events = self.events.iter().map(|of| (place(&of.start_time, zone), event(of)));
        let due = self.due.iter().map(|of| (place(&of.at, zone), due(of)));
        let mut all: Vec<_> = events.chain(due).collect();
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, one)| one).collect()
    }
}

impl ListEvents {
    fn paging<'a>(&'a self, output: &'a Events) -> Paging<'a> {
        Paging { after: self.after.as_deref(), next: output.next.as_deref(), more: output.more }
    }

    /// True when single events are looked for.
    pub(super) fn names(&self) -> bool {
        self.text.is_some() || self.with.is_some()
    }

    /// True when a span was said.
    pub(super) fn says_when(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// What is looked for: ` like “dentist” with Sarah`.
    pub(super) fn called(&self) -> String {
        let text = self.text.as_ref().map(|text| format!(" like “{}”", texts::brief(text))).unwrap_or_default();
        let with = self.with.as_ref().map(|name| format!(" with {}", texts::brief(name))).unwrap_or_default();
        format!("{text}{with}")
    }
}

impl Command for ListEvents {
    type Output = Events;

    const NAME: &'static str = "list_events";
    const SUMMARY: &'static str = "show what is on the calendar";
    const EXAMPLE: &'static str = "What do I have tomorrow?";
    const STATUS: &'static str = "Checking your calendar…";
    const STAKES: Stakes = Stakes::Low;

    fn slots(&mut self) -> Vec<Slot<'_>> {
        vec![Slot::Span {
            param: "from",
            start: &mut self.from,
            end: &mut self.to,
            repeat: None,
            base: Base::Now,
            past: PastTimes::Fine,
        }]
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look at your calendar?")
    }

    fn receipt(&self, output: &Events, receipt: &Receipt<'_>) -> String {
        let paging = self.paging(output);
        let reference = receipt.reference;
        let lines = || output.in_order(&reference.zone, |event| event.line(reference), |due| due.line(reference));
        let list = || show::page(lines(), paging);
        if paging.after.is_some() {
            return list();
        }
        let Answered { sentence, has_list } = answer(self, output, receipt.reference);
        if has_list { format!("{sentence}\n{}", list()) } else { sentence }
    }

    fn next_page(&self, output: &Events) -> Option<(usize, Self)> {
        let (from, to) = (Some(output.from.clone()), Some(output.to.clone()));
        let (text, with, which, whether) = (self.text.clone(), self.with.clone(), self.which, self.whether);
        pages::rest(self.paging(output), output.events.len() + output.due.len())
            .map(|(rest, after)| (rest, Self { from, to, text, with, which, whether, after: Some(after) }))
    }

    fn listed(&self, output: &Events) -> Vec<ItemRef> {
        let from = DateTime::parse_from_rfc3339(&output.from);
        let zone = from.map_or_else(|_| Utc.fix(), |from| *from.offset());
        let rows =
            output.in_order(&zone, EventView::named, |due| ItemRef { id: String::new(), label: due.title.clone() });
        rows.into_iter().take(pages::shown(self.after.as_deref())).collect()
    }

    fn attempt(&self, _: &Action) -> String {
        "look at your calendar".to_owned()
    }
}

#[async_trait]
impl Handle<ListEvents> for CalendarService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, ListEvents>) -> Result<Completed<Events>, ServiceError> {
        let Invocation { ctx, command, .. } = call;
        let (text, with) = (texts::filled(command.text.as_deref()), texts::filled(command.with.as_deref()));
        let frame = command.frame(ctx)?;
        let singles_out = text.is_some() || with.is_some() || command.which.is_some();
        let (found, from, to) = if singles_out {
            let span = command.says_when().then_some((frame.from, frame.to));
            let (text, with) = (text.as_deref(), with.as_deref());
            let called = match (&self.book, with) {
                (Some(book), Some(with)) => book.addresses_of(&ctx.owner, with).await?,
                (_, _) => Vec::new(),
            };
            let wanted = EventQuery { text, with, called: &called, which: command.which, span };
            let FoundEvents { found, from, to } = self.matching(ctx, wanted).await?;
            (found, from, to)
        } else {
            (self.between(ctx, frame.from, frame.to).await?, frame.from, frame.to)
        };
        let compared = found.iter().filter(|(event, o)| event.takes_time(o)).count();
        let found = match command.whether {
            Some(Whether::DoubleBooked) => at_once(found),
            Some(Whether::Free | Whether::Busy) | None => found,
        };
        let is_about_events = singles_out || command.whether.is_some();
        let due = if is_about_events { Vec::new() } else { self.due_between(ctx, from, to).await? };
        let (free_from, free) = match command.whether {
            Some(Whether::Free) => free_then(&found, &frame, ctx),
            Some(Whether::Busy | Whether::DoubleBooked) | None => (None, Vec::new()),
        };
        let found = found.into_iter().map(|(event, o)| {
            let place = super::agenda_item(&event, &o).place(ctx.zone);
            (place, AgendaRow::Event(Box::new((event, o))))
        });
        let mut lines: Vec<(String, AgendaRow)> =
            found.chain(due.into_iter().map(|item| (item.place(ctx.zone), AgendaRow::Due(item)))).collect();
        lines.sort_by(|(a, _), (b, _)| a.cmp(b));
        let Page { rows, more, next } = pages::behind(lines, command.after.as_deref(), |(place, _)| place.clone());
        let (from, to) = (super::stored(from, ctx), super::stored(to, ctx));
        let order = "each kind in order of time".to_owned();
        let mut output =
            Events { events: Vec::new(), due: Vec::new(), from, to, free_from, free, compared, order, more, next };
        let mut untrusted = Vec::new();
        for (_, line) in rows {
            match line {
                AgendaRow::Event(of) => {
                    untrusted.extend(of.0.untrusted());
                    output.events.push(EventView::of(&of.0, Some(&of.1)));
                }
                AgendaRow::Due(item) => {
                    output.due.push(DueThen::of(&item, ctx));
                    untrusted.extend(item.untrusted);
                }
            }
        }
        Ok(Completed::read(output).holding(untrusted))
    }
}

/// Those that take place while another one does.
fn at_once(found: Vec<(Event, Occurrence)>) -> Vec<(Event, Occurrence)> {
    let spans: Vec<_> = found.iter().filter(|(event, o)| event.takes_time(o)).map(|(_, o)| (o.from, o.to)).collect();
    let collides = |o: &Occurrence| spans.iter().filter(|(from, to)| o.from < *to && *from < o.to).count() > 1;
    found.into_iter().filter(|(event, o)| event.takes_time(o) && collides(o)).collect()
}

impl ListEvents {
    /// What is looked at. Who asks whether they are free at three means an hour of it.
    fn frame(&self, ctx: &RequestContext) -> Result<Frame, ServiceError> {
        let frame = frame(self.from.as_deref(), self.to.as_deref(), ctx)?;
        let starts = self.from.as_deref().and_then(|from| Moment::read(from, ctx.zone));
        let at_an_hour = matches!(starts, Some(Moment::Instant(_))) && self.to.is_none();
        if self.whether.is_some() && at_an_hour {
            return Ok(Frame { to: frame.from + Duration::hours(1), clock_times: ClockTimes::Said, ..frame });
        }
        Ok(frame)
    }
}

/// From when on a span is looked at, and what of it is free.
fn free_then(
    found: &[(Event, Occurrence)],
    frame: &Frame,
    ctx: &RequestContext,
) -> (Option<String>, Vec<(String, String)>) {
    let from = frame.from.max(ctx.now).min(frame.to);
    let busy = found.iter().filter(|(event, o)| event.takes_time(o)).map(|(_, o)| (o.from, o.to)).collect();
    let windows = free::windows(from, frame.to, frame.clock_times, ctx.zone);
    let gaps = free::gaps(&windows, busy, Duration::minutes(GAP_MINUTES_MIN));
    let stored = |(from, to): &free::Interval| (super::stored(*from, ctx), super::stored(*to, ctx));
    (Some(super::stored(from, ctx)), gaps.iter().map(stored).collect())
}

/// A question about the calendar, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "list_events");
    let listed = several::days(said);
    let when = listed.as_ref().map(ListedParts::first).or_else(|| said.moment("", &[]));
    let Singled { text, with, which } = Singled::out(said);
    let is_singled = text.is_some() || with.is_some() || which.is_some() || action.params.contains_key("which");
    if !action.params.contains_key("which") {
        set(&mut action, "which", which);
    }
    set(&mut action, "text", text);
    set(&mut action, "with", with);
    match when {
        Some(when) => set(&mut action, "from", Some(when.text)),
        None if is_singled => {}
        None => set(&mut action, "from", Some(span_said(said))),
    }
    match listed {
        Some(listed) => listed.each(&action, "from"),
        None => Built::Act(action),
    }
}

/// A span that its words name without being a time.
fn span_said(said: &ClauseReading) -> &'static str {
    let text = lower(said.heard.raw(said.found.tokens.start, said.found.tokens.end.saturating_sub(1)));
    match ["week", "month"].into_iter().find(|span| text.contains(span)) {
        Some("week") => "this week",
        Some(_) => "this month",
        None => "today",
    }
}

/// What singles events out.
#[derive(Default)]
struct Singled {
    text: Option<String>,
    with: Option<String>,
    which: Option<&'static str>,
}

impl Singled {
    fn out(said: &ClauseReading) -> Self {
        let masks = said.moments(&[]);
        let with = said.clean("with", &masks).filter(|with| !says_nothing(with, said.grammar.lexicon));
        let Some(what) = said.clean("what", &masks) else {
            return Self { with, ..Self::default() };
        };
        let bare = without_determiner(&what);
        let (which, bare) = ordered(bare);
        let (name, guest) = match bare.split_once(" with ").or_else(|| Some(("", bare.strip_prefix("with ")?))) {
            Some((name, guest)) => (name, Some(without_determiner(guest).to_owned())),
            None => (bare, None),
        };
        let name = without_determiner(name);
        let text = Some(name.to_owned()).filter(|name| !says_nothing(name, said.grammar.lexicon));
        Self { text, with: with.or(guest), which }
    }
}

/// Which one by its order, and the words without that.
fn ordered(text: &str) -> (Option<&'static str>, &str) {
    const FIRST: [&str; 4] = ["next ", "first ", "upcoming ", "earliest "];
    const LAST: [&str; 4] = ["last ", "latest ", "previous ", "most recent "];
    let folded = lower(text);
    for (which, words) in [("first", FIRST), ("last", LAST)] {
        if words.iter().any(|word| folded.starts_with(word)) {
            return (Some(which), behind(text.get(..).unwrap_or(text), &words));
        }
    }
    (None, text)
}

/// Words for any event at all, and no words.
fn says_nothing(text: &str, lexicon: RequestLexicon) -> bool {
    let ids: Vec<_> = text.split_whitespace().map(|word| lexicon.read_word(&lower(word))).collect();
    let is = |class: &str| lexicon.is_phrase(class, &ids);
    ids.is_empty() || is("genericevent") || is("seevents") || is("it") || is("cal")
}
