#!/bin/bash
# SIGKILL of cordon at any moment: the command dies with it, also what it left
# in the background, and the next run puts away what was left.
#
#	trysys -i IDENTITY killed.sh
set -u

cordon=$CORDON_COMMAND
umask 022
tries=$((10 * ${CORDON_TRIES:-1}))
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-kill-XXXXXX)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage"/{home,w}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
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

# Who still has the mark of this test in its environment, or among its words:
# what is put in front of the command has those alone.
alive()
{
	{
		grep -lzxF "CORDON_KILL_MARK=$stage" /proc/[0-9]*/environ
		grep -lzxF "$stage" /proc/[0-9]*/cmdline
	} 2>/dev/null | cut -d / -f 3 | sort -u
}

started=0 survived=0
for ((i = 0; i < tries; i++)); do
	rm -f ran
	"$cordon" run --quiet \
	    --env "CORDON_KILL_MARK=$stage" -- \
	    sh -c 'touch ran; exec sleep 10103' "$stage" &
	pid=$!
	# In the middle of starting, but for the last, which is seen to run.
	if [ $((i + 1)) -lt "$tries" ]; then
		sleep "$(printf '0.%03d' $((RANDOM % 30)))"
	else
		for ((k = 0; k < 5000; k++)); do
			[ ! -e ran ] || break
			sleep 0.02
		done
	fi
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	[ ! -e ran ] || started=$((started + 1))
	for ((k = 0; k < 1000; k++)); do
		left=$(alive)
		[ -n "$left" ] || break
		sleep 0.02
	done
	if [ -n "$left" ]; then
		survived=$((survived + 1))
		# shellcheck disable=SC2086 # a list of numbers; all of them ours
		kill -KILL $left
	fi
done
[ "$survived" -eq 0 ]
ok $? "$tries times killed, $started of them running: $survived lived on"
[ "$started" -gt 0 ]
ok $? 'control: some had started'

# A session of its own, which no signal but SIGKILL ends, and whose parent is
# gone.
rm -f ran
"$cordon" run --quiet --env "CORDON_KILL_MARK=$stage" -- sh -c '
    (trap "" HUP INT TERM; setsid sh -c "touch ran; exec sleep 10104") &
    exec sleep 10103' "$stage" &
pid=$!
for ((k = 0; k < 1000; k++)); do
	[ ! -e ran ] || break
	sleep 0.02
done
[ -e ran ] && [ -n "$(alive)" ]
ok $? 'control: there is one in the background'
kill -KILL "$pid"
wait "$pid" 2>/dev/null
for ((k = 0; k < 250; k++)); do
	left=$(alive)
	[ -n "$left" ] || break
	sleep 0.02
done
[ -z "$left" ]
ok $? 'what was left in the background is killed, too'
# shellcheck disable=SC2086 # a list of numbers; all of them ours
[ -z "$left" ] || kill -KILL $left
rm -f ran

"$cordon" run --quiet -- true
ok $? 'the next run works'
for ((i = 0; i < tries; i++)); do # each puts a few away
	[ -n "$(ls -A "$stage/state/cordon/tmp")" ] || break
	"$cordon" run --quiet -- true
done
left=$(ls -A "$stage/state/cordon/tmp")
[ -z "$left" ]
ok $? "and nothing is left ($left)"
rm -f ran
left=$(ls -A "$stage/w")
[ -z "$left" ]
ok $? "nor in the workspace ($left)"

echo "1..$points"
[ "$failures" -eq 0 ]
