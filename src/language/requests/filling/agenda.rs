//! What is on, and when: a day, one event of several, the events with somebody.

use crate::language::requests::built::Built;
use crate::language::requests::lexicon::Lexicon;
use crate::language::requests::reading::{ClauseReading, behind, done, set, without_determiner};
use crate::language::requests::several::{self, Listed};
use crate::language::tokens::lower;

/// "what's on tomorrow?", "am I free at 3?", "when is the dentist?", "my next meeting with Sarah"
pub(super) fn list(said: &ClauseReading) -> Built {
    let mut action = said.action("calendar", "list_events");
    let listed = several::days(said);
    let when = listed.as_ref().map(Listed::first).or_else(|| said.moment("", &[]));
    let Singled { text, with, which } = Singled::out(said);
    let is_singled = text.is_some() || with.is_some() || which.is_some() || action.params.contains_key("which");
    if !action.params.contains_key("which") {
        set(&mut action, "which", which);
    }
    set(&mut action, "text", text);
    set(&mut action, "with", with);
    match when {
        Some(when) => set(&mut action, "from", Some(when.text)),
        None if is_singled => {}
        None => set(&mut action, "from", Some(span_said(said))),
    }
    match listed {
        Some(listed) => listed.each(&action, "from"),
        None => done(action),
    }
}

/// "how does my week look" names its span without being a time.
fn span_said(said: &ClauseReading) -> &'static str {
    let text = lower(said.heard.raw(said.found.tokens.start, said.found.tokens.end.saturating_sub(1)));
    match ["week", "month"].into_iter().find(|span| text.contains(span)) {
        Some("week") => "this week",
        Some(_) => "this month",
        None => "today",
    }
}

/// What singles events out.
#[derive(Default)]
struct Singled {
    text: Option<String>,
    with: Option<String>,
    which: Option<&'static str>,
}

impl Singled {
    fn out(said: &ClauseReading) -> Self {
        let masks = said.moments(&[]);
        let with = said.clean("with", &masks).filter(|with| !says_nothing(with, said.grammar.lexicon));
        let Some(what) = said.clean("what", &masks) else {
            return Self { with, ..Self::default() };
        };
        let bare = without_determiner(&what);
        let (which, bare) = ordered(bare);
        let (name, guest) = match bare.split_once(" with ").or_else(|| Some(("", bare.strip_prefix("with ")?))) {
            Some((name, guest)) => (name, Some(without_determiner(guest).to_owned())),
            None => (bare, None),
        };
        let name = without_determiner(name);
        let text = Some(name.to_owned()).filter(|name| !says_nothing(name, said.grammar.lexicon));
        Self { text, with: with.or(guest), which }
    }
}

/// "next standup" is the first one to come.
fn ordered(text: &str) -> (Option<&'static str>, &str) {
    const FIRST: [&str; 4] = ["next ", "first ", "upcoming ", "earliest "];
    const LAST: [&str; 4] = ["last ", "latest ", "previous ", "most recent "];
    let folded = lower(text);
    for (which, words) in [("first", FIRST), ("last", LAST)] {
        if words.iter().any(|word| folded.starts_with(word)) {
            return (Some(which), behind(text.get(..).unwrap_or(text), &words));
        }
    }
    (None, text)
}

/// Words for any event at all, and no words.
fn says_nothing(text: &str, lexicon: Lexicon) -> bool {
    let ids: Vec<_> = text.split_whitespace().map(|word| lexicon.read_word(&lower(word))).collect();
    let is = |class: &str| lexicon.is_phrase(class, &ids);
    ids.is_empty() || is("genericevent") || is("seevents") || is("it") || is("cal")
}
