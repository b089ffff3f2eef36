//! The entries of a list that is said in one line. Not here: what is a list, and what an entry means.

/// The entries of a list in one line: what commas and conjunctions divide. What stands in quotation marks is one, as is a
/// number with its comma, and a name of several words with a sign between ("salt & vinegar crisps").
pub fn entries(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut is_quoted, mut before) = (false, None);
    for (at, c) in text.char_indices() {
        is_quoted = match c {
            '"' => !is_quoted,
            '“' | '„' | '«' => true,
            '”' | '»' => false,
            _ => is_quoted,
        };
        let rest = &text[at..];
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let is_comma = c == ',' && !(is_digit(before) && is_digit(rest.chars().nth(1)));
        let is_conjunction = [" and ", " und "].iter().any(|joint| rest.starts_with(joint));
        if !is_quoted && (is_comma || is_conjunction) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| is_quoted || !is_comma) {
            part.push(c);
        }
        before = Some(c);
    }
    let parts = parts.iter().map(|part| {
        let part = format!("{} ", part.trim());
        let behind = ["and ", "und "].iter().find_map(|joint| part.strip_prefix(joint));
        behind.unwrap_or(&part).trim().to_owned()
    });
    let of_sign = |part: String| -> Vec<String> {
        let two: Vec<&str> = part.split(" & ").map(str::trim).collect();
        let are_words = two.iter().all(|one| !one.contains(char::is_whitespace));
        if are_words { two.into_iter().map(str::to_owned).collect() } else { vec![part] }
    };
    parts.flat_map(of_sign).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_divided_by_what_stands_between_them_and_by_nothing_inside_them() {
        for (text, expected) in [
            ("milk, eggs and butter", vec!["milk", "eggs", "butter"]),
            ("milk & eggs", vec!["milk", "eggs"]),
            ("milk, and oat flakes", vec!["milk", "oat flakes"]),
            ("salt & vinegar crisps", vec!["salt & vinegar crisps"]),
            ("2,5 kg flour, 3 eggs", vec!["2,5 kg flour", "3 eggs"]),
            ("\"mac and cheese, large\" and milk", vec!["\"mac and cheese, large\"", "milk"]),
            ("“salt, pepper”, rice", vec!["“salt, pepper”", "rice"]),
            ("Brot und Butter", vec!["Brot", "Butter"]),
            (" , and ", vec![]),
        ] {
            assert_eq!(entries(text), expected, "{text}");
        }
    }
}
