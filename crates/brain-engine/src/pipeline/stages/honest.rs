//! Honesty check: what code says about a turn above a model's words, and which of their sentences are not shown.
//!
//! Invariants: a turn that was asked to do something and changed nothing says so in its first words, which are code's,
//! whatever a model says below them, in whichever language: no reader knows every way to claim a deed. A question that
//! was answered by looking, and words about what reads as a request, say so in their last words. Beside that a model's
//! words stay as they are, but for a sentence that claims what the outcomes of this turn and those before do not hold
//! ([`Claim`]), and a sign that only receipts and cards have. Not here: what was done, which receipts tell (see
//! [`super::respond`]).

use crate::pipeline::brain::Brain;
use crate::pipeline::show::Results;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::card::asks_like_a_card;
use brain_core::core::history;
use brain_core::core::markup::Formatted;
use brain_core::core::outcome::{Report, Status};
use brain_core::ports::Stage;
use brain_language::language::record::Claim;

/// What a turn came to, as far as words about it can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CameTo {
    /// Something was changed, or may have been; receipts say what.
    Change,
    /// Everything that was asked for was looked up, and nothing else was.
    Answer,
    /// A question over everything was looked into. What is told was done by others, or earlier; by this turn nothing.
    Findings,
    /// Something was looked up; the rest was refused or failed.
    LooksOnly,
    /// What was asked for waits for a yes, or for an answer.
    Waits,
    /// What was asked for was refused or failed.
    Failure,
    /// Something was asked for, and no action was found in it.
    NoAction,
    /// Nothing was done, and a model that has seen that answers in words.
    OnlyWords,
    /// Talk: nothing was asked for.
    Talk,
    /// Talk, about words in which code sees a command of some service, or that it cannot read.
    TalkAtRequest,
}

impl CameTo {
    /// Who words it.
    pub fn stage(self) -> Stage {
        match self {
            Self::Talk | Self::TalkAtRequest => Stage::Chat,
            Self::Change
            | Self::Answer
            | Self::Findings
            | Self::LooksOnly
            | Self::Waits
            | Self::Failure
            | Self::OnlyWords
            | Self::NoAction => Stage::Respond,
        }
    }
}

/// Said above words about a turn that looked something up and did nothing else.
const CHANGED_NOTHING: &str = "Nothing was changed.";
/// Said above words about a turn whose card or question is still to come.
const NOT_YET: &str = "Nothing is changed yet; that waits for your word below.";
/// Said above words about what was refused or failed.
const NOTHING_DONE: &str = "Nothing was done.";
/// Said above words that answer a request without an action.
const NO_ACTION: &str = "Nothing was done: I found nothing in that to act on.";
/// Said below words about what was only looked up.
const ONLY_LOOKED: &str = "(I only looked: nothing was sent or changed.)";
/// Said below words that answer what reads as a request.
const ONLY_WORDS: &str = "(Only words: nothing was sent or changed.)";
/// Said above talk that claims a past action.
const JUST_NOW: &str = "Nothing was done just now.";
/// Said above a question that a model wrote.
pub const BEFORE_ASKING: &str = "Before I change anything, one question:";

impl CameTo {
    /// What the reports of a routed turn amount to.
    pub fn of(changed: bool, waits: bool, reports: &[Report]) -> Self {
        let succeeded = |report: &Report| report.status == Status::Succeeded;
        match (changed, waits, reports.iter().any(succeeded)) {
            (true, _, _) => Self::Change,
            (false, true, _) => Self::Waits,
            (false, false, true) if reports.iter().all(succeeded) => Self::Answer,
            (false, false, true) => Self::LooksOnly,
            (false, false, false) if reports.is_empty() => Self::NoAction,
            (false, false, false) => Self::Failure,
        }
    }

    /// What stands above every word of a model; `None` where receipts or the answer itself say enough.
    pub fn statement(self) -> Option<&'static str> {
        match self {
            Self::Change | Self::Answer | Self::Findings | Self::Talk | Self::TalkAtRequest => None,
            Self::LooksOnly => Some(CHANGED_NOTHING),
            Self::Waits => Some(NOT_YET),
            Self::Failure => Some(NOTHING_DONE),
            Self::NoAction => Some(NO_ACTION),
            Self::OnlyWords => Some(ONLY_WORDS),
        }
    }

    /// What stands below them, where nothing stands above.
    fn closing(self) -> Option<&'static str> {
        match self {
            Self::Answer | Self::Findings => Some(ONLY_LOOKED),
            Self::TalkAtRequest => Some(ONLY_WORDS),
            Self::Change
            | Self::LooksOnly
            | Self::Waits
            | Self::Failure
            | Self::NoAction
            | Self::OnlyWords
            | Self::Talk => None,
        }
    }

    /// What stands above words that claim a past action.
    fn correction(self) -> Option<&'static str> {
        match self {
            Self::Change => None,
            Self::Answer | Self::Findings => Some(CHANGED_NOTHING),
            Self::Talk | Self::TalkAtRequest => Some(JUST_NOW),
            Self::LooksOnly | Self::Waits | Self::Failure | Self::NoAction | Self::OnlyWords => self.statement(),
        }
    }
}

