//! The server's folders, and where each lies in the mailbox here.
//!
//! What a folder is for is told by the server (SPECIAL-USE), and where it does not say, by a list of names that
//! programs give them. Every other folder keeps its path as its name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::answer::{ImapAnswer, ListRow};
use super::connection::{Connection, ImapError, quoted};
use crate::services::email::mailbox::source::maildir::Folder;
use crate::services::email::mailbox::source::moves::{ARCHIVE, INBOX, TRASH};
use brain_core::limits::IMAP_FOLDERS_MAX;

/// Junk; nothing in it is found.
pub(super) const JUNK: &str = ".Junk";
/// Longer names of folders are cut.
const NAME_BYTES_MAX: usize = 120;

/// What folders are called where the server does not say what they are for: a folder here, and names.
static USUAL_NAMES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let rows = include_str!("../../../../../../data/mail/folder-names.txt").lines();
    let rows = rows.filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once(':'));
    let names = rows.flat_map(|(dir, names)| names.split(',').map(move |name| (dir.trim(), name.trim())));
    names.map(|(dir, name)| (format!(".{dir}"), name.to_lowercase())).collect()
});

/// A folder of the server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerFolder {
    /// As commands name it.
    pub name: String,
    /// Where it lies here, as in [`MailRef::folder`](crate::services::email::mailbox::mail_change::MailRef::folder).
    pub dir: String,
    /// All mail of the account once more, whatever other folder it lies in.
    pub holds_all: bool,
}

impl ServerFolder {
    /// What that means here.
    pub fn kind(&self) -> Folder {
        [Folder::Inbox, Folder::Sent, Folder::Drafts]
            .into_iter()
            .find(|kind| kind.dir() == self.dir)
            .unwrap_or(Folder::Kept)
    }
}

/// Those of one account.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders(pub Vec<ServerFolder>);

impl Folders {
    /// Asks the server.
    pub async fn of(connection: &mut Connection) -> Result<Self, ImapError> {
        let tells_more = connection.offers("LIST-EXTENDED") && connection.offers("SPECIAL-USE");
        let asked = if tells_more { "LIST \"\" \"*\" RETURN (SPECIAL-USE)" } else { "LIST \"\" \"*\"" };
        let mut listed = Vec::new();
        connection
            .run(asked, |answer| {
                if let ImapAnswer::List(row) = answer
                    && listed.len() < IMAP_FOLDERS_MAX
                {
                    listed.push(ListedFolder::of(row));
                }
            })
            .await?;
        let folders = Self::arranged(listed);
        // Every account has one: a list without it has lost something on its way.
        match folders.at(INBOX) {
            Some(_) => Ok(folders),
            None => Err(connection.lost("named no inbox")),
        }
    }

    fn arranged(listed: Vec<ListedFolder>) -> Self {
        let mut by_dir: BTreeMap<String, ServerFolder> = BTreeMap::new();
        let all = listed.iter().find(|row| row.holds_all);
        let mut put = |dir: &str, row: &ListedFolder, holds_all: bool| {
            let folder = ServerFolder { name: row.name.clone(), dir: dir.to_owned(), holds_all };
            by_dir.entry(dir.to_owned()).or_insert(folder);
        };
        let selectable = || listed.iter().filter(|row| row.is_selectable && !row.holds_all);
        // What the server says comes before what a name says, and that before what a name is.
        for row in selectable() {
            match row.is_inbox() {
                true => put(INBOX, row, false),
                false => row.purpose.iter().for_each(|dir| put(dir, row, false)),
            }
        }
        for row in selectable().filter(|row| row.purpose.is_none() && !row.is_inbox()) {
            let usual = USUAL_NAMES.iter().find(|(_, name)| *name == row.shown.to_lowercase());
            usual.iter().for_each(|(dir, _)| put(dir, row, false));
        }
        if let Some(all) = all {
            put(ARCHIVE, all, true);
        }
        let mut taken: BTreeSet<String> = by_dir.values().map(|folder| folder.name.clone()).collect();
        for row in listed.iter().filter(|row| row.is_selectable && !row.holds_all) {
            // One that is named twice is one.
            if !taken.insert(row.name.clone()) {
                continue;
            }
            let mut dir = row.dir();
            // Two names of theirs may be one of ours.
            let mut n = 2;
            while by_dir.contains_key(&dir) {
                dir = format!("{}~{n}", row.dir());
                n += 1;
            }
            by_dir.insert(dir.clone(), ServerFolder { name: row.name.clone(), dir, holds_all: false });
        }
        // The inbox comes first, and what holds everything once more last.
        let mut folders: Vec<ServerFolder> = by_dir.into_values().collect();
        folders.sort_by_key(|folder| (folder.holds_all, folder.dir != INBOX));
        Self(folders)
    }

    /// The folder that lies here.
    pub fn at(&self, dir: &str) -> Option<&ServerFolder> {
        self.0.iter().find(|folder| folder.dir == dir)
    }

