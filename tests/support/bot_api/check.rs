//! What Telegram insists on in texts, entities and keyboards.

use serde_json::{Value, json};

use super::request::{Params, int, nested, text as param_text};
use super::state::{Refusal, State};

pub fn utf16_len(text: &str) -> usize {
    text.encode_utf16().count()
}

/// 1–4,096 UTF-16 units, not blank.
pub fn text(text: &str, too_long: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::bad("message text is empty"));
    }
    if utf16_len(text) > 4_096 {
        return Err(Refusal::bad(too_long));
    }
    Ok(())
}

const ENTITY_TYPES: [&str; 20] = [
    "mention",
    "hashtag",
    "cashtag",
    "bot_command",
    "url",
    "email",
    "phone_number",
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "blockquote",
    "expandable_blockquote",
    "code",
    "pre",
    "text_link",
    "text_mention",
    "custom_emoji",
    "date_time",
];

/// The entities of a call, each within the text and on character borders; `Null` when there are none.
pub fn entities(text: &str, params: &Params) -> Result<Value, Refusal> {
    let bad = |why: String| Refusal::bad(format!("can't parse entities: {why}"));
    if !param_text(params, "parse_mode").is_empty() {
        return Err(bad("this server knows entities only, no parse_mode".to_owned()));
    }
    let entities = nested(params, "entities").ok_or_else(|| bad("not JSON".to_owned()))?;
    let Some(list) = entities.as_array() else {
        return if entities.is_null() { Ok(Value::Null) } else { Err(bad("not a list".to_owned())) };
    };
    for entity in list {
        let kind = entity["type"].as_str().unwrap_or_default();
        if !ENTITY_TYPES.contains(&kind) {
            return Err(bad(format!("unknown type {kind:?}")));
        }
        if kind == "text_link" && entity["url"].as_str().is_none_or(str::is_empty) {
            return Err(bad("a text_link without url".to_owned()));
        }
        let (offset, length) = (entity["offset"].as_u64(), entity["length"].as_u64());
        let (Some(offset), Some(length)) = (offset, length.filter(|length| *length > 0)) else {
            return Err(bad(format!("a {kind} without a valid offset and length")));
        };
        if !(is_border(text, offset) && is_border(text, offset + length)) {
            let end = offset + length;
            return Err(bad(format!(
                "entity {kind} at UTF-16 offset {offset} ends at {end}, outside or inside a symbol"
            )));
        }
    }
    nesting(list).map_err(bad)?;
    Ok(if list.is_empty() { Value::Null } else { entities })
}

/// Entities are contained in one another or apart; code holds nothing, quotes hold no quotes, and there are at
/// most a hundred. (The real server drops what is wrong here; a bot should not send it.)
fn nesting(list: &[Value]) -> Result<(), String> {
    if list.len() > 100 {
        return Err(format!("{} entities", list.len()));
    }
    let range = |entity: &Value| {
        let start = entity["offset"].as_u64().unwrap_or(0);
        (start, start + entity["length"].as_u64().unwrap_or(0))
    };
    let kind = |entity: &Value| entity["type"].as_str().unwrap_or_default().to_owned();
    for (index, one) in list.iter().enumerate() {
        for other in &list[index + 1..] {
            let ((a, b), (c, d)) = (range(one), range(other));
            if b <= c || d <= a {
                continue;
            }
            let (outer, inner) = if b - a >= d - c { (one, other) } else { (other, one) };
            let contained = range(outer).0 <= range(inner).0 && range(inner).1 <= range(outer).1;
            let (outer, inner) = (kind(outer), kind(inner));
            let code = |kind: &str| kind == "code" || kind == "pre";
            let quote = |kind: &str| kind.ends_with("blockquote");
            if !contained || code(&outer) || (quote(&outer) && quote(&inner)) || (code(&inner) && !quote(&outer)) {
                return Err(format!("{outer} and {inner} overlap"));
            }
        }
    }
    Ok(())
}

/// Whether a character begins at this UTF-16 offset, or the text ends there.
fn is_border(text: &str, offset: u64) -> bool {
    let mut at = 0;
    let mut borders = text.chars().map(|c| {
        let here = at;
        at += c.len_utf16() as u64;
        here
    });
    borders.any(|here| here == offset) || at == offset
}

/// The inline keyboard of a call; `Null` when there is none.
pub fn markup(params: &Params) -> Result<Value, Refusal> {
    let unreadable = || Refusal::bad("can't parse reply keyboard markup JSON object");
    let markup = nested(params, "reply_markup").ok_or_else(unreadable)?;
    if markup.is_null() {
        return Ok(Value::Null);
    }
    let Some(rows) = markup.get("inline_keyboard") else {
        // Other kinds of markup are taken as they are; they do not belong to the message.
        return if markup.is_object() { Ok(Value::Null) } else { Err(unreadable()) };
    };
    let bad = |why: &str| Refusal::bad(format!("can't parse inline keyboard button: {why}"));
    let rows = rows.as_array().ok_or_else(|| bad("rows must be of type Array"))?;
    let rows = rows.iter().map(|row| row.as_array().ok_or_else(|| bad("row must be of type Array")));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<_> = rows.into_iter().filter(|row| !row.is_empty()).collect();
    rows.iter().copied().flatten().try_for_each(button)?;
    if rows.iter().map(|row| row.len()).sum::<usize>() > 100 {
        return Err(Refusal::bad("REPLY_MARKUP_TOO_LONG"));
    }
    Ok(if rows.is_empty() { Value::Null } else { json!({"inline_keyboard": rows}) })
}

fn button(button: &Value) -> Result<(), Refusal> {
    let bad = |why: &str| Refusal::bad(format!("can't parse inline keyboard button: {why}"));
    if button["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
        return Err(bad("Field \"text\" must be non-empty"));
    }
    if let Some(url) = button.get("url").and_then(Value::as_str) {
        let fits = url.starts_with("http://") || url.starts_with("https://") || url.starts_with("tg://");
        return if fits { Ok(()) } else { Err(Refusal::bad("BUTTON_URL_INVALID")) };
    }
    match button.get("callback_data").and_then(Value::as_str) {
        None => Err(bad("Text buttons are unallowed in the inline keyboard")),
        Some(data) if (1..=64).contains(&data.len()) => Ok(()),
        Some(_) => Err(Refusal::bad("BUTTON_DATA_INVALID")),
    }
}

/// The message a call replies to, if it does and the message is there.
pub fn reply_target(state: &State, chat: i64, params: &Params) -> Result<Option<Value>, Refusal> {
    let reply = nested(params, "reply_parameters").ok_or_else(|| Refusal::bad("can't parse reply parameters"))?;
    let Some(id) = reply["message_id"].as_i64().or_else(|| int(params, "reply_to_message_id")) else {
        return Ok(None);
    };
    let optional = reply["allow_sending_without_reply"].as_bool().unwrap_or(false);
    match state.quoted(chat, id) {
        Some(replied) => Ok(Some(replied)),
        None if optional => Ok(None),
        None => Err(Refusal::bad("message to be replied not found")),
    }
}
