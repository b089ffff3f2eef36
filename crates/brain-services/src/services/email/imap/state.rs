//! How a folder of the server's is: what tells that nothing has changed since the last look.

use super::answer::{FolderCode, ImapAnswer};
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
            let ImapAnswer::FolderStatus(numbers) = answer else { return };
            for (name, number) in numbers {
                let small = u32::try_from(number).unwrap_or_default();
                match name.as_str() {
                    "UIDVALIDITY" => state.validity = small,
                    "UIDNEXT" => state.next = small,
                    "MESSAGES" => state.exists = small,
                    "HIGHESTMODSEQ" => state.modseq = number,
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
            if let ImapAnswer::Exists(n) = answer {
                state.exists = n;
            }
            match code_of(&answer) {
                Some(FolderCode::UidValidity(n)) => state.validity = n,
                Some(FolderCode::UidNext(n)) => state.next = n,
                Some(FolderCode::HighestModSeq(n)) => state.modseq = n,
                None => {}
            }
        })
        .await?;
        Ok(state)
    }
}
