//! One line of the file.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::Value;

use super::super::rows::{instant, json, zone};
use crate::eval::example::{Belongings, Fields, Furnishing, Whereabouts, fields_of};
use brain_app::channel::console::chat_of;
use brain_core::core::ids::UserId;

/// Who talks.
const OWNER: &str = "me";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioRow {
    name: String,
    area: Area,
    now: String,
    tz: Option<String>,
    #[serde(default)]
    start: Belongings,
    say: Vec<PersonStep>,
    #[serde(default)]
    expect: BTreeMap<String, Value>,
    #[serde(default)]
    asks: bool,
    #[serde(default)]
    says: Vec<String>,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Area {
    Task,
    Calendar,
    Email,
    Notes,
    Memory,
    Contacts,
    /// Several services in one message.
    Mixed,
    /// Wants an answer only.
    Question,
    Condition,
    Chat,
    /// Nothing that can be done here.
    Outside,
    /// Several turns.
    Conversation,
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// What the person does.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum PersonStep {
    Words(String),
    Press { press: Pressed },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Pressed {
    Approve,
    Cancel,
}

/// How something changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChangeKind {
    Added,
    Changed,
    Removed,
    /// Went out as mail.
    Sent,
}

/// Something that shall happen.
#[derive(Debug, Clone)]
pub(super) struct ExpectedChange {
    /// Empty for what is sent.
    pub(super) service: String,
    pub(super) kind: ChangeKind,
    pub(super) item: Fields,
}

/// A row.
#[derive(Debug, Clone)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) area: Area,
    pub(super) place: Whereabouts,
    pub(super) start: Furnishing,
    pub(super) say: Vec<PersonStep>,
    pub(super) expect: Vec<ExpectedChange>,
    pub(super) asks: bool,
    pub(super) says: Vec<String>,
}

impl Scenario {
    pub(super) fn parse(line: &str) -> Result<Self, String> {
        let wire: ScenarioRow = json(line)?;
        if wire.say.is_empty() {
            return Err("nothing is said".to_owned());
        }
        let place = place(instant(&wire.now)?, zone(wire.tz.as_deref())?);
        let start = wire.start.furnish(&place)?;
        let expect = expected(wire.expect)?;
        if wire.asks && !expect.is_empty() {
            return Err("what shall be asked about cannot change anything".to_owned());
        }
        let ScenarioRow { name, area, say, asks, says, .. } = wire;
        Ok(Self { name, area, place, start, say, expect, asks, says })
    }

    /// Everything that is said, on one line.
    pub(super) fn said(&self) -> String {
        let said = self.say.iter().map(|said| match said {
            PersonStep::Words(words) => words.clone(),
            PersonStep::Press { press: Pressed::Approve } => "[approve]".to_owned(),
            PersonStep::Press { press: Pressed::Cancel } => "[cancel]".to_owned(),
        });
        said.collect::<Vec<_>>().join(" / ")
    }
}

fn place(now: DateTime<Utc>, zone: Tz) -> Whereabouts {
    Whereabouts { owner: UserId::new(OWNER), chat: chat_of(OWNER), now, zone }
}

fn expected(expect: BTreeMap<String, Value>) -> Result<Vec<ExpectedChange>, String> {
    let mut all = Vec::new();
    for (service, changes) in expect {
        let wrong = |cause: serde_json::Error| format!("what is expected of {service}: {cause}");
        if service == "sent" {
            let mails: Vec<Fields> = serde_json::from_value(changes).map_err(wrong)?;
            for item in mails {
                known(&item, "a sent mail", &["to", "subject", "body"])?;
                all.push(ExpectedChange { service: String::new(), kind: ChangeKind::Sent, item });
            }
            continue;
        }
        let fields = fields_of(&service).ok_or_else(|| format!("there is no service {service}"))?;
        let changes: serde_json::Map<String, Value> = serde_json::from_value(changes).map_err(wrong)?;
        for (kind, items) in changes {
            let kind: ChangeKind = serde_json::from_value(Value::String(kind)).map_err(wrong)?;
            let items: Vec<Fields> = serde_json::from_value(items).map_err(wrong)?;
            for item in items {
                known(&item, &service, fields)?;
                all.push(ExpectedChange { service: service.clone(), kind, item });
            }
        }
    }
    Ok(all)
}

fn known(item: &Fields, of: &str, fields: &[&str]) -> Result<(), String> {
    match item.keys().find(|field| !fields.contains(&field.as_str())) {
        Some(unknown) => Err(format!("{of} has no “{unknown}”")),
        None => Ok(()),
    }
}
