//! A command as its author writes it: its parameters ([`Command`]), its `Output`, and how it is done ([`Handle`]).

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub(crate) use super::schema::one_or_many;
use super::service::{Attempt, Prepared};
use super::{context::RequestContext, error::ServiceError};
use brain_core::core::button::Button;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, Params, PlannedAction, Target};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::Stakes;
use brain_core::ports::Change;
use brain_language::language::time::Reference;

/// What a command does to the world, as its backend says: the same one writes here, or elsewhere with an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Looks only, inside this machine.
    Read,
    /// Looks only, but sends its parameters to another machine.
    ReadElsewhere,
    /// Changes the store: commits together with its outcome.
    WriteHere,
    /// Changes something outside the store: recorded as begun before it is tried, doubtful after a crash.
    WriteElsewhere,
}

impl Effect {
    /// Changes anything.
    pub fn writes(self) -> bool {
        matches!(self, Self::WriteHere | Self::WriteElsewhere)
    }

    /// Gives its parameters away or keeps them: values that are somebody else's need a yes.
    pub fn passes_values_on(self) -> bool {
        self != Self::Read
    }
}

/// What the words of a time are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The moment of the turn.
    Now,
    /// The item that is being changed: a bare hour is one of its day.
    Target,
}

/// What a time in the past means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastTimes {
    /// Nothing sensible: ask.
    Ask,
    /// Fine: a search, a look back.
    Fine,
    /// The only thing there is: mails have come.
    Only,
}

/// A place in a command's parameters where words must become values before anything is shown.
#[derive(Debug)]
pub enum Slot<'a> {
    /// One point in time.
    Time {
        /// Name of the parameter.
        param: &'a str,
        /// Words in, RFC 3339 instant (or a plain date) out.
        value: &'a mut String,
        /// What they are relative to.
        base: Base,
        /// Whether it may lie in the past.
        past: PastTimes,
    },
    /// A span; the start's words may hold all of it, the end's may be a length.
    Span {
        /// Name of the start's parameter.
        param: &'a str,
        /// Words in, instant or date out.
        start: &'a mut Option<String>,
        /// Likewise.
        end: &'a mut Option<String>,
        /// Filled when the start's words say that it repeats; without a place for it, they are asked about.
        repeat: Option<&'a mut Option<String>>,
        /// What they are relative to.
        base: Base,
        /// Whether it may lie in the past.
        past: PastTimes,
    },
    /// A recurrence, and the time of its first occurrence.
    Repeat {
        /// Words in, RRULE out.
        repeat: &'a mut Option<String>,
        /// Filled when the words hold it.
        first: &'a mut Option<String>,
        /// Where the first occurrence of something that lasts ends.
        end: Option<&'a mut Option<String>>,
    },
    /// Names, groups or addresses.
    People {
        /// Name of the parameter.
        param: &'a str,
        /// Words in, addresses out.
        value: &'a mut Vec<String>,
        /// Takes those of whom nobody knows an address, where that can wait.
        unaddressed: Option<&'a mut Vec<String>>,
    },
}

/// The names of those parameters that hold something else than words of the person's own, by what they hold.
#[derive(Debug, Clone, Copy, Default)]
pub struct ParamContents {
    /// See [`Command::COMPOSED`].
    pub composed: &'static [&'static str],
    /// See [`Command::NAMES`].
    pub names: &'static [&'static str],
    /// See [`Command::LENGTHS`].
    pub lengths: &'static [&'static str],
    /// See [`Command::ENTRIES`].
    pub entries: &'static [&'static str],
}

/// What a receipt is told from, beside the command and its output.
#[derive(Debug, Clone, Copy)]
pub struct Receipt<'a> {
    /// What was executed.
    pub action: &'a Action,
    /// Now and where, for times.
    pub reference: &'a Reference,
}

/// What a card is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// What will execute.
    pub action: &'a Action,
    /// Now and where, for times.
    pub reference: &'a Reference,
}

impl Subject<'_> {
    /// The item as it was, in the shape its service gave it.
    pub fn before<T: DeserializeOwned>(&self) -> Option<T> {
        before(self.action)
    }
}

/// The item an action is about as it was, in the shape its service gave it.
pub fn before<T: DeserializeOwned>(action: &Action) -> Option<T> {
    T::deserialize(&action.target.as_ref()?.before).ok()
}

