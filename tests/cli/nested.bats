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

@test "a run inside is refused, and says whom to ask" {
	cat >limited.yaml <<-'END'
		schemaVersion: 2
		kind: Policy
		metadata: {name: limited}
		spec:
		  denyModify: ["**/*.lock"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"], limits: {memory: 4G}}
	END
	cordon run --policy limited.yaml --profile dev -- ./mark
	exits 0
	[ -e ran ] # control
	rm ran
	cordon run --policy limited.yaml --profile dev -- ./inner run -- ./mark
	exits 125
	complains 'OS sandbox required but unavailable'
	complains "that is asked by 'cordon run'"
	[ ! -e ran ]
	cordon run -- ./inner doctor
	prints 'listener-taken'
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
