# What every tests/cli/*.bats begins with:
#
#	load helper
#
# Each test gets a fresh directory, with its own HOME and XDG directories in
# it, and starts in an empty workspace: no test reads or writes the real home,
# and none sees what another left behind.

setup()
{
	: "${CORDON:?set CORDON to the command under test}"
	T=$(mktemp -d "${BATS_TEST_TMPDIR:-/tmp}/cordon.XXXXXX")
	T=$(cd "$T" && pwd -P)
	export T CORDON
	export HOME=$T/home
	export XDG_CONFIG_HOME=$HOME/.config
	export XDG_STATE_HOME=$HOME/.local/state
	export XDG_RUNTIME_DIR=$T/run
	export TMPDIR=$T/tmp
	export NO_COLOR=1 LC_ALL=C.UTF-8 SHELL=/bin/sh
	unset ORBIT_ACTIVITY_FS_PROFILE CODEX_HOME CLAUDE_CONFIG_DIR GROK_HOME
	unset CARGO_HOME RUSTUP_HOME PYENV_ROOT NVM_DIR GOPATH COLUMNS
	W=$T/work
	export W
	mkdir -p "$HOME" "$XDG_CONFIG_HOME" "$XDG_STATE_HOME" \
	    "$XDG_RUNTIME_DIR" "$TMPDIR" "$W"
	cd "$W" || return 1
	if declare -F prepare >/dev/null; then
		prepare # a file's own set-up, in the fresh workspace
	fi
}

teardown()
{
	cd /
	rm -rf "${T:?}"
}

# cordon ARG...: runs the command; $status, $output (stdout) and $stderr tell.
cordon()
{
	status=0
	"$CORDON" "$@" >"$T/stdout" 2>"$T/stderr" || status=$?
	output=$(<"$T/stdout")
	stderr=$(<"$T/stderr")
}

# policy FILE <<END: writes a document, making directories as needed.
policy()
{
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# exits STATUS: the last cordon ended so.
exits()
{
	if [ "$status" -ne "$1" ]; then
		say "exit status $status, wanted $1"
		return 1
	fi
}

# prints TEXT / complains TEXT: stdout / stderr holds the text somewhere.
prints()
{
	case $output in
	*"$1"*) ;;
	*) say "stdout lacks: $1"; return 1 ;;
	esac
}

complains()
{
	case $stderr in
	*"$1"*) ;;
	*) say "stderr lacks: $1"; return 1 ;;
	esac
}

# lacks TEXT: stdout does not.  (A '!' in front of prints would go unnoticed.)
lacks()
{
	case $output in
	*"$1"*) say "stdout holds: $1"; return 1 ;;
	esac
}

# prints_line TEXT: one line of stdout is exactly the text.
prints_line()
{
	grep -qxF -- "$1" "$T/stdout" || { say "no such line: $1"; return 1; }
}

# quiet: nothing on stderr.
quiet()
{
	if [ -s "$T/stderr" ]; then
		say 'stderr is not empty'
		return 1
	fi
}

# json KEY: that key of the one JSON object on stdout, as JSON text.
json()
{
	python3 -c 'import json, sys
print(json.dumps(json.load(open(sys.argv[1]))[sys.argv[2]]))' \
	    "$T/stdout" "$1"
}

# What a failed test shows.
say()
{
	printf '%s\n--- stdout\n%s\n--- stderr\n%s\n' "$1" "$output" "$stderr"
}
