//! Answer: what a turn comes to. Nothing of it is shown before all of it is committed (see [`super::finish`]).

use std::fmt;
use std::sync::Arc;

use super::user::UserChange;
use crate::pipeline::run::SuspendedStep;
use brain_core::core::button::Press;
use brain_core::core::history::PastAction;
use brain_core::core::ids::{MessageId, PendingId};
use brain_core::core::metrics::InvestigationMetrics;
use brain_core::core::outcome::Report;
use brain_core::core::pending::Pending;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::turn::{Edit, Incoming, Input, Notice, NoticeKind, Path, Reply};
use brain_core::limits;
use brain_core::ports::Batch;
use brain_core::ports::records::{Clarification, Show, Shown, Snoozing};

/// What a turn comes to: everything here is committed at once, then shown.
#[derive(Debug)]
pub struct Answer {
    /// The path it took.
    pub path: Path,
    /// What to say, in order.
    pub replies: Vec<Reply>,
    /// Old messages to change whose record is no concern of this commit: cards, and what has no record.
    pub edits: Vec<Edit>,
    /// Messages on record to change, as they are when this is committed.
    pub rewrites: Vec<Rewrite>,
    /// What it took, if it was a question over everything.
    pub metrics: Option<InvestigationMetrics>,
    /// One a planned action.
    pub reports: Vec<Report>,
    /// What was done, for later pronouns.
    pub actions: Vec<PastAction>,
    /// Others' words that it may repeat; see [`brain_core::core::provenance::repeated`].
    pub untrusted: Vec<UntrustedText>,
    /// What was not done because its server asks something first; the person is asked below the rest.
    pub asks: Vec<SuspendedStep>,
    /// Records that change together with the answer.
    pub batch: Batch,
    /// What becomes of the open question.
    pub clarification: Question,
    /// The card whose edit was asked for; the next message changes it.
    pub editing: Option<PendingId>,
    /// The reminder whose new time was asked for; the next message says it.
    pub snoozing: Option<Snoozing>,
    /// What changes in the person's own record.
    pub user: Vec<UserChange>,
    /// True once the assumed zone was named.
    pub zone_named: bool,
    /// The card whose decision it tells.
    pub decided: Option<PendingId>,
    /// The card whose request goes on now that it is done.
    pub goes_on: Option<Box<Pending>>,
    /// True once it lists what waits for a yes or no.
    pub tells_waiting: bool,
    /// The card this answer is only true for while it is open: when somebody decides it first, that is told.
    pub hinges_on: Option<PendingId>,
}

/// A change of a message on record. It is made on the record as it is at the commit, so that of two presses on one
/// message neither takes back what the other did to it.
#[derive(Clone)]
pub struct Rewrite {
    /// The message whose record changes.
    pub message: MessageId,
    /// The words and buttons it has from then on.
    pub change: Arc<dyn Fn(&mut Shown) + Send + Sync>,
}

impl fmt::Debug for Rewrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rewrite").field("message", &self.message).finish_non_exhaustive()
    }
}

/// What becomes of the open question of a chat.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// It stays as it is.
    Keep,
    /// It stays; this answer was to something beside it.
    Beside,
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
            rewrites: Vec::new(),
            metrics: None,
            reports: Vec::new(),
            actions: Vec::new(),
            untrusted: Vec::new(),
            asks: Vec::new(),
            batch: Batch::default(),
            clarification: Question::Settled,
            editing: None,
            snoozing: None,
            user: Vec::new(),
            zone_named: false,
            decided: None,
            goes_on: None,
            tells_waiting: false,
            hinges_on: None,
        }
    }

    /// An answer of one message.
    pub fn says(path: Path, words: impl Into<Reply>) -> Self {
        Self { replies: vec![words.into()], ..Self::of(path) }
    }

    /// The undo records that its buttons name.
    pub fn undos(&self) -> Vec<String> {
        let buttons = self.replies.iter().flat_map(|reply| reply.buttons.iter().flatten());
        let undos = buttons.filter_map(|button| match Press::decode(&button.data) {
            Some(Press::Undo(id)) => Some(id),
            Some(
                Press::Card { .. }
                | Press::Send(_)
                | Press::AddEvent(_)
                | Press::Snooze { .. }
                | Press::Done(_)
                | Press::Set { .. }
                | Press::Offer { .. }
                | Press::Redo(_)
                | Press::More(_)
                | Press::Show(_),
            )
            | None => None,
        });
        undos.collect()
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

    /// Changes a message on record, as it is when this is committed.
    pub fn rewrite(&mut self, message: MessageId, change: impl Fn(&mut Shown) + Send + Sync + 'static) {
        self.rewrites.push(Rewrite { message, change: Arc::new(change) });
    }

    /// Of a press: its one short sentence is enough over the button, and no message is needed.
    #[must_use]
    pub fn noticed(mut self, incoming: &Incoming, kind: NoticeKind) -> Self {
        if let (Input::Press { .. }, [only]) = (&incoming.input, self.replies.as_mut_slice())
            && only.buttons.is_empty()
            && only.text.encode_utf16().count() <= limits::NOTICE_UTF16_MAX
        {
            only.notice = Some(Box::new(Notice { turn: incoming.turn.clone(), kind }));
        }
        self
    }

    /// Leaves the open question as it is, unless it asks one.
    #[must_use]
    pub fn keeping_question(mut self) -> Self {
        if !matches!(self.clarification, Question::Open(_)) {
            self.clarification = Question::Keep;
        }
        self
    }
}
