#!/usr/bin/env bats
# What cannot be recorded must not go on unseen.

load helper

prepare()
{
	AUDIT=$XDG_STATE_HOME/cordon/audit.jsonl
}

# Where a part is locked cordon is asked about all the others.
mixed()
{
	policy mixed.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: mixed}
spec:
  denyModify: ["locked/**"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
}

# busy N: denied N times, and a file at the end.
busy()
{
	echo "i=0
while [ \$i -lt $1 ]; do
	mkdir .vscode 2>/dev/null
	i=\$((i + 1))
done
touch after"
}

@test "a denial that cannot be recorded ends the run" {
	cordon run -- sh -c "$(busy 20)"
	exits 0
	[ -e after ] # control
	rm after
	: >"$AUDIT"
	rm "$AUDIT.head"
	(
		ulimit -f 4
		cordon run -- sh -c "$(busy 1000000)"
		exits 125
		complains "cannot write to audit file '$AUDIT'"
		complains "the run could not be recorded to its end"
	)
	[ ! -e after ]
	[ ! -e .vscode ]
}

@test "unless the policy says to go on" {
	policy warn.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: warn}
spec:
  audit: {onFailure: warn}
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
  denyModify: [".vscode/**"]
END
	(
		ulimit -f 4
		cordon run --policy warn.yaml --profile dev -- sh -c "$(busy 200)"
		exits 0
		complains "cannot write to audit file '$AUDIT'"
	)
	[ -e after ]
	[ ! -e .vscode ]
}

# kill_behind N: a run that makes f1, f2, ... and tells of each when it is there
# is killed behind the N-th or a little later.  $last is the last that it told
# of, $threads how many threads cordon had at that moment.  It makes no more
# than are recorded (8192), however long we are kept from looking.
kill_behind()
{
	mkfifo told
	"$CORDON" run --quiet --policy mixed.yaml --profile dev -- sh -c 'i=0
	    while [ $i -lt 4000 ]; do
		i=$((i + 1)); : >f$i || exit; echo $i
	    done
	    exec sleep 600' >told 3>&- &
	pid=$!
	exec 7<told
	while read -r last <&7 && [ "$last" -lt "$1" ]; do :; done
	kill -STOP $pid
	while grep -hv '^[0-9]* (.*) T ' /proc/$pid/task/*/stat \
	    >/dev/null; do
		sleep 0.01
	done
	threads=$(find /proc/$pid/task -mindepth 1 -maxdepth 1 | wc -l)
	kill -KILL $pid
	wait $pid || :
	while read -r next <&7; do last=$next; done
	exec 7<&-
	rm told
}

@test "killed with -9: what was allowed is there but for the last" {
	mixed
	for n in 1 7 $((RANDOM % 500)) $((RANDOM % 500)); do
		kill_behind "$n"
		[ "$last" -ge "$n" ]
		# What a thread has answered and not written yet: one of each.
		sed -n "s|.*\"path\":\"$W/f\([0-9]*\)\".*|\1|p" "$AUDIT" |
		    sort -u >"$T/there"
		missing=$(seq "$last" | sort | comm -23 - "$T/there" | wc -l)
		say "$last told, $missing missing, $threads threads"
		[ "$missing" -le "$threads" ]
		cordon audit list
		exits 0
		prints 'no end'
		cordon run --quiet -- true # goes on, and tells what it found
		exits 0
		cordon audit verify
		exits 0
		rm -f f* "$AUDIT" "$AUDIT.head"
	done
}

@test "nor does a run go on whose allowed accesses cannot be written" {
	mixed
	(
		ulimit -f 8
		cordon run --policy mixed.yaml --profile dev -- sh -c \
		    'seq 100 | xargs touch; exec sleep 60'
		exits 125
		complains "cannot write to audit file '$AUDIT'"
	)
	[ -e 1 ]
}
