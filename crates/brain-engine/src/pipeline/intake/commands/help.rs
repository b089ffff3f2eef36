//! `/help`: what there is in a dozen lines, and a page for each part of it.
//!
//! All of it comes from the registry: what a service is for, and an example a command; of a server's tools likewise. Not
//! here: what a message may mean.

use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::text::{capital, shorten, visible};
use brain_core::limits;
use brain_language::language::nearest;
use brain_language::language::words::{distance, fold};
use brain_services::services::catalog::registry::{Registration, Services};

const CONSENT: &str =
    "Before I send, change or delete anything for good, I show you exactly what I would do and wait for your yes.";
const COMMANDS_PAGE: &str = "commands";
const ALL: &str = "all";
/// Of a name that is typed, so many slips.
const SLIPS_MAX: usize = 2;

/// The page that is asked for; without a name the first. `commands`: a line each.
pub(super) fn help(brain: &Brain, facts: &TurnFacts, about: &str, commands: &[String]) -> String {
    let services = brain.services.open_to(facts.owner());
    let parts: Vec<&Registration> = parts(&services).collect();
    let about = fold(about.trim_matches(|c: char| !c.is_alphanumeric()));
    let close = |name: &str| distance(name, &about, SLIPS_MAX.min(about.chars().count() / 3)).is_some();
    if about.is_empty() {
        return first(&parts, commands);
    }
    if let Some(part) = parts.iter().find(|part| fold(&part.info.title) == about) {
        return page(part);
    }
    if about == ALL {
        let pages: Vec<String> = parts.iter().map(|part| section(part)).collect();
        return format!(
            "This is what I can do.\n\n{}\n\n{CONSENT}\n\nCommands\n{}",
            pages.join("\n\n"),
            commands.join("\n")
        );
    }
    if close(COMMANDS_PAGE) {
        return format!("Commands\n{}", commands.join("\n"));
    }
    match found(&parts, &about) {
        Some(part) => page(part),
        None => {
            let titles: Vec<String> = parts.iter().map(|part| visible(&part.info.title)).collect();
            let about = visible(&shorten(&about, limits::ACTION_NAMED_CHARS));
            format!("I know no part called “{about}”. There are: {}, Commands.", titles.join(", "))
        }
    }
}

fn parts(services: &Services) -> impl Iterator<Item = &Registration> {
    services.iter().map(AsRef::as_ref).filter(|service| service.commands().next().is_some())
}

/// The part of this name, with slips or in other words: its names, what they begin with, then all that it says of itself.
fn found<'p>(parts: &[&'p Registration], about: &str) -> Option<&'p Registration> {
    let names = |part: &Registration| {
        let said = format!("{} {}", part.info.name, part.info.title);
        fold(&said).split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>()
    };
    let slips = SLIPS_MAX.min(about.chars().count() / 3);
    let by_name = |fits: &dyn Fn(&str) -> bool| parts.iter().find(|part| names(part).iter().any(|name| fits(name)));
    let begins = |name: &str| name.len() > 2 && (about.starts_with(name) || name.starts_with(about));
    let named = by_name(&|name| name == about).or_else(|| by_name(&begins));
    let named = named.or_else(|| by_name(&|name| distance(name, about, slips).is_some()));
    let all = |part: &&Registration| [part.info.summary.as_str(), &section(part)].join(" ");
    let in_words = || {
        let texts: Vec<String> = parts.iter().map(all).collect();
        let near = nearest::by_words(about, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        near.first().and_then(|at| parts.get(*at))
    };
    named.or_else(in_words).copied()
}

/// What there is, a line each.
fn first(parts: &[&Registration], commands: &[String]) -> String {
    let line = |part: &&Registration| {
        format!("• {}: {}", visible(&part.info.title), visible(&shorten(&part.info.summary, limits::ROW_CHARS_MAX)))
    };
    let lines: Vec<String> = parts.iter().map(line).collect();
    let slashes = commands.iter().filter_map(|line| line.split([' ', ':']).next());
    let example = parts.first().map(|part| fold(&part.info.title)).unwrap_or_default();
    let example = example.split(' ').next().unwrap_or_default();
    format!(
        "This is what I can do. Say it in your own words.\n\n{}\n\n“/help {example}” shows how to ask for one of them, \
         “/help {ALL}” everything.\n{CONSENT}\n\n{} (“/help {COMMANDS_PAGE}” says what each does)",
        lines.join("\n"),
        slashes.collect::<Vec<_>>().join(" "),
    )
}

fn page(part: &Registration) -> String {
    format!("{}.\n\n{}", visible(&capital(part.info.summary.trim_end_matches('.'))), section(part))
}

/// An example a command; of a server's tools a few, as there may be hundreds.
fn section(part: &Registration) -> String {
    let title = visible(&part.info.title);
    let most = if part.has_tools() { limits::HELP_TOOLS_MAX } else { usize::MAX };
    let examples = part.commands().take(most).map(|entry| format!("• {}", entry.example()));
    let more = part.commands().count().saturating_sub(most);
    let more = (more > 0).then(|| format!("… and {more} more: “use {title}” names them"));
    [title.clone()].into_iter().chain(examples).chain(more).collect::<Vec<_>>().join("\n")
}
