//! Continuation: whether a message reads on from the one before it, so that the two are one request.
//!
//! People send a sentence in parts, and several requests in a row. Only what reads on is one: the first part is
//! unfinished (it ends with a preposition, a comma, an open bracket), or the next is a bare continuation (a time alone,
//! a phrase that begins with a preposition or a conjunction) that asks for nothing by itself.
//!
//! Invariant: in doubt the two are apart. Separate requests that are merged lose one of them; a sentence that is taken
//! apart costs one question more. Not here: how soon one has to follow the other, and messages that hold something
//! else than typed words.

use super::requests::annotated::AnnotatedText;
use super::requests::grammar::GRAMMAR;
use super::requests::intents::Intent;
use super::requests::parser::Parser;
use super::requests::{Builders, ParseInput};
use super::time::{DateOrder, Reference};
use super::tokens::lower;
use super::work::Work;

/// The words of the classes, one class a line; read where they stand.
const WORDS: &str = include_str!("../../../../data/language/continuation.txt");
/// Words of what may go on, and of what goes on with it; more are a sentence of their own.
const REST_WORDS_MAX: usize = 6;
/// Marks behind which a sentence goes on.
const OPEN_MARKS: [char; 14] = [',', ':', '-', '–', '—', '(', '[', '{', '“', '„', '«', '&', '+', '/'];
/// What opens, and what closes it.
const PAIRS: [(char, char); 6] = [('(', ')'), ('[', ']'), ('{', '}'), ('“', '”'), ('„', '“'), ('«', '»')];

/// Whether `next` is to be read as one request with `before`, which it follows at once.
pub fn reads_on(before: &str, next: &str, builders: Builders) -> bool {
    let next = TimelessMessage::new(next, builders);
    match ending(before) {
        MessageEnding::Open => true,
        MessageEnding::Doubtful => next.is_short() && next.asks_nothing() || next.continues(),
        MessageEnding::Closed => next.continues() || closes(before, next.text),
    }
}

/// Whether a message asks for something by itself and refers to nothing said before it: an order without a pronoun, and
/// not a bare addition.
pub fn stands_alone(text: &str, builders: Builders) -> bool {
    let said = TimelessMessage::new(text, builders);
    !said.asks_nothing() && !said.speaks_back()
}

/// Whether a message refers to what was said before it, or goes on with it: by a pronoun, or by a conjunction first.
pub fn speaks_back(text: &str, builders: Builders) -> bool {
    TimelessMessage::new(text, builders).speaks_back()
}

/// How a message ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessageEnding {
    /// In the middle of a sentence.
    Open,
    /// It could go on.
    Doubtful,
    Closed,
}

fn ending(text: &str) -> MessageEnding {
    let text = text.trim_end();
    let is_smiley = text.trim_end_matches(['(', '[', '{', '/']).ends_with([':', ';', '=', '-'])
        && !text.ends_with([':', ';', '=', '-']);
    if text.ends_with(OPEN_MARKS) && !is_smiley {
        return MessageEnding::Open;
    }
    if text.ends_with('…') || text.ends_with("...") {
        return MessageEnding::Doubtful;
    }
    let last = words(last_sentence(text));
    let whole = words(text);
    let holds = |class: &str| last.split(' ').any(|word| phrases(class).any(|other| other == word));
    let stranded = || ends_with("ended", &last) || holds("asks") || holds("parts");
    let open = phrases("leads").any(|lead| lead == whole)
        || ends_with("ends", &last) && !ends_with("ended", &last)
        || ends_with("asked", &last) && !stranded();
    let may_go_on = || ends_with("maybe", &last) && whole.split(' ').count() <= REST_WORDS_MAX && !stranded();
    match open {
        true => MessageEnding::Open,
        false if may_go_on() => MessageEnding::Doubtful,
        false => MessageEnding::Closed,
    }
}

fn last_sentence(text: &str) -> &str {
    let stop = |(at, c): (usize, char)| {
        let behind = at + c.len_utf8();
        let ends = c == '\n' || matches!(c, '.' | '!' | '?' | ';') && text[behind..].starts_with(char::is_whitespace);
        (ends || behind == text.len() && matches!(c, '.' | '!' | '?' | ';')).then_some(behind)
    };
    &text[text.char_indices().filter_map(stop).next_back().unwrap_or_default()..]
}

