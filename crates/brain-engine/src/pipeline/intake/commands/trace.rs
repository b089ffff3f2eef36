//! `/trace`: how an answer came about: the graph of an investigation, else the nodes of the turn.
//!
//! ```text
//! 2. ∥ select ← 1,834 bytes: action: calendar (ok), 512 + 18 tokens, 902 ms
//! ```
//! And whether what the nodes got and gave is kept: `/trace keep` agrees to that, `/trace stop` takes it back and erases it.
//! Not here: what is kept ([`crate::pipeline::commit`]), and a look at it, which is the operator's.

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::commit::user::UserChange;
use crate::pipeline::stages::investigate::KeptAnswer;
use crate::pipeline::turn::TurnFacts;
use crate::queries::turns;
use brain_core::core::span::ago;
use brain_core::core::text::grouped;
use brain_core::core::turn::Path;
use brain_core::ports::StoreError;
use brain_core::ports::records::{ContentsChoice, StageSpan, TurnTrace};

const KEEP: &str = "keep";
const STOP: &str = "stop";
const IS_OFF: &str = "Whoever runs me has not switched on that what my steps got and gave is kept (BRAIN_KEEP_CONTENTS), so there is nothing to agree to.";
const STOPPED: &str = "🧹 From now on I don't keep what my steps got and gave, and what I had kept of that is erased. “/trace keep” keeps it again.";

/// How an answer came about, or what becomes of the contents of the person's turns.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts, rest: &str) -> Result<Answer, StoreError> {
    let most = brain.policy.contents_kept;
    let chooses = |choice, words: String| {
        let mut answer = Answer::says(Path::Command, words);
        answer.user.push(UserChange::Contents(choice));
        answer
    };
    if rest.eq_ignore_ascii_case(STOP) {
        return Ok(chooses(ContentsChoice::Stop, STOPPED.to_owned()));
    }
    if rest.eq_ignore_ascii_case(KEEP) {
        return Ok(match most {
            0 => Answer::says(Path::Command, IS_OFF),
            most => chooses(ContentsChoice::Keep, format!("{} {HOW_TO_STOP}", is_kept(most))),
        });
    }
    let told = trace(brain, facts, rest).await?;
    let kept = (most > 0).then(|| match facts.keeps_contents(&brain.policy) {
        true => format!("{} {HOW_TO_STOP}", is_kept(most)),
        false => format!("What my steps got and gave is not kept. “/trace keep” keeps it of your {}, for whoever runs me to look into.", last(most)),
    });
    Ok(Answer::says(Path::Command, [told].into_iter().chain(kept).collect::<Vec<_>>().join("\n\n")))
}

const HOW_TO_STOP: &str = "“/trace stop” ends that and erases it.";

fn is_kept(most: usize) -> String {
    format!(
        "What my steps got and gave is kept of your {}, with your words in it, for whoever runs me to look into.",
        last(most)
    )
}

fn last(most: usize) -> String {
    if most == 1 { "last request here".to_owned() } else { format!("last {most} requests here") }
}

/// A small drawing in text; it holds no word of anybody's. `which`: the last answer, counted back, unless the command
/// replies to one.
async fn trace(brain: &Brain, facts: &TurnFacts, which: &str) -> Result<String, StoreError> {
    let mut turns = turns::last_of(&brain.view().await?, facts.owner(), facts.chat()).await?;
    turns.retain(|trace| trace.done.path != Path::Command);
    let back = match (which, facts.replied.as_ref()) {
        ("", Some(replied)) => turns.iter().position(|trace| trace.at <= replied.at),
        ("", None) => Some(0),
        (number, _) => match number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
            Some(back) => Some(back),
            None => return Ok("/trace 3 shows how I got to my third last answer.".to_owned()),
        },
    };
    let found = back.filter(|back| *back < turns.len()).map(|back| turns.swap_remove(back));
    let is_last = back == Some(0);
    let kept = KeptAnswer::of(brain, facts).await?.filter(|_| is_last || found.is_some());
    let is_of_it = |kept: &KeptAnswer| found.as_ref().is_none_or(|found| kept.is_of(found.at));
    if let Some(kept) = kept.filter(is_of_it) {
        return Ok(kept.drawing());
    }
    let Some(TurnTrace { at, done, spans, investigation, .. }) = found else {
        return Ok(match is_last {
            true => "There is no answer of mine yet that I could explain.".to_owned(),
            false => "I no longer know how I got to that answer.".to_owned(),
        });
    };
    let mut lines = vec!["🔍 How I got there".to_owned()];
    if !is_last {
        lines[0].push_str(&format!(", {}", ago(facts.ctx.now, at)));
    }
    let mut spans = spans;
    spans.sort_by_key(|span| span.start_us);
    let mut until = 0;
    for (at, span) in spans.iter().enumerate() {
        let beside = if at > 0 && span.start_us < until { "∥ " } else { "" };
        until = until.max(span.start_us + span.us);
        lines.push(format!("{}. {beside}{}", at + 1, drawn(span)));
    }
    let cached: u64 = spans.iter().map(|span| span.tokens_cached).sum();
    lines.push(format!(
        "{} model calls, {} tokens, {:.0} ms.",
        done.llm_calls,
        done.tokens_in + done.tokens_out,
        done.ms
    ));
    lines.extend(investigation.map(|metrics| metrics.to_string()));
    if cached > 0 {
        let share = cached.min(done.tokens_in) * 100 / done.tokens_in.max(1);
        lines.push(format!("The model server had {share} % of what was sent in its cache."));
    }
    if is_last {
        lines.extend(in_short(brain, facts).await?);
    }
    Ok(lines.join("\n"))
}

/// What a node got, what came of it and why, what it took.
fn drawn(span: &StageSpan) -> String {
    let StageSpan { name, us, input_bytes, tokens: (sent, received), tokens_cached, outcome, gives, .. } = span;
    let got = if *input_bytes == 0 { String::new() } else { format!(" ← {} bytes", grouped(*input_bytes)) };
    let came = if gives.is_empty() { outcome.to_string() } else { format!("{gives} ({outcome})") };
    let tokens = if sent + received == 0 { String::new() } else { format!(", {sent} + {received} tokens") };
    let kept = if *tokens_cached == 0 { String::new() } else { format!(", {tokens_cached} of them kept") };
    format!("{name}{got}: {came}{tokens}{kept}, {} ms", us / 1_000)
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
