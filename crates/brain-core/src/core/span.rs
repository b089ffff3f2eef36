//! Lengths of time in words, as people are told them.

use chrono::{DateTime, Duration, Utc};

/// "2 days 3 h", "3 h 5 min", "5 min", "less than a minute".
pub fn span(length: Duration) -> String {
    let (days, hours, minutes) = (length.num_days(), length.num_hours() % 24, length.num_minutes() % 60);
    match (days, hours, minutes) {
        (..=0, ..=0, ..=0) => "less than a minute".to_owned(),
        (..=0, ..=0, minutes) => format!("{minutes} min"),
        (..=0, hours, minutes) => format!("{hours} h {minutes} min"),
        (1, hours, _) => format!("1 day {hours} h"),
        (days, hours, _) => format!("{days} days {hours} h"),
    }
}

/// "just now", "5 min ago". What lies ahead, as two clocks may have it, is just now.
pub fn ago(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let past = now - at;
    if past < Duration::minutes(1) { "just now".to_owned() } else { format!("{} ago", span(past)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_told_in_their_two_largest_units() {
        let now: DateTime<Utc> = "2026-01-12T09:00:00Z".parse().unwrap();
        for (minutes, expected) in [
            (-5, "just now"),
            (0, "just now"),
            (2, "2 min ago"),
            (65, "1 h 5 min ago"),
            (24 * 60 + 61, "1 day 1 h ago"),
            (50 * 60, "2 days 2 h ago"),
        ] {
            assert_eq!(ago(now, now - Duration::minutes(minutes)), expected);
        }
    }
}
