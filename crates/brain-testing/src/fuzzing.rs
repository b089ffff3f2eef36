//! Mutated bytes against the parsers of what others send: each must come to an end, without a panic, on a stack as small
//! as a worker's, within processor time that is bounded for each byte.
//!
//! As many rounds on every machine; `FUZZ_SEED` chooses other mutations (every failure names it), `FUZZ_ROUNDS` makes a
//! longer search of it. What once broke a parser is kept below `tests/corpus/NAME` and tried first, in every run. Memory
//! is bounded from outside, by whoever starts the long search.

use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Mutations of a run that is not asked for more.
const ROUNDS: usize = 150;
/// What the small workers of the runtime have.
const STACK_BYTES: usize = 2 * 1024 * 1024;
/// A mutation is no longer than that.
const BYTES_MAX: usize = 256 * 1024;
/// Processor time of an unoptimised build: for each input, and for each byte of it.
const BASE: Duration = Duration::from_millis(250);
const EACH_BYTE: Duration = Duration::from_micros(40);
/// How often a piece is repeated where nesting is tried.
const REPEATS: [usize; 4] = [2, 70, 3_000, 100_000];

/// `SplitMix64`: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end.max(1) as u64).unwrap()
    }

    fn range(&mut self, bytes: &[u8]) -> (usize, usize) {
        let (a, b) = (self.below(bytes.len() + 1), self.below(bytes.len() + 1));
        (a.min(b), a.max(b))
    }

    fn mutated(&mut self, seeds: &[Vec<u8>], tokens: &[&str]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(4) {
            let (from, to) = self.range(&bytes);
            match self.below(7) {
                0 => bytes.truncate(to),
                1 => drop(bytes.drain(from..to)),
                2 if from < bytes.len() => bytes[from] = u8::try_from(self.below(256)).unwrap(),
                3 => {
                    let piece = &bytes[from..to.min(from + 40)];
                    let times = REPEATS[self.below(REPEATS.len())].min(BYTES_MAX / piece.len().max(1));
                    let piece = piece.repeat(times);
                    drop(bytes.splice(from..from, piece));
                }
                4 | 5 if !tokens.is_empty() => {
                    let token = tokens[self.below(tokens.len())];
                    let times = if self.below(3) == 0 { REPEATS[self.below(REPEATS.len())] } else { 1 };
                    let piece = token.as_bytes().repeat(times.min(BYTES_MAX / token.len().max(1)));
                    drop(bytes.splice(from..from, piece));
                }
                _ => {
                    let other = &seeds[self.below(seeds.len())];
                    let (start, end) = self.range(other);
                    drop(bytes.splice(from..to, other[start..end].iter().copied()));
                }
            }
            bytes.truncate(BYTES_MAX);
        }
        bytes
    }
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// A moment of this thread's processor time, which others that are at work do not make longer.
#[derive(Debug, Clone, Copy)]
pub struct ThreadClock(Duration);

impl ThreadClock {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        Self(Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap())
    }

    /// How much of it went by since.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now().0 - self.0
    }
}

/// Tries `parse` with the corpus of that name, with `seeds`, and with mutations of both, into which `tokens` (what opens,
/// closes and separates in that language) are put.
pub fn fuzz(name: &str, seeds: &[&str], tokens: &[&str], parse: impl Fn(&[u8]) + Send + Sync + 'static) {
    let mut seeds: Vec<Vec<u8>> = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    seeds.extend(corpus(name));
    let tokens: Vec<String> = tokens.iter().map(|&token| token.to_owned()).collect();
    let seed = number("FUZZ_SEED").unwrap_or(1);
    let rounds = number("FUZZ_ROUNDS").unwrap_or(ROUNDS);
    let name = name.to_owned();
    let searched = move || {
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let mut dice = Dice(seed as u64);
        for round in 0..seeds.len() + rounds {
            let input = if round < seeds.len() { seeds[round].clone() } else { dice.mutated(&seeds, &tokens) };
            let before = ThreadClock::now();
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| parse(&input)));
            let took = before.elapsed();
            let allowed = BASE + EACH_BYTE * u32::try_from(input.len()).unwrap();
            if ended.is_err() || took > allowed {
                let kept = std::env::temp_dir().join(format!("fuzzed-{name}-{seed}-{round}"));
                std::fs::write(&kept, &input).unwrap();
                let what = if ended.is_err() { "a panic".to_owned() } else { format!("{took:?} of {allowed:?}") };
                panic!("{name}: {what} at FUZZ_SEED={seed}, round {round}; the input is in {}", kept.display());
            }
        }
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(searched).unwrap().join().unwrap();
}
