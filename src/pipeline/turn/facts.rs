//! What a turn goes by: what came in, who it is from, and what was read for it, all of one moment.
//!
//! Invariants: it is a value of its own (no store, no model, no lock, no clock), so that whatever is asked of it can be
//! asked in a test; it does not change. Where other words come to stand for the message (a row that it points at, the
//! question that a press takes up), or where it was said at another moment, the turn goes on with other facts
//! ([`super::Turn::points_at`], [`super::Turn::said_at`]). Not here: what the turn does with it, and what that costs
//! ([`super::account`]).

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::heard::Understanding;
use super::open::OpenCards;
use super::pointed::PointedAt;
use super::read::Beginning;
use crate::core::ids::{ChatId, UserId};
use crate::core::pending::Pending;
use crate::core::turn::{Incoming, Input, Origin};
use crate::language::requests::Phrases;
use crate::language::time::Reference;
use crate::pipeline::brain::Policy;
use crate::ports::records::{ChatState, Message, PendingOpen, Shown, User};
use crate::services::service::RequestContext;

/// See the module.
#[derive(Debug, Clone)]
pub struct Facts {
    /// What came in.
    pub incoming: Incoming,
    /// For whom, when and where.
    pub ctx: RequestContext,
    /// The person.
    pub user: User,
    /// The chat as it was when the turn began.
    pub state: ChatState,
    /// The last messages, oldest first, without this one.
    pub history: Vec<Message>,
    /// The message of ours that this one replies to, as it is shown now.
    pub replied: Option<Shown>,
    /// The answer or reminder that it belongs to.
    pub replied_message: Option<Message>,
    /// The pending action whose card this message replies to, in any state and of any owner.
    pub replied_card: Option<Pending>,
    /// Whether this replies to a card that cannot be read.
    pub replied_to_unreadable: bool,
    /// This person's open pending actions in this chat, oldest first.
    pub open: Vec<Pending>,
    /// What of the cards that are open in this chat cannot be read, whoever they belong to.
    pub broken: Vec<(PendingOpen, u64)>,
    /// True when other people's cards are open in this chat, too.
    pub others_wait: bool,
    /// What people say for the services that are not built in.
    pub(super) phrases: Vec<Arc<Phrases>>,
    /// When the words were written that a press stands for.
    pub(super) written: Option<DateTime<Utc>>,
    /// What stands for the words of the message.
    pub(super) pointed: Option<PointedAt>,
    /// What the words are understood as; of no words until they are read ([`super::Turn::hear`]).
    pub(super) understanding: Arc<Understanding>,
}

impl Facts {
    /// What was read of the store for what came in; its words are not read yet.
    pub(super) fn new(
        incoming: Incoming,
        ctx: RequestContext,
        beginning: Beginning,
        phrases: Vec<Arc<Phrases>>,
    ) -> Self {
        let Beginning { user, state, history, replied, replied_message, replied_card, replied_to_unreadable, open } =
            beginning;
        let OpenCards { cards, broken, is_one_hidden } = open;
        let of_all = cards.len();
        let open: Vec<Pending> = cards.into_iter().filter(|pending| pending.owner == incoming.user).collect();
        let understanding = Arc::new(Understanding::of_nothing(&ctx.reference()));
        Self {
            incoming,
            ctx,
            user,
            state,
            history,
            replied,
            replied_message,
            replied_card,
            replied_to_unreadable,
            others_wait: is_one_hidden || open.len() < of_all,
            open,
            broken,
            phrases,
            written: None,
            pointed: None,
            understanding,
        }
    }

    /// What the person's words for times are relative to: the moment they wrote them.
    pub fn reference(&self) -> Reference {
        self.as_written().reference()
    }

    /// The ctx at the moment of writing: what "tomorrow's meeting" is looked for in.
    pub fn as_written(&self) -> RequestContext {
        let at = self.written.unwrap_or(self.incoming.at);
        RequestContext { now: at.min(self.ctx.now), ..self.ctx.clone() }
    }

    /// The words of this message; none for a button.
    pub fn words(&self) -> &str {
        match (&self.incoming.input, &self.pointed) {
            (_, Some(pointed)) => &pointed.text,
            (Input::Message { text, .. }, None) => text,
            (Input::Press { .. }, None) => "",
        }
    }

    /// Where the words come from.
    pub fn origin(&self) -> Origin {
        match &self.incoming.input {
            Input::Message { origin, .. } => *origin,
            Input::Press { .. } => Origin::Typed,
        }
    }

    /// Who is asking.
    pub fn owner(&self) -> &UserId {
        &self.incoming.user
    }

    /// Where.
    pub fn chat(&self) -> &ChatId {
        &self.incoming.chat
    }

    /// True when the zone was assumed and nobody has been told yet.
    pub fn names_zone(&self, policy: &Policy) -> bool {
        policy.zone_assumed && self.user.zone.is_none() && !self.user.zone_named
    }
}
