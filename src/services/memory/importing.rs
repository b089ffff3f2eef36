//! Taking facts in again: what was forgotten since stays forgotten, and what somebody else wrote stays theirs.

use std::collections::HashSet;

use serde_json::Value;

use super::record::{Memory, TOLD};
use super::service::MemoryService;
use crate::language::terms;
use crate::limits::FORMER_VALUES_MAX;
use crate::ports::records::Tombstone;
use crate::ports::{Record as _, RecordExt as _};
use crate::services::archived::Imported;
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
use crate::services::items;

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
            let name = record["key"].as_str().map(terms::fold);
            if same.is_none() && name.is_some_and(|name| names.contains(&name)) {
                other.here += 1;
                continue;
            }
            wanted.push(record);
        }
        let (imported, _) = items::import::<Memory>(self.store.as_ref(), ctx, wanted, mend).await?;
        let Imported { forgotten, forgotten_texts, .. } = other;
        Ok(Imported { here: imported.here + other.here, forgotten, forgotten_texts, ..imported })
    }
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
