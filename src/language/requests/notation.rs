//! The notation of frames: what people say for the commands of a service, as text. Built-in services and others use it
//! alike, each in a folder of its own.
//!
//! ```text
//! # a comment
//! create title=Wake+up                 a command of that service, and parameters that the wording itself gives
//!   [please] wake me (up|) {deadline}  its frames, indented: [optional] (this|or that) <class> {slot} {slot:type}
//!   ~{title:errand}                    weak: right only when nothing else fits
//! ```
//! `?` before a frame: a question over many items. Reading is strict: a mistake names its line and leaves the frame out.

use super::slot_types::SlotType;

/// One element of a frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Word(String),
    Class(String),
    /// One of these ways, or none.
    Optional(Vec<Vec<Node>>),
    /// One of these ways.
    Either(Vec<Vec<Node>>),
    Slot {
        name: String,
        kind: SlotType,
    },
    /// A mark between the words, by its place in [`MARKS`].
    Mark(usize),
}

/// The marks that a frame may ask for.
pub(super) const MARKS: [&str; 2] = [":", ","];

/// One way to say a command.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wording {
    /// 1-based.
    pub line: usize,
    pub command: String,
    pub fixed: Vec<(String, String)>,
    pub nodes: Vec<Node>,
    pub weak: bool,
    pub investigates: bool,
}

/// A line that is no frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Mistake {
    /// 1-based.
    pub line: usize,
    pub why: String,
}

/// What a text may name: the classes, and what a slot holds by its name and its type.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub is_class: &'a dyn Fn(&str) -> bool,
    pub kind: &'a dyn Fn(&str, &str) -> Option<SlotType>,
}

/// The frames of a text, and its mistakes.
pub(super) fn read(text: &str, names: Names) -> (Vec<Wording>, Vec<Mistake>) {
    let (mut wordings, mut mistakes) = (Vec::new(), Vec::new());
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
        match nodes(line.trim_start_matches(['~', '?']), names) {
            Ok(_) if command.is_empty() => mistakes.push(Mistake { line: index + 1, why: "no command yet".to_owned() }),
            Ok(nodes) => {
                let (command, fixed, line) = (command.clone(), fixed.clone(), index + 1);
                wordings.push(Wording { line, command, fixed, nodes, weak, investigates });
            }
            Err(why) => mistakes.push(Mistake { line: index + 1, why: format!("{command}: {line}: {why}") }),
        }
    }
    (wordings, mistakes)
}

/// Splits a frame into symbols, then reads these by recursive descent.
fn nodes(text: &str, names: Names) -> Result<Vec<Node>, String> {
    let mut symbols = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['[', ']', '(', ')', '|']) {
            symbols.extend([&rest[..at], &rest[at..=at]].into_iter().filter(|symbol| !symbol.is_empty()));
            rest = &rest[at + 1..];
        }
        symbols.extend(Some(rest).filter(|symbol| !symbol.is_empty()));
    }
    let mut reader = ComponentReader { symbols: &symbols, names, depth: 0 };
    let nodes = reader.sequence()?;
    match reader.symbols.first() {
        None => Ok(nodes),
        Some(extra) => Err(format!("unexpected `{extra}`")),
    }
}

/// Brackets inside brackets.
const DEPTH_MAX: usize = 8;

struct ComponentReader<'a> {
    symbols: &'a [&'a str],
    names: Names<'a>,
    depth: usize,
}

impl ComponentReader<'_> {
    fn sequence(&mut self) -> Result<Vec<Node>, String> {
        let mut nodes = Vec::new();
        while let Some((&symbol, rest)) = self.symbols.split_first() {
            match symbol {
                "]" | ")" | "|" => break,
                "[" => nodes.push(Node::Optional(self.ways("]")?)),
                "(" => nodes.push(Node::Either(self.ways(")")?)),
                _ => {
                    self.symbols = rest;
                    nodes.extend(self.atom(symbol)?);
                }
            }
        }
        Ok(nodes)
    }

    /// What stands between two brackets, these included.
    fn ways(&mut self, close: &str) -> Result<Vec<Vec<Node>>, String> {
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
        // The longer way first: "show me" before "show".
        ways.sort_by_key(|way: &Vec<Node>| std::cmp::Reverse(way.len()));
        Ok(ways)
    }

    fn atom(&self, symbol: &str) -> Result<Option<Node>, String> {
        let between = |open, close| symbol.strip_prefix(open).and_then(|s: &str| s.strip_suffix(close));
        if let Some(name) = between('<', '>') {
            let known = (self.names.is_class)(name).then(|| Node::Class(name.to_owned()));
            return known.map(Some).ok_or_else(|| format!("no class <{name}>"));
        }
        if let Some(slot) = between('{', '}') {
            let (name, kind) = slot.split_once(':').unwrap_or((slot, ""));
            let kind = (self.names.kind)(name, kind).ok_or_else(|| format!("no slot type `{kind}`"))?;
            return Ok(Some(Node::Slot { name: name.to_owned(), kind }));
        }
        if let Some(mark) = MARKS.iter().position(|mark| *mark == symbol) {
            return Ok(Some(Node::Mark(mark)));
        }
        // Other punctuation is transparent.
        let is_word = !symbol.chars().all(|c| c.is_ascii_punctuation());
        Ok(is_word.then(|| Node::Word(symbol.to_owned())))
    }
}
