#!/usr/bin/env bats
# cordon verify: what it prints and how it ends.  What it finds is tried in
# tests/live/verify.

load helper

prepare()
{
	mkdir -p src .git/hooks
	echo text | tee src/main.c prod.env >/dev/null
	policy policy.yaml <<-'END'
	schemaVersion: 2
	kind: Policy
	metadata: {name: test}
	spec:
	  denyRead: ["**/*.env"]
	  fsProfiles:
	    dev: {read: ["./**"], modify: ["src/**"]}
	END
}

# planted BUG ARG...: by the command that is built for tests.
planted()
{
	: "${CORDON_TEST:?set CORDON_TEST to the command built for tests}"
	status=0
	CORDON_TEST_PLANT=$1 "$CORDON_TEST" verify "${@:2}" >"$T/stdout" \
	    2>"$T/stderr" || status=$?
	output=$(cat "$T/stdout")
	# shellcheck disable=SC2034 # for complains
	stderr=$(cat "$T/stderr")
}

@test "one line when all agree; the same seed tries the same" {
	cordon verify --seed 7 --policy policy.yaml --profile dev
	exits 0
	[ "$(wc -l <"$T/stdout")" -eq 1 ]
	[[ $output =~ ^[0-9]+' agreements, 0 disagreements, '[0-9]+' not probed (seed 7)'$ ]]
	complains 'not probed: it does not work outside either'
	first=$output
	cordon verify --seed 7 --policy policy.yaml --profile dev
	[ "$first" = "$output" ] || { say "$first"; return 1; }
	cordon verify --quiet --policy policy.yaml --profile dev
	exits 0
	quiet
}

@test "JSON: the sum last" {
	cordon verify --json --seed 7 --policy policy.yaml --profile dev
	exits 0
	quiet
	python3 - "$T/stdout" <<-'END'
	import json, sys
	lines = [json.loads(line) for line in open(sys.argv[1])]
	assert len(lines) == 1, lines
	assert list(lines[0]) == ["schema", "agree", "disagree", "not_probed",
	                          "known", "seed"], lines
	assert lines[0]["agree"] > 100 and lines[0]["seed"] == 7, lines
	assert lines[0]["disagree"] == 0, lines
	END
}

@test "a disagreement has both sides, and ends with 1" {
	planted drop-read --policy policy.yaml --profile dev
	exits 1
	prints 'leaks  read  '"$W/prod.env  (open for reading)"
	prints 'the policy denies it (**/*.env, policy.yaml:5:14, layer policy), but the kernel let it through'
	complains --seed
	planted drop-read --json --policy policy.yaml --profile dev
	exits 1
	python3 - "$T/stdout" "$W/prod.env" <<-'END'
	import json, sys
	*found, last = [json.loads(line) for line in open(sys.argv[1])]
	assert last["disagree"] == len(found) > 0, last
	for f in found:
	    assert list(f) == ["schema", "path", "operation", "decision",
	                       "kernel", "why", "call", "outcome"], f
	    assert f["decision"] != f["kernel"], f
	assert any(f["path"] == sys.argv[2] and f["operation"] == "read" and
	           f["decision"] == "deny" and f["kernel"] == "allow" and
	           "policy.yaml:5:14" in f["why"] for f in found), found
	END
}

@test "--verbose tells each" {
	cordon verify --verbose --preset strict
	exits 0
	prints 'agrees  read  '"$W"
	prints 'agrees  escape  ptrace'
}

@test "what cannot be verified" {
	cordon verify --network example.org
	exits 1
	complains network-names
	cordon verify --policy missing.yaml
	exits 2
	cordon verify --seed x
	exits 2
	complains "'x' is no seed"
	cordon verify operand
	exits 2
	cordon verify --backend none --enforcement best-effort
	exits 2
	complains 'nothing to look at from inside'
	cordon verify --backend bwrap
	[ "$status" -ne 0 ]
}

@test "nothing is recorded, and nothing is left" {
	before=$(find "$W" | sort)
	cordon verify --policy policy.yaml --profile dev
	exits 0
	[ "$before" = "$(find "$W" | sort)" ]
	[ ! -e "$XDG_STATE_HOME/cordon/audit.jsonl" ]
}
