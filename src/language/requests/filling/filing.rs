//! One mail that is there already: which one is meant, and what becomes of it.

use super::email::owner;
use crate::core::history::PastAction;
use crate::core::plan::PlannedAction;
use crate::language::requests::built::Built;
use crate::language::requests::history;
use crate::language::requests::reading::{ClauseReading, done, set, without_determiner};
use crate::language::tokens::lower;

/// "star that mail", "archive the newsletter from Slow Miles"
pub(super) fn mark(said: &ClauseReading) -> Built {
    about_one(said, said.action("email", "mark"))
}

/// "delete the mail from Bob about lunch"
pub(super) fn delete(said: &ClauseReading) -> Built {
    about_one(said, said.action("email", "delete_email"))
}

fn about_one(said: &ClauseReading, mut action: PlannedAction) -> Built {
    match find_by(said) {
        Some(find_by) => {
            set(&mut action, "find_by", Some(find_by));
            done(action)
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
    let newest = if says(said, &["last", "latest", "newest"]) { "latest" } else { "" };
    let described = match (from, what) {
        (None, None) if says(said, &["newsletter"]) => "newsletter".to_owned(),
        (None, None) if !newest.is_empty() => "mail".to_owned(),
        (None, None) => return it(said).and_then(history::handle),
        (from, what) => [from, what].into_iter().flatten().collect::<Vec<_>>().join(" "),
    };
    Some(format!("{newest} {described}").trim().to_owned())
}

/// The mail that was talked about last, unless something else of mail was since.
fn it<'a>(said: &ClauseReading<'a>) -> Option<&'a PastAction> {
    history::latest(said.hearing.history, |past| past.service == "email").filter(|past| is_about_a_mail(past))
}

/// What was about one mail that is there: no draft, and no list of several.
pub(super) fn is_about_a_mail(past: &PastAction) -> bool {
    match past.command.as_str() {
        "read_thread" | "mark" | "reply_to_email" | "forward_email" => past.service == "email",
        "search" => past.service == "email" && past.item.is_some(),
        _ => false,
    }
}

/// Whether the clause, apart from what is said in the mail itself, has one of these words.
fn says(said: &ClauseReading, wanted: &[&str]) -> bool {
    let end = ["to", "body", "ask"].iter().filter_map(|name| said.found.slot(name)).map(|slot| slot.first).min();
    let last = end.unwrap_or(said.found.tokens.end).saturating_sub(1);
    let clause = lower(said.heard.raw(said.found.tokens.start, last));
    clause.split(|c: char| !c.is_alphanumeric()).any(|word| wanted.contains(&word))
}
