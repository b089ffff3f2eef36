//! Files that are made from others and stand beside them: the test of each says whether it still follows.
//!
//! After a change of what they are made from: `WRITE_COMPILED=1 cargo test --lib -- language:: services::tests`, again
//! until it passes, since what is made later is built on what was made before.

/// The file of that name under `data/language` must hold these bytes.
pub fn check(name: &str, bytes: &[u8]) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/language").join(name);
    if std::fs::read(&path).is_ok_and(|held| held == bytes) {
        return;
    }
    let writes = std::env::var_os("WRITE_COMPILED").is_some();
    if writes {
        std::fs::write(&path, bytes).unwrap();
    }
    let then = if writes { "it was written anew: run this again" } else { "see src/language/compiled.rs" };
    panic!("data/language/{name} does not follow from what it is made from; {then}");
}
