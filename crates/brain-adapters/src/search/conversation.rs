//! What was said in a person's private chat, as documents.

use brain_core::core::ids::{ChatId, UserId};
use brain_core::ports::records::{Message, Speaker};
use brain_core::ports::{Document, Key, Record, Source, Stored, from_stored};

/// Own words and our answers; what is said among others is nobody's alone.
pub const SOURCE: Source = Source::new(Message::TABLE, Message::KIND, 2, document).keyed(place, prefixes);

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
        Speaker::Person if said.origin.is_own_words() => Message::OWN_WORDS,
        Speaker::Person => "passed on",
        Speaker::Assistant => "assistant",
    };
    let document = Document {
        kind: Message::KIND.to_owned(),
        id,
        body: said.text,
        at: Some(said.at),
        flags: vec![speaker.to_owned()],
        group: Some(said.chat.as_str().to_owned()),
        ..Document::default()
    };
    Some((owner, document))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use brain_core::core::turn::Origin;

    #[test]
    fn only_what_a_person_said_in_their_own_words_is_theirs() {
        for (speaker, origin, flag) in [
            (Speaker::Person, Origin::Typed, Message::OWN_WORDS),
            (Speaker::Person, Origin::Transcript, Message::OWN_WORDS),
            (Speaker::Person, Origin::Forwarded, "passed on"),
            (Speaker::Person, Origin::OnBehalf, "passed on"),
            (Speaker::Assistant, Origin::Typed, "assistant"),
        ] {
            let said: Message = serde_json::from_value(json!({
                "chat": "tg:1", "number": 1, "speaker": speaker, "text": "the car", "origin": origin,
                "at": "2026-03-10T09:00:00Z", "actions": [],
            }))
            .unwrap();
            let body = serde_json::to_vec(&said).unwrap();
            let stored = Stored { revision: 1, version: Message::VERSION, body };
            let (_, document) = document(&said.key(), &stored).unwrap();
            assert_eq!(document.flags, [flag], "{speaker:?} {origin:?}");
        }
    }
}
