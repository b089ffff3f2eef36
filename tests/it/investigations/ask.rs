//! Asks the real program one question in a chat of its own, and reads on until there is nothing more.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::judge::Given;
use super::world::{NOW, World};
use crate::support::program::{Console, Lines, Program, done_of, messages_of, text_of};

/// What an answer says that was given before all mails were read.
const SO_FAR: &str = "so far, newest first";
const AGAIN_MAX: usize = 3;
/// Pages that are read of one answer.
const PAGES_MAX: usize = 10;
/// How often the mails are asked for until all were read; the program waits seconds before each such answer.
const ROUNDS_MAX: usize = 60;
/// Far above what is needed, so that a busy machine is no failure.
const FIRST_ANSWER: Duration = Duration::from_secs(240);
const FIRST_ANSWER_OF_A_MODEL: Duration = Duration::from_secs(1_800);

/// The endpoint of a capable model that is asked as well.
pub fn model() -> Option<String> {
    std::env::var("TRUTH_MODEL").ok()
}

/// A chat over a data folder of this world.
pub fn console(world: &World, data: &Path) -> Console {
    let args = ["--now", NOW, "--tz", world.zone.name()];
    Program::with_data_dir(data).console(&args).limit(FIRST_ANSWER)
}

/// The same with the model.
fn console_with(world: &World, data: &Path, endpoint: &str) -> Console {
    let args = ["--now", NOW, "--tz", world.zone.name()];
    // One that is named plans as its size says.
    let named = std::env::var("TRUTH_NAME").ok();
    let planning = if named.is_some() { "auto" } else { "conversation" };
    let name = named.as_deref().unwrap_or("capable");
    let program = Program::with_data_dir(data).env("LLM_BASE_URL", endpoint).env("LLM_MODEL", name);
    let program = program.env("BRAIN_PLANNING", planning).env("LLM_TIMEOUT", "15m");
    program.console(&args).limit(FIRST_ANSWER_OF_A_MODEL)
}

/// Lets the program make what it keeps beside its data (the search index), so that no copy has to.
pub fn warm_up(world: &World) {
    let mut console = console(world, &world.data());
    mails_read(&mut console);
    console.finish();
}

/// The list of mails once all of them were read: until then an answer says how far it has come.
pub fn mails_read(console: &mut Console) -> String {
    for _ in 0..ROUNDS_MAX {
        let told = text_of(&console.say("show my emails"));
        if !told.contains(SO_FAR) {
            return told;
        }
    }
    panic!("the mails were not read\n{}", console.stderr());
}

fn sources(lines: &Lines) -> Vec<Value> {
    messages_of(lines).iter().flat_map(|message| message["sources"].as_array().cloned().unwrap_or_default()).collect()
}

/// One wording, in a copy of the world where nobody has said anything but the warming up. An answer from a part of the
/// mailbox, given on a busy machine, is no measure: it is asked for again.
pub fn ask(world: &World, text: &str) -> Given {
    let mut given = ask_once(world, text);
    for _ in 0..AGAIN_MAX {
        if !given.text.contains(SO_FAR) {
            break;
        }
        given = ask_once(world, text);
    }
    given
}

fn ask_once(world: &World, text: &str) -> Given {
    let copy = world.copy();
    let (data, model) = (copy.path().join("state"), model());
    let mut console = match &model {
        Some(endpoint) => console_with(world, &data, endpoint),
        None => console(world, &data),
    };
    let mut lines = console.say(text);
    let path = done_of(&lines)["path"].as_str().unwrap_or_default().to_owned();
    let mut given = Given { path, text: text_of(&lines), ..Given::default() };
    let mut seen = BTreeSet::new();
    for _ in 0..PAGES_MAX {
        let items = sources(&lines).iter().map(|source| world.titles.item(source)).collect::<Vec<_>>();
        let fresh: Vec<_> = items.into_iter().filter(|item| seen.insert(item.clone())).collect();
        if fresh.is_empty() {
            break;
        }
        given.items.extend(fresh);
        // What a model answers with is all that it names; further pages are what it did not.
        if model.is_some() {
            break;
        }
        lines = console.say("more");
    }
    console.kill();
    given
}
