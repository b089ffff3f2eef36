//! What is recognised while one message is read, recognised once: its readers ask for the times of the same words again
//! and again.
//!
//! Invariants: only in [`recognised_once`], on its thread, and gone with it; what is known is what would be found.

use std::cell::RefCell;

use super::{Reference, TimeMention};

/// Texts of which the times are known: a message, and its cuts.
const TEXTS_MAX: usize = 16;

struct Recognised {
    text: String,
    reference: Reference,
    mentions: Vec<TimeMention>,
}

thread_local! {
    static RECOGNISED: RefCell<Option<Vec<Recognised>>> = const { RefCell::new(None) };
}

/// Forgets what was recognised, however the reading ends.
struct OnceScope;

impl Drop for OnceScope {
    fn drop(&mut self) {
        RECOGNISED.with_borrow_mut(|known| *known = None);
    }
}

/// Reads a message: the times of no text are looked for twice meanwhile.
pub fn recognised_once<T>(read: impl FnOnce() -> T) -> T {
    RECOGNISED.with_borrow_mut(|known| *known = Some(Vec::new()));
    let _scope = OnceScope;
    read()
}

/// What is known of a text, or else what is found.
pub(super) fn known(text: &str, reference: &Reference, find: impl FnOnce() -> Vec<TimeMention>) -> Vec<TimeMention> {
    let is_it = |known: &&Recognised| known.text == text && known.reference == *reference;
    let known = RECOGNISED.with_borrow(|all| Some(all.as_ref()?.iter().find(is_it)?.mentions.clone()));
    known.unwrap_or_else(|| {
        let mentions = find();
        RECOGNISED.with_borrow_mut(|all| {
            if let Some(all) = all.as_mut().filter(|all| all.len() < TEXTS_MAX) {
                let (text, reference) = (text.to_owned(), *reference);
                all.push(Recognised { text, reference, mentions: mentions.clone() });
            }
        });
        mentions
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::language::testing::monday;

    #[test]
    fn a_text_is_looked_at_once_while_a_message_is_read_and_again_for_the_next() {
        let looks = Cell::new(0);
        let look = |text: &str| {
            let found = known(text, &monday(), || {
                looks.set(looks.get() + 1);
                super::super::find_anew(text, &monday())
            });
            found.len()
        };
        for read in 1..=2 {
            recognised_once(|| {
                assert_eq!([look("lunch on friday at 1"), look("today"), look("lunch on friday at 1")], [1, 1, 1]);
            });
            assert_eq!(looks.get(), 2 * read);
        }
        look("today");
        look("today");
        assert_eq!(looks.get(), 6, "nothing is known outside");
    }
}
