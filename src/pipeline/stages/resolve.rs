//! From words to values: people become addresses, times become instants, descriptions become the one item
//! meant. All of it is done by code; what is not certain is asked, never guessed.

use std::collections::BTreeMap;

use serde_json::Value;

use super::times::{half_of, settle_time};
use crate::core::plan::{Action, Params, PlannedAction, Target};
use crate::core::provenance::UntrustedText;
use crate::language::people;
use crate::language::people::{Match, Recipient};
use crate::language::time;
use crate::language::time::TimeRole;
use crate::pipeline::turn::Turn;
use crate::services::command::Slot;
use crate::services::entry::{Entry, ParamError};
use crate::services::error::ServiceError;
use crate::services::service::{ItemChoice, Person, Prepared};

/// Why a proposal is no action yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Unsettled {
    /// One thing must be asked first.
    Ask {
        /// What to ask.
        question: String,
        /// Where the answer goes: `param`, or `param=UNCLEAR` for one entry of a list.
        param: String,
        /// Value and label of each choice.
        choices: Vec<(String, String)>,
    },
    /// It cannot be done, and why.
    Impossible(String),
}

/// An action with values, and the texts of others it touches.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The action.
    pub action: Action,
    /// For taint.
    pub untrusted: Vec<UntrustedText>,
}

/// Settles one proposal.
pub async fn settle(turn: &Turn<'_>, entry: &dyn Entry, planned: &PlannedAction) -> Result<Settled, Unsettled> {
    let (reference, now) = (turn.reference(), turn.ctx.reference());
    let params = entry.check(planned.params.clone())?;
    let known = if needs_people(entry, &params) { everybody(turn).await? } else { Vec::new() };

    let half = half_of(&entry.called(&params), None);
    let mut names = BTreeMap::new();
    let mut unclear = None;
    let params = entry.settle(params, &mut |slot| match slot {
        Slot::People { param, value } => settle_people(param, value, &known, &mut names).map_err(|ask| {
            unclear = Some(ask);
            ParamError::Invalid(String::new())
        }),
        other => settle_time(other, &reference, &now, half, None),
    });
    if let Some(ask) = unclear {
        return Err(ask);
    }
    let params = params?;

    let prepared = prepare(turn, entry, params).await;
    let (params, target, notes, untrusted) = match prepared.map_err(|error| Unsettled::Impossible(error.to_string()))? {
        Prepared::Ready { params, target, notes, untrusted } => (params, target, notes, untrusted),
        Prepared::NotFound { what } => return Err(Unsettled::Impossible(what)),
        Prepared::Several { param, question, candidates } => return Err(which(param, question, candidates)),
    };

    let half = half_of(&entry.called(&params), target.as_ref());
    let params = entry.settle(params, &mut |slot| match slot {
        Slot::People { .. } => Ok(()),
        other => settle_time(other, &reference, &now, half, target.as_ref()),
    })?;
    let params = entry.complete(params, target.as_ref())?;
    add_known_names(&params, &known, target.as_ref(), &mut names);
    let action = Action {
        service: entry.service().to_owned(),
        command: entry.command().to_owned(),
        params,
        target,
        notes,
        names,
        ..Action::default()
    };
    Ok(Settled { action, untrusted })
}

/// Asks the service; when several items fit the description, a time the person named may tell them apart.
async fn prepare(turn: &Turn<'_>, entry: &dyn Entry, params: Params) -> Result<Prepared, ServiceError> {
    let ctx = turn.as_written();
    let times: Vec<&str> = time::find(turn.words(), &ctx.reference())
        .into_iter()
        .filter(|found| found.role != TimeRole::To)
        .filter_map(|found| turn.words().get(found.span))
        .collect();
    entry.prepare(&ctx, params, &times.join(" ")).await
}

impl From<ParamError> for Unsettled {
    fn from(error: ParamError) -> Self {
        match error {
            ParamError::Missing { param, question, choices } => Self::Ask { question, param, choices },
            told @ (ParamError::Invalid(_) | ParamError::Unfit { .. }) => Self::Impossible(told.to_string()),
        }
    }
}

fn needs_people(entry: &dyn Entry, params: &Params) -> bool {
    let mut needed = false;
    // Looking only: nothing is changed here, and what is wrong with the values shows later.
    let _ = entry.settle(params.clone(), &mut |slot| {
        if let Slot::People { value, .. } = slot {
            needed |= !value.is_empty();
        }
        Ok(())
    });
    needed
}

async fn everybody(turn: &Turn<'_>) -> Result<Vec<Person>, Unsettled> {
    turn.brain.people.people(turn.owner()).await.map_err(|error| Unsettled::Impossible(error.to_string()))
}

/// Names and groups become addresses; the names are kept for the card.
fn settle_people(
    param: &str,
    value: &mut Vec<String>,
    known: &[Person],
    names: &mut BTreeMap<String, String>,
) -> Result<(), Unsettled> {
    let candidates: Vec<people::Candidate> = known.iter().map(Into::into).collect();
    let mut addresses: Vec<String> = Vec::new();
    for asked in value.iter() {
        let at = || format!("{param}={asked}");
        match people::resolve(asked, &candidates) {
            Match::One(found) => {
                for Recipient { name, email, .. } in found {
                    if !addresses.contains(&email) {
                        addresses.push(email.clone());
                    }
                    if name != email {
                        names.insert(email, name);
                    }
                }
            }
            Match::Several { asked, candidates } => {
                let choices =
                    candidates.into_iter().map(|r| (r.email.clone(), format!("{} <{}>", r.name, r.email))).collect();
                return Err(Unsettled::Ask { question: format!("Which {asked} do you mean?"), param: at(), choices });
            }
            Match::Nobody { asked } => {
                let question = format!("I don't know “{asked}”. Which mail address should I use?");
                return Err(Unsettled::Ask { question, param: at(), choices: Vec::new() });
            }
            Match::NoAddress { name } => {
                let question = format!("I have no mail address for {name}. Which one should I use?");
                return Err(Unsettled::Ask { question, param: at(), choices: Vec::new() });
            }
        }
    }
    *value = addresses;
    Ok(())
}

/// Names for addresses that a service filled in.
fn add_known_names(params: &Params, known: &[Person], target: Option<&Target>, names: &mut BTreeMap<String, String>) {
    for (address, name) in target.into_iter().flat_map(|target| &target.names) {
        names.entry(address.clone()).or_insert_with(|| name.clone());
    }
    let lists = params.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    for address in lists {
        let has_it = |person: &&Person| person.emails.iter().any(|email| email.eq_ignore_ascii_case(address));
        if let Some(person) = known.iter().find(has_it) {
            names.entry(address.to_owned()).or_insert_with(|| person.name.clone());
        }
    }
}

fn which(param: String, question: String, candidates: Vec<ItemChoice>) -> Unsettled {
    Unsettled::Ask { question, param, choices: candidates.into_iter().map(|c| (c.id, c.label)).collect() }
}
