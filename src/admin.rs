//! What the operator of the machine may do with pending actions: see them, cancel them, and approve them
//! where the configuration says so; and the export of a person's data. Used by `brain-agent pending …` and
//! `brain-agent export`, directly or through `control.sock`.

use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::core::ids::{ChatId, PendingId, UserId};
use crate::core::markup::Formatted;
use crate::core::pending::{Decision, Means, Pending, State, Transition};
use crate::core::turn::Reply;
use crate::pipeline::brain::Brain;
use crate::pipeline::consent::costly::{self, CostlyQuestion};
use crate::pipeline::consent::decisions::Revisions;
use crate::pipeline::consent::offers::Offer;
use crate::pipeline::consent::{cards, closed};
use crate::pipeline::intake::commands;
use crate::pipeline::show;
use crate::ports::records::{PendingOpen, Show};
use crate::ports::{Batch, Expect, Record as _, RecordExt, StoreError};

/// One request of the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "pending", rename_all = "lowercase")]
pub enum Request {
    /// Every open pending action.
    List,
    /// One, in any state, as its owner sees it.
    Show {
        /// Which.
        id: String,
    },
    /// Drops one.
    Cancel {
        /// Which.
        id: String,
    },
    /// Says yes in the owner's place.
    Approve {
        /// Which.
        id: String,
        /// First characters of its digest: what exactly is approved.
        digest: Option<String>,
    },
}

/// A person's data, as `/export` hands it over: one record.
pub async fn export(brain: &Brain, user: &str) -> Response {
    let owner = UserId::new(user);
    match commands::data_of(brain, &owner, &private_chat(&owner)).await {
        Ok(document) if holds_nothing(&document) => {
            Response::refused(format!("I keep nothing of anybody called {user}, so nothing was exported."))
        }
        Ok(document) => Response { ok: true, records: vec![document], text: format!("Everything of {user}.") },
        Err(error) => Response::refused(error.to_string()),
    }
}

/// A typing error is no person.
fn holds_nothing(document: &Value) -> bool {
    let mut kinds = document.as_object().into_iter().flat_map(|all| all.values()).filter_map(Value::as_array);
    kinds.all(Vec::is_empty)
}

/// Where a person talks with the assistant alone.
fn private_chat(user: &UserId) -> ChatId {
    if user.as_str().starts_with("tg:") {
        ChatId::new(user.as_str())
    } else {
        crate::channel::console::chat_of(user.as_str())
    }
}

/// What the operator is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// Whether it was done.
    pub ok: bool,
    /// The records it is about, as `--json` prints them.
    pub records: Vec<Value>,
    /// In words.
    pub text: String,
}

impl Response {
    fn refused(text: impl Into<String>) -> Self {
        Self { ok: false, records: Vec::new(), text: text.into() }
    }
}

/// Carries out a request.
pub async fn handle(brain: &Brain, request: &Request) -> Response {
    let done = match request {
        Request::List => list(brain).await,
        Request::Show { id } => show(brain, id).await,
        Request::Cancel { id } => cancel(brain, id).await,
        Request::Approve { id, digest } => approve(brain, id, digest.as_deref()).await,
    };
    done.unwrap_or_else(|error| Response::refused(error.to_string()))
}

fn operator() -> UserId {
    UserId::new("operator")
}

/// A pending action as `pending list --json` prints it; `card`: as its owner sees it.
async fn record(brain: &Brain, pending: &Pending) -> Result<Value, StoreError> {
    let card = card(brain, pending).await?;
    let actions: Vec<Value> = pending
        .actions
        .iter()
        .map(|action| json!({"service": action.service, "command": action.command, "params": action.params}))
        .collect();
    Ok(json!({
        "id": pending.id,
        "state": pending.state,
        "user": pending.owner,
        "actions": actions,
        "card": card,
        "created_at": pending.created_at,
        "expires_at": pending.expires_at,
        "digest": pending.digest,
    }))
}

/// The whole card in one piece.
async fn card(brain: &Brain, pending: &Pending) -> Result<String, StoreError> {
    let user = brain.user(&pending.owner, &pending.chat).await?;
    let reference = brain.request_context(&user, &pending.chat).reference();
    let parts = cards::parts(brain, pending, &reference);
    Ok(parts.map_or_else(
        |error| error.to_string(),
        |parts| {
            let part = |part: Reply| Formatted { text: part.text, spans: part.spans }.with_gutters();
            parts.into_iter().map(part).collect::<Vec<_>>().join("\n\n")
        },
    ))
}

