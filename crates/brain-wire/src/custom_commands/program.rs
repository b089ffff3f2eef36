//! A command that a program of this machine carries out: started once for each call, with values in its arguments.
//!
//! Invariants: a value is a part of one argument, or of what the program reads on standard input; no shell and no
//! interpreter takes it for a program ([`super::runs`]), and it never begins an argument as an option does.

use std::time::Duration;

use super::UnfitValue;
use super::param::{DeclaredParam, ParamType};
use super::runs::{CallWord, misuse};
use super::table::FileTable;
use super::template::Template;
use crate::outside::{CallError, FOLDER_OF_PROGRAMS, ProgramCommand, ToolAnswer, Variables, finished};
use brain_core::core::plan::Params;

/// A call of a program as the file describes it.
#[derive(Debug, Clone)]
pub(super) struct ProgramTemplate {
    command: String,
    args: Vec<Template>,
    stdin: Template,
}

/// A call of a program with its values.
#[derive(Debug)]
pub(super) struct ProgramCall {
    command: ProgramCommand,
    stdin: String,
}

impl ProgramTemplate {
    pub(super) fn read(
        words: &[String],
        stdin: Option<&str>,
        params: &[DeclaredParam],
        env: &Variables<'_>,
        table: &mut FileTable<'_>,
    ) -> Option<Self> {
        let mut template = |text: &str, key: &str| {
            Template::read(text, env).map_err(|why| table.problem(format!("{key}: {why}"))).ok()
        };
        let stdin = stdin.map_or_else(|| Some(Template::default()), |text| template(text, "stdin"));
        let words: Option<Vec<Template>> = words.iter().map(|word| template(word, "program")).collect();
        let (mut args, stdin) = (words?, stdin?);
        if args.is_empty() {
            table.problem("program is empty");
            return None;
        }
        let command = args.remove(0);
        let command = command.text(&Params::new()).filter(|command| command.starts_with('/'));
        if command.is_none() {
            table.problem(
                "program has to begin with a program's whole path, such as /usr/bin/convert, without parameters",
            );
        }
        for why in misread(&args, params) {
            table.problem(why);
        }
        let word = |template: &Template| CallWord {
            fixed: if template.params().next().is_some() { template.prefix().to_owned() } else { template.fixed() },
            has_text: has_text(template, params),
        };
        let called: Vec<CallWord> = args.iter().map(word).collect();
        let why = command.as_ref().and_then(|command| misuse(command, &called, has_text(&stdin, params)));
        if let Some(why) = why {
            table.problem(format!(
                "program: {why}. Write what runs into a file of your own that begins with “#!”, name that as the program, \
                 and hand the value over as its argument; or as an argument behind fixed commands, such as [\"/bin/sh\", \
                 \"-c\", \"echo \\\"$1\\\"\", \"sh\", \"{{…}}\"]"
            ));
        }
        Some(Self { command: command?, args, stdin })
    }

    pub(super) fn templates(&self) -> Vec<&Template> {
        self.args.iter().chain([&self.stdin]).collect()
    }

    /// The call with these values; an argument whose value is not given is left out.
    pub(super) fn filled(&self, surroundings: &ProgramCommand, params: &Params) -> Result<ProgramCall, UnfitValue> {
        let mut args = Vec::new();
        for template in &self.args {
            let Some(arg) = template.text(params) else { continue };
            if template.prefix().is_empty() && template.params().next().is_some() && arg.starts_with('-') {
                return Err(UnfitValue::Option);
            }
            if arg.contains('\0') {
                return Err(UnfitValue::Sign);
            }
            args.push(arg);
        }
        let cwd = surroundings.cwd.clone().or_else(|| Some(FOLDER_OF_PROGRAMS.to_owned()));
        let command = ProgramCommand { command: self.command.clone(), args, cwd, ..surroundings.clone() };
        Ok(ProgramCall { command, stdin: self.stdin.text(params).unwrap_or_default() })
    }
}

/// Whether somebody's words are a part of it: what a number or a choice can be, the file says.
fn has_text(template: &Template, params: &[DeclaredParam]) -> bool {
    template.params().any(|name| params.iter().any(|param| param.name == name && param.kind == ParamType::Text))
}

/// Arguments that a program would take for something else than they are written for.
fn misread(args: &[Template], params: &[DeclaredParam]) -> Vec<String> {
    let mut problems = Vec::new();
    let is = |template: &Template, what: fn(&DeclaredParam) -> bool| {
        template.params().any(|name| params.iter().any(|param| param.name == name && what(param)))
    };
    for (at, arg) in args.iter().enumerate() {
        let has_value = arg.params().next().is_some();
        if has_value && !arg.prefix().is_empty() && arg.prefix().trim_matches('-').is_empty() {
            problems
                .push("program: a value cannot be the name of an option; write one argument for each option".into());
        }
        let before = at.checked_sub(1).map(|at| &args[at]).filter(|before| before.params().next().is_none());
        let Some(before) = before.map(Template::prefix).filter(|_| has_value) else { continue };
        let is_option = before.starts_with('-') && !before.trim_matches('-').is_empty();
        if is_option && is(arg, |param| !param.is_required) {
            problems.push(format!(
                "program: behind {before} stands a value that may be left out, and {before} would take the next one: write \
                 both as one argument, such as {before}={{…}}"
            ));
        }
    }
    problems
}

impl ProgramCall {
    /// Runs it, once.
    pub(super) async fn run(self, patience: Duration) -> Result<ToolAnswer, CallError> {
        finished(&self.command, &self.stdin, patience).await
    }
}
