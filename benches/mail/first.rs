//! The first synchronisation, and one with nothing new.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::Effort;
use crate::bare::BareClient;
use crate::mailbox::Served;
use crate::report::{Report, Row, median, memory_mb, ms};
use crate::watched::Watched;

const RATIO_MIN: f64 = 0.5;

pub fn measure(report: &mut Report, served: &Served, effort: Effort) {
    let count = served.count;
    let rate = |took: Duration| count as f64 / took.as_secs_f64();
    let (mut bare, mut written, mut ours, mut findable, mut peaks) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut last, mut kept) = (None, Vec::new());
    // By turns, so that what else this machine does falls on all of them.
    for _ in 0..effort.of(1, 3) {
        bare.push(timed(|| _ = BareClient::of(&served.server).read_all(|_| {})));
        let (took, files) = written_by_bare(served);
        written.push(took);
        rustix::fs::sync();
        let folder = crate::folder();
        let mut watched = Watched::start(served, folder.path(), false);
        ours.push(watched.read());
        findable.push(watched.found());
        peaks.push(memory_mb(watched.console.pid(), "VmHWM"));
        kept.push(files);
        kept.extend(last.replace((folder, watched)).map(|(folder, _): (TempDir, Watched)| folder));
    }
    let [bare, written, ours, findable] = [&bare, &written, &ours, &findable].map(|times| median(times));
    let of = |took: Duration| took.as_secs_f64();
    report.add(
        Row::new(
            format!(
                "{count} mails, {:.1} kB on average: first synchronisation",
                served.bytes as f64 / count as f64 / 1e3
            ),
            format!("{:.0} a second", rate(ours)),
        )
        .beside(format!("{:.0} a second, a bare client that drops them", rate(bare)), of(bare) / of(ours))
        .target(format!("≥ {RATIO_MIN}"), of(bare) / of(ours) >= RATIO_MIN),
    );
    report.add(Row::new(format!("– {count}: the same"), format!("{:.0} a second", rate(ours))).beside(
        format!("{:.0} a second, a bare client that writes each to a file, unsynced", rate(written)),
        of(written) / of(ours),
    ));
    report.add(
        Row::new(
            format!("– {count}: until each is found, asked for once they are there"),
            format!("{:.0} a second", rate(findable)),
        )
        .beside(format!("{:.0} a second, a bare client that drops them", rate(bare)), of(bare) / of(findable)),
    );
    let (folder, watched) = last.expect("a first one");
    watched.console.terminate();
    // Until the server has written down the end of that conversation, too.
    std::thread::sleep(Duration::from_millis(500));
    let (again, bytes) = nothing_new(served, folder.path());
    report.add(Row::new(
        format!("– {count}: start to read, with nothing new"),
        format!("{}, {bytes} bytes on the wire", ms(again)),
    ));
    let without = without_account();
    let peak = peaks.iter().copied().fold(f64::MIN, f64::max);
    report.add(
        Row::new(format!("– {count}: peak memory until each is found"), format!("{peak:.0} MB"))
            .beside(format!("{without:.0} MB without an account"), peak / without),
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// How long it takes, and where the files are: ext4 looks for new ones around every inode of the last seconds' deletions,
/// for which the next one measured would pay.
fn written_by_bare(served: &Served) -> (Duration, TempDir) {
    let folder = crate::folder();
    let mut n = 0;
    let took = timed(|| {
        BareClient::of(&served.server).read_all(|mail| {
            n += 1;
            fs::write(folder.path().join(n.to_string()), mail).expect("a file");
        });
    });
    (took, folder)
}

/// How long it takes until it says that the account is read, and what the server counts for that conversation.
fn nothing_new(served: &Served, folder: &Path) -> (Duration, u64) {
    let ended = |log: &str| log.matches(" out=").count();
    let before = ended(&served.server.log());
    let mut watched = Watched::start(served, folder, false);
    let took = watched.read();
    watched.console.kill();
    let log = loop {
        let log = served.server.log();
        if ended(&log) > before {
            break log;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let line = log.lines().rfind(|line| line.contains(" out=")).unwrap_or_default();
    let count = |name: &str| -> u64 {
        let rest = line.split_once(name).map(|(_, rest)| rest).unwrap_or_default();
        rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
    };
    (took, count(" in=") + count(" out="))
}

/// What the process takes that has none, after the same questions.
fn without_account() -> f64 {
    let folder = crate::folder();
    let mut console = crate::support::program::Program::with_data_dir(folder.path()).console(&[]);
    for words in ["/status", "find emails about zanzibar"] {
        console.say(words);
    }
    memory_mb(console.pid(), "VmHWM")
}
