//! The verdict on what came of a row.

use std::collections::BTreeSet;

use super::super::RowVerdict as Counted;
use super::super::alike::find_place;
use super::super::wrong::{self, Wrong};
use super::fits::{differ, fits};
use super::happened::Happened;
use super::row::{Area, ExpectedChange, Scenario};
use super::world::{Manner, RowOutcome, ScenarioReply};

/// See the table of [`super`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judgement {
    Right,
    Proposed,
    Question,
    Refused,
    Nothing,
    Wrong,
}

impl Judgement {
    fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Proposed => "proposed",
            Self::Question => "question",
            Self::Refused => "refused",
            Self::Nothing => "nothing",
            Self::Wrong => "wrong",
        }
    }
}

/// The verdict, and what it rests on.
#[derive(Debug)]
pub(super) struct JudgedRow {
    pub(super) judgement: Judgement,
    /// Nothing wrong happened, and one tap on what was offered first would have done something that nobody expected.
    pub(super) is_proposed_wrongly: bool,
    /// In which way it is wrong, if it is.
    pub(super) wrong: Option<Wrong>,
    notes: Vec<String>,
}

impl JudgedRow {
    /// For the figures.
    pub(super) fn verdict(&self, row: &Scenario) -> Counted {
        let name = self.judgement.name();
        let mut expected: Vec<String> = row.expect.iter().map(ToString::to_string).collect();
        if row.asks {
            expected.push("a question".to_owned());
        }
        expected.extend((!row.says.is_empty()).then(|| format!("says {:?}", row.says)));
        if expected.is_empty() {
            expected.push("no change".to_owned());
        }
        Counted {
            is_right: self.judgement == Judgement::Right,
            class: row.area.to_string(),
            got_class: name.to_owned(),
            expected: expected.join("; "),
            got: format!(
                "{name}: {}",
                if self.notes.is_empty() { "no change".to_owned() } else { self.notes.join("; ") }
            ),
            wrong: self.wrong,
            is_proposed_wrongly: self.is_proposed_wrongly,
        }
    }
}

/// Judges what came of a row.
pub(super) fn judge(row: &Scenario, outcome: &RowOutcome) -> JudgedRow {
    let matched = Matched::of(&row.expect, &outcome.happened);
    let ended = judgement(row, outcome, &matched);
    let proposal = proposal(row, outcome, ended);
    let judgement = if proposal == Proposal::Right { Judgement::Proposed } else { ended };
    let mut notes: Vec<String> = outcome.happened.iter().map(ToString::to_string).collect();
    notes.extend(matched.missing.iter().map(|missing| format!("missing: {missing}")));
    notes.extend(
        outcome
            .if_approved
            .iter()
            .flatten()
            .filter(|then| !outcome.happened.contains(then))
            .map(|then| format!("waits for a yes: {then}")),
    );
    let offered = match proposal {
        Proposal::None => None,
        Proposal::Right | Proposal::Less => Some("one tap away"),
        Proposal::Wrong => Some("proposed wrongly"),
    };
    if let (Some(how), Some(taken)) = (offered, &outcome.if_taken) {
        let then = taken.happened.iter().filter(|then| !outcome.happened.contains(then));
        notes.extend(then.map(|then| format!("{how}: {then}")));
    }
    if pressed_nothing(outcome) {
        notes.push("no card to press".to_owned());
    }
    let wrong = (judgement == Judgement::Wrong).then(|| kind_of_wrong(row, outcome, &matched));
    JudgedRow { judgement, is_proposed_wrongly: proposal == Proposal::Wrong, wrong, notes }
}

fn kind_of_wrong(row: &Scenario, outcome: &RowOutcome, matched: &Matched<'_>) -> Wrong {
    let on_cards =
        outcome.if_approved.as_ref().map(|then| Matched::of(&row.expect, then)).filter(|then| then.is_more());
    let matched = on_cards.as_ref().filter(|_| !matched.is_more()).unwrap_or(matched);
    match (row.expect.is_empty(), matched.is_more()) {
        (true, true) => Wrong::Mood,
        // It did as if something else had been asked for, and changed nothing by it.
        (true, false) => Wrong::OtherCommand,
        (false, false) if matched.missing.len() == row.expect.len() => Wrong::OtherCommand,
        (false, _) => wrong::kind(&matched.missing, &matched.more, differ),
    }
}

/// What the first choice of an offer that was left at the end comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proposal {
    /// There is none, or it is of no account.
    None,
    /// All that was expected, and nothing else.
    Right,
    /// A part of it, or nothing, and nothing else.
    Less,
    /// Something that nobody expected.
    Wrong,
}

