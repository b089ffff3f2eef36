//! Radicale and Xandikos as the tests start them, seen by another client.

use std::net::TcpStream;
use std::time::Instant;

use super::SOON;
use crate::support::dav_server::{DavProgram, DavServer};

const MARA: &str = "mara@example.com";
const BOB: &str = "bob";
const TASK: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Tests//EN\r\nBEGIN:VTODO\r\nUID:t1\r\n\
                    DTSTAMP:20260101T000000Z\r\nSUMMARY:Milk\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
const CARD: &str = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:c1\r\nFN:Zoë Ø\r\nN:Ø;Zoë;;;\r\n\
                    EMAIL;TYPE=WORK:zoe@work.example\r\nX-OURS-NOT:kept\r\nEND:VCARD\r\n";

fn started(program: DavProgram) -> DavServer {
    DavServer::start(program, &[(MARA, "Grüße: 1"), (BOB, "pass")])
}

fn event(uid: &str, summary: &str, more: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Tests//EN\r\nBEGIN:VEVENT\r\nUID:{uid}\r\n\
         DTSTAMP:20260101T000000Z\r\n{more}SUMMARY:{summary}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

fn all_day(uid: &str, summary: &str) -> String {
    event(uid, summary, "DTSTART;VALUE=DATE:20261224\r\n")
}

#[test]
fn everybody_has_two_calendars_a_task_list_and_an_address_book() {
    for program in DavProgram::ALL {
        let began = Instant::now();
        let server = started(program);
        let took = began.elapsed();
        let client = server.other_client(BOB);
        let found = client.collections();
        for (name, kind, components) in [
            ("Personal", "calendar", &["VEVENT", "VTODO"][..]),
            ("Work", "calendar", &["VEVENT", "VTODO"]),
            ("Tasks", "calendar", &["VTODO"]),
            ("Contacts", "addressbook", &[]),
        ] {
            let there: Vec<_> = found.iter().filter(|collection| collection.name == name).collect();
            let [there] = there[..] else { panic!("{name} in {found:?}") };
            assert_eq!(there.kind, kind);
            assert_eq!(there.components, components, "{program:?}, {name}");
            assert_eq!(there.href, server.href(BOB, name));
            assert!(client.resources(name).is_empty());
        }
        assert_eq!(found.len(), 4, "{program:?}: {found:?}");
        assert!(took < SOON, "{took:?}");
        eprintln!("{program:?} started in {took:?}");
    }
}

#[test]
fn only_the_right_password_opens_only_ones_own() {
    for program in DavProgram::ALL {
        let mut server = started(program);
        let status = |server: &DavServer, signed_in, href: &str| {
            let answer = server.request_as(signed_in, "PROPFIND", href, &[("Depth", "0")], "");
            assert_eq!(answer.status == 401, answer.header("www-authenticate").is_some(), "{answer:?}");
            answer.status
        };
        let own = server.href(BOB, "Personal");
        for signed_in in [None, Some((BOB, "wrong")), Some((BOB, "")), Some(("eve", "pass")), Some((MARA, "pass"))] {
            assert_eq!(status(&server, signed_in, &own), 401, "{program:?}: {signed_in:?}");
        }
        assert_eq!(status(&server, Some((BOB, "pass")), &own), 207);
        assert_eq!(status(&server, Some((BOB, "pass")), &server.href(MARA, "Personal")), 403);
        server.set_users(&[(BOB, "new")]);
        assert_eq!(status(&server, Some((BOB, "pass")), &own), 401);
        assert_eq!(status(&server, Some((BOB, "new")), &own), 207);
        assert!(!server.log().contains("wrong"), "{}", server.log());
    }
}

#[test]
fn what_another_client_put_is_there_until_it_is_deleted() {
    for program in DavProgram::ALL {
        let mut server = started(program);
        let client = server.other_client(MARA);
        let first = all_day("e1", &"Dinner Grüße, äöü ".repeat(9).replace(',', "\\,"));
        let href = client.put("Personal", "e1.ics", &first);
        assert_eq!(href, server.href(MARA, "Personal") + "e1.ics");
        client.put("Tasks", "t1.ics", TASK);
        client.put("Contacts", "c1.vcf", CARD);
        for (collection, uid, put) in [("Personal", "e1", &*first), ("Tasks", "t1", TASK), ("Contacts", "c1", CARD)] {
            let there = client.only(collection, uid);
            // In another order.
            let sorted = |mut lines: Vec<String>| {
                lines.sort_unstable();
                lines
            };
            let put = put.lines().map(str::to_owned).collect();
            assert_eq!(sorted(there.lines()), sorted(put), "{program:?}: {there:?}");
            assert_eq!(client.etags(collection), [(there.href, there.etag)]);
        }
        assert!(server.other_client(BOB).resources("Personal").is_empty());

        let before = client.only("Personal", "e1");
        server.restart();
        assert_eq!(client.only("Personal", "e1"), before, "{program:?}");
        client.delete(&href);
        assert_eq!(client.resource(&href).unwrap_err().status, 404);
        assert!(client.resources("Personal").is_empty());
        client.only("Tasks", "t1");
    }
}

#[test]
fn an_etag_guards_what_changed_meanwhile() {
    for program in DavProgram::ALL {
        let server = started(program);
        let client = server.other_client(BOB);
        let href = client.put("Work", "e1.ics", &all_day("e1", "one"));
        let old = client.only("Work", "e1").etag;
        let said = client.put_if(&href, &old, &all_day("e1", "two")).unwrap();
        let new = client.only("Work", "e1").etag;
        assert_ne!(old, new);
        assert!(said.is_empty() || said == new, "{program:?}: {said} and {new}");
        assert_eq!(client.put_if(&href, &old, &all_day("e1", "three")).unwrap_err().status, 412);
        assert_eq!(client.put_new("Work", "e1.ics", &all_day("e1", "four")).unwrap_err().status, 412);
        assert_eq!(client.delete_if(&href, &old).unwrap_err().status, 412);
        assert!(client.only("Work", "e1").text.contains("SUMMARY:two"));
        client.put_new("Work", "e2.ics", &all_day("e2", "five")).unwrap();
        client.delete_if(&href, &new).unwrap();
        assert_eq!(client.etags("Work").len(), 1);
    }
}

#[test]
fn occurrences_are_those_of_the_zone() {
    let more = "DTSTART;TZID=Europe/Berlin:20260326T090000\r\nDURATION:PT1H\r\nRRULE:FREQ=DAILY;COUNT=5\r\n\
                EXDATE;TZID=Europe/Berlin:20260328T090000\r\n";
    for program in DavProgram::ALL {
        let server = started(program);
        let client = server.other_client(BOB);
        client.put("Work", "e1.ics", &event("e1", "Standup", more));
        client.put("Work", "e2.ics", &all_day("e2", "Eve"));
        let (from, to) = ("2026-03-27T00:00:00+00:00", "2026-04-30T00:00:00+00:00");
        let found = client.occurrences("Work", from, to);
        let starts: Vec<_> = found.iter().map(|one| &*one.start).collect();
        let expected = ["2026-03-27T09:00:00+01:00", "2026-03-29T09:00:00+02:00", "2026-03-30T09:00:00+02:00"];
        assert_eq!(starts, expected, "{program:?}");
        assert_eq!(
            (&*found[0].uid, &*found[0].summary, &*found[0].end),
            ("e1", "Standup", "2026-03-27T10:00:00+01:00")
        );
        // Not where: without a VTIMEZONE, Radicale is an hour off after the change of clocks.
        assert_eq!(client.expanded_by_server("Work", from, to).len(), 3, "{program:?}");
        let eve = client.occurrences("Work", "2026-12-24", "2026-12-25");
        assert_eq!((eve.len(), &*eve[0].start, &*eve[0].end), (1, "2026-12-24", "2026-12-25"));
    }
}

#[test]
fn collections_are_made_removed_and_made_anew() {
    for program in DavProgram::ALL {
        let server = started(program);
        let client = server.other_client(MARA);
        let href = client.make_calendar("Café & <Söhne>");
        client.put("Café & <Söhne>", "e1.ics", &all_day("e1", "one"));
        client.make_task_list("Chores");
        client.make_address_book("Club", "club");
        let found = client.collections();
        let named = |name: &str| found.iter().find(|collection| collection.name == name).unwrap();
        assert_eq!(found.len(), 7, "{found:?}");
        assert_eq!(named("Café & <Söhne>").href, href);
        assert_eq!(named("Chores").components, ["VTODO"]);
        assert_eq!(named("Club").kind, "addressbook");
        client.remove_collection("Café & <Söhne>");
        client.put("Personal", "e1.ics", &all_day("e1", "one"));
        client.put("Contacts", "c1.vcf", CARD);
        for name in ["Personal", "Contacts"] {
            assert_eq!(client.recreate(name), server.href(MARA, name), "{program:?}");
            assert!(client.resources(name).is_empty());
        }
        let after = client.collections();
        assert_eq!(after.len(), 6, "{after:?}");
        assert_eq!(after.iter().find(|one| one.name == "Personal").unwrap(), named("Personal"));
    }
}

/// The status of the answer and the next token.
fn sync(server: &DavServer, token: &str) -> (u16, Option<String>) {
    let body = format!(
        "<D:sync-collection xmlns:D=\"DAV:\"><D:sync-token>{token}</D:sync-token><D:sync-level>1</D:sync-level>\
         <D:prop><D:getetag/></D:prop></D:sync-collection>"
    );
    let xml = [("Content-Type", "application/xml; charset=utf-8"), ("Depth", "0")];
    let answer = server.request(BOB, "REPORT", &server.href(BOB, "Work"), &xml, body);
    let text = answer.text();
    let next = text.split_once("sync-token>").and_then(|(_, rest)| rest.split_once('<'));
    (answer.status, next.map(|(token, _)| token.to_owned()))
}

#[test]
fn sync_tokens_are_given_out_and_forgotten() {
    for program in DavProgram::ALL {
        let server = started(program);
        let client = server.other_client(BOB);
        client.put("Work", "e1.ics", &all_day("e1", "one"));
        let (status, token) = sync(&server, "");
        let token = token.unwrap();
        assert_eq!(status, 207, "{program:?}");
        client.put("Work", "e2.ics", &all_day("e2", "two"));
        let (status, next) = sync(&server, &token);
        assert_eq!(status, 207, "{program:?}");
        assert_ne!(next.unwrap(), token);
        if program == DavProgram::Radicale {
            server.forget_sync_tokens(BOB, "Work");
        } else {
            client.recreate("Work");
        }
        let (status, _) = sync(&server, &token);
        assert!((400..500).contains(&status), "{program:?}: {status}\n{}", server.log());
    }
}

#[test]
fn it_ends_with_its_value() {
    for program in DavProgram::ALL {
        let mut server = started(program);
        server.stop();
        assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err());
        server.start_again();
        let (port, folder) = (server.port(), server.folder().to_owned());
        assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
        drop(server);
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
        assert!(!folder.exists());
    }
}

#[test]
fn a_panic_takes_it_along() {
    let kept = std::panic::catch_unwind(|| {
        let server = DavServer::radicale(&[(BOB, "pass")]);
        std::panic::panic_any((server.port(), server.folder().to_owned()));
    });
    let kept = kept.unwrap_err().downcast::<(u16, std::path::PathBuf)>().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", kept.0)).is_err());
    assert!(!kept.1.exists());
}
