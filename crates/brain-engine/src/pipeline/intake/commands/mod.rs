//! Slash commands. One table says what there is: the menu of Telegram, `/help`, the hint after a slip of the
//! finger and the dispatch all come from [`COMMANDS`].
//!
//! Invariants: every command is answered without a model; only words the person typed are commands; what shows
//! or changes private things works in the private chat alone. Everything a command shows of a service it asks
//! that service for, through the port.

mod conversation;
mod export;
mod help;
mod status;
mod trace;

use super::offers;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::consent;
use crate::pipeline::consent::stopping;
use crate::pipeline::consent::waiting::waiting_here;
use crate::pipeline::running::Stopped;
use crate::pipeline::stages::assistant::lists::{self, List};
use crate::pipeline::stages::assistant::{Intended, memory, settings, undo};
use crate::pipeline::stages::investigate;
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::button::{CardVerb, Press};
use brain_core::core::pending::Means;
use brain_core::core::turn::{Input, Origin, Path};
use brain_core::ports::StoreError;
use brain_language::language::words::{distance, fold};

/// Where a command works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In groups as well.
    Anywhere,
    /// In the private chat only.
    Private,
}

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandKind {
    Start,
    Help,
    Today,
    Week,
    Tasks,
    Pending,
    Undo,
    Settings,
    Memory,
    Forget,
    Export,
    Cancel,
    Status,
    Trace,
}

impl CommandKind {
    /// Whether a command of this origin is obeyed. In a group one may ask to be shown things (they come
    /// privately) and stop what runs; what changes or hands over something is typed in the private chat.
    fn counts_from(self, origin: Origin) -> bool {
        match origin {
            Origin::Typed | Origin::PartialQuote => true,
            Origin::InGroup => match self {
                Self::Start | Self::Help | Self::Today | Self::Week | Self::Tasks | Self::Pending => true,
                Self::Memory | Self::Status | Self::Cancel => true,
                Self::Undo | Self::Settings | Self::Forget | Self::Export | Self::Trace => false,
            },
            Origin::Edited | Origin::Forwarded | Origin::Caption | Origin::Transcript | Origin::OnBehalf => false,
        }
    }
}

/// A slash command as people see it.
#[derive(Debug)]
pub struct SlashCommand {
    /// Without the slash.
    pub name: &'static str,
    /// One line for menus, in the person's words.
    pub words: &'static str,
    /// What may follow, for `/help`.
    pub argument: &'static str,
    /// Where it works.
    pub place: Where,
    kind: CommandKind,
}

const fn command(name: &'static str, words: &'static str, kind: CommandKind) -> SlashCommand {
    SlashCommand { name, words, argument: "", place: Where::Private, kind }
}

/// All of them, in the order of menus.
pub const COMMANDS: [SlashCommand; 14] = [
    command("today", "What today holds", CommandKind::Today),
    command("week", "The next seven days", CommandKind::Week),
    command("tasks", "What is still to do", CommandKind::Tasks),
    command("pending", "What waits for your yes or no", CommandKind::Pending),
    command("undo", "Take back the last thing I did", CommandKind::Undo),
    SlashCommand {
        place: Where::Anywhere,
        ..command("cancel", "Stop what runs, or drop what waits", CommandKind::Cancel)
    },
    command("settings", "Time zone, language, tone, quiet hours, briefing", CommandKind::Settings),
    command(
        "memory",
        "What I remember about you; /memory WORD: of that, and before; /memory conversation: of what we said",
        CommandKind::Memory,
    ),
    SlashCommand { argument: "WHAT", ..command("forget", "Erase something I remember", CommandKind::Forget) },
    command("export", "Your data, as a file; /export calendar: your events for other calendars", CommandKind::Export),
    command(
        "trace",
        "How I got to my last answer; /trace 3: to the third last; in reply to one: to that",
        CommandKind::Trace,
    ),
    command(
        "status",
        "Whether everything works; for whoever runs me: /status turns, figures, people or cards",
        CommandKind::Status,
    ),
    SlashCommand {
        place: Where::Anywhere,
        ..command("help", "What I can do; /help mail: all that I can do with that", CommandKind::Help)
    },
    command("start", "Hello, with two examples", CommandKind::Start),
];

