#!/bin/bash
# The examples do what their comments say, and stay short.
#
#	examples.sh BUILD/examples/example-{check,run,agent-tools}
set -u

check=$(realpath "$1")
run=$(realpath "$2")
tools=$(realpath "$3")
cd "$CORDON_SOURCE/examples" || exit 1
points=0
failures=0

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

# says STATUS EXPECTED ARGUMENT...: exit status and all of stdout.
says()
{
	local want_status=$1 want=$2 got status
	shift 2
	got=$("$check" "$@" 2>/dev/null)
	status=$?
	[ "$status" = "$want_status" ] && [ "$got" = "$want" ]
	ok $? "check $*"
	[ "$got" = "$want" ] || printf '%s\n' "$got" | sed 's/^/# got /'
}

says 0 'allow  src/main.c  **  policy.yaml:15' \
    policy.yaml implementer src/main.c
says 3 'allow  src/main.c  **  policy.yaml:15
deny   prod.env  **/*.env  policy.yaml:10
deny   docs/secret/plan  docs/secret/**  policy.yaml:15
allow  docs/secret/README.md  docs/secret/README.md  policy.yaml:15' \
    policy.yaml implementer src/main.c prod.env docs/secret/plan \
    docs/secret/README.md
says 3 'deny   Makefile  <no matching rule>' policy.yaml reviewer Makefile
says 2 '' policy.yaml nobody src/main.c
says 2 '' missing.yaml implementer src/main.c
says 2 '' policy.yaml implementer ../up
says 2 ''

"$check" policy.yaml nobody a 2>&1 |
    grep -q "^check: policy.yaml:6: policy 'example' does not define"
ok $? 'an error says where and what'

[ "$(wc -l <check.c)" -lt 60 ]
ok $? 'check.c fits on a page'
[ "$(grep -c '^#include' check.c)" -eq 3 ] &&
    grep -q '^#include <cordon/cordon.h>' check.c
ok $? 'check.c needs cordon.h alone'

# A home and a workspace of its own: it writes to both.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/home" "$stage/work"
export HOME="$stage/home"
unset XDG_STATE_HOME XDG_CONFIG_HOME
example=$PWD
cd "$stage/work" || exit 1
"$run" sh -c 'echo inside >file; exit 7' 2>"$stage/err"
[ $? -eq 7 ] && [ "$(cat file)" = inside ] &&
    grep -q '^run: ended with 7 after' "$stage/err"
ok $? 'run starts a command and says how it ended'
echo mine >"$HOME/notes"
"$run" sh -c "echo changed >'$HOME/notes'" 2>/dev/null
[ "$(cat "$HOME/notes")" = mine ]
ok $? 'inside the boundary'
"$run" no-such-program 2>/dev/null
[ $? -eq 125 ]
ok $? 'run says when nothing was started'
[ "$(wc -l <"$example/run.c")" -lt 65 ] &&
    grep -q '^#include <cordon/cordon.h>' "$example/run.c"
ok $? 'run.c fits on a page'

cat >"$stage/calls" <<'END'
write_text {"path":"notes.md","content":"hello\n"}
shell {"command":"wc -c <notes.md"}
read_text {"path":"/etc/passwd"}
END
"$tools" <"$stage/calls" >"$stage/answers" 2>"$stage/told" &&
    [ "$(wc -l <"$stage/answers")" -eq 3 ] &&
    grep -q '"stdout":"6\\n"' "$stage/answers" &&
    grep -q '"code":"outside"' "$stage/answers" &&
    [ "$(cat notes.md)" = hello ] && grep -q '^grep: ' "$stage/told"
ok $? 'agent_tools answers a model that is not there'
printf 'name: w\ntool_rules: {shell: {approval_required: true}}\n' \
    >"$stage/worker.yaml"
echo 'shell {"command":"touch made"}' |
    setsid "$tools" "$stage/worker.yaml" 2>/dev/null |
    grep -q '"code":"approval"' && [ ! -e made ]
ok $? 'and runs nothing that nobody approved'
[ "$(wc -l <"$example/agent_tools.c")" -lt 120 ] &&
    grep -q '^#include <cordon/cordon.h>' "$example/agent_tools.c"
ok $? 'agent_tools.c fits on two pages'

echo "1..$points"
[ "$failures" -eq 0 ]
