//! Words for the values of choices, words that point, and words that say nothing (`data/language/reading/ground.txt`).

use std::sync::LazyLock;

use super::Introduced;
use crate::language::word_classes::{WordClass, WordClasses};
use crate::language::words::words;

/// What a class of words for the value of a choice is called.
const CHOICE: &str = "choice_";
/// What a class of words is called with which the value of a parameter is told.
const GIVEN: &str = "given_";

struct GroundWords {
    light: WordClass,
    somebody: WordClass,
    liking: WordClass,
    one_person: WordClass,
    theirs: WordClass,
    before_somebody: WordClass,
    something: WordClass,
    points: WordClass,
    corrects: WordClass,
    tells: WordClass,
    opens: WordClass,
    leaves_open: WordClass,
    begins_within: WordClass,
    joins_within: WordClass,
    gives_name: WordClass,
    gives_number: WordClass,
    own: WordClass,
    /// The words for a value, by its name.
    choices: WordClasses,
}

static WORDS: LazyLock<GroundWords> = LazyLock::new(|| {
    let mut classes = WordClasses::read(&[include_str!("../../../../../data/language/reading/ground.txt")]);
    let mut take = |name| classes.take(name);
    let (light, somebody, something) = (take("light"), take("somebody"), take("something"));
    let liking = take("liking");
    let (one_person, theirs, before_somebody) = (take("one_person"), take("theirs"), take("before_somebody"));
    let (points, corrects, tells) = (take("points"), take("corrects"), take("tells"));
    let (opens, leaves_open) = (take("opens"), take("leaves_open"));
    let (begins_within, joins_within) = (take("begins_within"), take("joins_within"));
    let (gives_name, gives_number, own) = (take("gives_name"), take("gives_number"), take("own"));
    GroundWords {
        light,
        somebody,
        liking,
        one_person,
        theirs,
        before_somebody,
        something,
        points,
        corrects,
        tells,
        opens,
        leaves_open,
        begins_within,
        joins_within,
        gives_name,
        gives_number,
        own,
        choices: classes,
    }
});

pub(super) fn is_light(folded: &str) -> bool {
    WORDS.light.holds(folded)
}

pub(super) fn points_at_somebody(text: &str) -> bool {
    WORDS.somebody.is_in(&words(text))
}

/// Whether a folded word tells what somebody thinks of a thing.
pub(super) fn is_liking(folded: &str) -> bool {
    WORDS.liking.holds(folded)
}

/// Whether a folded word stands for one person who was named before; `true` for what is theirs.
pub(super) fn stands_for_somebody(folded: &str) -> Option<bool> {
    let is_theirs = WORDS.theirs.holds(folded);
    (is_theirs || WORDS.one_person.holds(folded)).then_some(is_theirs)
}

pub(super) fn stands_before_somebody(folded: &str) -> bool {
    WORDS.before_somebody.holds(folded)
}

pub(super) fn points_at_something(text: &str) -> bool {
    WORDS.something.is_in(&words(text))
}

/// Whether folded words hold one for this value.
pub(super) fn is_said(value: &str, folded: &str) -> bool {
    let class = WORDS.choices.get(&format!("{CHOICE}{value}"));
    class.is_some_and(|class| folded.split(' ').any(|word| class.holds(word)))
}

/// Whether folded words hold one with which this is told.
pub(super) fn introduces(what: Introduced<'_>, folded: &str) -> bool {
    let class = match what {
        Introduced::Value(name) => match WORDS.choices.get(&format!("{GIVEN}{name}")) {
            Some(class) => class,
            None => return true,
        },
        Introduced::Name => &WORDS.gives_name,
        Introduced::Number => &WORDS.gives_number,
    };
    let has_digit = || what == Introduced::Number && folded.contains(|c: char| c.is_ascii_digit());
    has_digit() || folded.split(' ').any(|word| class.holds(word))
}

/// Speaks of the person's own things.
pub(super) fn is_own(text: &str) -> bool {
    WORDS.own.is_in(&words(text))
}

/// Inside the name of a thing: it points, so the name tells something.
pub(super) fn points(folded: &str) -> bool {
    WORDS.points.holds(folded)
}

/// A verb that only a statement has.
pub(super) fn tells(folded: &str) -> bool {
    WORDS.tells.holds(folded)
}

/// Takes back what was said before it.
pub(super) fn corrects(folded: &str) -> bool {
    WORDS.corrects.holds(folded)
}

/// Begins a message, not what is kept of it.
pub(super) fn opens(folded: &str) -> bool {
    WORDS.opens.holds(folded)
}

/// Leaves what it ends open.
pub(super) fn leaves_open(folded: &str) -> bool {
    WORDS.leaves_open.holds(folded)
}

/// Begins no name: what it belongs to was cut off.
pub(super) fn begins_within(folded: &str) -> bool {
    WORDS.begins_within.holds(folded)
}

/// Joins a clause inside what should be a name.
pub(super) fn joins_within(folded: &str) -> bool {
    WORDS.joins_within.holds(folded)
}
