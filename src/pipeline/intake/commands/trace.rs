//! `/trace`: how the last answer came about: the graph of an investigation, else the stages of the turn.

use crate::core::span::ago;
use crate::pipeline::brain::Brain;
use crate::pipeline::stages::investigate::KeptAnswer;
use crate::pipeline::turn::TurnFacts;
use crate::ports::StoreError;
use crate::ports::records::TurnTrace;
use crate::queries::turns;

/// A small drawing in text; it holds no word of anybody's.
pub(super) async fn trace(brain: &Brain, facts: &TurnFacts) -> Result<String, StoreError> {
    let last = turns::last_of(&brain.view().await?, facts.owner(), facts.chat()).await?;
    let kept = KeptAnswer::of(brain, facts).await?;
    let is_of_it = |kept: &KeptAnswer| last.as_ref().is_none_or(|last| kept.is_of(last.at));
    if let Some(kept) = kept.filter(is_of_it) {
        return Ok(kept.drawing());
    }
    let Some(TurnTrace { done, spans, .. }) = last else {
        return Ok("There is no answer of mine yet that I could explain.".to_owned());
    };
    let mut lines = vec!["🔍 How I got there".to_owned()];
    for span in &spans {
        let (sent, received) = span.tokens;
        let tokens = if sent + received == 0 { String::new() } else { format!(", {sent} + {received} tokens") };
        let kept =
            if span.tokens_cached == 0 { String::new() } else { format!(", {} of them kept", span.tokens_cached) };
        lines.push(format!("{}: {}, {} ms{tokens}{kept}", span.name, span.outcome, span.us / 1_000));
    }
    let cached: u64 = spans.iter().map(|span| span.tokens_cached).sum();
    lines.push(format!(
        "{} model calls, {} tokens, {:.0} ms.",
        done.llm_calls,
        done.tokens_in + done.tokens_out,
        done.ms
    ));
    if cached > 0 {
        let share = cached.min(done.tokens_in) * 100 / done.tokens_in.max(1);
        lines.push(format!("The model server had {share} % of what was sent in its cache."));
    }
    lines.extend(in_short(brain, facts).await?);
    Ok(lines.join("\n"))
}

/// How much of the conversation stands in its summary, and how it was shortened last.
async fn in_short(brain: &Brain, facts: &TurnFacts) -> Result<Vec<String>, StoreError> {
    let view = brain.view().await?;
    let covers = facts.summary.as_ref().filter(|kept| kept.messages > 0).map(|kept| {
        let (messages, now, said) = (kept.messages, kept.summary.tokens(), kept.tokens);
        format!("Of this conversation {messages} older messages are in a summary: {now} tokens in place of {said}.")
    });
    let last = turns::last_compression(&view, facts.owner(), facts.chat()).await?.map(|last| {
        let (when, ms) = (ago(view.now, last.at), last.ms);
        match &last.fallback {
            None => format!(
                "It was shortened last {when}: {} tokens to {}, {ms} ms.",
                last.tokens_before, last.tokens_after
            ),
            Some(why) if last.tokens_after < last.tokens_before => {
                format!("It was shortened last {when}, by code, as {why}.")
            }
            Some(why) => format!("To shorten it did not work {when}, so it stays as it is for now: {why}."),
        }
    });
    Ok(covers.into_iter().chain(last).collect())
}
