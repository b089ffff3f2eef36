//! `{"input","reference","tz"?,"expected_start","grain"}`: the instant a message speaks of, compared as exactly as
//! `grain` says, in the zone (UTC where none is named). `expected_start` null: finding none is right, and so is
//! seeing that the expression is no usable time. Read by code alone; a model only quotes the person's words.
//!
//! Every row is expected to be `time`; what was got is `right`, `wrong` (another instant, or one where there is
//! none) or `none`.

use chrono::{DateTime, Datelike, Timelike};
use chrono_tz::Tz;
use serde::Deserialize;

use super::asker::Asker;
use super::rows::{instant, json, zone};
use super::{EvalRow, RowVerdict};
use brain_core::core::turn::{Done, Path};
use brain_core::ports::StoreError;
use brain_language::language::time::{DateOrder, Reference, start_in};

#[derive(Debug, Deserialize)]
struct TimeRow {
    input: String,
    reference: String,
    tz: Option<String>,
    expected_start: Option<String>,
    grain: Option<ComparedGrain>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ComparedGrain {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

#[derive(Debug)]
pub(super) struct TimeExample {
    input: String,
    reference: Reference,
    expected: Option<(DateTime<Tz>, ComparedGrain)>,
}

impl ComparedGrain {
    /// The instant without what is finer than this, in its own zone.
    fn cut(self, at: DateTime<Tz>) -> String {
        match self {
            // With the offset: an hour that comes twice is two hours.
            Self::Minute => at.format("%Y-%m-%dT%H:%M%:z").to_string(),
            Self::Hour => at.format("%Y-%m-%dT%H%:z").to_string(),
            Self::Day => at.format("%Y-%m-%d").to_string(),
            Self::Week => at.format("%G-W%V").to_string(),
            Self::Month => at.format("%Y-%m").to_string(),
            Self::Year => at.year().to_string(),
        }
    }
}

impl EvalRow for TimeExample {
    type Answer = Option<DateTime<Tz>>;

    fn parse(line: &str) -> Result<Self, String> {
        let wire: TimeRow = json(line)?;
        let zone = zone(wire.tz.as_deref())?;
        let reference = Reference { now: instant(&wire.reference)?, zone, order: DateOrder::usual_in(zone) };
        let expected = match (wire.expected_start.as_deref(), wire.grain) {
            (None, _) => None,
            (Some(_), None) => return Err("grain is missing".to_owned()),
            (Some(start), Some(grain)) => Some((instant(start)?.with_timezone(&zone), grain)),
        };
        Ok(Self { input: wire.input, reference, expected })
    }

    fn input(&self) -> &str {
        &self.input
    }

    fn built_in(&self) -> Self::Answer {
        start_in(&self.input, &self.reference)
    }

    async fn ask(&self, _: &Asker) -> Result<(Self::Answer, Done), StoreError> {
        Ok((self.built_in(), Done::quiet(Path::Action)))
    }

    fn judge(&self, answer: &Self::Answer) -> RowVerdict {
        let is_right = match (&self.expected, answer) {
            (None, None) => true,
            (Some((start, grain)), Some(got)) => grain.cut(*start) == grain.cut(*got),
            (None, Some(_)) | (Some(_), None) => false,
        };
        let got_class = match (is_right, answer) {
            (true, _) => "right",
            (false, Some(_)) => "wrong",
            (false, None) => "none",
        };
        let expected = self.expected.map_or_else(|| "none".to_owned(), |(start, grain)| grain.cut(start));
        RowVerdict {
            is_right,
            class: "time".to_owned(),
            got_class: got_class.to_owned(),
            expected,
            got: answer.map_or_else(|| "none".to_owned(), show),
            ..RowVerdict::default()
        }
    }
}

fn show(at: DateTime<Tz>) -> String {
    let seconds = if at.second() == 0 { "%Y-%m-%dT%H:%M%:z" } else { "%Y-%m-%dT%H:%M:%S%:z" };
    at.format(seconds).to_string()
}
