//! The router's model: a linear unit for each service and one for investigations, over the features of a message.
//!
//! The weights are `data/language/routing/weights.tsv`: a fit to the examples beside it, which takes minutes (see
//! `tests/train.rs`), kept as a text and read when it is first needed. The names of the services come with them.
//!
//! ```text
//! bucket  task  calendar  …  investigates     the units, services first
//! bias    -2.4  -2.7      …  -2.9
//! scale   0.05  0.03      …  0.03              what a step of a weight is worth
//! 17      -12             …  5                 a bucket of the features, and its weights in steps; nothing is 0
//! ```
//! Buckets that are all 0 have no line. Not here: what the buckets are of (`features`).

use super::features::{BUCKETS, Features};
use crate::language::tables::MadeTables;

/// The services' units and the one for investigations; scores are kept on the stack.
pub const UNITS_MAX: usize = 16;

const WEIGHTS: &str = include_str!("../../../../../data/language/routing/weights.tsv");

/// The model in use, made when it is first needed.
pub static MODEL: MadeTables<RoutingWeights> = MadeTables::new(|| match RoutingWeights::read(WEIGHTS) {
    Some(model) => model,
    None => panic!("data/language/routing/weights.tsv is no weights of this router; see routing/tests/train.rs"),
});

/// The score of each unit; 0 is even odds.
pub type Scores = [f32; UNITS_MAX];

/// Weights, and what they are of.
#[derive(Debug)]
pub struct RoutingWeights {
    domains: Vec<&'static str>,
    bias: Scores,
    scale: Scores,
    /// Bucket by bucket, one a unit.
    weights: Vec<i8>,
}

impl RoutingWeights {
    /// `None` unless the text is weights of this program's features.
    pub fn read(text: &'static str) -> Option<RoutingWeights> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut domains: Vec<&str> = lines.next()?.strip_prefix("bucket\t")?.split('\t').collect();
        domains.pop().filter(|last| *last == "investigates")?;
        let units = domains.len() + 1;
        let mut scores = |name: &str| {
            let mut read = [0.0; UNITS_MAX];
            let numbers = lines.next()?.strip_prefix(name)?.strip_prefix('\t')?.split('\t');
            (numbers.clone().count() == units).then_some(())?;
            read.get_mut(..units)?.iter_mut().zip(numbers).try_for_each(|(score, number)| {
                *score = number.parse().ok()?;
                Some(())
            })?;
            Some(read)
        };
        let (bias, scale) = (scores("bias")?, scores("scale")?);
        let mut weights = vec![0; BUCKETS * units];
        for line in lines {
            let (bucket, row) = line.split_once('\t')?;
            let from = bucket.parse::<usize>().ok()? * units;
            let places = weights.get_mut(from..from + units)?;
            for (unit, weight) in row.split('\t').enumerate().filter(|(_, weight)| !weight.is_empty()) {
                *places.get_mut(unit)? = weight.parse().ok()?;
            }
        }
        Some(RoutingWeights { domains, bias, scale, weights })
    }

    /// The names of the services, in the order of their units.
    pub fn domains(&self) -> &[&'static str] {
        &self.domains
    }

    /// The score that a message asks to look into many things.
    pub fn investigates(&self, scores: &Scores) -> f32 {
        scores[self.domains.len()]
    }

    /// The units' scores.
    pub fn scores(&self, Features(features): &Features) -> Scores {
        let units = self.domains.len() + 1;
        let mut sums: Scores = [0.0; UNITS_MAX];
        for &(bucket, share) in features {
            let from = bucket as usize * units;
            let weights = self.weights.get(from..from + units).unwrap_or_default();
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += share * f32::from(*weight);
            }
        }
        for (sum, (bias, scale)) in sums.iter_mut().zip(self.bias.iter().zip(&self.scale)) {
            *sum = bias + scale * *sum;
        }
        sums
    }
}

/// The chance that a score stands for, of plain arithmetic: what is learnt and guessed is the same on every machine.
pub fn logistic(score: f32) -> f32 {
    // A Padé approximant of exp(score / 64), then six squarings: right to seven digits.
    let x = f64::from(score.clamp(-40.0, 40.0)) / 64.0;
    let (even, odd) = (1.0 + x * x / 12.0, x / 2.0);
    let mut exp = (even + odd) / (even - odd);
    for _ in 0..6 {
        exp *= exp;
    }
    (exp / (1.0 + exp)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_logistic_function() {
        for score in [-30.0_f32, -7.5, -1.0, -0.01, 0.0, 0.3, 2.0, 5.5, 12.0, 39.0] {
            let exact = 1.0 / (1.0 + (-f64::from(score)).exp());
            let got = f64::from(logistic(score));
            assert!((got - exact).abs() <= 5e-6 * exact.max(1e-6), "{score}: {got} {exact}");
        }
    }

    #[test]
    fn weights_of_another_shape_are_refused() {
        assert!(RoutingWeights::read(WEIGHTS).is_some());
        let head = "bucket\ttask\tinvestigates\nbias\t-1\t-2\nscale\t0.1\t0.2\n";
        assert!(RoutingWeights::read(head).is_some());
        for (rows, why) in
            [("16384\t1", "no such bucket"), ("1\t1\t2\t3", "no such unit"), ("1\t200", "too much"), ("x", "")]
        {
            assert!(RoutingWeights::read(format!("{head}{rows}\n").leak()).is_none(), "{why}");
        }
        assert!(RoutingWeights::read("bucket\ttask\tinvestigates\nbias\t-1\nscale\t0.1\t0.2\n").is_none());
        assert!(RoutingWeights::read("bucket\ttask\n").is_none() && RoutingWeights::read("").is_none());
    }
}
