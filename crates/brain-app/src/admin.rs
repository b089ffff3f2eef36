//! What the operator of the machine may do with pending actions: see them, cancel them, and approve them
//! where the configuration says so; and the export of a person's data. Used by `brain-agent pending …` and
//! `brain-agent export`, directly or through `control.sock`; how the process is, for `brain-agent doctor`; a copy of the
//! store, for `brain-agent backup`; what is only looked at ([`looks`]); and who is let in
//! ([`people`]).

pub mod looks;
pub mod people;
mod shadow;

use std::path::{Path, PathBuf};

use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::backup::BackupLock;
use brain_core::core::ids::{ChatId, PendingId, UserId};
use brain_core::core::pending::{Pending, State};
use brain_core::limits;
use brain_core::ports::StoreError;
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::operator::{OperatorDecision, OperatorVerb, decide};
use brain_engine::queries::pending::CardView;
use brain_engine::queries::questions::CostlyQuestion;
use brain_engine::queries::{View, archive as archives, export as exports, health, pending, questions};
use brain_services::services::contract::error::ServiceError;

/// One request of the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "pending", rename_all = "lowercase")]
pub enum Request {
    /// Every open pending action.
    List,
    /// One, in any state, as its owner sees it.
    Show {
        /// The pending action's id.
        id: String,
    },
    /// Drops one.
    Cancel {
        /// The pending action's id.
        id: String,
    },
    /// Says yes in the owner's place.
    Approve {
        /// The pending action's id.
        id: String,
        /// First characters of its digest: what exactly is approved.
        digest: Option<String>,
    },
}

/// A person's data, as `/export` hands it over: one record.
pub async fn export(brain: &Brain, user: &str) -> Response {
    let owner = UserId::new(user);
    match data_of(brain, &owner).await {
        Ok(document) if document.is_empty() => {
            Response::refused(format!("I keep nothing of anybody called {user}, so nothing was exported."))
        }
        Ok(document) => Response { ok: true, records: vec![document.into()], text: format!("Everything of {user}.") },
        Err(error) => Response::refused(error.to_string()),
    }
}

/// The same as an archive, written into a folder under a name that nothing there has: one record, which says where.
pub async fn archive(brain: &Brain, user: &str, folder: &Path) -> Response {
    let owner = UserId::new(user);
    let chat = private_chat(&owner);
    let read = async {
        brain.open_pending(&chat).await?;
        archives::archive_of(&brain.live_view(), &owner, &chat).await
    };
    let data = match read.await {
        Ok(data) if data.is_empty() => {
            return Response::refused(format!("I keep nothing of anybody called {user}, so nothing was exported."));
        }
        Ok(data) => data,
        Err(error) => return Response::refused(error.to_string()),
    };
    let counts = data.counts();
    let folder = folder.to_owned();
    let written = tokio::task::spawn_blocking(move || written(&data, &folder)).await;
    match written.map_err(std::io::Error::other).flatten() {
        Ok((file, remark)) => {
            let counts: Map<String, Value> = counts.into_iter().map(|(name, count)| (name, count.into())).collect();
            let record = json!({"file": file, "counts": counts, "remark": remark});
            Response { ok: true, records: vec![record], text: format!("Everything of {user}.") }
        }
        Err(cause) => Response::refused(format!("The archive could not be written: {cause}.")),
    }
}

/// For its owner's eyes only, and whole or not at all; and what there is to know of it.
fn written(data: &archives::PersonalArchive, folder: &Path) -> std::io::Result<(PathBuf, Option<String>)> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let file = tempfile::Builder::new().prefix(".export-").suffix(".zip").tempfile_in(folder)?;
    let remark = data.write_all(file.as_file())?;
    file.as_file().sync_all()?;
    Ok((file.keep().map_err(|error| error.error)?.1, remark))
}

/// A copy of the store, hidden in the data folder: one record, which says where. Whoever asked removes it.
pub async fn copy_of_store(brain: &Brain, data_dir: &Path) -> Response {
    let file = BackupLock::place(data_dir);
    match brain.store.copy_to(&file).await {
        Ok(()) => Response { ok: true, records: vec![json!({"file": file})], text: "The store is copied.".to_owned() },
        Err(error) => Response::refused(error.to_string()),
    }
}

/// How this process is, for `doctor`: one record.
pub async fn health(brain: &Brain) -> Response {
    let asked = async {
        let view = brain.view().await?;
        health::of_process(&view, brain.since, &brain.accounts, brain.index.as_ref()).await
    };
    match asked.await {
        Ok(health) => Response { ok: true, records: vec![json!(health)], text: "It runs.".to_owned() },
        Err(error) => Response::refused(error.to_string()),
    }
}