async fn list(brain: &Brain) -> Result<Response, StoreError> {
    let index = brain.store.list_all::<PendingOpen>(&[]).await?;
    let mut open = Vec::with_capacity(index.len());
    for entry in index {
        // One that cannot be read is withdrawn by the next turn of its chat.
        open.extend(brain.readable_pending(&entry.id).await?.map(|(pending, _)| pending));
    }
    let mut lines: Vec<String> = open
        .iter()
        .map(|p| {
            format!(
                "{}  {}  {}  until {}  {}",
                p.id,
                p.owner,
                show::title(&brain.services, p),
                p.expires_at.format("%Y-%m-%d %H:%M UTC"),
                p.digest.prefix()
            )
        })
        .collect();
    let questions = costly::waiting(brain, None).await?;
    lines.extend(questions.iter().map(question_line));
    let text = if lines.is_empty() { "Nothing is pending.".to_owned() } else { lines.join("\n") };
    let mut records = Vec::with_capacity(open.len() + questions.len());
    for pending in &open {
        records.push(record(brain, pending).await?);
    }
    records.extend(questions.iter().map(question_record));
    Ok(Response { ok: true, records, text })
}

/// A costly question in a line of the list.
fn question_line(waiting: &CostlyQuestion) -> String {
    let until = waiting.until.format("%Y-%m-%d %H:%M UTC");
    format!("{}  {}  {} (${:.2})  until {until}", waiting.id, waiting.owner, waiting.title(), waiting.estimate.usd)
}

/// The same as `pending list --json` prints it: nothing of it is done but reading, so it has no digest.
fn question_record(waiting: &CostlyQuestion) -> Value {
    json!({
        "id": waiting.id,
        "state": State::Pending,
        "user": waiting.owner,
        "actions": [],
        "card": waiting.line(Tz::UTC),
        "question": waiting.question,
        "estimate": waiting.estimate,
        "created_at": waiting.at,
        "expires_at": waiting.until,
    })
}

/// The costly question of this id, if it waits.
async fn question(brain: &Brain, id: &str) -> Result<Option<CostlyQuestion>, StoreError> {
    Ok(costly::waiting(brain, None).await?.into_iter().find(|waiting| waiting.id.as_str() == id))
}

async fn show(brain: &Brain, id: &str) -> Result<Response, StoreError> {
    let Some((pending, _)) = brain.pending(&PendingId::new(id)).await? else {
        let Some(waiting) = question(brain, id).await? else { return Ok(unknown(id)) };
        let text = format!("{}\n\nOwner: {}", waiting.line(Tz::UTC), waiting.owner);
        return Ok(Response { ok: true, records: vec![question_record(&waiting)], text });
    };
    let card = card(brain, &pending).await?;
    let decided = pending.decision.as_ref().map_or_else(String::new, |d| {
        format!("\nDecided by {} at {} ({:?})", d.by, d.at.format("%Y-%m-%d %H:%M:%S UTC"), d.means)
    });
    let text =
        format!("{card}\n\nState: {}\nOwner: {}\nDigest: {}{decided}", pending.state, pending.owner, pending.digest);
    Ok(Response { ok: true, records: vec![record(brain, &pending).await?], text })
}

fn unknown(id: &str) -> Response {
    Response::refused(format!("There is no pending action {id}; “brain-agent pending list” shows the open ones."))
}

async fn cancel(brain: &Brain, id: &str) -> Result<Response, StoreError> {
    let Some((mut pending, revision)) = brain.pending(&PendingId::new(id)).await? else {
        return match question(brain, id).await? {
            Some(waiting) => cancel_question(brain, &waiting).await,
            None => Ok(unknown(id)),
        };
    };
    if !pending.state.is_open() {
        return Ok(Response {
            records: vec![record(brain, &pending).await?],
            ..Response::refused(format!("{id} is already {}; nothing was changed.", pending.state))
        });
    }
    let at = brain.clock.now();
    let decision = Decision { by: operator(), means: Means::Admin, at, digest: pending.digest.clone() };
    match brain.record_decision(&mut pending, revision, Transition::Deny, decision, None).await {
        Ok(_) => {}
        Err(StoreError::Conflict { .. }) => {
            return Ok(Response::refused(format!("{id} was decided at this very moment; look again.")));
        }
        Err(error) => return Err(error),
    }
    let words =
        format!("The admin of this machine cancelled this, so I won't {}.", show::title(&brain.services, &pending));
    tell(brain, &pending, words, Batch::default()).await?;
    Ok(Response {
        ok: true,
        records: vec![record(brain, &pending).await?],
        text: format!("{id} is cancelled; its owner is told."),
    })
}