    /// The folder that lies here; made there, where there is none yet.
    pub async fn made(&mut self, connection: &mut Connection, dir: &str) -> Result<ServerFolder, ImapError> {
        if let Some(folder) = self.at(dir) {
            return Ok(folder.clone());
        }
        let name = encoded(dir.trim_start_matches('.'));
        match connection.run(&format!("CREATE {}", quoted(&name)), |_| {}).await {
            // It may have been made meanwhile.
            Ok(()) | Err(ImapError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
        *self = Self::of(connection).await?;
        let missing = || ImapError::Refused(format!("{} has no folder for that, and makes none", connection.host()));
        self.at(dir).cloned().ok_or_else(missing)
    }
}

/// A row of the server's list.
#[derive(Debug, Clone)]
struct ListedFolder {
    name: String,
    /// As people read it.
    shown: String,
    delimiter: Option<char>,
    is_selectable: bool,
    holds_all: bool,
    purpose: Option<&'static str>,
}

impl ListedFolder {
    fn of(row: ListRow) -> Self {
        let ListRow { attributes, delimiter, name } = row;
        let has = |wanted: &str| attributes.iter().any(|attribute| attribute == wanted);
        let purposes = [
            ("\\sent", Folder::Sent.dir()),
            ("\\drafts", Folder::Drafts.dir()),
            ("\\archive", ARCHIVE),
            ("\\trash", TRASH),
            ("\\junk", JUNK),
        ];
        // A folder that only shows what others hold, by a star, is none to keep in step.
        let is_view = has("\\flagged");
        Self {
            shown: decoded(&name),
            delimiter,
            is_selectable: !has("\\noselect") && !is_view && !name.contains(['\r', '\n', '\0']),
            holds_all: has("\\all"),
            purpose: purposes.iter().find(|(attribute, _)| has(attribute)).map(|(_, dir)| *dir),
            name,
        }
    }

    fn is_inbox(&self) -> bool {
        self.name.eq_ignore_ascii_case("INBOX")
    }

    /// Its folder here: its path, with a dot before each part, as Maildir++ has it.
    fn dir(&self) -> String {
        let clean = |part: &str| -> String {
            let fine = |c: char| !c.is_control() && !matches!(c, '/' | '.');
            part.chars().map(|c| if fine(c) { c } else { '_' }).collect()
        };
        let parts: Vec<String> = match self.delimiter {
            Some(delimiter) => self.shown.split(delimiter).map(clean).collect(),
            None => vec![clean(&self.shown)],
        };
        let mut name = parts.join(".");
        while name.len() > NAME_BYTES_MAX {
            name.pop();
        }
        format!(".{name}")
    }
}

/// A folder's name as people read it (RFC 3501, modified UTF-7). What is none stays as it is.
fn decoded(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let Some((shifted, behind)) = after.split_once('-') else { return name.to_owned() };
        match (shifted.is_empty(), from_base64(shifted)) {
            (true, _) => out.push('&'),
            (false, Some(text)) => out.push_str(&text),
            (false, None) => return name.to_owned(),
        }
        rest = behind;
    }
    out + rest
}

fn from_base64(shifted: &str) -> Option<String> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD_NO_PAD.decode(shifted.replace(',', "/")).ok()?;
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    String::from_utf16(&units).ok()
}

/// The other way round.
fn encoded(name: &str) -> String {
    use base64::Engine as _;
    let mut out = String::new();
    let mut shifted: Vec<u16> = Vec::new();
    let flush = |shifted: &mut Vec<u16>, out: &mut String| {
        if !shifted.is_empty() {
            let bytes: Vec<u8> = shifted.drain(..).flat_map(u16::to_be_bytes).collect();
            let text = base64::engine::general_purpose::STANDARD_NO_PAD.encode(bytes).replace('/', ",");
            out.push_str(&format!("&{text}-"));
        }
    };
    for c in name.chars() {
        if (' '..='~').contains(&c) {
            flush(&mut shifted, &mut out);
            out.push_str(if c == '&' { "&-" } else { "" });
            if c != '&' {
                out.push(c);
            }
        } else {
            shifted.extend(c.encode_utf16(&mut [0; 2]).iter());
        }
    }
    flush(&mut shifted, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, attributes: &[&str]) -> ListedFolder {
        let attributes = attributes.iter().map(|attribute| (*attribute).to_owned()).collect();
        ListedFolder::of(ListRow { attributes, delimiter: Some('/'), name: name.to_owned() })
    }

    #[test]
    fn names_in_other_scripts_are_read_and_written() {
        for (wire, shown) in [
            ("Entw&APw-rfe", "Entwürfe"),
            ("&ZeVnLIqe-", "日本語"),
            ("A &- B", "A & B"),
            ("&Jjo-!", "☺!"),
            ("&2D3eAA-", "😀"),
        ] {
            assert_eq!(decoded(wire), shown);
            assert_eq!(encoded(shown), wire);
        }
        for broken in ["&", "&x", "&!!-", "a&AAA"] {
            assert_eq!(decoded(broken), broken);
        }
    }

    #[test]
    fn each_folder_has_one_place_and_what_the_server_says_comes_first() {
        let folders = Folders::arranged(vec![
            row("Sent", &[]),
            row("[Gmail]/Gesendet", &["\\sent"]),
            row("[Gmail]", &["\\noselect"]),
            row("[Gmail]/All Mail", &["\\all"]),
            row("[Gmail]/Starred", &["\\flagged"]),
            row("inbox", &[]),
            row("Entw&APw-rfe", &[]),
            row("Work/2026.1", &[]),
            row("Work/2026_1", &[]),
            row("Work/2026_1", &[]),
            row("../../etc", &[]),
        ]);
        let shown: Vec<(&str, &str)> = folders.0.iter().map(|f| (f.dir.as_str(), f.name.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("", "inbox"),
                (".Drafts", "Entw&APw-rfe"),
                (".Sent", "[Gmail]/Gesendet"),
                (".Sent~2", "Sent"),
                (".Work.2026_1", "Work/2026.1"),
                (".Work.2026_1~2", "Work/2026_1"),
                (".__.__.etc", "../../etc"),
                (".Archive", "[Gmail]/All Mail"),
            ]
        );
        assert!(folders.at(".Archive").unwrap().holds_all);
    }
}
