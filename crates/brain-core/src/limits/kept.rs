//! How long everything is kept that would otherwise only grow: one table, each row with its reason and its setting.
//!
//! What people keep themselves (tasks, events, notes, memories, contacts) and what is open is in no row: it stays.

/// What is not kept for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kept {
    /// Updates that were answered.
    Inbox,
    /// Messages that could not be delivered.
    Outbox,
    /// What was said.
    Conversation,
    /// Messages whose buttons can change them.
    Shown,
    /// Cards that have come to their end, and which messages showed them.
    Cards,
    /// What takes a done action back, used or too late.
    Undo,
    /// What was offered on buttons and nobody took.
    Offers,
    /// How each turn went.
    Traces,
    /// What calls of models came to.
    Usage,
    /// Who decided what.
    Audit,
    /// Records that could not be read.
    Aside,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// What it is about.
    pub of: Kept,
    /// The same in words, for people.
    pub what: &'static str,
    /// The environment's name of it.
    pub setting: &'static str,
    /// How long, where nothing else is set.
    pub secs: i64,
    /// Less is refused.
    pub secs_min: i64,
    /// Why so long.
    pub why: &'static str,
    /// Why not less.
    pub why_min: &'static str,
}

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// More is a mistake in writing, or for ever.
pub const KEPT_SECS_MAX: i64 = 36_500 * DAY;

/// Everything that is not kept for ever.
pub const RETENTION: [Retention; 11] = [
    Retention {
        of: Kept::Inbox,
        what: "updates that were answered (their numbers, without words)",
        setting: "BRAIN_KEEP_INBOX",
        secs: 2 * DAY,
        secs_min: super::UPDATE_KEPT_SECS,
        why: "Telegram may deliver an update again for a day; so it is known and not answered twice",
        why_min: "Telegram may deliver an update again for a day, and clocks differ",
    },
    Retention {
        of: Kept::Outbox,
        what: "messages that could not be delivered",
        setting: "BRAIN_KEEP_OUTBOX",
        secs: 30 * DAY,
        secs_min: DAY,
        why: "whoever blocked the bot for a holiday finds what was meant for them; later nobody waits for it",
        why_min: "a network may be gone for a night",
    },
    Retention {
        of: Kept::Conversation,
        what: "what was said, by both sides",
        setting: "BRAIN_KEEP_CONVERSATION",
        secs: 2 * 365 * DAY,
        secs_min: DAY,
        why: "“what did I ask you last summer?” has an answer; a person's own facts are in their memories, which stay",
        why_min: "an answer refers to what was said before it",
    },
    Retention {
        of: Kept::Shown,
        what: "messages with buttons, so that a press can change them",
        setting: "BRAIN_KEEP_BUTTONS",
        secs: 30 * DAY,
        secs_min: DAY,
        why: "a reminder of a month ago can still be ticked; an older press is answered below it",
        why_min: "a reminder of the evening is ticked the next morning",
    },
    Retention {
        of: Kept::Cards,
        what: "cards that were decided, and which messages showed them",
        setting: "BRAIN_KEEP_CARDS",
        secs: 365 * DAY,
        secs_min: 7 * DAY,
        why: "a reply to a card is understood, and what was sent can be looked up word by word, for a year",
        why_min: "a late press on a card has to be told what became of it",
    },
    Retention {
        of: Kept::Undo,
        what: "undos, used or too late",
        setting: "BRAIN_KEEP_UNDO",
        secs: DAY,
        secs_min: HOUR,
        why: "a late or second press on Undo is told the truth for a day",
        why_min: "an undo works for ten minutes, and a second press on it is told so",
    },
    Retention {
        of: Kept::Offers,
        what: "offers that nobody took",
        setting: "BRAIN_KEEP_OFFERS",
        secs: DAY,
        secs_min: HOUR,
        why: "an offer can be taken for a day; afterwards a press is told that it is over",
        why_min: "an offer that is over is still told apart from one that never was",
    },
    Retention {
        of: Kept::Traces,
        what: "how each turn went: stages, times, tokens, never words",
        setting: "BRAIN_KEEP_TRACES",
        secs: 30 * DAY,
        secs_min: 7 * DAY,
        why: "a fault is looked into within a month, and a month is what costs are counted by",
        why_min: "/status speaks of the last week",
    },
    Retention {
        of: Kept::Usage,
        what: "what calls of models came to, by day, person, stage and model, never words",
        setting: "BRAIN_KEEP_USAGE",
        secs: 400 * DAY,
        secs_min: 31 * DAY,
        why: "what a year has cost is seen beside the year before",
        why_min: "a budget is counted by the month",
    },
    Retention {
        of: Kept::Audit,
        what: "who decided what and when, never words",
        setting: "BRAIN_KEEP_AUDIT",
        secs: 2 * 365 * DAY,
        secs_min: 30 * DAY,
        why: "a doubt about a mail or an invitation comes up within two years; a row is small",
        why_min: "an audit that forgets within a month answers nobody",
    },
    Retention {
        of: Kept::Aside,
        what: "records that could not be read, as they were",
        setting: "BRAIN_KEEP_ASIDE",
        secs: 90 * DAY,
        secs_min: 7 * DAY,
        why: "time to bring a newer version back, or to have the fault looked into, after it was told",
        why_min: "whoever runs this has to have time to look",
    },
];

/// Seconds in the unit that people would choose: `25h`, `30d`.
pub fn in_words(secs: i64) -> String {
    if secs % DAY == 0 { format!("{}d", secs / DAY) } else { format!("{}h", secs / HOUR) }
}

/// How long each is kept in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keep([i64; RETENTION.len()]);

impl Default for Keep {
    fn default() -> Self {
        Self(RETENTION.map(|row| row.secs))
    }
}

impl Keep {
    /// How long, in seconds.
    pub fn secs(&self, of: Kept) -> i64 {
        RETENTION.iter().position(|row| row.of == of).map_or(KEPT_SECS_MAX, |at| self.0[at])
    }

    /// The same with another length for one.
    #[must_use]
    pub fn with(mut self, of: Kept, secs: i64) -> Self {
        if let Some(at) = RETENTION.iter().position(|row| row.of == of) {
            self.0[at] = secs;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_reason_and_keeps_at_least_what_it_needs() {
        for row in RETENTION {
            assert!(row.secs >= row.secs_min && row.secs <= KEPT_SECS_MAX, "{row:?}");
            assert!(row.setting.starts_with("BRAIN_KEEP_") && !row.why.is_empty() && !row.why_min.is_empty());
            assert_eq!(RETENTION.iter().filter(|other| other.of == row.of).count(), 1);
        }
    }

    #[test]
    fn operation_tells_of_each_how_long_and_why() {
        let told = include_str!("../../../../docs/operation.md");
        for row in RETENTION {
            let line = format!(
                "| {} | {} | `{}` | {} | {} |",
                row.what,
                in_words(row.secs),
                row.setting,
                row.why,
                in_words(row.secs_min)
            );
            assert!(told.contains(&line), "docs/operation.md lacks this line:\n{line}");
        }
    }
}
