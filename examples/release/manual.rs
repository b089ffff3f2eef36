//! Man pages and completions, from the same definitions as `--help`.

use std::path::Path;
use std::{fs, io};

use clap::{Command, CommandFactory as _};
use clap_complete::{Shell, generate_to};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::cli;

const NAME: &str = "brain-agent";

/// As it stands in the documentation: neither commit nor features belong there.
fn command() -> Command {
    cli::Cli::command().version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true)
}

/// `brain-agent.1`, and `brain-agent-COMMAND.1` for each command.
pub(super) fn write_pages(folder: &Path) -> io::Result<()> {
    clap_mangen::generate_to(command(), folder)?;
    // The first page says what belongs to no command.
    let mut page = Vec::new();
    Man::new(command()).render(&mut page)?;
    further_sections().to_writer(&mut page)?;
    fs::write(folder.join(format!("{NAME}.1")), page)
}

fn further_sections() -> Roff {
    let mut roff = Roff::new();
    for (title, paragraphs) in [
        (
            "ENVIRONMENT",
            [
                "Every setting is a variable of the environment, or a line of the file .env in the folder in which it is started. The environment wins.",
                ".env.example, which comes with it, has each of them with a comment. All are optional.",
            ],
        ),
        (
            "FILES",
            [
                ".env: settings, for their owner alone (mode 0600).",
                "data/state below the folder in which it is started, or what BRAIN_DATA_DIR names: everything that is kept.",
            ],
        ),
        (
            "EXIT STATUS",
            [
                "0: fine. 1: something failed or does not work. 2: the configuration or the command line cannot be read.",
                "3: what brain-agent ask was told waits for a yes.",
            ],
        ),
    ] {
        roff.control("SH", [title]);
        for paragraph in paragraphs {
            roff.control("PP", []);
            roff.text([roman(paragraph)]);
        }
    }
    roff
}

/// For the three shells that most have.
pub(super) fn write_completions(folder: &Path) -> io::Result<()> {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut command(), NAME, folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_is_completed() {
        let folder = tempfile::tempdir().unwrap();
        write_pages(folder.path()).unwrap();
        write_completions(folder.path()).unwrap();
        let written =
            |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
        let main = written("brain-agent.1");
        assert!(main.contains("FILES") && main.contains("BRAIN_DATA_DIR"), "{main}");
        let (bash, zsh, fish) = (written("brain-agent.bash"), written("_brain-agent"), written("brain-agent.fish"));
        for command in command().get_subcommands() {
            let name = command.get_name();
            assert!(written(&format!("brain-agent-{name}.1")).contains(".SH SYNOPSIS"), "{name}");
            assert!([&bash, &zsh, &fish].iter().all(|script| script.contains(name)), "{name} is not completed");
        }
    }
}
