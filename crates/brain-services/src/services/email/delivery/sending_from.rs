//! From which account, and as whom, something is sent: what the person names, what was written to, else their first.
//!
//! Invariants: nobody is offered or given an account of somebody else; a name that fits none of the person's own, or
//! several, is asked about; an address is told only where it is not the one that is meant anyway.

use super::send::smtp::Sender;
use crate::services::contract::service::{ItemChoice, Prepared};
use crate::services::email::compose::composing::same_address;
use crate::services::email::imap::name::is_of_account;
use crate::services::email::mailbox::accounts::{MailAccount, MailAccounts};
use brain_core::core::ids::UserId;
use brain_language::language::words::{fold, words};

/// As whom something is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::services::email) struct SendingFrom {
    /// The account's id; `None`: the person has no account.
    pub account: Option<String>,
    /// `None`: the first address of the person's first account.
    pub address: Option<String>,
    /// Below what is written.
    pub signature: Option<String>,
}

/// No account of theirs, or not exactly one, is called that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::services::email) struct WhichSender {
    said: String,
    choices: Vec<ItemChoice>,
}

impl<C> From<WhichSender> for Prepared<C> {
    fn from(which: WhichSender) -> Self {
        let WhichSender { said, choices } = which;
        if choices.is_empty() {
            return Self::NotFound {
                what: format!("You have no mail account here, so I can't send from “{said}”.")
            };
        }
        Self::Several {
            param: "from".to_owned(),
            question: format!("Which of your mail accounts is “{said}”?"),
            candidates: choices,
        }
    }
}

impl MailAccounts {
    /// As whom the person sends: as they say, else as always.
    pub(in crate::services::email) fn named_or_first(
        &self,
        owner: &UserId,
        said: Option<&str>,
    ) -> Result<SendingFrom, WhichSender> {
        match said.map(str::trim).filter(|said| !said.is_empty()) {
            Some(said) => self.called(owner, said),
            None => Ok(self.of(owner).next().map_or_else(SendingFrom::default, |first| self.first_of(owner, first))),
        }
    }

    /// As whom a mail is answered: from the account that it lies in, as the one it was written to.
    pub(in crate::services::email) fn written_to(
        &self,
        owner: &UserId,
        file: &str,
        addresses: &[String],
    ) -> SendingFrom {
        let holds = |account: &&MailAccount| is_of_account(file, &account.id) == Some(true);
        let home = self.of(owner).find(holds);
        let written_to = |account: &MailAccount| {
            let own = addresses.iter().find_map(|address| account.sender(address));
            own.map(|sender| self.sending(owner, account, sender.address.as_ref()))
        };
        let at_home = home.and_then(written_to).or_else(|| home.map(|home| self.first_of(owner, home)));
        at_home.or_else(|| self.of(owner).find_map(written_to)).unwrap_or_else(|| {
            self.of(owner).next().map_or_else(SendingFrom::default, |first| self.first_of(owner, first))
        })
    }

    /// The address of a draft, as far as it is one that something is sent from.
    pub(in crate::services::email) fn still_sends(&self, owner: &UserId, address: Option<&str>) -> Option<String> {
        let address = address?;
        let account = self.of(owner).find(|account| account.sender(address).is_some())?;
        self.sending(owner, account, address).address
    }

    /// What stands below what is written as this address, or as always.
    pub(in crate::services::email) fn signature(&self, owner: &UserId, address: Option<&str>) -> Option<String> {
        let has_it = |account: &&MailAccount| address.is_none_or(|address| account.sender(address).is_some());
        signature_of(self.of(owner).find(has_it)?)
    }

    fn first_of(&self, owner: &UserId, account: &MailAccount) -> SendingFrom {
        let first = account.backend.senders().first().map(|sender| sender.address.to_string());
        self.sending(owner, account, &first.unwrap_or_default())
    }

    fn sending(&self, owner: &UserId, account: &MailAccount, address: &str) -> SendingFrom {
        let meant = self.of(owner).next().and_then(|first| first.backend.senders().first());
        let is_meant = meant.is_some_and(|meant| same_address(meant.address.as_ref(), address));
        SendingFrom {
            account: Some(account.id.clone()),
            address: (!is_meant && !address.is_empty()).then(|| address.to_lowercase()),
            signature: signature_of(account),
        }
    }

    /// The one that the person calls so: by an address, or by what the account is called.
    fn called(&self, owner: &UserId, said: &str) -> Result<SendingFrom, WhichSender> {
        let by_address = self.of(owner).find(|account| account.sender(said).is_some());
        if let Some(account) = by_address {
            return Ok(self.sending(owner, account, said));
        }
        let heard = words(said);
        let called: Vec<(&MailAccount, usize)> = self
            .of(owner)
            .filter_map(|account| {
                let label = words(&account.label);
                let is_called = !label.is_empty() && heard.windows(label.len()).any(|part| part == label);
                is_called.then_some((account, label.len()))
            })
            .collect();
        // "Work" is not meant where "work two" is said.
        let longest = called.iter().map(|(_, length)| *length).max();
        let mut fitting = called.iter().filter(|(_, length)| Some(*length) == longest);
        match (fitting.next(), fitting.next()) {
            (Some((account, _)), None) => Ok(self.first_of(owner, account)),
            _ => self.by_name(owner, said),
        }
    }

    /// By the name in front of an address, where just one has it.
    fn by_name(&self, owner: &UserId, said: &str) -> Result<SendingFrom, WhichSender> {
        let senders = self.of(owner).flat_map(|account| account.backend.senders().iter().map(move |s| (account, s)));
        let senders: Vec<(&MailAccount, &Sender)> = senders.collect();
        let is_named = |name: &Option<String>| name.as_ref().is_some_and(|name| fold(name) == fold(said));
        let mut named = senders.iter().filter(|(_, sender)| is_named(&sender.name));
        if let (Some((account, sender)), None) = (named.next(), named.next()) {
            return Ok(self.sending(owner, account, sender.address.as_ref()));
        }
        let choice = |(account, sender): &(&MailAccount, &Sender)| {
            let address = sender.address.to_string();
            let label =
                if account.label == address { address.clone() } else { format!("{} ({address})", account.label) };
            ItemChoice { id: address, label, untrusted: Vec::new() }
        };
        Err(WhichSender { said: said.to_owned(), choices: senders.iter().map(choice).collect() })
    }
}

/// On lines that end as the body's do; none where it says nothing.
fn signature_of(account: &MailAccount) -> Option<String> {
    let signature = account.backend.signature()?.replace("\r\n", "\n");
    Some(signature.trim_end()).filter(|signature| !signature.trim().is_empty()).map(str::to_owned)
}
