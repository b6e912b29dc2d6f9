#!/usr/bin/env bats
# cordon check --stdin: one query per line, one answer per line, in order.

load helper

prepare()
{
	policy p.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: demo}
spec:
  denyRead: ["secrets/**"]
  fsProfiles:
    dev: {read: ["**"], modify: ["src/**"]}
    reader: {read: ["docs/**"]}
END
}

# asks OPTION...: the lines of standard input go to the command.
asks()
{
	cat >"$T/queries"
	status=0
	"$CORDON" check --stdin --as policy --policy p.yaml --profile dev \
	    "$@" <"$T/queries" >"$T/stdout" 2>"$T/stderr" || status=$?
	output=$(cat "$T/stdout")
	stderr=$(cat "$T/stderr")
}

# values KEY: that key of every answer, one line.
values()
{
	python3 -c 'import json, sys
print(" ".join(json.dumps(json.loads(line).get(sys.argv[2]))
    for line in open(sys.argv[1], "rb")))' "$T/stdout" "$1"
}

@test "answers come in the order of the queries, whatever the verdicts" {
	asks <<'END'
{"path":"src/a"}
{"path":"secrets/k"}
{"path":"src/a","op":"modify"}
{"path":"docs/a","op":"modify"}
END
	exits 0
	[ "$(values path)" = '"src/a" "secrets/k" "src/a" "docs/a"' ]
	[ "$(values decision)" = '"allow" "deny" "allow" "deny"' ]
	[ "$(values operation)" = '"read" "read" "modify" "modify"' ]
	quiet
}

@test "an answer is the line that --json prints" {
	asks <<'END'
{"path":"src/a","op":"modify"}
END
	answer=$output
	cordon check --json --as policy --policy p.yaml --profile dev \
	    --op modify src/a
	[ "$output" = "$answer" ]
}

@test "a query can name profile, op and who asks" {
	touch src
	asks <<'END'
{"path":"docs/a","profile":"reader"}
{"path":"src/a","profile":"reader"}
{"path":"docs/a","profile":"dev"}
{"path":"src","as":"agent"}
{"path":"docs/a","profile":"unrestricted","op":"modify"}
END
	exits 0
	[ "$(values decision)" = '"allow" "deny" "allow" "allow" "allow"' ]
	[ "$(values as)" = '"policy" "policy" "policy" "agent" "policy"' ]
}

@test "more profiles than are kept open" {
	{
		head -n 6 p.yaml
		for i in $(seq 20); do
			echo "    p$i: {read: [\"d$i/**\"]}"
		done
	} >many.yaml
	for _ in 1 2 3; do
		for i in $(seq 20); do
			echo "{\"path\":\"d$i/x\",\"profile\":\"p$i\"}"
		done
	done >"$T/queries"
	status=0
	"$CORDON" check --stdin --as policy --policy many.yaml \
	    <"$T/queries" >"$T/stdout" 2>"$T/stderr" || status=$?
	exits 0
	[ "$(grep -c '"decision":"allow"' "$T/stdout")" -eq 60 ]
}

@test "an invalid path and an unknown profile are answers, too" {
	asks <<'END'
{"path":"../x"}
{"path":"src/a","profile":"nobody"}
{"path":"src/a"}
END
	exits 0
	[ "$(values error)" = '"InvalidInput" "InvalidInput" null' ]
	[ "$(values path)" = '"../x" "src/a" "src/a"' ]
	[ "$(values allowed)" = 'null null true' ]
}

@test "--as block, keys and options" {
	asks --data-dir "$T/d" <<END
{"path":"$T/d/data/x","as":"block"}
{"path":"$T/e/data/x","as":"block"}
{"path":"$T/e/data/x","as":"block","data_dir":"$T/e"}
{"path":"$T/conf","as":"block","config_path":"$T/conf"}
END
	exits 0
	[ "$(values decision)" = '"deny" "allow" "deny" "deny"' ]
}

# refused LINE TEXT: no query, one error object, and the next line is asked.
refused()
{
	printf '%s\n{"path":"src/a"}\n' "$1" >"$T/in"
	asks <"$T/in"
	exits 2
	[ "$(wc -l <"$T/stdout")" -eq 2 ] || { say "$1"; return 1; }
	head -n 1 "$T/stdout" | grep -qF \
	    '{"schema":1,"path":null,"error":"InvalidInput","message":"' ||
	    { say "$1"; return 1; }
	head -n 1 "$T/stdout" | grep -qF -- "$2" || { say "$2"; return 1; }
	tail -n 1 "$T/stdout" | grep -qF '"decision":"allow"'
}

