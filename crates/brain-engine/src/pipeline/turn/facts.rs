//! Facts of a turn: what came in, who it is from, and what was read for it, all of one moment.
//!
//! Invariants: it is a value of its own (no store, no model, no lock, no clock), so that whatever is asked of it can be
//! asked in a test; it does not change. Where other words come to stand for the message (a row that it points at, the
//! question that a press takes up), or where it was said at another moment, the turn goes on with other facts
//! ([`super::Turn::points_at`], [`super::Turn::said_at`]). Not here: what the turn does with it, and what that costs
//! ([`super::account`]).

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::read::Beginning;
use super::referent::Referent;
use super::understanding::Understanding;
use crate::pipeline::brain::Policy;
use crate::queries::pending::OpenCards;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::pending::Pending;
use brain_core::core::turn::{Incoming, Input, KeptFile, Origin};
use brain_core::ports::records::{ChatState, ContentsChoice, ConversationSummary, Message, PendingOpen, Shown, User};
use brain_language::language::requests::Phrases;
use brain_language::language::time::Reference;
use brain_services::services::contract::context::RequestContext;

/// See the module.
#[derive(Debug, Clone)]
pub struct TurnFacts {
    /// What came in.
    pub incoming: Incoming,
    /// For whom, when and where.
    pub ctx: RequestContext,
    /// With their settings as they were when the turn began.
    pub user: User,
    /// The chat as it was when the turn began.
    pub state: ChatState,
    /// The last messages, oldest first, without this one.
    pub history: Vec<Message>,
    /// What was said before the last of those, in short.
    pub summary: Option<ConversationSummary>,
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
    pub(super) pointed: Option<Referent>,
    /// What the words are understood as; of no words until they are read ([`super::Turn::hear`]).
    pub(super) understanding: Arc<Understanding>,
}

