//! Sight: what a person has before them as they write, so that a model has it in its prompt. One record a turn, and two
//! renderings of it.
//!
//! ```text
//!            data: what is said with                control: what chooses commands
//! history    every message, theirs and ours         the person's own words; of ours service.command
//! in hand    rows, things, a quote, files           how many rows of which command; which commands made things
//! open       cards and questions with their values  which command waits, with which parameters; what code asks
//! moment     now, where they are, fourteen days     the same
//! ```
//!
//! Invariants: in the control rendering stands no word of anybody's but the person and this program, whatever others
//! call their mails, events, files and tools; both are bounded in tokens; lines of a text that is shown whole cannot
//! look like lines of ours. Not here: whose a value is that a planner takes from it (`provenance`), and which stage gets
//! which rendering.

use chrono::{DateTime, Datelike, Days};
use chrono_tz::Tz;

use super::history::{FOUND, History, ItemRef, PastAction};
use super::plan::PlannedAction;
use super::text::{one_line, quoted, shorten};
use crate::limits;

/// Stands before each line of a text that is shown whole.
const WITHIN: &str = "  │ ";

/// See the module.
#[derive(Debug, Clone)]
pub struct Sight<'a> {
    /// When the message was written, where the person is.
    pub now: DateTime<Tz>,
    /// The conversation before it.
    pub history: History<'a>,
    /// What there is to point at.
    pub in_hand: InHand<'a>,
    /// The person's cards that wait here, oldest first.
    pub cards: Vec<OpenCard<'a>>,
    /// Our question that waits.
    pub question: Option<OpenQuestion<'a>>,
}

/// What a message may point at.
#[derive(Debug, Clone, Default)]
pub struct InHand<'a> {
    /// What was listed last.
    pub listed: Option<&'a PastAction>,
    /// Things that were made, changed, found or told, each once, the last one first.
    pub touched: Vec<&'a PastAction>,
    /// Our last answer, where the history has only its beginning.
    pub answer: Option<&'a str>,
    /// The message of ours that this one replies to.
    pub replied: Option<RepliedTo<'a>>,
    /// Names of the files that go along with a mail that is written now.
    pub files: Vec<&'a str>,
}

/// A message of ours that is replied to.
#[derive(Debug, Clone)]
pub struct RepliedTo<'a> {
    /// Its words.
    pub text: &'a str,
    /// What it was about.
    pub about: &'a [PastAction],
    /// What of it is quoted.
    pub quote: Option<&'a str>,
}

/// A card that waits for a yes or no.
#[derive(Debug, Clone)]
pub struct OpenCard<'a> {
    /// What a planner calls it by.
    pub id: &'a str,
    /// What was asked for.
    pub request: &'a str,
    /// With the values that stand on it.
    pub actions: Vec<PlannedAction>,
}

/// A question of ours that waits.
#[derive(Debug, Clone)]
pub struct OpenQuestion<'a> {
    /// What was asked for.
    pub request: &'a str,
    /// As it was asked.
    pub question: &'a str,
    /// The same as code words it, without a value in it.
    pub by_code: String,
    /// What can be chosen.
    pub choices: Vec<&'a str>,
    /// What a planner calls it by, where it is an offer that a yes takes.
    pub offer: Option<&'a str>,
}

/// A rendering with the conversation apart, which grows at its end alone and is what a short prompt leaves out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SightLines {
    /// The conversation, oldest first.
    pub history: Vec<String>,
    /// What is in hand and open: as much as fits.
    pub shown: Vec<String>,
    /// The moment.
    pub moment: Vec<String>,
}

impl SightLines {
    /// All but the conversation.
    pub fn beside(&self) -> Vec<String> {
        [self.shown.as_slice(), &self.moment].concat()
    }
}

impl Sight<'_> {
    /// For parameters and words. `history`: tokens of the conversation; what else is in sight has a budget of its own.
    pub fn data(&self, history: usize) -> SightLines {
        let answer = self.in_hand.answer.map(|text| {
            let shown = shorten(text, limits::SIGHT_ANSWER_CHARS);
            let lines = shown.lines().map(|line| format!("{WITHIN}{line}"));
            ["Your last answer, whole:".to_owned()].into_iter().chain(lines).collect()
        });
        // What matters most comes first here, and stands last.
        let parts = [self.open(), self.in_hand.data(), answer.unwrap_or_default()];
        let mut left = limits::SIGHT_TOKENS * limits::TOKEN_BYTES;
        let mut kept: Vec<Vec<String>> = parts.into_iter().map(|lines| within(lines, &mut left)).collect();
        kept.reverse();
        SightLines { history: self.history.transcript(history), shown: kept.concat(), moment: self.moment() }
    }

    /// For whoever chooses what is done: nobody's words but the person's own and those of code.
    pub fn control(&self) -> SightLines {
        let mut shown = self.in_hand.control();
        shown.extend(self.cards.iter().map(|card| {
            let named: Vec<String> = card.actions.iter().map(with_parameters).collect();
            format!("waits for yes or no: {}", named.join(", "))
        }));
        shown.extend(self.question.iter().map(|question| question.by_code.clone()));
        let mut left = limits::SIGHT_CONTROL_TOKENS * limits::TOKEN_BYTES;
        SightLines { history: self.history.own_lines(), shown: within(shown, &mut left), moment: self.moment() }
    }

    fn moment(&self) -> Vec<String> {
        vec![format!("Now: {} ({})", self.now.format("%A %Y-%m-%dT%H:%M"), self.now.timezone().name()), self.days()]
    }

    /// The days that models get wrong when they compute them; the same all day.
    pub fn days(&self) -> String {
        let today = self.now.date_naive();
        let days = (0..limits::SIGHT_DAYS).filter_map(|ahead| today.checked_add_days(Days::new(ahead)));
        let days = days.enumerate().map(|(ahead, day)| {
            let called = ["(today)", "(tomorrow)"].get(ahead).map(|called| format!(" {called}")).unwrap_or_default();
            match ahead == 0 || day.day() == 1 {
                true => format!("{}{called}", day.format("%a %Y-%m-%d")),
                false => format!("{}{called}", day.format("%a %d")),
            }
        });
        format!("Days: {}", days.collect::<Vec<_>>().join(", "))
    }

    fn open(&self) -> Vec<String> {
        let cards = self.cards.iter().map(|card| {
            let actions = card.actions.iter().map(PlannedAction::as_proposed).collect::<serde_json::Value>();
            let wanted = quoted(card.request, limits::FOLDED_MESSAGE_CHARS);
            let actions = shorten(&actions.to_string(), limits::WAITING_CHARS_MAX);
            format!("Card {}, waits for their yes or no since they asked {wanted}: {actions}", card.id)
        });
        let question = self.question.iter().map(|question| {
            let numbered = question.choices.iter().enumerate();
            let choices: Vec<String> = numbered.map(|(at, label)| format!("{}. {}", at + 1, one_line(label))).collect();
            let choices = if choices.is_empty() { String::new() } else { format!(" [{}]", choices.join("; ")) };
            let wanted = quoted(question.request, limits::FOLDED_MESSAGE_CHARS);
            let asked = one_line(question.question);
            match question.offer {
                Some(id) => format!("Offer {id}, waits for a tap or a yes since they asked {wanted}: {asked}"),
                None if question.request.trim().is_empty() => {
                    format!("You asked, and have no answer yet: {asked}{choices}")
                }
                None => format!("You asked about {wanted}, and have no answer yet: {asked}{choices}"),
            }
        });
        cards.chain(question).collect()
    }
}

