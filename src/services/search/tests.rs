use proptest::prelude::*;

use super::*;

fn best<'a>(titles: &[&'a str], query: &str) -> Option<&'a str> {
    let index = WordIndex::new(titles.iter().map(|title| (*title, "")));
    let scores = index.covered(&WordQuery::new(query));
    let best = scores.iter().copied().fold(0.0, f32::max);
    let place = scores.iter().position(|score| *score == best).filter(|_| best >= SURE)?;
    Some(titles[place])
}

#[test]
fn folding_takes_away_what_people_do_not_type() {
    for (text, folded) in [
        ("  Zoë’s CAFÉ\n", "zoe s cafe"),
        ("ﬁnal Ⅷ", "final viii"),
        ("home_office", "home office"),
        ("a\u{0}b", "a b"),
        ("שָׁלוֹם", "שלום"),
        ("Straße", "strasse"),
    ] {
        assert_eq!(fold(text), folded);
    }
}

#[test]
fn descriptions_find_titles() {
    let titles = [
        "Call the dentist",
        "Call mom",
        "Quarterly report",
        "Grocery shopping",
        "Zahnarzt anrufen",
        "買い物リスト",
        "رحلة برلين",
    ];
    for (query, title) in [
        ("dentist", "Call the dentist"),
        ("the dentist thing", "Call the dentist"),
        ("dentits", "Call the dentist"),
        ("reports", "Quarterly report"),
        ("quartely report", "Quarterly report"),
        ("groceries", "Grocery shopping"),
        ("zahnarzt", "Zahnarzt anrufen"),
        ("買い物", "買い物リスト"),
        ("برلين", "رحلة برلين"),
    ] {
        assert_eq!(best(&titles, query), Some(title), "{query}");
    }
    for query in ["plumber", "call", "the", "", "\u{0}", "🙂"] {
        assert!(best(&titles, query).is_none_or(|title| query == "call" && title.starts_with("Call")), "{query}");
    }
}

#[test]
fn rare_words_say_more_than_common_ones() {
    let titles: Vec<String> = (0..50).map(|n| format!("Call person{n}")).collect();
    let mut titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    titles.push("Book the dentist");
    assert_eq!(best(&titles, "call dentist"), Some("Book the dentist"));
}

#[test]
fn everything_is_asked_for_in_many_words() {
    for query in [
        "",
        "everything",
        "all",
        "what do you know about me",
        "What do you remember?",
        "everything you remember about me",
    ] {
        assert!(WordQuery::new(query).is_for_everything(), "{query}");
    }
    for query in ["my sister", "what do you know about my sister", "🎂", "seat"] {
        assert!(!WordQuery::new(query).is_for_everything(), "{query}");
    }
}

#[test]
fn one_edit_is_a_letter_left_out_added_changed_or_swapped() {
    let one_edit = |a: &str, b: &str| words::distance(a, b, 1).is_some();
    for (a, b) in [("milk", "mlik"), ("milk", "mik"), ("milk", "millk"), ("milk", "silk"), ("milk", "mils")] {
        assert!(one_edit(a, b) && one_edit(b, a), "{a} {b}");
    }
    assert!(!one_edit("milk", "mlki") && !one_edit("milk", "m"));
}

proptest! {
    #[test]
    fn a_title_is_found_by_itself(titles in prop::collection::vec("\\PC{1,40}", 1..8), pick in any::<prop::sample::Index>()) {
        let title = pick.get(&titles);
        let index = WordIndex::new(titles.iter().map(|title| (title.as_str(), "")));
        let scores = index.covered(&WordQuery::new(title));
        let at = titles.iter().position(|t| t == title).unwrap_or_default();
        let best = scores.iter().copied().fold(0.0, f32::max);
        prop_assert!(scores[at] >= SURE && scores[at] >= best);
    }

    #[test]
    fn no_text_breaks_the_search(title in any::<String>(), body in any::<String>(), query in any::<String>()) {
        let index = WordIndex::new([(title.as_str(), body.as_str())]);
        let query = WordQuery::new(&query);
        let scores = [index.covered(&query)[0], index.bm25(&query)[0]];
        prop_assert!(scores.iter().all(|score| score.is_finite() && *score >= 0.0));
    }
}
