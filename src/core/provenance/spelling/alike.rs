//! What looks alike and is not the same: a slip, or letters that are drawn like others.

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

/// Letters of other alphabets, and figures, that look like a Latin letter.
const DRAWN_ALIKE: [(char, &str); 15] = [
    ('a', "аα"),
    ('c', "сϲ"),
    ('d', "ԁ"),
    ('e', "еҽ"),
    ('h', "һ"),
    ('i', "іι"),
    ('j', "ј"),
    ('l', "1ӏ"),
    ('n', "ո"),
    ('o', "0оο"),
    ('p', "рρ"),
    ('s', "ѕ5"),
    ('v', "ѵν"),
    ('x', "хχ"),
    ('y', "уγ"),
];

/// Whether two texts look the same.
pub(super) fn drawn_alike(a: &str, b: &str) -> bool {
    drawn(a).eq(drawn(b))
}

/// The letters that a text seems to have: "rn" is drawn like "m", "vv" like "w".
fn drawn(text: &str) -> impl Iterator<Item = char> {
    let latin = |c: char| DRAWN_ALIKE.iter().find(|(_, like)| like.contains(c)).map_or(c, |(latin, _)| *latin);
    let mut letters = text.chars().map(latin).peekable();
    std::iter::from_fn(move || {
        let letter = letters.next()?;
        let joined = match letter {
            'r' => letters.next_if_eq(&'n').map(|_| 'm'),
            'v' => letters.next_if_eq(&'v').map(|_| 'w'),
            _ => None,
        };
        Some(joined.unwrap_or(letter))
    })
}
