//! Conversation: the way of a turn with a capable model, one growing exchange in place of plan, reflect and respond.
//!
//! ```text
//! guard ∥ route ∥ context ─► the model: actions, a question, words
//!                               ├─ looks ───────────────────────────────► run ─► it is asked again with what they found
//!                               ├─ changes ─► verified ─► gate ─► run, card │
//!                               │                └─ likely, or not routed ──► offered with one tap
//!                               └─ nothing to look at any more ──────────► its words, receipts, cards, the question
//! ```
//!
//! Invariants: the model sees what the person sees and may say all that the registry can do; whatever it says goes
//! through what every plan goes through ([`verify`], the gate, consent); no write runs outside the services that the
//! person's own words were routed to; what is shown of its words is what `phrasing` and `honest` leave. Where it gives
//! no answer the turn goes the way of a turn without it. After a yes to what it had to find out first, it goes on
//! ([`going_on`]). Not here: questions over everything (`investigate`), and small models, which plan in steps
//! ([`super::select`]).

mod going_on;
mod instead;
mod says;
mod verify;

use futures::future::{Either, join, select};

pub(in crate::pipeline) use self::going_on::GoingOn;
use self::instead::{CameOfIt, InsteadOf, StandingOffer};
use self::says::{ModelTurn, not_looked_into};
use self::verify::{CheckedPlan, Verifying};
use super::ask::Typed;
use super::context::{self, Context, Fetching};
use super::doubts::Doubt;
use super::grounding::proposed;
use super::guard::{self, Verdict};
use super::phrasing::Internals;
use super::progressing::{Progressing, with_words};
use super::rounds::{self, one_round};
use super::topic::{Topic, Unanswered};
use super::{act, build_params, built_in, condition, investigate, known, respond, route};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, STOPPED};
use crate::pipeline::stages::guessed::{Route, is_of_own_things};
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::markup::Formatted;
use brain_core::core::outcome::Status;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_core::ports::Stage;
use brain_language::language::consent::{self, Consent};
use brain_language::language::routing::{Guess, Kind};
use brain_services::services::catalog::registry::CatalogExtent;

/// Said of what the person wants no more, where the model has no words for it.
const WITHDRAWN: &str = "Okay, I leave it. Nothing was done.";

/// Whether a turn is one: a capable model is there, and one prompt holds all that may be said.
pub(in crate::pipeline) fn is_held(brain: &Brain, facts: &TurnFacts) -> bool {
    let services = brain.plannable(facts.owner());
    brain.converses() && services.extent(&services.names()) == CatalogExtent::Schemas
}

/// A turn that is one.
#[derive(Debug)]
pub(in crate::pipeline) struct Conversing<'a> {
    pub turn: &'a Turn<'a>,
    /// What built-in understanding makes of the message.
    pub guess: &'a Guess,
}

impl Conversing<'_> {
    /// The answer, from the message as it came.
    pub async fn answer(&self, context: Fetching) -> Result<Answer, TurnError> {
        let Self { turn, guess } = *self;
        let is_free = turn.facts.open_question().is_none() && turn.facts.open.is_empty();
        if is_free && built_in::exact(turn.brain, &turn.facts).is_some() {
            let route = route::decide(turn, guess).await;
            turn.account.agreed();
            turn.account.routed(&["route"], route.to_string(), route.kind == guess.kind);
            return act::act(turn, route, context).await;
        }
        let names = turn.brain.plannable(turn.facts.owner()).names();
        let context = turn.unless_cancelled(Box::pin(context::routed(turn, context, &names))).await?;
        let dialogue = Dialogue { turn, context: &context, names };
        let routing = Box::pin(self.bounds());
        let may_be_in_vain = guess.kind == Kind::Investigate || turn.facts.intents().investigates();
        let (bound, first) = if may_be_in_vain || turn.account.is_frugal() {
            (turn.unless_cancelled(routing).await?, None)
        } else {
            match turn.unless_cancelled(select(routing, Box::pin(dialogue.says("", None)))).await? {
                // What is looked into, or ruled out, needs no plan.
                Either::Left((Ok(route), _)) if route.kind == Kind::Investigate => (Ok(route), None),
                Either::Left((Err(why), _)) => (Err(why), None),
                Either::Left((route, speaking)) => (route, Some(turn.unless_cancelled(speaking).await?)),
                Either::Right((spoken, routing)) => (turn.unless_cancelled(routing).await?, Some(spoken)),
            }
        };
        let route = match bound {
            Ok(route) => route,
            Err(why) => return Ok(Answer::says(Path::Blocked, why)),
        };
        turn.account.agreed();
        turn.account.routed(&["route"], route.to_string(), route.kind == guess.kind);
        if let Some(answer) = self.investigated(&route).await? {
            return Ok(answer);
        }
        dialogue.begun(first, route, guess).await
    }

    /// The same for a message that was routed already.
    pub async fn routed(&self, route: Route, context: Fetching) -> Result<Answer, TurnError> {
        if let Some(answer) = self.investigated(&route).await? {
            return Ok(answer);
        }
        let turn = self.turn;
        let names = turn.brain.plannable(turn.facts.owner()).names();
        let context = turn.unless_cancelled(Box::pin(context::routed(turn, context, &names))).await?;
        Dialogue { turn, context: &context, names }.begun(None, route, self.guess).await
    }

    async fn investigated(&self, route: &Route) -> Result<Option<Answer>, TurnError> {
        let is_one = route.kind == Kind::Investigate && is_of_own_things(&self.turn.facts, self.guess);
        if is_one { Box::pin(investigate::investigate(self.turn)).await } else { Ok(None) }
    }

    /// Where the message may lead, beside the operator's policy; why it leads nowhere.
    async fn bounds(&self) -> Result<Route, String> {
        let Self { turn, guess } = *self;
        match join(guard::by_policy(turn.brain, &turn.facts, turn.account), route::decide(turn, guess)).await {
            (Verdict::Allowed, route) => Ok(route),
            (Verdict::Blocked(why), _) => Err(why),
        }
    }
}

