//! The components of a calendar's resource that are one event or one task: the series or single one, and its overrides.
//!
//! What calendar and tasks share: a resource read once, its times as moments, and moments in the form of what stood
//! there. Not here: which lines are a record.

mod people;
mod times;

use std::collections::HashMap;

use calcard::icalendar::{ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty};

pub(in crate::services) use people::{address, organizer, person};
pub(in crate::services) use times::{
    WrittenTimes, clocks, end_of, excluded_of, later, moment, occurrence_of, stamp, stamped,
};

use brain_wire::ical::{Block, IcalTime, Malformed, blocks, times_of};

/// Why nothing can be read of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::services) enum UnreadableResource {
    /// Its text.
    Malformed(Malformed),
    /// There is none of these in it.
    Nothing,
}

/// A component as `calcard` reads it, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(in crate::services) struct Component<'r> {
    pub read: &'r ICalendarComponent,
    pub block: &'r Block,
}

/// A resource, read once.
#[derive(Debug)]
pub(in crate::services) struct ParsedResource {
    pub calendar: ICalendar,
    pub block: Block,
}

impl ParsedResource {
    pub fn of(text: &str) -> Result<Self, UnreadableResource> {
        let found = blocks(text).map_err(UnreadableResource::Malformed)?;
        let block = found.into_iter().find(|block| block.name == "VCALENDAR").ok_or(UnreadableResource::Nothing)?;
        // A parser of somebody else's: what it cannot bear is one resource that cannot be read.
        let entry = std::panic::catch_unwind(|| calcard::Parser::new(&text[block.span.clone()]).entry());
        match entry {
            Ok(calcard::Entry::ICalendar(calendar)) => Ok(Self { calendar, block }),
            _ => Err(UnreadableResource::Nothing),
        }
    }

    /// Whether anything in it is of this kind.
    pub fn holds(&self, kind: &ICalendarComponentType) -> bool {
        self.block.inner(kind.as_str()).next().is_some()
    }

    /// Those of this kind and of one UID, the series or single one first where there is one.
    pub fn components(&self, kind: &ICalendarComponentType) -> Result<Vec<Component<'_>>, UnreadableResource> {
        let (mut masters, overrides): (Vec<_>, Vec<_>) =
            self.all(kind)?.into_iter().partition(|one| !one.is_override());
        let rest = if masters.is_empty() {
            overrides
        } else {
            let uid = masters[0].read.uid();
            masters.truncate(1);
            masters.extend(overrides.into_iter().filter(|one| one.read.uid() == uid));
            masters
        };
        if rest.is_empty() { Err(UnreadableResource::Nothing) } else { Ok(rest) }
    }

    /// All of this kind, those of one UID together, the series or single one first; one without a UID is on its own.
    pub fn by_uid(&self, kind: &ICalendarComponentType) -> Result<Vec<Vec<Component<'_>>>, UnreadableResource> {
        let mut found: Vec<Vec<Component<'_>>> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for one in self.all(kind)? {
            let at = match one.read.uid() {
                Some(uid) => *known.entry(uid).or_insert(found.len()),
                None => found.len(),
            };
            match found.get_mut(at) {
                Some(group) => group.push(one),
                None => found.push(vec![one]),
            }
        }
        for group in &mut found {
            // One that is said twice is what was said first.
            let (mut masters, overrides): (Vec<_>, Vec<_>) = group.drain(..).partition(|one| !one.is_override());
            masters.truncate(1);
            group.extend(masters.into_iter().chain(overrides));
        }
        Ok(found)
    }

    fn all(&self, kind: &ICalendarComponentType) -> Result<Vec<Component<'_>>, UnreadableResource> {
        let read: Vec<&ICalendarComponent> =
            self.calendar.components.iter().filter(|component| component.component_type == *kind).collect();
        let stand: Vec<&Block> = self.block.inner(kind.as_str()).collect();
        if read.len() != stand.len() {
            return Err(UnreadableResource::Nothing);
        }
        Ok(read.into_iter().zip(stand).map(|(read, block)| Component { read, block }).collect())
    }

    /// What lies in one of them, of this kind; none where the two readings differ.
    pub fn inside<'r>(&'r self, one: &Component<'r>, kind: &ICalendarComponentType) -> Vec<Component<'r>> {
        let ids = one.read.component_ids.iter().filter_map(|id| self.calendar.component_by_id(*id));
        let read: Vec<&ICalendarComponent> = ids.filter(|inner| inner.component_type == *kind).collect();
        let stand: Vec<&Block> = one.block.inner(kind.as_str()).collect();
        if read.len() != stand.len() {
            return Vec::new();
        }
        read.into_iter().zip(stand).map(|(read, block)| Component { read, block }).collect()
    }
}

impl Component<'_> {
    pub fn is_override(&self) -> bool {
        self.read.has_property(&ICalendarProperty::RecurrenceId)
    }

    pub fn text(&self, name: &ICalendarProperty) -> Option<&str> {
        let text = self.read.property(name)?.values.first()?.as_text()?.trim();
        Some(text).filter(|text| !text.is_empty())
    }

    /// The times of all its lines of this name.
    pub fn times(&self, name: &ICalendarProperty) -> Vec<IcalTime> {
        self.read.properties(name).flat_map(times_of).collect()
    }

    pub fn time(&self, name: &ICalendarProperty) -> Option<IcalTime> {
        self.read.properties(name).find_map(|entry| times_of(entry).into_iter().next())
    }
}
