#!/usr/bin/env bats
# What was refused during a run: as it happens, summed up, and kept.

load helper

prepare()
{
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  denyModify: ["**/*.lock"]
  fsProfiles:
    dev:
      read: ["./**", "!secret/**"]
      modify: ["./**", "!a/**", "!b/**", "!c/**", "!d/**", "!e/**"]
      network: loopback
END
	mkdir a b c d e secret
	echo s >secret/s
	AUDIT=$XDG_STATE_HOME/cordon/audit.jsonl
}

# under ARG...: the policy above.
under()
{
	cordon run --policy p.yaml --profile dev "$@"
}

# kept: the denials of the audit, one line each.
kept()
{
	python3 -c 'import json, sys
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["kind"].endswith(".denied"):
        print(e["kind"], e["call"], e["op"], e["path"], e["rule_text"],
            e["source"], e["line"], e["errno"])' "$AUDIT"
}

@test "nothing refused, nothing said" {
	under -- sh -c 'echo x >fine; cat fine'
	exits 0
	[ "$output" = x ]
	quiet
}

@test "one line in the end: how many, by which rule, and what shows them" {
	under -- sh -c 'touch a/x b/x x.lock 2>/dev/null; echo out'
	exits 0
	[ "$output" = out ]
	[ "$(wc -l <"$T/stderr")" -eq 1 ]
	complains 'cordon: 3 denials: modify !a/** (p.yaml:9), modify !b/** (p.yaml:9), modify **/*.lock (p.yaml:5); cordon audit show '
	eval "${stderr##*; }"
	exits 0
	[ "$(grep -c ' \* denied modify ' <<<"$output")" -eq 3 ]
}

@test "the same rule again is counted" {
	under -- sh -c 'for i in 1 2 3 4 5; do touch a/$i; done 2>/dev/null; :'
	complains 'cordon: 5 denials: modify !a/** (p.yaml:9) x5; cordon audit show '
}

@test "many rules are not all named, and many denials are one line" {
	under -- sh -c 'touch a/x b/x c/x d/x e/x x.lock 2>/dev/null
	    i=0; while [ $i -lt 300 ]; do i=$((i + 1)); mkdir a/$i; done \
	    2>/dev/null; :'
	exits 0
	[ "$(wc -l <"$T/stderr")" -eq 1 ]
	complains '306 denials: modify !a/** (p.yaml:9) x301, '
	complains 'modify !d/** (p.yaml:9), and 2 more; cordon audit show '
	[ "$(kept | wc -l)" -eq 306 ]
}

@test "--quiet says nothing, the audit all" {
	under --quiet -- sh -c 'touch a/x 2>/dev/null; :'
	exits 0
	quiet
	[ "$(kept)" = "fs.call.denied openat modify $W/a/x !a/** p.yaml 9 13" ]
}

@test "--verbose tells each, with call, path, process, rule and line" {
	under --verbose -- sh -c 'echo $$; exec 2>/dev/null; echo x >a/x
	    mkdir b/y; cat secret/s; :'
	exits 0
	pid=$output
	complains "cordon: denied: openat of '$W/a/x' by $pid: modify !a/** (p.yaml:9)"
	complains "cordon: denied: mkdir of '$W/b/y' by "
	complains "cordon: denied: openat of '$W/secret/s' by "
	complains ': read !secret/** (p.yaml:8)'
	complains 'cordon: 3 denials: '
}

@test "--trace tells what the kernel alone would refuse" {
	mkdir "$HOME/.ssh"
	echo key >"$HOME/.ssh/id"
	cordon run -- cat "$HOME/.ssh/id"
	exits 1
	[[ $stderr != *denial* ]]
	cordon run --trace -- cat "$HOME/.ssh/id"
	exits 1
	complains "cordon: denied: openat of '$HOME/.ssh/id' by "
	complains 'cordon: 1 denial: read ~/.ssh (<floor>)'
}

@test "what is told is one safe line, whatever the name" {
	under --verbose -- /usr/bin/python3 -c 'import os
try: os.mkdir("a/\n\033[31mcordon: all is well")
except PermissionError: pass'
	exits 0
	complains 'a/\x0a\x1b[31mcordon: all is well'
	! grep -q '^cordon: all' "$T/stderr" || return 1
	grep -q "$(printf '\033')" "$T/stderr" && return 1
	[ "$(kept | wc -l)" -ge 1 ]
}

@test "the processes above are kept, up to the first of the run" {
	under --quiet -- sh -c 'echo $$ >first; sh -c "echo \$\$ >second;
	    mkdir a/x; :"; :' 2>/dev/null
	python3 - "$AUDIT" "$(cat first)" "$(cat second)" <<'END'
import json, sys
e, = [e for e in map(json.loads, open(sys.argv[1]))
    if e["kind"] == "fs.call.denied"]
assert e["pids"][0] == e["pid"], e
assert e["pids"][1:] == [int(sys.argv[3]), int(sys.argv[2])], e
END
}

@test "JSON has them, and standard output nothing else" {
	under --json -- sh -c 'mkdir a/x 2>/dev/null; cat secret/s 2>/dev/null; :'
	exits 0
	[ "$(wc -l <"$T/stdout")" -eq 1 ]
	python3 - "$T/stdout" "$W" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))["denials"]
