//! Language: from a person's words to times, a yes or no, the services a message needs, and a plan, without a model.
//!
//! Pure: no I/O, no clock; the same words give the same answer, no input panics, all work is bounded. What people say
//! stands in `data/`, never in code.
//!
//! - [`consent`]: is this message, as a whole, a yes or a no?
//! - [`time`]: points, spans and recurrences, and what is doubtful about them. [`offset`]: how long before something.
//! - [`routing`]: which services a message is about. [`requests`]: a plan for everyday requests.
//! - `tokens`, `lexicon`, `tables`: one cutter of texts, one table of words and phrases for all, read in place.
//! - [`words`], [`terms`], [`likeness`]: words as they are compared and searched, and how alike two are.
//! - [`word_classes`]: classes of words that stand in data. [`work`]: how much may be spent on one message.
//! - [`nearest`]: which of the things that can be said are nearest to what was said.
//! - [`record`], [`known`]: what is asked of what was done, and of what code knows. [`rows`]: of what was shown.
//! - [`people`], [`places`]: names of people, names of zones.

pub mod consent;
pub mod continuation;
pub mod entries;
pub mod fraud;
pub mod grounding;
pub mod known;
mod lexicon;
pub mod likeness;
pub mod memo;
pub mod nearest;
pub mod offset;
pub mod own_rule;
pub mod people;
pub mod places;
pub mod reading;
pub mod record;
pub mod requests;
pub mod routing;
pub mod rows;
pub mod says;
mod tables;
pub mod terms;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod time;
pub mod tokens;
pub mod word_classes;
pub mod words;
pub mod work;

/// Makes the tables that messages are read with, where nobody has needed them yet: some milliseconds, which a process
/// that serves people spends when it starts, so that its first message costs what the second does.
pub fn ready() {
    time::ready();
    consent::ready();
    requests::ready();
    routing::ready();
}
