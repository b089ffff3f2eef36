//! `text⇥ALTERNATIVES`: sets of services joined by `|`, services within a set by `+`, `chat` for the empty set.
//! Right is an answer that equals one of them, whole.

use std::collections::BTreeSet;

use chrono::DateTime;

use super::asker::Asker;
use super::rows::columns;
use super::wrong::Wrong;
use super::{EvalRow, RowVerdict};
use brain_core::core::turn::Done;
use brain_core::ports::StoreError;
use brain_language::language::requests::ParseInput;
use brain_language::language::routing;
use brain_language::language::time::{DateOrder, Reference};
use brain_services::services::across::filling::BUILDERS;

type Domains = BTreeSet<String>;

#[derive(Debug)]
pub(super) struct RouteExample {
    text: String,
    /// At least one.
    alternatives: Vec<Domains>,
}

const CHAT: &str = "chat";

fn parse_set(text: &str) -> Result<Domains, String> {
    if text == CHAT {
        return Ok(Domains::new());
    }
    let domains: Domains = text.split('+').map(|name| name.trim().to_owned()).collect();
    match domains.iter().find(|name| name.is_empty() || *name == CHAT) {
        None => Ok(domains),
        Some(_) => Err(format!("“{text}” is no set such as task, calendar+email or chat")),
    }
}

fn show(domains: &Domains) -> String {
    if domains.is_empty() {
        return CHAT.to_owned();
    }
    domains.iter().map(String::as_str).collect::<Vec<_>>().join("+")
}

impl EvalRow for RouteExample {
    type Answer = Domains;

    fn parse(line: &str) -> Result<Self, String> {
        let (text, label) = columns(line)?;
        let alternatives = label.split('|').map(|set| parse_set(set.trim())).collect::<Result<_, _>>()?;
        Ok(Self { text, alternatives })
    }

    fn input(&self) -> &str {
        &self.text
    }

    /// Where a message belongs does not depend on when it is written.
    fn built_in(&self) -> Domains {
        let reference = Reference { now: DateTime::UNIX_EPOCH, zone: chrono_tz::UTC, order: DateOrder::DayFirst };
        let hearing = ParseInput::new(&self.text, &reference, BUILDERS);
        routing::route(&hearing).domains.into_iter().collect()
    }

    async fn ask(&self, asker: &Asker) -> Result<(Domains, Done), StoreError> {
        let (domains, done) = asker.route(&self.text).await?;
        Ok((domains.into_iter().collect(), done))
    }

    /// A right answer is counted under the alternative it equals, a wrong one under the first.
    fn judge(&self, answer: &Domains) -> RowVerdict {
        let equal = self.alternatives.iter().find(|set| *set == answer);
        let class = equal.or(self.alternatives.first()).map(show).unwrap_or_default();
        RowVerdict {
            is_right: equal.is_some(),
            class,
            got_class: show(answer),
            expected: self.alternatives.iter().map(show).collect::<Vec<_>>().join("|"),
            got: show(answer),
            wrong: equal.is_none().then(|| self.wrong(answer)),
            is_proposed_wrongly: false,
        }
    }
}

impl RouteExample {
    /// The mildest kind over the alternatives.
    fn wrong(&self, answer: &Domains) -> Wrong {
        let kind = |wanted: &Domains| match (wanted.is_subset(answer), answer.is_subset(wanted)) {
            (true, _) if wanted.is_empty() => Wrong::Mood,
            (true, _) => Wrong::Invented,
            (false, true) => Wrong::Dropped,
            (false, false) => Wrong::OtherCommand,
        };
        self.alternatives.iter().map(kind).max().unwrap_or(Wrong::OtherCommand)
    }
}
