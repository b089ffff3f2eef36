//! The catalog: a line a command, and which commands share words with a message.

use std::sync::Arc;

use super::{Services, catalog_line};
use crate::services::contract::entry::Entry;
use brain_core::limits;

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
            self.by_words.by_words(words).into_iter().map(|at| all[at]).filter(|entry| is_offered(entry.as_ref()));
        near.take(limits::NEAR_COMMANDS_MAX).cloned().collect()
    }

    /// Of all commands those that a prompt holds a line of, for a message in these words: those of `domains` first, the
    /// nearest to the words first. A quarter of the room is for the nearest of other services.
    pub fn shortlist(&self, words: &str, domains: &[String]) -> Vec<Arc<dyn Entry>> {
        let all = self.every();
        let near = self.by_words.by_words(words);
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

    fn every(&self) -> Vec<&Arc<dyn Entry>> {
        self.list.iter().flat_map(|registration| registration.commands()).collect()
    }
}
