//! Deferred actions: those that need a yes, those that need an answer, and what depends on them.
//!
//! Once it is known what of the rest succeeded, they are sorted: into one card, and into what waits for the answer
//! to one question. Invariants: nothing depends on something outside its own list that has not succeeded, so a
//! card never goes ahead of an answer it needs, nor an answer of a card it needs; nothing is left out without a
//! word; what waits keeps whose words it holds.

use super::gate;
use crate::pipeline::brain::Brain;
use crate::pipeline::run::Passed;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::outcome::{Report, Status};
use brain_core::core::plan::{Plan, PlannedAction, Taint};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::Assessed;
use brain_core::ports::records::Clarification;

/// An action of a plan that does not run now.
#[derive(Debug)]
pub(crate) struct DeferredAction {
    /// As it was proposed.
    pub planned: PlannedAction,
    /// Its index in the plan.
    pub index: usize,
    /// What it waits for.
    pub needs: DeferralReason,
}

/// What an action waits for.
#[derive(Debug)]
pub(crate) enum DeferralReason {
    /// A yes: its own, or that of something before it. Or an answer to something before it.
    Others(Box<Assessed>),
    /// An answer of its own.
    Answer(Unclear),
}

impl DeferredAction {
    /// The report of one that is not done.
    pub fn report(&self, status: Status, why: &str) -> Report {
        match &self.needs {
            DeferralReason::Others(assessed) => show::report(assessed.action(), status, Some(why)),
            DeferralReason::Answer(_) => gate::planned_report(&self.planned, status, why),
        }
    }
}

/// What must be asked before an action has all its values.
#[derive(Debug)]
pub(crate) struct Unclear {
    /// As it is asked.
    pub question: String,
    /// Where the answer goes; see [`Clarification::partial`].
    pub param: String,
    /// Value and label of each choice.
    pub choices: Vec<(String, String)>,
    /// What the proposal holds of other people's words.
    pub taints: Vec<Taint>,
    /// And what the question does.
    pub quoted: Vec<UntrustedText>,
    /// Somebody else asks it through us.
    pub is_relayed: bool,
}

/// The same, once the rest of the plan has run.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    /// For one card.
    pub consent: Vec<Passed>,
    /// For after an answer, in the order of the plan; the first that needs one of its own is asked about.
    pub held: Vec<DeferredAction>,
    /// Not to be done, because something before it did not succeed.
    pub blocked: Vec<DeferredAction>,
}

/// Sorts what is left of a plan; `failed` are the indexes of what ran and did not succeed.
pub(crate) fn sort(later: Vec<DeferredAction>, failed: &[usize]) -> Sorted {
    let mut sorted = Sorted::default();
    let mut failed = failed.to_vec();
    let mut left = Vec::new();
    for later in later {
        if later.planned.depends_on.iter().any(|on| failed.contains(on)) {
            failed.push(later.index);
            sorted.blocked.push(later);
        } else {
            left.push(later);
        }
    }
    let held = held(&left);
    for DeferredAction { planned, index, needs } in left {
        match needs {
            DeferralReason::Others(assessed) if !held.contains(&index) => {
                sorted.consent.push(Passed { assessed: *assessed, index, depends_on: planned.depends_on });
            }
            needs => sorted.held.push(DeferredAction { planned, index, needs }),
        }
    }
    sorted
}

/// The indexes of what waits for an answer: what needs one, what depends on it, and what it depends on in turn,
/// because that is decided together with it.
fn held(later: &[DeferredAction]) -> Vec<usize> {
    let mut held: Vec<usize> = Vec::new();
    loop {
        let before = held.len();
        for one in later.iter().filter(|one| matches!(one.needs, DeferralReason::Answer(_))) {
            add(&mut held, one.index);
        }
        for one in later {
            let on = &one.planned.depends_on;
            if on.iter().any(|on| held.contains(on)) {
                add(&mut held, one.index);
            }
            if held.contains(&one.index) {
                let waiting = on.iter().filter(|on| later.iter().any(|other| other.index == **on));
                waiting.for_each(|&on| add(&mut held, on));
            }
        }
        if held.len() == before {
            return held;
        }
    }
}

fn add(to: &mut Vec<usize>, index: usize) {
    if !to.contains(&index) {
        to.push(index);
    }
}

