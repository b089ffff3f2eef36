//! What the person said about something in earlier conversations, each with its day: found like what is remembered.
//!
//! Only their own words, in their private chat; questions and slash commands are left out, as they say nothing, and so is
//! what came to be remembered by being said, or was to be corrected or forgotten by it: that is known, or no more.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use chrono::{DateTime, Months, Utc};
use serde::{Deserialize, Serialize};

use super::recall::RecallFacts;
use super::record::{Memory, NAME};
use super::service::MemoryService;
use crate::services::contract::command::Command;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::ContextRequest;
use crate::services::helpers::search::WordQuery;
use crate::services::helpers::telling::tells;
use crate::services::helpers::times;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits::{TALKED_CHARS, TALKED_LOOKED_AT, TALKED_MAX, TALKED_PARTS_MAX, TOLD_MAX, TOLD_READ_MAX};
use brain_core::ports::records::{Message, Speaker};
use brain_core::ports::{Key, Needs, Query, RecordExt as _};
use brain_language::language::grounding::telling_stems;

/// So many shared stems make a message one about the same things, however long the other is.
const CLOSE_STEMS: usize = 2;

/// Something that the person said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EarlierStatement {
    pub at: DateTime<Utc>,
    /// Their words, in short.
    pub text: String,
}

/// A message, and how much it has to do with what is looked for.
#[derive(Debug)]
struct About {
    message: Message,
    stems: BTreeSet<String>,
    /// Stems that both hold.
    shared: usize,
    /// Whether these are several of them, or half of what is looked for.
    is_close: bool,
}

impl About {
    /// Whether one of these facts says what it says.
    fn is_among(&self, known: &[Memory]) -> bool {
        known.iter().any(|fact| telling_stems(&fact.value).iter().all(|stem| self.stems.contains(stem)))
    }
}

/// Those that hold as many of the words as the first one, each once.
fn best(said: Vec<About>, most: usize) -> Vec<EarlierStatement> {
    let shared = said.first().map_or(0, |about| about.shared);
    let mut told: Vec<EarlierStatement> = Vec::new();
    for About { message, .. } in said.into_iter().take_while(|about| about.shared == shared) {
        let text = shorten(&one_line(&message.text), TALKED_CHARS);
        if !told.iter().any(|other| other.text == text) {
            told.push(EarlierStatement { at: message.at, text });
        }
    }
    told.truncate(most);
    told
}

impl MemoryService {
    /// What was said about it, best first, beside these facts.
    pub(super) async fn talked(
        &self,
        ctx: &RequestContext,
        query: &str,
        known: &[Memory],
    ) -> Result<Vec<EarlierStatement>, ServiceError> {
        let then = times::hint(query, ctx).and_then(|hint| Some((hint.days()?, hint.rest)));
        let (span, words) = match then {
            Some((days, rest)) => (Some(in_the_past(days, ctx.now)), rest),
            None => (None, query.to_owned()),
        };
        let mut said = Vec::new();
        for about in self.own_words_about(ctx, &words, span).await? {
            let text = about.message.text.trim();
            let says_nothing = text.ends_with('?') || text.starts_with('/');
            if !says_nothing && !about.is_among(known) && !self.was_kept(&about.message).await? {
                said.push(about);
            }
        }
        Ok(best(said, TALKED_MAX))
    }

    /// What was told in passing, out of sight by now, and is about most of what a message is about.
    pub(super) async fn told(
        &self,
        ctx: &RequestContext,
        wanted: &ContextRequest,
        known: &[Memory],
    ) -> Result<Vec<EarlierStatement>, ServiceError> {
        let reference = ctx.reference();
        let span = wanted.in_sight_from.map(|until| (DateTime::UNIX_EPOCH, until));
        let mut said = self.own_words_about(ctx, &wanted.message, span).await?;
        said.retain(|about| about.is_close && !about.is_among(known));
        let mut told = Vec::new();
        for about in said.into_iter().take(TOLD_READ_MAX) {
            if tells(&about.message.text, &reference) && !self.was_kept(&about.message).await? {
                told.push(about);
            }
        }
        Ok(best(told, TOLD_MAX))
    }

    /// The person's own messages that hold some of these words, those first that hold most.
    async fn own_words_about(
        &self,
        ctx: &RequestContext,
        words: &str,
        span: Option<(DateTime<Utc>, DateTime<Utc>)>,
    ) -> Result<Vec<About>, ServiceError> {
        let text = WordQuery::new(words).strong.join(" ");
        let wanted: BTreeSet<String> = telling_stems(&text).into_iter().collect();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let query = Query {
            kinds: vec![Message::KIND.to_owned()],
            text,
            needs: Needs::Any,
            flags: vec![Message::OWN_WORDS.to_owned()],
            from: span.map(|(from, _)| from),
            until: span.map(|(_, until)| until),
            limit: TALKED_LOOKED_AT,
            ..Query::default()
        };
        let mut all = Vec::new();
        for hit in self.index.search(&ctx.owner, &query).await?.hits {
            let Some((chat, number)) = hit.id.split_once(' ') else { continue };
            let Some((message, _)) = self.store.load::<Message>(&Key::of(&[chat, number])).await? else { continue };
            let stems = telling_stems(&message.text);
            let shared = wanted.iter().filter(|stem| stems.contains(*stem)).count();
            if shared > 0 {
                let is_close = shared >= CLOSE_STEMS || shared * 2 >= wanted.len();
                all.push(About { message, stems: stems.into_iter().collect(), shared, is_close });
            }
        }
        all.sort_by_key(|about| Reverse(about.shared));
        Ok(all)
    }

    /// Whether something came to be remembered by it, corrected or forgotten, or was to be: then it is known, or not
    /// true any more.
    async fn was_kept(&self, said: &Message) -> Result<bool, ServiceError> {
        // Between a message and its answer stand the other parts of the same turn.
        for number in said.number + 1..=said.number + TALKED_PARTS_MAX {
            let key = Message::key_of(&said.chat, number);
            let Some((next, _)) = self.store.load::<Message>(&key).await? else { return Ok(false) };
            if next.speaker == Speaker::Assistant {
                let kept = |service: &str, command: &str| service == NAME && command != RecallFacts::NAME;
                // What only asked for it counts as well: whatever becomes of that, the words were an order.
                let asked = next.outcomes.iter().filter_map(|outcome| outcome.command.as_ref());
                return Ok(next.actions.iter().any(|past| kept(&past.service, &past.command))
                    || asked.into_iter().any(|(service, command)| kept(service, command)));
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
