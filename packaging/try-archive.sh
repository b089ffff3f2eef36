#!/usr/bin/env bash
# Unpacks an archive into a bare root folder, where there is no Rust, no environment and nothing of this checkout, and
# uses the program there as somebody who has just installed it: version, doctor, a request, the demo, and one that
# runs, is asked how it is, and is stopped.
#
#   packaging/try-archive.sh ARCHIVE
#
# The root is Debian 11's (packaging/debian-root.sh). Where that cannot be had, or the program needs a later C library,
# it holds nothing but the shared libraries that the program names, from this machine. An archive for arm64 runs by
# qemu-aarch64-static (apt-get install qemu-user-static).
set -euo pipefail
cd "$(dirname "$0")/.."
archive=$(realpath "$1")
target_dir=${CARGO_TARGET_DIR:-$PWD/target}
name=$(basename "$archive" .tar.gz)
case $name in
*-aarch64-linux) debian=arm64 emulator=qemu-aarch64-static ;;
*) debian=amd64 emulator='' ;;
esac
(cd "$(dirname "$archive")" && sha256sum --check --quiet "$name.tar.gz.sha256")

work=$(mktemp -d)
running=''
finish() {
    [ -z "$running" ] || kill "$running" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}
root=$work/root
base=$target_dir/packaging/bullseye-$debian

# Whose user is not root becomes root of a namespace, for this folder alone.
inside=(chroot "$root")
[ "$(id -u)" -eq 0 ] || inside=(unshare --map-root-user --root="$root")
started() { "${inside[@]}" ${emulator:+"/$emulator"} "/$name/brain-agent" "$@"; }
unpack() {
    tar -C "$root" -xzf "$archive"
    [ -z "$emulator" ] || cp "$(command -v "$emulator")" "$root/" || fail "$emulator is missing (apt-get install qemu-user-static)."
    mkdir -p "$root/tmp"
}

# An environment of nothing.
for variable in $(compgen -e); do
    case $variable in PATH | TMPDIR) ;; *) unset "$variable" ;; esac
done
export PATH=$PATH:/usr/sbin HOME=/ TZ=UTC

where="Debian 11"
if packaging/debian-root.sh bullseye "$debian" "$base"; then
    cp -a "$base" "$root"
    unpack
fi
if [ ! -e "$root" ] || { [ -z "$emulator" ] && ! started --version >/dev/null; }; then
    where="a root of nothing but shared libraries"
    rm -rf "$root"
    mkdir -p "$root"
    unpack
    ldd "$root/$name/brain-agent" | grep -o '/[^ ]*' | while read -r library; do
        mkdir -p "$root/$(dirname "$library")"
        cp -L "$library" "$root/$library"
    done
fi

version=$(started --version)
case $version in
"brain-agent "*"("*commit*")") ;;
*) fail "The version is told as: $version" ;;
esac
found=$(started doctor --json) || fail "The doctor finds something wrong:" "$found"
! grep -q '"status":"error"' <<<"$found" || fail "The doctor finds something wrong:" "$found"
answer=$(started ask 'remind me to call mom tomorrow at 5pm')
grep -q 'Reminder set: Call mom' <<<"$answer" || fail "A request is answered by:" "$answer"
answer=$(started console --demo --now 2026-01-12T09:00:00Z --tz UTC <<<'what do I have tomorrow?')
grep -q 'Client call with Northwind' <<<"$answer" || fail "The demo answers:" "$answer"

# One that waits for its next line, as a service does for its next message.
mkfifo "$work/input"
"${inside[@]}" ${emulator:+"/$emulator"} "/$name/brain-agent" console --json <"$work/input" >"$work/output" 2>&1 &
running=$!
exec 3>"$work/input"
for _ in $(seq 100); do
    ! started doctor --running >/dev/null || break
    sleep 0.3
done
started doctor --running >/dev/null || fail "It does not run, or does not answer:" "$(cat "$work/output")"
kill -TERM "$running"
wait "$running" || fail "Stopped, it ends with $?:" "$(cat "$work/output")"
running=''
! started doctor --running >/dev/null || fail "It is stopped and still answers."

printf '%s\n  in %s: version, doctor, a request, the demo, started and stopped\n' "$version" "$where"
