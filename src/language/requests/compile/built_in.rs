//! The program's own grammar: made, when it is first needed, of the lexicon, of what is said for the built-in services'
//! commands, and of what is shared.

use super::super::grammar::Grammar;
use super::super::notation::{self, Names};
use super::super::slot_types::SlotType;
use super::*;
use crate::language::tables::Sections;

/// A service by its name in plans, and what people say for its commands, a text a language.
pub(crate) type Said<'t> = (&'t str, [&'t str; 2]);

/// What stands in the folder of a service. It is data: of the services' code nothing is known here.
macro_rules! said_for {
    ($folder:literal) => {
        [
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/services/", $folder, "/phrases.en.txt")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/services/", $folder, "/phrases.de.txt")),
        ]
    };
}

/// The built-in services. Of two readings that are worth the same the earlier line's counts.
pub(crate) const SERVICES: [Said<'static>; 6] = [
    ("task", said_for!("task")),
    ("calendar", said_for!("calendar")),
    ("email", said_for!("email")),
    ("memory", said_for!("memory")),
    ("keep", said_for!("notes")),
    ("contacts", said_for!("contacts")),
];
/// What no service knows as its own, after all that is theirs; its lines name their commands in full.
const SHARED: Said<'static> = (
    "",
    [
        include_str!("../../../../data/language/requests/shared.en.txt"),
        include_str!("../../../../data/language/requests/shared.de.txt"),
    ],
);
const LEXICON: &str = include_str!("../../../../data/language/requests/lexicon.txt");
const SPELLING: &str = include_str!("../../../../data/language/requests/spelling.txt");

/// The grammar in use. That its texts hold no mistake is tested.
pub(in super::super) fn grammar() -> Grammar<'static> {
    let tables: &'static [u8] = match tables(&SERVICES) {
        Ok(tables) => tables.leak(),
        Err(mistakes) => panic!("the built-in services' phrases hold mistakes: {mistakes:?}"),
    };
    match Grammar::read(tables) {
        Some(grammar) => grammar,
        None => panic!("what was written is no grammar"),
    }
}

/// The tables of the grammar of these services, or the lines that could not be read, each with its service.
pub(crate) fn tables(services: &[Said]) -> Result<Vec<u8>, Vec<String>> {
    compiled(LEXICON, SPELLING, &[services, &[SHARED]].concat())
}

fn compiled(classes: &str, spellings: &str, services: &[Said]) -> Result<Vec<u8>, Vec<String>> {
    let mut mistakes = Vec::new();
    let (classes, spellings) = (rows(classes, ':', &mut mistakes), rows(spellings, '=', &mut mistakes));
    let names: BTreeSet<&str> = classes.iter().map(|(name, _)| *name).collect();
    let is_class = |name: &str| names.contains(name);
    let mut wordings = Vec::new();
    for (service, text) in services.iter().flat_map(|(service, texts)| texts.iter().map(move |text| (service, text))) {
        let (read, wrong) = notation::read(text, Names { is_class: &is_class, kind: &SlotType::read });
        wordings.extend(read.into_iter().map(|wording| of_service(service, wording)));
        mistakes.extend(wrong.iter().map(|mistake| format!("{service}: {mistake}")));
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    written(&wordings, &classes, &spellings).map_err(|error| vec![error.to_string()])
}

fn of_service(service: &str, wording: Wording) -> Wording {
    let command = if service.is_empty() { wording.command } else { format!("{service}.{}", wording.command) };
    Wording { command, ..wording }
}

/// The name of a class or a word as it is typed, and the words of each of its phrases.
type Row<'t> = (&'t str, Vec<Vec<&'t str>>);

/// Lines `name: phrase, phrase`, or `typed = read as`.
fn rows<'t>(text: &'t str, mark: char, mistakes: &mut Vec<String>) -> Vec<Row<'t>> {
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| super::super::lexicon::is_data(line)) {
        let Some((name, phrases)) = line.split_once(mark) else {
            mistakes.push(format!("no `{mark}`: {line}"));
            continue;
        };
        let phrases = phrases.split(',').map(|phrase| phrase.split_whitespace().collect::<Vec<_>>());
        rows.push((name.trim(), phrases.filter(|phrase| !phrase.is_empty()).collect()));
    }
    rows
}

fn written(wordings: &[Wording], classes: &[Row], spellings: &[Row]) -> Result<Vec<u8>, TooMany> {
    let of_rows = classes.iter().chain(spellings).flat_map(|(_, phrases)| phrases.iter().flatten());
    let words = sorted(words_of(wordings).into_iter().chain(of_rows.map(|word| (*word).to_owned())));
    let mut writer = Writer::default();
    lexicon(&words, classes, spellings, &mut writer)?;
    let read = writer.0.clone();
    let lexicon = Lexicon::read(&mut Sections(&read)).ok_or(TooMany)?;
    super::frames(wordings, lexicon, &mut writer)?;
    Ok(writer.0)
}

fn lexicon(words: &[String], classes: &[Row], spellings: &[Row], out: &mut Writer) -> Result<(), TooMany> {
    let place = |known: &[String], word: &str| known.partition_point(|known| known.as_str() < word);
    let names = sorted(classes.iter().map(|(name, _)| (*name).to_owned()));
    let mut phrases = Vec::new();
    for (name, phrase) in classes.iter().flat_map(|(name, phrases)| phrases.iter().map(move |p| (name, p))) {
        let Some((first, rest)) = phrase.split_first() else { continue };
        let rest = rest.iter().map(|word| place(words, word) + 1).collect::<Vec<_>>();
        phrases.push((place(words, first), place(&names, name), rest));
    }
    phrases.sort_by_key(|(_, class, rest)| (*class, std::cmp::Reverse(rest.len())));
    phrases.dedup();
    // Of two lines for one word the later one counts.
    let read_as: BTreeMap<&str, Vec<usize>> = spellings
        .iter()
        .map(|(typed, phrases)| (*typed, phrases.iter().flatten().map(|word| place(words, word) + 1).collect()))
        .collect();
    out.words(words)?;
    out.words(&names)?;
    out.phrases(words.len(), &phrases)?;
    out.words(&sorted(read_as.keys().map(ToString::to_string)))?;
    out.rows(&read_as.into_values().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_the_grammar_in_use_hold_no_mistake() {
        assert_eq!(tables(&SERVICES).err(), None);
        assert!(grammar().frames.len() > 300);
    }

    #[test]
    fn a_broken_frame_is_named() {
        let frames = "create\n  <nothing> me\n  (a|b\n  {x:odd}\n";
        let mistakes = compiled("det: a", "", &[("task", [frames, "create\n  remind me to {title}\n"])]).unwrap_err();
        assert_eq!(mistakes.len(), 3);
        assert!(mistakes[0].contains("task: line 2: create: <nothing> me: no class <nothing>"), "{mistakes:?}");
        assert_eq!(compiled("det a", "", &[]).unwrap_err(), ["no `:`: det a"]);
    }
}
