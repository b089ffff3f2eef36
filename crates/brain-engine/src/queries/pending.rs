//! Pending actions: one, those of a chat, and pages of those that are open. Not here: deciding them
//! (`pipeline::consent`).

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::View;
use brain_core::core::digest::Digest;
use brain_core::core::ids::{ChatId, PendingId, UserId};
use brain_core::core::markup::Formatted;
use brain_core::core::pending::{Pending, State};
use brain_core::core::plan::{Action, Params};
use brain_core::limits;
use brain_core::ports::records::{Audit, CARDS_BY_OWNER, PendingOpen};
use brain_core::ports::{Key, Reader, Record as _, RecordExt, Scan, StoreError, Stored, from_stored};
use brain_services::services::catalog::cards;

/// The open cards of a chat.
#[derive(Debug, Default)]
pub struct OpenCards {
    /// Those that can be read, oldest first.
    pub cards: Vec<Pending>,
    /// The index entries of those that cannot, and their revisions.
    pub broken: Vec<(PendingOpen, u64)>,
    /// Whether there is one beside `cards`, broken or of a newer program: then nothing is the only open card.
    pub is_one_hidden: bool,
}

/// The open cards of a chat, as this reader sees them.
pub async fn open_cards(reader: &impl Reader, chat: &ChatId) -> Result<OpenCards, StoreError> {
    let scan = Scan::of::<PendingOpen>(&[chat.as_str()], limits::PENDING_OPEN_MAX);
    let index = reader.list::<PendingOpen>(scan).await?;
    let mut open = OpenCards::default();
    for (entry, revision) in index {
        match pending(reader, &entry.id).await {
            Ok(pending) => open.cards.extend(pending.map(|(card, _)| card).filter(|card| card.state.is_open())),
            Err(StoreError::Unreadable { .. }) => open.broken.push((entry, revision)),
            Err(StoreError::NewerRecord { .. }) => open.is_one_hidden = true,
            Err(error) => return Err(error),
        }
    }
    open.is_one_hidden |= !open.broken.is_empty();
    // Cards made at the same instant are in the order in which they were shown.
    open.cards.sort_by_key(|pending| (pending.created_at, pending.last_card_message()));
    Ok(open)
}

/// A pending action and its revision, as this reader sees it.
pub async fn pending(reader: &impl Reader, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
    reader.load::<Pending>(&Key::of(&[id.as_str()])).await
}

/// The same for whoever only shows or tells something: nothing is there when it cannot be read.
pub async fn readable(reader: &impl Reader, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
    match pending(reader, id).await {
        Err(error) if error.is_of_one_record() => Ok(None),
        other => other,
    }
}

/// A page of the index of what is open.
#[derive(Debug)]
pub struct OpenPage {
    /// Oldest first in each chat.
    pub entries: Vec<PendingOpen>,
    /// What the next page begins behind; `None` on the last one.
    pub next: Option<Key>,
}

/// A page of what is open, in one chat or in all of them.
pub async fn open_page(
    view: &View<'_>,
    chat: Option<&ChatId>,
    after: Option<Key>,
    limit: usize,
) -> Result<OpenPage, StoreError> {
    let scan = Scan { after, ..scan_of(chat, limit) };
    let entries: Vec<PendingOpen> =
        view.moment.list::<PendingOpen>(scan).await?.into_iter().map(|(entry, _)| entry).collect();
    let next = entries.last().filter(|_| entries.len() == limit).map(PendingOpen::key);
    Ok(OpenPage { entries, next })
}

/// How many are open behind a place.
pub async fn open_behind(view: &View<'_>, chat: Option<&ChatId>, after: Option<Key>) -> Result<usize, StoreError> {
    view.moment.count(Scan { after, ..scan_of(chat, usize::MAX) }).await
}

/// Which cards are looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct CardFilter {
    /// Where they are in their life.
    pub state: State,
    /// Whose.
    pub owner: Option<UserId>,
    /// In which chat.
    pub chat: Option<ChatId>,
}

impl CardFilter {
    fn takes(&self, card: &Pending) -> bool {
        card.state == self.state
            && self.owner.as_ref().is_none_or(|owner| card.owner == *owner)
            && self.chat.as_ref().is_none_or(|chat| card.chat == *chat)
    }

