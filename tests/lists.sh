# What the three lists of tests share, which read this file. docs/tests.md says what runs in which of them.

export CARGO_TERM_COLOR=never
# Nothing is built twice here: what incremental builds write down would never be read. A failed assertion names its
# line without debug information.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

# Tests that wait for the night, and invariants that are held on real servers at every commit: what their names hold.
nightly=(soak:: reminders::year:: mcp::real::every_scenario_of_the_protocols_suite)
writing=(invariants::cards:: invariants::decisions:: invariants::durability:: invariants::replaced:: invariants::undo::)

phases=()
status=0
log=$(mktemp) installed=$(mktemp)
trap 'rm -f "$log" "$installed"' EXIT

# How long a test took is an unstable option of the test harness; the variable allows it on a stable toolchain. It is
# set for the test binaries alone, as dependencies would be built in another way under it.
timed=(-Z unstable-options --report-time)
runner='target."cfg(all())".runner = ["env", "RUSTC_BOOTSTRAP=1"]'

step() {
    finish_step
    step_name=$1 step_began=$SECONDS
    printf '\n== %s\n' "$step_name"
}

finish_step() {
    [ -z "${step_name:-}" ] || phases+=("$(printf '%4d s  %s' $((SECONDS - step_began)) "$step_name")")
    step_name=
}

# Runs a command whose failure is told at the end.
logged() { "$@" 2>&1 | tee -a "$log" || status=$?; }

# Runs tests of the whole workspace, always with the same features, so that nothing is built again.
tested() { logged cargo --config "$runner" test --workspace --locked --no-fail-fast --features failpoints "$@"; }

# The closing lines, and the exit code.
close() {
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
}
