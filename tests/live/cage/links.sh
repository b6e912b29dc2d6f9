#!/bin/bash
# Names that lead to what another name denies: renamed programs, symbolic links,
# links inside of protected directories, bind mounts; by the command as people
# use it.
#
#	trysys -i IDENTITY links.sh
# shellcheck disable=SC1091,SC2154 # backend.sh and what it sets
set -u
. "${0%/*}/backend.sh"

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-links-XXXXXX)
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

mkdir -p "$stage"/{home/project,home/dotfiles,out,seen}
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
if short '!tools/**' "${options[@]}"; then
	prints 'a second name makes it a program, as the plan says' hello \
	    sh -c 'ln tools/tool src/linked && src/linked hello'
	rm -f src/linked
else
	fails 'no second name makes it a program' ln tools/tool src/linked
	[ ! -e src/linked ]
	ok $? 'there is none'
	# By rename alone: mv would copy.
	fails 'nor does another one' \
	    perl -e 'rename "tools/tool", "src/moved" or exit 1'
	[ -e tools/tool ] && [ ! -e src/moved ]
	ok $? 'it is where it was'
fi
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

# ----- Rules that name links ----------------------------------------------------------

mkdir src real
echo secret >src/target
echo secret >real/key
echo fixed >src/fixed
ln -s src/target sec.link
ln -s real dir.link
ln -s src/fixed fixed.link
ln -s src/none none.link
policy
prints 'a link can be read where nothing denies it' secret cat sec.link
policy 'denyRead: ["sec.link", "dir.link/**"]' \
    'denyModify: ["fixed.link", "none.link"]'
fails 'what a rule names by a link' cat sec.link
fails 'nor by its real name' cat src/target
fails 'nor by a second link' sh -c 'ln -s src/target again; cat again'
rm -f again
fails 'what lies in a directory that is a link' cat dir.link/key
fails 'nor by its real name' cat real/key
prints 'what may not be modified is read' fixed cat fixed.link
fails 'but not modified' sh -c 'echo x >>src/fixed'
fails 'nor moved away' mv src/fixed src/moved
fails 'nor made, where the link leads nowhere' sh -c ': >none.link'
[ "$(cat src/fixed)" = fixed ] && [ ! -e src/none ]
ok $? 'nothing has changed'
if short new-names "${options[@]}"; then
	fails 'no neighbour can be made, as the plan says' \
	    sh -c 'echo x >src/other && cat src/other'
	echo x >src/other
	prints 'what is there is free' y \
	    sh -c 'echo y >src/other && cat src/other'
else
	prints 'their neighbours are free' x \
	    sh -c 'echo x >src/other && cat src/other'
