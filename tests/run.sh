#!/usr/bin/env bash
# Everything that must hold, on a fresh Debian machine with Rust: installs what the tests need, starts real
# servers on loopback, runs every test, closes with the counts. Nothing is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }
export CARGO_TERM_COLOR=never

step "Toolchain"
command -v cargo >/dev/null || { echo "cargo is missing: install Rust (https://rustup.rs) first" >&2; exit 1; }
cargo --version
for part in rustfmt clippy; do
    cargo "${part/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$part"
done

step "Format, and dependencies as locked"
cargo fmt --check
cargo metadata --locked --format-version 1 >/dev/null

step "Lints"
cargo clippy --locked --all-targets --features failpoints -- -D warnings

step "Tests (one build: development profile, with fail points)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
cargo test --locked --no-fail-fast --features failpoints 2>&1 | tee "$log" || status=$?

# One line a test binary becomes one line for all of them.
awk '/^test result:/ { for (i = 1; i < NF; i++) { if ($(i+1) ~ /^passed/) p += $i; if ($(i+1) ~ /^failed/) f += $i; if ($(i+1) ~ /^ignored/) s += $i } }
     END { printf "\n%d passed, %d failed, %d skipped\n", p, f, s }' "$log"
exit "$status"
