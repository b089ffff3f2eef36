//! What people say for the commands of a service that is not built in.
//!
//! A service brings its phrases as text, in the notation of the frames (see `notation`):
//!
//! ```text
//! forecast
//!   (what is|what's|how is) the weather [like] [in {place}] [{day:time}]
//! ```
//! They are read once, when the service is registered. A message that a frame covers as a whole, politeness at either
//! end aside, is routed to the service and planned as `service.command {place: …, day: …}`, the slots in the person's
//! words. A time is taken out of the message wherever it stands, and only a slot of type `time` takes it: a message
//! that says when, where no slot wants to know, is not covered.
//!
//! Deliberately not here: what the words mean. Parameters are read as those of any plan.

use std::ops::Range;

use serde_json::Value;

use super::annotated::AnnotatedText;
use super::grammar::{Frames, GRAMMAR, Grammar, needs_a_word};
use super::lexicon::{Vocabulary, WordId};
use super::matching::{ClauseMatch, readings};
use super::notation::{self, Mistake};
use super::parse_input::ParseInput;
use super::parser::Parser;
use super::reading::tidy;
use super::slot_types::SlotType;
use super::text::{TokenMark, own_words, tokens};
use crate::language::tokens::lower;
use crate::language::work::Work;
use brain_core::core::plan::{Params, PlannedAction};
use brain_core::limits::{PHRASE_FRAMES_MAX, PHRASES_BYTES_MAX};

/// The phrases of one service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrases {
    service: String,
    /// Those that the program's own lexicon does not have.
    words: Vocabulary,
    frames: Frames,
}

/// Why phrases cannot be used; nothing of them is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PhrasesError {
    #[error("the phrases of {service} hold {count} mistakes, the first in {first}")]
    Mistakes { service: String, count: usize, first: Mistake },
    #[error("the phrases of {service} are too many: at most {PHRASE_FRAMES_MAX} frames in {PHRASES_BYTES_MAX} bytes")]
    TooMany { service: String },
}

impl Phrases {
    /// Reads phrases; every mistake names its line.
    pub fn read(service: &str, text: &str) -> Result<Phrases, PhrasesError> {
        let too_many = || PhrasesError::TooMany { service: service.to_owned() };
        if text.len() > PHRASES_BYTES_MAX {
            return Err(too_many());
        }
        let lexicon = GRAMMAR.lexicon;
        // A slot takes few words unless it says otherwise: whoever says more may say something else as well.
        let kind = |_: &str, kind: &str| if kind.is_empty() { Some(SlotType::Short) } else { SlotType::read("", kind) };
        let mut words = lexicon.more_words();
        let mut as_heard = |symbol: &str| as_heard(symbol, &mut words);
        let (frames, mut mistakes) = notation::read(text, &|name| lexicon.class(name), &kind, &mut as_heard);
        let greedy = frames.iter().filter(|(_, frame)| !needs_a_word(&frame.pieces));
        mistakes.extend(greedy.map(|(line, frame)| {
            let why = format!("{}: the frame has no word of its own and would take any message", frame.command);
            Mistake { line: *line, why }
        }));
        mistakes.sort_by_key(|mistake| mistake.line);
        let count = mistakes.len();
        if let Some(first) = mistakes.into_iter().next() {
            return Err(PhrasesError::Mistakes { service: service.to_owned(), count, first });
        }
        if frames.len() > PHRASE_FRAMES_MAX {
            return Err(too_many());
        }
        let frames = Frames::of(frames.into_iter().map(|(_, frame)| frame).collect(), lexicon.with(&words));
        Ok(Phrases { service: service.to_owned(), words, frames })
    }

    /// Those of the program's own texts, which name the commands of no service. That they hold no mistake is tested.
    pub(super) fn own(text: &str) -> Phrases {
        match Phrases::read("", text) {
            Ok(phrases) => phrases,
            Err(error) => panic!("{error}"),
        }
    }

