//! A turn as built-in understanding hears it.
//!
//! Its words are read once, beside the runtime, when the turn begins ([`super::Turn::hear`]), and once more where
//! others come to stand for them ([`super::Turn::points_at`]); whoever asks anything of them is told from that.

use std::sync::Arc;

use super::facts::TurnFacts;
use crate::core::history::Voice;
use crate::language::reading::Reading;
use crate::language::requests::{FamilyQuestion, Hearing, Intents, Past, Phrases, StateReport, Understood};
use crate::language::routing::Guess;
use crate::language::time::{Reference, recognised_once};
use crate::language::{requests, routing};
use crate::services::filling::BUILDERS;

/// What a message was understood as.
#[derive(Debug)]
pub(super) struct Understanding {
    reading: Reading,
    guess: Guess,
    intents: Intents,
    question: Option<FamilyQuestion>,
    leaning: Option<FamilyQuestion>,
    report: Option<StateReport>,
    /// The plan within the guessed services, and within any.
    within: (Vec<String>, Understood),
    within_any: Understood,
}

impl Understanding {
    fn of(hearing: &Hearing) -> Understanding {
        recognised_once(|| Understanding::read(hearing))
    }

    /// What is known of words before they are read.
    pub(super) fn of_nothing(reference: &Reference) -> Understanding {
        Understanding::of(&Hearing::new("", reference, BUILDERS))
    }

    fn read(hearing: &Hearing) -> Understanding {
        let guess = routing::route(hearing);
        let within_any = requests::plan(hearing, &[]);
        let within = match guess.domains.as_slice() {
            [] => within_any.clone(),
            domains => requests::plan(hearing, domains),
        };
        Understanding {
            reading: Reading::of(hearing.text, hearing.reference),
            intents: Intents::of(&Hearing { phrases: &[], ..*hearing }),
            question: requests::question(hearing),
            leaning: requests::leaning(hearing.text, hearing.reference),
            report: requests::report(hearing),
            within: (guess.domains.clone(), within),
            guess,
            within_any,
        }
    }
}

impl TurnFacts {
    /// What reads words, with all that it needs.
    pub(super) fn reader(&self, text: String) -> impl FnOnce() -> Understanding + Send + use<> {
        let (reference, past, phrases) = (self.reference(), self.past(), self.phrases.clone());
        move || Understanding::of(&hearing(&text, &reference, &past, &of_all(&phrases)))
    }

    /// The words of the message, their moods, and the times that they name.
    pub fn reading(&self) -> &Reading {
        &self.understanding.reading
    }

    /// Whether reading the message would take more than a message may.
    pub fn is_too_much(&self) -> bool {
        self.understanding.within_any == Understood::TooMuch
    }

    /// Which services the message seems to be about.
    pub fn guess(&self) -> &Guess {
        &self.understanding.guess
    }

    /// What its clauses seem to ask.
    pub fn intents(&self) -> &Intents {
        &self.understanding.intents
    }

    /// The question of a family that its words are.
    pub fn question(&self) -> Option<&FamilyQuestion> {
        self.understanding.question.as_ref()
    }

    /// The question that its words lean to, which nothing is asked of to change as well.
    pub fn leaning(&self) -> Option<&FamilyQuestion> {
        let known = &self.understanding;
        known.leaning.as_ref().filter(|_| self.origin().is_own_words() && known.intents.only_look())
    }

    /// What it reports as done.
    pub fn report(&self) -> Option<&StateReport> {
        self.understanding.report.as_ref()
    }

    /// The conversation as built-in understanding wants it.
    pub fn past(&self) -> Vec<Past> {
        let mut past: Vec<Past> = Vec::new();
        for entry in self.conversation().entries() {
            match entry.voice {
                Voice::Own => past.push(Past { said: entry.text.to_owned(), actions: Vec::new() }),
                Voice::SomebodyElse | Voice::PassedOn { .. } => {}
                Voice::Assistant => {
                    let actions = entry.actions.iter().cloned();
                    match past.last_mut() {
                        Some(last) => last.actions.extend(actions),
                        None => past.push(Past { said: String::new(), actions: actions.collect() }),
                    }
                }
            }
        }
        // Whoever replies to something means what that was about, whatever was done since.
        if let Some(message) = &self.replied_message {
            past.push(Past { said: String::new(), actions: self.quoted_of(message) });
        }
        past
    }

    /// What built-in understanding makes of the message; only commands of `domains`, and of any where there are none.
    pub fn understood(&self, domains: &[String]) -> Understood {
        let known = &self.understanding;
        match domains {
            [] => known.within_any.clone(),
            domains if known.within.0 == domains => known.within.1.clone(),
            domains => self.understood_as(self.words(), domains),
        }
    }

    /// The same of other words of the person's.
    pub fn understood_as(&self, text: &str, domains: &[String]) -> Understood {
        requests::plan(&hearing(text, &self.reference(), &self.past(), &of_all(&self.phrases)), domains)
    }
}

fn of_all(phrases: &[Arc<Phrases>]) -> Vec<&Phrases> {
    phrases.iter().map(Arc::as_ref).collect()
}

fn hearing<'a>(
    text: &'a str,
    reference: &'a Reference,
    history: &'a [Past],
    phrases: &'a [&'a Phrases],
) -> Hearing<'a> {
    Hearing { history, phrases, ..Hearing::new(text, reference, BUILDERS) }
}
