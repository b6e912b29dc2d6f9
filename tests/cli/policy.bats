#!/usr/bin/env bats
# cordon policy show, list, merge, schema, reference.

load helper

prepare()
{
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: demo, description: for tests}
spec:
  denyRead: ["**/*.env"]
  denyModify: [".git/hooks/**"]
  fsProfiles:
    dev:
      read: ["./**"]
      modify: ["src/**"]
      network: loopback
    reader:
      read: ["docs/**"]
END
}

# named NAME [DIR]: a stored policy of the user.
named()
{
	sed "s/name: demo/name: $1/" p.yaml |
	    policy "$XDG_CONFIG_HOME/cordon/policies/${2:-$1}.yaml"
}

# ----- show -------------------------------------------------------------------

@test "show --json: the effective profile" {
	cordon policy show --json --policy p.yaml --profile dev
	exits 0
	[ "$output" = '{"schema":1,"name":"dev","read":["**","!**/*.env"],"modify":["src/**","!.git/hooks/**"],"exec":["**","!**/*.env"],"network":"loopback","host":{"read":[],"modify":[]},"sockets":[]}' ]
	quiet
}

@test "show: unrestricted is there without being written, denies included" {
	cordon policy show --json --policy p.yaml
	exits 0
	[ "$(json name)" = '"unrestricted"' ]
	[ "$(json read)" = '["**", "!**/*.env"]' ]
	[ "$(json modify)" = '["**", "!.git/hooks/**"]' ]
}

@test "show as text" {
	cordon policy show --policy p.yaml --profile reader
	exits 0
	prints 'docs/**'
	prints '!**/*.env'
}

@test "show: an unknown profile, and what goes wrong" {
	cordon policy show --policy p.yaml --profile nobody
	exits 2
	[ -z "$output" ]
	complains 'does not define fsProfile'
	cordon policy show --policy nowhere.yaml
	exits 2
}

@test "show: without a document, the preset" {
	cordon policy show --json
	exits 0
	[ "$(json name)" = '"workspace"' ]
	prints '"!**/.git/hooks/**"'
}

# ----- the store ----------------------------------------------------------------

@test "list: nothing, then sorted names with their files" {
	cordon policy list
	exits 0
	[ -z "$output" ]
	named beta
	named alpha
	cordon policy list
	exits 0
	d=$XDG_CONFIG_HOME/cordon/policies
	[ "$output" = "alpha  user  $d/alpha.yaml
beta  user  $d/beta.yaml" ]
	cordon policy list --json
	[ "$(head -n 1 "$T/stdout")" = "{\"schema\":1,\"name\":\"alpha\",\
\"layer\":\"user\",\"file\":\"$d/alpha.yaml\"}" ]
}

@test "list: a file that is called otherwise stops it" {
	named alpha
	named beta gamma
	cordon policy list
	exits 2
	complains 'does not match'
	complains gamma
}

@test "show NAME: all profiles, or the one asked for" {
	named alpha
	cordon policy show --json alpha
	exits 0
	[ "$(grep -o '^{"schema":1,"name":"[a-z]*"' "$T/stdout" |
	    tr '\n' ' ')" = \
	    '{"schema":1,"name":"dev" {"schema":1,"name":"reader" ' ]
	cordon policy show --json alpha --profile reader
	exits 0
	[ "$(json name)" = '"reader"' ]
	cordon policy show alpha --profile nobody
	exits 2
}

@test "show NAME: not there, not a name, mismatched" {
	cordon policy show nothing
	exits 2
	[ -z "$output" ]
	complains nothing
	complains 'cordon policy list'
	for name in ../x x/y .hidden a..b 'a:b' ' a' x.yaml; do
		cordon policy show "$name"
		exits 2
		complains 'invalid resource name' ||
		    { say "$name"; return 1; }
	done
	named beta gamma
	cordon policy show gamma
	exits 2
	complains 'does not match'
}

# ----- merge --------------------------------------------------------------------

@test "merge: profiles are replaced, denies add up" {
	policy w.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: work}
spec:
  denyRead: ["keys/**", "**/*.env"]
  fsProfiles:
    reader: {read: ["**"]}
END
	cordon policy merge --json p.yaml w.yaml
	exits 0
	[ "$output" = '{"schema":1,"name":"work","description":"for tests","denyRead":["**/*.env","keys/**"],"denyModify":[".git/hooks/**"],"denyExec":[],"fsProfiles":{"dev":{"read":["./**"],"modify":["src/**"]},"reader":{"read":["**"],"modify":[]}},"widened":["reader"]}' ]
	complains "'reader' grants more"
	cordon policy merge --json --quiet p.yaml w.yaml
	quiet
}

