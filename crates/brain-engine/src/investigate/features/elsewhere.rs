//! Debts settled across conversations: what was owed in one is delivered in a mail of its own.
//!
//! A later letter of the one who owes, to the one who waits, settles a debt of another conversation when it speaks of
//! the same and asks for nothing. That it speaks of the same is told by words that are neither of their names: one in
//! its subject, and enough of them in all. Not here: what is owed within a conversation (`conversation`).

use std::collections::{HashMap, HashSet};

use super::conversation::{ConversationFeatures, asks};
use super::letter::{new_part, sentences};
use crate::investigate::ledger::Debt;
use brain_core::limits::LETTERS_COMPARED_MAX;
use brain_language::language::terms;
use brain_services::services::contract::searchable::{ItemText, Party, WrittenText};
use brain_services::services::helpers::search::WordQuery;

/// Words that a letter has to share with what it settles.
const SHARED_MIN: usize = 3;

/// A conversation that was read.
#[derive(Debug)]
pub struct ReadConversation<'a> {
    /// What it is called.
    pub title: &'a str,
    /// What was written in it.
    pub text: &'a ItemText,
    /// What was told of it; debts that are settled elsewhere are taken out.
    pub features: &'a mut ConversationFeatures,
}

/// A letter that opens a conversation, with whom it goes to and from.
#[derive(Clone)]
struct Opening<'a> {
    conversation: &'a str,
    letter: &'a WrittenText,
    title: HashSet<String>,
    all: HashSet<String>,
}

/// Takes out what is settled by another of these conversations.
pub fn settle(conversations: &mut [ReadConversation<'_>]) {
    let mut openings: HashMap<&str, Vec<Opening<'_>>> = HashMap::new();
    for conversation in conversations.iter() {
        let Some(opening) = opening(conversation.title, conversation.text) else { continue };
        for address in others(opening.letter) {
            let of = openings.entry(address).or_default();
            if of.len() < LETTERS_COMPARED_MAX {
                of.push(opening.clone());
            }
        }
    }
    for conversation in conversations {
        let (title, text) = (conversation.title, conversation.text);
        let is_settled = |debt: &Debt, is_own: bool| {
            let with = openings.get(debt.with.address.as_str()).map(Vec::as_slice).unwrap_or_default();
            let is_later = |opening: &&Opening<'_>| {
                opening.letter.is_own == is_own
                    && opening.conversation != text.id
                    && opening.letter.at > Some(debt.last)
            };
            let later: Vec<&Opening<'_>> = with.iter().filter(is_later).collect();
            !later.is_empty() && speaks_of_any(&later, &matter(title, text, debt))
        };
        let features = &mut *conversation.features;
        features.i_owe = features.i_owe.take().filter(|debt| !is_settled(debt, true));
        features.they_owe = features.they_owe.take().filter(|debt| !is_settled(debt, false));
    }
}

fn opening<'a>(title: &'a str, text: &'a ItemText) -> Option<Opening<'a>> {
    let letter = text.said.first().filter(|_| text.left_out == 0)?;
    let new = new_part(&letter.text);
    let is_asking = letter.is_bulk || sentences(&new).iter().any(asks);
    let title = telling(title);
    (!is_asking).then(|| Opening { conversation: &text.id, letter, all: &title | &telling(&new), title })
}

/// The addresses of the others: who wrote it, or whom it goes to.
fn others(letter: &WrittenText) -> impl Iterator<Item = &str> {
    let (by, to) = if letter.is_own { (None, letter.to.iter()) } else { (Some(&letter.by), [].iter()) };
    by.into_iter().chain(to).map(|party| party.address.as_str()).filter(|address| !address.is_empty())
}

/// The words of a conversation that tell what is owed in it, without the names of those who take part.
fn matter(title: &str, text: &ItemText, debt: &Debt) -> HashSet<String> {
    let said = text.said.iter().map(|written| new_part(&written.text)).collect::<Vec<_>>().join("\n");
    &telling(&format!("{title}\n{said}")) - &names(&debt.with, text)
}

fn speaks_of_any(openings: &[&Opening<'_>], matter: &HashSet<String>) -> bool {
    let speaks = |opening: &&Opening<'_>| {
        !opening.title.is_disjoint(matter) && opening.all.intersection(matter).count() >= SHARED_MIN
    };
    openings.iter().any(speaks)
}

/// The stems of the words that tell one matter from another.
fn telling(text: &str) -> HashSet<String> {
    WordQuery::new(text).strong.iter().map(|word| terms::stem(word)).collect()
}

/// The words of the names of those who take part.
fn names(with: &Party, text: &ItemText) -> HashSet<String> {
    let parties = text
        .said
        .iter()
        .flat_map(|written| written.to.iter().chain(&written.copied).chain([&written.by]))
        .chain([with]);
    parties.flat_map(|party| terms::stems(&terms::fold(&party.name))).collect()
}
