//! Outgoing values: what a planner's look elsewhere, or a command of the operator's that needs no yes, may tell.
//!
//! Invariant: a value that its person did not say, point at or get from the very same place goes out after a yes alone;
//! the card says which one it is, where it would go, and in what of the person's own it stands. Not here: what counts as
//! said ([`brain_services::services::planning::outgoing`]).

use std::time::Duration;

use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Plan, PlannedAction, Taint};
use brain_core::core::provenance::{Sources, UntrustedText, WrittenBy};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::{quoted, shorten, visible};
use brain_core::limits;
use brain_language::language::grounding::{Ground, OwnWords};
use brain_language::language::time::Reference;
use brain_services::services::contract::entry::Entry;
use brain_services::services::contract::service::{ContextRequest, ContextRole};
use brain_services::services::planning::outgoing::{DisclosedSoFar, MeantToTell, Telling, UnsaidLeaf, leaves_of};

/// What may be told elsewhere in this turn.
pub(super) struct OutgoingValues<'s> {
    said: OwnWords,
    ground: Ground<'s>,
    reference: Reference,
    records: &'s [String],
    untrusted: &'s [UntrustedText],
    facts: &'s TurnFacts,
}

/// What becomes of one action's values on their way out.
#[derive(Debug, Default)]
pub(super) struct OutgoingJudgement {
    /// However low the stakes are otherwise.
    pub needs_a_yes: bool,
    /// For the card.
    pub notes: Vec<String>,
    /// The turn's account with it, where it runs without a yes.
    pub after: Option<DisclosedSoFar>,
    /// What may go back where it came from.
    back: GoesBack,
}

/// What whoever is told has said itself, and gets back.
#[derive(Debug, Default)]
enum GoesBack {
    /// Nothing without being named on a card.
    #[default]
    Nothing,
    /// All that is from this source: it was meant to.
    All(String),
    /// Of it these names, by which it tells its things apart.
    Names(String, Vec<String>),
}

impl<'s> OutgoingValues<'s> {
    /// `None` where code wrote the values, or nothing of the plan tells anybody any.
    pub fn of(brain: &Brain, facts: &'s TurnFacts, plan: &Plan, sources: &'s Sources) -> Option<Self> {
        let WrittenBy::Planner { records, completes } = &sources.written_by else { return None };
        let command = |planned: &PlannedAction| brain.services.command(&planned.service, &planned.command);
        plan.actions.iter().filter_map(command).find(|entry| entry.addressee().is_some())?;
        let reference = facts.reference();
        let pointed = pointed_at(facts);
        let completes: Vec<&str> = completes.iter().map(String::as_str).collect();
        let own = facts.if_own(facts.words());
        let texts = || completes.iter().chain(&pointed).copied().chain([own]);
        let ground = Ground::of(facts.reading(), &texts().collect::<Vec<_>>(), &[], &[], &reference);
        let said = OwnWords::of(texts());
        Some(Self { said, ground, reference, records, untrusted: &sources.untrusted, facts })
    }

    /// Judges the values of one action, after what the turn has told already.
    pub async fn judge(
        &self,
        brain: &Brain,
        entry: &dyn Entry,
        stakes: Stakes,
        planned: &PlannedAction,
        told: &DisclosedSoFar,
    ) -> OutgoingJudgement {
        let Some(addressee) = entry.addressee() else { return OutgoingJudgement::default() };
        // What changes something without a yes is asked about where it holds anybody's words.
        let is_shown = stakes == Stakes::High;
        let knows = !entry.writes() || is_shown;
        let from_there = |text: &&UntrustedText| text.source == addressee.source && text.kept_in.is_none() && knows;
        let before = self.facts.history.iter().flat_map(|message| &message.actions);
        let there = before.filter(|past| past.service == planned.service);
        let meant = MeantToTell {
            said: &self.said,
            ground: &self.ground,
            reference: &self.reference,
            given: self.untrusted.iter().filter(from_there).map(UntrustedText::as_read).collect(),
            told: there.flat_map(|past| leaves_of(&past.params)).collect(),
            records: self.records,
        };
        let title = visible(addressee.title);
        let named = || leaves_of(&planned.params).into_iter().filter(|leaf| meant.is_named(leaf)).collect();
        let names = || if knows { GoesBack::Names(addressee.source.to_owned(), named()) } else { GoesBack::Nothing };
        match meant.telling(entry, &addressee, &planned.params, told) {
            Telling::Meant(_) if entry.writes() && is_shown => {
                OutgoingJudgement { back: names(), ..OutgoingJudgement::default() }
            }
            Telling::Meant(after) => OutgoingJudgement {
                after: Some(after),
                back: GoesBack::All(addressee.source.to_owned()),
                ..OutgoingJudgement::default()
            },
            // A card that is shown anyway names what is the person's own.
            Telling::Unsaid(unsaid) => {
                let mut notes = Vec::new();
                for UnsaidLeaf { value, record } in unsaid {
                    let record = match record {
                        None => meant.found_in(&value, &self.own_data(brain, &value).await),
                        known => known,
                    };
                    if !is_shown || record.is_some() {
                        notes.push(note(brain, &value, record.as_deref(), &title));
                    }
                }
                OutgoingJudgement { needs_a_yes: true, notes, back: names(), ..OutgoingJudgement::default() }
            }
            Telling::TooMuch if is_shown => OutgoingJudgement { back: names(), ..OutgoingJudgement::default() },
            Telling::TooMuch => OutgoingJudgement {
                needs_a_yes: true,
                back: names(),
                notes: vec![format!("that is more than I choose by myself in one go, and it goes to {title}")],
                ..OutgoingJudgement::default()
            },
        }
    }
}

