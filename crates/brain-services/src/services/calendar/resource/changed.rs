//! A changed event: the lines of its resource that change with it.

use calcard::icalendar::{ICalendarComponentType, ICalendarProperty};
use chrono_tz::Tz;

use super::alarms;
use super::new::attendee;
use super::read::{UnreadableEvent, bare};
use crate::services::calendar::exceptions::{Exception, Instead};
use crate::services::calendar::record::Event;
use crate::services::contract::show::Moment;
use crate::services::helpers::components::{
    Component, ParsedResource, WrittenTimes, excluded_of, moment, occurrence_of, stamp, stamped,
};
use crate::services::remote::dav::DavReader;
use brain_wire::ical::{Block, ContentLine, IcalTime, Patch, Zones, text_value, times_of};

/// The text of a resource after `before` became `after`. `uid`: the event goes on under another one.
pub fn written(
    text: &str,
    (before, after): (&Event, &Event),
    uid: Option<&str>,
    writer: &DavReader<'_>,
) -> Result<String, UnreadableEvent> {
    let parsed = ParsedResource::of(text)?;
    let components = parsed.components(&ICalendarComponentType::VEvent)?;
    let Some((main, overrides)) = components.split_first() else { return Err(UnreadableEvent::NoEvent) };
    let zones = Zones::new(&parsed.calendar, writer.zone);
    let mut change = ResourceChange {
        text,
        patch: Patch::new(text),
        writing: WrittenTimes::new(Some(&zones), writer.zone, after.zone),
        zones: &zones,
        before,
        after,
        writer,
    };
    change.main(main);
    if before.reminders != after.reminders
        && let Some(start) = before.first()
    {
        let end = before.end_time.as_deref().and_then(|end| Moment::read(end, before.zone));
        let standing = alarms::standing(&parsed, main, (start, end));
        alarms::changed(&mut change.patch, main.block, &standing, after);
    }
    change.exceptions(main, overrides, &parsed.block)?;
    // What only we keep of it changes nothing there.
    if !change.patch.is_empty() {
        stamped(&mut change.patch, main.block, writer.now);
    }
    if let Some(uid) = uid {
        let line = format!("UID:{}", text_value(uid));
        components.iter().for_each(|one| change.patch.set(one.block, "UID", Some(&line)));
    }
    let ResourceChange { patch, writing, .. } = change;
    Ok(writing.defined(patch.apply(), &parsed.block, writer.now))
}

struct ResourceChange<'c> {
    text: &'c str,
    patch: Patch<'c>,
    writing: WrittenTimes<'c>,
    zones: &'c Zones<'c>,
    before: &'c Event,
    after: &'c Event,
    writer: &'c DavReader<'c>,
}

