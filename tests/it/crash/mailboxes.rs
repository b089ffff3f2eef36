//! A change that was agreed to, in a mailbox on a real server, and a process that ends in the middle of it: what another
//! client then sees was done once or not at all, and the person is told which.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{each, files_in, told, told_at_start, wait_reached};
use crate::support::byte_proxy::{ByteProxy, Direction, Fault, Manner, Place};
use crate::support::dovecot::{Dovecot, SeenMessage};
use crate::support::program::{Console, Program, button};

const LUNCH: &str = "From: Bob Miller <bob@work.example>\r\nTo: mara@example.com\r\nSubject: Lunch on Thursday\r\n\
                     Date: Mon, 12 Jan 2026 08:00:00 +0000\r\nMessage-ID: <lunch@work.example>\r\n\r\n\
                     Shall we have lunch on Thursday?\r\n";
/// How long the mail may take to come here, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// Something that is done to the account.
#[derive(Clone, Copy, Debug)]
struct Agreed {
    says: &'static str,
    /// Words of the server's yes.
    yes: &'static str,
    /// Words of the line without which nothing is done.
    command: &'static str,
    done: &'static str,
    failed: &'static str,
    /// The folder that has a mail by it, or a flag on it.
    folder: &'static str,
    flag: &'static str,
}

const ARCHIVE: Agreed = Agreed {
    says: "archive the mail from Bob Miller about lunch",
    yes: "Move completed",
    command: "UID MOVE",
    done: "Archived: Lunch on Thursday",
    failed: "could not archive",
    folder: "Archive",
    flag: "",
};
const STAR: Agreed = Agreed {
    says: "star the mail from Bob Miller about lunch",
    yes: "Store completed",
    command: "UID STORE",
    done: "Starred: Lunch on Thursday",
    failed: "could not star",
    folder: "INBOX",
    flag: "\\Flagged",
};
const DELETE: Agreed = Agreed {
    says: "delete the mail from Bob Miller about lunch",
    yes: "Move completed",
    command: "UID MOVE",
    done: "Deleted: Lunch on Thursday",
    failed: "could not delete",
    folder: "Trash",
    flag: "",
};
const DRAFT: Agreed = Agreed {
    says: "draft an email to bob@work.example saying the report is late",
    yes: "Append completed",
    command: "Message-ID:",
    done: "Draft for",
    failed: "could not save the draft",
    folder: "Drafts",
    flag: "\\Draft",
};

/// Where the process ends, and what the server has done by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Before,
    Answered,
    /// The connection was lost, and the change was made.
    UnclearAndDone,
    /// It was lost, and the change was not made.
    UnclearAndNotDone,
}

impl Ends {
    const ALL: [Self; 4] = [Self::Before, Self::Answered, Self::UnclearAndDone, Self::UnclearAndNotDone];

    fn border(self) -> &'static str {
        match self {
            Self::Before => "imap-before",
            Self::Answered => "imap-answered",
            Self::UnclearAndDone | Self::UnclearAndNotDone => "imap-unclear",
        }
    }

    fn is_done(self) -> bool {
        matches!(self, Self::Answered | Self::UnclearAndDone)
    }

    fn manner(self, agreed: Agreed) -> Manner {
        let clean = Manner::clean();
        match self {
            Self::Before | Self::Answered => clean,
            Self::UnclearAndDone => clean.at(Direction::ToClient, Place::Before(agreed.yes), Fault::CutOneWay),
            Self::UnclearAndNotDone => clean.at(Direction::ToServer, Place::Before(agreed.command), Fault::Cut),
        }
    }
}

/// One installation, and the server of its account.
struct Installed {
    dovecot: Dovecot,
    proxy: ByteProxy,
    program: Program,
}

const MARA: &str = "mara@example.com";

impl Installed {
    /// With one mail, which is here by now.
    fn new() -> Self {
        let dovecot = Dovecot::setup().user(MARA, "secret").start();
        dovecot.deliver(MARA, "INBOX", LUNCH);
        let proxy = ByteProxy::start(dovecot.port());
        let url = format!("imap://{}:secret@127.0.0.1:{}", MARA.replace('@', "%40"), proxy.port());
        let program = Program::new().env("IMAP_URL", &url);
        Self { dovecot, proxy, program }
    }

    /// Once the mail is here.
    fn first_life(&self) -> Console {
        let mut console = self.program.console(&[]).limit(PATIENCE);
        let began = Instant::now();
        while !told(&console.say("any mail from Bob Miller?")).contains("Lunch on Thursday") {
            assert!(began.elapsed() < PATIENCE, "it never came");
            std::thread::sleep(Duration::from_millis(100));
        }
        console
    }

    /// What is said in the life that ends: a request, or the yes to a card that an earlier life has shown.
    fn agreed(&self, agreed: Agreed) -> Value {
        let mut console = self.first_life();
        if agreed.says != DELETE.says {
            assert_eq!(console.finish().code, 0);
            return json!({"text": agreed.says});
        }
        let card = console.say(agreed.says);
        assert!(told(&card).contains("Delete this mail?"), "{card:#?}");
        let yes = button(&card, "approve");
        assert_eq!(console.finish().code, 0);
        json!({"press": yes})
    }

