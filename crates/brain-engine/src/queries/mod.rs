//! What there is to see, as data: what waits for a yes, what lies ahead, how turns went, what is kept of a person.
//!
//! Stands below everybody who shows it: slash commands, the control socket, the command line, a page. A query reads one
//! moment of the store, a page at a time, and gives typed values; whoever asked puts them into words. Invariants:
//! nothing is decided, told or changed here (a record that cannot be read is set aside, as by every reader); no query
//! calls a model. Not here: who may see what, which is checked by whoever shows it.

pub mod agenda;
pub mod archive;
pub mod decisions;
pub mod export;
pub mod figures;
pub mod health;
pub mod offers;
pub mod pending;
pub mod people;
pub mod questions;
pub mod services;
pub mod shadow;
pub mod turns;
pub mod usage;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::investigate::estimate::StagePrices;
use brain_core::core::ids::UserId;
use brain_core::ports::records::User;
use brain_core::ports::{Key, RecordExt, Snapshot, StoreError};
use brain_language::language::time::{DateOrder, Reference};
use brain_services::services::catalog::registry::Registry;

/// What queries read, and how what they find is to be taken.
#[derive(Debug)]
pub struct View<'a> {
    /// The store as it was at one moment.
    pub moment: Snapshot<'a>,
    /// What can be done.
    pub services: &'a Registry,
    /// When it is asked.
    pub now: DateTime<Utc>,
    /// The zone of people who have not chosen one.
    pub zone: Tz,
    /// How numeric dates are read.
    pub order: DateOrder,
    /// What the stages' tokens cost.
    pub prices: &'a StagePrices,
}

impl View<'_> {
    /// How times are told to a person.
    pub async fn reference(&self, owner: &UserId) -> Result<Reference, StoreError> {
        let user = self.moment.load::<User>(&Key::of(&[owner.as_str()])).await?;
        let zone = user.and_then(|(user, _)| user.zone).unwrap_or(self.zone);
        Ok(Reference { now: self.now, zone, order: self.order })
    }
}
