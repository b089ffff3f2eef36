//! `watch`: tell when somebody answers or a mail comes; remind where none has by a time.
//!
//! An answer is one to the mail that was named, else to the last one that went to them. Where nothing was ever sent to them,
//! their next mail is waited for. What has come already is told at once, and nothing is watched.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Awaited;
use crate::services::contract::command::{Base, Command, PastTimes, Receipt, Slot, Subject, one_or_many};
use crate::services::contract::show;
use crate::services::email::filling::{find_by, owner, recipients};
use crate::services::email::message::mail::NAME;
use crate::services::helpers::texts;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::stakes::Stakes;
use brain_core::limits::RECIPIENTS_MAX;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, title, without_determiner};

/// Tell when somebody answers or a mail comes; remind where none has by a time.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WatchMail {
    /// Whose mail: names or addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub(super) who: Vec<String>,
    /// An answer to a mail that was sent, or any mail.
    pub(super) awaits: Option<Awaited>,
    /// Which mail was sent, or what the one that comes is about.
    pub(super) about: Option<String>,
    /// Remind then if none has come.
    pub(super) by: Option<String>,
    /// What to be reminded of then.
    pub(super) say: Option<String>,
    // The conversation that is meant, once it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(super) thread: Option<String>,
    // A watch that there is, whose notice is put off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(super) again: Option<String>,
}

impl WatchMail {
    /// What puts the notice of a watch off.
    pub(super) fn again(id: &str, until: String) -> Self {
        Self { by: Some(until), again: Some(id.to_owned()), ..Self::default() }
    }

    /// Until when it is put off, where that is what it does.
    pub(super) fn until(&self) -> Option<&str> {
        self.again.as_ref().and(self.by.as_deref())
    }
}

/// What is watched for, or has come already.
#[derive(Debug, Serialize, Deserialize)]
pub struct WatchSet {
    /// `None` where nothing is watched for.
    pub(super) id: Option<String>,
    /// What is called so in lists.
    pub(super) label: String,
    /// RFC 3339: when it is told that nothing has come, where that was asked for.
    pub(super) until: Option<String>,
    /// What is said then.
    pub(super) say: Option<String>,
    /// RFC 3339: when that came which was waited for.
    pub(super) came_at: Option<String>,
}

impl Command for WatchMail {
    type Output = WatchSet;

    const NAME: &'static str = "watch";
    const SUMMARY: &'static str =
        "tell when somebody answers a mail or a mail arrives, or remind if none has by a time";
    const EXAMPLE: &'static str = "If Bob hasn't answered by Friday, remind me";
    const STATUS: &'static str = "Looking at your mail…";
    const STAKES: Stakes = Stakes::Low;
    const REFERENCES: &'static [&'static str] = &["about", "thread", "again"];
    const NAMES: &'static [&'static str] = &["say"];
    const HEEDS_CONDITIONS: bool = true;

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let by =
            self.by.iter_mut().map(|value| Slot::Time { param: "by", value, base: Base::Now, past: PastTimes::Ask });
        by.chain([Slot::People { param: "who", value: &mut self.who, unaddressed: None }]).collect()
    }

    fn problem(&self) -> Option<String> {
        (self.who.len() > RECIPIENTS_MAX).then(|| format!("I watch for the mail of {RECIPIENTS_MAX} people at most"))
    }

    fn question(param: &str) -> &'static str {
        match param {
            "by" => "By when?",
            "about" => "Which mail do you mean?",
            _ => "Whose mail should I watch for?",
        }
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let until = self.by.as_deref().map(|by| show::time(by, subject.reference));
        CardBody::titled("Watch for this mail?")
            .lines("From", show::people(&self.who, subject.action))
            .words("About", self.about.clone().unwrap_or_default())
            .row("Remind", until.unwrap_or_default())
            .words("Say", self.say.clone().unwrap_or_default())
    }

    fn receipt(&self, output: &WatchSet, receipt: &Receipt<'_>) -> String {
        let time = |at: &str| show::time(at, receipt.reference);
        let label = &output.label;
        let Some(_) = &output.id else {
            let at = output.came_at.as_deref().map(|at| format!(" ({})", time(at))).unwrap_or_default();
            return format!("👀 {label}{at}. It has come already, so there is nothing to watch for.");
        };
        match (&output.until, &output.came_at) {
            (Some(until), Some(_)) => format!("💤 I'll say so again {}: {label}", time(until)),
            (Some(until), None) => {
                let say = output.say.as_ref().map(|say| format!(" of “{}”", texts::brief(say))).unwrap_or_default();
                format!("👀 I'll tell you when {label}, and remind you{say} {} if nothing has come.", time(until))
            }
            (None, _) => format!("👀 I'll tell you when {label}."),
        }
    }

    fn attempt(&self, action: &Action) -> String {
        match self.who.as_slice() {
            [] => "watch for that mail".to_owned(),
            who => format!("watch for mail from {}", show::names(who, action)),
        }
    }

    fn made(&self, output: &WatchSet) -> Option<ItemRef> {
        Some(ItemRef { id: output.id.clone()?, label: output.label.clone() })
    }
}

/// A watch, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action: PlannedAction = said.action(NAME, WatchMail::NAME);
    let when = said.moment("", &["say"]);
    set(&mut action, "by", when.as_ref().map(|when| when.text.clone()));
    let used = when.map(|when| when.masks).unwrap_or_default();
    let who: Vec<String> = recipients(said);
    let about = said.clean("about", &used).map(|about| without_determiner(&about).to_owned());
    let about = about.filter(|about| !about.is_empty());
    set(&mut action, "say", said.clean("say", &used).map(|say| title(&say)).filter(|say| !say.is_empty()));
    if !who.is_empty() {
        set(&mut action, "who", Some(who));
    } else if about.is_none() {
        // "They", "this mail": the one that was talked about last.
        let Some(mail) = find_by(said) else {
            return Built::Ask { question: "Whose mail should I watch for?", partial: action, param: "who" };
        };
        set(&mut action, "about", Some(owner(&mail)));
        return Built::Act(action);
    }
    set(&mut action, "about", about);
    Built::Act(action)
}
