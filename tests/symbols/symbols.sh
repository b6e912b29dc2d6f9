#!/bin/sh
# What the library gives away.  Three lists must be one: the functions that
# cordon.h declares, libcordon.symbols (so that a change of the ABI is a line
# in a diff), and what the linker really exported.
#
#	symbols.sh LIBCORDON.SO LIBCORDON.A
set -eu
LC_ALL=C
export LC_ALL

shared=$1 archive=$2
source=${CORDON_SOURCE:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
points=0

same() # TEXT WANTED GOT
{
	points=$((points + 1))
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		echo "ok $points - $1"
	else
		echo "not ok $points - $1"
		comm -23 "$2" "$3" | sed 's/^/# missing: /'
		comm -13 "$2" "$3" | sed 's/^/# not wanted: /'
	fi
}

sort "$source/tests/symbols/libcordon.symbols" >"$work/list"

# One declaration per line, then the name before the first parenthesis.
cat "$source"/include/cordon/*.h | sed 's/^#.*//' | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*CORDON_API[^(]*[ *]\(cordon_[a-z0-9_]*\)(.*/\1/p' |
    sort >"$work/header"

# Every function-like name, marked or not: a forgotten CORDON_API shows here.
cat "$source"/include/cordon/*.h | sed 's/^#.*//' | tr '\n' ' ' |
    sed 's|/\*|\n/*|g; s|\*/|*/\n|g' | grep -v '^/\*' |
    grep -o 'cordon_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/declared"

nm -D --defined-only "$shared" | sed -n 's/^[0-9a-f]* [^A] \([^@]*\).*/\1/p' |
    sort >"$work/shared"

# (__odr_asan.* is what ASan adds to each global.)
nm -g --defined-only "$archive" 2>/dev/null |
    sed -n 's/^[0-9a-f]* [A-Z] //p' | grep -v '^cdn_\|^__odr_asan\.' |
    sort >"$work/archive"

same 'every declared function is marked CORDON_API' "$work/declared" \
    "$work/header"
same 'libcordon.symbols lists what cordon.h declares' "$work/header" \
    "$work/list"
same 'the shared library exports exactly that' "$work/list" "$work/shared"
same 'the archive defines that, else only cdn_ names' "$work/list" \
    "$work/archive"

points=$((points + 1))
soname=$(objdump -p "$shared" | sed -n 's/.*SONAME *//p')
if [ "$soname" = libcordon.so.0 ]; then
	echo "ok $points - the soname is libcordon.so.0"
else
	echo "not ok $points - the soname is libcordon.so.0"
	echo "# it is '$soname'"
fi
echo "1..$points"
