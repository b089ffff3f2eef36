//! The frames of the built-in services' phrases and of `data/language/requests/shared.*.txt`: what people say for each
//! command.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::built_in;
use super::lexicon::{ClassId, RequestLexicon, WordId};
use super::slot_types::SlotType;
use crate::language::tables::MadeTables;

/// One element of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Symbol {
    Word(WordId),
    Class(ClassId),
    /// One of these ways, or none; the longer first.
    Optional(Vec<Vec<Symbol>>),
    /// One of these ways; the longer first.
    Either(Vec<Vec<Symbol>>),
    Slot {
        name: String,
        kind: SlotType,
    },
    /// A colon or a comma between the words.
    Mark(&'static str),
}

/// One way to say a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFrame {
    /// `task.create`; `item.…` and `email.send_draft` are settled by what they are about, `chat` asks nothing.
    pub command: String,
    /// Parameters that the wording itself gives.
    pub fixed: Vec<(String, String)>,
    pub pieces: Vec<Symbol>,
    /// Right only when nothing else fits.
    pub weak: bool,
    /// A question over many items.
    pub investigates: bool,
}

impl CommandFrame {
    /// True when it may begin with anything, so that a negation could be taken for a slot.
    pub fn begins_with_slot(&self) -> bool {
        let mut pieces = self.pieces.iter().filter(|piece| !matches!(piece, Symbol::Optional(_) | Symbol::Mark(_)));
        matches!(pieces.next(), Some(Symbol::Slot { .. }))
    }
}

/// Whether pieces have a word that each of their readings needs; otherwise they take what they like.
pub(super) fn needs_a_word(pieces: &[Symbol]) -> bool {
    pieces.iter().any(|piece| match piece {
        Symbol::Word(_) => true,
        Symbol::Either(ways) => ways.iter().all(|way| needs_a_word(way)),
        Symbol::Class(_) | Symbol::Optional(_) | Symbol::Slot { .. } | Symbol::Mark(_) => false,
    })
}

/// Frames, found by the first word they may begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    pub(super) list: Vec<CommandFrame>,
    by_first: FxHashMap<WordId, Vec<usize>>,
    /// Frames that begin with a slot, by the words of which they need one.
    by_need: FxHashMap<WordId, Vec<usize>>,
    /// Those that need no word in particular.
    anywhere: Vec<usize>,
}

impl Frames {
    pub(super) fn of(list: Vec<CommandFrame>, lexicon: RequestLexicon) -> Frames {
        let mut frames = Frames::default();
        for (at, frame) in list.iter().enumerate() {
            let mut first = BTreeSet::new();
            let (map, words) = if begins_with_these(&frame.pieces, lexicon, &mut first) {
                (&mut frames.by_first, Some(first))
            } else {
                (&mut frames.by_need, needed_words(&frame.pieces, lexicon))
            };
            match words {
                Some(words) => words.into_iter().for_each(|word| map.entry(word).or_default().push(at)),
                None => frames.anywhere.push(at),
            }
        }
        Frames { list, ..frames }
    }

    /// The commands that something is said for, `service.command`.
    #[cfg(any(test, feature = "testing"))]
    pub fn commands(&self) -> BTreeSet<&str> {
        self.list.iter().map(|frame| frame.command.as_str()).collect()
    }
}

/// The words that a sequence may begin with; false where it may begin with a slot, and so with any.
fn begins_with_these(pieces: &[Symbol], lexicon: RequestLexicon, words: &mut BTreeSet<WordId>) -> bool {
    for piece in pieces {
        match piece {
            Symbol::Word(word) => _ = words.insert(*word),
            Symbol::Class(class) => words.extend(lexicon.first_words(*class)),
            Symbol::Slot { .. } => return false,
            Symbol::Mark(_) => continue,
            Symbol::Optional(ways) | Symbol::Either(ways) => {
                if !ways.iter().all(|way| begins_with_these(way, lexicon, words)) {
                    return false;
                }
                if matches!(piece, Symbol::Optional(_)) {
                    continue;
                }
            }
        }
        return true;
    }
    false
}

/// Words of which a sequence needs one; `None` when it needs none in particular.
fn needed_words(pieces: &[Symbol], lexicon: RequestLexicon) -> Option<BTreeSet<WordId>> {
    pieces.iter().find_map(|piece| match piece {
        Symbol::Word(word) => Some([*word].into()),
        Symbol::Class(class) => Some(lexicon.first_words(*class).collect()),
        Symbol::Either(ways) => {
            let each: Option<Vec<_>> = ways.iter().map(|way| needed_words(way, lexicon)).collect();
            each.map(|words| words.into_iter().flatten().collect())
        }
        Symbol::Slot { .. } | Symbol::Optional(_) | Symbol::Mark(_) => None,
    })
}

/// Frames, and the words that they are written with.
#[derive(Debug, Clone, Copy)]
pub struct Grammar<'t> {
    pub lexicon: RequestLexicon<'t>,
    pub frames: &'t Frames,
}

/// The built-in one, made when it is first needed.
pub static GRAMMAR: MadeTables<Grammar<'static>> = MadeTables::new(built_in::grammar);

impl<'t> Grammar<'t> {
    /// Frames whose wording begins with this word.
    pub fn frames_beginning(self, first: WordId) -> impl Iterator<Item = &'t CommandFrame> {
        let Frames { list, by_first, .. } = self.frames;
        by_first.get(&first).into_iter().flatten().map(move |at| &list[*at])
    }

    /// Frames that may begin with any word and find a word they need among these.
    pub fn frames_among(self, ids: &[WordId]) -> Vec<&'t CommandFrame> {
        let Frames { list, by_need, anywhere, .. } = self.frames;
        // A word that is said again needs the same frames.
        let words: BTreeSet<WordId> = ids.iter().copied().collect();
        let needed = words.iter().filter_map(|id| by_need.get(id)).flatten();
        let places: BTreeSet<usize> = needed.chain(anywhere).copied().collect();
        places.into_iter().map(|at| &list[at]).collect()
    }
}
