#!/bin/bash
# What a run leaves behind in repositories does nothing at the host's next git.
#
#	trysys -i IDENTITY git.sh
#
# Every attack is made twice: outside, where it must work, or it would prove
# nothing; and in the cage.  Then the host does what people do, and a canary
# tells whether it ran something.
# shellcheck disable=SC1091,SC2154 # backend.sh and what it sets
set -u
. "${0%/*}/backend.sh"

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-git-XXXXXX)
trap 'rm -rf "$stage"' EXIT
tree=$stage/tree
points=0 failures=0

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - $2"
	else
		echo "not ok $points - $2"
		sed 's/^/# /' "$stage/log"
		failures=$((failures + 1))
	fi
}

mkdir "$stage/home"
PATH=/usr/local/bin:/usr/bin:/bin # the system's tools: everybody may use them
export HOME="$stage/home" XDG_STATE_HOME="$stage/home/.local/state"
export CANARY="$stage/canary"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cp "$CORDON_PROBE" "$stage/probe"
export PROBE="$stage/probe"
git config --global user.name Somebody
git config --global user.email somebody@example.org
git config --global protocol.file.allow always
git config --global init.defaultBranch main

git init -q "$stage/lib"
git -C "$stage/lib" commit -q --allow-empty -m first

# make_tree: a repository, a submodule, a worktree, a nested repository.
make_tree()
{
	git init -q "$tree"
	echo 1 >"$tree/f"
	git -C "$tree" submodule --quiet add "$stage/lib" lib 2>/dev/null
	mkdir "$tree/dir"
	printf '/wt\n/sub\n' >"$tree/.gitignore"
	git -C "$tree" add f .gitignore
	git -C "$tree" commit -q -m first
	git -C "$tree" worktree add -q wt -b wt
	git init -q "$tree/sub"
	git -C "$tree/sub" commit -q --allow-empty -m first
	git -C "$tree/lib" config extensions.worktreeConfig true
	git -C "$tree/sub" config extensions.worktreeConfig true
	git -C "$tree/wt" submodule --quiet update --init 2>/dev/null
}
make_tree
mv "$tree" "$stage/made"

# The same again, at its place: worktrees name each other by it.
fresh_tree()
{
	rm -rf "$tree"
	cp -a "$stage/made" "$tree"
}

# For attacks: a configuration that makes git sing.
# shellcheck disable=SC2016 # for the shells of the attacks
tools='evil() {
	printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n%s" "$1"
	printf "\tfsmonitor = \"echo sung >>%s; false\"\n" "$CANARY"
}
probe() { "$PROBE" "$@"; }
lib=.git/modules/lib
'

# The host does what people do; the canary must not sing.
use()
{
	rm -f "$CANARY"
	{
		git -C "$tree" status
		git -C "$tree/lib" status
		git -C "$tree/wt" status
		git -C "$tree/sub" status
		git -C "$tree/dir" status
		git -C "$tree" commit -q --allow-empty -m more
	} >>"$stage/log" 2>&1
	[ ! -e "$CANARY" ]
}

# attack WHAT SCRIPT [WHERE [BEFORE]]: outside it works, in the cage it does not;
# unless $rule is one that the backend does not hold, and says so.  What makes
# programs ($needed) fails all the same where modes cannot be changed.
rule='' needed=''
attack()
{
	local where=${3-.} before=${4-:} held=yes

	fresh_tree
	(cd "$tree" && eval "$before")
	(cd "$tree/$where" && sh -c "$tools$2") >"$stage/log" 2>&1
	! use
	ok $? "control: $1"
	fresh_tree
	(cd "$tree" && eval "$before")
	! (cd "$tree/$where" && short "$rule" && ! short "$needed") || held=''
	(cd "$tree/$where" && "$cordon" run --env CANARY --env PROBE \
	    --read "$PROBE" -- sh -c "$tools$2") >"$stage/log" 2>&1
	if [ -z "$held" ]; then
		! use
		ok $? "$1: not held, and the plan says so ($rule)"
		return
	fi
	use && { [ "$backend" != native ] ||
	    grep -q '^cordon: .*denial' "$stage/log"; }
	ok $? "$1"
}

