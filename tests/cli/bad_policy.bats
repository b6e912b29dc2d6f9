#!/usr/bin/env bats
# A policy with a mistake gives no verdict: exit 2, the position, a remedy.

load helper

# refuses LINE:COLUMN TEXT <<document: as --policy, as the project's policy,
# and by `policy validate`, in text and in JSON.
refuses()
{
	policy bad.yaml
	cordon check --as policy --policy bad.yaml src/a
	exits 2 || return 1
	[ -z "$output" ] || { say 'a verdict'; return 1; }
	complains "bad.yaml:$1: error: " && complains "$2" || return 1

	mkdir -p .cordon
	cp bad.yaml .cordon/policy.yaml
	cordon check --json src/a
	exits 2 || return 1
	case $output in *'"allowed"'*) say 'a verdict'; return 1 ;; esac
	complains ".cordon/policy.yaml:$1: error: " || return 1

	cordon policy validate bad.yaml
	exits 2 && complains "bad.yaml:$1: error: " || return 1
	case $output in *': ok'*) say 'it is ok'; return 1 ;; esac

	cordon policy validate --json bad.yaml
	exits 2 && quiet || return 1
	prints "{\"schema\":1,\"source\":\"bad.yaml\",\"line\":${1%:*},\
\"column\":${1#*:},\"severity\":\"error\",\"error\":\"InvalidInput\",\
\"message\":\"" || return 1
	cordon policy lint bad.yaml
	exits 2
}

# The same with the first lines of a document in front; they are three.
refuses_spec()
{
	{
		printf 'schemaVersion: 2\nkind: Policy\nmetadata: {name: x}\n'
		cat
	} >"$T/document"
	refuses "$@" <"$T/document"
}

@test "the control: a good document is not refused" {
	policy good.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: x}
spec: {}
END
	cordon check --as policy --policy good.yaml src/a
	exits 0
	cordon policy validate good.yaml
	exits 0
	[ "$output" = 'good.yaml: ok' ]
}

@test "version 1" {
	refuses 1:16 'spec.denyRead' <<'END'
schemaVersion: 1
kind: Policy
metadata: {name: x}
spec: {}
END
	complains 'spec.denyModify' || cordon check --policy bad.yaml x
	complains 'spec.fsProfiles' || [ "$status" -eq 2 ]
}

@test "version 3" {
	refuses 1:16 'unsupported policy schemaVersion' <<'END'
schemaVersion: 3
kind: Policy
metadata: {name: x}
spec: {}
END
}

@test "no version" {
	refuses 1:1 'schemaVersion' <<'END'
kind: Policy
metadata: {name: x}
spec: {}
END
}

@test "another kind" {
	refuses 2:7 'Job' <<'END'
schemaVersion: 2
kind: Job
metadata: {name: x}
spec: {}
END
}

@test "no metadata" {
	refuses 1:1 'metadata' <<'END'
schemaVersion: 2
kind: Policy
spec: {}
END
}

@test "a name that climbs" {
	refuses 3:18 'invalid resource name' <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: ../x}
spec: {}
END
}

@test "an empty document" {
	refuses 1:1 '' </dev/null
}

