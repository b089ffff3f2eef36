//! Which open tasks may be what somebody reports as done.

use async_trait::async_trait;

use super::complete::CompleteTask;
use super::record::{NAME, Task, TaskStatus};
use super::service::TaskService;
use crate::services::contract::capabilities::{OpenItems, OpenThing};
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::finding::Finder;
use crate::services::helpers::items::Item;
use crate::services::helpers::reported;
use crate::services::helpers::search::WordQuery;
use crate::services::helpers::texts::brief;
use brain_core::core::plan::PlannedAction;
use brain_core::limits::RESULT_ROWS_MAX;
use brain_language::language::requests::{ReportKind, StateReport};

#[async_trait]
impl OpenItems for TaskService {
    async fn told_of(&self, ctx: &RequestContext, report: &StateReport) -> Result<Vec<OpenThing>, ServiceError> {
        if report.kind == ReportKind::Reopen {
            return Ok(Vec::new());
        }
        let finder = Finder { store: &self.store, index: &self.index, ctx };
        let looked = finder.named::<Task>(&WordQuery::new(&report.what), RESULT_ROWS_MAX).await?;
        let mut open: Vec<&Task> = looked.held.iter().map(|(task, _)| task).collect();
        open.retain(|task| task.status == TaskStatus::Open);
        open.sort_by_key(|task| (task.nearness(ctx), task.id.clone()));
        let told = |task: &&Task| {
            Some(OpenThing {
                id: task.id.clone(),
                part: None,
                label: format!("Mark “{}” as done", brief(&task.title)),
                fit: reported::fit(&task.title, report)?,
                untrusted: task.untrusted(),
            })
        };
        Ok(open.iter().filter_map(told).collect())
    }

    fn settling(&self, things: &[OpenThing], _: ReportKind) -> Vec<PlannedAction> {
        let find_by = things.iter().map(|thing| thing.id.clone());
        find_by.map(|find_by| planned(NAME, &CompleteTask { find_by })).collect()
    }
}