# ----- Links in the place of what is protected by its name ---------------------------

# shellcheck disable=SC2016
away='mv $lib $lib.old; cp -r $lib.old evil; evil "	worktree = ../lib
" >evil/config; '
# shellcheck disable=SC2016
attack 'a link for the directory of a submodule' \
    "$away"'ln -s ../../evil $lib'
# shellcheck disable=SC2016
attack 'one that is renamed to it' \
    "$away"'ln -s ../../evil l; probe rename l $lib'
# shellcheck disable=SC2016
attack 'one that is linked to it' \
    "$away"'ln -s ../../evil l; probe link l $lib'
# shellcheck disable=SC2016
attack 'one that changes places with a file' \
    "$away"'ln -s ../../evil l; echo >$lib; probe exchange l $lib'
# shellcheck disable=SC2016
attack 'one that comes with its directory' \
    "$away"'mkdir d; ln -s ../../evil d/lib; mv .git/modules .git/m
    probe rename d .git/modules'
# shellcheck disable=SC2016
attack 'a link for the directory of a worktree' '
mkdir evil; cp -r .git/worktrees/wt/. evil; cp -r .git common
evil >common/config; echo ../common >evil/commondir
mv .git/worktrees/wt .git/worktrees/old; ln -s ../../evil .git/worktrees/wt'

# ----- What leads git to another configuration ----------------------------------------

rule='!**/.git/**/commondir'
# shellcheck disable=SC2016
attack 'commondir of a submodule' '
cp -r $lib evil; evil "	worktree = ../lib
" >evil/config; echo ../../../evil >$lib/commondir'
rule='!**/.git/**/config.worktree'
# shellcheck disable=SC2016
attack 'config.worktree of a submodule' 'evil >$lib/config.worktree'
rule='!**/.git/**/commondir'
# shellcheck disable=SC2016
attack 'commondir of a nested repository' '
cp -r sub/.git evil; evil >evil/config; echo ../../evil >sub/.git/commondir'
rule='!**/.git/**/config.worktree'
attack 'config.worktree of a nested repository' \
    'evil >sub/.git/config.worktree'
rule=''
attack 'a worktree that becomes a repository of its own' '
cd .git/worktrees; mv wt old; mkdir wt; cp old/HEAD old/index wt
cp -r ../objects ../refs wt; evil >wt/config'

# ----- A worktree as the workspace: its gitdir lies outside --------------------------

# shellcheck disable=SC2016
attack 'config of a submodule of a worktree' \
    'evil "	worktree = ../../../../../wt/lib
" >"$(git rev-parse --git-dir)/modules/lib/config"' wt
rule="$tree/.git/worktrees/wt/**/commondir"
# shellcheck disable=SC2016
attack 'commondir of a submodule of a worktree' '
lib=$(git rev-parse --git-dir)/modules/lib
cp -r "$lib" evil; evil "	worktree = ../lib
" >evil/config; echo "$PWD/evil" >"$lib/commondir"' wt
rule=''
# shellcheck disable=SC2016
attack 'a link for its directory' '
lib=$(git rev-parse --git-dir)/modules/lib
mv "$lib" "$lib.old"; cp -r "$lib.old" evil; evil "	worktree = ../lib
" >evil/config; ln -s "$PWD/evil" "$lib"' wt

# ----- A repository without a .git -----------------------------------------------------

# shellcheck disable=SC2016
bare='mkdir $d/objects $d/refs; echo ref: refs/heads/main >$d/HEAD
evil "	worktree = ..
" >$d/config'
rule='!**/HEAD'
attack 'one in a directory of the workspace' "d=dir; $bare"
attack 'one that is the workspace' "d=.; $bare" dir
# shellcheck disable=SC2016
attack 'one that was made in a .git, and moved' "d=.git/x; mkdir \$d; $bare
rmdir dir; mv .git/x dir"
# shellcheck disable=SC2016
attack 'one that was made elsewhere, and moved' \
    'd=$(mktemp -d); '"$bare"'; rmdir dir; mv "$d" dir'

