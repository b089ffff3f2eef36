//! Decided cards: their buttons go, and their message says who decided what, and when.
//!
//! The message keeps the whole of the card but its question, as it read when it was shown: times are told relative to
//! the moment of asking. Where the line no longer fits, the buttons go all the same and the line comes as a message.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::pipeline::brain::Brain;
use crate::pipeline::show;
use brain_core::core::button::CardVerb;
use brain_core::core::pending::{Means, Pending, State};
use brain_core::core::turn::{Edit, Reply};
use brain_core::ports::StoreError;
use brain_core::ports::records::Show;
use brain_language::language::time::Reference;
use brain_services::services::catalog::cards;
use brain_services::services::contract::context::RequestContext;

/// What a decided card looks like from now on, in its owner's zone.
pub async fn shows(brain: &Brain, pending: &Pending) -> Result<Vec<Show>, StoreError> {
    let user = brain.user(&pending.owner, &pending.chat).await?;
    Ok(view(brain, pending, brain.request_context(&user, &pending.chat).zone))
}

/// The same in a known zone. Nothing for a card that was never shown.
pub fn view(brain: &Brain, pending: &Pending, zone: Tz) -> Vec<Show> {
    let Some(message) = pending.last_card_message() else {
        return Vec::new();
    };
    let stamp = stamp(brain, pending, zone);
    let reference = Reference { now: pending.created_at, zone, order: brain.policy.order };
    match cards::decided(&brain.services, pending, &reference, &stamp) {
        Some(card) => vec![Show::Edit(Edit::says(message, card))],
        None => {
            vec![
                Show::Edit(Edit::buttons(message, Vec::new())),
                Show::Send(Reply::text(format!("{stamp} · {}", pending.id))),
            ]
        }
    }
}

/// "✅ Sent — you, Mon 12 Jan 10:03".
fn stamp(brain: &Brain, pending: &Pending, zone: Tz) -> String {
    let Some(decision) = &pending.decision else {
        return "⏳ Still open".to_owned();
    };
    let by_admin = decision.means == Means::Admin;
    let when = decision.at.with_timezone(&zone).format("%a %-d %b %H:%M");
    let who = if by_admin { "the admin of this machine" } else { "you" };
    match pending.state {
        State::Pending => "⏳ Still open".to_owned(),
        State::Approved | State::Executing => format!("⏳ On it — {who} said yes, {when}"),
        State::Succeeded => format!("✅ {} — {who}, {when}", done(brain, pending)),
        State::Failed => format!("❗ Did not work — {who} said yes, {when}"),
        State::Unknown => format!("❓ Not known whether it worked — {who} said yes, {when}"),
        State::Denied if by_admin => format!("🚫 Cancelled by the admin of this machine · {when}"),
        State::Denied => format!("✖️ You said no · {when}"),
        State::Expired => format!("⌛ Expired · {when}"),
        State::Superseded if pending.superseded_by.is_some() => format!("✏️ Replaced by a newer card · {when}"),
        State::Superseded => "✏️ Withdrawn · you changed it".to_owned(),
    }
}

/// What was recorded of a decided card, told to whoever wants it decided again.
pub fn recorded(brain: &Brain, pending: &Pending, wants: Option<CardVerb>, ctx: &RequestContext) -> String {
    let what = show::title(&brain.services, pending);
    let at = pending.decision.as_ref().map_or_else(String::new, |decision| when(decision.at, ctx));
    let result = match pending.state {
        State::Pending | State::Approved | State::Executing => {
            format!("You already said yes{at}; I'm on it: {what}.")
        }
        State::Succeeded => format!("That was already done{at}: {what}."),
        State::Failed => format!("You already said yes{at}, but it did not work: {what}."),
        State::Unknown => format!("You already said yes{at}; whether it worked is not known: {what}."),
        State::Denied => format!("That was already cancelled{at}, so I did not {what}."),
        State::Expired => format!("That card has expired, so I did not {what}."),
        State::Superseded => match &pending.superseded_by {
            Some(newer) => format!("That card was replaced by a newer one ({newer})."),
            None => "That card was withdrawn.".to_owned(),
        },
    };
    let then = match (pending.state, wants) {
        (State::Succeeded, Some(CardVerb::Cancel)) => "I can't take that back; nothing more was done.",
        (State::Denied | State::Expired | State::Failed, Some(CardVerb::Approve)) => {
            "Nothing more was done. Ask for it again if you want it after all."
        }
        (_, Some(_) | None) => "Nothing more was done.",
    };
    format!("{result} {then}")
}

/// " at 14:02", with the day when that is not today.
fn when(at: DateTime<Utc>, ctx: &RequestContext) -> String {
    let (at, now) = (at.with_timezone(&ctx.zone), ctx.now.with_timezone(&ctx.zone));
    let day = if at.date_naive() == now.date_naive() { "" } else { " on %a %-d %b" };
    at.format(&format!("{day} at %H:%M")).to_string()
}

/// What became of it, as one past participle; several things share one.
fn done(brain: &Brain, pending: &Pending) -> &'static str {
    match pending.actions.as_slice() {
        [only] => brain.services.of(only).map_or("Done", |entry| entry.done(only)),
        _ => "Done",
    }
}
