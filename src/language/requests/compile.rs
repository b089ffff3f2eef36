//! From the notation of frames to the tables that are read in place: for what a service brings, and for the built-in
//! services' phrases, what is shared, and their lexicon ([`built_in`]).

pub(crate) mod built_in;

use std::collections::{BTreeMap, BTreeSet};

use super::grammar::{CLASS, EITHER, INVESTIGATES, IS_WEAK, MARK, OPTIONAL, SLOT, WORD};
use super::lexicon::{Lexicon, WordId};
use super::notation::{Node, Wording};
use crate::language::tables::{TooMany, Writer, sorted};

/// The words of all frames.
pub(super) fn words_of(wordings: &[Wording]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for wording in wordings {
        visit(&wording.nodes, &mut |node| {
            if let Node::Word(word) = node {
                out.insert(word.clone());
            }
        });
    }
    out
}

/// All nodes, those inside brackets too.
fn visit(nodes: &[Node], see: &mut dyn FnMut(&Node)) {
    for node in nodes {
        see(node);
        if let Node::Optional(ways) | Node::Either(ways) = node {
            ways.iter().for_each(|way| visit(way, see));
        }
    }
}

/// Whether a sequence has a word that each of its readings needs; otherwise it takes what it likes.
pub(super) fn needs_a_word(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Word(_) => true,
        Node::Either(ways) => ways.iter().all(|way| needs_a_word(way)),
        Node::Class(_) | Node::Optional(_) | Node::Slot { .. } | Node::Mark(_) => false,
    })
}

/// Writes the sections of `Frames`. All words and classes of the frames are in the lexicon.
pub(super) fn frames(wordings: &[Wording], lexicon: Lexicon, writer: &mut Writer) -> Result<(), TooMany> {
    let names = sorted(wordings.iter().flat_map(names_of));
    let coder = Coder { lexicon, names: &names, first_words: lexicon.first_words() };
    let (mut by_first, mut by_need, mut anywhere) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for (at, wording) in wordings.iter().enumerate() {
        let mut first = BTreeSet::new();
        let (map, words) = match coder.first_words(&wording.nodes, &mut first) {
            Begins::WithThese => (&mut by_first, Some(first)),
            Begins::WithAny => (&mut by_need, coder.needed_words(&wording.nodes)),
        };
        match words {
            Some(words) => words.into_iter().for_each(|word| map.entry(word).or_insert_with(Vec::new).push(at)),
            None => anywhere.push(at),
        }
    }
    writer.words(&names)?;
    writer.rows(&wordings.iter().map(|wording| coder.row(wording)).collect::<Vec<_>>())?;
    writer.map(&by_first)?;
    writer.map(&by_need)?;
    writer.numbers(anywhere)
}

fn names_of(wording: &Wording) -> Vec<String> {
    let mut out = vec![wording.command.clone()];
    out.extend(wording.fixed.iter().flat_map(|(name, value)| [name.clone(), value.clone()]));
    visit(&wording.nodes, &mut |node| {
        if let Node::Slot { name, .. } = node {
            out.push(name.clone());
        }
    });
    out
}

/// The words a sequence may begin with.
enum Begins {
    WithThese,
    /// It begins with a slot.
    WithAny,
}

struct Coder<'a> {
    lexicon: Lexicon<'a>,
    names: &'a [String],
    /// Of each class that has any, the words that a phrase of it may begin with.
    first_words: BTreeMap<usize, Vec<usize>>,
}

impl Coder<'_> {
    fn word(&self, word: &str) -> usize {
        self.lexicon.exact(word).unwrap_or(WordId::UNKNOWN).0 as usize
    }

    fn name(&self, name: &str) -> usize {
        self.names.partition_point(|known| known.as_str() < name)
    }

    fn row(&self, wording: &Wording) -> Vec<usize> {
        let weak = if wording.weak { IS_WEAK } else { 0 };
        let investigates = if wording.investigates { INVESTIGATES } else { 0 };
        let mut row = vec![self.name(&wording.command), weak | investigates, wording.fixed.len() * 2];
        row.extend(wording.fixed.iter().flat_map(|(name, value)| [self.name(name), self.name(value)]));
        row.extend(self.code(&wording.nodes));
        row
    }

    fn code(&self, nodes: &[Node]) -> Vec<usize> {
        nodes.iter().flat_map(|node| self.piece(node)).collect()
    }

    fn piece(&self, node: &Node) -> Vec<usize> {
        match node {
            Node::Word(word) => vec![WORD, self.word(word)],
            Node::Class(name) => self.lexicon.class(name).map_or_else(Vec::new, |class| vec![CLASS, class.0]),
            Node::Optional(ways) => self.ways(OPTIONAL, ways),
            Node::Either(ways) => self.ways(EITHER, ways),
            Node::Slot { name, kind } => vec![SLOT, self.name(name), *kind as usize],
            Node::Mark(mark) => vec![MARK, *mark],
        }
    }

    fn ways(&self, what: usize, ways: &[Vec<Node>]) -> Vec<usize> {
        let mut code = Vec::new();
        for way in ways.iter().map(|way| self.code(way)) {
            code.push(way.len());
            code.extend(way);
        }
        [vec![what, code.len()], code].concat()
    }

    fn first_words(&self, nodes: &[Node], out: &mut BTreeSet<usize>) -> Begins {
        for node in nodes {
            match node {
                Node::Word(word) => _ = out.insert(self.word(word)),
                Node::Class(name) => out.extend(self.words_of_class(name)),
                Node::Slot { .. } => return Begins::WithAny,
                Node::Mark(_) => continue,
                Node::Optional(ways) | Node::Either(ways) => {
                    let begins = ways.iter().map(|way| self.first_words(way, out)).collect::<Vec<_>>();
                    if begins.iter().any(|begins| matches!(begins, Begins::WithAny)) {
                        return Begins::WithAny;
                    }
                    if matches!(node, Node::Optional(_)) {
                        continue;
                    }
                }
            }
            return Begins::WithThese;
        }
        Begins::WithAny
    }

    /// Words of which a sequence needs one; `None` when it needs none in particular.
    fn needed_words(&self, nodes: &[Node]) -> Option<BTreeSet<usize>> {
        nodes.iter().find_map(|node| match node {
            Node::Word(word) => Some([self.word(word)].into()),
            Node::Class(name) => Some(self.words_of_class(name)),
            Node::Either(ways) => ways.iter().map(|way| self.needed_words(way)).reduce(|all, way| {
                let (mut all, way) = (all?, way?);
                all.extend(way);
                Some(all)
            })?,
            Node::Slot { .. } | Node::Optional(_) | Node::Mark(_) => None,
        })
    }

    fn words_of_class(&self, name: &str) -> BTreeSet<usize> {
        let class = self.lexicon.class(name).and_then(|class| self.first_words.get(&class.0));
        class.into_iter().flatten().copied().collect()
    }
}
