//! Acting: plan, gate, execute, reflect, respond; and the two ways into it that need no router, the answer to
//! a question of ours and the change of a card.

use super::cards::{self, Asking};
use super::context::{self, Context, Fetching};
use super::execute::{self, Grant};
use super::gate::{self, Gated, Passed};
use super::plan::{self, Planned, Topic};
use super::reflect;
use super::respond::{self, Results};
use super::route::Route;
use super::turn::{Answer, Question, Turn, TurnError};
use crate::catalog::working;
use crate::core::button::{Button, Press};
use crate::core::consent::{self, Consent};
use crate::core::ids::RunId;
use crate::core::markup::Formatted;
use crate::core::outcome::{Outcome, Report, Status};
use crate::core::pending::Pending;
use crate::core::plan::{Plan, PlannedAction};
use crate::core::run::{Origin, Progress, Run, Step};
use crate::core::taint::{self, Foreign, Sources};
use crate::core::text::shorten;
use crate::core::turn::{Path, Reply};
use crate::failpoint::fail_point;
use crate::limits;
use crate::ports::{Batch, Expect, Key, Record, RecordExt, Scan, StoreError, Table};
use crate::records::Clarification;
use crate::understanding::{self, Guess, Kind};

/// Answers a routed message.
pub async fn act(turn: &Turn<'_>, route: Route, context: Fetching) -> Result<Answer, TurnError> {
    let question =
        turn.state.clarification.as_ref().filter(|question| route.kind == Kind::Followup && is_fresh(turn, question));
    let domains = question.map_or(route.domains, |question| question.domains.clone());
    let context = turn.unless_cancelled(context.all(turn)).await?;
    let topic = Topic { answers: question, ..Topic::default() };
    rounds(turn, &domains, &context, topic).await
}

/// When the message answers our open question, the earlier request goes on with its own domains.
pub async fn completes_a_question(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Some(question) = turn.state.clarification.as_ref().filter(|question| is_fresh(turn, question)) else {
        return Ok(None);
    };
    if question.partial.is_some() && consent::read(turn.words()) == Consent::No {
        return Ok(Some(Answer::says(Path::Clarify, "Okay, never mind.")));
    }
    let topic = Topic { answers: Some(question), ..Topic::default() };
    if plan::completed(turn, &topic).is_none() {
        return Ok(None);
    }
    let domains = question.domains.clone();
    Ok(Some(rounds(turn, &domains, &Context::default(), topic).await?))
}

fn is_fresh(turn: &Turn<'_>, question: &Clarification) -> bool {
    turn.scene.now - question.at <= chrono::Duration::seconds(limits::CLARIFICATION_SECS)
}

/// Changes a card: it is withdrawn at once, and a new one takes its place. When the change cannot be
/// planned, the original comes back as a new card.
pub async fn amend(turn: &Turn<'_>, pending: Pending) -> Result<Answer, TurnError> {
    turn.breath.before_writing().await;
    let mut withdrawal = Answer::of(Path::Consent);
    let open = cards::supersede(turn, &pending, None, &mut withdrawal).await?;
    let batch = std::mem::take(&mut withdrawal.batch);
    match turn.brain.commit(batch).await {
        Ok(_) if open => {}
        // Decided while this message was being read: the first decision stands, and it is told.
        Ok(_) | Err(StoreError::Conflict { .. }) => {
            return Ok(super::consent::too_late(turn, &pending.id).await?);
        }
        Err(error) => return Err(error.into()),
    }

    let domains = pending.domains.clone();
    let guess = Guess { kind: Kind::Action, domains: domains.clone(), confidence: 1.0 };
    let context = turn.unless_cancelled(context::fetch(turn, &guess).all(turn)).await;
    let changed = match context {
        Ok(context) => rounds(turn, &domains, &context, Topic { amends: Some(&pending), ..Topic::default() }).await,
        Err(cancelled) => Err(cancelled),
    };
    let mut answer = match changed {
        Ok(answer) if leads_on(&answer) => answer,
        Err(TurnError::Store(error)) => return Err(error.into()),
        // Why it was refused is told above the original.
        Ok(refused) => again(turn, &pending, refused)?,
        Err(TurnError::Cancelled) => again(turn, &pending, Answer::of(Path::Consent))?,
    };
    answer.path = Path::Consent;
    answer.edits.splice(0..0, withdrawal.edits);
    Ok(answer)
}

