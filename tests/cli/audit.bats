#!/usr/bin/env bats
# Reading the audit.

load helper

prepare()
{
	AUDIT=$XDG_STATE_HOME/cordon/audit.jsonl
}

# Two runs: one with three denials, one that fails.
two_runs()
{
	cordon run --quiet -- sh -c \
	    'mkdir .vscode; mkdir .vscode; touch .envrc; :'
	exits 0
	cordon run --quiet -- sh -c 'exit 3'
	exits 3
	FIRST=$(sed -n 's/.*"run":"\([0-9a-f]*\)".*/\1/p' "$AUDIT" | head -n 1)
	SECOND=$(sed -n 's/.*"run":"\([0-9a-f]*\)".*/\1/p' "$AUDIT" | tail -n 1)
}

@test "before the first run there is nothing, and that is no failure" {
	for command in list verify; do
		cordon audit $command
		exits 0
		complains 'nothing was recorded yet'
		[ -z "$output" ]
	done
	cordon audit list elsewhere.jsonl
	exits 2
	complains "there is no audit file 'elsewhere.jsonl'"
}

@test "list: one line per run" {
	two_runs
	cordon audit list
	exits 0
	quiet
	[ "$(wc -l <"$T/stdout")" -eq 2 ]
	grep -qE "^$FIRST  20[0-9T:.-]*Z  exit 0 +3 denied  sh -c 'mkdir .vscode; " \
	    "$T/stdout"
	grep -qE "^$SECOND  20[0-9T:.-]*Z  exit 3 +0 denied  sh -c 'exit 3'\$" \
	    "$T/stdout"
}

@test "list --json" {
	two_runs
	cordon audit list --json
	exits 0
	tail -n 1 "$T/stdout" >"$T/last"
	mv "$T/last" "$T/stdout"
	[ "$(json run)" = "\"$SECOND\"" ]
	[ "$(json exit_code)" = 3 ]
	[ "$(json denials)" = 0 ]
	[ "$(json command)" = "\"sh -c 'exit 3'\"" ]
	[ "$(json workspace)" = "\"$W\"" ]
	[ "$(json refused)" = null ]
	[ "$(json enforced)" = true ]
}

@test "list: what was refused, and what has no end" {
	cordon run -- no-such-program
	exits 127
	cordon audit list
	prints '  refused  '
	prints '  no-such-program'
	two_runs
	sed -i '$d' "$AUDIT" # as if killed before its end
	rm "$AUDIT.head"
	cordon audit list "$AUDIT"
	prints "$SECOND"
	prints '  no end  '
}

@test "show: the run, its events, its denials by rule and path" {
	two_runs
	cordon audit show "$FIRST"
	exits 0
	quiet
	prints "run       $FIRST, exit 0"
	prints "workspace $W"
	prints 'enforced  all of it'
	[ "$(grep -c ' \* denied modify ' "$T/stdout")" -eq 3 ]
	prints "denied modify $W/.vscode by .vscode/** (<defaults>), mkdir of process "
	prints_line '       2  modify .vscode/**  (<defaults>)'
	prints_line '       1  modify .envrc  (<defaults>)'
	prints_line "       2  modify $W/.vscode"
	lacks "$SECOND"
	cordon audit show "${FIRST%????????}" # its beginning
	exits 0
	prints "run       $FIRST"
}

@test "show --json: its lines as they are" {
	two_runs
	cordon audit show --json "$FIRST"
	exits 0
	grep "\"run\":\"$FIRST\"" "$AUDIT" | cmp - "$T/stdout"
	cordon audit show --json --kind run "$FIRST"
	[ "$(wc -l <"$T/stdout")" -eq 2 ]
}

@test "show: no such run, or too many" {
	two_runs
	cordon audit show zz
	exits 2
	complains "there is no run 'zz'"
	cordon audit show ''
	exits 2
	complains "2 runs begin with ''"
}

