#!/usr/bin/env bats
# Ways around a deny that were tried and must stay closed: other names of a
# file, links that choose what is granted, documents that widen each other.

load helper

# spec NAME FILE <<lines below spec
spec()
{
	mkdir -p "$(dirname "$2")"
	{
		printf 'schemaVersion: 2\nkind: Policy\n'
		printf 'metadata: {name: %s}\nspec:\n' "$1"
		cat
	} >"$2"
}

open_dev='  fsProfiles: {dev: {read: ["./**"], modify: ["./**"]}}'

# verdict ALLOW|DENY ARG...: what check says of one path.
verdict()
{
	local want=$1
	shift
	cordon check "$@"
	case $output in
	"$want  "*) ;;
	*)
		say "wanted $want for: check $*"
		return 1
		;;
	esac
}

@test "a trusted project lifts no deny of the user" {
	mkdir -p hooks sub
	echo s >sub/secret
	spec mine "$XDG_CONFIG_HOME/cordon/policy.yaml" <<END
  denyRead: ["sub/secret"]
  denyModify: ["hooks/**"]
$open_dev
END
	spec theirs .cordon/policy.yaml <<END
  denyModify: ["made/**"]
  runtime_write_roots: ["$W/hooks", "$W/sub", "$W/made"]
$open_dev
END
	mkdir made
	cordon trust
	exits 0
	verdict deny --profile dev --op modify hooks/x
	[[ $output == *"(user)" ]]
	verdict deny --profile dev sub/secret
	[[ $output == *"(user)" ]]
	verdict allow --profile dev --op modify made/x
	verdict allow --profile dev --op modify other
}

@test "an exact deny holds for every name of the file" {
	spec p ../p.yaml <<END
  denyRead: ["secret.key"]
$open_dev
END
	echo s >secret.key
	ln secret.key copy.key
	echo s >fine
	ln fine finer
	verdict deny --policy ../p.yaml --profile dev copy.key
	verdict deny --policy ../p.yaml --profile dev --op modify copy.key
	verdict allow --policy ../p.yaml --profile dev finer
	cordon check --policy ../p.yaml --profile dev --explain copy.key
	[[ $output == *"!secret.key"* ]]
}

@test "the policy in force and cordon's own files have no second name" {
	spec p pol.yaml <<<"$open_dev"
	ln pol.yaml pol2.yaml
	verdict deny --policy pol.yaml --profile dev --op modify pol2.yaml
	verdict allow --policy pol.yaml --profile dev pol2.yaml
	mkdir -p "$XDG_STATE_HOME/cordon"
	echo '{}' >"$XDG_STATE_HOME/cordon/audit.jsonl"
	ln "$XDG_STATE_HOME/cordon/audit.jsonl" log
	verdict deny log
	cp "$XDG_STATE_HOME/cordon/audit.jsonl" copy
	verdict allow copy
}

@test "a relative config path protects nothing and is an error" {
	echo t >my.toml
	cordon check --as block --data-dir "$W/d" --config-path my.toml \
	    "$W/my.toml"
	exits 2
	verdict deny --as block --data-dir "$W/d" --config-path "$W/my.toml" \
	    "$W/my.toml"
}

@test "a document that is silent about the network keeps it closed" {
	spec a ../a.yaml <<<'  fsProfiles: {dev: {read: ["**"]}}'
	spec b ../b.yaml <<<'  fsProfiles: {dev: {read: ["**"], network: full}}'
	verdict deny --policy ../a.yaml --policy ../b.yaml --profile dev \
	    --op connect e.com:443
	verdict allow --policy ../b.yaml --profile dev --op connect e.com:443
}

