//! The person of an archive: zone and settings, where they have chosen none here. Never their rights.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use super::ImportError;
use super::report::ImportReport;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::user::settings_changed;
use crate::pipeline::stages::assistant::settings::language_name;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::settings::Settings;
use brain_core::ports::records::User;
use brain_core::ports::{Batch, Expect};

const TAKEN: &str = "as in the archive";
const CHOSEN_HERE: &str = "as they were chosen here";

/// The person's record as it is to be.
pub(super) async fn taken_in(
    brain: &Brain,
    owner: &UserId,
    chat: &ChatId,
    told: &Value,
    report: &mut ImportReport,
    batch: &mut Batch,
) -> Result<User, ImportError> {
    let (before, expect) = brain.user_at(owner, chat).await?;
    let mut user = before.clone();
    if expect == Expect::Absent {
        let since = told["since"].as_str().and_then(|since| since.parse::<DateTime<Utc>>().ok());
        user.since = since.filter(|since| *since < user.since).unwrap_or(user.since);
    }
    let zone = told["zone"].as_str().filter(|_| told["zone_chosen"] == true);
    if let Some(zone) = zone.and_then(|zone| zone.parse::<Tz>().ok()).filter(|_| before.zone.is_none()) {
        (user.zone, user.zone_named) = (Some(zone), true);
    }
    match serde_json::from_value::<Settings>(told["settings"].clone()) {
        Ok(settings) if before.settings == Settings::default() => {
            let language = settings.language.clone().filter(|tag| language_name(tag).is_some());
            user.settings = Settings { language, ..settings };
        }
        Ok(_) => {}
        Err(_) if told["settings"].is_null() => {}
        Err(error) => report.unread("settings", vec![error.to_string()]),
    }
    let is_wanted = user != before || expect == Expect::Absent;
    if !told["settings"].is_null() {
        report.settings = Some(if is_wanted { TAKEN } else { CHOSEN_HERE });
    }
    if is_wanted {
        let follows = settings_changed(brain, &before, &user).await?;
        batch.put(&user, expect)?.extend(follows.changes);
    }
    Ok(user)
}