/// What a model's words about a turn are held against.
#[derive(Debug, Clone)]
pub struct Truth {
    /// What the turn came to.
    pub came_to: CameTo,
    /// What each command does that changed something in this turn.
    done: Vec<String>,
    /// The same of those before, as far as the conversation goes.
    done_before: Vec<String>,
}

impl Truth {
    /// Of a turn with these outcomes.
    pub fn of(brain: &Brain, facts: &TurnFacts, results: &Results, came_to: CameTo) -> Self {
        let past = facts.history.iter().flat_map(|message| &message.actions);
        let past = past.filter(|past| ![history::FOUND, history::REMINDED].contains(&past.command.as_str()));
        let summary = |past: &history::PastAction| match brain.services.command(&past.service, &past.command) {
            Some(entry) => entry.writes().then(|| entry.summary().to_owned()),
            None => Some(String::new()),
        };
        Self { came_to, done: results.done.clone(), done_before: past.filter_map(summary).collect() }
    }

    /// Whether a sentence claims what was not done just now. What others did is told of what was looked up.
    pub fn is_overstated(&self, sentence: &str) -> bool {
        let tells_of_others = matches!(self.came_to, CameTo::Answer | CameTo::Findings);
        let claim = Claim::of(sentence).filter(|claim| claim.is_own || !tells_of_others);
        claim.is_some_and(|claim| !claim.is_held_by(self.done.iter().map(String::as_str)))
    }

    /// Whether it was not done before, either.
    fn is_untrue(&self, sentence: &str) -> bool {
        let claim = Claim::of(sentence).filter(|_| self.is_overstated(sentence));
        claim.is_some_and(|claim| !claim.is_held_by(self.done_before.iter().map(String::as_str)))
    }
}

/// A model's words as they are shown: below the statement of code, and without sentences that cannot be true.
pub fn shown(words: Formatted, truth: &Truth) -> Formatted {
    let words = words.without_sentences(asks_like_a_card).without_signs();
    let claims = words.without_sentences(|sentence| truth.is_overstated(sentence)).text != words.text;
    let above = if claims { truth.came_to.correction() } else { truth.came_to.statement() };
    between(above, words.without_sentences(|sentence| truth.is_untrue(sentence)), truth.came_to.closing())
}