@test "grep: in every value, as it is; 1 when there is none" {
	two_runs
	cordon audit grep .vscode/
	exits 0
	[ "$(wc -l <"$T/stdout")" -eq 2 ]
	cordon audit grep --kind run.start vscode
	exits 0
	[ "$(wc -l <"$T/stdout")" -eq 1 ]
	prints "$FIRST"
	cordon audit grep --run "$SECOND" vscode
	exits 1
	[ -z "$output" ]
	cordon audit grep 'v.code'
	exits 1
	cordon audit grep --json .envrc
	grep -q '^{"schema":1,"seq":' "$T/stdout"
}

@test "names cannot drive the terminal" {
	# shellcheck disable=SC2016 # for the inner shell
	cordon run --quiet -- sh -c \
	    'mkdir "$(printf ".vscode/\033[31mx\nforged")" .vscode; :'
	cordon audit show "$(sed -n 's/.*"run":"\([0-9a-f]*\)".*/\1/p' \
	    "$AUDIT" | head -n 1)"
	exits 0
	lacks "$(printf '\033')"
	grep -q '^forged' "$T/stdout" && return 1
	cordon audit list
	lacks "$(printf '\033')"
}

@test "tail: the last ten, and those that come" {
	for _ in 1 2 3 4 5 6; do cordon run -- true; done
	cordon audit tail
	exits 0
	[ "$(wc -l <"$T/stdout")" -eq 10 ]
	"$CORDON" audit tail -f >"$T/followed" &
	pid=$!
	for _ in $(seq 1200); do
		[ "$(wc -l <"$T/followed")" -lt 10 ] || break
		sleep 0.1
	done
	cordon run -- sh -c 'exit 7'
	for _ in $(seq 1200); do
		if grep -q 'ended with 7' "$T/followed"; then break; fi
		sleep 0.1
	done
	kill "$pid"
	wait "$pid" || true
	grep -q 'ended with 7' "$T/followed"
	[ "$(wc -l <"$T/followed")" -eq 12 ]
}

@test "tail -f follows when the file is put away" {
	cordon run -- true
	"$CORDON" audit tail --follow >"$T/followed" &
	pid=$!
	for _ in $(seq 1200); do
		[ "$(wc -l <"$T/followed")" -lt 2 ] || break
		sleep 0.1
	done
	mv "$AUDIT" "$AUDIT.1"
	cordon run -- sh -c 'exit 7'
	exits 7
	for _ in $(seq 1200); do
		if grep -q 'ended with 7' "$T/followed"; then break; fi
		sleep 0.1
	done
	kill "$pid"
	wait "$pid" || true
	[ "$(wc -l <"$T/followed")" -eq 4 ]
	cordon audit verify
	exits 0
	prints 'intact: 4 lines (1 to 4) in 2 files'
}

@test "verify: intact, and what is said when it is not" {
	two_runs
	cordon audit verify
	exits 0
	quiet
	prints_line 'intact: 7 lines (1 to 7) in 1 file'
	cp "$AUDIT" "$T/good"

	sed -i '2s/modify/MODIFY/' "$AUDIT"
	cordon audit verify
	exits 1
	prints "$AUDIT:3:1: error: the line before this one is not what it was"
	prints 'NOT intact: '

	sed 3d "$T/good" >"$AUDIT"
	cordon audit verify
	exits 1
	prints "$AUDIT:3:1: error: lines 3 to 3 are missing"

	sed '3{h;d};4{G}' "$T/good" >"$AUDIT"
	cordon audit verify
	exits 1
	prints 'they were put in another order'

	sed '$d' "$T/good" >"$AUDIT"
	cordon audit verify
	exits 1
	prints 'the end was cut off: lines 7 to 7 are missing'
	cordon audit verify --json
	exits 1
	grep -q '"id":"A005"' "$T/stdout"
	tail -n 1 "$T/stdout" | grep -q '"intact":false'

	head -c -9 "$T/good" >"$AUDIT"
	cordon audit verify
	exits 1

	cp "$T/good" "$AUDIT" # the control
	cordon audit verify
	exits 0
}

@test "verify: a copy without its head is checked from the inside only" {
	two_runs
	sed '$d' "$AUDIT" >"$T/copy.jsonl"
	cordon audit verify "$T/copy.jsonl"
	exits 0
	prints 'no head: checked from the inside only'
	sed -i 3d "$T/copy.jsonl"
	cordon audit verify "$T/copy.jsonl"
	exits 1
	rm "$AUDIT.head" # but the user's own must have one
	cordon audit verify
	exits 1
	prints 'its head is missing'
}

