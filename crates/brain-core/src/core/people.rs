//! Which names a person can have, by where they are.
//!
//! Invariants: nobody at a console of this machine has the name of somebody on Telegram, or one that would pass for
//! another name; each person has one name, in one spelling. Not here: who may talk, which each channel knows.

use std::fmt;
use std::str::FromStr;

use unicode_normalization::is_nfkc;
use unicode_security::MixedScript as _;

use super::ids::{ChatId, UserId};
use super::text::{quoted, visible};
use crate::limits::{CONSOLE_NAME_BYTES_MAX, NAME_CHARS_MAX};

/// What people on Telegram are called by, before their number.
const TELEGRAM: &str = "tg:";
/// Who decides on the command line, as the audit has it.
pub const OPERATOR: &str = "operator";

/// Somebody at a console of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConsoleUser(String);

/// Why a name is nobody's at a console.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAtConsole {
    /// They are on Telegram.
    #[error(
        "{0} is somebody on Telegram, and answers to them go there: write to the bot as them. Here --user is a name of \
         this terminal, such as me"
    )]
    OnTelegram(String),
    /// It could be taken for another name, or for a place.
    #[error(
        "{0} is no name for somebody at this terminal: it has 1 to {CONSOLE_NAME_BYTES_MAX} plain characters of one script, \
         without / \\ : and nothing that cannot be seen; “operator” is taken"
    )]
    NoName(String),
}

/// Who is meant at a terminal where nobody is named.
pub const DEFAULT_USER: &str = "me";

impl Default for ConsoleUser {
    fn default() -> Self {
        Self(DEFAULT_USER.to_owned())
    }
}

impl ConsoleUser {
    /// Whoever is called so.
    pub fn named(name: &str) -> Result<Self, NotAtConsole> {
        let begins_as_telegram = name.get(..TELEGRAM.len()).is_some_and(|start| start.eq_ignore_ascii_case(TELEGRAM));
        if begins_as_telegram {
            return Err(NotAtConsole::OnTelegram(quoted(name, NAME_CHARS_MAX)));
        }
        let is_plain = !name.is_empty()
            && name.len() <= CONSOLE_NAME_BYTES_MAX
            && name.trim() == name
            && !name.contains(['/', '\\', ':'])
            && !name.contains(char::is_control);
        let is_itself = is_plain && is_nfkc(name) && visible(name) == name && name.is_single_script();
        if is_itself && !name.eq_ignore_ascii_case(OPERATOR) {
            Ok(Self(name.to_owned()))
        } else {
            Err(NotAtConsole::NoName(quoted(name, NAME_CHARS_MAX)))
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The person.
    pub fn id(&self) -> UserId {
        UserId::new(&self.0)
    }

    /// Where they talk with the assistant alone.
    pub fn chat(&self) -> ChatId {
        ChatId::alone_with(&self.id())
    }
}

impl FromStr for ConsoleUser {
    type Err = NotAtConsole;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::named(name)
    }
}

impl fmt::Display for ConsoleUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The person that a name is one of, on Telegram or at a console; `None`: nobody can be called so. A group is nobody.
pub fn person_named(name: &str) -> Option<UserId> {
    match name.strip_prefix(TELEGRAM) {
        Some(number) => {
            let id: Option<u64> = number.parse().ok();
            id.filter(|id| *id > 0 && id.to_string() == number).map(|_| UserId::new(name))
        }
        None => ConsoleUser::named(name).ok().map(|user| user.id()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_console_is_none_of_telegram_and_none_that_passes_for_another() {
        for name in ["me", "Anna", "Jürgen", "Анна", "Mom & Dad", "anna.b-c_d@e+f", "太郎", "tg", "tg11", "O'Neill"]
        {
            assert_eq!(ConsoleUser::named(name).map(|user| user.id()), Ok(UserId::new(name)), "{name}");
            assert_eq!(person_named(name), Some(UserId::new(name)), "{name}");
        }
        for name in ["tg:11", "TG:11", "tg:", "tG:-100", "tg:11 "] {
            assert!(matches!(ConsoleUser::named(name), Err(NotAtConsole::OnTelegram(_))), "{name}");
        }
        let long = "a".repeat(CONSOLE_NAME_BYTES_MAX + 1);
        for name in [
            "",
            " ",
            " me",
            "me ",
            "a/b",
            "a\\b",
            "a:b",
            "a\nb",
            "a\u{0}",
            "m\u{200b}e",
            "\u{202e}em",
            "ｔｇ：11",
            "аnna",
            "ﬁnn",
            "tg\u{ff1a}11",
            "operator",
            "Operator",
            &long,
        ] {
            let why = ConsoleUser::named(name).unwrap_err();
            assert!(matches!(&why, NotAtConsole::NoName(_)), "{name:?}");
            assert!(visible(&why.to_string()) == why.to_string() && why.to_string().len() < 300, "{why}");
            assert_eq!(person_named(name), None, "{name:?}");
        }
    }

    #[test]
    fn somebody_on_telegram_has_one_name() {
        assert_eq!(person_named("tg:1001"), Some(UserId::new("tg:1001")));
        for name in ["tg:", "tg:0", "tg:01", "tg:+1", "tg:-100", "tg:1/2", "tg:x", "tg:18446744073709551616"] {
            assert_eq!(person_named(name), None, "{name}");
        }
    }
}
