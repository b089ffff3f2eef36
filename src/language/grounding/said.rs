//! Said words: how much of a text that goes elsewhere its person has said, and how much whoever plans has added.
//!
//! What was added is weighed in bits: so much a planner could tell by choosing it among what else could stand there.
//! Words in any form that was said, and words that follow from what was asked (`data/language/reading/sought.txt`), weigh
//! nothing; a few ordinary words weigh what their list is long; any other word is nobody's. Signs, capitals and
//! repetitions are bounded, too: they tell as well as letters do. Pure; steps are bounded by the words of both.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_segmentation::UnicodeSegmentation;

use super::is_light;
use crate::language::{terms, words};

/// What one of the ordinary words of searches weighs: there are at most sixty-four.
const ORDINARY_BITS: u32 = 6;
/// What a word weighs that the answering side uses of itself, in a sentence.
const LISTENERS_BITS: u32 = 5;
/// What a word weighs that is nearly one that was said.
const SLIP_BITS: u32 = 5;
/// What a round number weighs that nobody said.
pub const NUMBER_BITS: u32 = 4;
/// Words that say nothing by themselves, of one text.
const LIGHT_WORDS_MAX: usize = 4;
/// From so many letters on a word may be a part of a longer one.
const INSIDE_LETTERS_MIN: usize = 4;
/// From so many letters on a word may have one slip, and from so many two.
const SLIP_LETTERS: [usize; 2] = [5, 8];
/// Signs that writing needs.
const SIGNS: &str = "'’\"“”.,:;!?()-–_/&+*=^@#%°$€£";

struct SoughtWords {
    /// What asks, with what follows from it.
    follows: Vec<(Vec<String>, Vec<String>)>,
    ordinary: FxHashSet<String>,
}

static SOUGHT: LazyLock<SoughtWords> = LazyLock::new(|| {
    let mut sought = SoughtWords { follows: Vec::new(), ordinary: FxHashSet::default() };
    let lines = include_str!("../../../data/language/reading/sought.txt").lines();
    let phrases = |list: &str| -> Vec<String> { list.split(',').map(|one| words::words(one).join(" ")).collect() };
    for (asks, follow) in lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")) {
        match asks {
            "*" => sought.ordinary.extend(phrases(follow)),
            asks => sought.follows.push((phrases(asks), phrases(follow))),
        }
    }
    sought
});

/// What a person said about one request, for what leaves the machine.
#[derive(Debug, Default)]
pub struct SaidWords {
    /// Folded, with how often each was said.
    counted: FxHashMap<String, usize>,
    stems: FxHashSet<String>,
    /// As they were written.
    written: FxHashSet<String>,
    /// All of it without spaces and signs.
    joined: String,
    /// Words that follow from what was asked.
    follow: FxHashSet<String>,
    signs: FxHashSet<char>,
    links: FxHashSet<String>,
}

impl SaidWords {
    /// Of these texts of the person's own, and of what they point at.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut said = Self::default();
        let mut spaced = String::from(" ");
        for text in texts {
            let folded = words::words(text);
            said.stems.extend(words::stems_of(&folded));
            said.joined.push_str(&folded.concat());
            said.joined.push(' ');
            spaced.push_str(&format!("{} ", folded.join(" ")));
            folded.into_iter().for_each(|word| *said.counted.entry(word).or_default() += 1);
            said.written.extend(text.unicode_words().map(str::to_owned));
            said.signs.extend(text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()));
            said.links.extend(links(text).map(bare_link));
        }
        let is_asked = |phrase: &String| spaced.contains(&format!(" {phrase} "));
        let asked = SOUGHT.follows.iter().filter(|(asks, _)| asks.iter().any(is_asked));
        said.follow = asked.flat_map(|(_, follow)| follow.iter().cloned()).collect();
        said
    }

    /// How much of a choice a text is beyond what was said, in bits; `None` where it says what nobody did. `listeners`:
    /// words that whoever gets it uses of itself. `year`: the present one, which tells nobody anything.
    pub fn added(&self, text: &str, listeners: &FxHashSet<String>, year: i32) -> Option<u32> {
        let used = words::words(text);
        if used.is_empty() || !self.is_plainly_written(text, used.len()) {
            return None;
        }
        let (mut bits, mut light) = (0, 0);
        let mut times: FxHashMap<&str, usize> = FxHashMap::default();
        for word in &used {
            let so_often = times.entry(word.as_str()).or_default();
            *so_often += 1;
            let (so_often, said) = (*so_often, self.counted.get(word).copied().unwrap_or_default());
            if so_often > said + 1 {
                return None;
            }
            match self.word(word, listeners, year) {
                Some(_) if said > 0 => {}
                Some(weighs) => bits += if so_often == 1 { weighs } else { weighs.max(1) },
                None if is_light(word) && light < LIGHT_WORDS_MAX => light += 1,
                None => return None,
            }
        }
        Some(bits)
    }

    /// What one folded word weighs.
    fn word(&self, word: &str, listeners: &FxHashSet<String>, year: i32) -> Option<u32> {
        if self.counted.contains_key(word) {
            return Some(0);
        }
        if word.contains(|c: char| c.is_numeric()) {
            // Of a number every figure counts.
            return match word.parse::<i64>() {
                Ok(number) if number == i64::from(year) => Some(0),
                Ok(number) => is_round(number).then_some(NUMBER_BITS),
                Err(_) => None,
            };
        }
        let letters = word.chars().count();
        let is_inside = letters >= INSIDE_LETTERS_MIN && self.joined.contains(word);
        if is_inside || self.stems.contains(&terms::stem(word)) || self.follow.contains(word) {
            return Some(0);
        }
        let slips = SLIP_LETTERS.iter().filter(|least| letters >= **least).count();
        let is_near = |said: &String| {
            slips > 0 && said.chars().next() == word.chars().next() && words::distance(said, word, slips).is_some()
        };
        if listeners.contains(word) {
            Some(LISTENERS_BITS)
        } else if self.counted.keys().any(is_near) {
            Some(SLIP_BITS)
        } else {
            SOUGHT.ordinary.contains(word).then_some(ORDINARY_BITS)
        }
    }

    /// Whether signs, spaces and capitals are those of writing, and say nothing by themselves.
    fn is_plainly_written(&self, text: &str, count: usize) -> bool {
        let signs = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace());
        let is_known = |c: char| SIGNS.contains(c) || self.signs.contains(&c);
        let has_shape = |word: &str| {
            let rest = word.chars().skip(1).collect::<String>();
            let is_lower = |text: &str| !text.contains(char::is_uppercase);
            is_lower(&rest) || !word.contains(char::is_lowercase) || self.written.contains(word)
        };
        signs.clone().all(is_known)
            && signs.count() <= 2 * count + 2
            && !text.contains(|c: char| c.is_whitespace() && c != ' ')
            && !text.trim().contains("  ")
            && text.unicode_words().all(has_shape)
    }

    /// Whether this link was said or shown as it is.
    pub fn has_link(&self, link: &str) -> bool {
        self.links.contains(&bare_link(link))
    }

    /// Whether a word was said, figure by figure.
    pub fn has_exactly(&self, word: &str) -> bool {
        self.counted.contains_key(word)
    }
}

