//! Fail points: places where a crash test stops the process dead. Built only with the feature `failpoints`.
//!
//! `FAIL_AT=NAME` names the place; the process writes the name into the file `FAIL_REACHED` and does nothing
//! more, until it is killed. `NAME:N` means the N-th time it passes there. With `FAIL_AS=panic` it panics there, with
//! `FAIL_AS=hold` it goes on once that file is gone.

/// Stops here when the environment says so.
#[cfg(feature = "failpoints")]
pub fn fail_point(name: &str) {
    use std::sync::atomic::{AtomicU32, Ordering};

    static PASSED: AtomicU32 = AtomicU32::new(0);
    let Ok(wanted) = std::env::var("FAIL_AT") else {
        return;
    };
    let (place, nth) = wanted.split_once(':').map_or((wanted.as_str(), 1), |(p, n)| (p, n.parse().unwrap_or(1)));
    if place != name || PASSED.fetch_add(1, Ordering::SeqCst) + 1 != nth {
        return;
    }
    if let Ok(path) = std::env::var("FAIL_REACHED") {
        let _ = std::fs::write(path, name);
    }
    let how = std::env::var("FAIL_AS").unwrap_or_default();
    assert!(how != "panic", "{name} was reached");
    loop {
        std::thread::park_timeout(std::time::Duration::from_millis(5));
        if how == "hold" && std::env::var("FAIL_REACHED").is_ok_and(|path| !std::path::Path::new(&path).exists()) {
            return;
        }
    }
}

/// Does nothing.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn fail_point(_name: &str) {}
