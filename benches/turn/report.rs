//! The table: what was measured, beside what, and whether it is enough.

use std::fmt::Write as _;
use std::time::Duration;

use crate::Effort;

/// Whether a figure reaches its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    Yes,
    No,
    /// There is no target.
    Unasked,
}

impl Met {
    pub fn when(met: bool) -> Self {
        if met { Self::Yes } else { Self::No }
    }
}

/// One line of the table. Empty cells are shown as a dash.
#[derive(Debug, Clone)]
pub struct Row {
    pub what: String,
    pub figure: String,
    pub alternative: String,
    pub ratio: Option<f64>,
    pub target: String,
    pub met: Met,
}

impl Row {
    pub fn new(what: impl Into<String>, figure: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            figure: figure.into(),
            alternative: String::new(),
            ratio: None,
            target: String::new(),
            met: Met::Unasked,
        }
    }

    /// The same thing done another way, and how the figure compares to it.
    pub fn beside(self, alternative: impl Into<String>, ratio: f64) -> Self {
        Self { alternative: alternative.into(), ratio: Some(ratio), ..self }
    }

    pub fn target(self, target: impl Into<String>, met: bool) -> Self {
        Self { target: target.into(), met: Met::when(met), ..self }
    }

    /// An aim that is set for the whole load: a quick run shows it and holds its smaller one to nothing.
    pub fn aim_at_full_load(self, effort: Effort, target: &str, met: bool) -> Self {
        match effort {
            Effort::Full => self.target(target, met),
            Effort::Quick => Self { target: format!("{target} (whole run)"), ..self },
        }
    }
}

/// What was measured so far.
#[derive(Debug, Default)]
pub struct Report {
    rows: Vec<Row>,
}

impl Report {
    pub fn add(&mut self, row: Row) {
        eprintln!("  {}", line(&row));
        self.rows.push(row);
    }

    pub fn markdown(&self, effort: Effort) -> String {
        let mut text = format!("Measured {}.\n\n", machine());
        if effort == Effort::Quick {
            text.push_str("Quick run: few samples, so the tails mean little.\n\n");
        }
        text.push_str("| what | figure | alternative | ratio | target | met? |\n|---|---|---|---|---|---|\n");
        for row in &self.rows {
            let _ = writeln!(text, "{}", line(row));
        }
        text
    }
}

fn line(row: &Row) -> String {
    let or_dash = |text: &str| {
        if text.is_empty() { "–".to_owned() } else { text.replace('|', "\\|") }
    };
    let met = match row.met {
        Met::Yes => "yes",
        Met::No => "**no**",
        Met::Unasked => "–",
    };
    let ratio = row.ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}"));
    format!(
        "| {} | {} | {} | {ratio} | {} | {met} |",
        row.what,
        or_dash(&row.figure),
        or_dash(&row.alternative),
        or_dash(&row.target)
    )
}

/// Date, processor, system, and how busy it was: figures of a shared machine need that.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = read("/proc/loadavg");
    format!(
        "{} on {cores} × {}, Linux {}, load {} at the end",
        chrono::Utc::now().format("%Y-%m-%d %H:%M UTC"),
        model.map_or("an unnamed processor", |(_, model)| model.trim()),
        read("/proc/sys/kernel/osrelease").trim(),
        load.split_whitespace().next().unwrap_or("unknown"),
    )
}

/// The value below which this share of the samples lies.
pub fn quantile<T: Copy + PartialOrd>(samples: &[T], share: f64) -> T {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("samples that compare"));
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

pub fn median<T: Copy + PartialOrd>(samples: &[T]) -> T {
    quantile(samples, 0.5)
}

/// Milliseconds, with as many digits as mean something.
pub fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1_000.0;
    if ms < 10.0 { format!("{ms:.2} ms") } else { format!("{ms:.1} ms") }
}

pub fn us(us: f64) -> String {
    if us >= 1_000.0 { format!("{:.2} ms", us / 1_000.0) } else { format!("{us:.0} µs") }
}

/// A line of `/proc/PID/status` in MiB, e.g. `VmHWM`.
pub fn memory_mb(pid: u32, line: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kb = status
        .lines()
        .find_map(|l| l.strip_prefix(line)?.strip_prefix(':')?.split_whitespace().next()?.parse::<f64>().ok());
    kb.unwrap_or(f64::NAN) / 1024.0
}
