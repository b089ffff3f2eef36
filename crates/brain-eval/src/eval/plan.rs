//! `{"text","now","tz","expect":[{"service","command","params":{…subset}}],"history"?}`: the actions a message asks
//! for. An empty `expect` means that nothing may be planned; a question back is no plan.
//!
//! `history` holds the earlier messages of the person, oldest first: each a text, or `{"said","actions"}` with
//! what was done then (`{"service","command","params"?,"item"?:{"id","label"}}`).
//!
//! Every row is expected to be `plan`; what was got is `right`, `wrong` or `none`.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::asker::Asker;
use super::rows::{instant, json, zone};
use super::{EvalRow, RowVerdict, alike};
use brain_adapters::search::plain::PlainIndex;
use brain_adapters::store::MemoryStore;
use brain_core::core::history::{ItemRef, PastAction};
use brain_core::core::plan::{Params, PlannedAction};
use brain_core::core::turn::Done;
use brain_core::ports::StoreError;
use brain_core::ports::{Index, Store};
use brain_language::language::requests;
use brain_language::language::requests::{ParseInput, Past, Understood};
use brain_language::language::time::{DateOrder, Reference};
use brain_services::services;
use brain_services::services::across::filling::BUILDERS;
use brain_services::services::catalog::registry::Services;
use brain_services::services::email::mailbox::mailboxes::Mailboxes;

/// The built-in services over nothing: only their commands are looked at.
pub(super) static CATALOG: LazyLock<Arc<Services>> = LazyLock::new(|| {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let index: Arc<dyn Index> = Arc::new(PlainIndex::new(store.clone(), Vec::new()));
    let mailboxes = Mailboxes::new(Path::new(""), None, index.clone());
    services::built_in(&store, &index, &mailboxes, Default::default(), None).0.now()
});

#[derive(Debug, Deserialize)]
struct PlanRow {
    text: String,
    now: String,
    tz: Option<String>,
    expect: Vec<ExpectedAction>,
    #[serde(default)]
    history: Vec<PlanWords>,
}

/// One expected action; parameters that are not named may be anything.
#[derive(Debug, Deserialize)]
pub(super) struct ExpectedAction {
    pub(super) service: String,
    pub(super) command: String,
    #[serde(default)]
    pub(super) params: Params,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum PlanWords {
    Words(String),
    Turn {
        said: String,
        #[serde(default)]
        actions: Vec<Did>,
    },
}

#[derive(Debug, Deserialize)]
struct Did {
    service: String,
    command: String,
    #[serde(default)]
    params: Params,
    item: Option<Thing>,
}

#[derive(Debug, Deserialize)]
struct Thing {
    id: String,
    label: String,
}

#[derive(Debug)]
pub(super) struct PlanExample {
    pub(super) text: String,
    pub(super) reference: Reference,
    pub(super) history: Vec<Past>,
    pub(super) expect: Vec<ExpectedAction>,
}

impl From<PlanWords> for Past {
    fn from(said: PlanWords) -> Self {
        match said {
            PlanWords::Words(said) => Self { said, actions: Vec::new() },
            PlanWords::Turn { said, actions } => Self { said, actions: actions.into_iter().map(Into::into).collect() },
        }
    }
}

impl From<Did> for PastAction {
    fn from(did: Did) -> Self {
        let Did { service, command, params, item } = did;
        let item = item.map(|Thing { id, label }| ItemRef { id, label });
        Self { service, command, params, item, ..Self::default() }
    }
}

impl EvalRow for PlanExample {
    type Answer = Vec<PlannedAction>;

    fn parse(line: &str) -> Result<Self, String> {
        let wire: PlanRow = json(line)?;
        let zone = zone(wire.tz.as_deref())?;
        let reference = Reference { now: instant(&wire.now)?, zone, order: DateOrder::usual_in(zone) };
        if let Some(unknown) = wire.expect.iter().find(|e| CATALOG.command(&e.service, &e.command).is_none()) {
            return Err(format!("there is no command {}.{}", unknown.service, unknown.command));
        }
        let history = wire.history.into_iter().map(Into::into).collect();
        Ok(Self { text: wire.text, reference, history, expect: wire.expect })
    }

    fn input(&self) -> &str {
        &self.text
    }

    fn built_in(&self) -> Vec<PlannedAction> {
        let hearing = ParseInput { history: &self.history, ..ParseInput::new(&self.text, &self.reference, BUILDERS) };
        match requests::plan(&hearing, &[]) {
            Understood::Plan { plan, condition: None, .. } => plan.actions,
            Understood::Plan { .. }
            | Understood::Ask { .. }
            | Understood::Which { .. }
            | Understood::Partly { .. }
            | Understood::NotUnderstood { .. }
            | Understood::SmallTalk
            | Understood::TooMuch => Vec::new(),
        }
    }

    async fn ask(&self, asker: &Asker) -> Result<(Vec<PlannedAction>, Done), StoreError> {
        asker.plan(self).await
    }

    fn judge(&self, answer: &Vec<PlannedAction>) -> RowVerdict {
        let is_right = alike::alike(&CATALOG, &self.expect, answer, &self.reference);
        let got_class = match (is_right, answer.is_empty()) {
            (true, _) => "right",
            (false, true) => "none",
            (false, false) => "wrong",
        };
        RowVerdict {
            is_right,
            class: "plan".to_owned(),
            got_class: got_class.to_owned(),
            expected: show(self.expect.iter().map(|e| (&e.service, &e.command, &e.params))),
            got: show(answer.iter().map(|a| (&a.service, &a.command, &a.params))),
            wrong: (got_class == "wrong").then(|| alike::wrong(&CATALOG, &self.expect, answer, &self.reference)),
            is_proposed_wrongly: false,
        }
    }
}

fn show<'a>(actions: impl Iterator<Item = (&'a String, &'a String, &'a Params)>) -> String {
    let shown: Vec<String> = actions
        .map(|(service, command, params)| format!("{service}.{command} {}", serde_json::json!(params)))
        .collect();
    if shown.is_empty() { "nothing".to_owned() } else { shown.join("; ") }
}
