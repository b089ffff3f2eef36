#!/usr/bin/env bash
# Before a release, after `tests/run.sh` and `tests/nightly.sh`: 100,000 hostile plans, the archive that people are
# given, started as it will be, and the program with a real small model. See docs/tests.md.
#
# ATTACK_PLANS says how many plans.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/lists.sh
export ATTACK_PLANS=${ATTACK_PLANS:-100000}
target=${CARGO_TARGET_DIR:-$PWD/target}

step "Hostile plans: $ATTACK_PLANS"
tested --test it -- "${timed[@]}" attack::hostile_plans

step "The archive"
logged cargo build --release --locked
version=$("$target/release/brain-agent" --version | awk '{ print $2 }')
name=brain-agent-$version-$(rustc -vV | sed -n 's/^host: //p')
rm -rf "${target:?}/$name"
mkdir "$target/$name"
cp -r "$target/release/brain-agent" README.md CHANGELOG.md LICENSE* docs "$target/$name"
tar -C "$target" -czf "$target/$name.tar.gz" "$name"
# Nothing of this folder or of this environment is needed to start it.
empty=$(mktemp -d)
tar -C "$empty" -xzf "$target/$name.tar.gz"
answer=$(cd "$empty" && printf 'what do I have tomorrow?\n' |
    env -i PATH=/usr/bin:/bin "./$name/brain-agent" console --demo --now 2026-01-12T09:00:00Z --tz UTC)
rm -rf "$empty"
grep -q 'Client call with Northwind' <<<"$answer" || { printf 'The archive does not answer:\n%s\n' "$answer" >&2; status=1; }
(cd "$target" && sha256sum "$name.tar.gz")

step "A real small model"
logged env MODEL_PROGRAM="$target/release/brain-agent" tests/model.sh

close
