//! Cards: what a person sees before they say yes. Rendered by code from the stored actions, never cut.
//!
//! Invariant: nobody's words can imitate the card around them. Every line of a card is either written by code, with
//! words from elsewhere on it only between quotation marks that those words cannot close, or it lies in a frame: a
//! [`Style::Quote`] over the text, which ends where code says and not where the text does. What a frame looks like is
//! the channel's business: a quote on Telegram, a gutter where there is plain text only.

use idna::domain_to_ascii;

use super::button::{Button, CardVerb, Press};
use super::digest::Digest;
use super::ids::PendingId;
use super::markup::{Formatted, Style};
use super::text::{closes_a_quote, one_line, quoted, utf16_len, visible};
use crate::limits::{CARD_INLINE_CHARS_MAX, CARD_PARTS_MAX, MESSAGE_SPANS_MAX, MESSAGE_UTF16_MAX, QUOTE_UTF16_OPEN};

/// What the catalog says about one action; every text in it may be untrusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardBody {
    /// A question in our own words: "Send this email?"
    pub title: String,
    /// Name and value.
    pub rows: Vec<Row>,
    /// A text of several lines that goes out as it is.
    pub body: Option<String>,
    /// Warnings found by code, a line each: taints, first mails, differing Reply-To.
    pub warnings: Vec<String>,
}

/// A name and what stands behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    name: String,
    value: RowValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RowValue {
    /// Lines that code has put together.
    Lines(Vec<String>),
    /// A value as it will be used, whoever wrote it.
    Words(String),
}

impl Row {
    /// A value as it will be used: between quotation marks when it is short and plain, else in a frame.
    pub fn words(name: impl Into<String>, words: impl Into<String>) -> Self {
        Self { name: name.into(), value: RowValue::Words(words.into()) }
    }
}

impl CardBody {
    /// A card that begins with this question.
    pub fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds what code says of the action: a time, an address, a remark. Empty values are left out.
    #[must_use]
    pub fn row(self, name: &str, value: impl Into<String>) -> Self {
        self.lines(name, vec![value.into()])
    }

    /// The same, one line each.
    #[must_use]
    pub fn lines(mut self, name: &str, mut lines: Vec<String>) -> Self {
        lines.retain(|line| !line.trim().is_empty());
        if !lines.is_empty() {
            self.rows.push(Row { name: name.to_owned(), value: RowValue::Lines(lines) });
        }
        self
    }

    /// Adds a value as it will be used: a title, a place, a description. Empty ones are left out.
    #[must_use]
    pub fn words(mut self, name: &str, words: impl Into<String>) -> Self {
        let words = words.into();
        if !words.is_empty() {
            self.rows.push(Row::words(name, words));
        }
        self
    }

    /// What it asks and its values, without a question mark: for something that one tap does or leaves.
    pub fn in_one_line(&self) -> String {
        let values = self.rows.iter().map(|row| match &row.value {
            RowValue::Lines(lines) => lines.join(", "),
            RowValue::Words(words) => quoted(words, CARD_INLINE_CHARS_MAX),
        });
        let body = self.body.iter().map(|body| quoted(body, CARD_INLINE_CHARS_MAX));
        let values: Vec<String> = values.chain(body).collect();
        let title = self.title.trim_end_matches('?');
        if values.is_empty() { title.to_owned() } else { format!("{title}: {}", values.join(", ")) }
    }

    /// Sets the text that goes out.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }
}

/// The last words of a card: what takes a yes or a no.
const ASK: &str = "Reply yes or no, or say what to change.";
/// The same of a card of several actions.
const ASK_FOR_ALL: &str = "Reply yes to do all of it, no to drop it, or say what to change.";

/// Whether a sentence that is not ours asks for what only a card asks for.
pub fn asks_like_a_card(sentence: &str) -> bool {
    const WORDS: usize = 2;
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let said = words(sentence);
    [ASK, ASK_FOR_ALL].iter().any(|ask| said.windows(WORDS).any(|two| two == &words(ask)[..WORDS]))
}

/// A card that would fill more than ten messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the card would take {parts} messages; at most {CARD_PARTS_MAX} are shown")]
pub struct TooLong {
    /// How many it would take.
    pub parts: usize,
}

/// The messages of a card, in order; the buttons belong to the last one.
pub fn render(bodies: &[CardBody], expires: &str, id: &PendingId) -> Result<Vec<Formatted>, TooLong> {
    let ask = if bodies.len() > 1 { ASK_FOR_ALL } else { ASK };
    let mut parts = content(bodies);
    let question = format!("{ask}\nWaits until {expires} · {id}");
    match parts.last_mut().filter(|last| takes(last, &question)) {
        Some(last) => last.push(&format!("\n\n{question}")),
        None => parts.push(Formatted::plain(question)),
    }
    if parts.len() > CARD_PARTS_MAX {
        return Err(TooLong { parts: parts.len() });
    }
    Ok(parts)
}

