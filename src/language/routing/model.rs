//! The router's model: a linear unit for each service and one for "investigates", over the features of a message.
//!
//! The weights are learnt from examples before the program is built (see `train`) and read where they stand in the
//! program's file: nothing is copied, parsed or trained when it runs. The names of the services come with them.
//!
//! ```text
//! "ROUTER1\n" ─► number of services, then length and name of each ─► buckets (u32)
//!   ─► bias and scale of each unit (f32) ─► for each bucket one weight a unit (i8, in scales)
//! ```
//! Numbers are little-endian. A file of another shape does not compile.

use super::features::{BUCKETS, Features};

const MAGIC: &[u8] = b"ROUTER1\n";
/// Services that fit into the header; scores are kept on the stack.
pub(super) const DOMAINS_MAX: usize = 15;
/// The services' units and the one for "investigates".
pub(super) const UNITS_MAX: usize = DOMAINS_MAX + 1;

/// The model in use.
pub(crate) static MODEL: Model<'static> =
    match Model::read(include_bytes!("../../../data/language/routing/weights.bin")) {
        Some(model) => model,
        None => panic!("data/language/routing/weights.bin is no weights of this router; see routing/train.rs"),
    };

/// The score of each unit; 0 is even odds.
pub(crate) type Scores = [f32; UNITS_MAX];

/// Weights, read in place.
#[derive(Debug)]
pub(crate) struct Model<'w> {
    names: [&'w str; DOMAINS_MAX],
    domains: usize,
    bias: Scores,
    scale: Scores,
    /// Bucket by bucket.
    weights: &'w [u8],
}

impl<'w> Model<'w> {
    /// `None` unless the bytes are weights of this program's features.
    pub const fn read(bytes: &'w [u8]) -> Option<Model<'w>> {
        let Some((MAGIC, bytes)) = bytes.split_at_checked(MAGIC.len()) else { return None };
        let Some((&count, mut bytes)) = bytes.split_first() else { return None };
        let domains = count as usize;
        if domains > DOMAINS_MAX {
            return None;
        }
        let (mut names, mut at) = ([""; DOMAINS_MAX], 0);
        while at < domains {
            let Some((&len, rest)) = bytes.split_first() else { return None };
            let Some((name, rest)) = rest.split_at_checked(len as usize) else { return None };
            let Ok(name) = std::str::from_utf8(name) else { return None };
            (names[at], bytes, at) = (name, rest, at + 1);
        }
        let Some((&buckets, mut bytes)) = bytes.split_first_chunk() else { return None };
        let (mut bias, mut scale, mut unit) = ([0.0; UNITS_MAX], [0.0; UNITS_MAX], 0);
        while unit <= domains {
            let Some((&own, rest)) = bytes.split_first_chunk() else { return None };
            let Some((&step, rest)) = rest.split_first_chunk() else { return None };
            (bias[unit], scale[unit], bytes) = (f32::from_le_bytes(own), f32::from_le_bytes(step), rest);
            unit += 1;
        }
        if u32::from_le_bytes(buckets) as usize != BUCKETS || bytes.len() != BUCKETS * (domains + 1) {
            return None;
        }
        Some(Model { names, domains, bias, scale, weights: bytes })
    }

    /// The names of the services, in the order of their units.
    pub fn domains(&self) -> &[&'w str] {
        self.names.get(..self.domains).unwrap_or_default()
    }

    /// The score that a message asks to look into many things.
    pub fn investigates(&self, scores: &Scores) -> f32 {
        scores[self.domains]
    }

    /// The units' scores.
    pub fn scores(&self, Features(features): &Features) -> Scores {
        let units = self.domains + 1;
        let mut sums: Scores = [0.0; UNITS_MAX];
        for &(bucket, share) in features {
            let from = bucket as usize * units;
            let weights = self.weights.get(from..from + units).unwrap_or_default();
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += share * f32::from(weight.cast_signed());
            }
        }
        for (sum, (bias, scale)) in sums.iter_mut().zip(self.bias.iter().zip(&self.scale)) {
            *sum = bias + scale * *sum;
        }
        sums
    }
}

/// The chance that a score stands for, of plain arithmetic: what is learnt and guessed is the same on every machine.
pub(super) fn logistic(score: f32) -> f32 {
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
        let bytes = include_bytes!("../../../data/language/routing/weights.bin");
        assert!(Model::read(bytes).is_some());
        assert!(Model::read(&bytes[..bytes.len() - 1]).is_none());
        assert!(Model::read(b"ROUTER1\n\x10").is_none());
        assert!(Model::read(b"ROUTER2\n").is_none());
        assert!(Model::read(b"").is_none());
    }
}
