#!/bin/sh
# cordon.h must please every compiler of a program that uses it: C99 and later,
# C++, strict, alone and twice.  And every header of ours compiles alone.
set -eu

source=${CORDON_SOURCE:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
points=0

result() # STATUS TEXT
{
	points=$((points + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $points - $2"
	else
		echo "not ok $points - $2"
		sed 's/^/# /' "$work/out"
	fi
}

public() # LANGUAGE COMPILER STANDARD
{
	status=0
	"$2" "-std=$3" -x "$1" -pedantic -Wall -Wextra -Werror -Wundef \
	    -I"$source/include" -fsyntax-only "$work/twice" \
	    >"$work/out" 2>&1 || status=$?
	result $status "cordon.h is $3 for $2"
}

printf '#include <cordon/cordon.h>\n#include <cordon/cordon.h>\n' \
    >"$work/twice"
echo 'extern int nothing; int nothing;' >>"$work/twice"

for standard in c99 c11 c17; do
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		public c $compiler $standard
	done
done
for standard in c++11 c++17 c++20; do
	for compiler in g++ clang++; do
		command -v $compiler >/dev/null || continue
		public c++ $compiler $standard
	done
done

# A program is linked by the names it sees: a type that is complete in the
# header only by accident, or a macro that leaks, would show here.
status=0
printf '#include <cordon/cordon.h>\n' | gcc -std=c99 -E -dM -x c \
    -I"$source/include" - >"$work/with"
printf '#include <stdbool.h>\n#include <stddef.h>\n' |
    gcc -std=c99 -E -dM -x c - >"$work/without"
sort "$work/with" "$work/without" "$work/without" | uniq -u |
    grep -v '^#define CORDON_' >"$work/out" && status=1
result $status 'cordon.h defines no macro but CORDON_ ones'

cd "$source/src"
for header in $(find . -name '*.h' | sort | sed 's|^\./||'); do
	status=0
	printf '#include "%s"\nextern int nothing; int nothing;\n' "$header" |
	    gcc -std=gnu17 -x c -D_GNU_SOURCE -Wall -Wextra -Werror \
	    -I"$source/include" -I. -fsyntax-only - >"$work/out" 2>&1 ||
	    status=$?
	result $status "$header compiles alone"
done
echo "1..$points"
