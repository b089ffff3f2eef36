//! Error kinds: in which way is a wrong answer wrong? One kind for each, so that the kinds add up to what is wrong.

use std::fmt;

/// The kinds, in the order in which they count where several apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wrong {
    /// Something was done although nothing was expected: a question, a remark or a negation was taken for an order.
    Mood,
    /// Another service or command than the one that was asked for.
    OtherCommand,
    /// The right command, on something else than what was meant.
    OtherItem,
    /// A value, or a whole action, that nobody asked for.
    Invented,
    /// A value, or a whole action, is missing, and nobody said so.
    Dropped,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mood => "mood",
            Self::OtherCommand => "other command",
            Self::OtherItem => "other item",
            Self::Invented => "invented",
            Self::Dropped => "dropped",
        })
    }
}

/// The kind, from what of the expectations was not met (`missing`) and what was got beyond them (`more`). `differ`
/// compares two that are of the same command; `None`: they are not.
pub(super) fn kind<W, G>(missing: &[&W], more: &[&G], differ: impl Fn(&W, &G) -> Option<Wrong>) -> Wrong {
    let mut left: Vec<&G> = more.to_vec();
    let mut kinds = Vec::new();
    let mut unmet = 0;
    for wanted in missing {
        let alike = left.iter().enumerate().filter_map(|(at, got)| Some((differ(wanted, got)?, at)));
        // The mildest difference: it is the one that was meant.
        match alike.max() {
            Some((kind, at)) => {
                kinds.push(kind);
                left.remove(at);
            }
            None => unmet += 1,
        }
    }
    kinds.extend(match (unmet, left.len()) {
        (0, 0) => None,
        (0, _) => Some(Wrong::Invented),
        (_, 0) => Some(Wrong::Dropped),
        (_, _) => Some(Wrong::OtherCommand),
    });
    kinds.into_iter().min().unwrap_or(Wrong::OtherCommand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_kind_is_the_one_that_counts() {
        let differ = |wanted: &&str, got: &&str| {
            let same = wanted.split(' ').next() == got.split(' ').next();
            same.then(|| if got.contains('!') { Wrong::OtherItem } else { Wrong::Dropped })
        };
        for (missing, more, expected) in [
            (vec!["a 1"], vec![], Wrong::Dropped),
            (vec![], vec!["a 1"], Wrong::Invented),
            (vec!["a 1"], vec!["b 1"], Wrong::OtherCommand),
            (vec!["a 1"], vec!["a 2"], Wrong::Dropped),
            (vec!["a 1"], vec!["a !", "a 2"], Wrong::Invented),
            (vec!["a 1"], vec!["a !"], Wrong::OtherItem),
            (vec!["a 1", "b 1"], vec!["a !", "c 1"], Wrong::OtherCommand),
        ] {
            let (wanted, got): (Vec<&&str>, Vec<&&str>) = (missing.iter().collect(), more.iter().collect());
            assert_eq!(kind(&wanted, &got, differ), expected, "{missing:?} {more:?}");
        }
    }
}
