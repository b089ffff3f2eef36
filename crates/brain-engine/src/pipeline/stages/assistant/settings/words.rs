//! Settings in words: the values that people write, and those behind buttons.
//!
//! Invariant: what merely could be a wish (a place where somebody is) is offered. Languages and tones come from tables,
//! so that no words of a person get into a prompt as instructions.

use chrono::NaiveTime;
use chrono_tz::Tz;

use super::Setting;
use crate::pipeline::commit::user::UserChange;
use brain_core::core::settings::{Quiet, Settings, Tone};
use brain_core::core::text::{shorten, visible};
use brain_language::language::places::{Place, zone_of};
use brain_language::language::words::fold;

/// What somebody wants of their settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// This.
    Change(UserChange),
    /// To see what there is to choose from.
    Look(Setting),
    /// Perhaps this zone; they are asked.
    Offer(Tz),
    /// Something that was not understood: what to say, and zones that may be meant.
    Unclear {
        /// The reason, in words for the person.
        why: String,
        /// Suggestions.
        zones: Vec<Tz>,
    },
}

/// Languages: tag, English name, own name. The first ones get buttons.
pub(super) const LANGUAGES: [(&str, &str, &str); 32] = [
    ("en", "English", "English"),
    ("de", "German", "Deutsch"),
    ("es", "Spanish", "Español"),
    ("fr", "French", "Français"),
    ("it", "Italian", "Italiano"),
    ("pt", "Portuguese", "Português"),
    ("ru", "Russian", "Русский"),
    ("nl", "Dutch", "Nederlands"),
    ("pl", "Polish", "Polski"),
    ("uk", "Ukrainian", "Українська"),
    ("cs", "Czech", "Čeština"),
    ("sk", "Slovak", "Slovenčina"),
    ("hu", "Hungarian", "Magyar"),
    ("ro", "Romanian", "Română"),
    ("bg", "Bulgarian", "Български"),
    ("el", "Greek", "Ελληνικά"),
    ("tr", "Turkish", "Türkçe"),
    ("sv", "Swedish", "Svenska"),
    ("da", "Danish", "Dansk"),
    ("nb", "Norwegian", "Norsk"),
    ("fi", "Finnish", "Suomi"),
    ("ar", "Arabic", "العربية"),
    ("he", "Hebrew", "עברית"),
    ("fa", "Persian", "فارسی"),
    ("hi", "Hindi", "हिन्दी"),
    ("id", "Indonesian", "Bahasa Indonesia"),
    ("vi", "Vietnamese", "Tiếng Việt"),
    ("th", "Thai", "ไทย"),
    ("ja", "Japanese", "日本語"),
    ("ko", "Korean", "한국어"),
    ("zh", "Chinese", "中文"),
    ("sr", "Serbian", "Српски"),
];

/// The English name of a language.
pub fn language_name(tag: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|(known, _, _)| *known == tag).map(|(_, name, _)| *name)
}

pub(super) fn tone_name(tone: Tone) -> &'static str {
    match tone {
        Tone::Warm => "warm",
        Tone::Brief => "brief",
        Tone::Formal => "formal",
    }
}

/// Lines for prompts: how to speak. Empty when nothing was chosen.
pub(super) fn manner(settings: &Settings) -> String {
    let language = settings.language.as_deref().and_then(language_name);
    let language = language.map(|name| format!("Their language: {name}; write to them in it, whatever they write in."));
    let tone = match settings.tone {
        Tone::Warm => None,
        Tone::Brief => Some("Their tone: as few words as possible.".to_owned()),
        Tone::Formal => Some("Their tone: polite and reserved, no emoji.".to_owned()),
    };
    language.into_iter().chain(tone).collect::<Vec<_>>().join("\n")
}

/// The setting a button or a person names.
pub(super) fn setting(name: &str) -> Option<Setting> {
    match name {
        "zone" | "timezone" | "tz" => Some(Setting::Zone),
        "language" | "lang" => Some(Setting::Language),
        "tone" => Some(Setting::Tone),
        "quiet" => Some(Setting::Quiet),
        "briefing" | "morning" => Some(Setting::Briefing),
        "hour" | "reminders" => Some(Setting::Hour),
        _ => None,
    }
}

/// What the value of a button means. It comes from outside, like every press.
pub(super) fn chosen(setting: Setting, value: &str) -> Option<UserChange> {
    match setting {
        Setting::Zone => value.parse().ok().map(UserChange::Zone),
        Setting::Language | Setting::Tone | Setting::Quiet | Setting::Briefing | Setting::Hour => {
            match wish(setting, value) {
                Wish::Change(change) => Some(change),
                Wish::Look(_) | Wish::Offer(_) | Wish::Unclear { .. } => None,
            }
        }
    }
}

/// What `/settings …` asks for.
pub(super) fn command(rest: &str) -> Wish {
    let folded = fold(rest);
    let rest = ["time zone", "quiet hours", "morning briefing"].iter().zip(["zone", "quiet", "briefing"]).fold(
        rest.to_owned(),
        |rest, (long, short)| match folded.strip_prefix(long) {
            Some(value) => format!("{short}{}", rest.get(rest.len() - value.len()..).unwrap_or_default()),
            None => rest,
        },
    );
    let (name, value) = rest.split_once([' ', ':', '=']).unwrap_or((&rest, ""));
    match (setting(&fold(name)), value.trim()) {
        (Some(setting), "") => Wish::Look(setting),
        (Some(setting), value) => wish(setting, value),
        (None, _) => Wish::Unclear {
            why: "I know these settings: zone, language, tone, quiet, briefing, hour. \
                  For example “/settings tone brief”. Nothing was changed."
                .to_owned(),
            zones: Vec::new(),
        },
    }
}

