//! The answer to a question of ours: the earlier request goes on, with its own domains and no router.

use crate::core::turn::Path;
use crate::language::consent;
use crate::language::consent::Consent;
use crate::language::requests;
use crate::pipeline::commit::Answer;
use crate::pipeline::show;
use crate::pipeline::stages::answers;
use crate::pipeline::stages::context::Context;
use crate::pipeline::stages::doubts;
use crate::pipeline::stages::plan::Topic;
use crate::pipeline::stages::rounds::rounds;
use crate::pipeline::turn::{Turn, TurnError};

/// What comes of the request that was asked about; `None` when the message does not complete it.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Some(question) = turn.open_question() else {
        return Ok(None);
    };
    if let Some(answer) = doubts::answered(turn, question).await? {
        turn.takes_question();
        return Ok(Some(answer));
    }
    let is_no = consent::read(turn.words()) == Consent::No;
    if (question.partial.is_some() && is_no) || requests::gives_up(turn.words(), &turn.reference()) {
        turn.takes_question();
        let words = match question.rest.actions.as_slice() {
            [] => "Okay, never mind.".to_owned(),
            rest => format!(
                "Okay, never mind. I leave out the rest of it, too: {}.",
                show::meant(&turn.brain.services, rest)
            ),
        };
        return Ok(Some(Answer::says(Path::Clarify, words)));
    }
    let topic = Topic { answers: Some(question), ..Topic::default() };
    if answers::completed(turn, &topic).is_none() {
        let is_bare_yes = question.partial.is_some() && consent::read(turn.words()) == Consent::Yes;
        let asked_again = || Answer::says(Path::Clarify, format!("That takes more than a yes. {}", question.question));
        return Ok(is_bare_yes.then(|| asked_again().keeping_question()));
    }
    turn.takes_question();
    Ok(Some(rounds(turn, &question.domains, &Context::default(), topic).await?))
}
