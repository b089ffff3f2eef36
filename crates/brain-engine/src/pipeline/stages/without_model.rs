//! Why a turn does without the model, in words: one that is slow, one that is not there and one that is set up wrong
//! are mended by different people in different ways.

use brain_core::ports::ModelError;

/// Said where built-in understanding stood in for a model that was asked.
pub(super) fn remark(error: &ModelError) -> &'static str {
    match error {
        ModelError::TooSlow { .. } => "(My language model took too long, so I used my built-in understanding.)",
        ModelError::Unreachable { .. } => "(My language model can't be reached, so I used my built-in understanding.)",
        ModelError::OverBudget { .. } => {
            "(What my language model may cost is used up for now, so I used my built-in understanding; /status says more.)"
        }
        ModelError::Rejected { status: 401 | 403, .. } => {
            "(My language model refused its key, so I used my built-in understanding; /status says more.)"
        }
        ModelError::Rejected { status: 300..=399 | 404, .. } => {
            "(My language model is not where I was told to ask, so I used my built-in understanding; /status says more.)"
        }
        ModelError::Rejected { status: 402 | 429, .. } => {
            "(My language model takes no more questions just now, so I used my built-in understanding.)"
        }
        ModelError::Rejected { .. } => {
            "(My language model answered with an error, so I used my built-in understanding; /status says more.)"
        }
        ModelError::Unreadable { .. } => {
            "(I couldn't read my language model's answer, so I used my built-in understanding; /status says more.)"
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use brain_core::ports::Usage;

    #[test]
    fn slow_gone_refused_and_wrong_are_told_apart() {
        let (why, usage) = (String::new, Usage::default());
        let rejected = |status| ModelError::Rejected { status, why: why(), usage };
        let all = [
            ModelError::TooSlow { why: why(), usage },
            ModelError::Unreachable { why: why(), usage },
            ModelError::Unreadable { why: why(), usage },
            ModelError::OverBudget { why: why() },
            rejected(401),
            rejected(404),
            rejected(429),
            rejected(500),
        ];
        assert_eq!(all.iter().map(remark).collect::<BTreeSet<_>>().len(), all.len());
    }
}
