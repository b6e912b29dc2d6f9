# shellcheck shell=bash
# What the tests here have in common: a stage, TAP, a policy that allows all
# and yet makes it mode B or C, and a way inside.
cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /tmp/cordon-faithful-XXXXXX)
points=0 failures=0

cleanup()
{
	chmod -R u+rwx "$stage" 2>/dev/null
	rm -rf "$stage"
}
trap cleanup EXIT

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - $2"
	else
		echo "not ok $points - $2"
		failures=$((failures + 1))
	fi
}

mkdir "$stage/home"
export HOME="$stage/home" XDG_STATE_HOME="$stage/home/.local/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR CLAUDE_CONFIG_DIR CODEX_HOME

# Floating denies: nothing of the workspace is native.
policy()
{
	echo 'schemaVersion: 2'
	echo 'kind: Policy'
	echo 'metadata: {name: all}'
	echo 'spec:'
	echo '  unprotect: ["**"]'	# git and others make what the defaults refuse
	[ "$1" = B ] || echo '  denyRead: ["**/*.secret"]'
	echo '  denyModify: ["**/*.secret"]'
	echo '  fsProfiles:'
	echo '    dev: {read: ["**"], modify: ["**"], exec: ["**"]}'
}
policy B >"$stage/B.yaml"
policy C >"$stage/C.yaml"

inside()
{
	local mode=$1
	shift
	"$cordon" run --quiet --policy "$stage/$mode.yaml" --profile dev \
	    "$@" 2>>"$stage/stderr"
}

finish()
{
	[ "$failures" -eq 0 ] || tail -n 20 "$stage/stderr" | sed 's/^/# /'
	echo "1..$points"
	[ "$failures" -eq 0 ]
	exit
}
