#!/usr/bin/env bash
# What takes long, for a night, and before an issue is called resolved: the tests that `tests/run.sh` leaves out, every
# invariant on real servers, more hostile plans, and mutated input against every parser of what others send and every
# reader of what people say, in memory that is bounded from outside. Half an hour on two cores. See docs/tests.md.
#
# - ATTACK_PLANS and ORACLE_CALENDARS say how many plans and calendars; FUZZ_ROUNDS and FUZZ_SEEDS (several, with a
#   space between) how far the mutations go. A failure names its seed and the file that it left, which goes into
#   `tests/corpus` once it is understood.
# - NIGHTLY_MEMORY_KB bounds what one process of the mutations may take.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/lists.sh
rounds=${FUZZ_ROUNDS:-6000}
seeds=${FUZZ_SEEDS:-$(date +%j) 2 3}
memory_kb=${NIGHTLY_MEMORY_KB:-4000000}
export ATTACK_PLANS=${ATTACK_PLANS:-10000} ORACLE_CALENDARS=${ORACLE_CALENDARS:-10000}

step "Servers, and build"
tests/servers/install.sh
tested --no-run --lib --test it

step "What every commit leaves out"
# A name that no test has any more would leave something out everywhere.
for name in "${nightly[@]}"; do
    found=$(cargo test --workspace --locked --features failpoints --test it -- --list "$name" 2>/dev/null)
    [[ $found == *': test'* ]] || { echo "No test is called like $name, see tests/lists.sh" >&2; exit 1; }
done
tested --test it -- "${timed[@]}" "${nightly[@]}"

step "Generated series: $ORACLE_CALENDARS calendars"
tested --lib -- "${timed[@]}" calendar::resource::oracle::

step "Every invariant, with mail, calendars, tasks and contacts on real servers"
BRAIN_TESTS_MAIL=imap BRAIN_TESTS_COLLECTIONS=dav tested --test it -- "${timed[@]}" invariants:: attack::real

step "Hostile plans: $ATTACK_PLANS"
tested --test it -- "${timed[@]}" attack::hostile_plans

step "With OpenTelemetry"
logged cargo --config "$runner" test --locked --features failpoints,otel --test it -- "${timed[@]}" telemetry::

# The bound is for what runs, not for what compiles it.
mutated() (
    ulimit -v "$memory_kb"
    runner='target."cfg(all())".runner = ["timeout", "700", "env", "RUSTC_BOOTSTRAP=1"]'
    export FUZZ_SEED=$1 FUZZ_ROUNDS=$2 FUZZ_SECONDS=${FUZZ_SECONDS:-120} RUST_TEST_THREADS=${RUST_TEST_THREADS:-$(nproc)}
    tested "${@:3}"
    exit "$status"
)
for seed in $seeds; do
    step "Parsers of what others send, seed $seed"
    mutated "$seed" "$rounds" --lib -- "${timed[@]}" fuzzed_ || status=$?
    step "Readers of what people say, seed $seed"
    mutated "$seed" "$((100 * rounds))" --test it -- "${timed[@]}" fuzz:: || status=$?
done

close
