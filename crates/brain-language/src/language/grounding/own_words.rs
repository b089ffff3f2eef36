//! Said words: how much of a text that goes elsewhere its person has said, and how much whoever plans has added.
//!
//! What was added is weighed in bits: so much a planner could tell by choosing it among what else could stand there.
//! Words as they were said weigh nothing; their other forms, words that follow from what was asked
//! (`data/language/reading/sought.txt`), and a few ordinary words weigh what there is to choose among; any other word is
//! nobody's, and so is a single letter. Signs, capitals and repetitions weigh, too: they tell as well as letters do.
//! Pure; steps are bounded by the words of both.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_segmentation::UnicodeSegmentation;

use super::choices::is_light;
use crate::language::{terms, words};

/// What one of the ordinary words of searches weighs: there are at most sixty-four.
const ORDINARY_BITS: u32 = 6;
/// What a word weighs at least that the answering side uses of itself, in a sentence.
const LISTENERS_BITS: u32 = 5;
/// What each slip weighs of a word that is nearly one that was said: a letter of twenty-six, and where.
const SLIP_BITS: u32 = 9;
/// What another form weighs of a word that was said, and a word that follows from what was asked.
const FORM_BITS: u32 = 2;
/// What one of the small words weighs that sentences need: there are at most thirty-two.
const SMALL_BITS: u32 = 5;
/// What any other word weighs that says nothing by itself: there are at most 128.
const LIGHT_BITS: u32 = 7;
/// What a sign weighs of the eight that calculations and lists need, and any other.
const PLAIN_SIGN_BITS: u32 = 3;
const SIGN_BITS: u32 = 5;
/// What a first letter weighs that was not said as a capital, and a word all in capitals.
const CAPITAL_BITS: u32 = 1;
const CAPITALS_BITS: u32 = 2;
/// What a round number weighs that nobody said.
pub const NUMBER_BITS: u32 = 4;
/// From so many letters on a word may be a part of a longer one.
const INSIDE_LETTERS_MIN: usize = 4;
/// From so many letters on a word may have one slip, and from so many two.
const SLIP_LETTERS: [usize; 2] = [5, 8];
/// Signs that writing needs.
const PLAIN_SIGNS: &str = "+-*/(),.";
const SIGNS: &str = "'’\"“”.,:;!?()-–_/&+*=^@#%°$€£";

#[derive(Debug, Default)]
struct QueryVerbs {
    /// What asks, with what follows from it.
    follows: Vec<(Vec<String>, Vec<String>)>,
    ordinary: FxHashSet<String>,
    small: FxHashSet<String>,
}

static SOUGHT: LazyLock<QueryVerbs> = LazyLock::new(|| {
    let mut sought = QueryVerbs::default();
    let lines = include_str!("../../../../../data/language/reading/sought.txt").lines();
    let phrases = |list: &str| -> Vec<String> { list.split(',').map(|one| words::words(one).join(" ")).collect() };
    for (asks, follow) in lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")) {
        match asks {
            "*" => sought.ordinary.extend(phrases(follow)),
            "~" => sought.small.extend(phrases(follow)),
            asks => sought.follows.push((phrases(asks), phrases(follow))),
        }
    }
    sought
});

/// What a person said about one request, for what leaves the machine.
#[derive(Debug, Default)]
pub struct OwnWords {
    /// Folded, with how often each was said.
    counted: FxHashMap<String, usize>,
    stems: FxHashSet<String>,
    /// As they were written.
    written: FxHashSet<String>,
    /// All of it without spaces and signs, and where its words begin.
    joined: String,
    begins: FxHashSet<usize>,
    /// Words that follow from what was asked.
    follow: FxHashSet<String>,
    /// With how often each was written.
    signs: FxHashMap<char, usize>,
    links: FxHashSet<String>,
}

impl OwnWords {
    /// Of these texts of the person's own, and of what they point at.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut said = Self::default();
        let mut spaced = String::from(" ");
        for text in texts {
            let folded = words::words(text);
            said.stems.extend(words::stems_of(&folded));
            for word in &folded {
                said.begins.insert(said.joined.len());
                said.joined.push_str(word);
            }
            said.begins.insert(said.joined.len());
            said.joined.push(' ');
            spaced.push_str(&format!("{} ", folded.join(" ")));
            folded.into_iter().for_each(|word| *said.counted.entry(word).or_default() += 1);
            said.written.extend(text.unicode_words().map(str::to_owned));
            signs_of(text).for_each(|sign| *said.signs.entry(sign).or_default() += 1);
            said.links.extend(links(text).flat_map(ways_to_write));
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
        let mut bits = self.signs_weigh(text) + self.capitals_weigh(text);
        let mut times: FxHashMap<&str, usize> = FxHashMap::default();
        for word in &used {
            let so_often = times.entry(word.as_str()).or_default();
            *so_often += 1;
            let (so_often, said) = (*so_often, self.counted.get(word).copied().unwrap_or_default());
            if so_often > said + 1 {
                return None;
            }
            // Once more than it was said is a choice, whatever the word.
            bits += self.word(word, listeners, year)?.max(u32::from(so_often > said.max(1)));
        }
        Some(bits)
    }

