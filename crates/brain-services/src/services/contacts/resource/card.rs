//! A card as its lines: what each says, and what is to become of it.

use std::ops::Range;

use super::encoded::{CardVersion, is_quoted_printable, on_lines};
use super::preferred::rank;
use super::read::UnreadableContact;
use crate::services::contacts::vcard::{self, Card};
use brain_core::limits::VCARD_VALUES_MAX;
use brain_wire::ical::{Block, ContentLine, Patch, blocks};

/// Properties that the record has a place for, several values of them each.
pub(super) const LISTS: [&str; 4] = ["EMAIL", "TEL", "NICKNAME", "CATEGORIES"];
/// Others whose values are looked at.
const SINGLE: [&str; 8] = ["VERSION", "FN", "N", "ORG", "UID", "REV", "KIND", "X-ADDRESSBOOKSERVER-KIND"];
/// Values of one property that are looked at; what stands behind them stays as it is.
const LOOKED_AT_MAX: usize = 4 * VCARD_VALUES_MAX;
/// Lines that a name is looked for in.
const NAME_LINES_MAX: usize = 10;
/// Of one value, so much is read: far more than is shown of it.
const VALUE_BYTES_MAX: usize = 16 * 1024;

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineFate {
    /// It stays, byte by byte.
    Kept,
    /// It is written anew in its place.
    Changed,
    /// It goes.
    Gone,
    /// It is not there yet.
    New,
}

/// One value of a line.
#[derive(Debug, Clone)]
pub(super) struct CardValue {
    /// As it is written.
    pub raw: String,
    /// As it is read; `None`: nothing that is shown.
    pub says: Option<String>,
}

/// A line of a card.
#[derive(Debug, Clone)]
pub(super) struct CardLine {
    /// In capital letters, without its group.
    pub name: String,
    /// What stands before the value, its group and its colon included.
    pub head: String,
    /// On one line; empty where it is nothing to us.
    pub value: String,
    /// The values of a property of [`LISTS`], which `value` is made of.
    pub parts: Vec<CardValue>,
    /// With its line breaks.
    pub span: Range<usize>,
    pub fate: LineFate,
}

impl CardLine {
    /// A line that is not there yet.
    pub fn new(name: &str, head: &str, value: String) -> Self {
        let (name, head) = (name.to_owned(), head.to_owned());
        Self { name, head, value, parts: Vec::new(), span: 0..0, fate: LineFate::New }
    }

    /// `item1`, in small letters.
    pub fn group(&self) -> Option<String> {
        let name = self.head.split([';', ':']).next()?;
        Some(name.rsplit_once('.')?.0.trim().to_ascii_lowercase())
    }

    /// What a part of its value says, alone.
    pub fn says(&self, raw: &str) -> Option<String> {
        let card = reading(if self.is_name() { "" } else { "FN:-\n" }, &self.with_value(raw))?;
        let list = match self.name.as_str() {
            "EMAIL" => card.emails,
            "TEL" => card.phones,
            "NICKNAME" => card.nicknames,
            "CATEGORIES" => card.groups,
            _ => vec![card.name],
        };
        list.into_iter().next()
    }

    /// What a line of one value says.
    pub fn only(&self) -> Option<&str> {
        self.parts.first()?.says.as_deref()
    }

    /// Whether it is one of these and does not go.
    pub fn is_there(&self, name: &str) -> bool {
        self.name == name && self.fate != LineFate::Gone
    }

    fn with_value(&self, raw: &str) -> String {
        if self.head.len() > VALUE_BYTES_MAX {
            return String::new();
        }
        format!("{}{}", self.head, &raw[..raw.floor_char_boundary(VALUE_BYTES_MAX)])
    }

    /// Written anew, unless it was not there.
    pub fn change(&mut self) {
        if self.fate == LineFate::Kept {
            self.fate = LineFate::Changed;
        }
    }

    fn goes_on_at(&self, end: usize, text: &str) -> bool {
        self.span.end == end && is_quoted_printable(&self.head) && goes_on(&text[self.span.clone()])
    }

    fn is_name(&self) -> bool {
        ["FN", "N", "ORG"].contains(&self.name.as_str())
    }

    fn of(text: &str, line: &ContentLine, end: usize) -> Self {
        let mut span = line.span.clone();
        let is_ours = LISTS.contains(&line.name.as_str()) || SINGLE.contains(&line.name.as_str());
        let mut value = if is_ours { line.value().to_owned() } else { String::new() };
        if is_quoted_printable(line.head()) {
            span.end = soft_end(text, &span, end);
            if is_ours {
                let whole = without_soft_breaks(&text[span.clone()]);
                value = whole.strip_prefix(line.head()).map_or(value, str::to_owned);
            }
        }
        Self {
            name: line.name.clone(),
            head: line.head().to_owned(),
            value,
            parts: Vec::new(),
            span,
            fate: LineFate::Kept,
        }
    }

    /// Finds its parts; `left`: how many may still be looked at.
    fn read_parts(&mut self, left: &mut usize) {
        let raws = match self.name.as_str() {
            "NICKNAME" | "CATEGORIES" => separated(&self.value, ',', *left + 1),
            _ => vec![self.value.as_str()],
        };
        let parts = raws.into_iter().map(|raw| {
            let is_looked_at = *left > 0;
            *left = left.saturating_sub(1);
            let says = if is_looked_at { self.says(raw) } else { None };
            CardValue { raw: raw.to_owned(), says }
        });
        self.parts = parts.collect();
    }
}

