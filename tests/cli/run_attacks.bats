#!/usr/bin/env bats
# Ways to get more out of a run than was given; each was one once.

load helper

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

@test "a project cannot lower what is enforced" {
	policy .cordon/policy.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  enforcement: best-effort
  audit: {onFailure: warn}
  fsProfiles: {}
END
	wanting -- touch ran
	exits 125
	complains 'isolation: '
	[ ! -e ran ]
	cordon trust
	wanting -- touch ran
	exits 0
	[ -e ran ]
}

@test "nor can a user's policy that lies in the workspace" {
	policy config/cordon/policy.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: u}
spec:
  enforcement: best-effort
  fsProfiles: {unrestricted: {read: ["./**"], modify: ["./**"], network: full}}
END
	XDG_CONFIG_HOME=$W/config wanting -- true
	exits 125
	complains 'isolation: '
	cp -r config "$T/config"
	XDG_CONFIG_HOME=$T/config wanting -- true
	exits 0
}

@test "176: a project's policy is not swapped through the symlink .cordon" {
	policy "$XDG_CONFIG_HOME/cordon/policy.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: u}
spec: {fsProfiles: {unrestricted: {read: ["**"], modify: ["**"]}}}
END
	policy cfg/policy.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec: {denyRead: ["secret"]}
END
	echo hidden >secret
	ln -s cfg middle
	ln -s middle .cordon
	caged -- sh -c 'touch works; ln -s . new
		rm .cordon; mv .cordon gone; mv -T new .cordon; ln -sfn . .cordon
		rm middle; mv middle gone; mv -T new middle; mv cfg copy
		rm cfg/policy.yaml; echo >cfg/policy.yaml; true'
	exits 0
	[ -e works ] && [ ! -e gone ]
	[ "$(readlink .cordon)" = middle ] && [ "$(readlink middle)" = cfg ]
	grep -q secret cfg/policy.yaml
	caged -- cat secret
	exits 1
	rm .cordon
	caged -- cat secret
	exits 0
}

@test "the state directory is not followed to where a link leads" {
	mkdir -p "$T/victim/tmp/precious" "$XDG_STATE_HOME"
	ln -s "$T/victim" "$XDG_STATE_HOME/cordon"
	caged -- true
	exits 125
	complains 'is a link'
	[ -d "$T/victim/tmp/precious" ]
	[ "$(ls "$T/victim")" = tmp ]
}

@test "the state directory is not where the run may write" {
	XDG_STATE_HOME=$W/state caged -- sh -c \
	    'mv state old || rm -r state || touch state/cordon/trust.json'
	[ "$status" -ne 0 ]
	[ -d state/cordon ] && [ ! -e state/cordon/trust.json ]
}

@test "a first run under protect cannot reach the state directory" {
	caged --preset protect -- sh -c \
	    "mv '$XDG_STATE_HOME/cordon' '$XDG_STATE_HOME/old'"
	[ "$status" -ne 0 ]
	[ -d "$XDG_STATE_HOME/cordon" ]
	[ ! -e "$XDG_STATE_HOME/old" ]
}

@test "protect keeps terminals and disks closed" {
	echo there >"/dev/shm/cordon-$BASHPID"
	caged --preset protect -- cat "/dev/shm/cordon-$BASHPID"
	rm "/dev/shm/cordon-$BASHPID"
	[ "$status" -ne 0 ]
	caged --preset protect -- sh -c 'echo x >/dev/null && head -c 1 /dev/urandom >/dev/null'
	exits 0
	caged --preset protect -- ls /usr
	exits 0
}

@test "a second name of a key in a directory of keys" {
	mkdir -p "$HOME/.ssh"
	echo key >"$HOME/.ssh/id_ed25519"
	ln "$HOME/.ssh/id_ed25519" innocent
	cordon run --preset strict -- cat innocent
	exits 125
	complains 'is a second name of'
}

@test "a second name of what a rule closes" {
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  denyRead: ["secrets/**"]
  fsProfiles: {dev: {read: ["./**"]}}
END
	mkdir secrets
	echo secret >secrets/s
	echo open >open
	ln secrets/s pub
	caged --policy p.yaml --profile dev -- cat secrets/s
	[ "$status" -ne 0 ]
	caged --policy p.yaml --profile dev -- cat open
	exits 0
	[ "$output" = open ]
}

@test "a link in the workspace does not open somebody's packages" {
	mkdir -p "$T/other/node_modules/.bin"
	printf '#!/bin/sh\ncat "$1"\n' >"$T/other/node_modules/.bin/tool"
	chmod +x "$T/other/node_modules/.bin/tool"
	echo private >"$T/other/node_modules/secret"
	ln -s "$T/other/node_modules/.bin/tool" build.sh
	caged -- ./build.sh "$T/other/node_modules/secret"
	exits 126
	PATH=$T/other/node_modules/.bin:$PATH caged -- tool \
	    "$T/other/node_modules/secret"
	exits 0
}

@test "a plan without a cage claims none" {
	cordon plan --json --no-sandbox
	[[ $output == *'"enforced":false'* ]]
	[[ $output != *landlock\)* ]]
	cordon plan --json
	[[ $output == *landlock\)* ]]
}

@test "a run that is hung up on takes everybody along" {
	env --default-signal=HUP "$CORDON" run --quiet -- \
	    sh -c 'sleep 10104 & echo $! >pid; wait' &
	pid=$!
	while [ ! -s pid ]; do sleep 0.05; done
	kill -HUP $pid
	wait $pid || status=$?
	[ "$status" -eq 129 ]
	! kill -0 "$(cat pid)" 2>/dev/null
}


# ----- The kept home ---------------------------------------------------------------

@test "a run with less does not prepare the home of one with more" {
	mkdir "$T/more"
	caged -- sh -c 'mkdir -p ~/.config/git && echo planted >~/.config/git/config
	    echo planted >~/.bashrc'
	exits 0
	for more in "--network loopback" "--network full" "--read $T/more" \
	    "--write $T/more" "--agent claude" --no-sandbox; do
		# shellcheck disable=SC2086
		cordon run $more -- sh -c 'cat ~/.config/git/config ~/.bashrc; true'
		lacks planted
	done
	caged -- sh -c 'cat ~/.bashrc'
	[ "$output" = planted ]
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  fsProfiles:
    dev: {read: ["**"], modify: ["src/**"]}
END
	cordon run --policy p.yaml --profile dev -- sh -c 'cat ~/.bashrc'
	[ "$output" = planted ]
}