impl InHand<'_> {
    fn data(&self) -> Vec<String> {
        let listed = self.listed.map(|past| {
            let row = |(at, row): (usize, &ItemRef)| {
                let detail = past.details.get(at).filter(|detail| !detail.is_empty());
                let detail =
                    detail.map(|detail| format!(" ({})", shorten(&one_line(detail), limits::ROW_DETAIL_CHARS)));
                format!("{}. {}{}", at + 1, with_id(row), detail.unwrap_or_default())
            };
            let rows: Vec<String> = past.rows.iter().take(limits::SIGHT_ROWS_MAX).enumerate().map(row).collect();
            let more = past.rows.len().saturating_sub(rows.len());
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            format!("Listed last ({}): {}{more}", past.name(), rows.join("; "))
        });
        let touched = self.touched.iter().filter_map(|past| {
            let params = serde_json::to_string(&past.params).unwrap_or_default();
            let params = if past.params.is_empty() { String::new() } else { format!(" {params}") };
            let params = shorten(&params, limits::WAITING_CHARS_MAX);
            Some(format!("In hand ({}): {}{params}", past.name(), with_id(past.item.as_ref()?)))
        });
        let replied = self.replied.iter().map(|replied| {
            let about = replied.about.iter().map(|past| format!(" {}", past.named())).collect::<String>();
            let quote = replied
                .quote
                .map(|quote| format!("; it quotes: {}", shorten(&one_line(quote), limits::ANSWER_IN_HISTORY_CHARS)));
            let text = shorten(&one_line(replied.text), limits::ANSWER_IN_HISTORY_CHARS);
            format!("The message replies to yours: {text}{about}{}", quote.unwrap_or_default())
        });
        let name = |name: &&str| quoted(name, limits::NAME_CHARS_MAX);
        let files = self.files.iter().map(|file| format!("Goes along with a mail that is written now: {}", name(file)));
        listed.into_iter().chain(touched).chain(replied).chain(files).collect()
    }

    fn control(&self) -> Vec<String> {
        let listed = self.listed.map(|past| format!("on the screen: rows 1 to {} of {}", past.rows.len(), past.name()));
        let touched: Vec<String> = self.touched.iter().map(|past| past.name()).collect();
        let touched = (!touched.is_empty()).then(|| format!("in hand, the last one first: {}", touched.join(", ")));
        let replied = self.replied.as_ref().map(|replied| {
            let about: Vec<String> = replied.about.iter().map(PastAction::name).collect();
            format!("the message replies to what came of: {}", about.join(", "))
        });
        let files = (!self.files.is_empty()).then(|| format!("files at hand: {}", self.files.len()));
        listed.into_iter().chain(touched).chain(replied).chain(files).collect()
    }
}

impl PastAction {
    /// `service.command`; of what was only found or told, its service.
    pub fn name(&self) -> String {
        match self.command.as_str() {
            FOUND => self.service.clone(),
            command => format!("{}.{command}", self.service),
        }
    }
}

fn with_id(ItemRef { id, label }: &ItemRef) -> String {
    let label = quoted(label, limits::SIGHT_LABEL_CHARS);
    if id.is_empty() { label } else { format!("{id} {label}") }
}

/// A command, and what is filled in of it, by name.
fn with_parameters(planned: &PlannedAction) -> String {
    let names: Vec<&str> = planned.params.keys().map(String::as_str).collect();
    format!("{} ({})", planned.name(), names.join(", "))
}

/// The lines that fit, each whole; the one after them as far as it fits.
fn within(lines: Vec<String>, left: &mut usize) -> Vec<String> {
    let mut kept = Vec::new();
    for line in lines {
        match left.checked_sub(line.len() + 1) {
            Some(rest) => {
                *left = rest;
                kept.push(line);
            }
            None => {
                let chars = std::mem::take(left) / limits::TOKEN_BYTES;
                kept.extend((chars > 0).then(|| shorten(&line, chars)));
                break;
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests;
