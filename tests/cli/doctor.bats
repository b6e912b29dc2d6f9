#!/usr/bin/env bats
# cordon doctor: what this machine can enforce.  cordon-test believes what
# CORDON_TEST_HOST says of the host; the command that is installed does not.

load helper

# Everything there is; a test takes something away behind it.
ALL=landlock_abi=7,landlock_error=0,landlock_layers=0,seccomp_filter=1
ALL=$ALL,seccomp_filtered=0,seccomp_notify=1,notify_wait_killable=1
ALL=$ALL,notify_taken=0,userns=1,userns_restricted=0,yama_scope=0
ALL=$ALL,cgroup_delegated=1,bwrap=2,container=0

# inside COMMAND...: what it prints is what is judged.
inside()
{
	status=0
	"$@" >"$T/stdout" 2>"$T/stderr" || status=$?
	output=$(cat "$T/stdout")
	# shellcheck disable=SC2034 # for complains
	stderr=$(cat "$T/stderr")
}

# on HOST ARG...: doctor on such a host.
on()
{
	: "${CORDON_TEST:?set CORDON_TEST to the command built for tests}"
	inside env CORDON_TEST_HOST="$ALL${1:+,$1}" "$CORDON_TEST" doctor "${@:2}"
}

# enforces ID: what is enforced, and the severity of that finding.
enforces()
{
	python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
found = [f["severity"] for f in o["findings"] if f["id"] == sys.argv[2]]
print(o["enforces"], *found)' "$T/stdout" "$1"
}

# finding ID: its severity, or nothing.
finding()
{
	python3 -c 'import json, sys
for f in json.load(open(sys.argv[1]))["findings"]:
    assert list(f) == ["id", "severity", "text", "remedy"], f
    if f["id"] == sys.argv[2]:
        print(f["severity"])' "$T/stdout" "$1"
}

@test "this machine, as text and as JSON" {
	cordon doctor
	[ "$status" -eq 0 ] || exits 1
	quiet
	grep -qE '^kernel     [0-9]+\.[0-9]+$' "$T/stdout"
	enforces=$(sed -n 's/^enforces   //p' "$T/stdout")
	! grep -qE '^.{81}' "$T/stdout" || { say 'too wide'; return 1; }
	text=$status
	cordon doctor --json
	[ "$status" -eq "$text" ]
	quiet
	[ "$(json enforces)" = "\"$enforces\"" ]
	[ "$(wc -l <"$T/stdout")" -eq 1 ]
}

@test "JSON has these keys and no others" {
	on '' --json
	python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
want = ["schema", "landlock_abi", "seccomp_notify", "userns", "bwrap",
        "cgroup", "enforces", "findings"]
assert list(o) == want, list(o)
assert o["landlock_abi"] == 7 and o["seccomp_notify"] is True
assert o["userns"] is True and o["cgroup"] is True
assert o["bwrap"] == "usable"' "$T/stdout"
}

@test "a host that has everything holds everything" {
	on '' --json
	exits 0
	[ "$(json enforces)" = '"required"' ]
	[ "$(finding landlock)" = ok ]
	[ "$(finding seccomp)" = ok ]
}

@test "without a listener it is degraded at best, and says so" {
	on seccomp_notify=0 --json
	exits 1
	[ "$(json enforces)" = '"degraded"' ]
	[ "$(finding listener)" = warning ]
	[ "$(finding landlock)" = ok ]
}

@test "without Landlock nothing is enforced, for a reason" {
	while read -r facts id; do
		on "$facts" --json
		exits 1
		[ "$(enforces "$id")" = 'none error' ] ||
		    { say "$facts $id"; return 1; }
	done <<END
landlock_abi=0,landlock_error=38 landlock-kernel
landlock_abi=0,landlock_error=95 landlock-boot
landlock_abi=0,landlock_error=38,container=1 landlock-container
landlock_abi=0,landlock_error=1,seccomp_filtered=1 landlock-hidden
landlock_layers=16 landlock-layers
END
	on landlock_abi=0,landlock_error=95
	prints 'lsm='
	grep -qE '^error    landlock-boot       this kernel' "$T/stdout"
	grep -qE '^enforces   none$' "$T/stdout"
}

