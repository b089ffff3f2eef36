//! From words to values: people become addresses, times become instants, descriptions become the one item
//! meant. All of it is done by code; what is not certain is asked, never guessed.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::times::{half_of, settle_time};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::card::show_address;
use brain_core::core::plan::{Action, Params, PlannedAction, Target};
use brain_core::core::provenance::{self, UntrustedText};
use brain_core::core::text::{grouped, quoted};
use brain_core::limits::{NAME_CHARS_MAX, RECIPIENTS_MAX};
use brain_language::language::people;
use brain_language::language::people::{Match, NamedBy, Recipient};
use brain_language::language::time;
use brain_language::language::time::TimeRole;
use brain_services::services::contract::command::Slot;
use brain_services::services::contract::entry::{Entry, ParamError};
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::service::{ItemChoice, Prepared};
use brain_services::services::contract::show::chosen;
use brain_services::services::helpers::address_book::Person;

/// Why a proposal is no action yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Unsettled {
    /// One thing must be asked first.
    Ask {
        /// The question to the person, in words.
        question: String,
        /// Where the answer goes: `param`, or `param=UNCLEAR` for one entry of a list.
        param: String,
        /// Value and label of each choice.
        choices: Vec<(String, String)>,
        /// What of the question is somebody else's words.
        quoted: Vec<UntrustedText>,
        /// Somebody else asks it through us.
        is_relayed: bool,
    },
    /// It is about each of these: what `find_by` must hold.
    Each(Vec<String>),
    /// It cannot be done, and why.
    Impossible(String),
}

/// An action with values, and the texts of others it touches.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// Holds values only: nothing in it is still to be looked up.
    pub action: Action,
    /// What provenance and taint are judged against.
    pub untrusted: Vec<UntrustedText>,
}

/// Settles one proposal, with everybody who could be meant.
pub async fn settle(
    facts: &TurnFacts,
    entry: &dyn Entry,
    planned: &PlannedAction,
    known: &[Person],
) -> Result<Settled, Unsettled> {
    let (reference, now) = (facts.reference(), facts.ctx.reference());
    let params = entry.check(planned.params.clone())?;

    let half = half_of(&entry.called(&params), None);
    let mut people = Recipients::default();
    let mut unclear = None;
    let params = entry.settle(params, &mut |slot| match slot {
        Slot::People { param, value, unaddressed } => people.settle(param, value, unaddressed, known).map_err(|ask| {
            unclear = Some(ask);
            ParamError::Invalid(String::new())
        }),
        other => settle_time(other, &reference, &now, half, None),
    });
    if let Some(ask) = unclear {
        return Err(ask);
    }
    let params = params?;

    let prepared = prepare(facts, entry, params).await;
    let (params, target, mut notes, untrusted) =
        match prepared.map_err(|error| Unsettled::Impossible(error.to_string()))? {
            Prepared::Ready { params, target, notes, untrusted } => (params, target, notes, untrusted),
            Prepared::NotFound { what } => return Err(Unsettled::Impossible(what)),
            Prepared::Every { ids } => return Err(Unsettled::Each(ids)),
            Prepared::Several { param, question, candidates } => return Err(which(param, question, candidates)),
        };

    let half = half_of(&entry.called(&params), target.as_ref());
    let params = entry.settle(params, &mut |slot| match slot {
        Slot::People { .. } => Ok(()),
        other => settle_time(other, &reference, &now, half, target.as_ref()),
    })?;
    let params = entry.complete(params, target.as_ref())?;
    let account = entry.account(facts.owner(), &params, target.as_ref());
    let Recipients { mut names, remarks, .. } = people;
    add_known_names(&params, known, target.as_ref(), &mut names);
    notes.extend(remarks);
    let action = Action {
        service: entry.service().to_owned(),
        command: entry.command().to_owned(),
        schema: entry.definition().map(str::to_owned),
        params,
        target,
        notes,
        names,
        account,
        ..Action::default()
    };
    Ok(Settled { action, untrusted })
}