/// The exchange with the model.
struct Dialogue<'a> {
    turn: &'a Turn<'a>,
    context: &'a Context,
    /// Of every service that is open to the person.
    names: Vec<String>,
}

impl Dialogue<'_> {
    /// The exchange from its beginning, which may have been said already.
    async fn begun(&self, first: Option<Typed<ModelTurn>>, route: Route, guess: &Guess) -> Result<Answer, TurnError> {
        let asked = self.turn.unless_cancelled(self.says("", None));
        match if let Some(said) = first { said } else { asked.await? } {
            Typed::Answer(first) if first.looks_into() => {
                Ok(Box::pin(investigate::investigate(self.turn)).await?.unwrap_or_else(not_looked_into))
            }
            Typed::Answer(first) => Box::pin(self.held(first, route, guess)).await,
            Typed::Unusable(why) => self.without(&why, Unanswered::Unusable, route).await,
            Typed::Failed(error) => self.without(&error.to_string(), Unanswered::Failed(&error), route).await,
        }
    }

    /// A turn in which the model gives no answer.
    async fn without(&self, why: &str, unanswered: Unanswered<'_>, route: Route) -> Result<Answer, TurnError> {
        let turn = self.turn;
        turn.account.fell_back(Stage::Converse.name(), why);
        if route.kind == Kind::Chat {
            return Ok(Answer::says(Path::Chat, respond::in_kind(turn.brain, &turn.facts)));
        }
        let question = turn.facts.open_question().filter(|_| route.kind == Kind::Followup);
        let topic = Topic { answers: question, unanswered: Some(unanswered), ..Topic::default() };
        rounds::rounds(turn, &route.domains, self.context, topic).await
    }

    /// The exchange, from what the model said first.
    async fn held(&self, first: ModelTurn, route: Route, guess: &Guess) -> Result<Answer, TurnError> {
        let turn = self.turn;
        let is_talk = route.kind == Kind::Chat;
        let domains = self.domains(&first, route, guess).await;
        let instead = InsteadOf::named(turn.brain, &turn.facts, &first).await?;
        let says_nothing = first.plan.actions.is_empty() && first.plan.question.is_none();
        let is_withdrawn = says_nothing && instead.is_some();
        let amended = instead.as_ref().and_then(|instead| instead.amended(&turn.brain.services));
        let topic = Topic { amends: amended.as_ref(), answers: turn.facts.open_question(), ..Topic::default() };
        let mut so_far = rounds::begun(turn.brain, &turn.facts, self.context, &topic);
        so_far.routed = turn.facts.origin().is_own_words().then(|| domains.clone());
        let offered = instead.as_ref().and_then(InsteadOf::offered);
        so_far.sources.untrusted.extend(offered.into_iter().flat_map(|offer| offer.untrusted.iter().cloned()));
        let agreed = offered.filter(|_| opens_with_yes(&turn.facts));
        let agreed = agreed.map(|offer| offer.plan.actions.clone()).unwrap_or_default();
        let mut exchange = Exchange { domains, is_talk, agreed, ..Exchange::default() };
        match self.one_after_the_other(first, &mut exchange, &mut so_far).await {
            Ok(()) => {}
            Err(error) if so_far.answer.reports.is_empty() || turn.account.is_shadow() => return Err(error),
            Err(TurnError::Cancelled) => so_far.results.add_remark(STOPPED.to_owned()),
            Err(TurnError::Store(error)) => {
                tracing::error!(%error, "a later round failed");
                so_far.results.add_remark(crate::pipeline::commit::sorry(&error));
            }
        }
        so_far.name_what_is_left(turn.brain);
        if !exchange.offers.is_empty()
            && offered.is_none()
            && let Some(standing) = StandingOffer::of(turn.brain, &turn.facts).await?
        {
            standing.joins(turn.brain, &mut exchange, &mut so_far);
        }
        let came = CameOfIt::of(&so_far, &exchange.offers, is_withdrawn);
        if is_withdrawn && exchange.reply.is_none() {
            so_far.results.add_remark(WITHDRAWN.to_owned());
        }
        self.offered(&mut exchange, &mut so_far).await?;
        let mut answer = self.worded(exchange, so_far);
        if let Some(instead) = instead
            && let Some(decided) = instead.replaced((turn.brain, &turn.facts, turn.account), came, &mut answer).await?
        {
            return Ok(crate::pipeline::consent::too_late(turn.brain, &turn.facts, &decided).await?);
        }
        Ok(answer)
    }

    /// The services in which something may be changed: where a sure guess stood for the router and the model goes beyond
    /// it, the router is asked after all.
    async fn domains(&self, first: &ModelTurn, route: Route, guess: &Guess) -> Vec<String> {
        let mut domains = route.domains;
        if let Some(question) = self.turn.facts.open_question().filter(|_| route.kind == Kind::Followup) {
            domains.extend(question.domains.iter().cloned());
        }
        let goes_beyond = |domains: &[String]| {
            let entry = |planned: &PlannedAction| self.turn.brain.services.command(&planned.service, &planned.command);
            let writes = |planned: &&PlannedAction| entry(planned).is_some_and(|entry| entry.writes());
            first.plan.actions.iter().filter(writes).any(|planned| !domains.contains(&planned.service))
        };
        if goes_beyond(&domains)
            && let Some(model) = self.turn.brain.model.as_deref()
            && route::needs_no_model(self.turn.brain, &self.turn.facts, model, guess)
            && let Typed::Answer(routed) = Box::pin(route::by_model(self.turn, model, guess)).await
        {
            domains.extend(routed.domains);
        }
        domains.sort();
        domains.dedup();
        domains
    }

    async fn one_after_the_other(
        &self,
        first: ModelTurn,
        exchange: &mut Exchange,
        so_far: &mut Progressing,
    ) -> Result<(), TurnError> {
        let turn = self.turn;
        let (mut said, mut log) = (first, exchange.log.clone());
        for round in exchange.begins..limits::REFLECT_ROUNDS_MAX {
            let written = serde_json::to_string(&said).unwrap_or_default();
            let ModelTurn { mut plan, reply, unmet, .. } = said;
            exchange.reply = reply.filter(|words| !words.trim().is_empty());
            exchange.unmet = unmet;
            self.mend(&mut plan);
            so_far.left.extend(plan.actions.split_off(plan.actions.len().min(limits::PLAN_ACTIONS_MAX)));
            let people = known::meant(turn.brain, &turn.facts, &plan.actions, &so_far.sources.own).await;
            let people = people.unwrap_or_default();
            let verifying = Verifying {
                brain: turn.brain,
                facts: &turn.facts,
                context: self.context,
                so_far,
                people: &people,
                agreed: &exchange.agreed,
                round,
            };
            let CheckedPlan { plan, offers, remarks } = verifying.held(plan, &exchange.domains);
            remarks.into_iter().for_each(|remark| so_far.results.add_remark(remark));
            exchange.offers.extend(offers);
            let before = (so_far.answer.reports.len(), so_far.results.facts.len());
            let within = self.within(&exchange.domains, &plan);
            let open = one_round(turn, plan, &within, turn.facts.words(), so_far).await?;
            turn.account.knows(&so_far.results.receipts);
            let reports = &so_far.answer.reports[before.0..];
            let looked = reports.iter().any(|report| {
                let entry = turn.brain.services.command(&report.service, &report.command);
                report.status == Status::Succeeded && entry.is_some_and(|entry| !entry.writes())
            });
            let failed = reports.iter().any(|report| matches!(report.status, Status::Failed | Status::Refused));
            let goes_on = looked || failed || open.is_some_and(|open| !open.trim().is_empty());
            if !goes_on || so_far.asks() {
                return Ok(());
            }
            let waits = reports.iter().filter(|report| report.status == Status::Pending);
            let waits =
                waits.map(|report| format!("{}.{} waits for their yes on a card", report.service, report.command));
            let offered = exchange.offers.iter().map(|offer| format!("{} is offered, not done", offer.name()));
            let lines: Vec<String> =
                so_far.results.facts[before.1..].iter().cloned().chain(waits).chain(offered).collect();
            log.push_str(&came_to(&format!("You answered: {written}"), &lines));
            let why = match turn.unless_cancelled(self.says(&log, Some(so_far))).await? {
                Typed::Answer(next) => {
                    said = next;
                    continue;
                }
                Typed::Unusable(why) => why,
                Typed::Failed(error) => error.to_string(),
            };
            turn.account.fell_back(Stage::Converse.name(), &why);
            return Ok(());
        }
        Ok(())
    }

    /// Ids and letters as they were meant, and words without what is ours alone.
    fn mend(&self, plan: &mut Plan) {
        let turn = self.turn;
        let known = self.context.items.iter().filter_map(|item| Some((item.id.as_deref()?, item.line.as_str())));
        let internals = Internals::of(turn.brain, &turn.facts).with(known);
        for words in plan.question.iter_mut().chain(&mut plan.open) {
            *words = internals.worded(words);
        }
        for planned in &mut plan.actions {
            if let Some(entry) = turn.brain.services.command(&planned.service, &planned.command) {
                build_params::mend(self.context, entry.as_ref(), &turn.facts, &mut planned.params);
            }
        }
    }

    /// The services of what may be changed, and of what is only looked at.
    fn within(&self, domains: &[String], plan: &Plan) -> Vec<String> {
        let looks = plan.actions.iter().filter(|planned| {
            let entry = self.turn.brain.services.command(&planned.service, &planned.command);
            entry.is_some_and(|entry| !entry.writes())
        });
        let mut within: Vec<String> =
            domains.iter().cloned().chain(looks.map(|planned| planned.service.clone())).collect();
        within.sort();
        within.dedup();
        within
    }

    /// What is done with one tap.
    async fn offered(&self, exchange: &mut Exchange, so_far: &mut Progressing) -> Result<(), TurnError> {
        let (turn, offers) = (self.turn, std::mem::take(&mut exchange.offers));
        if !offers.is_empty() {
            rounds::noted::offered(turn.account, offers.iter());
            let people = known::meant(turn.brain, &turn.facts, &offers, &so_far.sources.own).await.unwrap_or_default();
            let offered = Plan { actions: offers, ..Plan::default() };
            let doubt = proposed::proposed(turn.brain, &turn.facts, offered, &people, true).await;
            let doubt = Doubt { earlier: exchange.earlier.take(), ..doubt };
            let domains = &exchange.domains;
            let asked = doubt.ask(turn.brain, &turn.facts, domains, &so_far.sources, so_far.said.clone())?;
            so_far.offers(asked);
        }
        Ok(())
    }

    /// Words, receipts, cards, offers, the question.
    fn worded(&self, exchange: Exchange, mut so_far: Progressing) -> Answer {
        let turn = self.turn;
        let Exchange { is_talk, reply, unmet, .. } = exchange;
        let unmet = unmet.and_then(|said| condition::not_met(&turn.facts, &said, &so_far));
        unmet.into_iter().for_each(|words| so_far.results.add_remark(words));
        let words = match &reply {
            Some(reply) => {
                respond::in_conversation(turn.brain, &turn.facts, reply, &self.context.memories, &so_far, is_talk)
            }
            None => Formatted::default(),
        };
        let is_nothing = words.text.is_empty() && so_far.is_empty();
        if is_nothing {
            let reply = respond::in_kind(turn.brain, &turn.facts);
            return Answer::says(Path::Chat, reply).holding(self.context.untrusted.clone());
        }
        with_words(turn.brain, &turn.facts, so_far, words).holding(self.context.untrusted.clone())
    }
}

/// How a model is told what came of what it said, or of a yes.
fn came_to(what: &str, lines: &[String]) -> String {
    format!("\n\n{what}\n\nResults\n{}\n\nGo on; do not repeat what is done.", lines.join("\n"))
}

/// What an exchange comes to beside what is done.
#[derive(Default)]
struct Exchange {
    /// Services in which something may be changed.
    domains: Vec<String>,
    /// The router found nothing to do.
    is_talk: bool,
    /// What was offered, where the message begins with a yes.
    agreed: Vec<PlannedAction>,
    /// What is done with one tap.
    offers: Vec<PlannedAction>,
    /// What was asked for before that some of it is for.
    earlier: Option<String>,
    /// What the model said last.
    reply: Option<String>,
    /// A condition of the message that it found not to be so.
    unmet: Option<String>,
    /// Rounds that are over when it begins, and what a model is told of them.
    begins: usize,
    log: String,
}

/// Whether the first words of a message are a yes of the person's own by themselves.
fn opens_with_yes(facts: &TurnFacts) -> bool {
    let first = facts.words().split([',', '.', ';', '!', ':']).next().unwrap_or_default();
    facts.origin().is_own_words() && consent::read(first) == Consent::Yes
}
