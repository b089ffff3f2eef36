//! `unwatch`: look out for something no longer.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{self, MailWatch};
use super::words;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{ItemChoice, Prepared};
use crate::services::email::filling::owner;
use crate::services::email::finding::query::FILLERS;
use crate::services::email::message::mail::NAME;
use crate::services::email::service::Email;
use crate::services::helpers::items::label;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action, Target};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::Stakes;
use brain_core::limits::CANDIDATES_MAX;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, without_determiner};
use brain_language::language::words::stems;

/// Stop looking out for an answer or a mail.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnwatchMail {
    /// Who is waited for, or words from the subject; or its id.
    pub(super) find_by: String,
}

/// What is no longer looked out for.
#[derive(Debug, Serialize, Deserialize)]
pub struct Unwatched {
    id: String,
    label: String,
}

impl Command for UnwatchMail {
    type Output = Unwatched;

    const NAME: &'static str = "unwatch";
    const SUMMARY: &'static str = "stop looking out for an answer or a mail";
    const EXAMPLE: &'static str = "Stop watching for Anna's answer";
    const STATUS: &'static str = "Looking at what I watch for…";
    const STAKES: Stakes = Stakes::Low;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(_: &str) -> &'static str {
        "What should I no longer watch for?"
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Stop watching for this?").words("Watch", label(subject.action, &self.find_by))
    }

    fn receipt(&self, output: &Unwatched, _: &Receipt<'_>) -> String {
        format!("👀 No longer watching: {}", output.label)
    }

    fn attempt(&self, action: &Action) -> String {
        format!("stop watching for {}", label(action, &self.find_by))
    }

    fn made(&self, output: &Unwatched) -> Option<ItemRef> {
        Some(ItemRef { id: output.id.clone(), label: output.label.clone() })
    }
}

#[async_trait]
impl Handle<UnwatchMail> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: UnwatchMail) -> Result<Prepared<UnwatchMail>, ServiceError> {
        let store = self.store.as_ref();
        if let Some((watch, revision)) = record::by_id(store, &ctx.owner, command.find_by.trim()).await? {
            return Ok(ready(command, &watch, revision));
        }
        let open = record::open_watches(store, &ctx.owner).await?;
        if open.is_empty() {
            return Ok(Prepared::NotFound {
                what: "I'm not watching for any mail. What should I watch for?".to_owned(),
            });
        }
        let wanted: Vec<String> = stems(&command.find_by).into_iter().filter(|stem| !is_filler(stem)).collect();
        let fits = |watch: &MailWatch| {
            let there = stems(&format!("{} {} {}", words::awaited(watch), watch.from.join(" "), say(watch)));
            wanted.iter().all(|stem| there.contains(stem))
        };
        let fitting: Vec<&(MailWatch, u64)> = open.iter().filter(|(watch, _)| fits(watch)).collect();
        Ok(match fitting.as_slice() {
            [] => {
                let lines: Vec<String> = open.iter().map(|(watch, _)| format!("• {}", words::awaited(watch))).collect();
                let find_by = command.find_by.trim();
                let what = format!("I'm not watching for “{find_by}”. What I watch for:\n{}", lines.join("\n"));
                Prepared::NotFound { what }
            }
            [(watch, revision)] => ready(command, watch, *revision),
            several => Prepared::Several {
                param: "find_by".to_owned(),
                question: "Which of these should I no longer watch for?".to_owned(),
                candidates: several.iter().take(CANDIDATES_MAX).map(|(watch, _)| choice(watch)).collect(),
            },
        })
    }

    async fn perform(&self, call: Invocation<'_, UnwatchMail>) -> Result<Completed<Unwatched>, ServiceError> {
        let noun = "watch";
        let target = call.action.target.as_ref().ok_or(ServiceError::Several { noun })?;
        let held = record::by_id(self.store.as_ref(), &call.ctx.owner, &target.id).await?;
        let gone = || ServiceError::NotFound { noun, label: target.label.clone() };
        let (watch, revision) = held.ok_or_else(gone)?;
        let changes = record::changed(self.store.as_ref(), Some((&watch, revision)), None).await?;
        let output = Unwatched { id: watch.id.clone(), label: words::label(&watch) };
        Ok(Completed::changed(output, changes).holding(watch.untrusted))
    }
}

fn say(watch: &MailWatch) -> &str {
    watch.say.as_deref().unwrap_or_default()
}

/// Words that say nothing about which watch is meant.
fn is_filler(stem: &str) -> bool {
    const WATCHING: [&str; 10] =
        ["watch", "answer", "repli", "respons", "it", "that", "this", "everyth", "all", "antwort"];
    FILLERS.contains(&stem) || WATCHING.contains(&stem)
}

fn ready(command: UnwatchMail, watch: &MailWatch, revision: u64) -> Prepared<UnwatchMail> {
    let target = Target {
        id: watch.id.clone(),
        revision: revision.to_string(),
        label: words::label(watch),
        ..Target::default()
    };
    let untrusted: Vec<UntrustedText> = watch.untrusted.clone();
    Prepared::Ready { params: command, target: Some(target), notes: Vec::new(), untrusted }
}

fn choice(watch: &MailWatch) -> ItemChoice {
    ItemChoice { id: watch.id.clone(), label: words::awaited(watch), untrusted: watch.untrusted.clone() }
}

/// What is no longer to be watched for, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, UnwatchMail::NAME);
    let from = said.clean("from", &[]).map(|from| owner(&from).to_owned());
    let what = said.clean("what", &[]).map(|what| without_determiner(&what).to_owned());
    let words: Vec<String> = [from, what].into_iter().flatten().filter(|words| !words.is_empty()).collect();
    // Where nothing is named, the one that there is.
    let find_by = if words.is_empty() { "it".to_owned() } else { words.join(" ") };
    set(&mut action, "find_by", Some(find_by));
    Built::Act(action)
}
