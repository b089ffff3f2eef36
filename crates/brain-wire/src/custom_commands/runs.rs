//! Whether a value could become a program, or the text of one, in the call of a program that runs others: a shell, an
//! interpreter, `env`, `find -exec`. Which there are is data (`data/programs.txt`).
//!
//! The rule: up to the point where it is settled what runs, every word of a call is fixed; what stands behind is its
//! arguments. Wrappers are looked through. An option of such a program that is not known settles nothing, so no value
//! goes along with it. Only texts are meant: what a number, a date or a choice can be, the file says. Not here: what a
//! program that is not in the data does with its arguments, which is for whoever has written it.

use std::collections::HashMap;
use std::sync::LazyLock;

use brain_core::core::text::quoted;
use brain_core::limits::{DECLARED_NAME_CHARS_MAX, WRAPPERS_MAX};

/// A word of a call as the file has it.
#[derive(Debug, Clone)]
pub(super) struct CallWord {
    /// All of it, or what stands before the first value in it.
    pub(super) fixed: String,
    /// Whether somebody's words are a part of it.
    pub(super) has_text: bool,
}

/// What the data says of a program.
#[derive(Debug)]
struct Runner {
    kind: RunnerKind,
    flags: Vec<&'static str>,
    valued: Vec<&'static str>,
    code: Vec<&'static str>,
    operands: usize,
}

/// What a program reads from as a file.
const STANDARD_INPUT: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunnerKind {
    Script,
    Shell,
    Text,
    Wrapper,
    Remote,
    Options,
}

static RUNNERS: LazyLock<HashMap<&'static str, Runner>> = LazyLock::new(|| {
    let lines = include_str!("../../../../data/programs.txt").lines();
    let rows = lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.flat_map(|row| {
        let mut columns = row.split('|').map(|column| column.split_whitespace().collect::<Vec<_>>());
        let mut next = || columns.next().unwrap_or_default();
        let (names, kind, flags, valued, code, last) = (next(), next(), next(), next(), next(), next());
        let kind = match kind.as_slice() {
            ["script"] => RunnerKind::Script,
            ["shell"] => RunnerKind::Shell,
            ["text"] => RunnerKind::Text,
            ["wrapper"] => RunnerKind::Wrapper,
            ["options"] => RunnerKind::Options,
            // What is not known hands no value on.
            _ => RunnerKind::Remote,
        };
        let operands = last.first().and_then(|count| count.parse().ok()).unwrap_or(0);
        let code = if kind == RunnerKind::Options { last } else { code };
        names.into_iter().map(move |name| {
            let (flags, valued, code) = (flags.clone(), valued.clone(), code.clone());
            (name, Runner { kind, flags, valued, code, operands })
        })
    })
    .collect()
});

/// What an option is to a program. `is_attached`: its value stands in the same word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionKind {
    Flag,
    Valued { is_attached: bool },
    Code { is_attached: bool },
    Unknown,
}

impl Runner {
    /// The one of this name, however its version is written behind it.
    fn named(name: &str) -> Option<&'static Self> {
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        RUNNERS.get(name).or_else(|| RUNNERS.get(plain))
    }

    /// The one that this path leads to.
    fn at(command: &str) -> Option<&'static Self> {
        let there = || Self::named(name_of(std::fs::canonicalize(command).ok()?.to_str()?));
        // One that is many programs (busybox) goes by the name that it is called by.
        Self::named(name_of(command)).or_else(|| there().filter(|there| there.kind != RunnerKind::Wrapper))
    }

    fn option(&self, word: &str) -> OptionKind {
        let is = |known: &[&str], what: &str| known.contains(&what);
        let (name, is_attached) = word.split_once('=').map_or((word, false), |(name, _)| (name, true));
        let long = if word.starts_with("--") { name } else { name.trim_start_matches('-') };
        if is(&self.code, long) {
            return OptionKind::Code { is_attached };
        }
        if is(&self.valued, long) {
            return OptionKind::Valued { is_attached };
        }
        if word.starts_with("--") {
            return if is(&self.flags, word) { OptionKind::Flag } else { OptionKind::Unknown };
        }
        let (letters, mut found) = (word.trim_start_matches('-'), OptionKind::Flag);
        for (at, letter) in letters.char_indices() {
            let (letter, rest) = (&letters[at..at + letter.len_utf8()], &letters[at + letter.len_utf8()..]);
            let is_attached = !rest.is_empty();
            match () {
                () if is(&self.code, letter) && self.kind == RunnerKind::Shell => {
                    found = OptionKind::Code { is_attached: false };
                }
                () if is(&self.code, letter) => return OptionKind::Code { is_attached },
                () if is(&self.valued, letter) && found != OptionKind::Flag => {}
                () if is(&self.valued, letter) => return OptionKind::Valued { is_attached },
                () if is(&self.flags, letter) => {}
                () => return OptionKind::Unknown,
            }
        }
        found
    }
}

