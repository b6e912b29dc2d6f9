#!/usr/bin/env bats
# cordon check: text, JSON, exit codes.  Expected lines are whole lines.

load helper

prepare()
{
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: demo}
spec:
  denyRead: ["**/*.env", "secrets/**"]
  denyModify: ["docs/frozen/**"]
  fsProfiles:
    dev:
      read: ["./**"]
      modify: ["src/**", "docs/**", "!src/gen/**"]
    none: {}
    closed:
      read: ["!tmp/**"]
END
	mkdir -p src/gen docs/frozen secrets tmp
	touch src/a secrets/key
}

dev()
{
	cordon check --policy p.yaml --profile dev "$@"
}

# answer KEYS...: the JSON line of a question about dev, p.yaml and $W.
answer()
{
	printf '{"schema":1,"as":"%s","profile":"%s","operation":"%s",' \
	    "$1" "$2" "$3"
	printf '"path":"%s","real_path":%s,"allowed":%s,"decision":"%s",' \
	    "$4" "$5" "$6" "$7"
	printf '"matched_rule":"%s","layer":"%s","rule_text":%s,' "$8" "$9" \
	    "${10}"
	printf '"source":%s,"line":%s,"column":%s,"deny_rule":%s}' "${11}" \
	    "${12}" "${13}" "${14}"
}

# ----- Text -------------------------------------------------------------------

@test "an allowed path names its rule, file, line and column" {
	dev src/a
	exits 0
	[ "$output" = 'allow  read  src/a  **  p.yaml:9:14 (policy)' ]
	quiet
}

@test "a denied path names the deny" {
	dev secrets/key
	exits 3
	[ "$output" = \
	    'deny  read  secrets/key  secrets/**  p.yaml:5:26 (policy)' ]
	quiet
}

@test "a negated rule of the profile denies what an earlier one allows" {
	dev --op modify src/a src/gen/x
	exits 3
	prints_line 'allow  modify  src/a  src/**  p.yaml:10:16 (policy)'
	prints_line \
	    'deny  modify  src/gen/x  src/gen/**  p.yaml:10:37 (policy)'
}

@test "no rule matched" {
	dev --op modify tmp/x
	exits 3
	[ "$output" = 'deny  modify  tmp/x  <no matching rule>  (policy)' ]
}

@test "no positive rule at all is []" {
	cordon check --as policy --policy p.yaml --profile none src/a
	exits 3
	[ "$output" = 'deny  read  src/a  []  (policy)' ]
}

@test "several paths: one line each, in order" {
	dev src/a secrets/key docs/x
	exits 3
	[ "$(printf '%s\n' "$output" | cut -d' ' -f1 | tr '\n' ' ')" = \
	    'allow deny allow ' ]
}

@test "--name=value and options behind the path" {
	cordon check src/a --policy=p.yaml --profile=dev --op=modify
	exits 0
	prints 'allow  modify  src/a  src/**'
}

@test "a path that begins with a dash goes behind --" {
	dev -- -x
	exits 0
	prints 'allow  read  -x  **'
}

@test "control characters do not reach the terminal" {
	dev "$(printf 'a\033[31m\nb\177')"
	exits 0
	[ "$output" = \
	    'allow  read  a\x1b[31m\x0ab\x7f  **  p.yaml:9:14 (policy)' ]
}

@test "marks that turn the direction of text do not reach the terminal" {
	dev "$(printf 'a\342\200\256b')"
	exits 0
	prints 'a\xe2\x80\xaeb  **'
}

@test "bytes that are no UTF-8 are printed as bytes, letters as letters" {
	dev "$(printf 'a\377b')" "$(printf 'caf\303\251')"
	exits 0
	prints 'read  a\xffb  **'
	prints "read  $(printf 'caf\303\251')  **"
}

# ----- JSON -------------------------------------------------------------------

@test "--json, an allowed path" {
	dev --json src/a
	exits 0
	[ "$output" = "$(answer process dev read src/a "\"$W/src/a\"" \
	    true allow '**' policy '"./**"' '"p.yaml"' 9 14 null)" ]
	quiet
}

