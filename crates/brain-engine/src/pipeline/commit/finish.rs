//! Commit of a turn: one for everything it came to, then delivery.
//!
//! Invariants: nothing is shown before it is committed; a turn settles the question, the edit and the snooze that it
//! saw, not those that another turn has opened meanwhile.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, Utc};

use super::answer::{Answer, Question};
use super::user::{self, UserChange};
use super::{contents, conversation, outbox, shown, usage};
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::{Turn, TurnAccount, TurnError, TurnFacts};
use brain_core::core::ids::PendingId;
use brain_core::core::plan::Params;
use brain_core::core::turn::{Done, Edit, Incoming, Path, Reply};
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::records::{ChatState, FilesAtHand, InboxEntry, Show, TurnTrace};
use brain_core::ports::{Batch, Expect, Key, RecordExt, StoreError, Table, optimistic};

/// Said by what `/cancel` has stopped.
pub const STOPPED: &str = "Stopped. Nothing more was done.";

/// Ends a turn: commits its answer and shows it. Where the card that it hinges on was decided meanwhile, `too_late`
/// says what came of that.
pub async fn finish<T: Future<Output = Result<Answer, StoreError>>>(
    turn: &Turn<'_>,
    answer: Result<Answer, TurnError>,
    too_late: impl FnOnce(PendingId) -> T,
) -> Done {
    let answer = match answer {
        Ok(answer) => answer,
        Err(TurnError::Cancelled) => Answer::says(Path::Command, STOPPED).keeping_question(),
        Err(TurnError::Store(error)) => trouble(&error),
    };
    let (mut path, mut reports) = (answer.path, answer.reports.clone());
    fail_point("answer-before");
    // A question may be answered by the words that are still on their way.
    if answer.path == Path::Clarify {
        turn.debounce.before_asking().await;
    } else {
        turn.debounce.before_writing().await;
    }
    let mut committed = commit(turn.brain, &turn.facts, turn.account, &answer).await;
    if let (Err(StoreError::Conflict { table: Table::Pending, .. }), Some(card)) = (&committed, &answer.hinges_on) {
        // The first decision stands.
        let told = too_late(card.clone()).await.unwrap_or_else(|error| trouble(&error));
        committed = commit(turn.brain, &turn.facts, turn.account, &told).await;
        (path, reports) = (told.path, told.reports);
    }
    fail_point("answer-durable");
    let (mut done, _) = turn.account.sum_up(path, reports);
    match committed {
        Ok(()) => {
            turn.account.committed(turn.facts.ctx.now);
            // What is committed can no longer be stopped, so that `/cancel` does not claim to.
            turn.brain.end(&turn.facts.incoming);
            turn.brain.deliver(turn.facts.chat()).await;
            fail_point("answer-shown");
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be stored");
            done.path = Path::Error;
            // What was done is in the journal; it is told again after a restart. Say now what can be said.
            // A turn that the store has ended before says so already.
            let sorry = sorry(&error);
            let said = answer.replies.into_iter().filter(|reply| reply.card.is_none() && reply.text != sorry);
            for reply in said.chain([Reply::text(sorry.clone())]) {
                let _ = turn.brain.channel.send(turn.facts.chat(), &Reply { buttons: Vec::new(), ..reply }).await;
            }
        }
    }
    done
}

/// A turn that cannot even read the store.
pub async fn cannot_even_begin(brain: &Brain, incoming: &Incoming, error: &StoreError) -> Done {
    tracing::error!(%error, "a turn could not begin");
    let _ = brain.channel.send(&incoming.chat, &Reply::text(sorry(error))).await;
    Done::quiet(Path::Error)
}

fn trouble(error: &StoreError) -> Answer {
    tracing::error!(%error, "a turn failed");
    Answer::says(Path::Error, sorry(error)).keeping_question()
}

const FULL: &str = "The disk of the machine I run on is full, so nothing of this was saved; what I confirmed before is kept. Please free some space there, then say it again.";

/// Said when the store is in the way.
pub fn sorry(error: &StoreError) -> String {
    let why = match error {
        StoreError::Full { .. } => return FULL.to_owned(),
        StoreError::Unreadable { .. } => "Something that I keep for this can no longer be read, so I stopped.",
        StoreError::NewerRecord { .. } => "Something that I keep for this is from a newer version of me, so I stopped.",
        StoreError::Conflict { .. } => "Something else changed it at the same moment, so I stopped.",
        StoreError::Locked { .. }
        | StoreError::Damaged { .. }
        | StoreError::Newer { .. }
        | StoreError::Disk { .. }
        | StoreError::NoIndex { .. }
        | StoreError::Closed => "I could not read or save what I keep on the disk of this machine, so I stopped.",
    };
    format!(
        "{why} Nothing more was done, and what I confirmed before is kept. Please try again; if it happens again, tell whoever runs me."
    )
}

