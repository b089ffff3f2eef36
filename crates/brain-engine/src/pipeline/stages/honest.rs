//! Honesty check: what code says about a turn above a model's words, and which of their sentences are not shown.
//!
//! Invariants: a turn that was asked to do something and changed nothing says so in its first words, which are code's,
//! whatever a model says below them: no lexicon knows every way to claim a deed. A question that was answered by
//! looking, and words about what reads as a request, say so in their last words. What a lexicon does know is not shown
//! where it cannot be true, nor is a sign that only receipts and cards have. Not here: what was done, which receipts
//! tell (see [`super::respond`]).

mod claims;

pub use self::claims::claims_a_change;
use self::claims::claims_own_deed;
use brain_core::core::card::asks_like_a_card;
use brain_core::core::markup::Formatted;
use brain_core::core::outcome::{Report, Status};
use brain_core::ports::Stage;

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
    /// Talk: nothing was asked for, and nothing done lately that it could be about.
    Talk,
    /// The same, in a conversation in which something was done.
    TalkAfterDeeds,
    /// Talk, about words in which code sees a command of some service.
    TalkAtRequest,
}

impl CameTo {
    /// Who words it.
    pub fn stage(self) -> Stage {
        match self {
            Self::Talk | Self::TalkAfterDeeds | Self::TalkAtRequest => Stage::Chat,
            Self::Change
            | Self::Answer
            | Self::Findings
            | Self::LooksOnly
            | Self::Waits
            | Self::Failure
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
            Self::Change | Self::Answer | Self::Findings | Self::Talk | Self::TalkAfterDeeds | Self::TalkAtRequest => {
                None
            }
            Self::LooksOnly => Some(CHANGED_NOTHING),
            Self::Waits => Some(NOT_YET),
            Self::Failure => Some(NOTHING_DONE),
            Self::NoAction => Some(NO_ACTION),
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
            | Self::Talk
            | Self::TalkAfterDeeds => None,
        }
    }

    /// What stands above words that claim a past action.
    fn correction(self) -> Option<&'static str> {
        match self {
            Self::Change => None,
            Self::Answer | Self::Findings => Some(CHANGED_NOTHING),
            Self::Talk | Self::TalkAfterDeeds | Self::TalkAtRequest => Some(JUST_NOW),
            Self::LooksOnly | Self::Waits | Self::Failure | Self::NoAction => self.statement(),
        }
    }

    /// Whether a claim may be about an earlier turn, or somebody else.
    fn may_be_earlier(self) -> bool {
        matches!(self, Self::Change | Self::TalkAfterDeeds | Self::Findings)
    }
}

/// A model's words as they are shown: below the statement of code, and without sentences that cannot be true.
pub fn shown(words: Formatted, came_to: CameTo) -> Formatted {
    let words = words.without_sentences(asks_like_a_card).without_signs();
    let claims = came_to != CameTo::Change && claims_a_change(&words.text);
    let above = if claims { came_to.correction() } else { came_to.statement() };
    let words = if claims && !came_to.may_be_earlier() { words.without_sentences(claims_a_change) } else { words };
    between(above, words, came_to.closing())
}

/// The same for a model that has seen what came of the turn: of its words only those go that say it has done something
/// itself, and what it answers to a request stands below a word that it is only words.
pub fn in_conversation(words: Formatted, came_to: CameTo) -> Formatted {
    let words = words.without_sentences(asks_like_a_card).without_signs();
    let claims = came_to != CameTo::Change && claims_own_deed(&words.text);
    let above = match (came_to, claims) {
        (CameTo::NoAction, _) => Some(ONLY_WORDS),
        (_, true) => came_to.correction(),
        (_, false) => came_to.statement(),
    };
    let tells_earlier = came_to.may_be_earlier() || came_to == CameTo::Answer;
    let words = if claims && !tells_earlier { words.without_sentences(claims_own_deed) } else { words };
    between(above, words, came_to.closing())
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
        shown(Formatted::read(words, ""), came_to).text
    }

    fn report(status: Status) -> Report {
        let (service, command) = ("task".to_owned(), "create".to_owned());
        Report { service, command, params: brain_core::core::plan::Params::new(), status, error: None, action: None }
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
            for came_to in [CameTo::Failure, CameTo::NoAction, CameTo::LooksOnly, CameTo::Waits] {
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
            "Готово, отправила!",
            "Erledigt, die Mail ist raus.",
            "¡Hecho!",
            "I'll remind you tomorrow.",
            "All done ✅",
            "1. I have **ad**ded it.",
            "Forwarded the contract to Bob.",
        ] {
            assert_eq!(after(words, CameTo::Talk), JUST_NOW, "{words}");
            assert_eq!(after(words, CameTo::Change), Formatted::read(words, "").text);
        }
        let told = after("Your day is **quiet**. I've added a task! Enjoy the *sun*.", CameTo::Answer);
        assert_eq!(told, format!("{CHANGED_NOTHING}\n\nYour day is quiet. Enjoy the sun."));
    }

    #[test]
    fn talk_about_what_was_done_earlier_is_kept_below_the_truth_about_now() {
        let told = after("Yes, I sent it at two.", CameTo::TalkAfterDeeds);
        assert_eq!(told, format!("{JUST_NOW}\n\nYes, I sent it at two."));
    }

    #[test]
    fn small_talk_and_true_answers_stay_as_they_are() {
        for words in [
            "Going well, thanks! What's on your mind?",
            "Hi there!",
            "You have a lot on your plate today.",
            "Gern geschehen!",
            "Set a reminder whenever you like.",
        ] {
            for came_to in [CameTo::Talk, CameTo::TalkAfterDeeds] {
                assert_eq!(after(words, came_to), words);
            }
            assert_eq!(after(words, CameTo::Answer), format!("{words}\n\n{ONLY_LOOKED}"));
        }
    }

    #[test]
    fn a_model_that_has_seen_what_was_done_may_tell_of_others_and_not_of_deeds_of_its_own() {
        let after = |words: &str, came_to| in_conversation(Formatted::read(words, ""), came_to).text;
        for words in [
            "Du hast am 5. Januar zugesagt, und Jörg hat es gespeichert.",
            "Just write me: delete all reminders.",
            "The meeting was moved to Friday, writes Bob.",
        ] {
            assert_eq!(after(words, CameTo::Talk), words);
            assert_eq!(after(words, CameTo::Waits), format!("{NOT_YET}\n\n{words}"));
            assert_eq!(after(words, CameTo::NoAction), format!("{ONLY_WORDS}\n\n{words}"));
            assert_eq!(after(words, CameTo::Answer), format!("{words}\n\n{ONLY_LOOKED}"));
        }
        assert_eq!(after("I've sent it to Bob. Bye!", CameTo::Talk), format!("{JUST_NOW}\n\nBye!"));
        assert_eq!(after("I have added it.", CameTo::Waits), NOT_YET);
        assert_eq!(after("I've added it.", CameTo::Change), "I've added it.");
        assert!(after("Paris.", CameTo::Failure).starts_with(NOTHING_DONE));
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
