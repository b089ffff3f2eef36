//! The console's lines: one JSON object each, as `console --json` and `control.sock` speak them.
//!
//! Invariant: words leave through the functions that make an [`Out`]; there, whoever wrote them, nothing in them can
//! hide, and what stands in a frame has its gutter.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use brain_core::core::button::Button;
use brain_core::core::ids::{MessageId, PendingId};
use brain_core::core::markup::{Formatted, Span};
use brain_core::core::text::visible;
use brain_core::core::turn::{Done, Edit, KeptFile, NumberedSource, Reply};
use brain_core::limits::FILE_NAME_BYTES_MAX;

/// The longest line that is read.
pub const LINE_BYTES_MAX: usize = 1024 * 1024;

/// A line in. Exactly one of `text`, `press` and `now`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsoleLine {
    /// Written by the person.
    pub text: Option<String>,
    /// Data of a pressed button.
    pub press: Option<String>,
    /// Moves a clock that stands still.
    pub now: Option<DateTime<Utc>>,
    /// Who; the console's own user when left out.
    pub user: Option<String>,
    /// The message this one replies to.
    pub reply_to: Option<i64>,
    /// The words that it quotes of that.
    pub quote: Option<String>,
    /// Files that come with `text`, which may then be empty: each was handed over before, and is kept for the user.
    #[serde(default)]
    pub files: Vec<KeptFile>,
}

/// What a line asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum ConsoleRequest {
    /// A message.
    Text {
        /// As typed.
        text: String,
        /// What it replies to.
        reply_to: Option<MessageId>,
        /// What it quotes of that.
        quote: Option<String>,
        /// What comes with it.
        files: Vec<KeptFile>,
    },
    /// A press.
    Press(String),
    /// A later time.
    Now(DateTime<Utc>),
}

impl ConsoleLine {
    /// Reads a line; the error is for whoever wrote it.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.len() > LINE_BYTES_MAX {
            return Err(format!("the line is longer than {LINE_BYTES_MAX} bytes"));
        }
        // serde would take a list of the fields' values as well.
        if !text.trim_start().starts_with('{') {
            return Err("the line is not what I read: it is no JSON object".to_owned());
        }
        serde_json::from_str(text).map_err(|cause| format!("the line is not what I read: {cause}"))
    }

    /// What it asks for.
    pub fn asked(&self) -> Result<ConsoleRequest, String> {
        let is_long = |file: &KeptFile| file.name.len().max(file.kind.len()) > FILE_NAME_BYTES_MAX;
        if self.files.iter().any(is_long) {
            return Err(format!("the name or kind of a file is longer than {FILE_NAME_BYTES_MAX} bytes"));
        }
        match (&self.text, &self.press, self.now) {
            (Some(text), None, None) => Ok(ConsoleRequest::Text {
                text: text.clone(),
                reply_to: self.reply_to.map(MessageId),
                quote: self.quote.clone(),
                files: self.files.clone(),
            }),
            _ if !self.files.is_empty() => Err("files come with text only".to_owned()),
            (None, Some(data), None) => Ok(ConsoleRequest::Press(data.clone())),
            (None, None, Some(now)) => Ok(ConsoleRequest::Now(now)),
            (None, None, None) => Err("the line needs one of text, press and now".to_owned()),
            _ => Err("the line may hold only one of text, press and now".to_owned()),
        }
    }
}

/// A line out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Out {
    /// Something is being worked on.
    Typing {
        /// The id of the person in whose chat it is.
        user: String,
    },
    /// What is being worked on.
    Status {
        /// The id of the person in whose chat it is.
        user: String,
        /// What the turn is doing, in words.
        text: String,
    },
    /// The answer as far as it is written, for whoever shows it; a message, an edit or `done` replaces it.
    Draft {
        /// The id of the person in whose chat it is.
        user: String,
        /// All that there is of it yet, as plain text.
        text: String,
    },
    /// A new message.
    Message {
        /// The id of the person in whose chat it is.
        user: String,
        /// What a later edit or a reply refers to.
        id: i64,
        /// Plain text, as shown.
        text: String,
        /// Rows of buttons, top to bottom; empty: none.
        buttons: Vec<Vec<Button>>,
        /// The card it is.
        pending: Option<PendingId>,
        /// What it rests on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<NumberedSource>,
        /// The name of a file that it hands over, in the folder that its text names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// A change of an older message.
    Edit {
        /// The id of the person in whose chat it is.
        user: String,
        /// The number of the message that changes.
        id: i64,
        /// New words; left out when they stay.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// New buttons.
        buttons: Vec<Vec<Button>>,
    },
    /// A line that could not be used.
    Error {
        /// The id of the person whose line failed.
        user: String,
        /// What went wrong, for a person.
        error: String,
    },
    /// The end of what a line asked for.
    Done {
        /// The id of the person whose turn ended.
        user: String,
        /// How it ended.
        #[serde(flatten)]
        done: Done,
    },
}

impl Out {
    /// A message as a line; `file` is what was written for it.
    pub fn message(user: &str, id: MessageId, reply: &Reply, file: Option<String>) -> Self {
        Self::Message {
            user: user.to_owned(),
            id: id.0,
            text: plain(&reply.text, &reply.spans),
            buttons: labelled(&reply.buttons),
            pending: reply.card.as_ref().map(|card| card.pending.clone()),
            sources: reply
                .sources
                .iter()
                .map(|source| NumberedSource { title: visible(&source.title), ..source.clone() })
                .collect(),
            file,
        }
    }

    /// An edit as a line.
    pub fn edit(user: &str, edit: &Edit) -> Self {
        let text = edit.text.as_ref().map(|text| plain(text, &edit.spans));
        Self::Edit { user: user.to_owned(), id: edit.message.0, text, buttons: labelled(&edit.buttons) }
    }

    /// What is being worked on, as a line.
    pub fn status(user: &str, text: &str) -> Self {
        Self::Status { user: user.to_owned(), text: visible(text) }
    }

    /// An answer as far as it is written, as a line.
    pub fn draft(user: &str, words: &Formatted) -> Self {
        Self::Draft { user: user.to_owned(), text: plain(&words.text, &words.spans) }
    }

    /// Why a line could not be used, as a line.
    pub fn error(user: &str, error: &str) -> Self {
        Self::Error { user: user.to_owned(), error: visible(error) }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_else(|cause| json!({"type": "error", "error": cause.to_string()}))
    }
}

/// Words as plain text: what is hidden in them is shown, and quotes have their gutter.
fn plain(text: &str, spans: &[Span]) -> String {
    Formatted { text: text.to_owned(), spans: spans.to_vec() }.visible().with_gutters()
}

fn labelled(rows: &[Vec<Button>]) -> Vec<Vec<Button>> {
    let label = |button: &Button| Button { text: visible(&button.text), ..button.clone() };
    rows.iter().map(|row| row.iter().map(label).collect()).collect()
}
