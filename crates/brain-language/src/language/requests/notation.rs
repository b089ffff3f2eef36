//! The notation of frames: what people say for the commands of a service, as text. Built-in services and others use it
//! alike, each in a folder of its own.
//!
//! ```text
//! # a comment
//! create title=Wake+up                 a command of that service, and parameters that the wording itself gives
//!   [please] wake me (up|) {deadline}  its frames, indented: [optional] (this|or that) <class> {slot} {slot:type}
//!   ~{title:errand}                    weak: right only when nothing else fits
//! ```
//! `?` before a frame: a question over many items. Strict: a mistake names its line and leaves the frame out.

use super::grammar::{CommandFrame, Symbol};
use super::lexicon::{ClassId, WordId};
use super::slot_types::SlotType;

/// The marks that a frame may ask for.
const MARKS: [&str; 2] = [":", ","];

/// A line that is no frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Mistake {
    /// 1-based.
    pub line: usize,
    pub why: String,
}

/// A class by its name.
type Class<'a> = &'a dyn Fn(&str) -> Option<ClassId>;
/// What a slot holds, by its name and its type.
type TypeOf<'a> = &'a dyn Fn(&str, &str) -> Option<SlotType>;
/// A word of a frame as it is heard in a message; it may be several there.
type Ids<'a> = &'a mut dyn FnMut(&str) -> Vec<WordId>;

/// The frames of a text, each with its line, 1-based, and its mistakes.
pub(super) fn read(text: &str, class: Class, kind: TypeOf, words: Ids) -> (Vec<(usize, CommandFrame)>, Vec<Mistake>) {
    let (mut frames, mut mistakes) = (Vec::new(), Vec::new());
    let (mut command, mut fixed) = (String::new(), Vec::new());
    for (index, line) in text.lines().enumerate().filter(|(_, line)| super::lexicon::is_data(line)) {
        if !line.starts_with(' ') {
            let mut words = line.split_whitespace();
            command = words.next().unwrap_or_default().to_owned();
            fixed = words.filter_map(|w| w.split_once('=')).map(|(k, v)| (k.to_owned(), v.replace('+', " "))).collect();
            continue;
        }
        let line = line.trim();
        let (weak, investigates) = (line.starts_with('~'), line.starts_with('?'));
        match pieces(line.trim_start_matches(['~', '?']), class, kind, words) {
            Ok(_) if command.is_empty() => mistakes.push(Mistake { line: index + 1, why: "no command yet".to_owned() }),
            Ok(pieces) => {
                let (command, fixed) = (command.clone(), fixed.clone());
                frames.push((index + 1, CommandFrame { command, fixed, pieces, weak, investigates }));
            }
            Err(why) => mistakes.push(Mistake { line: index + 1, why: format!("{command}: {line}: {why}") }),
        }
    }
    (frames, mistakes)
}

/// Splits a frame into symbols, then reads these by recursive descent.
fn pieces(text: &str, class: Class, kind: TypeOf, words: Ids) -> Result<Vec<Symbol>, String> {
    let mut symbols = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['[', ']', '(', ')', '|']) {
            symbols.extend([&rest[..at], &rest[at..=at]].into_iter().filter(|symbol| !symbol.is_empty()));
            rest = &rest[at + 1..];
        }
        symbols.extend(Some(rest).filter(|symbol| !symbol.is_empty()));
    }
    let mut reader = NotationReader { symbols: &symbols, class, kind, words, depth: 0 };
    let pieces = reader.sequence()?;
    match reader.symbols.first() {
        None => Ok(pieces),
        Some(extra) => Err(format!("unexpected `{extra}`")),
    }
}

/// Brackets inside brackets.
const DEPTH_MAX: usize = 8;

struct NotationReader<'a> {
    symbols: &'a [&'a str],
    class: Class<'a>,
    kind: TypeOf<'a>,
    words: Ids<'a>,
    depth: usize,
}

impl NotationReader<'_> {
    fn sequence(&mut self) -> Result<Vec<Symbol>, String> {
        let mut pieces = Vec::new();
        while let Some((&symbol, rest)) = self.symbols.split_first() {
            match symbol {
                "]" | ")" | "|" => break,
                "[" => pieces.push(Symbol::Optional(self.ways("]")?)),
                "(" => pieces.push(Symbol::Either(self.ways(")")?)),
                _ => {
                    self.symbols = rest;
                    self.atom(symbol, &mut pieces)?;
                }
            }
        }
        Ok(pieces)
    }

    /// What stands between two brackets, these included.
    fn ways(&mut self, close: &str) -> Result<Vec<Vec<Symbol>>, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("more than {DEPTH_MAX} brackets inside each other"));
        }
        let mut ways = Vec::new();
        while ways.is_empty() || self.symbols.first() == Some(&"|") {
            self.symbols = &self.symbols[1..];
            ways.push(self.sequence()?);
        }
        if self.symbols.first() != Some(&close) {
            return Err(format!("`{close}` is missing"));
        }
        self.symbols = &self.symbols[1..];
        self.depth -= 1;
        // The longer way first: a verb with its object before the verb alone.
        ways.sort_by_key(|way: &Vec<Symbol>| std::cmp::Reverse(way.len()));
        Ok(ways)
    }

    fn atom(&mut self, symbol: &str, pieces: &mut Vec<Symbol>) -> Result<(), String> {
        let between = |open, close| symbol.strip_prefix(open).and_then(|s: &str| s.strip_suffix(close));
        if let Some(name) = between('<', '>') {
            pieces.push(Symbol::Class((self.class)(name).ok_or_else(|| format!("no class <{name}>"))?));
        } else if let Some(slot) = between('{', '}') {
            let (name, kind) = slot.split_once(':').unwrap_or((slot, ""));
            let kind = (self.kind)(name, kind).ok_or_else(|| format!("no slot type `{kind}`"))?;
            pieces.push(Symbol::Slot { name: name.to_owned(), kind });
        } else if let Some(mark) = MARKS.into_iter().find(|mark| *mark == symbol) {
            pieces.push(Symbol::Mark(mark));
        } else if !symbol.chars().all(|c| c.is_ascii_punctuation()) {
            pieces.extend((self.words)(symbol).into_iter().map(Symbol::Word));
        }
        // Other punctuation is transparent.
        Ok(())
    }
}