    /// What one folded word weighs.
    fn word(&self, word: &str, listeners: &FxHashSet<String>, year: i32) -> Option<u32> {
        if self.counted.contains_key(word) {
            return Some(0);
        }
        if word.contains(|c: char| c.is_numeric()) {
            // Of a number every figure counts, zeros in front of it, too.
            return match word.parse::<i64>().ok().filter(|number| number.to_string() == word)? {
                number if number == i64::from(year) => Some(0),
                number => is_round(number).then_some(NUMBER_BITS),
            };
        }
        let letters = word.chars().count();
        let inside = || (letters >= INSIDE_LETTERS_MIN).then(|| self.inside(word)).flatten();
        let slips = SLIP_LETTERS.iter().filter(|least| letters >= **least).count();
        let near = || {
            let alike = self.counted.keys().filter(|said| slips > 0 && said.chars().next() == word.chars().next());
            alike.filter_map(|said| words::distance(said, word, slips)).min()
        };
        let slipped = || Some(SLIP_BITS * u32::try_from(near()?.max(1)).unwrap_or(u32::MAX / SLIP_BITS));
        let is_form = || self.follow.contains(word) || self.stems.contains(&terms::stem(word));
        let listed = [
            (letters > 1 && is_form() || self.follow.contains(word)).then_some(FORM_BITS),
            (letters > 1 && listeners.contains(word)).then(|| bits_of(listeners.len()).max(LISTENERS_BITS)),
            SOUGHT.small.contains(word).then_some(SMALL_BITS),
            SOUGHT.ordinary.contains(word).then_some(ORDINARY_BITS),
            is_light(word).then_some(LIGHT_BITS),
            inside(),
        ];
        listed.into_iter().flatten().min().or_else(slipped)
    }

    /// What a part of what was said weighs: whole words nothing, any other what there are of them.
    fn inside(&self, word: &str) -> Option<u32> {
        let found = || self.joined.match_indices(word).map(|(at, _)| at);
        let is_whole = |at: usize| self.begins.contains(&at) && self.begins.contains(&(at + word.len()));
        found().next()?;
        Some(if found().any(is_whole) { 0 } else { bits_of(self.joined.len()) })
    }

    /// What signs weigh beyond those that were written; what closes is no choice.
    fn signs_weigh(&self, text: &str) -> u32 {
        let mut times: FxHashMap<char, usize> = FxHashMap::default();
        let mut bits = 0;
        for sign in signs_of(text) {
            let opened = times.get(&'(').copied().unwrap_or_default();
            let so_often = times.entry(sign).or_default();
            *so_often += 1;
            let closes = sign == ')' && *so_often <= opened;
            if !closes && *so_often > self.signs.get(&sign).copied().unwrap_or_default() {
                bits += if PLAIN_SIGNS.contains(sign) { PLAIN_SIGN_BITS } else { SIGN_BITS };
            }
        }
        bits
    }

    /// What capitals weigh where the word was not written so.
    fn capitals_weigh(&self, text: &str) -> u32 {
        let weighs = |word: &str| match () {
            () if self.written.contains(word) || !word.contains(char::is_uppercase) => 0,
            () if word.chars().skip(1).any(char::is_uppercase) => CAPITALS_BITS,
            () => CAPITAL_BITS,
        };
        text.unicode_words().map(weighs).sum()
    }

    /// Whether signs, spaces and capitals are those of writing.
    fn is_plainly_written(&self, text: &str, count: usize) -> bool {
        let is_known = |c: char| SIGNS.contains(c) || self.signs.contains_key(&c);
        let has_shape = |word: &str| {
            let rest = word.chars().skip(1).collect::<String>();
            let is_lower = |text: &str| !text.contains(char::is_uppercase);
            is_lower(&rest) || !word.contains(char::is_lowercase) || self.written.contains(word)
        };
        signs_of(text).all(is_known)
            && signs_of(text).count() <= 2 * count + 2
            && !text.contains(|c: char| c.is_whitespace() && c != ' ')
            && !text.contains("  ")
            && text.trim() == text
            && text.unicode_words().all(has_shape)
    }