/// A card, its lines in order.
#[derive(Debug, Clone)]
pub(super) struct CardText {
    pub version: CardVersion,
    pub lines: Vec<CardLine>,
    /// Where a new line goes: before its END, and not into a value that is not ended.
    end: usize,
}

impl CardText {
    /// The first card of a text.
    pub fn of(text: &str) -> Result<Self, UnreadableContact> {
        let all = blocks(text).map_err(UnreadableContact::Malformed)?;
        let block = all.into_iter().find(|block| block.name == "VCARD").ok_or(UnreadableContact::NoContact)?;
        let mut card = Self { version: CardVersion::V3, lines: lines(text, &block), end: block.end };
        if let Some(last) = card.lines.last().filter(|last| last.goes_on_at(block.end, text)) {
            card.end = last.span.start;
        }
        card.version = CardVersion::of(card.line("VERSION").map_or("", |line| line.value.trim()));
        for name in LISTS {
            let mut left = LOOKED_AT_MAX;
            card.lines.iter_mut().filter(|line| line.name == name).for_each(|line| line.read_parts(&mut left));
        }
        Ok(card)
    }

    /// The first line of this name.
    pub fn line(&self, name: &str) -> Option<&CardLine> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// Where the first line of this name is.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.lines.iter().position(|line| line.name == name)
    }

    /// Whether it is a group of people.
    pub fn is_group(&self) -> bool {
        let kinds = self.lines.iter().filter(|line| ["KIND", "X-ADDRESSBOOKSERVER-KIND"].contains(&line.name.as_str()));
        kinds.into_iter().any(|line| line.value.trim().eq_ignore_ascii_case("group"))
    }

    /// What its lines of this name say, in order, none twice; of numbers those that are preferred first.
    pub fn said(&self, name: &str) -> Vec<String> {
        let mut lines: Vec<&CardLine> = self.lines.iter().filter(|line| line.is_there(name)).collect();
        if name == "TEL" {
            lines.sort_by_key(|line| rank(&line.head).unwrap_or(u32::MAX));
        }
        let parts = lines.into_iter().flat_map(|line| &line.parts);
        let mut all: Vec<String> = Vec::new();
        for says in parts.filter_map(|part| part.says.as_ref()) {
            if all.len() < VCARD_VALUES_MAX && !all.iter().any(|known| known.eq_ignore_ascii_case(says)) {
                all.push(says.clone());
            }
        }
        all
    }

    /// Who it is: the name as the reader of cards finds it, else what else they are called, else a number.
    pub fn person(&self) -> Option<String> {
        let of = |name: &'static str| self.lines.iter().filter(move |line| line.is_there(name)).take(NAME_LINES_MAX);
        let lines = ["FN", "N", "ORG", "EMAIL"].into_iter().flat_map(of);
        let lines: Vec<String> = lines.map(|line| line.with_value(&line.value)).collect();
        let name = reading("", &lines.join("\n")).map(|card| card.name);
        name.or_else(|| ["NICKNAME", "TEL"].into_iter().find_map(|name| self.said(name).into_iter().next()))
    }

    /// Whether anything of it is to change.
    pub fn is_changed(&self) -> bool {
        self.lines.iter().any(|line| line.fate != LineFate::Kept)
    }

    /// The text with what is to change.
    pub fn apply(&self, text: &str) -> String {
        let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let written = |line: &CardLine| on_lines(&line.head, &line.value, self.version, line_break);
        let mut patch = Patch::new(text);
        for line in &self.lines {
            match line.fate {
                LineFate::Kept => {}
                LineFate::Changed => patch.cut(line.span.clone(), written(line)),
                LineFate::Gone => patch.cut(line.span.clone(), String::new()),
                LineFate::New => patch.cut(self.end..self.end, written(line)),
            }
        }
        patch.apply()
    }
}

/// The lines of a card, without what continues a line of version 2.1.
fn lines(text: &str, block: &Block) -> Vec<CardLine> {
    let mut found: Vec<CardLine> = Vec::new();
    for line in &block.lines {
        if found.last().is_none_or(|last| line.span.start >= last.span.end) {
            found.push(CardLine::of(text, line, block.end));
        }
    }
    found
}

fn reading(before: &str, lines: &str) -> Option<Card> {
    vcard::parse(format!("BEGIN:VCARD\n{before}{lines}\nEND:VCARD\n").as_bytes()).pop()
}

/// The parts of a value between marks that nothing escapes; at most so many, the last with all that is left.
pub(super) fn separated(value: &str, mark: char, max: usize) -> Vec<&str> {
    let mut escaped = false;
    let is_mark = |c: char| {
        let found = c == mark && !escaped;
        escaped = c == '\\' && !escaped;
        found
    };
    value.splitn(max.max(1), is_mark).collect()
}

/// Where a quoted-printable value ends: behind a line break that nothing continues.
fn soft_end(text: &str, span: &Range<usize>, end: usize) -> usize {
    let mut at = span.end;
    while at < end && (goes_on(&text[span.start..at]) || text[at..].starts_with([' ', '\t'])) {
        at = text[at..end].find('\n').map_or(end, |found| at + found + 1);
    }
    at
}

fn goes_on(line: &str) -> bool {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line).ends_with('=')
}

fn without_soft_breaks(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut continues = true;
    for line in text.trim_start_matches('\u{feff}').split_inclusive('\n') {
        // Behind a soft break everything is the value's; elsewhere a blank is that of a fold.
        let line = if continues { line } else { line.strip_prefix([' ', '\t']).unwrap_or(line) };
        continues = goes_on(line);
        let line = line.trim_end_matches(['\r', '\n']);
        whole.push_str(if continues { line.strip_suffix('=').unwrap_or(line) } else { line });
    }
    whole
}
