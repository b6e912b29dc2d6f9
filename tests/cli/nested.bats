#!/usr/bin/env bats
# cordon inside of a run of cordon: nothing is believed in that does not hold.

load helper

prepare()
{
	cp "$CORDON" inner
	printf '#!/bin/sh\ntouch ran\n' >mark
	chmod +x mark
}

@test "a run inside is held by both policies" {
	mkdir secrets
	echo key >secrets/key
	cat >inner.yaml <<-'END'
		schemaVersion: 2
		kind: Policy
		metadata: {name: inner}
		spec:
		  denyRead: ["secrets/**"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["ran"]}
	END
	cordon run -- cat secrets/key
	exits 0
	prints key # control
	cordon run -- ./inner run --policy inner.yaml --profile dev -- ./mark
	exits 0
	[ -e ran ] # control
	rm ran
	cordon run -- ./inner run --policy inner.yaml --profile dev -- \
	    sh -c 'cat secrets/key; touch other; exit 7'
	exits 7
	prints ''
	complains 'Permission denied'
	[ ! -e other ]
	cordon audit list
	[ "$(grep -c 'exit 7 ' <<<"$output")" -eq 2 ]
	prints "2 denied  sh -c 'cat secrets/key"
	cordon run -- ./inner run --write "$HOME" -- touch "$HOME/other"
	exits 1
	[ ! -e "$HOME/other" ]
}

@test "a program with several names runs inside, unless one is a key's" {
	mkdir -m 700 "$HOME/.ssh"
	echo key >"$HOME/.ssh/key"
	ln mark mark2
	cordon run -- ./mark
	exits 0
	[ -e ran ] # control
	rm ran
	cordon run -- ./inner run -- ./mark
	exits 0
	[ -e ran ]
	rm ran
	ln mark "$HOME/.ssh/mark"
	cordon run -- ./inner run -- ./mark
	exits 125 # who is outside looks into the directory, and knows
	complains 'is a second name of'
	[ ! -e ran ]
}

@test "a run inside is refused, and says whom to ask" {
	cat >limited.yaml <<-'END'
		schemaVersion: 2
		kind: Policy
		metadata: {name: limited}
		spec:
		  denyModify: ["**/*.lock"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"], limits: {cpu: 1h}}
	END
	cordon run --policy limited.yaml --profile dev -- ./mark
	exits 0
	[ -e ran ] # control
	rm ran
	cordon run --policy limited.yaml --profile dev -- ./inner run -- ./mark
	exits 125
	complains 'OS sandbox required but unavailable'
	complains 'does not take it'
	[ ! -e ran ]
	cordon run -- ./inner doctor
	prints 'listener-taken'
}

@test "a worker inside, its tools and its agent" {
	mkdir src other
	echo a >src/a
	echo b >other/b
	echo '{"name": "w", "sandbox": {"network": false, "paths": {"s": {"root": "src", "mode": "rw"}}}}' >w.yaml
	for words in 'run --worker w.yaml' 'worker run w.yaml'; do
		# shellcheck disable=SC2086
		cordon run -- ./inner $words -- sh -c \
		    'cat src/a; cat other/b; echo x >src/n; echo x >other/n'
		[ "$output" = a ]
		[ -e src/n ] # control
		[ ! -e other/n ]
		rm src/n
	done
	cordon run -- cat other/b
	prints b # control
	echo 'cat a ../other/b' >src/r
	cordon run -- ./inner tool shell --worker w.yaml \
	    '{"command":"sh r","cwd":"src"}'
	prints '"stdout":"a\n"'
	cordon run -- ./inner tool shell '{"command":"cat a","cwd":"src"}'
	prints '"stdout":"a\n"' # in the directory that was judged
	echo '{"name": "w", "programs": ["cat"]}' >w.yaml
	cordon run -- ./inner tool shell --worker w.yaml '{"command":"cat src/a"}'
	prints '"stdout":"a\n"'
	cordon run -- ./inner tool shell --worker w.yaml '{"command":"ls"}'
	exits 3
	prints '"code":"program"'
	cordon run --network full -- ./inner run --agent claude -- \
	    sh -c 'echo "$IS_SANDBOX"'
	prints 1
	complains 'network is open for claude'
	cordon run --network none -- ./inner run --agent claude -- true
	complains 'network is closed, and claude cannot reach'
	grep -q '"kind":"tool_allowlist.harness_delegated".*"agent":"claude"' \
	    "$XDG_STATE_HOME/cordon/audit.jsonl"
}

@test "what cannot be handed over is refused" {
	cordon run -- ./inner run -- ./mark
	exits 0
	[ -e ran ] # control
	rm ran
	cordon run -- ./inner run --backend bwrap -- ./mark
	exits 125
	complains "there is no backend 'bwrap' in a cage"
	echo '{"name": "w", "executor": {"sandbox": "linux-bwrap"}}' >w.yaml
	cordon run -- ./inner run --worker w.yaml -- ./mark
	exits 125
	complains "there is no backend 'bwrap' in a cage"
	cordon run -- sh -c './inner run --audit "$HOME/.config/a" -- ./mark'
	exits 125
	complains '--audit'
	cordon run -- ./inner run --isolation namespaces -- ./mark
	exits 125
	complains 'isolation'
	[ ! -e ran ]
	cordon run -- ./inner run --json -- ./mark
	prints '"exit_code":0'
	id=$(sed 's/.*"run":"\([0-9a-f]*\)".*/\1/' <<<"$output")
	grep "\"run\":\"$id\"" "$XDG_STATE_HOME/cordon/audit.jsonl" |
	    grep -q '"kind":"run.end"'
}

@test "a run without a cage is refused inside of one" {
	cordon run --no-sandbox -- ./inner run --no-sandbox -- ./mark
	exits 0
	[ -e ran ] # control
	rm ran
	cordon run -- ./inner run --no-sandbox -- ./mark
	exits 125
	complains 'this is a cage already'
	[ ! -e ran ]
}

@test "what the kernel refuses is told as it happens" {
	mkdir -p "$HOME/.ssh"
	echo key >"$HOME/.ssh/id"
	cordon run -- cat "$HOME/.ssh/id"
	exits 1
	prints ''
	complains "'cordon check PATH' names the rule"
	cordon run --trace -- cat "$HOME/.ssh/id"
	exits 1
	complains "denied: openat of '$HOME/.ssh/id' by "
	complains ': read ~/.ssh (<floor>)'
	complains '1 denial: '
	cordon run --trace -- sh -c 'echo x >new && cat new mark'
	exits 0
	prints 'touch ran'
	[ -z "$stderr" ]
}
