//! The circumstances of one request, which every look and every change of a service is given.

use chrono::{DateTime, NaiveTime, Utc};
use chrono_tz::Tz;

use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::turn::KeptFile;
use brain_language::language::time::{DateOrder, Reference};

/// For whom, when and where something is done.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestContext {
    /// The person whose records are read and changed.
    pub owner: UserId,
    /// Where to tell what falls due later.
    pub chat: ChatId,
    /// The moment of the turn.
    pub now: DateTime<Utc>,
    /// The person's zone.
    pub zone: Tz,
    /// How the person writes dates.
    pub order: DateOrder,
    /// When a day reminds of which no hour was said.
    pub hour: NaiveTime,
    /// Files that a mail which is written now takes along.
    pub files: Vec<KeptFile>,
}

impl RequestContext {
    /// The reference that words for times are relative to.
    pub fn reference(&self) -> Reference {
        Reference { now: self.now, zone: self.zone, order: self.order }
    }
}
