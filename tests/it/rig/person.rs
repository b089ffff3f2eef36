//! A person in a chat, what came of what they sent, and a card as they see it.

use std::sync::atomic::Ordering;

use brain_agent::core::button::{Button, Role};
use brain_agent::core::ids::{ChatId, MessageId, PendingId, RunId, UserId};
use brain_agent::core::outcome::{Report, Status};
use brain_agent::core::turn::{Done, Edit, Incoming, Input, NoticeKind, Origin, Path};
use brain_agent::pipeline::handle_turn;
use brain_agent::ports::Clock;
use serde_json::Value;

use super::Rig;
use super::channel::Shown;

/// One person in one chat.
#[derive(Clone)]
pub struct Person<'a> {
    pub(super) rig: &'a Rig,
    pub user: UserId,
    pub chat: ChatId,
}

/// What came of one input.
#[derive(Debug)]
pub struct Answer {
    pub done: Done,
    pub shown: Vec<Shown>,
    pub edits: Vec<Edit>,
}

/// A card as a person sees it.
#[derive(Debug, Clone)]
pub struct Card {
    pub id: PendingId,
    /// One a message.
    pub parts: Vec<String>,
    pub messages: Vec<MessageId>,
    pub buttons: Vec<Button>,
}

impl Person<'_> {
    pub async fn says(&self, text: &str) -> Answer {
        self.writes(text, Origin::Typed, None).await
    }

    pub async fn replies(&self, text: &str, to: MessageId) -> Answer {
        self.writes(text, Origin::Typed, Some(to)).await
    }

    pub async fn writes(&self, text: &str, origin: Origin, reply_to: Option<MessageId>) -> Answer {
        self.sends(Input::Message { text: text.to_owned(), origin, reply_to }).await
    }

    pub async fn presses(&self, data: &str) -> Answer {
        self.sends(Input::Press { data: data.to_owned(), message: None }).await
    }

    /// A message whose number is older than those of the cards.
    pub async fn says_as_message(&self, text: &str, id: MessageId) -> Answer {
        let input = Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None };
        self.takes(self.incoming(input, id)).await
    }

    pub async fn sends(&self, input: Input) -> Answer {
        let id = self.rig.channel.next_id();
        self.takes(self.incoming(input, id)).await
    }

    /// The input as the pipeline gets it, for tests that send several at once.
    pub fn incoming(&self, input: Input, message_id: MessageId) -> Incoming {
        let number = self.rig.turns.fetch_add(1, Ordering::SeqCst);
        Incoming {
            turn: RunId::new(format!("turn{number}")),
            user: self.user.clone(),
            chat: self.chat.clone(),
            message_id,
            at: self.rig.clock.now(),
            input,
            inbox: None,
            parts: Vec::new(),
            quote: None,
        }
    }

    async fn takes(&self, incoming: Incoming) -> Answer {
        let (shown, edits) = self.rig.channel.counts();
        let done = handle_turn(&self.rig.brain, &incoming).await;
        let (shown, edits) = self.rig.channel.since(shown, edits);
        Answer { done, shown, edits }
    }
}

impl Answer {
    /// Everything that was said, cards included.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.shown.iter().map(|s| s.reply.text.as_str()).collect();
        texts.join("\n")
    }

    /// The actions that succeeded, as `task.create`.
    pub fn succeeded(&self) -> Vec<String> {
        let done = self.done.outcomes.iter().filter(|report| report.status == Status::Succeeded);
        done.map(|report| format!("{}.{}", report.service, report.command)).collect()
    }

    /// What became of each action, as `task.create succeeded`.
    pub fn did(&self) -> Vec<String> {
        let named = |report: &Report| {
            format!(
                "{}.{} {}",
                report.service,
                report.command,
                serde_json::to_value(report.status).unwrap().as_str().unwrap()
            )
        };
        self.done.outcomes.iter().map(named).collect()
    }

    /// What its only action was to do.
    pub fn params(&self) -> Value {
        assert_eq!(self.done.outcomes.len(), 1, "one action expected: {}", self.text());
        Value::Object(self.done.outcomes[0].params.clone())
    }

    pub fn path(&self) -> Path {
        self.done.path
    }

    /// Whether it is told, beside the button that was pressed, that nothing came of the press.
    pub fn alerts(&self) -> bool {
        let notices = self.shown.iter().filter_map(|shown| shown.reply.notice.as_deref());
        notices.into_iter().any(|notice| notice.kind == NoticeKind::Alert)
    }

    pub fn has_card(&self) -> bool {
        self.shown.iter().any(|shown| shown.reply.card.is_some())
    }

    /// The card it holds; there must be one, and only one.
    pub fn card(&self) -> Card {
        let parts: Vec<&Shown> = self.shown.iter().filter(|s| s.reply.card.is_some()).collect();
        let last = parts.last().unwrap_or_else(|| panic!("no card in: {}", self.text()));
        let id = last.reply.card.clone().unwrap().pending;
        assert!(parts.iter().all(|s| s.reply.card.as_ref().unwrap().pending == id));
        Card {
            id,
            parts: parts.iter().map(|s| s.reply.text.clone()).collect(),
            messages: parts.iter().map(|s| s.id).collect(),
            buttons: last.reply.buttons.concat(),
        }
    }

    pub fn button(&self, role: Role) -> Option<Button> {
        let buttons = self.shown.iter().flat_map(|s| s.reply.buttons.iter().flatten());
        buttons.clone().find(|button| button.role == role).cloned()
    }
}

impl Card {
    pub fn text(&self) -> String {
        self.parts.join("\n")
    }

    pub fn last(&self) -> MessageId {
        *self.messages.last().unwrap()
    }

    pub fn button(&self, role: Role) -> Button {
        self.buttons.iter().find(|b| b.role == role).unwrap().clone()
    }

    pub fn approve(&self) -> Button {
        self.button(Role::Approve)
    }

    pub fn cancel(&self) -> Button {
        self.button(Role::Cancel)
    }
}
