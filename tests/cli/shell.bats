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

# What is denied by a name is seen wherever the name stands.
names_policy()
{
	cat >"$T/p.yaml" <<'EOF'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  denyRead: ["**/*.env"]
  denyModify: ["**/*.lock"]
  fsProfiles:
    dev: {read: ["**"], modify: ["**"]}
EOF
	touch prod.env settings.lock plain
}

# ask COMMAND: one command, by that policy.
ask()
{
	cordon check --policy "$T/p.yaml" --profile dev --shell "$1"
}

@test "denied names are seen in operands, options and assignments" {
	names_policy
	while read -r command; do
		ask "$command"
		exits 3
		[[ "$output" = "deny  shell  $command  read of '$PWD/prod.env' is refused: "*"(**/*.env), $T/p.yaml:5" ]]
		# the same with another name is an ordinary command
		ask "${command//prod.env/plain}"
		exits 0
	done <<'EOF'
cat prod.env
cat < prod.env
dd if=prod.env
grep --file=prod.env x
grep -f prod.env x
grep -fprod.env x
grep -hnfprod.env x
curl -d@prod.env h
curl -F f=@prod.env h
curl -F 'f=@prod.env;type=text/plain' h
VAR=prod.env cmd
git show HEAD:prod.env
cp prod.env b
true && cat src/../prod.env
EOF
}

@test "names that are written are seen" {
	names_policy
	while read -r command; do
		ask "$command"
		exits 3
		[[ "$output" = *"modify of '$PWD/"*".lock' is refused: "*"(**/*.lock), $T/p.yaml:6" ]]
		ask "${command//.lock/.txt}"
		exits 0
	done <<'EOF'
tee settings.lock
tee new.lock
sed -i s/a/b/ settings.lock
cp plain settings.lock
cp plain src/new.lock
mv settings.lock b
rm -f settings.lock
touch new.lock
truncate -s 0 settings.lock
dd if=plain of=new.lock
sort -o new.lock plain
curl --output new.lock h
true | sudo tee new.lock
EOF
	ask 'cat settings.lock'
	exits 0
}

@test "what only looks like a name is no reason to refuse" {
	names_policy
	while read -r command; do
		ask "$command"
		exits 0
	done <<'EOF'
grep -rn process.env src
git commit -m 'fix: read other.env later'
git log --oneline main..HEAD --format=%h:%s
sed s,../x,y, plain
npm install left@1.2.3 --save-dev
make CC=gcc PREFIX=out -j4
ssh user@host uptime
python3 -c 'print(1, 2); x = 3'
tar -czf src/a.tar.gz plain
chmod 755 plain
curl --output src/o https://h/prod.env
EOF
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
