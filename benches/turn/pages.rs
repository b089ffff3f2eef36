//! The operator's page over a store full of open cards and of traces of turns: what each page takes.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::report::{Report, Row, median, ms, quantile};
use crate::support::program::Program;

const TOKEN: &str = "a-token-of-the-benchmark";
const PAGE_MAX: Duration = Duration::from_millis(50);
/// Pages that are turned over, from the first one on.
const TURNED: usize = 40;

/// Turns over the pages of a store with so many of both.
pub async fn measure(report: &mut Report, data: &Path, count: usize) {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port");
    let program = Program::with_data_dir(data).env("BRAIN_ADMIN_ADDR", &free.to_string());
    let mut console = program.env("BRAIN_ADMIN_TOKEN", TOKEN).console(&[]);
    console.say("hi");
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    for (path, next, filter) in [
        ("pending", "after", ""),
        ("turns", "before", ""),
        // Nothing fits: each page looks at as many records as it may.
        ("pending", "after", "user=nobody&"),
        ("turns", "before", "path=investigate&"),
    ] {
        let (mut times, mut query) = (Vec::new(), String::new());
        for _ in 0..TURNED {
            let place = format!("http://{free}/api/{path}?{filter}{query}");
            let began = Instant::now();
            let page: serde_json::Value =
                client.get(place).bearer_auth(TOKEN).send().await.expect("a page").json().await.expect("JSON");
            times.push(began.elapsed());
            assert!(page[path].as_array().is_some_and(|rows| rows.is_empty() != filter.is_empty()), "{page}");
            let Some(key) = page["next"].as_str() else { break };
            query = format!("{next}={}", key.replace('\u{1}', "%01"));
        }
        let time = quantile(&times, 1.0);
        let kind = if filter.is_empty() { "" } else { ", of which none fits" };
        report.add(
            Row::new(
                format!("the page: 50 of {count} {path}{kind}, {} pages one behind the other", times.len()),
                format!("{}, slowest {}", ms(median(&times)), ms(time)),
            )
            .target("≤ 50 ms", time <= PAGE_MAX),
        );
    }
    console.kill();
}
