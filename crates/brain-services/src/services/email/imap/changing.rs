//! Changes in the account: one attempt each, and the truth about it.
//!
//! | the conversation ends…                          | it is                                          |
//! |-------------------------------------------------|------------------------------------------------|
//! | before the command that changes, in any way     | not done                                       |
//! | with the server's no                            | not done                                       |
//! | with its yes                                    | done                                           |
//! | in any other way                                | read back: done, not done, or nobody can tell  |

use std::time::Duration;

use super::connection::{Connection, ImapError, quoted};
use super::fetch::FLAGS;
use super::finding::{FoundMail, hint};
use super::folders::Folders;
use super::framing::AnswerBounds;
use super::mailbox::ImapMailbox;
use crate::services::email::mailbox::mail_change::{MailChange, MailRef};
use crate::services::email::mailbox::source::maildir::Folder;
use crate::services::remote::backend::Unwritten;
use brain_core::core::ids::UserId;
use brain_core::failpoint::fail_point;
use brain_core::limits::{IMAP_READ_BACK_MS, IMAP_READ_BACK_TRIES};

/// How far an attempt came.
enum Attempted {
    Done,
    /// It is not what it was.
    Changed,
    NotDone(String),
    /// The command that changes went out, and what came of it is not known.
    Unclear(String),
}

impl ImapMailbox {
    /// One attempt at a change.
    pub(in crate::services::email) async fn change(
        &self,
        owner: &UserId,
        change: &MailChange,
    ) -> Result<(), Unwritten> {
        let attempted = match self.connected().await {
            Ok(mut connection) => {
                let attempted = self.attempt(&mut connection, owner, change).await;
                // One that broke off before the command that changes has changed nothing.
                let attempted = attempted.unwrap_or_else(|error| Attempted::NotDone(error.to_string()));
                if !matches!(attempted, Attempted::Unclear(_)) {
                    self.give_back(connection).await;
                }
                attempted
            }
            Err(error) => Attempted::NotDone(error.to_string()),
        };
        self.poke();
        match attempted {
            Attempted::Done => Ok(()),
            Attempted::Changed => Err(Unwritten::ChangedElsewhere),
            Attempted::NotDone(why) => Err(Unwritten::Refused(not_done(&why))),
            Attempted::Unclear(why) => {
                fail_point("imap-unclear");
                match self.read_back(owner, change).await {
                    Some(true) => Ok(()),
                    Some(false) => Err(Unwritten::Refused(not_done(&why))),
                    None => Err(Unwritten::Doubtful(format!(
                        "{why}, and I can't tell whether it was done; please look there"
                    ))),
                }
            }
        }
    }

    /// After a conversation that broke off: what there is to see, by another one.
    async fn read_back(&self, owner: &UserId, change: &MailChange) -> Option<bool> {
        let mut seen = None;
        for _ in 0..IMAP_READ_BACK_TRIES {
            // What was on its way may still arrive.
            tokio::time::sleep(Duration::from_millis(IMAP_READ_BACK_MS)).await;
            seen = self.looked_up(owner, change).await;
            if seen == Some(true) {
                break;
            }
        }
        seen
    }

    /// Whether a change is to be seen there; `None` where that does not tell.
    pub(in crate::services::email) async fn looked_up(&self, owner: &UserId, change: &MailChange) -> Option<bool> {
        let mut connection = self.connected().await.ok()?;
        let seen = self.seen(&mut connection, owner, change).await;
        match seen {
            Ok(seen) => {
                self.give_back(connection).await;
                seen
            }
            Err(_) => None,
        }
    }

    async fn attempt(
        &self,
        connection: &mut Connection,
        owner: &UserId,
        change: &MailChange,
    ) -> Result<Attempted, ImapError> {
        let mut folders = Folders::of(connection).await?;
        match change {
            MailChange::Flag { mail, flag, wanted } => {
                let Some(found) = self.located(connection, &folders, owner, mail).await? else {
                    return Ok(Attempted::Changed);
                };
                let Some((_, name)) = FLAGS.iter().find(|(letter, _)| letter == flag) else {
                    return Ok(Attempted::NotDone("there is no such flag in an account".to_owned()));
                };
                let sign = if *wanted { '+' } else { '-' };
                let command = format!("UID STORE {} {sign}FLAGS.SILENT ({name})", found.uid);
                Ok(changing(connection, &command).await)
            }
            MailChange::Move { mail, to } => {
                let Some(found) = self.located(connection, &folders, owner, mail).await? else {
                    return Ok(Attempted::Changed);
                };
                let target = folders.made(connection, to).await?;
                // Making a folder leaves the other one open.
                Ok(moved(connection, found.uid, &target.name).await)
            }
            MailChange::Put { folder, bytes, .. } => {
                let target = folders.made(connection, folder).await?;
                let flags = if *folder == Folder::Drafts.dir() { "\\Seen \\Draft" } else { "\\Seen" };
                appended(connection, &format!("APPEND {} ({flags})", quoted(&target.name)), bytes).await
            }
            MailChange::Remove { folder, name } => {
                let mail = MailRef { folder: (*folder).to_owned(), name: name.clone(), message_id: None };
                let Some(found) = self.located(connection, &folders, owner, &mail).await? else {
                    return Ok(Attempted::Done);
                };
                Ok(removed(connection, found.uid).await)
            }
        }
    }

