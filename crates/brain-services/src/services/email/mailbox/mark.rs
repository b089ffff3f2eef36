//! `mark`: read or unread, with a star or without, in the archive or back from it. Nothing of the mail itself changes.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filing::{Filed, Filing};
use super::source::maildir::Folder;
use super::source::moves::{ARCHIVE, FLAGGED, INBOX, SEEN, TRASH, folder_of};
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject, planned};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::email::finding::one_mail::{LocatedMail, OneMail};
use crate::services::email::message::mail::{Mail, NAME};
use crate::services::email::service::Email;
use crate::services::helpers::items::label;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, PlannedAction, Target};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::visible;

/// What a mail can be marked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailMark {
    /// Seen.
    Read,
    /// New.
    Unread,
    /// With a star.
    Starred,
    /// Without.
    Unstarred,
    /// Out of the inbox, into the archive.
    Archived,
    /// Back in the inbox.
    Inbox,
}

impl MailMark {
    /// As it is said: "marked as …".
    fn words(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Unread => "unread",
            Self::Starred => "starred",
            Self::Unstarred => "unstarred",
            Self::Archived => "archived",
            Self::Inbox => "in the inbox",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Read => "✉️ Marked as read",
            Self::Unread => "🔵 Marked as unread",
            Self::Starred => "⭐ Starred",
            Self::Unstarred => "☆ Star removed",
            Self::Archived => "🗄️ Archived",
            Self::Inbox => "📥 Back",
        }
    }

    fn attempt(self, mail: &str) -> String {
        match self {
            Self::Read | Self::Unread => format!("mark “{mail}” as {}", self.words()),
            Self::Starred => format!("star “{mail}”"),
            Self::Unstarred => format!("remove the star of “{mail}”"),
            Self::Archived => format!("archive “{mail}”"),
            Self::Inbox => format!("move “{mail}” back"),
        }
    }
}

/// Mark a mail as read, unread, starred, unstarred or archived, or move it back to the inbox.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkMail {
    /// Ids, or sender and words of the subject; “newest” or “all” before them.
    pub(in crate::services::email) find_by: String,
    #[serde(rename = "as")]
    pub(in crate::services::email) mark: MailMark,
    // Where a mail goes back to, when that is not the inbox. Only of folders that anything may be moved to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) back_to: Option<String>,
}

impl MarkMail {
    /// What brings a mail back from where it was put.
    pub(in crate::services::email) fn back(id: &str, from: &Path) -> Self {
        let from = from.to_str().filter(|folder| !folder.is_empty() && *folder != INBOX);
        Self { find_by: id.to_owned(), mark: MailMark::Inbox, back_to: from.map(str::to_owned) }
    }

    fn filing(&self) -> Filing {
        let flag = |flag, wanted| Filing::Flag { flag, wanted };
        match self.mark {
            MailMark::Read => flag(SEEN, true),
            MailMark::Unread => flag(SEEN, false),
            MailMark::Starred => flag(FLAGGED, true),
            MailMark::Unstarred => flag(FLAGGED, false),
            MailMark::Archived => Filing::Folder(PathBuf::from(ARCHIVE)),
            MailMark::Inbox => Filing::Folder(PathBuf::from(self.back_to.as_deref().unwrap_or(INBOX))),
        }
    }

    fn marked(&self, one: &OneMail, filed: Filed) -> Marked {
        let Filed { id, changed } = filed;
        let from = folder_of(&one.file).to_str().map(str::to_owned);
        Marked { id, label: one.label(), changed, others: one.others, from }
    }
}

/// A mail that was marked.
#[derive(Debug, Serialize, Deserialize)]
pub struct Marked {
    /// What `find_by` must hold to mean it from now on.
    id: String,
    label: String,
    /// It was not so before.
    changed: bool,
    /// Other mails of its conversation, which stay as they are.
    others: usize,
    /// The folder it lay in.
    from: Option<String>,
}

impl Command for MarkMail {
    type Output = Marked;

