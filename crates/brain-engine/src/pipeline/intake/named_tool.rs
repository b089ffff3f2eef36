//! "use SERVER: …": a tool of a server that brings tools, named by the person, where no model has to find it.
//!
//! Invariants: it names the server, the tool, and what each value is for; what cannot be read so is told with how to say
//! it, and nothing is guessed or left out. Servers of the program's own have everyday phrases instead. Not here: whether
//! it may be done, which the gate decides as of any plan.

mod values;

use self::values::{Misread, TakenName, after};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::plan::PlannedAction;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_language::language::nearest;
use brain_services::services::catalog::registry::Registration;
use brain_services::services::contract::entry::Entry;
use brain_services::services::mcp::{ServerStanding, ServerState, service_name};

/// What such a message begins with.
const USE: &str = "use ";

/// The tool that is named, with its values; `None` for every other message.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    let words = facts.words().trim();
    let is_use = words.get(..USE.len()).is_some_and(|start| start.eq_ignore_ascii_case(USE));
    if !is_use || !facts.origin().is_own_words() || !facts.incoming.parts.is_empty() {
        return Ok(None);
    }
    let services = brain.services.now();
    let all = services.iter().map(|service| service.as_ref());
    let with_tools: Vec<&Registration> = all.filter(|service: &&Registration| service.has_tools()).collect();
    let asked = words[USE.len()..].trim_start();
    let named = with_tools.iter().filter_map(|service| Some((*service, after(asked, &service.info.title)?)));
    // Of "home" and "home office" the longer one is meant.
    let Some((service, rest)) = named.max_by_key(|(service, _)| service.info.title.len()) else {
        let open = with_tools.iter().filter(|service| service.service.is_open_to(facts.owner()));
        let titles: Vec<&str> = open.map(|service| service.info.title.as_str()).collect();
        return Ok(no_such(asked, &titles).map(|why| Answer::says(Path::Clarify, why).into()));
    };
    let rest = rest.trim_start_matches([':', ',']).trim();
    let standing = brain.servers.standing().into_iter().find(|one| service_name(&one.name) == service.info.name);
    let look = NamedServer { service, standing, for_operator: facts.runs_this(&brain.policy) };
    Ok(Some(match look.read(rest) {
        Ok(planned) => Intended::actions(facts, vec![planned]),
        Err(why) => Answer::says(Path::Clarify, why).into(),
    }))
}

/// A word with a colon behind it that is no server, where there are some.
fn no_such(asked: &str, titles: &[&str]) -> Option<String> {
    let (name, rest) = asked.split_once(':')?;
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace) && !rest.starts_with("//");
    (is_name && !titles.is_empty()).then(|| {
        let name = visible(&shorten(name, limits::TOOL_NAME_CHARS_MAX));
        format!("I know no server “{name}”. Nothing was done. There are: {}.", listed(titles))
    })
}

/// The names, as many as a message can show.
fn listed(names: &[&str]) -> String {
    let mut room = limits::TOOL_RECEIPT_CHARS_MAX;
    let fits = names.iter().take_while(|name| {
        room = room.saturating_sub(name.len() + 2);
        room > 0
    });
    let shown = fits.count();
    let more = if shown < names.len() { format!(" and {} more", names.len() - shown) } else { String::new() };
    visible(&format!("{}{more}", names[..shown].join(", ")))
}

/// A server that was named, with how it is.
struct NamedServer<'a> {
    service: &'a Registration,
    standing: Option<ServerStanding>,
    /// Whoever asks runs this, and may know why a server is not there.
    for_operator: bool,
}

