//! What is gained when nodes start while a model still writes the later ones.

use std::time::{Duration, Instant};

use futures::{Stream, StreamExt, stream};

use crate::Effort;
use crate::graphs::{Asking, LONG, ORDINARY, SHORT, asking};
use crate::report::{Report, Row, median, ms};
use crate::work::Bench;

/// Between two nodes: some thirty tokens of a model of ordinary speed.
const APART: Duration = Duration::from_millis(100);

pub async fn measure(report: &mut Report, effort: Effort, bench: &Bench) {
    let nodes = vec![
        asking("find mails", &[], ORDINARY, 1),
        asking("find events", &[], SHORT, 1),
        asking("read mails", &["find mails"], LONG, 1),
        asking("read events", &["find events"], ORDINARY, 1),
        asking("compare", &["read mails", "read events"], ORDINARY, 1),
        asking("notes", &[], ORDINARY, 1),
    ];
    let (mut streamed, mut waited) = (Vec::new(), Vec::new());
    for _ in 0..effort.of(3, 15) {
        streamed.push(bench.run(written(nodes.clone())).await.time);
        let begun = Instant::now();
        let all: Vec<Asking> = written(nodes.clone()).collect().await;
        bench.run(stream::iter(all)).await;
        waited.push(begun.elapsed());
    }
    let (streamed, waited) = (median(&streamed), median(&waited));
    report.add(
        Row::new("6 nodes written 100 ms apart: run as they come, beside waiting for the last", ms(streamed))
            .beside(ms(waited), waited.as_secs_f64() / streamed.as_secs_f64()),
    );
}

/// As a model writes them.
fn written(nodes: Vec<Asking>) -> impl Stream<Item = Asking> + Send {
    stream::iter(nodes).then(|node| async move {
        tokio::time::sleep(APART).await;
        node
    })
}