/// True when a change came to something: it ran, waits, or was asked about.
fn leads_on(answer: &Answer) -> bool {
    let stopped = |report: &Report| matches!(report.status, Status::Refused | Status::Failed);
    matches!(answer.clarification, Question::Open(_)) || !answer.reports.iter().all(stopped)
}

fn again(turn: &Turn<'_>, pending: &Pending, refused: Answer) -> Result<Answer, StoreError> {
    let mut answer = Answer::says(
        Path::Consent,
        "I couldn't work out that change, so here is the original again. Nothing was done.",
    );
    if !refused.reports.is_empty() {
        answer.replies.splice(0..0, refused.replies);
        answer.reports = refused.reports;
    }
    let asking = Asking {
        actions: pending.actions.clone(),
        depends_on: pending.depends_on.clone(),
        request: pending.request.clone(),
        domains: pending.domains.clone(),
    };
    cards::ask(turn, asking, &mut answer)?;
    Ok(answer)
}

/// What the rounds of a turn add up to.
#[derive(Debug)]
struct Progressing {
    answer: Answer,
    results: Results,
    sources: Sources,
    buttons: Vec<Vec<Button>>,
    /// What was planned so far, in the planner's words.
    proposed: Vec<PlannedAction>,
    /// The journal, removed in the commit of the answer.
    run: Option<RunId>,
}

async fn rounds(turn: &Turn<'_>, domains: &[String], context: &Context, topic: Topic<'_>) -> Result<Answer, TurnError> {
    let request = plan::request(turn, &topic);
    let sources = Sources { own: own_words(turn, &topic), foreign: others_words(turn, context, &topic) };
    let mut so_far = Progressing { sources, ..Progressing::new(Path::Action) };
    if let Some(resumed) = resume(turn, &mut so_far).await? {
        return Ok(resumed);
    }
    let mut still: Option<String> = None;
    for round in 0..=limits::REFLECT_ROUNDS_MAX {
        let facts = so_far.results.facts.clone();
        let topic = Topic {
            answers: topic.answers,
            amends: topic.amends,
            round: still.as_deref().map(|still| (facts.as_slice(), still)),
        };
        let planned = turn.unless_cancelled(plan::make(turn, domains, context, &topic)).await?;
        let open = match planned {
            Planned::Plan { plan, remark } => {
                if let Some(remark) = remark.filter(|_| round == 0) {
                    so_far.results.add_remark(remark.to_owned());
                }
                one_round(turn, plan, domains, &request, &mut so_far).await?
            }
            Planned::Ask(question) => {
                so_far.ask(question);
                None
            }
            Planned::NotUnderstood(words) if round == 0 => {
                return Ok(Answer::says(Path::Clarify, words));
            }
            Planned::NotUnderstood(_) => None,
        };
        let waits = !matches!(so_far.answer.clarification, Question::Settled) || so_far.asks_consent();
        let Some(open) = open.filter(|_| !waits && round < limits::REFLECT_ROUNDS_MAX) else {
            break;
        };
        match turn.unless_cancelled(reflect::missing(turn, &open, &so_far.results.facts)).await? {
            Some(missing) => still = Some(missing),
            None => break,
        }
    }
    Ok(put_together(turn, so_far, context).await)
}