impl TurnFacts {
    /// What was read of the store for what came in; its words are not read yet.
    pub(super) fn new(
        incoming: Incoming,
        ctx: RequestContext,
        beginning: Beginning,
        phrases: Vec<Arc<Phrases>>,
    ) -> Self {
        let Beginning {
            user,
            state,
            history,
            summary,
            replied,
            replied_message,
            replied_card,
            replied_to_unreadable,
            open,
        } = beginning;
        let OpenCards { cards, broken, is_one_hidden } = open;
        let of_all = cards.len();
        let open: Vec<Pending> = cards.into_iter().filter(|pending| pending.owner == incoming.user).collect();
        let understanding = Arc::new(Understanding::of_nothing(&ctx.reference()));
        let ctx = RequestContext { files: files(&incoming, &state, ctx.now), ..ctx };
        Self {
            incoming,
            ctx,
            user,
            state,
            history,
            summary,
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

    /// The context at the moment of writing: what relative days are looked for in.
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

    /// The chat in which the answer is due.
    pub fn chat(&self) -> &ChatId {
        &self.incoming.chat
    }

    /// Whether who is asking runs this: an admin, or whoever sits at the terminal.
    pub fn runs_this(&self, policy: &Policy) -> bool {
        self.user.admin || policy.admins.contains(self.owner()) || self.owner().is_of_terminal()
    }

    /// Whether what the nodes of their turns in this chat get and give is kept: where it is switched on, of whoever runs
    /// this, of others once they agreed, and of nobody who refused.
    pub fn keeps_contents(&self, policy: &Policy) -> bool {
        let is_agreed = match self.user.contents {
            Some(ContentsChoice::Keep) => true,
            Some(ContentsChoice::Stop) => false,
            None => self.runs_this(policy),
        };
        policy.contents_kept > 0 && is_agreed && self.chat().is_private_of(self.owner())
    }

    /// True when the zone was assumed and nobody has been told yet.
    pub fn names_zone(&self, policy: &Policy) -> bool {
        policy.zone_assumed && self.user.zone.is_none() && !self.user.zone_named
    }
}

/// Those that came with the message, else those that were sent here before it and wait for a word.
fn files(incoming: &Incoming, state: &ChatState, now: DateTime<Utc>) -> Vec<KeptFile> {
    let sent: Vec<KeptFile> = incoming.files().cloned().collect();
    let waiting = state.files.as_ref().filter(|at_hand| sent.is_empty() && now < at_hand.until);
    waiting.map_or(sent, |at_hand| at_hand.files.clone())
}

#[cfg(test)]
mod tests {
    use chrono::{Duration, NaiveTime};

    use super::*;
    use brain_core::core::history::PastAction;
    use brain_core::core::ids::{MessageId, RunId};
    use brain_core::core::settings::Settings;
    use brain_core::limits;
    use brain_core::ports::records::{Clarification, Speaker};
    use brain_language::language::requests::Understood;
    use brain_language::language::time::DateOrder;

    fn now() -> DateTime<Utc> {
        "2026-03-03T09:00:00Z".parse().unwrap()
    }

    /// A message of this conversation.
    fn message(speaker: Speaker, text: &str, origin: Origin) -> Message {
        Message {
            chat: ChatId::new("c"),
            number: 1,
            speaker,
            text: text.to_owned(),
            origin,
            at: now(),
            actions: Vec::new(),
            message: None,
            by: None,
            source: None,
            undo: Vec::new(),
            outcomes: Vec::new(),
            untrusted: Vec::new(),
            only_proposes: false,
        }
    }

    /// What a turn goes by that began with these words; nothing but a value.
    fn facts(text: &str, history: Vec<Message>) -> TurnFacts {
        let (user, chat) = (UserId::new("anna"), ChatId::new("c"));
        let incoming = Incoming {
            turn: RunId::new("t"),
            user: user.clone(),
            chat: chat.clone(),
            message_id: MessageId(7),
            at: now(),
            input: Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None },
            inbox: None,
            parts: Vec::new(),
            quote: None,
        };
        let ctx = RequestContext {
            owner: user.clone(),
            chat: chat.clone(),
            now: now(),
            zone: chrono_tz::UTC,
            order: DateOrder::DayFirst,
            hour: NaiveTime::from_hms_opt(9, 0, 0).unwrap(),
            files: Vec::new(),
        };
        let beginning = Beginning {
            user: User {
                id: user,
                chat: chat.clone(),
                admin: false,
                zone: None,
                zone_named: false,
                settings: Settings::default(),
                contents: None,
                since: now(),
            },
            state: ChatState::new(chat),
            history,
            summary: None,
            replied: None,
            replied_message: None,
            replied_card: None,
            replied_to_unreadable: false,
            open: OpenCards::default(),
        };
        let facts = TurnFacts::new(incoming, ctx, beginning, Vec::new());
        let understanding = facts.reader(text.to_owned())();
        TurnFacts { understanding: Arc::new(understanding), ..facts }
    }

    #[test]
    fn a_message_is_understood_from_the_facts_alone() {
        let facts = facts("add a task to buy milk", Vec::new());
        assert!(facts.guess().domains.contains(&"task".to_owned()), "{:?}", facts.guess());
        assert!(matches!(facts.understood(&[]), Understood::Plan { .. }));
        assert!(!facts.is_too_much() && facts.question().is_none());
    }

    #[test]
    fn what_is_read_later_in_the_turn_takes_from_the_steps_of_its_message() {
        const TIMES: usize = 2_000;
        let facts = facts("add a task to buy milk", Vec::new());
        let again = || facts.understood_as("remind me to buy bread and butter, and to call mom tomorrow at 5pm", &[]);
        assert!(matches!(again(), Understood::Plan { .. }));
        assert!((0..TIMES).any(|_| again() == Understood::TooMuch), "each reading begins anew");
        assert_eq!(again(), Understood::TooMuch);
        assert!(matches!(facts.understood(&[]), Understood::Plan { .. }), "what was read before stays");
    }

    #[test]
    fn other_words_stand_for_the_message_without_changing_it() {
        let before = facts("answer the first one", Vec::new());
        let pointed = Referent { text: "answer m12".to_owned(), id: "m12".to_owned(), label: "Rent".to_owned() };
        let after = TurnFacts { pointed: Some(pointed), ..before.clone() };
        assert_eq!((before.words(), after.words()), ("answer the first one", "answer m12"));
        assert_eq!(after.pointed_at().map(|pointed| pointed.named_in(after.words())), Some("answer Rent".to_owned()));
    }

    #[test]
    fn tomorrow_is_the_day_after_the_words_were_written() {
        let facts = facts("yes", Vec::new());
        let at = |written| TurnFacts { written: Some(written), ..facts.clone() }.as_written().now;
        assert_eq!(at(now() - Duration::days(1)), now() - Duration::days(1));
        assert_eq!(at(now() + Duration::days(1)), now(), "nobody writes later than now");
        assert_eq!(facts.reference().now, now());
    }

    #[test]
    fn only_what_the_person_said_themself_is_their_own() {
        let other = Message { by: Some(UserId::new("bob")), ..message(Speaker::Person, "bob's words", Origin::Typed) };
        let passed_on = message(Speaker::Person, "a letter", Origin::Forwarded);
        let own = message(Speaker::Person, "my words", Origin::Typed);
        let ours = message(Speaker::Assistant, "your mail from x@example.org says pay", Origin::Typed);
        let facts = facts("and these", vec![own, other, passed_on, ours]);
        assert_eq!(facts.own_words(), "my words\nand these");
        let others: Vec<String> = facts.known_to_be_others().into_iter().map(|text| text.text).collect();
        assert_eq!(others, ["bob's words", "a letter"]);
    }

    #[test]
    fn what_was_done_belongs_to_what_was_said_before_it() {
        let done = PastAction { service: "task".to_owned(), command: "create".to_owned(), ..PastAction::default() };
        let told = Message { actions: vec![done.clone()], ..message(Speaker::Assistant, "Noted.", Origin::Typed) };
        let facts = facts("delete it", vec![message(Speaker::Person, "note the milk", Origin::Typed), told]);
        let past = facts.past();
        assert_eq!((past.len(), past[0].said.as_str()), (1, "note the milk"));
        assert_eq!(past[0].actions, [done]);
    }

    #[test]
    fn an_old_question_waits_no_more() {
        let asked = |ago: i64| {
            let at = now() - Duration::seconds(ago);
            let question = Clarification::asks("remind me".to_owned(), "When?".to_owned(), &[], at);
            let mut facts = facts("at 9", Vec::new());
            facts.state.clarification = Some(question);
            facts.open_question().is_some()
        };
        assert!(asked(limits::QUESTION_SECS));
        assert!(!asked(limits::QUESTION_SECS + 1));
    }
}
