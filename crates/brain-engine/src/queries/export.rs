//! Data export: a person's data in one JSON document, which is handed to them and to nobody else. With files beside it
//! it is an archive ([`super::archive`]).
//!
//! Holds what the services keep of the person, their settings, and the conversation and the cards of their private
//! chat, open and closed. Deliberately not in it, and its words say so: anything of other people (what was said in
//! groups is theirs, too), and the notes on our own work (traces and what their nodes got and gave, which hold no word
//! of the person that is not in the conversation, audit, journals, undo records); nor
//! rights and secrets. What cannot be read is named. Cards are listed for information; an import never revives them.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::View;
use super::pending::{open_cards, readable};
use brain_core::core::ids::{ChatId, PendingId, UserId};
use brain_core::core::pending::Pending;
use brain_core::core::plan::Action;
use brain_core::limits;
use brain_core::ports::records::{Aside, CardMessage, ConversationSummary, Message, User};
use brain_core::ports::{Key, RecordExt, Scan, StoreError};
use brain_services::services::contract::error::ServiceError;

/// The document's version. Before 2 nobody could tell whose words an answer of ours had repeated.
pub const VERSION: u32 = 2;
/// Where it stands.
pub const VERSION_FIELD: &str = "brain_agent_export";
/// Where the person is told.
pub const PERSON: &str = "person";
/// Where the conversation stands.
pub const MESSAGES: &str = "messages";

/// What is kept of one person: records by the name of their kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct PersonalData(Map<String, Value>);

impl PersonalData {
    /// How many records there are of each kind that has any, by its name.
    pub fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        let counts = self.0.iter().filter_map(|(name, records)| Some((name.as_str(), records.as_array()?.len())));
        counts.filter(|(_, count)| *count > 0)
    }

    /// Whether nothing is kept of them.
    pub fn is_empty(&self) -> bool {
        self.counts().next().is_none()
    }
}

impl From<PersonalData> for Value {
    fn from(data: PersonalData) -> Self {
        Self::Object(data.0)
    }
}

/// What is in the export of one person. `chat`: their private chat.
pub async fn data_of(view: &View<'_>, owner: &UserId, chat: &ChatId) -> Result<PersonalData, ServiceError> {
    let stored = view.moment.load::<User>(&Key::of(&[owner.as_str()])).await?;
    let user = stored.map(|(user, _)| user);
    let zone = user.as_ref().and_then(|user| user.zone);
    let mut document = Map::new();
    document.insert(VERSION_FIELD.to_owned(), json!(VERSION));
    document.insert("exported_at".to_owned(), json!(view.now));
    document.insert(
        PERSON.to_owned(),
        json!({
            "id": owner,
            "zone": zone.unwrap_or(view.zone).name(),
            "zone_chosen": zone.is_some(),
            "settings": user.as_ref().map(|user| user.settings.clone()).unwrap_or_default(),
            "since": user.as_ref().map_or(view.now, |user| user.since),
        }),
    );
    for service in view.services.now().iter() {
        for (name, records) in service.service.export(owner).await? {
            document.insert(name.to_owned(), Value::Array(records));
        }
    }
    let open = open_cards(&view.moment, chat).await?;
    let waiting = open.cards.into_iter().filter(|pending| pending.owner == *owner);
    document.insert("waiting_for_your_yes".to_owned(), waiting.map(|pending| open_card(&pending)).collect());
    let closed = closed_cards(view, owner, chat).await?;
    document.insert("closed_cards".to_owned(), closed.iter().map(closed_card).collect());
    let messages: Vec<Message> = view.moment.list_all::<Message>(&[chat.as_str()]).await?;
    document.insert(MESSAGES.to_owned(), messages.iter().map(said).collect());
    let short: Vec<ConversationSummary> = view.moment.list_all::<ConversationSummary>(&[chat.as_str()]).await?;
    let short = short.iter().filter(|short| short.owner == *owner).flat_map(|short| short.summary.lines());
    document.insert("conversation_in_short".to_owned(), short.map(Value::String).collect());
    // Last: what was read above may have found some.
    let aside = view.moment.list::<Aside>(Scan::of::<Aside>(&[], limits::ASIDE_LISTED_MAX)).await?;
    let aside = aside.into_iter().map(|(aside, _)| aside).filter(|aside| aside.is_of(owner));
    let aside = aside.map(|aside| json!({"table": aside.table, "key": aside.key, "why": aside.why}));
    document.insert("could_not_be_read".to_owned(), aside.collect());
    Ok(PersonalData(document))
}

/// A message, and what of it is not the person's own.
fn said(message: &Message) -> Value {
    let mut said =
        json!({"at": message.at, "speaker": message.speaker, "origin": message.origin, "text": message.text});
    if let Some(source) = &message.source {
        said["source"] = json!(source);
    }
    if !message.untrusted.is_empty() {
        said["untrusted"] = json!(message.untrusted);
    }
    said
}

/// The cards that were shown to a person in a chat and can no longer be decided, oldest first.
async fn closed_cards(view: &View<'_>, owner: &UserId, chat: &ChatId) -> Result<Vec<Pending>, StoreError> {
    let messages: Vec<CardMessage> = view.moment.list_all::<CardMessage>(&[chat.as_str()]).await?;
    // A card may take several messages.
    let shown: BTreeSet<PendingId> = messages.into_iter().map(|message| message.pending).collect();
    let mut closed = Vec::new();
    for id in &shown {
        let card = readable(&view.moment, id).await?.map(|(pending, _)| pending);
        closed.extend(card.filter(|pending| pending.owner == *owner && !pending.state.is_open()));
    }
    closed.sort_by_key(|pending| pending.created_at);
    Ok(closed)
}

fn open_card(pending: &Pending) -> Value {
    let action = |a: &Action| json!({"service": a.service, "command": a.command, "params": a.params});
    json!({
        "id": pending.id,
        "created_at": pending.created_at,
        "expires_at": pending.expires_at,
        "actions": pending.actions.iter().map(action).collect::<Vec<_>>(),
    })
}

/// The same with what became of it.
fn closed_card(pending: &Pending) -> Value {
    let mut card = open_card(pending);
    card["state"] = json!(pending.state);
    card["decided"] = match &pending.decision {
        Some(decision) => json!({"by": decision.by, "how": decision.means, "at": decision.at}),
        None => Value::Null,
    };
    card
}
