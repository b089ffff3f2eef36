//! What still waits: a turn beside an open card ends with a line that says so, once the card has left the screen; what
//! becomes of an open question is said once. And the list of all of it, for whoever asks.
//!
//! Not here: turns that are about a card or a question, which say so themselves.

use chrono_tz::Tz;

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::show;
use crate::pipeline::turn::{TurnAccount, TurnFacts};
use crate::queries::questions;
use crate::queries::questions::CostlyQuestion;
use brain_core::core::outcome::Report;
use brain_core::core::pending::Pending;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::question::{AfterQuestion, QuestionState};
use brain_core::core::text::{one_line, shorten};
use brain_core::core::turn::{Input, Path};
use brain_core::limits;
use brain_core::ports::StoreError;

/// What waits for a yes or no of the person of a turn, here.
pub(in crate::pipeline) struct StillWaiting {
    /// Oldest first.
    pub cards: Vec<Pending>,
    /// Oldest first.
    pub questions: Vec<CostlyQuestion>,
}

impl StillWaiting {
    pub(in crate::pipeline) async fn of(brain: &Brain, facts: &TurnFacts) -> Result<Self, StoreError> {
        Ok(Self { cards: facts.open.clone(), questions: waiting_here(brain, facts).await? })
    }

    pub(in crate::pipeline) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(in crate::pipeline) fn len(&self) -> usize {
        self.cards.len() + self.questions.len()
    }

    /// One line a card or question, as far as a list goes, below its title; none where nothing waits.
    pub(in crate::pipeline) fn section(&self, brain: &Brain, zone: Tz) -> Option<String> {
        let cards = self.cards.iter().map(|card| card_line(brain, zone, card));
        let rows = cards.chain(self.questions.iter().map(|question| question.line(zone)));
        let lines: Vec<String> = rows.take(limits::LIST_ROWS_MAX).map(|line| format!("▫️ {line}")).collect();
        let hidden = self.len().saturating_sub(limits::LIST_ROWS_MAX);
        let more = if hidden > 0 { format!("\n… and {hidden} more: /pending") } else { String::new() };
        (!lines.is_empty()).then(|| format!("✋ Waiting for your yes or no\n{}{more}", lines.join("\n")))
    }

    /// Others' words that its lines may repeat.
    pub(in crate::pipeline) fn untrusted(&self) -> Vec<UntrustedText> {
        others_words(&self.cards)
    }
}

/// The costly questions of the person of this turn, here.
pub(in crate::pipeline) async fn waiting_here(
    brain: &Brain,
    facts: &TurnFacts,
) -> Result<Vec<CostlyQuestion>, StoreError> {
    questions::waiting(&brain.view().await?, Some((facts.owner(), facts.chat()))).await
}

fn others_words(cards: &[Pending]) -> Vec<UntrustedText> {
    let taints = cards.iter().flat_map(|card| &card.actions).flat_map(|action| &action.taints);
    taints.cloned().map(UntrustedText::from).collect()
}

/// A card in a line of a list: what, until when, its id.
pub(in crate::pipeline) fn card_line(brain: &Brain, zone: Tz, pending: &Pending) -> String {
    let until = pending.expires_at.with_timezone(&zone).format("%a %-d %b %H:%M");
    format!("{} — until {until} · {}", show::title(&brain.services, pending), pending.id)
}

