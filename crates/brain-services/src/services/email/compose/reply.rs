//! An answer to a mail, to its writer or to all: what the person says, and what follows from the mail and the account.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answering::{AnswerTo, PreparedAnswer, ReplyRequest};
use super::outgoing_files::{OutgoingFiles, too_much, with_sent};
use super::prepare::{bad_address, copied, leaving, with_attached};
use crate::services::contract::command::{Slot, Subject, one_or_many};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::compose::composing::{Letter, signed, wire_address};
use crate::services::email::service::Email;
use crate::services::helpers::items::label;
use brain_core::core::card::CardBody;
use brain_core::core::text::visible;

/// An answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplyLetter {
    /// The thread's id, or sender, or words from its subject.
    pub(in crate::services::email) find_by: String,
    pub(in crate::services::email) body: String,
    /// The person's own account or address that it leaves from, only where they name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::services::email) from: Option<String>,
    /// Copies besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub(in crate::services::email) add_cc: Vec<String>,
    /// Blind copies.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub(in crate::services::email) bcc: Vec<String>,
    // Filled in from the thread and the account, never by a planner.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    #[schemars(skip)]
    pub(in crate::services::email) to: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    #[schemars(skip)]
    pub(in crate::services::email) cc: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) signature: Option<String>,
    // As in a letter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub(in crate::services::email) attached: Vec<OutgoingFiles>,
    // As in a letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) greets: Option<String>,
}

impl ReplyLetter {
    /// As it goes out.
    pub fn letter(self) -> Letter {
        let cc = self.copied();
        let Self { to, bcc, subject, body, from, signature, attached, .. } = self;
        let subject = subject.unwrap_or_default();
        Letter { to, cc, bcc, subject, body, from, signature, attached, ..Letter::default() }
    }

    /// Everybody it goes to.
    pub fn everybody(&self) -> Vec<String> {
        [self.to.clone(), self.copied(), self.bcc.clone()].concat()
    }

    /// Who gets a copy, openly: of the thread and besides, each once.
    fn copied(&self) -> Vec<String> {
        let mut copied = self.cc.clone();
        for address in &self.add_cc {
            if !self.to.iter().chain(&copied).any(|known| known.eq_ignore_ascii_case(address)) {
                copied.push(address.clone());
            }
        }
        copied
    }

    /// Where words become addresses.
    pub fn slots(&mut self) -> Vec<Slot<'_>> {
        let Self { add_cc, bcc, .. } = self;
        vec![
            Slot::People { param: "add_cc", value: add_cc, unaddressed: None },
            Slot::People { param: "bcc", value: bcc, unaddressed: None },
        ]
    }

    /// The whole of it.
    pub fn card(&self, title: &str, subject: &Subject<'_>) -> CardBody {
        let card = CardBody::titled(title).lines("To", show::people(&self.to, subject.action));
        let card = leaving(copied(card, (&self.copied(), &self.bcc), subject.action), self.from.as_deref())
            .words("Subject", self.subject.clone().unwrap_or_default())
            .words("In reply to", label(subject.action, &self.find_by));
        with_attached(card, &self.attached).body(signed(&self.body, self.signature.as_deref()))
    }

    /// Its subject, as it is told.
    pub fn shown_subject(&self) -> String {
        visible(self.subject.as_deref().unwrap_or("(no subject)"))
    }
}

impl Email {
    /// An answer, ready: to whom, from where and under which subject follows from the mail.
    pub(in crate::services::email) async fn prepare_reply<C>(
        &self,
        ctx: &RequestContext,
        said: ReplyLetter,
        reach: AnswerTo,
        command: impl FnOnce(ReplyLetter) -> C,
    ) -> Result<Prepared<C>, ServiceError> {
        let ReplyLetter { find_by, body, from, add_cc, bcc, greets, attached, .. } = said;
        if let Some(bad) = add_cc.iter().chain(&bcc).find(|address| wire_address(address).is_err()) {
            return Ok(bad_address(bad));
        }
        let wanted = ReplyRequest { find_by: &find_by, body, greets: greets.as_deref(), from: from.as_deref() };
        let answer = match self.prepare_answer(ctx, wanted, reach).await? {
            Ok(answer) => answer,
            Err(unclear) => return Ok(unclear),
        };
        let attached = with_sent(ctx, attached);
        if let Some(problem) = too_much(&attached) {
            return Ok(Prepared::NotFound { what: format!("Nothing was written: {problem}.") });
        }
        let PreparedAnswer { to, cc, subject, body, from, signature, target, mut notes, untrusted } = answer;
        notes.extend(self.stranger_notes(ctx, &[add_cc.as_slice(), &bcc].concat()).await?);
        let subject = Some(subject);
        let params =
            ReplyLetter { find_by, body, from, add_cc, bcc, to, cc, subject, signature, attached, greets: None };
        Ok(Prepared::Ready { params: command(params), target: Some(target), notes, untrusted })
    }
}
