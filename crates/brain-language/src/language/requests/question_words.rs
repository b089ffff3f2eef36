//! Words of questions over everything, by what they do in them (`data/language/requests/questions.*.txt`).
//!
//! Not here: ways to ask (`families`), and what follows from the words (`leanings`).

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::word_classes::{class_names, pairs};

const TEXTS: [&str; 2] = [
    include_str!("../../../../../data/language/requests/questions.en.txt"),
    include_str!("../../../../../data/language/requests/questions.de.txt"),
];

class_names! {
    /// The classes of the data, by their names there.
    QuestionWords {
        /// What begins a question; how messages begin that ask by an order.
        asking,
        looking,
        /// What asks for a look from within what is told.
        asks_within,
        /// What is put before a question without changing it.
        lead,
        /// What only asks, in English and in German: "war" and "hat" are words of their own in English.
        asked,
        asked_german,
        /// What tells that a question is German.
        german,
        filler,
        anybody,
        matter,
        joint,
        age,
        day,
        /// Names the meeting, not what it is about.
        meeting,
        pointer,
        /// Of which what is asked before a meeting has one.
        prepares,
        /// Before a meeting.
        before,
        /// Before what is to be ready by then.
        ahead,
        /// Before what something is about.
        about,
        /// Whoever was named before.
        them,
        earlier,
        money,
        /// German words that only join others in a name.
        joining,
        wait,
        waiting,
        answer,
        promise,
        most,
        meet,
        write,
        prepare,
        need,
        /// Of these the person's day is made, whoever is said to have it.
        agenda,
        want,
        /// What asks how something is going.
        status,
        /// What is done before a meeting.
        bring,
        /// That one has to.
        obliged,
        not,
        open,
        late,
        people,
        i,
        my,
        me,
        /// Before the object pronoun: somebody wants something of the person.
        of,
        say,
        would,
        /// The person as somebody of whom is told, in a subordinate clause.
        own,
        /// Before an infinitive: what somebody is about to do.
        going,
        /// The same: what somebody has to do.
        bound,
        /// What is given, what whoever gives is doing, and what whoever gets it does.
        give,
        giving,
        gets,
        unread,
        /// Before whose a paper is.
        from,
        /// Between two times of one span.
        either,
        /// What only says which of several.
        which,
        /// What papers are found by.
        invoice,
        booking,
        detail,
        amount,
        /// What only holds a sentence together.
        light,
        /// Written large, and no name.
        large,
    }
}

pub(super) static WORDS: LazyLock<QuestionWords> = LazyLock::new(|| QuestionWords::read(&TEXTS));

/// Words that are written without their apostrophe, and as they are meant.
pub(super) static SHORTENED: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| pairs(include_str!("../../../../../data/language/requests/shortened.txt")).collect());

/// Whether a folded word only says which of several it is, as an ordinal.
pub fn says_which(word: &str) -> bool {
    WORDS.which.holds(word)
}

/// Whether a folded word is a name for what is looked up in papers: a code, a reference.
pub fn is_detail(word: &str) -> bool {
    WORDS.detail.holds(word)
}

/// Whether a folded word is a name for a bill.
pub fn is_bill(word: &str) -> bool {
    WORDS.invoice.holds(word)
}

/// Circles that people are named by, German and English.
pub(super) static CIRCLES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| pairs(include_str!("../../../../../data/language/requests/circles.txt")).collect());

/// Whether the words of a question are German.
pub(super) fn is_german(said: &[String]) -> bool {
    WORDS.german.is_in(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_questions_has_words_and_every_word_a_class() {
        assert_eq!(WORDS.empty(), Vec::<&str>::new());
        assert_eq!(SHORTENED.get("whos"), Some(&"who's"));
    }
}