w = sys.argv[2]
assert [list(x) for x in d] == 2 * [["op", "path", "call", "pid",
    "matched_rule", "layer", "rule_text", "source", "line", "column"]], d
assert (d[0]["op"], d[0]["path"], d[0]["call"]) == \
    ("modify", w + "/a/x", "mkdir"), d
assert (d[0]["matched_rule"], d[0]["layer"], d[0]["source"],
    d[0]["line"]) == ("a/**", "policy", "p.yaml", 9), d
assert (d[1]["op"], d[1]["path"]) == ("read", w + "/secret/s"), d
END
	complains 'cordon: 2 denials: '
	under --json --quiet -- mkdir a/x
	exits 1
	quiet
}

@test "JSON has so many, not more" {
	under --json --quiet -- /usr/bin/python3 -c 'import os
for i in range(9000):
    try: os.mkdir("a/%d" % i + "x" * 200)
    except PermissionError: pass'
	exits 0
	python3 - "$T/stdout" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))["denials"]
assert 1000 < len(d) < 9000, len(d)
END
	# The audit: those told one by one, and the rest by its rule.
	[ "$(kept | wc -l)" -gt 8192 ]
	grep -q '"denials":9000,"grouped":[1-9][0-9]*,"lost":0' "$AUDIT"
}

@test "the network: which word it was" {
	ask='import socket, sys
s = socket.socket()
try: s.connect((sys.argv[1], 9))
except PermissionError: print("refused")'
	under -- /usr/bin/python3 -c "$ask" 192.0.2.1
	[ "$output" = refused ]
	complains 'cordon: 1 denial: network '
	kept | grep -q '^net.denied connect connect 192.0.2.1:9 '
	cordon run --network loopback -- /usr/bin/python3 -c "$ask" 192.0.2.1
	complains '(--network)'
}

@test "what can be done about it" {
	cordon run -- sh -c ': >/tmp/cordon-$$'
	complains '  hint: use $TMPDIR, or --write /tmp'
	cordon run -- sh -c 'mkdir -p sub/.git'
	complains "--allow nested-git"
	mkdir -p .git/hooks
	cordon run -- sh -c ': >.git/hooks/x' # which that would not lift
	complains 'modify **/.git/hooks/** (<defaults>)'
	[[ $stderr != *hint* ]]
	cordon run --allow nested-git -- sh -c 'mkdir -p sub/.git'
	exits 0
}

@test "a failure that nobody was asked about: where to ask" {
	cordon run -- sh -c 'exit 7'
	exits 7
	[ "$(wc -l <"$T/stderr")" -eq 1 ]
	complains "the command ended with 7; if a path was refused, 'cordon check PATH' names the rule"
	complains "'cordon run --trace' at once"
	cordon run --quiet -- sh -c 'exit 7'
	quiet
	cordon run --trace -- sh -c 'exit 7'
	quiet
	cordon run -- sh -c 'exit 0'
	quiet
	under -- mkdir a/x # the broker told: once is enough
	[[ $stderr != *'names the rule'* ]]
	cordon run --json -- sh -c 'exit 7'
	quiet
	cordon run --timeout 50ms -- sleep 9
	[[ $stderr != *'names the rule'* ]]
}

@test "a network that is not there is told, too" {
	call='import socket
try: socket.socket(socket.AF_INET)
except OSError as e: print(e.errno)'
	cordon run -- /usr/bin/python3 -c "$call"
	exits 0
	prints 97
	complains '1 denial: network none (--network full allows it)'
	cordon run --network full -- /usr/bin/python3 -c "$call"
	exits 0
	quiet
}

# ----- Calls that no run may make ---------------------------------------------------

# calls: what the last run left of them, each once.
calls()
{
	python3 - "$XDG_STATE_HOME/cordon/audit.jsonl" <<'END'
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1])]
run = lines[-1]["run"]
print(*sorted({"%s:%d" % (e["call"], e["errno"]) for e in lines
    if e["run"] == run and e["kind"] == "call.denied"}))
END
}

@test "refused calls are recorded, and those that programs try are not shown" {
	under -- /usr/bin/python3 -c 'import ctypes, fcntl, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def refused(name, *args):
    assert getattr(libc, name)(*args) == -1 and ctypes.get_errno() == 1, name
refused("unshare", 0x10000000)
refused("unshare", 0x10000000)
refused("mount", None, b"/", None, 0, None)
refused("setns", 0, 0)
try: fcntl.ioctl(0, 0x5412, b"x")
except PermissionError: pass
else: sys.exit("TIOCSTI was not refused")'
	exits 0
	[ "$(calls)" = 'ioctl:1 mount:1 setns:1 unshare:1' ]
	complains 'mount'
	! grep -q unshare "$T/stderr"
}

@test "a program that only looks for namespaces is not told of" {
	under -- /usr/bin/python3 -c 'import ctypes
assert ctypes.CDLL(None).unshare(0x10000000) == -1'
	exits 0
	[ "$(calls)" = 'unshare:1' ]
	[ ! -s "$T/stderr" ]
}