/// What becomes of the question of ours that this turn was not about (see `core::question`), in a line below the
/// answer where there is something to say.
pub(in crate::pipeline) fn question_named(
    brain: &Brain,
    facts: &TurnFacts,
    account: &TurnAccount,
    mut answer: Answer,
) -> Answer {
    let is_settled = answer.clarification == Question::Settled;
    let asks_another = matches!(answer.clarification, Question::Open(_));
    let is_message = matches!(facts.incoming.input, Input::Message { .. });
    let left_open = facts.question_left_open(account, brain.converses());
    let Some(question) = left_open.filter(|_| is_message) else { return answer };
    // A card beside an offer takes nothing of it away.
    let is_beside = is_settled && (is_about_something_else(answer.path) || question.offer.is_some());
    if !is_beside || asks_another {
        return answer;
    }
    let changes = |report: &Report| {
        let entry = brain.services.command(&report.service, &report.command);
        entry.is_none_or(|entry| entry.writes())
    };
    // An offer stands beside what is done: who changes or drops it names it.
    let is_request = question.offer.is_none() && answer.reports.iter().any(changes);
    let kind = if is_request { AfterQuestion::Request } else { AfterQuestion::Beside };
    let (lead, becomes) = match facts.question_since(question).next(kind) {
        QuestionState::Open { is_named } => (is_named.then_some("❔ Still asked:"), Question::Beside),
        QuestionState::Answered | QuestionState::Replaced | QuestionState::Dropped => {
            (Some("❔ No longer asked:"), Question::Settled)
        }
    };
    if let (Some(lead), Some(last)) = (lead, answer.replies.last_mut()) {
        last.text.push_str(&format!("\n\n{}", footer(lead, &question.question)));
        answer.untrusted.extend(question.quoted.iter().cloned());
    }
    answer.clarification = becomes;
    answer
}

/// One line of a few words.
fn footer(lead: &str, what: &str) -> String {
    let room = limits::FOOTER_CHARS_MAX.saturating_sub(lead.chars().count() + 1);
    format!("{lead} {}", shorten(&one_line(what), room))
}

/// The answer, and below it what still waits for this person in this chat.
pub(in crate::pipeline) async fn cards_named(brain: &Brain, facts: &TurnFacts, mut answer: Answer) -> Answer {
    let is_message = matches!(facts.incoming.input, Input::Message { .. });
    let shows_a_card = answer.replies.iter().any(|reply| reply.card.is_some());
    if facts.open.is_empty()
        || !is_message
        || shows_a_card
        || answer.tells_waiting
        || !is_about_something_else(answer.path)
    {
        return answer;
    }
    // Some may have been decided meanwhile. What cannot be read is not claimed to wait.
    let mut open = brain.open_pending(facts.chat()).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "what still waits could not be read");
        Vec::new()
    });
    open.retain(|pending| pending.owner == *facts.owner());
    if open.is_empty() || !have_left_the_screen(facts, &open, &answer) {
        return answer;
    }
    let Some(last) = answer.replies.last_mut() else { return answer };
    last.text.push_str(&format!("\n\n{}", line(brain, &open)));
    answer.untrusted.extend(others_words(&open));
    answer
}

fn is_about_something_else(path: Path) -> bool {
    match path {
        Path::Chat | Path::Action | Path::Investigate | Path::Blocked | Path::Clarify => true,
        Path::Consent | Path::Clock | Path::Command | Path::Button | Path::Error => false,
    }
}

fn line(brain: &Brain, open: &[Pending]) -> String {
    match open {
        [only] => footer(WAITS, &show::title(&brain.services, only)),
        several => format!("{WAITS} {} things for your yes or no (/pending)", several.len()),
    }
}

/// How the line begins that names what waits.
const WAITS: &str = "⏳ Still waiting:";

/// Whether none of these cards, and no line that names them, is on a screen any more once this answer is.
fn have_left_the_screen(facts: &TurnFacts, open: &[Pending], answer: &Answer) -> bool {
    let lines = |text: &str| -> usize {
        text.lines().map(|line| line.chars().count().div_ceil(limits::SCREEN_LINE_CHARS).max(1)).sum()
    };
    let newest = open.iter().filter_map(Pending::last_card_message).max();
    let mut shown: usize = answer.replies.iter().map(|reply| lines(&reply.text)).sum();
    for said in facts.history.iter().rev() {
        let is_card = said.outcomes.iter().any(|outcome| {
            outcome.pending.is_some() && open.iter().any(|card| outcome.pending.as_ref() == Some(&card.id))
        });
        let is_older = said.message.is_some() && said.message <= newest;
        if is_card || is_older || said.text.contains(WAITS) {
            return shown > limits::SCREEN_LINES;
        }
        shown += lines(&said.text);
    }
    true
}
