#!/usr/bin/env bats
# cordon run: exit codes, what is printed, what is recorded.  What the kernel
# refuses is tests/live/cage.

load helper

# Nothing in the workspace can be modified: all of it can be held without help.
prepare()
{
	policy look.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: look}
spec:
  fsProfiles:
    look:
      read: ["./**"]
END
	printf '#!/bin/sh\ntouch ran\n' >mark
	printf 'no program\n' >text
	chmod +x mark text
	AUDIT=$XDG_STATE_HOME/cordon/audit.jsonl
}

caged()
{
	cordon run --quiet "$@"
}

# without_namespaces ARG...: as on a host that has none for its users.
without_namespaces()
{
	CORDON_TEST_HOST=userns=0 CORDON=$CORDON_TEST cordon "$@"
}

# wanting ARG...: with something that such a host cannot give.
wanting()
{
	without_namespaces run --isolation namespaces "$@"
}

# field KEY: of the last line of the audit.
field()
{
	tail -n 1 "$AUDIT" | python3 -c \
	    'import json,sys; print(json.dumps(json.load(sys.stdin)[sys.argv[1]]))' "$1"
}

# ----- Exit codes -----------------------------------------------------------------

@test "the command's own code is ours" {
	for code in 0 1 2 3 77 123; do
		caged -- sh -c "exit $code"
		exits $code
	done
}

@test "a signal is 128 and its number" {
	caged -- sh -c 'kill -TERM $$'
	exits 143
	caged -- sh -c 'kill -KILL $$'
	exits 137
}

@test "a timeout is 124, and nobody is left" {
	caged --timeout 200ms -- sh -c 'sleep 300 & echo $! >pid; wait'
	exits 124
	! kill -0 "$(cat pid)" 2>/dev/null
}

@test "what is not there is 127" {
	caged -- cordon-no-such-program
	exits 127
	complains "'cordon-no-such-program' was not found on PATH"
	caged -- ./missing
	exits 127
}

@test "a program is no directory, also one that was found: 127" {
	caged -- /bin/true
	exits 0
	for name in /bin/true/ /bin/true/. ./mark/ mark/.; do
		caged -- "$name"
		exits 127
		complains "'$name' was not found"
	done
	[ ! -e ran ]
}

# Only a user whom /etc/passwd does not know is asked for elsewhere.
@test "a caller who ignores that children end gets his answers" {
	unshare -U --map-user=54321 true 2>/dev/null ||
	    skip 'no user namespaces here'
	! grep -q ':54321:' /etc/passwd || skip 'somebody has that number'
	printf '#!/bin/sh\nexec unshare -U --map-user=54321 "%s" "$@"\n' \
	    "$T/ignoring" >"$T/unknown"
	chmod +x "$T/unknown"
	for ignored in '' 'trap "" CHLD'; do
		printf '#!/bin/bash\n%s\nexec "%s" "$@"\n' "$ignored" \
		    "$CORDON" >"$T/ignoring"
		chmod +x "$T/ignoring"
		CORDON=$T/unknown cordon check --op read /etc/hostname
		exits 0
	done
}

@test "what is there but no program is 126" {
	caged -- ./text
	exits 126
	chmod -x mark
	caged -- ./mark
	exits 126
	[ ! -e ran ]
}

@test "what the policy does not let run is 126, with the rule" {
	policy no.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: no}
spec:
  fsProfiles:
    dev:
      read: ["./**"]
      modify: ["./**"]
      exec: ["**", "!mark"]
END
	caged --policy no.yaml --profile dev -- ./mark
	exits 126
	complains "no.yaml:9:20"
	complains "'!mark'"
	[ ! -e ran ]
	cp mark other
	caged --policy no.yaml --profile dev -- ./other
	exits 0
	[ -e ran ]
}

@test "usage is 125" {
	cordon run
	exits 125
	cordon run --
	exits 125
	cordon run true
	exits 125
	complains "the command stands behind '--'"
	cordon run true -- true
	exits 125
	cordon run --nonsense -- true
	exits 125
	cordon run --timeout soon -- true
	exits 125
	cordon run --backend nothing -- true
	exits 125
	cordon run --enforcement policy -- true
	exits 125
	cordon run --no-sandbox --backend native -- true
	exits 125
}

@test "a policy that cannot be used is 125, and nothing is spawned" {
	policy bad.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: bad}
spec: {fsProfile: {}}
END
	caged --policy bad.yaml -- ./mark
	exits 125
	complains 'bad.yaml:4:8: error:'
	caged --policy missing.yaml -- ./mark
	exits 125
	caged --profile nobody -- ./mark
	exits 125
	[ ! -e ran ]
	caged -- ./mark
	exits 0
	[ -e ran ]
}

