//! A turn as built-in understanding hears it.
//!
//! Its words are read once, beside the runtime, when the turn begins ([`Turn::hear`]); whoever asks is told from that.
//! Words that came to stand for them since ([`Turn::points_at`]) are read when they are asked for.

use super::Turn;
use crate::core::history::PastAction;
use crate::language::requests::{FamilyQuestion, Hearing, Past, StateReport, Understood};
use crate::language::routing::Guess;
use crate::language::{requests, routing};
use crate::ports::records::{Shown, Speaker};
use crate::services::filling::BUILDERS;

/// What a message was understood as.
#[derive(Debug)]
pub(super) struct Understanding {
    /// What was read.
    text: String,
    guess: Guess,
    question: Option<FamilyQuestion>,
    report: Option<StateReport>,
    /// The plan within the guessed services, and within any.
    within: (Vec<String>, Understood),
    within_any: Understood,
}

impl Understanding {
    fn of(hearing: &Hearing) -> Understanding {
        let guess = routing::route(hearing);
        let within_any = requests::plan(hearing, &[]);
        let within = match guess.domains.as_slice() {
            [] => within_any.clone(),
            domains => requests::plan(hearing, domains),
        };
        Understanding {
            text: hearing.text.to_owned(),
            question: requests::question(hearing),
            report: requests::report(hearing),
            within: (guess.domains.clone(), within),
            guess,
            within_any,
        }
    }
}

impl Turn<'_> {
    /// Reads the message, once; what is asked of it afterwards is known.
    pub async fn hear(&self) {
        if self.words().is_empty() {
            return;
        }
        let (text, reference, past) = (self.words().to_owned(), self.reference(), self.past());
        let services = self.brain.services.now();
        let read = move || {
            let phrases = services.phrases();
            Understanding::of(&Hearing {
                history: &past,
                phrases: &phrases,
                ..Hearing::new(&text, &reference, BUILDERS)
            })
        };
        let _ = self.understanding.set(self.brain.pool.run(self.owner(), read).await);
    }

    /// What was read, if it is still what the turn is about.
    fn understanding(&self) -> Option<&Understanding> {
        self.understanding.get().filter(|known| known.text == self.words())
    }

    /// Whether reading the message would take more than a message may.
    pub fn is_too_much(&self) -> bool {
        self.understanding().is_some_and(|known| known.within_any == Understood::TooMuch)
    }

    /// Which services the message seems to be about.
    pub fn guess(&self) -> Guess {
        if let Some(known) = self.understanding() {
            return known.guess.clone();
        }
        let (reference, past) = (self.reference(), self.past());
        let services = self.brain.services.now();
        let phrases = services.phrases();
        routing::route(&Hearing {
            history: &past,
            phrases: &phrases,
            ..Hearing::new(self.words(), &reference, BUILDERS)
        })
    }

    /// The question of a family that its words are.
    pub fn question(&self) -> Option<FamilyQuestion> {
        match self.understanding() {
            Some(known) => known.question.clone(),
            None => requests::question(&Hearing::new(self.words(), &self.reference(), BUILDERS)),
        }
    }

    /// What it reports as done.
    pub fn report(&self) -> Option<StateReport> {
        match self.understanding() {
            Some(known) => known.report.clone(),
            None => requests::report(&Hearing::new(self.words(), &self.reference(), BUILDERS)),
        }
    }

    /// The conversation as built-in understanding wants it.
    pub fn past(&self) -> Vec<Past> {
        let mut past: Vec<Past> = Vec::new();
        for message in &self.history {
            match message.speaker {
                Speaker::Person if self.is_own(message) => {
                    past.push(Past { said: message.text.clone(), actions: Vec::new() });
                }
                Speaker::Person => {}
                Speaker::Assistant => {
                    let actions = message.actions.iter().cloned();
                    match past.last_mut() {
                        Some(last) => last.actions.extend(actions),
                        None => past.push(Past { said: String::new(), actions: actions.collect() }),
                    }
                }
            }
        }
        // Whoever replies to a reminder means what it reminds of, whatever was done since.
        if let Some(Shown { about, .. }) = self.replied.as_ref().filter(|shown| !shown.about.is_empty()) {
            let only = about.first().filter(|_| about.len() == 1).cloned();
            let services = self.brain.services.now();
            let service = services.iter().find(|service| service.service.reminders().is_some());
            let service = service.map(|service| service.info.name.clone()).unwrap_or_default();
            past.push(Past { said: String::new(), actions: vec![PastAction::reminder(&service, only)] });
        }
        past
    }

    /// What built-in understanding makes of the message; only commands of `domains`, and of any where there are none.
    pub fn understood(&self, domains: &[String]) -> Understood {
        if let Some(known) = self.understanding() {
            if domains.is_empty() {
                return known.within_any.clone();
            }
            if known.within.0 == domains {
                return known.within.1.clone();
            }
        }
        self.understood_as(self.words(), domains)
    }

    /// Whether the message asks for what no single look can tell.
    pub fn investigates(&self) -> bool {
        let (reference, past) = (self.reference(), self.past());
        let hearing = Hearing { history: &past, ..Hearing::new(self.words(), &reference, BUILDERS) };
        requests::investigates(&hearing)
    }

    /// Whether a command of a service plainly answers the message.
    pub fn asks_a_command(&self) -> bool {
        let (reference, past) = (self.reference(), self.past());
        requests::asks_a_command(&Hearing { history: &past, ..Hearing::new(self.words(), &reference, BUILDERS) })
    }

    /// Whether the message plainly asks for nothing to be changed.
    pub fn only_looks(&self) -> bool {
        let (reference, past) = (self.reference(), self.past());
        requests::only_looks(&Hearing { history: &past, ..Hearing::new(self.words(), &reference, BUILDERS) })
    }

    /// The same of other words of the person's.
    pub fn understood_as(&self, text: &str, domains: &[String]) -> Understood {
        let (reference, past) = (self.reference(), self.past());
        let services = self.brain.services.now();
        let phrases = services.phrases();
        requests::plan(
            &Hearing { history: &past, phrases: &phrases, ..Hearing::new(text, &reference, BUILDERS) },
            domains,
        )
    }
}
