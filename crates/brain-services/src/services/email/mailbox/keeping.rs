//! Where mail is kept: what becomes of the mail in a mailbox goes to the account that keeps it, and then into the
//! Maildir, which is that account's replica. For whoever has no such account the Maildir is all there is.
//!
//! Invariants: nothing is done here that the account refused, and nothing twice there; what the account did stands,
//! whatever becomes of the replica; what it may have done is doubtful and is never tried again by itself.

use std::sync::Arc;

use super::accounts::MailBackend;
use super::mail_change::MailChange;
use super::source::maildir::Folder;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Attempt;
use crate::services::email::service::Email;
use crate::services::remote::backend::Unwritten;
use brain_core::core::plan::ActingAccount;

impl MailChange {
    pub(in crate::services::email) fn put(folder: Folder, name: String, bytes: &[u8]) -> Self {
        Self::Put { folder: folder.dir(), name, bytes: bytes.into() }
    }
}

/// What the account came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::services::email) enum Written {
    /// Nothing is kept elsewhere.
    Here,
    /// It is so there: the replica follows.
    There,
    /// It may be so there: a sentence that says where to look.
    Doubtful(String),
}

impl Email {
    /// Where the mail of an account is kept, if that is elsewhere.
    fn keeper(
        &self,
        ctx: &RequestContext,
        account: Option<&ActingAccount>,
    ) -> Result<Option<Arc<dyn MailBackend>>, ServiceError> {
        let Some(acting) = account else { return Ok(None) };
        let backend = self.accounts.backend(&ctx.owner, Some(acting))?;
        Ok(backend.keeps_mail().then_some(backend))
    }

    /// One attempt to have the account make a change; nothing is done here yet.
    pub(in crate::services::email) async fn written(
        &self,
        ctx: &RequestContext,
        account: Option<&ActingAccount>,
        change: &MailChange,
        attempt: &Attempt,
    ) -> Result<Written, ServiceError> {
        let Some(keeper) = self.keeper(ctx, account)? else { return Ok(Written::Here) };
        match keeper.write(ctx, change, attempt).await {
            Ok(()) => Ok(Written::There),
            Err(Unwritten::Doubtful(why)) => Ok(Written::Doubtful(why)),
            Err(Unwritten::Refused(why)) => Err(ServiceError::Refused(why)),
            Err(Unwritten::ChangedElsewhere) => Err(ServiceError::Refused(
                "That mail is not as it was in the account any more: it was moved, or it is gone. Nothing was changed."
                    .to_owned(),
            )),
        }
    }

    /// After a crash: whether the account made a change. `Some(None)` where nothing is kept elsewhere; `None` where
    /// it cannot tell.
    pub(in crate::services::email) async fn settled(
        &self,
        ctx: &RequestContext,
        account: Option<&ActingAccount>,
        change: &MailChange,
        attempt: &Attempt,
    ) -> Option<Option<bool>> {
        match self.keeper(ctx, account).ok()? {
            Some(keeper) => keeper.settled(ctx, change, attempt).await.map(Some),
            None => Some(None),
        }
    }
}
