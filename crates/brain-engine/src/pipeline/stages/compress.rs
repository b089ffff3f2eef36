//! Compression of conversations: after a turn, while nobody waits, what was said long ago comes into a summary.
//!
//! ```text
//! turn ends ─► so many messages without a summary? ─► Fold (own words │ what holds others') ─► worded, each apart
//!                                                                                  │ no summary of what it is of
//!                              the conversation stays as it is, tried again later ◄┘
//! ```
//! No turn waits for it: one that begins earlier goes by the summary before and by the last messages as they are.
//!
//! Invariants: a summary names nothing that does not stand in what it is of, which the code that grounds plans decides;
//! a request comes into it together with its outcome; what is forgotten meanwhile is in none. Not here: whose words are
//! whose (`core::history`), and what stages see of it.

use minijinja::context;
use tokio::time::Instant;

use super::{ask, notes};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::usage;
use crate::pipeline::turn::{TurnAccount, TurnFacts, shown_of_others, voice_for};
use brain_core::core::history::{Fold, FoldPart, HistoryEntry, HistorySummary, Voice, whole_turns};
use brain_core::core::ids::{ChatId, RunId, UserId};
use brain_core::core::provenance::UntrustedText;
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::records::{CompressionTrace, ConversationSummary, Message};
use brain_core::ports::{Batch, Expect, Record, RecordExt, Scan, Stage, StoreError};
use brain_core::prompts::Fixed;
use brain_language::language::time::Reference;

/// Words of a summary, for the prompt: what fits into its bound.
const WORDS: usize = limits::SUMMARY_CHARS_MAX / 8;

/// After a turn: whether this conversation is long enough to be shortened.
pub fn name_if_long(brain: &Brain, facts: &TurnFacts) {
    let until = facts.summary.as_ref().map_or(0, |summary| summary.until);
    // What this turn has added is as much as a person says and one answer at least.
    let open = facts.history.iter().filter(|message| message.number > until).count() + 2;
    if brain.policy.compresses && open >= brain.policy.compression.from {
        brain.long_chats.add(facts.chat(), facts.owner());
    }
}

/// Shortens what is named, one after the other, between turns.
pub async fn keep_short(brain: &Brain) {
    loop {
        let (chat, owner) = brain.long_chats.next().await;
        // A model has one thing to do at a time: turns go first.
        brain.running.quiet().await;
        if let Err(error) = shorten(brain, &chat, &owner).await {
            tracing::warn!(%error, "a conversation stays as long as it is for now");
        }
    }
}

/// Brings what is older than the last messages into the summary, as far as one step goes and is possible.
pub async fn shorten(brain: &Brain, chat: &ChatId, owner: &UserId) -> Result<(), StoreError> {
    for _ in 0..limits::FOLDS_AT_ONCE_MAX {
        if !shortened(brain, chat, owner).await? {
            break;
        }
    }
    Ok(())
}

/// One step; true where another may follow.
async fn shortened(brain: &Brain, chat: &ChatId, owner: &UserId) -> Result<bool, StoreError> {
    let (before, expect, messages) = read(brain, chat, owner).await?;
    let told = told(brain, &messages);
    let entries: Vec<HistoryEntry<'_>> =
        messages.iter().zip(&told).map(|(message, untrusted)| entry(owner, message, untrusted)).collect();
    let all = brain.policy.compression.folds(&entries);
    let covered = whole_turns(&entries, all.min(limits::FOLDED_MESSAGES_MAX));
    // One turn of more messages than come into one call.
    let covered = if covered == 0 { all } else { covered };
    let (Some(first), Some(last)) = (messages.first(), messages[..covered].last()) else { return Ok(false) };
    let fold = Fold::of((before.messages > 0).then_some(&before.summary), &entries[..covered]);
    let began = Instant::now();
    let account = TurnAccount::new(RunId::new(brain.new_id()));
    account.is_of(owner, brain.clock.now().with_timezone(&brain.policy.zone).date_naive());
    let is_by_hand = brain.model.is_none() || before.unfit >= limits::SUMMARIES_UNFIT_MAX;
    let reference = Reference { now: last.at, zone: brain.policy.zone, order: brain.policy.order };
    let worded = if is_by_hand {
        Ok((fold.own().map(FoldPart::extracted), fold.others().map(FoldPart::extracted)))
    } else {
        let own = by_model(brain, &account, fold.own(), &reference).await;
        match own {
            Ok(own) => by_model(brain, &account, fold.others(), &reference).await.map(|others| (own, others)),
            Err(why) => Err(why),
        }
    };
    let (tokens_before, said) = (fold.tokens() as u64, fold.said_tokens() as u64);
    let (summary, unfit, fallback) = match worded {
        Ok((own, others)) => {
            let why = (brain.model.is_some() && is_by_hand).then(|| "the model's answers were no summary".to_owned());
            (Some(fold.into_summary(own, others)), 0, why)
        }
        Err(Unworded::Unfit(why)) => (None, before.unfit + 1, Some(why)),
        Err(Unworded::NoAnswer(why)) => (None, before.unfit, Some(why)),
    };
    let at = brain.clock.now();
    let trace = CompressionTrace {
        at,
        id: brain.new_id(),
        chat: chat.clone(),
        owner: owner.clone(),
        covers: (first.number, last.number),
        tokens_before,
        tokens_after: summary.as_ref().map_or(tokens_before, |summary| summary.tokens() as u64),
        by_model: !is_by_hand,
        ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        usage: account.usage(),
        fallback,
    };
    let goes_on = summary.is_some() && covered < all;
    usage::keep_alone(brain.store.as_ref(), &brain.policy.budgets, &account.meter()).await?;
    keep(brain, before, expect, (&messages[..covered], said), (summary, unfit), trace).await.map(|kept| kept && goes_on)
}

