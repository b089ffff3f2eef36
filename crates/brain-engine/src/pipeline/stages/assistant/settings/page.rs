//! How settings look: the page of all, the page of one, and the line after a change.

use chrono::{DateTime, NaiveTime, Utc};
use chrono_tz::Tz;

use super::words::{LANGUAGES, language_name, tone_name};
use super::{Setting, opens};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::user::UserChange;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::{Button, Press};
use brain_core::core::settings::{Quiet, Tone};
use brain_core::ports::records::User;

/// A page: its words and its buttons.
type SettingsPage = (String, Vec<Vec<Button>>);

/// Everything that was chosen.
pub(super) fn all(user: &User, zone: Tz, now: DateTime<Utc>) -> SettingsPage {
    let settings = &user.settings;
    let text = format!(
        "⚙️ Your settings\n\
         🌍 Time zone: {} (it's {} there)\n\
         🗣 Language: {}\n\
         💬 Tone: {}\n\
         🌙 Quiet hours: {}\n\
         ☀️ Morning briefing: {}\n\
         ⏰ Reminders without an hour: {}\n\n\
         Press one to change it, or write for example “/settings zone Paris” or “/settings quiet 22:00-07:00”.",
        zone.name(),
        now.with_timezone(&zone).format("%H:%M"),
        language(settings.language.as_deref()),
        tone_name(settings.tone),
        quiet(settings.quiet),
        briefing(settings.briefing),
        settings.reminding_hour().format("%H:%M"),
    );
    let rows = vec![
        vec![opens("🌍 Time zone", "zone"), opens("🗣 Language", "language")],
        vec![opens("💬 Tone", "tone"), opens("🌙 Quiet hours", "quiet")],
        vec![opens("☀️ Morning briefing", "briefing"), opens("⏰ Reminders", "hour")],
    ];
    (text, rows)
}

/// What there is to choose from.
pub(super) fn one(setting: Setting, user: &User, zone: Tz, now: DateTime<Utc>) -> SettingsPage {
    let settings = &user.settings;
    let (text, mut rows) = match setting {
        Setting::Zone => {
            let time = now.with_timezone(&zone).format("%H:%M");
            let text = format!(
                "🌍 Your time zone is {}; it's {time} there.\nTo change it, write the city or the zone: “/settings zone Lisbon” or “my time zone is Lisbon”.",
                zone.name()
            );
            (text, Vec::new())
        }
        Setting::Language => {
            let current = settings.language.as_deref();
            let mut choices = vec![choice("The one I write in", "language", "auto", current.is_none())];
            choices.extend(
                LANGUAGES[..SHOWN_LANGUAGES]
                    .iter()
                    .map(|(tag, _, own)| choice(own, "language", tag, current == Some(*tag))),
            );
            let text = "🗣 Which language shall I answer in? Others work as well: “/settings language Danish”. \
                        Cards, receipts and commands are in English."
                .to_owned();
            (text, rows_of(choices))
        }
        Setting::Tone => {
            let tones =
                [(Tone::Warm, "Warm", "warm"), (Tone::Brief, "Brief", "brief"), (Tone::Formal, "Formal", "formal")];
            let choices =
                tones.iter().map(|(tone, name, value)| choice(name, "tone", value, settings.tone == *tone)).collect();
            ("💬 How shall I phrase things?".to_owned(), rows_of(choices))
        }
        Setting::Quiet => {
            let hours = [("22:00–07:00", "2200-0700"), ("23:00–07:00", "2300-0700"), ("21:00–08:00", "2100-0800")];
            let mut choices = vec![choice("Off", "quiet", "off", settings.quiet.is_none())];
            choices.extend(hours.map(|(name, value)| choice(name, "quiet", value, quiet(settings.quiet) == name)));
            let text = "🌙 When shall reminders wait? They come when the quiet hours end. \
                        Other hours: “/settings quiet 22:30-06:30”."
                .to_owned();
            (text, rows_of(choices))
        }
        Setting::Briefing => {
            let times = [("07:00", "0700"), ("07:30", "0730"), ("08:00", "0800"), ("09:00", "0900")];
            let mut choices = vec![choice("Off", "briefing", "off", settings.briefing.is_none())];
            choices.extend(
                times.map(|(name, value)| choice(name, "briefing", value, briefing(settings.briefing) == name)),
            );
            let text = "☀️ A look at your day every morning: agenda, tasks, what waits for you. When? \
                        Another time: “/settings briefing 6:45”."
                .to_owned();
            (text, rows_of(choices))
        }
        Setting::Hour => {
            let times = [("07:00", "0700"), ("08:00", "0800"), ("09:00", "0900"), ("10:00", "1000")];
            let current = settings.reminding_hour().format("%H:%M").to_string();
            let choices = times.map(|(name, value)| choice(name, "hour", value, current == name)).to_vec();
            let text = "⏰ At which hour shall I remind you of something that is for a day, without an hour? \
                        What is set already keeps its hour. Another time: “/settings hour 6:45”."
                .to_owned();
            (text, rows_of(choices))
        }
    };
    rows.push(vec![opens("‹ Back", "all")]);
    (text, rows)
}

