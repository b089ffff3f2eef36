//! `list`: show tasks.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{NAME, Task};
use super::service::TaskService;
use super::view::TaskView;
use super::{indexes, schedule};
use crate::services::contract::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages::{self, Page};
use crate::services::contract::show::{self, Paging};
use crate::services::helpers::items::{self, Item};
use crate::services::helpers::search::WordQuery;
use crate::services::helpers::texts;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::ports::Scan;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::ClauseReading;
use brain_language::language::terms;

/// Which tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// Still to do.
    #[serde(alias = "pending", alias = "todo")]
    Open,
    /// Done.
    #[serde(alias = "completed")]
    Done,
    /// Both.
    All,
}

/// Show tasks.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTasks {
    status: Option<Which>,
    /// A day counts whole.
    due_before: Option<String>,
    /// Words of title or description.
    text: Option<String>,
    /// Where a page goes on; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    after: Option<String>,
}

/// Some of a person's tasks, by deadline.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tasks {
    tasks: Vec<TaskView>,
    /// By what they are in order.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    order: String,
    /// How many more there are.
    more: usize,
    /// What the next page goes on after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl ListTasks {
    fn paging<'a>(&'a self, output: &'a Tasks) -> Paging<'a> {
        Paging { after: self.after.as_deref(), next: output.next.as_deref(), more: output.more }
    }
}

impl Command for ListTasks {
    type Output = Tasks;

    const NAME: &'static str = "list";
    const SUMMARY: &'static str = "show tasks";
    const EXAMPLE: &'static str = "What's on my to-do list today?";
    const STATUS: &'static str = "Looking through your tasks…";
    const STAKES: Stakes = Stakes::Low;

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let value = self.due_before.as_mut();
        value
            .map(|value| Slot::Time { param: "due_before", value, base: Base::Now, past: PastTimes::Fine })
            .into_iter()
            .collect()
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Show your tasks?")
    }

    fn receipt(&self, output: &Tasks, receipt: &Receipt<'_>) -> String {
        let lines = output.tasks.iter().map(|task| task.line(receipt.reference)).collect();
        let place = self.paging(output);
        match (place.after, output.tasks.is_empty()) {
            (None, true) => match texts::filled(self.text.as_deref()) {
                Some(text) => format!("I found no task like “{}”.", texts::brief(&text)),
                None => "Nothing on your list. 🎉".to_owned(),
            },
            (None, false) => format!("Your tasks:\n{}", show::page(lines, place)),
            (Some(_), _) => show::page(lines, place),
        }
    }

    fn listed(&self, output: &Tasks) -> Vec<ItemRef> {
        output.tasks.iter().map(TaskView::named).take(pages::shown(self.after.as_deref())).collect()
    }

    fn attempt(&self, _: &Action) -> String {
        "look up your tasks".to_owned()
    }

    fn next_page(&self, output: &Tasks) -> Option<(usize, Self)> {
        let (status, due_before, text) = (self.status, self.due_before.clone(), self.text.clone());
        pages::rest(self.paging(output), output.tasks.len())
            .map(|(rest, after)| (rest, Self { status, due_before, text, after: Some(after) }))
    }
}

#[async_trait]
impl Handle<ListTasks> for TaskService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, ListTasks>) -> Result<Completed<Tasks>, ServiceError> {
        let Invocation { ctx, command, .. } = call;
        let bound =
            texts::filled(command.due_before.as_deref()).map(|text| schedule::moment(&text, ctx)).transpose()?;
        let states: &[&str] = match command.status.unwrap_or(Which::Open) {
            Which::Open => &[indexes::OPEN],
            Which::Done => &[indexes::DONE],
            Which::All => &[indexes::OPEN, indexes::DONE],
        };
        let owner = ctx.owner.as_str();
        let scan = |state: &&str| {
            let scan = Scan::by(&indexes::BY_DUE, &[owner, state], usize::MAX);
            match bound {
                Some(bound) => scan.before(indexes::due_behind(owner, state, bound, ctx.zone)),
                None => scan,
            }
        };
        let scans = states.iter().map(scan).collect();
        let after = command.after.as_deref();
        let Page { rows, more, next } = match texts::filled(command.text.as_deref()) {
            Some(text) => {
                let query = WordQuery::new(&text);
                pages::picked(&self.store, scans, after, |task: &Task| says(task, &query)).await?
            }
            None => pages::page::<Task>(&self.store, scans, after, pages::shown(after)).await?,
        };
        let tasks = rows.iter().map(|task| task.view(ctx)).collect();
        Ok(Completed::read(Tasks { tasks, order: "by deadline, what has none last".to_owned(), more, next })
            .holding(items::untrusted(&rows)))
    }
}

/// Whether a task says all words of a description that tell things apart.
fn says(task: &Task, query: &WordQuery) -> bool {
    let of = |text: &str| terms::stems(&terms::fold(text));
    let said = [of(&task.title), of(task.description.as_deref().unwrap_or_default())].concat();
    query.strong.iter().all(|word| said.contains(&terms::stem(word)))
}

/// A question about tasks, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    // A priority alone tells of the task before.
    if said.priority().is_some() && said.clause_ids().len() == 1 {
        return Built::No;
    }
    let mut action = said.action(NAME, "list");
    if let Some(when) = said.moment("", &[]) {
        set(&mut action, "due_before", Some(when.text));
    }
    Built::Act(action)
}
