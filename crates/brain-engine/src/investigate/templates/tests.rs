//! Every template holds together.

use super::*;
use crate::investigate::graph::check;
use brain_core::core::graph::GraphLimits;
use brain_language::language::time::DateOrder;

#[test]
fn every_family_has_a_graph_that_holds_together() {
    use QuestionFamily as F;
    let reference = Reference { now: Utc::now(), zone: chrono_tz::Europe::London, order: DateOrder::DayFirst };
    for family in [
        F::WaitingOnMe,
        F::WaitingOnOthers,
        F::PromisedToMe,
        F::PromisedByMe,
        F::About,
        F::NeedsMe,
        F::Prepare,
        F::Unanswered,
        F::WritesMost,
        F::MeetsMost,
        F::FindInvoice,
        F::FindBooking,
        F::FindAttachment,
        F::FindAmount,
        F::Find,
    ] {
        for open in [false, true] {
            let question = FamilyQuestion {
                family,
                who: Some("Anna".to_owned()),
                topic: Some("Berlin".to_owned()),
                when: Some("this week".to_owned()),
                open,
                late: open,
                unread: open,
                then: Some(Refinement::Meet { when: None }),
                beside: None,
            };
            let beside = Some(Box::new(FamilyQuestion { beside: None, ..question.clone() }));
            let question = FamilyQuestion { beside: beside.filter(|_| open), ..question };
            let graph = graph(&question, &reference);
            assert_eq!(check(&graph.nodes, GraphLimits::default()), Ok(()), "{family:?}");
            for section in &graph.sections {
                assert!(graph.nodes.iter().any(|node| node.id == section.node), "{family:?}: {}", section.node);
            }
        }
    }
}
