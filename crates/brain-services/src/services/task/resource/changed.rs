//! A changed task: the lines of its resource that change with it.
//!
//! One time of a series that is ticked moves its lines on to the next one, as most programs do: DTSTART and DUE by the
//! same amount, COUNT down, the rest open. What was done is no component of its own; overrides that are there stay.

use calcard::icalendar::{ICalendarComponentType, ICalendarProperty};
use chrono_tz::Tz;

use super::alarms::{self, AlarmBase};
use super::new::{number, with_count};
use super::preserved::{count, uncounted};
use super::read::{UnreadableTask, priority_of};
use super::when::{DeadlineLine, TodoTimes, is_occurrence, is_status, shifted, shifted_rule, status};
use crate::services::contract::show::Moment;
use crate::services::helpers::components::{Component, ParsedResource, WrittenTimes, moment, stamp, stamped};
use crate::services::remote::dav::DavReader;
use crate::services::task::record::{Task, TaskStatus};
use brain_wire::ical::{Block, IcalTime, Patch, Zones, text_value};

/// The text of a resource after `before` became `after`. `uid`: the task goes on under another one.
pub(super) fn written(
    text: &str,
    (before, after): (&Task, &Task),
    uid: Option<&str>,
    writer: &DavReader<'_>,
) -> Result<String, UnreadableTask> {
    let parsed = ParsedResource::of(text)?;
    let components = parsed.components(&ICalendarComponentType::VTodo)?;
    let Some((main, overrides)) = components.split_first() else { return Err(UnreadableTask::NoTask) };
    let zones = Zones::new(&parsed.calendar, writer.zone);
    let times = TodoTimes::of((main, overrides), &zones, writer.zone)?;
    let base = times.at.map(|at| AlarmBase::new(at, times.zone, before.hour));
    let standing = alarms::alarms(&parsed, main, &times, base);
    let mut change = TodoChange {
        patch: Patch::new(text),
        writing: WrittenTimes::new(Some(&zones), writer.zone, after.zone),
        zones: &zones,
        line: if times.line == DeadlineLine::Nothing { DeadlineLine::Due } else { times.line },
        at: times.at,
        times: &times,
        main: *main,
        overrides,
        before,
        after,
        writer,
    };
    change.words();
    change.state()?;
    let becomes = change.at.map(|at| AlarmBase::new(at, after.zone, after.hour));
    let line = change.line;
    let new = alarms::changed(&mut change.patch, &standing, (before, after), (base, becomes), line);
    if !change.patch.is_empty() || !new.is_empty() {
        stamped(&mut change.patch, main.block, writer.now);
    }
    for alarm in &new {
        change.patch.insert(main.block, alarm);
    }
    if let Some(uid) = uid {
        let line = format!("UID:{}", text_value(uid));
        components.iter().for_each(|one| change.patch.set(one.block, "UID", Some(&line)));
    }
    let TodoChange { patch, writing, .. } = change;
    Ok(writing.defined(patch.apply(), &parsed.block, writer.now))
}

struct TodoChange<'c> {
    patch: Patch<'c>,
    writing: WrittenTimes<'c>,
    zones: &'c Zones<'c>,
    times: &'c TodoTimes,
    main: Component<'c>,
    overrides: &'c [Component<'c>],
    before: &'c Task,
    after: &'c Task,
    writer: &'c DavReader<'c>,
    /// Which line is the deadline when all is written, and what it says then.
    line: DeadlineLine,
    at: Option<Moment>,
}

