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

# ----- --worker --------------------------------------------------------------

roots()
{
	mkdir -p a b c
	echo a >a/x.md
	echo b >b/x
	echo c >c/x
	cat >w.yaml <<'END'
name: w
sandbox:
  paths:
    a: {root: ./a, mode: rw}
    b: {root: ./b, mode: ro}
END
}

@test "--worker: its paths are the only roots, and the document is named" {
	roots
	cordon check --worker w.yaml a/x.md b/x
	exits 0
	[ "${output%%$'\n'*}" = "allow  read  a/x.md  a/**  w.yaml:4:5 (worker)" ]
	cordon check --worker w.yaml c/x
	exits 3
	[ "$output" = 'deny  read  c/x  <no matching rule>  (worker)' ]
	cordon check --worker w.yaml --op modify b/x
	exits 3
}

@test "--worker: the file that was read stays as it is" {
	roots
	sed -i 's|root: ./a|root: .|' w.yaml
	cordon check --worker w.yaml --op modify a/x.md
	exits 0
	cordon check --worker w.yaml --op modify w.yaml
	exits 3
	[[ "$output" = *'(floor)' ]]
}

@test "--worker: roots of the command line must be the worker's" {
	roots
	cordon check --worker w.yaml --write c a/x.md
	exits 2
	[[ "$stderr" = *"--write 'c': the worker's 'sandbox.paths' are the only roots"* ]]
	cordon check --worker w.yaml --write a a/x.md
	exits 0
	cordon check --worker w.yaml --preset protect a/x.md
	exits 2
}

@test "--worker: an unusable document stops everything" {
	echo 'nam: x' >bad.yaml
	cordon check --worker bad.yaml a
	exits 2
	[[ "$stderr" = *"bad.yaml:1:1: error: unknown key 'nam'"* ]]
	cordon run --worker missing.yaml -- true
	exits 125
}

@test "--worker: sandbox none opens nothing by itself" {
	printf 'executor: {sandbox: none, allow_fallback: true}\n' >none.yaml
	cordon run --worker none.yaml -- touch made
	exits 125
	[[ "$stderr" = *"'executor.sandbox: none' opens nothing by itself"* ]]
	[ ! -e made ]
	printf 'executor: {sandbox: linux-bwrap}\n' >bwrap.yaml
	cordon plan --worker bwrap.yaml --json
	[[ "$output" = *'"backend":"bwrap"'* ]]
}

@test "worker run: the command has the worker's roots and no others" {
	roots
	cordon worker run w.yaml -- sh -c 'cat a/x.md b/x; echo n >a/new;
	    cat c/x; echo n >b/new; echo n >c/new; echo n >w.yaml'
	[[ "$output" = "a"*"b" ]]
	[ "$(cat a/new)" = n ]
	[ ! -e b/new ]
	[ ! -e c/new ]
	grep -q 'name: w' w.yaml
	[[ "$stderr" = *'c/x: Permission denied'* ]]
}

@test "worker run: the run is recorded with the document" {
	roots
	cordon worker run w.yaml --audit "$T/log" -- true
	exits 0
	digest=$(sha256sum w.yaml)
	grep '"run.start"' "$T/log" | grep -q "\"worker\".*${digest%% *}"
}

@test "worker run: usage" {
	roots
	cordon worker run w.yaml true
	exits 125
	[[ "$stderr" = *"one FILE stands before '--', the command behind it"* ]]
	cordon worker run w.yaml --
	exits 125
	[[ "$stderr" = *'which command?'* ]]
	cordon worker run -- true
	exits 125
	cordon worker run w.yaml --worker w.yaml -- true
	exits 125
	[[ "$stderr" = *"unknown option '--worker'"* ]]
	cordon worker run w.yaml -- no-such-program
	exits 127
}

@test "worker run: sandbox none goes with --no-sandbox" {
	printf 'executor: {sandbox: none}\n' >none.yaml
	cordon worker run none.yaml -- touch made
	exits 125
	[ ! -e made ]
	cordon worker run none.yaml --no-sandbox -- touch made
	exits 0
	[ -e made ]
	[[ "$stderr" = *'OS sandbox unavailable, using application-level checks only'* ]]
}

@test "a worker as agent frameworks write it today loads as it is, and holds" {
	mkdir portfolio pipeline framework
	echo old >portfolio/a.md
	echo old >pipeline/a.pdf
	cat >today.yaml <<'END'
name: portfolio_orchestrator

sandbox:
  # Paths accessible to this worker
  paths:
    portfolio:
      root: ./portfolio
      mode: rw                    # read-write
      suffixes: [.md, .pdf]       # application filter (not OS-enforced)
      max_file_bytes: 10000000    # application limit
    pipeline:
      root: ./pipeline
      mode: ro                    # read-only
      suffixes: [.pdf]
    framework:
      root: ./framework
      mode: ro
      suffixes: [.md]

  # Network access
  network: false                  # OS-enforced

  # What happens if OS sandbox unavailable
  require_os_sandbox: false       # warn and continue, or fail?

# Attachment policy (for sub-worker calls)
attachment_policy:
  max_count: 5
  max_total_bytes: 15000000
  # Attachments must come from readable paths (enforced by sandbox)

# Tool-specific rules (approval UX, not security)
tool_rules:
  shell:
    approval_required: true
  write_text:
    approval_required: false
END
	cordon worker validate today.yaml
	exits 0
	cordon worker run today.yaml -- \
	    sh -c 'echo new >portfolio/a.md; echo new >pipeline/a.pdf'
	[ "$(cat portfolio/a.md)" = new ]
	[ "$(cat pipeline/a.pdf)" = old ]
	cordon verify --worker today.yaml
	exits 0
	[[ "$output" = *' 0 disagreements'* ]]
}
