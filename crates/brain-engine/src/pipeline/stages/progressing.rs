//! What the rounds of a turn add up to, and the answer that is made of it: receipts first, then cards, then the
//! question.

use super::context::Context;
use super::honest::{BEFORE_ASKING, CameTo};
use super::later::{self, DeferredAction};
use super::selection::SelectedCommand;
use super::{elicitation, respond, undecided};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::pages::{self, Continuation};
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::consent::cards::Asking;
use crate::pipeline::consent::{cards, undo};
use crate::pipeline::run::{self, Passed};
use crate::pipeline::show;
use crate::pipeline::show::Results;
use crate::pipeline::turn::{Turn, TurnFacts};
use brain_core::core::button::Button;
use brain_core::core::ids::{PendingId, RunId};
use brain_core::core::markup::Formatted;
use brain_core::core::outcome::{Report, Status};
use brain_core::core::plan::PlannedAction;
use brain_core::core::provenance;
use brain_core::core::provenance::Sources;
use brain_core::core::text::shorten;
use brain_core::core::turn::{Path, Reply};
use brain_core::limits;
use brain_core::ports::records::Clarification;
use brain_core::ports::{Change, StoreError};
use brain_services::services::contract::entry::Entry;
use brain_services::services::planning::outgoing::DisclosedSoFar;
use brain_services::services::planning::plan_grounding::ConditionState;

/// What the rounds of a turn add up to.
#[derive(Debug)]
pub(crate) struct Progressing {
    pub answer: Answer,
    pub results: Results,
    pub sources: Sources,
    /// What was told elsewhere without a yes.
    pub told: DisclosedSoFar,
    /// What of the request is the person's own words.
    pub said: Vec<String>,
    pub buttons: Vec<Vec<Button>>,
    /// What was planned so far, in the planner's words.
    pub proposed: Vec<PlannedAction>,
    /// What was too much for one turn.
    pub left: Vec<PlannedAction>,
    /// The journal, removed in the commit of the answer.
    pub run: Option<RunId>,
    /// The card that is being changed.
    pub replaces: Option<PendingId>,
    /// Messages that offer something.
    pub offered: Vec<Reply>,
    /// What is known of what the request depends on.
    pub conditions: ConditionState,
    /// The services that the person's own words were routed to, where a request goes on after a yes.
    pub routed: Option<Vec<String>>,
    /// What changes with the first thing that is done, or with the answer where nothing is.
    pub along: Vec<Change>,
}

impl Progressing {
    pub fn new(path: Path) -> Self {
        Self {
            answer: Answer::of(path),
            results: Results::default(),
            sources: Sources::default(),
            told: DisclosedSoFar::default(),
            said: Vec::new(),
            buttons: Vec::new(),
            proposed: Vec::new(),
            left: Vec::new(),
            run: None,
            replaces: None,
            offered: Vec::new(),
            conditions: ConditionState::Open,
            routed: None,
            along: Vec::new(),
        }
    }

    /// Adds what is offered beside it; a question that is asked already stays the one that is open.
    pub fn offers(&mut self, offered: Answer) {
        let Answer { path, replies, untrusted, batch, clarification, .. } = offered;
        if !self.asks() {
            self.answer.clarification = clarification;
        }
        if self.answer.reports.is_empty() {
            self.answer.path = path;
        }
        self.offered = replies;
        self.answer.untrusted.extend(untrusted);
        self.answer.batch.extend(batch.changes);
    }

    /// Adds what an order to the assistant itself came to: what it says is told as a receipt, with its buttons.
    pub fn joins(&mut self, entry: &dyn Entry, planned: &PlannedAction, answer: Answer) {
        let Answer { replies, edits, rewrites, reports, actions, untrusted, asks, batch, .. } = answer;
        let (clarification, user, snoozing) = (answer.clarification, answer.user, answer.snoozing);
        if self.answer.reports.is_empty() {
            self.answer.path = answer.path;
        }
        for reply in replies {
            if reply.card.is_some() {
                self.answer.replies.push(reply);
                continue;
            }
            let told = shorten(&reply.text, limits::FACT_CHARS);
            self.results.facts.push(format!("{} came to: {told}", planned.name()));
            self.results.receipts.push(reply.text);
            self.buttons.extend(reply.buttons);
        }
        let changes = !user.is_empty() || snoozing.is_some() || reports.iter().any(|r| r.status == Status::Succeeded);
        if entry.writes() && (changes || !batch.changes.is_empty() || !rewrites.is_empty()) {
            self.results.changed = true;
            self.results.done.push(entry.summary().to_owned());
        }
        self.answer.reports.extend(reports);
        self.answer.edits.extend(edits);
        self.answer.rewrites.extend(rewrites);
        self.answer.actions.extend(actions);
        // What it showed of others' words is no more the person's own in a later round.
        self.sources.untrusted.extend(untrusted.iter().cloned());
        self.answer.untrusted.extend(untrusted);
        self.answer.asks.extend(asks);
        self.answer.batch.extend(batch.changes);
        self.answer.user.extend(user);
        self.answer.snoozing = snoozing.or(self.answer.snoozing.take());
        self.answer.decided = answer.decided.or(self.answer.decided.take());
        self.answer.tells_waiting |= answer.tells_waiting;
        if let (Question::Open(_), false) = (&clarification, self.asks()) {
            self.answer.clarification = clarification;
        }
    }

