//! `delete_email`: put a mail into the trash. Nothing is erased, until a mail program or somebody empties it.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filing::{Filed, Filing};
use super::mark::MarkMail;
use super::source::moves::{TRASH, folder_of};
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject, planned};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::finding::one_mail::OneMail;
use crate::services::email::message::mail::NAME;
use crate::services::email::service::Email;
use crate::services::helpers::items::label;
use brain_core::core::card::{CardBody, show_address};
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, PlannedAction, Target};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::visible;

/// Move a mail to the trash.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteEmail {
    /// Ids, or sender and words of the subject; “newest” or “all” before them.
    pub(in crate::services::email) find_by: String,
}

/// A mail in the trash.
#[derive(Debug, Serialize, Deserialize)]
pub struct Trashed {
    /// What `find_by` must hold to mean it from now on.
    id: String,
    label: String,
    /// The folder it lay in.
    from: Option<String>,
}

impl Trashed {
    fn of(one: &OneMail, filed: Filed) -> Self {
        let from = folder_of(&one.file).to_str().map(str::to_owned);
        Self { id: filed.id, label: one.label(), from }
    }
}

/// Who sent a mail, as a card shows it.
pub(in crate::services::email) fn sender(one: &OneMail) -> String {
    let address = show_address(&one.address);
    // Who is known is named alone; a card shows the address all the same.
    match one.from.contains(&address) {
        true => one.from.clone(),
        false => format!("{} <{address}>", show::chosen(&one.from)),
    }
}

impl Command for DeleteEmail {
    type Output = Trashed;

    const NAME: &'static str = "delete_email";
    const SUMMARY: &'static str = "move a mail to the trash";
    const EXAMPLE: &'static str = "Delete the mail about the parcel";
    const STATUS: &'static str = "Moving it to the trash…";
    const STAKES: Stakes = Stakes::High;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        crate::services::email::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let card = CardBody::titled("Delete this mail?");
        let Some(one) = subject.before::<OneMail>() else {
            return card.words("Mail", label(subject.action, &self.find_by));
        };
        let stay = match one.others {
            0 => String::new(),
            1 => "the other mail of the conversation stays".to_owned(),
            others => format!("the other {others} mails of the conversation stay"),
        };
        card.words("Mail", label(subject.action, &self.find_by))
            .row("From", sender(&one))
            .row("Date", show::time(&one.date, subject.reference))
            .row("Goes to", "the Trash folder of your mailbox; I won't find it any more")
            .row("Keeps", stay)
    }

    fn approve(&self) -> &'static str {
        "🗑️ Delete"
    }

    fn done(&self) -> &'static str {
        "Deleted"
    }

    fn receipt(&self, output: &Trashed, _: &Receipt<'_>) -> String {
        format!("🗑️ Deleted: {}\nIt is in the Trash folder of your mailbox.", visible(&output.label))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("delete the mail “{}”", label(action, &self.find_by))
    }

    fn reversal(&self, _: &Action, output: &Trashed) -> Option<PlannedAction> {
        let from = output.from.as_deref()?;
        Some(planned(NAME, &MarkMail::back(&output.id, Path::new(from))))
    }
}

#[async_trait]
impl Handle<DeleteEmail> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.keeping(owner, OneMail::file_of(target).as_deref())
    }

    async fn prepare(&self, ctx: &RequestContext, command: DeleteEmail) -> Result<Prepared<DeleteEmail>, ServiceError> {
        if let Some(every) = self.every_mail(ctx, &command.find_by, |_| true).await? {
            return Ok(every);
        }
        let found = match self.one_mail(ctx, &command.find_by).await? {
            Ok(found) => found,
            Err(unclear) => return Ok(unclear),
        };
        let mail = found.one.label();
        if found.mail.is_own() {
            let what = format!("“{mail}” is one you wrote yourself; I delete only mail that you got.");
            return Ok(Prepared::NotFound { what });
        }
        if folder_of(&found.one.file) == Path::new(TRASH) {
            return Ok(Prepared::NotFound { what: format!("“{mail}” is in the trash already.") });
        }
        let target = Some(found.one.target()?);
        Ok(Prepared::Ready { params: command, target, notes: Vec::new(), untrusted: Vec::new() })
    }

    async fn perform(&self, call: Invocation<'_, DeleteEmail>) -> Result<Completed<Trashed>, ServiceError> {
        let one = OneMail::held(call.action)?;
        let trash = Filing::Folder(PathBuf::from(TRASH));
        let filed = self.refile(call.ctx, (call.action, call.attempt), one.clone(), trash).await?;
        Ok(filed.map(|filed| Trashed::of(&one, filed)).holding(one.untrusted()))
    }

    async fn happened(&self, call: Invocation<'_, DeleteEmail>) -> Option<Result<Completed<Trashed>, ServiceError>> {
        let one = OneMail::held(call.action).ok()?;
        let trash = Filing::Folder(PathBuf::from(TRASH));
        let filed = self.refiled(call.ctx, (call.action, call.attempt), one.clone(), trash).await?;
        Some(filed.map(|filed| Completed::read(Trashed::of(&one, filed)).holding(one.untrusted())))
    }
}
