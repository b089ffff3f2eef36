//! What a model's tokens cost, as its owner says: `LLM_PRICE_IN` and `LLM_PRICE_OUT`, also for one stage.
//!
//! Invariant: a price belongs to its model. A stage with a model or endpoint of its own never takes the common price,
//! which would be a guess. Not here: prices nobody has set.

use std::collections::BTreeMap;

use super::reader::{ConfigReader, usd};
use brain_core::ports::{Stage, TokenPrice};

/// The keys, which may carry a stage's name.
pub(super) const PRICE_KEYS: [&str; 2] = ["LLM_PRICE_IN", "LLM_PRICE_OUT"];

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