    pub(super) async fn located(
        &self,
        connection: &mut Connection,
        folders: &Folders,
        owner: &UserId,
        mail: &MailRef,
    ) -> Result<Option<FoundMail>, ImapError> {
        let Some(folder) = folders.at(&mail.folder) else { return Ok(None) };
        connection.select(folder).await?;
        let hint = hint(&self.store, owner, &self.place.account, mail).await;
        connection.find(mail, hint).await
    }

    async fn seen(
        &self,
        connection: &mut Connection,
        owner: &UserId,
        change: &MailChange,
    ) -> Result<Option<bool>, ImapError> {
        let folders = Folders::of(connection).await?;
        let in_folder =
            |folder: &str, name: &str| MailRef { folder: folder.to_owned(), name: name.to_owned(), message_id: None };
        Ok(match change {
            MailChange::Flag { mail, flag, wanted } => {
                let found = self.located(connection, &folders, owner, mail).await?;
                found.map(|found| found.flags.letters.contains(*flag) == *wanted)
            }
            MailChange::Move { mail, to } => {
                let there = MailRef { folder: to.clone(), ..mail.clone() };
                let is_there = self.located(connection, &folders, owner, &there).await?.is_some();
                let is_here = self.located(connection, &folders, owner, mail).await?.is_some();
                match (is_there, is_here) {
                    (true, false) => Some(true),
                    (false, true) => Some(false),
                    (_, _) => None,
                }
            }
            MailChange::Put { folder, name, .. } => {
                // What was sent may lie among all mail alone.
                let also = folders.0.iter().filter(|other| other.holds_all && *folder == Folder::Sent.dir());
                let dirs = std::iter::once(*folder).chain(also.map(|all| all.dir.as_str()));
                for dir in dirs {
                    if self.located(connection, &folders, owner, &in_folder(dir, name)).await?.is_some() {
                        return Ok(Some(true));
                    }
                }
                Some(false)
            }
            MailChange::Remove { folder, name } => {
                Some(self.located(connection, &folders, owner, &in_folder(folder, name)).await?.is_none())
            }
        })
    }
}

fn not_done(why: &str) -> String {
    format!("{why}. Nothing was changed.")
}

/// The command that changes: from here on a conversation that breaks off leaves a doubt.
async fn changing(connection: &mut Connection, command: &str) -> Attempted {
    fail_point("imap-before");
    let ended = connection.run(command, |_| {}).await;
    fail_point("imap-answered");
    match ended {
        Ok(()) => Attempted::Done,
        Err(ImapError::Lost(why)) => Attempted::Unclear(why),
        Err(error) => Attempted::NotDone(error.to_string()),
    }
}

async fn moved(connection: &mut Connection, uid: u32, to: &str) -> Attempted {
    if connection.offers("MOVE") {
        return changing(connection, &format!("UID MOVE {uid} {}", quoted(to))).await;
    }
    match changing(connection, &format!("UID COPY {uid} {}", quoted(to))).await {
        // It lies in both from here on, so a no is no more a no to all of it.
        Attempted::Done => match removed(connection, uid).await {
            Attempted::NotDone(why) => Attempted::Unclear(why),
            other => other,
        },
        other => other,
    }
}

/// Marked as deleted, and cleared away where the server can do that for one mail alone.
async fn removed(connection: &mut Connection, uid: u32) -> Attempted {
    match changing(connection, &format!("UID STORE {uid} +FLAGS.SILENT (\\Deleted)")).await {
        Attempted::Done if connection.offers("UIDPLUS") => {
            match connection.run(&format!("UID EXPUNGE {uid}"), |_| {}).await {
                // It counts as gone by its mark.
                Ok(()) | Err(ImapError::Refused(_)) => Attempted::Done,
                Err(error) => Attempted::Unclear(error.to_string()),
            }
        }
        other => other,
    }
}

/// Puts a mail into a folder. Before its last byte nothing is there.
async fn appended(connection: &mut Connection, command: &str, bytes: &[u8]) -> Result<Attempted, ImapError> {
    fail_point("imap-before");
    connection.allow(AnswerBounds::SMALL);
    let tag = connection.begin(&format!("{command} {{{}}}", bytes.len())).await?;
    if let Some(ended) = connection.asked_for_more(&tag).await? {
        return ended.map(|()| Attempted::NotDone(format!("{} took nothing", connection.host())));
    }
    let ended = match connection.line(bytes).await {
        Ok(()) => connection.answered(&tag, |_| {}).await,
        Err(error) => Err(error),
    };
    fail_point("imap-answered");
    Ok(match ended {
        Ok(()) => Attempted::Done,
        Err(ImapError::Lost(why)) => Attempted::Unclear(why),
        Err(error) => Attempted::NotDone(error.to_string()),
    })
}