/// By what a bare hour finds its half of the day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Called {
    /// Takes place itself.
    Occasion(String),
    /// Is to be done, and may only mention an occasion.
    Errand(String),
    /// As the item that it changes.
    AsTarget,
}

/// A command, as its author writes it: its fields are its parameters.
pub trait Command: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// What carrying it out gives. Journalled as JSON; receipts, buttons and pronouns come from it.
    type Output: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Its name inside its service.
    const NAME: &'static str;
    /// What it does, for prompts and help: an infinitive with its object.
    const SUMMARY: &'static str;
    /// How a person asks for it.
    const EXAMPLE: &'static str;
    /// What the status line says while it runs.
    const STATUS: &'static str;
    /// At least this much harm is possible.
    const STAKES: Stakes;
    /// Parameters that refer to something by name, and so are no values that could be tainted.
    const REFERENCES: &'static [&'static str] = &["find_by", "query"];
    /// Parameters that a planner words: texts to somebody, shown before they go, and what something is filed under.
    const COMPOSED: &'static [&'static str] = &[];
    /// Required parameters that another one may stand in for, by name.
    const STOOD_IN_FOR: &'static [(&'static str, &'static str)] = &[];
    /// Parameters by which something new is called: a few words, without a time, a request or a statement.
    const NAMES: &'static [&'static str] = &[];
    /// Parameters that say how long before something.
    const LENGTHS: &'static [&'static str] = &[];
    /// Parameters that hold the names of several things, with commas between.
    const ENTRIES: &'static [&'static str] = &[];
    /// True when its receipt is made of somebody else's text.
    const SHOWS_UNTRUSTED: bool = false;
    /// True when what a request depends on is what it waits for, so that it is no condition of doing it.
    const HEEDS_CONDITIONS: bool = false;

    /// Decided from command and parameters, never by a model.
    fn stakes(&self, _: &Action) -> Stakes {
        Self::STAKES
    }

    /// Where words must become values.
    fn slots(&mut self) -> Vec<Slot<'_>> {
        Vec::new()
    }

    /// The description of the one item it is about, if it is about one.
    fn find_by(&mut self) -> Option<&mut String> {
        None
    }

    /// What its times belong to.
    fn called(&self) -> Called {
        Called::AsTarget
    }

    /// Fills in what follows from the other values and the target, once those are settled.
    fn complete(&mut self, _target: Option<&Target>) {}

    /// What is wrong with these values, in words, if anything.
    fn problem(&self) -> Option<String> {
        None
    }

    /// The question for a missing parameter.
    fn question(_param: &str) -> &'static str {
        "Could you tell me a little more?"
    }

    /// What the person approves. Only high-stakes commands are shown, but every command can become one.
    fn card(&self, subject: &Subject<'_>) -> CardBody;

    /// What the button says that approves it.
    fn approve(&self) -> &'static str {
        "✅ Yes"
    }

    /// What the decided card says of it in a word, once it was done.
    fn done(&self) -> &'static str {
        "Done"
    }

    /// One line for a write, the content for a read. Told after it succeeded.
    fn receipt(&self, output: &Self::Output, receipt: &Receipt<'_>) -> String;

    /// What the person tried, as the object of what could not be done: an infinitive with its object.
    fn attempt(&self, action: &Action) -> String;

    /// What it made or touched, where that is not its target.
    fn made(&self, _output: &Self::Output) -> Option<ItemRef> {
        None
    }

    /// What it listed, in the order in which the receipt shows it; what no command takes has no id.
    fn listed(&self, _output: &Self::Output) -> Vec<ItemRef> {
        Vec::new()
    }

    /// The addresses at which somebody was reached before, where it changes where mail to them goes.
    fn readdresses(&self, _action: &Action) -> Vec<String> {
        Vec::new()
    }

    /// What takes an effect outside the store back: a low-stakes command that finds nothing to do once it changed since.
    fn reversal(&self, _action: &Action, _output: &Self::Output) -> Option<PlannedAction> {
        None
    }

    /// What shows the next page of a list, and how many more there are than its receipt shows; `None`: that is all.
    fn next_page(&self, _output: &Self::Output) -> Option<(usize, Self)>
    where
        Self: Sized,
    {
        None
    }

    /// What can be done next with what it made, as buttons below the receipt.
    fn next(&self, _output: &Self::Output) -> Vec<Button> {
        Vec::new()
    }
}

