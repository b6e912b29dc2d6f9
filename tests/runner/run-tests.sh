#!/bin/sh
# Is tools/run-tests strict where meson is lenient?  Small programs that behave
# badly in one way each; what must come out of running them beside a good one
# is the last line and the exit status.
set -eu

source=${CORDON_SOURCE:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
points=0

echo "project('cases')" >"$work/meson.build"

# program NAME TEXT: registers one.
program()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$work/$1.sh"
	chmod +x "$work/$1.sh"
	echo "test('$1', find_program('$1.sh'), protocol: 'tap')" \
	    >>"$work/meson.build"
}

# try TEXT STATUS LAST-LINE PROGRAM...
try()
{
	text=$1 status=$2 line=$3
	shift 3
	got=0
	# shellcheck disable=SC2086 # one word or none
	$caller "$source/tools/run-tests" "$work/b" "$@" >"$work/out" 2>&1 ||
	    got=$?
	points=$((points + 1))
	if [ "$got" = "$status" ] &&
	    [ "$(tail -n 1 "$work/out")" = "$line" ]; then
		echo "ok $points - $text"
	else
		echo "not ok $points - $text"
		echo "# wanted status $status and '$line'; got $got and:"
		sed 's/^/# /' "$work/out"
	fi
}

program good 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2'
program also 'echo 1..1; echo "ok 1 - the word # skipping is no directive"'
program fails 'echo "not ok 1 - a"; echo "ok 2 - b"; echo 1..2; exit 1'
program lies 'echo "not ok 1 - a"; echo 1..1'
program late 'echo "ok 1 - a"; echo 1..1; kill -SEGV $$'
program middle 'echo "ok 1 - a"; kill -SEGV $$'
program early 'echo "ok 1 - a"; exit 0'
program silent 'exit 0'
program fewer 'echo 1..2; echo "ok 1 - a"'
program skips 'echo "ok 1 # SKIP no kernel"; echo "ok 2"; echo 1..2'
program skipall 'echo "1..0 # SKIP no kernel"'
program nothing 'echo 1..0'
# One point for each setting; a caller's own would make it fail.
# shellcheck disable=SC2016 # the program's own
program plain 'n=0
is() { n=$((n + 1)); [ "$2" = "$3" ] || printf "not "; echo "ok $n - $1: $2"; }
is umask "$(umask)" 0022
is files "$(ulimit -Sn)" 1024
is variables "${TZ-}${EDITOR-}${XDG_RUNTIME_DIR-}" ""
is home "$(ls -A "$HOME")" ""
is input "$(readlink /proc/self/fd/0)" /dev/null
is descriptors "$(ls /proc/$$/fd | grep -c "^[78]$")" 0
is "HUP and PIPE ignored" \
    "$((0x$(sed -n "s/^SigIgn:.//p" /proc/self/status) & 0x1001))" 0
echo 1..7'
meson setup "$work/b" "$work" >/dev/null

unset CORDON_MUST_WORK
caller=
try 'points of all programs are added up' 0 \
    '3 passed, 0 failed, 0 skipped' good also
try 'a failed point' 1 '3 passed, 1 failed, 0 skipped' good fails
try 'a failed point of a program that ends with 0' 1 \
    '2 passed, 1 failed, 0 skipped' good lies
try 'a crash after the last point' 1 '3 passed, 1 failed, 0 skipped' good late
try 'a crash in the middle' 1 '3 passed, 1 failed, 0 skipped' good middle
try 'an end with 0 before the plan' 1 '3 passed, 1 failed, 0 skipped' \
    good early
try 'a program that says nothing' 1 '2 passed, 1 failed, 0 skipped' \
    good silent
try 'fewer points than planned' 1 '3 passed, 1 failed, 0 skipped' good fewer
try 'no points planned and no reason given' 1 \
    '2 passed, 1 failed, 0 skipped' good nothing
try 'a skip is not a failure' 0 '3 passed, 0 failed, 1 skipped' good skips
try 'a program that skips all of itself' 0 \
    '2 passed, 0 failed, 1 skipped' good skipall
try 'skips alone are not a success' 1 '0 passed, 0 failed, 1 skipped' skipall
try 'no test at all is not a success' 1 '0 passed, 0 failed, 0 skipped' \
    --suite none
caller=$source/tools/odd-caller
try 'every caller is the same to a test' 0 '7 passed, 0 failed, 0 skipped' plain
caller=
export CORDON_MUST_WORK=1
try 'a skip fails where all must work' 1 '3 passed, 0 failed, 1 skipped' \
    good skips
try 'all work where all must work' 0 '2 passed, 0 failed, 0 skipped' good
echo "1..$points"