@test "a line that is no query gets an error object" {
	refused '' 'JSON'
	refused 'src/a' 'JSON'
	refused '[]' 'object'
	refused '"src/a"' 'object'
	refused '{}' "'path'"
	refused '{"path":1}' "'path' must be a string"
	refused '{"path":null}' "'path' must be a string"
	refused '{"path":"a","op":"fly"}' "'fly'"
	refused '{"path":"a","as":"root"}' "'root'"
	refused '{"path":"a","Path":"b"}' "'Path'"
	refused '{"path":"a","path":"b"}' 'JSON'
	refused '{"path":"a","profile":["dev"]}' "'profile'"
	refused '{"path":"a"} {"path":"b"}' 'JSON'
	refused '{"path":"a\u0000b"}' 'JSON'
	refused '{"path":"\ud800"}' 'JSON'
	refused "$(printf '{"path":"\377"}')" 'JSON'
	refused '{"path":"a",}' 'JSON'
	refused "{'path':'a'}" 'JSON'
}

@test "a line that is too long is refused, the next one is asked" {
	long=$(head -c 200000 /dev/zero | tr '\0' a)
	refused "{\"path\":\"$long\"}" 'longer than 131072 bytes'
	# Many times the buffer.
	refused "$long$long$long$long$long" 'longer than 131072 bytes'
}

@test "the last line needs no newline, no line at all is no error" {
	printf '{"path":"src/a"}' >"$T/in"
	asks <"$T/in"
	exits 0
	[ "$(wc -l <"$T/stdout")" -eq 1 ]
	asks </dev/null
	exits 0
	[ -z "$output" ]
}

@test "unicode escapes are read, answers are UTF-8" {
	asks <<'END'
{"path":"src/\u00e9\ud83d\ude00\n"}
END
	exits 0
	prints "\"path\":\"src/$(printf '\303\251\360\237\230\200')\\n\""
}

@test "an answer arrives while the input stays open" {
	mkfifo "$T/in" "$T/out"
	"$CORDON" check --stdin --as policy --policy p.yaml --profile dev \
	    <"$T/in" >"$T/out" &
	pid=$!
	exec 8>"$T/in" 9<"$T/out"
	echo '{"path":"src/a"}' >&8
	IFS= read -r -t 120 line <&9
	[[ $line == *'"path":"src/a"'*'"decision":"allow"'* ]]
	printf '{"path":"secre' >&8
	printf 'ts/k"}\n' >&8
	IFS= read -r -t 120 line <&9
	[[ $line == *'"decision":"deny"'* ]]
	exec 8>&-
	wait "$pid"
	exec 9<&-
}

@test "--explain goes with --stdin" {
	asks --explain <<'END'
{"path":"secrets/k"}
END
	exits 0
	prints '"explain":[{"layer":"policy","rule":"**"'
}

@test "--stdin takes no paths, a bad policy no queries" {
	asks src/a </dev/null
	exits 2
	complains "'--stdin'"
	echo nonsense >p.yaml
	asks <<'END'
{"path":"src/a"}
END
	exits 2
	[ -z "$output" ]
	complains 'p.yaml:1:1: error: '
}

@test "an unreadable standard input" {
	status=0
	"$CORDON" check --stdin <"$W" >"$T/stdout" 2>"$T/stderr" || status=$?
	output='' stderr=$(cat "$T/stderr")
	exits 2
	complains 'cannot read standard input'
}

@test "too wide a workspace is refused per query, where it matters" {
	cd "$HOME"
	cat >"$T/queries" <<END
{"path":"src/a","as":"policy"}
{"path":"src/a"}
END
	status=0
	"$CORDON" check --stdin --policy "$W/p.yaml" --profile dev \
	    <"$T/queries" >"$T/stdout" 2>"$T/stderr" || status=$?
	output=$(cat "$T/stdout")
	exits 0
	[ "$(values decision)" = '"allow" null' ]
	[ "$(values error)" = 'null "InvalidInput"' ]
}
