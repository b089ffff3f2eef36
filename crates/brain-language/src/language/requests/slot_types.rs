//! Slot types: what a slot of a frame may hold.
//!
//! A type looks at the words of the slot only; it keeps a frame from taking words that cannot be meant (a clause where
//! a name is wanted).

use super::lexicon::{RequestLexicon, WordId};
use crate::language::places::{Place, zone_of};
use crate::language::tokens::lower;

/// Most words beside an address or a number in a detail of somebody.
const DETAILS_WORDS: usize = 4;

/// Most words of the subject of a statement.
const TOLD_OF_WORDS: usize = 4;

const HAPPENING_WORDS: usize = 8;
/// Most words of a name of a list, with what stands behind its noun; a sentence before it is longer.
const LIST_WORDS: usize = 7;
/// Words of the longest phrase that is all of a slot.
const WHOLE_PHRASE_WORDS: usize = 8;
/// Fifty people by their full names, and what joins them.
const PEOPLE_WORDS: usize = 120;
/// Words of the longest phrase that begins something.
const OPENING_WORDS: usize = 8;

/// The kinds, by the names that the frames use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotType {
    /// Anything.
    Text,
    /// Names, addresses and groups, one or an enumeration.
    People,
    /// People, but not the two who are talking.
    OtherPeople,
    /// One name.
    Name,
    /// Names a happening, perhaps with whom.
    Event,
    /// A happening that is said first, as a bare noun.
    EventHead,
    /// A few words that a day and an hour make a happening.
    Happening,
    /// A pronoun or pro-form for a thing.
    Reference,
    /// Something to do by a verb that no table holds, behind a verb of duty or not.
    Novel,
    /// Anything but a reference.
    NoReference,
    /// Begins with what a person has to do: an imperative and its object.
    Errand,
    /// An errand that an assistant could not run either.
    OwnErrand,
    /// Begins as a sentence does: a subject and a verb, contracted or not.
    Sentence,
    /// Tells something: a noun phrase and a verb.
    Statement,
    /// Begins with thanks or a wish.
    Thanks,
    /// Ends with a noun for a list.
    List,
    /// Is divided by commas or conjunctions.
    Several,
    /// At most six words.
    Short,
    /// At most two words.
    Brief,
    /// Somebody's: a possessive, or a short name.
    Owner,
    /// A possessive and what belongs to it.
    Owned,
    /// An address or a number.
    Details,
    /// A group of people, by its noun.
    Group,
    /// In quotation marks, or short.
    Quoted,
    /// A bare hour, with minutes or without.
    Clock,
    /// A level of priority.
    Level,
    /// A place whose time zone is known, or a zone.
    Zone,
    /// A statement, not a request.
    Fact,
    /// What an assistant may be able to do, in general: a verb and its object.
    Capability,
    /// The time that the message speaks of, wherever it stands; takes no words. Only in frames of services.
    Time,
}

impl SlotType {
    /// The kind of a slot, from its own word or from the slot's name.
    pub fn read(name: &str, kind: &str) -> Option<SlotType> {
        Some(match (kind, name) {
            ("", "to" | "from" | "whom" | "attendees" | "with" | "who") => SlotType::People,
            ("" | "keep" | "follow" | "task" | "mine" | "possessive-any", _) => SlotType::Text,
            ("person", _) => SlotType::OtherPeople,
            ("one" | "named", _) => SlotType::Name,
            ("event" | "de-event", _) => SlotType::Event,
            ("eventhead", _) => SlotType::EventHead,
            ("happening", _) => SlotType::Happening,
            ("novel", _) => SlotType::Novel,
            ("ref", _) => SlotType::Reference,
            ("notref" | "done", _) => SlotType::NoReference,
            ("errand" | "de-errand", _) => SlotType::Errand,
            ("own", _) => SlotType::OwnErrand,
            ("sentence", _) => SlotType::Sentence,
            ("statement", _) => SlotType::Statement,
            ("thanks", _) => SlotType::Thanks,
            ("list" | "de-list", _) => SlotType::List,
            ("commas", _) => SlotType::Several,
            ("items" | "short" | "thing" | "fact-noun" | "mine-topic" | "place" | "room" | "factnoun", _) => {
                SlotType::Short
            }
            ("brief", _) => SlotType::Brief,
            ("possessive", _) => SlotType::Owner,
            ("owned", _) => SlotType::Owned,
            ("details", _) => SlotType::Details,
            ("group", _) => SlotType::Group,
            ("quoted", _) => SlotType::Quoted,
            ("level", _) => SlotType::Level,
            ("zone", _) => SlotType::Zone,
            ("clock", _) => SlotType::Clock,
            ("fact", _) => SlotType::Fact,
            ("capability", _) => SlotType::Capability,
            ("time", _) => SlotType::Time,
            _ => return None,
        })
    }

