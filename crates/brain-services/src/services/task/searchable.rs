//! Tasks, for questions over everything a person has.

use async_trait::async_trait;

use super::indexes;
use super::indexes::due_at;
use super::record::{NAME, Task, TaskStatus};
use super::service::TaskService;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::{
    FoundItem, FoundItems, Freshness, ItemFilter, ItemKind, ItemMark, ItemText, Searchable,
};
use crate::services::contract::show::Moment;
use crate::services::helpers::finding::Finder;
use crate::services::helpers::items::Item;
use brain_core::core::text::shorten;
use brain_core::limits::{FOUND_ITEMS_MAX, SNIPPET_CHARS_MAX};
use brain_core::ports::{RecordExt, Scan};

#[async_trait]
impl Searchable for TaskService {
    fn kind(&self) -> ItemKind {
        ItemKind::Task
    }

    async fn find_items(&self, ctx: &RequestContext, filter: &ItemFilter) -> Result<FoundItems, ServiceError> {
        // Nobody takes part in it.
        if !filter.people.is_empty() {
            return Ok(FoundItems::default());
        }
        let found = |task: &Task| {
            let item = item(task);
            let in_time = filter.until.is_none_or(|until| item.at.is_some_and(|at| at < until));
            (in_time && filter.allows(&item.marks)).then_some(item)
        };
        if !filter.words.is_empty() {
            let finder = Finder { store: &self.store, index: &self.index, ctx };
            return finder.about(filter, found).await;
        }
        let owner = ctx.owner.as_str();
        let scan = |limit| {
            let scan = Scan::by(&indexes::BY_DUE, &[owner, indexes::OPEN], limit);
            filter.until.map_or(scan.clone(), |until| scan.before(due_at(owner, Some(until))))
        };
        let tasks = self.store.list::<Task>(scan(FOUND_ITEMS_MAX)).await?;
        let mut items: Vec<FoundItem> = tasks.iter().filter_map(|(task, _)| found(task)).collect();
        let behind = self.store.count(scan(usize::MAX)).await?.saturating_sub(tasks.len());
        let more = behind + items.len().saturating_sub(filter.limit);
        items.truncate(filter.limit);
        Ok(FoundItems { items, more, gap: None })
    }

    async fn freshness(&self, ctx: &RequestContext) -> Option<Freshness> {
        Freshness::of_records::<Task>(self.store.as_ref(), &ctx.owner)
    }

    async fn read_items(&self, ctx: &RequestContext, ids: &[String]) -> Result<Vec<ItemText>, ServiceError> {
        let finder = Finder { store: &self.store, index: &self.index, ctx };
        finder.read(ids, |task: &Task| text(task)).await
    }
}

fn text(task: &Task) -> String {
    [task.title.as_str(), task.description.as_deref().unwrap_or_default()].join("\n").trim().to_owned()
}

fn item(task: &Task) -> FoundItem {
    let due = task.due_moment();
    let marks = [
        (task.status == TaskStatus::Open, ItemMark::Open),
        (task.status == TaskStatus::Done, ItemMark::Done),
        (task.repeat.is_some(), ItemMark::Repeats),
        (matches!(due, Some(Moment::Day(_))), ItemMark::WholeDay),
    ];
    FoundItem {
        service: NAME.to_owned(),
        id: task.id.clone(),
        kind: ItemKind::Task,
        title: task.title.clone(),
        at: due.map(|due| due.start(task.zone).to_utc()),
        until: None,
        people: Vec::new(),
        snippet: shorten(task.description.as_deref().unwrap_or_default(), SNIPPET_CHARS_MAX),
        marks: marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect(),
        untrusted: task.untrusted(),
    }
}
