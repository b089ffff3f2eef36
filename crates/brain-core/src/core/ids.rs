//! Names for things: one newtype each, so that a chat is never taken for a person.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::digest::hex;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps the text as it is.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text inside.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// A person: `tg:12345` on Telegram, the plain name on the console.
    UserId
);
text_id!(
    /// A place to talk in: `tg:-100987` (with `/topic` behind it in forums) or `console:NAME`.
    ChatId
);
text_id!(
    /// A pending action (a card). Short enough for a button, random enough not to be guessed.
    PendingId
);
text_id!(
    /// One journal of actions being done: the turn's id, or the id of the pending action they came from.
    RunId
);

impl UserId {
    /// The person as the name of a folder. No two people share one, also where case does not matter: everything but
    /// small letters, digits, `_` and `-` is written as `%` and its hexadecimal value.
    pub fn folder_name(&self) -> String {
        let mut name = String::with_capacity(self.0.len());
        for byte in self.0.bytes() {
            match byte {
                b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => name.push(char::from(byte)),
                _ => name.push_str(&format!("%{byte:02x}")),
            }
        }
        match name.len() {
            0 => "%".to_owned(),
            1..=200 => name,
            _ => format!("%%{}", hex(&Sha256::digest(self.0.as_bytes()))),
        }
    }
}

impl UserId {
    /// True for somebody at the terminal of this machine, as far as the name tells.
    pub fn is_of_terminal(&self) -> bool {
        !self.0.starts_with("tg:")
    }
}

impl ChatId {
    /// The chat in which this person talks with the assistant alone.
    pub fn alone_with(user: &UserId) -> Self {
        if user.is_of_terminal() { Self(format!("console:{user}")) } else { Self(user.0.clone()) }
    }

    /// True for the chat in which this person talks with the assistant alone, topics inside it included.
    pub fn is_private_of(&self, user: &UserId) -> bool {
        let place = self.0.split_once('/').map_or(self.0.as_str(), |(chat, _)| chat);
        place == user.0 || place.strip_prefix("console:") == Some(user.as_str())
    }

    /// The person who talks here with the assistant alone, as far as the name tells; `None` for a group.
    pub fn private_owner(&self) -> Option<UserId> {
        let place = self.0.split_once('/').map_or(self.0.as_str(), |(chat, _)| chat);
        let is_group = place.strip_prefix("tg:").is_some_and(|number| number.starts_with('-'));
        (!is_group).then(|| UserId::new(place.strip_prefix("console:").unwrap_or(place)))
    }
}

/// A message inside its chat. Later messages have greater numbers, on Telegram and on the console alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub i64);

/// Turns 128 random bits into a short id of ten lower-case characters without look-alikes.
pub fn short_id(random: u128) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bits = random;
    let mut id = String::with_capacity(10);
    for _ in 0..10 {
        id.push(char::from(ALPHABET[(bits & 31) as usize]));
        bits >>= 5;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_is_private_to_the_person_it_is_named_after_only() {
        let is = |chat: &str, user: &str| ChatId::new(chat).is_private_of(&UserId::new(user));
        for (chat, user) in [("tg:7", "tg:7"), ("tg:7/3", "tg:7"), ("console:anna", "anna")] {
            assert!(is(chat, user), "{chat} {user}");
        }
        for (chat, user) in
            [("tg:-7", "tg:7"), ("tg:77", "tg:7"), ("tg:-7/3", "tg:7"), ("console:ben", "anna"), ("", "a")]
        {
            assert!(!is(chat, user), "{chat} {user}");
        }
    }
}
