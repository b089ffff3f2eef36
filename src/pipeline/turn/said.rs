//! Whose words a conversation is made of: what taint and provenance are measured against.

use super::Facts;
use crate::core::history::PastAction;
use crate::core::provenance::{NOT_YOURS, UntrustedText};
use crate::core::turn::{PASSED_ON, Part};
use crate::ports::records::{Message, Speaker};
use crate::services::registry::Registry;

impl Facts {
    /// Everything the person said lately, this message included: what taint is measured against.
    pub fn own_words(&self) -> String {
        let earlier = self.own_messages().map(|message| message.text.as_str());
        let now = if self.origin().is_own_words() { self.words() } else { "" };
        earlier.chain([now]).collect::<Vec<_>>().join("\n")
    }

    /// Other people's words in this conversation: those that are known to be, and whatever else of ours may hold
    /// some.
    pub fn others_words(&self, services: &Registry) -> Vec<UntrustedText> {
        // A card or a receipt may show an address that stands in a mail alone (its Reply-To); the words around it are ours.
        let shown = |text: &str| {
            let addresses: Vec<&str> = text.split_whitespace().filter(|word| word.contains('@')).collect();
            UntrustedText::new("something I showed you", addresses.join("\n"))
        };
        let mut words = self.known_to_be_others();
        // A reply brings an old message back into sight.
        let in_sight = self.history.iter().chain(&self.replied_message);
        for message in in_sight.filter(|message| message.speaker == Speaker::Assistant) {
            let read_to_them = |past: &PastAction| {
                let entry = services.command(&past.service, &past.command);
                entry.is_some_and(|entry| entry.shows_untrusted())
            };
            if message.actions.iter().any(read_to_them) || message.text.contains(NOT_YOURS) {
                words.push(UntrustedText::new("a mail I read to you", message.text.clone()));
            } else if message.text.contains('@') {
                words.push(shown(&message.text));
            }
        }
        words
    }

    /// What the person passed on, what others said in this chat, and what of either our own messages repeat.
    pub fn known_to_be_others(&self) -> Vec<UntrustedText> {
        let named = |text: &str, source: &str| UntrustedText::new(source, text);
        let mut words: Vec<UntrustedText> = Vec::new();
        for message in self.history.iter().chain(&self.replied_message) {
            match message.speaker {
                Speaker::Person if self.is_own(message) => {}
                Speaker::Person if message.origin.is_own_words() => {
                    words.push(named(&message.text, "somebody else in this chat"));
                }
                Speaker::Person => words.push(named(&message.text, message.source.as_deref().unwrap_or(PASSED_ON))),
                Speaker::Assistant => words.extend(message.untrusted.iter().cloned()),
            }
        }
        words.extend(self.replied.iter().flat_map(|replied| replied.untrusted.iter().cloned()));
        words.extend(self.incoming.passed_on().map(Part::untrusted));
        if !self.origin().is_own_words() {
            words.push(named(self.words(), PASSED_ON));
        }
        words
    }

    /// The person's own earlier messages, oldest first.
    pub fn own_messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.history.iter().filter(|m| m.speaker == Speaker::Person && self.is_own(m))
    }

    /// Whether a message of the conversation is this person's own words; in a group others speak, too.
    pub fn is_own(&self, message: &Message) -> bool {
        message.origin.is_own_words() && message.by.as_ref().is_none_or(|by| by == self.owner())
    }
}
