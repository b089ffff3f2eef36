//! Memberships of the bot.

use serde_json::Value;

use super::super::place::ChatPlace;
use super::incoming::{IncomingEvent, IncomingUpdate};

/// `None` for everything but being let in by a person.
pub(super) fn read(membership: &Value) -> Option<IncomingUpdate> {
    let inside = |when: &str| matches!(membership[when]["status"].as_str(), Some("member" | "administrator"));
    let kind = membership["chat"]["type"].as_str()?;
    let from = &membership["from"];
    let is_ours = matches!(kind, "private" | "group" | "supergroup") && from["is_bot"] != true;
    if !is_ours || inside("old_chat_member") || !inside("new_chat_member") {
        return None;
    }
    let place = ChatPlace::of(membership)?;
    Some(IncomingUpdate { who: from["id"].as_i64()?, place, private: kind == "private", event: IncomingEvent::Joined })
}
