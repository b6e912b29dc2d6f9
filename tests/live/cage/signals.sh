#!/bin/bash
# Signals where Landlock does not hold them back: the broker's answers beside
# the kernel's own.  cordon-test believes that the host is an old one, and asks
# the kernel for no more than that.
#
#	trysys -i IDENTITY signals.sh
set -u

here=$(dirname "$0")
stage=$(mktemp -d /tmp/cordon-signals-XXXXXX)
points=0 failures=0 alive=1 outside=
finish()
{
	[ -z "$outside" ] || kill "$outside" 2>/dev/null
	rm -rf "$stage"
}
trap finish EXIT

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - $2"
	else
		echo "not ok $points - $2"
		failures=$((failures + 1))
	fi
}

mkdir "$stage"/{home,w}
export HOME=$stage/home XDG_STATE_HOME=$stage/home/state
cp "$here/signals.py" "$stage/w/"
cd "$stage/w" || exit 1

# try WRAPPER...: what the program says, with somebody outside to aim at.
try()
{
	sleep 600 &
	outside=$!
	"$@" python3 signals.py "$outside" 2>"$stage/stderr"
	kill -0 "$outside" 2>/dev/null
	alive=$?
	kill "$outside" 2>/dev/null
	wait "$outside" 2>/dev/null
	outside=
}

on() # ABI
{
	CORDON_TEST_HOST="landlock_abi=$1" try "$CORDON_TEST" run --quiet --
}

python3 -c 'import subprocess, sys
outside = subprocess.Popen(["sleep", "600"])
outside.terminate()
sys.exit(outside.wait() != -15)'
ok $? 'without a cage the signal arrives'
on 7 >"$stage/want"
ok $alive 'the kernel holds them back'
grep -q '^kill outside refused$' "$stage/want" &&
    grep -q '^own process 3$' "$stage/want"
ok $? 'and the program has tried'
for abi in 1 2 3 4 5; do
	on $abi >"$stage/got"
	ok $alive "with ABI $abi whoever is outside lives"
	cmp -s "$stage/want" "$stage/got"
	ok $? "with ABI $abi the broker answers as the kernel does"
	diff "$stage/want" "$stage/got" | sed 's/^/# /'
done
echo "1..$points"
[ $failures -eq 0 ]
