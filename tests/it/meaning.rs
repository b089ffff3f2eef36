//! Facts found by their meaning through the whole program, with an endpoint of its own.

use std::time::{Duration, Instant};

use crate::support::embedder::EmbeddingServer;
use crate::support::program::{Console, Program, button, text_of};

const PATIENCE: Duration = Duration::from_secs(60);

fn program(server: &EmbeddingServer) -> Program {
    Program::new().env("EMBEDDINGS_BASE_URL", &server.url()).env("EMBEDDINGS_MODEL", "small")
}

#[test]
fn what_was_told_is_found_in_other_words_after_a_restart_too_and_not_once_it_is_forgotten() {
    let server = EmbeddingServer::start();
    let program = program(&server);
    let mut console = program.console(&[]).limit(PATIENCE);
    for told in ["remember that my rabbit is called Flo", "remember that the bins go out on Tuesdays"] {
        assert!(text_of(&console.say(told)).contains("Remembered"), "{told}");
    }
    let asks = |console: &mut Console| text_of(&console.say("what do you know about the bunny?"));
    let began = Instant::now();
    let mut said = asks(&mut console);
    while !said.contains("Flo") {
        assert!(began.elapsed() < PATIENCE, "{said}");
        std::thread::sleep(Duration::from_millis(50));
        said = asks(&mut console);
    }
    assert!(said.contains("nothing in these words"), "{said}");
    console.finish();
    let facts = || server.texts().iter().filter(|text| text.contains("Flo")).count();
    assert_eq!(facts(), 1);
    let mut console = program.console(&[]).limit(PATIENCE);
    let began = Instant::now();
    while !asks(&mut console).contains("Flo") {
        assert!(began.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(facts(), 1, "what is there is not made again");
    let card = console.say("forget my rabbit");
    assert!(text_of(&console.press(&button(&card, "approve"))).contains("Forgotten"));
    assert!(!asks(&mut console).contains("Flo"));
    // The next of all has its vector, so whatever became of the others is done.
    console.say("remember that my shoes are size 42");
    let began = Instant::now();
    while !server.texts().iter().any(|text| text.contains("size 42") && !text.contains("remember")) {
        assert!(began.elapsed() < PATIENCE);
        asks(&mut console);
        std::thread::sleep(Duration::from_millis(50));
    }
    let others = server.texts().iter().filter(|text| text.contains("Tuesdays") && !text.contains("remember")).count();
    assert_eq!(others, 1, "what stays is not made again");
    console.finish();
}

#[test]
fn what_a_fact_was_before_is_shown_when_it_is_asked_for() {
    let program = Program::new();
    let mut console = program.at("2026-01-12T09:00:00Z");
    console.say("remember that my server is a Synology");
    console.now("2026-03-02T09:00:00Z");
    // Of something else that was spoken of last it says nothing.
    console.say("remind me to call mom tomorrow at 5pm");
    console.say("it's a fnOS, not a Synology");
    assert!(text_of(&console.say("/memory server")).contains("a Synology"));
    console.say("what do you know about my server?");
    let told = text_of(&console.say("it's a fnOS, not a Synology"));
    assert!(told.contains("🧠 Updated: server — a fnOS"), "{told}");
    let told = text_of(&console.say("/memory server"));
    assert!(told.contains("server: a fnOS, since") && told.contains("before: “a Synology”"), "{told}");
    assert!(text_of(&console.say("/memory bicycle")).contains("nothing about “bicycle”"));
    let all = text_of(&console.say("/memory"));
    assert!(all.contains("a fnOS") && !all.contains("Synology"), "{all}");
    console.finish();
}
