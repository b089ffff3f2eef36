//! Receipts: what became of each action, said by code.

use brain_core::core::history::ItemRef;
use brain_core::core::markup::GUTTER;
use brain_core::core::outcome::{Outcome, Status};
use brain_core::core::plan::Action;
use brain_core::core::run::{Run, RunOrigin, StepProgress};
use brain_core::core::text::{shorten, visible};
use brain_core::limits;
use brain_language::language::time::Reference;
use brain_services::services::catalog::registry::Registry;
use brain_services::services::contract::command::Receipt;
use brain_services::services::contract::rows::FoundRows;

/// How `respond` and receipts see a turn.
#[derive(Debug, Default)]
pub struct Results {
    /// For the person: one a step.
    pub receipts: Vec<String>,
    /// For the model: the same in plain terms, waiting cards included.
    pub facts: Vec<String>,
    /// Which of the receipts are of what was only looked at.
    pub looks: Vec<usize>,
    /// True when at least one write succeeded or may have.
    pub changed: bool,
    /// What each of those does, in the words of its command.
    pub done: Vec<String>,
    /// The things that were touched or listed.
    pub items: Vec<ItemRef>,
    /// Something happened that a receipt alone does not answer: a look, a failure, something that was left out.
    pub wants_words: bool,
}

impl Results {
    /// The ids of what a model was told of, and what it is called.
    pub fn items(&self) -> impl Iterator<Item = (&str, &str)> {
        self.items.iter().map(|ItemRef { id, label }| (id.as_str(), label.as_str()))
    }

    /// Receipts and facts of a finished run.
    pub fn add_run(&mut self, services: &Registry, reference: &Reference, run: &Run) {
        for step in &run.steps {
            if let StepProgress::Done { outcome } = &step.progress {
                let (mut receipt, wrote) = self::receipt(services, &step.action, outcome, reference);
                // What a card would have pointed out is pointed out here.
                if run.origin == RunOrigin::Turn && wrote {
                    for note in &step.action.notes {
                        receipt.push_str(&format!("\n   ℹ️ {}", visible(note)));
                    }
                }
                let status = format!("{:?}", outcome.status()).to_lowercase();
                let told = shorten(&receipt, limits::FACT_CHARS);
                let found = found(services, &step.action, outcome).join("\n");
                let found = shorten(&found, limits::FACT_ROWS_CHARS);
                let all = [told, found].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
                self.facts.push(format!("{} {status}: {all}", step.action.name()));
                self.looks.extend((!wrote).then_some(self.receipts.len()));
                self.receipts.push(receipt);
                self.changed |= wrote;
                if wrote {
                    let entry = services.command(&step.action.service, &step.action.command);
                    self.done.push(entry.map(|entry| entry.summary().to_owned()).unwrap_or_default());
                }
                self.wants_words |= !wrote || outcome.status() != Status::Succeeded;
            }
        }
    }

    /// The receipts below words that answer: of what was only looked at the beginning, and every warning.
    pub fn below_words(&self) -> String {
        let lines = limits::LOOK_LINES_BELOW_WORDS / self.looks.len().max(1);
        let folded = |(at, receipt): (usize, &String)| match self.looks.contains(&at) {
            true => folded(receipt, lines.max(limits::LOOK_LINES_MIN)),
            false => receipt.clone(),
        };
        self.receipts.iter().enumerate().map(folded).collect::<Vec<_>>().join("\n")
    }

    /// Something that did not come to be done, in words.
    pub fn add_remark(&mut self, remark: String) {
        self.wants_words = true;
        self.facts.push(format!("not done: {remark}"));
        self.receipts.push(remark);
    }
}

/// What a model is told of a result beside its receipt: the rows of what was looked at, the id of what was made.
/// What a tool of a server says is told as it is.
fn found(services: &Registry, action: &Action, outcome: &Outcome) -> Vec<String> {
    let Outcome::Succeeded { result } = outcome else { return Vec::new() };
    let Some(entry) = services.of(action).filter(|entry| entry.definition().is_none()) else { return Vec::new() };
    if entry.writes() {
        let made = entry.made(action, result).filter(|made| !made.id.is_empty());
        return made.map(|made| format!("(its id: {})", made.id)).into_iter().collect();
    }
    FoundRows::of(result).lines()
}

/// The first lines of a text, and those that warn.
fn folded(text: &str, first: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_kept = |(at, line): &(usize, &&str)| *at < first || line.contains('⚠');
    let kept: Vec<&str> = lines.iter().enumerate().filter(is_kept).map(|(_, line)| *line).collect();
    match lines.len() - kept.len() {
        0 => text.to_owned(),
        more => format!("{}\n… and {more} more", kept.join("\n")),
    }
}

/// The receipt of one outcome, and whether it changed, or may have changed, anything.
pub fn receipt(services: &Registry, action: &Action, outcome: &Outcome, reference: &Reference) -> (String, bool) {
    // A service that left since then wrote, for all that anybody knows.
    let entry = services.of(action);
    let entry = entry.as_deref();
    let wrote = entry.is_none_or(|entry| entry.writes()) && outcome.status() != Status::Failed;
    let named = || format!("do “{}”", action.name());
    let deed = || entry.map_or_else(named, |entry| visible(&entry.attempt(action)));
    let text = match outcome {
        Outcome::Succeeded { result } => entry.map_or_else(
            || {
                format!(
                    "Done: “{}”. Its service is not set up here any more, so I can't say what came of it.",
                    action.name()
                )
            },
            |entry| entry.receipt(result, &Receipt { action, reference }),
        ),
        Outcome::Failed { why } => format!("❗ I could not {}: {}", deed(), sentence(why)),
        Outcome::Unknown { why } => format!("❓ I can't tell whether I managed to {}: {}", deed(), sentence(why)),
    };
    (text, wrote)
}

fn sentence(why: &str) -> String {
    let why = why.trim();
    // Behind the last line of a frame a mark would be a part of it, perhaps of an address.
    let is_framed = why.lines().next_back().is_some_and(|last| last.starts_with(GUTTER));
    if is_framed || why.ends_with(['.', '!', '?', ')']) { why.to_owned() } else { format!("{why}.") }
}
