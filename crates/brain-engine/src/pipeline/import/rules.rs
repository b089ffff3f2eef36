//! Rules of an archive, offered to the person one by one.
//!
//! Invariants: none is in force by itself, whoever the archive says it is by; each is shown whole, in a message of its own
//! whose button keeps exactly it; what is offered already is not offered again. Not here: what a rule is (whoever keeps
//! facts says so), and taking an offer.

use chrono::Duration;
use sha2::{Digest as _, Sha256};

use super::Proposed;
use super::report::ImportReport;
use crate::pipeline::brain::Brain;
use crate::queries::offers::{Offer, Offered};
use brain_core::core::button::{Button, Press};
use brain_core::core::ids::{UserId, short_id};
use brain_core::core::plan::PlannedAction;
use brain_core::core::text::visible;
use brain_core::core::turn::Reply;
use brain_core::limits::{IMPORTED_RULES_MAX, OFFER_SECS};
use brain_core::ports::records::Show;
use brain_core::ports::{Batch, Expect, RecordExt as _, StoreError};
use brain_services::services::contract::context::RequestContext;

const LABEL: &str = "📏 Go by it";

/// Offers these in the private chat; they are shown there when somebody is.
pub(super) async fn offered(
    brain: &Brain,
    ctx: &RequestContext,
    rules: Proposed,
    report: &mut ImportReport,
) -> Result<(), StoreError> {
    let (mut shows, mut batch) = (Vec::new(), Batch::default());
    for (said, action) in rules {
        if report.proposed.len() == IMPORTED_RULES_MAX {
            report.proposed_over += 1;
            continue;
        }
        let offer = offer_of(ctx, &said, action);
        report.proposed.push(said.clone());
        let there = brain.store.load::<Offer>(&Offer::key_of(&offer.id)).await?;
        let expect = match there {
            Some((there, _)) if there.until >= ctx.now => continue,
            Some((_, revision)) => Expect::Revision(revision),
            None => Expect::Absent,
        };
        let button = Button::new(LABEL, &Press::Offer { id: offer.id.clone(), choice: 0 });
        let text = format!(
            "An archive that was taken in for you holds a rule: “{}”\n\nI don't go by it. If it is yours, tap below within \
             a day; else leave it.",
            visible(&said)
        );
        shows.push(Show::Send(Reply { text, buttons: vec![vec![button]], ..Reply::default() }));
        batch.put(&offer, expect)?;
    }
    if shows.is_empty() { Ok(()) } else { brain.commit_told(&ctx.chat, shows, batch).await }
}

fn offer_of(ctx: &RequestContext, said: &str, action: PlannedAction) -> Offer {
    Offer {
        id: id_of(&ctx.owner, said),
        owner: ctx.owner.clone(),
        chat: ctx.chat.clone(),
        until: ctx.now + Duration::seconds(OFFER_SECS),
        what: Offered::Actions { actions: vec![action], untrusted: Vec::new() },
    }
}

/// The same for the same rule, so that an archive that is taken in twice asks once.
fn id_of(owner: &UserId, said: &str) -> String {
    let digest = Sha256::new().chain_update(owner.as_str()).chain_update([0]).chain_update(said).finalize();
    let bits = digest.iter().take(16).fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    short_id(bits)
}