@test "--json, a denied path" {
	dev --json --as agent secrets/key
	exits 3
	[ "$output" = "$(answer agent dev read secrets/key \
	    "\"$W/secrets/key\"" false deny 'secrets/**' policy \
	    '"secrets/**"' '"p.yaml"' 5 26 null)" ]
}

@test "--json --as policy has no real path" {
	dev --json --as policy ./src//a
	exits 0
	[ "$output" = "$(answer policy dev read ./src//a null \
	    true allow '**' policy '"./**"' '"p.yaml"' 9 14 null)" ]
}

@test "--json, the deny behind []" {
	cordon check --json --as policy --policy p.yaml --profile closed tmp/x
	exits 3
	[ "$(json matched_rule)" = '"[]"' ]
	[ "$(json deny_rule)" = '"tmp/**"' ]
	[ "$(json allowed)" = false ]
}

@test "--json, the floor" {
	cordon check --json "$HOME/.ssh/id_rsa"
	exits 3
	[ "$(json layer)" = '"floor"' ]
	[ "$(json matched_rule)" = '"~/.ssh"' ]
	[ "$(json source)" = '"<floor>"' ]
	[ "$(json line)" = null ]
	[ "$(json column)" = null ]
}

@test "--json, a path that is no UTF-8 has its bytes beside it" {
	dev --json "$(printf 'a\377b')"
	exits 0
	prints '"path":"a'"$(printf '\357\277\275')"'b","path_hex":"61ff62",'
	prints ',"real_path_hex":"'
}

@test "--json, control characters are escaped" {
	dev --json "$(printf 'a\033\nb"\\')"
	exits 0
	prints '"path":"a\u001b\nb\"\\",'
	[ "$(wc -l <"$T/stdout")" -eq 1 ]
}

@test "--json, all keys are there, in order" {
	dev --json --op modify tmp/x
	exits 3
	[ "$(grep -o '"[a-z_]*":' "$T/stdout" | tr -d '":' | tr '\n' ' ')" = \
	    "schema as profile operation path real_path allowed decision \
matched_rule layer rule_text source line column deny_rule " ]
}

# ----- No verdict -------------------------------------------------------------

@test "a path without a verdict: message, exit 2, nothing on stdout" {
	dev --as policy ../x
	exits 2
	[ -z "$output" ]
	complains 'cordon: ../x: '
	complains 'must stay inside the workspace root'
}

@test "a path without a verdict, --json: an object without 'allowed'" {
	dev --json --as policy /etc/passwd
	exits 2
	prints '{"schema":1,"path":"/etc/passwd","error":"InvalidInput","message":"'
	lacks '"allowed"'
}

@test "a leading ~ is invalid for a process" {
	dev --json '~/x'
	exits 2
	[ "$(json error)" = '"InvalidInput"' ]
}

@test "a loop of links is its own error" {
	ln -s l2 l1
	ln -s l1 l2
	dev --json l1
	exits 2
	[ "$(json error)" = '"TooManyLinks"' ]
}

@test "a missing workspace is its own error" {
	cordon check --json --workspace "$T/nowhere" src/a
	exits 2
	[ "$(json error)" = '"WorkspaceMissing"' ]
	lacks '"allowed"'
}

@test "an unknown profile is an error, never a verdict" {
	cordon check --json --policy p.yaml --profile nobody src/a
	exits 2
	[ "$(json error)" = '"InvalidInput"' ]
	complains 'does not define fsProfile'
	lacks '"allowed"'
}

@test "a policy that is not there" {
	cordon check --policy nowhere.yaml src/a
	exits 2
	[ -z "$output" ]
	complains nowhere.yaml
}

# ----- Exit codes ---------------------------------------------------------------

@test "2 beats 3 beats 0" {
	dev --as policy src/a
	exits 0
	dev --as policy src/a secrets/key
	exits 3
	dev --as policy src/a secrets/key ../x
	exits 2
	dev --as policy ../x secrets/key src/a
	exits 2
	prints 'deny  read  secrets/key'
}

# ----- Explaining ---------------------------------------------------------------

@test "--explain lists every rule that matched, in order" {
	dev --explain --as policy --op modify src/gen/x
	exits 3
	[ "$output" = "$(cat <<'END'
deny  modify  src/gen/x  src/gen/**  p.yaml:10:37 (policy)
    allow  src/**  p.yaml:10:16 (policy)
    deny   !src/gen/**  p.yaml:10:37 (policy)
END
)" ]
}

@test "--explain --json appends the rules" {
	dev --explain --json --as policy secrets/prod.env
	exits 3
	prints ',"deny_rule":null,"explain":[{"layer":"policy","rule":"**","rule_text":"./**","negated":false,"source":"p.yaml","line":9,"column":14},'
	prints '{"layer":"policy","rule":"**/*.env","rule_text":"**/*.env","negated":true,"source":"p.yaml","line":5,"column":14},'
	prints '{"layer":"policy","rule":"secrets/**","rule_text":"secrets/**","negated":true,"source":"p.yaml","line":5,"column":26}]}'
}

@test "--explain of a path that nothing matches" {
	dev --explain --json --as policy --op modify tmp/x
	exits 3
	prints ',"explain":[]}'
}

# ----- Layers -------------------------------------------------------------------

@test "the floor holds whatever the policy says" {
	mkdir -p "$HOME/.ssh"
	touch "$HOME/.ssh/id_rsa"
	for as in process agent; do
		cordon check --as "$as" --read "$HOME" "$HOME/.ssh/id_rsa"
		exits 3
		[ "$output" = "deny  read  $HOME/.ssh/id_rsa  ~/.ssh  \
<floor> (floor)" ]
		# The same root opens what the floor does not close.
		cordon check --as "$as" --read "$HOME" "$HOME/.sshx"
		exits 0
	done
}

@test "system directories are never writable" {
	cordon check --op modify --write / /etc/hosts
	exits 3
	prints '<floor> (floor)'
	cordon check /etc/hosts
	exits 0
}

@test "without a document the preset's rules hold" {
	cordon check --op modify src/a .git/config
	exits 3
	prints 'allow  modify  src/a  '
	prints '<preset workspace> (preset)'
	prints 'deny  modify  .git/config  **/.git/config  '
	cordon check --preset strict --op modify src/a
	exits 3
	cordon check --preset strict src/a
	exits 0
}

@test "outside the workspace" {
	touch "$T/other"
	cordon check --json "$T/other"
	exits 3
	[ "$(json matched_rule)" = '"<outside workspace>"' ]
	[ "$(json layer)" = '"workdir"' ]
	[ "$(json source)" = null ]
	cordon check "$T/other"
	[ "$output" = "deny  read  $T/other  <outside workspace>  (workdir)" ]
}

@test "--read and --write open roots outside" {
	mkdir "$T/in"
	cordon check --read "$T/in" "$T/in/x"
	exits 0
	cordon check --read "$T/in" --op modify "$T/in/x"
	exits 3
	cordon check --write "$T/in" --op modify "$T/in/x"
	exits 0
	cordon check --json --write ../in --op modify "$T/in/x"
	exits 0
	[ "$(json source)" = '"<command line>"' ]
}

@test "a link is judged by where it leads" {
	ln -s ../other out
	ln -s secrets inside
	dev out
	exits 3
	prints '<outside workspace>'
	dev inside/key
	exits 3
	prints 'secrets/**'
}

@test "relative paths are taken from the current directory" {
	cd src
	cordon check --json --workspace .. --policy ../p.yaml --profile dev a
	exits 0
	[ "$(json real_path)" = "\"$W/src/a\"" ]
}

@test "connections: none by default, loopback when said" {
	cordon check --op connect 127.0.0.1:8080
	exits 3
	cordon check --network loopback --op connect 127.0.0.1:8080
	exits 0
	cordon check --network loopback --op connect 192.0.2.1:80
	exits 3
	cordon check --network full --op connect 192.0.2.1:80
	exits 0
}

@test "--as block" {
	cordon check --json --as block --data-dir "$HOME/.d" --op modify \
	    "$HOME/.d/data/x"
	exits 3
	[ "$(json layer)" = '"block"' ]
	[ "$(json profile)" = null ]
	cordon check --as block --data-dir "$HOME/.d" --op modify \
	    "$HOME/.d/notes/x"
	exits 0
	cordon check --as block --data-dir "$HOME/.d" relative
	exits 3
	cordon check --as block --data-dir "$HOME/.d" \
	    --config-path "$T/conf" "$T/conf"
	exits 3
	cordon check --as block "$T/conf"
	exits 2
	complains "'--as block' needs '--data-dir DIR'"
}

@test "ORBIT_ACTIVITY_FS_PROFILE names the profile, --profile beats it" {
	export ORBIT_ACTIVITY_FS_PROFILE=none
	cordon check --json --as policy --policy p.yaml src/a
	exits 3
	[ "$(json profile)" = '"none"' ]
	cordon check --json --as policy --policy p.yaml --profile dev src/a
	exits 0
}

@test "several --policy files are intersected" {
	policy q.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: second}
spec: {denyRead: [src/a]}
END
	dev --policy q.yaml src/a
	exits 3
	prints 'q.yaml:4:19 (policy)'
	dev --policy q.yaml src/b
	exits 0
}

