#!/usr/bin/env bash
# Builds the image of the Dockerfile around a program that is built already, without a container engine, and uses it:
# version, a root that is only read, a user that is not root, the health check before, while and after it runs.
#
#   packaging/try-image.sh BINARY
#
# Needs root, and buildah and debootstrap (apt-get install buildah debootstrap). The stage that compiles is left out
# (`cargo build` is what it does), and a bare Debian takes the place of the base image, which only a registry has.
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$(realpath "$1")
target_dir=${CARGO_TARGET_DIR:-$PWD/target}
PATH=$PATH:/usr/sbin
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}
[ "$(id -u)" -eq 0 ] || fail "Building an image without an engine needs root."
command -v buildah >/dev/null || fail "buildah is missing (apt-get install buildah)."

work=$(mktemp -d)
container='' running=''
finish() {
    [ -z "$running" ] || kill "$running" 2>/dev/null || true
    [ -z "$container" ] || buildah rm "$container" >/dev/null
    rm -rf "$work"
}
trap finish EXIT
# Its own place for images, so that none of yours is touched.
export BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/images" --runroot "$work/run" "$@"; }

packaging/debian-root.sh bookworm amd64 "$target_dir/packaging/bookworm-amd64"
base=$(buildah from scratch)
buildah copy --quiet "$base" "$target_dir/packaging/bookworm-amd64" / >/dev/null
buildah commit --quiet --rm "$base" docker.io/library/debian:bookworm-slim >/dev/null

install -D "$binary" "$work/built/out/brain-agent"
buildah build --quiet --pull-never --format docker --build-context build="$work/built" --tag brain-agent . >/dev/null
about=$(buildah inspect --type image --format '{{.Docker.Config.User}} {{.Docker.Config.Healthcheck.Test}} {{.Docker.Config.Volumes}} {{.Docker.Config.Entrypoint}}{{.Docker.Config.Cmd}}' brain-agent)
wanted='brain-agent [CMD brain-agent doctor --running] map[/var/lib/brain-agent:{}] [brain-agent][serve]'
[ "$about" = "$wanted" ] || fail "The image has: $about" "     in place of: $wanted"

# As an engine with `read_only` starts it: only the volume and /tmp are written.
container=$(buildah from --pull-never brain-agent)
root=$(buildah mount "$container")
volume=$work/volume
cp -a "$root/var/lib/brain-agent" "$volume"
cat >"$work/started" <<'END'
set -e
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$volume" "$root/var/lib/brain-agent"
mount --bind /proc "$root/proc"
cd /
exec env -i PATH=/usr/local/bin:/usr/bin:/usr/sbin BRAIN_DATA_DIR=/var/lib/brain-agent \
    chroot --userspec=brain-agent:brain-agent "$root" brain-agent "$@"
END
started() { root=$root volume=$volume unshare --mount --propagation private sh "$work/started" "$@"; }

version=$(started --version)
found=$(started doctor --json) || fail "The doctor finds something wrong:" "$found"
answer=$(started ask 'remind me to call mom tomorrow at 5pm')
grep -q 'Reminder set: Call mom' <<<"$answer" || fail "A request is answered by:" "$answer"
[ "$(stat -c %u:%a "$volume/brain.redb")" = 10001:600 ] || fail "The store is not its user's alone."

! started doctor --running >/dev/null || fail "Nothing runs, and it is said to be healthy."
mkfifo "$work/input"
root=$root volume=$volume unshare --mount --propagation private sh "$work/started" console --json <"$work/input" >"$work/output" 2>&1 &
running=$!
exec 3>"$work/input"
for _ in $(seq 100); do
    ! started doctor --running >/dev/null || break
    sleep 0.3
done
started doctor --running >/dev/null || fail "It runs, and is not said to be healthy:" "$(cat "$work/output")"
kill -TERM "$running"
wait "$running" || fail "Stopped, it ends with $?:" "$(cat "$work/output")"
running=''
printf '%s\n  in its image: built, a root that is only read, user 10001, healthy while it runs\n' "$version"
