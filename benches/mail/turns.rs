//! What turns wait while an account is read for the first time, beside the same turns once it is.

use std::time::{Duration, Instant};

use crate::mailbox::Served;
use crate::report::{Report, Row, median, ms, quantile};
use crate::support::program::text_of;
use crate::watched::Watched;

const RATIO_MAX: f64 = 1.5;
/// Between turns: whoever talks without a pause would slow down what they are measured beside.
const PAUSE: Duration = Duration::from_millis(40);
/// Rounds when it is quiet.
const ROUNDS: usize = 40;

/// What is said, what the answer holds, and what is said after it, untimed.
const KINDS: [(&str, &str, &str, Option<&str>); 3] = [
    ("add milk", "add milk to my shopping list", "milk", Some("remove milk from my shopping list")),
    ("what's on my list", "what's on my shopping list?", "Shopping list", None),
    ("a mail search", "find emails about garden", "", None),
];

pub fn measure(report: &mut Report, served: &Served) {
    for (is_strangers, whose) in [(false, "one's own account"), (true, "another person's account")] {
        rustix::fs::sync();
        let folder = crate::folder();
        let mut watched = Watched::start(served, folder.path(), is_strangers);
        watched.console.say("add eggs to my shopping list");
        let mut beside = vec![Vec::new(); KINDS.len()];
        // What a program makes ready at the first of a kind is no matter of the account.
        round(&mut watched, &mut vec![Vec::new(); KINDS.len()]);
        while !watched.is_read() {
            round(&mut watched, &mut beside);
        }
        watched.found();
        let mut quiet = vec![Vec::new(); KINDS.len()];
        (0..ROUNDS).for_each(|_| round(&mut watched, &mut quiet));
        for ((name, ..), (beside, quiet)) in KINDS.iter().zip(beside.iter().zip(&quiet)) {
            let what = format!("{name}, while {} of {whose} are read for the first time", served.count);
            if beside.is_empty() {
                report.add(Row::new(what, "none fitted in"));
                continue;
            }
            let p95 = |times: &[Duration]| ms(quantile(times, 0.95));
            let (time, alone) = (median(beside), median(quiet));
            let ratio = time.as_secs_f64() / alone.as_secs_f64();
            report.add(
                Row::new(what, format!("{}, p95 {} of {}", ms(time), p95(beside), beside.len()))
                    .beside(format!("{}, p95 {} when it is quiet", ms(alone), p95(quiet)), ratio)
                    .target(format!("≤ {RATIO_MAX}"), ratio <= RATIO_MAX),
            );
        }
    }
}

fn round(watched: &mut Watched, times: &mut [Vec<Duration>]) {
    for ((_, says, expects, after), times) in KINDS.iter().zip(times) {
        std::thread::sleep(PAUSE);
        let began = Instant::now();
        let told = watched.console.say(says);
        times.push(began.elapsed());
        assert!(text_of(&told).contains(expects), "{}", text_of(&told));
        if let Some(words) = after {
            watched.console.say(words);
        }
    }
}
