#!/usr/bin/env bash
# The long search, for a night: hostile plans, and mutated input against every parser of what others send and every
# reader of what people say, far more than `tests/run.sh` tries, in memory that is bounded from outside. Closes with the
# counts in one plain line.
#
# - FUZZ_ROUNDS and FUZZ_SEEDS (several, with a space between) say how far it goes; a failure names its seed and the file
#   that it left, which goes into `tests/corpus` once it is understood.
# - NIGHTLY_MEMORY_KB bounds what one process may take.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
rounds=${FUZZ_ROUNDS:-1500}
seeds=${FUZZ_SEEDS:-$(date +%j) 2 3}
memory_kb=${NIGHTLY_MEMORY_KB:-4000000}

printf '== Build\n'
cargo test --workspace --locked --no-run --lib --test it --features failpoints

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# The bound is for what runs, not for what compiles it.
search() {
    printf '\n== %s, seed %s\n' "$1" "$2"
    (
        ulimit -v "$memory_kb"
        FUZZ_SEED=$2 FUZZ_ROUNDS=$3 FUZZ_SECONDS=${FUZZ_SECONDS:-120} RUST_TEST_THREADS=${RUST_TEST_THREADS:-$(nproc)} \
            timeout 700 cargo test --locked --no-fail-fast --features failpoints "${@:4}" 2>&1
    ) | tee -a "$log" || status=$?
}
for seed in $seeds; do
    search "Parsers of what others send" "$seed" "$rounds" --workspace --lib fuzzed_
    search "Readers of what people say" "$seed" "$((100 * rounds))" --workspace --test it fuzz::
done

printf '\n== Hostile plans\n'
ATTACK_PLANS=${ATTACK_PLANS:-10000} cargo test --locked --workspace --features failpoints --test it -- attack::hostile_plans 2>&1 |
    tee -a "$log" || status=$?

# One line a test binary becomes one line for all of them.
awk '/^test result:/ { for (i = 1; i < NF; i++) { if ($(i+1) ~ /^passed/) p += $i; if ($(i+1) ~ /^failed/) f += $i; if ($(i+1) ~ /^ignored/) s += $i } }
     END { printf "\n%d passed, %d failed, %d skipped\n", p, f, s }' "$log"
exit "$status"