/// What the person said, what they picked from choices that code listed, and what was theirs on the card that
/// they are changing.
fn own_words(turn: &Turn<'_>, topic: &Topic<'_>) -> String {
    let picked = topic.answers.and_then(|question| plan::picked(turn, question)).map(str::to_owned);
    let carded = topic.amends.into_iter().flat_map(|pending| &pending.actions).flat_map(taint::untainted);
    [turn.own_words()].into_iter().chain(picked).chain(carded).collect::<Vec<_>>().join("\n")
}

/// Everything in sight of the planner that is not the person's own: the context, the conversation, and what
/// was already found to be others' words in the question or the card this message is about.
fn others_words(turn: &Turn<'_>, context: &Context, topic: &Topic<'_>) -> Vec<Foreign> {
    let asked = topic.answers.into_iter().flat_map(|q| &q.taints);
    let carded = topic.amends.into_iter().flat_map(|p| &p.actions);
    let known = asked.chain(carded.flat_map(|action| &action.taints));
    let known = known.map(|taint| Foreign { source: taint.source.clone(), text: taint.value.clone() });
    let mut words = context.foreign.clone();
    words.extend(turn.others_words());
    words.extend(known);
    words
}

/// A turn that was interrupted after its journal began is told from the journal, not planned again.
async fn resume(turn: &Turn<'_>, so_far: &mut Progressing) -> Result<Option<Answer>, TurnError> {
    let first = Key::of(&[turn.incoming.turn.as_str()]);
    let Some(first) = turn.brain.store.load::<Run>(&first).await? else {
        return Ok(None);
    };
    // Its later rounds were interrupted together with it; see `run_now` for their names.
    let later = Scan {
        prefix: Some(Key::from_stored(&format!("{}+", turn.incoming.turn))),
        ..Scan::of::<Run>(&[], limits::REFLECT_ROUNDS_MAX)
    };
    let later = turn.brain.store.list::<Run>(later).await?;
    for (run, revision) in [first].into_iter().chain(later) {
        let ran = execute::run(turn.brain, &turn.scene, run, Some(revision), Grant::LowStakes).await?;
        so_far.run = Some(ran.run.id.clone());
        so_far.add(turn, &ran)?;
    }
    let empty = Context::default();
    let taken = std::mem::replace(so_far, Progressing::new(Path::Action));
    Ok(Some(put_together(turn, taken, &empty).await))
}

/// Gates and executes one plan. Gives what the plan leaves open.
async fn one_round(
    turn: &Turn<'_>,
    plan: Plan,
    domains: &[String],
    request: &str,
    so_far: &mut Progressing,
) -> Result<Option<String>, TurnError> {
    let mut plan = reflect::without_repeats(plan, &so_far.answer.reports, &so_far.proposed);
    so_far.proposed.extend(plan.actions.iter().cloned());
    let open = plan.open.take();
    let free_question = plan.question.take();
    let Gated { now, consent, question, stopped, remarks } =
        gate::check(turn, plan, domains, request, &so_far.sources).await;
    so_far.answer.reports.extend(stopped);
    remarks.into_iter().for_each(|remark| so_far.results.add_remark(remark));

    let mut failed = Vec::new();
    if !now.is_empty() {
        let indexes: Vec<usize> = now.iter().map(|passed| passed.index).collect();
        let ran = run_now(turn, now, request, so_far.run.is_some()).await?;
        failed =
            indexes.iter().zip(&ran.run.steps).filter(|(_, step)| !succeeded(step)).map(|(index, _)| *index).collect();
        if ran.revision.is_some() {
            so_far.run = Some(ran.run.id.clone());
        }
        so_far.add(turn, &ran)?;
    }
    let consent = so_far.without_blocked(consent, &failed);
    if !consent.is_empty() {
        cards::ask(turn, Asking::of(consent, request.to_owned(), domains), &mut so_far.answer)?;
    }
    if let Some(question) = question {
        so_far.ask(question);
    } else if let Some(question) = free_question {
        so_far.ask(Clarification {
            request: request.to_owned(),
            question,
            partial: None,
            choices: Vec::new(),
            domains: domains.to_vec(),
            taints: Vec::new(),
            at: turn.scene.now,
        });
    }
    Ok(open)
}

