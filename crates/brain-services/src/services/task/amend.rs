//! Changing a task that waits for a yes: its name, and when it is due.

use crate::services::planning::amending::{
    Amender, AmendingWords, in_changes, instant, named, new_time, shift, stored,
};
use brain_core::core::plan::Params;
use brain_language::language::time::Reference;

pub(in crate::services) const AMENDERS: [(&str, Amender); 2] =
    [("create", changed), ("update", |params, said| in_changes(params, |changes| changed(changes, said)))];

fn changed(params: &mut Params, said: &AmendingWords<'_>) -> bool {
    named(params, "title", said.text) || due(params, said.text, said.reference)
}

fn due(params: &mut Params, words: &str, reference: &Reference) -> bool {
    let was = instant(params, "deadline", reference);
    if was.is_none() && shift(params, "deadline", words) {
        return true;
    }
    let Some((start, _)) = new_time(words, was, reference) else {
        return false;
    };
    params.insert("deadline".to_owned(), stored(start).into());
    true
}