/// The command a message holds: its name without slash and bot name, and what follows.
pub fn parse(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start().strip_prefix('/')?;
    let (word, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let name = word.split('@').next().unwrap_or(word);
    let fine = !name.is_empty() && name.len() <= 32 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    fine.then_some((name, arguments.trim()))
}

const STOPPING: &str = "Okay, stopping.";

fn find(name: &str) -> Option<&'static SlashCommand> {
    COMMANDS.iter().find(|command| command.name.eq_ignore_ascii_case(name))
}

/// True for input that overtakes what is running: `/cancel` and presses. Doing a changed message again is a turn
/// like any other and waits in line.
pub fn overtakes(input: &Input) -> bool {
    match input {
        Input::Press { data, .. } => !matches!(Press::decode(data), Some(Press::Redo(_))),
        Input::Message { text, .. } => {
            parse(text).and_then(|(name, _)| find(name)).is_some_and(|command| command.kind == CommandKind::Cancel)
        }
    }
}

/// True for turns that `/cancel` may stop.
pub fn stoppable(input: &Input) -> bool {
    !overtakes(input)
}

/// Answers a command; `None` when the message is none.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Intended>, TurnError> {
    let words = turn.facts.words();
    if words.trim().is_empty() {
        return Ok(Some(
            Answer::says(Path::Chat, "That message was empty. What can I do for you?").keeping_question().into(),
        ));
    }
    let Some((name, rest)) = parse(words) else {
        return Ok(None);
    };
    let says = |text: String| Answer::says(Path::Command, text).keeping_question();
    let Some(command) = find(name) else {
        return Ok(Some(says(unknown(name)).into()));
    };
    if !command.kind.counts_from(turn.facts.origin()) {
        return Ok(Some(
            says(format!("I take /{} only when you type it here yourself. Nothing was done.", command.name)).into(),
        ));
    }
    if command.place == Where::Private && !turn.facts.chat().is_private_of(turn.facts.owner()) {
        return Ok(Some(
            says(format!("/{} is between you and me: please write it in our private chat.", command.name)).into(),
        ));
    }
    let (kind, intended) = (command.kind, carry_out(turn, command.kind, rest).await?);
    Ok(Some(intended.then(move |answer| {
        let settles = matches!(answer.clarification, Question::Settled) && kind != CommandKind::Cancel;
        if settles { answer.keeping_question() } else { answer }
    })))
}

async fn carry_out(turn: &Turn<'_>, kind: CommandKind, rest: &str) -> Result<Intended, StoreError> {
    let says = |text: String| Answer::says(Path::Command, text);
    let answer = match kind {
        CommandKind::Start => says(start(turn.brain, &turn.facts)),
        CommandKind::Help => says(help::help(turn.brain, &turn.facts, rest, &shown(&turn.facts))),
        CommandKind::Today => lists::shown(turn.brain, &turn.facts, List::Today, None).await?,
        CommandKind::Week => lists::shown(turn.brain, &turn.facts, List::Week, None).await?,
        CommandKind::Tasks => lists::shown(turn.brain, &turn.facts, List::Tasks, None).await?,
        CommandKind::Pending => lists::shown(turn.brain, &turn.facts, List::Pending, None).await?,
        CommandKind::Undo => return undo::last(turn.brain, &turn.facts).await,
        CommandKind::Settings => settings::command(turn.brain, &turn.facts, rest),
        CommandKind::Memory => match conversation::named(rest) {
            Some(rest) => conversation::answer(turn.brain, &turn.facts, rest).await?,
            None if rest.is_empty() => memory::show(turn.brain, &turn.facts, None).await?,
            None => memory::about(turn.brain, &turn.facts, rest).await,
        },
        CommandKind::Forget => return memory::forget(turn.brain, &turn.facts, rest).await,
        CommandKind::Export => export::answer(turn.brain, &turn.facts, rest).await?,
        CommandKind::Cancel => cancel(turn).await?,
        CommandKind::Status => status::answer(turn.brain, &turn.facts, rest).await?,
        CommandKind::Trace => trace::answer(turn.brain, &turn.facts, rest).await?,
    };
    Ok(answer.into())
}

/// What to say to a command that does not exist: the one it is closest to, if any is close.
fn unknown(name: &str) -> String {
    let name = fold(name);
    let close = COMMANDS.iter().filter_map(|command| Some((distance(command.name, &name, 2)?, command.name))).min();
    match close {
        Some((_, close)) => format!("I don't know /{name}. Did you mean /{close}? /help shows all."),
        None => format!("I don't know /{name}. /help shows what there is. Or just say what you need."),
    }
}

