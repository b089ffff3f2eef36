//! Embedding port: texts as vectors, so that what means the same in other words lies near.

use async_trait::async_trait;

/// A text as a vector of length 1, its numbers as 127ths: cosine to about a hundredth, in a quarter of the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedding(Vec<i8>);

impl Embedding {
    /// Of a vector of any length; `None` where it has none, or holds what is no number.
    pub fn of(numbers: &[f32]) -> Option<Self> {
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        let is_usable = length.is_finite() && length > f32::EPSILON;
        // Within -127..=127: none is longer than the whole.
        is_usable.then(|| Self(numbers.iter().map(|number| (number / length * 127.0).round() as i8).collect()))
    }

    /// As it was kept.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.iter().map(|byte| i8::from_ne_bytes([*byte])).collect())
    }

    /// To be kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|number| number.to_ne_bytes()[0]).collect()
    }

    /// The cosine of the angle between two, -1 to 1; of different dimensions: 0.
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        let product: i32 = self.0.iter().zip(&other.0).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        product as f32 / (127.0 * 127.0)
    }
}

/// Why there are no vectors. Never holds keys or words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the embedding endpoint {0}")]
pub struct EmbedError(pub String);

/// Makes vectors of texts. Time-outs are the adapter's.
#[async_trait]
pub trait Embedder: Send + Sync + std::fmt::Debug {
    /// Whose vectors they are: those of another model cannot be compared with them.
    fn model(&self) -> &str;

    /// One for each text, in their order.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedding>, EmbedError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_angle_survives_being_kept_and_nothing_has_one_with_other_dimensions() {
        let [a, b] = [[3.0, 4.0, 0.0], [4.0, 3.0, 0.0]].map(|numbers| Embedding::of(&numbers).unwrap());
        assert!((a.cosine(&b) - 0.96).abs() < 0.02 && a.cosine(&a) > 0.98, "{}", a.cosine(&b));
        assert_eq!(Embedding::from_bytes(&a.to_bytes()), a);
        assert!(a.cosine(&Embedding::of(&[1.0, 0.0]).unwrap()).abs() < f32::EPSILON);
        for unusable in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY]] {
            assert_eq!(Embedding::of(unusable), None, "{unusable:?}");
        }
    }
}