/// The question for what is held; `rest` is what else of the request goes on after the answer.
pub(crate) fn question(
    brain: &Brain,
    facts: &TurnFacts,
    held: Vec<DeferredAction>,
    request: &str,
    domains: &[String],
    mut rest: Plan,
) -> Option<Clarification> {
    let place = held.iter().position(|one| matches!(one.needs, DeferralReason::Answer(_)))?;
    let indexes: Vec<usize> = held.iter().map(|one| one.index).collect();
    let (mut taints, mut own) = (Vec::new(), Vec::new());
    let nobody_elses = |planned: &PlannedAction, taints: &[Taint]| {
        gate::nobody_elses(brain, &planned.service, &planned.command, &planned.params, taints)
    };
    let mut asked = None;
    for (at, DeferredAction { mut planned, needs, .. }) in held.into_iter().enumerate() {
        // What it depended on and is not here is done.
        planned.depends_on =
            planned.depends_on.iter().filter_map(|on| indexes.iter().position(|index| index == on)).collect();
        match needs {
            DeferralReason::Others(assessed) => {
                let found: Vec<Taint> = assessed.action().others_words().cloned().collect();
                own.extend(nobody_elses(&planned, &found));
                taints.extend(found);
            }
            DeferralReason::Answer(unclear) => {
                own.extend(nobody_elses(&planned, &unclear.taints));
                taints.extend(unclear.taints.iter().cloned());
                if at == place {
                    let Unclear { question, param, choices, quoted, is_relayed, .. } = unclear;
                    asked = Some((planned, question, param, choices, quoted, is_relayed));
                    continue;
                }
            }
        }
        rest.actions.push(planned);
    }
    let (partial, mut question, param, choices, quoted, is_relayed) = asked?;
    if !rest.actions.is_empty() {
        question
            .push_str(&format!("\nThen I'll go on with the rest: {}.", show::meant(&brain.services, &rest.actions)));
    }
    let partial = Some((partial, param));
    let asks = Clarification::asks(request.to_owned(), question, domains, facts.ctx.now);
    Some(Clarification { partial, choices, taints, own, quoted, rest, place, is_relayed, ..asks })
}

/// What is said of something that is not done because of what should have come first.
pub(crate) fn left_out(brain: &Brain, planned: &PlannedAction) -> String {
    let what = show::meant(&brain.services, std::slice::from_ref(planned));
    format!("I did not {what}: what has to come first did not work out.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::core::plan::Action;
    use brain_core::core::stakes::{Rule, Stakes, assess};

    #[derive(Debug)]
    struct High;

    impl Rule for High {
        fn stakes(&self, _: &Action) -> Stakes {
            Stakes::High
        }
    }

    /// `?` needs an answer, `y` a yes; behind it the indexes it depends on.
    fn later(index: usize, kind: char, on: &[usize]) -> DeferredAction {
        let needs = match kind {
            '?' => DeferralReason::Answer(Unclear {
                question: String::new(),
                param: String::new(),
                choices: Vec::new(),
                taints: Vec::new(),
                quoted: Vec::new(),
                is_relayed: false,
            }),
            _ => DeferralReason::Others(Box::new(assess(&High, Action::default(), Stakes::Low))),
        };
        DeferredAction { planned: PlannedAction { depends_on: on.to_vec(), ..PlannedAction::default() }, index, needs }
    }

    #[test]
    fn cards_and_questions_never_part_what_belongs_together() {
        type Row<'a> = (&'a [(char, &'a [usize])], &'a [usize], &'a [usize], &'a [usize]);
        // What there is; what failed; what goes on the card; what is held. Index 0 has run.
        let rows: [Row<'_>; 9] = [
            (&[('y', &[]), ('?', &[])], &[], &[1], &[2]),
            (&[('?', &[]), ('y', &[1])], &[], &[], &[1, 2]),
            (&[('y', &[]), ('?', &[1])], &[], &[], &[1, 2]),
            (&[('y', &[]), ('?', &[1]), ('y', &[1]), ('y', &[])], &[], &[4], &[1, 2, 3]),
            (&[('y', &[]), ('y', &[1]), ('?', &[2]), ('y', &[1])], &[], &[], &[1, 2, 3, 4]),
            (&[('?', &[0]), ('y', &[1]), ('y', &[])], &[0], &[3], &[]),
            (&[('y', &[]), ('?', &[0, 1])], &[0], &[1], &[]),
            (&[('?', &[]), ('?', &[])], &[], &[], &[1, 2]),
            (&[('y', &[0])], &[], &[1], &[]),
        ];
        for (row, failed, card, held) in rows {
            let all = row.iter().enumerate().map(|(at, (kind, on))| later(at + 1, *kind, on)).collect();
            let sorted = sort(all, failed);
            let on_card: Vec<usize> = sorted.consent.iter().map(|passed| passed.index).collect();
            let waiting: Vec<usize> = sorted.held.iter().map(|later| later.index).collect();
            assert_eq!((on_card.as_slice(), waiting.as_slice()), (card, held), "{row:?} {failed:?}");
            assert_eq!(sorted.blocked.len(), row.len() - card.len() - held.len(), "{row:?} {failed:?}");
        }
    }
}
