//! Mood of a clause: does it order, wish, ask, tell, deny, or only set a condition?
//!
//! Told by how it begins, past what leaves the mood as it is, and by where its first finite verb stands. The words are
//! data (`data/language/reading/moods.*.txt`); those of the language that more of the message is in count. Where
//! nothing shows a verb with a subject, the clause is a [`Mood::Fragment`]: a thing that is named, as people write to
//! somebody who keeps lists. Invariant: what begins with a question's or a denial's words is never an order.

use std::sync::LazyLock;

use crate::language::requests;
use crate::language::word_classes::{WordClass, class_names};
use crate::language::words::fold;

/// How a clause is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mood {
    /// Something is to be done: an imperative, or a question that politely asks for it.
    Order,
    /// Something is wished for or has to be done: a verb of wish or need in the first person.
    Wish,
    /// A noun phrase without a verb, perhaps with a time.
    Fragment,
    /// What the person is going to do, told as such: the present continuous, or a verb of having with an occasion.
    Arrangement,
    /// What is so, or what somebody else does.
    Statement,
    /// What the person has done.
    Report,
    /// Asks.
    Question,
    /// Denies or forbids.
    Negation,
    /// On which something else depends.
    Condition,
}

impl Mood {
    /// Whether something may be changed for what is said in it.
    pub fn is_request(self) -> bool {
        match self {
            Mood::Order | Mood::Wish | Mood::Fragment => true,
            Mood::Arrangement | Mood::Statement | Mood::Report | Mood::Question | Mood::Negation | Mood::Condition => {
                false
            }
        }
    }

    /// Whether it tells something, from which a wish might follow.
    pub fn tells(self) -> bool {
        matches!(self, Mood::Arrangement | Mood::Statement | Mood::Report)
    }
}

class_names! {
    /// The classes of the data, by their names there.
    MoodWords {
        lead,
        corrects,
        polite,
        wish,
        tells,
        wh,
        whwhen,
        aux,
        /// Asks only before a subject.
        auxloose,
        auxsubject,
        asknoun,
        negation,
        orders,
        ends,
        condition,
        /// Orders inside what began as a condition.
        within,
        i,
        we,
        subject,
        det,
        pronoun,
        points,
        preposition,
        finite,
        bare,
        /// What is said with it of a thing is wished for it.
        wishverb,
        /// Begins an order, beside the verbs that requests are worded with.
        imperative,
        /// Begins an order as well as it names a thing.
        nounverb,
        did,
        arranges,
        talk,
        /// Joins clauses.
        joins,
        /// Makes the clause that follows the object of a verb.
        objects,
        /// A sort of thing that is kept.
        keeps,
    }
}

static ENGLISH: LazyLock<MoodWords> =
    LazyLock::new(|| MoodWords::read(&[include_str!("../../../../../data/language/reading/moods.en.txt")]));
static GERMAN: LazyLock<MoodWords> =
    LazyLock::new(|| MoodWords::read(&[include_str!("../../../../../data/language/reading/moods.de.txt")]));

/// Words of the longest phrase.
const PHRASE_WORDS_MAX: usize = 7;
/// Behind so many words no verb belongs to what a clause begins with.
const SUBJECT_WORDS_MAX: usize = 7;
/// A noun that may be a verb has its verb sooner.
const SHORT_SUBJECT_WORDS_MAX: usize = 4;

/// A clause as it is judged.
pub(super) struct JudgedClause<'a> {
    /// Folded, without marks.
    pub words: Vec<&'a str>,
    /// A question mark ends it.
    pub asks: bool,
    /// A colon stands behind its first word.
    pub is_labelled: bool,
}

/// The words of the language that a message is in.
pub(super) fn words_of(words: &[&str]) -> &'static MoodWords {
    let known = |of: &MoodWords| {
        let common = [&of.det, &of.pronoun, &of.preposition, &of.finite, &of.i, &of.we, &of.subject];
        words.iter().filter(|word| common.iter().any(|class| class.holds(word))).count()
    };
    if known(&GERMAN) > known(&ENGLISH) { &GERMAN } else { &ENGLISH }
}

