#!/bin/bash
# Names that lead to what another name denies: renamed programs, symbolic links,
# links inside of protected directories, bind mounts; by the command as people
# use it.
#
#	trysys -i IDENTITY links.sh
set -u

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /tmp/cordon-links-XXXXXX)
points=0 failures=0
trap 'rm -rf "$stage"' EXIT

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

mkdir -p "$stage"/{home/project,home/dotfiles,out}
export HOME="$stage/home" XDG_STATE_HOME="$stage/home/.local/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR CLAUDE_CONFIG_DIR CODEX_HOME
w=$stage/home/project
cd "$w" || exit 1

# policy [LINE...]: a document whose profile allows everything.
policy()
{
	{
		echo 'schemaVersion: 2'
		echo 'kind: Policy'
		echo 'metadata: {name: links}'
		echo 'spec:'
		[ $# -eq 0 ] || printf '  %s\n' "$@"
		echo '  fsProfiles:'
		echo '    dev: {read: ["**"], modify: ["**"]}'
	} >"$stage/out/policy.yaml"
	options=(--policy "$stage/out/policy.yaml" --profile dev)
}

inside()
{
	"$cordon" run --quiet "${options[@]}" -- "$@" 2>"$stage/stderr"
}

# prints WHAT WANT COMMAND...: it works inside, and says this.
prints()
{
	local what=$1 want=$2 got status
	shift 2
	got=$(inside "$@")
	status=$?
	[ "$status" -eq 0 ] && [ "$got" = "$want" ]
	ok $? "$what ($got $status)"
	[ "$status" -eq 0 ] || sed 's/^/# /' "$stage/stderr"
}

# fails WHAT COMMAND...: started, and refused what it wanted.
fails()
{
	local what=$1 got status
	shift
	got=$(inside "$@")
	status=$?
	[ "$status" -ne 0 ] && [ "$status" -ne 125 ] && [ -z "$got" ]
	ok $? "$what ($got $status)"
}

# says OP PATH WANT: what is said of it beforehand.
says()
{
	local got
	got=$("$cordon" check "${options[@]}" --as process --op "$1" "$2" |
	    head -n 1)
	case $got in
	"$3"*) ok 0 "check $1 $2: $got" ;;
	*) ok 1 "check $1 $2: $got, not $3" ;;
	esac
}

# ----- Programs ---------------------------------------------------------------------

mkdir tools src
cp /bin/echo tools/tool
cp /bin/echo src/tool
policy 'denyExec: ["tools/**"]'
prints 'a program beside it runs' hello src/tool hello
fails 'a program that may not be executed' tools/tool hello
prints 'it may be read' same sh -c 'cmp tools/tool src/tool && echo same'
prints 'a file is renamed where both are alike' '' mv src/tool src/renamed
prints 'and where less is allowed' '' sh -c 'mv src/renamed tools/r && rm tools/r'
fails 'no second name makes it a program' ln tools/tool src/linked
[ ! -e src/linked ]
ok $? 'there is none'
# By rename alone: mv would copy.
fails 'nor does another one' perl -e 'rename "tools/tool", "src/moved" or exit 1'
[ -e tools/tool ] && [ ! -e src/moved ]
ok $? 'it is where it was'
got=$("$cordon" plan "${options[@]}")
case $got in
*'enforced   yes, some rules by best effort only'*) ok 0 'the plan says so' ;;
*) ok 1 'the plan says so' ;;
esac
case $got in
*'broker (best effort): '*'!tools/**'*) ok 0 'of this rule' ;;
*) ok 1 'of this rule' ;;
esac
got=$("$cordon" plan --json "${options[@]}")
case $got in
*'"rule":"!tools/**","op":"exec",'*'"by":"broker (best effort)","why":"'*)
	ok 0 'to programs, too' ;;
*) ok 1 'to programs, too' ;;
esac
rm -r tools src

echo "1..$points"
[ "$failures" -eq 0 ]