/// Asks the service; when several items fit the description, a time the person named may tell them apart.
async fn prepare(facts: &TurnFacts, entry: &dyn Entry, params: Params) -> Result<Prepared, ServiceError> {
    let ctx = facts.as_written();
    let times: Vec<&str> = time::find(facts.words(), &ctx.reference())
        .into_iter()
        .filter(|found| found.role != TimeRole::To)
        .filter_map(|found| facts.words().get(found.span))
        .collect();
    entry.prepare(&ctx, params, &times.join(" ")).await
}

impl From<ParamError> for Unsettled {
    fn from(error: ParamError) -> Self {
        match error {
            ParamError::Missing { param, question, choices } => {
                Self::Ask { question, param, choices, quoted: Vec::new(), is_relayed: false }
            }
            ParamError::Asked { param, question, choices, quoted } => {
                Self::Ask { question, param, choices, quoted: vec![*quoted], is_relayed: true }
            }
            told @ (ParamError::Invalid(_) | ParamError::Unfit { .. }) => Self::Impossible(told.to_string()),
        }
    }
}

/// The people that a proposal names.
pub fn people_of(entry: &dyn Entry, params: &Params) -> Vec<String> {
    let mut named = Vec::new();
    // Looking only: nothing is changed here, and what is wrong with the values shows later.
    let _ = entry.settle(params.clone(), &mut |slot| {
        if let Slot::People { value, .. } = slot {
            named.extend(value.iter().cloned());
        }
        Ok(())
    });
    named
}

/// Names and groups that became addresses.
#[derive(Debug, Default)]
struct Recipients {
    /// For the card, by address.
    names: BTreeMap<String, String>,
    /// What is odd about how they were found.
    remarks: Vec<String>,
    /// How many there are, of all parameters.
    count: usize,
}

impl Recipients {
    fn settle(
        &mut self,
        param: &str,
        value: &mut Vec<String>,
        mut unaddressed: Option<&mut Vec<String>>,
        known: &[Person],
    ) -> Result<(), Unsettled> {
        self.refuse_excess(value.iter().collect::<HashSet<_>>().len())?;
        let candidates: Vec<people::Candidate> = known.iter().map(Into::into).collect();
        let (mut addresses, mut seen) = (Vec::new(), HashSet::new());
        for asked in value.iter() {
            // A name that is an address would be read in place of the one that it leads to.
            if provenance::holds_two_addresses(asked) {
                return Err(two_addresses(format!("{param}={asked}"), asked));
            }
            let found = match (people::resolve(asked, &candidates), unaddressed.as_deref_mut()) {
                (Match::One(found), _) => found,
                (Match::Nobody { .. } | Match::NoAddress { .. }, Some(waiting)) => {
                    waiting.push(asked.clone());
                    continue;
                }
                (unclear, _) => return Err(who(format!("{param}={asked}"), unclear, known)),
            };
            self.remarks.extend(members_by_others(asked, &found, known));
            for Recipient { name, email, named_by, .. } in found {
                if named_by == NamedBy::Themself && !asked.contains('@') {
                    self.remarks.push(format!("{} is what {} calls themself", chosen(&name), show_address(&email)));
                }
                if seen.insert(email.clone()) {
                    addresses.push(email.clone());
                }
                if name != email {
                    self.names.insert(email, name);
                }
            }
        }
        self.count += addresses.len();
        self.refuse_excess(0)?;
        *value = addresses;
        Ok(())
    }
}

impl Recipients {
    /// Nothing goes to more people than one mail may have: with `more` of them, before they are looked up.
    fn refuse_excess(&self, more: usize) -> Result<(), Unsettled> {
        let all = self.count + more;
        if all <= RECIPIENTS_MAX {
            return Ok(());
        }
        Err(Unsettled::Impossible(format!(
            "That is {} people, and one mail, invitation or watch takes {RECIPIENTS_MAX} people at most, so nothing was \
             done. Name fewer of them, or use an address that reaches all of them.",
            grouped(all)
        )))
    }
}

