//! Built-in answers: the time, the day, what this is, what is connected and who reads along, and who somebody says they
//! are.
//!
//! Answered by code whether there is a model or not: a model can only guess the time, and makes up what it is, what it
//! is connected to and where words go. Invariants: the whole message is this; a name that is only said by the way replaces none that is known.

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::text::visible;
use brain_core::core::turn::Path;
use brain_language::language::known;
use brain_language::language::known::{Introduction, Surroundings};

/// What a name is remembered as.
const NAME: &str = "name";

/// Answers it, or remembers the name; `None` for everything else.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    if !facts.origin().is_own_words() || !facts.incoming.parts.is_empty() {
        return Ok(None);
    }
    if let Some(told) = known::answer(facts.words(), &facts.reference(), &surroundings(brain, facts)) {
        return Ok(Some(Answer::says(Path::Chat, told).keeping_question().into()));
    }
    let named = known::name(facts.words()).filter(|_| facts.open_question().is_none());
    let Some((name, introduction)) = named else { return Ok(None) };
    let services = brain.services.now();
    let Some(keeper) = services.iter().find_map(|service| service.service.facts()) else { return Ok(None) };
    let known = keeper.facts(&facts.ctx, NAME).await.map(|found| found.rows).unwrap_or_default();
    if introduction == Introduction::ByTheWay && known.iter().any(|fact| fact.key.eq_ignore_ascii_case(NAME)) {
        return Ok(None);
    }
    let remembering = Intended::actions(facts, vec![keeper.remembering(NAME, &name)]);
    Ok(Some(remembering.then(|answer| Answer { path: Path::Action, ..answer })))
}

/// What is so here for this person.
fn surroundings(brain: &Brain, facts: &TurnFacts) -> Surroundings {
    let services = brain.services.open_to(facts.owner());
    let servers = services.iter().filter(|service| service.has_tools()).map(|service| visible(&service.info.title));
    let models = brain.model.iter().flat_map(|model| model.hosts()).collect::<Vec<_>>();
    Surroundings {
        connected: brain.accounts_of(facts.owner()).map(|account| account.shown()).chain(servers).collect(),
        are_own: !models.is_empty() && models.iter().all(|host| host.is_own),
        models: match (&brain.model, models.as_slice()) {
            (Some(_), []) => vec!["its endpoint".to_owned()],
            (_, models) => models.iter().map(|host| visible(&host.place)).collect(),
        },
    }
}