/// Whether `next` closes a quotation or a bracket that `before` has left open.
fn closes(before: &str, next: &str) -> bool {
    let count = |text: &str, mark: char| text.chars().filter(|c| *c == mark).count();
    let odd = |text: &str| count(text, '"') % 2 == 1;
    let closed = |(open, close): &(char, char)| {
        count(before, *open) > count(before, *close) && count(next, *close) > count(next, *open)
    };
    odd(before) && odd(next) || PAIRS.iter().any(closed)
}

/// A message, and what of it is no time.
struct TimelessMessage<'t> {
    text: &'t str,
    intents: Vec<Intent>,
    /// Its words without times and priorities.
    rest: String,
    has_time: bool,
    /// Whether a verb stands where an order has it, perhaps behind a time.
    orders: bool,
}

impl<'t> TimelessMessage<'t> {
    fn new(text: &'t str, builders: Builders) -> Self {
        // What a time is relative to does not matter here, only that it is one.
        let reference =
            Reference { now: chrono::DateTime::UNIX_EPOCH, zone: chrono_tz::Tz::UTC, order: DateOrder::DayFirst };
        let heard = AnnotatedText::new(text, &reference, GRAMMAR.lexicon);
        let input = ParseInput::new(text, &reference, builders);
        let live = heard.live(0..heard.tokens.len()).iter().map(|at| heard.typed(*at));
        let rest = words(&live.collect::<Vec<_>>().join(" "));
        let orders = orders(&heard);
        TimelessMessage {
            text,
            intents: Parser::new(&input, &heard, &[], &Work::default()).intents(),
            rest,
            has_time: !heard.masks.is_empty(),
            orders,
        }
    }

    fn is_short(&self) -> bool {
        self.rest.split(' ').count() <= REST_WORDS_MAX
    }

    fn asks_nothing(&self) -> bool {
        self.intents.is_empty()
    }

    fn speaks_back(&self) -> bool {
        let spoken = format!(" {} ", words(self.text));
        phrases("back").any(|word| spoken.contains(&format!(" {word} "))) || self.continues()
    }

    /// A bare continuation.
    fn continues(&self) -> bool {
        if self.rest.is_empty() {
            return self.has_time;
        }
        if phrases("courtesy").any(|polite| polite == self.rest) {
            return true;
        }
        let after = |class: &str| begins_with(class, &self.rest).filter(|rest| begins_with("asks", rest).is_none());
        if let Some(rest) = after("joins") {
            return self.asks_nothing() && !rest.is_empty() || rest.is_empty() && self.has_time;
        }
        let Some(rest) = after("places") else { return false };
        // An infinitive of purpose asks for something only if it is read alone.
        let purpose = self.rest.starts_with("to ") && self.intents.iter().all(|intent| intent.weak);
        self.is_short() && (purpose || self.asks_nothing() && !self.orders) && !rest.is_empty()
    }
}

/// Whether a verb of the everyday errands stands behind something that it does not belong to: not first, and behind
/// neither a determiner nor a preposition.
fn orders(heard: &AnnotatedText) -> bool {
    let (live, ids) = (heard.live(0..heard.tokens.len()), heard.ids(0..heard.tokens.len()));
    let is_noun = |before: &str| {
        ["to", "and", "or"].contains(&before)
            || ["places", "ends"].iter().any(|class| phrases(class).any(|word| word == before))
    };
    (2..ids.len())
        .any(|at| GRAMMAR.lexicon.starts("errand", &ids[at..]).is_some() && !is_noun(&lower(heard.typed(live[at - 1]))))
}

/// The words of a text as the classes have them, without the marks beside them.
fn words(text: &str) -> String {
    let text = lower(text);
    let bare = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn phrases(class: &str) -> impl Iterator<Item = &'static str> + use<'_> {
    let lines = WORDS.lines().filter_map(move |line| line.strip_prefix(class)?.strip_prefix(':'));
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// What follows a phrase of the class at the beginning of the words; the longest phrase counts.
fn begins_with<'w>(class: &str, words: &'w str) -> Option<&'w str> {
    let rest = |phrase: &str| words.strip_prefix(phrase).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    phrases(class).filter_map(rest).min_by_key(|rest| rest.len()).map(str::trim_start)
}

fn ends_with(class: &str, words: &str) -> bool {
    phrases(class).any(|phrase| words.strip_suffix(phrase).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
}
