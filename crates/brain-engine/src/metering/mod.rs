//! Metering of models: every call is counted for whoever's turn it is of, and none is made that its budget does not
//! hold.
//!
//! ```text
//! call ─► price known? ─► held from the budget ─► endpoint ─► what it cost is settled, the rest given back
//!                              │ too little left
//!                              └─► the endpoint that stands in, where that costs nothing ─► else refused
//! ```
//! A call is held at the most it may cost, so that several at once cannot spend together what each of them could. One
//! that is dropped on its way has cost what was sent. Not here: what is kept ([`DailyUsage`], with the turn's commit),
//! and who is told ([`crate::pipeline`]).

mod ledger;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

pub use self::ledger::{BudgetLedger, Budgets, NEARLY};
use brain_core::ports::metering::UsageSum;
use brain_core::ports::records::NodeContents;
use brain_core::ports::{Call, Completion, Model, ModelError, ModelHost, Stage, TokenPrice, Usage};

/// Bytes of a prompt that are a token at least: more tokens than this no text of it has, in most languages.
const BYTES_A_TOKEN_MIN: usize = 3;

/// A model by name, and what its tokens cost where that is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PricedModel {
    /// As its endpoint calls it.
    pub name: String,
    /// `None`: unknown. A model of one's own costs nothing, which is known.
    pub price: Option<TokenPrice>,
}

/// Which model answers which stage, and at what price.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PricedModels {
    /// Of each stage.
    pub stages: BTreeMap<Stage, PricedModel>,
    /// What stands in for them.
    pub substitute: Option<PricedModel>,
}

/// See the module.
#[derive(Debug)]
pub struct Metered {
    model: Arc<dyn Model>,
    models: PricedModels,
    ledger: Arc<BudgetLedger>,
}

impl Metered {
    /// A model whose calls are counted in `ledger`.
    pub fn new(model: Arc<dyn Model>, models: PricedModels, ledger: Arc<BudgetLedger>) -> Self {
        Self { model, models, ledger }
    }

    fn of(&self, stage: Stage, is_substitute: bool) -> PricedModel {
        let own = self.models.stages.get(&stage);
        let substitute = self.models.substitute.as_ref().filter(|_| is_substitute);
        substitute.or(own).cloned().unwrap_or_default()
    }
}

/// What a call costs at least and at most, by the dearest of those who may answer it.
fn bounds(call: &Call, prices: impl Iterator<Item = TokenPrice>) -> (f64, f64) {
    let shape = call.schema.as_ref().map_or(0, |schema| schema.as_str().len());
    let sent = ((call.system.len() + call.user.len() + shape) / BYTES_A_TOKEN_MIN) as u64;
    let both = prices.map(|price| (price.of(sent, 0), price.of(sent, u64::from(call.tokens_max))));
    both.fold((0.0, 0.0), |(least, most): (f64, f64), (sent, all)| (least.max(sent), most.max(all)))
}

/// Why a call gave nothing that was dropped on its way.
const GIVEN_UP: &str = "nobody waited for its answer any more";

/// What a call got and gave, for whoever looks into the turn.
fn contents(call: &Call, model: &str, usage: Usage, ended: Result<&Completion, &dyn Display>) -> NodeContents {
    let of = |gave: &str| NodeContents::of(call.stage.name(), &call.user, gave).asked_of(model, &call.system, usage);
    match ended {
        Err(why) => of("").failing(&why.to_string()),
        Ok(completion) => {
            let called = || completion.calls.iter().map(|called| format!("{} {}", called.name, called.arguments));
            let called = if completion.text.is_empty() { called().collect() } else { Vec::new() };
            let text = if called.is_empty() { &completion.text } else { &called.join("\n") };
            NodeContents { is_substitute: completion.is_substitute, ..of(text) }
        }
    }
}

/// A call on its way: what becomes of it is counted, also where nobody waits for it any more.
struct CountedCall<'a> {
    call: &'a Call,
    begun: Instant,
    model: PricedModel,
    is_over: bool,
}

impl CountedCall<'_> {
    /// `ended`: the answer, or why there is none.
    fn over(&mut self, model: PricedModel, usage: Usage, ended: Result<&Completion, &dyn Display>) -> f64 {
        self.is_over = true;
        self.call.meter.note(self.begun, || contents(self.call, &model.name, usage, ended));
        let usd = model.price.map(|price| price.of(usage.tokens_in, usage.tokens_out));
        let sum = UsageSum {
            usage,
            failed: u32::from(ended.is_err()),
            refused: 0,
            usd: usd.unwrap_or_default(),
            unpriced: if usd.is_some() { 0 } else { usage.calls },
            ms: u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        self.call.meter.add(self.call.stage, &model.name, sum);
        usd.unwrap_or_default()
    }
}

impl Drop for CountedCall<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            let sent = ((self.call.system.len() + self.call.user.len()) / 4) as u64;
            let model = std::mem::take(&mut self.model);
            self.over(model, Usage { calls: 1, tokens_in: sent, ..Usage::default() }, Err(&GIVEN_UP));
        }
    }
}

#[async_trait]
impl Model for Metered {
    async fn complete(&self, call: Call, words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        let own = self.of(call.stage, false);
        let mut held = None;
        let mut model = own.clone();
        if let (Some((owner, day)), Some(price)) = (call.meter.owner(), own.price) {
            let substitute = self.models.substitute.as_ref().and_then(|model| model.price);
            let bounds = bounds(&call, [price].into_iter().chain(substitute));
            match self.ledger.hold(owner, day, call.stage, bounds).await {
                Ok(hold) => held = Some(hold),
                Err(why) => {
                    let free =
                        self.models.substitute.as_ref().filter(|model| model.price.is_some_and(TokenPrice::is_free));
                    match free.filter(|_| self.model.substitute(&call)) {
                        Some(substitute) => model = substitute.clone(),
                        None => {
                            let sum = UsageSum { refused: 1, ..UsageSum::default() };
                            call.meter.add(call.stage, &own.name, sum);
                            let refused = ModelError::OverBudget { why };
                            let usage = Usage::default();
                            call.meter.note(Instant::now(), || contents(&call, &own.name, usage, Err(&refused)));
                            return Err(refused);
                        }
                    }
                }
            }
        }
        let mut counted = CountedCall { call: &call, begun: Instant::now(), model, is_over: false };
        let result = self.model.complete(call.clone(), words).await;
        let (usage, is_substitute) = match &result {
            Ok(completion) => (completion.usage, completion.is_substitute),
            Err(error) => (error.usage(), false),
        };
        let answered = match is_substitute {
            true => self.of(call.stage, true),
            false => std::mem::take(&mut counted.model),
        };
        let usd = counted.over(answered, usage, result.as_ref().map_err(|error| error as &dyn Display));
        if let Some(held) = held {
            held.settle(usd);
        }
        result
    }

    fn reads_tokens_max(&self, stage: Stage) -> Option<u64> {
        self.model.reads_tokens_max(stage)
    }

    fn is_small(&self, stage: Stage) -> bool {
        self.model.is_small(stage)
    }

    fn is_slow(&self, stage: Stage) -> bool {
        self.model.is_slow(stage)
    }

    fn takes(&self, stage: Stage) -> Option<Duration> {
        self.model.takes(stage)
    }

    fn substitute(&self, call: &Call) -> bool {
        self.model.substitute(call)
    }

    fn hosts(&self) -> Vec<ModelHost> {
        self.model.hosts()
    }
}
