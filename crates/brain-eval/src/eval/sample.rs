//! Some rows of a file, drawn so that the same seed draws the same rows on every machine.
//!
//! A row's place in the draw depends on the seed and the row's own text: rows that are added to the file, and
//! comments, leave the order of the others as it is, and a larger sample holds the smaller one.

use sha2::{Digest as _, Sha256};

/// How many rows, and which draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// At most so many.
    pub size: usize,
    /// Another seed draws other rows.
    pub seed: u64,
}

impl Sample {
    /// Those that are drawn, in the order of the file. `text` gives what is written in a row's line.
    pub(super) fn of<T>(self, rows: Vec<T>, text: impl Fn(&T) -> &str) -> Vec<T> {
        let mut lots: Vec<_> = rows.iter().enumerate().map(|(at, row)| (self.lot(text(row)), at)).collect();
        lots.sort_unstable();
        let mut is_drawn = vec![false; rows.len()];
        lots.iter().take(self.size).for_each(|(_, at)| is_drawn[*at] = true);
        rows.into_iter().zip(is_drawn).filter_map(|(row, is_drawn)| is_drawn.then_some(row)).collect()
    }

    fn lot(self, text: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.seed.to_le_bytes()).chain_update(text.as_bytes()).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(size: usize, seed: u64, rows: &[String]) -> Vec<&str> {
        Sample { size, seed }.of(rows.iter().map(String::as_str).collect(), |row| row)
    }

    #[test]
    fn a_seed_draws_the_same_rows_again_in_the_order_of_the_file() {
        let rows: Vec<String> = (100..200).map(|number| number.to_string()).collect();
        let ten = drawn(10, 1, &rows);
        assert_eq!((ten.len(), &ten), (10, &drawn(10, 1, &rows)));
        assert!(ten.is_sorted(), "{ten:?}");
        assert_ne!(ten, drawn(10, 2, &rows));
        let more = drawn(30, 1, &rows);
        assert!(ten.iter().all(|row| more.contains(row)), "a larger sample holds the smaller one");
        assert_eq!(drawn(1_000, 1, &rows).len(), 100);
        // A fixed draw: figures of different days and machines are of the same rows.
        assert_eq!(drawn(3, 1, &rows), ["159", "170", "193"]);
    }
}
