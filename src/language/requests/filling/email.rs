//! Mail: looking for it, reading it, writing it.

use serde_json::Value;

use super::filing;
use crate::core::plan::PlannedAction;
use crate::language::requests::built::Built;
use crate::language::requests::history;
use crate::language::requests::letter;
use crate::language::requests::reading::{ClauseReading, behind, done, people, set, title, without_determiner};
use crate::language::time::TimeRole;
use crate::language::tokens::lower;

/// "any unread mail from Anna since Monday?"
pub(super) fn search(said: &ClauseReading) -> Built {
    if reads_one(said) {
        return Built::No;
    }
    let mut action = said.action("email", "search");
    let times = said.moments(&[]);
    for &mask in &times {
        let Some(found) = said.heard.time(mask) else {
            continue;
        };
        let name = if matches!(found.role, TimeRole::By | TimeRole::Until) { "before" } else { "since" };
        set(&mut action, name, Some(said.words(&[mask]).text));
    }
    for name in ["from", "to"] {
        let who = said.clean(name, &times).map(|who| owner(&who).to_owned());
        set(
            &mut action,
            name,
            who.filter(|w| !matches!(lower(w).as_str(), "me" | "you" | "anyone" | "anybody" | "someone" | "somebody")),
        );
    }
    for name in ["text", "subject"] {
        let words = said.clean(name, &times).map(|words| without_determiner(&words).to_owned());
        set(&mut action, name, words.filter(|w| !w.is_empty()));
    }
    let clause = lower(said.heard.raw(said.found.tokens.start, said.found.tokens.end - 1));
    let wants_unread = [
        "unread",
        "unopened",
        "not read",
        "haven't read",
        "new mail",
        "new email",
        "new message",
        "ungelesene",
        "neue mail",
    ];
    if wants_unread.iter().any(|w| clause.contains(w)) && !said.found.frame.investigates {
        set(&mut action, "unread", Some(true));
    }
    done(action)
}

/// "open the last email from Anna" wants to read, not to look.
fn reads_one(said: &ClauseReading) -> bool {
    let clause = format!(" {} ", lower(said.heard.raw(said.found.tokens.start, said.found.tokens.end - 1)));
    let reads = [" read ", " open ", " summarize ", " summarise "].iter().any(|verb| clause.contains(verb));
    let one = [" email ", " mail ", " message ", " thread "].iter().any(|noun| clause.contains(noun));
    let last = [" last ", " latest ", " newest "].iter().any(|w| clause.contains(w));
    (reads || last) && one && (said.found.slot("from").is_some() || said.found.slot("text").is_some())
}

/// "Anna's" → Anna.
pub(super) fn owner(name: &str) -> &str {
    let name = name.trim();
    name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(name)
}

/// "read me the thread about Berlin"
pub(super) fn read(said: &ClauseReading) -> Built {
    let mut action = said.action("email", "read_thread");
    let times = said.moments(&[]);
    let from = said.clean("from", &times).map(|f| owner(&f).to_owned());
    let what = said.clean("what", &times).map(|w| without_determiner(&w).to_owned());
    let find_by = match (from, what) {
        (Some(from), Some(what)) => Some(format!("{from} {what}")),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => history::latest(said.hearing.history, |past| past.service == "email").and_then(history::handle),
    };
    match find_by {
        Some(find_by) => {
            set(&mut action, "find_by", Some(find_by));
            done(action)
        }
        None => Built::Ask { question: "Which mail do you mean?", partial: action, param: "find_by" },
    }
}

/// A draft or a mail to send.
pub(super) fn write(said: &ClauseReading, command: &str) -> Built {
    let mut action = said.action("email", command);
    let to: Vec<String> = said
        .raw("to")
        .map(|names| people(&names).iter().filter_map(Value::as_str).map(|n| owner(n).to_owned()).collect())
        .unwrap_or_default();
    if !to.is_empty() {
        set(&mut action, "to", Some(to.clone()));
    }
    let subject = said.raw("subject").map(|s| title(&s));
    let (derived, body) = content(said);
    set(&mut action, "subject", subject.clone().or(derived));
    if let Some(body) = &body {
        set(&mut action, "body", Some(letter::greeted(&to, body)));
    }
    if to.is_empty() {
        return Built::Ask { question: "Who should it go to?", partial: action, param: "to" };
    }
    // "Email Jake the thing".
    let says_something = !said.grammar.lexicon.is_phrase("vaguebody", &said.ids("body"));
    match body.filter(|_| says_something) {
        Some(_) => done(action),
        None => Built::Ask { question: "What should it say?", partial: action, param: "body" },
    }
}