fn succeeded(step: &Step) -> bool {
    matches!(step.progress, Progress::Done { outcome: Outcome::Succeeded { .. } })
}

/// What the first unfinished step is doing, and how many are done.
fn tell_progress(turn: &Turn<'_>, run: &Run) {
    let is_done = |step: &&Step| matches!(step.progress, Progress::Done { .. });
    let done = run.steps.iter().filter(is_done).count();
    if let Some(step) = run.steps.iter().find(|step| !is_done(step)) {
        let doing = working::running(&step.action.service, &step.action.command);
        turn.doing(doing.counting(done, run.steps.len()));
    }
}

/// Runs low-stakes actions. The journal is durable before the first effect.
async fn run_now(
    turn: &Turn<'_>,
    now: Vec<Passed>,
    request: &str,
    later_round: bool,
) -> Result<execute::Ran, StoreError> {
    let place = |on: &usize| now.iter().position(|p| p.index == *on);
    let depends_on: Vec<Vec<usize>> = now.iter().map(|p| p.depends_on.iter().filter_map(place).collect()).collect();
    // A later round journals under a name of its own, so that a redelivered turn resumes the first one.
    let id = if later_round {
        RunId::new(format!("{}+{}", turn.incoming.turn, turn.brain.new_id()))
    } else {
        turn.incoming.turn.clone()
    };
    let steps = now
        .into_iter()
        .zip(depends_on)
        .map(|(passed, depends_on)| Step {
            action: passed.assessed.into_action(),
            depends_on,
            progress: Progress::Planned,
        })
        .collect();
    let run = Run {
        id,
        origin: Origin::Turn,
        owner: turn.owner().clone(),
        chat: turn.chat().clone(),
        request: request.to_owned(),
        inbox: turn.incoming.inbox.clone(),
        reply_to: Some(turn.incoming.message_id),
        started_at: turn.scene.now,
        steps,
    };
    let mut revision = None;
    if execute::changes_anything(turn.brain, &run) {
        let mut batch = Batch::default();
        batch.put(&run, Expect::Absent)?;
        turn.breath.before_writing().await;
        fail_point("plan-before");
        revision = Some(turn.brain.commit(batch).await?);
        fail_point("plan-durable");
    }
    tell_progress(turn, &run);
    let watch = |run: &Run| tell_progress(turn, run);
    execute::run_watched(turn.brain, &turn.scene, run, revision, Grant::LowStakes, &watch).await
}

impl Progressing {
    fn new(path: Path) -> Self {
        Self {
            answer: Answer::of(path),
            results: Results::default(),
            sources: Sources::default(),
            buttons: Vec::new(),
            proposed: Vec::new(),
            run: None,
        }
    }

    fn asks_consent(&self) -> bool {
        self.answer.replies.iter().any(|reply| reply.card.is_some())
    }

    fn ask(&mut self, question: Clarification) {
        self.answer.path = Path::Clarify;
        self.answer.clarification = Question::Open(Box::new(question));
    }

    /// Adds what a run came to: receipts, reports, undo.
    fn add(&mut self, turn: &Turn<'_>, ran: &execute::Ran) -> Result<(), StoreError> {
        self.results.add_run(turn, &ran.run);
        self.answer.reports.extend(ran.run.steps.iter().map(super::decisions::step_report));
        self.answer.deeds.extend(cards::deeds(&ran.run));
        self.sources.foreign.extend(ran.foreign.iter().cloned());
        if ran.revision.is_some() {
            self.answer.batch.delete(Table::Runs, ran.run.key(), Expect::Any);
        }
        let many = ran.undo.iter().flatten().count() > 1;
        for undo in ran.undo.iter().flatten() {
            let text =
                if many { format!("↩️ Undo: {}", shorten(&undo.label, 30)) } else { "↩️ Undo".to_owned() };
            self.answer.batch.put(undo, Expect::Absent)?;
            self.buttons.push(vec![Button::new(text, &Press::Undo(undo.id.clone()))]);
        }
        self.buttons.extend(cards::send_buttons(&ran.run));
        Ok(())
    }