impl TodoChange<'_> {
    fn words(&mut self) {
        let (before, after, block) = (self.before, self.after, self.main.block);
        if before.title != after.title {
            self.patch.set(block, "SUMMARY", Some(&format!("SUMMARY:{}", text_value(&after.title))));
        }
        if before.description != after.description {
            let line = after.description.as_ref().map(|words| format!("DESCRIPTION:{}", text_value(words)));
            self.patch.set(block, "DESCRIPTION", line.as_deref());
        }
        let stands = block.line("PRIORITY").and_then(|line| priority_of(line.value()));
        if before.priority != after.priority && stands != after.priority {
            let line = after.priority.map(|priority| format!("PRIORITY:{}", number(priority)));
            self.patch.set(block, "PRIORITY", line.as_deref());
        }
    }

    /// Whether it is done, and when it is due.
    fn state(&mut self) -> Result<(), UnreadableTask> {
        let (before, after) = (self.before, self.after);
        let is_rule_changed = (&before.repeat, &before.anchor) != (&after.repeat, &after.anchor);
        let is_moved = before.deadline != after.deadline || is_rule_changed;
        let is_turned = before.status != after.status;
        let is_ticked = after.repeat.is_some() && before.done_at != after.done_at;
        if self.times.is_unfollowed && (is_moved || is_turned) {
            return Err(UnreadableTask::Unfollowed);
        }
        match (before.status, after.status) {
            (TaskStatus::Open, TaskStatus::Done) => {
                self.done();
                return Ok(());
            }
            (TaskStatus::Done, TaskStatus::Open) => self.open(self.main.block),
            (TaskStatus::Done, TaskStatus::Done) | (TaskStatus::Open, TaskStatus::Open) => {}
        }
        // One time that was put on another day: it stays here, the series goes on there from that time.
        let is_put_off = after.snoozed.is_some() && after.snoozed != before.snoozed;
        if is_put_off && before.repeat.is_some() && !is_rule_changed && !is_ticked {
            return Ok(());
        }
        if is_moved || is_ticked {
            self.moved(is_ticked);
        }
        Ok(())
    }

    /// All of it is done. A series that goes on there, of which the record knew no more, is ticked once.
    fn done(&mut self) {
        let current = self.times.open_from(None);
        let is_ended = self.before.repeat.is_none();
        let behind = current.map(|(_, due)| due.start(self.times.zone).to_utc().max(self.writer.now));
        let next = behind.filter(|_| is_ended).and_then(|behind| self.times.next_after(behind));
        if let (Some((of, _)), Some(next)) = (current.filter(|_| next.is_some()), next) {
            let next = self.times.open_from(Some(next)).map_or(next, |(of, _)| of);
            self.afresh();
            self.override_done(of);
            self.lines(next);
            self.rule_from(next);
            return;
        }
        let block = self.main.block;
        if let Some((of, _)) = current {
            self.override_done(of);
        }
        self.complete(block);
    }

    fn complete(&mut self, block: &Block) {
        let at = stamp(self.after.done_at.unwrap_or(self.writer.now));
        self.patch.set(block, "STATUS", Some("STATUS:COMPLETED"));
        self.patch.set(block, "COMPLETED", Some(&format!("COMPLETED:{at}")));
        self.patch.set(block, "PERCENT-COMPLETE", Some("PERCENT-COMPLETE:100"));
    }

    fn open(&mut self, block: &Block) {
        self.patch.set(block, "STATUS", Some("STATUS:NEEDS-ACTION"));
        self.patch.set(block, "COMPLETED", None);
        self.patch.set(block, "PERCENT-COMPLETE", None);
    }

    /// The next time has not been begun.
    fn afresh(&mut self) {
        let block = self.main.block;
        if status(&self.main).is_some_and(|status| status != "NEEDS-ACTION") {
            self.patch.set(block, "STATUS", Some("STATUS:NEEDS-ACTION"));
        }
        self.patch.set(block, "COMPLETED", None);
        self.patch.set(block, "PERCENT-COMPLETE", None);
    }

    /// The deadline is another one: of a series the next time, or the series itself is another one.
    fn moved(&mut self, is_ticked: bool) {
        let (after, block) = (self.after, self.main.block);
        let Some(wanted) = after.due_moment() else {
            let names: &[&str] = match self.line {
                DeadlineLine::Due | DeadlineLine::Nothing => &["DUE", "RRULE"],
                DeadlineLine::Length | DeadlineLine::Start => &["DUE", "RRULE", "DTSTART", "DURATION"],
            };
            for name in names {
                self.patch.set(block, name, None);
            }
            self.at = None;
            return;
        };
        let of = self.time_of_series(wanted);
        if is_ticked {
            self.afresh();
            if let Some((current, _)) = self.times.open_from(None).filter(|(current, _)| *current != of) {
                self.override_done(current);
            }
            self.override_open(of);
        }
        self.lines(of);
        if after.repeat.is_some() {
            self.rule_from(of);
        } else if self.before.repeat.is_some() {
            self.patch.set(block, "RRULE", None);
        }
    }

    /// Where the lines of the series have to stand for its next open time to be this one.
    fn time_of_series(&self, wanted: Moment) -> Moment {
        let goes_on = self.before.anchor == self.after.anchor && self.is_rule_there() && self.times.repeats();
        if !goes_on {
            return wanted;
        }
        if let Some(one) = self.times.overrides.iter().find(|one| one.due == wanted) {
            return one.of;
        }
        match self.times.open_from(Some(wanted)) {
            Some((of, _)) if self.times.has(wanted) => of,
            Some(_) | None => wanted,
        }
    }

    /// Whether the rule of the record is the one that stands there.
    fn is_rule_there(&self) -> bool {
        let rules = self.after.repeat.as_deref().zip(self.times.rule.as_deref());
        rules.is_some_and(|(wanted, there)| uncounted(wanted) == uncounted(there))
    }

    /// DTSTART and DUE, by the same amount.
    fn lines(&mut self, to: Moment) {
        let (block, zone) = (self.main.block, self.after.zone);
        self.at = Some(to);
        let Some(was) = self.times.at else {
            let line = self.writing.time(to, None).line("DUE");
            self.patch.set(block, "DUE", Some(&line));
            return;
        };
        let is_other_kind = std::mem::discriminant(&was) != std::mem::discriminant(&to);
        let is_other_zone = self.after.repeat.is_some() && zone != self.times.zone;
        if was == to && !is_other_zone {
            return;
        }
        for (name, stands) in [("DTSTART", self.times.start), ("DUE", self.times.due)] {
            let property = if name == "DUE" { ICalendarProperty::Due } else { ICalendarProperty::Dtstart };
            let (Some(time), Some(stands)) = (self.main.time(&property), stands) else { continue };
            let becomes = if stands == was { to } else { shifted(stands, was, to, zone) };
            let like = Some(&time).filter(|_| !is_other_zone);
            let like = like.or(Some(&time).filter(|_| self.is_by(&time, zone)));
            let line = self.writing.time(becomes, like).line(name);
            self.patch.set(block, name, Some(&line));
        }
        if is_other_kind && self.line == DeadlineLine::Length {
            // A length of hours behind a day is none.
            let like = self.main.time(&ICalendarProperty::Dtstart);
            let line = self.writing.time(to, like.as_ref()).line("DUE");
            self.patch.set(block, "DURATION", None);
            self.patch.set(block, "DUE", Some(&line));
            self.line = DeadlineLine::Due;
        }
    }

    /// Whether a time goes by the clocks of this zone.
    fn is_by(&self, time: &IcalTime, zone: Tz) -> bool {
        matches!(moment(time, self.zones, self.writer.zone), Moment::Instant(at) if at.timezone() == zone)
    }

    /// RRULE, where the series begins here.
    fn rule_from(&mut self, of: Moment) {
        let (after, block) = (self.after, self.main.block);
        let known = after.repeat.as_deref().or(self.times.rule.as_deref());
        let Some(known) = known else { return };
        let left = count(known).map(|_| left_of(after, of));
        let stands = block.line("RRULE").filter(|_| after.repeat.is_none() || self.is_rule_there());
        if let Some(line) = stands {
            let rule = with_count(line.value(), left);
            if rule != line.value() {
                self.patch.set(block, "RRULE", Some(&format!("{}{rule}", line.head())));
            }
            return;
        }
        // Rules are those of the starts.
        let was = self.times.at;
        let start = self.times.start.zip(was).map(|(start, was)| shifted(start, was, of, after.zone));
        let of_starts = match start {
            Some(start) if start != of => shifted_rule(known, of, start, after.zone),
            Some(_) | None => Some(known.to_owned()),
        };
        if of_starts.is_none() || start.is_none() {
            let like = self.main.time(&ICalendarProperty::Due);
            let line = self.writing.time(of, like.as_ref()).line("DTSTART");
            self.patch.set(block, "DTSTART", Some(&line));
        }
        let rule = with_count(&of_starts.unwrap_or_else(|| known.to_owned()), left);
        self.patch.set(block, "RRULE", Some(&format!("RRULE:{rule}")));
    }

    /// What stands beside the series for this time is done with it.
    fn override_done(&mut self, of: Moment) {
        let there = self.times.overrides.iter().find(|one| one.of == of && !one.is_done);
        if let Some(one) = there.and_then(|one| self.overrides.get(one.number)) {
            self.complete(one.block);
        }
    }

    fn override_open(&mut self, of: Moment) {
        let there = self.times.overrides.iter().find(|one| one.of == of && one.is_done);
        if let Some(one) =
            there.and_then(|one| self.overrides.get(one.number)).filter(|one| is_status(one, "COMPLETED"))
        {
            self.open(one.block);
        }
    }
}

/// How many times a counted series of a record has from this one on.
pub(super) fn left_of(task: &Task, from: Moment) -> usize {
    let (Some(series), Some(all)) = (task.series(), task.repeat.as_deref().and_then(count)) else { return 1 };
    // In a resource the first time is one, whatever the rule says.
    let beside = usize::from(!is_occurrence(&series, from, task.zone));
    (all.saturating_sub(series.count(from)) + beside).max(1)
}
