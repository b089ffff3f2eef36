//! The methods of the Bot API, apart from `getUpdates`: checks and refusals in Telegram's own words.

use serde_json::{Value, json};

use super::check;
use super::request::{Params, bytes_of, flag, int, nested, text};
use super::state::{Answer, Refusal, State, bot_json, unix_s};

const METHODS: [&str; 19] = [
    "getMe",
    "getUpdates",
    "sendMessage",
    "sendMessageDraft",
    "sendDocument",
    "editMessageText",
    "editMessageReplyMarkup",
    "deleteMessage",
    "sendChatAction",
    "answerCallbackQuery",
    "setMyCommands",
    "getMyCommands",
    "deleteMyCommands",
    "setWebhook",
    "deleteWebhook",
    "getWebhookInfo",
    "getChat",
    "getFile",
    "logOut",
];

/// Telegram's spelling of a method; methods are matched without case.
pub fn canonical(name: &str) -> Option<&'static str> {
    METHODS.into_iter().find(|method| method.eq_ignore_ascii_case(name))
}

pub fn perform(state: &mut State, method: &str, params: &Params) -> Answer {
    match method {
        "getMe" => Ok(get_me()),
        "sendMessage" => send_message(state, params),
        "sendMessageDraft" => send_draft(state, params),
        "sendDocument" => send_document(state, params),
        "editMessageText" => edit_text(state, params),
        "editMessageReplyMarkup" => edit_markup(state, params),
        "deleteMessage" => delete_message(state, params),
        "sendChatAction" => chat_action(state, params),
        "answerCallbackQuery" => answer_callback(state, params),
        "setMyCommands" => set_commands(state, params),
        "getMyCommands" => Ok(state.commands.get(&command_scope(params)).cloned().unwrap_or(json!([]))),
        "deleteMyCommands" => {
            state.commands.remove(&command_scope(params));
            Ok(json!(true))
        }
        "setWebhook" => set_webhook(state, params),
        "deleteWebhook" => {
            state.webhook = None;
            drop_pending(state, params);
            Ok(json!(true))
        }
        "getWebhookInfo" => Ok(json!({
            "url": state.webhook.as_ref().map_or("", |hook| text(hook, "url")),
            "has_custom_certificate": false,
            "pending_update_count": state.queue.len(),
        })),
        "getChat" => get_chat(state, params),
        "getFile" => get_file(state, params),
        "logOut" => Ok(json!(true)),
        _ => Err(Refusal::new(404, "Not Found")),
    }
}

fn get_me() -> Value {
    let mut me = bot_json();
    for field in ["can_join_groups", "can_read_all_group_messages"] {
        me[field] = json!(true);
    }
    for field in ["supports_inline_queries", "can_connect_to_business", "has_main_web_app"] {
        me[field] = json!(false);
    }
    me
}

/// The chat a call is about; a bot may only write where somebody has written to it.
fn known_chat(state: &State, params: &Params) -> Result<i64, Refusal> {
    if params.get("chat_id").is_none_or(|id| id == "") {
        return Err(Refusal::bad("chat_id is empty"));
    }
    int(params, "chat_id").filter(|id| state.chats.contains_key(id)).ok_or_else(|| Refusal::bad("chat not found"))
}

fn send_message(state: &mut State, params: &Params) -> Answer {
    let chat = known_chat(state, params)?;
    let body = text(params, "text");
    check::text(body, "message is too long")?;
    let mut message = json!({"from": bot_json(), "date": unix_s(), "text": body});
    let entities = check::entities(body, params)?;
    let markup = check::markup(params)?;
    if let Some(replied) = check::reply_target(state, chat, params)? {
        message["reply_to_message"] = replied;
    }
    set_if_any(&mut message, "entities", entities);
    set_if_any(&mut message, "reply_markup", markup);
    Ok(state.add_message(chat, true, message))
}

/// A preview in a private chat; nothing stays of it, so the log of calls is all there is to look at.
fn send_draft(state: &State, params: &Params) -> Answer {
    let chat = known_chat(state, params)?;
    if chat < 0 {
        return Err(Refusal::bad("TEXTDRAFT_PEER_INVALID"));
    }
    if int(params, "draft_id").unwrap_or(0) == 0 {
        return Err(Refusal::bad("draft_id must be non-zero"));
    }
    let body = text(params, "text");
    check::text(body, "message is too long")?;
    check::entities(body, params)?;
    Ok(json!(true))
}

/// A file given in the call itself.
fn send_document(state: &mut State, params: &Params) -> Answer {
    let chat = known_chat(state, params)?;
    let file = &params.get("document").cloned().unwrap_or_default();
    let Some(content) = file["content"].as_str() else {
        return Err(Refusal::bad("there is no document in the request"));
    };
    let caption = text(params, "caption");
    if check::utf16_len(caption) > 1_024 {
        return Err(Refusal::bad("message caption is too long"));
    }
    let id = format!("document{}", state.files.len());
    let document = json!({
        "file_id": id, "file_unique_id": format!("u{id}"), "file_name": file["file_name"],
        "mime_type": file["mime_type"], "file_size": content.chars().count(),
    });
    state.files.insert(id, bytes_of(content));
    let mut message = json!({"from": bot_json(), "date": unix_s(), "caption": caption, "document": document});
    set_if_any(&mut message, "reply_markup", check::markup(params)?);
    Ok(state.add_message(chat, true, message))
}

fn set_if_any(message: &mut Value, field: &str, value: Value) {
    if let Some(object) = message.as_object_mut() {
        object.remove(field);
        if !value.is_null() {
            object.insert(field.to_owned(), value);
        }
    }
}

