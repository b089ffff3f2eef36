//! What is shown of stored actions together: a card's title and its messages, made of what each command says of itself.
//!
//! Pure over the registry, so that whoever shows a card shows the same one: the chat, the operator's command line. Not
//! here: the buttons below it (`core::card`), and what became of it.

use crate::services::catalog::registry::Registry;
use crate::services::contract::command::Subject;
use brain_core::core::card;
use brain_core::core::markup::Formatted;
use brain_core::core::pending::Pending;
use brain_core::core::plan::Action;
use brain_core::core::text::visible;
use brain_language::language::time;
use brain_language::language::time::{Grain, Reference};

/// A card in a few words.
pub fn title(services: &Registry, pending: &Pending) -> String {
    pending.actions.iter().map(|action| wording(services, action)).collect::<Vec<_>>().join("; ")
}

/// An action in a few words, as the object of what will not be done.
pub fn wording(services: &Registry, action: &Action) -> String {
    // What there was of others' is called by the name that they gave it; what never was, or is ours, has none.
    let unknown = || match action.schema {
        Some(_) => action.name(),
        None => "do something that I can't do".to_owned(),
    };
    visible(&services.of(action).map_or_else(unknown, |entry| entry.attempt(action)))
}

/// The texts of a card's messages as it stands.
pub fn texts(services: &Registry, pending: &Pending, reference: &Reference) -> Result<Vec<Formatted>, card::TooLong> {
    card::render(&bodies(services, pending, reference), &expires(pending, reference), &pending.id)
}

/// The last message of a card once it is decided, with `stamp` in place of its question. `None` where that does not
/// fit.
pub fn decided(services: &Registry, pending: &Pending, reference: &Reference, stamp: &str) -> Option<Formatted> {
    card::decided(&bodies(services, pending, reference), &expires(pending, reference), &pending.id, stamp)
}

fn bodies(services: &Registry, pending: &Pending, reference: &Reference) -> Vec<card::CardBody> {
    pending
        .actions
        .iter()
        .enumerate()
        .map(|(index, action)| {
            let subject = Subject { action, reference };
            let body = services
                .of(action)
                .map_or_else(|| card::CardBody::titled(format!("{}?", action.name())), |entry| entry.card(&subject));
            body.row("Only if", after(pending.depends_on.get(index)))
        })
        .collect()
}

fn expires(pending: &Pending, reference: &Reference) -> String {
    time::describe(pending.expires_at.with_timezone(&reference.zone), Grain::Minute, reference)
}

/// What has to come first, by the numbers that the card gives; empty for most.
fn after(depends_on: Option<&Vec<usize>>) -> String {
    let numbers: Vec<String> = depends_on.into_iter().flatten().map(|on| (on + 1).to_string()).collect();
    match numbers.as_slice() {
        [] => String::new(),
        [only] => format!("{only} succeeds"),
        several => format!("{} all succeed", several.join(", ")),
    }
}
