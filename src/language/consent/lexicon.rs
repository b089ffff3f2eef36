//! The phrase books of `data/language/consent/`, read once.
//!
//! Purpose: turn the pattern lines into one graph over words, so that every phrase starting at a word
//! is found in one walk. The file format is explained in `data/language/consent/README.md`.
//!
//! Invariants: the graph has no cycle, and a line adds as many nodes as it has words, however many
//! phrases it stands for; each end of a phrase carries its role and the languages that know it. A line that cannot be read is left out (fewer phrases can only make
//! more messages `Other`) and reported in `problems`, which a test requires to be empty.
//!
//! Deliberately absent: polarity of single words outside phrases, weights, and any reading of files
//! at run time: what a yes is belongs to the program, not to its configuration.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::pattern::{Part, parts};
use super::spelling::{Form, forms, runs};

/// A set of languages, one bit a phrase book.
pub(super) type Langs = u32;

/// Name and text of each phrase book. Books named in [`SHARED`] belong to every language.
const BOOKS: &[(&str, &str)] = &[
    ("shared", include_str!("../../../data/language/consent/shared.txt")),
    ("emoji", include_str!("../../../data/language/consent/emoji.txt")),
    ("collisions", include_str!("../../../data/language/consent/collisions.txt")),
    ("en", include_str!("../../../data/language/consent/en.txt")),
    ("ru", include_str!("../../../data/language/consent/ru.txt")),
    ("es", include_str!("../../../data/language/consent/es.txt")),
    ("pt", include_str!("../../../data/language/consent/pt.txt")),
    ("id", include_str!("../../../data/language/consent/id.txt")),
    ("hi", include_str!("../../../data/language/consent/hi.txt")),
    ("ur", include_str!("../../../data/language/consent/ur.txt")),
    ("ar", include_str!("../../../data/language/consent/ar.txt")),
    ("fa", include_str!("../../../data/language/consent/fa.txt")),
    ("tr", include_str!("../../../data/language/consent/tr.txt")),
    ("de", include_str!("../../../data/language/consent/de.txt")),
    ("fr", include_str!("../../../data/language/consent/fr.txt")),
    ("it", include_str!("../../../data/language/consent/it.txt")),
    ("uk", include_str!("../../../data/language/consent/uk.txt")),
];
const SHARED: &[&str] = &["shared", "emoji"];

/// What a phrase does in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Yes,
    No,
    /// A yes that names the action of the card: "send it".
    Do,
    /// Fits a plain yes, not one that names an action: "yes, delete it", never "send it, delete it".
    Act,
    /// Fits a yes and decides nothing alone: "that's right".
    BesideYes,
    /// Fits a no and decides nothing alone: "keep it", "changed my mind".
    BesideNo,
    /// Courtesy and address: "please", "thanks", "bro".
    BesideEither,
    /// Would read as a decision and is none, punctuation or not: "yeah yeah".
    Other,
    /// As `Other`, but only when no punctuation parts it: "si confirma" (if he confirms).
    Joined,
    /// No decision when it is all there is: a word on which two languages oppose.
    Alone,
    /// After a yes or no: what follows is a change. "but", "only", "at 4".
    But,
    /// Opens a change: "make it", "change the time".
    Change,
    /// Marks a change wherever it stands: "instead".
    Instead,
}

impl Role {
    fn named(name: &str) -> Option<Role> {
        Some(match name {
            "yes" => Role::Yes,
            "no" => Role::No,
            "do" => Role::Do,
            "act" => Role::Act,
            "+yes" => Role::BesideYes,
            "+no" => Role::BesideNo,
            "+" => Role::BesideEither,
            "other" => Role::Other,
            "joined" => Role::Joined,
            "alone" => Role::Alone,
            "but" => Role::But,
            "change" => Role::Change,
            "instead" => Role::Instead,
            _ => return None,
        })
    }
}

/// Bits of what a covering has used; see `Role::mark`.
pub(super) struct Mark;

impl Mark {
    pub(super) const YES: usize = 1;
    pub(super) const NO: usize = 2;
    pub(super) const NEEDS_YES: usize = 4;
    pub(super) const NEEDS_NO: usize = 8;
    pub(super) const ALONE: usize = 16;
    pub(super) const DO: usize = 32;
    pub(super) const ACT: usize = 64;
    /// How many sets of marks there are.
    pub(super) const SETS: usize = 128;
}

#[derive(Debug, Default)]
struct Node {
    next: HashMap<u32, Vec<usize>>,
    ends: Vec<(Role, Langs)>,
}

/// Where every phrase begins.
const ROOT: usize = 0;

/// All phrase books together.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    words: HashMap<String, u32>,
    forms: HashMap<String, Vec<Form>>,
    nodes: Vec<Node>,
    /// Lines that could not be read, as `book:line: why`.
    pub(super) problems: Vec<String>,
}

