//! Setting a watch: which mail is meant, what it is known by, and whether it has come already.

use std::collections::BTreeSet;

use async_trait::async_trait;
use chrono::{DateTime, Duration, SubsecRound as _, Utc};

use super::record::{self, Awaited, MailWatch, WatchState};
use super::watch_mail::{WatchMail, WatchSet};
use super::{arrival, words};
use crate::services::contract::command::{Command as _, Completed, Effect, Handle, Invocation};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::contract::service::Prepared;
use crate::services::contract::show::Moment;
use crate::services::email::compose::prepare::not_found;
use crate::services::email::finding::find::{self, local};
use crate::services::email::finding::meant::{self, ThreadMatch};
use crate::services::email::mailbox::mailboxes::{Conversation, MailView};
use crate::services::email::message::mail::Mail;
use crate::services::email::service::{Email, source_of};
use crate::services::helpers::address_book::KnownNames;
use crate::services::helpers::recurrence::instant;
use crate::services::helpers::texts;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::{CANDIDATES_MAX, WATCH_DAYS_MAX, WATCHES_MAX};

#[async_trait]
impl Handle<WatchMail> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: WatchMail) -> Result<Prepared<WatchMail>, ServiceError> {
        if command.again.is_some() {
            return Ok(Prepared::as_is(command));
        }
        let Some(about) = command.about.clone() else {
            return Ok(match command.who.is_empty() {
                true => Prepared::NotFound { what: WatchMail::question("who").to_owned() },
                false => Prepared::as_is(command),
            });
        };
        if command.awaits == Some(Awaited::Mail) {
            return Ok(Prepared::as_is(command));
        }
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let meant = match meant::thread(&view, &about).await? {
            ThreadMatch::One(one) => vec![one],
            ThreadMatch::Several(several) => several,
            ThreadMatch::Nothing => Vec::new(),
        };
        let meant: Vec<Conversation> =
            meant.into_iter().filter(|found| arrival::own_of(found, &command.who).is_some()).collect();
        Ok(match (meant.as_slice(), command.awaits) {
            ([one], _) => {
                let thread = Some(one.thread.id.clone());
                Prepared::as_is(WatchMail { thread, awaits: Some(Awaited::Answer), ..command })
            }
            ([], None) if !command.who.is_empty() => {
                Prepared::as_is(WatchMail { awaits: Some(Awaited::Mail), ..command })
            }
            ([], _) => not_found(&about, view.so_far.map(Into::into)),
            (several, _) => {
                let shown = &several[..several.len().min(CANDIDATES_MAX)];
                let names = self.names(&ctx.owner, shown.iter().filter_map(find::speaks_for)).await?;
                Prepared::Several {
                    param: "about".to_owned(),
                    question: "Which mail of yours do you mean?".to_owned(),
                    candidates: find::candidates(shown, &names, ctx.zone),
                }
            }
        })
    }

    async fn perform(&self, call: Invocation<'_, WatchMail>) -> Result<Completed<WatchSet>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        if let Some(id) = &command.again {
            return self.put_off(ctx, id, command.by.as_deref()).await;
        }
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let watch = self.made_of(ctx, &view, (&command, action), texts::new_id(attempt)).await?;
        if let Some((mail, at)) = arrival::find(&view, &watch).await? {
            let (came, said) = self.came_mail(&ctx.owner, &mail, at).await?;
            let label = words::came(watch.awaits, &came);
            let came_at = Some(local(at, ctx.zone));
            let output = WatchSet { id: None, label, until: None, say: None, came_at };
            return Ok(Completed::read(output).holding(vec![said]));
        }
        let all = record::of_owner(self.store.as_ref(), &ctx.owner).await?;
        let (stale, kept): (Vec<_>, Vec<_>) = all.into_iter().partition(|(watch, _)| watch.is_stale(ctx.now));
        let same = kept.iter().find(|(other, _)| other.is_waiting() && is_same(other, &watch));
        let open = kept.iter().filter(|(watch, _)| watch.is_open()).count();
        if same.is_none() && open >= WATCHES_MAX {
            let why = format!("I'm watching for {open} mails already, and that is the most I do. Nothing was added.");
            return Err(ServiceError::Refused(why));
        }
        // Asked for once more: what was said now counts.
        let watch = match same {
            Some((other, _)) => MailWatch { id: other.id.clone(), created_at: other.created_at, ..watch },
            None => watch,
        };
        let before = same.map(|(other, revision)| (other, *revision));
        let mut changes = record::changed(self.store.as_ref(), before, Some(&watch)).await?;
        for (watch, revision) in &stale {
            changes.extend(record::changed(self.store.as_ref(), Some((watch, *revision)), None).await?);
        }
        Ok(Completed::changed(output(&watch, ctx), changes).holding(watch.untrusted))
    }
}

