#!/bin/bash
# Doors that were found by attacking the design, one after the other, and what
# stands where each of them is tried.
#
#	trysys -i IDENTITY doors.sh
#
#	156 inner Landlock is not believed in	filter/calls.c (EOPNOTSUPP)
#	157 no capabilities by the broker	faithful/foreign.sh
#	158 git's other ways to run code	here
#	159 a .git file that points elsewhere	here
#	160 terminals of others			broker/special.c, cage/terminal.sh
#	161 access mode 3			cage/cage.sh, filter/calls.c
#	162 a caller that cannot be looked into	here
#	163 rename out of what is not read	broker/names-races.h
#	164 executing what is not read		here, cage/links.sh
#	165 the floor mounted elsewhere		cage/links.sh
#	166 datagram pairs			cage/cage.sh
#	167 leases				filter/calls.c, truth/filter.truth
#	168 the policy in the workspace		here
#	169 odd workspaces			here, cli/run.bats
#	170 home and tmp of another run		here
#	171 memory shared with the outside	here: it is, and the README says so
#	172 descriptors that were given		here
#	173 other file systems			here (/dev/shm), doctor
#	174 directories that ignore case	here, where the kernel has them
# shellcheck disable=SC1091,SC2154 # backend.sh and what it sets
set -u
. "${0%/*}/backend.sh"

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-doors-XXXXXX)
shm=$(mktemp -d /dev/shm/cordon-doors-XXXXXX)
points=0 failures=0
other=''

