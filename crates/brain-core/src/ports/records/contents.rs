//! Contents of a turn: what each of its nodes got and gave, for whoever runs this to see why it did what it did.
//!
//! The one record for the operator that quotes what was said, so it is kept of few turns, where it is switched on, of
//! whoever agreed to it, and of nobody's words in a group. Invariants: every text is bounded, and all of them together;
//! where something was cut it says so; the key's time and id are those of the turn's [`TurnTrace`](super::TurnTrace).
//! Not here: whose turns are kept, and how many.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{PlannedTurn, ShadowTurn, millis};
use crate::core::ids::{ChatId, UserId};
use crate::core::text::kept_within;
use crate::limits;
use crate::ports::{Key, Record, Table, Usage};

/// What somebody has said about keeping the contents of their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentsChoice {
    /// They are kept, where that is switched on.
    Keep,
    /// They are not.
    Stop,
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnContents {
    /// Whose turn.
    pub owner: UserId,
    /// Their private chat.
    pub chat: ChatId,
    /// The id of the turn.
    pub id: String,
    /// When it began.
    pub at: DateTime<Utc>,
    /// What the person wrote; empty where they pressed a button.
    pub message: String,
    /// In the order in which they began.
    pub nodes: Vec<NodeContents>,
    /// Nodes beyond the most that are kept.
    #[serde(default)]
    pub nodes_left_out: usize,
    /// The texts of the replies, an empty line between them.
    pub answer: String,
    /// What it planned.
    #[serde(default)]
    pub planned: PlannedTurn,
    /// What the second set of models or prompts made of the same message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<Box<ShadowTurn>>,
    /// Something was cut off the message, the answer or a node.
    #[serde(default)]
    pub is_cut: bool,
}

/// What one node got and gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeContents {
    /// The stage or `service.command`.
    pub name: String,
    /// Microseconds after the turn began.
    pub start_us: u64,
    /// How long it took, in microseconds.
    pub us: u64,
    /// What it was given; of a call of a model the part that changes from call to call.
    pub got: String,
    /// What it answered, or came to.
    pub gave: String,
    /// The model that was called, as its endpoint calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What that call came to.
    #[serde(default)]
    pub usage: Usage,
    /// Of a call of a model: bytes of the part that is the same for every call of its stage.
    #[serde(default)]
    pub system_bytes: usize,
    /// The first line of that part.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system_begins: String,
    /// Why it came to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What stands in for the stage's own endpoint answered.
    #[serde(default)]
    pub is_substitute: bool,
    /// Something of its texts was cut off.
    #[serde(default)]
    pub is_cut: bool,
}

impl NodeContents {
    /// A node that got this and gave that, within bounds.
    pub fn of(name: &str, got: &str, gave: &str) -> Self {
        let max = limits::CONTENTS_TEXT_BYTES_MAX;
        let is_cut = got.len() > max || gave.len() > max;
        let (got, gave) = (kept_within(got, max).into_owned(), kept_within(gave, max).into_owned());
        Self { name: name.to_owned(), got, gave, is_cut, ..Self::default() }
    }

    /// The same of a call of a model, with the part that is the same for every call.
    #[must_use]
    pub fn asked_of(self, model: &str, system: &str, usage: Usage) -> Self {
        let first = system.lines().next().unwrap_or_default();
        let system_begins = kept_within(first, limits::CONTENTS_LINE_BYTES_MAX).into_owned();
        Self { model: Some(model.to_owned()), system_bytes: system.len(), system_begins, usage, ..self }
    }

    /// The same that came to nothing.
    #[must_use]
    pub fn failing(self, why: &str) -> Self {
        Self { failed: Some(kept_within(why, limits::CONTENTS_LINE_BYTES_MAX).into_owned()), ..self }
    }

    fn bytes(&self) -> usize {
        let why = self.failed.as_ref().map_or(0, String::len);
        self.got.len() + self.gave.len() + self.system_begins.len() + why
    }

    fn cut_to(&mut self, max: usize) {
        for text in [&mut self.got, &mut self.gave] {
            self.is_cut |= cut_to(text, max);
        }
        let lines = [Some(&mut self.system_begins), self.failed.as_mut()];
        lines.into_iter().flatten().for_each(|line| {
            cut_to(line, max);
        });
    }
}

impl TurnContents {
    /// Where the contents of a turn are.
    pub fn key_of(owner: &UserId, at: DateTime<Utc>, id: &str) -> Key {
        Key::of(&[owner.as_str(), &millis(at), id])
    }