/// The bot's own message that an edit is about.
fn editable(state: &State, params: &Params) -> Result<(i64, i64), Refusal> {
    if params.contains_key("inline_message_id") {
        return Err(Refusal::bad("message to edit not found"));
    }
    let chat = known_chat(state, params)?;
    let id = int(params, "message_id").ok_or_else(|| Refusal::bad("message identifier is not specified"))?;
    match state.message(chat, id) {
        None => Err(Refusal::bad("message to edit not found")),
        Some(message) if !message.by_bot => Err(Refusal::bad("message can't be edited")),
        Some(_) => Ok((chat, id)),
    }
}

fn edit_text(state: &mut State, params: &Params) -> Answer {
    let target = editable(state, params)?;
    let body = text(params, "text");
    check::text(body, "MESSAGE_TOO_LONG")?;
    let entities = check::entities(body, params)?;
    let markup = check::markup(params)?;
    edit(state, target, |json| {
        json["text"] = json!(body);
        set_if_any(json, "entities", entities);
        set_if_any(json, "reply_markup", markup);
    })
}

fn edit_markup(state: &mut State, params: &Params) -> Answer {
    let target = editable(state, params)?;
    let markup = check::markup(params)?;
    edit(state, target, |json| set_if_any(json, "reply_markup", markup))
}

fn edit(state: &mut State, (chat, id): (i64, i64), change: impl FnOnce(&mut Value)) -> Answer {
    let message = state.message_mut(chat, id).ok_or_else(|| Refusal::bad("message to edit not found"))?;
    let before = message.json.clone();
    let mut after = before.clone();
    change(&mut after);
    if after == before {
        let why = "specified new message content and reply markup are exactly the same as a current content \
                   and reply markup of the message";
        return Err(Refusal::bad(format!("message is not modified: {why}")));
    }
    after["edit_date"] = json!(unix_s());
    message.before_edits.push(before);
    message.edited_at.push(std::time::Instant::now());
    message.json = after.clone();
    Ok(after)
}

fn delete_message(state: &mut State, params: &Params) -> Answer {
    let chat = known_chat(state, params)?;
    let id = int(params, "message_id").ok_or_else(|| Refusal::bad("message identifier is not specified"))?;
    let message = state.message_mut(chat, id).ok_or_else(|| Refusal::bad("message to delete not found"))?;
    message.deleted = true;
    Ok(json!(true))
}

fn chat_action(state: &State, params: &Params) -> Answer {
    const ACTIONS: [&str; 11] = [
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    ];
    known_chat(state, params)?;
    if !ACTIONS.contains(&text(params, "action")) {
        return Err(Refusal::bad("wrong parameter action in request"));
    }
    Ok(json!(true))
}

fn answer_callback(state: &mut State, params: &Params) -> Answer {
    if check::utf16_len(text(params, "text")) > 200 {
        return Err(Refusal::bad("MESSAGE_TOO_LONG"));
    }
    let Some(answer) = state.callbacks.get_mut(text(params, "callback_query_id")) else {
        return Err(Refusal::bad("query is too old and response timeout expired or query id is invalid"));
    };
    // The first answer is the one a person sees.
    answer.get_or_insert_with(|| params.clone());
    Ok(json!(true))
}

fn command_scope(params: &Params) -> String {
    let scope = nested(params, "scope").unwrap_or_default();
    format!("{} {}", scope, text(params, "language_code"))
}

fn set_commands(state: &mut State, params: &Params) -> Answer {
    let commands = nested(params, "commands").unwrap_or_default();
    let list = commands.as_array().ok_or_else(|| Refusal::bad("can't parse commands JSON object"))?;
    if list.len() > 100 {
        return Err(Refusal::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    for command in list {
        let name = command["command"].as_str().unwrap_or_default();
        let description = command["description"].as_str().unwrap_or_default();
        let name_fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !(1..=32).contains(&name.len()) || !name.chars().all(name_fits) {
            return Err(Refusal::bad("BOT_COMMAND_INVALID"));
        }
        if !(1..=256).contains(&check::utf16_len(description)) {
            return Err(Refusal::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
        }
    }
    state.commands.insert(command_scope(params), commands.clone());
    Ok(json!(true))
}

fn set_webhook(state: &mut State, params: &Params) -> Answer {
    let url = text(params, "url");
    // The real one insists on HTTPS; a test has none to offer, so loopback is let through.
    if !(url.is_empty() || url.starts_with("https://") || url.starts_with("http://127.0.0.1")) {
        return Err(Refusal::bad("bad webhook: HTTPS url must be provided for webhook"));
    }
    drop_pending(state, params);
    state.webhook = (!url.is_empty()).then(|| params.clone());
    Ok(json!(true))
}

fn drop_pending(state: &mut State, params: &Params) {
    if flag(params, "drop_pending_updates") {
        state.queue.clear();
    }
}

fn get_chat(state: &State, params: &Params) -> Answer {
    let id = known_chat(state, params)?;
    let mut chat = state.chats[&id].json.clone();
    chat["accent_color_id"] = json!(0);
    chat["max_reaction_count"] = json!(11);
    chat["accepted_gift_types"] = json!({
        "unlimited_gifts": true, "limited_gifts": true, "unique_gifts": true, "premium_subscription": true,
    });
    Ok(chat)
}

fn get_file(state: &State, params: &Params) -> Answer {
    let id = text(params, "file_id");
    let bytes =
        state.files.get(id).ok_or_else(|| Refusal::bad("wrong file_id or the file is temporarily unavailable"))?;
    Ok(
        json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_size": bytes.len(), "file_path": format!("files/{id}")}),
    )
}
