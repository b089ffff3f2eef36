//! Telling what has come of a watch, or that nothing has; and what is answered to that.

use async_trait::async_trait;
use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde_json::Value;

use super::record::{self, MailWatch, WatchState};
use super::stop::UnwatchMail;
use super::watch_mail::WatchMail;
use super::words;
use crate::services::contract::capabilities::{FallenDue, Reminded, ReminderAnswer, Reminders};
use crate::services::contract::command::{Command, planned};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::email::message::mail::NAME;
use crate::services::email::service::Email;
use brain_core::core::notification::{Notification, Urgency};
use brain_core::core::plan::{Params, PlannedAction};
use brain_core::limits::WATCH_PATIENCE_SECS;
use brain_core::ports::records::{Due, DueKind};

#[async_trait]
impl Reminders for Email {
    async fn fall_due(&self, ctx: &RequestContext, due: &Due) -> Result<FallenDue, ServiceError> {
        let DueKind::Item { item, .. } = &due.kind else { return Ok(FallenDue::default()) };
        let Some((watch, revision)) = record::by_id(self.store.as_ref(), &due.owner, item).await? else {
            return Ok(FallenDue::default());
        };
        if watch.rings_at != Some(due.meant()) {
            return Ok(FallenDue::default());
        }
        let decided = match &watch.state {
            WatchState::Waiting => self.at_its_time(ctx, &watch, due.meant()).await?,
            WatchState::Came(_) | WatchState::Missed => watch.clone(),
        };
        let unread = match decided.state {
            WatchState::Missed => self.keeper.as_ref().and_then(|keeper| keeper.not_in_step(&watch.owner)),
            WatchState::Waiting | WatchState::Came(_) => None,
        };
        let notification = notification(&decided, due.meant(), ctx, unread);
        let told = MailWatch { rings_at: None, told_at: Some(ctx.now), ..decided };
        // Its entry goes with this very commit: whoever asked takes it out.
        let silent = MailWatch { rings_at: None, ..watch };
        let changes = record::changed(self.store.as_ref(), Some((&silent, revision)), Some(&told)).await?;
        Ok(FallenDue { notification: Some(notification), changes })
    }

    async fn reminded(&self, ctx: &RequestContext, item: &str) -> Result<Option<Reminded>, ServiceError> {
        let held = record::by_id(self.store.as_ref(), &ctx.owner, item).await?;
        Ok(held.map(|(watch, _)| Reminded { title: words::label(&watch), done: false }))
    }

    fn answered(&self, item: &str, with: ReminderAnswer) -> Option<PlannedAction> {
        Some(match with {
            ReminderAnswer::Done => planned(NAME, &UnwatchMail { find_by: item.to_owned() }),
            ReminderAnswer::Snooze(at) => {
                planned(NAME, &WatchMail::again(item, at.to_rfc3339_opts(SecondsFormat::Secs, false)))
            }
        })
    }

    fn answer_of(&self, command: &str, params: &Params) -> Option<ReminderAnswer> {
        if command == UnwatchMail::NAME {
            return Some(ReminderAnswer::Done);
        }
        let again: WatchMail = serde_json::from_value(Value::Object(params.clone())).ok()?;
        let until = DateTime::parse_from_rfc3339(again.until()?).ok()?;
        (command == WatchMail::NAME).then_some(ReminderAnswer::Snooze(until))
    }
}

impl Email {
    /// A watch whose time has come. The mailbox is looked into once more: what came at the last moment has come. Where that
    /// cannot be done, it is tried again a little later; then what is known is told.
    async fn at_its_time(
        &self,
        ctx: &RequestContext,
        watch: &MailWatch,
        meant: DateTime<Utc>,
    ) -> Result<MailWatch, ServiceError> {
        let missed = || MailWatch { state: WatchState::Missed, ..watch.clone() };
        let is_last_try = ctx.now - meant > Duration::seconds(WATCH_PATIENCE_SECS);
        let looked = async {
            if let Some(keeper) = &self.keeper {
                keeper.looks_now(&watch.owner).await;
            }
            let view = self.mailboxes.mail(&watch.owner).await?;
            match self.came(&view, watch).await? {
                Some(came) => Ok(came),
                None if view.so_far.is_none() => Ok(missed()),
                None => Err(ServiceError::Broken("The mailbox is still being read.".to_owned())),
            }
        };
        looked.await.or_else(|error: ServiceError| if is_last_try { Ok(missed()) } else { Err(error) })
    }
}

/// `unread`: since when mail may have come that nobody here knows of.
fn notification(
    watch: &MailWatch,
    meant: DateTime<Utc>,
    ctx: &RequestContext,
    unread: Option<DateTime<Utc>>,
) -> Notification {
    let (title, details) = words::told(watch);
    let unread = unread.map(|since| words::perhaps_unread(since.with_timezone(&ctx.zone)));
    let details = match (details, unread) {
        (Some(details), Some(unread)) => Some(format!("{details} {unread}")),
        (details, unread) => details.or(unread),
    };
    let is_named = watch.is_timed && matches!(watch.state, WatchState::Waiting | WatchState::Missed);
    Notification {
        service: NAME.to_owned(),
        item: watch.id.clone(),
        title,
        details,
        at: meant,
        owner: Some(watch.owner.clone()),
        zone: ctx.zone,
        ahead_of: None,
        missed: 0,
        held_until: None,
        urgency: if is_named { Urgency::Named } else { Urgency::Usual },
        quiet: None,
        is_told_only: false,
        untrusted: watch.untrusted.clone(),
    }
}
