//! Kills at no border in particular: some milliseconds after a line was sent. The delays follow from a fixed
//! seed, but a machine is never as fast twice: what is checked holds wherever the kill fell.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{World, each, times, told};
use crate::support::program::{Console, button, pending_ids, text_of};
use crate::support::smtp_server::Mode;
use serde_json::{Value, json};

const KILLS: usize = 12;
const LONGEST_MS: u64 = 50;
const WORDS: [&str; KILLS] =
    ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo", "lima"];

/// What the person saw with their own eyes.
#[derive(Debug, Default)]
struct Seen {
    /// Words of tasks that were acknowledged.
    tasks: Vec<&'static str>,
    /// Cards by id, with the word of their mail.
    cards: BTreeMap<String, &'static str>,
    /// Words of mails told as sent.
    sent: Vec<&'static str>,
}

#[test]
fn kills_at_random_moments_lose_nothing_and_double_nothing() {
    each(&[1_u64, 2, 3], a_hard_life);
}

fn a_hard_life(seed: u64) {
    let world = World::new(Mode::Accept);
    let mut seen = Seen::default();
    let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for (kill, word) in WORDS.into_iter().enumerate() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let delay = Duration::from_micros((random >> 33) % (LONGEST_MS * 1_000));
        let mut console = world.lives();
        // What waits from the life before is shown now.
        seen.look(&console.say("/pending"));
        let line = next_line(&mut console, kill, word, &mut seen);
        console.start_sending(&line.to_string());
        std::thread::sleep(delay);
        seen.look(&console.kill_and_read());
    }
    check(&world, &mut seen, seed);
}

/// In turn: a task, a card, a yes to a card.
fn next_line(console: &mut Console, kill: usize, word: &'static str, seen: &mut Seen) -> Value {
    let mail = format!("send an email to bob.miller@example.com saying the {word} is late");
    match kill % 3 {
        0 => json!({"text": format!("remind me to buy {word} tomorrow at 5pm")}),
        1 => json!({"text": mail}),
        _ => {
            let card = console.say(&mail);
            seen.look(&card);
            json!({"press": button(&card, "approve")})
        }
    }
}

impl Seen {
    fn look(&mut self, lines: &[Value]) {
        let text = told(lines);
        for known in WORDS {
            if text.contains(&format!("Reminder set: Buy {known}")) {
                self.tasks.push(known);
            }
            if text.contains(&format!("📨 Sent to bob.miller@example.com: The {known}")) {
                self.sent.push(known);
            }
        }
        // A card may be shown a life later than it was asked for: what it is about stands on it.
        for line in lines {
            for id in pending_ids(std::slice::from_ref(line)) {
                let card = text_of(std::slice::from_ref(line));
                let about = WORDS.into_iter().find(|word| card.contains(&format!("The {word} is late")));
                if let Some(word) = about {
                    self.cards.insert(id.clone(), word);
                }
                assert!(self.cards.contains_key(&id), "{id} was never shown with its mail: {line}");
            }
        }
    }
}

fn check(world: &World, seen: &mut Seen, seed: u64) {
    let mut last = world.lives();
    seen.look(&last.say("/pending"));
    let tasks = text_of(&last.say("show my tasks"));
    for word in WORDS {
        let there = times(&tasks, &format!("Buy {word}"));
        let told = seen.tasks.contains(&word);
        assert!(there <= 1 && (there == 1 || !told), "seed {seed}: {word} is there {there} times\n{tasks}");
    }
    assert_eq!(last.finish().code, 0);
    let mails = world.mail.mails();
    for (id, word) in &seen.cards {
        let sent = mails.iter().filter(|mail| mail.subject == format!("The {word} is late")).count();
        let state = world.state(id);
        let fits = match state.as_str() {
            "pending" => sent == 0 && !seen.sent.contains(word),
            "succeeded" => sent == 1,
            "unknown" => sent <= 1 && !seen.sent.contains(word),
            _ => false,
        };
        assert!(fits, "seed {seed}: the mail about {word} is {state} and went out {sent} times");
    }
    assert!(mails.iter().all(|mail| world.mail.deliveries(&mail.message_id) == 1), "seed {seed}");
}