/// The mood of a clause.
pub(super) fn of(said: &JudgedClause, known: &MoodWords) -> Mood {
    let rest = without_leads(&said.words, known);
    // A label that is also an order verb says what to do.
    if said.is_labelled && is_order_verb(rest, known) {
        return Mood::Order;
    }
    let opened = opened_by(rest, said.asks, known);
    let opens_as_order = opened.is_some() || (1..rest.len()).any(|at| starts(&known.within, &rest[at..]).is_some());
    let mood = opened.unwrap_or_else(|| by_verb(rest, known));
    // A mark turns what is only named into a question, and what is told, too.
    match mood {
        Mood::Fragment | Mood::Statement | Mood::Arrangement | Mood::Report if said.asks => Mood::Question,
        // Only its shape made it an order.
        Mood::Order if said.asks && !is_order_verb(rest, known) && !opens_as_order => Mood::Question,
        mood => mood,
    }
}

/// The mood that a piece of a sentence shows by how it begins, behind a mark or a conjunction; `None` if it may go on.
pub(super) fn opened(said: &JudgedClause, is_set_apart: bool, known: &MoodWords) -> Option<Mood> {
    let rest = without_leads(&said.words, known);
    let first = *rest.first()?;
    let has_subject = known.i.holds(first) || known.we.holds(first) || known.subject.holds(first);
    let second = rest.get(1).copied().unwrap_or_default();
    let has_object = known.det.holds(second) || known.pronoun.holds(second);
    let orders = || is_order_verb(rest, known) && (has_object || !known.nounverb.holds(first));
    opened_by(rest, said.asks, known).or_else(|| {
        let mood = by_verb(rest, known);
        // Behind a mark a statement may have any noun for its subject.
        let tells = is_set_apart && matches!(mood, Mood::Statement | Mood::Report);
        (tells || has_subject && rest.len() > 1 || mood == Mood::Order && orders()).then_some(mood)
    })
}

/// Past what leaves the mood as it is.
pub(super) fn without_leads<'s, 'w>(words: &'s [&'w str], known: &MoodWords) -> &'s [&'w str] {
    let mut rest = words;
    while let Some(len) = starts(&known.lead, rest).filter(|len| *len < rest.len()) {
        let denies = starts(&known.negation, rest).is_some_and(|denied| denied >= len);
        let corrects = starts(&known.corrects, &rest[len..]).is_some();
        // A negation denies what follows; with an order behind it, set apart, it corrects.
        if denies && !corrects {
            break;
        }
        // What asks or wishes may begin with a word that is a lead elsewhere.
        let classes = [&known.polite, &known.wish, &known.tells, &known.orders, &known.condition];
        if classes.iter().filter_map(|class| starts(class, rest)).any(|longer| longer > len) {
            break;
        }
        rest = &rest[len..];
    }
    rest
}

fn opened_by(rest: &[&str], asks: bool, known: &MoodWords) -> Option<Mood> {
    let first = *rest.first()?;
    if starts(&known.orders, rest).is_some() || starts(&known.ends, rest).is_some() {
        return Some(Mood::Order);
    }
    let tells = starts(&known.tells, rest);
    let polite = starts(&known.polite, rest);
    let wish = starts(&known.wish, rest);
    // The longest phrase tells.
    let longest = |len: &usize| polite.max(wish).is_none_or(|other| other < *len);
    if tells.filter(longest).is_some_and(|len| asks_inside(&rest[len..], known)) {
        return Some(Mood::Question);
    }
    if let Some(len) = polite.filter(|len| wish.is_none_or(|wish| wish <= *len)) {
        let asked = &rest[len..];
        let inner = starts(&known.tells, asked);
        return Some(match inner {
            Some(inner) if asks_inside(&asked[inner..], known) => Mood::Question,
            Some(_) | None => Mood::Order,
        });
    }
    if let Some(len) = wish {
        let wished = &rest[len..];
        // A modal with a perfect infinitive tells.
        let is_past = wished.first() == Some(&"have") && wished.get(1).is_some_and(|word| is_past(word, known));
        let is_clause = starts(&known.tells, wished).is_some_and(|inner| asks_inside(&wished[inner..], known));
        return Some(match (is_past, is_clause) {
            (true, _) => Mood::Statement,
            (false, true) => Mood::Question,
            (false, false) => Mood::Wish,
        });
    }
    if starts(&known.talk, rest).is_some_and(|len| len == rest.len() || !asks) {
        return Some(Mood::Statement);
    }
    if known.whwhen.holds(first) {
        let second = rest.get(1).copied().unwrap_or_default();
        let is_subject = known.i.holds(second) || known.we.holds(second) || known.subject.holds(second);
        let is_condition = is_subject || !asks && !known.aux.holds(second) && rest.len() > 2;
        return Some(if is_condition { condition(rest, known) } else { Mood::Question });
    }
    if starts(&known.condition, rest).is_some() {
        return Some(condition(rest, known));
    }
    if starts(&known.wh, rest).is_some() || starts(&known.auxsubject, rest).is_some() {
        return Some(Mood::Question);
    }
    if starts(&known.negation, rest).is_some() {
        return Some(Mood::Negation);
    }
    let second = rest.get(1).copied().unwrap_or_default();
    let before_subject = [&known.i, &known.we, &known.subject, &known.det, &known.pronoun];
    let before_subject = before_subject.iter().any(|class| class.holds(second));
    if known.aux.holds(first) || known.auxloose.holds(first) && (before_subject || asks) {
        return Some(Mood::Question);
    }
    if starts(&known.asknoun, rest).is_some() {
        return Some(Mood::Question);
    }
    None
}