fn name_of(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or_default()
}

/// Why a text may not stand where it does, as a clause for whoever wrote the file; `None`: it may.
pub(super) fn misuse(command: &str, args: &[CallWord], stdin_has_text: bool) -> Option<String> {
    if !stdin_has_text && !args.iter().any(|arg| arg.has_text) {
        return None;
    }
    judged(command, args, stdin_has_text, 0)
}

/// The same of a program that stands behind `deep` others.
fn judged(command: &str, args: &[CallWord], stdin_has_text: bool, deep: usize) -> Option<String> {
    let shown = quoted(name_of(command), DECLARED_NAME_CHARS_MAX);
    if deep > WRAPPERS_MAX {
        return Some(format!("{shown} stands behind too many programs that start others"));
    }
    let Some(runner) = Runner::at(command) else {
        return if deep > 0 { further(args, stdin_has_text, deep) } else { unknown_shell(&shown, args) };
    };
    if runner.kind == RunnerKind::Options {
        return of_options(runner, &shown, args, stdin_has_text, deep);
    }
    let (given, rest) = match settled(runner, &shown, args) {
        Ok(found) => found,
        Err(why) => return Some(why),
    };
    match runner.kind {
        RunnerKind::Script | RunnerKind::Shell | RunnerKind::Text if given => None,
        RunnerKind::Script | RunnerKind::Shell | RunnerKind::Text => match rest.first() {
            Some(first) if first.has_text => Some(format!("{shown} would run a text as a program")),
            Some(first) if !stdin_has_text || !STANDARD_INPUT.contains(&first.fixed.as_str()) => None,
            Some(_) | None => Some(format!("{shown} would run what it reads as a program")),
        },
        RunnerKind::Wrapper if given => Some(format!("{shown} would make words of a text")),
        RunnerKind::Wrapper => match rest.split_first() {
            Some((inner, _)) if inner.has_text => Some(format!("a text would be the program that {shown} starts")),
            Some((inner, rest)) => judged(&inner.fixed, rest, stdin_has_text, deep + 1),
            None => None,
        },
        RunnerKind::Remote => {
            // One that stands behind no place makes words of what it reads.
            let reads_as_data = stdin_has_text && !given && runner.operands > 0;
            remote(&shown, rest, reads_as_data, deep)
        }
        RunnerKind::Options => None,
    }
}

/// One that hands all its words to a shell: none of them is a text, and what it reads goes to a program that is settled.
fn remote(shown: &str, rest: &[CallWord], reads_as_data: bool, deep: usize) -> Option<String> {
    if rest.iter().any(|word| word.has_text) {
        return Some(format!("{shown} would take a text for commands"));
    }
    let words = rest.iter().flat_map(|word| word.fixed.split_whitespace());
    let words: Vec<CallWord> = words.map(|word| CallWord { fixed: word.to_owned(), has_text: false }).collect();
    match words.split_first() {
        Some((inner, rest)) if reads_as_data => judged(&inner.fixed, rest, true, deep + 1),
        _ => Some(format!("{shown} could take what it reads for commands")),
    }
}

/// `-c` is what shells have for their text.
fn unknown_shell(shown: &str, args: &[CallWord]) -> Option<String> {
    let is_script = |word: &CallWord| {
        let letters = word.fixed.strip_prefix('-').unwrap_or_default();
        !word.has_text && letters.ends_with('c') && letters.chars().all(|c| c.is_ascii_alphabetic())
    };
    let pair = args.windows(2).find(|pair| is_script(&pair[0]) && pair[1].has_text)?;
    Some(format!("behind {} {shown} could run a text as a program, as a shell does", pair[0].fixed))
}

