//! From the phrase books to the graph that `lexicon` walks. The file format is explained in
//! `data/language/consent/README.md`.
//!
//! Invariants: a line adds as many nodes as it has words, however many phrases it stands for; nodes from which the same
//! phrases lead on become one. A line that cannot be read is left out and reported; a test finds no such line.

mod pattern;
mod spelling;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::lexicon::{ConsentLexicon, PhraseRole, ROOT, SHARED};
use crate::language::tables::{TableWriter, TooMany, sorted};
use pattern::{PatternPart, PhraseSets, parts, set};
use spelling::{Form, forms};

/// Name and text of each phrase book. Those named in [`OF_ALL`] belong to every language.
pub(super) const BOOKS: &[(&str, &str)] = &[
    ("shared", include_str!("../../../../../../data/language/consent/shared.txt")),
    ("emoji", include_str!("../../../../../../data/language/consent/emoji.txt")),
    ("collisions", include_str!("../../../../../../data/language/consent/collisions.txt")),
    ("en", include_str!("../../../../../../data/language/consent/en.txt")),
    ("ru", include_str!("../../../../../../data/language/consent/ru.txt")),
    ("es", include_str!("../../../../../../data/language/consent/es.txt")),
    ("pt", include_str!("../../../../../../data/language/consent/pt.txt")),
    ("id", include_str!("../../../../../../data/language/consent/id.txt")),
    ("hi", include_str!("../../../../../../data/language/consent/hi.txt")),
    ("ur", include_str!("../../../../../../data/language/consent/ur.txt")),
    ("ar", include_str!("../../../../../../data/language/consent/ar.txt")),
    ("fa", include_str!("../../../../../../data/language/consent/fa.txt")),
    ("tr", include_str!("../../../../../../data/language/consent/tr.txt")),
    ("de", include_str!("../../../../../../data/language/consent/de.txt")),
    ("fr", include_str!("../../../../../../data/language/consent/fr.txt")),
    ("it", include_str!("../../../../../../data/language/consent/it.txt")),
    ("uk", include_str!("../../../../../../data/language/consent/uk.txt")),
];
const OF_ALL: &[&str] = &["shared", "emoji"];

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct PatternNode {
    next: BTreeMap<usize, BTreeSet<usize>>,
    ends: BTreeSet<(PhraseRole, usize)>,
}

/// All phrase books, as they are looked up. That each of their lines can be read is tested.
pub(super) fn lexicon() -> ConsentLexicon<'static> {
    let books = Books::read(BOOKS);
    if !books.problems.is_empty() {
        panic!("the phrase books hold mistakes: {:?}", books.problems);
    }
    let tables = books.bytes().map(|tables| ConsentLexicon::read(tables.leak()));
    match tables {
        Ok(Some(lexicon)) => lexicon,
        Ok(None) | Err(TooMany) => panic!("the phrase books are more than a table holds"),
    }
}

/// All phrase books, read.
#[derive(Debug, Default)]
pub(super) struct Books {
    words: HashMap<String, usize>,
    forms: BTreeMap<String, Vec<Form>>,
    nodes: Vec<PatternNode>,
    /// Lines that could not be read, as `book:line: why`.
    pub(super) problems: Vec<String>,
}

impl PhraseRole {
    fn named(name: &str) -> Option<PhraseRole> {
        Some(match name {
            "yes" => PhraseRole::Yes,
            "no" => PhraseRole::No,
            "do" => PhraseRole::Do,
            "act" => PhraseRole::Act,
            "+yes" => PhraseRole::BesideYes,
            "+no" => PhraseRole::BesideNo,
            "stays" => PhraseRole::Keeps,
            "+" => PhraseRole::BesideEither,
            "wait" => PhraseRole::Wait,
            "other" => PhraseRole::Other,
            "joined" => PhraseRole::Joined,
            "alone" => PhraseRole::Alone,
            "but" => PhraseRole::But,
            "change" => PhraseRole::Change,
            "instead" => PhraseRole::Instead,
            _ => return None,
        })
    }
}

impl Books {
    pub(super) fn read(books: &[(&str, &str)]) -> Books {
        let mut all = Books { nodes: vec![PatternNode::default()], ..Books::default() };
        for (index, (name, text)) in books.iter().enumerate() {
            let book = if OF_ALL.contains(name) { SHARED } else { index };
            let mut sets = PhraseSets::new();
            for (number, line) in text.lines().enumerate() {
                if let Err(why) = all.line(line.trim(), book, *name == "tr", &mut sets) {
                    all.problems.push(format!("{name}:{}: {why}", number + 1));
                }
            }
        }
        all
    }

    /// One line of a book: a comment, a set `@name = a|b`, or `role: pattern`.
    fn line(&mut self, line: &str, book: usize, turkish: bool, sets: &mut PhraseSets) -> Result<(), String> {
        if line.is_empty() || line.starts_with("# ") || line == "#" {
            return Ok(());
        }
        if let Some((name, alternatives)) = line.strip_prefix('@').and_then(|l| l.split_once(" = ")) {
            let known = sets.insert(name.trim().to_owned(), set(alternatives.trim())?);
            return known.map_or(Ok(()), |_| Err(format!("@{name} is defined twice")));
        }
        let (role, pattern) = line.split_once(": ").ok_or("no `role: pattern`")?;
        let role = PhraseRole::named(role).ok_or_else(|| format!("no role is called {role:?}"))?;
        let parts = parts(pattern, sets)?;
        if parts.iter().all(|part| part.optional) {
            return Err("a pattern needs one part that is not optional".to_owned());
        }
        self.add(&parts, role, book, turkish);
        Ok(())
    }