@test "half a line of a killed writer is told by the next one" {
	two_runs
	printf '{"schema":1,"seq":8,"pr' >>"$AUDIT"
	cordon audit verify
	exits 0
	prints 'warning: 23 bytes of a line: its writer was killed'
	cordon run -- true
	exits 0
	cordon audit verify
	exits 0
	quiet
	lacks warning
	cordon audit grep --kind audit.torn ''
	exits 0
	prints 'a writer was killed: of its event 23 bytes are left: {"schema":1,"seq":8,"pr'
}

@test "export: the lines as they are, or for OpenTelemetry" {
	two_runs
	cordon audit export
	exits 0
	cmp "$AUDIT" "$T/stdout"
	cordon audit export --format otel
	exits 0
	python3 - "$T/stdout" "$AUDIT" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
events = [json.loads(line) for line in open(sys.argv[2])]
assert len(lines) == len(events)
for line, event in zip(lines, events):
    resource, = line['resourceLogs']
    scope, = resource['scopeLogs']
    record, = scope['logRecords']
    assert record['eventName'] == event['kind']
    assert record['timeUnixNano'].isdigit()
    found = {a['key']: a['value'] for a in record['attributes']}
    assert found['cordon.run'] == {'stringValue': event['run']}
    if event['kind'] == 'fs.call.denied':
        assert found['file.path'] == {'stringValue': event['path']}
        assert found['process.pid'] == {'intValue': str(event['pid'])}
        assert record['severityNumber'] == 13
    else:
        assert record['severityNumber'] == 9
END
	cordon audit export --format xml
	exits 2
	echo rubbish >>"$AUDIT"
	cordon audit export
	exits 1
	complains 'this line is no event'
}

@test "the header of a run: policy, plan, what leaves no event" {
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
	cordon run --policy p.yaml --profile dev --read /opt --network none -- true
	exits 0
	python3 - "$AUDIT" "$(sha256sum <p.yaml | cut -d' ' -f1)" <<'END'
import json, sys
event = json.loads(open(sys.argv[1]).readline())
assert event['kind'] == 'run.start'
assert event['policy'] == [sys.argv[2]]
document, = event['documents']
assert document['layer'] == 'policy' and document['digest'] == sys.argv[2]
assert {'option': '--read', 'value': '/opt'} in event['grants']
assert {'option': '--network', 'value': 'none'} in event['grants']
report = event['report']
assert report['enforced'] is True and report['mode'] in 'ABC' or report['mode'] == 'none'
assert report['unrecorded']['read'] and report['unrecorded']['modify']
END
}

@test "the audit lies where the run can neither write nor read" {
	mkdir "$T/logs"
	cordon run --audit "$T/logs/a.jsonl" -- true
	exits 0
	cordon run --read "$T/logs" --audit "$T/logs/a.jsonl" -- true
	exits 125
	complains 'lies where the run may read'
	cordon run --write "$T/logs" --audit "$T/logs/a.jsonl" -- true
	exits 125
	complains 'lies where the run may write'
	cordon run -- cat "$AUDIT" "$AUDIT.head"
	[ "$status" -ne 0 ]
	[ -z "$output" ]
}

@test "report: one file, and what was written that the host would execute" {
	two_runs
	cordon run --quiet -- sh -c 'echo "{}" >package.json'
	cordon audit report -o r.html
	exits 0
	quiet
	[ -z "$output" ]
	grep -q '^<!doctype html>' r.html
	grep -qF "$W/package.json" r.html
	grep -qF '.vscode/**' r.html
	cordon audit report --run "$SECOND" --output one.html
	exits 0
	grep -qF "$SECOND" one.html
	grep -qF "$FIRST" one.html && return 1
	cordon audit report
	exits 2
	complains 'needs -o FILE.html'
	cordon audit report -o no/such/place.html
	exits 2
	complains "cannot write 'no/such/place.html'"
	ln -s "$T/target" link.html
	cordon audit report -o link.html
	exits 0
	[ ! -e "$T/target" ] # a link is replaced, not followed
}