cleanup()
{
	[ -z "$other" ] || kill "$other"
	rm -rf "$stage" "$shm"
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

mkdir "$stage"/{home,home/.ssh,w,w/secrets,out}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cd "$stage/w" || exit 1
echo SECRET >secrets/s
echo public >pub
echo private >"$stage/out/file"
cp "$CORDON_PROBE" probe
cat >"$stage/policy.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: doors}
spec:
  denyRead: ["**/*.env", "secrets/**"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
policy=(--policy "$stage/policy.yaml" --profile dev)

# refused WHAT COMMAND..., works WHAT COMMAND...: in a cage of $options.
options=()
refused()
{
	local what=$1 got status
	shift
	got=$("$cordon" run --quiet "${options[@]}" -- "$@" 2>&1)
	status=$?
	[ $status -ne 0 ] && [ $status -ne 125 ]
	ok $? "$what: refused ($status $(head -n 1 <<<"$got"))"
}

# not_held RULE WHAT COMMAND...: as refused, but for who says it is let through.
not_held()
{
	local rule=$1 status
	shift
	if ! short "$rule" "${options[@]}"; then
		refused "$@"
		return
	fi
	"$cordon" run --quiet "${options[@]}" -- "${@:2}" >/dev/null 2>&1
	status=$?
	[ $status -eq 0 ]
	ok $? "$1: not held ($status), and the plan says so ($rule)"
}

works()
{
	local what=$1 got
	shift
	got=$("$cordon" run --quiet "${options[@]}" -- "$@" 2>&1)
	ok $? "$what: works ($(head -n 1 <<<"$got"))"
}

# ----- 158: git ----------------------------------------------------------------------

git init -q "$stage/g" && cd "$stage/g" || exit 1
git config user.name n && git config user.email e@example.org
printf '#!/bin/sh\necho ran >>"%s/canary"\n' "$stage" >evil
chmod +x evil
git add evil && git commit -qm first
mkdir -p evil.git/hooks && cp evil evil.git/hooks/post-index-change
cp -a . "$stage/g.made"
# Each with the rule that says so, if what it names is not there yet.
while IFS='|' read -r rule script; do
	not_held "$rule" "158: $script" sh -ec "$script" </dev/null
	[ "$backend" = native ] || { rm -rf "$stage/g" &&
	    cp -a "$stage/g.made" "$stage/g" && cd "$stage/g" || exit 1; }
done <<'END'
!**/.git/**/commondir|echo ../evil.git >.git/commondir
|echo x >.git/config
!**/.git/**/config.worktree|echo x >.git/config.worktree
|cp evil .git/hooks/post-index-change
!**/.git/modules/**/config|mkdir -p .git/modules/x && echo x >.git/modules/x/config
!**/.git/**/commondir|mkdir -p .git/worktrees/x && echo x >.git/worktrees/x/commondir
!**/.git|mkdir n && echo "gitdir: ../evil.git" >n/.git
!**/.git|mkdir m && ln -s ../evil.git m/.git
!**/HEAD|mkdir -p sub/.git && echo x >sub/.git/HEAD
|mv .git g2 && cp evil g2/hooks/pre-commit && mv g2 .git
|mv .git/hooks .git/h2
|rm -r .git/hooks
!**/.git/**/commondir|ln -s /nowhere .git/commondir
END
[ "$backend" != native ] || refused '158: git init' git init -q sub
works '158: a commit' sh -ec \
    'echo 1 >file && git add file && git commit -qm second'
git status >/dev/null && git add -A . && git commit -qm third
ok $? '158: git works on the host'
[ ! -e "$stage/canary" ]
ok $? '158: and nothing of the cage ran'
cp evil .git/hooks/post-index-change && touch more && git add more
[ -e "$stage/canary" ]
ok $? '158: control: as it would have'

# ----- 159: a .git file ----------------------------------------------------------------

mkdir "$stage/p" && cd "$stage/p" || exit 1
not_held '!**/.git' '159: making one' sh -c "echo 'gitdir: $stage/out' >.git"
echo "gitdir: $stage/out" >.git
refused '159: what it points to' touch "$stage/out/new"
refused '159: what it points to, to read' cat "$stage/out/file"
works '159: the rest' sh -c ': >new'
[ ! -e "$stage/out/new" ]
ok $? '159: nothing was made there'
cd "$stage/w" || exit 1

# ----- 162: callers that cannot be looked into ----------------------------------------------

options=("${policy[@]}")
cp probe blind && chmod 0111 blind
works '162: control' ./probe read pub
refused '162: not dumpable' ./probe undumpable secrets/s
works '162: it has no effect' ./probe undumpable pub
refused '162: a program that may not be read' ./blind read secrets/s
refused '162: which writes' ./blind write secrets/s

# ----- 164: programs that may not be read -----------------------------------------------------

cp /bin/echo secrets/program && cp /bin/echo program
works '164: control' ./program ok
refused '164: a program that may not be read' secrets/program no
"$cordon" plan "${policy[@]}" | grep 'best effort' >/dev/null
ok $? '164: the plan says how far that goes'

# ----- 168: the policy in the workspace --------------------------------------------------------

cp "$stage/policy.yaml" inside.yaml
cp inside.yaml same.yaml
options=(--policy inside.yaml --profile dev)
for call in write truncate unlink chmod; do
	refused "168: $call" ./probe $call inside.yaml
done
refused '168: moved away' ./probe rename inside.yaml away
refused '168: replaced' ./probe rename pub inside.yaml
refused '168: linked' ./probe link inside.yaml away
works '168: control' ./probe write same.yaml
cmp -s inside.yaml "$stage/policy.yaml"
ok $? '168: it is what it was'

# ----- 169: odd workspaces ------------------------------------------------------------------------

options=()
ln -s "$stage/w" "$stage/link"
got=$("$cordon" run --quiet --workspace "$stage/link" "${policy[@]}" -- \
    ./probe read secrets/s)
[ "$got" = EACCES ]
ok $? "169: a link is what it leads to ($got)"
(cd "$HOME/.ssh" && "$cordon" run --quiet -- true 2>"$stage/err")
[ $? -eq 125 ]
ok $? "169: the floor is no workspace ($(head -n 1 "$stage/err"))"
for place in "$HOME" /; do
	(cd "$place" && "$cordon" run --quiet -- true 2>"$stage/err")
	[ $? -eq 125 ]
	ok $? "169: $place: refused ($(head -n 1 "$stage/err"))"
done
echo key >"$HOME/.ssh/key" && cd "$stage" || exit 1
refused '169: a key below the workspace' w/probe read home/.ssh/key
works '169: what lies beside it' w/probe read w/pub
cd "$stage/w" || exit 1

# ----- 170: another run ------------------------------------------------------------------------------

# shellcheck disable=SC2016 # the cage's own
(exec "$cordon" run --quiet -- sh -c 'echo "$HOME" "$TMPDIR" >places.new &&
    echo x >"$HOME/f" && echo x >"$TMPDIR/f" && mv places.new places &&
    exec sleep 1000') &
other=$!
for ((i = 0; i < 5000; i++)); do
	[ ! -e places ] || break
	sleep 0.02
done
read -r its_home its_tmp <places
mkdir "$stage/v" && cd "$stage/v" && cp ../w/probe . || exit 1
for place in "$its_home" "$its_tmp"; do
	cat "$place/f" >/dev/null
	ok $? "170: control: $place/f is there"
	refused "170: read" ./probe read "$place/f"
	refused "170: write" ./probe write "$place/f"
	refused "170: list" ./probe list "$place"
	refused "170: create" ./probe create "$place/new"
done
# shellcheck disable=SC2016 # the cage's own
works '170: control: its own' sh -c 'echo x >"$HOME/f" && echo x >"$TMPDIR/f"'
kill "$other" && wait "$other" 2>/dev/null
other=''

# ----- 171, 172: what is shared and what is given ------------------------------------------------------

chmod 600 "$stage/out/file"
got=$("$cordon" run --quiet -- ./probe fd 0 <"$stage/out/file")
[ "$got" = ok ]
ok $? "172: a descriptor that was given is read ($got)"
got=$("$cordon" run --quiet -- ./probe fd-mode 0 <"$stage/out/file")
{ [ "$got" = EACCES ] || [ "$backend" = bwrap ]; } && # it is a pipe there
    [ "$(stat -c %a "$stage/out/file")" = 600 ]
ok $? "172: but its file is not changed ($got)"
got=$("$cordon" run --quiet -- ./probe write /dev/stdin <>"$stage/out/file")
{ [ "$got" = EACCES ] || [ "$backend" = bwrap ]; } &&
    [ "$(cat "$stage/out/file")" = private ]
ok $? "172: nor opened once more ($got)"
echo inside >mine
got=$("$cordon" run --quiet -- ./probe fd-mode 0 <mine)
[ "$got" = ok ] || short root-metadata
ok $? "172: control: one of the workspace is ($got)"
works '171: what is written is seen outside' sh -c 'echo shared >seen'
[ "$(cat seen)" = shared ]
ok $? '171: it is one file'

# ----- 173, 174: other file systems --------------------------------------------------------------------

cd "$shm" && mkdir secrets && echo SECRET >secrets/s && echo SECRET >x.env &&
    echo public >pub && cp "$stage/w/probe" . || exit 1
options=("${policy[@]}")
works '173: in memory' ./probe read pub
works '173: in memory, made' ./probe create new
refused '173: in memory, denied' ./probe read secrets/s
refused '173: in memory, by a glob' ./probe read x.env
if mkdir folded && chattr +F folded 2>/dev/null; then
	echo SECRET >folded/a.env
	refused '174: another case' ./probe read folded/A.ENV
else
	echo '# 174: this kernel has no directories that ignore case here'
fi

echo "1..$points"
[ "$failures" -eq 0 ]
