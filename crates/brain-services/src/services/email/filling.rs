//! What the commands of mail have in common where they are said: whose mail, which one, and its words.

use serde_json::Value;

use crate::services::email::compose::letter;
use crate::services::email::compose::wording;
use crate::services::email::message::mail::NAME;
use brain_core::core::history::PastAction;
use brain_core::core::plan::PlannedAction;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, behind, people, title, without_determiner};
use brain_language::language::tokens::lower;

/// The owner in a possessive.
pub(super) fn owner(name: &str) -> &str {
    let name = name.trim();
    name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(name)
}

/// Whom a mail is to go to.
pub(super) fn recipients(said: &ClauseReading) -> Vec<String> {
    let names = said.raw("to").map(|names| people(&names)).unwrap_or_default();
    names.iter().filter_map(Value::as_str).map(|name| owner(name).to_owned()).collect()
}

/// The account that something is to leave from, where one is named.
pub(super) fn leaves_from(said: &ClauseReading, action: &mut PlannedAction) {
    set(action, "from", said.raw("account").map(|account| without_determiner(account.trim()).to_owned()));
}

/// A draft or a mail to send.
pub(super) fn write(said: &ClauseReading, command: &str) -> Built {
    let mut action = said.action(NAME, command);
    let to = recipients(said);
    if !to.is_empty() {
        set(&mut action, "to", Some(to.clone()));
    }
    leaves_from(said, &mut action);
    let subject = said.raw("subject").map(|s| title(&s));
    let (derived, body) = content(said);
    set(&mut action, "subject", subject.clone().or(derived));
    if let Some(body) = &body {
        letter::word_to(&mut action.params, &to, body);
    }
    if to.is_empty() {
        return Built::Ask { question: "Who should it go to?", partial: action, param: "to" };
    }
    // A noun that says nothing is no text of a mail.
    let says_something = !said.grammar.lexicon.is_phrase("vaguebody", said.ids("body"));
    match body.filter(|_| says_something) {
        Some(_) => Built::Act(action),
        None => Built::Ask { question: "What should it say?", partial: action, param: "body" },
    }
}

/// The subject the words suggest, and the body.
fn content(said: &ClauseReading) -> (Option<String>, Option<String>) {
    let about = said.raw("about").map(|topic| wording::about(&topic));
    let spoken = said
        .raw("body")
        .map(|body| body_of(said, &body))
        .or_else(|| said.raw("ask").map(|ask| wording::question(&with_link(said, &ask))))
        .or_else(|| said.raw("clause").map(|clause| letter::finish_body(&wording::main_clause(&clause))))
        .or_else(|| said.raw("request").map(|what| wording::question(&format!("to {what}"))));
    match (about, spoken) {
        (Some((subject, _)), Some(body)) => (Some(subject), Some(body)),
        (Some((subject, body)), None) => (Some(subject), Some(body)),
        (None, Some(body)) => (Some(letter::subject_of(&body)), Some(body)),
        (None, None) => (None, None),
    }
}

/// The sentence of a mail: what was dictated stands as it was said, what was reported is turned to the reader.
pub(super) fn body_of(said: &ClauseReading, body: &str) -> String {
    let before = said.found.slot("body").and_then(|slot| slot.first.checked_sub(1));
    let dictated = before.is_some_and(|i| matches!(lower(said.heard.raw(i, i)).as_str(), "body" | "text" | ":"));
    let body = strip_that(body);
    letter::finish_body(&if dictated { body } else { letter::to_their_face(&body) })
}

fn strip_that(body: &str) -> String {
    behind(tidy_start(body), &["that "]).to_owned()
}

fn tidy_start(text: &str) -> &str {
    text.trim_start_matches([':', ',', ' ', '-'])
}

/// The conjunction that begins the question, when the frame consumed it.
pub(super) fn with_link(said: &ClauseReading, ask: &str) -> String {
    let links = ["if", "whether", "to", "when", "what", "where", "why", "how", "who", "for", "about"];
    let first = lower(ask.split(' ').next().unwrap_or_default());
    if links.contains(&first.as_str()) {
        return ask.to_owned();
    }
    let before = said.found.slot("ask").and_then(|slot| slot.first.checked_sub(1)).map(|i| lower(said.heard.raw(i, i)));
    match before.filter(|word| links.contains(&word.as_str())) {
        Some(link) => format!("{link} {ask}"),
        None => ask.to_owned(),
    }
}

/// A command over one mail that is there, from the slots of a message.
pub(super) fn over_one(said: &ClauseReading, command: &str) -> Built {
    let mut action = said.action(NAME, command);
    match find_by(said) {
        Some(find_by) => {
            set(&mut action, "find_by", Some(find_by));
            Built::Act(action)
        }
        None => Built::Ask { question: "Which mail do you mean?", partial: action, param: "find_by" },
    }
}

/// The words for the mail; without any, the mail that was talked about last.
pub(super) fn find_by(said: &ClauseReading) -> Option<String> {
    let times = said.moments(&["body", "ask"]);
    let from = said.clean("from", &times).map(|from| owner(&from).to_owned());
    let what = said.clean("what", &times).map(|what| without_determiner(&what).to_owned());
    let what = what.filter(|what| !what.is_empty());
    let newest = if is_newest(said) { "latest" } else { "" };
    let described = match (from, what) {
        (None, None) if !newest.is_empty() => "mail".to_owned(),
        (None, None) => return it(said).and_then(history::handle),
        (from, what) => [from, what].into_iter().flatten().collect::<Vec<_>>().join(" "),
    };
    Some(format!("{newest} {described}").trim().to_owned())
}

/// The mail that was talked about last, unless something else of mail was since.
fn it<'a>(said: &ClauseReading<'a>) -> Option<&'a PastAction> {
    history::latest(said.input.history, |past| past.service == NAME).filter(|past| is_about_a_mail(past))
}

/// What was about one mail that is there: no draft, and no list of several.
pub(in crate::services) fn is_about_a_mail(past: &PastAction) -> bool {
    match past.command.as_str() {
        "read_thread" | "mark" | "reply_to_email" | "reply_all" | "forward_email" => past.service == NAME,
        "search" => past.service == NAME && past.item.is_some(),
        _ => false,
    }
}

/// Whether the newest of what fits is meant.
fn is_newest(said: &ClauseReading) -> bool {
    says(said, &["last", "latest", "newest", "recent"])
}

/// Words for a conversation with somebody: for the newest one, where that is meant. An id is that of one.
pub(super) fn newest_of(said: &ClauseReading, whose: String) -> String {
    let is_id = whose.contains(|c: char| c.is_ascii_digit());
    if is_newest(said) && !is_id { format!("latest mail from {whose}") } else { whose }
}

/// Whether the clause, apart from what is said in the mail itself, has one of these words.
fn says(said: &ClauseReading, wanted: &[&str]) -> bool {
    let end = ["to", "body", "ask"].iter().filter_map(|name| said.found.slot(name)).map(|slot| slot.first).min();
    let last = end.unwrap_or(said.found.tokens.end).saturating_sub(1);
    let clause = lower(said.heard.raw(said.found.tokens.start, last));
    clause.split(|c: char| !c.is_alphanumeric()).any(|word| wanted.contains(&word))
}
