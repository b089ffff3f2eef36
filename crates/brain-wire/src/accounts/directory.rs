//! Directory of the accounts that there are, beside how each is: for whoever tells about them. Nothing in it signs in
//! anywhere.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::account::{AccountConfig, AccountPerson};
use super::collections::DavKind;
use super::oauth::{reconnect_command, shell_word};
use super::state::{AccountState, AccountStates, Disconnected};
use brain_core::core::ids::UserId;
use brain_core::core::span::ago;
use brain_core::core::text::{grouped, one_line, shorten, visible};
use brain_core::limits::ACCOUNT_TROUBLE_CHARS;

/// The command that connects an account anew.
const RECONNECTS: &str = "brain-agent setup";

/// What of an account is kept in step by itself, and may be out of reach by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountPart {
    /// Its mailbox.
    Mail,
    /// Its calendars, its task lists, or its address books.
    Collections(DavKind),
}

impl AccountPart {
    /// What is kept of an account. Of one that only sends it is told that nothing was read yet.
    fn of(account: &AccountConfig) -> Vec<Self> {
        let has_dav = account.caldav.is_some() || account.carddav.is_some();
        let mail = (account.imap.is_some() || !has_dav).then_some(Self::Mail);
        let kinds = DavKind::ALL.into_iter().filter(|kind| account.dav(*kind).is_some());
        mail.into_iter().chain(kinds.map(Self::Collections)).collect()
    }

    /// The id under which its state is kept, given the account's.
    pub fn id(self, account: &str) -> String {
        match self {
            Self::Mail => account.to_owned(),
            Self::Collections(kind) => format!("{account}/{}", kind.key()),
        }
    }

    /// As a sentence has it behind “your”: `mail account work (anna@example.com)`.
    pub fn named(self, account: &str) -> String {
        match self {
            Self::Mail => format!("mail account {account}"),
            Self::Collections(kind) => format!("{} account {account}", kind.one()),
        }
    }
}

/// An account, or a part of one, as its person is told about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAccount {
    /// As in [`AccountPart::id`].
    pub id: String,
    /// What of it.
    pub part: AccountPart,
    /// Whose it is.
    pub person: AccountPerson,
    /// What the person calls it.
    pub name: String,
    /// Its first address.
    pub address: String,
}

impl ListedAccount {
    /// How it is called where it stands alone: `work (anna@example.com)`, `work (anna@example.com), calendars`.
    pub fn shown(&self) -> String {
        let name = match self.address.as_str() {
            address if address.is_empty() || address == self.name => visible(&self.name),
            address => visible(&format!("{} ({address})", self.name)),
        };
        match self.part {
            AccountPart::Mail => name,
            AccountPart::Collections(kind) => format!("{name}, {}", kind.many()),
        }
    }
}

impl ListedAccount {
    /// What somebody types on this machine to sign in to it again. The process that runs takes it up by itself.
    pub fn sign_in_command(&self) -> String {
        let command = reconnect_command(&self.name);
        match &self.person {
            AccountPerson::First => command,
            AccountPerson::Id(id) => format!("{command} --person {}", shell_word(id)),
        }
    }

    /// The parts of an account, as it is configured.
    pub fn parts(account: &AccountConfig) -> Vec<Self> {
        let address = account.addresses.first().map(|sender| sender.address.to_string()).unwrap_or_default();
        let AccountConfig { id, person, name, .. } = account;
        let of = |part: AccountPart| {
            let (id, person, name, address) = (part.id(id), person.clone(), name.clone(), address.clone());
            Self { id, part, person, name, address }
        };
        AccountPart::of(account).into_iter().map(of).collect()
    }
}

/// Which accounts there are, and how each is. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct AccountDirectory {
    /// In the order in which they are configured.
    pub listed: Arc<[ListedAccount]>,
    /// How they are, by their ids.
    pub states: Arc<AccountStates>,
}

impl AccountDirectory {
    /// Of these.
    pub fn new(listed: impl IntoIterator<Item = ListedAccount>, states: Arc<AccountStates>) -> Self {
        Self { listed: listed.into_iter().collect(), states }
    }