# ----- A repository inside of a git directory -------------------------------------------

# shellcheck disable=SC2016
shown='; rmdir dir; ln -s "$d" dir; mv "$d" dir; cp -r "$d" dir'
# shellcheck disable=SC2016
inside='mkdir -p "$d"; mkdir "$d/objects" "$d/refs"
echo ref: refs/heads/main >"$d/HEAD"; evil "	worktree = ..
" >"$d/config"'
# In each place the host looks itself: nobody needs a link for that.
places='.git/foo .git/worktrees/x .git/refs/remotes/o .git/refs/heads/x
.git/logs .git/objects/aa .git/rr-cache/x .git/lfs/x .git/rebase-merge/x
.git/modules/lib/refs/remotes/o .git/worktrees/wt/logs'
use_places()
{
	rm -f "$CANARY"
	for place in $places; do
		[ ! -d "$tree/$place" ] || git -C "$tree/$place" status
	done >>"$stage/log" 2>&1
	[ ! -e "$CANARY" ]
}
rule='!**/.git/**'
for d in $places; do
	fresh_tree
	(cd "$tree" && d=$d sh -c "$tools$inside") >"$stage/log" 2>&1
	! use_places
	ok $? "control: a repository in $d"
	fresh_tree
	held=yes
	! (cd "$tree" && short "$rule") || held=''
	(cd "$tree" && "$cordon" run --env CANARY -- \
	    sh -c "d=$d; $tools$inside") >"$stage/log" 2>&1
	if [ -z "$held" ]; then
		! use_places
		ok $? "a repository in $d: not held, and the plan says so"
		continue
	fi
	use_places
	ok $? "a repository in $d"
done
attack 'one in .git, and a link to it' "d=.git/foo; $inside$shown"
# shellcheck disable=SC2016
attack 'the parts of one, made at the same time' 'd=.git/refs/remotes/o
mkdir -p $d; mkdir $d/objects & mkdir $d/refs &
echo ref: refs/heads/main >$d/HEAD & evil "	worktree = ..
" >$d/config & wait'"$shown"
# shellcheck disable=SC2016
attack 'one of branches with legal names' 'd=.git/refs/remotes/o
for b in objects/x refs/x; do git update-ref refs/remotes/o/$b HEAD; done
git symbolic-ref refs/remotes/o/HEAD refs/remotes/o/objects/x
evil "	worktree = ..
" >$d/config'"$shown"
# shellcheck disable=SC2016
attack 'a part that is renamed' 'd=.git/refs/remotes/o; mkdir -p $d/refs o2
echo ref: refs/heads/main >$d/HEAD; evil "	worktree = ..
" >$d/config; mv o2 $d/objects || { mkdir $d/o2; mv $d/o2 $d/objects; }'"$shown"
rule=''

# ----- Repositories that are not called .git ----------------------------------------------

bare_dir='git clone -q --bare . dir/.bare; echo "gitdir: ./.bare" >dir/.git
git -C dir config core.bare false'
attack 'the configuration of a .bare' 'evil >dir/.bare/config' . "$bare_dir"
rule='!dir/.bare/**/commondir'
# shellcheck disable=SC2016
attack 'its commondir' 'cp -r dir/.bare evil
evil "	worktree = ../dir
" >evil/config; echo ../../evil >dir/.bare/commondir' . "$bare_dir"
rule=''
# shellcheck disable=SC2016
deep='mkdir -p many; for i in $(seq 200); do mkdir -p many/$i/x; done
git clone -q --bare . many/150/x/y; git -C many/150/x/y config core.bare false
rmdir dir; ln -s many/150/x/y dir'
attack 'the configuration of one far down' 'evil "	worktree = ..
" >dir/config' . "$deep"

# ----- Hooks and configuration in the work tree ----------------------------------------

