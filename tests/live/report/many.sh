#!/bin/bash
# Many runs at once into one log, some of them killed: nothing is lost but what
# was being written, and the log says so.
#
#	trysys -i IDENTITY many.sh		CORDON_TRIES times 50 runs
set -u

cordon=$CORDON_COMMAND
runs=$((50 * ${CORDON_TRIES:-1}))
stage=$(mktemp -d /tmp/cordon-many-XXXXXX)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage"/{home,w,out}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
log=$stage/state/cordon/audit.jsonl
cd "$stage/w" || exit 1
points=0 failures=0

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

# At once, as far as the machine lets them; each is denied twice.
"$cordon" run --quiet -- true
for ((i = 0; i < runs; i++)); do
	"$cordon" run --quiet -- sh -c \
	    'mkdir .vscode; mkdir .vscode; exit 7' run-$i 2>/dev/null
	echo $? >"$stage/out/$i"
done &
for ((i = runs; i < 2 * runs; i++)); do
	(
		"$cordon" run --quiet -- sh -c \
		    'mkdir .vscode; mkdir .vscode; exit 7' run-$i 2>/dev/null
		echo $? >"$stage/out/$i"
	) &
done
wait
[ "$(cat "$stage"/out/* | sort | uniq -c | tr -s ' ')" = " $((2 * runs)) 7" ]
ok $? "$((2 * runs)) runs, most of them at once"
"$cordon" audit verify >"$stage/verify"
ok $? "the log is intact"
sed 's/^/# /' "$stage/verify"
[ "$("$cordon" audit list | grep -c ' exit 7  .* 2 denied ')" -eq $((2 * runs)) ]
ok $? 'each is there, with its start, its denials and its end'

# Killed at any moment.
kills=$((runs / 2))
for ((i = 0; i < kills; i++)); do
	"$cordon" run --quiet -- sh -c 'while :; do mkdir .vscode; done' \
	    2>/dev/null &
	pid=$!
	sleep "$(printf '0.%03d' $((RANDOM % 30)))"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
done
"$cordon" run --quiet -- sh -c 'exit 9'
[ $? -eq 9 ]
ok $? 'after all of them were killed the next run is recorded'
"$cordon" audit verify >"$stage/verify"
ok $? 'and the log is intact'
sed 's/^/# /' "$stage/verify"
ended=$("$cordon" audit list | grep -c ' no end ')
echo "# $ended of $kills were killed after they had begun, $("$cordon" \
    audit grep --kind audit.torn '' | wc -l) in the middle of an event"
[ "$("$cordon" audit list | grep -c ' exit 9 ')" -eq 1 ]
ok $? 'a killed run is one without an end'
[ -s "$log" ]
ok $? 'in one log'
echo "1..$points"
[ "$failures" -eq 0 ]
