//! From what a server offers to a registration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::asks::{WhyItAsks, why_it_asks};
use super::known::KnownTool;
use super::service::ServerService;
use super::service_name;
use crate::services::catalog::registry::Registration;
use crate::services::contract::command::Effect;
use crate::services::contract::service::ServiceInfo;
use crate::services::tool::{Tool, ToolDefinition};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::{capital, shorten, visible};
use brain_core::limits;
use brain_wire::mcp::{ListingEnd, OfferedTool, ToolListing};

/// The tools that may be used, and those that may not.
#[derive(Debug, Default)]
pub(super) struct Offering {
    tools: Vec<OfferedTool>,
    kept_back: KeptBack,
}

/// What may not be used, or not without a yes.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptBack {
    /// It cannot be, by name, with the reason.
    pub(super) left_out: BTreeMap<String, String>,
    /// It could be, and has another definition than before that nobody has taken yet.
    pub(super) withheld: BTreeSet<String>,
    /// It runs after a yes alone, for this reason.
    pub(super) asks: BTreeMap<String, WhyItAsks>,
}

impl Offering {
    /// What was seen before, while nobody has said anything yet.
    pub(super) fn of_known(known: impl IntoIterator<Item = KnownTool>) -> Self {
        let (current, others): (Vec<_>, Vec<_>) = known.into_iter().partition(KnownTool::is_current);
        let withheld = others.into_iter().map(|tool| tool.used.name).collect();
        let tools = current.into_iter().map(|tool| tool.used).collect();
        Self { tools, kept_back: KeptBack { withheld, ..KeptBack::default() } }
    }

    pub(super) fn of_listing(listing: &ToolListing, known: &BTreeMap<String, KnownTool>) -> Self {
        let mut offering = Self::default();
        for tool in &listing.tools {
            let is_withheld = known.get(&tool.name).is_some_and(|known| !known.is_current());
            if offering.tools.iter().any(|other| other.name == tool.name) {
                offering.kept_back.left_out.insert(tool.name.clone(), "there is another one of that name".to_owned());
            } else if is_withheld {
                offering.kept_back.withheld.insert(tool.name.clone());
            } else {
                offering.tools.push(tool.clone());
            }
        }
        let most = limits::MCP_TOOLS_MAX;
        let rest = match listing.end {
            ListingEnd::Whole => None,
            ListingEnd::Cut => Some(format!("a server may bring {most} tools, and it has more")),
            ListingEnd::Circular => {
                Some("its list begins again where it should go on, so there may be more".to_owned())
            }
        };
        offering.kept_back.left_out.extend(rest.map(|why| ("…".to_owned(), why)));
        offering
    }

    pub(super) fn registration(self, service: Arc<ServerService>) -> (Registration, KeptBack) {
        let Self { tools, mut kept_back } = self;
        let server = &service.kept.server;
        let title = capital(&server.name);
        let summary = Some(in_short(&tools)).filter(|words| !words.is_empty());
        let summary = summary.unwrap_or_else(|| format!("tools of {title}"));
        let info = ServiceInfo::new(&service_name(&server.name), &title, &summary, &server.name);
        let mut building = Registration::of(info, service.clone());
        for tool in tools {
            let asks = why_it_asks(server, &tool);
            let name = tool.name.clone();
            match Tool::of(definition(&title, tool, asks.is_none())) {
                Ok(tool) => {
                    let is_unknown = asks.is_some_and(|why| why != WhyItAsks::SaysItChanges);
                    building = building.tool(if is_unknown { tool.of_unknown_effect() } else { tool });
                    kept_back.asks.extend(asks.map(|why| (name, why)));
                }
                Err(why) => {
                    kept_back.left_out.insert(visible(&shorten(&name, limits::TOOL_NAME_CHARS_MAX)), why.to_string());
                }
            }
        }
        (building.end(), kept_back)
    }
}

/// What its tools are about, in a line for a router that sees many services: the words of their names, the commonest first.
fn in_short(tools: &[OfferedTool]) -> String {
    let names = tools.iter().map(|tool| tool.name.to_lowercase());
    let words: Vec<String> =
        names.flat_map(|name| name.split(['_', '-', '.', '/']).map(str::to_owned).collect::<Vec<_>>()).collect();
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for word in words.iter().filter(|word| !word.is_empty()) {
        match counted.iter_mut().find(|(known, _)| known == word) {
            Some((_, count)) => *count += 1,
            None => counted.push((word, 1)),
        }
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<&str> = counted.into_iter().map(|(word, _)| word).collect();
    visible(&shorten(&words.join(" "), limits::MCP_SUMMARY_CHARS_MAX))
}

fn definition(server: &str, tool: OfferedTool, only_reads: bool) -> ToolDefinition {
    ToolDefinition {
        summary: summary(&tool),
        example: format!("Use {server}: {}", tool.name),
        name: tool.name,
        schema: tool.schema,
        effect: if only_reads { Effect::ReadElsewhere } else { Effect::WriteElsewhere },
        stakes: if only_reads { Stakes::Low } else { Stakes::High },
    }
}

/// The first sentence of what its server says of it; else its title, or its name as words.
fn summary(tool: &OfferedTool) -> String {
    let line = tool.description.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let sentence = line.split_inclusive(". ").next().unwrap_or_default().trim();
    let given = [sentence, tool.title.trim()].into_iter().find(|text| !text.is_empty());
    given.map_or_else(|| tool.name.replace(['_', '-'], " "), str::to_owned)
}