fn proposal(row: &Scenario, outcome: &RowOutcome, ended: Judgement) -> Proposal {
    let Some(taken) =
        outcome.if_taken.as_ref().filter(|_| !row.asks && !matches!(ended, Judgement::Right | Judgement::Wrong))
    else {
        return Proposal::None;
    };
    let then = Matched::of(&row.expect, &taken.happened);
    let last = outcome.turns.last().into_iter().chain([&taken.turn]);
    let says = row.says.is_empty() || last.into_iter().any(|turn| says_all(turn, &row.says));
    match (then.is_more(), then.missing.is_empty()) {
        (true, _) => Proposal::Wrong,
        (false, true) if says && !row.expect.is_empty() => Proposal::Right,
        (false, _) => Proposal::Less,
    }
}

/// What was expected beside what happened.
#[derive(Debug)]
struct Matched<'a> {
    missing: Vec<&'a ExpectedChange>,
    /// What happened and nobody expected.
    more: Vec<&'a Happened>,
}

impl<'a> Matched<'a> {
    fn of(expect: &'a [ExpectedChange], happened: &'a [Happened]) -> Self {
        let fitting: Vec<Vec<bool>> =
            expect.iter().map(|wanted| happened.iter().map(|got| fits(wanted, got)).collect()).collect();
        let mut taken_by = vec![None; happened.len()];
        let found = |index: &usize| find_place(*index, &fitting, &mut taken_by, &mut BTreeSet::new());
        let found: BTreeSet<usize> = (0..expect.len()).filter(found).collect();
        let missing = expect.iter().enumerate().filter(|(index, _)| !found.contains(index)).map(|(_, e)| e).collect();
        let more = happened.iter().zip(&taken_by).filter(|(got, taken)| taken.is_none() && !got.is_by_the_way);
        Self { missing, more: more.map(|(got, _)| got).collect() }
    }

    fn is_more(&self) -> bool {
        !self.more.is_empty()
    }
}

fn judgement(row: &Scenario, outcome: &RowOutcome, matched: &Matched<'_>) -> Judgement {
    if matched.is_more() {
        return Judgement::Wrong;
    }
    let last = outcome.turns.iter().rfind(|turn| turn.manner != Manner::PressedNothing);
    let last_is = |manner| last.is_some_and(|turn| turn.manner == manner);
    if row.asks {
        return if last_is(Manner::Asked) { Judgement::Right } else { harmless(outcome) };
    }
    if !matched.missing.is_empty() {
        // A card counts for what it would do.
        let on_cards = outcome.if_approved.as_ref().map(|then| Matched::of(&row.expect, then));
        let is_wrong_card = on_cards.is_some_and(|then| then.is_more());
        let left_out = matched.missing.len() < row.expect.len() && says_nothing_of_it(outcome);
        return if is_wrong_card || left_out { Judgement::Wrong } else { harmless(outcome) };
    }
    if !row.says.is_empty() && !last.is_some_and(|turn| says_all(turn, &row.says)) {
        return harmless(outcome);
    }
    if outcome.is_open {
        return Judgement::Question;
    }
    if !row.expect.is_empty() || !row.says.is_empty() {
        return Judgement::Right;
    }
    match row.area {
        Area::Chat => Judgement::Right,
        Area::Outside if last_is(Manner::Declined) => Judgement::Right,
        Area::Question if last_is(Manner::Answered) => Judgement::Right,
        Area::Outside | Area::Question => harmless(outcome),
        Area::Task
        | Area::Calendar
        | Area::Email
        | Area::Notes
        | Area::Memory
        | Area::Contacts
        | Area::Mixed
        | Area::Condition
        | Area::Conversation => {
            let declined = last_is(Manner::Declined) || pressed_nothing(outcome);
            if declined { harmless(outcome) } else { Judgement::Right }
        }
    }
}

/// Nothing wrong happened, and not all that was expected: what did it say instead?
fn harmless(outcome: &RowOutcome) -> Judgement {
    let any = |manner| outcome.turns.iter().any(|turn| turn.manner == manner);
    if any(Manner::Asked) {
        Judgement::Question
    } else if any(Manner::Declined) {
        Judgement::Refused
    } else if any(Manner::Talked) {
        Judgement::Nothing
    } else {
        // It did as if something else had been asked for.
        Judgement::Wrong
    }
}

/// A part was done, and not a word said about the rest.
fn says_nothing_of_it(outcome: &RowOutcome) -> bool {
    !outcome.turns.iter().any(|turn| matches!(turn.manner, Manner::Asked | Manner::Declined))
}

fn pressed_nothing(outcome: &RowOutcome) -> bool {
    outcome.turns.iter().any(|turn| turn.manner == Manner::PressedNothing)
}

fn says_all(turn: &ScenarioReply, says: &[String]) -> bool {
    let plain = |text: &str| text.to_lowercase().replace('’', "'").split_whitespace().collect::<Vec<_>>().join(" ");
    let answer = plain(&turn.answers.join("\n"));
    says.iter().all(|said| said.split('|').any(|said| answer.contains(&plain(said))))
}
