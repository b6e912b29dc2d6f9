#!/usr/bin/env bats
# cordon check --shell: early advice about commands.

load helper

prepare()
{
	mkdir -p src
	touch src/a
}

@test "a command that stays inside is allowed" {
	cordon check --shell 'cat src/a >src/b'
	exits 0
	[ "$output" = 'allow  shell  cat src/a >src/b' ]
}

@test "a command that names something outside is denied" {
	cordon check --shell 'cat src/a </etc/passwd'
	exits 3
	[[ "$output" = "deny  shell  cat src/a </etc/passwd  read of '/etc/passwd' is refused: "* ]]
}

@test "what is opened by an option may be named" {
	mkdir "$T/more"
	cordon check --shell "cat $T/more/x"
	exits 3
	cordon check --read "$T/more" --shell "cat $T/more/x"
	exits 0
	cordon check --read "$T/more" --shell "echo >$T/more/x"
	exits 3
}

@test "JSON has all keys" {
	cordon check --json --shell 'cat ~/.ssh/id'
	exits 3
	[[ "$output" = '{"schema":1,"command":"cat ~/.ssh/id","allowed":false,"token":"~/.ssh/id","dynamic":true,"reason":"'*'"}' ]]
	cordon check --json --shell 'true'
	exits 0
	[ "$output" = '{"schema":1,"command":"true","allowed":true,"token":null,"dynamic":false,"reason":null}' ]
}

@test "what cannot be read is denied" {
	cordon check --json --shell "cat 'src/a"
	exits 3
	[[ "$output" = *'"reason":"the command cannot be read: a quote is not closed'* ]]
}

@test "a command is asked about alone" {
	cordon check --shell 'true' src/a
	exits 2
	cordon check --shell 'true' --stdin
	exits 2
	cordon check --shell 'true' --as agent
	exits 2
	cordon check --shell
	exits 2
}

@test "a workspace that overlaps cordon's state is refused" {
	mkdir -p "$XDG_STATE_HOME/cordon"
	cordon check --workspace "$XDG_STATE_HOME" --shell true
	exits 2
	[[ "$stderr" = *overlap* ]]
}

@test "what only a shell can know needs a host that holds everything" {
	if [ -z "${CORDON_TEST:-}" ]; then skip "no cordon-test"; fi
	CORDON=$CORDON_TEST
	CORDON_TEST_HOST='landlock_abi=0' cordon check --shell 'cat src/*'
	exits 3
	[[ "$output" = 'deny  shell  cat src/*  (dynamic)  '* ]]
	CORDON_TEST_HOST='landlock_abi=0' cordon check --shell 'cat src/a'
	exits 0
}

@test "the rules of a worker have a say" {
	echo '{"name": "w", "programs": ["git", "true", "rm"], "shell_rules": [
	    {"pattern": "git push", "approval_required": true, "grants": {"network": true}},
	    {"pattern": "ls", "approval_required": false},
	    {"pattern": "true", "approval_required": false}]}' >"$T/w.yaml"
	cordon check --worker "$T/w.yaml" --shell 'git push origin'
	exits 4
	[ "$output" = 'ask  shell  git push origin  it needs approval: git push origin (requires network)' ]
	cordon check --json --worker "$T/w.yaml" --shell 'git push'
	exits 4
	[[ "$output" = *'"allowed":false'* ]]
	cordon check --worker "$T/w.yaml" --shell true
	exits 0
	cordon check --worker "$T/w.yaml" --shell 'rm x'
	exits 3
	[[ "$output" = *'the worker has no rule for it' ]]
	cordon check --worker "$T/w.yaml" --shell ls
	exits 3
	[[ "$output" = *'none of the programs'* ]]
	[ ! -e "$XDG_STATE_HOME/cordon/audit.jsonl" ]
}