    /// What is looked through, in order: an index of the owner's cards in that state; what is open, by chat; else the
    /// audit, newest first, which tells when which card came to a state.
    fn scan(&self, from: Option<Key>, limit: usize) -> Scan {
        let state = self.state.to_string();
        match (&self.owner, self.state.is_open()) {
            (Some(owner), true) => Scan { after: from, ..Scan::by(&CARDS_BY_OWNER, &[owner.as_str(), &state], limit) },
            (Some(owner), false) => {
                Scan { before: from, ..Scan::by(&CARDS_BY_OWNER, &[owner.as_str(), &state], limit).newest_first() }
            }
            (None, true) => Scan { after: from, ..scan_of(self.chat.as_ref(), limit) },
            (None, false) => Scan { before: from, ..Scan::of::<Audit>(&[], limit).newest_first() },
        }
    }

    /// The card behind what a scan gave.
    async fn card_of(&self, view: &View<'_>, stored: &Stored) -> Result<Option<Pending>, StoreError> {
        if self.owner.is_some() {
            return Ok(from_stored::<Pending>(stored).ok());
        }
        let id = match self.state.is_open() {
            true => from_stored::<PendingOpen>(stored).ok().map(|entry| entry.id),
            false => {
                let row = from_stored::<Audit>(stored).ok().filter(|row| row.state == Some(self.state));
                row.and_then(|row| row.pending)
            }
        };
        let Some(id) = id else { return Ok(None) };
        Ok(readable(&view.moment, &id).await?.map(|(card, _)| card))
    }
}

/// A page of what a filter lets through.
#[derive(Debug)]
pub struct FilteredCards {
    /// At most as many as were asked for.
    pub cards: Vec<Pending>,
    /// Records that were looked at for it.
    pub looked_at: usize,
    /// Behind which the next page begins; `None`: there is nothing more.
    pub next: Option<Key>,
}

/// A page of the cards that fit: those that wait oldest first (in each chat, where no owner is named), those that were
/// decided newest first. It ends where it is full, or where [`limits::FILTER_LOOKED_AT_MAX`] records were looked at.
pub async fn filtered(
    view: &View<'_>,
    filter: &CardFilter,
    from: Option<Key>,
    limit: usize,
) -> Result<FilteredCards, StoreError> {
    let mut page = FilteredCards { cards: Vec::new(), looked_at: 0, next: from };
    loop {
        let part = view.moment.scan(filter.scan(page.next.take(), limit)).await?;
        let is_last = part.len() < limit;
        for (key, stored) in part {
            page.looked_at += 1;
            let card = filter.card_of(view, &stored).await?.filter(|card| filter.takes(card));
            page.cards.extend(card);
            page.next = Some(key);
            if page.cards.len() == limit || page.looked_at == limits::FILTER_LOOKED_AT_MAX {
                return Ok(page);
            }
        }
        if is_last {
            page.next = None;
            return Ok(page);
        }
    }
}

fn scan_of(chat: Option<&ChatId>, limit: usize) -> Scan {
    match chat {
        Some(chat) => Scan::of::<PendingOpen>(&[chat.as_str()], limit),
        None => Scan::of::<PendingOpen>(&[], limit),
    }
}

/// A pending action as `--json` and a page show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CardView {
    /// Of the pending action.
    pub id: PendingId,
    /// Where it is in its life.
    pub state: State,
    /// Whose yes it waits for.
    pub user: UserId,
    /// What executes, in order.
    pub actions: Vec<ActionView>,
    /// All of its messages, as its owner sees them; why it cannot be shown where it is too long.
    pub card: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Until when it can be decided.
    pub expires_at: DateTime<Utc>,
    /// What a yes is bound to.
    pub digest: Digest,
    /// In a few words.
    #[serde(skip)]
    pub title: String,
}

/// An action of a card.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionView {
    /// The name it is registered under.
    pub service: String,
    /// The command's name within the service.
    pub command: String,
    /// The values of its parameters, by name.
    pub params: Params,
}

impl From<&Action> for ActionView {
    fn from(action: &Action) -> Self {
        Self { service: action.service.clone(), command: action.command.clone(), params: action.params.clone() }
    }
}

/// A pending action as it is shown.
pub async fn card(view: &View<'_>, pending: &Pending) -> Result<CardView, StoreError> {
    let reference = view.reference(&pending.owner).await?;
    let texts = cards::texts(view.services, pending, &reference);
    let in_one = |texts: Vec<Formatted>| texts.iter().map(Formatted::with_gutters).collect::<Vec<_>>().join("\n\n");
    Ok(CardView {
        id: pending.id.clone(),
        state: pending.state,
        user: pending.owner.clone(),
        actions: pending.actions.iter().map(ActionView::from).collect(),
        card: texts.map_or_else(|too_long| too_long.to_string(), in_one),
        created_at: pending.created_at,
        expires_at: pending.expires_at,
        digest: pending.digest.clone(),
        title: cards::title(view.services, pending),
    })
}
