//! What people choose: zone, language, tone, quiet hours, morning briefing, the hour of reminders; by button, by
//! `/settings`, or by saying so.
//!
//! Not here: how a person's record is changed, and how reminders follow (`commit::user`).

mod page;
mod words;

use chrono_tz::Tz;

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::commit::shown;
use crate::pipeline::commit::user::UserChange;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::{Button, Press};
use brain_core::core::turn::{Path, Reply};
use brain_core::ports::StoreError;
use brain_core::ports::records::User;
use brain_language::language::places::city;
use brain_services::services::assistant::ChangeSettings;
use words::Wish;
pub use words::language_name;

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Where the person's local times are meant.
    Zone,
    /// What models answer in.
    Language,
    /// How models phrase things.
    Tone,
    /// When reminders wait.
    Quiet,
    /// When the morning briefing comes.
    Briefing,
    /// When a day reminds of which no hour was said.
    Hour,
}

/// `/settings`, alone or with what to change.
pub fn command(brain: &Brain, facts: &TurnFacts, rest: &str) -> Answer {
    if rest.is_empty() {
        return page(brain, facts, &facts.user, None, None);
    }
    granted(brain, facts, words::command(rest))
}

/// All of them.
pub(super) fn shown(brain: &Brain, facts: &TurnFacts) -> Answer {
    page(brain, facts, &facts.user, None, None).keeping_question()
}

/// Choices made in plain words: all that can be read are made; what cannot is told.
pub(super) fn asked(brain: &Brain, facts: &TurnFacts, asked: &ChangeSettings) -> Answer {
    let chosen = [
        (Setting::Zone, &asked.zone),
        (Setting::Language, &asked.language),
        (Setting::Tone, &asked.tone),
        (Setting::Quiet, &asked.quiet),
        (Setting::Briefing, &asked.briefing),
        (Setting::Hour, &asked.hour),
    ];
    let chosen = chosen.into_iter().filter_map(|(setting, value)| Some(words::wish(setting, value.as_deref()?)));
    let place = asked.place.iter().map(|place| words::place(place));
    let (mut changes, mut rest) = (Vec::new(), Vec::new());
    for wish in chosen.chain(place) {
        match wish {
            Wish::Change(change) => changes.push(change),
            wish @ (Wish::Look(_) | Wish::Offer(_) | Wish::Unclear { .. }) => rest.push(wish),
        }
    }
    let mut answer = match (changes.is_empty(), rest.is_empty()) {
        (true, false) => Answer::of(Path::Command),
        (true, true) => page(brain, facts, &facts.user, None, None),
        (false, _) => changed(brain, facts, changes),
    };
    answer.replies.extend(rest.into_iter().flat_map(|wish| granted(brain, facts, wish).replies));
    answer.keeping_question()
}

/// A pressed button of a settings page, or of an offer.
pub async fn press(
    brain: &Brain,
    facts: &TurnFacts,
    key: &str,
    value: Option<&str>,
    data: &str,
) -> Result<Answer, StoreError> {
    let Some(mut answer) = pressed(brain, facts, key, value) else {
        return Ok(Answer::says(Path::Button, "I don't know that setting. Nothing was changed."));
    };
    answer.path = Path::Button;
    if let (Some(message), Some(reply)) = (shown::pressed(brain, facts, data).await?, answer.replies.first().cloned()) {
        answer.replies.clear();
        answer.rewrite(message.message, move |shown| {
            (shown.text, shown.buttons, shown.before) = (reply.text.clone(), reply.buttons.clone(), None);
        });
    }
    Ok(answer)
}

fn pressed(brain: &Brain, facts: &TurnFacts, key: &str, value: Option<&str>) -> Option<Answer> {
    if key == "all" {
        return Some(page(brain, facts, &facts.user, None, None));
    }
    let setting = words::setting(key)?;
    match value {
        None => Some(page(brain, facts, &facts.user, Some(setting), None)),
        Some(value) => words::chosen(setting, value).map(|change| changed(brain, facts, vec![change])),
    }
}

fn granted(brain: &Brain, facts: &TurnFacts, wish: Wish) -> Answer {
    match wish {
        Wish::Change(change) => changed(brain, facts, vec![change]),
        Wish::Look(setting) => page(brain, facts, &facts.user, Some(setting), None),
        Wish::Unclear { why, zones } => {
            let button = |zone: &Tz| vec![Button::new(format!("🌍 {}", zone.name()), &page::zone(*zone))];
            Answer { replies: vec![buttoned(why, zones.iter().map(button).collect())], ..Answer::of(Path::Command) }
        }
        Wish::Offer(zone) if zone == facts.ctx.zone => {
            let now = facts.ctx.now.with_timezone(&zone).format("%H:%M");
            Answer::says(Path::Command, format!("It's {now} in {}, and that is your time zone already.", city(zone)))
        }
        Wish::Offer(zone) => {
            let now = facts.ctx.now.with_timezone(&zone).format("%H:%M");
            let ask = format!(
                "It's {now} in {}. Shall I use that as your time zone from now on? It stays {} unless you press this.",
                city(zone),
                facts.ctx.zone.name()
            );
            let button = Button::new(format!("🌍 Use {}", zone.name()), &page::zone(zone));
            Answer { replies: vec![buttoned(ask, vec![vec![button]])], ..Answer::of(Path::Command) }
        }
    }
}

fn buttoned(text: String, buttons: Vec<Vec<Button>>) -> Reply {
    Reply { text, buttons, ..Reply::default() }
}

/// The page as it is after changes, with a line each that says what changed.
fn changed(brain: &Brain, facts: &TurnFacts, changes: Vec<UserChange>) -> Answer {
    let mut user = facts.user.clone();
    let line = |change: &UserChange| {
        let before = user.clone();
        change.apply(&mut user);
        let is_so = user == before;
        if is_so { "That is how it is already.".to_owned() } else { page::told(brain, facts, change) }
    };
    let lines: Vec<String> = changes.iter().map(line).collect();
    let mut answer = page(brain, facts, &user, None, Some(lines.join("\n")));
    answer.user.extend(changes);
    answer
}

fn page(brain: &Brain, facts: &TurnFacts, user: &User, setting: Option<Setting>, line: Option<String>) -> Answer {
    let zone = user.zone.unwrap_or(brain.policy.zone);
    let (text, buttons) = match setting {
        None => page::all(user, zone, facts.ctx.now),
        Some(setting) => page::one(setting, user, zone, facts.ctx.now),
    };
    let text = match line {
        Some(line) => format!("{line}\n\n{text}"),
        None => text,
    };
    Answer { replies: vec![buttoned(text, buttons)], ..Answer::of(Path::Command) }
}

/// A button that shows a page.
fn opens(text: &str, key: &str) -> Button {
    Button::new(text, &Press::Set { key: key.to_owned(), value: None })
}

impl TurnFacts {
    /// How models are to speak to the person, for the changing part of prompts; empty when nothing was chosen.
    pub fn manner(&self) -> String {
        words::manner(&self.user.settings)
    }
}
