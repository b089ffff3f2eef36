//! Changing a mail that waits for a yes, or a draft: its subject, its words, whom it goes to.

use serde_json::Value;

use super::letter::{UNNAMED, ungreeted};
use crate::services::planning::amending::{Amender, AmendingWords, captured, people, unquoted};
use brain_core::core::plan::Params;

pub(in crate::services) const AMENDERS: [(&str, Amender); 5] = [
    ("create_draft", to_somebody),
    ("send_email", to_somebody),
    ("forward_email", |params, said| in_general(params, said.text) || recipients(params, said)),
    ("reply_to_email", |params, said| in_general(params, said.text) || letter(params, said.text)),
    ("reply_all", |params, said| in_general(params, said.text) || letter(params, said.text)),
];

fn to_somebody(params: &mut Params, said: &AmendingWords<'_>) -> bool {
    in_general(params, said.text) || letter(params, said.text) || recipients(params, said)
}

fn in_general(params: &mut Params, words: &str) -> bool {
    leaves(params, words) || leaves_out_files(params, words)
}

/// Without the files that would go along.
fn leaves_out_files(params: &mut Params, words: &str) -> bool {
    let without = [
        r"(?is)^(?:send (?:it|this|that)\s+)?(without|remove|drop|leave out) (?:the |that |any )?(?:files?|attachments?)[.!]?$",
    ];
    captured(&without, words).is_some() && params.remove("attached").is_some()
}

/// From another account of the person's.
fn leaves(params: &mut Params, words: &str) -> bool {
    let from = [
        r"(?is)^(?:send (?:it|this|that)\s+)?from\s+(?:my\s+)?(\S+(?:\s+\S+)?)\s+(?:account|address)(?:\s+instead)?[.!]?$",
        r"(?is)^send (?:it|this|that)\s+from\s+(?:my\s+)?(\S+)(?:\s+instead)?$",
    ];
    let Some(account) = captured(&from, words) else { return false };
    params.insert("from".to_owned(), unquoted(account).trim_end_matches(['.', '!']).into());
    true
}

fn letter(params: &mut Params, words: &str) -> bool {
    let subject = [
        r"(?is)^(?:change|make|set|with)?\s*(?:the\s+)?subject(?:\s+(?:line))?(?:\s+(?:to|should be|as|is))?[:\s]+(.+)$",
    ];
    let more = [
        r"(?is)^(?:also|and)\s+(?:say|add|mention|write)(?:\s+that)?[:\s]+(.+)$",
        r"(?is)^add(?:\s+that)?:\s*(.+)$",
        r"(?is)^(?:say|mention)\s+also[:\s]+(.+)$",
    ];
    let body = [
        r"(?is)^say(?:\s+(?:that|instead))?[:\s]+(.+?)(?:\s+instead)?$",
        r"(?is)^(?:write|tell (?:him|her|them))(?:\s+that\b|\s+instead\b|:)[:\s]*(.+?)(?:\s+instead)?$",
        r"(?is)^(?:change|make|set)\s+(?:the\s+)?(?:body|text|message)\s+(?:to|say)[:\s]+(.+)$",
    ];
    if let Some(subject) = captured(&subject, words).filter(|_| params.contains_key("subject")) {
        params.insert("subject".to_owned(), unquoted(subject).into());
    } else if let Some(more) = captured(&more, words) {
        let before = params.get("body").and_then(Value::as_str).unwrap_or_default().trim_end();
        let joined = format!("{before}\n{}", sentence(unquoted(more)));
        params.insert("body".to_owned(), joined.into());
    } else if let Some(body) = captured(&body, words) {
        params.insert("body".to_owned(), sentence(unquoted(body)).into());
    } else {
        return false;
    }
    true
}

fn recipients(params: &mut Params, said: &AmendingWords<'_>) -> bool {
    let are_changed = people(params, "to", said);
    // A letter that greets somebody greets whom it goes to.
    if are_changed && params.get("body").and_then(Value::as_str).is_some_and(|body| ungreeted(body) != body) {
        params.insert("greets".to_owned(), UNNAMED.into());
    }
    are_changed
}

/// First letter capital, full stop at the end.
fn sentence(text: &str) -> String {
    let mut chars = text.trim().chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    let mut text = format!("{first}{}", chars.as_str());
    if !text.ends_with(['.', '!', '?', '…']) {
        text.push('.');
    }
    text
}