    /// High-stakes actions whose predecessor just failed are not even asked about.
    fn without_blocked(&mut self, consent: Vec<Passed>, failed: &[usize]) -> Vec<Passed> {
        let mut failed = failed.to_vec();
        let mut kept = Vec::new();
        for passed in consent {
            if passed.depends_on.iter().any(|on| failed.contains(on)) {
                failed.push(passed.index);
                let why = "not asked, because what it depends on did not succeed";
                self.answer.reports.push(gate::report(passed.assessed.action(), Status::Refused, Some(why)));
            } else {
                kept.push(passed);
            }
        }
        kept
    }
}

/// What a button asks for: one action through the gate, like any other, told by its receipt alone.
pub async fn one_action(turn: &Turn<'_>, action: PlannedAction) -> Result<Answer, StoreError> {
    given_actions(turn, vec![action]).await
}

/// What a button or a command asks for: these actions through the gate, told by their receipts alone.
pub async fn given_actions(turn: &Turn<'_>, actions: Vec<PlannedAction>) -> Result<Answer, StoreError> {
    let domains: Vec<String> = actions.iter().map(|action| action.service.clone()).collect();
    let plan = Plan { actions, ..Plan::default() };
    let mut so_far = Progressing::new(Path::Button);
    so_far.sources.own = turn.own_words();
    match one_round(turn, plan, &domains, "", &mut so_far).await {
        Ok(_) => {}
        Err(TurnError::Store(error)) => return Err(error),
        Err(TurnError::Cancelled) => {}
    }
    let words = Formatted::plain(so_far.results.receipts.join("\n"));
    Ok(with_cards_and_question(turn, so_far, words))
}

/// Receipts first, then cards, then the question.
async fn put_together(turn: &Turn<'_>, so_far: Progressing, context: &Context) -> Answer {
    let words = if so_far.results.receipts.is_empty() {
        Formatted::default()
    } else {
        respond::outcomes(turn, &context.memories, &so_far.results).await
    };
    let mut answer = with_cards_and_question(turn, so_far, words);
    if answer.replies.is_empty() {
        // A plan of nothing: talk instead of pretending.
        answer.path = Path::Chat;
        let words = if turn.brain.model.is_some() {
            respond::chat(turn, context.memories.clone()).await
        } else {
            Formatted::plain(understanding::cannot(turn.words()))
        };
        answer.replies.push(words.into());
    }
    answer
}

fn with_cards_and_question(turn: &Turn<'_>, so_far: Progressing, mut words: Formatted) -> Answer {
    let Progressing { mut answer, buttons, .. } = so_far;
    let asks_consent = answer.replies.iter().any(|reply| reply.card.is_some());
    if !words.text.is_empty() {
        let timed = answer.deeds.iter().any(|deed| {
            respond::shows_time(&crate::core::plan::Action { params: deed.params.clone(), ..Default::default() })
        });
        if turn.names_zone() && timed && !answer.zone_named {
            answer.zone_named = true;
            words.push(&format!("\n{}", respond::zone_note(turn.scene.zone)));
        }
        answer.replies.insert(0, Reply { buttons, ..words.into() });
    }
    if let Question::Open(question) = &answer.clarification {
        answer.replies.push(Reply::text(question.question.clone()));
    } else if asks_consent {
        answer.path = Path::Consent;
    }
    answer
}

impl Turn<'_> {
    /// True when the zone was assumed and nobody has been told yet.
    pub fn names_zone(&self) -> bool {
        self.brain.policy.zone_assumed && self.user.zone.is_none() && !self.user.zone_named
    }
}
