#!/usr/bin/env bats
# cordon policy lint: one finding of every kind, and silence without it.

load helper

prepare()
{
	mkdir -p src docs
	touch src/a docs/a
}

# spec <<lines below spec: the document's first four lines are added.
spec()
{
	{
		printf 'schemaVersion: 2\nkind: Policy\nmetadata: {name: x}\n'
		printf 'spec:\n'
		cat
	} >p.yaml
}

# finds LINE:COLUMN TEXT: on stdout, as a warning, exit 1.
finds()
{
	cordon policy lint p.yaml
	exits 1 || return 1
	grep -F "p.yaml:$1: warning: " "$T/stdout" | grep -qF -- "$2" ||
	    { say "nothing at $1 like $2"; return 1; }
}

# clean_of TEXT: lint may find other things, not this one.
clean_of()
{
	cordon policy lint p.yaml
	[ "$status" -le 1 ] || { say failed; return 1; }
	lacks "$1"
}

@test "clean: nothing on stdout, exit 0" {
	spec <<'END'
  fsProfiles:
    p: {read: ["src/**"]}
END
	cordon policy lint p.yaml
	exits 0
	[ -z "$output" ]
	quiet
}

@test "a shadowed rule" {
	spec <<'END'
  fsProfiles:
    p:
      read: ["src/a", "src/**"]
END
	finds 7:14 "rule 'src/a' never decides"
	spec <<'END'
  fsProfiles:
    p:
      read: ["src/**", "!src/a"]
END
	clean_of 'never decides'
}

@test "a rule that matches nothing in the workspace" {
	spec <<'END'
  denyRead: ["sercets/**"]
  fsProfiles:
    p: {read: ["src/**"]}
END
	finds 5:14 "rule 'sercets/**' matches nothing here"
	mkdir sercets
	clean_of 'sercets'
}

@test "a list of negations only" {
	spec <<'END'
  fsProfiles:
    p: {read: ["!src/**"]}
END
	finds 6:16 'only negated rules'
	spec <<'END'
  fsProfiles:
    p: {read: ["**", "!src/**"]}
END
	clean_of 'only negated rules'
}

@test "brackets and braces are literal" {
	spec <<'END'
  fsProfiles:
    p: {read: ["src/[ab]", "src/{x,y}"]}
END
	finds 6:16 "brackets in rule 'src/[ab]' are literal"
	finds 6:28 "braces in rule 'src/{x,y}' are literal"
}

@test "denied to read, left to modify" {
	mkdir keys
	spec <<'END'
  denyRead: ["keys/**"]
  fsProfiles:
    p: {read: ["**"], modify: ["**"]}
END
	finds 5:14 "profile 'p' may modify it"
	spec <<'END'
  denyRead: ["keys/**"]
  denyModify: ["keys/**"]
  fsProfiles:
    p: {read: ["**"], modify: ["src/**"]}
END
	clean_of 'keys'
}

@test "a negation undone by a later rule" {
	spec <<'END'
  fsProfiles:
    p:
      read: ["!src/a", "src/**"]
END
	finds 7:14 "(line 7) grants it again"
	prints 'hint: put it behind that rule: the last match wins'
}

@test "what the host would execute, left modifiable" {
	mkdir -p .git/hooks
	spec <<'END'
  unprotect: [".git/hooks/**"]
  fsProfiles:
    p: {read: ["**"], modify: ["**"]}
END
	finds 7:32 "profile 'p' may modify what this machine would later execute"
	prints '.git/hooks'
	spec <<'END'
  fsProfiles:
    p: {read: ["**"], modify: ["src/*.c"]}
END
	clean_of 'later execute'
}

@test "an empty read list" {
	spec <<'END'
  fsProfiles:
    p: {read: []}
END
	finds 6:5 'the profile reads nothing of the workspace'
}

@test "--json: one finding per line" {
	spec <<'END'
  fsProfiles:
    p: {read: ["src/[ab]"]}
END
	cordon policy lint --json p.yaml
	exits 1
	prints '{"schema":1,"source":"p.yaml","line":6,"column":16,"severity":"warning","error":null,"message":"'
}

@test "without FILE: every document that would be loaded here" {
	cordon policy lint
	exits 0
	complains 'no document is loaded'
	spec <<'END'
  fsProfiles:
    p: {read: ["src/[ab]"]}
END
	mkdir -p "$XDG_CONFIG_HOME/cordon" .cordon
	cp p.yaml "$XDG_CONFIG_HOME/cordon/policy.yaml"
	cp p.yaml .cordon/policy.yaml
	cordon policy lint
	exits 1
	prints "$XDG_CONFIG_HOME/cordon/policy.yaml:6:16: warning: "
	prints '.cordon/policy.yaml:6:16: warning: '
	cordon policy lint --policy p.yaml
	exits 1
	[ "$(grep -c 'literal' "$T/stdout")" -eq 1 ]
}

@test "invalid is 2, also beside a document with findings" {
	spec <<'END'
  fsProfiles:
    p: {read: ["src/[ab]"]}
END
	echo nonsense >bad.yaml
	cordon policy lint p.yaml bad.yaml
	exits 2
	complains 'bad.yaml:1:1: error: '
	prints 'p.yaml:6:16: warning: '
}
