#!/usr/bin/env bash
# Before a release, after `tests/run.sh` and `tests/nightly.sh`: 100,000 hostile plans, the archive that people are
# given, used in a bare root folder as they will use it, the unit for systemd, the image, and the program with a real
# small model. See docs/tests.md.
#
#   tests/release.sh                    # all of it
#   tests/release.sh --archive          # only what is given out: archive, unit, image
#   tests/release.sh --binary FILE      # takes a program that is built
#   tests/release.sh --arm64            # the archive for arm64 as well
#
# ATTACK_PLANS says how many plans. The root folders and the image need root; what they install (debootstrap, buildah, the
# cross compiler) comes from Debian.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/lists.sh
export ATTACK_PLANS=${ATTACK_PLANS:-100000}

all=yes arm64=no binary=()
while [ $# -gt 0 ]; do
    case $1 in
    --archive) all=no ;;
    --arm64) arm64=yes ;;
    --binary) binary=(--binary "$2"); shift ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift
done

if [ "$all" = yes ]; then
    step "Hostile plans: $ATTACK_PLANS"
    tested --test it -- "${timed[@]}" attack::hostile_plans
fi

step "What it takes"
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    packages=()
    command -v debootstrap >/dev/null || packages+=(debootstrap)
    command -v buildah >/dev/null || packages+=(buildah)
    command -v systemd-analyze >/dev/null || packages+=(systemd)
    [ "$arm64" = no ] || packages+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static)
    [ ${#packages[@]} -eq 0 ] || { apt-get update && apt-get install -y --no-install-recommends "${packages[@]}"; } >"$installed" 2>&1 ||
        { tail -20 "$installed" >&2; exit 1; }
fi

step "The archive"
archive=$(packaging/archive.sh ${binary[@]+"${binary[@]}"})
logged packaging/try-archive.sh "$archive"
cat "$archive.sha256"
if [ "$arm64" = yes ]; then
    step "The archive for arm64"
    archive_of_arm64=$(packaging/archive.sh --arm64)
    logged packaging/try-archive.sh "$archive_of_arm64"
    cat "$archive_of_arm64.sha256"
fi

# What the archive holds is what is tried from here on.
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked" "$log" "$installed"' EXIT
tar -C "$unpacked" --strip-components=1 -xzf "$archive"

step "The unit for systemd"
# 0 is shut, 10 is open: no more than 3.0.
exposure=$(systemd-analyze security --offline=true --threshold=30 --no-pager "$unpacked/brain-agent.service") || status=1
tail -1 <<<"$exposure"

step "The image"
logged packaging/try-image.sh "$unpacked/brain-agent"

if [ "$all" = yes ]; then
    step "A real small model"
    logged env MODEL_PROGRAM="$unpacked/brain-agent" tests/model.sh
fi

close