@test "a home or / is no workspace" {
	cd "$HOME"
	caged -- touch ran
	exits 125
	complains "the current directory is a home directory"
	[ ! -e ran ]
	# Whatever else is wrong there.
	caged --policy not-there.yaml -- touch ran
	exits 125
	complains "the current directory is a home directory"
	# Unless it is named.
	caged --workspace . -- touch ran
	exits 0
	[ -e ran ]
	cd /
	caged -- true
	exits 125
	complains "the current directory is '/'"
}

# ----- What can be held ---------------------------------------------------------------

@test "the default rules are held, in silence" {
	cordon run -- ./mark
	exits 0
	[ -e ran ]
	quiet
}

@test "what cannot be held is refused, and named" {
	wanting -- ./mark
	exits 125
	complains 'isolation: there are no namespaces of its own'
	complains "'--enforcement degraded' starts without it"
	[ ! -e ran ]
	cordon run --network example.org -- ./mark
	exits 125
	complains 'network-names: host names'
	[ ! -e ran ]
	cordon run --network 192.0.2.1 -- ./mark
	exits 0
	[ -e ran ]
}

@test "several of them: the first, and how many more" {
	wanting --network example.org -- ./mark
	exits 125
	complains "and 1 more ('cordon plan' lists them"
	[ ! -e ran ]
}

@test "degraded starts and lists it" {
	wanting --enforcement degraded -- ./mark
	exits 0
	[ -e ran ]
	complains 'not enforced: there are no namespaces'
}

@test "what is held completely prints nothing" {
	cordon run --preset strict --policy look.yaml --profile look -- \
	    cat look.yaml
	exits 0
	[ "$output" = "$(cat look.yaml)" ]
	quiet
	cordon run --preset strict --policy look.yaml --profile look -- ./mark
	[ "$status" -ne 0 ]
	[ ! -e ran ]
}

@test "a dry run starts nothing and says whether it would" {
	wanting --dry-run -- ./mark
	exits 125
	wanting --dry-run --enforcement degraded -- ./mark
	exits 0
	[ -n "$output" ]
	cordon run --dry-run -- ./mark
	exits 0
	prints 'enforced   yes'
	[ ! -e ran ]
}

@test "without a cage only when told twice, and loudly" {
	cordon run --backend none -- ./mark
	exits 125
	complains 'OS sandbox required but unavailable'
	[ ! -e ran ]
	cordon run --no-sandbox -- ./mark
	exits 0
	complains 'OS sandbox unavailable, using application-level checks only'
	[ -e ran ]
}

@test "what another system has is refused" {
	cordon run --backend seatbelt -- ./mark
	exits 125
	[ ! -e ran ]
	cordon run --backend native -- ./mark
	exits 0
	[ -e ran ]
}

@test "a second name of a key is found before anything starts" {
	echo key >"$HOME/.netrc"
	ln "$HOME/.netrc" innocent
	cordon run --preset strict --policy look.yaml --profile look -- true
	exits 125
	complains "hard-link: '$W/innocent' is a second name of"
	cordon run --enforcement degraded -- true
	exits 0
	complains "not enforced: '$W/innocent' is a second name of"
	rm innocent
	cordon run --preset strict --policy look.yaml --profile look -- true
	exits 0
}

@test "repositories in the workspace, with a warning" {
	cordon plan --json
	[[ $output == *'"rule":"!**/.git"'* ]]
	cordon plan --json --allow nested-git
	[[ $output != *'"rule":"!**/.git"'* ]]
	complains 'look at their hooks'
	cordon run --allow everything -- true
	exits 125
}

# ----- Input, output, environment --------------------------------------------------------

@test "input and output pass through" {
	printf 'in\n' >in
	caged -- sh -c 'cat; echo err >&2' <in
	exits 0
	[ "$output" = in ]
	[ "$stderr" = err ]
}

@test "a failure says where to ask" {
	cordon run -- false
	exits 1
	complains "'cordon check PATH' names the rule"
	caged -- false
	quiet
}

@test "JSON captures" {
	caged --json -- sh -c 'printf "{\"a\":1}"; echo err >&2; exit 3'
	exits 3
	python3 - "$T/stdout" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
assert list(r) == ["schema", "run", "success", "exit_code", "signal",
    "timed_out", "duration_ms", "stdout", "stderr", "output", "denials"], r
assert r["success"] is False and r["exit_code"] == 3 and r["signal"] is None
assert r["stdout"] == '{"a":1}' and r["stderr"] == "err\n"
assert r["output"] == {"a": 1} and r["denials"] == []
END
	caged --json --timeout 100ms -- sleep 100
	exits 124
	[[ $output == *'"exit_code":null'*'"timed_out":true'* ]]
	caged --json -- sh -c 'kill -TERM $$'
	exits 143
	[[ $output == *'"exit_code":143,"signal":15,'* ]]
}

