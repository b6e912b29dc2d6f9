#!/usr/bin/env bats
# Other backends: what they are given, and when they are refused.

load helper

prepare()
{
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  fsProfiles:
    dev:
      read: ["./**", "!**/*.key"]
      modify: ["./src/**"]
END
	mkdir -p src secret
	echo public >src/a
	echo hidden >secret/a
}

seatbelt()
{
	cordon plan --backend seatbelt --format sbpl --policy p.yaml \
	    --profile dev "$@"
}

# lacks TEXT: the output does not have it.
lacks()
{
	if grep -qF -- "$1" "$T/stdout"; then
		say "has '$1'"
		return 1
	fi
}

@test "seatbelt: a profile, made on any system" {
	seatbelt
	exits 0
	[ "$(head -n 2 "$T/stdout")" = "(version 1)
(deny default)" ]
	grep -qF "(allow file-write* (subpath \"$W/src\"))" "$T/stdout"
	grep -q '^(deny file-read\* (regex ".*\[Kk\]\[Ee\]\[Yy\]\$"))$' \
	    "$T/stdout"
	grep -qF "(deny file-read* (subpath \"$HOME/.ssh\"))" "$T/stdout"
}

@test "seatbelt: the state of the agent that is run" {
	seatbelt -- claude
	exits 0
	grep -qF "(allow file-write* (subpath \"$HOME/.claude\"))" "$T/stdout"
	grep -qF "(deny file-write* (subpath \"$HOME/.claude/hooks\"))" \
	    "$T/stdout"
	CLAUDE_CONFIG_DIR=/elsewhere seatbelt -- /usr/bin/claude
	grep -qF '(allow file-write* (subpath "/elsewhere"))' "$T/stdout"
	seatbelt -- sh
	lacks "(allow file-write* (subpath \"$HOME/.claude\"))"
}

@test "seatbelt: protect takes away from everything" {
	cordon plan --backend seatbelt --format sbpl --preset protect
	exits 0
	grep -qF '(allow default)' "$T/stdout"
	grep -qF '(deny file-write* (subpath "/usr/sbin"))' "$T/stdout"
	lacks '(subpath "/usr/local")'
}

@test "a form goes with its backend" {
	cordon plan --format sbpl
	exits 2
	grep -qF "goes with '--backend seatbelt'" "$T/stderr"
	cordon plan --backend bwrap --format sbpl -- true
	exits 2
}

@test "seatbelt is refused where it is not" {
	cordon run --backend seatbelt -- touch src/b
	exits 125
	[ ! -e src/b ]
}
