//! The program's own grammar: `grammar.bin` follows from the texts beside it and from the built-in services' phrases.
//!
//! Who these services are is not known here: they hand their phrases in.

use super::super::annotated::AnnotatedText;
use super::super::grammar::Grammar;
use super::super::matching::readings;
use super::super::notation::{self, Names};
use super::super::slot_types::SlotType;
use super::*;
use crate::language::tables::Sections;
use crate::language::time::Reference;
use crate::language::work::Work;

const LEXICON: &str = include_str!("../../../../data/language/requests/lexicon.txt");
const SPELLING: &str = include_str!("../../../../data/language/requests/spelling.txt");
/// What no service knows as its own; its lines name their commands in full.
const SHARED: [&str; 2] = [
    include_str!("../../../../data/language/requests/shared.en.txt"),
    include_str!("../../../../data/language/requests/shared.de.txt"),
];

/// A grammar, as it is written.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub bytes: Vec<u8>,
    /// The commands that something is said for, `service.command`.
    pub commands: BTreeSet<String>,
    /// Lines that could not be read, each with its service.
    pub mistakes: Vec<String>,
}

/// The grammar of these services: the name of each, and its phrases, a text a language.
///
/// Of two readings that are worth the same the earlier line's counts, and what is shared comes last.
pub(crate) fn compiled(services: &[(&str, &[&str])]) -> Compiled {
    grammar(LEXICON, SPELLING, &[services, &[("", &SHARED)]].concat())
}

impl Compiled {
    /// Whether it is what the program reads.
    pub fn check(&self) {
        assert_eq!(self.mistakes, Vec::<String>::new());
        assert!(self.grammar().frames.len() > 300);
        crate::language::compiled::check("requests/grammar.bin", &self.bytes);
    }

    fn grammar(&self) -> Grammar<'_> {
        Grammar::read(&self.bytes).unwrap()
    }

    /// What a message asks for: the command of the best reading of all of it, and the words of each slot.
    pub fn asked(&self, text: &str, reference: &Reference) -> Option<(String, Vec<(String, String)>)> {
        let grammar = self.grammar();
        let heard = AnnotatedText::new(text, reference, grammar.lexicon);
        let found = readings(grammar, &heard, 0..heard.tokens.len(), &Work::default()).into_iter().next()?;
        let words = |slot: &super::super::matching::Slot| heard.raw(slot.first, slot.last).to_owned();
        let slots = found.slots.iter().map(|slot| (slot.name.to_owned(), words(slot))).collect();
        Some((found.frame.command.to_owned(), slots))
    }
}

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

fn grammar(classes: &str, spellings: &str, services: &[(&str, &[&str])]) -> Compiled {
    let (classes, spellings) = (rows(classes, ':'), rows(spellings, '='));
    let is_class = |name: &str| classes.iter().any(|(known, _)| known == name);
    let (mut wordings, mut mistakes) = (Vec::new(), Vec::new());
    for (service, text) in services.iter().flat_map(|(service, texts)| texts.iter().map(move |text| (service, text))) {
        let (read, wrong) = notation::read(text, Names { is_class: &is_class, kind: &SlotType::read });
        wordings.extend(read.into_iter().map(|wording| of_service(service, wording)));
        mistakes.extend(wrong.iter().map(|mistake| format!("{service}: {mistake}")));
    }
    let of_rows = classes.iter().chain(&spellings).flat_map(|(_, phrases)| phrases.concat());
    let words = sorted(words_of(&wordings).into_iter().chain(of_rows));
    let mut writer = Writer::default();
    lexicon(&words, &classes, &spellings, &mut writer).unwrap();
    let read = writer.0.clone();
    let lexicon = Lexicon::read(&mut Sections(&read)).unwrap();
    super::frames(&wordings, lexicon, &mut writer).unwrap();
    let commands = wordings.into_iter().map(|wording| wording.command).collect();
    Compiled { bytes: writer.0, commands, mistakes }
}

fn of_service(service: &str, wording: Wording) -> Wording {
    let command = if service.is_empty() { wording.command } else { format!("{service}.{}", wording.command) };
    Wording { command, ..wording }
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
fn a_broken_frame_is_named() {
    let frames = "create\n  <nothing> me\n  (a|b\n  {x:odd}\n  remind me to {title}\n";
    let compiled = grammar("det: a", "", &[("task", &[frames])]);
    assert_eq!(compiled.grammar().frames.len(), 1);
    assert_eq!(compiled.commands, ["task.create".to_owned()].into());
    let mistakes = &compiled.mistakes;
    assert_eq!(mistakes.len(), 3);
    assert!(mistakes[0].contains("task: line 2: create: <nothing> me: no class <nothing>"), "{mistakes:?}");
}
