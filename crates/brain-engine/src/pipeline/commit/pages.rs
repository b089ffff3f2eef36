//! How a list goes on: the record of its next page, and the button that names it. Not here: going on with it
//! (`stages::assistant::pages`), and where a page ends (each list knows).

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::{Button, Press};
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::plan::PlannedAction;
use brain_core::limits;
use brain_core::ports::{Batch, Expect, Key, Record, StoreError, Table};

const PAGE: &str = "page";
/// Between the place that a page has among those of its chat, and what tells it from earlier ones there.
const BETWEEN: char = '-';
/// How a list goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NextPage {
    /// Its id, on the button.
    pub id: String,
    /// Who may go on with it.
    pub owner: UserId,
    /// Where it was shown.
    pub chat: ChatId,
    /// Until when it can be gone on with.
    pub until: DateTime<Utc>,
    /// What shows it.
    pub what: Continuation,
}

/// What shows the next page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Continuation {
    /// A command of a service.
    Action {
        /// With the place where it goes on among its parameters.
        action: PlannedAction,
    },
    /// A slash command.
    List {
        /// As typed, without the slash.
        name: String,
        /// Where it goes on, in its own words.
        after: String,
    },
    /// What the last investigation of the chat found.
    Findings {
        /// How many of its rows were shown.
        after: usize,
    },
}

impl NextPage {
    /// Where a page is kept.
    pub fn key_of(chat: &ChatId, id: &str) -> Key {
        let place = id.split(BETWEEN).next().unwrap_or_default();
        Key::of(&[PAGE, chat.as_str(), place])
    }
}

impl Record for NextPage {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Self::key_of(&self.chat, &self.id)
    }
}

/// The button for the next page of a list with `rest` more; its record goes into `batch`.
pub fn button(
    brain: &Brain,
    facts: &TurnFacts,
    what: Continuation,
    rest: usize,
    batch: &mut Batch,
) -> Result<Button, StoreError> {
    let is_page = |key: &Key| key.parts().first() == Some(&PAGE);
    let others = batch.changes.iter().filter(|change| change.table == Table::Meta && is_page(&change.key)).count();
    let place = (facts.state.next_message + others as u64) % limits::PAGES_KEPT;
    let id = format!("{place}{BETWEEN}{}", brain.new_id());
    let button = Button::new(format!("Show {} more", rest.min(limits::LIST_ROWS_MAX)), &Press::More(id.clone()));
    let until = facts.ctx.now + Duration::seconds(limits::PAGE_SECS);
    // The page that had this place before is too old by now.
    batch.put(&NextPage { id, owner: facts.owner().clone(), chat: facts.chat().clone(), until, what }, Expect::Any)?;
    Ok(button)
}
