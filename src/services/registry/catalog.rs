//! The catalog: a line a command, and which commands share words with a message.
//!
//! A command is found by its name, by what it does, by how a person asks for it, and by the names, descriptions and
//! choices of its parameters; a definition that arrived at run time by the head of these, so that none is near to
//! everything.

use std::sync::Arc;

use serde_json::Value;

use super::Services;
use crate::core::text::shorten;
use crate::language::nearest::NearestIndex;
use crate::limits;
use crate::services::entry::Entry;

/// A command as a catalog has it.
pub fn catalog_line(entry: &dyn Entry) -> String {
    format!("{}.{}: {}", entry.service(), entry.command(), entry.summary())
}

/// What a command is found by.
fn telling_words(entry: &Arc<dyn Entry>) -> String {
    let mut words = vec![catalog_line(entry.as_ref()), entry.example().to_owned()];
    of_params(&entry.schema(), &mut words);
    shorten(&words.join(" "), limits::TELLING_WORDS_CHARS_MAX)
}

/// The names, descriptions and choices of parameters.
fn of_params(schema: &Value, words: &mut Vec<String>) {
    let told = ["description", "const"].iter().filter_map(|key| schema[key].as_str());
    let choices = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    words.extend(told.chain(choices).map(str::to_owned));
    for (name, param) in schema["properties"].as_object().into_iter().flatten() {
        words.push(name.clone());
        of_params(param, words);
    }
    let of_list = schema.get("items").into_iter();
    let forms = ["anyOf", "oneOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
    of_list.chain(forms).for_each(|form| of_params(form, words));
}

impl Services {
    /// The commands of these services, one a line, without their parameters.
    pub fn catalog(&self, domains: &[String]) -> String {
        let registered = self.list.iter().filter(|registration| domains.contains(&registration.info.name));
        let entries = registered.flat_map(|registration| registration.commands());
        entries.map(|entry| catalog_line(entry.as_ref())).collect::<Vec<_>>().join("\n")
    }

    /// The commands that share words with a message, the nearest first; none where every command is built in, as those
    /// are known without it.
    pub fn near(&self, words: &str, is_offered: impl Fn(&dyn Entry) -> bool) -> Vec<Arc<dyn Entry>> {
        let all = self.every();
        let near =
            self.index().by_words(words).into_iter().map(|at| all[at]).filter(|entry| is_offered(entry.as_ref()));
        near.take(limits::NEAR_COMMANDS_MAX).cloned().collect()
    }

    /// Of all commands those that a prompt holds a line of, for a message in these words: those of `domains` first, the
    /// nearest to the words first. A quarter of the room is for the nearest of other services.
    pub fn shortlist(&self, words: &str, domains: &[String]) -> Vec<Arc<dyn Entry>> {
        let all = self.every();
        let near = self.index().by_words(words);
        let is_routed = |at: &usize| domains.iter().any(|domain| domain == all[*at].service());
        let far = (0..all.len()).filter(|at| is_routed(at) && !near.contains(at));
        let routed = near.iter().copied().filter(is_routed).chain(far);
        let others = near.iter().copied().filter(|at| !is_routed(at));
        let mut room = limits::CATALOG_CHARS_MAX;
        let mut taken = Vec::new();
        for (candidates, kept) in
            [(&mut routed.into_iter() as &mut dyn Iterator<Item = usize>, room / 4), (&mut others.into_iter(), 0)]
        {
            for at in candidates {
                let length = catalog_line(all[at].as_ref()).len() + 1;
                let Some(left) = room.checked_sub(length).filter(|left| *left >= kept) else { break };
                room = left;
                taken.push(at);
            }
        }
        taken.sort_unstable();
        taken.into_iter().map(|at| all[at].clone()).collect()
    }

    /// Empty where every command is built in.
    fn index(&self) -> &NearestIndex {
        self.by_words.get_or_init(|| {
            let has_tools = self.list.iter().any(|registration| registration.has_tools());
            let entries = self.every().into_iter().filter(|_| has_tools);
            let words: Vec<String> = entries.map(telling_words).collect();
            NearestIndex::of(words.iter().map(String::as_str))
        })
    }

    fn every(&self) -> Vec<&Arc<dyn Entry>> {
        self.list.iter().flat_map(|registration| registration.commands()).collect()
    }
}
