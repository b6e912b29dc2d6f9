#!/usr/bin/env bats
# cordon run --agent: what an agent finds, may change, and may not.  Programs
# with the names of agents, which do as they are told; the real ones are
# tests/agents.

load helper

prepare()
{
	mkdir "$T/bin"
	for name in claude codex gemini opencode other; do
		printf '#!/bin/sh\neval "$1"\n' >"$T/bin/$name"
	done
	chmod +x "$T"/bin/*
	export PATH="$T/bin:$PATH"
	AUDIT=$XDG_STATE_HOME/cordon/audit.jsonl
}

# as AGENT SCRIPT [OPTION...]: runs the script as that agent.
as()
{
	local agent=$1 script=$2
	shift 2
	cordon run "$@" -- "$agent" "$script"
}

# events KIND KEY: of each event of that kind, the key.
events()
{
	python3 -c 'import json, sys
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event["kind"] == sys.argv[2]:
        print(event[sys.argv[3]])' "$AUDIT" "$1" "$2"
}

state_of()
{
	case $1 in
	opencode) echo .local/share/opencode ;;
	*) echo ".$1" ;;
	esac
}

AGENTS='claude codex gemini opencode'

@test "the state of a run is kept in its home, and not in the real one" {
	for agent in $AGENTS; do
		dir=$(state_of "$agent")
		as "$agent" "mkdir ~/$dir/sessions && echo 1 >~/$dir/sessions/a"
		exits 0
		[ "$(stat -c %a "$HOME/$dir")" = 700 ]
		[ ! -e "$HOME/$dir/sessions" ]
		as "$agent" "cat ~/$dir/sessions/a; echo 2 >>~/$dir/sessions/a"
		exits 0
		prints 1
		as "$agent" "wc -l <~/$dir/sessions/a"
		prints 2
	done
}

# What an attacker would write in the state, by agent.
targets()
{
	case $1 in
	claude) echo chrome/chrome-native-host settings.json hooks/a CLAUDE.md \
	    projects/x/memory/MEMORY.md shell-snapshots/s.sh plugins/p/h.json \
	    plugins/store/s.json ide/1.lock projects/x/t.jsonl .config.json \
	    statsig/x ;;
	codex) echo config.toml .tmp/plugins/p policy/default.codexpolicy \
	    rules/default.rules skills/s/SKILL.md sessions/x.jsonl \
	    state_5.sqlite version.json ;;
	gemini) echo history/p/.git/config antigravity/mcp_config.json \
	    trusted_hooks.json trustedFolders.json settings.json tmp/bin/rg \
	    policies/auto-saved.toml tmp/p/chats/x extensions/e/x.json ;;
	opencode) echo snapshot/p/config bin/rg storage/x opencode.db \
	    log/x ;;
	esac
}

@test "a run rewrites nothing of what the host's agent executes" {
	for agent in $AGENTS; do
		dir=$(state_of "$agent")
		for file in $(targets "$agent"); do
			mkdir -p "$(dirname "$HOME/$dir/$file")"
			echo mine >"$HOME/$dir/$file"
		done
		(cd "$HOME/$dir" && find . -type f -exec sha256sum {} + | sort) >"$T/before"
		for options in "" "--home host" "--preset protect" "--write $HOME/$dir"; do
			# shellcheck disable=SC2086
			as "$agent" "for d in $HOME/$dir ~/$dir; do
			    for f in $(targets "$agent" | tr '\n' ' ') new.sh; do
				mkdir -p \$d/\$(dirname \$f)
				echo theirs >\$d/\$f
				rm -f \$d/\$f
				mv \$d/\$(dirname \$f) \$d/moved
				ln -s /etc \$d/link
			    done; done 2>/dev/null
			    mv $HOME/$dir $HOME/$dir-2 2>/dev/null; true" $options
			exits 0
			(cd "$HOME/$dir" && find . -type f -exec sha256sum {} + | sort) >"$T/after"
			diff "$T/before" "$T/after"
			[ ! -e "$HOME/$dir/new.sh" ]
			[ ! -L "$HOME/$dir/link" ]
		done
	done
	# Control: the same commands do it where nothing holds.
	as claude "echo theirs >$HOME/.claude/chrome/chrome-native-host" --no-sandbox
	[ "$(cat "$HOME/.claude/chrome/chrome-native-host")" = theirs ]
}

@test "transcripts of others and the tokens of editors are not read" {
	mkdir -p "$HOME/.claude/projects/-other" "$HOME/.claude/ide"
	echo secret >"$HOME/.claude/projects/-other/a.jsonl"
	echo secret >"$HOME/.claude/ide/1.lock"
	echo secret >"$HOME/.claude/history.jsonl"
	echo fine >"$HOME/.claude/CLAUDE.md"
	for options in "" "--home host" "--preset protect" "--read $HOME/.claude"; do
		# shellcheck disable=SC2086
		as claude "cat $HOME/.claude/CLAUDE.md; find ~/.claude $HOME/.claude -type f
		    cat $HOME/.claude/projects/-other/a.jsonl \
			$HOME/.claude/ide/1.lock $HOME/.claude/history.jsonl
		    cat ~/.claude/projects/-other/a.jsonl; true" $options
		prints fine
		lacks secret
	done
}

@test "a file that the agent rewrites is a copy, and follows the real one" {
	mkdir "$HOME/.codex"
	echo 'a = 1' >"$HOME/.codex/config.toml"
	as codex 'cat ~/.codex/config.toml; echo "b = 2" >>~/.codex/config.toml'
	[ "$output" = 'a = 1' ]
	[ "$(cat "$HOME/.codex/config.toml")" = 'a = 1' ]
	as codex 'cat ~/.codex/config.toml'
	[ "$output" = "$(printf 'a = 1\nb = 2')" ]
	echo 'a = 3' >"$HOME/.codex/config.toml"
	as codex 'cat ~/.codex/config.toml ~/.codex/config.toml.cordon-old'
	[ "$output" = "$(printf 'a = 3\na = 1\nb = 2')" ]
}

@test "what was in the way of a link is put aside" {
	as claude 'mkdir ~/.claude/skills && echo old >~/.claude/skills/a'
	exits 0
	mkdir -p "$HOME/.claude/skills"
	echo new >"$HOME/.claude/skills/a"
	as claude 'cat ~/.claude/skills/a ~/.claude/skills.cordon-old/a'
	exits 0
	[ "$output" = "$(printf 'new\nold')" ]
}

@test "what the agent executes or obeys is read, as it is now" {
	for agent in $AGENTS; do
		dir=$(state_of "$agent")
		mkdir -p "$HOME/$dir/hooks" "$HOME/$dir/agents"
		for file in settings.json hooks/a AGENTS.md agents/b; do
			echo mine >"$HOME/$dir/$file"
		done
		as "$agent" "cat ~/$dir/settings.json ~/$dir/hooks/a
		    echo data >~/$dir/data && cat ~/$dir/data
		    rm ~/$dir/hooks; mkdir ~/$dir/hooks; echo theirs >~/$dir/hooks/a"
		exits 0
		[ "$output" = "$(printf 'mine\nmine\ndata')" ]
		[ ! -e "$HOME/$dir/data" ]
		echo again >"$HOME/$dir/hooks/a"
		as "$agent" "cat ~/$dir/hooks/a"
		[ "$output" = again ]
	done
}

@test "the settings of opencode lie elsewhere, and are not written either" {
	mkdir -p "$HOME/.config/opencode"
	echo mine >"$HOME/.config/opencode/opencode.json"
	as opencode 'cat ~/.config/opencode/opencode.json
	    for f in opencode.json opencode.jsonc plugin/a agent/b; do
		mkdir -p ~/.config/opencode/$(dirname $f)
		echo theirs >~/.config/opencode/$f
	    done; true'
	prints mine
	[ "$(cat "$HOME/.config/opencode/opencode.json")" = mine ]
	[ ! -e "$HOME/.config/opencode/opencode.jsonc" ]
	[ ! -e "$HOME/.config/opencode/plugin" ]
}

@test "its credentials are its own, and others' are closed" {
	mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.ssh"
	echo secret-claude >"$HOME/.claude/.credentials.json"
	echo secret-codex >"$HOME/.codex/auth.json"
	echo secret-ssh >"$HOME/.ssh/id"
	real=$HOME
	as claude "cat ~/.claude/.credentials.json
	    cat $real/.claude/.credentials.json
	    echo renewed >~/.claude/.new && mv ~/.claude/.new ~/.claude/.credentials.json
	    cat $real/.codex/auth.json; cat $real/.ssh/id; true"
	exits 0
	[ "$output" = secret-claude ]
	[ "$(cat "$HOME/.claude/.credentials.json")" = renewed ]
	as codex "cat ~/.codex/auth.json; cat $real/.claude/.credentials.json; true"
	[ "$output" = secret-codex ]
	as other "cat $real/.codex/auth.json; cat $real/.claude/.credentials.json; true"
	[ "$output" = '' ]
	as claude "cat ~/.claude/.credentials.json" --agent none
	[ "$status" -ne 0 ]
	[ "$output" = '' ]
}

@test "a login that was renewed reaches the real home, unless that changed" {
	mkdir "$HOME/.codex" "$T/w2"
	echo one >"$HOME/.codex/auth.json"
	as codex "echo two >~/.codex/auth.json"
	[ "$(cat "$HOME/.codex/auth.json")" = two ]
	[ "$(stat -c %a "$HOME/.codex/auth.json")" = 600 ]
	(cd "$T/w2" && as codex 'cat ~/.codex/auth.json' && [ "$output" = two ])
	echo host >"$HOME/.codex/auth.json"
	as codex 'cat ~/.codex/auth.json'
	[ "$output" = host ]
	rm "$HOME/.codex/auth.json"
	as codex 'echo first >~/.codex/auth.json'
	[ "$(cat "$HOME/.codex/auth.json")" = first ]
	as codex "rm ~/.codex/auth.json; ln -s /etc/passwd ~/.codex/auth.json"
	[ "$(cat "$HOME/.codex/auth.json")" = first ]
}

@test "a login of opencode that brings configuration along is not taken" {
	mkdir -p "$HOME/.local/share/opencode"
	auth=.local/share/opencode/auth.json
	echo '{"p":{"type":"api","key":"1"}}' >"$HOME/$auth"
	as opencode "echo '{\"p\":{\"type\":\"api\",\"key\":\"2\"}}' >~/$auth"
	grep -q '"2"' "$HOME/$auth"
	for type in wellknown '\\u0077ellknown' x; do
		as opencode "printf '%s' '{\"https://evil.example\":{\"type\":\"$type\",\"key\":\"NODE_OPTIONS\",\"token\":\"x\"}}' >~/$auth"
		grep -q '"2"' "$HOME/$auth"
	done
}

@test "tools, guard and hooks get none of it" {
	mkdir "$HOME/.claude"
	echo secret >"$HOME/.claude/.credentials.json"
	echo mine >"$HOME/.claude/CLAUDE.md"
	cordon check --agent claude "$HOME/.claude/CLAUDE.md"
	exits 0
	cordon check --agent claude "$HOME/.claude/.credentials.json"
	exits 3
	cordon check --agent claude --as agent "$HOME/.claude/CLAUDE.md"
	exits 3
	cordon check --agent claude --as agent "$HOME/.claude/.credentials.json"
	exits 3
	prints '~/.claude'
	prints '<floor>'
	cordon check --agent claude --as agent --read "$HOME" \
	    "$HOME/.claude/.credentials.json"
	exits 3
	ln "$HOME/.claude/.credentials.json" second
	cordon check --agent claude --as agent second
	exits 3
	cordon check --agent claude --as agent other
	exits 0
	cordon check "$HOME/.claude/.credentials.json"
	exits 3
}

@test "protect holds against the agent itself" {
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  protect: ["~/.claude/private.md"]
  fsProfiles:
    dev: {read: ["**"], modify: ["**"]}
END
	mkdir "$HOME/.claude"
	echo secret >"$HOME/.claude/private.md"
	echo state >"$HOME/.claude/a.md"
	as claude 'cat ~/.claude/a.md; cat ~/.claude/private.md; true' \
	    --policy p.yaml --profile dev
	[ "$output" = state ]
}

@test "a file of the home is copied, and again when it changed" {
	echo first >"$HOME/.claude.json"
	as claude 'cat ~/.claude.json; echo inside >~/.claude.json'
	exits 0
	[ "$output" = first ]
	[ "$(cat "$HOME/.claude.json")" = first ]
	as claude 'cat ~/.claude.json'
	[ "$output" = inside ]
	echo later >"$HOME/.claude.json"
	as claude 'cat ~/.claude.json ~/.claude.json.cordon-old'
	[ "$output" = "$(printf 'later\ninside')" ]
	as claude "cat $HOME/.claude.json"
	[ "$status" -ne 0 ]
	as codex 'ls -A ~'
	lacks later
	as claude 'cat $CLAUDE_CONFIG_DIR/.claude.json; echo x >~/.claude.json' --home host
	[ "$status" -ne 0 ]
	[ "$output" = later ]
	[ "$(cat "$HOME/.claude.json")" = later ]
}

@test "variables name the real state" {
	mkdir "$T/moved" "$HOME/.codex"
	echo default >"$HOME/.codex/a.md"
	echo moved >"$T/moved/a.md"
	echo one >"$T/moved/auth.json"
	export CODEX_HOME=$T/moved
	as codex 'cat $CODEX_HOME/a.md $CODEX_HOME/auth.json
	    echo state >$CODEX_HOME/s; echo two >$CODEX_HOME/auth.json
	    echo bad >'"$T/moved/config.toml; cat $HOME/.codex/a.md; true"
	exits 0
	[ "$output" = "$(printf 'moved\none')" ]
	[ "$(cat "$T/moved/auth.json")" = two ]
	[ ! -e "$T/moved/config.toml" ]
	[ ! -e "$T/moved/s" ]
	as other "cat $T/moved/a.md"
	[ "$status" -ne 0 ]
	export CODEX_HOME=$HOME/.codex
	as codex 'cat $CODEX_HOME/a.md ~/.codex/a.md'
	exits 0
	[ "$output" = "$(printf 'default\ndefault')" ]
	as codex 'echo x >$CODEX_HOME/config.toml'
	exits 0
	[ ! -e "$HOME/.codex/config.toml" ]
	for wide in / "$HOME" "$T" "$W"; do
		CODEX_HOME=$wide as codex true
		exits 125
		complains CODEX_HOME
	done
}

@test "its variables are passed, and others are not" {
	export ANTHROPIC_API_KEY=a OPENAI_API_KEY=o GEMINI_API_KEY=g OTHER=x
	as claude 'echo $ANTHROPIC_API_KEY-$OPENAI_API_KEY-$OTHER-$IS_SANDBOX'
	[ "$output" = 'a---1' ]
	as codex 'echo $ANTHROPIC_API_KEY-$OPENAI_API_KEY-$OTHER'
	[ "$output" = '-o-' ]
	as gemini 'echo $GEMINI_API_KEY-$OPENAI_API_KEY-$SANDBOX'
	[ "$output" = 'g--cordon' ]
	as other 'echo $ANTHROPIC_API_KEY-$IS_SANDBOX'
	[ "$output" = '-' ]
	as claude 'echo $IS_SANDBOX' --no-sandbox
	[ "$output" = '' ]
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  env: {drop: ["*_KEY", "IS_SANDBOX"]}
  fsProfiles:
    dev: {read: ["**"]}
END
	as claude 'echo $ANTHROPIC_API_KEY-$IS_SANDBOX' --policy p.yaml \
	    --profile dev
	[ "$output" = - ]
}

# ----- Network -------------------------------------------------------------------

OPEN='cordon: network is open for claude; --network none|loopback|IP[:PORT] closes it'

@test "the network is open, and that is said" {
	as claude true
	[ "$stderr" = "$OPEN" ]
	cordon check --agent claude --op connect example.org:443
	exits 0
	prints '<agent claude>'
	as claude true --quiet
	[ "$stderr" = '' ]
	as other true
	[ "$stderr" = '' ]
}

@test "--network and a policy's network win" {
	as claude true --network loopback
	[ "$stderr" = '' ]
	cordon check --agent claude --network loopback --op connect 192.0.2.1:443
	exits 3
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  fsProfiles:
    shut: {read: ["**"], network: none}
    silent: {read: ["**"]}
END
	as claude true --policy p.yaml --profile shut
	complains 'network is closed, and claude cannot reach its model'
	cordon check --agent claude --policy p.yaml --profile shut \
	    --op connect 192.0.2.1:443
	exits 3
	as claude true --policy p.yaml --profile silent
	[ "$stderr" = "$OPEN" ]
}

# ----- Who ------------------------------------------------------------------------

@test "a program in the workspace is nobody's agent" {
	mkdir "$HOME/.claude" bin
	echo secret >"$HOME/.claude/.credentials.json"
	cp "$T/bin/claude" claude
	cp "$T/bin/claude" bin/claude
	mkdir "$T/elsewhere"
	ln -s "$W/claude" "$T/elsewhere/claude"
	for program in ./claude "$W/claude" bin/claude "$T/elsewhere/claude"; do
		cordon run -- "$program" 'cat ~/.claude/.credentials.json'
		[ "$status" -ne 0 ]
		[ "$output" = '' ]
		complains "lies in the workspace"
	done
	PATH=$W/bin:$PATH cordon run -- claude 'cat ~/.claude/.credentials.json'
	[ "$status" -ne 0 ]
	[ "$output" = '' ]
	cordon run --agent claude -- ./claude 'cat ~/.claude/.credentials.json'
	exits 0
	[ "$output" = secret ]
}

@test "nothing is made where a variable names a closed place" {
	mkdir "$HOME/.ssh"
	CLAUDE_CONFIG_DIR=$HOME/.ssh as claude true
	[ "$status" -gt 124 ]
	complains 'CLAUDE_CONFIG_DIR'
	[ -z "$(ls -A "$HOME/.ssh")" ]
	mkdir "$T/moved"
	CLAUDE_CONFIG_DIR=$T/moved as claude 'echo x >"$CLAUDE_CONFIG_DIR/s"'
	exits 0
	[ ! -e "$T/moved/s" ]
	CLAUDE_CONFIG_DIR=$T/moved as claude 'ls "$CLAUDE_CONFIG_DIR"'
	prints s
}

@test "a name that is no agent's is refused" {
	as claude true --agent clod
	exits 125
	complains 'clod'
}

@test "that it keeps a list of tools of its own is recorded once" {
	as claude true
	[ "$(events tool_allowlist.harness_delegated agent)" = claude ]
	as other true
	[ "$(events tool_allowlist.harness_delegated agent)" = claude ]
}

@test "a dry run makes nothing" {
	as claude true --dry-run
	exits 0
	cordon plan -- codex
	exits 0
	[ ! -e "$HOME/.claude" ]
	[ ! -e "$HOME/.codex" ]
}

@test "the report says who else has its credentials" {
	cordon plan -- claude
	prints "the agent's own credentials"
	cordon plan -- other
	lacks "the agent's own credentials"
}

@test "settings that are links elsewhere are read there" {
	mkdir "$HOME/.claude" "$HOME/dotfiles"
	echo mine >"$HOME/dotfiles/settings.json"
	echo not >"$HOME/dotfiles/other"
	ln -s "$HOME/dotfiles/settings.json" "$HOME/.claude/settings.json"
	ln -s "$HOME/dotfiles/other" "$HOME/.claude/notes"
	as claude "cat ~/.claude/settings.json; cat ~/.claude/notes
	    echo theirs >~/.claude/settings.json
	    echo theirs >$HOME/dotfiles/settings.json; true"
	[ "$output" = mine ]
	[ "$(cat "$HOME/dotfiles/settings.json")" = mine ]
}

# ----- Its own sandbox -------------------------------------------------------------

@test "an inner sandbox that cannot work is said" {
	WARNS="own sandbox cannot work inside this one"
	as codex true
	complains "$WARNS"
	complains "--sandbox danger-full-access"
	for word in --yolo --sandbox=danger-full-access; do
		cordon run -- codex true "$word"
		exits 0
		case $stderr in *"$WARNS"*) false ;; esac
	done
	echo 'sandbox_mode = "danger-full-access"' >"$HOME/.codex/config.toml"
	as codex true
	case $stderr in *"$WARNS"*) false ;; esac
	as claude true
	case $stderr in *"$WARNS"*) false ;; esac
	echo '{"sandbox":{"enabled":true}}' >"$HOME/.claude/settings.json"
	as claude true
	complains "claude's $WARNS"
	as claude true --quiet
	[ "$stderr" = '' ]
	echo '{"sandbox":{"enabled":true' >"$HOME/.claude/settings.json"
	as claude true
	exits 0
}
