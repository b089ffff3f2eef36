//! What the prompts of each stage take stays as it is, however long a conversation has been.

use std::collections::BTreeMap;

use brain_agent::core::history::tokens;
use brain_agent::ports::{Call, Stage};
use serde_json::json;

use super::{copies, shortens};
use crate::rig::{Rig, Setup, action};

const TURNS: usize = 1_000;
/// From here on nothing grows.
const FLAT_FROM: usize = 100;
/// Turns that a mean is of.
const LAST: usize = 60;

/// The mean of what each stage was asked, in tokens.
fn means(calls: &[Call]) -> BTreeMap<Stage, usize> {
    let mut all: BTreeMap<Stage, Vec<usize>> = BTreeMap::new();
    for call in calls {
        all.entry(call.stage).or_default().push(tokens(&call.system) + tokens(&call.user));
    }
    all.into_iter().map(|(stage, of)| (stage, of.iter().sum::<usize>() / of.len())).collect()
}

#[tokio::test(start_paused = true)]
async fn the_prompts_of_the_thousandth_turn_take_what_those_of_the_hundredth_did() {
    let rig = Rig::new(Setup::default());
    copies(&rig);
    let mut measured = Vec::new();
    for turn in 1..=TURNS {
        if turn % 3 == 0 {
            rig.plans(json!([action("task", "create", json!({"title": format!("Errand {turn:05}")}))]));
            rig.says(&format!("please put the errand number {turn:05} on my list")).await;
        } else {
            rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
            rig.says(&format!("what a day it was, the one with number {turn:05}")).await;
        }
        shortens(&rig).await;
        rig.log.forget();
        match turn {
            FLAT_FROM | TURNS => measured.push(means(&rig.script.taken())),
            _ if turn == FLAT_FROM - LAST || turn == TURNS - LAST => drop(rig.script.taken()),
            _ => {}
        }
    }
    let [early, late] = measured.as_slice() else { panic!("{measured:?}") };
    println!("{early:?}, {late:?}");
    for stage in [Stage::Route, Stage::Plan, Stage::Chat, Stage::Respond, Stage::Summarize] {
        assert!(late[&stage] * 100 <= early[&stage] * 105, "{stage}: {} and {}", early[&stage], late[&stage]);
    }
}
