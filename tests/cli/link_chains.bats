# Symlinks on the way to what the host executes: each of them is protected, as
# its end is, and no directory above one is renamed.  The host's own git says
# what it would run.

load helper

prepare()
{
	export PATH=/usr/bin:/bin
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.invalid
	export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.invalid
	git init -q -b main .
	git commit -q --allow-empty -m one
	mkdir -p real/hooks dir/sub beside evil/hooks
	printf '#!/bin/sh\necho ran >%s/canary\n' "$T" >evil/hooks/pre-commit
	chmod +x evil/hooks/pre-commit
	echo '#!/bin/sh' >real/hooks/pre-commit
	chmod +x real/hooks/pre-commit
}

# Ways to put something else in the place of $1, a symlink in the workspace that
# leads to $2; an ordinary symlink beside it can be replaced.
stays()
{
	local before

	before=$(find . -path ./.git -prune -o -type l -printf '%p %l\n' | sort)
	ln -sT ../real beside/plain
	cordon run -- sh -c 'rm -f "$1"; ln -sfT "$PWD/evil" "$1"
	    mv -T evil "$1"; ln -s "$PWD/evil" beside/e; mv -fT beside/e "$1"
	    python3 -c "import ctypes,sys
ctypes.CDLL(None).renameat2(-100, b\"beside/e\", -100, sys.argv[1].encode(), 2)" "$1"
	    top=${1%%/*}; [ "$top" = "$1" ] || mv -T "$top" beside/moved
	    rm beside/plain; ln -s ../evil beside/plain
	    rm -f beside/e' sh "$1"
	[ "$(readlink beside/plain)" = ../evil ]
	rm beside/plain
	[ "$(readlink "$1")" = "$2" ]
	[ "$before" = "$(find . -path ./.git -prune -o -type l -printf '%p %l\n' | sort)" ]
}

runs_nothing()
{
	echo b >b
	git add b
	git commit -q -m b
	[ ! -e "$T/canary" ]
}

@test "the control: a hook that git does run" {
	git config core.hooksPath evil/hooks
	echo b >b
	git add b
	git commit -q -m b
	[ -e "$T/canary" ]
}

@test "core.hooksPath through a symlink, and through two" {
	ln -s real dir/link
	git config core.hooksPath dir/link/hooks
	stays dir/link real
	rm dir/link
	ln -s ../dir/second dir/link
	ln -s ../real dir/second
	stays dir/link ../dir/second
	stays dir/second ../real
	runs_nothing
	cordon run --allow hooks -- rm dir/second
	[ ! -L dir/second ]
}

@test "core.hooksPath through a name that is not there yet" {
	git config core.hooksPath gone/hooks
	cordon run -- sh -c 'ln -s evil gone; mv -T evil gone; echo 1 >beside/a'
	[ ! -e gone/hooks/pre-commit ]
	[ -e beside/a ]
	runs_nothing
}

@test "a directory of hooks, and a hook, that are symlinks" {
	ln -s real link
	rm -rf .git/hooks
	ln -s ../link/hooks .git/hooks
	stays link real
	rm .git/hooks
	mkdir .git/hooks
	ln -s ../../dir/one .git/hooks/pre-commit
	ln -s two dir/one
	ln -s ../real/hooks/pre-commit dir/two
	stays dir/one two
	stays dir/two ../real/hooks/pre-commit
	runs_nothing
}

@test "include.path through a symlink" {
	git config -f real/a.cfg x.y z
	git config -f evil/a.cfg core.fsmonitor "touch $T/canary; false"
	ln -s ../real dir/link
	git config include.path ../dir/link/a.cfg
	stays dir/link ../real
	git status >/dev/null
	[ ! -e "$T/canary" ]
}

@test "entries of the defaults, through two symlinks" {
	ln -s dir/h .husky
	ln -s ../real/hooks dir/h
	echo 1 >beside/env
	ln -s dir/env .envrc
	ln -s ../beside/env dir/env
	stays dir/h ../real/hooks
	stays dir/env ../beside/env
	cordon run -- sh -c 'echo evil >real/hooks/pre-commit; echo x >beside/env
	    echo 2 >real/a'
	[ "$(cat beside/env)" = 1 ]
	[ "$(cat real/a)" = 2 ]
	[ "$(cat real/hooks/pre-commit)" = '#!/bin/sh' ]
	cordon run --allow shell -- rm dir/env
	[ ! -L dir/env ]
}

# The git directory is $1 now; git works in a run.
commits()
{
	[ "$(git rev-parse --absolute-git-dir)" = "$W/$1" ]
	cordon run -- git -c user.name=a -c user.email=a@b commit -q \
	    --allow-empty -m two
	exits 0
	[ "$(git log -1 --format=%s)" = two ]
}

@test "a .git that is a symlink to a symlink" {
	mv .git dir/data
	ln -s dir/data dir.link
	ln -s dir.link .git
	stays dir.link dir/data
	commits dir/data
}

@test "a .git file that names a symlink" {
	mv .git dir/data
	ln -s dir link
	echo 'gitdir: link/data' >.git
	stays link dir
	commits dir/data
}

@test "a git directory behind many others: none above it is renamed" {
	mkdir -p $(seq -f 'aa/%g' 300) store/projects
	git init -q zproj
	mv zproj/.git store/projects/p.git
	ln -s ../store/projects/p.git zproj/.git
	git clone -q --bare . far/st.d
	git -C far/st.d worktree add -q "$W/tree" main
	cordon run -- sh -c 'for d in store store/projects far beside
	    do python3 -c "import os,sys; os.rename(sys.argv[1], sys.argv[1] + \"2\")" $d; done'
	[ ! -e store2 ]
	[ ! -e store/projects2 ]
	[ ! -e far2 ]
	[ -d beside2 ]
	git -C zproj status >/dev/null
	git -C tree status >/dev/null
}

# In a run HOME and TMPDIR are private, and repositories may be made there.
@test "no symlink leads from the workspace into a run's own home" {
	mkdir -p deep/er/down
	cordon run -- sh -c '
	    git init -q ~/src; git init -q "$TMPDIR/src"
	    ln -s ~/src absolute
	    ln -s "$TMPDIR/src" tmp
	    ln -s "$(realpath --relative-to=. ~/src)" relative
	    ln -s "../$(realpath --relative-to=. ~/src)" deep/er/down/higher
	    ln -s missing/${HOME##*/}/src dangling
	    ln -s "${HOME%/homes/*}" state
	    ln -s ~/src ~/link; mv ~/link renamed; ln -s ~/src ~/link
	    ln -P ~/link linked
	    ln -s ~/src .git/refs/heads/src
	    ln -s ~/src ~/link2 && ln -s ../real beside/real &&
	    ln -s /usr/bin/env beside/env && ln -s gone beside/gone && ln -s . beside/dot &&
	    ln -s "$PWD/real" beside/absolute'
	complains 'copy what the run has'
	for name in absolute tmp relative deep/er/down/higher dangling state \
	    renamed linked .git/refs/heads/src; do
		[ ! -L "$name" ] || { say "$name"; return 1; }
	done
	for name in real env gone dot absolute; do
		[ -L "beside/$name" ]
	done
	cordon run --allow nested-git -- sh -c 'ln -s ~/src absolute'
	[ -L absolute ]
}

@test "a virtual environment of Python is made of other symlinks" {
	cordon run -- python3 -m venv --without-pip venv
	exits 0
	cordon run -- venv/bin/python -c 'print(1)'
	prints 1
}

@test "a hook, or what it starts, that is a symlink in a directory of hooks" {
	mkdir -p scripts/r myhooks/pre-commit.d .vscode conf
	printf '#!/bin/sh\n' | tee scripts/r/pc scripts/r/part >scripts/r/env
	chmod +x scripts/r/pc
	echo good >conf/tasks
	echo fine >scripts/r/free
	ln -s r scripts/l
	ln -s ../scripts/l/pc myhooks/pre-commit
	ln -s ../../scripts/r/part myhooks/pre-commit.d/a
	ln -s ../scripts/r/env myhooks/.env
	ln -s ../conf/tasks .vscode/tasks.json
	for where in myhooks .git/hooks; do
		git config core.hooksPath "$where"
		if [ "$where" = .git/hooks ]; then
			rm -r .git/hooks
			cp -a myhooks .git/hooks
			for link in pre-commit .env pre-commit.d/a; do
				ln -sfn "../$(readlink ".git/hooks/$link")" ".git/hooks/$link"
			done
		fi
		cordon run -- sh -c 'for file in scripts/r/pc scripts/r/part \
		    scripts/r/env conf/tasks scripts/r/free; do
			echo evil >"$file"; done
		    rm scripts/l; mkdir scripts/l'
		[ "$(cat scripts/r/free)" = evil ]
		[ "$(readlink scripts/l)" = r ]
		for file in scripts/r/pc scripts/r/part conf/tasks; do
			! grep -q evil "$file" || { say "$where: $file"; return 1; }
		done
		echo fine >scripts/r/free
	done
	! grep -q evil scripts/r/env
}
