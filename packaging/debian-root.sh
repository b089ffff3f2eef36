#!/usr/bin/env bash
# Makes a root folder with a bare Debian in it, the C library that linking takes included.
#
#   packaging/debian-root.sh SUITE ARCHITECTURE FOLDER      # bullseye amd64 target/packaging/bullseye-amd64
#
# Needs root and debootstrap, and the Debian mirror that debootstrap takes by itself. A folder that is there is kept.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
suite=$1 architecture=$2 root=$3
[ ! -e "$root" ] || exit 0
[ "$(id -u)" -eq 0 ] || { echo "A Debian root needs root to be made." >&2; exit 1; }
# Debian's own place for it is not on everybody's path.
PATH=$PATH:/usr/sbin
command -v debootstrap >/dev/null || { echo "debootstrap is missing (apt-get install debootstrap)." >&2; exit 1; }

mkdir -p "$(dirname "$root")"
new=$root.new
rm -rf "$new"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# What is of another processor is only unpacked.
unpacked=()
[ "$architecture" = "$(dpkg --print-architecture)" ] || unpacked=(--foreign)
if ! debootstrap ${unpacked[@]+"${unpacked[@]}"} --variant=minbase --arch="$architecture" --include=libc6-dev "$suite" "$new" >"$log" 2>&1; then
    tail -5 "$log" >&2
    rm -rf "$new"
    exit 1
fi
if [ ${#unpacked[@]} -gt 0 ]; then
    # The first stage unpacks what every system needs, and only lays down the rest.
    for package in "$new"/var/cache/apt/archives/{libc6-dev,linux-libc-dev}_*.deb; do
        dpkg-deb --extract "$package" "$new"
    done
    rm -rf "$new/debootstrap" "$new/proc"
    mkdir "$new/proc"
fi
rm -rf "$new"/var/cache/apt/archives/*.deb
# An absolute link leads out of the root while nobody is inside of it.
find "$new/usr" -type l -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -sm --relative-to="$(dirname "$link")" "$new$(readlink "$link")")" "$link"
done
mv "$new" "$root"
