//! Settings in words: what people write to change one, and the values behind buttons.
//!
//! Invariant: plain words count only when they can mean nothing else; what merely could be a wish (a place where
//! somebody is) is offered. Languages and tones come from tables, so that no words of a person get into a prompt as
//! instructions.

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

/// The value of a setting, as a person writes it.
fn wish(setting: Setting, value: &str) -> Wish {
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

/// What a sentence asks for beyond doubt.
pub(super) fn said(text: &str) -> Option<Wish> {
    const WHOLE_CHARS_MAX: usize = 80;
    let text = text.trim().trim_end_matches(['.', '!']).trim();
    if text.chars().count() > WHOLE_CHARS_MAX || text.contains('\n') {
        return None;
    }
    let text = text.replace('’', "'");
    let (kind, value) = wordings(&text)?;
    match kind {
        Certainty::Wants(Setting::Zone) => Some(wish(Setting::Zone, value)),
        Certainty::Wants(setting) => Some(wish(setting, value)).filter(|wish| matches!(wish, Wish::Change(_))),
        Certainty::IsIn | Certainty::States => match (zone_of(value), kind) {
            (Place::Zone(zone), Certainty::IsIn) => Some(Wish::Offer(zone)),
            (Place::Zone(zone), Certainty::States | Certainty::Wants(_)) => Some(Wish::Change(UserChange::Zone(zone))),
            (Place::Perhaps(_), _) => None,
        },
    }
}

/// How sure a sentence is.
#[derive(Debug, Clone, Copy)]
enum Certainty {
    /// Asks for it.
    Wants(Setting),
    /// States the zone: counts when it is one.
    States,
    /// Says where the person is.
    IsIn,
}

/// The setting that the words are about, and its value. Each row: one of each list in turn, then the value.
fn wordings(text: &str) -> Option<(Certainty, &str)> {
    const PLEASE: &[&str] = &["please ", ""];
    const CHANGE: &[&str] = &["set ", "change ", "switch "];
    const TURN_OFF: &[&str] = &["turn off ", "switch off "];
    const OWN: &[&str] = &["my ", "the "];
    const BRIEFING: &[&str] = &["morning briefing"];
    let after = |rows: &[&[&str]]| behind(text, rows).filter(|value| !value.is_empty());
    let all = |rows: &[&[&str]]| behind(text, rows).filter(|rest| rest.is_empty()).map(|_| "off");
    let word = |rows: &[&[&str]]| after(rows).filter(|value| !value.contains(char::is_whitespace));
    let zone = after(&[&["my timezone is ", "my time zone is "], &["now ", ""]]);
    let here =
        after(&[&["i'm in ", "i am in "]]).and_then(|rest| without_end(rest, " now")).filter(|at| !at.is_empty());
    let rows = [
        (Certainty::States, zone),
        (Certainty::Wants(Setting::Zone), after(&[PLEASE, CHANGE, &["my timezone to ", "my time zone to "]])),
        (Certainty::IsIn, after(&[&["i'm now in ", "i am now in "]]).or(here)),
        (Certainty::Wants(Setting::Quiet), quiet_hours(text)),
        (
            Certainty::Wants(Setting::Quiet),
            all(&[&["no quiet hours", "no more quiet hours"], &[" please", ""]])
                .or_else(|| all(&[PLEASE, TURN_OFF, &["my ", "the ", ""], &["quiet hours"]]))
                .or_else(|| all(&[&["quiet hours off"]])),
        ),
        (Certainty::Wants(Setting::Briefing), briefing(text)),
        (Certainty::Wants(Setting::Hour), reminding(text)),
        (Certainty::Wants(Setting::Briefing), all(&[PLEASE, TURN_OFF, OWN, &["morning briefing", "briefing"]])),
        (Certainty::Wants(Setting::Language), word(&[PLEASE, CHANGE, &["my language to ", "your language to "]])),
        (Certainty::Wants(Setting::Tone), word(&[PLEASE, CHANGE, &["my tone to ", "your tone to ", "the tone to "]])),
    ];
    return rows.into_iter().find_map(|(said, value)| Some((said, value?)));

    fn quiet_hours(text: &str) -> Option<&str> {
        let asks: &[&str] = &["set ", "make ", "i want ", "i'd like ", ""];
        let value = behind(text, &[PLEASE, asks, &["my ", ""], &["quiet hours"], &[" to", " are", ":", ""], &[" "]])?;
        let hours = behind(value, &[&["from ", ""]])?.to_lowercase();
        let borders = [" to ", " until ", " till ", "-", "–"];
        let (from, to) = borders.iter().find_map(|border| hours.split_once(border))?;
        (is_clock(from) && is_clock(to)).then_some(value)
    }

    fn reminding(text: &str) -> Option<&str> {
        let hour: &[&str] = &["reminder hour", "reminding hour", "hour for reminders", "hour of reminders"];
        let value =
            behind(text, &[PLEASE, &["set ", "change ", ""], &["my ", "the ", ""], hour, &[" to ", " is ", " "]]);
        value.filter(|value| is_clock(value))
    }

    fn briefing(text: &str) -> Option<&str> {
        let every: &[&str] = &[" every day", " every morning", " daily", ""];
        let sent =
            behind(text, &[PLEASE, &["send me ", "give me "], &["a ", "my ", "the "], &["daily ", ""], BRIEFING]);
        let sent = sent.and_then(|rest| behind(rest, &[every, &[" at "]]));
        let moved = || behind(text, &[PLEASE, &["set ", "move ", "change "], OWN, BRIEFING, &[" to "]]);
        sent.or_else(moved).filter(|value| is_clock(value))
    }

    fn is_clock(text: &str) -> bool {
        !text.is_empty()
            && text.chars().all(|c| c.is_numeric() || matches!(c, ':' | '.' | ' ' | 'a' | 'p' | 'm' | 'A' | 'P' | 'M'))
    }
}

/// What follows one beginning of each list in turn, whatever the case.
fn behind<'t>(text: &'t str, rows: &[&[&str]]) -> Option<&'t str> {
    rows.iter().try_fold(text, |rest, row| {
        row.iter().find_map(|beginning| {
            let (head, behind) = rest.split_at_checked(beginning.len())?;
            head.eq_ignore_ascii_case(beginning).then_some(behind)
        })
    })
}

fn without_end<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    let (head, tail) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    tail.eq_ignore_ascii_case(end).then_some(head)
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
