//! A turn as built-in understanding hears it.
//!
//! Its words are read once, beside the runtime, when the turn begins ([`super::Turn::hear`]), and once more where
//! others come to stand for them ([`super::Turn::points_at`]); whoever asks anything of them is told from that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::facts::TurnFacts;
use brain_core::core::history::Voice;
use brain_core::core::plan::Plan;
use brain_core::limits::REPORT_STEPS_MAX;
use brain_language::language::reading::Reading;
use brain_language::language::requests::parser::Parser;
use brain_language::language::requests::{FamilyQuestion, Intents, ParseInput, Past, Phrases, StateReport, Understood};
use brain_language::language::routing::Guess;
use brain_language::language::time::{Reference, recognised_once};
use brain_language::language::work::Work;
use brain_language::language::{requests, routing};
use brain_services::services::across::filling::BUILDERS;

/// What a message was understood as; by default, one that takes more than a message may.
#[derive(Debug, Default)]
pub(super) struct Understanding {
    reading: Reading,
    guess: Guess,
    intents: Intents,
    question: Option<FamilyQuestion>,
    leaning: Option<FamilyQuestion>,
    report: Option<StateReport>,
    /// The plan within the guessed services, and within any.
    within: (Vec<String>, Understood),
    within_any: Understood,
    /// Steps that are left for what is read of it later in the turn.
    left: AtomicU32,
}

impl Understanding {
    fn of(input: &ParseInput) -> Understanding {
        recognised_once(|| Understanding::read(input))
    }

    /// What is known of words before they are read.
    pub(super) fn of_nothing(reference: &Reference) -> Understanding {
        Understanding::of(&ParseInput::new("", reference, BUILDERS))
    }

    /// A plan may take what a message may, and all that is asked beside it the same once more. What is left when that
    /// is spent is not read: the person is told that it was too much.
    fn read(input: &ParseInput) -> Understanding {
        let reading = Reading::of(input.text, input.reference);
        requests::parsed(input, &[], &Work::default(), |parser| Understanding::parsed(reading, parser))
    }

    fn parsed(reading: Reading, parser: &Parser) -> Understanding {
        let within_any = requests::planned(parser);
        if within_any == Understood::TooMuch {
            return Understanding { reading, ..Understanding::default() };
        }
        let (input, heard, work) = (parser.input, parser.heard, Work::default());
        let parser = parser.with(input, heard, &[], &work);
        let guess = routing::routed(&routing::model::MODEL, &parser);
        let within = match guess.domains.as_slice() {
            domains if is_within(&within_any, domains) => within_any.clone(),
            domains => requests::planned(&parser.with(input, heard, domains, &work)),
        };
        let intents = Intents::read(&parser);
        let question = requests::question(input, &work);
        if work.is_spent() {
            return Understanding { reading, ..Understanding::default() };
        }
        Understanding {
            reading,
            intents,
            question,
            leaning: requests::leaning(input.text, input.reference),
            // Whoever says so much reports nothing that is open.
            report: requests::report(input, &Work::of(REPORT_STEPS_MAX)),
            within: (guess.domains.clone(), within),
            guess,
            within_any,
            left: AtomicU32::new(work.left()),
        }
    }
}

impl TurnFacts {
    /// What reads words, with all that it needs.
    pub(super) fn reader(&self, text: String) -> impl FnOnce() -> Understanding + Send + use<> {
        let (reference, past, phrases) = (self.reference(), self.past(), self.phrases.clone());
        move || {
            let (history, phrases) = (past.as_slice(), of_all(&phrases));
            let input = ParseInput { history, phrases: &phrases, ..ParseInput::new(&text, &reference, BUILDERS) };
            Understanding::of(&input)
        }
    }

    /// The words of the message, their moods, and the times that they name.
    pub fn reading(&self) -> &Reading {
        &self.understanding.reading
    }

    /// Whether reading the message would take more than a message may.
    pub fn is_too_much(&self) -> bool {
        self.understanding.within_any == Understood::TooMuch
    }

    /// Which services the message seems to be about.
    pub fn guess(&self) -> &Guess {
        &self.understanding.guess
    }

    /// What its clauses seem to ask.
    pub fn intents(&self) -> &Intents {
        &self.understanding.intents
    }

    /// The question of a family that its words are.
    pub fn question(&self) -> Option<&FamilyQuestion> {
        self.understanding.question.as_ref()
    }

    /// The question that its words lean to, which nothing is asked of to change as well.
    pub fn leaning(&self) -> Option<&FamilyQuestion> {
        let known = &self.understanding;
        known.leaning.as_ref().filter(|_| self.origin().is_own_words() && known.intents.only_look())
    }

    /// What it reports as done.
    pub fn report(&self) -> Option<&StateReport> {
        self.understanding.report.as_ref()
    }

