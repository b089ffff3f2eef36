//! What people say behind a request: "cancel spin class tomorrow, *my legs are dead*".
//!
//! It is no part of the name of a thing; a task keeps it as why it is to be done.

use std::ops::Range;

use super::clauses::{CONNECTORS_MAX, Clause, Parser};
use super::filling::Built;
use super::lexicon::{Lexicon, WordId};
use super::reading::{tidy, title};
use super::slot_types::is_errand;
use crate::core::plan::PlannedAction;
use crate::language::tokens::lower;

impl Parser<'_> {
    /// "Cancel spin class tomorrow, my legs are dead": the request before a remark, which says why.
    pub fn without_aside(&self, range: &Range<usize>, connectors: &[(usize, usize)], depth: usize) -> Option<Clause> {
        let word = |at: usize| lower(self.heard.typed(at));
        let tells = |from: usize| self.begins(&(from..range.end), &["subject"]);
        let sighs = |from: usize| self.begins(&(from..range.end), &["sigh"]);
        let marks =
            connectors.iter().copied().filter(|(at, _)| matches!(word(*at).as_str(), "," | "-" | "–" | "—" | "but"));
        // "… by Wednesday or I get fined", "… tonight it's the third week".
        let bare = (range.start + 1..range.end).filter(|at| {
            let why = self.grammar.lexicon.is_phrase("why", &[self.heard.tokens[*at].id]);
            // "… or Dee will dump it on the floor".
            let told = |from: usize| from < range.end && self.begins(&(from..range.end), &["told"]);
            let joined = why && (tells(at + 1) || told(at + 2) || told(at + 3));
            let after_time = self.heard.hidden_by(at - 1).is_some() && self.heard.hidden_by(*at).is_none();
            joined || after_time && (tells(*at) || sighs(*at))
        });
        let mut cuts: Vec<(usize, usize)> = marks.chain(bare.map(|at| (at, at))).collect();
        cuts.sort_unstable();
        cuts.into_iter().take(CONNECTORS_MAX).find_map(|(at, after)| {
            // "Milk and tea bags on the list, Lee had the lot" is no remark behind "add bread": its first part tells.
            let part_end = connectors.iter().map(|(next, _)| *next).find(|next| *next > after).unwrap_or(range.end);
            let remark = self.is_remark(&(after..part_end));
            let right = after..range.end;
            let needed = self.begins(&right, &["ownneed"]);
            let comma = word(at) == ",";
            let behind_time = comma && self.heard.hidden_by(at - 1).is_some() && self.says_more(&(after..part_end));
            let left_out = comma && self.may_be_left_out(&(after..part_end));
            if !(remark || needed || behind_time || left_out) {
                return None;
            }
            let left = self.clause(range.start..at).filter(Clause::may_have_aside)?;
            let reason = behind_time && left.command == "task.create" && left.is_named;
            if !(remark || reason || left_out && left.ends_at_a_comma() || self.is_own_need(&left, &right)) {
                return None;
            }
            let remark =
                self.is_own_need(&left, &right) || self.clauses(right.clone(), depth + 1).iter().all(|c| c.weak);
            remark.then(|| left.with_reason(self.heard.raw(right.start, right.end - 1)))
        })
    }

    /// "Studio Thursday 7pm, | nice chairs there", but not "… , with Anna", "… , the new Thai place", "… , code 4421" and
    /// "… , bring the forms": what may be needed stays.
    fn may_be_left_out(&self, range: &Range<usize>) -> bool {
        let ids = self.heard.ids(range.clone());
        let told = self.heard.raw(range.start, range.end - 1);
        !ids.is_empty()
            && !may_be_needed(told, &ids, self.grammar.lexicon)
            && !self.begins(range, &["invite", "errand", "joined"])
            && self.heard.hidden_by(range.start).is_none()
    }

    /// "Pay the rent Friday, | landlord already on my neck": a name ended with its time, and no other request begins.
    fn says_more(&self, range: &Range<usize>) -> bool {
        const WORDS_MIN: usize = 3;
        let live = self.heard.live(range.clone());
        let ids: Vec<_> = live.iter().map(|i| self.heard.tokens[*i].id).collect();
        let lexicon = self.grammar.lexicon;
        // "Eggs and bread" go on with the name.
        let tells = ["my", "remark", "state"].iter().any(|class| lexicon.find(class, &ids).is_some());
        ids.len() >= WORDS_MIN && tells && !is_errand(&ids, lexicon) && !self.begins(range, &["joined", "invite"])
    }

    /// A statement, and no more of a title or a list.
    fn is_remark(&self, range: &Range<usize>) -> bool {
        let live = self.heard.live(range.clone());
        let ids: Vec<_> = live.iter().map(|i| self.heard.tokens[*i].id).collect();
        let lexicon = self.grammar.lexicon;
        let past = |i: &usize| {
            let word = self.heard.typed(*i);
            word.len() > 4 && word.ends_with("ed") && word.starts_with(char::is_lowercase)
        };
        // "Lee's playing".
        let playing = live.windows(2).any(|pair| {
            let word = |at: usize| self.heard.typed(at);
            let state =
                word(pair[1]).ends_with("ing") || lexicon.is_phrase("ofstate", &[self.heard.tokens[pair[1]].id]);
            word(pair[0]).ends_with("'s") && state
        });
        let opens =
            playing || ["subject", "negation", "remark"].iter().any(|class| lexicon.starts(class, &ids).is_some());
        // "Dreading it", but not "wash it".
        let tells = ["aside", "state"].iter().any(|class| lexicon.find(class, &ids).is_some()) || live.iter().any(past);
        !ids.is_empty() && lexicon.starts("tail", &ids).is_none() && (opens || tells && !is_errand(&ids, lexicon))
    }
}

impl Clause {
    /// A mail and a memory may hold any words, and so may a note that does not end with its name.
    fn may_have_aside(&self) -> bool {
        let closed = |action: &PlannedAction| match (action.service.as_str(), action.command.as_str()) {
            ("email", "send_email" | "create_draft" | "reply_to_email") | ("memory", "store" | "update") => false,
            ("keep", "create" | "append") => self.ends_fixed,
            _ => true,
        };
        !matches!(self.built, Built::Ask { .. } | Built::No) && self.actions().all(closed)
    }

    /// What is looked up has a name without a comma, and an event that has its time needs no more words.
    fn ends_at_a_comma(&self) -> bool {
        let found_by_name = |action: &PlannedAction| {
            matches!(
                (action.service.as_str(), action.command.as_str()),
                ("email", "read_thread")
                    | ("memory", "forget")
                    | ("task", "delete" | "complete")
                    | ("calendar" | "keep", "delete_event" | "delete")
            )
        };
        let invites = self.actions().any(|action| action.params.contains_key("attendees"));
        let stated = self.command == "calendar.create_event" && self.has_time && !invites;
        stated || self.looks_up() || self.actions().all(found_by_name)
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

/// Words behind a comma that may say where something is, by which number, or what it is called.
pub(super) fn may_be_needed(told: &str, ids: &[WordId], lexicon: Lexicon) -> bool {
    let names = told.split_whitespace().any(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()));
    names || lexicon.starts("det", ids).is_some() || lexicon.find("placenoun", ids).is_some()
}
