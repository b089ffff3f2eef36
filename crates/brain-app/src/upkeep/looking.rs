//! Everything that people keep is read once in a while, so that what cannot be read is found by us and not missed by
//! them: an index lists only what could be read.

use std::collections::BTreeSet;

use brain_core::core::ids::UserId;
use brain_core::ports::{Key, Order, Scan, StoreError, Table};
use brain_engine::pipeline::brain::Brain;

/// Whose records begin with their owner.
const OWNED: [Table; 6] = [Table::Tasks, Table::Events, Table::Notes, Table::Memories, Table::Contacts, Table::Watches];

/// Reads what the services keep of everybody; what cannot be read is set aside by that.
pub(super) async fn through(brain: &Brain) -> Result<(), StoreError> {
    let mut owners = BTreeSet::new();
    for table in OWNED {
        owners.extend(first_parts(brain, table).await?);
    }
    for owner in owners.into_iter().map(UserId::new) {
        for service in brain.services.now().iter() {
            if let Err(error) = service.service.export(&owner).await {
                tracing::warn!(%error, "what a service keeps could not be read through");
            }
        }
    }
    Ok(())
}

/// The first parts of a table's keys, each once, without reading what is behind them.
pub(super) async fn first_parts(brain: &Brain, table: Table) -> Result<Vec<String>, StoreError> {
    let mut found: Vec<String> = Vec::new();
    let mut after = None;
    loop {
        let scan = Scan { table, by: None, prefix: None, before: None, after, order: Order::Ascending, limit: 1 };
        let Some((key, _)) = brain.store.scan(scan).await?.pop() else { return Ok(found) };
        let first = key.parts().first().map_or_else(String::new, |part| (*part).to_owned());
        after = Some(Key::of(&[&first, &char::MAX.to_string()]).max(key));
        found.push(first);
    }
}
