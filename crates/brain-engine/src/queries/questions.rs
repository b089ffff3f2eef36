//! Costly questions that wait for a yes: what waits, and in words what looking into it would cost. They are listed
//! beside the cards and decided there as they are; each is an offer. Not here: asking, and looking.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::View;
use super::offers::{OFFER, Offer, Offered};
use crate::investigate::estimate::{CostEstimate, StagePrices, estimate};
use brain_core::core::ids::{ChatId, PendingId, UserId};
use brain_core::core::text::{shorten, visible};
use brain_core::limits;
use brain_core::ports::{RecordExt, StoreError};

/// A costly question that waits for the yes of whoever asked it.
#[derive(Debug, Clone, PartialEq)]
pub struct CostlyQuestion {
    /// Of its offer; beside cards it stands for the id of one.
    pub id: PendingId,
    /// The only person whose yes counts.
    pub owner: UserId,
    /// The chat in which it was asked.
    pub chat: ChatId,
    /// In their own words.
    pub question: String,
    /// What looking into it would cost.
    pub estimate: CostEstimate,
    /// When it was asked.
    pub at: DateTime<Utc>,
    /// Until when it waits.
    pub until: DateTime<Utc>,
}

impl CostlyQuestion {
    fn of(offer: Offer, prices: &StagePrices) -> Option<Self> {
        let Offer { id, owner, chat, until, what } = offer;
        match what {
            Offered::Investigation { question, graph, at, .. } => {
                let estimate = estimate(&graph.nodes, prices);
                Some(Self { id: PendingId::new(id), owner, chat, question, estimate, at, until })
            }
            Offered::Actions { .. } | Offered::Readings { .. } | Offered::Answers { .. } | Offered::Redo { .. } => None,
        }
    }

    /// What it asks, in a few words.
    pub fn title(&self) -> String {
        format!("look into “{}”", visible(&shorten(&self.question, limits::ACTION_NAMED_CHARS)))
    }

    /// As a list names it: what, for how much, until when, its id.
    pub fn line(&self, zone: Tz) -> String {
        let until = self.until.with_timezone(&zone).format("%a %-d %b %H:%M");
        format!("{} (about {}) — until {until} · {}", self.title(), costs(&self.estimate), self.id)
    }
}

/// The questions that wait, of everybody or of one person in one chat, oldest first.
pub async fn waiting(view: &View<'_>, of: Option<(&UserId, &ChatId)>) -> Result<Vec<CostlyQuestion>, StoreError> {
    let offers = view.moment.list_all::<Offer>(&[OFFER]).await?.into_iter();
    let offers = offers.filter(|offer| match of {
        Some((owner, chat)) => offer.is_open_to(owner, chat, view.now),
        None => view.now <= offer.until,
    });
    let mut waiting: Vec<CostlyQuestion> = offers.filter_map(|offer| CostlyQuestion::of(offer, view.prices)).collect();
    waiting.sort_by(|a, b| (a.at, a.id.as_str()).cmp(&(b.at, b.id.as_str())));
    Ok(waiting)
}

/// The one of this id, if it waits.
pub async fn one(view: &View<'_>, id: &str) -> Result<Option<CostlyQuestion>, StoreError> {
    Ok(waiting(view, None).await?.into_iter().find(|waiting| waiting.id.as_str() == id))
}

/// An estimate in words.
pub fn costs(estimate: &CostEstimate) -> String {
    format!(
        "{} things, {} model calls, {} tokens, {:.0} seconds, ${:.2}",
        estimate.items,
        estimate.calls,
        estimate.tokens(),
        estimate.seconds,
        estimate.usd
    )
}
