//! The frames of `data/language/requests/frames.*.txt`: what people say for each command.
//!
//! A frame is a sequence of [`Piece`]s over words and classes. Reading is strict: [`Grammar::read`] names the
//! line of a mistake, and a test reads the embedded files, so a broken frame never ships.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::kinds::Kind;
use super::lexicon::{ClassId, Lexicon, WordId};

/// One element of a frame.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Word(WordId),
    Class(ClassId),
    Optional(Vec<Piece>),
    Either(Vec<Vec<Piece>>),
    Slot {
        name: String,
        kind: Kind,
    },
    /// A colon or a comma between the words.
    Mark(&'static str),
}

/// One way to say a command.
#[derive(Debug)]
pub(crate) struct Frame {
    /// `task.create`; `item.…` and `email.send_draft` are settled by what they are about, `chat` asks nothing.
    pub command: String,
    /// Parameters that the wording itself gives.
    pub fixed: Vec<(String, String)>,
    pub pieces: Vec<Piece>,
    /// Right only when nothing else fits.
    pub weak: bool,
    /// A question over many items.
    pub investigates: bool,
}

impl Frame {
    /// True when it may begin with anything, so that "don't …" could be taken for its first slot.
    pub fn begins_with_slot(&self) -> bool {
        fn any(pieces: &[Piece]) -> bool {
            match pieces.first() {
                Some(Piece::Slot { .. }) => true,
                Some(Piece::Optional(_)) => any(&pieces[1..]),
                Some(Piece::Mark(_)) => any(&pieces[1..]),
                Some(Piece::Word(_) | Piece::Class(_) | Piece::Either(_)) | None => false,
            }
        }
        any(&self.pieces)
    }
}

/// All frames, found by the first word they may begin with.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub lexicon: Lexicon,
    pub frames: Vec<Frame>,
    by_first: FxHashMap<WordId, Vec<usize>>,
    /// Frames that begin with a slot, by the words of which they need one.
    by_need: FxHashMap<WordId, Vec<usize>>,
    /// Those that need no word in particular.
    anywhere: Vec<usize>,
}

const LEXICON: &str = include_str!("../../../data/language/requests/lexicon.txt");
const SPELLING: &str = include_str!("../../../data/language/requests/spelling.txt");
const FRAMES: [&str; 2] = [
    include_str!("../../../data/language/requests/frames.en.txt"),
    include_str!("../../../data/language/requests/frames.de.txt"),
];

/// The embedded grammar. A mistake in it leaves out the frame concerned; a test makes sure there is none.
pub(crate) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::read(LEXICON, SPELLING, &FRAMES).0);

impl Grammar {
    /// The grammar, and what could not be read, one line each.
    pub fn read(lexicon: &str, spelling: &str, frames: &[&str]) -> (Grammar, Vec<String>) {
        let mut lexicon = Lexicon::new(lexicon, spelling);
        let mut read = Vec::new();
        let mut mistakes = Vec::new();
        for text in frames {
            read_frames(text, &mut lexicon, &mut read, &mut mistakes);
        }
        let (by_first, by_need) = (FxHashMap::default(), FxHashMap::default());
        let mut grammar = Grammar { lexicon, frames: read, by_first, by_need, anywhere: Vec::new() };
        grammar.index();
        (grammar, mistakes)
    }

    fn index(&mut self) {
        for (index, frame) in self.frames.iter().enumerate() {
            let mut words = Vec::new();
            let mut found_by = &mut self.by_first;
            if first_words(&frame.pieces, &self.lexicon, &mut words) {
                found_by = &mut self.by_need;
                let Some(needed) = needed_words(&frame.pieces, &self.lexicon) else {
                    self.anywhere.push(index);
                    continue;
                };
                words = needed;
            }
            words.sort_unstable();
            words.dedup();
            for word in words {
                found_by.entry(word).or_default().push(index);
            }
        }
    }

    /// Frames whose wording begins with this word.
    pub fn frames_beginning(&self, first: WordId) -> impl Iterator<Item = &Frame> {
        self.by_first.get(&first).into_iter().flatten().filter_map(|&index| self.frames.get(index))
    }

    /// Frames that may begin with any word and find a word they need among these.
    pub fn frames_among(&self, ids: &[WordId]) -> Vec<&Frame> {
        let needed = ids.iter().filter_map(|id| self.by_need.get(id)).flatten();
        let mut indexes: Vec<usize> = needed.chain(&self.anywhere).copied().collect();
        indexes.sort_unstable();
        indexes.dedup();
        indexes.into_iter().filter_map(|index| self.frames.get(index)).collect()
    }
}

/// Collects the words a sequence may begin with; true when it may begin with any word (a slot).
fn first_words(pieces: &[Piece], lexicon: &Lexicon, out: &mut Vec<WordId>) -> bool {
    for piece in pieces {
        match piece {
            Piece::Word(id) => {
                out.push(*id);
                return false;
            }
            Piece::Class(class) => {
                out.extend(lexicon.first_words(*class));
                return false;
            }
            Piece::Slot { .. } => return true,
            Piece::Mark(_) => {}
            Piece::Optional(inner) => {
                if first_words(inner, lexicon, out) {
                    return true;
                }
            }
            Piece::Either(ways) => {
                let mut any = false;
                for way in ways {
                    any |= first_words(way, lexicon, out);
                }
                return any;
            }
        }
    }
    true
}

