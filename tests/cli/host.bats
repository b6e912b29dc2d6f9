#!/usr/bin/env bats
# The host's own policy and store, /etc/cordon, tried in a mount namespace in
# which /etc is a directory of the test.

load helper

prepare()
{
	unshare -rm true 2>/dev/null || skip 'no user and mount namespaces here'
	mkdir -p "$T/etc/cordon/policies"
	cp /etc/passwd "$T/etc/"
	touch a
}

# on_host ARG...: as cordon, with $T/etc for /etc.
on_host()
{
	status=0
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare -rm sh -c 'mount --bind "$1" /etc && shift && exec "$@"' sh \
	    "$T/etc" "$CORDON" "$@" >"$T/stdout" 2>"$T/stderr" || status=$?
	output=$(cat "$T/stdout")
	stderr=$(cat "$T/stderr")
}

# document NAME <<lines below spec
document()
{
	printf 'schemaVersion: 2\nkind: Policy\nmetadata: {name: %s}\nspec:\n' \
	    "$1"
	cat
}

@test "the host's policy takes away from everything" {
	document host >"$T/etc/cordon/policy.yaml" <<'END'
  denyRead: ["secrets/**"]
END
	document mine >p.yaml <<'END'
  fsProfiles: {dev: {read: ["**"]}}
END
	on_host check --policy p.yaml --profile dev a
	exits 0
	on_host check --policy p.yaml --profile dev secrets/x
	exits 3
	prints '/etc/cordon/policy.yaml:5:14 (host)'
	on_host check --json --as policy --policy p.yaml --profile dev secrets/x
	exits 3
	[ "$(json layer)" = '"host"' ]
	cordon check --policy p.yaml --profile dev secrets/x
	exits 0
}

@test "an invalid host policy stops everything" {
	echo nonsense >"$T/etc/cordon/policy.yaml"
	on_host check a
	exits 2
	[ -z "$output" ]
	complains '/etc/cordon/policy.yaml:1:1: error: '
	on_host policy show
	exits 2
}

@test "what the host seals a project does not replace" {
	document host >"$T/etc/cordon/policy.yaml" <<'END'
  sealed: [dev]
  fsProfiles: {dev: {read: ["src/**"]}}
END
	mkdir .cordon
	document theirs >.cordon/policy.yaml <<'END'
  fsProfiles: {dev: {read: ["**"]}}
END
	on_host trust
	exits 2
	complains sealed
	on_host trust --list
	exits 0
	[ -z "$output" ]
	# Refused, it can still narrow, and nothing is stuck.
	on_host check --profile dev src/a
	exits 0
	on_host check --profile dev a
	exits 3
}

@test "named policies of the host come first, and are merged when shown" {
	document shared >"$T/etc/cordon/policies/shared.yaml" <<'END'
  denyRead: ["h/**"]
  fsProfiles: {dev: {read: ["**"]}}
END
	document zeta >"$T/etc/cordon/policies/zeta.yaml" <<'END'
  denyRead: []
END
	mkdir -p "$XDG_CONFIG_HOME/cordon/policies"
	document shared >"$XDG_CONFIG_HOME/cordon/policies/shared.yaml" <<'END'
  denyRead: ["u/**"]
END
	on_host policy list
	exits 0
	[ "$output" = "shared  host  /etc/cordon/policies/shared.yaml
zeta  host  /etc/cordon/policies/zeta.yaml
shared  user  $XDG_CONFIG_HOME/cordon/policies/shared.yaml" ]
	on_host policy show --json shared
	exits 0
	[ "$(json read)" = '["**", "!h/**", "!u/**"]' ]
}

@test "protect: of the host adds to the floor" {
	document host >"$T/etc/cordon/policy.yaml" <<END
  protect: ["$T/token"]
END
	touch "$T/token" "$T/other"
	on_host check --json --read "$T" "$T/token"
	exits 3
	[ "$(json layer)" = '"floor"' ]
	on_host check --read "$T" "$T/other"
	exits 0
}

@test "what the host denies no approval grants" {
	echo '{"name": "w", "shell_rules": [{"pattern": "true", "approval_required": true,
	    "grants": {"network": true, "read": ["/srv"]}}]}' >"$T/w.yaml"
	on_host tool shell '{"command":"true"}' --worker "$T/w.yaml" --dry-run
	exits 4
	document host >"$T/etc/cordon/policy.yaml" <<'END'
  fsProfiles: {unrestricted: {read: ["**"], modify: ["**"], network: none}}
END
	on_host tool shell '{"command":"true"}' --worker "$T/w.yaml" --approve-with "touch $T/asked"
	exits 3
	[[ "$output" = *"cannot be granted: connect of"*'"layer":"host"'* ]]
	[ ! -e "$T/asked" ]
}

@test "for root, what others may not read in /etc is closed" {
	mkdir -p "$T/etc/app" "$T/etc/listed" && mkdir -m 700 "$T/etc/private"
	for file in public secret app/secret private/key listed/public; do
		echo "content of $file" >"$T/etc/$file"
	done
	chmod 600 "$T/etc/secret"
	chmod 640 "$T/etc/app/secret"
	chmod 711 "$T/etc/listed"
	for file in public listed/public; do
		on_host run --isolation none -- cat "/etc/$file"
		exits 0
		prints "content of $file"
	done
	for file in secret app/secret private/key; do
		on_host run --isolation none -- cat "/etc/$file"
		[ "$status" -ne 0 ]
		[ -z "$output" ]
		on_host check --as process "/etc/$file"
		exits 3
		prints '(floor)'
		on_host check --as agent "/etc/$file"
		exits 3
	done
	chmod 644 "$T/etc/secret" # the control: the mode is what counts
	on_host run --isolation none -- cat /etc/secret
	exits 0
	prints 'content of secret'
}

@test "for root, a workspace below a private directory can be used" {
	mkdir -m 700 "$T/etc/private"
	mkdir "$T/etc/private/work"
	echo other >"$T/etc/private/other"
	echo mine >"$T/etc/private/work/mine"
	chmod 600 "$T/etc/private/work/mine"
	on_host run --isolation none --workspace /etc/private/work -- \
	    cat /etc/private/work/mine
	exits 0
	prints mine
	on_host run --isolation none --workspace /etc/private/work -- \
	    cat /etc/private/other
	[ "$status" -ne 0 ]
	[ -z "$output" ]
}
