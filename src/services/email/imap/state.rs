//! How a folder of the server's is: what tells that nothing has changed since the last look.

use async_imap::imap_proto::{MailboxDatum, Response, ResponseCode, StatusAttribute};

use super::connection::{Connection, ImapError, code_of, quoted};
use super::folders::ServerFolder;
use super::rows::FolderRow;

/// A folder as the server opened it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct FolderState {
    /// UIDs mean something under this number only.
    pub validity: u32,
    /// The UID that the next mail gets.
    pub next: u32,
    /// What it counts changes by; 0 where it does not.
    pub modseq: u64,
    /// How many mails there are.
    pub exists: u32,
}

impl FolderRow {
    /// As the server told it then.
    pub fn state(&self) -> FolderState {
        FolderState { validity: self.validity, next: self.next, modseq: self.modseq, exists: self.exists }
    }
}

impl Connection {
    /// A folder as it is, without opening it. `counts`: changes are counted there.
    pub async fn status(&mut self, folder: &ServerFolder, counts: bool) -> Result<FolderState, ImapError> {
        let modseq = if counts { " HIGHESTMODSEQ" } else { "" };
        let mut state = FolderState::default();
        let command = format!("STATUS {} (UIDVALIDITY UIDNEXT MESSAGES{modseq})", quoted(&folder.name));
        self.run(&command, |answer| {
            let Response::MailboxData(MailboxDatum::Status { status, .. }) = answer else { return };
            for item in status {
                match item {
                    StatusAttribute::UidValidity(n) => state.validity = *n,
                    StatusAttribute::UidNext(n) => state.next = *n,
                    StatusAttribute::Messages(n) => state.exists = *n,
                    StatusAttribute::HighestModSeq(n) => state.modseq = *n,
                    _ => {}
                }
            }
        })
        .await?;
        Ok(state)
    }

    /// Opens a folder to look at it.
    pub async fn examine(&mut self, folder: &ServerFolder, counts: bool) -> Result<FolderState, ImapError> {
        let counting = if counts { " (CONDSTORE)" } else { "" };
        let mut state = FolderState::default();
        self.run(&format!("EXAMINE {}{counting}", quoted(&folder.name)), |answer| {
            if let Response::MailboxData(MailboxDatum::Exists(n)) = answer {
                state.exists = *n;
            }
            match code_of(answer) {
                Some(ResponseCode::UidValidity(n)) => state.validity = *n,
                Some(ResponseCode::UidNext(n)) => state.next = *n,
                Some(ResponseCode::HighestModSeq(n)) => state.modseq = *n,
                _ => {}
            }
        })
        .await?;
        Ok(state)
    }
}
