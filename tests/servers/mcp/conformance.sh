#!/usr/bin/env bash
# Runs the client scenarios of the conformance suite of the model context protocol against this program:
# `conformance.sh BINARY [SCENARIO…]`, all of them where none is named. A line for each and each of the two protocols that
# it is about: passed, failed and why, or does not apply and why. Exit 1 when one that applies failed.
#
# For each the suite starts a server of its own on loopback, and this script with the server's URL as the last argument
# and the scenario's name in MCP_CONFORMANCE_SCENARIO: `conformance.sh --client BINARY URL` does there what the scenario
# is about, by the command line of the program. The suite comes by install.sh and needs Node 20.
set -euo pipefail

# What this program does not do, and says so to servers: it offers them none of it.
why_not() {
    case $1 in
    auth/client-credentials-jwt) echo "a client proves itself with a secret, not with a signed assertion" ;;
    auth/dpop*) echo "an extension that is not built: tokens bound to a key (DPoP)" ;;
    auth/enterprise-managed-authorization | auth/wif-jwt-bearer)
        echo "an extension that is not built: access by somebody else's sign-in" ;;
    auth/2025-03-26-*) echo "a protocol that is not spoken: that of 2025-03-26" ;;
    # The person is asked in the chat, and answers in a later call; the suite takes the first one for the last.
    elicitation-*) echo "its server wants the answer within the call that asks, before a person can have given it" ;;
    sep-2640-*) echo "an extension that is not built: skills" ;;
    sampling* | roots*) echo "not offered: a server gets neither a model nor folders" ;;
    *) return 1 ;;
    esac
}