    /// Within the bounds: first of each text, then of each as much less as brings all of them together there.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let most = self.nodes.len().saturating_sub(limits::CONTENTS_NODES_MAX);
        self.nodes_left_out += most;
        self.nodes.truncate(limits::CONTENTS_NODES_MAX);
        let mut max = limits::CONTENTS_TEXT_BYTES_MAX;
        self.cut_to(max);
        while self.bytes() > limits::CONTENTS_BYTES_MAX && max > limits::CONTENTS_TEXT_BYTES_MIN {
            max /= 2;
            self.cut_to(max);
        }
        self
    }

    fn bytes(&self) -> usize {
        self.message.len() + self.answer.len() + self.nodes.iter().map(NodeContents::bytes).sum::<usize>()
    }

    fn cut_to(&mut self, max: usize) {
        for text in [&mut self.message, &mut self.answer] {
            self.is_cut |= cut_to(text, max);
        }
        self.nodes.iter_mut().for_each(|node| node.cut_to(max));
        self.is_cut |= self.nodes.iter().any(|node| node.is_cut);
    }
}

fn cut_to(text: &mut String, max: usize) -> bool {
    let is_longer = text.len() > max;
    if is_longer {
        *text = kept_within(text, max).into_owned();
    }
    is_longer
}

impl Record for TurnContents {
    const TABLE: Table = Table::Contents;

    fn key(&self) -> Key {
        Self::key_of(&self.owner, self.at, &self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::TurnTrace;
    use super::*;
    use crate::core::text::LEFT_OUT;
    use crate::core::turn::{Done, Path};

    fn contents(message: &str, nodes: Vec<NodeContents>) -> TurnContents {
        TurnContents {
            owner: UserId::new("ann"),
            chat: ChatId::new("console:ann"),
            id: "turn1".to_owned(),
            at: "2026-01-12T09:00:00.123456Z".parse().unwrap(),
            message: message.to_owned(),
            nodes,
            nodes_left_out: 0,
            answer: "Done.".to_owned(),
            planned: PlannedTurn::default(),
            shadow: None,
            is_cut: false,
        }
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        let node = NodeContents::of("plan", "got", "gave").asked_of("big", "You plan.\nMore.", Usage::default());
        assert_eq!((node.system_bytes, node.system_begins.as_str(), node.is_cut), (15, "You plan.", false));
        let whole = contents("hello", vec![node]);
        assert_eq!(whole.clone().bounded(), whole);
    }

    #[test]
    fn a_long_text_keeps_head_and_tail_and_says_so() {
        let long = format!("begins {} ends", "é".repeat(20_000));
        let bounded = contents(&long, vec![NodeContents::of("plan", &long, "{}")]).bounded();
        for text in [&bounded.message, &bounded.nodes[0].got] {
            assert!(text.len() <= limits::CONTENTS_TEXT_BYTES_MAX && text.contains(LEFT_OUT));
            assert!(text.starts_with("begins é") && text.ends_with("é ends"));
        }
        assert!(bounded.is_cut && bounded.nodes[0].is_cut && bounded.nodes[0].gave == "{}");
    }

    #[test]
    fn all_of_a_turn_together_is_bounded_and_each_text_loses_alike() {
        let long = "word ".repeat(10_000);
        let node = || NodeContents::of("extract", &long, &long).failing(&long);
        let nodes = vec![node(); limits::CONTENTS_NODES_MAX + 7];
        let bounded = contents("short", nodes).bounded();
        assert!(bounded.bytes() <= limits::CONTENTS_BYTES_MAX, "{}", bounded.bytes());
        assert_eq!((bounded.nodes.len(), bounded.nodes_left_out), (limits::CONTENTS_NODES_MAX, 7));
        assert_eq!((bounded.message.as_str(), bounded.is_cut), ("short", true));
        for node in &bounded.nodes {
            assert_eq!(node.got.matches(LEFT_OUT).count(), 1, "a mark that was cut again is one mark");
        }
    }

    #[test]
    fn the_trace_of_a_turn_leads_to_its_contents() {
        let contents = contents("hello", Vec::new());
        let trace = TurnTrace {
            id: contents.id.clone(),
            user: contents.owner.clone(),
            chat: contents.chat.clone(),
            at: contents.at,
            done: Done::quiet(Path::Chat),
            spans: Vec::new(),
            investigation: None,
        };
        assert_eq!(TurnContents::key_of(&trace.user, trace.at, &trace.id), contents.key());
    }
}