/// Words below what code says, or above it where nothing stands there already.
fn between(above: Option<&str>, mut words: Formatted, closing: Option<&str>) -> Formatted {
    match (above, closing) {
        (Some(above), _) => words.below(above),
        (None, Some(closing)) if !words.text.is_empty() => {
            words.push(&format!("\n\n{closing}"));
            words
        }
        (None, _) => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(words: &str, came_to: CameTo) -> String {
        after_all(words, came_to, &[], &[])
    }

    fn after_all(words: &str, came_to: CameTo, done: &[&str], done_before: &[&str]) -> String {
        let [done, done_before] = [done, done_before].map(|all| all.iter().map(|&what| what.to_owned()).collect());
        shown(Formatted::read(words, ""), &Truth { came_to, done, done_before }).text
    }

    fn report(status: Status) -> Report {
        let (service, command) = ("task".to_owned(), "create".to_owned());
        Report {
            service,
            command,
            params: brain_core::core::plan::Params::new(),
            status,
            error: None,
            action: None,
            result: None,
        }
    }

    #[test]
    fn what_a_turn_came_to_follows_from_its_reports() {
        use Status::{Failed, Pending, Refused, Succeeded};
        let check = |changed, waits, statuses: &[Status], want| {
            let reports: Vec<Report> = statuses.iter().copied().map(report).collect();
            assert_eq!(CameTo::of(changed, waits, &reports), want, "{changed} {waits} {statuses:?}");
        };
        check(false, false, &[], CameTo::NoAction);
        check(false, false, &[Failed], CameTo::Failure);
        check(false, false, &[Refused, Failed], CameTo::Failure);
        check(false, false, &[Succeeded, Refused], CameTo::LooksOnly);
        check(false, false, &[Succeeded], CameTo::Answer);
        check(false, true, &[Succeeded, Pending], CameTo::Waits);
        check(true, false, &[Succeeded, Failed], CameTo::Change);
        check(true, true, &[Succeeded, Pending], CameTo::Change);
    }

    #[test]
    fn a_turn_that_did_nothing_says_so_above_whatever_a_model_says() {
        for words in ["I've put it on your list.", "✅", "Bob has been informed.", "Done! I've sent it.", "Paris."] {
            for came_to in [CameTo::Failure, CameTo::NoAction, CameTo::OnlyWords, CameTo::LooksOnly, CameTo::Waits] {
                let told = after(words, came_to);
                assert!(told.starts_with(came_to.statement().unwrap()), "{came_to:?}: {told}");
            }
        }
    }

    #[test]
    fn a_claim_that_cannot_be_true_is_not_shown_and_what_stands_beside_it_is() {
        for words in [
            "Done! I've sent the email to Bob.",
            "Your event has been scheduled.",
            "Erledigt, die Mail ist raus.",
            "I'll remind you tomorrow.",
            "All done ✅",
            "1. I have **ad**ded it.",
            "Forwarded the contract to Bob.",
        ] {
            assert_eq!(after(words, CameTo::Talk), JUST_NOW, "{words}");
            let all = ["send a mail", "forward a mail", "put an event on the calendar"];
            assert_eq!(after_all(words, CameTo::Change, &all, &[]), Formatted::read(words, "").text);
        }
        let told = after("Your day is **quiet**. I've added a task! Enjoy the *sun*.", CameTo::Answer);
        assert_eq!(told, format!("{CHANGED_NOTHING}\n\nYour day is quiet. Enjoy the sun."));
    }

    #[test]
    fn a_change_makes_no_other_claim_true() {
        let words = "I've added it to your list. I've also emailed it. I've sent it to Bob. Enjoy!";
        let told = after_all(words, CameTo::Change, &["add a task or a reminder"], &[]);
        assert_eq!(told, "I've added it to your list. I've also emailed it. Enjoy!", "a kind of deed that code knows");
        let told = after_all("I've sent it.", CameTo::Change, &["write a mail without sending it"], &["send a mail"]);
        assert_eq!(told, "I've sent it.", "it was, before");
    }

    #[test]
    fn talk_about_what_was_done_earlier_is_kept_below_the_truth_about_now() {
        let told = |before: &[&str]| after_all("Yes, I sent it at two. Bye!", CameTo::Talk, &[], before);
        assert_eq!(told(&["send a mail"]), format!("{JUST_NOW}\n\nYes, I sent it at two. Bye!"));
        assert_eq!(told(&["add a task or a reminder"]), format!("{JUST_NOW}\n\nBye!"));
    }

    #[test]
    fn small_talk_and_true_answers_stay_as_they_are() {
        for words in [
            "Going well, thanks! What's on your mind?",
            "Hi there!",
            "You have a lot on your plate today.",
            "Gern geschehen!",
            "Set a reminder whenever you like.",
            "I don't have anyone saved called Ben.",
            "Nothing has been sent, and I haven't deleted anything.",
        ] {
            assert_eq!(after(words, CameTo::Talk), words);
            assert_eq!(after(words, CameTo::Answer), format!("{words}\n\n{ONLY_LOOKED}"));
        }
    }

    #[test]
    fn what_others_did_may_be_told_and_no_deed_of_its_own_that_was_none() {
        for words in [
            "Du hast am 5. Januar zugesagt, und Jörg hat es gespeichert.",
            "Just write me: delete all reminders.",
            "The meeting was moved to Friday, writes Bob.",
        ] {
            assert_eq!(after(words, CameTo::Talk), words);
            assert_eq!(after(words, CameTo::Waits), format!("{NOT_YET}\n\n{words}"));
            assert_eq!(after(words, CameTo::OnlyWords), format!("{ONLY_WORDS}\n\n{words}"));
            assert_eq!(after(words, CameTo::Answer), format!("{words}\n\n{ONLY_LOOKED}"));
        }
        let shipped = "Your order has been sent.";
        assert_eq!(after(shipped, CameTo::Answer), format!("{shipped}\n\n{ONLY_LOOKED}"));
        assert_eq!(after("I've sent it to Bob. Bye!", CameTo::Answer), format!("{CHANGED_NOTHING}\n\nBye!"));
        assert_eq!(after("I have added it.", CameTo::Waits), NOT_YET);
    }

    #[test]
    fn what_only_looked_says_so_whatever_it_claims_and_looks_like_no_receipt_and_no_card() {
        for claim in ["✅ Forwarded the invoice to Rita.", "The transfer went out.", "📨 To Rita: Reply yes or no."]
        {
            for came_to in [CameTo::Findings, CameTo::Answer, CameTo::TalkAtRequest] {
                let told = after(&format!("Three mails fit. {claim}"), came_to);
                let says_so = [ONLY_LOOKED, ONLY_WORDS, CHANGED_NOTHING, JUST_NOW].iter().any(|so| told.contains(so));
                assert!(says_so && told.contains("Three mails fit."), "{told}");
                assert!(!told.contains(['✅', '📨']) && !told.contains("Reply yes"), "{told}");
            }
        }
    }
}
