//! Text as people must see it: hidden characters made visible, long text split on sensible borders.
//!
//! Cards, receipts and logs show untrusted text through [`visible`], so that nobody approves what they
//! cannot see.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

/// The text with a capital letter in front.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Shows every character that could hide or reorder text as `⟨U+XXXX⟩`.
///
/// Line feeds and tabs stay. A zero-width joiner, non-joiner or variation selector stays where script or
/// emoji need it: between two characters that are not plain Latin, Greek or Cyrillic letters.
pub fn visible(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    for (index, &c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(index + 1).copied();
        if is_hidden_between(c, before, after) {
            out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// The text without what [`visible`] would have to show: what two names are compared by.
pub fn without_hidden(text: &str) -> String {
    let mut before = None;
    let mut chars = text.chars().peekable();
    let mut seen = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        if !is_hidden_between(c, before, chars.peek().copied()) {
            seen.push(c);
        }
        before = Some(c);
    }
    seen
}

/// The text on one line, hidden characters shown: white space of every kind, line ends included, is one space.
pub fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Somebody's name for themselves, a title, a file's name: on one line, at most `max` characters of it, between
/// quotation marks that it cannot close, and without what would make it look like a list of addresses.
pub fn quoted(name: &str, max: usize) -> String {
    let plain = name.chars().filter(|c| !matches!(c, '<' | '>' | '＜' | '＞'));
    let plain: String = plain.map(|c| if closes_a_quote(c) { '\'' } else { c }).collect();
    format!("“{}”", shorten(&one_line(&plain), max))
}

/// Characters that could be read as the end of what stands between quotation marks.
pub fn closes_a_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '«'
            | '»'
            | '“'
            | '”'
            | '„'
            | '‟'
            | '‹'
            | '›'
            | '″'
            | '‶'
            | '〝'
            | '〞'
            | '〟'
            | '＂'
            | '「'
            | '」'
            | '『'
            | '』'
            | '❝'
            | '❞'
            | '🙶'
            | '🙷'
            | '🙸'
            | '⹂'
            | '〃'
            | 'ˮ'
            | '˝'
            | 'ʺ'
            | '״'
            | '\u{2057}'
    )
}

/// True when [`visible`] would leave the text as it is.
pub fn is_plain(text: &str) -> bool {
    visible(text) == text
}

/// How many characters in a row nobody sees and a machine reads: as many as spell something, where it is hidden text.
pub fn hidden_in_a_row(text: &str) -> usize {
    let mut longest = 0;
    let mut row = 0;
    for c in text.chars() {
        row = if is_invisible_format(c) { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    longest
}

/// True when [`visible`] would escape this character standing alone.
pub fn is_hidden(c: char) -> bool {
    is_hidden_between(c, None, None)
}

fn is_hidden_between(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{200C}' | '\u{200D}' => !(before.is_some_and(needs_joiner) && after.is_some_and(needs_joiner)),
        '\u{FE0E}' | '\u{FE0F}' => !before.is_some_and(takes_variation),
        '\u{1F3FB}'..='\u{1F3FF}' => false,
        _ => c.is_control() || is_invisible_format(c),
    }
}

/// Scripts that write with joiners, and emoji sequences.
fn needs_joiner(c: char) -> bool {
    matches!(u32::from(c), 0x0600..=0x08FF | 0x0900..=0x0DFF | 0x1000..=0x109F | 0x1780..=0x18AF
        | 0x2190..=0x2BFF | 0xFB50..=0xFDFF | 0xFE0F | 0xFE70..=0xFEFC | 0x1F000..=0x1FAFF)
}

/// Characters that have a text and an emoji shape.
fn takes_variation(c: char) -> bool {
    matches!(u32::from(c), 0x23 | 0x2A | 0x30..=0x39 | 0xA9 | 0xAE | 0x2000..=0x3300 | 0x1F000..=0x1FAFF)
}

/// Default-ignorable, bidirectional and other format characters (Unicode 16, general category Cf and kin).
fn is_invisible_format(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0D | 0xFEFF
        | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
        | 0x2800 | 0xE000..=0xF8FF)
}

