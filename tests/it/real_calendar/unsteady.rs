//! Connections that break while something is written: what happened there is found out, told as it is, and never done twice.

use crate::real_calendar::world::{DENTIST, MARA, SERVERS, program_at, until};
use crate::support::dav_server::{DavOtherClient, DavServer};
use crate::support::http_proxy::{Fate, HttpProxy};
use crate::support::program::{button, did, text_of};

const DENTISTS_DAY: &str = "what's on my calendar on January 15 2030?";
const LUNCHES_DAY: &str = "what's on my calendar on January 18 2030?";

/// What becomes of each PUT; everything else passes.
fn puts(fate: Fate) -> impl Fn(&str) -> Fate {
    move |method| if method == "PUT" { fate } else { Fate::Passes }
}

fn lunches(other: &DavOtherClient) -> usize {
    let all = ["Personal", "Work"].iter().flat_map(|calendar| other.resources(calendar)).collect::<Vec<_>>();
    all.iter().filter(|resource| resource.text.contains("Lunch with Sarah")).count()
}

#[test]
fn an_answer_that_never_came_is_looked_for_and_a_request_that_never_arrived_did_nothing() {
    for server in SERVERS {
        for (fate, status, made) in [(Fate::AnswerLost, "succeeded", 1), (Fate::RequestLost, "failed", 0)] {
            let there = DavServer::start(server, &[(MARA, "secret")]);
            let other = there.other_client(MARA);
            other.put("Personal", "dentist.ics", DENTIST);
            let proxy = HttpProxy::start(there.port());
            let program = program_at(proxy.port());
            let mut console = program.console(&["--tz", "Europe/Berlin"]);
            until(&mut console, DENTISTS_DAY, "Dentist");
            proxy.rules(puts(fate));
            let told = console.say("lunch with Sarah on January 18 2030 at noon");
            assert_eq!(proxy.lost(), 1, "{server:?}: {}", text_of(&told));
            assert_eq!(did(&told), [format!("calendar.create_event {status}")], "{server:?}: {}", text_of(&told));
            assert_eq!(lunches(&other), made, "{server:?} {status}");
            let says_so = text_of(&told).to_lowercase().contains("nothing was done");
            assert_eq!(says_so, made == 0, "{server:?}: {}", text_of(&told));
            console.finish();
            // Another start finds it once as well, and does nothing again.
            proxy.rules(|_| Fate::Passes);
            let mut console = program.console(&["--tz", "Europe/Berlin"]);
            until(&mut console, DENTISTS_DAY, "Dentist");
            let said = text_of(&console.say(LUNCHES_DAY));
            assert_eq!(said.matches("Lunch with Sarah").count(), made, "{server:?}: {said}");
            console.finish();
            assert_eq!(lunches(&other), made, "{server:?} {status}, never twice");
        }
    }
}

#[test]
fn a_change_whose_answer_never_came_is_found_there_and_one_that_nobody_can_see_is_unknown_until_it_is_seen() {
    for server in SERVERS {
        let there = DavServer::start(server, &[(MARA, "secret")]);
        let other = there.other_client(MARA);
        other.put("Personal", "dentist.ics", DENTIST);
        let proxy = HttpProxy::start(there.port());
        let program = program_at(proxy.port());
        let mut console = program.console(&["--tz", "Europe/Berlin"]);
        until(&mut console, DENTISTS_DAY, "Dentist");
        proxy.rules(puts(Fate::AnswerLost));
        let card = console.say("move the dentist to 4pm");
        let told = console.press(&button(&card, "approve"));
        assert_eq!(did(&told), ["calendar.update_event succeeded"], "{server:?}: {}", text_of(&told));
        let texts = || other.resources("Personal").into_iter().map(|resource| resource.text).collect::<Vec<_>>();
        assert!(texts().len() == 1 && texts()[0].contains("T150000Z"), "{server:?}: {:?}", texts());
        // The answer is lost, and so is every look.
        let card = console.say("move the dentist to 5pm");
        let after_put = std::sync::atomic::AtomicBool::new(false);
        proxy.rules(move |method| {
            let was = after_put.fetch_or(method == "PUT", std::sync::atomic::Ordering::SeqCst);
            if was || method == "PUT" { Fate::AnswerLost } else { Fate::Passes }
        });
        let told = console.press(&button(&card, "approve"));
        assert_eq!(did(&told), ["calendar.update_event unknown"], "{server:?}: {}", text_of(&told));
        console.finish();
        proxy.rules(|_| Fate::Passes);
        let mut console = program.console(&["--tz", "Europe/Berlin"]);
        let said = until(&mut console, "/pending", "Now I can:");
        assert!(said.contains("Changed") || said.contains("change"), "{server:?}: {said}");
        assert!(texts().len() == 1 && texts()[0].contains("T160000Z"), "{server:?}: {:?}", texts());
        console.finish();
    }
}
