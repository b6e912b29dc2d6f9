#!/bin/bash
# Many callers at once: no wrong verdict, nobody hangs, and the broker does not
# grow.
#
#	trysys -i IDENTITY load.sh PROCESSES THREADS SECONDS
#
# SECONDS is CORDON_TRIES times as long when set.
set -u

processes=$1 threads=$2 seconds=$(($3 * ${CORDON_TRIES:-1}))
umask 022
stage=$(mktemp -d /tmp/cordon-load-XXXXXX)
trap 'rm -rf "$stage"' EXIT
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

mkdir -p "$stage"/{home,w/pub,w/secrets,w/made}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cat >"$stage/policy.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: load}
spec:
  denyRead: ["**/*.env", "secrets/**"]
  denyModify: ["**/*.lock"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
cd "$stage/w" || exit 1
echo public >pub/a
echo SECRET | tee x.env >secrets/s
echo before >x.lock
cp "$CORDON_HAMMER" hammer

coproc inside {
	exec "$CORDON_COMMAND" run --quiet --policy "$stage/policy.yaml" \
	    --profile dev -- ./hammer
}
# shellcheck disable=SC2154 # coproc sets them
to=${inside[1]} from=${inside[0]} run=$inside_PID

# go SECONDS: a point for what came of it.
go()
{
	local answer calls wrong ended
	echo "go $processes $threads $1" >&"$to"
	IFS= read -r -t $(($1 + 300)) answer <&"$from" || answer='no answer'
	read -r _ calls _ wrong _ _ _ ended <<<"$answer"
	[ "${wrong:-1}" = 0 ] && [ "${calls:-0}" -gt 0 ] &&
	    [ "${ended:-0}" = "$processes" ]
	ok $? "$processes processes of $threads threads: $answer"
}

# Of cordon itself: memory of its own in KiB.
memory()
{
	sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$run/status"
}

# Its descriptors.  Each thread may keep its last caller's status; these do not
# count.
# The last answers may still be on their way out, so this is seen to rest.
descriptors()
{
	local now last='' same=0 i
	for ((i = 0; i < 600 && same < 5; i++)); do
		now=$(find "/proc/$run/fd" -type l \
		    ! -lname '/proc/[0-9]*/status*' | wc -l)
		[ "$now" = "$last" ] && same=$((same + 1)) || same=0
		last=$now
		sleep 0.1
	done
	echo "$now"
}

go $(((seconds + 3) / 4))
before=$(memory) fds=$(descriptors)
go "$seconds"
after=$(memory) fds2=$(descriptors)
# How many threads there are by then is chance, and each needs room for itself;
# who loses some in each call never comes to an end of it.
grep -q asan "/proc/$run/maps" && more=0 || more=5
for ((i = 0; i < more && after > before + 512; i++)); do
	go "$seconds"
	before=$after after=$(memory)
done
# A sanitizer keeps what was freed.
if [ "$more" = 0 ]; then
	echo "# a sanitizer: $before, then $after KiB"
else
	[ "$after" -le $((before + 512)) ]
	ok $? "memory is flat: $before, then $after KiB"
fi
# A thread may be about to open or close its own: losing some shows by hundreds.
[ "$fds2" -le $((fds + 8)) ]
ok $? "descriptors are not lost: $fds, then $fds2"

exec {to}>&-
wait "$run"
ok $? 'the run ends well'
[ "$(cat x.env secrets/s)" = $'SECRET\nSECRET' ] && [ "$(cat x.lock)" = before ]
ok $? 'what was denied is as it was'
left=$(ls -A made)
[ -z "$left" ]
ok $? "what was made was removed ($left)"

echo "1..$points"
[ "$failures" -eq 0 ]
