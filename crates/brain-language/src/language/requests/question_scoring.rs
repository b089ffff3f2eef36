//! Leanings: what a question leans to when no phrase covers it: the family whose words it has, and what else it names.
//!
//! Each family has words that it needs (of waiting, answering, promising) and words that speak for it (in which
//! direction). What is left of a question, beside those and function words, is a name, a time or its topic, so that
//! nothing of it is dropped. A question of a time and of nothing else is what needs the person then.
//!
//! Only questions are read so, and messages that name what papers are found by, and only to look something up: the
//! answer says what it was taken for. Invariant: a leaning never becomes an action. Not here: phrases (`families`),
//! which outrank it.

mod concepts;
#[cfg(test)]
mod tests;

use self::concepts::{ActorSide, begins_with, direction, family_of, phrases, says};
use super::families::{
    FamilyQuestion, QuestionFamily, apostrophes, begins_asking, is_light, is_question, topic, without_fillers,
};
use super::grammar::GRAMMAR;
use super::question_words::{WORDS, is_german};
use crate::language::time;
use crate::language::time::{Reference, TimeMention, TimeRole};
use crate::language::word_classes::WordClass;
use crate::language::words::{fold, words};

/// A question is short; what is longer tells a story.
const QUESTION_CHARS_MAX: usize = 160;
/// A message that only names what is to be found is shorter still.
const NAMED_WORDS_MAX: usize = 8;

/// The question that a message leans to; `None` where it leans nowhere, or to two at once.
pub fn leaning(text: &str, reference: &Reference) -> Option<FamilyQuestion> {
    if text.chars().count() > QUESTION_CHARS_MAX {
        return None;
    }
    let plain = without_fillers(&apostrophes(text));
    let asked = without_lead(&plain);
    let heard = AnnotatedQuestion::new(asked, reference)?;
    // A request in the form of a question asks for an action.
    let is_ordered = asked.len() < plain.trim().len() && !begins_asking(asked);
    let asks = is_question(asked) && !is_ordered || begins_asking(&plain);
    let asks = asks || WORDS.asks_within.iter().any(|words| has(asked, words));
    match asks {
        true => heard.asked(),
        false if is_order(asked) => None,
        false => heard.named(),
    }
}

/// Whether the words of a leaning plainly speak of answers or promises, which commands know little of; and whether it
/// is of what is not there (a negated perfect) or was promised, which no command can look for.
pub fn plain_leaning(question: &FamilyQuestion, text: &str) -> Option<bool> {
    let said = words(&apostrophes(text));
    let is_open = WORDS.not.is_in(&said) || says(&said, &WORDS.obliged);
    let is_of_answers = is_open && direction(&said) == ActorSide::By && WORDS.answer.is_in(&said);
    let is_of_none = is_of_answers || says(&said, &WORDS.promise);
    question.family.is_of_a_kind().then_some(is_of_none)
}

/// A question without the polite question that introduces it.
fn without_lead(text: &str) -> &str {
    let begun = |text: &str| -> Option<usize> {
        let folded = text.to_lowercase();
        let begins = |lead: &&str| folded.strip_prefix(*lead).is_some_and(|rest| rest.starts_with([' ', ',']));
        let lead = WORDS.lead.iter().filter(begins).map(str::len).max()?;
        // Lower case may be of another length; then nothing is left out.
        (folded.len() == text.len()).then_some(lead + 1)
    };
    let mut rest = text.trim();
    while let Some(at) = begun(rest) {
        rest = rest[at..].trim_start();
    }
    rest
}

/// Whether it begins with an order, which is no question.
fn is_order(text: &str) -> bool {
    let ids: Vec<_> = super::text::tokens(text, GRAMMAR.lexicon).iter().map(|token| token.id).collect();
    ["errand", "create", "add", "remind", "send"].iter().any(|class| GRAMMAR.lexicon.starts(class, &ids).is_some())
}

fn begins(text: &str, word: &str) -> bool {
    fold(text).strip_prefix(word).is_some_and(|rest| rest.starts_with(' '))
}

fn has(text: &str, words: &str) -> bool {
    format!(" {} ", fold(text)).contains(&format!(" {words} "))
}

/// A question in its words, each of them accounted for.
struct AnnotatedQuestion {
    said: Vec<String>,
    when: Option<String>,
    /// The time is when something has to be done by.
    is_deadline: bool,
    who: Option<String>,
    /// What is left.
    topic: Option<String>,
}