/// The last message of a card with `stamp` in place of the question: what is decided asks for nothing. `None` where
/// that does not fit.
pub fn decided(bodies: &[CardBody], expires: &str, id: &PendingId, stamp: &str) -> Option<Formatted> {
    let shown = render(bodies, expires, id).ok()?;
    let mut parts = content(bodies);
    if shown.len() > parts.len() {
        return Some(Formatted::plain(stamp));
    }
    let mut last = parts.pop().filter(|last| takes(last, stamp))?;
    last.push(&format!("\n\n{stamp}"));
    Some(last)
}

fn takes(part: &Formatted, more: &str) -> bool {
    utf16_len(&part.text) + utf16_len(more) + 2 <= MESSAGE_UTF16_MAX
}

/// What the actions are, in messages that fit.
fn content(bodies: &[CardBody]) -> Vec<Formatted> {
    let mut card = Formatted::default();
    for (index, body) in bodies.iter().enumerate() {
        if index > 0 {
            card.push("\n");
        }
        if bodies.len() > 1 {
            card.push(&format!("{}. ", index + 1));
        }
        write(&mut card, body);
    }
    card.split(MESSAGE_UTF16_MAX, MESSAGE_SPANS_MAX).collect()
}

fn write(card: &mut Formatted, body: &CardBody) {
    card.push(&format!("{}\n", one_line(&body.title)));
    for Row { name, value } in &body.rows {
        // A name may be untrusted too: that of a parameter which a server on the network has described.
        let name = one_line(name);
        match value {
            RowValue::Lines(lines) => {
                let lines: Vec<String> = lines.iter().map(|line| one_line(line)).collect();
                card.push(&format!("{name}: {}\n", lines.join("\n   ")));
            }
            RowValue::Words(words) if fits_in_line(words) => card.push(&format!("{name}: “{words}”\n")),
            RowValue::Words(words) => {
                card.push(&format!("{name}{}:\n", length(words)));
                frame(card, words);
            }
        }
    }
    if let Some(outgoing) = &body.body {
        match length(outgoing) {
            none if none.is_empty() => card.push("\n"),
            length => card.push(&format!("\nText{length}:\n")),
        }
        frame(card, outgoing);
    }
    for warning in &body.warnings {
        card.push(&format!("⚠️ {}\n", one_line(warning)));
    }
}

/// Whether a value can stand between quotation marks: nothing in it ends them, or has to be escaped.
fn fits_in_line(words: &str) -> bool {
    words.chars().count() <= CARD_INLINE_CHARS_MAX
        && words.trim() == words
        && one_line(words) == words
        && !words.chars().any(closes_a_quote)
}

/// How long a folded text is, so that nobody takes its first lines for all of it.
fn length(text: &str) -> String {
    match utf16_len(text) > QUOTE_UTF16_OPEN {
        true => format!(" ({} characters)", visible(text).chars().count()),
        false => String::new(),
    }
}

/// Adds a text in a frame of its own.
fn frame(card: &mut Formatted, text: &str) {
    let text = visible(text);
    card.push_styled(text.trim(), Style::Quote { folded: utf16_len(&text) > QUOTE_UTF16_OPEN });
    card.push("\n");
}

/// The buttons of a card in the view that has this digest.
pub fn buttons(id: &PendingId, digest: &Digest, approve: &str, actions: usize) -> Vec<Vec<Button>> {
    let press = |verb| Press::Card { pending: id.clone(), digest_prefix: digest.prefix().to_owned(), verb };
    let mut rows = vec![
        vec![Button::new(approve, &press(CardVerb::Approve)), Button::new("✖️ Don't", &press(CardVerb::Cancel))],
        vec![Button::new("✏️ Edit", &press(CardVerb::Edit))],
    ];
    if actions > 1 {
        for index in 0..actions {
            rows.push(vec![Button::new(format!("Without {}", index + 1), &press(CardVerb::Drop(index)))]);
        }
    }
    rows
}

/// An address as a card shows it: a domain that is not plain ASCII also in punycode, and what is no plain address
/// between quotation marks.
pub fn show_address(address: &str) -> String {
    if address.chars().any(|c| c.is_whitespace() || "<>,;".contains(c) || closes_a_quote(c)) {
        return quoted(address, usize::MAX);
    }
    let Some((_, domain)) = address.rsplit_once('@') else {
        return address.to_owned();
    };
    if domain.is_ascii() {
        return address.to_owned();
    }
    match domain_to_ascii(domain) {
        Ok(ascii) => format!("{address} (that is {ascii})"),
        Err(_) => format!("{address} (not a valid domain)"),
    }
}

#[cfg(test)]
mod tests;
