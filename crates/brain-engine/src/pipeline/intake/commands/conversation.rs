//! `/memory conversation`: what was said long ago, in short, to be read and to be dropped.

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::phrasing::Internals;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::history::{HistorySummary, SummaryPart};
use brain_core::core::text::visible;
use brain_core::core::turn::Path;
use brain_core::ports::records::ConversationSummary;
use brain_core::ports::{Expect, RecordExt, StoreError};

const ARGUMENT: &str = "conversation";
const DROP: &str = "drop";

/// What follows the word for it, where what follows `/memory` begins with that.
pub(super) fn named(rest: &str) -> Option<&str> {
    let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    word.eq_ignore_ascii_case(ARGUMENT).then_some(rest)
}

/// Shows the summary of this chat, or drops it.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts, rest: &str) -> Result<Answer, StoreError> {
    let key = ConversationSummary::key_of(facts.chat(), facts.owner());
    let kept = brain.store.load::<ConversationSummary>(&key).await?;
    let kept = kept.filter(|(kept, _)| !kept.summary.lines().is_empty());
    match kept {
        None => Ok(Answer::says(Path::Command, none(brain))),
        Some((kept, revision)) if rest.trim().eq_ignore_ascii_case(DROP) => {
            let mut answer = Answer::says(Path::Command, DROPPED);
            let empty = ConversationSummary { summary: HistorySummary::default(), ..kept };
            answer.batch.put(&empty, Expect::Revision(revision))?;
            Ok(answer)
        }
        Some((kept, _)) => Ok(shown(&kept, &Internals::of(brain, facts))),
    }
}

const HOW: &str =
    "I look at it when you ask for something. Is something wrong in it? “/memory conversation drop” takes it away.";
const DROPPED: &str = "🧹 I dropped that summary and won't make it again of the same messages. What you said before is still \
    there: ask me, and I look it up.";

fn none(brain: &Brain) -> String {
    let when = if brain.policy.compresses {
        "Once we have talked a little longer, what was said first comes into one."
    } else {
        "Whoever runs me has switched summaries off (BRAIN_COMPRESS)."
    };
    format!("🧠 There is no summary of our conversation. {when}")
}

fn shown(kept: &ConversationSummary, internals: &Internals<'_>) -> Answer {
    let mut sections =
        vec![format!("🧠 What I keep of our conversation in short, of {} older messages", kept.messages)];
    sections.extend(told(kept.summary.own(), internals));
    if let Some((part, source)) = kept.summary.others() {
        let told =
            told(part, internals).map(|told| format!("With words of others in it (from {}):\n{told}", visible(source)));
        sections.extend(told);
    }
    sections.push(HOW.to_owned());
    Answer::says(Path::Command, sections.join("\n\n")).holding(kept.summary.untrusted().into_iter().collect())
}

fn told(part: &SummaryPart, internals: &Internals<'_>) -> Option<String> {
    let labels: Vec<&str> =
        part.things.iter().filter_map(|past| past.item.as_ref()).map(|item| item.label.as_str()).collect();
    let named = (!labels.is_empty()).then(|| format!("▫️ Things in it: {}", labels.join(", ")));
    // It names commands, for planners.
    let text = (!part.text.is_empty()).then(|| internals.worded(&part.text));
    let lines: Vec<String> = text.into_iter().chain(named).map(|line| visible(&line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
