//! A mail that was waited for comes, and the process ends before that is told.

use serde_json::{Value, json};

use super::{NOW, World, each, told};
use crate::support::smtp_server::Mode;

const LATER: &str = "2026-01-11T10:00:00Z";
const ANSWER: &str = "From: Bob <bob@example.com>\nTo: me@example.com\nSubject: All is well\nDate: Sun, 11 Jan 2026 09:30:00 +0000\n\nYes.\n";

fn notices(lines: &[Value]) -> usize {
    lines.iter().filter(|line| line["type"] == "message" && line.to_string().contains("Mail from")).count()
}

#[test]
fn a_mail_that_was_waited_for_is_told_once_more_at_most_whenever_the_process_ends() {
    each(&["watch-decided", "tell-before", "tell-durable", "shown"], |border| {
        let world = World::new(Mode::Accept);
        let mut first = world.lives();
        let set = first.say("tell me when bob@example.com writes");
        assert!(told(&set).contains("I'll tell you when a mail from bob@example.com comes"), "{set:#?}");
        assert_eq!(first.finish().code, 0);
        world.program.receives("1768123800.mail", ANSWER);
        let printed = world.dies_at(border, NOW, &json!({"now": LATER}));
        assert_eq!(notices(&printed), usize::from(border == "shown"), "{printed:#?}");

        let mut second = world.lives_at(LATER);
        let lines = second.send(json!({"now": LATER}));
        assert_eq!(notices(&lines), 1, "{border}: {lines:#?}");
        drop(second);
        let mut third = world.lives_at("2026-01-12T18:00:00Z");
        let lines = third.send(json!({"now": "2026-01-12T18:00:00Z"}));
        assert_eq!(notices(&lines), 0, "{border}: {lines:#?}");
    });
}
