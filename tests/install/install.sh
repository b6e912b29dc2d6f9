#!/bin/sh
# What `make install` leaves behind is enough to run the command and to build
# a program against either library.
#
#	install.sh BUILDDIR PREFIX
set -eu

build=$1 prefix=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root$prefix
points=0

# try TEXT COMMAND...
try()
{
	text=$1
	shift
	points=$((points + 1))
	if "$@" >"$work/out" 2>&1; then
		echo "ok $points - $text"
	else
		echo "not ok $points - $text"
		sed 's/^/# /' "$work/out"
	fi
}

cat >"$work/use.c" <<'END'
#include <cordon/cordon.h>
#include <stdio.h>
int main(void)
{
	struct cordon_error err;
	struct cordon_policy *policy;
	if (cordon_policy_parse("x", 1, "x.yaml", NULL, &policy, &err) == 0)
		return 1;
	return puts(cordon_version()) < 0;
}
END

flags()
{
	PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config \
	    --define-variable=prefix="$root" "$@" libcordon
}

use_shared()
{
	# shellcheck disable=SC2046 # a list of words
	cc "$work/use.c" -o "$work/shared" $(flags --cflags --libs) &&
	    LD_LIBRARY_PATH=$libdir "$work/shared"
}

use_static()
{
	# shellcheck disable=SC2046 # a list of words
	cc "$work/use.c" -o "$work/static" $(flags --cflags) \
	    "$libdir/libcordon.a" \
	    $(flags --static --libs | sed 's/-lcordon//') &&
	    "$work/static"
}

needs_no_more()
{
	! ldd "$root/bin/cordon" | grep -E 'libcordon|not found'
}

same_version()
{
	[ "$(flags --modversion)" = "$("$work/static")" ]
}

try 'it installs' meson install -C "$build" --no-rebuild \
    --destdir "$work/root"
libdir=$(dirname "$(find "$root" -name libcordon.a)")
for file in "$root/bin/cordon" "$root/include/cordon/cordon.h" \
    "$root/include/cordon/run.h" "$root/include/cordon/tools.h" \
    "$root/include/cordon/mcp.h" "$root/include/cordon/audit.h" \
    "$libdir/libcordon.so" "$libdir/libcordon.so.0" "$libdir/libcordon.a" \
    "$libdir/pkgconfig/libcordon.pc"; do
	try "there is ${file#"$work/root"}" test -e "$file"
done
share=$root/share
for file in man/man1/cordon.1 man/man5/cordon-policy.5 \
    bash-completion/completions/cordon zsh/site-functions/_cordon \
    fish/vendor_completions.d/cordon.fish; do
	try "share/$file says something" test -s "$share/$file"
done
try 'the command runs' "$root/bin/cordon" --version
try 'the command does not need the shared library' needs_no_more
try 'a program uses the shared library' use_shared
try 'a program uses the archive' use_static
try 'pkg-config and the library agree on the version' same_version
echo "1..$points"
