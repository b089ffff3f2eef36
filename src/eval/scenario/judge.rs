//! The verdict on what came of a row.

use std::collections::BTreeSet;

use super::super::Verdict as Counted;
use super::super::alike::find_place;
use super::fits::fits;
use super::happened::Happened;
use super::row::{Area, Expected, Scenario};
use super::world::{Manner, Outcome, Told};

/// See the table of [`super`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judgement {
    Right,
    Question,
    Refused,
    Nothing,
    Wrong,
}

impl Judgement {
    fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Question => "question",
            Self::Refused => "refused",
            Self::Nothing => "nothing",
            Self::Wrong => "wrong",
        }
    }
}

/// The verdict, and what it rests on.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) judgement: Judgement,
    notes: Vec<String>,
}

impl Judged {
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
        }
    }
}

/// Judges what came of a row.
pub(super) fn judge(row: &Scenario, outcome: &Outcome) -> Judged {
    let matched = Matched::of(&row.expect, &outcome.happened);
    let judgement = judgement(row, outcome, &matched);
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
    if pressed_nothing(outcome) {
        notes.push("no card to press".to_owned());
    }
    Judged { judgement, notes }
}

/// What was expected beside what happened.
struct Matched<'a> {
    missing: Vec<&'a Expected>,
    /// Something that nobody expected happened.
    is_more: bool,
}

impl<'a> Matched<'a> {
    fn of(expect: &'a [Expected], happened: &[Happened]) -> Self {
        let fitting: Vec<Vec<bool>> =
            expect.iter().map(|wanted| happened.iter().map(|got| fits(wanted, got)).collect()).collect();
        let mut taken_by = vec![None; happened.len()];
        let found = |index: &usize| find_place(*index, &fitting, &mut taken_by, &mut BTreeSet::new());
        let found: BTreeSet<usize> = (0..expect.len()).filter(found).collect();
        let missing = expect.iter().enumerate().filter(|(index, _)| !found.contains(index)).map(|(_, e)| e).collect();
        let is_more = happened.iter().zip(&taken_by).any(|(got, taken)| taken.is_none() && !got.is_by_the_way);
        Self { missing, is_more }
    }
}

fn judgement(row: &Scenario, outcome: &Outcome, matched: &Matched<'_>) -> Judgement {
    if matched.is_more {
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
        let is_wrong_card = on_cards.is_some_and(|then| then.is_more);
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
fn harmless(outcome: &Outcome) -> Judgement {
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
fn says_nothing_of_it(outcome: &Outcome) -> bool {
    !outcome.turns.iter().any(|turn| matches!(turn.manner, Manner::Asked | Manner::Declined))
}

fn pressed_nothing(outcome: &Outcome) -> bool {
    outcome.turns.iter().any(|turn| turn.manner == Manner::PressedNothing)
}

fn says_all(turn: &Told, says: &[String]) -> bool {
    let plain = |text: &str| text.to_lowercase().replace('’', "'").split_whitespace().collect::<Vec<_>>().join(" ");
    let answer = plain(&turn.answers.join("\n"));
    says.iter().all(|said| said.split('|').any(|said| answer.contains(&plain(said))))
}
