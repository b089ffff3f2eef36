//! Decided cards: their buttons go, and their message says who decided what, and when.
//!
//! The message keeps the whole of the card but its question, as it read when it was shown: times are told relative to the moment
//! of asking. Where the line no longer fits, the buttons go all the same and the line comes as a message.

use chrono_tz::Tz;

use super::cards;
use crate::core::pending::{Means, Pending, State};
use crate::core::turn::{Edit, Reply};
use crate::language::time::Reference;
use crate::pipeline::brain::Brain;
use crate::ports::StoreError;
use crate::ports::records::Show;

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
    match cards::decided(brain, pending, &reference, &stamp) {
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
        State::Superseded => "✏️ Withdrawn · the newer card counts".to_owned(),
    }
}

/// What became of it in a word: "Sent", "Deleted"; "Done" for several things.
fn done(brain: &Brain, pending: &Pending) -> &'static str {
    match pending.actions.as_slice() {
        [only] => brain.services.of(only).map_or("Done", |entry| entry.done(only)),
        _ => "Done",
    }
}