    /// Whether nothing came of it.
    pub fn is_empty(&self) -> bool {
        self.results.receipts.is_empty() && self.answer.replies.is_empty() && self.offered.is_empty() && !self.asks()
    }

    /// Whether something waits for an answer.
    pub fn asks(&self) -> bool {
        matches!(self.answer.clarification, Question::Open(_)) || !self.answer.asks.is_empty()
    }

    pub fn asks_consent(&self) -> bool {
        self.answer.replies.iter().any(|reply| reply.card.is_some())
    }

    /// Asks; whose words the request holds, and whose the question shows, goes along.
    pub fn ask(&mut self, mut question: Clarification) {
        self.answer.path = Path::Clarify;
        question.own.extend(self.said.iter().cloned());
        let untrusted = self.sources.untrusted.iter().cloned();
        question.quoted.extend(provenance::repeated(&question.question, untrusted));
        self.answer.untrusted.extend(question.taints.iter().cloned().map(Into::into));
        self.answer.untrusted.extend(question.quoted.iter().cloned());
        self.answer.clarification = Question::Open(Box::new(question));
    }

    /// The card for these. Its request goes on after a yes where they find something out, or where something is open.
    pub fn asking(&self, brain: &Brain, waits: Vec<Passed>, said: (&str, &[String]), open: Option<&str>) -> Asking {
        let looks =
            |passed: &Passed| brain.services.of(passed.assessed.action()).is_some_and(|entry| entry.may_only_look());
        let is_open = open.is_some_and(|open| !open.trim().is_empty()) || waits.iter().any(looks);
        let goes_on = self.routed.clone().filter(|_| is_open);
        let (request, domains) = said;
        Asking { replaces: self.replaces.clone(), goes_on, ..Asking::of(waits, request.to_owned(), domains) }
    }

    /// Adds what a run came to: receipts, reports, undo.
    pub fn add(&mut self, brain: &Brain, facts: &TurnFacts, mut ran: run::Ran) -> Result<(), StoreError> {
        self.along.extend(ran.unwritten.iter().cloned());
        self.results.add_run(&brain.services, &facts.ctx.reference(), &ran.run);
        self.answer.reports.extend(ran.run.steps.iter().map(show::step_report));
        let past = cards::past_actions(brain, &ran.run);
        self.results.items.extend(past.iter().flat_map(|past| past.item.iter().chain(&past.rows)).cloned());
        self.answer.actions.extend(past);
        self.sources.untrusted.extend(ran.untrusted.iter().cloned());
        self.answer.untrusted.extend(ran.untrusted.iter().cloned());
        self.answer.asks.append(&mut ran.asks);
        ran.end_journal(brain, &mut self.answer.batch)?;
        self.buttons.extend(undo::buttons(ran.undo.iter().flatten(), &mut self.answer.batch)?);
        self.buttons.extend(cards::next_buttons(brain, &ran.run));
        for (rest, action) in cards::next_pages(brain, &ran.run) {
            let next = pages::button(brain, facts, Continuation::Action { action }, rest, &mut self.answer.batch)?;
            self.buttons.push(vec![next]);
        }
        Ok(())
    }

    /// Names what was too much for one turn, but for what a later round took on after all.
    pub fn name_what_is_left(&mut self, brain: &Brain) {
        let mut left = std::mem::take(&mut self.left);
        left.retain(|left| !self.proposed.iter().any(|taken| taken.asks_the_same_as(left)));
        if !left.is_empty() {
            let named = show::meant(&brain.services, &left);
            let (first, more) = (limits::PLAN_ACTIONS_MAX, left.len());
            let are = if more == 1 { "is" } else { "are" };
            self.results.add_remark(format!(
                "That was a lot at once, so I took on the first {first}; {more} more {are} left: {named}. \
                 Just ask for them again."
            ));
        }
    }

    /// What it comes to, as far as words about it can be wrong.
    pub fn came_to(&self) -> CameTo {
        let waits = self.asks_consent() || self.asks();
        CameTo::of(self.results.changed, waits, &self.answer.reports)
    }

    /// Tells `respond` what waits: of that, nothing has happened.
    fn name_what_waits(&mut self) {
        let waiting = self.answer.reports.iter().filter(|report| report.status == Status::Pending);
        let named = waiting.map(|report| format!("{}.{} waits for their yes", report.service, report.command));
        self.results.facts.extend(named);
        if self.asks() {
            self.results.facts.push("the rest waits for an answer to a question, which follows".to_owned());
        }
    }

