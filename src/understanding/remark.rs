//! What people say behind a request: "cancel spin class tomorrow, *my legs are dead*".
//!
//! It is no part of the name of a thing; a task keeps it as why it is to be done.

use std::ops::Range;

use super::clauses::{CONNECTORS_MAX, Clause, Parser};
use super::said::{tidy, title};
use super::say::Built;
use super::text::fold;
use crate::core::plan::PlannedAction;

impl Parser<'_> {
    /// "Cancel spin class tomorrow, my legs are dead": the request before a remark, which says why.
    pub fn without_aside(&self, range: &Range<usize>, connectors: &[(usize, usize)], depth: usize) -> Option<Clause> {
        let word = |at: usize| fold(&self.heard.text[self.heard.tokens[at].span.clone()]);
        let ids = |from: usize| -> Vec<_> {
            self.heard.live(from..range.end).into_iter().map(|i| self.heard.tokens[i].id).collect()
        };
        let tells = |from: usize| self.grammar.lexicon.starts("subject", &ids(from)).is_some();
        let sighs = |from: usize| self.grammar.lexicon.starts("sigh", &ids(from)).is_some();
        let marks =
            connectors.iter().copied().filter(|(at, _)| matches!(word(*at).as_str(), "," | "-" | "–" | "—" | "but"));
        // "… by Wednesday or I get fined", "… tonight it's the third week".
        let bare = (range.start + 1..range.end).filter(|at| {
            let joined = matches!(word(*at).as_str(), "or" | "because" | "cos" | "cuz" | "since") && tells(at + 1);
            let after_time = self.heard.hidden_by(at - 1).is_some() && self.heard.hidden_by(*at).is_none();
            joined || after_time && (tells(*at) || sighs(*at))
        });
        let mut cuts: Vec<(usize, usize)> = marks.chain(bare.map(|at| (at, at))).collect();
        cuts.sort_unstable();
        cuts.into_iter().take(CONNECTORS_MAX).find_map(|(at, after)| {
            let left = self.clause(range.start..at).filter(|left| left.may_have_aside())?;
            let right = after..range.end;
            let remark = self.is_remark(&right) && self.clauses(right.clone(), depth + 1).iter().all(|c| c.weak);
            remark.then(|| left.with_reason(self.heard.raw(right.start, right.end - 1)))
        })
    }

    /// A statement, and no more of a title or a list.
    fn is_remark(&self, range: &Range<usize>) -> bool {
        let live = self.heard.live(range.clone());
        let ids: Vec<_> = live.iter().map(|i| self.heard.tokens[*i].id).collect();
        let lexicon = &self.grammar.lexicon;
        let past = |i: &usize| {
            let word = &self.heard.text[self.heard.tokens[*i].span.clone()];
            word.len() > 4 && word.ends_with("ed") && word.starts_with(char::is_lowercase)
        };
        let opens = ["subject", "negation", "remark"].iter().any(|class| lexicon.starts(class, &ids).is_some());
        !ids.is_empty()
            && lexicon.starts("tail", &ids).is_none()
            && (opens || lexicon.find("state", &ids).is_some() || live.iter().any(past))
    }
}

impl Clause {
    /// A mail, a note and a memory may hold any words; what names a thing does not.
    fn may_have_aside(&self) -> bool {
        let names = |action: &PlannedAction| match (action.service.as_str(), action.command.as_str()) {
            ("task", _) => ["title", "find_by"].iter().any(|name| action.params.contains_key(*name)),
            ("calendar", _) | ("keep", "search" | "delete") | ("memory", "forget" | "recall") => true,
            ("email", "read_thread") => true,
            _ => false,
        };
        !matches!(self.built, Built::Ask { .. } | Built::No) && self.actions().all(names)
    }

    /// A task keeps why it is to be done.
    fn with_reason(mut self, reason: &str) -> Clause {
        if let Built::Act(action) = &mut self.built
            && (action.service.as_str(), action.command.as_str()) == ("task", "create")
        {
            let reason = title(&tidy(reason));
            action.params.entry("description").or_insert_with(|| reason.into());
        }
        self
    }
}