    /// Those of a person. `first`: who the first admin is, if anybody is; in the terminal its person has theirs.
    pub fn of<'a>(
        &'a self,
        owner: &'a UserId,
        first: Option<&'a UserId>,
    ) -> impl Iterator<Item = &'a ListedAccount> + 'a {
        self.listed.iter().filter(move |account| match &account.person {
            AccountPerson::First => first == Some(owner) || owner.is_of_terminal(),
            AccountPerson::Id(id) => id == owner.as_str(),
        })
    }

    /// How it is, in words after its name: `read 2 min ago`.
    pub fn state_in_words(&self, account: &ListedAccount, now: DateTime<Utc>, zone: Tz) -> String {
        let AccountState { synced, disconnected, progress } = self.states.of(&account.id);
        match (disconnected, progress, synced) {
            (Some(disconnected), _, _) => {
                let since = since(disconnected.since, now, zone);
                format!("not connected since {since}: {}", trouble(&disconnected))
            }
            (None, Some((done, of)), _) => format!("reading: {} of {}", grouped(done), grouped(of)),
            (None, None, Some(synced)) => format!("read {}", ago(now, synced)),
            (None, None, None) => "not read yet since I was started".to_owned(),
        }
    }
}

/// A moment that has passed: `09:12`, or `Mon 12 Jan 09:12` on another day.
pub fn since(at: DateTime<Utc>, now: DateTime<Utc>, zone: Tz) -> String {
    let (at, now) = (at.with_timezone(&zone), now.with_timezone(&zone));
    let is_today = at.date_naive() == now.date_naive();
    at.format(if is_today { "%H:%M" } else { "%a %-d %b %H:%M" }).to_string()
}

/// What is in the way, without the full stop of its sentence, and what to do where only somebody can do it.
pub fn trouble(disconnected: &Disconnected) -> String {
    let why = one_line(&shorten(disconnected.why.trim().trim_end_matches('.'), ACCOUNT_TROUBLE_CHARS));
    let says_how = why.contains(RECONNECTS);
    match (disconnected.until_reconnected && !says_how, why.is_empty()) {
        (true, true) => format!("reconnect with “{RECONNECTS}”"),
        (true, false) => format!("{why}; reconnect with “{RECONNECTS}”"),
        (false, true) => "it could not be reached".to_owned(),
        (false, false) => why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: &str, person: AccountPerson) -> ListedAccount {
        let (part, name, address) = (AccountPart::Mail, id.to_owned(), format!("{id}@example.com"));
        ListedAccount { id: id.to_owned(), part, person, name, address }
    }

    #[test]
    fn everybody_has_their_own_accounts_and_nobody_elses() {
        let listed = [account("first", AccountPerson::First), account("annas", AccountPerson::Id("tg:1".to_owned()))];
        let all = AccountDirectory::new(listed, Arc::default());
        let root = UserId::new("tg:9");
        let of = |owner: &str, first: Option<&UserId>| {
            let owner = UserId::new(owner);
            all.of(&owner, first).map(|account| account.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(of("tg:1", Some(&root)), ["annas"]);
        assert_eq!(of("tg:9", Some(&root)), ["first"]);
        assert_eq!(of("tg:9", None), Vec::<String>::new(), "nobody is known to be the first admin");
        assert_eq!(of("me", None), ["first"]);
        assert_eq!(of("tg:2", Some(&root)), Vec::<String>::new());
    }

    #[test]
    fn each_state_has_its_words() {
        let listed = account("work", AccountPerson::First);
        let all = AccountDirectory::new([listed.clone()], Arc::default());
        let now: DateTime<Utc> = "2026-01-12T09:30:00Z".parse().unwrap();
        let words = || all.state_in_words(&listed, now, Tz::Europe__Berlin);
        assert_eq!(words(), "not read yet since I was started");
        all.states.progressed("work", 1_200, 40_000);
        assert_eq!(words(), "reading: 1,200 of 40,000");
        all.states.synced("work", now - chrono::Duration::minutes(2));
        assert_eq!(words(), "read 2 min ago");
        all.states.failed("work", now - chrono::Duration::minutes(18), "The server is away.".to_owned(), false);
        assert_eq!(words(), "not connected since 10:12: The server is away");
        all.states.failed("work", now, "The token server refused it.".to_owned(), true);
        let told = "not connected since 10:12: The token server refused it; reconnect with “brain-agent setup”";
        assert_eq!(words(), told);
        let yesterday = now + chrono::Duration::days(1);
        assert!(all.state_in_words(&listed, yesterday, Tz::UTC).starts_with("not connected since Mon 12 Jan 09:12"));
    }

    #[test]
    fn what_a_server_said_cannot_pretend_to_be_something_else() {
        let why = format!("no\n\u{202e}{}", "x".repeat(5_000));
        let disconnected = Disconnected { since: DateTime::UNIX_EPOCH, why, until_reconnected: false };
        let told = trouble(&disconnected);
        assert!(!told.contains('\u{202e}') && told.chars().count() < 2 * ACCOUNT_TROUBLE_CHARS, "{told}");
    }
}