/// Drops a costly question and tells whoever asked it.
async fn cancel_question(brain: &Brain, waiting: &CostlyQuestion) -> Result<Response, StoreError> {
    let (id, key) = (&waiting.id, Offer::key_of(waiting.id.as_str()));
    let at_this_moment = || Response::refused(format!("{id} was decided at this very moment; look again."));
    let Some((_, revision)) = brain.store.load::<Offer>(&key).await? else { return Ok(at_this_moment()) };
    let mut batch = Batch::default();
    batch.delete(Offer::TABLE, key, Expect::Revision(revision));
    let words = format!("The admin of this machine cancelled this, so I won't {}.", waiting.title());
    match brain.commit_told(&waiting.chat, vec![Show::Send(Reply::text(words))], batch).await {
        Ok(()) => {}
        Err(StoreError::Conflict { .. }) => return Ok(at_this_moment()),
        Err(error) => return Err(error),
    }
    brain.deliver(&waiting.chat).await;
    let text = format!("{id} is cancelled; its owner is told.");
    Ok(Response { ok: true, records: vec![question_record(waiting)], text })
}

async fn approve(brain: &Brain, id: &str, digest: Option<&str>) -> Result<Response, StoreError> {
    if let Some(waiting) = question(brain, id).await? {
        return Ok(Response {
            records: vec![question_record(&waiting)],
            ..Response::refused("Whether a question is worth its cost only who asked it may say. Nothing was done.")
        });
    }
    if !brain.policy.admin_may_approve {
        return Ok(Response::refused(
            "Only its owner may approve it. (BRAIN_ADMIN_MAY_APPROVE=true would allow you.) Nothing was done.",
        ));
    }
    let Some(digest) = digest else {
        return Ok(Response::refused(format!(
            "Say what you approve: the first 12 characters of the digest, as “brain-agent pending show {id}” prints it."
        )));
    };
    let Some((mut pending, revision)) = brain.pending(&PendingId::new(id)).await? else {
        return Ok(unknown(id));
    };
    let instants = brain.clock.instants();
    if let Err(refusal) = pending.is_decidable(Some(digest), &instants) {
        return Ok(Response {
            records: vec![record(brain, &pending).await?],
            ..Response::refused(format!("{id} was not approved: {refusal}."))
        });
    }
    let decision = Decision { by: operator(), means: Means::Admin, at: instants.now, digest: pending.digest.clone() };
    let revisions: Revisions =
        match brain.record_decision(&mut pending, revision, Transition::Approve, decision, None).await {
            Ok(revisions) => revisions,
            Err(StoreError::Conflict { .. }) => {
                return Ok(Response::refused(format!("{id} was decided at this very moment; look again.")));
            }
            Err(error) => return Err(error),
        };
    let user = brain.user(&pending.owner, &pending.chat).await?;
    let ctx = brain.request_context(&user, &pending.chat);
    let under_way = brain.running.carries_out(&pending);
    let finished = brain.execute_approved(&ctx, pending, revisions, &under_way).await?;
    let reference = ctx.reference();
    let mut lines = vec!["The admin of this machine approved this:".to_owned()];
    for report in finished.run.steps.iter() {
        if let crate::core::run::StepProgress::Done { outcome } = &report.progress {
            lines.push(show::receipt(&brain.services, &report.action, outcome, &reference).0);
        }
    }
    let text = lines.join("\n");
    tell(brain, &finished.pending, text.clone(), finished.batch).await?;
    let ok = finished.pending.state == crate::core::pending::State::Succeeded;
    Ok(Response { ok, records: vec![record(brain, &finished.pending).await?], text })
}

/// Tells the owner, on the card and below it.
async fn tell(brain: &Brain, pending: &Pending, words: String, batch: Batch) -> Result<(), StoreError> {
    let mut shows = closed::shows(brain, pending).await?;
    shows.push(Show::Send(Reply::text(words)));
    brain.commit_decided(pending, shows, batch).await?;
    brain.deliver(&pending.chat).await;
    Ok(())
}