fi
says read sec.link deny
says read src/target deny
says read src/other allow
says modify src/fixed deny
says read src/fixed allow
got=$("$cordon" check "${options[@]}" --as process src/target)
case $got in
*sec.link*policy.yaml:5*) ok 0 "named by its rule: $got" ;;
*) ok 1 "named by its rule: $got" ;;
esac
# The default rules, too: whoever may write the target chooses what git runs.
mkdir -p .git scripts
echo echo >scripts/pre-commit
ln -s ../scripts .git/hooks
options=()
fails 'hooks that are a link' sh -c 'echo x >>scripts/pre-commit'
prints 'beside them' x sh -c 'echo x >src/y && cat src/y'
rm -r src real .git scripts ./*.link

# ----- Links in directories of keys ---------------------------------------------------

mkdir -p "$HOME/.aws" "$HOME/dotfiles/aws" "$HOME/.ssh"
echo aws-key >"$HOME/dotfiles/aws/credentials"
echo plain >"$HOME/dotfiles/vimrc"
ln -s ../dotfiles/aws/credentials "$HOME/.aws/credentials"
ln -s "$HOME" "$HOME/.ssh/home" # holds the workspace: no key
ln -s /bin/sh "$HOME/.ssh/sh"
options=(--workspace "$HOME/dotfiles")
prints 'a file of the home' plain cat "$HOME/dotfiles/vimrc"
fails 'the target of a link in ~/.aws' cat "$HOME/dotfiles/aws/credentials"
fails 'nor by the link' cat "$HOME/.aws/credentials"
says read "$HOME/dotfiles/aws/credentials" deny
options=(--preset protect)
prints 'the rest is read under protect' plain cat "$HOME/dotfiles/vimrc"
fails 'it is not' cat "$HOME/dotfiles/aws/credentials"
options=(--read "$HOME/dotfiles")
prints 'the rest is read as a root' plain cat "$HOME/dotfiles/vimrc"
fails 'it is not' cat "$HOME/dotfiles/aws/credentials"
rm "$HOME/.aws/credentials"
prints 'without the link it is a file' aws-key cat "$HOME/dotfiles/aws/credentials"
rm -r "$HOME/.ssh"

# ----- Second names of keys -----------------------------------------------------------

# refuses WHAT NAME: nothing is started while it is there, and it is named.
refuses()
{
	CORDON_ENFORCEMENT=required inside cat "$2" >"$stage/got"
	status=$?
	: >"$stage/told"
	[ "$backend" = native ] || "$cordon" plan "${options[@]}" \
	    --backend "$backend" >"$stage/told"
	[ "$status" -eq 125 ] && [ ! -s "$stage/got" ] &&
	    cat "$stage/stderr" "$stage/told" |
	    grep -q "'$w/$2' is a second name of"
	ok $? "$1 ($status)"
}

mkdir -p "$HOME/.gnupg/private-keys-v1.d" "$HOME/plain/deep"
echo key >"$HOME/.gnupg/private-keys-v1.d/k"
echo plain >"$HOME/plain/deep/p"
options=()
prints 'keys of one name stand in nobody'"'"'s way' '' true
ln "$HOME/plain/deep/p" p
prints 'nor does a second name of what is no key' plain cat p
says read p allow
ln "$HOME/.gnupg/private-keys-v1.d/k" k
refuses 'a second name of a key that lies deep' k
says read k deny
rm k p
rm -r "$HOME/.gnupg" "$HOME/plain"

# ----- Mounts ---------------------------------------------------------------------------

# What is done in here has a mount namespace of its own.
mounted()
{
	unshare -m sh -c "$1"' && shift && exec "$@"' sh - "${@:2}" 2>"$stage/stderr"
}

mkdir secrets locked mnt mnt2
echo hidden >secrets/s
echo fixed >locked/f
echo value >a.env
echo plain >plain
if unshare -m true 2>/dev/null && mounted 'mount --bind secrets mnt' true; then
	policy 'denyRead: ["secrets/**"]' 'denyModify: ["locked/**"]'
	got=$(mounted 'mount --bind secrets mnt' cat mnt/s)
	[ "$got" = hidden ]
	ok $? 'a mount shows it'
	both='mount --bind secrets mnt && mount --bind locked mnt2'
	got=$(mounted "$both" "$cordon" run --quiet "${options[@]}" -- \
	    sh -c 'cat plain; cat mnt/s; cat mnt2/f; echo x >>mnt2/f')
	[ "$got" = "plain
fixed" ] && [ "$(cat locked/f)" = fixed ]
	ok $? "a deny holds for the other mount (${got//$'\n'/, })"
	got=$(mounted "$both" "$cordon" check "${options[@]}" --as process mnt/s)
	case $got in
	deny*'secrets/**'*) ok 0 "check: $got" ;;
	*) ok 1 "check: $got" ;;
	esac
	policy 'denyRead: ["**/*.env"]'
	CORDON_ENFORCEMENT=required mounted "mount --bind . $stage/seen" \
	    "$cordon" run --quiet "${options[@]}" --read "$stage/seen" -- \
	    cat "$stage/seen/a.env"
	status=$?
	: >"$stage/told"
	[ "$backend" = native ] || mounted "mount --bind . $stage/seen" \
	    "$cordon" plan --backend "$backend" "${options[@]}" \
	    --read "$stage/seen" >"$stage/told"
	[ "$status" -eq 125 ] && cat "$stage/stderr" "$stage/told" |
	    grep -q "shows what .\*\*/\*.env. denies"
	ok $? "what cannot be closed is told ($status)"
	mounted "mount --bind . $stage/seen" "$cordon" run --quiet \
	    "${options[@]}" -- cat plain >"$stage/got"
	[ "$(cat "$stage/got")" = plain ]
	ok $? 'unless nobody gets there'
elif [ "$(id -u)" -eq 0 ]; then # who is root somewhere; nobody else may
	ok 0 'mounts # SKIP root cannot mount here'
fi
rm -rf secrets locked mnt mnt2 a.env plain

# ----- Links that an earlier run may have made -----------------------------------------

mkdir sub
echo private >"$stage/out/private"
options=()
prints 'a run can make any link' '' ln -s "$stage/out" grant
for option in --read --write; do
	for name in grant ./grant sub/../grant "$w/grant" grant/private; do
		"$cordon" run --quiet "$option" "$name" -- true 2>"$stage/stderr"
		status=$?
		[ "$status" -eq 125 ] && grep -q "follows the link '$w/grant'" \
		    "$stage/stderr"
		ok $? "$option $name is not followed ($status)"
	done
done
options=(--read "$stage/out")
prints 'the real path is' private cat grant/private
ln -s sub here
options=(--write here)
prints 'nor is anything said of links that stay' '' sh -c ': >here/new'
ln -s "$w/sub" "$stage/out/mine"
options=(--write "$stage/out/mine")
prints 'nor of those where no run can write' '' sh -c ': >sub/newer'
rm -r sub grant here

echo "1..$points"
[ "$failures" -eq 0 ]
