#!/usr/bin/env bats
# What cannot be recorded must not go on unseen.

load helper

prepare()
{
	AUDIT=$XDG_STATE_HOME/cordon/audit.jsonl
}

# Denied 200 times, and a file at the end; the record may grow to 4 KiB.
busy='i=0
while [ $i -lt 200 ]; do
	mkdir .vscode 2>/dev/null
	i=$((i + 1))
done
touch after'

@test "a denial that cannot be recorded ends the run" {
	cordon run -- sh -c "$busy"
	exits 0
	[ -e after ] # control
	rm after
	: >"$AUDIT"
	rm "$AUDIT.head"
	(
		ulimit -f 4
		cordon run -- sh -c "$busy"
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
		cordon run --policy warn.yaml --profile dev -- sh -c "$busy"
		exits 0
		complains "cannot write to audit file '$AUDIT'"
	)
	[ -e after ]
	[ ! -e .vscode ]
}

@test "nor does a run go on whose allowed accesses cannot be written" {
	policy mixed.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: mixed}
spec:
  denyModify: ["locked/**"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
	(
		ulimit -f 8
		cordon run --policy mixed.yaml --profile dev -- sh -c \
		    'seq 100 | xargs touch; exec sleep 60'
		exits 125
		complains "cannot write to audit file '$AUDIT'"
	)
	[ -e 1 ]
}