async fn data_of(brain: &Brain, owner: &UserId) -> Result<exports::PersonalData, ServiceError> {
    let chat = private_chat(owner);
    // What nobody can read is withdrawn first, as when its owner asks.
    brain.open_pending(&chat).await?;
    exports::data_of(&brain.live_view(), owner, &chat).await
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
    /// The answer in words, for a terminal.
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
        Request::Cancel { id } => decided(brain, id, OperatorVerb::Cancel).await,
        Request::Approve { id, digest } => {
            decided(brain, id, OperatorVerb::Approve { digest: digest.as_deref() }).await
        }
    };
    done.unwrap_or_else(|error| Response::refused(error.to_string()))
}

async fn list(brain: &Brain) -> Result<Response, StoreError> {
    let view = brain.view().await?;
    let (mut lines, mut records) = (Vec::new(), Vec::new());
    let mut after = None;
    loop {
        let page = pending::open_page(&view, None, after, limits::LIST_ROWS_MAX).await?;
        for entry in page.entries {
            // One that cannot be read is withdrawn by the next turn of its chat.
            let Some((card, _)) = pending::readable(&view.moment, &entry.id).await? else { continue };
            let card = pending::card(&view, &card).await?;
            lines.push(line(&card));
            records.push(json!(card));
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let questions = questions::waiting(&view, None).await?;
    lines.extend(questions.iter().map(question_line));
    records.extend(questions.iter().map(question_record));
    let text = if lines.is_empty() { "Nothing is pending.".to_owned() } else { lines.join("\n") };
    Ok(Response { ok: true, records, text })
}

/// A card in a line of the list.
fn line(card: &CardView) -> String {
    let until = card.expires_at.format("%Y-%m-%d %H:%M UTC");
    format!("{}  {}  {}  until {until}  {}", card.id, card.user, card.title, card.digest.prefix())
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

async fn show(brain: &Brain, id: &str) -> Result<Response, StoreError> {
    let view = brain.view().await?;
    let Some((pending, _)) = pending::pending(&view.moment, &PendingId::new(id)).await? else {
        let Some(waiting) = questions::one(&view, id).await? else { return Ok(unknown(id)) };
        let text = format!("{}\n\nOwner: {}", waiting.line(Tz::UTC), waiting.owner);
        return Ok(Response { ok: true, records: vec![question_record(&waiting)], text });
    };
    let card = pending::card(&view, &pending).await?;
    let decided = pending.decision.as_ref().map_or_else(String::new, |d| {
        format!("\nDecided by {} at {} ({:?})", d.by, d.at.format("%Y-%m-%d %H:%M:%S UTC"), d.means)
    });
    let CardView { card: shown, state, user, digest, .. } = &card;
    let text = format!("{shown}\n\nState: {state}\nOwner: {user}\nDigest: {digest}{decided}");
    Ok(Response { ok: true, records: vec![json!(card)], text })
}

fn unknown(id: &str) -> Response {
    Response::refused(format!("There is no pending action {id}; “brain-agent pending list” shows the open ones."))
}

/// A decision in the owner's place, and what became of it.
async fn decided(brain: &Brain, id: &str, verb: OperatorVerb<'_>) -> Result<Response, StoreError> {
    let refused = |record: Value, why: String| Response { records: vec![record], ..Response::refused(why) };
    let cancelled = |record: Value| Response {
        ok: true,
        records: vec![record],
        text: format!("{id} is cancelled; its owner is told."),
    };
    let decision = decide(brain, id, verb).await?;
    let view = brain.view().await?;
    Ok(match decision {
        OperatorDecision::Cancelled(pending) => cancelled(record(&view, &pending).await?),
        OperatorDecision::Dropped(waiting) => cancelled(question_record(&waiting)),
        OperatorDecision::CarriedOut(pending, told) => Response {
            ok: pending.state == State::Succeeded,
            records: vec![record(&view, &pending).await?],
            text: told,
        },
        OperatorDecision::NoSuch => unknown(id),
        OperatorDecision::Closed(pending) => {
            let why = format!("{id} is already {}; nothing was changed.", pending.state);
            refused(record(&view, &pending).await?, why)
        }
        OperatorDecision::NotDecidable(pending, why) => {
            refused(record(&view, &pending).await?, format!("{id} was not approved: {why}."))
        }
        OperatorDecision::Meanwhile => Response::refused(format!("{id} was decided at this very moment; look again.")),
        OperatorDecision::OwnersAlone(waiting) => refused(
            question_record(&waiting),
            "Whether a question is worth its cost only who asked it may say. Nothing was done.".to_owned(),
        ),
        OperatorDecision::NotAllowed => Response::refused(
            "Only its owner may approve it. (BRAIN_ADMIN_MAY_APPROVE=true would allow you.) Nothing was done.",
        ),
        OperatorDecision::NoDigest => Response::refused(format!(
            "Say what you approve: the first 12 characters of the digest, as “brain-agent pending show {id}” prints it."
        )),
    })
}

/// A pending action as `--json` prints it.
async fn record(view: &View<'_>, pending: &Pending) -> Result<Value, StoreError> {
    Ok(json!(pending::card(view, pending).await?))
}
