//! From a message in the chat to the mail in the other person's box, and back: the real program between real servers.

use std::time::{Duration, Instant};

use crate::support::byte_proxy::{ByteProxy, Direction, Fault, Manner};
use crate::support::dovecot::{Dovecot, SeenMessage};
use crate::support::postfix::Postfix;
use crate::support::program::{Console, Program, button, did, text_of};

pub const MARA: &str = "mara@example.com";
pub const BOB: &str = "bob@work.example";

/// A mail that Mara got, in a conversation.
const LUNCH: &str = "From: Bob Miller <bob@work.example>\r\nTo: mara@example.com\r\nSubject: Lunch on Thursday\r\n\
                     Date: Mon, 12 Jan 2026 08:00:00 +0000\r\nMessage-ID: <lunch2@work.example>\r\n\
                     References: <lunch1@example.com>\r\nIn-Reply-To: <lunch1@example.com>\r\n\r\n\
                     Shall we have lunch on Thursday?\r\n";

/// The short form, with these ports in front of the servers.
pub fn program(imap: u16, smtp: u16) -> Program {
    let user = MARA.replace('@', "%40");
    Program::new()
        .env("IMAP_URL", &format!("imap://{user}:secret@127.0.0.1:{imap}"))
        .env("SMTP_URL", &format!("smtp://{user}:secret@127.0.0.1:{smtp}"))
}

/// Once the mail is here.
fn console(program: &Program) -> Console {
    let mut console = program.console(&[]);
    let began = Instant::now();
    while !text_of(&console.say("any mail from Bob Miller?")).contains("Lunch on Thursday") {
        assert!(began.elapsed() < Duration::from_secs(60), "it never came");
        std::thread::sleep(Duration::from_millis(200));
    }
    console
}

pub fn of_subject(dovecot: &Dovecot, user: &str, folder: &str, subject: &str) -> Vec<SeenMessage> {
    let all = dovecot.other_client(user).messages(folder);
    all.into_iter().filter(|mail| mail.text().contains(&format!("\nSubject: {subject}"))).collect()
}

fn servers() -> (Dovecot, Postfix) {
    let dovecot = Dovecot::setup().user(MARA, "secret").user(BOB, "pass").start();
    dovecot.deliver(MARA, "INBOX", LUNCH);
    let postfix = Postfix::setup().start(&dovecot);
    (dovecot, postfix)
}

#[test]
fn a_reply_arrives_in_its_thread_lies_once_in_sent_and_marks_reach_the_server() {
    let (dovecot, postfix) = servers();
    let program = program(dovecot.port(), postfix.port());
    let mut console = console(&program);
    let card = console.say("reply to Bob Miller that Thursday works");
    assert!(text_of(&card).contains(BOB), "{}", text_of(&card));
    assert!(of_subject(&dovecot, MARA, "Sent", "Re: Lunch").is_empty(), "nothing before the yes");
    let sent = console.press(&button(&card, "approve"));
    assert_eq!(did(&sent), ["email.reply_to_email succeeded"], "{}", text_of(&sent));
    postfix.wait_empty(Duration::from_secs(60));
    let arrived = of_subject(&dovecot, BOB, "INBOX", "Re: Lunch on Thursday");
    assert_eq!(arrived.len(), 1, "{arrived:?}");
    let text = arrived[0].text();
    assert!(text.contains("In-Reply-To: <lunch2@work.example>"), "{text}");
    let references = text.replace("\r\n ", " ");
    assert!(references.contains("References: <lunch1@example.com> <lunch2@work.example>"), "{text}");
    let filed = of_subject(&dovecot, MARA, "Sent", "Re: Lunch on Thursday");
    assert_eq!(filed.len(), 1, "{filed:?}");
    assert_eq!(filed[0].message_id, arrived[0].message_id);
    let done = console.say("archive the mail from Bob Miller about lunch");
    assert_eq!(did(&done), ["email.mark succeeded"], "{}", text_of(&done));
    assert!(of_subject(&dovecot, MARA, "INBOX", "Lunch on Thursday").is_empty());
    assert_eq!(of_subject(&dovecot, MARA, "Archive", "Lunch on Thursday").len(), 1);
    let back = console.say("undo that");
    assert!(text_of(&back).contains("Lunch on Thursday"), "{}", text_of(&back));
    assert_eq!(of_subject(&dovecot, MARA, "INBOX", "Lunch on Thursday").len(), 1);
    console.finish();
}

#[test]
fn whose_confirmation_never_came_is_found_in_sent_or_unknown_and_is_never_sent_again() {
    let dovecot = Dovecot::setup().user(MARA, "secret").user(BOB, "pass").start();
    dovecot.deliver(MARA, "INBOX", LUNCH);
    for files_sent in [false, true] {
        let setup = if files_sent { Postfix::setup().files_sent() } else { Postfix::setup() };
        let postfix = setup.start(&dovecot);
        let proxy = ByteProxy::start(postfix.port());
        let program = program(dovecot.port(), proxy.port());
        let mut console = console(&program);
        let card = console.say("send an email to bob@work.example with subject First saying hello there");
        console.press(&button(&card, "approve"));
        let queued = proxy.dialogues()[0].line_before(Direction::ToClient, "queued");
        let subject = if files_sent { "Third" } else { "Second" };
        // The server takes the mail, and its yes is lost.
        proxy.next(Manner::clean().at(Direction::ToClient, queued, Fault::CutOneWay));
        let card = console.say(&format!("send an email to bob@work.example with subject {subject} saying hello there"));
        let told = console.press(&button(&card, "approve"));
        assert_eq!(proxy.faults(), 1, "{:?}", proxy.dialogues());
        postfix.wait_empty(Duration::from_secs(60));
        assert_eq!(of_subject(&dovecot, BOB, "INBOX", subject).len(), 1);
        let expected = if files_sent { "succeeded" } else { "unknown" };
        assert_eq!(did(&told), [format!("email.send_email {expected}")], "{}", text_of(&told));
        console.finish();
        let arrived = of_subject(&dovecot, BOB, "INBOX", subject);
        if !files_sent {
            // The server files it after all, later than anybody waited for.
            dovecot.deliver(MARA, "Sent", arrived[0].text());
        }
        let mut again = program.console(&[]);
        let (mut said, asked) = (String::new(), Instant::now());
        while !files_sent && !said.contains("Now I can:") {
            assert!(asked.elapsed() < Duration::from_secs(60), "{said}");
            std::thread::sleep(Duration::from_millis(200));
            said = text_of(&again.say("/pending"));
        }
        assert!(files_sent || said.contains("Sent"), "{said}");
        assert!(!text_of(&again.say("/pending")).contains("Now I can:"), "told once");
        again.finish();
        assert_eq!(of_subject(&dovecot, BOB, "INBOX", subject).len(), 1, "never twice");
        assert_eq!(of_subject(&dovecot, MARA, "Sent", subject).len(), 1);
    }
}
