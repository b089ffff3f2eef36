//! What a model's tokens cost: as its owner says (`LLM_PRICE_IN` and `LLM_PRICE_OUT`, also for one stage), nothing on
//! this machine, or as its maker publishes it (`data/prices.toml`); and what may be spent.
//!
//! Invariants: a price belongs to its model, so a stage with a model or endpoint of its own never takes the common
//! price, which would be a guess; a budget over a model whose price nobody knows is an error, as it would bound nothing.

use std::collections::BTreeMap;

use toml_edit::DocumentMut;

use super::reader::{ConfigReader, usd};
use super::{Config, ModelEndpoint};
use brain_core::ports::{Stage, TokenPrice};
use brain_engine::metering::{Budgets, PricedModel, PricedModels};

/// The keys, which may carry a stage's name.
pub(super) const PRICE_KEYS: [&str; 2] = ["LLM_PRICE_IN", "LLM_PRICE_OUT"];
const SUBSTITUTE_KEYS: [&str; 2] = ["LLM_FALLBACK_PRICE_IN", "LLM_FALLBACK_PRICE_OUT"];
pub(super) const DAILY_BUDGET: &str = "BRAIN_DAILY_BUDGET_USD";
const MONTHLY_BUDGET: &str = "BRAIN_MONTHLY_BUDGET_USD";

/// Prices as makers publish them.
const PUBLISHED: &str = include_str!("../../../../data/prices.toml");

impl Config {
    /// Which model answers which stage, and what it costs as far as anybody knows.
    pub fn priced_models(&self) -> PricedModels {
        let published: DocumentMut = PUBLISHED.parse().unwrap_or_default();
        let of = |endpoint: &ModelEndpoint, said: Option<TokenPrice>| PricedModel {
            name: endpoint.model.clone(),
            price: said.or_else(|| free(endpoint)).or_else(|| price_of(&published, &endpoint.model)),
        };
        let stages = self.models.iter();
        PricedModels {
            stages: stages.map(|(stage, at)| (*stage, of(at, self.prices.get(stage).copied()))).collect(),
            substitute: self.model_fallback.as_ref().map(|endpoint| of(endpoint, self.fallback_price)),
        }
    }
}

/// A model on this machine costs nothing.
fn free(endpoint: &ModelEndpoint) -> Option<TokenPrice> {
    let url = reqwest::Url::parse(endpoint.base_url.trim()).ok()?;
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    let is_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    is_here.then_some(TokenPrice { input_usd: 0.0, output_usd: 0.0 })
}

/// What a model costs by its published price: by its name, behind a maker's, and without a date behind it.
fn price_of(published: &DocumentMut, model: &str) -> Option<TokenPrice> {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let undated = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let is_date = |rest: &str| rest.chars().filter(char::is_ascii_digit).count() >= 6;
    let named = |name: &str| published.get(name)?.as_array();
    let of_day = || named(undated).filter(|_| is_date(&name[undated.len()..]));
    let both = named(&name).or_else(of_day)?;
    let number = |at: usize| both.get(at)?.as_float();
    Some(TokenPrice { input_usd: number(0)?, output_usd: number(1)? })
}

impl ConfigReader {
    pub(super) fn prices(&mut self) -> BTreeMap<Stage, TokenPrice> {
        let common = self.price(PRICE_KEYS.map(str::to_owned));
        let mut prices = BTreeMap::new();
        for stage in Stage::ALL {
            let key = |base: &str| format!("{base}_{}", stage.name().to_uppercase());
            let is_apart = ["LLM_BASE_URL", "LLM_MODEL"].iter().any(|base| self.values.contains_key(&key(base)));
            let own = self.price(PRICE_KEYS.map(key));
            if let Some(price) = own.or(common.filter(|_| !is_apart)) {
                prices.insert(stage, price);
            }
        }
        prices
    }

    pub(super) fn fallback_price(&mut self) -> Option<TokenPrice> {
        self.price(SUBSTITUTE_KEYS.map(str::to_owned))
    }

    pub(super) fn budgets(&mut self) -> Budgets {
        let mut of = |key: &str| self.parsed(key, "US dollars, such as 0.50", usd);
        let stages = Stage::ALL.into_iter().filter_map(|stage| {
            let budget = of(&format!("{DAILY_BUDGET}_{}", stage.name().to_uppercase()))?;
            Some((stage, budget))
        });
        let stages = stages.collect();
        Budgets { daily: of(DAILY_BUDGET), monthly: of(MONTHLY_BUDGET), stages }
    }

    /// A budget over a model whose price nobody knows.
    pub(super) fn check_budgets(&mut self, config: &Config) {
        if config.budgets.is_unlimited() {
            return;
        }
        let models = config.priced_models();
        let unpriced = |model: &&PricedModel| model.price.is_none();
        if let Some(model) = models.stages.values().find(unpriced) {
            let name = &model.name;
            self.problems.push(format!(
                "a budget is set, and nobody knows what the model {name} costs: set {} and {}",
                PRICE_KEYS[0], PRICE_KEYS[1]
            ));
        }
        if let Some(model) = models.substitute.as_ref().filter(unpriced) {
            let name = &model.name;
            self.problems.push(format!(
                "a budget is set, and nobody knows what the model {name} costs: set {} and {}",
                SUBSTITUTE_KEYS[0], SUBSTITUTE_KEYS[1]
            ));
        }
    }