/// Where somebody is: its zone is offered.
pub(super) fn place(value: &str) -> Wish {
    match zone_of(value) {
        Place::Zone(zone) => Wish::Offer(zone),
        Place::Perhaps(zones) => unknown_zone(value, zones),
    }
}

/// The value of a setting, as a person writes it.
pub(super) fn wish(setting: Setting, value: &str) -> Wish {
    let folded = fold(value.trim().trim_end_matches(['.', '!']));
    let off = ["off", "none", "no", "never"].contains(&folded.as_str());
    let found = match setting {
        Setting::Zone => {
            return match zone_of(value) {
                Place::Zone(zone) => Wish::Change(UserChange::Zone(zone)),
                Place::Perhaps(zones) => unknown_zone(value, zones),
            };
        }
        Setting::Language if ["auto", "default", "any", "mine", "off"].contains(&folded.as_str()) => {
            Some(UserChange::Language(None))
        }
        Setting::Language => language(&folded).map(|tag| UserChange::Language(Some(tag))),
        Setting::Tone => tone(&folded).map(UserChange::Tone),
        Setting::Quiet if off => Some(UserChange::Quiet(None)),
        Setting::Quiet => hours(&folded).map(|hours| UserChange::Quiet(Some(hours))),
        Setting::Briefing if off => Some(UserChange::Briefing(None)),
        Setting::Briefing => {
            clock(folded.strip_prefix("at ").unwrap_or(&folded)).map(|at| UserChange::Briefing(Some(at)))
        }
        Setting::Hour => clock(folded.strip_prefix("at ").unwrap_or(&folded)).map(UserChange::Hour),
    };
    found.map_or_else(|| not_read(setting, value), Wish::Change)
}

fn not_read(setting: Setting, value: &str) -> Wish {
    let how = match setting {
        Setting::Zone | Setting::Language => "I know the bigger ones by name, for example “/settings language German”",
        Setting::Tone => "A tone is warm, brief or formal: “/settings tone brief”",
        Setting::Quiet => "Write when they begin and end: “/settings quiet 22:00-07:00”, or “/settings quiet off”",
        Setting::Briefing => "Write a time: “/settings briefing 7:30”, or “/settings briefing off”",
        Setting::Hour => "Write a time: “/settings hour 8:00”",
    };
    let value = visible(&shorten(value, 40));
    Wish::Unclear { why: format!("I can't read “{value}”. {how}. Nothing was changed."), zones: Vec::new() }
}

fn unknown_zone(value: &str, zones: Vec<Tz>) -> Wish {
    let value = visible(&shorten(value.trim(), 40));
    let why = if zones.is_empty() {
        format!(
            "I don't know a time zone “{value}”. Write a bigger city nearby, or a name like Europe/Lisbon. Nothing was changed."
        )
    } else {
        format!("I don't know a time zone “{value}”. Do you mean one of these? Nothing was changed yet.")
    };
    Wish::Unclear { why, zones }
}

fn language(folded: &str) -> Option<&'static str> {
    let is = |name: &str| fold(name) == folded;
    LANGUAGES.iter().find(|(tag, english, own)| is(tag) || is(english) || is(own)).map(|(tag, _, _)| *tag)
}

fn tone(folded: &str) -> Option<Tone> {
    match folded {
        "warm" | "friendly" | "normal" | "default" => Some(Tone::Warm),
        "brief" | "short" | "concise" => Some(Tone::Brief),
        "formal" | "polite" => Some(Tone::Formal),
        _ => None,
    }
}

/// "22:00-07:00", "from 10pm to 7am", "2200-0700". Hours that could be of either half of the day mean nothing.
fn hours(folded: &str) -> Option<Quiet> {
    let folded = folded.strip_prefix("from ").unwrap_or(folded);
    let (from, to) =
        [" to ", " until ", " till ", "-", "–", "—"].iter().find_map(|border| folded.split_once(border))?;
    let (from, to) = (from.trim(), to.trim());
    let bare = |text: &str| text.len() < 3 && text.parse::<u8>().is_ok_and(|hour| hour <= 12);
    if bare(from) && bare(to) {
        return None;
    }
    let (from, to) = (clock(from)?, clock(to)?);
    (from != to).then_some(Quiet { from, to })
}

/// "7:30", "07.30", "730", "7", "10pm", "7:30 am", "noon", "midnight".
fn clock(text: &str) -> Option<NaiveTime> {
    let text = text.trim();
    match text {
        "noon" | "midday" => return NaiveTime::from_hms_opt(12, 0, 0),
        "midnight" => return NaiveTime::from_hms_opt(0, 0, 0),
        _ => {}
    }
    let (digits, half) = ["am", "a.m.", "pm", "p.m."]
        .iter()
        .find_map(|half| Some((text.strip_suffix(half)?.trim(), half.chars().next())))
        .unwrap_or((text, None));
    let (hour, minute) = match digits.split_once([':', '.']) {
        Some((hour, minute)) if minute.len() == 2 => (hour, minute),
        Some(_) => return None,
        None if digits.len() > 2 && digits.is_ascii() => digits.split_at(digits.len() - 2),
        None => (digits, "0"),
    };
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some('p') => hour % 12 + 12,
        Some(_) => hour % 12,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
