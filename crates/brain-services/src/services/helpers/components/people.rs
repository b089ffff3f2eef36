//! Who takes part: the lines ORGANIZER and ATTENDEE.

use calcard::icalendar::{ICalendarEntry, ICalendarParameterName, ICalendarProperty};

use super::Component;

/// The mail address of one, as it is written there.
pub(in crate::services) fn address(entry: &ICalendarEntry) -> Option<String> {
    let value = entry.parameter(&ICalendarParameterName::Email).and_then(|value| value.as_text());
    let value = value.or_else(|| entry.values.first()?.as_text())?.trim();
    let scheme = value.split_at_checked(7).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("mailto:"));
    let address = scheme.map_or(value, |(_, rest)| rest);
    (address.contains('@') && !address.contains(char::is_whitespace)).then(|| address.to_owned())
}

/// `Name <address>`, or the address.
pub(in crate::services) fn person(entry: &ICalendarEntry, address: &str) -> String {
    let name = entry.parameter(&ICalendarParameterName::Cn).and_then(|name| name.as_text());
    let name: String = name.unwrap_or_default().chars().filter(|c| !c.is_control() && !"<>\"".contains(*c)).collect();
    match name.trim() {
        "" => address.to_owned(),
        name if name.eq_ignore_ascii_case(address) => address.to_owned(),
        name => format!("{name} <{address}>"),
    }
}

/// Whoever made it, where that is somebody else; `own`: the person's addresses in small letters.
pub(in crate::services) fn organizer(one: &Component<'_>, own: &[String]) -> Option<String> {
    let entry = one.read.property(&ICalendarProperty::Organizer)?;
    let address = address(entry)?;
    (!own.contains(&address.to_lowercase())).then(|| person(entry, &address))
}