    const NAME: &'static str = "mark";
    const SUMMARY: &'static str = "mark a mail as read, unread, starred or archived";
    const EXAMPLE: &'static str = "Archive the last mail from Anna";
    const STATUS: &'static str = "Marking that mail…";
    const STAKES: Stakes = Stakes::Low;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        match param {
            "as" => "As what: read, unread, starred, unstarred or archived?",
            other => crate::services::email::service::question(other),
        }
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let title = match self.mark {
            MailMark::Inbox => "Move this mail back to the inbox?".to_owned(),
            mark => format!("Mark this mail as {}?", mark.words()),
        };
        CardBody::titled(title)
            .words("Mail", label(subject.action, &self.find_by))
            .words("Goes to", self.back_to.clone().unwrap_or_default())
    }

    fn receipt(&self, output: &Marked, _: &Receipt<'_>) -> String {
        let mail = visible(&output.label);
        if !output.changed {
            return format!("{mail}: it is {} already.", self.mark.words());
        }
        let place = match (self.mark, &self.back_to) {
            (MailMark::Inbox, Some(folder)) => format!(" in {}", visible(folder.trim_start_matches('.'))),
            (MailMark::Inbox, None) => " in the inbox".to_owned(),
            _ => String::new(),
        };
        let others = match (self.mark, output.others) {
            (MailMark::Archived, 1) => "\nThe other mail of the conversation stays where it is.".to_owned(),
            (MailMark::Archived, others) if others > 1 => {
                format!("\nThe other {others} mails of the conversation stay where they are.")
            }
            _ => String::new(),
        };
        format!("{}{place}: {mail}{others}", self.mark.done())
    }

    fn attempt(&self, action: &Action) -> String {
        self.mark.attempt(&label(action, &self.find_by))
    }

    fn made(&self, output: &Marked) -> Option<ItemRef> {
        Some(ItemRef { id: output.id.clone(), label: output.label.clone() })
    }

    fn reversal(&self, _: &Action, output: &Marked) -> Option<PlannedAction> {
        let as_was = |mark| Self { find_by: output.id.clone(), mark, back_to: None };
        let from = output.from.as_deref().unwrap_or(INBOX);
        let back = match self.mark {
            MailMark::Read => as_was(MailMark::Unread),
            MailMark::Unread => as_was(MailMark::Read),
            MailMark::Starred => as_was(MailMark::Unstarred),
            MailMark::Unstarred => as_was(MailMark::Starred),
            MailMark::Inbox if from == ARCHIVE => as_was(MailMark::Archived),
            MailMark::Archived | MailMark::Inbox => Self::back(&output.id, Path::new(from)),
        };
        // From the trash there is only the way out.
        (output.changed && from != TRASH).then(|| planned(NAME, &back))
    }
}

impl Email {
    /// Why a mail cannot be marked like that, if so.
    fn not_markable(&self, command: &MarkMail, found: &LocatedMail) -> Option<String> {
        let subject = found.one.label();
        if found.mail.is_own() && !matches!(command.mark, MailMark::Starred | MailMark::Unstarred) {
            return Some(format!("“{subject}” is one you wrote yourself; it stays with what you sent."));
        }
        let moves = matches!(command.filing(), Filing::Folder(_));
        if found.mail.is_aside() && !moves {
            return Some(format!(
                "“{subject}” is a mail that I do not open any more, so I can't mark it; I can archive or delete it."
            ));
        }
        None
    }

    /// Whether a mail may be moved back to a folder: one that is there, and that says nothing about who wrote what.
    async fn is_kept_folder(&self, ctx: &RequestContext, folder: &str) -> Result<bool, ServiceError> {
        let maildir = self.mailboxes.maildir(&ctx.owner);
        let folder = PathBuf::from(folder);
        let look = move || {
            let places =
                maildir.places().map_err(|cause| crate::services::email::finding::one_mail::unchanged(&cause))?;
            let is_it = |dir: &Path| dir.parent() == Some(&folder);
            Ok(places.iter().any(|place| is_it(&place.dir) && matches!(place.folder, Folder::Inbox | Folder::Kept)))
        };
        self.mailboxes.files(&ctx.owner, look).await
    }
}

#[async_trait]
impl Handle<MarkMail> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.keeping(owner, OneMail::file_of(target).as_deref())
    }

    async fn prepare(&self, ctx: &RequestContext, mut command: MarkMail) -> Result<Prepared<MarkMail>, ServiceError> {
        let changes = |mail: &Mail| command.mark != MailMark::Archived || !mail.is_archived();
        if let Some(every) = self.every_mail(ctx, &command.find_by, changes).await? {
            return Ok(every);
        }
        let found = match self.one_mail(ctx, &command.find_by).await? {
            Ok(found) => found,
            Err(unclear) => return Ok(unclear),
        };
        if let Some(what) = self.not_markable(&command, &found) {
            return Ok(Prepared::NotFound { what });
        }
        let back_to = command.back_to.take().filter(|_| command.mark == MailMark::Inbox);
        if let Some(folder) = back_to
            && self.is_kept_folder(ctx, &folder).await?
        {
            command.back_to = Some(folder).filter(|folder| !folder.is_empty());
        }
        let target = Some(found.one.target()?);
        Ok(Prepared::Ready { params: command, target, notes: Vec::new(), untrusted: Vec::new() })
    }

    async fn perform(&self, call: Invocation<'_, MarkMail>) -> Result<Completed<Marked>, ServiceError> {
        let one = OneMail::held(call.action)?;
        let filed = self.refile(call.ctx, (call.action, call.attempt), one.clone(), call.command.filing()).await?;
        Ok(filed.map(|filed| call.command.marked(&one, filed)).holding(one.untrusted()))
    }

    async fn happened(&self, call: Invocation<'_, MarkMail>) -> Option<Result<Completed<Marked>, ServiceError>> {
        let one = OneMail::held(call.action).ok()?;
        let filed = self.refiled(call.ctx, (call.action, call.attempt), one.clone(), call.command.filing()).await?;
        let marked = |filed| Completed::read(call.command.marked(&one, filed)).holding(one.untrusted());
        Some(filed.map(marked))
    }
}
