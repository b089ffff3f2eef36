//! What looks alike and is not the same: a slip, or letters that are drawn like others.

use unicode_security::{MixedScript as _, skeleton};

/// One letter more, less, other, or two swapped.
pub(super) fn is_one_slip(a: &str, b: &str) -> bool {
    let common = |(a, b): &(char, char)| a == b;
    let head: usize = a.chars().zip(b.chars()).take_while(common).map(|(a, _)| a.len_utf8()).sum();
    let (a, b) = (&a[head..], &b[head..]);
    let tail: usize = a.chars().rev().zip(b.chars().rev()).take_while(common).map(|(a, _)| a.len_utf8()).sum();
    let (a, b) = (&a[..a.len() - tail], &b[..b.len() - tail]);
    let fits = |rest: &str| rest.chars().nth(2).is_none();
    fits(a) && fits(b) && strsim::osa_distance(a, b) == 1
}

/// Whether two texts look the same; both in lower case.
pub(super) fn drawn_alike(a: &str, b: &str) -> bool {
    drawn(a) == drawn(b)
}

/// Whether the domain of an address hides what it is: letters of several scripts look like another one, and punycode
/// does not say which it has.
pub fn is_disguised(address: &str) -> bool {
    let domain = address.rsplit('@').next().unwrap_or_default();
    domain.split('.').any(|label| label.starts_with("xn--") || !label.is_single_script())
}

/// The skeleton of a text (UTS 39, 4), and what people take for the same beyond it: "5" for "s", "vv" for "w", a
/// capital for its small letter.
fn drawn(text: &str) -> String {
    let text: String = text.chars().map(beyond_the_standard).collect();
    let skeleton: String = skeleton(&text).flat_map(char::to_lowercase).collect();
    skeleton.replace("vv", "w")
}

/// Figures and letters that the standard does not list, or takes for others than people do.
fn beyond_the_standard(letter: char) -> char {
    match letter {
        '5' => 's',
        'χ' => 'x',
        'ʋ' => 'v',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_people_take_for_latin_ones_are_drawn_alike() {
        for (latin, like) in [
            ("a", "аα"),
            ("c", "сϲ"),
            ("d", "ԁ"),
            ("e", "еҽ"),
            ("h", "һ"),
            ("i", "іι"),
            ("j", "ј"),
            ("l", "1ӏ"),
            ("n", "ո"),
            ("o", "0оο"),
            ("p", "рρ"),
            ("s", "ѕ5"),
            ("v", "ѵν"),
            ("x", "хχ"),
            ("y", "уγ"),
            ("g", "ɡցᶃ"),
            ("o", "օᴏ"),
            ("q", "ԛզ"),
            ("u", "սυ"),
            ("w", "ԝա"),
        ] {
            for like in like.chars() {
                assert!(drawn_alike(latin, &like.to_string()), "{latin} {like}");
            }
        }
        for (a, b) in [("a", "o"), ("u", "v"), ("e", "é"), ("1", "7")] {
            assert!(!drawn_alike(a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_domain_of_several_scripts_is_mixed() {
        for (address, expected) in [
            ("billing@paypal.com", false),
            ("billing@pаypal.com", true),
            ("billing@xn--pypal-4ve.com", true),
            ("post@пpивет.example", true),
            ("post@привет.example", false),
            ("jan@müller.example", false),
            ("jan@pаypal.com@example.org", false),
        ] {
            assert_eq!(is_disguised(address), expected, "{address}");
        }
    }
}
