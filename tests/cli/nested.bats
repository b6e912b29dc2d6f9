#!/usr/bin/env bats
# cordon inside of a run of cordon: nothing is believed in that does not hold.

load helper

prepare()
{
	cp "$CORDON" inner
	printf '#!/bin/sh\ntouch ran\n' >mark
	chmod +x mark
}

@test "a run inside is refused, and says whom to ask" {
	cordon run -- ./mark
	exits 0
	[ -e ran ] # control
	rm ran
	cordon run -- ./inner run -- ./mark
	exits 125
	complains "OS sandbox required but unavailable ('cordon doctor' says why)"
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