/// Words of which a sequence needs one; `None` when it needs none in particular.
fn needed_words(pieces: &[Piece], lexicon: &Lexicon) -> Option<Vec<WordId>> {
    pieces.iter().find_map(|piece| match piece {
        Piece::Word(id) => Some(vec![*id]),
        Piece::Class(class) => Some(lexicon.first_words(*class).collect()),
        Piece::Either(ways) => {
            let needed: Option<Vec<_>> = ways.iter().map(|way| needed_words(way, lexicon)).collect();
            needed.map(|words| words.concat())
        }
        Piece::Slot { .. } | Piece::Optional(_) | Piece::Mark(_) => None,
    })
}

fn read_frames(text: &str, lexicon: &mut Lexicon, frames: &mut Vec<Frame>, mistakes: &mut Vec<String>) {
    let mut command = String::new();
    let mut fixed = Vec::new();
    for line in super::lexicon::data_lines(text) {
        if !line.starts_with(' ') {
            let mut words = line.split_whitespace();
            command = words.next().unwrap_or_default().to_owned();
            fixed = words.filter_map(|w| w.split_once('=')).map(|(k, v)| (k.to_owned(), v.replace('+', " "))).collect();
            continue;
        }
        let line = line.trim();
        let weak = line.starts_with('~');
        let investigates = line.starts_with('?');
        let body = line.trim_start_matches(['~', '?']);
        match read_pieces(body, lexicon) {
            Ok(pieces) => {
                let (command, fixed) = (command.clone(), fixed.clone());
                frames.push(Frame { command, fixed, pieces, weak, investigates });
            }
            Err(why) => mistakes.push(format!("{command}: {line}: {why}")),
        }
    }
}

/// Reads one frame: split into symbols, then by recursive descent.
fn read_pieces(text: &str, lexicon: &mut Lexicon) -> Result<Vec<Piece>, String> {
    let spaced: String = text
        .chars()
        .flat_map(|c| match c {
            '[' | ']' | '(' | ')' | '|' => vec![' ', c, ' '],
            _ => vec![c],
        })
        .collect();
    let symbols: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let pieces = sequence(&symbols, &mut at, lexicon)?;
    match symbols.get(at) {
        None => Ok(pieces),
        Some(extra) => Err(format!("unexpected `{extra}`")),
    }
}

fn sequence(symbols: &[&str], at: &mut usize, lexicon: &mut Lexicon) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    while let Some(&symbol) = symbols.get(*at) {
        match symbol {
            "]" | ")" | "|" => break,
            "[" => {
                let either = ways(symbols, at, lexicon)?;
                close(symbols, at, "]")?;
                pieces.push(Piece::Optional(vec![either]));
            }
            "(" => {
                let either = ways(symbols, at, lexicon)?;
                close(symbols, at, ")")?;
                pieces.push(either);
            }
            _ => {
                *at += 1;
                pieces.extend(atom(symbol, lexicon)?);
            }
        }
    }
    Ok(pieces)
}

/// What stands between two brackets, the opening one included.
fn ways(symbols: &[&str], at: &mut usize, lexicon: &mut Lexicon) -> Result<Piece, String> {
    let mut ways = Vec::new();
    while ways.is_empty() || symbols.get(*at) == Some(&"|") {
        *at += 1;
        ways.push(sequence(symbols, at, lexicon)?);
    }
    // The longer way first: "show me" before "show".
    ways.sort_by_key(|way: &Vec<Piece>| std::cmp::Reverse(way.len()));
    Ok(Piece::Either(ways))
}

fn close(symbols: &[&str], at: &mut usize, wanted: &str) -> Result<(), String> {
    if symbols.get(*at) == Some(&wanted) {
        *at += 1;
        return Ok(());
    }
    Err(format!("`{wanted}` is missing"))
}

fn atom(symbol: &str, lexicon: &mut Lexicon) -> Result<Option<Piece>, String> {
    if let Some(name) = symbol.strip_prefix('<').and_then(|s| s.strip_suffix('>')) {
        let class = lexicon.class(name).ok_or_else(|| format!("no class <{name}>"))?;
        return Ok(Some(Piece::Class(class)));
    }
    if let Some(slot) = symbol.strip_prefix('{').and_then(|s| s.strip_suffix('}')) {
        let (name, kind) = slot.split_once(':').unwrap_or((slot, ""));
        let kind = Kind::read(name, kind).ok_or_else(|| format!("no kind `{kind}`"))?;
        return Ok(Some(Piece::Slot { name: name.to_owned(), kind }));
    }
    if let Some(mark) = [":", ","].into_iter().find(|mark| *mark == symbol) {
        return Ok(Some(Piece::Mark(mark)));
    }
    // Other punctuation is transparent.
    if symbol.chars().all(|c| c.is_ascii_punctuation()) {
        return Ok(None);
    }
    Ok(Some(Piece::Word(lexicon.intern(symbol))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_frames_are_read_without_a_mistake() {
        let (grammar, mistakes) = Grammar::read(LEXICON, SPELLING, &FRAMES);
        assert_eq!(mistakes, Vec::<String>::new());
        assert!(grammar.frames.len() > 300, "{}", grammar.frames.len());
    }

    #[test]
    fn a_broken_frame_is_named() {
        let frames = "task.create\n  <nothing> me\n  (a|b\n  {x:odd}\n  remind me to {title}\n";
        let (grammar, mistakes) = Grammar::read("det: a", "", &[frames]);
        assert_eq!(grammar.frames.len(), 1);
        assert_eq!(mistakes.len(), 3);
        assert!(mistakes[0].contains("no class <nothing>"));
    }
}