/// Languages that have a button; the others are written.
const SHOWN_LANGUAGES: usize = 7;

fn rows_of(choices: Vec<Button>) -> Vec<Vec<Button>> {
    choices.chunks(2).map(<[Button]>::to_vec).collect()
}

fn choice(name: &str, key: &str, value: &str, current: bool) -> Button {
    let mark = if current { "✓ " } else { "" };
    Button::new(format!("{mark}{name}"), &Press::Set { key: key.to_owned(), value: Some(value.to_owned()) })
}

/// The press that chooses a zone.
pub(super) fn zone(zone: Tz) -> Press {
    Press::Set { key: "zone".to_owned(), value: Some(zone.name().to_owned()) }
}

/// What a change means, in a line.
pub(super) fn told(brain: &Brain, facts: &TurnFacts, change: &UserChange) -> String {
    match change {
        // `/trace` says what becomes of these.
        UserChange::ZoneNamed | UserChange::Contents(_) => String::new(),
        UserChange::Zone(zone) => format!(
            "🌍 Your time zone is now {}; it's {} there. Reminders for one moment stay at that moment; what repeats keeps its time of day, in the new zone.",
            zone.name(),
            facts.ctx.now.with_timezone(zone).format("%H:%M")
        ),
        UserChange::Language(None) => "🗣 I answer in the language you write in.".to_owned(),
        UserChange::Language(Some(tag)) if brain.model.is_none() => {
            format!("🗣 Noted: {}. Without a language model I can only speak English, though.", language(Some(tag)))
        }
        UserChange::Language(Some(tag)) => {
            format!("🗣 I answer in {} from now on. Cards, receipts and commands stay in English.", language(Some(tag)))
        }
        UserChange::Tone(tone) => format!("💬 My tone is {} from now on.", tone_name(*tone)),
        UserChange::Quiet(None) => "🌙 No quiet hours: reminders come when they are due.".to_owned(),
        UserChange::Quiet(Some(hours)) => {
            format!("🌙 Quiet hours {}: reminders wait until {}.", quiet(Some(*hours)), hours.to.format("%H:%M"))
        }
        UserChange::Briefing(None) => "☀️ No morning briefing.".to_owned(),
        UserChange::Briefing(Some(at)) => {
            format!("☀️ A look at your day comes every morning at {}.", at.format("%H:%M"))
        }
        UserChange::Hour(at) => {
            format!(
                "⏰ What is for a day reminds at {} from now on; what is set already keeps its hour.",
                at.format("%H:%M")
            )
        }
    }
}

fn language(tag: Option<&str>) -> &str {
    tag.map_or("the one you write in", |tag| language_name(tag).unwrap_or(tag))
}

fn quiet(hours: Option<Quiet>) -> String {
    hours.map_or_else(
        || "off".to_owned(),
        |hours| format!("{}–{}", hours.from.format("%H:%M"), hours.to.format("%H:%M")),
    )
}

fn briefing(at: Option<NaiveTime>) -> String {
    at.map_or_else(|| "off".to_owned(), |at| at.format("%H:%M").to_string())
}
