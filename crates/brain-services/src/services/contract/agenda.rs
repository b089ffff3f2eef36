//! What lies ahead as services tell it, and what moves with a person into another zone.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use brain_core::core::provenance::UntrustedText;
use brain_core::ports::Change;
use brain_core::ports::records::millis;

/// What an agenda shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgendaKind {
    /// Should have been done before.
    Overdue,
    /// Takes place.
    Event,
    /// Is to be done.
    Task,
}

/// One line of an agenda.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgendaItem {
    /// Unique among its owner's things of that service.
    pub id: String,
    /// Of what sort.
    pub kind: AgendaKind,
    /// When it begins or is due.
    pub at: DateTime<Utc>,
    /// When it ends, if it takes time.
    pub until: Option<DateTime<Utc>>,
    /// True when it is meant for the day, not for a time of it.
    pub whole_day: bool,
    /// What it is called.
    pub title: String,
    /// Where it takes place, if that was said.
    pub place: Option<String>,
    /// Words in it that are not the person's own.
    pub untrusted: Vec<UntrustedText>,
}

impl AgendaItem {
    /// Where it stands among others, as text that sorts: by day, what is for the whole of it first.
    pub fn place(&self, zone: Tz) -> String {
        let (day, part) = (self.at.with_timezone(&zone).date_naive(), u8::from(!self.whole_day));
        let kind = match self.kind {
            AgendaKind::Overdue => 0,
            AgendaKind::Event => 1,
            AgendaKind::Task => 2,
        };
        format!("{day} {part} {} {kind} {}", millis(self.at), self.id)
    }
}

/// What follows a person into another zone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rezoned {
    /// To be committed together with the new zone.
    pub changes: Vec<Change>,
    /// How many repeating reminders keep their time of day and fall due at another instant.
    pub moved: usize,
}
