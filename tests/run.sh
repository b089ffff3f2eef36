#!/usr/bin/env bash
# What must hold after every commit, on a fresh Debian machine with Rust: formats, lints, builds and runs the tests, on
# real servers on loopback, which `tests/servers/install.sh` installs. Nothing is skipped; what takes long and finds
# little that these do not is left to `tests/nightly.sh`, see docs/tests.md. Closes with how long each phase took, the
# ten slowest tests, and the counts in one plain line.
#
# - One compilation is linted and run, see `tests/rustc.sh`.
# - Many tests wait more than they work (a server that is slow on purpose, a minute of a busy bot), so more of
#   them run at once than there are processors. RUST_TEST_THREADS says otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/lists.sh

step "Toolchain"
command -v cargo >/dev/null || { echo "cargo is missing: install Rust (https://rustup.rs) first" >&2; exit 1; }
cargo --version
for part in rustfmt clippy; do
    cargo "${part/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$part"
done

# Beside the build: what it waits for is mostly the network.
tests/servers/install.sh >"$installed" 2>&1 &
installing=$!

step "Format, and dependencies as locked"
cargo fmt --all --check
cargo metadata --locked --format-version 1 >/dev/null

step "Build and lints"
export RUSTC_WORKSPACE_WRAPPER=$PWD/tests/rustc.sh
cargo test --workspace --locked --no-run --lib --tests --benches --examples --features failpoints

step "Servers of mail, calendars, contacts and tools, and a browser"
wait "$installing" || { cat "$installed" >&2; exit 1; }

step "Tests"
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((4 * $(nproc)))}
tested --lib --tests --examples -- "${timed[@]}" "${nightly[@]/#/--skip=}"
tested --doc

step "Invariants that write, with mail, calendars, tasks and contacts on real servers"
BRAIN_TESTS_MAIL=imap BRAIN_TESTS_COLLECTIONS=dav tested --test it -- "${timed[@]}" "${writing[@]}"

close