impl Email {
    /// A watch as a command asks for it.
    async fn made_of(
        &self,
        ctx: &RequestContext,
        view: &MailView,
        (command, action): (&WatchMail, &Action),
        id: String,
    ) -> Result<MailWatch, ServiceError> {
        let from: Vec<String> = command.who.iter().map(|address| address.trim().to_lowercase()).collect();
        let answered = match command.awaits {
            Some(Awaited::Mail) => None,
            Some(Awaited::Answer) | None => self.sent_to(view, command.thread.as_deref(), &from).await?,
        };
        if answered.is_none() && from.is_empty() {
            return Err(ServiceError::Refused(
                "I don't know which mail of yours is to be answered; nothing was set. Say whose answer, or its subject."
                    .to_owned(),
            ));
        }
        let mut untrusted: Vec<UntrustedText> = Vec::new();
        if let Some((_, Some(words))) = &answered {
            untrusted.push(words.clone());
        }
        for (param, text) in [("about", &command.about), ("say", &command.say)] {
            let said = text.as_ref().zip(provenance::source(action, param));
            untrusted.extend(said.map(|(text, source)| UntrustedText::new(source, text.clone())));
        }
        let (ends_at, is_timed) = ends(command.by.as_deref(), ctx)?;
        let awaits = if answered.is_some() { Awaited::Answer } else { Awaited::Mail };
        Ok(MailWatch {
            id,
            owner: ctx.owner.clone(),
            chat: ctx.chat.clone(),
            who: self.who_is(ctx, &from, action).await?,
            from,
            awaits,
            about: command.about.clone().filter(|_| awaits == Awaited::Mail).map(|about| texts::clean(&about)),
            // Files and headers tell whole seconds.
            since: answered.as_ref().map_or(ctx.now.trunc_subsecs(0), |(mail, _)| mail.head.date),
            answers: answered.map(|(mail, _)| arrival::answered(view, &mail)),
            is_due: command.by.is_some(),
            is_timed,
            say: command.say.as_deref().map(|say| texts::title(say, "reminder")).transpose()?,
            state: WatchState::Waiting,
            rings_at: Some(ends_at),
            created_at: ctx.now,
            told_at: None,
            untrusted,
        })
    }

    /// The mail that is to be answered, and what of its subject is somebody else's.
    async fn sent_to(
        &self,
        view: &MailView,
        thread: Option<&str>,
        to: &[String],
    ) -> Result<Option<(Mail, Option<UntrustedText>)>, ServiceError> {
        let mail = match thread.and_then(|id| view.thread(id)) {
            Some(thread) => {
                let conversation = view.conversation(thread).await?;
                conversation.and_then(|found| arrival::own_of(&found, to).cloned())
            }
            None => arrival::last_sent(view, to).await?,
        };
        let Some(mail) = mail else { return Ok(None) };
        let whole = match view.thread_of(mail.id()) {
            Some(thread) => view.conversations([thread], 1).await?.pop(),
            None => None,
        };
        // Whoever began a conversation has named it.
        let first = whole.and_then(|found| found.mails.into_iter().next());
        let source = first.filter(|first| !first.is_own()).map(|first| source_of(&first, &KnownNames::default()));
        let words = source.map(|source| UntrustedText::new(source, mail.head.parsed.subject.clone()));
        Ok(Some((mail, words)))
    }

    /// How the owner calls these people.
    async fn who_is(
        &self,
        ctx: &RequestContext,
        addresses: &[String],
        action: &Action,
    ) -> Result<String, ServiceError> {
        let all: BTreeSet<String> = addresses.iter().cloned().collect();
        let names = self.book.names_of(&ctx.owner, &all).await?;
        let label = |address: &String| {
            let chosen = action.names.get(address).map(String::as_str).unwrap_or_default();
            names.party(chosen, address).label()
        };
        Ok(addresses.iter().map(label).collect::<Vec<_>>().join(" or "))
    }

    /// Tells a watch's notice again at another time: what had not come is waited for until then.
    async fn put_off(
        &self,
        ctx: &RequestContext,
        id: &str,
        until: Option<&str>,
    ) -> Result<Completed<WatchSet>, ServiceError> {
        let held = record::by_id(self.store.as_ref(), &ctx.owner, id).await?;
        let gone = || ServiceError::NotFound { noun: "watch", label: id.to_owned() };
        let (watch, revision) = held.ok_or_else(gone)?;
        let (ends_at, is_timed) = ends(until, ctx)?;
        let state = match &watch.state {
            WatchState::Came(mail) => WatchState::Came(mail.clone()),
            WatchState::Waiting | WatchState::Missed => WatchState::Waiting,
        };
        let after = MailWatch { state, rings_at: Some(ends_at), is_due: true, is_timed, ..watch.clone() };
        let changes = record::changed(self.store.as_ref(), Some((&watch, revision)), Some(&after)).await?;
        Ok(Completed::changed(output(&after, ctx), changes).holding(after.untrusted))
    }
}

fn output(watch: &MailWatch, ctx: &RequestContext) -> WatchSet {
    let came_at = match &watch.state {
        WatchState::Came(mail) => Some(local(mail.at, ctx.zone)),
        WatchState::Waiting | WatchState::Missed => None,
    };
    let until = watch.rings_at.filter(|_| watch.is_due).map(|at| local(at, ctx.zone));
    WatchSet { id: Some(watch.id.clone()), label: words::label(watch), until, say: watch.say.clone(), came_at }
}

/// When a watch ends, and whether the owner named the time of that day.
fn ends(by: Option<&str>, ctx: &RequestContext) -> Result<(DateTime<Utc>, bool), ServiceError> {
    let Some(by) = by else { return Ok((ctx.now + Duration::days(WATCH_DAYS_MAX), false)) };
    match Moment::read(by, ctx.zone) {
        Some(Moment::Instant(at)) => Ok((at.to_utc(), true)),
        // As any reminder that is for a day.
        Some(Moment::Day(day)) => Ok((instant(ctx.zone, day.and_time(ctx.hour)).to_utc(), false)),
        None => Err(ServiceError::Refused(format!("I can't read the time “{}”; nothing was set.", texts::brief(by)))),
    }
}

/// Two watches for the same mail.
fn is_same(one: &MailWatch, other: &MailWatch) -> bool {
    let mail = |watch: &MailWatch| watch.answers.as_ref().map(|answered| answered.id.clone());
    let from = |watch: &MailWatch| watch.from.iter().cloned().collect::<BTreeSet<String>>();
    (from(one), one.awaits, mail(one), &one.about) == (from(other), other.awaits, mail(other), &other.about)
}
