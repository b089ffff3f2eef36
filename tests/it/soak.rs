//! A busy bot: a thousand people, up to twenty messages a second, and one call of twenty goes wrong.
//!
//! Asserted: no message stays unanswered, none is answered before an earlier one of its chat, an answer comes
//! twice only where Telegram took it and its confirmation was lost, and memory does not grow once everything was
//! used. The figures are printed. `SOAK_MESSAGES` makes it longer, `SOAK_SEED` other.
//!
//! Nothing here depends on how fast the machine is: people write no faster than they are answered, and no time is
//! asserted. The limits on sending are a matter of when a send begins, not of when a busy server sees it: they are
//! held in virtual time, see `channel/telegram/pace.rs`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::support::bot_api::{Call, FakeBotApi, Fault};
use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::{Daemon, Program};

const PEOPLE: i64 = 1_000;
/// These few write a third of everything, in bursts.
const TALKATIVE: i64 = 10;
const MESSAGES: u64 = 1_200;
/// The least pause between two messages.
const EVERY: Duration = Duration::from_millis(50);
/// Messages without an answer at which people wait before they write more. More than come in a second, so that there
/// are always many chats at once.
const OPEN_MAX: usize = 100;
/// Nothing at all is answered for so long: it hangs.
const HANGS: Duration = Duration::from_secs(120);
const FIRST: i64 = 10_000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Everything is small talk, repeated word by word.
fn echo() -> ModelServer {
    ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::route("chat", &[]),
        _ => {
            let message = request.prompt().rsplit_once("\nMessage: ").map(|(_, m)| m.trim().to_owned());
            ModelReply::text(format!("You said: {}", message.unwrap_or_default()))
        }
    })
}

/// What was said, in order, a chat; and what of it is still open.
#[derive(Default)]
struct Said {
    all: BTreeMap<i64, Vec<(String, Instant)>>,
    open: Vec<(i64, String)>,
}

impl Said {
    fn say(&mut self, api: &FakeBotApi, nth: u64, person: i64) {
        let key = format!("k{nth:05}");
        api.user_says(person, &format!("nice weather today {key}"));
        self.all.entry(person).or_default().push((key.clone(), Instant::now()));
        self.open.push((person, key));
    }

    fn note_answers(&mut self, api: &FakeBotApi) {
        self.open.retain(|(person, key)| !api.messages(*person).iter().any(|message| message.text.contains(key)));
    }

    /// Waits until at most so many are open, as long as some answers come.
    async fn comes_to(&mut self, api: &FakeBotApi, open_max: usize, daemon: &Daemon) {
        let mut last_answer = Instant::now();
        while self.open.len() > open_max {
            let before = self.open.len();
            tokio::time::sleep(EVERY).await;
            self.note_answers(api);
            if self.open.len() < before {
                last_answer = Instant::now();
            }
            let open = &self.open;
            assert!(last_answer.elapsed() < HANGS, "{} stay open: {open:?}\n{}", open.len(), daemon.stderr());
        }
    }
}

fn resident_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_thousand_people_lose_nothing_and_are_answered_in_order() {
    let (all, seed) = (setting("SOAK_MESSAGES", MESSAGES), setting("SOAK_SEED", 7));
    let (api, model) = (FakeBotApi::start().await, echo());
    let people: Vec<String> = (FIRST..FIRST + PEOPLE).map(|id| id.to_string()).collect();
    let program =
        Program::new().env("BRAIN_ALLOWED_USERS", &people.join(",")).env("BRAIN_TIMEZONE", "UTC").model(&model);
    let mut daemon = program.daemon(&api);
    daemon.wait_ready().await;
    let wrong = vec![
        Fault::ServerError(500),
        Fault::GatewayPage,
        Fault::ClosedBeforeEffect,
        Fault::ReplyLost,
        Fault::Flood(1),
        Fault::Slow(Duration::from_millis(700)),
    ];
    api.weather(seed, 50, &["sendMessage", "sendChatAction", "editMessageText", "getUpdates"], wrong);

    let (mut said, mut resident) = (Said::default(), Vec::new());
    let began = Instant::now();
    for nth in 0..all {
        tokio::time::sleep(EVERY).await;
        if said.open.len() >= OPEN_MAX {
            said.note_answers(&api);
            said.comes_to(&api, OPEN_MAX - 1, &daemon).await;
        }
        // Each talkative one in turn writes six in a row.
        let person = if nth % 18 < 6 { i64::try_from(nth / 18).unwrap() % TALKATIVE } else { spread(seed, nth) };
        said.say(&api, nth, FIRST + person);
        if (nth + 1) % (all / 4) == 0 {
            resident.push(resident_kb(daemon.pid()));
        }
    }
    said.comes_to(&api, 0, &daemon).await;
    let (struck, calls, took) = (api.struck(), api.all_calls(), began.elapsed());
    assert!(daemon.is_running());

    let seen = compare(&api, &said);
    let sends: Vec<&Call> = calls.iter().filter(|call| call.method == "sendMessage").collect();
    let lost_replies = sends.iter().filter(|call| call.status.is_none()).count();
    let report = format!(
        "soak: {all} messages of {PEOPLE} people in {} s, {struck} of {} calls struck; answered {all}, doubled {} \
         (of {lost_replies} calls without an answer); answer p50 {} ms, p99 {} ms; resident {resident:?} kB",
        took.as_secs(),
        calls.len(),
        seen.doubled,
        seen.at(0.5).as_millis(),
        seen.at(0.99).as_millis(),
    );
    // Past the capture of test output: these figures are meant to be read.
    writeln!(std::io::stderr(), "{report}").unwrap();
    assert!(seen.doubled <= lost_replies, "{report}");
    assert!(struck * 40 > calls.len(), "the weather was too fine: {report}");
    let (early, late) = (resident[0], resident[3]);
    assert!(late < early + early / 4 + 8_192, "memory grows: {report}");
}

/// Someone of the thousand.
fn spread(seed: u64, nth: u64) -> i64 {
    let mixed = (seed ^ nth).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    i64::try_from(mixed).unwrap() % PEOPLE
}

struct Seen {
    doubled: usize,
    waits: Vec<Duration>,
}

impl Seen {
    fn at(&self, share: f64) -> Duration {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let index = ((self.waits.len() - 1) as f64 * share) as usize;
        self.waits[index]
    }
}

/// Every answer in the order of its question; how often one was given twice, and how long they took.
fn compare(api: &FakeBotApi, said: &Said) -> Seen {
    let mut seen = Seen { doubled: 0, waits: Vec::new() };
    for (person, said) in &said.all {
        let messages = api.messages(*person);
        // Messages of one breath have one answer, which comes again as a whole when its confirmation was lost.
        let mut last: Vec<usize> = Vec::new();
        for message in &messages {
            let holds = |place: &usize| message.text.contains(said[*place].0.as_str());
            let here: Vec<usize> = (0..said.len()).filter(holds).collect();
            let Some(first) = here.first() else { continue };
            if here == last {
                seen.doubled += 1;
                continue;
            }
            assert!(last.last() < Some(first), "chat {person}: {} came after a later one", said[*first].0);
            last = here;
        }
        for (key, at) in said {
            let answer = messages.iter().find(|message| message.text.contains(key.as_str())).unwrap();
            seen.waits.push(answer.sent_at.duration_since(*at));
        }
    }
    seen.waits.sort();
    seen
}
