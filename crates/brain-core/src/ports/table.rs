//! The tables of the store, and what each holds.

use serde::{Deserialize, Serialize};

/// What is kept, one table each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// Updates received and not finished, and a memory of finished ones.
    Inbox,
    /// Messages to people that are not delivered yet.
    Outbox,
    /// What was said in every chat, both ways.
    Messages,
    /// People and their settings.
    Users,
    /// What is going on in each chat: open question, focus, last message.
    Chats,
    /// Pending actions, all states.
    Pending,
    /// Index: the open pending actions of each chat.
    PendingOpen,
    /// Index: which card a message belongs to.
    Cards,
    /// Messages with buttons that decide no card: what they said, so that a press can change them.
    Shown,
    /// Journals of actions being done: the intent log.
    Runs,
    /// Prior states, for undo.
    Undo,
    /// What falls due, in order of time.
    Due,
    /// Who decided and did what.
    Audit,
    /// One trace a turn.
    Turns,
    /// What the nodes of each person's last turns got and gave, where that is kept.
    Contents,
    /// What calls of models came to, by day.
    Usage,
    /// What was said in every chat, in short.
    Summaries,
    /// How these came about.
    Compressions,
    /// What was forgotten and still has to be erased elsewhere.
    Erasures,
    /// Ids of what was forgotten, so that nothing brings it back.
    Forgotten,
    /// Tasks.
    Tasks,
    /// Calendar events.
    Events,
    /// Notes and lists.
    Notes,
    /// Memories.
    Memories,
    /// What memories mean, as vectors.
    Vectors,
    /// Saved contacts.
    Contacts,
    /// What is waited for in mail.
    Watches,
    /// Tools of servers, as they were last seen.
    Tools,
    /// Folders of mailboxes elsewhere, as they were last read.
    MailFolders,
    /// Mails in them, by the server's numbers.
    MailUids,
    /// Counters and settings of the program itself.
    Meta,
    /// Records that could not be read.
    Aside,
}

impl Table {
    /// Every table.
    pub const ALL: [Self; 32] = [
        Self::Inbox,
        Self::Outbox,
        Self::Messages,
        Self::Users,
        Self::Chats,
        Self::Pending,
        Self::PendingOpen,
        Self::Cards,
        Self::Shown,
        Self::Runs,
        Self::Undo,
        Self::Due,
        Self::Audit,
        Self::Turns,
        Self::Contents,
        Self::Usage,
        Self::Summaries,
        Self::Compressions,
        Self::Erasures,
        Self::Forgotten,
        Self::Tasks,
        Self::Events,
        Self::Notes,
        Self::Memories,
        Self::Vectors,
        Self::Contacts,
        Self::Watches,
        Self::Tools,
        Self::MailFolders,
        Self::MailUids,
        Self::Meta,
        Self::Aside,
    ];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Outbox => "outbox",
            Self::Messages => "messages",
            Self::Users => "users",
            Self::Chats => "chats",
            Self::Pending => "pending",
            Self::PendingOpen => "pending_open",
            Self::Cards => "cards",
            Self::Shown => "shown",
            Self::Runs => "runs",
            Self::Undo => "undo",
            Self::Due => "due",
            Self::Audit => "audit",
            Self::Turns => "turns",
            Self::Contents => "contents",
            Self::Usage => "usage",
            Self::Summaries => "summaries",
            Self::Compressions => "compressions",
            Self::Erasures => "erasures",
            Self::Forgotten => "forgotten",
            Self::Tasks => "tasks",
            Self::Events => "events",
            Self::Notes => "notes",
            Self::Memories => "memories",
            Self::Vectors => "vectors",
            Self::Contacts => "contacts",
            Self::Watches => "watches",
            Self::Tools => "tools",
            Self::MailFolders => "mail_folders",
            Self::MailUids => "mail_uids",
            Self::Meta => "meta",
            Self::Aside => "aside",
        }
    }

    /// Whether something unsafe would follow from taking a record for absent that is there and cannot be read: a
    /// decision or an effect would be forgotten, a message taken for another one, something not be erased.
    pub fn holds_what_must_not_be_missed(self) -> bool {
        match self {
            Self::Pending | Self::Runs | Self::Cards | Self::Undo | Self::Erasures | Self::Aside => true,
            Self::Forgotten => true,
            Self::Inbox | Self::Outbox | Self::Messages | Self::Users | Self::Chats | Self::PendingOpen => false,
            Self::Shown
            | Self::Due
            | Self::Audit
            | Self::Turns
            | Self::Contents
            | Self::Usage
            | Self::Summaries
            | Self::Compressions => false,
            Self::Tasks | Self::Events | Self::Notes | Self::Memories | Self::Contacts | Self::Watches => false,
            // It is read from the account once more.
            Self::MailFolders | Self::MailUids | Self::Meta => false,
            // It is made again.
            Self::Vectors => false,
            // A definition that was seen would be taken for a new one.
            Self::Tools => true,
        }
    }
}
