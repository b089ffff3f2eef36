#!/usr/bin/env bash
# Installs what the tests of real mail start on loopback, on Debian 12 or 13: Dovecot (IMAP), Postfix (submission),
# Python (another client of the mailboxes) and openssl (certificates). Quick where they are.
#
# The packages start nothing: the tests run each server from a folder of their own.
set -euo pipefail

has() { PATH=$PATH:/usr/sbin:/usr/lib/postfix/sbin:/usr/libexec/postfix command -v "$1" >/dev/null; }
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

packages=()
{ has dovecot && [ -x /usr/lib/dovecot/imap ]; } || packages+=(dovecot-imapd)
{ has postfix && has master && has postqueue; } || packages+=(postfix)
has python3 || packages+=(python3)
has openssl || packages+=(openssl)
has setsid || packages+=(util-linux)

if [ ${#packages[@]} -gt 0 ]; then
    has apt-get || fail "The tests of real mail need ${packages[*]}, and there is no apt-get here to install them with." \
        "Install them by hand and run this again."
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || fail "The tests of real mail need ${packages[*]}, and installing them needs root." \
            "Run 'sudo apt-get install --no-install-recommends ${packages[*]}' and then this again."
        as_root=(sudo -n)
    fi
    # Debian keeps one mail server: Postfix takes the place of another. One that runs is somebody's, and stays.
    case " ${packages[*]} " in
    *" postfix "*)
        for other in exim4 smtpd sendmail sendmail-mta; do
            ! pidof "$other" >/dev/null || fail "The tests of real mail need postfix, which would replace $other, and $other is running here." \
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
        fail "The tests of real mail need ${packages[*]}, which could not be installed (above: what apt-get said)."
    fi
    rm -f "$log"
fi

[ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null ||
    fail "The tests of real mail start Postfix, which runs only as root:" \
        "run the tests as root, as in a container, or with sudo that asks for no password."
printf 'dovecot %s\n' "$(PATH=$PATH:/usr/sbin dovecot --version)"
printf 'postfix %s\n' "$(PATH=$PATH:/usr/sbin postconf -dh mail_version)"
