//! From parameters to what is kept, and from what is kept to short lines.

use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Attempt;
use crate::services::contract::show::Moment;
use brain_core::core::text::{shorten, visible};
use brain_core::limits::TITLE_CHARS_MAX;

/// Characters of an id made from an attempt's key.
const ID_CHARS: usize = 14;
/// Longest text inside a sentence or on a choice.
pub(in crate::services) const BRIEF_CHARS: usize = 80;

/// The id of what an attempt makes: the same for every try.
pub(in crate::services) fn new_id(attempt: &Attempt) -> String {
    attempt.key.chars().filter(char::is_ascii_alphanumeric).take(ID_CHARS).collect()
}

/// A text as it is kept: no control characters but line feeds and tabs, no white space around it.
pub(in crate::services) fn clean(text: &str) -> String {
    let kept: String =
        text.replace("\r\n", "\n").chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    kept.trim().to_owned()
}

/// A title: one line, neither empty nor endless.
pub(in crate::services) fn title(text: &str, noun: &str) -> Result<String, ServiceError> {
    let title = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return Err(ServiceError::Refused(format!("The {noun} needs a name; nothing was written.")));
    }
    if title.chars().count() > TITLE_CHARS_MAX {
        return Err(ServiceError::Refused(format!(
            "That name is longer than {TITLE_CHARS_MAX} characters; nothing was written. Put the rest into the details."
        )));
    }
    Ok(title)
}

/// A text that is there and not blank, cleaned.
pub(in crate::services) fn filled(text: Option<&str>) -> Option<String> {
    text.map(clean).filter(|text| !text.is_empty())
}

/// The texts of a list that are not blank, cleaned.
pub(in crate::services) fn filled_all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| clean(text)).filter(|text| !text.is_empty()).collect()
}

/// A text for one line of a message or a prompt.
pub(in crate::services) fn brief(text: &str) -> String {
    visible(&shorten(&text.replace('\n', " "), BRIEF_CHARS))
}

/// A time as prompts hold it: `Tue 2026-01-13 17:00`.
pub(in crate::services) fn stamp(moment: Moment, ctx: &RequestContext) -> String {
    match moment {
        Moment::Instant(at) => at.with_timezone(&ctx.zone).format("%a %Y-%m-%d %H:%M").to_string(),
        Moment::Day(day) => day.format("%a %Y-%m-%d").to_string(),
    }
}
