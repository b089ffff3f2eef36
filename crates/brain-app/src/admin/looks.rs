//! What the operator looks at from the command line without deciding anything ([`overview`]), and what the shadow made
//! of turns.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Response, shadow};
use brain_core::ports::StoreError;
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::show::overview::{self, Overview};

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "look", rename_all = "lowercase")]
pub enum OperatorView {
    /// The last turns.
    Turns {
        /// At most so many.
        limit: usize,
    },
    /// What turns took and models cost.
    Stats,
    /// Who is served.
    Users,
    /// What the shadow made of turns.
    Shadow {
        /// At most so many.
        limit: usize,
    },
    /// Takes one of the last kept turns again, and says which.
    Replay {
        /// How many of them are to be taken.
        limit: usize,
        /// Those that began later are left out.
        until: DateTime<Utc>,
        /// So many were taken before.
        taken: usize,
    },
}

/// Looks.
pub async fn look(brain: &Brain, look: OperatorView) -> Response {
    let looked = async {
        let view = brain.view().await?;
        match look {
            OperatorView::Turns { limit } => overview::of_turns(&view, limit).await.map(Response::from),
            OperatorView::Stats => overview::of_figures(brain, &view).await.map(Response::from),
            OperatorView::Users => overview::of_people(brain, &view).await.map(Response::from),
            OperatorView::Shadow { limit } => shadow::report(&view, limit, brain.shadow.is_some()).await,
            OperatorView::Replay { limit, until, taken } => {
                let next = shadow::next(&view, limit, until, taken).await?;
                drop(view);
                shadow::replay(brain, next, taken).await
            }
        }
    };
    looked.await.unwrap_or_else(|error: StoreError| Response::refused(error.to_string()))
}

impl From<Overview> for Response {
    fn from(Overview { records, text }: Overview) -> Self {
        Self { ok: true, records, text }
    }
}