/// A number as people write it: `10,000`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Splits text into parts of at most `max` UTF-16 units: at an empty line, a line end, a space, and only
/// then between two visible characters. Nothing is lost but the white space at a border of words.
pub fn split_utf16(text: &str, max: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while utf16_len(rest) > max {
        let limit = prefix_within(rest, max);
        let window = &rest[..limit];
        let (cut, skip) = best_cut(window, limit);
        parts.push(rest[..cut].to_owned());
        rest = &rest[cut + skip..];
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(rest.to_owned());
    }
    parts
}

/// Length in UTF-16 units, as Telegram counts.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The longest byte prefix of whole grapheme clusters (or, for a monstrous cluster, whole characters).
pub fn prefix_within(text: &str, max: usize) -> usize {
    let mut units = 0;
    let mut end = 0;
    for grapheme in text.graphemes(true) {
        let len = utf16_len(grapheme);
        if units + len > max {
            break;
        }
        units += len;
        end += grapheme.len();
    }
    if end > 0 {
        return end;
    }
    let mut units = 0;
    for c in text.chars() {
        units += c.len_utf16();
        if units > max {
            break;
        }
        end += c.len_utf8();
    }
    end.max(text.chars().next().map_or(0, char::len_utf8))
}

/// Where to cut inside `window`, and how many bytes of white space to leave out there.
fn best_cut(window: &str, limit: usize) -> (usize, usize) {
    let late_enough = |at: &usize| *at > limit / 3;
    if let Some(at) = window.rfind("\n\n").filter(late_enough) {
        return (at, 2);
    }
    if let Some(at) = window.rfind('\n').filter(late_enough) {
        return (at, 1);
    }
    if let Some(at) = window.rfind(' ').filter(late_enough) {
        return (at, 1);
    }
    (limit, 0)
}

/// At most `max` characters, with `…` in place of what was left out at the end.
pub fn shorten(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// Stands where a text was cut by [`kept_within`].
pub const LEFT_OUT: &str = "\n[… left out here …]\n";

/// Two thirds head and one third tail of a long text, at most `max` bytes with the mark between them. Cut again to half
/// of that or less it has one mark.
pub fn kept_within(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let room = max.saturating_sub(LEFT_OUT.len());
    let head = &text[..text.floor_char_boundary(room / 3 * 2)];
    let tail = &text[text.ceil_char_boundary(text.len() - room / 3)..];
    Cow::Owned([head, LEFT_OUT, tail].concat())
}

/// Head and tail of a long text, `max` characters together, with ` … ` between them.
pub fn head_and_tail(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let half = max.saturating_sub(3) / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head} … {tail}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(visible("pay\u{202E}moc"), "pay⟨U+202E⟩moc");
        assert_eq!(visible("a\u{200B}b"), "a⟨U+200B⟩b");
        assert_eq!(visible("a\u{200D}b"), "a⟨U+200D⟩b");
        assert_eq!(visible("a\rb\u{7}"), "a⟨U+000D⟩b⟨U+0007⟩");
        assert_eq!(visible("tag\u{E0041}"), "tag⟨U+E0041⟩");
    }

    #[test]
    fn joiners_that_script_or_emoji_need_stay() {
        for text in ["👩\u{200D}🚀", "❤\u{FE0F}", "می\u{200C}خواهم", "क्\u{200D}ष", "👍🏽", "plain\ntext\twith tabs"]
        {
            assert_eq!(visible(text), text);
        }
    }

    proptest! {
        #[test]
        fn split_parts_fit_and_keep_every_visible_character(text in "\\PC{0,400}[ \n]{0,3}\\PC{0,200}", max in 10usize..80) {
            let parts = split_utf16(&text, max);
            for part in &parts {
                prop_assert!(utf16_len(part) <= max);
            }
            let squeeze = |s: &str| s.chars().filter(|c| *c != ' ' && *c != '\n').collect::<String>();
            prop_assert_eq!(squeeze(&parts.concat()), squeeze(&text));
        }
    }
}
