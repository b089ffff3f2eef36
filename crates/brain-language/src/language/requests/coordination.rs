//! Coordination: whether a request is one more, or goes on with what the request before it is about.

use std::ops::Range;

use super::lexicon::{RequestLexicon, WordId};
use super::parser::{Parse, Parser};
use brain_core::core::plan::PlannedAction;

impl Parser<'_> {
    /// Whether the right side is a request of its own rather than more of the left one's title or body.
    pub fn is_further(&self, left: &Parse, right: &Parse, right_range: &Range<usize>) -> bool {
        let another_event =
            left.command == "calendar.create_event" && right.command == "calendar.create_event" && right.has_time;
        // A statement with a subject and without a time is no event.
        let told =
            right.command == "calendar.create_event" && !right.has_time && self.begins(right_range, &["subject"]);
        // Behind a verb of remembering a second clause is a part of the one thing to remember.
        let known = left.command == "memory.store" && self.begins(right_range, &["subject"]);
        if self.is_own_need(left, right_range) || told || known {
            return false;
        }
        if right.weak {
            // An event, and behind a conjunction an errand with its own deadline.
            let event_and_errand = left.command == "calendar.create_event"
                && right.command == "task.create"
                && left.has_time
                && right.has_time;
            let another_errand =
                left.command == "task.create" && right.command == "task.create" && left.has_time && right.has_time;
            // Further errands of the same request: each with its time before it or behind it, or by a pro-form with its
            // amount.
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

    /// Why something is looked up: a need of the person's own, told behind a border.
    pub fn is_own_need(&self, asked: &Parse, range: &Range<usize>) -> bool {
        asked.looks_up && self.begins(range, &["ownneed"])
    }

    /// What tells what something was looked up for: a verb of need whose object needs the answer, and not an errand of
    /// its own.
    pub fn tells_why(&self, asked: &Parse, told: &Parse, range: &Range<usize>) -> bool {
        let holds = |class: &&str| self.grammar.lexicon.find(class, self.heard.ids(range.clone())).is_some();
        let of_it = ["it", "purpose"].iter().any(holds);
        let created = matches!(told.command.as_str(), "task.create" | "calendar.create_event");
        self.is_own_need(asked, range)
            && (of_it || asked.command == "calendar.find_free_time")
            && !told.has_time
            && created
    }

    /// Whether what is seen of a range begins with a phrase of one of the classes.
    pub fn begins(&self, range: &Range<usize>, classes: &[&str]) -> bool {
        classes.iter().any(|class| self.grammar.lexicon.starts(class, self.heard.ids(range.clone())).is_some())
    }
}

impl Parse {
    /// What is looked up has a name without a comma, and an event that has its time needs no more words.
    pub fn ends_at_a_comma(&self) -> bool {
        let found_by_name = |action: &PlannedAction| {
            matches!(
                (action.service.as_str(), action.command.as_str()),
                ("email", "read_thread" | "mark" | "delete_email")
                    | ("memory", "forget")
                    | ("task", "delete" | "complete")
                    | ("calendar" | "keep", "delete_event" | "delete")
            )
        };
        let invites = self.actions().any(|action| action.params.contains_key("attendees"));
        let stated = self.command == "calendar.create_event" && self.has_time && !invites;
        stated || self.looks_up || self.actions().all(found_by_name)
    }
}

/// Words behind a comma that may say where something is, by which number, or what it is called.
pub fn may_be_needed(told: &str, ids: &[WordId], lexicon: RequestLexicon) -> bool {
    let names = told.split_whitespace().any(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()));
    names || lexicon.starts("det", ids).is_some() || lexicon.find("placenoun", ids).is_some()
}
