#!/bin/bash
# conformance.sh REVISION DIRECTORY -- SERVER [ARG...]
#
# Plays the official MCP conformance suite (2025-11-25 or 2026-07-28) against a
# server of stdio, through a bridge on loopback that passes messages verbatim, in
# a network namespace that has only lo.  What came out is in DIRECTORY/results;
# the status is the suite's.  Its HTTP headers test the bridge.
set -u
trap 'kill $(jobs -p) 2>/dev/null' EXIT
rev=$1 out=$(realpath -m "$2") here=$(dirname "$(realpath "$0")")
shift 3
export PATH="$CORDON_KIT/bin:$PATH"
[ -n "${IN_NS:-}" ] ||
    exec unshare -rn env IN_NS=1 bash "$here/conformance.sh" "$rev" "$out" -- "$@"
ip link set lo up 2>/dev/null
mkdir -p "$out" && mkfifo "$out/port" && exec 3<>"$out/port" || exit 1
node "$here/stdio_http_bridge.mjs" --port 0 --portfile "$out/port" -- "$@" \
    2>"$out/bridge.err" 3>&- &
bridge=$!
read -r -t 120 port <&3 || exit 1
(cd "$out" && node "$CORDON_KIT/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
    server --url "http://127.0.0.1:$port/mcp" --requirements "$rev" \
    -o "$out/results" >"$out/log" 2>&1)
rc=$?
kill "$bridge"
wait "$bridge" 2>/dev/null
exit $rc