    /// The conversation as built-in understanding wants it.
    pub fn past(&self) -> Vec<Past> {
        let mut past: Vec<Past> = Vec::new();
        for entry in self.conversation().entries() {
            match entry.voice {
                Voice::Own => past.push(Past { said: entry.text.to_owned(), actions: Vec::new() }),
                Voice::SomebodyElse | Voice::PassedOn { .. } => {}
                Voice::Assistant => {
                    let actions = entry.actions.iter().cloned();
                    match past.last_mut() {
                        Some(last) => last.actions.extend(actions),
                        None => past.push(Past { said: String::new(), actions: actions.collect() }),
                    }
                }
            }
        }
        past.extend(self.at_hand());
        past
    }

    /// What built-in understanding makes of the message; only commands of `domains`, and of any where there are none.
    pub fn understood(&self, domains: &[String]) -> Understood {
        let known = &self.understanding;
        match domains {
            domains if is_within(&known.within_any, domains) => known.within_any.clone(),
            domains if known.within.0 == domains => known.within.1.clone(),
            domains => self.understood_as(self.words(), domains),
        }
    }

    /// The same of other words of the person's, with the steps that reading the message has left.
    pub fn understood_as(&self, text: &str, domains: &[String]) -> Understood {
        let (reference, past, phrases) = (self.reference(), self.past(), of_all(&self.phrases));
        let left = &self.understanding.left;
        let work = Work::of(left.load(Ordering::Relaxed));
        let input = ParseInput { history: &past, phrases: &phrases, ..ParseInput::new(text, &reference, BUILDERS) };
        let understood = requests::plan_within(&input, domains, &work);
        left.store(work.left(), Ordering::Relaxed);
        understood
    }
}

/// Whether what was read among all commands stands where only those of `domains` count, of which none are all: the best
/// of all readings is the best of fewer.
fn is_within(any: &Understood, domains: &[String]) -> bool {
    let is_one = |plan: &Plan| plan.actions.iter().all(|planned| domains.contains(&planned.service));
    domains.is_empty() || matches!(any, Understood::Plan { plan, .. } if is_one(plan))
}

fn of_all(phrases: &[Arc<Phrases>]) -> Vec<&Phrases> {
    phrases.iter().map(Arc::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use brain_core::limits::UNDERSTANDING_STEPS_MAX;
    use brain_language::language::testing::monday;
    use brain_language::language::work::counted;
    use brain_testing::fuzzing::ThreadClock;

    /// As much as one message brings.
    const CHARS: usize = 4_096;
    /// Processor time of reading one in an unoptimised build: what is done beside the steps is bounded as they are.
    const TIME_MAX: Duration = Duration::from_secs(2);
    /// Made messages of several fragments.
    const MIXED: usize = 24;
    /// What requests, reports, questions, conditions and watches are made of.
    const FRAGMENTS: [&str; 24] = [
        "and send them, [",
        "if Anna answers,",
        "tell me when Anna answers",
        "remind me if Bob hasn't answered",
        "who is waiting for an answer from me?",
        "add milk to my list,",
        "the rent is paid.",
        "got the eggs!",
        "when Anna has answered, delete the task tax",
        "email bob that",
        "at 5pm",
        "no, 6pm",
        "note: the code is 4711",
        "what did Anna promise me",
        "every Tuesday",
        "unless it rains",
        "so the bins are out",
        "- milk",
        "\u{201c}the code\u{201d}",
        "und dann Milch auf die Liste",
        "5pm, 12:30",
        "an hour before",
        "wendesday",
        "CALL BOB OR ANNA",
    ];

    /// Fragments repeated, and mixed as a seed says.
    fn made() -> Vec<String> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut roll = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or_default() % below
        };
        let mut parts: Vec<Vec<&str>> = FRAGMENTS.iter().map(|fragment| vec![*fragment]).collect();
        parts.extend((0..MIXED).map(|_| (0..2 + roll(4)).map(|_| FRAGMENTS[roll(FRAGMENTS.len())]).collect()));
        let filled = |parts: Vec<&str>| -> String {
            format!("{} ", parts.join(" ")).repeat(CHARS).chars().take(CHARS).collect()
        };
        parts.into_iter().map(filled).collect()
    }

    #[test]
    fn all_that_is_asked_of_a_message_together_takes_no_more_than_it_may() {
        const MAX: u32 = 2 * UNDERSTANDING_STEPS_MAX + REPORT_STEPS_MAX;
        let reference = monday();
        for text in made() {
            let began = ThreadClock::now();
            let taken = counted(|| _ = Understanding::of(&ParseInput::new(&text, &reference, BUILDERS)));
            let (took, piece) = (began.elapsed(), text.chars().take(60).collect::<String>());
            assert!(taken <= MAX && took <= TIME_MAX, "{taken} steps, {took:?}: {piece}");
        }
    }
}
