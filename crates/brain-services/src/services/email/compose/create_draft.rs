//! `create_draft`: write a mail without sending it.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prepare::{letter_card, too_many, trimmed};
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Slot, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::compose::composing::{Envelope, Letter};
use crate::services::email::mailbox::filing::stopped;
use crate::services::email::message::written_name::safe_key;
use crate::services::email::service::Email;
use brain_core::core::button::{Button, Press};
use brain_core::core::card::{CardBody, show_address};
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, Target};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::visible;

/// Write a mail without sending it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CreateDraft(pub(in crate::services::email) Letter);

/// A draft that was kept.
#[derive(Debug, Serialize, Deserialize)]
pub struct Drafted {
    draft_id: String,
    to: Vec<String>,
    subject: String,
}

impl Command for CreateDraft {
    type Output = Drafted;

    const NAME: &'static str = "create_draft";
    const SUMMARY: &'static str = "write a mail without sending it";
    const EXAMPLE: &'static str = "Email Bob that I'm running late";
    const STATUS: &'static str = "Writing the draft…";
    const STAKES: Stakes = Stakes::Low;
    const COMPOSED: &'static [&'static str] = &["subject", "body"];
    const STOOD_IN_FOR: &'static [(&'static str, &'static str)] = &[("to", "unaddressed")];
    // The last two are settled by code.
    const REFERENCES: &'static [&'static str] = &["find_by", "signature", "attached"];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let Letter { to, cc, bcc, unaddressed, .. } = &mut self.0;
        vec![
            Slot::People { param: "to", value: to, unaddressed: Some(unaddressed) },
            Slot::People { param: "cc", value: cc, unaddressed: None },
            Slot::People { param: "bcc", value: bcc, unaddressed: None },
        ]
    }

    fn complete(&mut self, _: Option<&Target>) {
        trimmed(&mut self.0.body);
    }

    fn problem(&self) -> Option<String> {
        too_many(self.0.people())
    }

    fn question(param: &str) -> &'static str {
        crate::services::email::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        letter_card("Save this draft?", &self.0, subject)
    }

    fn receipt(&self, _: &Drafted, receipt: &Receipt<'_>) -> String {
        let letter = &self.0;
        let mut to = show::people(&[letter.to.as_slice(), &letter.cc].concat(), receipt.action);
        to.extend(letter.without_address());
        let to = to.join(", ");
        let from = letter.from.as_ref().map(|from| format!("From: {}\n", show_address(from))).unwrap_or_default();
        let blind = show::people(&letter.bcc, receipt.action).join(", ");
        let blind = if blind.is_empty() { blind } else { format!("Bcc: {blind}\n") };
        let (subject, text) = (visible(&letter.subject), letter.text());
        let attached: String =
            letter.attached.iter().map(|one| format!("Attached: {}\n", visible(&one.line()))).collect();
        let text = visible(text.trim_end());
        format!("📝 Draft for {to} — not sent.\n{from}{blind}Subject: {subject}\n{attached}\n{text}")
    }

    fn attempt(&self, _: &Action) -> String {
        format!("save the draft “{}”", self.0.subject)
    }

    fn made(&self, output: &Drafted) -> Option<ItemRef> {
        Some(ItemRef { id: output.draft_id.clone(), label: self.0.subject.clone() })
    }

    fn next(&self, output: &Drafted) -> Vec<Button> {
        vec![Button::new("📨 Send", &Press::Send(output.draft_id.clone()))]
    }
}

#[async_trait]
impl Handle<CreateDraft> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, None, target)
    }

    fn account_for(&self, owner: &UserId, command: &CreateDraft, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, command.0.from.as_deref(), target)
    }

    async fn prepare(&self, ctx: &RequestContext, command: CreateDraft) -> Result<Prepared<CreateDraft>, ServiceError> {
        self.prepare_letter(ctx, command.0, CreateDraft).await
    }

    async fn perform(&self, call: Invocation<'_, CreateDraft>) -> Result<Completed<Drafted>, ServiceError> {
        let Invocation { ctx, command: CreateDraft(letter), action, attempt } = call;
        let enclosed = self.enclosed_of(ctx, &letter.attached).await?;
        let envelope = Envelope { enclosed, ..self.envelope(ctx, letter.from.as_deref(), (action, attempt)).await };
        let saved = self.save(ctx, &letter, &envelope, (action, attempt)).await?;
        Ok(saved.map(|draft_id| Drafted { draft_id, to: letter.to, subject: letter.subject }))
    }

    async fn happened(&self, call: Invocation<'_, CreateDraft>) -> Option<Result<Completed<Drafted>, ServiceError>> {
        let Invocation { ctx, command: CreateDraft(letter), action, attempt } = call;
        let is_saved = self.saved(ctx, &letter, (action, attempt)).await?;
        let Letter { to, subject, .. } = letter;
        let drafted = || Completed::read(Drafted { draft_id: safe_key(attempt), to, subject });
        Some(is_saved.then(drafted).ok_or_else(stopped))
    }
}
