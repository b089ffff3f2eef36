//! Scenarios: messages typed into a world of its own, judged by the state that they leave behind.
//!
//! ```text
//! {"name","area","now":"2026-03-11T09:00:00Z","tz","start":{service:[items]},
//!  "say":["a message", {"press":"approve"|"cancel"}],
//!  "expect":{service:{"added":[items],"changed":[items],"removed":[items]},"sent":[{"to","subject","body"}]},
//!  "asks"?:true,"says"?:["15:00|3 pm"]}
//! ```
//! - `area`: task, calendar, email, notes, memory, contacts, mixed, question, condition, chat, outside, conversation.
//! - Items and their fields: [`crate::eval::example`]. The person is `me@example.com`; `now` does not move.
//! - A press is of the newest open card; where there is none nothing happens, and that is noted.
//! - `expect` names what changes and nothing else. Of an item it gives the fields that matter; a changed one is named
//!   by its first field, and a field of it that changed and is not given counts as something else that happened. A
//!   value may be `{"any":[…]}` (one of them) or `{"has":[…]}` (each occurs in it).
//! - `asks`: right is a question or a card, and nothing changed. `says`: right is a last answer in which each occurs;
//!   `|` stands between alternatives.
//!
//! | verdict  | means |
//! |----------|-------|
//! | right    | what was expected, all of it and nothing else |
//! | proposed | nothing wrong happened, and one tap on the first choice of what it offered does all of it and nothing else |
//! | question | nothing wrong happened; it asked, or what is missing waits on a card for a yes |
//! | refused  | nothing wrong happened, and it said that it did not understand or cannot |
//! | nothing  | it was asked for something, and answered with small talk |
//! | wrong    | something else happened, or something of it was left out and nobody said so |
//!
//! An offer is taken, and the cards that follow it approved, after the row has ended and only where something is still
//! missing; what it would do that nobody expected counts as proposed wrongly, and the verdict stays what it was.
//!
//! In reading order: [`row`] (the format), [`world`] (playing a row), [`happened`] (what changed), [`fits`] (is that
//! what was expected?), [`judge`]. Every row is played by the pipeline itself; mail reaches nobody.

mod fits;
mod happened;
mod judge;
mod row;
mod world;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt as _;

use super::report::{EvalReport, MissDetail, Tally};
use super::{EvalError, Measured, Sample, Who, rows};
use brain_app::config::Config;
use brain_core::core::turn::Done;
use brain_core::limits;
use brain_core::ports::{Stage, TokenPrice};
use judge::JudgedRow;
use row::Scenario;
use rows::EvalLine;
use world::PlayError;

/// A row that was played.
struct Played {
    judged: JudgedRow,
    dones: Vec<Done>,
    answers: Vec<String>,
    took: Duration,
}

/// Plays every row of a file, several at once.
pub(super) async fn measure(
    file: &Path,
    sample: Option<Sample>,
    who: Who,
    config: &Config,
) -> Result<EvalReport, EvalError> {
    let lines: Vec<EvalLine<Scenario>> = rows::read(file, sample, Scenario::parse)?;
    let config = Arc::new(configured(who, config));
    let model = config.models.get(&Stage::Plan).or_else(|| config.models.values().next());
    let mut tally = Tally::new(Measured::Scenario, model.map(|endpoint| endpoint.model.as_str()));
    let failed = |line: usize, why: String| EvalError::World { file: file.display().to_string(), line, why };
    let folders = tempfile::tempdir().map_err(EvalError::Folder)?;
    let playing = lines.into_iter().map(|EvalLine { number, row }| {
        let folder = folders.path().join(number.to_string());
        let playing = tokio::spawn(played(row, Arc::clone(&config), folder));
        async move { (number, playing.await) }
    });
    let at_once = if model.is_some() { limits::EVAL_WORLDS_BY_MODEL_MAX } else { limits::EVAL_WORLDS_MAX };
    let mut playing = futures::stream::iter(playing).buffered(at_once);
    while let Some((number, played)) = playing.next().await {
        let (row, played) = played.map_err(|cause| failed(number, cause.to_string()))?;
        let Played { judged, dones, answers, took } = played.map_err(|cause| failed(number, cause.to_string()))?;
        let aside = MissDetail { name: row.name.clone(), answers };
        tally.add(number, &row.said(), judged.verdict(&row), took, &dones, Some(aside));
    }
    Ok(tally.report(price(&config)))
}

/// Whether a line can be read, and what it begins with put into a world.
pub(super) fn check(line: &str) -> Result<(), String> {
    let row = Scenario::parse(line)?;
    let folder = tempfile::tempdir().map_err(|cause| cause.to_string())?;
    row.start.put_files(folder.path(), &row.place.owner).map_err(|cause| cause.to_string())
}

async fn played(row: Scenario, config: Arc<Config>, folder: PathBuf) -> (Scenario, Result<Played, PlayError>) {
    let begun = Instant::now();
    let played = world::play(&row, &config, &folder).await.map(|outcome| {
        let judged = judge::judge(&row, &outcome);
        let (dones, answers) = outcome.turns.into_iter().map(|turn| (turn.done, turn.answers)).unzip();
        let answers: Vec<Vec<String>> = answers;
        Played { judged, dones, answers: answers.concat(), took: begun.elapsed() }
    });
    (row, played)
}

fn configured(who: Who, config: &Config) -> Config {
    match who {
        Who::Configured => config.clone(),
        Who::BuiltIn => Config { models: Default::default(), model_fallback: None, ..config.clone() },
    }
}

/// Of the planner's tokens, which are most of them.
fn price(config: &Config) -> Option<TokenPrice> {
    config.prices.get(&Stage::Plan).copied()
}