impl OutgoingValues<'_> {
    /// What services know that this value may stand in, beyond what was in sight; nothing where they do not answer.
    async fn own_data(&self, brain: &Brain, value: &str) -> Vec<String> {
        let wanted =
            ContextRequest { message: value.to_owned(), limit: limits::CONTEXT_FACTS_MAX, in_sight_from: None };
        let time_out = Duration::from_millis(limits::CONTEXT_FETCH_MS);
        let mut lines = Vec::new();
        for service in brain.services.now().iter().filter(|one| one.service.context_role() != ContextRole::None) {
            let noticed = tokio::time::timeout(time_out, service.service.notice(&self.facts.ctx, &wanted)).await;
            let noticed = noticed.ok().and_then(Result::ok).unwrap_or_default().into_iter();
            let own = noticed.filter(|item| item.untrusted.is_empty());
            lines.extend(own.map(|item| format!("{}: {}", service.info.name, item.line)));
        }
        lines
    }
}

impl OutgoingJudgement {
    /// Whether a value is words of whoever is told, which may go back there.
    pub fn goes_back(&self, taint: &Taint) -> bool {
        let is_of = |source: &String| *source == taint.source && taint.kept_in.is_none();
        match &self.back {
            GoesBack::Nothing => false,
            GoesBack::All(source) => is_of(source),
            GoesBack::Names(source, names) => is_of(source) && names.contains(&taint.value),
        }
    }
}

/// Where it would go, and in what of the person's own it stands.
fn note(brain: &Brain, value: &str, record: Option<&str>, title: &str) -> String {
    let value = quoted(value, limits::TOLD_CHARS_MAX);
    match record {
        Some(record) => format!("{value} is from your {}, and it goes to {title}", named(brain, record)),
        None => format!("you didn't say {value}, and it goes to {title}"),
    }
}

/// A record of the person's own as a card names it: its service, and what it is called there.
fn named(brain: &Brain, record: &str) -> String {
    let (whose, line) = record.split_once(": ").unwrap_or(("", record));
    let service = whose.split(' ').next().unwrap_or_default();
    let services = brain.services.now();
    let title = services.find(service).map(|found| found.info.title.to_lowercase());
    let called = line.split_once(": ").map_or(line, |(called, _)| called);
    let called = quoted(&shorten(called, limits::TOLD_CHARS_MAX), limits::TOLD_CHARS_MAX);
    format!("{} {called}", title.unwrap_or_else(|| "data".to_owned()))
}

/// What the person points at: what they quote, what a number or a pronoun was found to mean, and what they said right
/// before where this message goes on with that. Not all of an answer that they reply to: there may be more in it.
fn pointed_at(facts: &TurnFacts) -> Vec<&str> {
    let quote = facts.incoming.quote.as_deref().filter(|quote| !quote.trim().is_empty());
    let label = facts.pointed_at().map(|pointed| pointed.label.as_str());
    let goes_on = Ground::points_at_something(facts.words());
    let before = facts.own_messages().next_back().filter(|_| goes_on).map(|message| message.text.as_str());
    quote.into_iter().chain(label).chain(before).collect()
}