/// A proposal of this command, as a planner would make it.
pub fn planned<C: Command>(service: &str, command: &C) -> PlannedAction {
    let params = match serde_json::to_value(command) {
        Ok(Value::Object(params)) => params.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        Ok(_) | Err(_) => Params::new(),
    };
    PlannedAction { service: service.to_owned(), command: C::NAME.to_owned(), params, ..PlannedAction::default() }
}

/// How a service carries out a command. It checks no stakes and no consent: an authorized action has passed the gate.
#[async_trait]
pub trait Handle<C: Command>: Send + Sync + 'static {
    /// What it does to the world in this account (`None`: here). Whether it writes at all is the same for all accounts.
    fn effect(&self, account: Option<&ActingAccount>) -> Effect;

    /// The account of this person in which it is done to `target`, or makes something new; `None`: here.
    fn account(&self, _owner: &UserId, _target: Option<&Target>) -> Option<ActingAccount> {
        None
    }

    /// The same for a command whose own values say in which account it is done.
    fn account_for(&self, owner: &UserId, _command: &C, target: Option<&Target>) -> Option<ActingAccount> {
        self.account(owner, target)
    }

    /// Finds what the action is about and fills in what follows from it. Reads only.
    async fn prepare(&self, _ctx: &RequestContext, command: C) -> Result<Prepared<C>, ServiceError> {
        Ok(Prepared::as_is(command))
    }

    /// Whether the turn carries it out in place of this service.
    fn is_of_the_turn(&self) -> bool {
        false
    }

    /// Does it. Called once per attempt, after the run's journal allows it.
    async fn perform(&self, call: Invocation<'_, C>) -> Result<Completed<C::Output>, ServiceError>;

    /// After a crash: what came of this attempt, as far as the world shows it. `None` when it cannot tell.
    async fn happened(&self, _call: Invocation<'_, C>) -> Option<Result<Completed<C::Output>, ServiceError>> {
        None
    }
}

/// One authorised call of a command.
#[derive(Debug)]
pub struct Invocation<'a, C> {
    /// For whom, when and where.
    pub ctx: &'a RequestContext,
    /// As parsed from the action's parameters.
    pub command: C,
    /// The action they were settled in: its target, and whose words it holds.
    pub action: &'a Action,
    /// What makes a retry recognisable.
    pub attempt: &'a Attempt,
}

/// What carrying out a command came to, when it did not fail.
#[derive(Debug)]
pub enum Completed<T> {
    /// It is done.
    Succeeded {
        /// What it gives.
        output: T,
        /// Effects inside the store, to be committed together with the outcome.
        changes: Vec<Change>,
        /// Texts of others that the output holds, for taint in later rounds.
        untrusted: Vec<UntrustedText>,
        /// What takes an effect elsewhere back, where the command itself knows nothing that does.
        reversal: Option<PlannedAction>,
    },
    /// An effect elsewhere that may or may not have happened; a sentence that says where to look.
    Doubtful(String),
}

impl<T> Completed<T> {
    /// An output without changes.
    pub fn read(output: T) -> Self {
        Self::changed(output, Vec::new())
    }

    /// An output with changes to commit.
    pub fn changed(output: T, changes: Vec<Change>) -> Self {
        Self::Succeeded { output, changes, untrusted: Vec::new(), reversal: None }
    }

    /// The same, with another output made of it.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Completed<U> {
        match self {
            Self::Succeeded { output, changes, untrusted, reversal } => {
                Completed::Succeeded { output: map(output), changes, untrusted, reversal }
            }
            Self::Doubtful(why) => Completed::Doubtful(why),
        }
    }

    /// The same, taken back by this.
    #[must_use]
    pub fn taken_back_by(mut self, by: Option<PlannedAction>) -> Self {
        if let Self::Succeeded { reversal, .. } = &mut self {
            *reversal = by
        }
        self
    }

    /// The same, holding these texts of others.
    #[must_use]
    pub fn holding(mut self, texts: Vec<UntrustedText>) -> Self {
        if let Self::Succeeded { untrusted, .. } = &mut self {
            untrusted.extend(texts);
        }
        self
    }
}