/// The question when a recipient is called by another address than theirs.
fn two_addresses(param: String, asked: &str) -> Unsettled {
    let shown = quoted(asked, NAME_CHARS_MAX);
    let question = format!("{shown} holds two addresses. Which one should I use?");
    Unsettled::Ask { question, param, choices: Vec::new(), quoted: Vec::new(), is_relayed: false }
}

/// Those of a group who are in it by somebody else's word.
fn members_by_others(asked: &str, found: &[Recipient], known: &[Person]) -> Vec<String> {
    let groups = people::group_keys(asked);
    let addresses: HashSet<&String> = found.iter().map(|one| &one.email).collect();
    let among = |person: &&Person| person.emails.iter().any(|email| addresses.contains(email));
    let remark = |person: &Person| {
        let is_group = |said: &&UntrustedText| {
            person.groups.contains(&said.text) && groups.contains(&people::group_key(&said.text))
        };
        let said = person.untrusted.iter().find(is_group)?;
        let who = show_address(person.emails.first()?);
        Some(format!("{who} is in {} by {}", chosen(&said.text), said.label()))
    };
    known.iter().filter(among).filter_map(remark).collect()
}

/// The question when a name is not that of exactly one person.
fn who(param: String, unclear: Match, known: &[Person]) -> Unsettled {
    let (question, candidates) = match unclear {
        Match::One(found) => ("Who do you mean?".to_owned(), found),
        Match::Several { asked, candidates } => (format!("Which {asked} do you mean?"), candidates),
        Match::Nobody { asked } => (format!("I don't know “{asked}”. Which mail address should I use?"), Vec::new()),
        Match::NoAddress { name } => {
            (format!("I have no mail address for {name}. Which one should I use?"), Vec::new())
        }
    };
    let shown = |person: &&Person| candidates.iter().any(|r| person.emails.contains(&r.email));
    let quoted = known.iter().filter(shown).flat_map(|person| person.untrusted.iter().cloned()).collect();
    let label = |Recipient { name, email, named_by, .. }: &Recipient| match named_by {
        NamedBy::Person => format!("{name} <{email}>"),
        NamedBy::Themself => format!("{} <{email}>, who calls themself that", chosen(name)),
        NamedBy::Others => format!("{} <{email}>, by a book that others write", chosen(name)),
    };
    let choices = candidates.iter().map(|recipient| (recipient.email.clone(), label(recipient))).collect();
    Unsettled::Ask { question, param, choices, quoted, is_relayed: false }
}

/// Names for addresses that a service filled in.
fn add_known_names(params: &Params, known: &[Person], target: Option<&Target>, names: &mut BTreeMap<String, String>) {
    for (address, name) in target.into_iter().flat_map(|target| &target.names) {
        names.entry(address.clone()).or_insert_with(|| name.clone());
    }
    // The first who has an address is whose it is.
    let held = known.iter().rev().flat_map(|person| person.emails.iter().map(move |email| (email, person)));
    let held: HashMap<String, &Person> = held.map(|(email, person)| (email.to_ascii_lowercase(), person)).collect();
    let lists = params.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    for address in lists {
        if let Some(person) = held.get(&address.to_ascii_lowercase()) {
            names.entry(address.to_owned()).or_insert_with(|| person.name.clone());
        }
    }
}

fn which(param: String, question: String, candidates: Vec<ItemChoice>) -> Unsettled {
    let quoted = candidates.iter().flat_map(|candidate| candidate.untrusted.iter().cloned()).collect();
    let choices = candidates.into_iter().map(|c| (c.id, c.label)).collect();
    Unsettled::Ask { question, param, choices, quoted, is_relayed: false }
}
