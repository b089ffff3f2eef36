//! Where a sentence may be divided, and whether what follows is a request of its own.

use std::ops::Range;

use super::clauses::{Clause, Parser};
use crate::language::tokens::lower;

const CONNECTORS: [&str; 15] =
    [",", "and", "then", "also", "plus", "&", "und", "dann", "so", "-", "–", "—", ":", "n", "but"];

impl Parser<'_> {
    /// Places where a sentence may be divided: the connector's token and the first token after it.
    pub fn connectors(&self, range: &Range<usize>) -> Vec<(usize, usize)> {
        let mut out: Vec<(usize, usize)> = Vec::new();
        let mut quoted = false;
        for at in range.clone() {
            let word = lower(self.heard.typed(at));
            if matches!(word.as_str(), "\"" | "“" | "”") {
                quoted = !quoted;
            }
            if !CONNECTORS.contains(&word.as_str()) || quoted || at == range.start || self.heard.hidden_by(at).is_some()
            {
                continue;
            }
            match out.last_mut() {
                Some((_, after)) if *after == at => *after = at + 1,
                Some(_) | None => out.push((at, at + 1)),
            }
        }
        out.retain(|(_, after)| *after < range.end);
        out
    }

    /// Whether the right side is a request of its own rather than more of the left one's title or body.
    pub fn divides(&self, left: &Clause, right: &Clause, right_range: &Range<usize>) -> bool {
        let another_event =
            left.command == "calendar.create_event" && right.command == "calendar.create_event" && right.has_time;
        // "… asked three times, and I've run out of excuses" is no event.
        let told =
            right.command == "calendar.create_event" && !right.has_time && self.begins(right_range, &["subject"]);
        // "Remember that they have a big dog and I've to ring before I call" is one thing to remember.
        let known = left.command == "memory.store" && self.begins(right_range, &["subject"]);
        if self.is_own_need(left, right_range) || told || known {
            return false;
        }
        if right.weak {
            // "Tutorial Friday 2pm, also print the slides by Thursday".
            let event_and_errand = left.command == "calendar.create_event"
                && right.command == "task.create"
                && left.has_time
                && right.has_time;
            let another_errand =
                left.command == "task.create" && right.command == "task.create" && left.has_time && right.has_time;
            // "Remind me at 1 to feed the fish | and at 3 to lock the gate", "… and to lock the gate at 3", "… and another
            // one of 20 min".
            let timed_first = self.heard.hidden_by(right_range.start).is_some();
            let anew = another_errand && (timed_first || self.begins(right_range, &["anew", "further"]));
            return anew || (another_event || another_errand || event_and_errand) && !left.open_ended;
        }
        if !left.open_ended || another_event {
            return true;
        }
        let starts_letter = right.command.starts_with("email.") && right.command != "email.search";
        let is_vague = right.command.starts_with("item.")
            || right.command.starts_with("memory.")
            || starts_letter
            || matches!(right.command.as_str(), "task.complete" | "task.update" | "calendar.update_event");
        if left.command == "task.create" && is_vague {
            return false;
        }
        !self.is_told(right_range)
    }

    /// Why something is looked up: "find me some time next week, | I need to get my own work done".
    pub fn is_own_need(&self, asked: &Clause, range: &Range<usize>) -> bool {
        asked.looks_up() && self.begins(range, &["ownneed"])
    }

    /// "When am I free? | Gotta see the tailor at some point", "What's on tomorrow? | I need to know when to get up": a
    /// sentence that tells what something was looked up for, and not "What's on tomorrow? I need to buy milk".
    pub fn tells_why(&self, before: &[Clause], found: &[Clause], sentence: &Range<usize>) -> bool {
        let Some(asked) = before.last().filter(|asked| self.is_own_need(asked, sentence)) else {
            return false;
        };
        let ids = self.heard.ids(sentence.clone());
        let of_it = ["it", "purpose"].iter().any(|class| self.grammar.lexicon.find(class, &ids).is_some());
        let created = |clause: &Clause| matches!(clause.command.as_str(), "task.create" | "calendar.create_event");
        (of_it || asked.command == "calendar.find_free_time")
            && found.iter().all(|clause| !clause.has_time && created(clause))
    }

    pub fn says_mark(&self, mut range: Range<usize>, mark: &str) -> bool {
        range.any(|at| self.heard.typed(at) == mark)
    }

    /// Whether what is seen of a range begins with a phrase of one of the classes.
    pub fn begins(&self, range: &Range<usize>, classes: &[&str]) -> bool {
        let ids = self.heard.ids(range.clone());
        classes.iter().any(|class| self.grammar.lexicon.starts(class, &ids).is_some())
    }
}
