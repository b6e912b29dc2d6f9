#!/usr/bin/env bats
# cordon trust: a project's policy narrows until its bytes are trusted.

load helper

prepare()
{
	policy "$XDG_CONFIG_HOME/cordon/policy.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: mine}
spec:
  denyRead: ["private/**"]
  fsProfiles:
    dev: {read: ["src/**"]}
END
	project '["**"]'
}

# project READ: the project's policy.
project()
{
	policy .cordon/policy.yaml <<END
schemaVersion: 2
kind: Policy
metadata: {name: theirs}
spec:
  denyRead: ["src/secret"]
  fsProfiles:
    dev: {read: $1}
    extra: {read: ["**"]}
END
}

# verdict PATH: allow or deny, and the layer.
verdict()
{
	cordon check --json --as agent --profile dev "$1"
	echo "$(json decision) $(json layer)" | tr -d '"'
}

@test "an untrusted project can only narrow" {
	[ "$(verdict src/a)" = 'allow project' ]
	[ "$(verdict docs/a)" = 'deny user' ]
	[ "$(verdict src/secret)" = 'deny project' ]
	[ "$(verdict private/a)" = 'deny user' ]
}

@test "a trusted project replaces profiles, denies of both hold" {
	cordon trust
	exits 0
	[ "$(verdict src/a)" = 'allow project' ]
	[[ $(verdict docs/a) = 'allow '* ]]
	[[ $(verdict src/secret) = 'deny '* ]]
	[[ $(verdict private/a) = 'deny '* ]]
}

@test "what is trusted is shown first: name, digest, profiles, widened" {
	cordon trust
	exits 0
	digest=$(sha256sum .cordon/policy.yaml | cut -d' ' -f1)
	prints "$digest"
	prints theirs
	prints 'profiles:  dev, extra'
	grep -qE '^widened: +.*dev' "$T/stdout"
	cordon trust --json
	exits 0
	[ "$(json name)" = '"theirs"' ]
	[ "$(json digest)" = "\"$digest\"" ]
	[ "$(json profiles)" = '["dev", "extra"]' ]
	[[ $(json widened) = *'"dev"'* ]]
}

@test "a project that only narrows widens nothing" {
	project '["src/lib/**"]'
	cordon trust --json
	exits 0
	[[ $(json widened) != *'"dev"'* ]]
}

@test "a changed file is not trusted, the old bytes are again" {
	cordon trust
	cp .cordon/policy.yaml "$T/kept"
	echo '# a comment' >>.cordon/policy.yaml
	[ "$(verdict docs/a)" = 'deny user' ]
	cordon trust --list
	prints "changed  "
	prints "$W"
	cp "$T/kept" .cordon/policy.yaml
	[[ $(verdict docs/a) = 'allow '* ]]
	cordon trust --list
	prints "current  $(sha256sum <"$T/kept" | cut -d' ' -f1)  $W"
}

@test "revoke" {
	cordon trust
	cordon trust --revoke .
	exits 0
	[ "$(verdict docs/a)" = 'deny user' ]
	cordon trust --list
	exits 0
	[ -z "$output" ]
	cordon trust --revoke .
	exits 2
}

@test "--list --json" {
	cordon trust
	cordon trust --list --json
	exits 0
	[ "$output" = "{\"schema\":1,\"dir\":\"$W\",\"digest\":\"$(
	    sha256sum .cordon/policy.yaml | cut -d' ' -f1)\",\
\"current\":true}" ]
}

@test "trust is bound to the directory" {
	cordon trust
	mkdir "$T/copy"
	cp -r .cordon "$T/copy/"
	cd "$T/copy"
	[ "$(verdict docs/a)" = 'deny user' ]
}

@test "trust.json is private, and a damaged one is an error" {
	cordon trust
	file=$XDG_STATE_HOME/cordon/trust.json
	[ "$(stat -c %a "$file")" = 600 ]
	[ "$(stat -c %a "$(dirname "$file")")" = 700 ]
	echo '{"schema":1' >"$file"
	cordon check --profile dev src/a
	exits 2
	[ -z "$output" ]
	cordon trust --list
	exits 2
}

@test "what cannot be trusted" {
	echo nonsense >.cordon/policy.yaml
	cordon trust
	exits 2
	complains '.cordon/policy.yaml:1:1: error: '
	rm -r .cordon
	cordon trust
	exits 2
	complains 'cordon policy init'
	cordon trust "$T/nowhere"
	exits 2
	cordon trust --list
	[ -z "$output" ]
}

@test "a project that does not fit the user's policy is not trusted" {
	project '["private/**"]'
	cordon trust
	exits 2
	complains 'duplicates global denyRead entry'
	cordon trust --list
	[ -z "$output" ]
	# Otherwise every later question would fail.
	[[ $(verdict src/a) = 'deny '* ]]
}

@test "the project's policy and trust cannot be changed from inside" {
	cordon trust
	cordon check --op modify --write "$HOME" \
	    .cordon/policy.yaml
	exits 3
	prints '(floor)'
	cordon check --op modify --write "$HOME" \
	    "$XDG_STATE_HOME/cordon/trust.json"
	exits 3
	prints '(floor)'
	cordon check --op modify --write "$HOME" \
	    "$XDG_CONFIG_HOME/cordon/policy.yaml"
	exits 3
	prints '(floor)'
}

@test "a state directory in the workspace: the project cannot bring its own trust" {
	cordon trust
	exits 0
	[[ $(verdict docs/a) = 'allow '* ]]
	mkdir brought
	cp -r "$XDG_STATE_HOME/cordon" brought/
	cordon trust --revoke .
	[ "$(verdict docs/a)" = 'deny user' ]
	export XDG_STATE_HOME=$W/brought
	[ "$(verdict docs/a)" = 'deny user' ]
	cordon run --profile dev -- true
	complains 'state directory lies in the workspace'
	ln -s "$W/brought" "$T/link"
	XDG_STATE_HOME=$T/link
	[ "$(verdict docs/a)" = 'deny user' ]
	XDG_STATE_HOME=$W/other
	cordon trust
	exits 2
	complains 'lies in the workspace'
	[ ! -e other ]
}

@test "all that trust opens is shown" {
	cordon trust
	lacks 'opens:'
	cordon trust --revoke .
	policy .cordon/policy.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: theirs}
spec:
  unprotect: [".envrc"]
  env: {pass: [SSH_AUTH_SOCK], set: {EDITOR: "vi"}}
  audit: {onFailure: warn}
  mcp: {write_file: {content: text, where: path}}
  fsProfiles:
    dev: {read: ["**"], host: {read: [/opt], modify: [/srv]}, network: full}
END
	cordon trust
	exits 0
	for line in 'unprotect: .envrc' 'env.pass: SSH_AUTH_SOCK' 'env.set: EDITOR=vi' 'audit.onFailure: warn' \
	    'mcp: write_file: {content: text}' 'fsProfiles.dev.host.read: /opt' 'fsProfiles.dev.host.modify: /srv' \
	    'fsProfiles.dev.network: full'; do
		prints_line "opens:     $line"
	done
	lacks where
	cordon trust --json
	exits 0
	[[ $(json opens) = *'"unprotect: .envrc"'* ]]
}
