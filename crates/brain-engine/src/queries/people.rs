//! Who is served: whoever was paired or has chosen anything, the admins, and whose turns are still told of.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{View, turns};
use brain_core::core::ids::UserId;
use brain_core::ports::records::User;
use brain_core::ports::{RecordExt, Scan, StoreError};

/// Turns that are looked through for people.
const TURNS: usize = 1_000;

/// Somebody who is served.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServedPerson {
    /// Since when, where that is known.
    pub since: Option<DateTime<Utc>>,
    /// The zone they have chosen.
    pub zone: Option<Tz>,
    /// The language they have chosen, as a BCP 47 tag.
    pub language: Option<String>,
    /// Whether they are an admin.
    pub admin: bool,
    /// When the last of their turns began that is still told of.
    pub last_turn: Option<DateTime<Utc>>,
}

/// All of them, by id; at most so many that have a record.
pub async fn served(
    view: &View<'_>,
    admins: &HashSet<UserId>,
    limit: usize,
) -> Result<BTreeMap<UserId, ServedPerson>, StoreError> {
    let mut people: BTreeMap<UserId, ServedPerson> = BTreeMap::new();
    for (user, _) in view.moment.list::<User>(Scan::of::<User>(&[], limit)).await? {
        let person = people.entry(user.id).or_default();
        (person.since, person.zone, person.admin) = (Some(user.since), user.zone, user.admin);
        person.language = user.settings.language;
    }
    for trace in turns::latest(view, TURNS).await? {
        people.entry(trace.user).or_default().last_turn.get_or_insert(trace.at);
    }
    for admin in admins {
        people.entry(admin.clone()).or_default().admin = true;
    }
    Ok(people)
}
