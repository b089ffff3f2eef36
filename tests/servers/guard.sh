#!/bin/sh
# Runs a server for as long as the standard input of this script is open: `guard.sh FOLDER LOG COMMAND…`.
#
# A test holds the other end of that pipe, so the server ends with the test's value, and with the test process however
# that ends. Then the server's whole process group is killed and FOLDER is removed; a line "keep" before the end keeps it.
folder=$1 log=$2
shift 2
trap '' INT TERM HUP
# A group of its own. `setsid` replaces itself here, so `$!` is the leader of that group.
setsid sh -c '"$@"; echo "the server ended with $?"' sh "$@" </dev/null >>"$log" 2>&1 &
leader=$!
after=remove
while read -r line; do after=$line; done
kill -s KILL -- "-$leader" 2>/dev/null
wait "$leader"
# Its children are not ours to wait for; a port is free when the last one has ended (a zombie has).
tries=0
while [ $tries -lt 500 ] && grep -qsE "\\) [^ZX] [0-9]+ $leader " /proc/[0-9]*/stat; do
    tries=$((tries + 1))
    sleep 0.01
done
[ "$after" = keep ] || rm -rf -- "$folder"