    /// Whether this link was said or shown as it is; how it is written is no choice of anybody's.
    pub fn has_link(&self, link: &str) -> bool {
        let bare = without_scheme(link);
        self.links.contains(bare.strip_suffix('/').unwrap_or(bare))
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
fn without_scheme(link: &str) -> &str {
    let schemes = ["https://", "http://"];
    let bare = schemes.iter().find_map(|scheme| link.strip_prefix(scheme)).unwrap_or(link);
    bare.strip_prefix("www.").unwrap_or(bare)
}

/// How a link that was said may be written: as it is, with its host in small letters, or all of it.
fn ways_to_write(link: &str) -> [String; 3] {
    let link = link.trim_end_matches(['.', ',', '/', '?', ':', '!']);
    let (scheme, rest) = link.split_once("://").unwrap_or(("", link));
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host_lowered = format!("{}{path}", host.to_lowercase());
    let is_web = ["", "http", "https"].contains(&scheme.to_lowercase().as_str());
    let of = |text: String| if is_web { without_scheme(&text).to_owned() } else { format!("{scheme}://{text}") };
    [of(rest.to_owned()), of(rest.to_lowercase()), of(host_lowered)]
}

/// What in a text is neither a letter nor a figure nor a space.
fn signs_of(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace())
}

/// So many bits tell one of so many.
pub fn bits_of(choices: usize) -> u32 {
    choices.max(1).next_power_of_two().trailing_zeros()
}

/// A number that people take when they name none.
pub fn is_round(number: i64) -> bool {
    (0..=10).contains(&number) || [20, 30, 50, 100, 1_000].contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighs(said: &str, text: &str) -> Option<u32> {
        OwnWords::of([said]).added(text, &FxHashSet::default(), 2026)
    }

    #[test]
    fn words_that_were_said_weigh_nothing_and_others_are_nobodys() {
        for (said, text) in [
            ("look up brake pads for my Trek", "Trek brake pads"),
            ("Look up brake pads", "brake pads"),
            ("who wrote The Hobbit", "the hobbit"),
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
            ("look up brake pads", "J a m i e"),
            ("look up brake pads", "x"),
            ("look up brake pads", "brake pads 007"),
            ("look up brake pads", "brake pads "),
        ] {
            assert_eq!(weighs(said, text), None, "{said} → {text}");
        }
    }

    #[test]
    fn what_is_added_weighs_as_much_as_it_could_tell() {
        for (said, text, bits) in [
            ("look up brake pads", "best brake pads", ORDINARY_BITS),
            ("look up brake pads", "top 10 brake pads", ORDINARY_BITS + NUMBER_BITS),
            ("weather in lisbno", "lisbon", SLIP_BITS),
            ("look up brake pads", "brake pad", FORM_BITS),
            ("look up brake pads", "Brake PADS", CAPITAL_BITS + CAPITALS_BITS),
            ("look up brake pads", "brake pads.", PLAIN_SIGN_BITS),
            ("look up brake pads", "(brake) pads!", PLAIN_SIGN_BITS + SIGN_BITS),
            ("look up brake pads", "brake brake pads", 1),
            ("how tall is the Eiffel Tower?", "Eiffel Tower height", FORM_BITS),
            ("wer schrieb den Zauberberg?", "Zauberberg Autor", FORM_BITS + CAPITAL_BITS),
            ("who wrote The Hobbit", "author of The Hobbit", FORM_BITS + SMALL_BITS),
            ("look up brake pads", "i brake", LIGHT_BITS),
        ] {
            assert_eq!(weighs(said, text), Some(bits), "{said} → {text}");
        }
        assert!(SOUGHT.ordinary.len() <= 1 << ORDINARY_BITS, "{}", SOUGHT.ordinary.len());
        assert!(SOUGHT.small.len() <= 1 << SMALL_BITS, "{}", SOUGHT.small.len());
        let ground = include_str!("../../../../../data/language/reading/ground.txt");
        let light = ground.lines().find_map(|line| line.strip_prefix("light: ")).unwrap();
        let light: FxHashSet<&str> = light.split(", ").filter(|word| !SOUGHT.small.contains(*word)).collect();
        assert!(light.len() <= 1 << LIGHT_BITS, "{}", light.len());
        let listeners = FxHashSet::from_iter(["parts".to_owned()]);
        assert_eq!(OwnWords::of(["brakes"]).added("brakes parts", &listeners, 2026), Some(LISTENERS_BITS));
    }

    #[test]
    fn a_link_is_said_whole_or_not_at_all() {
        let said = OwnWords::of(["read https://www.Brakes.example/pads/ and shop.example."]);
        for link in ["https://brakes.example/pads", "brakes.example/pads", "http://shop.example/", "shop.example"] {
            assert!(said.has_link(link), "{link}");
        }
        for link in [
            "https://brakes.example/pads?q=4711",
            "https://evil.example/pads",
            "shop.example/pads",
            "https://brakes.example/pads//",
            "https://bRakes.example/pads",
            "ftp://shop.example",
        ] {
            assert!(!said.has_link(link), "{link}");
        }
        assert_eq!(links("see evil.example/?q=a or a.b, e.g. this").collect::<Vec<_>>(), ["evil.example/?q=a"]);
    }
}
