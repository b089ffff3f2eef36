#!/usr/bin/env bash
# Installs what the tests start on loopback, on Debian 12 or 13: Dovecot (IMAP), Postfix (submission), openssl
# (certificates), Chromium with its driver, Python with Radicale and Xandikos (CalDAV, CardDAV) and the other clients of all of them, and servers of
# the model context protocol, Python's and Node's, with its conformance suite. Quick where they are.
#
# The packages start nothing: the tests run each server from a folder of their own. Python's are pinned by hash in
# requirements.txt and come by pip from the index that it is set up for, Node's in mcp/package-lock.json and by npm from the
# registry that it is set up for. Each lie in a folder of their own below the cache, one for each state of that file, which
# clones share; `install.sh --python` prints that Python, `install.sh --node` the folder with node_modules, and neither
# installs anything.
#
# The lock file is made by `npm install --package-lock-only --omit-lockfile-registry-resolved`, and has no `funding`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
requirements=$here/requirements.txt
lock=$here/mcp/package-lock.json
cache=${XDG_CACHE_HOME:-$HOME/.cache}/brain-agent-tests
venv=$cache/$(sha256sum "$requirements" | cut -c1-16)
node=$cache/$(sha256sum "$lock" | cut -c1-16)
case ${1:-} in
--python)
    printf '%s\n' "$venv/bin/python"
    exit
    ;;
--node)
    printf '%s\n' "$node"
    exit
    ;;
esac

has() { PATH=$PATH:/usr/sbin:/usr/lib/postfix/sbin:/usr/libexec/postfix command -v "$1" >/dev/null; }
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

packages=()
{ has dovecot && [ -x /usr/lib/dovecot/imap ]; } || packages+=(dovecot-imapd)
{ has postfix && has master && has postqueue; } || packages+=(postfix)
# The system's own where there is one: a shim of a version manager starts slowly.
python() { "$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)" "$@"; }
# Debian keeps what makes an environment in a package of its own.
python -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3 python3-venv)
has openssl || packages+=(openssl)
# The operator's page is looked at in a real browser.
{ has chromium && has chromedriver; } || packages+=(chromium chromium-driver)
has node || packages+=(nodejs)
has npm || packages+=(npm)
{ has setsid && has flock; } || packages+=(util-linux)

if [ ${#packages[@]} -gt 0 ]; then
    has apt-get || fail "The tests on real servers need ${packages[*]}, and there is no apt-get here to install them with." \
        "Install them by hand and run this again."
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || fail "The tests on real servers need ${packages[*]}, and installing them needs root." \
            "Run 'sudo apt-get install --no-install-recommends ${packages[*]}' and then this again."
        as_root=(sudo -n)
    fi
    # Debian keeps one mail server: Postfix takes the place of another. One that runs is somebody's, and stays.
    case " ${packages[*]} " in
    *" postfix "*)
        for other in exim4 smtpd sendmail sendmail-mta; do
            ! pidof "$other" >/dev/null || fail "The tests on real servers need postfix, which would replace $other, and $other is running here." \
                "Run the tests in a container, or install postfix by hand."
        done
        ;;
    esac

    printf 'installing %s\n' "${packages[*]}"
    # Packages ask this file whether they may start a service; it is there for as long as the installation.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap '"${as_root[@]}" rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
        "${as_root[@]}" chmod 755 "$policy"
    fi
    # No settings of its own: it is only ever started with those of a test.
    case " ${packages[*]} " in
    *" postfix "*) echo "postfix postfix/main_mailer_type select No configuration" | "${as_root[@]}" debconf-set-selections ;;
    esac
    log=$(mktemp)
    install() {
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}" >"$log" 2>&1
    }
    # The lists of a fresh container are empty, those of an old one name packages that are gone.
    if ! install && { ! "${as_root[@]}" apt-get update >>"$log" 2>&1 || ! install; }; then
        tail -20 "$log" >&2
        rm -f "$log"
        fail "The tests on real servers need ${packages[*]}, which could not be installed (above: what apt-get said)."
    fi
    rm -f "$log"
fi

[ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null ||
    fail "The tests on real servers start Postfix, which runs only as root:" \
        "run the tests as root, as in a container, or with sudo that asks for no password."

# Whole when its last file is there, which says what Python it was made by. One run makes it, another waits.
stamp=$(python --version)
mkdir -p "$cache"
exec 9>"$venv.lock"
flock 9
if [ "$(cat "$venv/installed" 2>/dev/null)" != "$stamp" ]; then
    printf 'installing %s packages for %s\n' "$(grep -c == "$requirements")" "$stamp"
    rm -rf "$venv"
    log=$(mktemp)
    if ! { python -m venv "$venv" &&
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
            --only-binary :all: --requirement "$requirements"; } >"$log" 2>&1; then
        tail -20 "$log" >&2
        rm -f "$log"
        fail "The tests on real servers need what tests/servers/requirements.txt lists, for Python 3.11 to 3.13, and it could" \
            "not be installed (above: what pip said; it takes the index that it is set up for)."
    fi
    rm -f "$log"
    printf '%s\n' "$stamp" >"$venv/installed"
fi
exec 9>&-

# Whole when it is there: it gets its name when all of it is. None of it depends on which Node is here.
exec 9>"$node.lock"
flock 9
if [ ! -d "$node" ]; then
    printf 'installing %s packages for Node %s\n' "$(grep -c '"integrity"' "$lock")" "$(node --version)"
    rm -rf "$node.new"
    mkdir "$node.new"
    cp "$here/mcp/package.json" "$lock" "$node.new"
    log=$(mktemp)
    if ! (cd "$node.new" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier) >"$log" 2>&1; then
        tail -20 "$log" | cut -c1-300 >&2
        rm -rf "$log" "$node.new"
        fail "The tests on real servers need what tests/servers/mcp/package-lock.json lists, and it could not be installed" \
            "(above: what npm said; it takes the registry that it is set up for)."
    fi
    rm -f "$log"
    mv "$node.new" "$node"
fi
exec 9>&-

printf 'dovecot %s\n' "$(PATH=$PATH:/usr/sbin dovecot --version)"
printf 'postfix %s\n' "$(PATH=$PATH:/usr/sbin postconf -dh mail_version)"
"$venv/bin/python" - Radicale xandikos caldav recurring-ical-events mcp mcp-server-time <<'END'
import importlib.metadata as m, sys
for package in sys.argv[1:]:
    print(package.lower(), m.version(package))
END
node - "$node" server-everything server-filesystem server-memory conformance <<'END'
for (const name of process.argv.slice(3)) {
    const { version } = require(`${process.argv[2]}/node_modules/@modelcontextprotocol/${name}/package.json`);
    console.log(name, version);
}
END
