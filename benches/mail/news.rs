//! How soon a mail that another client puts into the inbox is found, where the server tells of it (IDLE).

use std::time::{Duration, Instant};

use crate::Effort;
use crate::bare::BareClient;
use crate::mailbox::{Served, USER};
use crate::report::{Report, Row, median, ms, quantile};
use crate::watched::Watched;

const AIM: Duration = Duration::from_secs(5);

pub fn measure(report: &mut Report, served: &Served, effort: Effort) {
    let folder = crate::folder();
    let mut watched = Watched::start(served, folder.path(), false);
    watched.read();
    watched.found();
    let mut client = BareClient::of(&served.server);
    let mut times = Vec::new();
    for n in 0..effort.of(3, 10) {
        // It listens by then.
        std::thread::sleep(Duration::from_millis(700));
        let word = format!("qwx{n}");
        client.append(&format!(
            "From: Bob <bob@work.example>\r\nTo: {USER}\r\nSubject: About the {word}\r\nMessage-ID: <{word}.{}@new>\r\n\r\nNews\r\n",
            served.count
        ));
        let began = Instant::now();
        while !watched.finds(&word) {
            std::thread::sleep(Duration::from_millis(20));
        }
        times.push(began.elapsed());
    }
    let slowest = quantile(&times, 1.0);
    report.add(
        Row::new(
            format!("a new mail among {}, from its delivery until it is found", served.count),
            format!("{}, slowest {}", ms(median(&times)), ms(slowest)),
        )
        .target("≤ 5 s", slowest <= AIM),
    );
}