# ----- The workspace --------------------------------------------------------------

@test "the home directory is no workspace unless named" {
	cd "$HOME"
	cordon check x
	exits 2
	[ -z "$output" ]
	complains 'home directory'
	complains '--workspace'
	cordon check --workspace . x
	exits 0
}

@test "/ is no workspace unless named" {
	cd /
	cordon check x
	exits 2
	complains "'/'"
	cordon check --workspace / x
	[ "$status" -ne 2 ]
}

@test "what needs no workspace can be asked anywhere" {
	cd "$HOME"
	cordon check --as policy --policy "$W/p.yaml" --profile dev src/a
	exits 0
	cordon check --as block --data-dir "$HOME/.d" "$HOME/x"
	exits 0
}

@test "inside a work tree one line names its top" {
	mkdir -p .git src/deep
	echo 'ref: refs/heads/main' >.git/HEAD
	cordon check src/a
	exits 0
	quiet
	cd src/deep
	cordon check a
	exits 0
	[ "$(wc -l <"$T/stderr")" -eq 1 ]
	complains "--workspace '$W'"
	cordon check --workspace . a
	quiet
	cordon check --quiet a
	quiet
}

@test "a refused write to /tmp says what to do" {
	cordon check --op modify /tmp/x
	exits 3
	complains 'hint: use $TMPDIR, or --write /tmp'
	cordon check --quiet --op modify /tmp/x
	exits 3
	quiet
}

