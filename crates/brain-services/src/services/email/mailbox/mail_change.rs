//! What is to become of a mail, as an account is asked for it. Here alone, below the accounts: how it is asked, and how
//! the mailbox here follows, is [`super::keeping`].

use std::sync::Arc;

/// A mail of the mailbox, as an account can recognise it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRef {
    /// The folder it lies in: empty for the inbox, else as Maildir++ names it, `.Archive`.
    pub folder: String,
    /// The name of its file, without flags: the same in every folder.
    pub name: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
}

/// What is to become of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailChange {
    /// It has this flag of the Maildir's (`S`: seen, `F`: with a star), or not.
    Flag {
        /// The mail whose flag it is.
        mail: MailRef,
        /// A letter of the Maildir's info part.
        flag: char,
        /// Whether it is to be there.
        wanted: bool,
    },
    /// It lies in another folder.
    Move {
        /// The mail, where it lies now.
        mail: MailRef,
        /// The folder, as in [`MailRef::folder`].
        to: String,
    },
    /// One that we wrote is kept: a draft, a copy of what was sent.
    Put {
        /// The folder, as in [`MailRef::folder`].
        folder: &'static str,
        /// The name of its file, which follows from the attempt.
        name: String,
        /// The whole of it, RFC 5322.
        bytes: Arc<[u8]>,
    },
    /// A draft that we wrote goes.
    Remove {
        /// The folder, as in [`MailRef::folder`].
        folder: &'static str,
        /// The name of its file.
        name: String,
    },
}