/// A program that nobody knows, behind one that starts others: perhaps its words name one that is known.
fn further(args: &[CallWord], stdin_has_text: bool, deep: usize) -> Option<String> {
    let at = args.iter().position(|word| !word.has_text && Runner::named(name_of(&word.fixed)).is_some())?;
    judged(&args[at].fixed, &args[at + 1..], stdin_has_text, deep + 1)
}

/// Reads what stands before the program: whether an option gave its text, and what stands behind options and operands.
fn settled<'a>(runner: &Runner, shown: &str, args: &'a [CallWord]) -> Result<(bool, &'a [CallWord]), String> {
    let (mut given, mut rest) = options(runner, shown, args)?;
    for _ in 0..runner.operands {
        let Some((operand, behind)) = rest.split_first() else { break };
        if operand.has_text {
            return Err(early(shown));
        }
        let (more, behind) = options(runner, shown, behind)?;
        (given, rest) = (given || more, behind);
    }
    Ok((given, rest))
}

fn early(shown: &str) -> String {
    format!("a text stands before it is settled what {shown} runs")
}

fn options<'a>(runner: &Runner, shown: &str, args: &'a [CallWord]) -> Result<(bool, &'a [CallWord]), String> {
    let as_program = || format!("{shown} would run a text as a program");
    let is_text = |at: usize| args.get(at).is_some_and(|word| word.has_text);
    // `-v name={text}` of awk: its name is fixed.
    let is_variable = |word: &CallWord| runner.kind == RunnerKind::Text && word.fixed.contains('=');
    let (mut at, mut given, mut is_due) = (0, false, false);
    while let Some(word) = args.get(at) {
        let is_option = word.fixed.len() > 1 && word.fixed.starts_with('-');
        let is_setting = runner.kind == RunnerKind::Wrapper && word.fixed.contains('=') && !is_option;
        if !is_option && !is_setting {
            break;
        }
        let kind = if is_setting { OptionKind::Flag } else { runner.option(&word.fixed) };
        if word.has_text && !(kind == (OptionKind::Valued { is_attached: true }) && is_variable(word)) {
            return Err(early(shown));
        }
        at += 1;
        if word.fixed == "--" {
            break;
        }
        match kind {
            OptionKind::Flag | OptionKind::Valued { is_attached: true } => {}
            OptionKind::Code { is_attached: false } if runner.kind == RunnerKind::Shell => is_due = true,
            // Not every program takes the rest of the word for it.
            OptionKind::Code { .. } if is_text(at) => return Err(as_program()),
            OptionKind::Code { is_attached } => {
                given = true;
                at += usize::from(!is_attached);
            }
            OptionKind::Valued { is_attached: false } => {
                if args.get(at).is_some_and(|value| value.has_text && !is_variable(value)) {
                    return Err(early(shown));
                }
                at += 1;
            }
            OptionKind::Unknown => {
                let option = quoted(&word.fixed, DECLARED_NAME_CHARS_MAX);
                return Err(format!("what {option} of {shown} does with what follows is not known"));
            }
        }
    }
    if is_due {
        // The first operand.
        if is_text(at) {
            return Err(as_program());
        }
        (given, at) = (true, at + 1);
    }
    Ok((given, args.get(at..).unwrap_or_default()))
}

/// One that runs only what its options name.
fn of_options(runner: &Runner, shown: &str, args: &[CallWord], stdin_has_text: bool, deep: usize) -> Option<String> {
    for (at, word) in args.iter().enumerate() {
        let names = |option: &&&str| match option.strip_prefix('-') {
            // A letter, also among others.
            Some(letter) if letter.chars().count() == 1 => {
                word.fixed.starts_with('-') && !word.fixed.starts_with("--") && word.fixed.contains(letter)
            }
            _ => word.fixed.strip_prefix(**option).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')),
        };
        let Some(option) = runner.code.iter().find(names) else { continue };
        let behind = || Some(format!("behind {option} {shown} would run a text"));
        let next = args.get(at + 1).filter(|_| !word.fixed.contains('='));
        match next {
            _ if word.has_text => return behind(),
            Some(next) if next.has_text || (next.fixed == "-" && stdin_has_text) => return behind(),
            Some(next) => {
                let why = judged(&next.fixed, &args[at + 2..], stdin_has_text, deep + 1);
                if why.is_some() {
                    return why;
                }
            }
            None => {}
        }
    }
    None
}
