//! The order in which events are asked for.
//!
//! What takes place in a span may have begun long before it. So events are listed by how long they last, and inside
//! that by their start: of those of up to a day, what began more than a day before the span is over. Series are a list
//! of their own, and few.

use chrono::{DateTime, Duration, Utc};

use super::record::Event;
use crate::services::remote::backend::origin_key;
use brain_core::ports::records::millis;
use brain_core::ports::secondary::readable;
use brain_core::ports::{Key, Scan, Secondary, Table};

/// Series.
pub(super) const REPEATING: &str = "repeating";
/// Of what lasts longer than all [`CLASSES`].
const LONGER: &str = "longer";
/// Events by their greatest length in days.
const CLASSES: [(&str, i64); 4] = [("1", 1), ("8", 8), ("64", 64), ("512", 512)];
/// A whole day is that of the person's zone, and zones lie up to 26 hours apart.
const ZONES: Duration = Duration::hours(26);

/// Events by time: owner, length, start.
pub(super) static BY_TIME: Secondary = Secondary {
    name: "events_by_time",
    table: Table::Events,
    version: 2,
    keys: |_, stored| readable::<Event>(stored).as_ref().and_then(by_time).into_iter().collect(),
};

/// Events by where they come from.
pub(super) static BY_ORIGIN: Secondary =
    Secondary { name: "events_by_origin", table: Table::Events, version: 1, keys: origin_key::<Event> };

fn by_time(event: &Event) -> Option<Key> {
    if event.is_series() {
        return Some(Key::of(&[event.owner.as_str(), REPEATING]));
    }
    let (from, length) = event.begins()?;
    let class = CLASSES.iter().find(|(_, days)| length <= Duration::days(*days));
    Some(Key::of(&[event.owner.as_str(), class.map_or(LONGER, |(name, _)| name), &millis(from)]))
}

/// What to look through for all that may take place in `from..to`, series aside.
pub(super) fn scans(owner: &str, from: DateTime<Utc>, to: DateTime<Utc>) -> Vec<Scan> {
    let instant = |at: DateTime<Utc>, by: Duration| millis(at.checked_add_signed(by).unwrap_or(at));
    let until = instant(to, ZONES);
    let of = |class: &str| Scan::by(&BY_TIME, &[owner, class], usize::MAX).before(Key::of(&[owner, class, &until]));
    let bounded = CLASSES.iter().map(|(class, days)| {
        let first = instant(from, -(Duration::days(*days) + ZONES));
        of(class).after(Key::of(&[owner, class, &first]))
    });
    bounded.chain([of(LONGER)]).collect()
}
