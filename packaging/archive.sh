#!/usr/bin/env bash
# Makes the archive that people install from: brain-agent-VERSION-PROCESSOR-linux.tar.gz and its .sha256, in target/dist.
# In it: the program, man pages, completions, the unit for systemd, the settings, the documentation, and the licences.
# Prints the archive's path; what it does meanwhile goes to standard error.
#
#   packaging/archive.sh                  # builds it, so that it starts on Debian 11 and later where that can be had here
#   packaging/archive.sh --arm64          # for arm64, by Debian's cross compiler (gcc-aarch64-linux-gnu)
#   packaging/archive.sh --binary FILE    # takes one that is built (for arm64: --arm64 as well)
#
# A program needs the C library that it was linked against, or a later one. So it is linked against Debian 11's, which
# packaging/debian-root.sh fetches; without root or debootstrap it is linked against this machine's, and what it needs
# is said.
set -euo pipefail
cd "$(dirname "$0")/.."
target_dir=${CARGO_TARGET_DIR:-$PWD/target}
oldest=2.31 # Debian 11's C library

binary='' processor=x86_64 debian=amd64 prefix=''
while [ $# -gt 0 ]; do
    case $1 in
    --binary) binary=$(realpath "$2"); shift ;;
    --arm64) processor=aarch64 debian=arm64 prefix=aarch64-linux-gnu- ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift
done
triple=$processor-unknown-linux-gnu
say() { printf '%s\n' "$@" >&2; }

if [ -z "$binary" ]; then
    build=(cargo rustc --profile dist --locked --bin brain-agent)
    if [ "$debian" = arm64 ]; then
        command -v aarch64-linux-gnu-gcc >/dev/null || { say "The cross compiler is missing (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)."; exit 1; }
        [ -d "$(rustc --print sysroot)/lib/rustlib/$triple" ] || rustup target add "$triple" >&2
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=${prefix}gcc CC_aarch64_unknown_linux_gnu=${prefix}gcc
        build+=(--target "$triple")
        binary=$target_dir/$triple/dist/brain-agent
    else
        binary=$target_dir/dist/brain-agent
    fi
    root=$target_dir/packaging/bullseye-$debian
    if packaging/debian-root.sh bullseye "$debian" "$root" >&2; then
        # Given to the program alone, so that a build of another kind finds its crates as they were.
        build+=(-- -C "link-arg=--sysroot=$root" -C "link-arg=-B$root/usr/lib/$processor-linux-gnu")
    else
        say "It is linked against the C library of this machine."
    fi
    "${build[@]}" >&2
fi

# The latest version of glibc of which it uses something.
needs=$("${prefix}objdump" -T "$binary" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -1)
if [ "$(printf '%s\n' "$needs" "$oldest" | sort -V | tail -1)" = "$oldest" ]; then
    say "It needs glibc $needs: Debian 11 ($oldest) and later."
else
    say "It needs glibc $needs, later than Debian 11's ($oldest)."
fi

version=$(cargo metadata --locked --no-deps --format-version 1 | sed 's/.*"name":"brain-agent","version":"\([^"]*\)".*/\1/')
name=brain-agent-$version-$processor-linux
dist=$target_dir/dist
folder=$dist/$name
rm -rf "$folder" "$folder.tar.gz" "$folder.tar.gz.sha256"
mkdir -p "$folder"
# As the tests build it, so that nothing is built twice.
cargo build --quiet --locked --workspace --features failpoints --example release >&2
"$target_dir/debug/examples/release" "$folder"
install -m 755 "$binary" "$folder/brain-agent"
cp -r README.md CHANGELOG.md LICENSE* .env.example docs packaging/brain-agent.service "$folder"
gzip -9n "$folder"/man/*.1
# The same files give the same archive.
tar -C "$dist" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}" \
    --mode=u+rwX,go+rX,go-w -cf - "$name" | gzip -9n >"$folder.tar.gz"
rm -rf "$folder"
(cd "$dist" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
printf '%s\n' "$folder.tar.gz"
