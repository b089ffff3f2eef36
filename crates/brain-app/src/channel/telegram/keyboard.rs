//! Keyboards below a message: its buttons, or the field in which its question is answered.

use teloxide::types::{ForceReply, InlineKeyboardButton, InlineKeyboardMarkup, ReplyMarkup};

use brain_core::core::button::Button;
use brain_core::core::text::visible;
use brain_core::core::turn::Reply;

/// Nothing below most messages.
pub(super) fn below(reply: &Reply) -> Option<ReplyMarkup> {
    if !reply.buttons.is_empty() {
        return Some(keyboard(&reply.buttons).into());
    }
    let example = reply.placeholder.as_deref()?;
    Some(ForceReply::new().input_field_placeholder(example.to_owned()).into())
}

pub(super) fn keyboard(rows: &[Vec<Button>]) -> InlineKeyboardMarkup {
    let button = |button: &Button| InlineKeyboardButton::callback(visible(&button.text), button.data.clone());
    InlineKeyboardMarkup::new(rows.iter().map(|row| row.iter().map(button).collect::<Vec<_>>()))
}
