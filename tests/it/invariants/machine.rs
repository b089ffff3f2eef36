//! The pending machine beside a reference model small enough to be seen right.

use brain_agent::core::pending::{ActualOutcome, End, State, Transition, next};
use proptest::prelude::*;

const EVENTS: [Transition; 11] = [
    Transition::Approve,
    Transition::Deny,
    Transition::Expire,
    Transition::Supersede,
    Transition::Begin,
    Transition::PreconditionChanged,
    Transition::Finish(End::Succeeded),
    Transition::Finish(End::Failed),
    Transition::Finish(End::Unknown),
    Transition::Settle(ActualOutcome::Happened),
    Transition::Settle(ActualOutcome::DidNotHappen),
];

const STATES: [State; 9] = [
    State::Pending,
    State::Approved,
    State::Executing,
    State::Succeeded,
    State::Failed,
    State::Unknown,
    State::Denied,
    State::Expired,
    State::Superseded,
];

/// The design's picture as rows: from, to.
const ARROWS: [(State, State); 13] = [
    (State::Pending, State::Approved),
    (State::Pending, State::Denied),
    (State::Pending, State::Expired),
    (State::Pending, State::Superseded),
    (State::Approved, State::Executing),
    (State::Approved, State::Expired),
    (State::Approved, State::Failed),
    (State::Approved, State::Superseded),
    (State::Executing, State::Succeeded),
    (State::Executing, State::Failed),
    (State::Executing, State::Unknown),
    (State::Unknown, State::Succeeded),
    (State::Unknown, State::Failed),
];

/// How far a state is on its way.
fn rank(state: State) -> u8 {
    match state {
        State::Pending => 0,
        State::Approved => 1,
        State::Executing => 2,
        State::Unknown => 3,
        State::Succeeded | State::Failed | State::Denied | State::Expired | State::Superseded => 4,
    }
}

#[test]
fn every_transition_is_an_arrow_of_the_design_and_every_arrow_can_be_taken() {
    let mut taken = std::collections::BTreeSet::new();
    for from in STATES {
        for event in EVENTS {
            if let Ok(to) = next(from, event) {
                let arrow = ARROWS.iter().position(|arrow| *arrow == (from, to));
                taken.insert(arrow.unwrap_or_else(|| panic!("{from} {event:?} {to}")));
            }
        }
    }
    assert_eq!(taken.len(), 13);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn states_only_move_forward_and_effects_need_an_approval_first(events in prop::collection::vec(0..EVENTS.len(), 0..40)) {
        let mut state = State::Pending;
        let (mut approved, mut decided, mut began) = (0, 0, 0);
        for event in events.into_iter().map(|at| EVENTS[at]) {
            let Ok(then) = next(state, event) else { continue };
            prop_assert!(rank(then) > rank(state), "{state} {event:?} {then}");
            approved += u32::from(then == State::Approved);
            decided += u32::from(rank(state) == 0);
            began += u32::from(then == State::Executing);
            prop_assert!(began <= approved, "began without an approval");
            state = then;
        }
        prop_assert!(decided <= 1 && began <= 1);
        prop_assert!(!matches!(state, State::Succeeded | State::Unknown) || approved == 1);
    }
}
