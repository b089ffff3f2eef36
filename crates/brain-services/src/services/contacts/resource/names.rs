//! The parts of a name (N: family, given, additional names, prefixes, suffixes) and the whole.

use super::encoded::plain;

/// The parts of N, in its order.
pub(super) type NameParts = [String; 5];

/// Whether the parts say this name, in one of the orders in which people write them.
pub(super) fn say(parts: &NameParts, name: &str) -> bool {
    let [family, given, more, before, after] = parts.each_ref().map(String::as_str);
    let comma = format!("{family},");
    let orders: [&[&str]; 7] = [
        &[before, given, more, family, after],
        &[given, more, family],
        &[before, given, family],
        &[given, family],
        &[family, given, more],
        &[family, given],
        &[&comma, given],
    ];
    !plain(&parts.join(" ")).is_empty() && orders.iter().any(|order| plain(&order.join(" ")) == plain(name))
}

/// The parts of a name, with what of the old ones is still in it.
pub(super) fn parts_of(name: &str, old: &NameParts) -> NameParts {
    let name = plain(name);
    let mut words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let [family, given, more, before, after] = old.each_ref().map(|part| words_of(part));
    let before = taken(&mut words, &before, NameSide::Start);
    let after = taken(&mut words, &after, NameSide::End);
    if let Some((first, rest)) = name.split_once(", ").filter(|_| before.is_empty() && after.is_empty()) {
        // "Miller, Bob".
        return [first.trim().to_owned(), rest.trim().to_owned(), String::new(), before, after];
    }
    let kept_family = taken(&mut words, &family, NameSide::End);
    let kept_given = if words.len() > 1 || !kept_family.is_empty() {
        taken(&mut words, &given, NameSide::Start)
    } else {
        String::new()
    };
    let kept_more = if kept_given.is_empty() { String::new() } else { taken(&mut words, &more, NameSide::Start) };
    let [family, given, more] = match (kept_given.is_empty(), kept_family.is_empty()) {
        (false, false) if kept_more.is_empty() => [kept_family, kept_given, words.join(" ")],
        (false, false) => [kept_family, kept_given, joined(&kept_more, &words)],
        (true, false) => [kept_family, words.join(" "), String::new()],
        (false, true) => [words.join(" "), kept_given, kept_more],
        (true, true) => split(&words),
    };
    [family, given, more, before, after]
}

/// Family, given and additional names of somebody of whom nothing is known but the words.
fn split(words: &[&str]) -> [String; 3] {
    let Some((first, rest)) = words.split_first() else { return Default::default() };
    // A number is nobody's family.
    if rest.is_empty() || !words.concat().contains(char::is_alphabetic) {
        return [String::new(), words.join(" "), String::new()];
    }
    if let ([second], true) = (rest, words.iter().all(|word| is_family_first(word))) {
        return [(*first).to_owned(), (*second).to_owned(), String::new()];
    }
    // What is written small before the last word belongs to it: van, de, von der.
    let is_small = |word: &&str| word.chars().next().is_some_and(char::is_lowercase);
    let small = rest[..rest.len() - 1].iter().rev().take_while(|word| is_small(word)).count();
    let at = rest.len() - 1 - small;
    [rest[at..].join(" "), (*first).to_owned(), rest[..at].join(" ")]
}

/// Names in Chinese, Japanese and Korean letters begin with the family.
fn is_family_first(word: &str) -> bool {
    word.chars()
        .all(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '々'))
}

#[derive(Clone, Copy)]
enum NameSide {
    Start,
    End,
}

/// Takes the words of a part from a side of a name, where they stand there.
fn taken(words: &mut Vec<&str>, part: &[String], side: NameSide) -> String {
    let stands = match side {
        NameSide::Start => words.len() >= part.len() && words.iter().zip(part).all(|(a, b)| a == b),
        NameSide::End => words.len() >= part.len() && words.iter().rev().zip(part.iter().rev()).all(|(a, b)| a == b),
    };
    if part.is_empty() || !stands {
        return String::new();
    }
    match side {
        NameSide::Start => drop(words.drain(..part.len())),
        NameSide::End => words.truncate(words.len() - part.len()),
    }
    part.join(" ")
}

fn words_of(part: &str) -> Vec<String> {
    plain(part).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn joined(first: &str, words: &[&str]) -> String {
    plain(&format!("{first} {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(parts: [&str; 5]) -> NameParts {
        parts.map(str::to_owned)
    }

    #[test]
    fn a_name_is_parted_as_people_part_it() {
        for (name, was, parts) in [
            ("Mum", ["", "", "", "", ""], ["", "Mum", "", "", ""]),
            ("", ["", "", "", "", ""], ["", "", "", "", ""]),
            ("030 123 45", ["", "", "", "", ""], ["", "030 123 45", "", "", ""]),
            ("Bob Miller", ["", "", "", "", ""], ["Miller", "Bob", "", "", ""]),
            ("Mary Ann Smith", ["", "", "", "", ""], ["Smith", "Mary", "Ann", "", ""]),
            ("Mary Ann Jones", ["Smith", "Mary Ann", "", "", ""], ["Jones", "Mary Ann", "", "", ""]),
            ("Ludwig van Beethoven", ["", "", "", "", ""], ["van Beethoven", "Ludwig", "", "", ""]),
            ("Anna von der Leyen", ["Meier", "Anna", "", "", ""], ["von der Leyen", "Anna", "", "", ""]),
            ("Dr. Anna Schmidt", ["Meier", "Anna", "", "Dr.", ""], ["Schmidt", "Anna", "", "Dr.", ""]),
            ("Anna Schmidt", ["Meier", "Anna", "", "Dr.", ""], ["Schmidt", "Anna", "", "", ""]),
            ("Mr. John R. Doe Jr.", ["Doe", "Jack", "", "Mr.", "Jr."], ["Doe", "John R.", "", "Mr.", "Jr."]),
            ("John Paul Q. Doe", ["Doe", "John", "Paul", "", ""], ["Doe", "John", "Paul Q.", "", ""]),
            ("Miller, Bob", ["", "", "", "", ""], ["Miller", "Bob", "", "", ""]),
            ("Anna", ["Meier", "Anna", "", "", ""], ["", "Anna", "", "", ""]),
            ("Anna Anna", ["Anna", "Eva", "", "", ""], ["Anna", "Anna", "", "", ""]),
            ("山田 太郎", ["", "", "", "", ""], ["山田", "太郎", "", "", ""]),
            ("Ольга Смирнова", ["", "", "", "", ""], ["Смирнова", "Ольга", "", "", ""]),
        ] {
            assert_eq!(parts_of(name, &old(was)), old(parts), "{name}");
        }
    }

    #[test]
    fn parts_say_a_name_in_several_orders() {
        let parts = old(["Doe", "John", "Paul", "Mr.", "Jr."]);
        for name in ["Mr. John Paul Doe Jr.", "John Doe", "Doe John", "Doe, John", "John Paul Doe", "Mr.  John Doe"] {
            assert!(say(&parts, name), "{name}");
        }
        for name in ["John", "john doe", "Jack Doe", ""] {
            assert!(!say(&parts, name), "{name}");
        }
        assert!(!say(&NameParts::default(), ""));
    }
}