impl AnnotatedQuestion {
    fn new(text: &str, reference: &Reference) -> Option<Self> {
        let said = words(text);
        // A time behind a preposition of topic is the topic.
        let is_topic = |mention: &TimeMention| WORDS.about.iter().any(|word| begins(&text[mention.span.clone()], word));
        let mentions: Vec<TimeMention> =
            time::find(text, reference).into_iter().filter(|mention| !is_topic(mention)).collect();
        // Two times are two questions, but for alternatives: those are until the later one.
        let is_either = |a: &TimeMention, b: &TimeMention| {
            text.get(a.span.end..b.span.start).is_some_and(|between| WORDS.either.holds(&fold(between.trim())))
        };
        let mention = match mentions.as_slice() {
            [] => None,
            [only] => Some(only),
            [first, last] if is_either(first, last) => Some(last),
            [..] => return None,
        };
        let when = mention.map(|mention| text[mention.span.clone()].to_owned());
        let is_deadline = mention.is_some_and(|mention| matches!(mention.role, TimeRole::By | TimeRole::Until));
        let tokens = tokens(text);
        let free = |token: &&QuestionToken| !mentions.iter().any(|time: &TimeMention| time.span.contains(&token.start));
        let is_german = is_german(&said);
        let name = name_in(&tokens.iter().filter(free).collect::<Vec<_>>(), is_german);
        let phrased = phrased(&tokens);
        let is_taken = |token: &QuestionToken| name.contains(&token.start) || phrased.contains(&token.start);
        let is_left = |token: &&QuestionToken| free(token) && !is_taken(token) && !is_light(&token.folded, is_german);
        let left = left(text, &tokens, &is_left);
        let who: Vec<&str> =
            tokens.iter().filter(|token| name.contains(&token.start)).map(|token| token.bare).collect();
        let some = |words: Vec<&str>| Some(words.join(" ")).filter(|words| !words.is_empty());
        Some(Self { when, is_deadline, who: some(who), topic: left.map(|left| topic(&left)), said })
    }

    fn question(self, family: QuestionFamily) -> FamilyQuestion {
        FamilyQuestion {
            family,
            who: self.who,
            topic: self.topic,
            when: self.when,
            open: WORDS.open.is_in(&self.said),
            late: says(&self.said, &WORDS.late),
            unread: WORDS.unread.is_in(&self.said),
            ..FamilyQuestion::default()
        }
    }

    fn speaks_of_answers(&self) -> bool {
        WORDS.answer.is_in(&self.said)
    }

    /// Something is named beside the time.
    fn is_about_something(&self) -> bool {
        self.who.is_some() || self.topic.is_some()
    }

    fn asked(self) -> Option<FamilyQuestion> {
        use QuestionFamily as F;
        let Some(family) = family_of(&self.said, self.who.is_some()) else {
            return self.of_a_time_or_topic();
        };
        let is_late = says(&self.said, &WORDS.late);
        match family {
            // A question of need about something, directed from somebody at the person.
            F::NeedsMe if self.is_about_something() && direction(&self.said) == ActorSide::From => {
                Some(self.question(F::WaitingOnMe))
            }
            // A question of need before something to come is one of preparing for it.
            F::NeedsMe if self.is_about_something() && WORDS.ahead.is_in(&self.said) => Some(self.question(F::Prepare)),
            // What is to be done about something is what of it is open.
            F::NeedsMe if self.is_about_something() => {
                let about = self.named_all();
                let question = self.question(F::About);
                Some(FamilyQuestion { who: None, topic: Some(about), open: true, late: false, ..question })
            }
            F::NeedsMe if self.when.is_none() && !is_late => None,
            F::Prepare if !self.is_about_something() && self.when.is_none() => None,
            F::WritesMost | F::MeetsMost if self.is_about_something() => None,
            // What came in at some time is older than an answer that is due by one.
            F::WaitingOnMe if self.when.is_some() && !self.is_deadline && self.speaks_of_answers() => {
                Some(self.question(F::Unanswered))
            }
            family => Some(self.question(family)),
        }
    }

    /// What speaks of no family: only of a time, or of a topic and its state.
    fn of_a_time_or_topic(self) -> Option<FamilyQuestion> {
        use QuestionFamily as F;
        let is_named = self.is_about_something();
        if self.when.is_some() && !is_named {
            return Some(self.question(F::NeedsMe));
        }
        if is_named && (WORDS.ahead.is_in(&self.said) || says(&self.said, &WORDS.bring)) {
            return Some(self.question(F::Prepare));
        }
        if is_named && (WORDS.open.is_in(&self.said) || says(&self.said, &WORDS.status)) {
            let about = self.named_all();
            return Some(FamilyQuestion { who: None, topic: Some(about), ..self.question(F::About) });
        }
        self.sought()
    }