/// The summary so far, what a change of it has to expect, and the messages that it does not cover.
async fn read(
    brain: &Brain,
    chat: &ChatId,
    owner: &UserId,
) -> Result<(ConversationSummary, Expect, Vec<Message>), StoreError> {
    let moment = brain.store.snapshot().await?;
    let key = ConversationSummary::key_of(chat, owner);
    let (before, expect) = match moment.load::<ConversationSummary>(&key).await {
        Ok(Some((before, revision))) => (before, Expect::Revision(revision)),
        Ok(None) => (ConversationSummary::empty(chat, owner, brain.clock.now()), Expect::Absent),
        Err(error) if error.is_of_one_record() => {
            (ConversationSummary::empty(chat, owner, brain.clock.now()), Expect::Any)
        }
        Err(error) => return Err(error),
    };
    let all = Scan::of::<Message>(&[chat.as_str()], limits::FOLDED_FIRST_MESSAGES);
    let scan = match before.until {
        0 => all.newest_first(),
        until => Scan { after: Some(Message::key_of(chat, until)), ..all },
    };
    let mut messages: Vec<Message> =
        moment.list::<Message>(scan).await?.into_iter().map(|(message, _)| message).collect();
    messages.sort_by_key(|message| message.number);
    Ok((before, expect, messages))
}

/// What of others' words each message holds, known or likely.
fn told(brain: &Brain, messages: &[Message]) -> Vec<Vec<UntrustedText>> {
    let of = |message: &Message| {
        let answer = entry(&UserId::new(""), message, &message.untrusted);
        let shown = (answer.voice == Voice::Assistant).then(|| shown_of_others(&brain.services, &answer)).flatten();
        message.untrusted.iter().cloned().chain(shown).collect()
    };
    messages.iter().map(of).collect()
}

fn entry<'m>(owner: &UserId, message: &'m Message, untrusted: &'m [UntrustedText]) -> HistoryEntry<'m> {
    HistoryEntry { voice: voice_for(owner, message), text: &message.text, actions: &message.actions, untrusted }
}

/// Why there are no words.
enum Unworded {
    /// No answer came.
    NoAnswer(String),
    /// What came is no summary of what it is to sum up.
    Unfit(String),
}

async fn by_model(
    brain: &Brain,
    account: &TurnAccount,
    part: Option<&FoldPart>,
    reference: &Reference,
) -> Result<Option<String>, Unworded> {
    let (Some(part), Some(model)) = (part, brain.model.as_deref()) else { return Ok(None) };
    // A call is not worth it.
    if part.source().len() < limits::SUMMARY_WORDED_BYTES_MIN {
        return Ok(Some(part.extracted()));
    }
    let fixed = Fixed { of: None, values: || context! { words => WORDS } };
    let changing = context! { before => part.before.text.as_str(), lines => ask::lines(&part.lines) };
    let prompt = ask::prompt(brain, Stage::Summarize, fixed, &changing);
    let asked = match prompt {
        Ok(prompt) => ask::words(account, model, Stage::Summarize, prompt, limits::SUMMARY_TOKENS, None, None).await,
        Err(error) => Err(error),
    };
    let text = asked.map_err(|error| Unworded::NoAnswer(error.to_string()))?;
    notes::kept(&text, part, reference).map(Some).map_err(Unworded::Unfit)
}

/// Keeps what came of a step; false where something else changed it meanwhile. What was forgotten while a summary was
/// worded may be in it: it goes again where its messages are not any more what they were.
async fn keep(
    brain: &Brain,
    before: ConversationSummary,
    expect: Expect,
    (covered, said): (&[Message], u64),
    (summary, unfit): (Option<HistorySummary>, u32),
    trace: CompressionTrace,
) -> Result<bool, StoreError> {
    let until = before.until;
    let count = |summary: &Option<HistorySummary>, number: u64| if summary.is_some() { number } else { 0 };
    let after = ConversationSummary {
        until: if summary.is_some() { trace.covers.1 } else { before.until },
        messages: before.messages + count(&summary, covered.len() as u64),
        tokens: before.tokens + count(&summary, said),
        summary: summary.unwrap_or(before.summary),
        at: trace.at,
        unfit,
        ..before
    };
    let mut batch = Batch::default();
    batch.put(&after, expect)?;
    batch.put(&trace, Expect::Absent)?;
    fail_point("summary-before");
    match brain.commit(batch).await {
        Ok(_) => fail_point("summary-durable"),
        Err(StoreError::Conflict { .. }) => return Ok(false),
        Err(error) => return Err(error),
    }
    if after.until == until {
        return Ok(true);
    }
    for message in covered {
        let now = brain.store.load::<Message>(&Message::key_of(&message.chat, message.number)).await?;
        if now.is_none_or(|(now, _)| now.text != message.text || now.actions != message.actions) {
            let mut batch = Batch::default();
            batch.delete(
                ConversationSummary::TABLE,
                ConversationSummary::key_of(&after.chat, &after.owner),
                Expect::Any,
            );
            brain.commit(batch).await?;
            return Ok(false);
        }
    }
    Ok(true)
}
