//! The concepts that a question speaks of, and the family that follows: waiting, answers, promises, needs.
//!
//! Each family has words that it needs (`data/language/requests/questions.*.txt`); in which direction is told by where
//! the person stands in the question.

use crate::language::requests::families::QuestionFamily;
use crate::language::requests::question_words::WORDS;
use crate::language::word_classes::WordClass;

/// Whether the person is who does something in a question, or to whom it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ActorSide {
    /// The first person is the subject, and not the object behind the verb.
    By,
    /// The first person is the object.
    To,
    /// The first person behind a preposition of source: somebody wants something of the person.
    From,
    /// The person is not in it.
    Unsaid,
}

/// The family whose words a question speaks. `is_named`: somebody is named in it.
pub(super) fn family_of(said: &[String], is_named: bool) -> Option<QuestionFamily> {
    use QuestionFamily as F;
    let direction = direction(said);
    let asks_people = WORDS.people.is_in(said) || is_named;
    if WORDS.most.is_in(said) && asks_people {
        match (WORDS.meet.is_in(said), WORDS.write.is_in(said)) {
            (true, false) => return Some(F::MeetsMost),
            (false, true) => return Some(F::WritesMost),
            (true, true) => return None,
            (false, false) => {}
        }
    }
    if let Some(promise) = place_of(said, &WORDS.promise) {
        let is_own =
            direction == ActorSide::By || said[..promise].iter().rev().take(2).any(|before| WORDS.my.holds(before));
        return Some(if is_own { F::PromisedByMe } else { F::PromisedToMe });
    }
    if let Some(promiser) = announced(said).or_else(|| intended(said, direction)) {
        return Some(if promiser == ActorSide::By { F::PromisedByMe } else { F::PromisedToMe });
    }
    if is_bound(said) && direction == ActorSide::To {
        return Some(F::WaitingOnOthers);
    }
    if says(said, &WORDS.prepare) {
        return Some(F::Prepare);
    }
    if (WORDS.need.is_in(said) || WORDS.want.is_in(said)) && asks_people && direction == ActorSide::From {
        return Some(F::WaitingOnMe);
    }
    let waits = says(said, &WORDS.waiting);
    let answers = WORDS.answer.is_in(said);
    if says(said, &WORDS.late) && !waits && !answers && !asks_people {
        return Some(F::NeedsMe);
    }
    let is_asked_of = |class: &WordClass| class.is_in(said);
    let of_answers = [&WORDS.write, &WORDS.want, &WORDS.not].into_iter().any(is_asked_of) || asks_people;
    if WORDS.wait.is_in(said) || waits || answers && of_answers {
        return match (direction, waits, answers) {
            // Others wait for the person.
            (ActorSide::From, ..) => Some(F::WaitingOnMe),
            // The person waits for others.
            (ActorSide::By, true, _) => Some(F::WaitingOnOthers),
            // The person has an answer to give.
            (ActorSide::By, false, _) => Some(F::WaitingOnMe),
            // Others wait for the person, without a preposition; who has not answered is waited for.
            (ActorSide::To, true, false) => Some(F::WaitingOnMe),
            (ActorSide::To, _, _) => Some(F::WaitingOnOthers),
            // A message wants an answer, or others have not given one.
            (ActorSide::Unsaid, _, true) if WORDS.want.is_in(said) || WORDS.need.is_in(said) => Some(F::WaitingOnMe),
            (ActorSide::Unsaid, _, true) if WORDS.not.is_in(said) => Some(F::WaitingOnOthers),
            // Something is still to come, with nobody named.
            (ActorSide::Unsaid, true, _) if !WORDS.wait.is_in(said) => Some(F::WaitingOnOthers),
            (ActorSide::Unsaid, ..) => None,
        };
    }
    let is_of_the_person = direction != ActorSide::Unsaid;
    (says(said, &WORDS.need) && is_of_the_person || WORDS.agenda.is_in(said)).then_some(F::NeedsMe)
}

/// Whether somebody has to give something: an obligation with a verb of giving.
fn is_bound(said: &[String]) -> bool {
    let is_bound = said.windows(2).any(|two| WORDS.bound.holds(&two[0]) && two[1] == "to");
    is_bound && said.iter().any(|word| WORDS.give.holds(word) || WORDS.giving.holds(word))
}

/// Whether one of the words or phrases of a class is said.
pub(super) fn says(said: &[String], class: &WordClass) -> bool {
    place_of(said, class).is_some()
}

/// Where the first of a class stands.
fn place_of(said: &[String], class: &WordClass) -> Option<usize> {
    let phrases: Vec<Vec<&str>> = phrases(class).collect();
    let is_at = |at: usize| phrases.iter().any(|phrase| begins_with(&said[at..], phrase, String::as_str));
    (0..said.len()).find(|at| class.holds(&said[*at]) || is_at(*at))
}

/// Those of a class that have several words.
pub(super) fn phrases(class: &WordClass) -> impl Iterator<Item = Vec<&str>> {
    class.iter().filter(|entry| entry.contains(' ')).map(|entry| entry.split(' ').collect())
}

pub(super) fn begins_with<T>(words: &[T], phrase: &[&str], of: impl Fn(&T) -> &str) -> bool {
    words.len() >= phrase.len() && words.iter().zip(phrase).all(|(word, wanted)| of(word) == *wanted)
}

/// Who said of themselves that they would do something: reported speech with a verb of intent.
fn announced(said: &[String]) -> Option<ActorSide> {
    let at = said.iter().position(|word| WORDS.say.holds(word))?;
    let would = at + said[at..].iter().position(|word| WORDS.would.holds(word))?;
    let is_own = at > 0 && said[at - 1] == "i";
    let of_me = said[at + 1..=would].iter().any(|word| WORDS.own.holds(word));
    // What the hearer is to get, the speaker promised; what the hearer is to like is no promise.
    let gets = said.get(would + 1).is_some_and(|word| WORDS.gets.holds(word));
    match (is_own, of_me, gets) {
        (true, _, _) => Some(ActorSide::By),
        (false, false, _) | (false, true, true) => Some(ActorSide::To),
        (false, true, false) => None,
    }
}

/// Who is about to give something: a future with a verb of giving.
fn intended(said: &[String], direction: ActorSide) -> Option<ActorSide> {
    let is_going = said.windows(2).any(|two| WORDS.going.holds(&two[0]) && two[1] == "to");
    let gives = WORDS.giving.is_in(said) && !is_bound(said) || is_going && WORDS.give.is_in(said);
    gives.then_some(())?;
    match direction {
        ActorSide::By => Some(ActorSide::By),
        ActorSide::To => Some(ActorSide::To),
        ActorSide::From | ActorSide::Unsaid => None,
    }
}

/// Where the person stands in a question.
pub(super) fn direction(said: &[String]) -> ActorSide {
    let i = said.iter().position(|word| WORDS.i.holds(word));
    let me = said.iter().position(|word| WORDS.me.holds(word));
    let is_of_me = me.and_then(|me| said.get(me.checked_sub(1)?)).is_some_and(|before| WORDS.of.holds(before));
    match (i, me) {
        (Some(_), _) => ActorSide::By,
        (None, Some(_)) if is_of_me => ActorSide::From,
        (None, Some(_)) => ActorSide::To,
        (None, None) => ActorSide::Unsaid,
    }
}
