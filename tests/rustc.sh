#!/usr/bin/env bash
# What cargo calls in place of rustc for our own crate while `tests/run.sh` builds: one pass that compiles and lints.
#
# Clippy's driver compiles as rustc does and lints on the way, so that there is no second pass that only checks.
# The library itself goes without, as its lines are linted where they are compiled for its unit tests. What the
# attack works in, the library and the test binary, is optimised a little: a hundred thousand hostile plans take a
# third of the time then, and compiling the rest that way would cost more than it gains.
set -euo pipefail
optimised=(-C opt-level=1 -C debug-assertions=on)
case " $* " in
*" --crate-type lib "*) exec "$@" "${optimised[@]}" -D warnings ;;
*" --crate-name it "*) exec clippy-driver "$@" "${optimised[@]}" -D warnings ;;
*) exec clippy-driver "$@" -D warnings ;;
esac
