//! From the notation of frames to the tables that are read in place: at run time for what a service brings, and before
//! the program is built for its own frames and their lexicon.

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
    let coder = Coder { lexicon, names: &names };
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
        let class = self.lexicon.class(name);
        class.into_iter().flat_map(|class| self.lexicon.first_words(class)).map(|word| word.0 as usize).collect()
    }
}

#[cfg(test)]
pub(crate) mod built_in {
    //! The program's own grammar: `grammar.bin` follows from the texts beside it.

    use super::super::grammar::{Frames, Grammar};
    use super::super::notation::{self, Names};
    use super::super::slot_types::SlotType;
    use super::*;
    use crate::language::tables::Sections;

    const LEXICON: &str = include_str!("../../../data/language/requests/lexicon.txt");
    const SPELLING: &str = include_str!("../../../data/language/requests/spelling.txt");
    const FRAMES: [&str; 2] = [
        include_str!("../../../data/language/requests/frames.en.txt"),
        include_str!("../../../data/language/requests/frames.de.txt"),
    ];

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Lines `name: phrase, phrase`, or `typed = read as`: what stands before the mark, and the words of each phrase.
    fn rows(text: &str, mark: char) -> Vec<(String, Vec<Vec<String>>)> {
        let row = |line: &str| {
            let (name, phrases) = line.split_once(mark).expect(line);
            let phrases = phrases.split(',').map(words).filter(|phrase| !phrase.is_empty());
            (name.trim().to_owned(), phrases.collect())
        };
        text.lines().filter(|line| super::super::lexicon::is_data(line)).map(row).collect()
    }

    /// The bytes of a grammar, and what could not be read.
    fn grammar(classes: &str, spellings: &str, frames: &[&str]) -> (Vec<u8>, Vec<String>) {
        let (classes, spellings) = (rows(classes, ':'), rows(spellings, '='));
        let is_class = |name: &str| classes.iter().any(|(known, _)| known == name);
        let (mut wordings, mut mistakes) = (Vec::new(), Vec::new());
        for (read, wrong) in
            frames.iter().map(|text| notation::read(text, Names { is_class: &is_class, kind: &SlotType::read }))
        {
            wordings.extend(read);
            mistakes.extend(wrong.iter().map(ToString::to_string));
        }
        let of_rows = classes.iter().chain(&spellings).flat_map(|(_, phrases)| phrases.concat());
        let words = sorted(words_of(&wordings).into_iter().chain(of_rows));
        let mut writer = Writer::default();
        lexicon(&words, &classes, &spellings, &mut writer).unwrap();
        let read = writer.0.clone();
        let lexicon = Lexicon::read(&mut Sections(&read)).unwrap();
        super::frames(&wordings, lexicon, &mut writer).unwrap();
        (writer.0, mistakes)
    }

    type ClassRows = [(String, Vec<Vec<String>>)];

    fn lexicon(words: &[String], classes: &ClassRows, spellings: &ClassRows, out: &mut Writer) -> Result<(), TooMany> {
        let place = |known: &[String], word: &String| known.binary_search(word).unwrap();
        let names = sorted(classes.iter().map(|(name, _)| name.clone()));
        let mut phrases = Vec::new();
        for (name, phrase) in classes.iter().flat_map(|(name, phrases)| phrases.iter().map(move |p| (name, p))) {
            let rest = phrase[1..].iter().map(|word| place(words, word) + 1).collect::<Vec<_>>();
            phrases.push((place(words, &phrase[0]), place(&names, name), rest));
        }
        phrases.sort_by_key(|(_, class, rest)| (*class, std::cmp::Reverse(rest.len())));
        phrases.dedup();
        let misspelt = sorted(spellings.iter().map(|(typed, _)| typed.clone()));
        // Of two lines for one word the later one counts.
        let read_as = misspelt.iter().map(|typed| {
            let (_, phrases) = spellings.iter().rev().find(|(known, _)| known == typed).unwrap();
            phrases.concat().iter().map(|word| place(words, word) + 1).collect::<Vec<_>>()
        });
        out.words(words)?;
        out.words(&names)?;
        out.phrases(words.len(), &phrases)?;
        out.words(&misspelt)?;
        out.rows(&read_as.collect::<Vec<_>>())
    }

    #[test]
    fn the_grammar_in_use_follows_from_its_texts_and_these_hold_no_mistake() {
        let (bytes, mistakes) = grammar(LEXICON, SPELLING, &FRAMES);
        assert_eq!(mistakes, Vec::<String>::new());
        assert!(Grammar::read(&bytes).unwrap().frames.len() > 300);
        crate::language::compiled::check("requests/grammar.bin", &bytes);
    }

    #[test]
    fn a_broken_frame_is_named() {
        let frames = "task.create\n  <nothing> me\n  (a|b\n  {x:odd}\n  remind me to {title}\n";
        let (bytes, mistakes) = grammar("det: a", "", &[frames]);
        let frames: Frames = Grammar::read(&bytes).unwrap().frames;
        assert_eq!(frames.len(), 1);
        assert_eq!(mistakes.len(), 3);
        assert!(mistakes[0].contains("line 2: task.create: <nothing> me: no class <nothing>"), "{mistakes:?}");
    }
}
