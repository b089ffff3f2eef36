//! `/export`: a person's data in one JSON document, handed to them and to nobody else.
//!
//! Holds what the services keep of the person, their settings, and the conversation and the cards of their private
//! chat, open and closed. Deliberately not in it, and its words say so: anything of other people (what was said in
//! groups is theirs, too), mail, and the notes on our own work (traces, audit, journals, what undoes a deed); nor
//! rights and secrets. What cannot be read is named. Cards are listed for information; an import never revives them.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::core::ids::{ChatId, PendingId, UserId};
use crate::core::pending::Pending;
use crate::core::plan::Action;
use crate::core::turn::{Attachment, Path, Reply};
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use crate::ports::records::{Aside, CardMessage, Message};
use crate::ports::{RecordExt, Scan, StoreError};
use crate::services::error::ServiceError;

/// The document's version.
const VERSION: u32 = 1;

/// What is in the export of one person. `chat`: their private chat.
pub async fn data_of(brain: &Brain, owner: &UserId, chat: &ChatId) -> Result<Value, ServiceError> {
    let user = brain.user(owner, chat).await?;
    let mut document = Map::new();
    document.insert("brain_agent_export".to_owned(), json!(VERSION));
    document.insert("exported_at".to_owned(), json!(brain.clock.now()));
    document.insert(
        "person".to_owned(),
        json!({
            "id": user.id,
            "zone": user.zone.unwrap_or(brain.policy.zone).name(),
            "zone_chosen": user.zone.is_some(),
            "settings": user.settings,
            "since": user.since,
        }),
    );
    for service in brain.services.now().iter() {
        for (name, records) in service.service.export(owner).await? {
            document.insert(name.to_owned(), Value::Array(records));
        }
    }
    let waiting = brain.open_pending(chat).await?.into_iter().filter(|pending| pending.owner == *owner);
    document.insert("waiting_for_your_yes".to_owned(), waiting.map(|pending| open_card(&pending)).collect());
    let closed = closed_cards(brain, owner, chat).await?;
    document.insert("closed_cards".to_owned(), closed.iter().map(closed_card).collect());
    let messages: Vec<Message> = brain.store.list_all::<Message>(&[chat.as_str()]).await?;
    let message = |message: Message| json!({"at": message.at, "speaker": message.speaker, "origin": message.origin, "text": message.text});
    document.insert("messages".to_owned(), messages.into_iter().map(message).collect());
    // Last: what was read above may have found some.
    let aside = brain.store.list::<Aside>(Scan::of::<Aside>(&[], limits::ASIDE_LISTED_MAX)).await?;
    let aside = aside.into_iter().map(|(aside, _)| aside).filter(|aside| aside.is_of(owner));
    let aside = aside.map(|aside| json!({"table": aside.table, "key": aside.key, "why": aside.why}));
    document.insert("could_not_be_read".to_owned(), aside.collect());
    Ok(Value::Object(document))
}

/// The cards that were shown to a person in a chat and can no longer be decided, oldest first.
async fn closed_cards(brain: &Brain, owner: &UserId, chat: &ChatId) -> Result<Vec<Pending>, StoreError> {
    let messages: Vec<CardMessage> = brain.store.list_all::<CardMessage>(&[chat.as_str()]).await?;
    // A card may take several messages.
    let shown: BTreeSet<PendingId> = messages.into_iter().map(|message| message.pending).collect();
    let mut closed = Vec::new();
    for id in &shown {
        let card = brain.readable_pending(id).await?.map(|(pending, _)| pending);
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

/// Hands it over as a file.
pub(super) async fn hand_over(brain: &Brain, facts: &TurnFacts) -> Result<Answer, StoreError> {
    let document = match data_of(brain, facts.owner(), facts.chat()).await {
        Ok(document) => document,
        Err(error) => {
            return Ok(Answer::says(Path::Command, format!("❗ I could not put your data together: {error}")));
        }
    };
    let content = serde_json::to_string_pretty(&document).unwrap_or_default();
    if content.len() > limits::ATTACHMENT_BYTES_MAX {
        let words = format!(
            "Your data is larger than the {} MB I can send in a message. On the machine I run on, “brain-agent export” writes all of it.",
            limits::ATTACHMENT_BYTES_MAX / 1024 / 1024
        );
        return Ok(Answer::says(Path::Command, words));
    }
    let counts: Vec<String> = document
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, records)| Some((name, records.as_array()?.len())))
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("▫️ {}", show::counted(name, count)))
        .collect();
    let now = facts.ctx.now.with_timezone(&facts.ctx.zone);
    let attachment = Attachment {
        name: format!("brain-agent-{}.json", now.format("%Y-%m-%d-%H%M%S")),
        mime: "application/json".to_owned(),
        content,
    };
    let text = format!(
        "📦 This is your data, with your settings:\n{}\nNot in it: mail, which stays in its folder, what was said in groups, and my notes on how my own work went.",
        counts.join("\n")
    );
    let reply = Reply { text, attachment: Some(Box::new(attachment)), ..Reply::default() };
    Ok(Answer { replies: vec![reply], ..Answer::of(Path::Command) })
}