impl NamedServer<'_> {
    fn read(&self, rest: &str) -> Result<PlannedAction, String> {
        let named = self.service.commands().filter_map(|entry| Some((entry, after(rest, entry.command())?)));
        let Some((entry, rest)) = named.max_by_key(|(entry, _)| entry.command().len()) else {
            return Err(self.withheld(rest).unwrap_or_else(|| self.not_named(rest)));
        };
        let rest = rest.trim_start_matches([':', ',']).trim();
        let params = values::values(&entry.schema(), rest).map_err(|misread| self.misread(entry.as_ref(), misread))?;
        let (service, command) = (entry.service().to_owned(), entry.command().to_owned());
        Ok(PlannedAction { service, command, params, ..PlannedAction::default() })
    }

    fn misread(&self, entry: &dyn Entry, misread: Misread) -> String {
        let (title, command) = (&self.service.info.title, entry.command());
        let names = values::names(&entry.schema());
        let short = |words: &str| visible(&shorten(words, limits::TOOL_SUMMARY_CHARS_MAX));
        let why = match misread {
            Misread::NoSuchName(name) => {
                let takes: Vec<&str> = names.iter().map(|named| named.name.as_str()).collect();
                let takes = if takes.is_empty() { "no values".to_owned() } else { listed(&takes) };
                format!("{command} takes {takes}; I don't know “{}”. Nothing was done.", short(&name))
            }
            Misread::Unclear(words) => format!("I don't know what “{}” is for. Nothing was done.", short(&words)),
        };
        let of = |named: &TakenName| {
            if named.is_required { format!("{}=…", named.name) } else { format!("[{}=…]", named.name) }
        };
        let values: Vec<String> = names.iter().map(of).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let kinds = if names.iter().any(|named| !named.is_required) { " ([…] can be left out)" } else { "" };
        format!(
            "{why} Say it like this{kinds}, or with a JSON object in place of the values:\nuse {title}: {command} {}",
            values.join(" ")
        )
    }

    /// Why a tool that is named is not among those that can be used.
    fn withheld(&self, said: &str) -> Option<String> {
        let (title, standing) = (&self.service.info.title, self.standing.as_ref()?);
        let is_named = |tool: &str| after(said, tool).is_some();
        if let Some(tool) = standing.withheld.iter().find(|tool| is_named(tool)) {
            let then = match self.for_operator {
                true => "/status shows you the difference",
                false => "it waits for whoever runs me",
            };
            return Some(format!(
                "{title} describes “{}” differently now, so I don't use it until that was looked at; {then}. Nothing was done.",
                visible(tool)
            ));
        }
        let (tool, why) = standing.left_out.iter().find(|(tool, _)| is_named(tool))?;
        Some(format!("{title} offers “{}”, but it cannot be used: {}. Nothing was done.", visible(tool), visible(why)))
    }

    /// What could have been meant, by the words that its name and what it does have in common with what was said.
    fn not_named(&self, said: &str) -> String {
        let title = &self.service.info.title;
        let mut entries: Vec<&dyn Entry> = self.service.commands().map(|entry| entry.as_ref()).collect();
        if entries.is_empty() {
            return format!("{title} {}. Nothing was done.", self.state());
        }
        // What is answered at once comes first.
        entries.sort_by_key(|entry| entry.writes());
        let lines: Vec<String> =
            entries.iter().map(|entry| format!("• {}: {}", entry.command(), entry.summary())).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let near = nearest::nearest(said, &lines, limits::LIST_ROWS_MAX);
        let others = entries.iter().zip(&lines).filter(|(_, line)| !near.contains(line));
        let others: Vec<&str> = others.map(|(entry, _)| entry.command()).collect();
        let more = match others.len() {
            0 => String::new(),
            count => format!("\n… and {count} more: {}", listed(&others)),
        };
        format!(
            "Which of its tools? Nothing was done. {title} has these; say “use {title}: NAME …” with what it needs:\n{}{more}",
            near.join("\n")
        )
    }

    fn state(&self) -> String {
        match self.standing.as_ref().map(|standing| &standing.state) {
            Some(ServerState::Starting) => "is still starting: try again in a moment".to_owned(),
            Some(ServerState::Down(why)) if self.for_operator => {
                format!("is not there: {}", visible(&shorten(&why.to_string(), limits::MCP_WHY_CHARS_MAX)))
            }
            Some(ServerState::Down(_)) => "is not there at the moment".to_owned(),
            Some(ServerState::Up) | None => "offers nothing that can be used".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_server_is_said_and_other_words_are_left_alone() {
        assert!(no_such("nosuch: x", &["Web", "Sums"]).unwrap().contains("There are: Web, Sums."));
        for other in ["the car: gently", "https://example.com", "nosuch x", ": x"] {
            assert_eq!(no_such(other, &["Web"]), None, "{other}");
        }
        assert_eq!(no_such("sparingly: salt", &[]), None, "nobody knows of servers");
    }

    #[test]
    fn a_long_list_says_how_many_it_leaves_out() {
        let names = vec!["a_name_of_a_tool"; 500];
        let shown = listed(&names);
        assert!(shown.len() < limits::TOOL_RECEIPT_CHARS_MAX + 20 && shown.ends_with(" more"), "{shown}");
        assert_eq!(listed(&names[..2]), "a_name_of_a_tool, a_name_of_a_tool");
    }
}