    /// All that is named.
    fn named_all(&self) -> String {
        [self.topic.as_deref(), self.who.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// A message that only names what is to be found: a noun of detail and what it is of.
    fn named(self) -> Option<FamilyQuestion> {
        let is_short = self.said.len() <= NAMED_WORDS_MAX && self.is_about_something();
        if is_short { self.sought() } else { None }
    }

    /// What papers are found by: a noun of detail, with what it belongs to.
    fn sought(self) -> Option<FamilyQuestion> {
        use QuestionFamily as F;
        let said = |class: &WordClass| class.is_in(&self.said);
        let family = match (said(&WORDS.invoice), said(&WORDS.booking), said(&WORDS.detail)) {
            (true, ..) if said(&WORDS.amount) => F::FindAmount,
            (true, ..) => F::FindInvoice,
            (false, true, _) => F::FindBooking,
            (false, false, true) => F::Find,
            (false, false, false) => return None,
        };
        let about = self.named_all();
        let question = self.question(family);
        Some(FamilyQuestion { who: None, topic: Some(about).filter(|about| !about.is_empty()), ..question })
    }
}

/// A word as it stands in a question.
struct QuestionToken<'a> {
    start: usize,
    /// Without what surrounds it, and without a possessive ending.
    bare: &'a str,
    folded: String,
}

fn tokens(text: &str) -> Vec<QuestionToken<'_>> {
    text.split_whitespace().filter_map(|word| token(text, word)).collect()
}

fn token<'a>(text: &str, word: &'a str) -> Option<QuestionToken<'a>> {
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let bare = bare.strip_suffix("'s").unwrap_or(bare);
    Some(QuestionToken { start, bare, folded: fold(bare) }).filter(|token| !token.bare.is_empty())
}

/// The words that are left of a question, with what joins them into one name.
fn left(text: &str, tokens: &[QuestionToken], is_left: &dyn Fn(&&QuestionToken) -> bool) -> Option<String> {
    let places: Vec<usize> = (0..tokens.len()).filter(|at| is_left(&&tokens[*at])).collect();
    let (first, last) = (*places.first()?, *places.last()?);
    // One word between two of them belongs to both; more divide them.
    let is_one = places.windows(2).all(|two| two[1] - two[0] <= 2);
    if is_one {
        let end = tokens[last].start + text[tokens[last].start..].find(tokens[last].bare)? + tokens[last].bare.len();
        return text
            .get(tokens[first].start..end)
            .map(|whole| whole.trim_start_matches(|c: char| !c.is_alphanumeric()).to_owned());
    }
    Some(places.iter().map(|at| tokens[*at].bare).collect::<Vec<_>>().join(" "))
}

/// Where words stand that say together which family a question is of.
fn phrased(tokens: &[QuestionToken]) -> Vec<usize> {
    let classes = [
        &WORDS.waiting,
        &WORDS.promise,
        &WORDS.prepare,
        &WORDS.need,
        &WORDS.status,
        &WORDS.bring,
        &WORDS.late,
        &WORDS.asks_within,
    ];
    let all: Vec<Vec<&str>> = classes.into_iter().flat_map(phrases).collect();
    let starting = |at: usize| {
        let is_here = |phrase: &&Vec<&str>| begins_with(&tokens[at..], phrase, |token: &QuestionToken| &token.folded);
        let longest = all.iter().filter(is_here).map(Vec::len).max().unwrap_or(0);
        tokens[at..at + longest].iter().map(|token| token.start)
    };
    (0..tokens.len()).flat_map(starting).collect()
}

/// Where the words of a name start: those that are written large, but for the first. German writes more than names so.
fn name_in(tokens: &[&QuestionToken], is_german: bool) -> Vec<usize> {
    let is_name = |token: &&&QuestionToken| {
        !WORDS.large.holds(&token.folded) && token.bare.starts_with(char::is_uppercase) && !is_german
    };
    let behind_the_first = tokens.iter().skip(1).skip_while(|token| !is_name(token));
    behind_the_first.take_while(|token| is_name(token)).map(|token| token.start).collect()
}
