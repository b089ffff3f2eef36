#!/usr/bin/env bash
# What cargo calls in place of rustc for our own crates while `tests/run.sh` builds: one pass that compiles and lints.
#
# Clippy's driver compiles as rustc does and lints on the way, so that there is no second pass that only checks.
# A library itself goes without, as its lines are linted where they are compiled for its unit tests.
set -euo pipefail
case " $* " in
*" --crate-type lib "*) exec "$@" -D warnings ;;
*) exec clippy-driver "$@" -D warnings ;;
esac
