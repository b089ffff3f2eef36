//! `watches`: what is looked out for.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{self, MailWatch};
use super::words;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::show;
use crate::services::email::finding::find::local;
use crate::services::email::message::mail::NAME;
use crate::services::email::service::Email;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::Built;
use brain_language::language::requests::reading::ClauseReading;

/// List what is looked out for.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListWatches {}

/// A watch in a list.
#[derive(Debug, Serialize, Deserialize)]
pub struct WatchRow {
    id: String,
    label: String,
    /// RFC 3339: when it ends, where that was asked for.
    until: Option<String>,
}

impl WatchRow {
    fn of(watch: &MailWatch, ctx: &RequestContext) -> Self {
        let until = watch.rings_at.filter(|_| watch.is_due && watch.is_waiting());
        Self { id: watch.id.clone(), label: words::label(watch), until: until.map(|at| local(at, ctx.zone)) }
    }
}

/// What is looked out for.
#[derive(Debug, Serialize, Deserialize)]
pub struct Watches {
    watches: Vec<WatchRow>,
}

impl Command for ListWatches {
    type Output = Watches;

    const NAME: &'static str = "watches";
    const SUMMARY: &'static str = "list which answers and mails are looked out for";
    const EXAMPLE: &'static str = "What mails are you watching for?";
    const STATUS: &'static str = "Looking at what I watch for…";
    const STAKES: Stakes = Stakes::Low;
    const SHOWS_UNTRUSTED: bool = true;

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("List what I watch for?")
    }

    fn receipt(&self, output: &Watches, receipt: &Receipt<'_>) -> String {
        let row = |row: &WatchRow| match &row.until {
            Some(until) => format!("• {} — if not, I remind you {}", row.label, show::time(until, receipt.reference)),
            None => format!("• {}", row.label),
        };
        if output.watches.is_empty() {
            return "👀 I'm not watching for any mail.".to_owned();
        }
        format!("👀 I'm watching for:\n{}", output.watches.iter().map(row).collect::<Vec<_>>().join("\n"))
    }

    fn attempt(&self, _: &Action) -> String {
        "list what I watch for".to_owned()
    }

    fn listed(&self, output: &Watches) -> Vec<ItemRef> {
        output.watches.iter().map(|row| ItemRef { id: row.id.clone(), label: row.label.clone() }).collect()
    }
}

#[async_trait]
impl Handle<ListWatches> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, ListWatches>) -> Result<Completed<Watches>, ServiceError> {
        let open = record::open_watches(self.store.as_ref(), &call.ctx.owner).await?;
        let watches = open.iter().map(|(watch, _)| WatchRow::of(watch, call.ctx)).collect();
        let untrusted = open.into_iter().flat_map(|(watch, _)| watch.untrusted).collect();
        Ok(Completed::read(Watches { watches }).holding(untrusted))
    }
}

/// The list, from a message that asks for it.
pub(super) fn built(said: &ClauseReading) -> Built {
    Built::Act(said.action(NAME, ListWatches::NAME))
}