/// What begins as a condition is one, unless it goes on to order without a mark between.
fn condition(rest: &[&str], known: &MoodWords) -> Mood {
    let orders = (2..rest.len()).any(|at| starts(&known.within, &rest[at..]).is_some());
    if orders { Mood::Order } else { Mood::Condition }
}

/// Whether a question stands inside an order, behind a verb of telling or of checking.
fn asks_inside(rest: &[&str], known: &MoodWords) -> bool {
    const WHETHER: [&str; 3] = ["if", "whether", "ob"];
    let Some(first) = rest.first() else { return false };
    let second = rest.get(1).copied().unwrap_or_default();
    let is_person = || known.i.holds(second) || known.we.holds(second);
    known.wh.holds(first) || WHETHER.contains(first) || known.whwhen.holds(first) && !is_person()
}

/// The mood by the verb that comes first.
fn by_verb(rest: &[&str], known: &MoodWords) -> Mood {
    let Some(first) = rest.first().copied() else { return Mood::Fragment };
    let second = rest.get(1).copied().unwrap_or_default();
    let is_own = known.i.holds(first) || known.we.holds(first);
    if is_own {
        return own(rest, known);
    }
    if (1..rest.len()).any(|at| starts(&known.within, &rest[at..]).is_some()) {
        return Mood::Order;
    }
    if known.subject.holds(first) && rest.len() > 1 {
        let is_value = |len: usize| len < rest.len() && rest[len..].iter().all(|word| word.contains(char::is_numeric));
        return if starts(&known.points, rest).is_some_and(is_value) { Mood::Fragment } else { Mood::Statement };
    }
    let verb_at = |max: usize| (1..rest.len().min(max)).find(|at| is_finite(rest, *at, known));
    // A modal verb of wish behind the subject makes the statement a wish.
    let told = |at: usize| match starts(&known.wishverb, &rest[at..]) {
        Some(_) => Mood::Wish,
        None => Mood::Statement,
    };
    if known.det.holds(first) {
        return verb_at(SUBJECT_WORDS_MAX).map_or(Mood::Fragment, told);
    }
    let has_object = known.det.holds(second) || known.pronoun.holds(second);
    let unmarked = |at: &usize| !rest[1..*at].iter().any(|word| known.det.holds(word) || known.pronoun.holds(word));
    if is_order_verb(rest, known) {
        let names = known.nounverb.holds(first) && !has_object;
        let tells = names && verb_at(SHORT_SUBJECT_WORDS_MAX + 1).filter(unmarked).is_some();
        return if tells { Mood::Statement } else { Mood::Order };
    }
    if known.did.holds(first) || is_past(first, known) && first.len() > 4 {
        return Mood::Report;
    }
    if has_object && !known.preposition.holds(first) && !known.finite.holds(first) {
        return Mood::Order;
    }
    match verb_at(SUBJECT_WORDS_MAX) {
        Some(at) if unmarked(&at) => told(at),
        Some(_) | None => Mood::Fragment,
    }
}

