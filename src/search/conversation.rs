//! What was said in a person's private chat, as documents.

use crate::core::ids::{ChatId, UserId};
use crate::ports::records::{Message, Speaker};
use crate::ports::{Document, Key, Record, Source, Stored, from_stored};

/// The kind of these documents.
pub const KIND: &str = "conversation";

/// Own words and our answers; what is said among others is nobody's alone.
pub const SOURCE: Source = Source::new(Message::TABLE, KIND, 1, document).keyed(place, prefixes);

fn place(key: &Key) -> Option<(UserId, String)> {
    match key.parts().as_slice() {
        [chat, number] => Some((ChatId::new(*chat).private_owner()?, format!("{chat} {number}"))),
        _ => None,
    }
}

fn prefixes(owner: &UserId) -> Vec<Key> {
    let owner = owner.as_str();
    let console = format!("console:{owner}");
    let mut prefixes = vec![Key::prefix(&[&console]), Key::prefix(&[owner])];
    // Topics inside a private chat.
    prefixes.push(Key::from_stored(&format!("{owner}/")));
    prefixes
}

fn document(key: &Key, stored: &Stored) -> Option<(UserId, Document)> {
    let (owner, id) = place(key)?;
    let said: Message = from_stored(stored).ok()?;
    if said.text.trim().is_empty() {
        return None;
    }
    let speaker = match said.speaker {
        Speaker::Person => "person",
        Speaker::Assistant => "assistant",
    };
    let document = Document {
        kind: KIND.to_owned(),
        id,
        body: said.text,
        at: Some(said.at),
        flags: vec![speaker.to_owned()],
        group: Some(said.chat.as_str().to_owned()),
        ..Document::default()
    };
    Some((owner, document))
}
