//! What the file of a mail that came from an account is called: `SECONDS.DIGEST.ba-ACCOUNT`, in whichever folder it
//! lies, and whichever number the server gives it there.
//!
//! The digest is of the mail's beginning, so that a name says what the mail is: a mail that is to be changed is the one
//! whose beginning has this digest, and no other.

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use brain_core::core::digest::hex;

/// Bytes of a mail that its digest is made of.
pub(super) const DIGESTED_BYTES: usize = 64 * 1024;
/// Letters of the digest: 96 bits.
const DIGEST_LETTERS: usize = 24;
/// Letters of the account's mark.
const ACCOUNT_LETTERS: usize = 8;
/// Before the account.
const MARK: &str = ".ba-";

/// Such a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MailName {
    /// When the mail came, in seconds.
    pub came: i64,
    /// Of its beginning.
    pub digest: String,
    account: String,
}

impl MailName {
    /// Of a mail of `account` that begins with `bytes`.
    pub fn of(account: &str, came: DateTime<Utc>, bytes: &[u8]) -> Self {
        Self { came: came.timestamp().max(0), digest: digest(bytes), account: account_mark(account) }
    }

    /// The name again; `None` for a file that came in another way.
    pub fn parse(base: &str) -> Option<Self> {
        let (rest, account) = base.rsplit_once(MARK)?;
        let (came, digest) = rest.split_once('.')?;
        let is_fine = digest.len() == DIGEST_LETTERS && digest.bytes().all(|b| b.is_ascii_hexdigit());
        is_fine.then_some(())?;
        Some(Self { came: came.parse().ok()?, digest: digest.to_owned(), account: account.to_owned() })
    }

    /// As a file is called, without flags.
    pub fn base(&self) -> String {
        format!("{}.{}{MARK}{}", self.came, self.digest, self.account)
    }

    /// Whether the mail of this beginning is the one.
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        digest(bytes) == self.digest
    }
}

/// What ends the names of an account's mails: `.ba-0f3a91c2`.
pub fn file_mark(account: &str) -> String {
    format!("{MARK}{}", account_mark(account))
}

fn account_mark(account: &str) -> String {
    hex(&Sha256::digest(account.as_bytes())).chars().take(ACCOUNT_LETTERS).collect()
}

/// Whether a file of this name came from the account; `None` where it came in another way.
pub(in crate::services::email) fn is_of_account(base: &str, account: &str) -> Option<bool> {
    let (_, mark) = base.rsplit_once(MARK)?;
    let is_mark = mark.len() == ACCOUNT_LETTERS && mark.bytes().all(|b| b.is_ascii_hexdigit());
    is_mark.then(|| mark == account_mark(account))
}

fn digest(bytes: &[u8]) -> String {
    let beginning = &bytes[..bytes.len().min(DIGESTED_BYTES)];
    hex(&Sha256::digest(beginning)).chars().take(DIGEST_LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_the_mail_is_and_is_read_again() {
        let at = DateTime::from_timestamp(1_768_200_001, 0).unwrap();
        let long = vec![b'x'; DIGESTED_BYTES + 10];
        let name = MailName::of("acct:1", at, &long);
        assert_eq!(MailName::parse(&name.base()), Some(name.clone()));
        assert!(name.is_of(&long[..DIGESTED_BYTES]) && !name.is_of(&long[..DIGESTED_BYTES - 1]));
        assert_eq!(is_of_account(&name.base(), "acct:1"), Some(true));
        assert_eq!(is_of_account(&name.base(), "acct:2"), Some(false));
        for other in ["1768200001.lunch", "x.brain-agent", "1.2.ba-3", "", ".ba-", "é.é.ba-é"] {
            assert_eq!(MailName::parse(other), None, "{other}");
        }
    }
}
