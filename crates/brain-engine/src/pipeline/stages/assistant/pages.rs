//! Pages: what shows a part of a list says how much more there is, and goes on where it ended when its button is
//! pressed, or when it is asked for in a word right below it.
//!
//! What comes next is a record, [`NextPage`]: a command of a service, or a list of ours; the button names it.
//! Invariants: only its owner goes on with a list, in its chat; a page begins behind the last thing that was shown, not
//! at a number, so that what came or went meanwhile is neither repeated nor hidden; a list that was gone on with loses
//! its button. A chat keeps its last pages in as many places as [`limits::PAGES_KEPT`] says, and so no more of them.
//! Not here: where a page ends (each list knows).

use super::intended::Intended;
use super::lists;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::commit::pages::{Continuation, NextPage, button};
use crate::pipeline::commit::shown;
use crate::pipeline::stages::investigate;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::Press;
use brain_core::core::turn::{Input, NoticeKind, Path};
use brain_core::ports::records::Shown;
use brain_core::ports::{RecordExt, StoreError};

/// Said of a page that is no longer kept.
const GONE: &str = "That list is too old to go on with. Please ask for it again.";

/// A list of ours: `text` and, where it goes on, its button.
pub fn list(
    brain: &Brain,
    facts: &TurnFacts,
    text: String,
    name: &str,
    next: Option<String>,
    more: usize,
) -> Result<Answer, StoreError> {
    let mut answer = Answer::says(Path::Command, text);
    if let Some(after) = next {
        let what = Continuation::List { name: name.to_owned(), after };
        let button = button(brain, facts, what, more, &mut answer.batch)?;
        answer.replies.iter_mut().for_each(|reply| reply.buttons.push(vec![button.clone()]));
    }
    Ok(answer)
}

/// A pressed button.
pub(in crate::pipeline) async fn press(
    brain: &Brain,
    facts: &TurnFacts,
    id: &str,
    data: &str,
) -> Result<Intended, StoreError> {
    let shown = shown::pressed(brain, facts, data).await?;
    go_on(brain, facts, id, shown.as_ref()).await
}

/// The next page in words, right below a list or in reply to one: as its button. `None` where no list goes on.
pub(in crate::pipeline) async fn more(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, StoreError> {
    let shown = match (&facts.replied, &facts.incoming.input) {
        (Some(shown), _) => Some(shown.clone()),
        // It is about some other message.
        (None, Input::Message { reply_to: Some(_), .. } | Input::Press { .. }) => None,
        (None, Input::Message { reply_to: None, .. }) => shown::last(brain, facts).await?,
    };
    let buttons = shown.iter().flat_map(|shown| shown.buttons.iter().flatten());
    let page = buttons.filter_map(|button| Press::decode(&button.data)).find_map(|press| match press {
        Press::More(id) => Some(id),
        Press::Card { .. }
        | Press::Undo(_)
        | Press::Send(_)
        | Press::AddEvent(_)
        | Press::Snooze { .. }
        | Press::Done(_)
        | Press::Offer { .. }
        | Press::Redo(_)
        | Press::Show(_)
        | Press::Set { .. } => None,
    });
    let Some(id) = page else { return Ok(None) };
    let going_on = go_on(brain, facts, &id, shown.as_ref()).await?;
    Ok(Some(going_on.then(|mut answer| {
        if answer.path == Path::Button {
            answer.path = Path::Command;
        }
        answer.keeping_question()
    })))
}

async fn go_on(brain: &Brain, facts: &TurnFacts, id: &str, shown: Option<&Shown>) -> Result<Intended, StoreError> {
    let stored = brain.store.load::<NextPage>(&NextPage::key_of(facts.chat(), id)).await?;
    let is_open = |page: &NextPage| page.id == id && page.owner == *facts.owner() && facts.ctx.now <= page.until;
    let Some(page) = stored.map(|(page, _)| page).filter(is_open) else {
        return Ok(Answer::says(Path::Button, GONE).noticed(&facts.incoming, NoticeKind::Toast).into());
    };
    let going_on = match page.what {
        Continuation::Action { action } => Intended::actions(facts, vec![action]),
        Continuation::List { name, after } => or_gone(lists::next_page(brain, facts, &name, &after).await?),
        Continuation::Findings { after } => or_gone(investigate::further(brain, facts, after).await?),
    };
    let (id, shown) = (id.to_owned(), shown.map(|shown| shown.message));
    Ok(going_on.then(move |mut answer| {
        if let Some(message) = shown {
            shown::without(message, move |press| *press == Press::More(id.clone()), &mut answer);
        }
        answer
    }))
}

fn or_gone(page: Option<Answer>) -> Intended {
    page.unwrap_or_else(|| Answer::says(Path::Button, GONE)).into()
}