# shellcheck disable=SC2016
sing='#!/bin/sh
echo sung >>"$CANARY"'
# shellcheck disable=SC2016
hook='mkdir -p "$d"; printf "%s\n" "$sing" >"$d/pre-commit"
chmod 755 "$d/pre-commit"'
needed=root-metadata
rule='!.githooks/**'
attack 'hooks where core.hooksPath says, which is not there yet' \
    "sing='$sing' d=.githooks; $hook" . 'git config core.hooksPath .githooks'
rule=''
attack 'hooks of husky' "sing='$sing' d=.husky; $hook" . '
mkdir -p .husky/_; printf "#!/bin/sh\n. ./.husky/pre-commit\n" >.husky/_/pre-commit
chmod 755 .husky/_/pre-commit; git config core.hooksPath .husky/_'
rule='!scripts/pre-commit'
attack 'a hook that is a link into the work tree' \
    "sing='$sing' d=scripts; $hook" . \
    'ln -s ../../scripts/pre-commit .git/hooks/pre-commit'
rule='!scripts/**'
attack 'the directory of hooks, which is a link' \
    "sing='$sing' d=scripts; $hook" . \
    'rm -r .git/hooks; ln -s ../scripts .git/hooks'
needed=''
rule='!.gitconfig'
attack 'a configuration that is included' 'evil >.gitconfig' . \
    'git config include.path ../.gitconfig'

# ----- A configuration in the place of the one that is there ------------------------------

attack 'one that is renamed to it, as git does' \
    'cat .git/config >.git/config.lock; evil >>.git/config.lock
    mv -f .git/config.lock .git/config'
attack 'one of a nested repository' 'evil >sub/.git/config.lock
    mv -f sub/.git/config.lock sub/.git/config'
# shellcheck disable=SC2016
attack 'one of a submodule' 'evil "	worktree = ../../../lib
" >$lib/config.lock; mv -f $lib/config.lock $lib/config'

# ----- What must work -------------------------------------------------------------------

works()
{
	local status
	(cd "$tree/$1" && "$cordon" run -- sh -ec "$3") \
	    >"$stage/log" 2>&1
	status=$?
	if short "$needed"; then
		[ "$status" -ne 0 ] && [ "$status" -ne 125 ]
		ok $? "$2: refused ($status), as the plan says ($needed)"
		return
	fi
	ok "$status" "$2"
}

fresh_tree
git -C "$tree" config core.hooksPath .githooks
works . 'git commit' 'echo 2 >f; git commit -q -a -m second; git status'
works . 'git gc' 'git gc -q'
works . 'git branch, checkout, stash, rebase' '
git checkout -q -b side; echo 3 >f; git stash -q; git stash pop -q
git commit -q -a -m third; git checkout -q main; git merge -q side
git rebase -q HEAD~1; git branch -d side'
works . 'git commit in a submodule' \
    'cd lib; echo >f; git add f; git commit -q -m more; git gc -q'
works . 'git commit in a nested repository' \
    'cd sub; echo >f; git add f; git commit -q -m more'
needed=root-metadata
# shellcheck disable=SC2016
works . 'git clone --shared elsewhere' \
    'git clone -q --shared . "$TMPDIR/c"; git -C "$TMPDIR/c" log -1'
