//! Taking facts in again: what was forgotten since stays forgotten, what somebody else wrote stays theirs, and a rule is
//! one when the person says so here.

use std::collections::HashSet;

use serde_json::Value;

use super::record::{Memory, NAME, TOLD};
use super::service::MemoryService;
use super::store::{RULE, StoreFact};
use crate::services::contract::archived::Imported;
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::items;
use brain_core::core::text::shorten;
use brain_core::limits::{FORMER_VALUES_MAX, IMPORTED_RULE_CHARS_MAX};
use brain_core::ports::records::Tombstone;
use brain_core::ports::{Record as _, RecordExt as _};
use brain_language::language::terms;

/// Characters of a rule that is only named.
const BRIEF_CHARS: usize = 60;

impl MemoryService {
    /// Looks at facts of an archive. A fact of a name that is known here already is here.
    pub(super) async fn imported(&self, ctx: &RequestContext, records: Vec<Value>) -> Result<Imported, ServiceError> {
        let here = self.store.list_all::<Memory>(&[ctx.owner.as_str()]).await?;
        let names: HashSet<String> = here.iter().map(|fact| terms::fold(&fact.key)).collect();
        let (mut wanted, mut other) = (Vec::new(), Imported::default());
        for record in records {
            let id = record["id"].as_str().unwrap_or_default();
            let same = here.iter().find(|fact| fact.id == id);
            let tombstone = Tombstone::key_of(&ctx.owner, id);
            if items::is_id(id) && self.store.get(Tombstone::TABLE, &tombstone).await?.is_some() {
                other.forgotten_texts.extend(gone(&record, same));
                if same.is_none() {
                    other.forgotten += 1;
                    continue;
                }
            }
            if same.is_none() && is_own_rule(&record) {
                other.propose(&record, &here);
                continue;
            }
            let name = record["key"].as_str().map(terms::fold);
            if same.is_none() && name.is_some_and(|name| names.contains(&name)) {
                other.here += 1;
                continue;
            }
            wanted.push(record);
        }
        let (imported, _) = items::import::<Memory>(self.store.as_ref(), ctx, wanted, mend).await?;
        let Imported { forgotten, forgotten_texts, proposed, .. } = other;
        let (here, unread) = (imported.here + other.here, [imported.unread, other.unread].concat());
        Ok(Imported { here, forgotten, forgotten_texts, proposed, unread, ..imported })
    }
}

/// Whether a fact would be a rule that is gone by: whoever wrote the archive says that the person said so.
fn is_own_rule(record: &Value) -> bool {
    let is_rule = record["category"].as_str().is_some_and(|category| category.trim().to_lowercase() == RULE);
    let has_others = record["others"].as_array().is_some_and(|others| !others.is_empty());
    is_rule && !has_others && record["source"] == TOLD
}

impl Imported {
    /// Has a rule offered, where it is none here already.
    fn propose(&mut self, record: &Value, here: &[Memory]) {
        let said = |field: &str| record[field].as_str().map(str::trim).filter(|text| !text.is_empty());
        let is_here =
            |said: &str| here.iter().any(|fact| is_rule(fact) && fact.others.is_empty() && fact.value == said);
        match said("key").zip(said("value")) {
            Some((_, rule)) if rule.chars().count() > IMPORTED_RULE_CHARS_MAX => {
                self.unread.push(format!("“{}”: it is too long for a rule", shorten(rule, BRIEF_CHARS)));
            }
            Some((_, rule)) if is_here(rule) => self.here += 1,
            Some((key, rule)) => {
                self.proposed.push((rule.to_owned(), planned(NAME, &StoreFact::rule(key, rule))));
            }
            None => self.unread.push("a rule that says nothing".to_owned()),
        }
    }
}

fn is_rule(fact: &Memory) -> bool {
    fact.category.trim().to_lowercase() == RULE
}

/// What a fact of an archive says, or said before, and does not say here any more.
fn gone(record: &Value, here: Option<&Memory>) -> Vec<String> {
    let former = record["former"].as_array().into_iter().flatten();
    let said = former.chain([&record["value"]]).filter_map(Value::as_str);
    let stays = here.map(|fact| fact.value.as_str());
    said.filter(|said| Some(*said) != stays).map(str::to_owned).collect()
}

fn mend(fact: &mut Memory) -> Result<(), String> {
    if [&fact.category, &fact.key, &fact.value].iter().any(|text| text.trim().is_empty()) {
        return Err("it says nothing".to_owned());
    }
    fact.former.drain(..fact.former.len().saturating_sub(FORMER_VALUES_MAX));
    // Where it is from says whose it is, too.
    if fact.others.is_empty() && fact.source != TOLD {
        fact.others.write("value", &fact.value, Some(fact.source.clone()));
    }
    Ok(())
}