    /// The service whose commands they name.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// The program's own lexicon with their words, and their frames.
    fn grammar(&self) -> Grammar<'_> {
        Grammar { lexicon: GRAMMAR.lexicon.with(&self.words), frames: &self.frames }
    }

    /// What they make of a message that they cover.
    fn action(&self, text: &str, input: &ParseInput, work: &Work) -> Option<PlannedAction> {
        let grammar = self.grammar();
        let heard = AnnotatedText::with_times(text, input.reference, grammar.lexicon);
        let all = 0..heard.tokens.len();
        if is_of_several_sentences(&heard) {
            return None;
        }
        let time = match heard.times_in(&all)[..] {
            [] => None,
            [time] => Some(heard.words_of(&heard.masks[time]).to_owned()),
            [..] => return None,
        };
        let is_time = |found: &ClauseMatch| found.slots.iter().any(|slot| slot.kind == SlotType::Time);
        let fits = |found: &ClauseMatch| {
            time.is_some() == is_time(found)
                && found.slots.iter().all(|slot| !asks_for_more(heard.raw(slot.first, slot.last), input, work))
        };
        let found = readings(grammar, &heard, all, work).into_iter().find(fits)?;
        let words = |slot: &super::matching::Filler| match (slot.kind, &time) {
            (SlotType::Time, Some(time)) => time.clone(),
            _ => tidy(heard.raw(slot.first, slot.last)),
        };
        let fixed = found.frame.fixed.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        let slots = found.slots.iter().map(|slot| (slot.name.to_owned(), Value::from(words(slot))));
        let (service, command) = (self.service.clone(), found.frame.command.clone());
        let params: Params = fixed.chain(slots).collect();
        Some(PlannedAction { service, command, params, ..PlannedAction::default() })
    }
}

/// What the first of the hearing's phrases that covers the message makes of it. Only services of `domains` are asked;
/// an empty slice allows any.
pub fn planned(input: &ParseInput, domains: &[String], work: &Work) -> Option<PlannedAction> {
    let asked = |phrases: &&&Phrases| domains.is_empty() || domains.contains(&phrases.service);
    let mut phrases = input.phrases.iter().filter(asked).peekable();
    phrases.peek()?;
    let text = own_words(input.text);
    phrases.find_map(|phrases| phrases.action(&text, input, work))
}

/// Words behind a mark that ends a sentence.
fn is_of_several_sentences(heard: &AnnotatedText) -> bool {
    let stop = heard.tokens.iter().position(|token| token.mark == TokenMark::Stop);
    let behind = heard.ids(stop.unwrap_or(heard.tokens.len())..heard.tokens.len());
    !behind.is_empty() && !GRAMMAR.lexicon.is_phrase("tail", behind)
}

/// Whether what a slot would take holds a request of its own, behind a conjunction.
fn asks_for_more(words: &str, input: &ParseInput, work: &Work) -> bool {
    const CONNECTORS: [&str; 6] = ["and", "then", "also", "but", ",", ";"];
    let heard = AnnotatedText::with_times(words, input.reference, GRAMMAR.lexicon);
    let connects = |at: &usize| CONNECTORS.contains(&lower(&words[heard.tokens[*at].span.clone()]).as_str());
    let starts: Vec<usize> = (0..heard.tokens.len()).filter(connects).collect();
    let alone = input.alone(words);
    let parser = Parser::new(&alone, &heard, &[], work);
    let part = |start: &usize| -> Range<usize> { start + 1..heard.tokens.len() };
    starts
        .iter()
        .any(|start| parser.intents_in(part(start)).iter().any(|intent| !intent.weak && intent.service != "chat"))
}

/// The words of a frame as they are heard in a message: without hyphens, contractions read as there.
fn as_heard(symbol: &str, words: &mut Vocabulary) -> Vec<WordId> {
    let lexicon = GRAMMAR.lexicon;
    let tokens = tokens(symbol, lexicon).into_iter().filter(|token| token.mark == TokenMark::Word);
    let typed = tokens.map(|token| lower(&symbol[token.span])).filter(|typed| !typed.is_empty());
    let read_as = |typed: String| match lexicon.spelling(&typed) {
        Some(ids) => ids.to_vec(),
        None => vec![lexicon.exact(&typed).unwrap_or_else(|| words.id(&typed))],
    };
    typed.flat_map(read_as).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Understood, plan};
    use super::*;
    use crate::language::routing::{self, Kind as Guessed};
    use crate::language::testing::{alone, monday};

    const WEATHER: &str = "\
forecast
  (what is|what's|how is|how's) the weather [like] [in {place}] [{day:time}]
  weather [forecast] [(in|for) {place}] [{day:time}]
  will it (rain|snow|drizzle) [in {place}] {day:time}
warn unit=celsius
  warn me of (frost|black ice|thunder-storms) in {place}
