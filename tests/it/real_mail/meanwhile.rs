//! What another client does to a mailbox between a card and its yes, seen through the whole program: nothing is done to
//! another mail, and the answer says what happened.

use std::time::{Duration, Instant};

use super::sent::{BOB, MARA, of_subject, program};
use crate::support::byte_proxy::{ByteProxy, Direction, Fault, Manner, Place};
use crate::support::dovecot::{Dovecot, OtherClient, SeenMessage};
use crate::support::postfix::Postfix;
use crate::support::program::{Console, Program, button, did, text_of};

const ID: &str = "<lunch@work.example>";
/// On a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

fn letter(id: &str, subject: &str, text: &str) -> String {
    format!(
        "From: Bob Miller <{BOB}>\r\nTo: {MARA}\r\nSubject: {subject}\r\nDate: Mon, 12 Jan 2026 08:00:00 +0000\r\n\
         Message-ID: {id}\r\n\r\n{text}\r\n"
    )
}

fn lunch() -> String {
    letter(ID, "Lunch on Thursday", "Shall we have lunch on Thursday?")
}

/// Another mail, which nobody ever spoke of.
fn other_mail() -> String {
    letter("<other@work.example>", "Contract", "Keep this one.")
}

/// What the other client does, and whether the mail is still the one that was shown, where it was.
struct Meddling {
    name: &'static str,
    /// The folder that the mails lie in.
    folder: &'static str,
    meddle: fn(&Dovecot, &OtherClient),
    still_meant: bool,
}

fn uid(other: &OtherClient, folder: &str) -> u32 {
    other.only(folder, ID).uid
}

const MEDDLINGS: [Meddling; 6] = [
    Meddling {
        name: "moved",
        folder: "INBOX",
        meddle: |_, other| other.move_to("INBOX", uid(other, "INBOX"), "Archive"),
        still_meant: false,
    },
    Meddling {
        name: "deleted",
        folder: "INBOX",
        meddle: |_, other| other.expunge("INBOX", uid(other, "INBOX")),
        still_meant: false,
    },
    Meddling {
        name: "flagged",
        folder: "INBOX",
        meddle: |_, other| other.flag("INBOX", uid(other, "INBOX"), &["\\Seen", "\\Flagged"]),
        still_meant: true,
    },
    Meddling {
        name: "another mail under its number",
        folder: "INBOX",
        meddle: |server, other| {
            other.expunge("INBOX", uid(other, "INBOX"));
            server.renumber(MARA, "INBOX");
        },
        still_meant: false,
    },
    Meddling {
        name: "other words under its name",
        folder: "INBOX",
        meddle: |_, other| {
            other.expunge("INBOX", uid(other, "INBOX"));
            other.append("INBOX", &[], letter(ID, "Lunch on Thursday", "Keep this one, too.").as_bytes());
        },
        still_meant: false,
    },
    Meddling {
        name: "a folder that was made anew",
        folder: "Work",
        meddle: |_, other| {
            other.recreate("Work");
            for _ in 0..2 {
                other.append("Work", &[], other_mail().as_bytes());
            }
        },
        still_meant: false,
    },
];

/// A person with two mails, of which the second is the one that is spoken of.
fn world(folder: &str) -> Dovecot {
    let dovecot = Dovecot::setup().user(MARA, "secret").user(BOB, "pass").start();
    dovecot.deliver(MARA, folder, other_mail());
    dovecot.deliver(MARA, folder, lunch());
    dovecot
}