    fn price(&mut self, keys: [String; 2]) -> Option<TokenPrice> {
        let both = keys.each_ref().map(|key| self.parsed(key, "US dollars for a million tokens, such as 0.25", usd));
        let [key_in, key_out] = &keys;
        match both {
            [Some(input_usd), Some(output_usd)] => Some(TokenPrice { input_usd, output_usd }),
            [None, None] => None,
            [Some(_), None] | [None, Some(_)] => {
                self.problems.push(format!("{key_in} and {key_out} belong together: set both"));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<Config, String> {
        let model = [("LLM_BASE_URL", "http://localhost:1/v1"), ("LLM_MODEL", "big")];
        let env = model.iter().chain(pairs).map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Config::parse(env, Vec::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_stage_with_a_model_of_its_own_never_takes_the_common_price() {
        let common = [("LLM_PRICE_IN", "0.5"), ("LLM_PRICE_OUT", "2")];
        let apart = [("LLM_MODEL_ROUTE", "small"), ("LLM_MODEL_PLAN", "other")];
        let own = [("LLM_PRICE_IN_PLAN", "0"), ("LLM_PRICE_OUT_PLAN", "1.5")];
        let prices = parse(&[&common[..], &apart, &own].concat()).unwrap().prices;
        assert_eq!(prices.get(&Stage::Route), None);
        assert_eq!(prices[&Stage::Plan], TokenPrice { input_usd: 0.0, output_usd: 1.5 });
        assert_eq!(prices[&Stage::Respond], TokenPrice { input_usd: 0.5, output_usd: 2.0 });
        assert!((prices[&Stage::Respond].of(1_000_000, 500_000) - 1.5).abs() < 1e-9);
    }

    fn price_of_model(name: &str) -> Option<TokenPrice> {
        price_of(&PUBLISHED.parse().expect("prices.toml"), name)
    }

    #[test]
    fn a_published_price_is_that_of_the_model_behind_its_maker_and_before_its_date() {
        let published: DocumentMut = PUBLISHED.parse().expect("prices.toml");
        for (name, _) in published.iter() {
            assert!(price_of_model(name).is_some(), "{name}");
        }
        let mini = price_of_model("gpt-4.1-mini");
        for name in ["openai/gpt-4.1-mini", "GPT-4.1-mini", "gpt-4.1-mini-2025-04-14"] {
            assert_eq!(price_of_model(name), mini, "{name}");
        }
        assert_ne!(price_of_model("gpt-4.1"), mini);
        for name in ["gpt-4.1-mini-tuned", "gpt-4.1-mini-2", "qwen3:8b", "", "gpt"] {
            assert_eq!(price_of_model(name), None, "{name}");
        }
    }

    #[test]
    fn a_budget_needs_the_price_of_every_model_that_may_be_asked() {
        let budget = ("BRAIN_DAILY_BUDGET_USD", "0.50");
        let elsewhere = ("LLM_BASE_URL", "https://models.example/v1");
        let (known, unknown) = (("LLM_MODEL", "gpt-4.1-mini"), ("LLM_MODEL", "house-blend"));
        let set = [("LLM_PRICE_IN", "1"), ("LLM_PRICE_OUT", "2")];
        let other = [("LLM_FALLBACK_BASE_URL", "https://models.example/v1"), ("LLM_FALLBACK_MODEL", "house-blend")];
        assert_eq!(parse(&[budget]).unwrap().budgets.daily, Some(0.5), "on this machine nothing costs anything");
        assert!(parse(&[budget, elsewhere, known]).is_ok());
        assert!(parse(&[elsewhere, unknown]).is_ok(), "without a budget a price may be unknown");
        let refused = parse(&[budget, elsewhere, unknown]).unwrap_err();
        assert!(refused.contains("house-blend") && refused.contains("LLM_PRICE_IN"), "{refused}");
        assert!(parse(&[&[budget, elsewhere, unknown][..], &set].concat()).is_ok());
        let refused = parse(&[&[budget, elsewhere, known][..], &other].concat()).unwrap_err();
        assert!(refused.contains("LLM_FALLBACK_PRICE_IN"), "{refused}");
        let of_stage = parse(&[("BRAIN_DAILY_BUDGET_USD_EXTRACT", "0.2"), ("BRAIN_MONTHLY_BUDGET_USD", "5")]).unwrap();
        assert_eq!((of_stage.budgets.stages[&Stage::Extract], of_stage.budgets.monthly), (0.2, Some(5.0)));
        for (key, value) in [("BRAIN_DAILY_BUDGET_USD", "-1"), ("BRAIN_MONTHLY_BUDGET_USD_PLAN", "1")] {
            assert!(parse(&[(key, value)]).unwrap_err().contains(key), "{key}");
        }
    }

    #[test]
    fn half_a_price_and_no_number_fail_by_name() {
        for (key, value) in
            [("LLM_PRICE_IN", "1"), ("LLM_PRICE_OUT_PLAN", "1"), ("LLM_PRICE_IN", "-1"), ("LLM_PRICE_IN", "cheap")]
        {
            let error = parse(&[(key, value)]).unwrap_err();
            assert!(error.contains(key), "{key}: {error}");
        }
    }
}
