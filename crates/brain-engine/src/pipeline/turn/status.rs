//! Status line: what it says while a turn works.

use super::account::TurnAccount;
use super::debounce::Debounce;
use brain_core::core::ids::UserId;
use brain_core::core::markup::Formatted;
use brain_core::core::plan::Action;
use brain_core::core::progress::Progress;
use brain_core::limits;
use brain_services::services::catalog::registry::{Registry, Services};

/// What the status line of a turn says, below the receipts that are known; nothing once the answer itself can be seen.
pub fn of(services: &Services, owner: &UserId, account: &TurnAccount, debounce: &Debounce) -> Option<String> {
    if account.is_speaking() {
        return None;
    }
    let waits = services.iter().find_map(|service| service.service.waited_for(owner));
    let mut doing = waits.map_or_else(|| account.does(), |waits| waits.to_string());
    if let Some(slow) = account.waiting.told() {
        doing.push_str(&format!("\n{slow}"));
    }
    if let Some(over) = account.nodes_over().and_then(|nodes| told(&nodes)) {
        doing.push_str(&format!("\n{over}"));
    }
    let known = Some(account.known()).filter(|known| !known.is_empty() && may_be_shown(account, debounce));
    Some(known.map_or_else(|| doing.clone(), |known| format!("{}\n\n{doing}", beginning(known))))
}

/// The nodes that are over: `✓ understood 2 s · ✓ planned 14 s`. What takes no time is no news.
fn told(nodes: &[(String, u64)]) -> Option<String> {
    let mut said: Vec<(&str, u64)> = Vec::new();
    for (name, us) in nodes {
        match (said.last_mut(), in_words(name)) {
            (Some((last, sum)), words) if *last == words => *sum += us,
            (_, words) => said.push((words, *us)),
        }
    }
    let lines = said.iter().filter(|(_, us)| *us >= 500_000);
    let lines: Vec<String> = lines.map(|(words, us)| format!("✓ {words} {} s", us.div_ceil(1_000_000))).collect();
    (!lines.is_empty()).then(|| lines.join(" · "))
}

/// A node as it is told to whoever waits.
fn in_words(node: &str) -> &str {
    match node {
        "guard" => "checked",
        "route" | "select" | "select_services" | "select_commands" => "understood",
        "context" => "looked around",
        "plan" | "build_params" => "planned",
        "execute" => "carried out",
        "reflect" => "looked for what is missing",
        "respond" | "chat" => "worded",
        other => other,
    }
}

/// Whether words may be shown before the answer is complete: not while it may still be begun anew.
pub(super) fn may_be_shown(account: &TurnAccount, debounce: &Debounce) -> bool {
    account.is_agreed() && debounce.is_over()
}

/// As much of the receipts as one message of the channel holds; the answer has them whole.
fn beginning(receipts: String) -> String {
    let parts = Formatted::plain(receipts).split(limits::DRAFT_UTF16_MAX, limits::MESSAGE_SPANS_MAX);
    parts.into_iter().next().unwrap_or_default().text
}

/// Before anything is known about the message.
pub fn thinking() -> Progress {
    Progress::of("Thinking…")
}

/// Planning within these services: their places are being looked at.
pub fn planning(services: &Services, domains: &[String]) -> Progress {
    let places: Vec<&str> = domains.iter().filter_map(|name| Some(services.find(name)?.info.place.as_str())).collect();
    match places.as_slice() {
        [] => Progress::of("Working out what to do…"),
        [only] => Progress::of(format!("Looking at {only}…")),
        [first @ .., last] => Progress::of(format!("Looking at {} and {last}…", first.join(", "))),
    }
}

/// After a round: is anything still missing?
pub fn checking() -> Progress {
    Progress::of("Checking whether that was all…")
}

/// The results become words.
pub fn writing() -> Progress {
    Progress::of("Writing the answer…")
}

/// One command at work.
pub fn running(services: &Registry, action: &Action) -> Progress {
    match services.of(action) {
        Some(entry) => Progress::of(entry.status()),
        None => Progress::of("Working on it…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::registry;

    #[test]
    fn nodes_of_one_kind_are_told_together_and_only_those_that_took_time() {
        let nodes = [("select", 1_200_000), ("context", 900), ("build_params", 2_000_000), ("build_params", 3_100_000)];
        let nodes: Vec<(String, u64)> = nodes.iter().map(|(name, us)| ((*name).to_owned(), *us)).collect();
        assert_eq!(told(&nodes).unwrap(), "✓ understood 2 s · ✓ planned 6 s");
        assert_eq!(told(&nodes[1..2]), None);
    }

    #[test]
    fn planning_names_the_places_it_looks_at() {
        let said = |domains: &[&str]| {
            let domains: Vec<String> = domains.iter().map(|&domain| domain.to_owned()).collect();
            planning(&registry().now(), &domains).to_string()
        };
        assert_eq!(said(&["calendar"]), "Looking at your calendar…");
        assert_eq!(said(&["task", "calendar", "email"]), "Looking at your tasks, your calendar and your mail…");
        assert_eq!(said(&["mcp:weather"]), "Working out what to do…");
    }

    #[test]
    fn a_command_says_what_it_does_and_one_that_is_gone_says_little() {
        let action =
            |service: &str| Action { service: service.to_owned(), command: "create".to_owned(), ..Action::default() };
        assert_eq!(running(&registry(), &action("task")).to_string(), "Noting that down…");
        assert_eq!(running(&registry(), &action("mcp:weather")).to_string(), "Working on it…");
    }
}