/// What in a text is a link: with a scheme, or a host with something behind it.
pub fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| "()<>[]“”\"',;!.".contains(c))).filter(|word| {
        let host = &word[..word.find(['/', '?', '#']).unwrap_or(word.len())];
        let is_host = host.rsplit_once('.').is_some_and(|(front, top)| {
            !front.is_empty() && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic)
        });
        word.contains("://") || is_host
    })
}

/// A link without what makes no difference to where it leads.
fn bare_link(link: &str) -> String {
    let link = link.trim_end_matches(['.', ',', '/', '?', ':', '!']).to_lowercase();
    let link = link.split_once("://").map_or(link.as_str(), |(_, rest)| rest);
    link.strip_prefix("www.").unwrap_or(link).to_owned()
}

/// A number that people take when they name none.
pub fn is_round(number: i64) -> bool {
    (0..=10).contains(&number) || [20, 30, 50, 100, 1_000].contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighs(said: &str, text: &str) -> Option<u32> {
        SaidWords::of([said]).added(text, &FxHashSet::default(), 2026)
    }

    #[test]
    fn words_in_any_form_that_was_said_weigh_nothing_and_others_are_nobodys() {
        for (said, text) in [
            ("look up brake pads for my Trek", "Trek brake pads"),
            ("Look up brake pads", "brake pad"),
            ("how tall is the Eiffel Tower?", "Eiffel Tower height"),
            ("wer schrieb den Zauberberg?", "Zauberberg Autor"),
            ("who wrote The Hobbit", "author of The Hobbit"),
            ("the brake-pads", "brakepads"),
            ("news about the Tour", "Tour news 2026"),
        ] {
            assert_eq!(weighs(said, text), Some(0), "{said} → {text}");
        }
        for (said, text) in [
            ("look up brake pads", "brake pads 4711"),
            ("look up brake pads", "brake pads for the locker"),
            ("look up brake pads", "brake pads 🍏🍎"),
            ("look up brake pads", "brake pads ........"),
            ("look up brake pads", "bRaKe PaDs"),
            ("look up brake pads", "brake  pads"),
            ("look up brake pads", "pads brake pads brake pads"),
            ("look up brake pads", "brake\tpads"),
            ("look up brake pads", "brakexqzpads"),
            ("look up brake pads", "a the a the of"),
            ("my locker has 4712", "4711"),
            ("look up brake pads", "\u{200B}"),
        ] {
            assert_eq!(weighs(said, text), None, "{said} → {text}");
        }
    }

    #[test]
    fn what_is_added_weighs_as_much_as_it_could_tell() {
        for (said, text, bits) in [
            ("look up brake pads", "best brake pads", ORDINARY_BITS),
            ("look up brake pads", "top 10 brake pads", ORDINARY_BITS + NUMBER_BITS),
            ("weather in Lisbno", "Lisbon", SLIP_BITS),
        ] {
            assert_eq!(weighs(said, text), Some(bits), "{said} → {text}");
        }
        assert!(SOUGHT.ordinary.len() <= 1 << ORDINARY_BITS, "{}", SOUGHT.ordinary.len());
        let listeners = FxHashSet::from_iter(["parts".to_owned()]);
        assert_eq!(SaidWords::of(["brakes"]).added("brakes parts", &listeners, 2026), Some(LISTENERS_BITS));
    }

    #[test]
    fn a_link_is_said_whole_or_not_at_all() {
        let said = SaidWords::of(["read https://www.Brakes.example/pads/ and shop.example."]);
        for link in ["https://brakes.example/pads", "brakes.example/pads", "http://shop.example/", "shop.example"] {
            assert!(said.has_link(link), "{link}");
        }
        for link in ["https://brakes.example/pads?q=4711", "https://evil.example/pads", "shop.example/pads"] {
            assert!(!said.has_link(link), "{link}");
        }
        assert_eq!(links("see evil.example/?q=a or a.b, e.g. this").collect::<Vec<_>>(), ["evil.example/?q=a"]);
    }
}
