//! A mail account of a person's own: what goes out goes through its mail server, and its mail is kept in its mailbox.

use std::sync::Arc;

use async_trait::async_trait;
use lettre::Address;

use super::accounts::MailBackend;
use super::imap::mailbox::ImapMailbox;
use super::mail_change::{MailChange, MailRef};
use super::send::smtp::{Sender, Sent, Smtp};
use crate::limits::MAIL_BYTES_MAX;
use crate::services::backend::Unwritten;
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
use crate::services::service::Attempt;

/// Its two servers, as far as it has them.
#[derive(Debug)]
pub struct MailElsewhere {
    sender: Sender,
    smtp: Option<Smtp>,
    imap: Option<Arc<ImapMailbox>>,
}

impl MailElsewhere {
    /// An account that sends as `sender`.
    pub fn new(sender: Sender, smtp: Option<Smtp>, imap: Option<Arc<ImapMailbox>>) -> Self {
        Self { sender, smtp, imap }
    }
}

#[async_trait]
impl MailBackend for MailElsewhere {
    fn sender(&self) -> &Sender {
        &self.sender
    }

    async fn send(&self, to: &[Address], mail: &[u8]) -> Sent {
        match &self.smtp {
            Some(smtp) => smtp.send(to, mail).await,
            None => Sent::Refused("This account has no server for outgoing mail".to_owned()),
        }
    }

    fn keeps_mail(&self) -> bool {
        self.imap.is_some()
    }

    async fn write(&self, ctx: &RequestContext, change: &MailChange, _: &Attempt) -> Result<(), Unwritten> {
        match &self.imap {
            Some(imap) => imap.change(&ctx.owner, change).await,
            None => Ok(()),
        }
    }

    async fn settled(&self, ctx: &RequestContext, change: &MailChange, _: &Attempt) -> Option<bool> {
        self.imap.as_ref()?.looked_up(&ctx.owner, change).await
    }

    async fn whole(&self, ctx: &RequestContext, mail: &MailRef) -> Result<Option<Vec<u8>>, ServiceError> {
        let Some(imap) = &self.imap else { return Ok(None) };
        let most = usize::try_from(MAIL_BYTES_MAX).unwrap_or(usize::MAX);
        imap.whole(&ctx.owner, mail, most).await.map_err(ServiceError::Refused)
    }
}
