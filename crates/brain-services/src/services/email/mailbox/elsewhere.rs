//! A mail account of a person's own: what goes out goes through its mail server, and its mail is kept in its mailbox.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use lettre::Address;

use super::accounts::{MailAccount, MailBackend};
use super::mail_change::{MailChange, MailRef};
use super::older_mail::OlderMail;
use super::source::maildir::Maildir;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::holder::Holder;
use crate::services::contract::service::Attempt;
use crate::services::email::delivery::send::smtp::{Sender, Sent, Smtp, SmtpUrlError};
use crate::services::email::imap::mailbox::ImapMailbox;
use crate::services::email::imap::name::is_of_account;
use crate::services::email::imap::sync_worker::KeptAccount;
use crate::services::email::message::written_name::MARK;
use crate::services::remote::backend::Unwritten;
use brain_core::core::ids::UserId;
use brain_core::limits::MAIL_BYTES_MAX;
use brain_core::ports::Store;
use brain_wire::accounts::{AccountConfig, AccountPerson};

/// Its two servers, as far as it has them.
#[derive(Debug)]
pub struct MailElsewhere {
    id: String,
    senders: Vec<Sender>,
    signature: Option<String>,
    files_sent: bool,
    smtp: Option<Smtp>,
    imap: Option<Arc<ImapMailbox>>,
}

impl MailElsewhere {
    /// An account as it is configured; `smtp` where its mail goes out by another server than its own.
    pub fn of(account: &AccountConfig, smtp: Option<Smtp>, imap: Option<Arc<ImapMailbox>>) -> Self {
        Self {
            id: account.id.clone(),
            senders: account.addresses.clone(),
            signature: account.signature.clone(),
            files_sent: account.files_sent,
            smtp: smtp.or_else(|| Smtp::of(account)),
            imap,
        }
    }
}

/// The accounts of everybody with mail, and those whose mail is kept in step.
pub fn mail_accounts(
    configured: &[AccountConfig],
    short_form: Option<&secrecy::SecretString>,
    first_admin: &Arc<OnceLock<UserId>>,
    store: &Arc<dyn Store>,
) -> Result<(Vec<MailAccount>, Vec<KeptAccount>), SmtpUrlError> {
    let first = || vec![Holder::FirstAdmin(first_admin.clone()), Holder::Terminal];
    let mut sends_alone = short_form.map(Smtp::from_url).transpose()?;
    let (mut mail, mut kept) = (Vec::new(), Vec::new());
    for account in configured {
        let holders = Holder::of(account, first_admin);
        let is_of_it = |smtp: &mut Smtp| {
            let of_smtp = smtp.senders().first().map(|sender| &sender.address);
            account.person == AccountPerson::First && of_smtp == account.addresses.first().map(|sender| &sender.address)
        };
        let smtp = sends_alone.take_if(is_of_it);
        let mailbox = ImapMailbox::of(account, store.clone());
        if smtp.is_none() && account.smtp.is_none() && mailbox.is_none() {
            continue;
        }
        let (id, label) = (account.id.clone(), account.name.clone());
        if let Some(mailbox) = &mailbox {
            kept.push(KeptAccount { id: id.clone(), holders: holders.clone(), mailbox: mailbox.clone() });
        }
        let backend = Arc::new(MailElsewhere::of(account, smtp, mailbox));
        mail.push(MailAccount { id, label, holders, backend });
    }
    // It sends and is no account that anything else is known of.
    if let Some(smtp) = sends_alone {
        mail.insert(0, MailAccount::of(smtp, first()));
    }
    Ok((mail, kept))
}

#[async_trait]
impl MailBackend for MailElsewhere {
    fn senders(&self) -> &[Sender] {
        &self.senders
    }

    fn signature(&self) -> Option<&str> {
        self.signature.as_deref()
    }

    fn files_sent(&self) -> bool {
        self.files_sent
    }

    async fn send(&self, from: &Address, to: &[Address], mail: &[u8]) -> Sent {
        match &self.smtp {
            Some(smtp) => smtp.send(from, to, mail).await,
            None => Sent::Refused("This account has no server for outgoing mail".to_owned()),
        }
    }

    fn keeps_mail(&self) -> bool {
        self.imap.is_some()
    }

    fn has(&self, file: &str) -> bool {
        is_of_account(file, &self.id).unwrap_or_else(|| file.ends_with(MARK))
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

    async fn bring_older(
        &self,
        ctx: &RequestContext,
        maildir: &Maildir,
        wanted: &OlderMail,
    ) -> Result<Option<usize>, String> {
        match &self.imap {
            Some(imap) => imap.bring_older(&ctx.owner, maildir, wanted, ctx.now).await,
            None => Ok(None),
        }
    }

    async fn whole(&self, ctx: &RequestContext, mail: &MailRef) -> Result<Option<Vec<u8>>, ServiceError> {
        let Some(imap) = &self.imap else { return Ok(None) };
        let most = usize::try_from(MAIL_BYTES_MAX).unwrap_or(usize::MAX);
        imap.whole(&ctx.owner, mail, most).await.map_err(ServiceError::Refused)
    }
}