/// What the person says of themself.
fn own(rest: &[&str], known: &MoodWords) -> Mood {
    let Some(len) = starts(&known.arranges, rest) else { return past_or_told(rest, 1, known) };
    let next = rest.get(len).copied().unwrap_or_default();
    // A perfect is done; a present continuous, and having an occasion, are to come.
    let is_done = is_past(next, known) || known.did.holds(next) && next != "got";
    match rest.len() > len + 1 && !is_done {
        true => Mood::Arrangement,
        false => past_or_told(rest, len, known),
    }
}

fn past_or_told(rest: &[&str], at: usize, known: &MoodWords) -> Mood {
    let said = &rest[at.min(rest.len())..];
    // What is only felt is told.
    let is_done = said.len() > 1 && said.iter().take(2).any(|word| is_past(word, known));
    if is_done { Mood::Report } else { Mood::Statement }
}

/// Whether the word is a verb that the words before it are the subject of.
fn is_finite(rest: &[&str], at: usize, known: &MoodWords) -> bool {
    let word = rest[at];
    let is_infinitive = ["to", "zu"].contains(&rest[at - 1]);
    if is_infinitive {
        return false;
    }
    if known.finite.holds(word) {
        return true;
    }
    let ends_phrase = rest.get(at + 1).is_none_or(|next| {
        let classes = [&known.preposition, &known.det, &known.pronoun, &known.i];
        classes.iter().any(|class| class.holds(next))
    });
    is_past(word, known) && word.len() > 4 && ends_phrase
}

fn is_past(word: &str, known: &MoodWords) -> bool {
    let regular = word.len() > 3 && word.ends_with("ed") && !word.ends_with("eed") && !known.bare.holds(word);
    regular || known.did.holds(word)
}

/// Whether what is said begins with a verb in the form of an order.
fn is_order_verb(rest: &[&str], known: &MoodWords) -> bool {
    rest.first().is_some_and(|first| known.imperative.holds(first)) || requests::begins_as_order(rest)
}

/// Words that the longest phrase of a class takes at the beginning.
fn starts(class: &WordClass, words: &[&str]) -> Option<usize> {
    let longest = words.len().min(PHRASE_WORDS_MAX);
    (1..=longest).rev().find(|len| match len {
        1 => class.holds(words[0]),
        len => class.holds(&words[..*len].join(" ")),
    })
}

/// Whether a folded word joins clauses.
pub(super) fn joins(word: &str, known: &MoodWords) -> bool {
    known.joins.holds(word)
}

/// Whether a folded word makes the clause behind it the object of a verb; `Some(false)` where it may point as well.
pub(super) fn makes_an_object(word: &str) -> Option<bool> {
    let is_one = |known: &MoodWords| known.objects.holds(word);
    let points = |known: &MoodWords| known.pronoun.holds(word);
    (is_one(&ENGLISH) || is_one(&GERMAN)).then(|| !points(&ENGLISH) && !points(&GERMAN))
}

/// The words of a text that do not deny, nor leave a mood as it is.
pub(super) fn without_denials(text: &str) -> String {
    let denies = |known: &MoodWords, word: &str| known.negation.holds(word) || known.lead.holds(word);
    let bare = |word: &str| fold(word.trim_matches(|c: char| !c.is_alphanumeric()));
    let said = text.split_whitespace().filter(|word| {
        let word = bare(word);
        !word.is_empty() && !denies(&ENGLISH, &word) && !denies(&GERMAN, &word)
    });
    said.map(|word| word.trim_end_matches([',', ';'])).collect::<Vec<_>>().join(" ")
}

/// Whether folded words name a sort of thing that is kept.
pub(super) fn names_what_is_kept(words: &[&str]) -> bool {
    words.iter().any(|word| ENGLISH.keeps.holds(word) || GERMAN.keeps.holds(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_a_language_is_one_that_is_asked_for() {
        assert_eq!([ENGLISH.empty(), GERMAN.empty()], [Vec::<&str>::new(), Vec::new()]);
    }
}