@test "merge: the YAML loads again and gives the same verdicts" {
	policy w.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: work}
spec:
  denyModify: ["a b/**", "#x", "- y", "it's", "caf\u00e9/**"]
END
	cordon policy merge p.yaml w.yaml
	exits 0
	quiet
	cp "$T/stdout" merged.yaml
	cordon policy validate merged.yaml
	exits 0
	cordon policy merge --json p.yaml w.yaml
	cp "$T/stdout" "$T/once"
	cordon policy merge --json merged.yaml merged.yaml
	cmp "$T/stdout" "$T/once"
	for path in 'a b/c' '#x' '- y' "it's" "$(printf 'caf\303\251/x')" \
	    src/a .git/hooks/x; do
		cordon check --json --as policy --policy merged.yaml \
		    --op modify -- "$path"
		case $path in
		src/a) exits 0 ;;
		*) exits 3 ;;
		esac
	done
}

@test "merge: a result that is not valid is an error with its place" {
	policy w.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: work}
spec:
  fsProfiles:
    p: {read: ["**/*.env"]}
END
	cordon policy merge p.yaml w.yaml
	exits 2
	[ -z "$output" ]
	complains 'duplicates global denyRead entry'
	complains 'w.yaml:6:16: error: '
}

@test "merge: a sealed profile is not replaced" {
	sed 's/^spec:/spec:\n  sealed: [reader]/' p.yaml >host.yaml
	policy w.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: work}
spec: {fsProfiles: {reader: {read: ["**"]}}}
END
	cordon policy merge host.yaml w.yaml
	exits 2
	[ -z "$output" ]
	complains reader
}

@test "merge: both files are looked at before anything is said" {
	cordon policy merge nowhere.yaml elsewhere.yaml
	exits 2
	complains nowhere.yaml
	complains elsewhere.yaml
}

# ----- schema, reference -----------------------------------------------------------

@test "schema: JSON, and named explicitly" {
	cordon policy schema
	exits 0
	python3 -m json.tool "$T/stdout" >/dev/null
	prints 'https://json-schema.org/draft/2020-12/schema'
	for key in schemaVersion denyRead fsProfiles runtime_write_roots; do
		prints "\"$key\""
	done
	cp "$T/stdout" "$T/schema"
	cordon policy schema policy
	cmp "$T/stdout" "$T/schema"
}

@test "reference: Markdown with every key" {
	cordon policy reference
	exits 0
	for key in schemaVersion denyRead denyModify fsProfiles protect; do
		prints "$key"
	done
}

@test "notice: the boundary in words, for an agent's instructions" {
	cat >p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  denyRead: ["**/*.env"]
  protect: ["~/token"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["src/**"], host: {read: ["/srv/x"]}}
END
	cordon policy notice --policy p.yaml --profile dev --write /srv/y
	exits 0
	diff - <(printf '%s\n' "$output" | grep -v 'Neither readable\|(defaults') <<END
# The boundary you work in

Access to files and to the network is sandbox-enforced by the operating system, for
you and for everything you start. What is not allowed fails with "Permission denied".
Do not look for a way around it and do not try again: say what you need, and why.

- Workspace: \`$W\`
- Readable in the workspace (policy): \`**\`
  - but never: \`**/*.env\`
- Modifiable in the workspace (policy): \`src/**\`
- Readable outside, besides the system's programs: \`/srv/x\`
- Modifiable outside: \`/srv/y\`
- Network: none
- HOME is a private directory that stays; temporary files belong in \$TMPDIR.
- Never modifiable: \`/bin\`, \`/sbin\`, \`/lib*\`, \`/usr\`, \`/etc\`, \`/boot\`, \`/proc\`, \`/sys\`, \`/dev\`, \`/System\`, \`/Library\`, \`/private/etc\`
- \`cordon check PATH\` says which rule decides about a path.
END
	[[ "$output" = *'- Neither readable nor modifiable: `~/.ssh`, '*'`~/token`'* ]]
	cordon policy notice --preset protect
	exits 0
	[[ "$output" = *'Outside the workspace everything is readable'* ]]
}

@test "schema worker: JSON that names the document's keys" {
	cordon policy schema worker
	exits 0
	python3 -c '
import json, sys
s = json.loads(sys.argv[1])
assert list(s["properties"]) == ("name description fsProfile executor sandbox "
    "attachment_policy tool_rules shell_rules shell_default programs "
    "modules").split(), list(s["properties"])
' "$output"
	cordon policy schema other
	exits 2
}