    fn dies_at(&self, border: &str, line: &Value) {
        let program = self.program.clone().fail_at(border);
        let mut console = program.console(&[]);
        console.start_sending(&line.to_string());
        wait_reached(&program.reached_file(), border);
        console.kill();
    }

    fn lives(&self) -> Console {
        self.program.console(&[]).limit(PATIENCE)
    }

    /// What another client sees of the change.
    fn done(&self, agreed: Agreed) -> usize {
        let fits = |seen: &&SeenMessage| agreed.flag.is_empty() || seen.flags.iter().any(|flag| flag == agreed.flag);
        self.dovecot.other_client(MARA).ids(agreed.folder).iter().filter(fits).count()
    }

    /// How many mails there are in all.
    fn mails(&self) -> usize {
        let other = self.dovecot.other_client(MARA);
        ["INBOX", "Archive", "Trash", "Drafts", "Sent"].iter().map(|folder| other.ids(folder).len()).sum()
    }
}

fn check(agreed: Agreed, ends: Ends) {
    let world = Installed::new();
    let line = world.agreed(agreed);
    world.proxy.otherwise(ends.manner(agreed));
    world.dies_at(ends.border(), &line);
    world.proxy.otherwise(Manner::clean());

    let mut second = world.lives();
    let at_start = told(&told_at_start(&mut second));
    let (expected, mark) = if ends.is_done() { (agreed.done, "") } else { (agreed.failed, "❗") };
    assert!(at_start.contains(expected) && at_start.contains(mark), "{ends:?}: {at_start}");
    assert!(!at_start.contains('❓') && at_start.contains('❗') != ends.is_done(), "{ends:?}: {at_start}");
    let is_draft = agreed.says == DRAFT.says;
    let there = (usize::from(ends.is_done()), 1 + usize::from(is_draft && ends.is_done()));
    assert_eq!((world.done(agreed), world.mails()), there, "{ends:?}");
    assert_eq!(second.finish().code, 0);

    // A further life has nothing more to tell or to do, and the mailbox here is like the one there.
    let mut third = world.lives();
    assert_eq!(told(&told_at_start(&mut third)), "", "{ends:?}");
    assert_eq!((world.done(agreed), world.mails()), there, "{ends:?}");
    if is_draft {
        assert_eq!(files_in(world.program.data_dir(), ".Drafts"), there.0, "{ends:?}");
    }
    if !ends.is_done() && !is_draft {
        // It can be asked for again, and is done then.
        let again = third.say(agreed.says);
        if agreed.says == DELETE.says {
            third.press(&button(&again, "approve"));
        }
        assert_eq!((world.done(agreed), world.mails()), (1, 1), "{ends:?}: {again:#?}");
    }
}

#[test]
fn a_mail_that_was_being_archived_is_archived_once_or_not_at_all_and_told_so() {
    // The command is that of a deletion.
    each(&[Ends::UnclearAndDone], |ends| check(ARCHIVE, ends));
}

#[test]
fn a_star_that_was_being_set_is_there_or_not_and_told_so() {
    each(&[Ends::Answered, Ends::UnclearAndNotDone], |ends| check(STAR, ends));
}

#[test]
fn a_mail_whose_deletion_was_agreed_to_is_in_the_trash_once_or_not_at_all_and_told_so() {
    each(&Ends::ALL, |ends| check(DELETE, ends));
}

#[test]
fn a_draft_that_was_being_kept_is_there_once_or_not_at_all_and_told_so() {
    each(&[Ends::Before, Ends::UnclearAndDone, Ends::UnclearAndNotDone], |ends| check(DRAFT, ends));
}

#[test]
fn whoever_cannot_ask_the_server_after_the_restart_says_that_nobody_knows_and_tells_once_it_can_and_repeats_nothing() {
    each(&[Ends::Answered], |ends| {
        let world = Installed::new();
        let line = world.agreed(ARCHIVE);
        world.dies_at(ends.border(), &line);
        world.proxy.otherwise(Manner::refused());
        let mut second = world.lives();
        let at_start = told(&told_at_start(&mut second));
        assert!(at_start.contains("❓ I can't tell whether I managed to archive"), "{ends:?}: {at_start}");
        assert_eq!(second.finish().code, 0);
        world.proxy.otherwise(Manner::clean());
        let mut third = world.lives();
        let asked = Instant::now();
        let mut said = String::new();
        while !said.contains("Now I can:") {
            assert!(asked.elapsed() < PATIENCE, "{ends:?}: {said}");
            std::thread::sleep(Duration::from_millis(200));
            said = told(&told_at_start(&mut third));
        }
        assert!(said.contains(ARCHIVE.done), "{ends:?}: {said}");
        assert_eq!(told(&told_at_start(&mut third)), "", "{ends:?}: told once");
        assert_eq!((world.done(ARCHIVE), world.mails()), (usize::from(ends.is_done()), 1), "{ends:?}");
    });
}
