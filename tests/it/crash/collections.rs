//! A change in a calendar, a task list or an address book on a real server, and a process that ends in the middle of it:
//! what another client then sees was done once or not at all, and the person is told which.

use serde_json::{Value, json};

use super::{each, told, told_at_start, wait_reached};
use crate::real_calendar::world::{DENTIST, World, until};
use crate::support::dav_server::DavProgram;
use crate::support::http_proxy::{Fate, HttpProxy};
use crate::support::program::{Console, button};

/// Something that is done in the account.
#[derive(Clone, Copy, Debug)]
struct Agreed {
    says: &'static str,
    /// It is asked about on a card first.
    is_asked: bool,
    /// The method of its request.
    method: &'static str,
    done: &'static str,
    failed: &'static str,
    collection: &'static str,
    /// What the text of a resource has by it; nothing: there is no such resource any more.
    becomes: &'static str,
}

const ADD: Agreed = Agreed {
    says: "lunch with Sarah on January 18 2030 at noon",
    is_asked: false,
    method: "PUT",
    done: "Lunch with Sarah",
    failed: "could not add",
    collection: "Personal",
    becomes: "SUMMARY:Lunch with Sarah",
};
const MOVE: Agreed = Agreed {
    says: "move the dentist to 4pm",
    is_asked: true,
    method: "PUT",
    done: "Dentist",
    failed: "could not change",
    collection: "Personal",
    becomes: "T150000Z",
};
const CANCEL: Agreed = Agreed {
    says: "cancel the dentist",
    is_asked: true,
    method: "DELETE",
    done: "Cancelled",
    failed: "could not cancel",
    collection: "Personal",
    becomes: "",
};
const REMIND: Agreed = Agreed {
    says: "remind me to buy milk on January 20 2030 at 9am",
    is_asked: false,
    method: "PUT",
    done: "Buy milk",
    failed: "could not add",
    collection: "Tasks",
    becomes: "SUMMARY:Buy milk",
};
const SAVE: Agreed = Agreed {
    says: "save Vera Lind, vera@lind.example",
    is_asked: false,
    method: "PUT",
    done: "Vera Lind",
    failed: "could not save",
    collection: "Contacts",
    becomes: "vera@lind.example",
};

/// Where the process ends, and what the server has done by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Before,
    Answered,
    /// The answer was lost, and the change was made.
    UnclearAndDone,
    /// The request was lost.
    UnclearAndNotDone,
}

impl Ends {
    const ALL: [Self; 4] = [Self::Before, Self::Answered, Self::UnclearAndDone, Self::UnclearAndNotDone];

    fn border(self) -> &'static str {
        match self {
            Self::Before => "dav-before",
            Self::Answered => "dav-answered",
            Self::UnclearAndDone | Self::UnclearAndNotDone => "dav-unclear",
        }
    }

    fn is_done(self) -> bool {
        matches!(self, Self::Answered | Self::UnclearAndDone)
    }

    fn fate(self) -> Fate {
        match self {
            Self::Before | Self::Answered => Fate::Passes,
            Self::UnclearAndDone => Fate::AnswerLost,
            Self::UnclearAndNotDone => Fate::RequestLost,
        }
    }
}

struct Installed {
    world: World,
    proxy: HttpProxy,
}

impl Installed {
    /// With an event, which is here by now.
    fn new(server: DavProgram) -> Self {
        let (world, proxy) = World::behind_a_proxy(server, "calendar = \"Personal\"\ntask_list = \"Tasks\"");
        world.other.put("Personal", "dentist.ics", DENTIST);
        Self { world, proxy }
    }

    /// What is said in the life that ends: a request, or the yes to a card that an earlier life has shown.
    fn agreed(&self, agreed: Agreed) -> Value {
        let mut console = self.world.knows("what's on my calendar on January 15 2030?", "Dentist");
        let line = if agreed.is_asked {
            let card = console.say(agreed.says);
            json!({"press": button(&card, "approve")})
        } else {
            json!({"text": agreed.says})
        };
        assert_eq!(console.finish().code, 0);
        line
    }

    fn dies_at(&self, border: &str, line: &Value) {
        let program = self.world.program.clone().fail_at(border);
        let mut console = program.console(&["--tz", "Europe/Berlin"]);
        console.start_sending(&line.to_string());
        wait_reached(&program.reached_file(), border);
        console.kill();
    }

    fn lives(&self) -> Console {
        self.world.console()
    }

    /// Whether another client sees the change, which is there once or not at all.
    fn is_there(&self, agreed: Agreed) -> bool {
        let texts = self.world.texts(agreed.collection);
        if agreed.becomes.is_empty() {
            return texts.is_empty();
        }
        let found = texts.iter().filter(|text| text.contains(agreed.becomes)).count();
        assert!(found < 2, "{agreed:?} was done {found} times: {texts:?}");
        found == 1
    }
}

fn check(server: DavProgram, agreed: Agreed, ends: Ends) {
    let installed = Installed::new(server);
    let line = installed.agreed(agreed);
    let (fate, method) = (ends.fate(), agreed.method);
    installed.proxy.rules(move |asked| if asked == method { fate } else { Fate::Passes });
    installed.dies_at(ends.border(), &line);
    installed.proxy.rules(|_| Fate::Passes);

    let mut second = installed.lives();
    let at_start = told(&told_at_start(&mut second));
    let expected = if ends.is_done() { agreed.done } else { agreed.failed };
    assert!(at_start.contains(expected), "{agreed:?} {ends:?}: {at_start}");
    assert!(!at_start.contains('❓') && at_start.contains('❗') != ends.is_done(), "{ends:?}: {at_start}");
    assert_eq!(installed.is_there(agreed), ends.is_done(), "{ends:?}");
    assert_eq!(second.finish().code, 0);

    // A further life has nothing more to tell or to do, and knows what is there.
    let mut third = installed.lives();
    assert_eq!(told(&told_at_start(&mut third)), "", "{ends:?}");
    until(
        &mut third,
        "what's on my calendar on January 15 2030?",
        if agreed.becomes.is_empty() && ends.is_done() { "othing" } else { "Dentist" },
    );
    assert_eq!(installed.is_there(agreed), ends.is_done(), "{ends:?}");
    assert_eq!(third.finish().code, 0);
}

#[test]
fn an_event_that_was_being_added_is_there_once_or_not_at_all_and_told_so() {
    each(&Ends::ALL, |ends| check(DavProgram::Radicale, ADD, ends));
}

#[test]
fn an_event_that_was_being_moved_is_moved_or_not_and_told_so() {
    each(&[Ends::Answered, Ends::UnclearAndNotDone], |ends| check(DavProgram::Xandikos, MOVE, ends));
}

#[test]
fn an_event_that_was_being_cancelled_is_gone_or_not_and_told_so() {
    each(&[Ends::Before, Ends::UnclearAndDone], |ends| check(DavProgram::Radicale, CANCEL, ends));
}

#[test]
fn a_task_and_a_contact_that_were_being_added_are_there_once_or_not_at_all_and_told_so() {
    each(&[Ends::Answered, Ends::UnclearAndNotDone], |ends| check(DavProgram::Radicale, REMIND, ends));
    each(&[Ends::Before, Ends::UnclearAndDone], |ends| check(DavProgram::Xandikos, SAVE, ends));
}
