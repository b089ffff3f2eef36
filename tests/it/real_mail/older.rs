//! Mail of before what is kept here, asked of the server by whoever looks for it in the chat.

use std::time::{Duration, Instant};

use brain_agent::core::ids::UserId;
use brain_agent::services::contract::capabilities::Mirroring as _;

use super::world::World;
use crate::support::dovecot::{Delivered, Dovecot};
use crate::support::program::{Console, Program, text_of};

const MARA: &str = "mara@example.com";

fn written(from: &str, subject: &str, date: &str, text: &str) -> String {
    let id = subject.split(' ').next().unwrap_or_default();
    format!(
        "From: {from}\r\nTo: {MARA}\r\nSubject: {subject}\r\nDate: {date}\r\nMessage-ID: <{id}@work.example>\r\n\
         Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{text}\r\n"
    )
}

/// A mailbox with two mails of 2019, and one of today.
fn server() -> Dovecot {
    let server = Dovecot::setup().user(MARA, "secret").start();
    let old = Delivered { flags: &["\\Seen"], arrived: Some(1_552_899_600) };
    let boiler =
        written("Zoe Meyer <zoe@work.example>", "Boiler offer", "Mon, 18 Mar 2019 09:00:00 +0000", "Für den Kessel");
    server.deliver_as(MARA, "Archive", boiler, old);
    let wine = written("Bob <bob@work.example>", "Wine list", "Mon, 18 Mar 2019 09:00:00 +0000", "a \"red\" one");
    server.deliver_as(MARA, "INBOX", wine, Delivered { flags: &[], arrived: Some(1_552_899_600) });
    let now = chrono::Utc::now().to_rfc2822();
    server.deliver(MARA, "INBOX", written("Bob <bob@work.example>", "Lunch today", &now, "lunch?"));
    server
}

fn console(program: &Program) -> Console {
    let mut console = program.console(&[]);
    let began = Instant::now();
    while !text_of(&console.say("any mail about lunch?")).contains("Lunch today") {
        assert!(began.elapsed() < Duration::from_secs(60), "it never came");
        std::thread::sleep(Duration::from_millis(200));
    }
    console
}

fn program(imap: u16) -> Program {
    Program::new().env("IMAP_URL", &format!("imap://{}:secret@127.0.0.1:{imap}", MARA.replace('@', "%40")))
}

#[test]
fn what_is_older_is_found_on_the_server_and_is_a_mail_like_any_other_from_then_on() {
    let server = server();
    let program = program(server.port());
    let mut console = console(&program);
    let recent = text_of(&console.say("any mail from Bob?"));
    assert!(!recent.contains("Wine list"), "what is found here is not looked for on the server: {recent}");
    for (said, subject) in [
        ("any mail about the boiler?", "Boiler offer"),
        ("any mail about Kessel?", "Boiler offer"),
        ("any mail from Bob before April 2019?", "Wine list"),
    ] {
        let found = text_of(&console.say(said));
        assert!(found.contains(subject), "{said}: {found}");
    }
    let read = text_of(&console.say("read the mail about the Kessel"));
    assert!(read.contains("Für den Kessel"), "{read}");
    let none = text_of(&console.say("any mail about parachutes?"));
    assert!(none.contains("The mail server was asked for older ones, too."), "{none}");
    // Another program sees to it, and it follows as all mail does.
    let other = server.other_client(MARA);
    other.expunge("Archive", other.only("Archive", "<Boiler@work.example>").uid);
    // What comes into the inbox has every folder looked at.
    server.deliver(MARA, "INBOX", written("Bob <bob@work.example>", "News", "Mon, 12 Jan 2026 08:00:00 +0000", "news"));
    let began = Instant::now();
    while text_of(&console.say("any mail about Kessel?")).contains("Boiler offer") {
        assert!(began.elapsed() < Duration::from_secs(60), "it never went");
        std::thread::sleep(Duration::from_millis(200));
    }
    console.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn since_when_a_mailbox_is_out_of_reach_is_known() {
    let world = World::new(Dovecot::setup()).await;
    world.synchronised().await;
    assert_eq!(world.keeper.not_in_step(&world.owner), None);
    let ctx = world.ctx();
    let World { server, states, keeper, owner, .. } = world;
    drop(server);
    let before = chrono::Utc::now();
    keeper.catch_up(&ctx, Duration::from_secs(60)).await;
    assert!(keeper.not_in_step(&owner).is_some_and(|since| since >= before), "{states:?}");
    assert_eq!(keeper.not_in_step(&UserId::new("tg:2")), keeper.not_in_step(&owner), "the account is everybody's");
}

#[test]
fn a_server_that_cannot_be_asked_is_told_of() {
    let server = server();
    let program = program(server.port());
    let mut console = console(&program);
    drop(server);
    let told = text_of(&console.say("any mail about the boiler?"));
    assert!(told.contains("I found no such mail"), "{told}");
    assert!(told.contains("it could not be asked just now"), "{told}");
    console.finish();
}