    /// Whether a command that was chosen has been carried out.
    pub fn has_done(&self, chosen: &SelectedCommand) -> bool {
        let is_of_it = |report: &&Report| (&report.service, &report.command) == (&chosen.service, &chosen.command);
        let mut of_it = self.answer.reports.iter().filter(is_of_it).map(|report| report.status).peekable();
        of_it.peek().is_some() && of_it.all(|status| status == Status::Succeeded)
    }

    /// Something was found out by what is done so far: whoever plans next has seen it.
    pub fn looked_up(&mut self, brain: &Brain) {
        let looks = |report: &Report| {
            let entry = brain.services.command(&report.service, &report.command);
            report.status == Status::Succeeded && entry.is_some_and(|entry| !entry.writes())
        };
        if self.conditions == ConditionState::Open && self.answer.reports.iter().any(looks) {
            self.conditions = ConditionState::LookedUp;
        }
    }

    /// Outcomes that say something new, however they ended; a refusal says nothing.
    pub fn outcomes(&self) -> usize {
        self.answer.reports.iter().filter(|report| report.status != Status::Refused).count()
    }

    /// Something that is not even asked about, because what it depends on failed.
    pub fn blocked(&mut self, brain: &Brain, later: &DeferredAction) {
        let why = "not asked, because what it depends on did not succeed";
        self.answer.reports.push(later.report(Status::Refused, why));
        self.results.add_remark(later::left_out(brain, &later.planned));
    }
}

/// Receipts first, then cards, then the question.
pub(crate) async fn put_together(turn: &Turn<'_>, mut so_far: Progressing, context: &Context) -> Answer {
    so_far.name_what_waits();
    let words = if so_far.results.receipts.is_empty() {
        Formatted::default()
    } else {
        turn.account.knows(&so_far.results.receipts);
        // Whoever stops the turn waits for no more words: the receipts are what counts.
        let phrased = respond::outcomes(turn, &context.memories, &so_far.results, so_far.came_to());
        let receipts = || Formatted::plain(so_far.results.receipts.join("\n"));
        turn.unless_cancelled(phrased).await.unwrap_or_else(|_| receipts())
    };
    let mut answer = with_cards_and_question(turn.brain, &turn.facts, so_far, words).holding(context.untrusted.clone());
    if answer.replies.is_empty() {
        if let Some(about_the_card) = undecided::instead_of_talk(turn.brain, &turn.facts) {
            return about_the_card;
        }
        // A plan of nothing.
        answer.path = Path::Chat;
        answer.replies.push(respond::without_action(turn, &context.memories).await.into());
    }
    answer
}

/// The same without a word of a model.
pub(crate) fn told_by_receipts(brain: &Brain, facts: &TurnFacts, so_far: Progressing) -> Answer {
    let words = Formatted::plain(so_far.results.receipts.join("\n"));
    with_cards_and_question(brain, facts, so_far, words)
}

/// The same below words that are there already.
pub(crate) fn with_words(brain: &Brain, facts: &TurnFacts, so_far: Progressing, mut words: Formatted) -> Answer {
    let receipts = so_far.results.below_words();
    if words.text.is_empty() {
        words = Formatted::plain(so_far.results.receipts.join("\n"));
    } else if !receipts.is_empty() {
        words.push(&format!("\n\n{receipts}"));
    }
    with_cards_and_question(brain, facts, so_far, words)
}

fn with_cards_and_question(brain: &Brain, facts: &TurnFacts, so_far: Progressing, mut words: Formatted) -> Answer {
    let came_to = so_far.came_to();
    let Progressing { mut answer, buttons, along, offered, .. } = so_far;
    answer.batch.extend(along);
    let asks_consent = answer.replies.iter().any(|reply| reply.card.is_some());
    let says_something = !words.text.is_empty();
    if says_something {
        let timed = answer.actions.iter().any(|past| {
            show::shows_time(&brain_core::core::plan::Action { params: past.params.clone(), ..Default::default() })
        });
        if facts.names_zone(&brain.policy) && timed && !answer.zone_named {
            answer.zone_named = true;
            words.push(&format!("\n{}", show::zone_note(facts.ctx.zone)));
        }
        answer.replies.insert(0, Reply { buttons, ..words.into() });
    }
    if !offered.is_empty() {
        answer.replies.extend(offered);
        return answer;
    }
    if let Question::Open(question) = &answer.clarification {
        // What is asked beside no action of ours is a model's wording; see `honest`.
        let by_model = question.partial.is_none() && brain.model.is_some();
        let unsaid = came_to != CameTo::Change && !says_something;
        let above = (by_model && unsaid).then_some(BEFORE_ASKING);
        let lines: Vec<&str> = above.into_iter().chain([question.question.as_str()]).collect();
        let buttons = elicitation::buttons(brain, facts, question, &mut answer.batch);
        answer.replies.push(Reply { buttons, ..Reply::text(lines.join("\n")) });
    } else if asks_consent {
        answer.path = Path::Consent;
    }
    answer
}
