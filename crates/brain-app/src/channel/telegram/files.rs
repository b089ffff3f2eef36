//! Files handed to people: `sendDocument`, with the reply's words below the file.
//!
//! Invariant: the same pace, and the same judgement of refusals, as for messages. Words that are too long for a
//! caption go out as a message before the file.

use reqwest::multipart::{Form, Part};
use serde::Deserialize;

use super::api::ApiError;
use super::keyboard::keyboard;
use super::place::ChatPlace;
use super::readdressed::READDRESSED_MAX;
use super::send::{PacedSender, judge};
use brain_core::core::ids::MessageId;
use brain_core::core::text::{one_line, visible};
use brain_core::core::turn::{Attachment, Reply};
use brain_core::limits;
use brain_core::ports::SendError;

#[derive(Debug, Deserialize)]
struct SentFile {
    message_id: i64,
}

impl PacedSender {
    /// Sends a file and returns the number of its message.
    pub(super) async fn post_file(
        &self,
        place: ChatPlace,
        reply: &Reply,
        file: &Attachment,
    ) -> Result<MessageId, SendError> {
        let fits = reply.text.encode_utf16().count() <= limits::CAPTION_UTF16_MAX;
        if !fits {
            Box::pin(self.post(place, &Reply::text(reply.text.clone()))).await?;
        }
        let caption = if fits { visible(&reply.text) } else { String::new() };
        let mut to = self.moves.place(place);
        let mut left = READDRESSED_MAX;
        loop {
            let sent: Result<SentFile, ApiError> = self
                .at_pace(place, || async {
                    let form = form(to, &caption, reply, file)?;
                    self.api.upload("sendDocument", form).await
                })
                .await;
            match sent {
                Ok(sent) => return Ok(MessageId(sent.message_id)),
                Err(error) => {
                    let next = left.checked_sub(1).zip(self.elsewhere(place, to, &error));
                    (left, to) = next.ok_or_else(|| judge(error))?;
                }
            }
        }
    }
}

fn form(place: ChatPlace, caption: &str, reply: &Reply, file: &Attachment) -> Result<Form, ApiError> {
    let unusable = |why: String| ApiError::refused(400, why);
    let part = Part::bytes(file.content.clone()).file_name(one_line(&file.name));
    let part = part.mime_str(&file.mime).map_err(|error| unusable(error.without_url().to_string()))?;
    let mut form = Form::new().text("chat_id", place.chat.to_string()).part("document", part);
    if let Some(topic) = place.thread() {
        form = form.text("message_thread_id", topic.to_string());
    }
    if !caption.is_empty() {
        form = form.text("caption", caption.to_owned());
    }
    if !reply.buttons.is_empty() {
        let markup = serde_json::to_string(&keyboard(&reply.buttons)).map_err(|error| unusable(error.to_string()))?;
        form = form.text("reply_markup", markup);
    }
    Ok(form)
}