impl Lexicon {
    pub(super) fn get() -> &'static Lexicon {
        static LEXICON: OnceLock<Lexicon> = OnceLock::new();
        LEXICON.get_or_init(|| Lexicon::parse(BOOKS))
    }

    pub(super) fn parse(books: &[(&str, &str)]) -> Lexicon {
        let mut lexicon = Lexicon { nodes: vec![Node::default()], ..Lexicon::default() };
        for (index, (name, text)) in books.iter().enumerate() {
            let langs = if SHARED.contains(name) { Langs::MAX } else { 1 << index };
            let mut sets: HashMap<String, String> = HashMap::new();
            for (number, line) in text.lines().enumerate() {
                if let Err(why) = lexicon.line(line.trim(), langs, *name == "tr", &mut sets) {
                    lexicon.problems.push(format!("{name}:{}: {why}", number + 1));
                }
            }
        }
        lexicon
    }

    /// One line of a book: a comment, a set `@name = a|b`, or `role: pattern`.
    fn line(
        &mut self,
        line: &str,
        langs: Langs,
        turkish: bool,
        sets: &mut HashMap<String, String>,
    ) -> Result<(), String> {
        if line.is_empty() || line.starts_with("# ") || line == "#" {
            return Ok(());
        }
        if let Some((name, alternatives)) = line.strip_prefix('@').and_then(|l| l.split_once(" = ")) {
            let known = sets.insert(name.trim().to_owned(), alternatives.trim().to_owned());
            return known.map_or(Ok(()), |_| Err(format!("@{name} is defined twice")));
        }
        let (role, pattern) = line.split_once(": ").ok_or("no `role: pattern`")?;
        let role = Role::named(role).ok_or_else(|| format!("no role is called {role:?}"))?;
        let parts = parts(pattern, sets)?;
        if parts.iter().all(|part| part.optional) {
            return Err("a pattern needs one part that is not optional".to_owned());
        }
        self.add(&parts, role, langs, turkish);
        Ok(())
    }

    /// Adds the nodes of one pattern: one after each part, and one between the words of a choice.
    fn add(&mut self, parts: &[Part], role: Role, langs: Langs, turkish: bool) {
        let mut reached = vec![ROOT];
        for part in parts {
            let after = self.node();
            for choice in &part.choices {
                let mut from = reached.clone();
                for (at, word) in choice.iter().enumerate() {
                    let word = self.word(word, turkish);
                    let to = if at + 1 == choice.len() { after } else { self.node() };
                    for node in from {
                        self.nodes[node].next.entry(word).or_default().push(to);
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
            self.nodes[node].ends.push((role, langs));
        }
    }

    fn node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    /// The id of a word of a book, with all the ways to write it learnt on first sight.
    fn word(&mut self, written: &str, turkish: bool) -> u32 {
        let key = if turkish { format!("tr/{written}") } else { written.to_owned() };
        if let Some(id) = self.words.get(&key) {
            return *id;
        }
        let id = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.insert(key, id);
        for (letters, form) in forms(written, id, turkish) {
            self.forms.entry(letters).or_default().push(form);
        }
        id
    }

    /// The words of the books that `text` may stand for: spelled the same, or with letters drawn out.
    pub(super) fn ids(&self, text: &str) -> Vec<u32> {
        let (letters, drawn) = runs(text);
        let Some(forms) = self.forms.get(&letters) else {
            return Vec::new();
        };
        let mut ids: Vec<u32> = forms.iter().filter(|form| form.matches(&drawn)).map(|form| form.word).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Every phrase that begins at word `start`: where it ends, its role, the languages knowing it.
    /// Punctuation ends a phrase, except one that is no decision with punctuation either.
    pub(super) fn phrases_at(
        &self,
        ids: &[Vec<u32>],
        start: usize,
        broken: &dyn Fn(usize) -> bool,
    ) -> Vec<(usize, Role, Langs)> {
        let mut found = Vec::new();
        let mut nodes = vec![ROOT];
        let mut crossed = false;
        for (at, words) in ids.iter().enumerate().skip(start) {
            let onward = |node: usize| words.iter().filter_map(move |word| self.nodes[node].next.get(word));
            nodes = nodes.into_iter().flat_map(onward).flatten().copied().collect();
            nodes.sort_unstable();
            nodes.dedup();
            for (role, langs) in nodes.iter().flat_map(|node| &self.nodes[*node].ends) {
                if !crossed || *role == Role::Other {
                    found.push((at + 1, *role, *langs));
                }
            }
            crossed |= broken(at);
            if nodes.is_empty() {
                break;
            }
        }
        found
    }
}

#[cfg(test)]
impl Lexicon {
    /// Phrases that one language has both as a yes and as a no, as their words. Follows the graph
    /// from sets of nodes to sets of nodes, so that every phrase is met whichever lines spell it.
    pub(super) fn contradictions(&self) -> Vec<String> {
        let names: HashMap<u32, &String> = self.words.iter().map(|(name, id)| (*id, name)).collect();
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![(vec![ROOT], String::new())];
        let mut found = Vec::new();
        while let Some((nodes, words)) = open.pop() {
            let langs = |wanted: &[Role]| {
                let ends = nodes.iter().flat_map(|node| &self.nodes[*node].ends);
                ends.filter(|(role, _)| wanted.contains(role)).fold(0, |all, (_, langs)| all | langs)
            };
            if langs(&[Role::Yes, Role::Do, Role::Act, Role::BesideYes]) & langs(&[Role::No]) != 0
                || langs(&[Role::No, Role::BesideNo]) & langs(&[Role::Yes, Role::Do]) != 0
            {
                found.push(words.clone());
            }
            let mut onward: HashMap<u32, Vec<usize>> = HashMap::new();
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
