//! Things that are named side by side: "payment and auth", "Priya's and Tom's".
//!
//! Not here: times that are listed (`requests`), and what of a whole message is left out.

use rustc_hash::FxHashSet;

use super::is_light;
use crate::language::{requests, terms, words};

/// What may stand between two of several things, with the spaces around it.
const JOINTS: [&str; 6] = [" and ", " & ", ", ", " und ", " + ", " / "];
/// Words of one of them.
const LISTED_WORDS_MAX: usize = 3;

/// The parts of a text between what joins several things.
pub fn listed(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for joint in JOINTS {
        parts = parts.into_iter().flat_map(|part| part.split(joint).collect::<Vec<_>>()).collect();
    }
    let parts = parts.into_iter().map(|part| part.trim_matches([',', ' ']));
    parts.filter(|part| !part.is_empty()).collect()
}

/// Of things that are named side by side those that no value and no word about them carries, beside one that is
/// carried: "who owns *payment* and auth?".
pub fn listed_left_out(text: &str, values: &[String], told: &[String]) -> Vec<String> {
    let carried: FxHashSet<String> = values.iter().chain(told).flat_map(|text| words::stems(text)).collect();
    let is_carried = |word: &String| {
        let stem = terms::stem(word);
        carried.contains(&stem) || !terms::matching(&stem, carried.iter().map(String::as_str)).is_empty()
    };
    let parts: Vec<Vec<String>> = listed(text).into_iter().map(words::words).collect();
    let mut missing = Vec::new();
    for two in parts.windows(2) {
        // What stands right before the joint is one of the things; the other one is no more than its name.
        let (Some(left), right) = (two[0].last(), &two[1]) else { continue };
        let telling: Vec<&String> = right.iter().filter(|word| !is_light(word)).collect();
        let is_name = right.len() <= LISTED_WORDS_MAX && !telling.is_empty();
        let asks = telling.first().is_some_and(|word| requests::is_worded_with(word));
        if !is_name || asks || is_light(left) {
            continue;
        }
        match (is_carried(left), telling.iter().any(|word| is_carried(word))) {
            (true, false) => missing.push(right.join(" ")),
            (false, true) => missing.push(left.clone()),
            (true, true) | (false, false) => {}
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_beside_something_that_is_there_is_left_out() {
        for (text, value, missing) in [
            ("who owns payment and auth?", "payment", vec!["auth"]),
            ("who owns payment and auth?", "auth", vec!["payment"]),
            ("who owns payment, auth and search?", "payment", vec!["auth"]),
            ("who owns payment and auth?", "payment auth", vec![]),
            ("how warm is it in the hall and the kitchen?", "hall", vec!["the kitchen"]),
            ("find Priya's address and email her that I'm late", "Priya", vec![]),
            ("what is on tomorrow?", "2026-01-13", vec![]),
        ] {
            assert_eq!(listed_left_out(text, &[value.to_owned()], &[]), missing, "{text} {value}");
        }
    }

    #[test]
    fn parts_stand_between_joints() {
        assert_eq!(listed("Priya's, Tom's and Ann's"), ["Priya's", "Tom's", "Ann's"]);
        assert_eq!(listed("A, and B"), ["A", "B"]);
        assert_eq!(listed("Smith"), ["Smith"]);
    }
}
