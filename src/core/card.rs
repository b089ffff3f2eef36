//! Cards: what a person sees before they say yes. Rendered by code from the stored actions, never cut.

use idna::domain_to_ascii;

use super::button::{Button, CardVerb, Press};
use super::digest::Digest;
use super::ids::PendingId;
use super::text::{split_utf16, visible};
use crate::limits::{CARD_PARTS_MAX, MESSAGE_UTF16_MAX};

/// What the catalog says about one action; every text in it may be untrusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardBody {
    /// A question in our own words: "Send this email?"
    pub title: String,
    /// Name and value, one a line.
    pub rows: Vec<(String, String)>,
    /// A text of several lines that goes out as it is.
    pub body: Option<String>,
    /// Warnings found by code: taints, first mails, differing Reply-To.
    pub warnings: Vec<String>,
}

impl CardBody {
    /// A card that begins with this question.
    pub fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a row; empty values are left out.
    #[must_use]
    pub fn row(mut self, name: &str, value: impl Into<String>) -> Self {
        let value = value.into();
        if !value.is_empty() {
            self.rows.push((name.to_owned(), value));
        }
        self
    }

    /// Sets the text that goes out.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }
}

/// A card that would fill more than ten messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the card would take {parts} messages; at most {CARD_PARTS_MAX} are shown")]
pub struct TooLong {
    /// How many it would take.
    pub parts: usize,
}

/// The messages of a card, in order; the buttons belong to the last one.
pub fn render(bodies: &[CardBody], expires: &str, id: &PendingId) -> Result<Vec<String>, TooLong> {
    let many = bodies.len() > 1;
    let mut text = String::new();
    for (index, body) in bodies.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        if many {
            text.push_str(&format!("{}. ", index + 1));
        }
        render_body(&mut text, body);
    }
    let ask = if many {
        "Reply yes to do all of it, no to drop it, or say what to change."
    } else {
        "Reply yes or no, or say what to change."
    };
    text.push_str(&format!("\n{ask}\nWaits until {expires} · {id}"));
    let parts = split_utf16(&text, MESSAGE_UTF16_MAX);
    if parts.len() > CARD_PARTS_MAX {
        return Err(TooLong { parts: parts.len() });
    }
    Ok(parts)
}

/// The last message of a card without the question at its end: what is decided asks for nothing.
pub fn without_question(text: &str) -> &str {
    let at = text.rfind("\nReply yes ").filter(|at| text[*at..].contains("\nWaits until "));
    at.map_or(text, |at| &text[..at]).trim_end()
}

fn render_body(text: &mut String, body: &CardBody) {
    text.push_str(&visible(&body.title));
    text.push('\n');
    for (name, value) in &body.rows {
        // A name may be untrusted too (a memory's key): one line, nothing hidden.
        text.push_str(&format!("{}: {}\n", visible(name).replace('\n', " "), visible(value).replace('\n', "\n   ")));
    }
    if let Some(outgoing) = &body.body {
        text.push_str(&format!("\n{}\n", visible(outgoing)));
    }
    for warning in &body.warnings {
        text.push_str(&format!("⚠️ {}\n", visible(warning)));
    }
}

/// The buttons of a card in the view that has this digest.
pub fn buttons(id: &PendingId, digest: &Digest, approve: &str, actions: usize) -> Vec<Vec<Button>> {
    let press = |verb| Press::Card { pending: id.clone(), digest_prefix: digest.prefix().to_owned(), verb };
    let mut rows = vec![
        vec![Button::new(approve, &press(CardVerb::Approve)), Button::new("✖️ No", &press(CardVerb::Cancel))],
        vec![Button::new("✏️ Edit", &press(CardVerb::Edit))],
    ];
    if actions > 1 {
        for index in 0..actions {
            rows.push(vec![Button::new(format!("Without {}", index + 1), &press(CardVerb::Drop(index)))]);
        }
    }
    rows
}

/// An address as a card shows it: a domain that is not plain ASCII also in punycode.
pub fn show_address(address: &str) -> String {
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
mod tests {
    use super::*;

    #[test]
    fn a_card_shows_every_character_and_hides_none() {
        let body = CardBody::titled("Send this email?").row("To", "bob@example.com").body("Hi\u{202E}Bob");
        let parts = render(&[body], "Mon 12 Jan 09:00", &PendingId::new("abc")).unwrap();
        assert_eq!(
            parts.concat(),
            "Send this email?\nTo: bob@example.com\n\nHi⟨U+202E⟩Bob\n\nReply yes or no, or say what to change.\nWaits until Mon 12 Jan 09:00 · abc"
        );
    }

    #[test]
    fn a_card_over_ten_messages_is_refused() {
        let body = CardBody::titled("Send?").body("word ".repeat(20_000));
        assert!(render(&[body], "later", &PendingId::new("abc")).is_err());
    }

    #[test]
    fn a_look_alike_domain_is_shown_in_punycode_too() {
        assert_eq!(show_address("a@exаmple.com"), "a@exаmple.com (that is xn--exmple-4nf.com)");
        assert_eq!(show_address("a@example.com"), "a@example.com");
    }
}