fn start(brain: &Brain, facts: &TurnFacts) -> String {
    let zone = facts.ctx.zone;
    let assumed = if facts.user.zone.is_none() && brain.policy.zone_assumed { " (this machine's)" } else { "" };
    format!(
        "Hi! I keep your tasks, reminders, calendar, mail, notes and memories, and I ask before I do anything that can't be taken back.\n\n\
         Try:\n• Remind me to call mom tomorrow at 5pm\n• What do I have this week?\n\n\
         Your time zone is {}{assumed}; it's {} there. If that is wrong, write “my time zone is Lisbon” with your city.\n\
         /help shows everything.",
        zone.name(),
        facts.ctx.now.with_timezone(&zone).format("%H:%M"),
    )
}

/// The commands that work in a chat, a line each.
fn shown(facts: &TurnFacts) -> Vec<String> {
    let private = facts.chat().is_private_of(facts.owner());
    let line = |command: &SlashCommand| {
        let argument = if command.argument.is_empty() { String::new() } else { format!(" {}", command.argument) };
        format!("/{}{argument}: {}", command.name, command.words)
    };
    COMMANDS.iter().filter(|command| private || command.place == Where::Anywhere).map(line).collect()
}

/// Stops what runs in this chat; else drops the only open card; else lists them. What has begun to happen cannot
/// be stopped, and that is said.
async fn cancel(turn: &Turn<'_>) -> Result<Answer, StoreError> {
    let stopped = turn.brain.running.stop(turn.facts.chat());
    let under_way = stopping::all_under_way(turn.brain, &turn.facts).await?;
    let told = match stopped {
        Stopped::Turn => Some(under_way.told().map_or(STOPPING.to_owned(), |told| format!("{STOPPING} {told}"))),
        Stopped::Rest | Stopped::Nothing => under_way.in_words(),
    };
    if let Some(told) = told {
        return Ok(Answer::says(Path::Command, told).keeping_question());
    }
    let questions = waiting_here(turn.brain, &turn.facts).await?;
    let asked_last = turn.facts.open_question().and_then(|question| question.offer.as_deref());
    let asked = questions.iter().find(|question| asked_last == Some(question.id.as_str()));
    match (turn.facts.open.as_slice(), questions.as_slice()) {
        ([], []) if turn.facts.state.clarification.is_some() || turn.facts.state.snoozing.is_some() => {
            Ok(Answer::says(Path::Command, "Okay, never mind."))
        }
        ([], []) => Ok(Answer::says(Path::Command, "There is nothing to cancel.")),
        // What was asked last is what is dropped, whatever else waits.
        ([], _) if asked.is_none() && (turn.facts.open_question().is_some() || turn.facts.state.snoozing.is_some()) => {
            Ok(Answer::says(Path::Command, "Okay, never mind."))
        }
        ([], several) if asked.is_some() || several.len() == 1 => {
            let only = asked.unwrap_or(&several[0]);
            Ok(Answer { path: Path::Command, ..offers::take(turn, only.id.as_str(), investigate::LEAVE).await? })
        }
        ([only], []) => {
            let decided = consent::decide(turn, &only.id.clone(), CardVerb::Cancel, None, Means::Command).await?;
            Ok(decided.keeping_question())
        }
        (_, []) => Ok(consent::which(turn.brain, &turn.facts, Some(CardVerb::Cancel))),
        (_, _) => lists::pending(turn.brain, &turn.facts, None).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_can_be_a_telegram_command() {
        for command in &COMMANDS {
            let plain = command.name.chars().all(|c| c.is_ascii_lowercase()) && command.name.len() <= 32;
            assert!(plain && (1..=256).contains(&command.words.len()), "{}", command.name);
            assert_eq!(COMMANDS.iter().filter(|other| other.name == command.name).count(), 1);
        }
    }

    #[test]
    fn a_slip_of_the_finger_gets_the_command_that_was_meant() {
        assert!(unknown("taks").contains("/tasks"));
        assert!(unknown("setings").contains("/settings"));
        assert!(unknown("PENDNG").contains("/pending"));
        assert!(!unknown("frobnicate").contains("Did you mean"));
    }

    #[test]
    fn a_command_is_found_whatever_its_case_and_the_bots_name_behind_it() {
        assert_eq!(parse("/Today@brain_bot  now "), Some(("Today", "now")));
        assert_eq!(find("Today").map(|command| command.name), Some("today"));
        for text in ["today", "/", "/ today", "/tö", "see /today"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
