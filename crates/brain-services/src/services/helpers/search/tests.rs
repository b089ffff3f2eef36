use proptest::prelude::*;

use super::*;

/// What the words of a query match in these, found by looking at all of them.
fn statistics(items: &[WordedItem], query: &WordQuery) -> Statistics {
    let known: HashSet<&str> =
        items.iter().flat_map(|item| item.title.iter().chain(&item.body)).map(String::as_str).collect();
    let words: Vec<String> = query.words().cloned().collect();
    let matched = |word: &String| {
        let stems = terms::matching(&terms::stem(word), known.iter().copied());
        let holds =
            |item: &&WordedItem| stems.iter().any(|(stem, _)| item.title.contains(stem) || item.body.contains(stem));
        WordMatch { documents: items.iter().filter(holds).count(), stems: stems.clone() }
    };
    let found =
        Candidates { words: words.iter().map(matched).collect(), documents: items.len(), ..Candidates::default() };
    let mut statistics = Statistics::default();
    statistics.add(&words, &found);
    statistics
}

fn covered<'a>(items: impl IntoIterator<Item = (&'a str, &'a str)>, query: &str) -> Vec<f32> {
    let items: Vec<WordedItem> = items.into_iter().map(|(title, body)| WordedItem::new(title, body)).collect();
    let query = WordQuery::new(query);
    let statistics = statistics(&items, &query);
    let fit = Fit::new(&query, &statistics);
    items.iter().map(|item| fit.covered(item)).collect()
}

fn best<'a>(titles: &[&'a str], query: &str) -> Option<&'a str> {
    let scores = covered(titles.iter().map(|title| (*title, "")), query);
    let best = scores.iter().copied().fold(0.0, f32::max);
    let place = scores.iter().position(|score| *score == best).filter(|_| best >= SURE)?;
    Some(titles[place])
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

proptest! {
    #[test]
    fn a_title_is_found_by_itself(titles in prop::collection::vec("\\PC{1,40}", 1..8), pick in any::<prop::sample::Index>()) {
        let title = pick.get(&titles);
        let scores = covered(titles.iter().map(|title| (title.as_str(), "")), title);
        let at = titles.iter().position(|t| t == title).unwrap_or_default();
        let best = scores.iter().copied().fold(0.0, f32::max);
        prop_assert!(scores[at] >= SURE && scores[at] >= best);
    }

    #[test]
    fn no_text_breaks_the_search(title in any::<String>(), body in any::<String>(), query in any::<String>()) {
        let item = [WordedItem::new(&title, &body)];
        let query = WordQuery::new(&query);
        let statistics = statistics(&item, &query);
        let fit = Fit::new(&query, &statistics);
        let scores = [fit.covered(&item[0]), fit.relevance(&item)[0]];
        prop_assert!(scores.iter().all(|score| score.is_finite() && *score >= 0.0));
    }
}