/// Commits an answer, on the records as they are at this moment. What the answer brings along in its own batch
/// (cards, journals, undos) expects the revisions that the turn has read; a conflict there is not resolved here.
async fn commit(brain: &Brain, facts: &TurnFacts, account: &TurnAccount, answer: &Answer) -> Result<(), StoreError> {
    let (trace, meter) = (trace(facts, account, answer), account.meter());
    let contents = contents::of(facts, account, answer);
    let now = brain.clock.now();
    let mut changes = answer.user.clone();
    if answer.zone_named {
        changes.push(UserChange::ZoneNamed);
    }
    const READ_HERE: &[Table] = &[Table::Chats, Table::Inbox, Table::Shown, Table::Usage];
    // Reminders and the briefing follow what a person chooses, in the same commit.
    const AND_WITH_SETTINGS: &[Table] =
        &[Table::Chats, Table::Inbox, Table::Shown, Table::Usage, Table::Users, Table::Tasks, Table::Due];
    let again = if changes.is_empty() { READ_HERE } else { AND_WITH_SETTINGS };
    let _order = brain.locks.writing(facts.chat()).await;
    let (trace, changes, meter, contents) = (&trace, &changes, &meter, contents.as_ref());
    optimistic(again, || async move {
        let mut batch = answer.batch.clone();
        let (mut state, expect) = brain.chat_state_at(facts.chat()).await?;
        settle(facts, answer, &mut state);
        let said = conversation::remember(brain, facts, answer, &mut state, now, &mut batch)?;
        if let Some(card) = &answer.decided {
            state.decides(card, now);
        }
        let edits = shown::rewritten(brain, facts.chat(), &answer.rewrites, &mut batch).await?;
        show(answer, said, edits, &mut state, now, &mut batch)?;
        let told = usage::keep(brain.store.as_ref(), &brain.policy.budgets, meter, &mut batch).await?;
        // What somebody may spend is nobody else's business.
        if let Some(told) = told.filter(|_| facts.chat().is_private_of(facts.owner())) {
            outbox::enqueue(&mut state, Show::Send(Reply::text(told)), now, &mut batch)?;
        }
        outbox::put_first(&state, expect, &mut batch)?;
        close_inbox(brain, &facts.incoming, &mut batch).await?;
        // Nobody else writes the trace of this turn; of a turn that is handled again the last one counts.
        batch.put(trace, Expect::Any)?;
        contents::keep(brain, facts, contents, changes, &mut batch).await?;
        user::apply(brain, facts, changes, &mut batch).await?;
        brain.commit(batch).await.map(|_| ())
    })
    .await
}

/// What becomes of the open question, the card being edited and the reminder being snoozed.
fn settle(facts: &TurnFacts, answer: &Answer, state: &mut ChatState) {
    let saw = &facts.state;
    match &answer.clarification {
        Question::Keep => {}
        Question::Beside => state.clarification.iter_mut().for_each(|question| question.beside += 1),
        Question::Settled if state.clarification != saw.clarification => {}
        Question::Settled => state.clarification = None,
        Question::Open(question) => state.clarification = Some((**question).clone()),
    }
    let keeps_snoozing =
        matches!(answer.clarification, Question::Keep | Question::Beside) || state.snoozing != saw.snoozing;
    if answer.snoozing.is_some() || !keeps_snoozing {
        state.snoozing.clone_from(&answer.snoozing);
    }
    if answer.editing.is_some() || state.editing == saw.editing {
        state.editing.clone_from(&answer.editing);
    }
    keep_at_hand(facts, answer, state);
    // Whoever writes lets us answer.
    state.blocked = None;
}

/// Files wait for what is to become of them: for the message after the one that brought nothing else, and as long as
/// something is asked.
fn keep_at_hand(facts: &TurnFacts, answer: &Answer, state: &mut ChatState) {
    let are_alone = facts.incoming.files().next().is_some() && facts.words().trim().is_empty();
    match &answer.clarification {
        Question::Open(_) => {}
        Question::Keep | Question::Beside if are_alone => {}
        // A press, or what was answered beside the question.
        Question::Keep | Question::Beside => return,
        Question::Settled => return state.files = None,
    }
    let until = facts.ctx.now + Duration::minutes(limits::FILES_AT_HAND_MINS);
    let files = facts.ctx.files.clone();
    state.files = (!files.is_empty()).then_some(FilesAtHand { files, until });
}

/// What is shown over a button comes first, as somebody looks at it; then old messages: a card that the answer holds
/// stays its last message.
fn show(
    answer: &Answer,
    said: Option<u64>,
    rewritten: Vec<Edit>,
    state: &mut ChatState,
    now: DateTime<Utc>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let edits = answer.edits.iter().cloned().chain(rewritten).map(Show::Edit);
    let (notices, replies): (Vec<Reply>, Vec<Reply>) =
        answer.replies.iter().map(|reply| Reply { said, ..reply.clone() }).partition(|reply| reply.notice.is_some());
    for show in notices.into_iter().map(Show::Send).chain(edits).chain(replies.into_iter().map(Show::Send)) {
        outbox::enqueue(state, show, now, batch)?;
    }
    Ok(())
}

/// How the turn went, without what anybody wrote.
fn trace(facts: &TurnFacts, account: &TurnAccount, answer: &Answer) -> TurnTrace {
    let (mut done, spans) = account.sum_up(answer.path, answer.reports.clone());
    done.outcomes.iter_mut().for_each(|report| report.params = Params::new());
    let id = facts.incoming.turn.as_str().to_owned();
    let (user, chat) = (facts.owner().clone(), facts.chat().clone());
    TurnTrace { id, user, chat, at: facts.ctx.now, done, spans, investigation: answer.metrics.clone() }
}

/// Closes every inbox entry that a turn was read from; their words are forgotten.
async fn close_inbox(brain: &Brain, incoming: &Incoming, batch: &mut Batch) -> Result<(), StoreError> {
    let parts = incoming.parts.iter().filter_map(|part| part.inbox.as_ref());
    let names: BTreeSet<&String> = incoming.inbox.iter().chain(parts).collect();
    for name in names {
        if let Some((mut entry, revision)) = brain.store.load::<InboxEntry>(&Key::from_stored(name)).await? {
            entry.done = true;
            entry.raw = String::new();
            entry.transcript = None;
            entry.resumptions = 0;
            batch.put(&entry, Expect::Revision(revision))?;
        }
    }
    Ok(())
}
