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

# told: ids of what the plan says it does not hold, or more than asked for.
told()
{
	sed -n 's/^  \(seatbelt-[a-z]*\): .*/\1/p' "$T/stdout" | tr '\n' ' '
}

@test "seatbelt: its plan speaks of no other backend" {
	cordon plan --policy p.yaml --profile dev
	grep -qF 'kernel (landlock)' "$T/stdout"
	grep -q '^regions' "$T/stdout"
	cordon plan --backend seatbelt --policy p.yaml --profile dev
	exits 1
	complains "there is no backend 'seatbelt' here"
	grep -q '^backend    seatbelt$' "$T/stdout"
	grep -q '^mode       none ' "$T/stdout"
	grep -q '^enforced   on macOS only' "$T/stdout"
	grep -q '^kernel (seatbelt)$' "$T/stdout"
	grep -qF '!**/*.key' "$T/stdout"
	lacks landlock
	lacks seccomp
	lacks 'broker ('
	lacks inotify
	lacks /proc\)
	[ -z "$(grep -E '^(regions|broker)' "$T/stdout")" ]
	[ "$(told)" = 'seatbelt-moves seatbelt-names seatbelt-processes ' ]
}

@test "seatbelt: as JSON the same" {
	cordon plan --backend seatbelt --json --policy p.yaml --profile dev
	exits 1
	python3 - "$T/stdout" <<'END'
import json, sys
p = json.load(open(sys.argv[1]))
assert p["backend"] == "seatbelt" and p["mode"] == "none", p["mode"]
assert p["enforced"] is False and p["regions"] == []
assert {r["by"] for r in p["rules"]} == {"kernel (seatbelt)"}
assert any(r["rule"] == "!**/*.key" for r in p["rules"])
assert [s["id"] for s in p["shortfall"]] == ["seatbelt-moves",
    "seatbelt-names", "seatbelt-processes"]
assert not any(l["id"] in ("scheduling", "other-names") for l in p["limits"])
END
}

@test "seatbelt: what becomes of the network" {
	cordon plan --backend seatbelt --network full
	grep -q '^network    full$' "$T/stdout"
	[[ $(told) == *seatbelt-sockets* ]]
	cordon plan --backend seatbelt --format sbpl --network full
	grep -qF '(allow network*)' "$T/stdout"
	cordon plan --backend seatbelt --network 10.0.0.1:443
	grep -q '^network    none$' "$T/stdout"
	[[ $(told) == *seatbelt-hosts* && $(told) != *sockets* ]]
	cordon plan --backend seatbelt --format sbpl --network 10.0.0.1:443
	lacks '(allow network'
	cordon plan --backend seatbelt --network loopback
	grep -q '^network    loopback$' "$T/stdout"
	[[ $(told) != *seatbelt-hosts* ]]
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