# The value of a field of each event of a kind, in order.
each()
{
	python3 - "$AUDIT" "$1" "$2" <<'END'
import json, sys
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event['kind'] == sys.argv[2]:
        print(event[sys.argv[3]])
END
}

mixed()
{
	policy mixed.yaml <<END
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  unprotect: ["**"]
  $1
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
}

@test "what is allowed where cordon is asked is recorded, once" {
	mixed 'denyModify: ["locked/**"]'
	mkdir native
	cordon run --policy mixed.yaml --profile dev -- sh -c 'echo 1 >new
	    echo 2 >new; mv new old; echo 3 >native/x; echo 4 >"$TMPDIR/x"
	    mkdir old 2>/dev/null; cat old native/x'
	exits 0
	each fs.call.result path >"$T/paths"
	printf '%s\n' "$W/new" "$W/old" >"$T/want"
	diff "$T/want" "$T/paths" # writing into old is not told by mkdir
	[ "$(each fs.call.result op | sort -u)" = modify ]
	[ "$(each fs.call.result allowed | sort -u)" = True ]
	[ "$(each fs.call.result matched_rule | sort -u)" = '**' ]
	[ "$(each fs.call.result source | sort -u)" = mixed.yaml ]
	[ "$(each fs.call.result errno | sort -u)" = 0 ]
	[ "$(each run.end unrecorded)" = 0 ]
	[ "$(each run.end allowed)" -ge 4 ]
	each run.start report | grep -qF "$W/native"
	cordon audit verify
	exits 0
}

@test "reads too, where only cordon can tell them apart" {
	mixed 'denyRead: ["**/*.env"]'
	echo x >a
	echo y >b.env
	cordon run --policy mixed.yaml --profile dev --quiet -- sh -c \
	    'cat a; cat a; cat b.env; :'
	exits 0
	each fs.call.result path | grep -cxF "$W/a" | grep -qx 1
	each fs.call.result op | grep -qx exec
	each fs.call.result path | grep -F b.env && return 1
	[ "$(each fs.call.denied path)" = "$W/b.env" ]
	RUN=$(each run.start run)
	cordon audit show "$RUN"
	exits 0
	grep -q 'different accesses were allowed: --kind' "$T/stdout"
	grep -qF "allowed read $W/a" "$T/stdout" && return 1
	cordon audit show "$RUN" --kind fs.call.result
	grep -qF "allowed read $W/a by **" "$T/stdout"
}

@test "more than there is room for is counted" {
	mixed 'denyModify: ["locked/**"]'
	cordon run --policy mixed.yaml --profile dev --quiet -- sh -c \
	    'mkdir a && cd a && seq 9000 | xargs touch'
	exits 0
	lines=$(each fs.call.result path | wc -l)
	[ "$lines" -le 8192 ]
	[ "$(each run.end unrecorded)" -ge 800 ]
	[ "$(each run.end allowed)" -ge 9001 ]
	cordon audit verify
	exits 0
}

@test "the same denial a thousand times is a few lines, and counted" {
	cordon run --quiet -- sh -c 'i=0
	    while [ $i -lt 1000 ]; do true >.envrc; i=$((i + 1)); done 2>/dev/null'
	[ "$(each run.end denials)" = 1000 ]
	[ "$(each fs.call.denied path | wc -l)" -le 20 ]
	cordon audit list
	grep -q ' 1000 denied ' "$T/stdout"
	cordon audit show "$(each run.start run)"
	grep -qE '^ +1000  modify ' "$T/stdout"
}

