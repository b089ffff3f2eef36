//! What a model made of a message when it was routed in steps.

use serde::Deserialize;

/// What a message is, as a model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    Order,
    Question,
    Remark,
}

/// One command that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedCommand {
    pub service: String,
    pub command: String,
    /// The words of the message that it covers.
    pub words: String,
}

/// What a model made of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub said: Said,
    /// In the order in which they were asked for.
    pub commands: Vec<SelectedCommand>,
}