    /// Adds the nodes of one pattern: one after each part, and one between the words of a choice.
    fn add(&mut self, parts: &[PatternPart], role: PhraseRole, book: usize, turkish: bool) {
        let mut reached = vec![ROOT];
        for part in parts {
            let after = self.node();
            for choice in &part.choices {
                let mut from = reached.clone();
                for (at, word) in choice.iter().enumerate() {
                    let word = self.word(word, turkish);
                    let to = if at + 1 == choice.len() { after } else { self.node() };
                    for node in from {
                        self.nodes[node].next.entry(word).or_default().insert(to);
                    }
                    from = vec![to];
                }
            }
            if !part.optional {
                reached.clear();
            }
            reached.push(after);
        }
        for node in reached {
            self.nodes[node].ends.insert((role, book));
        }
    }

    fn node(&mut self) -> usize {
        self.nodes.push(PatternNode::default());
        self.nodes.len() - 1
    }

    /// The id of a word of a book, with all the ways to write it learnt on first sight.
    fn word(&mut self, written: &str, turkish: bool) -> usize {
        let key = if turkish { format!("tr/{written}") } else { written.to_owned() };
        if let Some(id) = self.words.get(&key) {
            return *id;
        }
        let id = self.words.len();
        self.words.insert(key, id);
        for (letters, form) in forms(written, id, turkish) {
            self.forms.entry(letters).or_default().push(form);
        }
        id
    }

    /// The graph with nodes from which the same phrases lead on made one, the first node first.
    fn shared(&self) -> Vec<PatternNode> {
        fn shared(
            at: usize,
            from: &[PatternNode],
            known: &mut HashMap<PatternNode, usize>,
            made: &mut [Option<usize>],
        ) -> usize {
            if let Some(known) = made[at] {
                return known;
            }
            let onward = from[at]
                .next
                .iter()
                .map(|(word, to)| (*word, to.iter().map(|to| shared(*to, from, known, made)).collect::<BTreeSet<_>>()));
            let node = PatternNode { next: onward.collect(), ends: from[at].ends.clone() };
            let number = known.len();
            let number = *known.entry(node).or_insert(number);
            made[at] = Some(number);
            number
        }
        let mut known = HashMap::new();
        shared(ROOT, &self.nodes, &mut known, &mut vec![None; self.nodes.len()]);
        // The root is made last: numbers are turned round.
        let last = known.len() - 1;
        let mut nodes = vec![PatternNode::default(); known.len()];
        for (node, number) in known {
            let turned = |to: BTreeSet<usize>| to.into_iter().map(|to| last - to).collect();
            let next = node.next.into_iter().map(|(word, to)| (word, turned(to))).collect();
            nodes[last - number] = PatternNode { next, ends: node.ends };
        }
        nodes
    }

    /// As `lexicon` reads it.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, TooMany> {
        let nodes = self.shared();
        let of_form = |form: &Form| [vec![form.word, usize::from(form.fixed)], form.runs.clone()].concat();
        let edges = |node: &PatternNode| -> Vec<(usize, usize)> {
            node.next.iter().flat_map(|(word, to)| to.iter().map(move |to| (*word, *to))).collect()
        };
        let row = |pick: fn((usize, usize)) -> usize| -> Vec<Vec<usize>> {
            nodes.iter().map(|node| edges(node).into_iter().map(pick).collect()).collect()
        };
        let ends =
            |node: &PatternNode| node.ends.iter().flat_map(|(role, book)| [*role as usize, *book]).collect::<Vec<_>>();
        let mut out = TableWriter::default();
        out.words(&sorted(self.forms.keys().cloned()))?;
        out.rows(&self.forms.values().map(|forms| forms.iter().flat_map(of_form).collect()).collect::<Vec<Vec<_>>>())?;
        out.rows(&row(|(word, _)| word))?;
        out.rows(&row(|(_, to)| to))?;
        out.rows(&nodes.iter().map(ends).collect::<Vec<_>>())?;
        Ok(out.0)
    }

    /// Phrases that one language has both as a yes and as a no, as their words. Follows the graph
    /// from sets of nodes to sets of nodes, so that every phrase is met whichever lines spell it.
    #[cfg(test)]
    pub(super) fn contradictions(&self) -> Vec<String> {
        let names: HashMap<usize, &String> = self.words.iter().map(|(name, id)| (*id, name)).collect();
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![(vec![ROOT], String::new())];
        let mut found = Vec::new();
        while let Some((nodes, words)) = open.pop() {
            let langs = |wanted: &[PhraseRole]| {
                let ends = nodes.iter().flat_map(|node: &usize| &self.nodes[*node].ends);
                let of_book = |book: usize| if book == SHARED { u32::MAX } else { 1 << book };
                ends.filter(|(role, _)| wanted.contains(role)).fold(0, |all, (_, book)| all | of_book(*book))
            };
            if langs(&[PhraseRole::Yes, PhraseRole::Do, PhraseRole::Act, PhraseRole::BesideYes])
                & langs(&[PhraseRole::No])
                != 0
                || langs(&[PhraseRole::No, PhraseRole::BesideNo, PhraseRole::Keeps])
                    & langs(&[PhraseRole::Yes, PhraseRole::Do])
                    != 0
            {
                found.push(words.clone());
            }
            let mut onward: HashMap<usize, Vec<usize>> = HashMap::new();
            for (word, next) in nodes.iter().flat_map(|node| &self.nodes[*node].next) {
                onward.entry(*word).or_default().extend(next);
            }
            for (word, mut next) in onward {
                next.sort_unstable();
                next.dedup();
                if seen.insert(next.clone()) {
                    open.push((next, format!("{words} {}", names[&word])));
                }
            }
        }
        found.sort();
        found
    }
}
