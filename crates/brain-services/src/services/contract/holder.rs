//! Whose an account elsewhere is, and who may use what a file of the operator names.

use std::sync::{Arc, OnceLock};

use brain_core::core::ids::UserId;
use brain_wire::accounts::{AccountConfig, AccountPerson};

/// Whose an account is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// That of this person, once it is known who that is.
    FirstAdmin(Arc<OnceLock<UserId>>),
    /// That of this person.
    Person(UserId),
    /// That of whoever sits at this machine.
    Terminal,
    /// Everybody's: of a made-up world.
    Everybody,
}

impl Holder {
    /// Whether it is this person's.
    pub fn is(&self, owner: &UserId) -> bool {
        match self {
            Self::FirstAdmin(person) => person.get() == Some(owner),
            Self::Person(person) => person == owner,
            Self::Terminal => owner.is_of_terminal(),
            Self::Everybody => true,
        }
    }
}

impl Holder {
    /// Those that a file of the operator names; `otherwise`, where it names nobody.
    pub fn named(users: &[String], otherwise: &[Self]) -> Vec<Self> {
        let holder = |user: &String| match user.as_str() {
            "*" => Self::Everybody,
            "terminal" => Self::Terminal,
            id => Self::Person(UserId::new(id)),
        };
        if users.is_empty() { otherwise.to_vec() } else { users.iter().map(holder).collect() }
    }

    /// Those of a configured account.
    pub fn of(account: &AccountConfig, first_admin: &Arc<OnceLock<UserId>>) -> Vec<Self> {
        match &account.person {
            AccountPerson::First => vec![Self::FirstAdmin(first_admin.clone()), Self::Terminal],
            AccountPerson::Id(person) => vec![Self::Person(UserId::new(person))],
        }
    }
}