@test "denials on ever new paths are a bounded log, and counted by rule" {
	mixed 'denyModify: ["locked/**"]'
	part=$(printf '%0250d' 0)
	deep=locked/$part/$part/$part/$part/$part/$part/$part/$part
	deep=$deep/$part/$part/$part/$part/$part/$part
	mkdir -p "$deep"
	cordon run --policy mixed.yaml --profile dev --quiet -- sh -c 'cd "$1"; i=0
	    while [ $i -lt 1000 ]; do i=$((i + 1)); true >f$i; done 2>/dev/null
	    true >../g 2>/dev/null; :' sh "$deep"
	exits 0
	[ "$(each run.end denials)" = 1001 ]
	[ "$(each run.end lost)" = 0 ]
	told=$(each fs.call.denied path | wc -l)
	grouped=$(each run.end grouped)
	say "$told lines, $grouped grouped"
	[ "$told" -le 620 ] # long paths count for more than one
	[ "$grouped" -ge 350 ]
	grep -c '"alike":"rule"' "$AUDIT" | grep -qx '[2-9]'
	grep '"alike":' "$AUDIT" | grep -v '"source":"mixed.yaml","line":[1-9]' && return 1
	cordon audit list
	grep -q ' 1001 denied ' "$T/stdout"
	cordon audit show "$(each run.start run)"
	grep -qE '^ +1001  modify locked/\*\*  \(mixed.yaml:' "$T/stdout"
	grep -qE "^ +$grouped  modify <many paths>" "$T/stdout"
	cordon audit verify
	exits 0
}

@test "a program that nobody may look at is refused, and that is told" {
	cp /bin/mkdir tool
	cordon run --quiet -- ./tool control
	exits 0
	chmod 111 tool
	cordon run -- ./tool hidden
	exits 1
	complains '1 denial: mkdir <not dumpable> (<floor>)'
	[ -d control ] && [ ! -e hidden ]
	[ "$(each call.denied call)" = mkdir ]
	[ "$(each call.denied path)" = '<unknown>' ]
	[ "$(each call.denied errno)" = 1 ]
	cordon audit show "$(each run.start run | tail -n 1)"
	grep -q 'denied a call on <unknown> by <not dumpable>' "$T/stdout"
}

@test "a denial by the network names the word that said so, and its line" {
	cat >connect.py <<'END'
import socket
try: socket.create_connection(("192.0.2.1", 9), 1)
except OSError: pass
END
	place() { # source:line of the last
		grep '"kind":"net.denied"' "$AUDIT" | tail -n 1 | sed \
		    's/.*"rule_text":\(.*\),"source":\(.*\),"line":\([0-9a-z]*\),.*/\1 \2:\3/'
	}
	cordon run --quiet -- /usr/bin/python3 connect.py
	[ "$(place)" = '"none" "<preset workspace>":null' ]
	cordon run --quiet --network loopback -- /usr/bin/python3 connect.py
	[ "$(place)" = '"loopback" "<command line>":null' ]
	cordon run --quiet --network 192.0.2.7 -- /usr/bin/python3 connect.py
	[ "$(place)" = 'null "<command line>":null' ]
	for word in none loopback '[192.0.2.7]'; do
		policy net.yaml <<END
schemaVersion: 2
kind: Policy
metadata: {name: net}
spec:
  fsProfiles:
    dev:
      read: ["./**"]
      network: $word
END
		cordon run --quiet --policy net.yaml --profile dev -- \
		    /usr/bin/python3 connect.py
		case $word in
		\[*) want=null ;;
		*) want="\"$word\"" ;;
		esac
		[ "$(place)" = "$want \"net.yaml\":8" ]
		cordon check --policy net.yaml --profile dev --op connect \
		    192.0.2.1:9
		exits 3
		prints 'net.yaml:8:'
	done
}

@test "the report has what was written, and what a moved directory holds" {
	mixed 'denyModify: ["locked/**"]'
	mkdir old
	echo '#!/bin/sh' >old/before
	chmod +x old/before
	cordon run --policy mixed.yaml --profile dev --quiet -- sh -c \
	    'mv old moved; echo >plain; echo "#!/bin/sh" >tool; chmod +x tool'
	exits 0
	cordon audit report -o r.html
	exits 0
	sed '/<h2>Runs/,$d' r.html >handed
	grep -qF "$W/moved/before" handed
	grep -qF "$W/tool" handed
	grep -qF "$W/plain" handed && return 1
	grep -qF "$W/plain" r.html
}

@test "a letter is an option only where it is one" {
	cordon audit list -f
	exits 2
	complains "unknown option '-f'"
	cordon audit export -o
	exits 2
}
