//! Provenance of a conversation: whose words it is made of, which taint is measured against.

use chrono::{DateTime, Utc};

use super::facts::TurnFacts;
use brain_core::core::history::{History, HistoryEntry, PastAction, Voice};
use brain_core::core::ids::UserId;
use brain_core::core::provenance::{NOT_YOURS, UntrustedText};
use brain_core::core::turn::{PASSED_ON, Part};
use brain_core::ports::records::{Message, Speaker};
use brain_services::services::catalog::registry::Registry;

/// Whose a message of a conversation is, for this person; in a group others speak, too.
pub fn voice_for<'a>(owner: &UserId, message: &'a Message) -> Voice<'a> {
    match message.speaker {
        Speaker::Assistant => Voice::Assistant,
        Speaker::Person if !message.origin.is_own_words() => Voice::PassedOn { source: message.source.as_deref() },
        Speaker::Person if message.by.as_ref().is_none_or(|by| by == owner) => Voice::Own,
        Speaker::Person => Voice::SomebodyElse,
    }
}

/// What an answer of ours may hold of others' words, beside what it is known to repeat.
pub fn shown_of_others(services: &Registry, answer: &HistoryEntry<'_>) -> Option<UntrustedText> {
    let read_to_them = |past: &PastAction| {
        let command = services.command(&past.service, &past.command);
        command.is_some_and(|command| command.shows_untrusted())
    };
    if answer.actions.iter().any(read_to_them) || answer.text.contains(NOT_YOURS) {
        return Some(UntrustedText::new("a mail I read to you", answer.text));
    }
    // A card or a receipt may show an address that stands in a mail alone (its Reply-To); other words are ours.
    let addresses: Vec<&str> = answer.text.split_whitespace().filter(|word| word.contains('@')).collect();
    (!addresses.is_empty()).then(|| UntrustedText::new("something I showed you", addresses.join("\n")))
}

impl TurnFacts {
    /// The conversation before this message.
    pub fn conversation(&self) -> History<'_> {
        let entries = self.history.iter().map(|message| self.entry(message)).collect();
        let covered = |until: u64| self.history.iter().take_while(|message| message.number <= until).count();
        let summary = self.summary.as_ref().map(|short| (&short.summary, covered(short.until)));
        let is_torn = self.summary.as_ref().zip(self.history.first());
        let is_torn = is_torn.is_some_and(|(short, first)| first.number > short.until + 1);
        let replied = self.replied_message.as_ref().map(|message| self.entry(message));
        History::new(summary, entries, replied).torn(is_torn)
    }

    fn entry<'a>(&self, message: &'a Message) -> HistoryEntry<'a> {
        let Message { text, actions, untrusted, .. } = message;
        HistoryEntry { voice: self.voice(message), text, actions, untrusted }
    }

    fn voice<'a>(&self, message: &'a Message) -> Voice<'a> {
        voice_for(self.owner(), message)
    }

    /// These words of the message, or what was made of them, where they are the person's own; none where it was passed
    /// on.
    pub fn if_own<'w>(&self, words: &'w str) -> &'w str {
        if self.origin().is_own_words() { words } else { "" }
    }

    /// Everything the person said lately, this message included: what taint is measured against.
    pub fn own_words(&self) -> String {
        self.conversation().own_words().chain([self.if_own(self.words())]).collect::<Vec<_>>().join("\n")
    }

    /// Other people's words in this conversation: those that are known to be, and whatever else of ours may hold
    /// some.
    pub fn others_words(&self, services: &Registry) -> Vec<UntrustedText> {
        let mut words = self.known_to_be_others();
        let conversation = self.conversation();
        let answers = conversation.in_sight().filter(|entry| entry.voice == Voice::Assistant);
        words.extend(answers.filter_map(|answer| shown_of_others(services, answer)));
        words
    }

    /// What the person passed on, what others said in this chat, and what of either our own messages repeat.
    pub fn known_to_be_others(&self) -> Vec<UntrustedText> {
        let mut words = self.conversation().others_words();
        words.extend(self.replied.iter().flat_map(|replied| replied.untrusted.iter().cloned()));
        words.extend(self.incoming.passed_on().map(Part::untrusted));
        let waits = self.cards_in_sight().flat_map(|card| &card.actions).flat_map(|action| &action.taints);
        let asked = self.open_question();
        let taints = waits.chain(asked.iter().flat_map(|question| &question.taints));
        words.extend(taints.cloned().map(UntrustedText::from));
        words.extend(asked.iter().flat_map(|question| question.quoted.iter().cloned()));
        if !self.origin().is_own_words() {
            words.push(UntrustedText::new(PASSED_ON, self.words()));
        }
        words
    }

    /// When the first of the messages was said that a prompt shows as they are.
    pub fn in_sight_from(&self) -> Option<DateTime<Utc>> {
        self.not_summed_up().first().map(|message| message.at)
    }

    fn not_summed_up(&self) -> &[Message] {
        let until = self.summary.as_ref().map_or(0, |summary| summary.until);
        &self.history[self.history.partition_point(|message| message.number <= until)..]
    }

    /// The person's own earlier messages, oldest first.
    pub fn own_messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.history.iter().filter(|message| self.voice(message) == Voice::Own)
    }
}