/// Once both are here.
fn console(program: &Program) -> Console {
    let mut console = program.console(&[]).limit(PATIENCE);
    let began = Instant::now();
    for subject in ["Lunch on Thursday", "Contract"] {
        while !text_of(&console.say("any mail from Bob Miller?")).contains(subject) {
            assert!(began.elapsed() < PATIENCE, "it never came");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    console
}

/// All mails that are not the one: where they lie, and how.
fn others(other: &OtherClient) -> Vec<(String, SeenMessage)> {
    let all = ["INBOX", "Work", "Archive", "Trash"].into_iter();
    // Not every mailbox has each folder.
    let there: Vec<String> = other.folders().into_iter().map(|(name, _)| name).collect();
    let folders = all.filter(|folder| there.iter().any(|name| name == folder));
    let mails =
        folders.flat_map(|folder| other.messages(folder).into_iter().map(move |mail| (folder.to_owned(), mail)));
    mails.filter(|(_, mail)| mail.text() != lunch()).collect()
}

fn each(check: impl Fn(&Meddling) + Sync) {
    for some in MEDDLINGS.chunks(3) {
        std::thread::scope(|scope| {
            for one in some {
                let check = &check;
                let named = std::thread::Builder::new().name(one.name.to_owned());
                named.spawn_scoped(scope, move || check(one)).unwrap();
            }
        });
    }
}

#[test]
fn a_mail_that_was_agreed_to_be_deleted_is_the_one_that_goes_or_none_does() {
    each(|Meddling { name, folder, meddle, still_meant }| {
        let dovecot = world(folder);
        let program = program(dovecot.port(), 1);
        let mut console = console(&program);
        let card = console.say("delete the mail from Bob Miller about lunch");
        assert!(text_of(&card).contains("Delete this mail?"), "{name}: {}", text_of(&card));
        let other = dovecot.other_client(MARA);
        meddle(&dovecot, &other);
        let before = others(&other);
        let told = console.press(&button(&card, "approve"));
        let said = text_of(&told);
        let status = if *still_meant { "succeeded" } else { "failed" };
        assert_eq!(did(&told), [format!("email.delete_email {status}")], "{name}: {said}");
        let trash = other.messages("Trash");
        assert_eq!(trash.len(), usize::from(*still_meant), "{name}: {trash:?}");
        assert!(trash.iter().all(|mail| mail.text() == lunch()), "{name}: {trash:?}");
        assert_eq!(others(&other), before, "{name}");
        match still_meant {
            true => assert!(said.contains("Deleted: Lunch on Thursday"), "{name}: {said}"),
            false => assert!(said.to_lowercase().contains("nothing was changed"), "{name}: {said}"),
        }
        // The yes is used up.
        let again = console.press(&button(&card, "approve"));
        assert_eq!(others(&other), before, "{name}: {again:#?}");
    });
}

#[test]
fn a_mail_that_is_to_be_archived_is_the_one_that_moves_or_none_does() {
    each(|Meddling { name, folder, meddle, still_meant }| {
        // The other mail is as good an answer to what is said only then.
        if name.starts_with("other words") {
            return;
        }
        let dovecot = world(folder);
        let program = program(dovecot.port(), 1);
        let mut console = console(&program);
        let other = dovecot.other_client(MARA);
        meddle(&dovecot, &other);
        let before = others(&other);
        let told = console.say("archive the mail from Bob Miller about lunch");
        let said = text_of(&told);
        assert_eq!(others(&other), before, "{name}: {said}");
        let archived = other.messages("Archive").into_iter().filter(|mail| mail.text() == lunch()).count();
        // Whoever moved it there was the other client.
        let is_there = *still_meant || *name == "moved";
        assert_eq!(archived, usize::from(is_there), "{name}: {said}");
        assert!(is_there || !said.contains("Archived: Lunch"), "{name}: {said}");
        assert!(!still_meant || said.contains("Archived: Lunch"), "{name}: {said}");
    });
}

#[test]
fn a_reply_that_was_agreed_to_goes_where_its_card_says_whatever_became_of_the_mail() {
    each(|Meddling { name, folder, meddle, .. }| {
        let dovecot = world(folder);
        let postfix = Postfix::setup().start(&dovecot);
        let program = program(dovecot.port(), postfix.port());
        let mut console = console(&program);
        let card = console.say("reply to Bob Miller about lunch that Thursday works");
        let other = dovecot.other_client(MARA);
        meddle(&dovecot, &other);
        let before = others(&other);
        let told = console.press(&button(&card, "approve"));
        assert_eq!(did(&told), ["email.reply_to_email succeeded"], "{name}: {}", text_of(&told));
        postfix.wait_empty(PATIENCE);
        let arrived = of_subject(&dovecot, BOB, "INBOX", "Re: Lunch on Thursday");
        assert_eq!(arrived.len(), 1, "{name}: {arrived:?}");
        assert!(arrived[0].text().contains(&format!("In-Reply-To: {ID}")), "{name}: {}", arrived[0].text());
        assert_eq!(of_subject(&dovecot, MARA, "Sent", "Re: Lunch on Thursday").len(), 1, "{name}");
        assert_eq!(others(&other), before, "{name}");
    });
}

#[test]
fn a_person_is_answered_while_the_mail_server_says_nothing() {
    let dovecot = world("INBOX");
    let proxy = ByteProxy::start(dovecot.port());
    let program = program(proxy.port(), 1);
    console(&program).finish();
    proxy.otherwise(Manner::clean().at(Direction::ToClient, Place::Byte(0), Fault::Blackhole));
    let before = proxy.dialogues().len();
    let mut console = program.console(&[]).limit(PATIENCE);
    proxy.wait("it connects", PATIENCE, |dialogues| dialogues.len() > before);
    // The first turn of a life may take longer for reasons of its own.
    console.say("/pending");
    console.say("any mail from Bob Miller?");
    for asked in ["any mail from Bob Miller?", "remind me to call mom tomorrow at 5pm", "what did Bob Miller write?"] {
        let began = Instant::now();
        let said = text_of(&console.say(asked));
        assert!(said.contains("Lunch on Thursday") || said.contains("Call mom") || said.contains("Contract"), "{said}");
        // Sooner than the silence is taken for one.
        assert!(began.elapsed() < Duration::from_secs(20), "{asked}: {:?}", began.elapsed());
    }
    assert!(proxy.dialogues()[before..].iter().all(|dialogue| dialogue.to_server.is_empty()));
}
