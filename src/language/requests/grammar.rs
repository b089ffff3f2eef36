//! The frames of the built-in services' phrases and of `data/language/requests/shared.*.txt`, in place: what people say
//! for each command.
//!
//! A frame is a row of numbers that is walked as it stands: `compile` writes it, [`Pieces`] reads it.

use super::compile::built_in;
use super::lexicon::{ClassId, Lexicon, WordId};
use super::notation::MARKS;
use super::slot_types::SlotType;
use crate::language::lexicon::Words;
use crate::language::tables::{Made, Map, Numbers, Rows, Sections};

/// One element of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece<'g> {
    Word(WordId),
    Class(ClassId),
    Optional(Ways<'g>),
    Either(Ways<'g>),
    Slot {
        name: &'g str,
        kind: SlotType,
    },
    /// A colon or a comma between the words.
    Mark(&'static str),
}

/// How an element begins; what follows it is the number of a word, a class or a mark, the length of the ways, or a
/// slot's name and kind.
pub(super) const WORD: usize = 0;
pub(super) const CLASS: usize = 1;
pub(super) const OPTIONAL: usize = 2;
pub(super) const EITHER: usize = 3;
pub(super) const SLOT: usize = 4;
pub(super) const MARK: usize = 5;

/// Elements one behind the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pieces<'g> {
    code: Numbers<'g>,
    names: Words<'g>,
}

impl<'g> Pieces<'g> {
    pub fn is_empty(self) -> bool {
        self.code.len() == 0
    }

    /// The first element and the others.
    pub fn split_first(self) -> Option<(Piece<'g>, Pieces<'g>)> {
        let what = self.code.get(1)?;
        let (piece, len) = match self.code.get(0)? {
            WORD => (Piece::Word(WordId::of(what)), 2),
            CLASS => (Piece::Class(ClassId(what)), 2),
            OPTIONAL => (Piece::Optional(Ways(self.part(2, what))), 2 + what),
            EITHER => (Piece::Either(Ways(self.part(2, what))), 2 + what),
            SLOT => (Piece::Slot { name: self.names.word(what), kind: SlotType::numbered(self.code.get(2)?)? }, 3),
            MARK => (Piece::Mark(MARKS.get(what)?), 2),
            _ => return None,
        };
        Some((piece, self.part(len, self.code.len().checked_sub(len)?)))
    }

    fn part(self, from: usize, len: usize) -> Pieces<'g> {
        Pieces { code: self.code.range(from..from + len), ..self }
    }

    /// True when they may begin with anything, so that "don't …" could be taken for a slot.
    fn begin_with_slot(self) -> bool {
        match self.split_first() {
            Some((Piece::Slot { .. }, _)) => true,
            Some((Piece::Optional(_) | Piece::Mark(_), rest)) => rest.begin_with_slot(),
            Some((Piece::Word(_) | Piece::Class(_) | Piece::Either(_), _)) | None => false,
        }
    }
}

/// Alternatives, each led by its length; longer ones first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ways<'g>(Pieces<'g>);

impl<'g> Iterator for Ways<'g> {
    type Item = Pieces<'g>;

    fn next(&mut self) -> Option<Pieces<'g>> {
        let len = self.0.code.get(0)?;
        let way = self.0.part(1, len);
        self.0 = self.0.part(1 + len, self.0.code.len().checked_sub(1 + len)?);
        Some(way)
    }
}

/// One way to say a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'g> {
    /// `task.create`; `item.…` and `email.send_draft` are settled by what they are about, `chat` asks nothing.
    pub command: &'g str,
    fixed: Pieces<'g>,
    pub pieces: Pieces<'g>,
    /// Right only when nothing else fits.
    pub weak: bool,
    /// A question over many items.
    pub investigates: bool,
}

pub(super) const IS_WEAK: usize = 1;
pub(super) const INVESTIGATES: usize = 2;

impl<'g> Frame<'g> {
    /// Its row: command, flags, how many numbers name fixed parameters, these, and the pieces.
    fn read(row: Numbers<'g>, names: Words<'g>) -> Option<Frame<'g>> {
        let (command, flags, fixed) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let all = Pieces { code: row, names };
        Some(Frame {
            command: names.word(command),
            fixed: all.part(3, fixed),
            pieces: all.part(3 + fixed, row.len().checked_sub(3 + fixed)?),
            weak: flags & IS_WEAK != 0,
            investigates: flags & INVESTIGATES != 0,
        })
    }

    /// Parameters that the wording itself gives.
    pub fn fixed(self) -> impl Iterator<Item = (&'g str, &'g str)> {
        let Pieces { code, names } = self.fixed;
        let word = move |at| code.get(at).map(|name| names.word(name));
        (0..code.len()).step_by(2).filter_map(move |at| word(at).zip(word(at + 1)))
    }

    pub fn begins_with_slot(self) -> bool {
        self.pieces.begin_with_slot()
    }
}

/// Frames, found by the first word they may begin with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frames<'t> {
    /// Of commands, parameters and slots, and fixed values.
    names: Words<'t>,
    rows: Rows<'t>,
    by_first: Map<'t>,
    /// Frames that begin with a slot, by the words of which they need one.
    by_need: Map<'t>,
    /// Those that need no word in particular.
    anywhere: Numbers<'t>,
}

impl<'t> Frames<'t> {
    pub const fn read(sections: &mut Sections<'t>) -> Option<Self> {
        let (Some(names), Some(rows)) = (Words::read(sections), Rows::read(sections)) else { return None };
        let (Some(by_first), Some(by_need)) = (Map::read(sections), Map::read(sections)) else { return None };
        let Some(anywhere) = Numbers::read(sections) else { return None };
        Some(Frames { names, rows, by_first, by_need, anywhere })
    }

    fn frame(self, at: usize) -> Option<Frame<'t>> {
        Frame::read(self.rows.row(at), self.names)
    }

    #[cfg(test)]
    pub fn len(self) -> usize {
        self.rows.len()
    }

    /// The commands that something is said for, `service.command`.
    #[cfg(test)]
    pub fn commands(self) -> std::collections::BTreeSet<&'t str> {
        (0..self.rows.len()).filter_map(|at| self.frame(at)).map(|frame| frame.command).collect()
    }
}

/// Frames, and the words that they are written with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar<'t> {
    pub lexicon: Lexicon<'t>,
    pub frames: Frames<'t>,
}

/// The built-in one, made when it is first needed.
pub(crate) static GRAMMAR: Made<Grammar<'static>> = Made::new(built_in::grammar);

impl<'t> Grammar<'t> {
    pub const fn read(bytes: &'t [u8]) -> Option<Self> {
        let mut sections = Sections(bytes);
        let (Some(lexicon), Some(frames)) = (Lexicon::read(&mut sections), Frames::read(&mut sections)) else {
            return None;
        };
        Some(Grammar { lexicon, frames })
    }

    /// Frames whose wording begins with this word.
    pub fn frames_beginning(self, first: WordId) -> impl Iterator<Item = Frame<'t>> {
        let Grammar { frames, .. } = self;
        frames.by_first.get(first.0 as usize).iter().filter_map(move |at| frames.frame(at))
    }

    /// Frames that may begin with any word and find a word they need among these.
    pub fn frames_among(self, ids: &[WordId]) -> Vec<Frame<'t>> {
        let frames = self.frames;
        let needed = ids.iter().flat_map(|id| frames.by_need.get(id.0 as usize).iter());
        let mut places: Vec<usize> = needed.chain(frames.anywhere.iter()).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().filter_map(|at| frames.frame(at)).collect()
    }
}
