#!/bin/bash
# install.sh [--look] [DIR]
#
# Installs, once, what the package-lock.json of DIR pins by digest, and prints
# where: cordon-kit in the user's cache directory, one directory for each lock
# file.  DIR is that of this script when it is not given: node, the official
# conformance suite, Inspector, reference servers and the official client.  Of
# Inspector only the command is wanted: the tools that build its pages are
# overridden by something small.  No script of a package is run.
#
# The directory gets a bin: DIR/bins has its links, a name and what it leads to
# in each line; of several for one name that which is there.
# --look installs nothing: it fails when it is not there.
set -euo pipefail

TRIES=5
here=$(dirname "$(realpath "$0")")
look=
if [ "${1:-}" = --look ]; then
	look=1
	shift
fi
[ $# -eq 0 ] || here=$(realpath "$1")
cache=${CORDON_KIT_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/cordon-kit}
kit=$cache/$(cat "$here"/package*.json "$here/bins" | sha256sum | cut -c 1-16)

install_once()
{
	rm -rf "$kit.new"
	mkdir "$kit.new"
	cp "$here"/package*.json "$kit.new"
	(cd "$kit.new" && npm ci --ignore-scripts --no-audit --no-fund \
	    --loglevel=error --fetch-timeout=600000 >&2)
}

# The packages are for several machines: what is not for this one is not there.
link_programs()
{
	local name target
	mkdir "$kit.new/bin"
	while read -r name target; do
		if [ -e "$kit.new/$target" ]; then
			ln -sf "../$target" "$kit.new/bin/$name"
		fi
	done <"$here/bins"
}

# A registry that is slow, or away for a moment, is asked again.
install()
{
	for try in $(seq $TRIES); do
		if install_once; then
			link_programs
			mv "$kit.new" "$kit"
			return
		fi
		echo "npm failed, try $try of $TRIES" >&2
		[ "$try" = $TRIES ] || sleep $((5 * try))
	done
	return 1
}

if [ -n "$look" ] && [ ! -d "$kit" ]; then
	echo "install.sh: npm has not installed '$kit' (make test-agents does)" >&2
	exit 1
fi
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9 # two at a time would step on each other
[ -d "$kit" ] || install
echo "$kit"