    /// Words that the slot holds at most: no more are tried, as none of those that go on with them would fit.
    pub fn words_max(self) -> usize {
        match self {
            SlotType::Brief => 2,
            SlotType::Name => 3,
            SlotType::Owner | SlotType::Group => 4,
            SlotType::Capability => 5,
            SlotType::Short | SlotType::Owned | SlotType::Zone => 6,
            SlotType::List => LIST_WORDS,
            SlotType::Happening => HAPPENING_WORDS,
            SlotType::Reference | SlotType::Level | SlotType::Clock => WHOLE_PHRASE_WORDS,
            SlotType::People | SlotType::OtherPeople => PEOPLE_WORDS,
            _ => usize::MAX,
        }
    }

    /// Steps that it takes to tell whether the slot may hold so many words.
    pub fn steps(self, words: usize) -> usize {
        let is_free = matches!(self, SlotType::Text | SlotType::NoReference);
        // Whether somebody is named is asked of each word anew.
        let names = matches!(self, SlotType::People | SlotType::OtherPeople | SlotType::Name);
        if is_free { 1 } else { 1 + words / if names { 1 } else { 4 } }
    }

    /// Whether the slot may hold these words; `raw` is the text they were read from.
    pub fn admits(self, ids: &[WordId], raw: &str, lexicon: RequestLexicon) -> bool {
        let starts = |class: &str| lexicon.starts(class, ids).is_some();
        let whole = |class: &str| lexicon.is_phrase(class, ids);
        let holds = |class: &str| lexicon.find(class, ids).is_some();
        let folded = || lower(raw);
        match self {
            _ if ids.len() > self.words_max() => false,
            SlotType::Text | SlotType::Short | SlotType::Brief => true,
            SlotType::Time => false,
            SlotType::People => is_people(ids, raw, lexicon),
            SlotType::OtherPeople => is_people(ids, raw, lexicon) && !whole("assistant") && !whole("notperson"),
            SlotType::Name => is_people(ids, raw, lexicon) && !starts("det"),
            SlotType::Event => (holds("event") || holds("deevent")) && !holds("noevent"),
            SlotType::EventHead => {
                !holds("noevent")
                    && !["showme", "nohappening"].iter().any(|class| starts(class))
                    && lexicon
                        .find("event", ids)
                        .or_else(|| lexicon.find("deevent", ids))
                        .is_some_and(|(at, _)| at <= 2)
            }
            SlotType::Happening => {
                let opens =
                    ["subject", "errand", "assistantverb", "nohappening", "showme", "reported", "negation", "lead"];
                !holds("noevent") && !opens.iter().any(|class| starts(class))
            }
            SlotType::Reference => whole("it"),
            SlotType::NoReference => !whole("it"),
            SlotType::Errand => is_errand(ids, lexicon),
            SlotType::OwnErrand => is_errand(ids, lexicon) && !starts("assistantverb"),
            SlotType::Novel => ids.len() > 1 && ids[0] == WordId::UNKNOWN && !starts("notnovel"),
            SlotType::Sentence => starts("subject") || starts("answers"),
            SlotType::Statement => starts("subject") || starts("answers") || is_statement(raw, lexicon),
            SlotType::Thanks => starts("thankword"),
            SlotType::List => ends_with_list(raw) && !whole("tasklist"),
            SlotType::Several => raw.contains(',') || folded().contains(" and "),
            SlotType::Owner => {
                !holds("numbered")
                    && lexicon.starts("whostop", ids).is_none()
                    && !whole("it")
                    && !holds("whostop-strong")
                    && !holds("tells")
                    && !starts("asking")
            }
            SlotType::Owned => folded().split_whitespace().rev().skip(1).any(|w| w.ends_with("'s")),
            SlotType::Details => {
                let words = raw.split_whitespace().filter(|w| !w.contains('@') && w.chars().any(char::is_alphabetic));
                starts_with_details(raw)
                    && words.count() <= DETAILS_WORDS
                    && (raw.contains('@') || raw.chars().filter(char::is_ascii_digit).count() >= 3)
            }
            SlotType::Group => holds("group"),
            SlotType::Quoted => raw.starts_with(['"', '“', '„', '\'', '«']) || ids.len() <= 4,
            SlotType::Level => whole("level"),
            SlotType::Zone => matches!(zone_of(raw), Place::Zone(_)),
            SlotType::Clock => is_clock(raw),
            SlotType::Fact => ids.len() >= 2 && !starts("notfact"),
            SlotType::Capability => !holds("my-strict") && starts("ability"),
        }
    }
}

