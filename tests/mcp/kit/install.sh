#!/bin/bash
# install.sh [--look]
#
# Installs, once, what the tests with real servers need from npm, and prints
# where: node, the official conformance suite, Inspector, reference servers and
# the official client.  It goes to cordon-kit in the user's cache directory, a
# directory for each package-lock.json, which pins every package by its digest.
# No script of a package is run, and of Inspector only the command is wanted: the
# tools that build its pages are overridden by something small.
# --look installs nothing: it fails when it is not there.
set -euo pipefail

TRIES=5
here=$(dirname "$(realpath "$0")")
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/cordon-kit
kit=$cache/$(cat "$here"/package*.json | sha256sum | cut -c 1-16)

install_once()
{
	rm -rf "$kit.new"
	mkdir "$kit.new"
	cp "$here"/package*.json "$kit.new"
	(cd "$kit.new" && npm ci --ignore-scripts --no-audit --no-fund \
	    --loglevel=error --fetch-timeout=600000 >&2)
}

# A registry that is slow, or away for a moment, is asked again.
install()
{
	for try in $(seq $TRIES); do
		if install_once; then
			(cd "$kit.new" && ln -s node_modules/node-linux-*/bin .)
			mv "$kit.new" "$kit"
			return
		fi
		echo "npm failed, try $try of $TRIES" >&2
		[ "$try" = $TRIES ] || sleep $((5 * try))
	done
	return 1
}

if [ "${1:-}" = --look ] && [ ! -d "$kit" ]; then
	echo "install.sh: there is no '$kit' (tests/mcp/kit/install.sh)" >&2
	exit 1
fi
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9 # two at a time would step on each other
[ -d "$kit" ] || install
echo "$kit"