";

    fn weather() -> Phrases {
        Phrases::read("weather", WEATHER).unwrap()
    }

    fn understood(text: &str) -> Option<PlannedAction> {
        let (phrases, reference) = (weather(), monday());
        let input = ParseInput { phrases: &[&phrases], ..alone(text, &reference) };
        let guess = routing::route(&input);
        let domains = [String::from("weather")];
        let Understood::Plan { plan: mut planned, .. } = plan(&input, &domains) else {
            assert!(!guess.domains.contains(&domains[0]), "{text}: routed and not planned");
            return None;
        };
        assert_eq!((guess.kind, &guess.domains[..]), (Guessed::Action, &domains[..]), "{text}");
        assert!(!guess.is_sure(), "nobody measured it");
        assert_eq!(planned.actions.len(), 1);
        planned.actions.pop()
    }

    #[test]
    fn a_message_that_a_phrase_covers_is_routed_and_planned_in_the_persons_words() {
        for (text, command, params) in [
            ("What's the weather like in Lisbon?", "forecast", json!({"place": "Lisbon"})),
            ("hey, could you tell me what is the weather please", "forecast", json!({})),
            ("whats the weather in New York tomorrow?", "forecast", json!({"place": "New York", "day": "tomorrow"})),
            ("Weather tomorrow in São Paulo, thanks!", "forecast", json!({"place": "São Paulo", "day": "tomorrow"})),
            ("weathre forecast for Oslo", "forecast", json!({"place": "Oslo"})),
            ("will it rain on friday", "forecast", json!({"day": "on friday"})),
            ("warn me of thunder storms in Graz", "warn", json!({"unit": "celsius", "place": "Graz"})),
        ] {
            let action = understood(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((action.command.as_str(), Value::Object(action.params)), (command, params), "{text}");
            assert_eq!(action.service, "weather");
        }
    }

    #[test]
    fn a_message_that_says_more_is_not_covered() {
        for text in [
            "what's the weather in Lisbon and remind me to buy milk",
            "what's the weather in Lisbon? Remind me to buy milk.",
            "what's the weather that made you so sad when we were there in summer",
            "warn me of frost in Graz tomorrow",
            "will it rain",
            "what's the weather in Lisbon tomorrow and what on friday at 5",
            "the weather was fine",
            "remind me to call mom tomorrow at 5pm",
            "",
        ] {
            assert_eq!(understood(text), None, "{text}");
        }
    }

    #[test]
    fn phrases_change_nothing_for_other_messages_nor_without_them() {
        let (phrases, reference) = (weather(), monday());
        for text in ["remind me to call mom tomorrow at 5pm", "what's on my calendar tomorrow", "hello"] {
            let alone = alone(text, &reference);
            let beside = ParseInput { phrases: &[&phrases], ..alone };
            assert_eq!(routing::route(&alone), routing::route(&beside));
            assert_eq!(plan(&alone, &[]), plan(&beside, &[]));
        }
        let asked = ParseInput { phrases: &[&phrases], ..alone("weather in Oslo", &reference) };
        assert_eq!(plan(&asked, &["task".to_owned()]), Understood::SmallTalk);
    }

    #[test]
    fn a_mistake_names_its_line_and_nothing_is_used() {
        for (text, line, why) in [
            ("forecast\n  weather (in|for\n", 2, "`)` is missing"),
            ("# frames first\n  weather\n", 2, "no command"),
            ("forecast\n  weather\n  [please] {place}\n", 3, "no word of its own"),
            ("forecast\n  <nothing> weather\n", 2, "no class <nothing>"),
            ("forecast\n  weather {place:planet}\n", 2, "no slot type `planet`"),
        ] {
            let error = Phrases::read("weather", text).unwrap_err();
            let PhrasesError::Mistakes { count: 1, first, .. } = &error else { panic!("{error}") };
            assert!(first.line == line && first.why.contains(why), "{error}");
        }
        let many = format!("forecast\n{}", "  weather here\n".repeat(PHRASE_FRAMES_MAX + 1));
        assert!(matches!(Phrases::read("weather", &many), Err(PhrasesError::TooMany { .. })));
        assert!(Phrases::read("weather", &"(".repeat(PHRASES_BYTES_MAX / 2)).is_ok(), "no frame, no mistake");
        let deep = format!("forecast\n  {}weather", "(".repeat(10_000));
        assert!(matches!(Phrases::read("weather", &deep), Err(PhrasesError::Mistakes { .. })));
    }
}
