#!/usr/bin/env bats
# cordon worker: documents of workers.

load helper

prepare()
{
	cat >good.yaml <<'END'
name: w
sandbox:
  paths:
    a: {root: ./a, mode: rw, suffixes: [.md]}
  network: false
END
	cat >old.yaml <<'END'
sandboxes:
  a:
    path: ./a
    mode: rw
END
}

@test "a valid document is ok" {
	cordon worker validate good.yaml
	exits 0
	[ "$output" = 'good.yaml: ok' ]
}

@test "everything that is wrong is told at once, with its place" {
	printf 'nam: x\nsandbox: {paths: {a: {mode: wx}}}\n' >bad.yaml
	cordon worker validate bad.yaml good.yaml
	exits 2
	[ "$output" = 'good.yaml: ok' ]
	[[ "$stderr" = *"bad.yaml:1:1: error: unknown key 'nam' (did you mean 'name'?)"* ]]
	[[ "$stderr" = *"bad.yaml:2:"*"'sandbox.paths.a.root' is missing"* ]]
	[[ "$stderr" = *"'sandbox.paths.a.mode' must be ro or rw, found 'wx'"* ]]
}

@test "the older form is refused with the way out, and migrated" {
	cordon worker validate old.yaml
	exits 2
	[[ "$stderr" = *"write sandbox.paths, with 'root' instead of 'path'"* ]]
	cordon worker migrate old.yaml
	exits 0
	printf '%s\n' "$output" >new.yaml
	cordon worker validate new.yaml
	exits 0
}

@test "what is shown loads again and is shown the same" {
	cordon worker show good.yaml
	exits 0
	first=$output
	printf '%s\n' "$first" >again.yaml
	cordon worker show again.yaml
	exits 0
	[ "$output" = "$first" ]
}

@test "a file that is not there, and wrong usage" {
	cordon worker validate missing.yaml
	exits 2
	cordon worker show
	exits 2
	cordon worker
	exits 2
}