if [ "${1:-}" = --client ]; then
    binary=$2 url=$3
    # Nothing of whoever runs this reaches the program: neither settings nor a .env of the working folder.
    mcp() { env -i HOME="$PWD" PATH="$PATH" ${config:+BRAIN_MCP_CONFIG="$config"} BRAIN_DATA_DIR="$data" "$binary" mcp "$@"; }
    # A server of a file, whose sign-in is this, and a person who says yes to everything.
    data=$(mktemp -d)
    trap 'rm -rf "$data"' EXIT
    sign_in() { mcp login server --browser "python3 -I $(dirname "$0")/browser.py" "$@"; }
    case $MCP_CONFORMANCE_SCENARIO in
    auth/*)
        config=$data/servers.json
        url=$url node -p 'const { url, MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context } = process.env;
            const { client_id: clientId, client_secret: clientSecret } = JSON.parse(context ?? "{}");
            const document = "https://conformance-test.local/client-metadata.json";
            const oauth = scenario === "auth/basic-cimd" ? { clientId: document } : { clientId, clientSecret };
            if (scenario.startsWith("auth/client-credentials")) oauth.grant = "client_credentials";
            JSON.stringify({ mcpServers: { server: { url, oauth } } })' >"$config"
        ;;
    esac
    # A conversation: a message a line, each once what came before it is answered. The first look waits for what the
    # server offers.
    says() {
        echo "{\"mcpServers\": {\"suite\": {\"url\": \"$url\"}}}" >servers.json
        program() { env -i HOME="$PWD" PATH="$PATH" BRAIN_MCP_CONFIG="$PWD/servers.json" "$binary" "$@"; }
        program ask /help >/dev/null
        coproc program console --json
        while read -r words; do
            echo "{\"text\": \"$words\"}" >&"${COPROC[1]}"
            while read -r said <&"${COPROC[0]}" && echo "$said" && [[ $said != *'"type":"done"'* ]]; do :; done
        done
        exec {COPROC[1]}>&-
        wait
    }
    case $MCP_CONFORMANCE_SCENARIO in
    initialize) mcp tools "$url" ;;
    tools_call) mcp call "$url" add_numbers '{"a": 5, "b": 3}' ;;
    sse-retry) mcp call "$url" test_reconnection '{}' ;;
    request-metadata | json-schema-ref-no-deref) mcp tools "$url" ;;
    http-standard-headers) mcp tools "$url" && mcp call "$url" test_headers '{}' ;;
    http-invalid-tool-headers) mcp tools "$url" && mcp call "$url" valid_tool '{"region": "us-west1"}' ;;
    # What it says of more access is what the next sign-in asks for.
    auth/scope-step-up) sign_in && { mcp call server test-tool || sign_in --scope mcp:write; } && mcp call server test-tool ;;
    auth/scope-retry-limit) sign_in && { mcp tools server || sign_in --scope mcp:admin; } && mcp tools server ;;
    # Somebody else gives access from the second request on.
    auth/authorization-server-migration) sign_in && { mcp tools server || sign_in; } && mcp tools server ;;
    auth/*) sign_in && mcp tools server ;;
    # A JSON object with the calls to make.
    http-custom-headers)
        node -p 'JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT).toolCalls.flatMap(
            (call) => [call.name, JSON.stringify(call.arguments)]).join("\n")' |
            while read -r tool && read -r parameters; do mcp call "$url" "$tool" "$parameters"; done
        ;;
    # Each call has its card; what asks back is answered, and called again with another card.
    sep-2322-client-request-state)
        printf '%s\n' \
            "use suite: test_mrtr_echo_state" yes yes yes \
            "use suite: test_mrtr_unrelated" yes \
            "use suite: test_mrtr_no_state" yes yes yes \
            "use suite: test_mrtr_no_result_type" yes | says
        ;;
    # The schema of the one as a parameter of the other.
    json-schema-2020-12-preservation)
        parameters=$(mcp tools "$url" --json | node -p 'JSON.stringify({
            schema: require("fs").readFileSync(0, "utf8").trim().split("\n").map((line) => JSON.parse(line))
                .find(({ tool }) => tool === "json_schema_2020_12_tool").schema })')
        mcp call "$url" json_schema_echo "$parameters"
        ;;
    *)
        echo "conformance.sh does not know this scenario" >&2
        exit 3
        ;;
    esac
    exit
fi

fail() {
    printf '%s\n' "$@" >&2
    exit 2
}
[ $# -ge 1 ] || fail "conformance.sh BINARY [SCENARIO…]"
binary=$(realpath "$1")
[ -x "$binary" ] || fail "$1 is no program"
shift
here=$(cd "$(dirname "$0")" && pwd)
suite=$("$here/../install.sh" --node)/node_modules/@modelcontextprotocol/conformance/dist/index.js
[ -e "$suite" ] || fail "The suite is not there: tests/servers/install.sh installs it."
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || fail "The suite needs Node 20, and this is $(node --version) (Debian 12 has 18, Debian 13 has 20)."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# An error of the suite is a line of all of its program.
conformance() { node --import "$here/node20.mjs" "$suite" "$@" 2>&1 | cut -c1-300; }
# Each with its protocols: `NAME [DATE,DATE]`.
listed=$(conformance list --client | sed -n 's/^  - //p')
known=$(cut -d' ' -f1 <<<"$listed")
[ -n "$known" ] || fail "The suite names no scenarios."
if [ $# -eq 0 ]; then
    mapfile -t scenarios <<<"$known"
else
    scenarios=("$@")
    for scenario in "$@"; do
        grep -qxF -- "$scenario" <<<"$known" || fail "The suite has no scenario “$scenario”."
    done
fi

failed=0
for scenario in "${scenarios[@]}"; do
    if reason=$(why_not "$scenario"); then
        printf '%-45s            does not apply: %s\n' "$scenario" "$reason"
        continue
    fi
    for protocol in 2025-11-25 2026-07-28 extension; do
        grep -F -- "$scenario [" <<<"$listed" | grep -qF "$protocol" || continue
        rm -rf results
        # An extension belongs to no protocol; the suite takes its usual one.
        version=(--spec-version "$protocol")
        [ "$protocol" != extension ] || version=()
        # Split at spaces and put together again by the suite, then read by a shell.
        command=$(printf '%q --client %q' "$here/conformance.sh" "$binary")
        if conformance client --command "$command" --scenario "$scenario" "${version[@]}" \
            --output-dir results >said; then
            printf '%-45s %s passed\n' "$scenario" "$protocol"
            continue
        fi
        failed=1
        printf '%-45s %s failed\n' "$scenario" "$protocol"
        # What was checked and is wrong, what the program said; else what the suite said.
        { find results -name checks.json -exec node -e '
            for (const check of JSON.parse(require("fs").readFileSync(process.argv[1])))
                if (["FAILURE", "WARNING"].includes(check.status))
                    console.log(`${check.name}: ${check.errorMessage ?? check.description}`);
        ' {} \; && find results -name stderr.txt -exec cat {} +; } >why
        { if [ -s why ]; then cat why; else tail -20 said; fi; } | cut -c1-300 | sed 's/^/    /'
    done
done
exit $failed
