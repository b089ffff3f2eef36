//! What was said in the private chat of an archive, in front of what was said there here.
//!
//! A message has no id outside of its chat: one of the same instant by the same speaker is the same. What is older than
//! all that is here goes in front of it, and where there is no room, what is here moves on by as many numbers, with all
//! that names them. What would have to go between is left out.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use super::ImportError;
use super::report::ImportReport;
use crate::pipeline::brain::Brain;
use crate::queries::export::MESSAGES;
use brain_core::core::forgotten::Forgotten;
use brain_core::core::ids::ChatId;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::turn::Origin;
use brain_core::limits::IMPORTED_RECORD_BYTES_MAX;
use brain_core::ports::records::{ConversationSummary, Message, OutboxEntry, Show, Speaker};
use brain_core::ports::{Batch, Expect, Record as _, RecordExt as _, Scan, StoreError};
use brain_services::services::contract::context::RequestContext;

/// The first version whose answers say what of them is somebody else's.
const MARKED_SINCE: u64 = 2;
/// What an answer is called of which nobody knows any more what it had repeated.
const EARLIER: &str = "an earlier conversation";

/// The messages of an archive.
pub(super) struct PastMessages {
    pub records: Vec<Value>,
    /// The document's version.
    pub version: u64,
}

/// A message as the document has it.
#[derive(Debug, Deserialize)]
struct DocumentMessage {
    at: DateTime<Utc>,
    speaker: Speaker,
    origin: Origin,
    text: String,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    untrusted: Vec<UntrustedText>,
}

impl PastMessages {
    /// Adds to the batch what is missing here.
    pub(super) async fn taken_in(
        self,
        brain: &Brain,
        ctx: &RequestContext,
        forgotten: Option<&Forgotten>,
        report: &mut ImportReport,
        batch: &mut Batch,
    ) -> Result<(), ImportError> {
        let here = brain.store.list::<Message>(Scan::of::<Message>(&[ctx.chat.as_str()], usize::MAX)).await?;
        let mut known: HashMap<(DateTime<Utc>, bool), usize> = HashMap::new();
        for (message, _) in &here {
            *known.entry((message.at, message.speaker == Speaker::Person)).or_default() += 1;
        }
        let first = here.first().map(|(message, _)| message.at);
        let (mut older, mut unread) = (Vec::new(), Vec::new());
        let (mut same, mut between) = (0, 0);
        let version = self.version;
        for mut record in self.records {
            if record.to_string().len() > IMPORTED_RECORD_BYTES_MAX {
                unread.push("one is too large".to_owned());
                continue;
            }
            if let Some(forgotten) = forgotten {
                forgotten.replace_in(&mut record);
            }
            let said = match serde_json::from_value::<DocumentMessage>(record) {
                Ok(said) => said,
                Err(why) => {
                    unread.push(why.to_string());
                    continue;
                }
            };
            let left = known.entry((said.at, said.speaker == Speaker::Person)).or_default();
            if *left > 0 {
                *left -= 1;
                same += 1;
            } else if first.is_some_and(|first| said.at > first) {
                between += 1;
            } else {
                older.push(message(said, version, ctx));
            }
        }
        if between > 0 {
            unread.push(format!("{between} are later than the first one here, and I put none between"));
        }
        let kind = report.kind(MESSAGES);
        (kind.new, kind.here) = (kind.new + older.len(), kind.here + same);
        report.unread(MESSAGES, unread);
        older.sort_by_key(|message| message.at);
        Ok(in_front(brain, &ctx.chat, older, here, batch).await?)
    }
}

fn message(said: DocumentMessage, version: u64, ctx: &RequestContext) -> Message {
    let DocumentMessage { at, speaker, origin, text, source, mut untrusted } = said;
    if speaker == Speaker::Assistant && version < MARKED_SINCE {
        untrusted = vec![UntrustedText::new(EARLIER, text.clone())];
    }
    Message {
        chat: ctx.chat.clone(),
        number: 0,
        speaker,
        text,
        origin,
        at,
        actions: Vec::new(),
        message: None,
        by: (speaker == Speaker::Person).then(|| ctx.owner.clone()),
        source,
        undo: Vec::new(),
        outcomes: Vec::new(),
        untrusted,
        only_proposes: false,
    }
}

/// Puts messages in front of those that are here.
async fn in_front(
    brain: &Brain,
    chat: &ChatId,
    older: Vec<Message>,
    here: Vec<(Message, u64)>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    if older.is_empty() {
        return Ok(());
    }
    let (mut state, expect) = brain.chat_state_at(chat).await?;
    let first = here.first().map_or(state.next_message, |(message, _)| message.number);
    let count = older.len() as u64;
    let moved = (count + 1).saturating_sub(first);
    let revisions: BTreeMap<u64, u64> = here.iter().map(|(message, revision)| (message.number, *revision)).collect();
    let from = first + moved - count;
    let mut numbered: BTreeMap<u64, Message> = (from..).zip(older).collect();
    if moved > 0 {
        numbered.extend(here.into_iter().map(|(message, _)| (message.number + moved, message)));
        moves_on(brain, chat, moved, batch).await?;
        state.next_message += moved;
        if let Some(decided) = &mut state.decided {
            decided.next_message += moved;
        }
        for (number, revision) in revisions.iter().filter(|(number, _)| !numbered.contains_key(number)) {
            batch.delete(Message::TABLE, Message::key_of(chat, *number), Expect::Revision(*revision));
        }
    }
    for (number, message) in numbered {
        let there = revisions.get(&number).map_or(Expect::Absent, |revision| Expect::Revision(*revision));
        batch.put(&Message { number, ..message }, there)?;
    }
    batch.put(&state, expect)?;
    Ok(())
}

/// What names messages by their numbers: answers that wait for being shown, and what was said in short, which is made
/// again.
async fn moves_on(brain: &Brain, chat: &ChatId, by: u64, batch: &mut Batch) -> Result<(), StoreError> {
    let waiting = brain.store.list::<OutboxEntry>(Scan::of::<OutboxEntry>(&[chat.as_str()], usize::MAX)).await?;
    for (mut entry, revision) in waiting {
        if let Show::Send(reply) = &mut entry.show
            && let Some(said) = &mut reply.said
        {
            *said += by;
            batch.put(&entry, Expect::Revision(revision))?;
        }
    }
    let short = Scan::of::<ConversationSummary>(&[chat.as_str()], usize::MAX);
    for (short, revision) in brain.store.list::<ConversationSummary>(short).await? {
        batch.delete(ConversationSummary::TABLE, short.key(), Expect::Revision(revision));
    }
    Ok(())
}
