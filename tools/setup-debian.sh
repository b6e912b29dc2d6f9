#!/bin/sh
# Installs what the named groups need and is not there yet.
#
#	tools/setup-debian.sh GROUP...	(default: build)
#
# Groups: build test live agents check clean-root bench.
#
# Asks dpkg, prints what it is going to install, uses sudo when it is not root,
# and does nothing when nothing is missing.  CORDON_NO_INSTALL=1: say what is
# missing and fail.  On another system it looks for the tools and says which
# ones are not there; installing them is left to you.
set -eu

packages()
{
	case $1 in
	build) echo gcc libc6-dev meson ninja-build pkgconf libyaml-dev \
	    libmd-dev musl-dev ;;
	test) echo bats binutils bubblewrap fish g++ git libjansson-dev libseccomp-dev man-db \
	    mandoc python3 python3-jsonschema python3-yaml zsh ;;
	live) # programs that are tried in a cage
		echo bindfs cargo git iproute2 make nodejs perl python3-venv rsync sqlite3 \
		    strace tmux chromium # (which looks at reports)
		command -v npm >/dev/null || echo npm ;; # often part of nodejs
	agents) echo iproute2 nodejs
		command -v npm >/dev/null || echo npm ;;
	check) echo clang clang-format clang-tidy git libclang-rt-dev llvm \
	    cppcheck shellcheck gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
	clean-root) echo debootstrap git mount util-linux ;;
	bench) echo bubblewrap g++ libre2-dev libpcre2-dev ;;
	*) echo "setup-debian.sh: unknown group '$1'" >&2; return 1 ;;
	esac
}

# The same question without dpkg.
tools_missing()
{
	for tool in cc make meson ninja pkg-config "$@"; do
		command -v "$tool" >/dev/null || echo "$tool"
	done
	command -v pkg-config >/dev/null || return 0
	for library in yaml-0.1 libmd; do
		pkg-config --exists "$library" || echo "$library"
	done
}

[ $# -gt 0 ] || set -- build

if ! command -v dpkg-query >/dev/null; then
	case " $* " in *" test "*) more='bats python3' ;; *) more= ;; esac
	# shellcheck disable=SC2086 # a list of words
	missing=$(tools_missing $more)
	[ -n "$missing" ] || exit 0
	echo "this is not Debian; please install: $(echo "$missing" | tr "\n" " ")" >&2
	exit 1
fi

wanted=
for group in "$@"; do
	wanted="$wanted $(packages "$group")"
done
# shellcheck disable=SC2086 # a list of words; dpkg-query fails for unknown ones
present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted \
    2>/dev/null || true)
missing=
for package in $wanted; do
	echo "$present" | grep -qx "installed $package" ||
	    missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "${CORDON_NO_INSTALL:-0}" = 1 ]; then
	echo "missing packages:$missing" >&2
	echo "  hint: apt-get install$missing" >&2
	exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "missing packages:$missing" >&2
		echo "  hint: install them as root (there is no sudo)" >&2
		exit 1
	fi
	as_root=sudo
fi

echo "installing:$missing"
# A fresh machine has no package lists, an old one may have stale ones.
$as_root apt-get update -q
# shellcheck disable=SC2086 # both are lists of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends $missing
# What was missing when a build was configured may be there now (Makefile).
touch "$(dirname "$0")/../.packages"