@test "a document above the workspace is no place in it" {
	policy ../p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec: {fsProfiles: {dev: {read: ["**"], modify: ["**"]}}}
END
	mode=''
	for name in "$T/p.yaml" ../p.yaml ./..//p.yaml; do
		cordon plan --policy "$name" --profile dev --json
		got=$(grep -o '"mode":"[^"]*"' "$T/stdout")
		[ "$got" = "${mode:-$got}" ]
		mode=$got
		cordon check --policy "$name" --profile dev --write "$T" \
		    --op modify "$T/p.yaml"
		exits 3
		grep -q '<floor>' "$T/stdout"
	done
	cordon check --policy ../p.yaml --profile dev --write "$T" --op modify \
	    "$T/other.yaml"
	exits 0
}

@test "a program of the system is no key where nobody can look" {
	program=$(find /usr/bin -type f -links +1 | head -n 1)
	[ -n "$program" ] || skip 'no program has several names'
	cp /bin/true prog
	ln prog prog2
	deep=$HOME/.ssh/$(printf 'd/%.0s' {1..70})
	mkdir -p "$deep"
	cordon check --op exec "$program"
	exits 0
	cordon check --op read prog
	exits 3 # it may lie below there
	rm -r "$HOME/.ssh"
	cordon check --op read prog
	exits 0
}
