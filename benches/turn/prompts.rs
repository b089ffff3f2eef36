//! Sizes of the fixed parts of the prompts, and that they stay the same byte for byte.

use std::collections::{BTreeMap, BTreeSet};

use brain_agent::app;

use crate::Effort;
use crate::endpoint::{Endpoint, Fixed, Latency};
use crate::report::{Report, Row};
use crate::world::{Keeping, World};

/// Tokens, as the budget counts them.
fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

pub fn measure(report: &mut Report, _: Effort) {
    let runtime = app::runtime().expect("a runtime");
    let Gathered { services, parts, calls, differing } = runtime.block_on(gather());
    let of_stage = |stage: &str| parts.iter().find(|part| part.stage == stage).expect("a call of each stage");
    let route = of_stage("route");
    let system = tokens(route.system_bytes);
    report.add(
        Row::new("router prompt, fixed part", format!("{system} tokens (+ {} of schema)", tokens(route.schema_bytes)))
            .target("≤ 230", system <= 230),
    );
    for part in &parts {
        let of_interest =
            part.stage == "plan" && (!part.domains.contains('+') || part.domains.split('+').count() == services);
        if of_interest {
            let domains = if part.domains.contains('+') { "all six services" } else { &part.domains };
            report.add(Row::new(
                format!("plan prompt, fixed part, {domains}"),
                format!("{} tokens (+ {} of schema)", tokens(part.system_bytes), tokens(part.schema_bytes)),
            ));
        }
    }
    let stages = parts.len();
    report.add(
        Row::new(
            "instructions + schema identical byte for byte",
            format!("{} of {stages} stages with their domains, {calls} calls", stages.saturating_sub(differing)),
        )
        .target("all", differing == 0),
    );
    report.add(Row::new("respond prompt, fixed part", format!("{} tokens", tokens(of_stage("respond").system_bytes))));
}

/// What the endpoint was sent.
struct Gathered {
    /// How many services there are.
    services: usize,
    /// The distinct fixed parts.
    parts: Vec<Fixed>,
    calls: usize,
    /// Stages with domains whose fixed part was not the same in every call.
    differing: usize,
}

/// Many turns of two people over all services.
async fn gather() -> Gathered {
    let endpoint = Endpoint::start(Latency::all(0));
    let world = World::new(&endpoint.url, Keeping::Memory).await;
    let services = world.brain.services.now().names();
    for user in ["one", "two"] {
        for service in &services {
            world.say(user, &format!("look through {service}")).await;
        }
        world.say(user, &format!("look through {}", services.join(" and "))).await;
        world.say(user, "hi there, how are you?").await;
        world.say(user, "remind me to water the plants tomorrow at 5pm").await;
    }
    let mut digests: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    let mut distinct: Vec<Fixed> = Vec::new();
    let all = endpoint.fixed_parts();
    let calls = all.len();
    for part in all {
        digests.entry((part.stage.clone(), part.domains.clone())).or_default().insert(part.digest.clone());
        if !distinct.contains(&part) {
            distinct.push(part);
        }
    }
    let differing = digests.values().filter(|seen| seen.len() > 1).count();
    distinct.sort_by(|a, b| (&a.stage, a.domains.len(), &a.domains).cmp(&(&b.stage, b.domains.len(), &b.domains)));
    Gathered { services: services.len(), parts: distinct, calls, differing }
}