@test "what is lost, and what only could be nicer" {
	while read -r facts id enforces severity; do
		on "$facts" --json
		[ "$(enforces "$id")" = "$enforces $severity" ] ||
		    { say "$facts $id"; return 1; }
	done <<END
landlock_abi=5 landlock-old required note
landlock_abi=2 landlock-old required note
landlock_abi=1 landlock-abi-2 required note
landlock_abi=5,seccomp_notify=0 landlock-abi-6 degraded warning
landlock_abi=2,seccomp_notify=0 landlock-abi-3 degraded warning
landlock_abi=4,seccomp_filter=0,seccomp_notify=0 landlock-abi-5 degraded warning
seccomp_filter=0,seccomp_notify=0 seccomp degraded warning
seccomp_notify=0 listener degraded warning
seccomp_notify=0,notify_taken=1,seccomp_filtered=1 listener-taken degraded warning
yama_scope=2 yama degraded warning
seccomp_filtered=1 nested required note
landlock_layers=1 nested required note
container=1 container required note
userns=0 userns required note
userns=0,userns_restricted=1 userns-apparmor required note
bwrap=0 bwrap-missing required note
bwrap=1 bwrap-broken required note
cgroup_delegated=0 cgroup required note
END
}

@test "inside of a namespace without namespaces" {
	unshare -Ur true 2>/dev/null || skip 'no user namespaces here'
	# shellcheck disable=SC2016 # expanded by the inner shell
	inside unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces &&
	    exec "$0" doctor --json' "$CORDON"
	exits 0
	[ "$(json enforces)" = '"required"' ]
	[ "$(json userns)" = false ]
	[ -n "$(finding userns)$(finding userns-apparmor)" ]
}

@test "inside of a run it sees the run" {
	cordon doctor --json
	[ "$(json enforces)" != '"none"' ] || skip 'nothing is enforced here'
	if [ "$(finding nested)" = note ]; then
		skip 'inside of a sandbox already'
	fi
	inside "$CORDON" run --quiet --read "$(dirname "$CORDON")" -- \
	    "$CORDON" doctor --json
	exits 1
	[ "$(finding nested)" = note ]
	[ "$(finding landlock-hidden)" = error ]
	[ "$(json userns)" = false ]
}

@test "no variable changes what the installed command sees" {
	cordon doctor --json
	before=$output
	export CORDON_TEST_HOST=landlock_abi=0,seccomp_notify=0,userns=0
	cordon doctor --json
	[ "$output" = "$before" ]
	! grep -q CORDON_TEST_HOST "$CORDON" || { say 'it knows it'; return 1; }
	grep -q CORDON_TEST_HOST "$CORDON_TEST" # the control
}

@test "--floor lists what is out of reach" {
	cordon doctor --floor
	exits 0
	quiet
	grep -qE '^~/\.ssh +read, modify +[A-Za-z]' "$T/stdout"
	grep -qE '^/usr +modify +[A-Za-z]' "$T/stdout"
	count=$(wc -l <"$T/stdout")
	cordon doctor --floor --json
	exits 0
	[ "$(wc -l <"$T/stdout")" -eq "$count" ]
	python3 -c 'import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert all(list(r) == ["schema", "path", "read", "why"] for r in rows)
assert any(r["path"] == "~/.ssh" and r["read"] for r in rows)' "$T/stdout"
}

@test "colour only on a terminal" {
	unset NO_COLOR
	export TERM=xterm
	cordon doctor
	lacks "$(printf '\033')"
	command -v script >/dev/null || skip 'no script(1)'
	script -qec "$CORDON doctor" /dev/null </dev/null >"$T/stdout" || :
	grep -q "$(printf '\033')" "$T/stdout"
	export NO_COLOR=1
	script -qec "$CORDON doctor" /dev/null </dev/null >"$T/stdout" || :
	output=$(cat "$T/stdout")
	lacks "$(printf '\033')"
}

@test "wrong usage" {
	cordon doctor x
	exits 2
	complains 'one argument too many'
	cordon doctor --policy x
	exits 2
}

# ----- Agents -------------------------------------------------------------------

# installed NAME: an agent of that name is on PATH from now on.
installed()
{
	mkdir -p "$T/bin"
	printf '#!/bin/sh\n' >"$T/bin/$1"
	chmod +x "$T/bin/$1"
	PATH=$T/bin:$PATH
}

