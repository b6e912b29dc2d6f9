#!/bin/bash
# Installs, once, what the tests with real servers need from npm into
# $CORDON_KIT (default: cordon-kit in the user's cache directory), and prints
# where: node, the official conformance suite, Inspector, reference servers.
# Versions are pinned: with an older node npm silently picks old releases.
set -euo pipefail
K=${CORDON_KIT:-${XDG_CACHE_HOME:-$HOME/.cache}/cordon-kit}

npm_in() # DIRECTORY PACKAGE...
{
	mkdir -p "$1" && cd "$1" && shift
	[ -f package.json ] || echo '{"private":true}' >package.json
	npm install --no-audit --no-fund --loglevel=error "$@" >&2
}

[ -x "$K/node/node_modules/node/bin/node" ] || (npm_in "$K/node" node@26.10.0)
PATH=$K/node/node_modules/node/bin:$PATH
[ -e "$K/mcp/.done" ] || (npm_in "$K/mcp" \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 \
    @modelcontextprotocol/inspector@2.12.0 \
    @modelcontextprotocol/server-filesystem@2026.8.31 \
    @modelcontextprotocol/server-everything@2026.8.31 && touch "$K/mcp/.done")
echo "$K"