@test "the other home and the default places are cordon's too" {
	passwd_home=$(getent passwd "$(id -u)" | cut -d: -f6)
	[ -n "$passwd_home" ] && [ "$passwd_home" != / ]
	spec p ../p.yaml <<END
  protect: ["~/.config/mytool/token"]
$open_dev
END
	export XDG_STATE_HOME=$T/elsewhere
	for file in .local/state/cordon/trust.json .config/cordon/policy.yaml; do
		verdict deny --preset protect --op modify "$HOME/$file"
		verdict deny --preset protect --op modify "$passwd_home/$file"
	done
	verdict deny --preset protect "$HOME/.local/state/cordon/audit.jsonl"
	verdict deny --policy ../p.yaml --profile dev --preset protect \
	    "$passwd_home/.config/mytool/token"
	verdict allow --preset protect "$HOME/notes"
}

@test "a link in the state directory opens nothing" {
	cordon run -- true
	exits 0
	id=$(ls "$XDG_STATE_HOME/cordon/homes")
	[ -n "$id" ]
	rm -r "$XDG_STATE_HOME/cordon/homes/$id"
	verdict allow --op modify "$XDG_STATE_HOME/cordon/homes/$id/x"
	ln -s / "$XDG_STATE_HOME/cordon/homes/$id"
	verdict deny --op modify /etc/passwd
	verdict deny --op modify "$XDG_STATE_HOME/cordon/trust.json"
}

@test "a link in the workspace does not choose what is granted" {
	mkdir ../private
	echo d >../private/diary
	ln -s ../private tools
	PATH=$W/tools:$PATH verdict deny --preset strict "$T/private/diary"
	ln -s ../private cache
	spec p ../p.yaml <<END
  fsProfiles: {dev: {read: ["./**"], modify: ["./**"],
      host: {modify: ["$W/cache"]}}}
END
	verdict deny --policy ../p.yaml --profile dev --op modify cache/diary
	sed "s|$W/cache|$T/private|" ../p.yaml >../q.yaml
	verdict allow --policy ../q.yaml --profile dev --op modify cache/diary
}

@test "one document's runtime_write_roots do not bind another" {
	mkdir ../private
	spec a ../a.yaml <<<"$open_dev"
	spec b ../b.yaml <<<"  runtime_write_roots: [\"$T/private\"]"
	verdict deny --policy ../a.yaml --policy ../b.yaml --profile dev \
	    --op modify "$T/private/x"
	cat ../b.yaml - >../c.yaml <<<"$open_dev"
	verdict allow --policy ../c.yaml --profile dev --op modify \
	    "$T/private/x"
}

@test "a home behind a magic link is an error, not an open floor" {
	HOME=/proc/self/root$HOME cordon check --preset protect "$HOME/.ssh/k"
	exits 2
	verdict deny --preset protect "$HOME/.ssh/k"
}

@test "descriptors we do not have have no answer" {
	cordon check /dev/fd/77
	exits 2
	cordon check /proc/self/fd/77
	exits 2
	verdict allow /proc/version
}

@test "naming a socket does not lift a deny" {
	mkdir secrets run
	spec p ../p.yaml <<'END'
  denyRead: ["secrets/**"]
  fsProfiles: {dev: {read: ["./**"], modify: [], sockets: ["secrets/a", "run/a"]}}
END
	verdict deny --policy ../p.yaml --profile dev --op connect ./secrets/a
	verdict allow --policy ../p.yaml --profile dev --op connect ./run/a
}

@test "credentials are where the variables say" {
	export CARGO_HOME=$T/cargo CODEX_HOME=$T/codex
	verdict deny --preset protect "$T/cargo/credentials.toml"
	verdict deny --preset protect "$T/codex/auth.json"
	verdict allow --preset protect "$T/cargo/bin/x"
}

@test "what an untrusted project claims is not shown as effective" {
	spec p .cordon/policy.yaml <<'END'
  fsProfiles: {unrestricted: {read: ["**"], network: full, host: {read: ["/"]}}}
END
	cordon policy show --json
	[[ $output == *'"network":"none","host":{"read":[]'* ]]
}
