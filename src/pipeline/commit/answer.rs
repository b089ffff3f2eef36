//! What a turn comes to. Nothing of it is shown before all of it is committed (see [`super::outbox`]).

use crate::core::history::PastAction;
use crate::core::ids::PendingId;
use crate::core::outcome::Report;
use crate::core::provenance::UntrustedText;
use crate::core::turn::{Edit, Path, Reply};
use crate::pipeline::intake::settings::UserChange;
use crate::ports::Batch;
use crate::ports::records::{Clarification, Show, Snoozing};

/// What a turn comes to: everything here is committed at once, then shown.
#[derive(Debug)]
pub struct Answer {
    /// The path it took.
    pub path: Path,
    /// What to say, in order.
    pub replies: Vec<Reply>,
    /// Old messages to change.
    pub edits: Vec<Edit>,
    /// One a planned action.
    pub reports: Vec<Report>,
    /// What was done, for later pronouns.
    pub actions: Vec<PastAction>,
    /// Others' words that it may repeat; see [`crate::core::provenance::repeated`].
    pub untrusted: Vec<UntrustedText>,
    /// Records that change together with the answer.
    pub batch: Batch,
    /// What becomes of the open question.
    pub clarification: Question,
    /// The card whose edit was asked for; the next message changes it.
    pub editing: Option<PendingId>,
    /// The reminder whose "until when" was asked for; the next message says it.
    pub snoozing: Option<Snoozing>,
    /// What changes in the person's own record.
    pub user: Vec<UserChange>,
    /// True once the assumed zone was named.
    pub zone_named: bool,
    /// The card this answer is only true for while it is open: when somebody decides it first, that is told.
    pub hinges_on: Option<PendingId>,
}

/// What becomes of the open question of a chat.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// It stays as it is.
    Keep,
    /// It is settled.
    Settled,
    /// This one is open now.
    Open(Box<Clarification>),
}

impl Answer {
    /// An answer without words.
    pub fn of(path: Path) -> Self {
        Self {
            path,
            replies: Vec::new(),
            edits: Vec::new(),
            reports: Vec::new(),
            actions: Vec::new(),
            untrusted: Vec::new(),
            batch: Batch::default(),
            clarification: Question::Settled,
            editing: None,
            snoozing: None,
            user: Vec::new(),
            zone_named: false,
            hinges_on: None,
        }
    }

    /// An answer of one message.
    pub fn says(path: Path, words: impl Into<Reply>) -> Self {
        Self { replies: vec![words.into()], ..Self::of(path) }
    }

    /// Adds what changes on old messages, and what is told about them before anything else: a card that the
    /// answer holds stays its last message.
    pub fn show(&mut self, shows: Vec<Show>) {
        for show in shows {
            match show {
                Show::Edit(edit) => self.edits.push(edit),
                Show::Send(reply) => self.replies.insert(0, reply),
            }
        }
    }

    /// With the words of others that it may repeat.
    #[must_use]
    pub fn holding(mut self, untrusted: Vec<UntrustedText>) -> Self {
        self.untrusted.extend(untrusted);
        self
    }

    /// Leaves the open question as it is.
    #[must_use]
    pub fn keeping_question(mut self) -> Self {
        self.clarification = Question::Keep;
        self
    }
}
