#!/usr/bin/env bash
# Everything that must hold, on a fresh Debian machine with Rust: formats, lints, builds and runs every test, on
# real servers on loopback, which `tests/servers/install.sh` installs. Nothing is skipped. Closes with how long each
# phase took, the ten slowest tests, and the counts in one plain line.
#
# - One compilation is linted and run, see `tests/rustc.sh`.
# - Many tests wait more than they work (a server that is slow on purpose, a minute of a busy bot), so more of
#   them run at once than there are processors. RUST_TEST_THREADS says otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never
# Nothing is built twice here: what incremental builds write down would never be read. A failed assertion names its
# line without debug information.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

phases=()
step() {
    finish_step
    step_name=$1 step_began=$SECONDS
    printf '\n== %s\n' "$step_name"
}
finish_step() {
    [ -z "${step_name:-}" ] || phases+=("$(printf '%4d s  %s' $((SECONDS - step_began)) "$step_name")")
    step_name=
}

step "Toolchain"
command -v cargo >/dev/null || { echo "cargo is missing: install Rust (https://rustup.rs) first" >&2; exit 1; }
cargo --version
for part in rustfmt clippy; do
    cargo "${part/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$part"
done

step "Servers of mail, calendars and contacts"
tests/servers/install.sh

step "Format, and dependencies as locked"
cargo fmt --all --check
cargo metadata --locked --format-version 1 >/dev/null

step "Build and lints"
export RUSTC_WORKSPACE_WRAPPER=$PWD/tests/rustc.sh
cargo test --workspace --locked --no-run --lib --tests --benches --examples --features failpoints

step "Tests"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((4 * $(nproc)))}
# How long a test took is an unstable option of the test harness; the variable allows it on a stable toolchain.
# It is set for the test binaries alone, as dependencies would be built in another way under it.
runner='target."cfg(all())".runner = ["env", "RUSTC_BOOTSTRAP=1"]'
status=0
run_tests() { cargo --config "$runner" test --locked --no-fail-fast --features failpoints "$@" 2>&1 | tee -a "$log" || status=$?; }
run_tests --workspace --lib --tests --examples -- -Z unstable-options --report-time
run_tests --workspace --doc

step "Invariants, with mail, calendars, tasks and contacts on real servers"
BRAIN_TESTS_MAIL=imap BRAIN_TESTS_COLLECTIONS=dav run_tests --workspace --test it -- -Z unstable-options --report-time invariants:: attack::real
finish_step

printf '\nPhases\n'
printf '%s\n' "${phases[@]}"
printf '\nThe ten slowest tests\n'
sed -nE 's/^test (.*) \.\.\. .*<([0-9.]+)s>$/\2 \1/p' "$log" | sort -nr |
    awk 'NR <= 10 { printf "%6.1f s  %s\n", $1, $2 }'

# One line a test binary becomes one line for all of them.
awk '/^test result:/ { for (i = 1; i < NF; i++) { if ($(i+1) ~ /^passed/) p += $i; if ($(i+1) ~ /^failed/) f += $i; if ($(i+1) ~ /^ignored/) s += $i } }
     END { printf "\n%d passed, %d failed, %d skipped\n", p, f, s }' "$log"
exit "$status"
