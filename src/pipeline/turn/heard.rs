//! A turn as built-in understanding hears it.

use super::Turn;
use crate::core::history::PastAction;
use crate::language::requests;
use crate::language::requests::{Hearing, Past, Understood};
use crate::ports::records::{Shown, Speaker};

impl Turn<'_> {
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
        self.understood_as(self.words(), domains)
    }

    /// Whether the message asks for what no single look can tell.
    pub fn investigates(&self) -> bool {
        let (reference, past) = (self.reference(), self.past());
        let hearing = Hearing { text: self.words(), reference: &reference, history: &past, phrases: &[] };
        requests::investigates(&hearing)
    }

    /// Whether a command of a service plainly answers the message.
    pub fn asks_a_command(&self) -> bool {
        let (reference, past) = (self.reference(), self.past());
        requests::asks_a_command(&Hearing { text: self.words(), reference: &reference, history: &past, phrases: &[] })
    }

    /// Whether the message plainly asks for nothing to be changed.
    pub fn only_looks(&self) -> bool {
        let (reference, past) = (self.reference(), self.past());
        requests::only_looks(&Hearing { text: self.words(), reference: &reference, history: &past, phrases: &[] })
    }

    /// The same of other words of the person's.
    pub fn understood_as(&self, text: &str, domains: &[String]) -> Understood {
        let (reference, past) = (self.reference(), self.past());
        let services = self.brain.services.now();
        let phrases = services.phrases();
        requests::plan(&Hearing { text, reference: &reference, history: &past, phrases: &phrases }, domains)
    }
}
