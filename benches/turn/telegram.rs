//! The same paths as a person on Telegram has them: from the message at the Bot API until the answer is there, with
//! inbox, delivery, and the pause in which a message may go on; beside the same without that pause.

use std::time::{Duration, Instant};

use crate::Effort;
use crate::endpoint::{Endpoint, Latency};
use crate::report::{Report, Row, median, ms, quantile};
use crate::support::bot_api::FakeBotApi;
use crate::support::program::Program;

const PERSON: i64 = 7;
const LIMIT: Duration = Duration::from_secs(60);
/// Telegram lets a chat have three messages at once and then one a second; that wait is none of ours.
const BETWEEN: Duration = Duration::from_millis(2_200);

/// What is said, and what its answer is known by.
const TURNS: [(&str, &str, &str); 4] = [
    ("chat", "hi there, how are you?", "Happy to help"),
    ("action", "remind me to water the plants tomorrow at 5pm", "Reminder set"),
    ("card", "invite anna@example.com to lunch tomorrow at noon", "anna@example.com"),
    ("consent", "yes", "unch"),
];

pub fn measure(report: &mut Report, effort: Effort) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let endpoint = Endpoint::start(Latency { route_ms: 200, plan_ms: 800, respond_ms: 400 });
        let rounds = effort.of(3, 10);
        let with = rounds_of(&endpoint.url, None, rounds).await;
        let without = rounds_of(&endpoint.url, Some("0s"), rounds).await;
        for (at, (name, _, _)) in TURNS.iter().enumerate() {
            let (time, bare) = (median(&with[at]), median(&without[at]));
            report.add(
                Row::new(
                    format!(
                        "{name} on Telegram, inbox and delivery and pause included, route 200, plan 800, respond 400 ms"
                    ),
                    format!("{}, slowest {}", ms(time), ms(quantile(&with[at], 1.0))),
                )
                .beside(format!("{} with BRAIN_DEBOUNCE=0s", ms(bare)), time.as_secs_f64() / bare.as_secs_f64()),
            );
        }
    });
}

/// For each of the turns, how long it took.
async fn rounds_of(model: &str, pause: Option<&str>, rounds: usize) -> Vec<Vec<Duration>> {
    let folder = crate::folder();
    let api = FakeBotApi::start().await;
    let mut program = Program::with_data_dir(folder.path())
        .env("BRAIN_ALLOWED_USERS", &PERSON.to_string())
        .env("BRAIN_TIMEZONE", "UTC")
        .env("LLM_BASE_URL", model)
        .env("LLM_API_KEY", "bench")
        .env("LLM_MODEL", "simulated");
    if let Some(pause) = pause {
        program = program.env("BRAIN_DEBOUNCE", pause);
    }
    let mut daemon = program.daemon(&api);
    daemon.wait_ready().await;
    let mut times = vec![Vec::new(); TURNS.len()];
    for round in 0..=rounds {
        for (at, (_, says, answer)) in TURNS.iter().enumerate() {
            let last = api.messages(PERSON).iter().map(|message| message.id).max().unwrap_or(0);
            let began = Instant::now();
            api.user_says(PERSON, says);
            api.wait_message(PERSON, |message| message.id > last + 1 && message.text.contains(answer), LIMIT).await;
            // The first round opens connections.
            if round > 0 {
                times[at].push(began.elapsed());
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }
    daemon.kill();
    times
}
