#!/usr/bin/env bats
# Where output goes, its colour, and what happens when it cannot go there.

load helper

prepare()
{
	touch a
}

# on_terminal COMMAND: its output on a terminal, in $output.
on_terminal()
{
	output=$(script -qec "$1" /dev/null </dev/null | tr -d '\r')
}

esc=$(printf '\033')

@test "colour on a terminal" {
	unset NO_COLOR
	export TERM=xterm
	on_terminal "'$CORDON' check a"
	[[ $output == "${esc}[32mallow${esc}[0m  read  a  "* ]]
	on_terminal "'$CORDON' check --op modify .git/config"
	[[ $output == "${esc}[31mdeny${esc}[0m  "* ]]
}

@test "no colour with NO_COLOR, on a dumb terminal, into a pipe" {
	export TERM=xterm NO_COLOR=1
	on_terminal "'$CORDON' check a"
	[[ $output == 'allow  read  a  '* ]]
	export NO_COLOR=
	on_terminal "'$CORDON' check a"
	[[ $output == 'allow  read  a  '* ]]
	unset NO_COLOR
	export TERM=dumb
	on_terminal "'$CORDON' check a"
	[[ $output == 'allow  read  a  '* ]]
	export TERM=xterm
	cordon check a
	[[ $output == 'allow  read  a  '* ]]
}

@test "JSON is never coloured" {
	unset NO_COLOR
	export TERM=xterm
	on_terminal "'$CORDON' check --json a"
	[[ $output == '{"schema":1,'* ]]
}

# broken ARG...: with standard output on /dev/full.
broken()
{
	status=0
	"$CORDON" "$@" >/dev/full 2>"$T/stderr" || status=$?
	output='' stderr=$(cat "$T/stderr")
	exits 2 || { say "$*"; return 1; }
	complains 'cannot write to standard output: No space left on device'
}

@test "a full disk is never a success" {
	mkdir "$T/new"
	broken check a
	broken check --json a
	broken --version
	broken --help
	broken policy schema
	broken policy show
	broken policy init "$T/new"
	broken check --stdin <<<'{"path":"a"}'
}

@test "a denial into a full disk is 2, not 3" {
	broken check --op modify .git/config
}

@test "a reader that went away is an error, not a signal" {
	for _ in $(seq 2000); do
		echo '{"path":"a"}'
	done >"$T/queries"
	status=0
	{
		"$CORDON" check --stdin <"$T/queries" 2>"$T/stderr" ||
		    echo $? >"$T/status"
	} | head -n 1 >"$T/stdout"
	status=$(cat "$T/status")
	output='' stderr=$(cat "$T/stderr")
	exits 2
	complains 'cannot write to standard output: Broken pipe'
}

@test "a closed standard output" {
	status=0
	"$CORDON" check a >&- 2>"$T/stderr" || status=$?
	output='' stderr=$(cat "$T/stderr")
	exits 2
	complains 'standard output is closed'
}

@test "closed standard input and error do no harm" {
	status=0
	"$CORDON" check a <&- >"$T/stdout" 2>&- || status=$?
	output=$(cat "$T/stdout") stderr=''
	exits 0
	prints 'allow  read  a  '
}

no_escape()
{
	if grep -q "$esc" "$T/stderr"; then
		say 'an escape sequence'
		return 1
	fi
}

@test "messages do not carry escape sequences either" {
	cordon check --policy "$(printf 'x\033[2J')" a
	exits 2
	no_escape
	cordon "$(printf 'che\033[2J')"
	exits 2
	no_escape
	complains 'che\x1b[2J'
}
