#!/usr/bin/env bats
# cordon policy init: writes once, never over anything.

load helper

@test "writes a valid policy and says what is next" {
	cordon policy init
	exits 0
	[ "$output" = 'wrote ./.cordon/policy.yaml' ]
	complains 'cordon policy lint'
	complains 'cordon trust'
	[ -f .cordon/policy.yaml ]
	[ "$(ls -A .cordon)" = policy.yaml ]
	cordon policy validate .cordon/policy.yaml
	exits 0
	cordon check src/a
	exits 0
}

@test "what it writes is clean, but for what is not there yet" {
	cordon policy init --quiet
	quiet
	cordon policy lint
	[ "$status" -le 1 ]
	quiet
	if grep warning "$T/stdout" | grep -v 'matches nothing here'; then
		say 'more than that'
		return 1
	fi
}

@test "what the host would execute is not modifiable under it" {
	cordon policy init
	cordon trust
	for path in .git/hooks/pre-commit .envrc .vscode/tasks.json \
	    .cordon/policy.yaml; do
		cordon check --op modify "$path"
		exits 3 || { say "$path"; return 1; }
	done
	cordon check --op modify src/a
	exits 0
}

@test "never overwrites" {
	mkdir .cordon
	echo mine >.cordon/policy.yaml
	cordon policy init
	exits 2
	[ -z "$output" ]
	complains 'exists already'
	[ "$(cat .cordon/policy.yaml)" = mine ]
	[ "$(ls -A .cordon)" = policy.yaml ]
}

@test "never writes through a link" {
	mkdir .cordon
	ln -s "$T/elsewhere" .cordon/policy.yaml
	cordon policy init
	exits 2
	[ ! -e "$T/elsewhere" ]
	rm -r .cordon
	mkdir "$T/dir"
	ln -s "$T/dir" .cordon
	cordon policy init
	exits 2
	[ -z "$(ls -A "$T/dir")" ]
}

@test "DIR, --workspace, not both, not there" {
	mkdir a b
	cordon policy init a
	exits 0
	[ "$output" = 'wrote a/.cordon/policy.yaml' ]
	cordon policy init --workspace b
	exits 0
	[ -f b/.cordon/policy.yaml ]
	cordon policy init --workspace b a
	exits 2
	cordon policy init "$T/nowhere"
	exits 2
	complains nowhere
}

@test "not in the home directory unless named" {
	cd "$HOME"
	cordon policy init
	exits 2
	[ ! -e .cordon ]
	cordon policy init .
	exits 0
}