@test "no YAML" {
	refuses 2:1 '' <<'END'
spec: [valid
END
}

@test "a list where a mapping must be" {
	refuses 1:1 '' <<'END'
- schemaVersion: 2
END
}

@test "an unknown key of the document" {
	refuses_spec 4:1 'specs' <<'END'
specs: {}
spec: {}
END
}

@test "an unknown key of spec" {
	refuses_spec 5:3 'denyExecute' <<'END'
spec:
  denyExecute: [x]
END
}

@test "an unknown key of a profile: write instead of modify" {
	refuses_spec 8:7 'write' <<'END'
spec:
  fsProfiles:
    p:
      read: ["**"]
      write: ["src/**"]
END
}

@test "the same key twice" {
	refuses_spec 6:3 'denyRead' <<'END'
spec:
  denyRead: [a]
  denyRead: [b]
END
}

@test "an anchor" {
	refuses_spec 5:13 '' <<'END'
spec:
  denyRead: &a [x]
  denyModify: [y]
END
}

@test "an alias" {
	refuses_spec 6:15 '' <<'END'
spec:
  denyRead: [x]
  denyModify: *a
END
}

@test "a tag" {
	refuses_spec 5:13 '' <<'END'
spec:
  denyRead: !!seq [x]
END
}

@test "a second document" {
	refuses_spec 5:1 '' <<'END'
spec: {}
---
spec: {}
END
}

@test "a NUL byte" {
	printf 'schemaVersion: 2\nkind: Po\0licy\n' >"$T/nul"
	refuses 2:9 '' <"$T/nul"
}

@test "bytes that are no UTF-8" {
	printf 'schemaVersion: 2\nkind: \377\n' >"$T/bad"
	refuses 2:7 'UTF-8' <"$T/bad"
}

@test "an escape character" {
	printf 'schemaVersion: 2\nkind: a\033b\n' >"$T/bad"
	refuses 2:8 '' <"$T/bad"
}

@test "a string where a list must be" {
	refuses_spec 5:13 'list' <<'END'
spec:
  denyRead: secrets
END
}

@test "a mapping where a rule must be" {
	refuses_spec 5:14 '' <<'END'
spec:
  denyRead: [{a: b}]
END
}

@test "an empty rule" {
	refuses_spec 5:14 'contains an empty path rule' <<'END'
spec:
  denyRead: [""]
END
}

@test "an absolute rule" {
	refuses_spec 7:14 'must stay inside the workspace root' <<'END'
spec:
  fsProfiles:
    p:
      read: ["/etc/**"]
END
}

@test "a rule that climbs" {
	refuses_spec 7:14 'must stay inside the workspace root' <<'END'
spec:
  fsProfiles:
    p:
      read: ["src/../../x"]
END
}

@test "a rule with ~" {
	refuses_spec 5:14 'must stay inside the workspace root' <<'END'
spec:
  denyRead: ["~/x"]
END
}

@test "modify without read" {
	refuses_spec 8:16 'not covered by any read rule' <<'END'
spec:
  fsProfiles:
    p:
      read: ["src/**"]
      modify: ["docs/**"]
END
}

@test "a rule that a global deny takes away whole" {
	refuses_spec 8:14 'duplicates global denyRead entry' <<'END'
spec:
  denyRead: ["b/**"]
  fsProfiles:
    p:
      read: ["b/**"]
END
}

@test "an exception in denyRead" {
	refuses_spec 5:14 'cannot be an exception' <<'END'
spec:
  denyRead: ["!a"]
END
}

@test "an exception outside every deny" {
	refuses_spec 5:16 'strictly contained by an earlier denyModify rule' \
	    <<'END'
spec:
  denyModify: ["!a/b", "a/**"]
END
}

@test "an exception with a wildcard" {
	refuses_spec 5:24 'must name an exact path' <<'END'
spec:
  denyModify: ["a/**", "!a/*/b"]
END
}

@test "an empty profile name" {
	refuses_spec 6:5 'empty fsProfile name' <<'END'
spec:
  fsProfiles:
    "  ": {}
END
}

@test "a host root that is not absolute" {
	refuses_spec 7:21 'not absolute' <<'END'
spec:
  fsProfiles:
    p:
      host: {read: [cache]}
END
}

@test "an unknown network word" {
	refuses_spec 7:16 '' <<'END'
spec:
  fsProfiles:
    p:
      network: sometimes
END
}

@test "a wrong duration" {
	refuses_spec 7:22 '' <<'END'
spec:
  fsProfiles:
    p:
      limits: {wall: 10 parsecs}
END
}

@test "a wrong word" {
	refuses_spec 5:16 '' <<'END'
spec:
  enforcement: maybe
END
}

@test "a sealed profile that is not there" {
	refuses_spec 5:12 'dev' <<'END'
spec:
  sealed: [dev]
END
}

@test "nested too deep" {
	{
		printf 'schemaVersion: 2\nkind: Policy\nmetadata: {name: x}\n'
		printf 'spec: '
		printf '[%.0s' $(seq 40)
		printf ']%.0s' $(seq 40)
		echo
	} >"$T/deep"
	refuses 4:38 '' <"$T/deep"
}

@test "too large" {
	{
		printf 'schemaVersion: 2\nkind: Policy\nmetadata: {name: x}\n'
		printf 'spec: {}\n# '
		head -c 1100000 /dev/zero | tr '\0' x
		echo
	} >bad.yaml
	cordon check --as policy --policy bad.yaml a
	exits 2
	[ -z "$output" ]
	complains bad.yaml
	complains '1 MiB' || complains 1048576
}

@test "all mistakes at once, each with its place, remedies below" {
	policy bad.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: x}
spec:
  denyReed: [a]
  denyModify: ["/etc"]
  fsProfiles:
    p:
      write: ["**"]
END
	cordon policy validate bad.yaml
	exits 2
	[ -z "$output" ]
	complains 'bad.yaml:5:3: error: '
	complains 'bad.yaml:6:16: error: '
	complains 'bad.yaml:9:7: error: '
	grep -q '^  hint: ' "$T/stderr"
	complains denyRead
	cordon policy validate --json bad.yaml
	[ "$(wc -l <"$T/stdout")" -ge 3 ]
}

@test "a directory, a FIFO, no permission, nothing there" {
	mkdir dir.yaml
	mkfifo fifo.yaml
	for file in dir.yaml fifo.yaml nowhere.yaml; do
		cordon check --as policy --policy "$file" a
		exits 2
		[ -z "$output" ]
		complains "$file"
		cordon policy validate "$file"
		exits 2
		complains "$file"
		cordon policy validate --json "$file"
		exits 2
		prints '"severity":"error"'
	done
	mkdir -p .cordon/policy.yaml
	cordon check a
	exits 2
	[ -z "$output" ]
}

@test "validate: one bad file of several is 2, the good ones are named" {
	policy good.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: x}
spec: {}
END
	echo nonsense >bad.yaml
	cordon policy validate good.yaml bad.yaml good.yaml
	exits 2
	[ "$output" = "$(printf 'good.yaml: ok\ngood.yaml: ok')" ]
	complains 'bad.yaml:1:1: error: '
}