@test "variables" {
	SECRET=x caged -- sh -c 'echo ${SECRET-none}'
	[ "$output" = none ]
	SECRET=x caged --env SECRET -- sh -c 'echo ${SECRET-none}'
	[ "$output" = x ]
	caged --env A=b=c --env D= -- sh -c 'echo $A ${D-none}.'
	[ "$output" = 'b=c .' ]
	caged --env LD_PRELOAD=/x -- true
	exits 125
}

# ----- The record ---------------------------------------------------------------------------

@test "a run is recorded, from start to end" {
	caged -- sh -c 'exit 5'
	[ "$(wc -l <"$AUDIT")" -eq 2 ]
	[ "$(field kind)" = '"run.end"' ]
	[ "$(field exit_code)" = 5 ]
	[ "$(field seq)" = 2 ]
	[ "$(stat -c %a "$AUDIT")" = 600 ]
	head -n 1 "$AUDIT" | grep -q '"kind":"run.start"'
	head -n 1 "$AUDIT" | grep -q '"argv":\["sh","-c","exit 5"\]'
}

@test "secrets are not" {
	API_TOKEN=verysecret LINES_KEY=$'first line\nsecond line' caged -- \
	    echo --password=hush a=verysecret 'x second line' plain
	exits 0
	head -n 1 "$AUDIT" | grep -qF '"argv":["echo","--password=[REDACTED]","a=[REDACTED]","x [REDACTED]","plain"]'
}

@test "nor those that are words of their own" {
	SSHPASS=hunter2-x caged -- echo --password hush --token t -H \
	    'Authorization: Bearer b' https://u:p@h/ ghp_0123456789abcdef \
	    --from-literal=password=pw hunter2-x --name visible
	exits 0
	head -n 1 "$AUDIT" | grep -qF '"argv":["echo","--password","[REDACTED]","--token","[REDACTED]","-H","Authorization: [REDACTED]","https://[REDACTED]@h/","[REDACTED]","--from-literal=password=[REDACTED]","[REDACTED]","--name","visible"]'
}

@test "and so is a refusal" {
	wanting -- ./mark
	exits 125
	[ "$(field kind)" = '"run.refused"' ]
	[ "$(field error)" = '"NotEnforceable"' ]
	caged -- ./missing
	[ "$(field kind)" = '"run.refused"' ]
}

@test "another file, but none that the run could change" {
	caged --audit "$T/other.jsonl" -- true
	exits 0
	[ "$(wc -l <"$T/other.jsonl")" -eq 2 ]
	[ ! -e "$AUDIT" ]
	caged --audit here.jsonl -- ./mark
	exits 125
	complains 'lies where the run may write'
	[ ! -e here.jsonl ] && [ ! -e ran ]
}

# ----- Plans ----------------------------------------------------------------------------------

@test "a plan says whether a run would start" {
	cordon plan
	exits 0
	without_namespaces plan --isolation namespaces
	exits 1
	without_namespaces plan --isolation namespaces --enforcement degraded
	exits 0
	cordon plan --isolation namespaces
	exits 0
	cordon plan --json --preset strict --policy look.yaml --profile look
	exits 0
	python3 - "$T/stdout" <<'END'
import json, sys
p = json.load(open(sys.argv[1]))
for key in ("schema", "backend", "mode", "isolation", "network", "enforced",
    "regions", "rules", "shortfall"):
    assert key in p, key
assert p["enforced"] is True and p["network"] == "none"
END
	cordon plan --policy missing.yaml
	exits 2
	cordon plan true
	exits 2
}

@test "a limit that holds for each process only is said, and no reason to refuse" {
	policy limits.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: l}
spec: {fsProfiles: {look: {read: ["./**"], limits: {memory: 1G}}}}
END
	cordon run --preset strict --policy limits.yaml --profile look -- true
	exits 0
	cordon plan --policy limits.yaml --preset strict --profile look
	exits 0
	case $output in
	*limits-tree*) cordon run --preset strict --policy limits.yaml \
	    --profile look -- true; complains 'limits hold for each process' ;;
	esac
}

@test "a small limit of open files starts every time" {
	for n in 4 5 8 12 16 18 20; do
		policy ../limits.yaml <<END
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  denyRead: ["*.env"]
  fsProfiles:
    unrestricted: {read: ["**"], modify: ["**"], limits: {open_files: $n}}
END
		for _ in 1 2 3; do
			cordon run --quiet --policy ../limits.yaml -- sh -c 'ulimit -n'
			exits 0
			[ "$output" = "$n" ]
		done
	done
}