/// An imperative for the person, not a question nor an order to the assistant.
pub(super) fn is_errand(ids: &[WordId], lexicon: RequestLexicon) -> bool {
    let Some(len) = lexicon.starts("errand", ids).or_else(|| lexicon.starts("deerrand", ids)) else {
        return false;
    };
    lexicon.starts("notobject", &ids[len..]).is_none() && lexicon.starts("noterrand", ids).is_none()
}

/// At most five people of a few words each; no word that begins the rest of a sentence.
fn is_people(ids: &[WordId], raw: &str, lexicon: RequestLexicon) -> bool {
    if lexicon.is_phrase("article", ids) || lexicon.find("nonperson", ids).is_some() {
        return false;
    }
    if ids.len() == 1 {
        return raw.contains('@') || lexicon.starts("whostop", ids).is_none() || lexicon.is_phrase("names", ids);
    }
    let is_and = |word: &str| word.eq_ignore_ascii_case("and") || word.eq_ignore_ascii_case("und");
    let conjunctions = raw.split_whitespace().filter(|w| w.ends_with(',') || is_and(w) || *w == "&").count();
    if ids.len() > 4 + 4 * conjunctions || raw.split_whitespace().next_back().is_some_and(is_and) {
        return false;
    }
    let skip = lexicon.starts("names", ids).unwrap_or(0);
    let goes_on =
        |at: usize| lexicon.starts("whostop", &ids[at..]).is_some() && lexicon.starts("names", &ids[at..]).is_none();
    if (skip..ids.len()).any(goes_on) {
        return false;
    }
    // A vocative, a comma and a clause: what follows is no name.
    !raw.split(',').skip(1).any(|part| {
        let read = |words: usize| part.split_whitespace().take(words).map(|word| lexicon.read_word(&lower(word)));
        // Most words begin no clause, and what follows them is not looked at.
        let opening = || read(OPENING_WORDS).collect::<Vec<_>>();
        read(1).any(|first| {
            ["errand", "answers"].iter().any(|c| lexicon.begins(c, first) && lexicon.starts(c, &opening()).is_some())
        })
    })
}

/// A subject and a verb, but not people and a subordinate clause: what is told of is one thing.
fn is_statement(raw: &str, lexicon: RequestLexicon) -> bool {
    let of_several = |word: &&str| word.ends_with(',') || matches!(lower(word).as_str(), "and" | "&");
    let mut subject = raw.split_whitespace().take(TOLD_OF_WORDS + 1).take_while(|word| !of_several(word)).skip(1);
    subject.any(|word| lexicon.is_phrase("state", &[lexicon.read_word(&lower(word))]))
}

/// A clock time in figures, with minutes or without.
fn is_clock(raw: &str) -> bool {
    let (hour, minute) = raw.split_once([':', '.']).unwrap_or((raw, "0"));
    hour.parse::<u8>().is_ok_and(|h| h <= 24) && minute.parse::<u8>().is_ok_and(|m| m < 60)
}

/// Begins with an address or a number, not with a name.
fn starts_with_details(raw: &str) -> bool {
    let first = raw.split_whitespace().next().unwrap_or_default();
    first.contains('@') || first.starts_with(['+', '(']) || first.chars().any(|c| c.is_ascii_digit())
}

fn ends_with_list(raw: &str) -> bool {
    let last = lower(raw.split_whitespace().next_back().unwrap_or_default());
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    last == "lists" || last.ends_with("list") || last.ends_with("liste")
}