needed=''
works wt 'git commit in a worktree, and in a submodule there' '
echo 2 >f; git commit -q -a -m second
cd lib; echo >f; git add f; git commit -q -m more'
works . 'git worktree list' 'git worktree list'
git -C "$tree" config core.sparseCheckout true
git -C "$tree" config rerere.enabled true
git -C "$tree" config submodule.lib.active true
# shellcheck disable=SC2016
for operation in \
    'commit=echo 4 >f; git commit -q -a -m 4' \
    'commit FILE=echo 5 >f; echo g >g; git add g; git commit -q -m 5 f' \
    'commit --amend=git commit -q --amend -m again' \
    'merge with a conflict=git checkout -q -b c HEAD~1; echo c >f
	git commit -q -a -m c; ! git merge main; echo d >f; git add f
	git commit -q -m merged; git checkout -q main' \
    'merge --abort=git checkout -q -b c2 HEAD~1; echo c2 >f
	git commit -q -a -m c2; ! git merge main; git merge --abort
	git checkout -q main' \
    'rebase -i=GIT_SEQUENCE_EDITOR=: git rebase -q -i HEAD~1' \
    'rebase with a conflict=git checkout -q -b r HEAD~1; echo r >f
	git commit -q -a -m r; ! git rebase main; git rebase --abort
	git checkout -q main' \
    'stash=echo s >f; git stash -q; git stash list; git stash pop -q
	git checkout -q f' \
    'cherry-pick=git checkout -q -b pick; echo p >p; git add p
	git commit -q -m p; git checkout -q main; git cherry-pick pick' \
    'cherry-pick with a conflict=! git cherry-pick c2
	git cherry-pick --abort' \
    'revert=git revert --no-edit HEAD' \
    'bisect=git bisect start HEAD HEAD~2; git bisect good || :
	git bisect reset' \
    'tag=git tag t; git tag -a -m annotated u; git tag -d t' \
    'notes=git notes add -m note; git notes append -m more; git notes remove' \
    'branch -D=git branch x; git branch -D x' \
    'am=git format-patch -q -1 pick --stdout >"$TMPDIR/p"
	git checkout -q -b a pick~1; git am -q <"$TMPDIR/p"; git checkout -q main' \
    'reset=git reset -q --soft HEAD~1; git reset -q --hard ORIG_HEAD' \
    'restore, mv, rm, clean=git mv f f2; git mv f2 f; git rm -q --cached f
	git restore --staged f; touch new; git clean -q -f' \
    'gc=git gc -q' 'gc --auto=git gc -q --auto' \
    'repack=git repack -q -a -d' 'pack-refs=git pack-refs --all' \
    'prune=git prune' 'reflog expire=git reflog expire --expire=now --all' \
    'commit-graph=git commit-graph write' 'fsck=git fsck' \
    'sparse-checkout=git sparse-checkout reapply' \
    'split index=git update-index --split-index' \
    'update-server-info=git update-server-info' \
    'submodule status=git submodule --quiet status' \
    'rerere=git rerere status; git rerere gc' \
    'fetch=git fetch -q ./sub; git fetch -q ./sub "+refs/heads/*:refs/remotes/s/*"
	git symbolic-ref refs/remotes/s/HEAD refs/remotes/s/main' \
    'fetch --depth=git fetch -q --depth 1 "file://$PWD/sub"' \
    'replace=git replace -f HEAD HEAD~1; git replace -d "$(git rev-parse HEAD)" ||
	git for-each-ref refs/replace' \
    'switch, detach=git switch -q --detach; git switch -q main' \
    'ignoring a file=echo ignored >>.git/info/exclude'; do
	works . "git ${operation%%=*}" "${operation#*=}"
done
# Mounts cannot let a lock appear beside packed-refs of the repository.
[ "$backend" != native ] ||
    works wt 'everyday work in a worktree' 'echo 9 >f; git commit -q -a -m 9
git stash list; git commit -q --amend -m ten; git checkout -q -b other
git branch -q -D wt; git branch wt; git tag inworktree; git log -1'
# Mounts cannot let one file take the place of another.
# shellcheck disable=SC2016
[ "$backend" != native ] ||
    works . 'a configuration that names no program' '
git branch upstream; git checkout -q -b tracking --track upstream
git branch -m tracking renamed; git config user.name Else
git remote add new https://example.org/r.git
test "$(git config branch.renamed.remote)" = .
test "$(git config remote.new.fetch)" = "+refs/heads/*:refs/remotes/new/*"
git checkout -q main; git branch -q -D renamed'
works . 'links of package managers' '
mkdir -p node_modules/.bin node_modules/.pnpm/a/node_modules/a
echo >node_modules/.pnpm/a/node_modules/a/x
ln -s .pnpm/a/node_modules/a node_modules/a
ln -s ../a/x node_modules/.bin/x; mv node_modules/.bin/x node_modules/.bin/y
cat node_modules/.bin/y'
use
ok $? 'and nothing is run'

echo "1..$points"
[ "$failures" -eq 0 ]
