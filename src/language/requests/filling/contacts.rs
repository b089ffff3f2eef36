//! The address book.

use crate::core::text::capital;
use crate::language::requests::built::Built;
use crate::language::requests::complete::split_details;
use crate::language::requests::reading::{ClauseReading, done, set, without_determiner};
use crate::language::tokens::lower;

/// "what's Anna's number?"
pub(super) fn find(said: &ClauseReading) -> Built {
    let Some(query) = said.raw("query") else {
        return Built::No;
    };
    let query = owner_of(said, without_determiner(&query)).to_owned();
    if matches!(lower(&query).as_str(), "" | "it" | "that" | "you" | "your" | "me" | "my") {
        return Built::No;
    }
    let mut action = said.action("contacts", "find");
    set(&mut action, "query", Some(query));
    done(action)
}

/// "save Tom's number 555 0100"
pub(super) fn save(said: &ClauseReading) -> Built {
    let Some(name) = said.raw("name").map(|n| capital(owner_of(said, without_determiner(&n)))) else {
        return Built::No;
    };
    // "Remember my RGI number is 20417" is no contact.
    let own = said.clause_starts("remember") && said.raw("name").is_some_and(|name| !lower(&name).contains("'s"));
    if !name.chars().any(char::is_alphabetic) || lower(&name) == "it" || own {
        return Built::No;
    }
    let mut action = said.action("contacts", "save");
    set(&mut action, "name", Some(name));
    let Some(details) = details(said) else {
        return Built::Ask { question: "What is the number or address?", partial: action, param: "phone" };
    };
    let (email, phone) = split_details(&details);
    if email.is_none() && phone.is_none() {
        return Built::No;
    }
    set(&mut action, "email", email);
    set(&mut action, "phone", phone);
    done(action)
}

/// The details as typed, a leading "+" or bracket included.
fn details(said: &ClauseReading) -> Option<String> {
    said.raw("details")
}

/// "Anna's" → Anna; on a phone also "annas", unless that is a name of its own.
fn owner(name: &str) -> &str {
    let name = name.trim();
    let bare = name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).or_else(|| name.strip_suffix('\''));
    bare.unwrap_or(name)
}

/// The owner in "toms number".
fn owner_of<'t>(said: &ClauseReading, name: &'t str) -> &'t str {
    let bare = owner(name);
    let is_phone_typing =
        bare.len() == name.trim().len() && bare.len() > 3 && !bare.contains(' ') && number_follows(said);
    let ends_so = ["ss", "us", "as", "is", "es", "ns", "rs"].iter().any(|end| bare.ends_with(end))
        && !bare.ends_with("nas")
        && !bare.ends_with("ras");
    match bare.strip_suffix('s') {
        Some(one) if is_phone_typing && !ends_so => one,
        Some(_) | None => bare,
    }
}

/// Whether what is asked of the person stands right behind the name: "toms number", not "contact nils".
fn number_follows(said: &ClauseReading) -> bool {
    let slot = said.found.slots.iter().find(|s| s.name == "query" || s.name == "name");
    slot.is_some_and(|slot| {
        let ids = said.heard.ids(slot.last + 1..said.found.tokens.end);
        said.grammar.lexicon.starts("number", &ids).is_some()
    })
}
