//! What the person said about something in earlier conversations, each with its day: found like what is remembered.
//!
//! Only their own words, in their private chat; questions are left out, as they say nothing, and so is what came to be
//! remembered by being said: that is known, or has been corrected since.

use std::collections::BTreeSet;

use chrono::{DateTime, Months, Utc};
use serde::{Deserialize, Serialize};

use super::recall::RecallFacts;
use super::record::{Memory, NAME};
use super::service::MemoryService;
use crate::core::text::{one_line, shorten};
use crate::language::grounding::telling_stems;
use crate::limits::{TALKED_CHARS, TALKED_LOOKED_AT, TALKED_MAX, TALKED_PARTS_MAX};
use crate::ports::records::{Message, Speaker};
use crate::ports::{Key, Needs, Query, RecordExt as _};
use crate::services::command::Command;
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
use crate::services::search::WordQuery;
use crate::services::times;

/// Something that the person said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SaidEarlier {
    pub at: DateTime<Utc>,
    /// Their words, in short.
    pub text: String,
}

impl MemoryService {
    /// What was said about it, best first, beside these facts.
    pub(super) async fn talked(
        &self,
        ctx: &RequestContext,
        query: &str,
        known: &[Memory],
    ) -> Result<Vec<SaidEarlier>, ServiceError> {
        let then = times::hint(query, ctx).and_then(|hint| Some((hint.days()?, hint.rest)));
        let (span, words) = match then {
            Some((days, rest)) => (Some(in_the_past(days, ctx.now)), rest),
            None => (None, query.to_owned()),
        };
        let sought = WordQuery::new(&words);
        if sought.is_vague() {
            return Ok(Vec::new());
        }
        let query = Query {
            kinds: vec![Message::KIND.to_owned()],
            text: sought.strong.join(" "),
            needs: Needs::Any,
            flags: vec![Message::OWN_WORDS.to_owned()],
            from: span.map(|(from, _)| from),
            until: span.map(|(_, until)| until),
            limit: TALKED_LOOKED_AT,
            ..Query::default()
        };
        let found = self.index.search(&ctx.owner, &query).await?;
        let wanted: BTreeSet<String> = telling_stems(&sought.strong.join(" ")).into_iter().collect();
        let mut said: Vec<(usize, SaidEarlier)> = Vec::new();
        for hit in found.hits {
            let Some((chat, number)) = hit.id.split_once(' ') else { continue };
            let Some((message, _)) = self.store.load::<Message>(&Key::of(&[chat, number])).await? else { continue };
            let stems = telling_stems(&message.text);
            let shared = wanted.iter().filter(|stem| stems.contains(*stem)).count();
            let is_known = |fact: &Memory| telling_stems(&fact.value).iter().all(|stem| stems.contains(stem));
            if shared == 0 || message.text.trim_end().ends_with('?') || known.iter().any(is_known) {
                continue;
            }
            if self.was_kept(&message).await? {
                continue;
            }
            let text = shorten(&one_line(&message.text), TALKED_CHARS);
            if !said.iter().any(|(_, other)| other.text == text) {
                said.push((shared, SaidEarlier { at: message.at, text }));
            }
        }
        // Those that hold as many of the words as the best one; within them as the index has them.
        let best = said.iter().map(|(shared, _)| *shared).max().unwrap_or(0);
        said.retain(|(shared, _)| *shared == best);
        Ok(said.into_iter().map(|(_, said)| said).take(TALKED_MAX).collect())
    }

    /// Whether something came to be remembered by it, corrected or forgotten: then it is known, or not true any more.
    async fn was_kept(&self, said: &Message) -> Result<bool, ServiceError> {
        // Between a message and its answer stand the other parts of the same turn.
        for number in said.number + 1..=said.number + TALKED_PARTS_MAX {
            let key = Message::key_of(&said.chat, number);
            let Some((next, _)) = self.store.load::<Message>(&key).await? else { return Ok(false) };
            if next.speaker == Speaker::Assistant {
                return Ok(next
                    .actions
                    .iter()
                    .any(|past| past.service == NAME && past.command != <RecallFacts as Command>::NAME));
            }
        }
        Ok(false)
    }
}

/// A month that is named is the last one that has begun, as nobody has said anything later.
fn in_the_past((from, until): (DateTime<Utc>, DateTime<Utc>), now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let year = Months::new(12);
    match (from > now, from.checked_sub_months(year), until.checked_sub_months(year)) {
        (true, Some(from), Some(until)) => (from, until),
        _ => (from, until),
    }
}
