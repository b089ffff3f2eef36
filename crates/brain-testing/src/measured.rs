//! Figures that take minutes to find out, kept beside the data they are of, and found out anew when that has changed.
//!
//! A record names the hash of everything that its figures follow from, the sources that compute them included; tests of
//! those are left out. Invariants: where the hash is another, everything is measured anew in the same test; the claims
//! about the figures are asserted either way, and a part of them is found out in every run and compared with the
//! record. So a record that is out of date costs time and hides nothing. `MEASURE_ANEW=1` measures whatever the hash
//! says, as before a release; with it a record that is wrong fails.
//!
//! After a change: `WRITE_MEASURED=1 cargo test --workspace --lib -- measured_`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A record, and what its figures follow from.
#[derive(Debug)]
pub struct MeasuredFigures {
    /// Below `data`.
    pub file: &'static str,
    /// Of the figures in that file.
    pub name: &'static str,
    /// Files and folders below the root; folders without their tests.
    pub inputs: &'static [&'static str],
}

fn below_root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Hexadecimal SHA-256.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name == "tests" || name == "tests.rs" || name.ends_with("_tests.rs")
}

fn walk(path: PathBuf, found: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        found.push(path);
        return;
    }
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if !is_test(&path) {
            walk(path, found);
        }
    }
}

impl MeasuredFigures {
    fn path(&self) -> PathBuf {
        below_root("data").join(self.file)
    }

    /// Names and contents of all inputs, but for the records themselves.
    fn hash_of_inputs(&self) -> String {
        let mut files = Vec::new();
        self.inputs.iter().for_each(|input| walk(below_root(input), &mut files));
        files.retain(|file| file.file_name() != self.path().file_name());
        files.sort();
        assert!(files.len() >= self.inputs.len());
        let mut all = String::new();
        for file in files {
            let name = file.strip_prefix(below_root("")).unwrap().display().to_string();
            let _ = writeln!(all, "{name} {}", hash(&std::fs::read(&file).unwrap()));
        }
        hash(all.as_bytes())
    }

    /// The lines of the record, of all names: `NAME HASH` and its figures, each line of them begun with `NAME: `.
    fn kept(&self) -> Vec<String> {
        std::fs::read_to_string(self.path()).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn write(&self, inputs: &str, figures: &[String]) {
        let is_ours = |line: &String| line.starts_with(&format!("{} ", self.name)) || line.starts_with(&self.prefix());
        let mut lines = self.kept();
        lines.retain(|line| !is_ours(line) && !line.starts_with('#') && !line.is_empty());
        lines.push(format!("{} {inputs}", self.name));
        lines.extend(figures.iter().map(|figure| self.prefix() + figure));
        // Stable: figures keep their order.
        lines.sort_by_key(|line| line.split([' ', ':']).next().unwrap_or_default().to_owned());
        let head =
            "# Written by `WRITE_MEASURED=1 cargo test --workspace --lib -- measured_`; see crates/brain-testing.";
        std::fs::write(self.path(), format!("{head}\n{}\n", lines.join("\n"))).unwrap();
    }

    fn prefix(&self) -> String {
        format!("{}: ", self.name)
    }

    /// The figures: as they were kept, where they are still of the same inputs, and else measured anew.
    pub fn figures(&self, measure: impl FnOnce() -> Vec<String>) -> Vec<String> {
        // One test writes at a time.
        static WRITING: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let inputs = self.hash_of_inputs();
        let lines = self.kept();
        let kept: Vec<String> =
            lines.iter().filter_map(|line| line.strip_prefix(&self.prefix())).map(str::to_owned).collect();
        let is_of_these = lines.contains(&format!("{} {inputs}", self.name));
        if is_of_these && std::env::var_os("MEASURE_ANEW").is_none() {
            return kept;
        }
        let figures = measure();
        if std::env::var_os("WRITE_MEASURED").is_some() {
            let _one = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            self.write(&inputs, &figures);
        } else if is_of_these {
            assert_eq!(figures, kept, "data/{} is wrong about the same inputs", self.file);
        } else {
            // Past the capture of test output.
            let told = format!("measured anew: {} of data/{}, see crates/brain-testing", self.name, self.file);
            writeln!(std::io::stderr(), "{told}").unwrap();
        }
        figures
    }
}

/// The numbers of a line, in order.
pub fn numbers(line: &str) -> Vec<usize> {
    line.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}
