//! The program's own grammar: made, when it is first needed, of the lexicon, of what is said for the built-in services'
//! commands, and of what is shared.

use super::grammar::{Frames, Grammar};
use super::lexicon::{KnownTerms, RequestLexicon};
use super::notation;
use super::slot_types::SlotType;

/// A service by its name in plans, and what people say for its commands, a text a language.
pub type ServiceWording<'t> = (&'t str, [&'t str; 2]);

/// What stands in the folder of a service. It is data: of the services' code nothing is known here.
macro_rules! said_for {
    ($folder:literal) => {
        [
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../brain-services/src/services/",
                $folder,
                "/phrases.en.txt"
            )),
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../brain-services/src/services/",
                $folder,
                "/phrases.de.txt"
            )),
        ]
    };
}

/// The built-in services. Of two readings that are worth the same the earlier line's counts.
pub const SERVICES: [ServiceWording<'static>; 6] = [
    ("task", said_for!("task")),
    ("calendar", said_for!("calendar")),
    ("email", said_for!("email")),
    ("memory", said_for!("memory")),
    ("keep", said_for!("notes")),
    ("contacts", said_for!("contacts")),
];
/// What no service knows as its own, after all that is theirs; its lines name their commands in full.
const SHARED: ServiceWording<'static> = (
    "",
    [
        include_str!("../../../../../data/language/requests/shared.en.txt"),
        include_str!("../../../../../data/language/requests/shared.de.txt"),
    ],
);
const LEXICON: &str = include_str!("../../../../../data/language/requests/lexicon.txt");
const SPELLING: &str = include_str!("../../../../../data/language/requests/spelling.txt");

/// The grammar in use. That its texts hold no mistake is tested.
pub(super) fn grammar() -> Grammar<'static> {
    match grammar_of(&SERVICES) {
        Ok(grammar) => grammar,
        Err(mistakes) => panic!("the built-in services' phrases hold mistakes: {mistakes:?}"),
    }
}

/// The grammar of these services, kept for as long as the program runs, or the lines that could not be read, each with
/// its service.
pub fn grammar_of(services: &[ServiceWording]) -> Result<Grammar<'static>, Vec<String>> {
    compiled(LEXICON, SPELLING, &[services, &[SHARED]].concat())
}

fn compiled(classes: &str, spellings: &str, services: &[ServiceWording]) -> Result<Grammar<'static>, Vec<String>> {
    let (mut mistakes, mut frames) = (Vec::new(), Vec::new());
    let mut known = KnownTerms::read(classes, spellings, &mut mistakes);
    let mut words = known.words.clone();
    for (service, text) in services.iter().flat_map(|(service, texts)| texts.iter().map(move |text| (service, text))) {
        let class = |name: &str| RequestLexicon::of(&known).class(name);
        let (read, wrong) = notation::read(text, &class, &SlotType::read, &mut |word| vec![words.id(word)]);
        frames.extend(read.into_iter().map(|(_, mut frame)| {
            if !service.is_empty() {
                frame.command = format!("{service}.{}", frame.command);
            }
            frame
        }));
        mistakes.extend(wrong.iter().map(|mistake| format!("{service}: {mistake}")));
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    known.words = words;
    let lexicon = RequestLexicon::of(Box::leak(Box::new(known)));
    Ok(Grammar { lexicon, frames: Box::leak(Box::new(Frames::of(frames, lexicon))) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_the_grammar_in_use_hold_no_mistake() {
        assert_eq!(grammar_of(&SERVICES).err(), None);
        assert!(grammar().frames.list.len() > 300);
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
