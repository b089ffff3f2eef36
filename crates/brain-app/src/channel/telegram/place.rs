//! A Telegram chat, and the topic inside it, as the rest of the program names them.

use brain_core::core::ids::ChatId;

/// The number of the topic of a forum that is always there. Nobody can send to it: what goes nowhere else comes there.
const GENERAL: i32 = 1;

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChatPlace {
    /// Telegram's number of the chat.
    pub chat: i64,
    /// The topic, in chats that have them.
    pub topic: Option<i32>,
}

impl ChatPlace {
    /// `tg:CHAT` or `tg:CHAT/TOPIC`; `None` for chats of other channels.
    pub fn parse(chat: &ChatId) -> Option<Self> {
        let name = chat.as_str().strip_prefix("tg:")?;
        let (chat, topic) = match name.split_once('/') {
            Some((chat, topic)) => (chat, Some(topic.parse().ok()?)),
            None => (name, None),
        };
        Some(Self { chat: chat.parse().ok()?, topic })
    }

    /// The topic that calls name.
    pub fn thread(self) -> Option<i32> {
        self.topic.filter(|topic| *topic != GENERAL)
    }

    /// As the pipeline knows it: the number of the chat and, in a forum, of the topic.
    pub fn id(self) -> ChatId {
        match self.topic {
            Some(topic) => ChatId::new(format!("tg:{}/{topic}", self.chat)),
            None => ChatId::new(format!("tg:{}", self.chat)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_the_way_there_and_back_and_other_chats_are_not_ours() {
        for name in ["tg:7", "tg:-100987", "tg:-100987/12"] {
            let id = ChatId::new(name);
            assert_eq!(ChatPlace::parse(&id).map(ChatPlace::id), Some(id));
        }
        for name in ["console:anna", "tg:", "tg:x", "tg:7/", "tg:7/x", "7"] {
            assert_eq!(ChatPlace::parse(&ChatId::new(name)), None, "{name}");
        }
    }
}