impl ResourceChange<'_> {
    /// The lines of the series or single event itself.
    fn main(&mut self, main: &Component<'_>) {
        let (before, after, block) = (self.before, self.after, main.block);
        if before.summary != after.summary {
            self.patch.set(block, "SUMMARY", Some(&text_line("SUMMARY", &after.summary)));
        }
        if before.location != after.location {
            let line = after.location.as_ref().map(|place| text_line("LOCATION", place));
            self.patch.set(block, "LOCATION", line.as_deref());
        }
        let times = |event: &Event| (event.start_time.clone(), event.end_time.clone());
        if times(before) != times(after) {
            self.times(main, event_times(before), event_times(after));
        }
        if before.recurrence != after.recurrence {
            let line = after.recurrence.as_ref().map(|rule| format!("RRULE:{rule}"));
            self.patch.set(block, "RRULE", line.as_deref());
        }
        if before.also != after.also {
            self.besides(main);
        }
        self.invites(main.block, &before.attendees, &after.attendees);
    }

    /// The lines RDATE: those that are no more go.
    fn besides(&mut self, main: &Component<'_>) {
        let Some(start) = self.before.first() else { return };
        let read = main.read.properties(&ICalendarProperty::Rdate).map(times_of).collect::<Vec<_>>();
        for (line, times) in main.block.all("RDATE").zip(read) {
            let values = line.value().split(',').zip(&times);
            let stays = |(_, at): &(&str, &IcalTime)| self.after.also.contains(&self.key(at, start));
            let kept: Vec<&str> = values.filter(stays).map(|(value, _)| value).collect();
            let joined = kept.join(",");
            if joined != line.value() {
                let with = (!kept.is_empty()).then(|| format!("{}{joined}", line.head()));
                self.patch.replace(line, with.as_deref());
            }
        }
    }

    /// DTSTART and DTEND, or the length that stays.
    fn times(&mut self, one: &Component<'_>, was: EventTimes, becomes: EventTimes) {
        let (starts, ends) = (one.time(&ICalendarProperty::Dtstart), one.time(&ICalendarProperty::Dtend));
        let Some(start) = becomes.0 else { return };
        let line = self.writing.time(start, starts.as_ref()).line("DTSTART");
        self.patch.set(one.block, "DTSTART", Some(&line));
        let keeps_length = one.block.line("DURATION").is_some() && length(was) == length(becomes);
        if !keeps_length {
            let like = ends.as_ref().or(starts.as_ref());
            let line = becomes.1.map(|end| self.writing.time(end, like).line("DTEND"));
            self.patch.set(one.block, "DTEND", line.as_deref());
            self.patch.set(one.block, "DURATION", None);
        }
    }

    fn invites(&mut self, block: &Block, before: &[String], after: &[String]) {
        let is_new = |one: &&String| !before.iter().any(|known| bare(known).eq_ignore_ascii_case(bare(one)));
        let new: Vec<&String> = after.iter().filter(is_new).collect();
        if !new.is_empty()
            && block.line("ORGANIZER").is_none()
            && let Some(own) = self.writer.own.first()
        {
            self.patch.add(block, &format!("ORGANIZER:mailto:{own}"));
        }
        new.into_iter().for_each(|person| self.patch.add(block, &attendee(person)));
    }

    /// Occurrences that are not as the series says.
    fn exceptions(
        &mut self,
        main: &Component<'_>,
        overrides: &[Component<'_>],
        calendar: &Block,
    ) -> Result<(), UnreadableEvent> {
        let (before, after) = (&self.before.exceptions, &self.after.exceptions);
        if before == after {
            return Ok(());
        }
        let same_but_moved =
            before.len() == after.len() && before.iter().zip(after).all(|(b, a)| b.instead == a.instead);
        // Where the rule put it, and where it puts it now; `None`: it is an exception no more.
        let becomes = |of: &str| -> Option<&Exception> {
            match before.iter().position(|one| one.of == of).filter(|_| same_but_moved) {
                Some(at) => after.get(at),
                None => after.iter().find(|one| one.of == of),
            }
        };
        let start = self.before.first().ok_or(UnreadableEvent::NoStart)?;
        let mut written: Vec<String> = Vec::new();
        self.excluded(main, start, &becomes, &mut written)?;
        for one in overrides {
            let Some(at) = one.time(&ICalendarProperty::RecurrenceId) else { continue };
            let of = self.key(&at, start);
            match becomes(&of) {
                Some(exception) if exception.instead.is_some() || is_cancelled_still(before, &of, exception) => {
                    self.overridden(one, &at, before.iter().find(|e| e.of == of), exception);
                    written.push(exception.of.clone());
                }
                _ => self.patch.remove(one.block),
            }
        }
        let new: Vec<&Exception> = after.iter().filter(|one| !written.contains(&one.of)).collect();
        for exception in new {
            self.added(main, exception, calendar);
        }
        Ok(())
    }

    /// The lines EXDATE: values that stay so stay as they are written.
    fn excluded<'e>(
        &mut self,
        main: &Component<'_>,
        start: Moment,
        becomes: &impl Fn(&str) -> Option<&'e Exception>,
        written: &mut Vec<String>,
    ) -> Result<(), UnreadableEvent> {
        let lines: Vec<&ContentLine> = main.block.all("EXDATE").collect();
        let read: Vec<Vec<IcalTime>> = main.read.properties(&ICalendarProperty::Exdate).map(times_of).collect();
        if lines.len() != read.len() {
            return Err(UnreadableEvent::NoEvent);
        }
        for (line, times) in lines.into_iter().zip(read) {
            let values: Vec<&str> = line.value().split(',').collect();
            if values.len() != times.len() {
                return Err(UnreadableEvent::NoEvent);
            }
            let mut kept: Vec<String> = Vec::new();
            for (value, at) in values.iter().zip(&times) {
                let of = excluded_of(moment(at, self.zones, self.before.zone), start, self.before.zone).store();
                match becomes(&of).filter(|exception| exception.instead.is_none()) {
                    Some(exception) if exception.of == of => {
                        kept.push((*value).to_owned());
                        written.push(of);
                    }
                    Some(exception) => {
                        let moved = Moment::read(&exception.of, self.after.zone).ok_or(UnreadableEvent::NoStart)?;
                        let moved = self.writing.time(moved, Some(at));
                        // A line has one form: what changes it gets a line of its own.
                        match (&moved, at) {
                            (IcalTime::Day(_), IcalTime::Day(_))
                            | (IcalTime::Local { .. }, IcalTime::Local { .. })
                            | (IcalTime::Instant(_), IcalTime::Instant(_)) => {
                                kept.push(moved.digits());
                            }
                            _ => self.patch.add(main.block, &moved.line("EXDATE")),
                        }
                        written.push(exception.of.clone());
                    }
                    None => {}
                }
            }
            let joined = kept.join(",");
            if joined != line.value() {
                let with = (!kept.is_empty()).then(|| format!("{}{joined}", line.head()));
                self.patch.replace(line, with.as_deref());
            }
        }
        Ok(())
    }

    fn key(&self, at: &IcalTime, start: Moment) -> String {
        let zone = self.before.zone;
        occurrence_of(moment(at, self.zones, zone), start, zone).store()
    }

    /// An override that is there already.
    fn overridden(&mut self, one: &Component<'_>, at: &IcalTime, was: Option<&Exception>, becomes: &Exception) {
        if was.is_none_or(|was| was.of != becomes.of)
            && let Some(moved) = Moment::read(&becomes.of, self.after.zone)
        {
            let line = self.writing.time(moved, Some(at)).line("RECURRENCE-ID");
            self.patch.set(one.block, "RECURRENCE-ID", Some(&line));
        }
        let (Some(was), Some(instead)) = (was.and_then(|was| was.instead.as_ref()), &becomes.instead) else { return };
        if was == instead {
            return;
        }
        if was.summary != instead.summary {
            self.patch.set(one.block, "SUMMARY", Some(&text_line("SUMMARY", &instead.summary)));
        }
        if was.location != instead.location {
            let line = instead.location.as_ref().map(|place| text_line("LOCATION", place));
            self.patch.set(one.block, "LOCATION", line.as_deref());
        }
        let zone = self.before.zone;
        if (&was.start_time, &was.end_time) != (&instead.start_time, &instead.end_time) {
            self.times(one, instead_times(was, zone), instead_times(instead, zone));
        }
        self.invites(one.block, &was.attendees, &instead.attendees);
        stamped(&mut self.patch, one.block, self.writer.now);
    }

    /// An exception that the text does not have: a line, or a component beside the series.
    fn added(&mut self, main: &Component<'_>, exception: &Exception, calendar: &Block) {
        let Some(of) = Moment::read(&exception.of, self.after.zone) else { return };
        let like = main.time(&ICalendarProperty::Dtstart);
        let of = self.writing.time(of, like.as_ref());
        let Some(instead) = &exception.instead else {
            self.patch.add(main.block, &of.line("EXDATE"));
            return;
        };
        let (start, end) = instead_times(instead, self.after.zone);
        let Some(start) = start else { return };
        let mut lines = vec![of.line("RECURRENCE-ID"), self.writing.time(start, like.as_ref()).line("DTSTART")];
        lines.extend(end.map(|end| self.writing.time(end, like.as_ref()).line("DTEND")));
        lines.push(text_line("SUMMARY", &instead.summary));
        lines.extend(instead.location.as_ref().map(|place| text_line("LOCATION", place)));
        let known = &self.before.attendees;
        let is_new = |one: &&String| !known.iter().any(|known| bare(known).eq_ignore_ascii_case(bare(one)));
        lines.extend(instead.attendees.iter().filter(is_new).map(|person| attendee(person)));
        let now = stamp(self.writer.now);
        lines.extend([format!("DTSTAMP:{now}"), format!("LAST-MODIFIED:{now}"), "SEQUENCE:1".to_owned()]);
        // What it has of the series stays as it is written there.
        let own = [
            "RRULE",
            "RDATE",
            "EXDATE",
            "DTSTART",
            "DTEND",
            "DURATION",
            "SUMMARY",
            "LOCATION",
            "DTSTAMP",
            "LAST-MODIFIED",
            "SEQUENCE",
        ];
        let kept = main.block.lines.iter().filter(|line| !own.contains(&line.name.as_str()));
        let kept: String = kept.map(|line| &self.text[line.span.clone()]).collect();
        let inner: String = main.block.blocks.iter().map(|inner| &self.text[inner.span.clone()]).collect();
        let lines: String = lines.iter().map(|line| self.patch.broken(line)).collect();
        let (begin, end) = (self.patch.broken("BEGIN:VEVENT"), self.patch.broken("END:VEVENT"));
        self.patch.insert(calendar, &format!("{begin}{kept}{lines}{inner}{end}"));
    }
}

/// A cancelled override stays one.
fn is_cancelled_still(before: &[Exception], of: &str, becomes: &Exception) -> bool {
    becomes.instead.is_none() && before.iter().any(|one| one.of == of && one.instead.is_none())
}

type EventTimes = (Option<Moment>, Option<Moment>);

fn event_times(event: &Event) -> EventTimes {
    let read = |text: &str| Moment::read(text, event.zone);
    (read(&event.start_time), event.end_time.as_deref().and_then(read))
}

fn instead_times(instead: &Instead, zone: Tz) -> EventTimes {
    let read = |text: &str| Moment::read(text, zone);
    (read(&instead.start_time), instead.end_time.as_deref().and_then(read))
}

fn length((start, end): EventTimes) -> Option<chrono::Duration> {
    let zone = Tz::UTC;
    Some(end?.start(zone) - start?.start(zone))
}

fn text_line(name: &str, words: &str) -> String {
    format!("{name}:{}", text_value(words))
}
