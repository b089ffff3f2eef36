//! What an import came to, in numbers and in words.

use crate::pipeline::show;
use brain_core::core::ids::UserId;
use brain_core::core::text::{shorten, visible};
use brain_core::limits::IMPORT_TOLD_MAX;
use brain_services::services::contract::archived::{Imported, Unarchived};

/// Characters of one thing that could not be taken in.
const TOLD_CHARS: usize = 200;

/// What became of the records of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KindReport {
    /// Its name, of several.
    pub name: String,
    /// How many are new.
    pub new: usize,
    /// How many were here already.
    pub here: usize,
    /// How many accounts bring themselves.
    pub elsewhere: usize,
    /// How many were forgotten here since.
    pub forgotten: usize,
    /// How many were left out for another reason.
    pub left_out: usize,
}

/// What an import came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportReport {
    /// Whose it has become.
    pub owner: UserId,
    /// What became of settings and zone; `None`: there were none.
    pub settings: Option<&'static str>,
    /// Kind by kind.
    pub kinds: Vec<KindReport>,
    /// Rules that were not taken in: they are offered.
    pub proposed: Vec<String>,
    /// How many more there are.
    pub proposed_over: usize,
    /// What was left out, and why, one by one.
    pub unread: Vec<String>,
}

impl ImportReport {
    pub(super) fn of(owner: &UserId) -> Self {
        Self {
            owner: owner.clone(),
            settings: None,
            kinds: Vec::new(),
            proposed: Vec::new(),
            proposed_over: 0,
            unread: Vec::new(),
        }
    }

    /// The report on one kind.
    pub(super) fn kind(&mut self, name: &str) -> &mut KindReport {
        let at = self.kinds.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            self.kinds.push(KindReport { name: name.to_owned(), ..KindReport::default() });
            self.kinds.len() - 1
        });
        &mut self.kinds[at]
    }

    pub(super) fn add(&mut self, name: &str, taken: Imported) {
        let Imported { new, here, elsewhere, forgotten, unread, .. } = taken;
        let kind = self.kind(name);
        kind.new += new;
        kind.here += here;
        kind.elsewhere += elsewhere;
        kind.forgotten += forgotten;
        self.unread(name, unread);
    }

    pub(super) fn add_files(&mut self, taken: Unarchived) {
        let Unarchived { noun, new, here, unread } = taken;
        let kind = self.kind(noun);
        kind.new += new;
        kind.here += here;
        self.unread(noun, unread);
    }

    /// Some of a kind were left out.
    pub(super) fn unread(&mut self, name: &str, why: Vec<String>) {
        if why.is_empty() {
            return;
        }
        self.kind(name).left_out += why.len();
        let name = name.replace('_', " ");
        self.unread.extend(why.into_iter().map(|why| format!("{name}: {}", visible(&shorten(&why, TOLD_CHARS)))));
    }

    /// What becomes of its rules.
    fn told_rules(&self) -> Vec<String> {
        if self.proposed.is_empty() {
            return Vec::new();
        }
        let owner = visible(self.owner.as_str());
        let mut lines = vec![format!(
            "Rules, none of them in force: each is offered to {owner} with a button, for a day. Taken in again, they are \
             offered again:"
        )];
        lines.extend(self.proposed.iter().map(|rule| format!("  “{}”", visible(&shorten(rule, TOLD_CHARS)))));
        let over = self.proposed_over;
        lines.extend((over > 0).then(|| format!("  and {over} more, which are not offered: tell me those yourself")));
        lines
    }

    /// How many things were new.
    pub fn new_things(&self) -> usize {
        self.kinds.iter().map(|kind| kind.new).sum()
    }

    /// In words, for a terminal.
    pub fn to_text(&self) -> String {
        let mut lines = vec![format!("Taken in for {}:", visible(self.owner.as_str()))];
        lines.extend(self.settings.map(|what| format!("  settings: {what}")));
        lines.extend(self.kinds.iter().map(KindReport::line));
        if lines.len() == 1 {
            lines.push("  nothing: there is nothing in it".to_owned());
        }
        lines.extend(self.told_rules());
        if !self.unread.is_empty() {
            lines.push("Left out:".to_owned());
            lines.extend(self.unread.iter().take(IMPORT_TOLD_MAX).map(|why| format!("  {why}")));
            let more = self.unread.len().saturating_sub(IMPORT_TOLD_MAX);
            lines.extend((more > 0).then(|| format!("  and {more} more")));
        }
        lines.join("\n")
    }
}

impl KindReport {
    fn line(&self) -> String {
        let all = self.new + self.here + self.elsewhere + self.forgotten + self.left_out;
        let parts = [
            (self.new, "new"),
            (self.here, "here already"),
            (self.elsewhere, "kept by accounts, which bring them themselves"),
            (self.forgotten, "forgotten here, left out"),
            (self.left_out, "left out"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        format!("  {}: {}", visible(&show::counted(&self.name, all)), parts.join(", "))
    }
}