/// The subject the words suggest, and the body.
fn content(said: &ClauseReading) -> (Option<String>, Option<String>) {
    let about = said.raw("about").map(|topic| letter::about(&topic));
    let spoken = said
        .raw("body")
        .map(|body| body_of(said, &body))
        .or_else(|| said.raw("ask").map(|ask| letter::question(&with_link(said, &ask))))
        .or_else(|| said.raw("clause").map(|clause| letter::finish_body(&letter::main_clause(&clause))))
        .or_else(|| said.raw("request").map(|what| letter::question(&format!("to {what}"))));
    match (about, spoken) {
        (Some((subject, _)), Some(body)) => (Some(subject), Some(body)),
        (Some((subject, body)), None) => (Some(subject), Some(body)),
        (None, Some(body)) => (Some(letter::subject_of(&body)), Some(body)),
        (None, None) => (None, None),
    }
}

/// The sentence of a mail: what was dictated stands as it was said, what was reported is turned to the reader.
fn body_of(said: &ClauseReading, body: &str) -> String {
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

/// The word that begins the question ("if", "to") when the frame consumed it.
fn with_link(said: &ClauseReading, ask: &str) -> String {
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

/// "send it": the draft talked about last.
pub(super) fn send_draft(said: &ClauseReading) -> Built {
    let draft = history::latest(said.hearing.history, |past| past.service == "email" && past.command == "create_draft");
    let Some(draft) = draft else { return Built::No };
    let mut action =
        PlannedAction { service: "email".into(), command: "send_email".into(), ..PlannedAction::default() };
    for name in ["to", "subject", "body"] {
        set(&mut action, name, draft.params.get(name).cloned());
    }
    done(action)
}

/// "reply to Anna that yes"
pub(super) fn reply(said: &ClauseReading) -> Built {
    let mut action = said.action("email", "reply_to_email");
    // "Reply to Leila, Thursday works" has nobody of that name.
    let whom = said.raw("whom").and_then(|w| Some(owner(w.split([',', ':']).next()?.trim()).to_owned()));
    let topic = said.raw("topic").map(|t| without_determiner(&t).to_owned());
    let find_by = match (&whom, topic) {
        (Some(whom), Some(topic)) => Some(format!("{whom} {topic}")),
        (Some(whom), None) if !said.grammar.lexicon.is_phrase("it", &said.ids("whom")) => {
            Some(without_kind(whom).to_owned())
        }
        (None, Some(topic)) => Some(topic),
        (Some(_) | None, None) => {
            history::latest(said.hearing.history, |past| past.service == "email").and_then(history::handle)
        }
    };
    let Some(find_by) = find_by else {
        return Built::Ask { question: "Which mail should I reply to?", partial: action, param: "find_by" };
    };
    set(&mut action, "find_by", Some(find_by));
    let spoken = said
        .raw("body")
        .map(|body| body_of(said, &body))
        .or_else(|| said.raw("ask").map(|ask| letter::question(&with_link(said, &ask))));
    let Some(body) = spoken else {
        return Built::Ask { question: "What should the reply say?", partial: action, param: "body" };
    };
    let to: Vec<String> = whom.into_iter().filter(|w| !w.contains(' ')).collect();
    let body = if to.is_empty() { format!("{body}\n") } else { letter::greeted(&to, &body) };
    set(&mut action, "body", Some(body));
    done(action)
}

/// "forward Bob's last mail to Tom saying please have a look"
pub(super) fn forward(said: &ClauseReading) -> Built {
    let mut action = said.action("email", "forward_email");
    let to: Vec<String> = said
        .raw("to")
        .map(|names| people(&names).iter().filter_map(Value::as_str).map(|n| owner(n).to_owned()).collect())
        .unwrap_or_default();
    if !to.is_empty() {
        set(&mut action, "to", Some(to.clone()));
    }
    let spoken = said
        .raw("body")
        .map(|body| body_of(said, &body))
        .or_else(|| said.raw("ask").map(|ask| letter::question(&with_link(said, &ask))));
    set(&mut action, "body", spoken.map(|body| letter::greeted(&to, &body)));
    let Some(find_by) = filing::find_by(said) else {
        return Built::Ask { question: "Which mail do you mean?", partial: action, param: "find_by" };
    };
    set(&mut action, "find_by", Some(find_by));
    if to.is_empty() {
        return Built::Ask { question: "Who should it go to?", partial: action, param: "to" };
    }
    done(action)
}

/// "Anna's mail" → Anna.
fn without_kind(whom: &str) -> &str {
    let bare = without_determiner(whom);
    let cut = [" email", " mail", " message", " e-mail", " thread"].iter().find_map(|k| bare.strip_suffix(k));
    owner(cut.unwrap_or(bare))
}
