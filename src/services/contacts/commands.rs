//! People: `{name, emails, phones, groups}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::command::{Command, Kind, Receipt, Subject};
use super::super::entry::{Entry, entry};
use super::super::show;
use super::super::task::commands::text;
use crate::core::card::{CardBody, show_address};
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::core::text::visible;

pub(crate) fn entries() -> Vec<Box<dyn Entry>> {
    vec![entry::<Find>(), entry::<Save>()]
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Find {
    /// A name, a group, or an address.
    query: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Save {
    name: String,
    email: Option<String>,
    phone: Option<String>,
}

impl Command for Find {
    const SERVICE: &'static str = "contacts";
    const NAME: &'static str = "find";
    const SUMMARY: &'static str = "look up a person or a group";
    const EXAMPLE: &'static str = "What's Anna's number?";
    const KIND: Kind = Kind::Read;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(_: &str) -> &'static str {
        "Who are you looking for?"
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look up this person?").row("Who", &self.query)
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let people = receipt.result["people"].as_array().map(Vec::as_slice).unwrap_or_default();
        if people.is_empty() {
            return format!("👤 I know nobody called “{}”.", self.query);
        }
        let more = receipt.result["more"].as_u64().unwrap_or(0) as usize;
        format!("👤 {}", show::list(people.iter().map(line).collect(), more))
    }

    fn deed(&self, _: &Action) -> String {
        format!("look up “{}”", self.query)
    }
}

impl Command for Save {
    const SERVICE: &'static str = "contacts";
    const NAME: &'static str = "save";
    const SUMMARY: &'static str = "save or complete a contact";
    const EXAMPLE: &'static str = "Save Tom's number: 555 0100";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn problem(&self) -> Option<String> {
        let email = self.email.as_deref()?;
        let parts = email.split_once('@');
        let fine = parts.is_some_and(|(user, host)| !user.is_empty() && host.contains('.'))
            && !email.contains(char::is_whitespace);
        (!fine).then(|| format!("“{email}” is no mail address"))
    }

    fn question(_: &str) -> &'static str {
        "Whose contact is it?"
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Save this contact?")
            .row("Name", &self.name)
            .row("Mail", self.email.as_deref().map(show_address).unwrap_or_default())
            .row("Phone", self.phone.clone().unwrap_or_default())
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("👤 Saved: {}", line(&receipt.result["person"]))
    }

    fn deed(&self, _: &Action) -> String {
        format!("save {}", self.name)
    }
}

fn line(person: &Value) -> String {
    let list = |name: &str| {
        let values = person[name].as_array().map(Vec::as_slice).unwrap_or_default();
        values.iter().filter_map(Value::as_str).map(show_address).collect::<Vec<_>>()
    };
    let details: Vec<String> = list("emails").into_iter().chain(list("phones")).collect();
    visible(&format!("{}: {}", text(person, "name").unwrap_or("(no name)"), details.join(", ")))
}
