//! The program is stopped dead (SIGKILL) at every border, started again on the same data, and its books are
//! checked: nothing acknowledged is lost, nothing is done twice, every doubtful effect is *unknown* and told.
//!
//! The borders, in the order a turn passes them (the names are those of the fail points in `src/`):
//!
//! | border             | where                                                          | stopped there for        |
//! |--------------------|----------------------------------------------------------------|--------------------------|
//! | `plan-before`      | low-stakes actions are planned, nothing of them is written     | task, event, draft       |
//! | `decision-before`  | a yes, a no or an expiry was read                              | send, denial, expiry     |
//! | `decision-durable` | it is recorded, with the intent to execute                     | send, denial, expiry     |
//! | `effect-started`   | an effect outside the store is recorded as begun, its card is Executing, and what ended before it is on record | send, draft, two sends |
//! | `smtp-before`      | before connecting to the mail server                           | send                     |
//! | `smtp-data`        | the server waits for the text of the mail                      | send                     |
//! | `smtp-answered`    | the server has the mail and has answered, or dropped           | send                     |
//! | `sent-filed`       | the copy is in Sent                                            | send                     |
//! | `imap-before`      | before the command that changes a mailbox elsewhere            | (see `mailboxes`)        |
//! | `imap-answered`    | it was answered                                                | (see `mailboxes`)        |
//! | `imap-unclear`     | its answer never came, and what it did was not looked up yet   | (see `mailboxes`)        |
//! | `dav-before`       | before the request that changes a calendar, a task list or an address book | (see `collections`) |
//! | `dav-answered`     | it was answered                                                | (see `collections`)      |
//! | `dav-unclear`      | its answer never came, and what it did was not looked up yet   | (see `collections`)      |
//! | `effect-done`      | the effect has happened, its outcome is not recorded           | send, task, event, draft |
//! | `outcome-recorded` | it is, before the answer (an effect in the store happens in this very commit; without anything left to do or to say it is in the commit of the answer) | task, event |
//! | `answer-before`    | the answer is made                                             | all turns                |
//! | `answer-durable`   | it is committed: conversation, outbox, cards                   | all turns                |
//! | `mail-read`        | a mail is about to be read, which is marked                    | a search                 |
//! | `resumed`          | an update of an earlier life is taken up, which is counted     | (see `telegram`)         |
//! | `tell-before`      | something outside a turn is to be told                         | reminder, expiry, recovery |
//! | `tell-durable`     | it is in the outbox                                            | reminder, expiry, recovery |
//! | `watch-decided`    | a mail that was waited for has come, which is recorded and not told | watch |
//! | `summary-before`   | what was said long ago was brought into a summary, which is not recorded | (see `summaries`) |
//! | `summary-durable`  | it is                                                          | (see `summaries`)        |
//! | `shown`            | a line was printed, its delivery is not recorded               | all                      |

mod actions;
mod cards;
mod collections;
mod mailboxes;
mod mails;
mod random;
mod sends;
mod summaries;
mod waits;

use std::path::Path;
use std::thread;

use serde_json::Value;

use crate::support::program::{Console, Lines, Program, text_of, wait_reached};
use crate::support::smtp_server::{Mode, SmtpServer};

const NOW: &str = "2026-01-11T09:00:00Z";
const SEND: &str = "send an email to bob.miller@example.com saying the report is late";
const SUBJECT: &str = "The report is late";

/// One installation and its mail server, over several lives.
struct World {
    program: Program,
    mail: SmtpServer,
}

impl World {
    fn new(mode: Mode) -> Self {
        let mail = SmtpServer::start(mode);
        let program = Program::new().smtp(&mail);
        Self { program, mail }
    }

    /// A life that nothing disturbs.
    fn lives(&self) -> Console {
        self.lives_at(NOW)
    }

    fn lives_at(&self, now: &str) -> Console {
        self.program.at(now)
    }

    /// A life that gets one line, stops at `border` and is killed there. What it printed.
    fn dies_at(&self, border: &str, now: &str, line: &Value) -> Lines {
        dies(&self.program, border, now, line)
    }

    /// A life that stops at `border` before it reads anything: in recovery, or in delivering what waited.
    fn dies_at_start(&self, border: &str) -> Lines {
        let program = self.program.clone().fail_at(border);
        let console = program.at(NOW);
        wait_reached(&program.reached_file(), place(border));
        console.kill_and_read()
    }

    /// How often the mail was delivered.
    fn sent(&self) -> usize {
        let mails = self.mail.mails();
        for mail in &mails {
            let same = self.mail.deliveries(&mail.message_id);
            assert_eq!(same, 1, "{} came {same} times", mail.message_id);
        }
        mails.iter().filter(|mail| mail.subject == SUBJECT).count()
    }

    fn state(&self, id: &str) -> String {
        self.program.card(id)["state"].as_str().unwrap().to_owned()
    }
}

fn dies(program: &Program, border: &str, now: &str, line: &Value) -> Lines {
    let program = program.clone().fail_at(border);
    let mut console = program.at(now);
    console.start_sending(&line.to_string());
    wait_reached(&program.reached_file(), place(border));
    console.kill_and_read()
}

/// `shown` of `shown:2`.
fn place(border: &str) -> &str {
    border.split(':').next().unwrap()
}

/// What a life shows by itself, before anybody has said anything.
fn told_at_start(console: &mut Console) -> Lines {
    let mut lines = console.say("/pending");
    // The answer to the question is its last message.
    let answer = lines.iter().rposition(|line| line["type"] == "message").unwrap();
    lines.truncate(answer);
    lines
}

/// Runs every case in a thread of its own; each names itself when it fails.
fn each<C: Copy + Send + std::fmt::Debug>(cases: &[C], test: impl Fn(C) + Sync) {
    /// More would only wait for the processor.
    const AT_ONCE: usize = 4;
    for some in cases.chunks(AT_ONCE) {
        thread::scope(|scope| {
            for &case in some {
                let test = &test;
                let run = move || test(case);
                thread::Builder::new().name(format!("{case:?}")).spawn_scoped(scope, run).unwrap();
            }
        });
    }
}

/// How many files in a folder of this name, anywhere below.
fn files_in(root: &Path, folder: &str) -> usize {
    let mut found = 0;
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found += files_in(&path, folder);
        } else if path.components().any(|part| part.as_os_str() == folder) {
            found += 1;
        }
    }
    found
}

fn times(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

fn told(lines: &[Value]) -> String {
    text_of(lines)
}