@test "an agent's own sandbox that would fail in a run" {
	on '' --json
	[ "$(finding inner-sandbox-codex)" = '' ]
	before=$(enforces landlock)
	installed codex
	installed claude
	on '' --json
	[ "$(finding inner-sandbox-codex)" = note ]
	[ "$(finding inner-sandbox-claude)" = '' ]
	prints "start it with '--sandbox danger-full-access'"
	[ "$(enforces landlock)" = "$before" ]
	on ''
	prints "codex's own sandbox cannot work inside a run"
	mkdir -p "$HOME/.codex" "$HOME/.claude"
	echo 'sandbox_mode = "danger-full-access"' >"$HOME/.codex/config.toml"
	echo '{"sandbox":{"enabled":true}}' >"$HOME/.claude/settings.json"
	on '' --json
	[ "$(finding inner-sandbox-codex)" = '' ]
	[ "$(finding inner-sandbox-claude)" = note ]
	echo '{"sandbox":{"enabled":false}}' >"$HOME/.claude/settings.json"
	on '' --json
	[ "$(finding inner-sandbox-claude)" = '' ]
	# of the project, and where a variable says
	mkdir .claude
	echo '{"sandbox":{"enabled":true}}' >.claude/settings.local.json
	on '' --json
	[ "$(finding inner-sandbox-claude)" = note ]
	rm .claude/settings.local.json
	mkdir "$T/there"
	echo '{"sandbox":{"enabled":true}}' >"$T/there/settings.json"
	CLAUDE_CONFIG_DIR=$T/there on '' --json
	[ "$(finding inner-sandbox-claude)" = note ]
}

@test "servers of opencode without the guard" {
	file=$HOME/.config/opencode/opencode.json
	mkdir -p "${file%/*}"
	echo '{"mcp":{"a":{"type":"local","command":["node","a.js"]}}}' >"$file"
	cp "$file" "$T/before"
	unset XDG_CONFIG_HOME
	on '' --json
	[ "$(finding mcp-unguarded)" = note ]
	prints "cordon mcp wrap $file"
	cordon mcp wrap "$file"
	exits 0
	cordon doctor --json
	[ "$(finding mcp-unguarded)" = '' ]
	cordon mcp wrap --undo "$file"
	exits 0
	cmp "$file" "$T/before"
	rm "$file"
	cp "$T/before" opencode.json
	cordon doctor --json
	[ "$(finding mcp-unguarded)" = note ]
	prints 'cordon mcp wrap opencode.json'
}

@test "agents that are installed, and their servers without the guard" {
	on '' --json
	[ "$(finding mcp-unguarded)" = '' ]
	before=$(enforces landlock)
	mkdir -p "$T/bin" "$HOME/.gemini"
	printf '#!/bin/sh\n' >"$T/bin/gemini"
	chmod +x "$T/bin/gemini"
	echo '{"mcpServers":{"a":{"command":"node","args":["a.js"]}}}' \
	    >"$HOME/.gemini/settings.json"
	PATH=$T/bin:$PATH on '' --json
	[ "$(finding agent-gemini)" = ok ]
	[ "$(finding mcp-unguarded)" = note ]
	prints "cordon mcp wrap $HOME/.gemini/settings.json"
	[ "$(enforces landlock)" = "$before" ]
	cordon mcp wrap "$HOME/.gemini/settings.json"
	exits 0
	cordon doctor --json
	[ "$(finding mcp-unguarded)" = '' ]
	echo '{"mcpServers":{' >"$HOME/.gemini/settings.json"
	on ''
	exits 0
}

@test "git that takes any directory for a repository is a note with a remedy" {
	export GIT_CONFIG_NOSYSTEM=1
	cordon doctor --json
	prints 'git config --global safe.bareRepository explicit'
	git config --global safe.bareRepository explicit
	cordon doctor --json
	lacks 'safe.bareRepository'
	git config --global safe.bareRepository all
	cordon doctor --json
	prints 'git-bare-repository'
	rm "$HOME/.gitconfig"
	mkdir -p "$XDG_CONFIG_HOME/git"
	git config -f "$XDG_CONFIG_HOME/git/config" safe.bareRepository explicit
	cordon doctor --json
	lacks 'git-bare-repository'
	cordon run -- true
	exits 0
}

@test "the advice about safe.bareRepository holds with this git" {
	export GIT_CONFIG_NOSYSTEM=1
	git init -q -b main .
	git init -q --bare inner
	cat >inner/config <<-END
		[core]
			repositoryformatversion = 0
			bare = false
			worktree = $W
			fsmonitor = "touch $T/executed; :"
		[safe]
			bareRepository = all
	END
	(cd inner && git status) >/dev/null 2>&1
	[ -e "$T/executed" ] # the control: without it, git executes it
	rm "$T/executed"
	git config --global safe.bareRepository explicit
	! (cd inner && git status) >/dev/null 2>&1
	[ ! -e "$T/executed" ]
	# What goes on working.
	git init -q --bare -b main "$T/bare.git"
	git -c user.name=a -c user.email=a@example.invalid commit -q \
	    --allow-empty -m a
	git push -q "$T/bare.git" main
	git clone -q "$T/bare.git" "$T/clone"
	git --git-dir="$T/bare.git" rev-parse -q main
	git worktree add -q "$T/tree"
	(cd "$T/tree" && git status -s)
	git -c protocol.file.allow=always submodule --quiet add "$T/bare.git" m
	(cd m && git status -s)
}
