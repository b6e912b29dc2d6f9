# core.hooksPath, wherever git takes it from: what it names in the workspace is
# protected.  git itself says where the hooks of a repository are.

load helper

# Of the repository at $1: git looks for hooks in $2, and a run cannot write
# there; beside it, it can.
hooks_are_in()
{
	local where

	where=$(cd "$1" && git rev-parse --git-path hooks)
	case $where in
	/*) ;;
	*) where=$(cd "$1" && pwd -P)/$where ;;
	esac
	[ "$(realpath -m "$where")" = "$PWD/$2" ]
	mkdir -p "$2" beside
	cordon run -- sh -c 'echo evil >"$1/pre-commit"; echo fine >beside/a' \
	    sh "$2"
	[ ! -e "$2/pre-commit" ]
	[ "$(cat beside/a)" = fine ]
	cordon check --op modify "$2/pre-commit"
	exits 3
}

setup_git()
{
	export GIT_CONFIG_NOSYSTEM=1
	git init -q -b main .
	git config user.email a@example.invalid
	git config user.name a
}

@test "in a file that the configuration includes" {
	setup_git
	git config include.path "$HOME/included"
	git config -f "$HOME/included" core.hooksPath scripts/hooks
	hooks_are_in . scripts/hooks
}

@test "in a file that it includes on a condition, at second hand" {
	setup_git
	git config "includeIf.gitdir:$PWD/.path" "$HOME/one"
	git config -f "$HOME/one" include.path two
	git config -f "$HOME/two" core.hooksPath scripts/hooks
	hooks_are_in . scripts/hooks
}

@test "in config.worktree" {
	setup_git
	git config extensions.worktreeConfig true
	git config --worktree core.hooksPath scripts/hooks
	hooks_are_in . scripts/hooks
}

@test "in the user's file, with a tilde and without" {
	setup_git
	git config --global core.hooksPath scripts/hooks
	hooks_are_in . scripts/hooks
	rm -r scripts
	git config --global core.hooksPath "~/../${PWD##*/}/other"
	hooks_are_in . other
}

@test "in the user's other file" {
	setup_git
	mkdir -p "$HOME/.config/git"
	git config -f "$HOME/.config/git/config" core.hooksPath scripts/hooks
	hooks_are_in . scripts/hooks
}

@test "of a repository in the workspace, and of one around it" {
	setup_git
	git init -q lib
	git -C lib config core.hooksPath tools
	hooks_are_in lib lib/tools
	mkdir -p lib/deep
	git -C lib config core.hooksPath deep/er
	cd lib/deep
	mkdir -p er
	cordon run -- sh -c 'echo evil >er/pre-commit; echo fine >a'
	[ ! -e er/pre-commit ]
	[ "$(cat a)" = fine ]
}

@test "of a linked worktree in the workspace" {
	setup_git
	git commit -q --allow-empty -m one
	git worktree add -q tree -b side
	git config core.hooksPath tools/hooks
	hooks_are_in tree tree/tools/hooks
}

@test "the top of the workspace itself" {
	setup_git
	git config core.hooksPath .
	cordon run -- sh -c 'echo evil >pre-commit; echo fine >a'
	[ ! -e pre-commit ]
	[ "$(cat a)" = fine ]
}

@test "a configuration that cannot be understood: nothing starts" {
	setup_git
	git config include.path "$HOME/included"
	echo '[core' >"$HOME/included"
	cordon run -- true
	exits 125
	complains 'it is not a git configuration'
	rm "$HOME/included"
	cordon run -- true
	exits 0
}

# Behind more directories than are looked into before a start, and in
# node_modules, a repository whose hooks lie elsewhere, and one with another name.
setup_far()
{
	setup_git
	mkdir -p $(seq -f 'many/%g/x' 300) node_modules/p/q beside
	git init -q node_modules/p/r
	git -C node_modules/p/r config core.hooksPath "$1"
	git init -q --bare many/299/x/store
	git init -q --bare node_modules/p/store
}

@test "far down: core.hooksPath of a repository there" {
	setup_far ../q/hooks
	cordon run -- sh -c 'mkdir -p node_modules/p/q/hooks
	    echo evil >node_modules/p/q/hooks/pre-commit; echo fine >beside/a'
	[ ! -e node_modules/p/q/hooks ]
	[ "$(cat beside/a)" = fine ]
	# By another name for what lies above it, or by a link in its place.
	cordon run -- sh -c 'mkdir -p e/hooks; echo evil >e/hooks/pre-commit
	    mv -T node_modules/p/q beside/q; ln -s ../../e node_modules/p/q'
	[ ! -e node_modules/p/q/hooks/pre-commit ]
	[ ! -L node_modules/p/q ]
	mkdir -p e/hooks
	cordon run -- sh -c 'ln -s ../../../e/hooks node_modules/p/q/hooks
	    mv -T e/hooks node_modules/p/q/hooks'
	[ ! -e node_modules/p/q/hooks ]
	cordon check --op modify node_modules/p/q/hooks/pre-commit
	exits 3
	cordon tool write_text \
	    '{"path":"node_modules/p/q/hooks/pre-commit","content":"evil"}'
	exits 3
	[ ! -e node_modules/p/q/hooks ]
	mkdir -p node_modules/p/q
	cordon tool write_text '{"path":"node_modules/p/q/a","content":"x"}'
	exits 0
	[ "$(cat node_modules/p/q/a)" = x ]
}

@test "far down: the allow list of a git directory" {
	setup_far hooks
	for store in many/299/x/store node_modules/p/store; do
		cordon run -- sh -c 'cd "$1"; echo 1 >ORIG_HEAD; echo 2 >unknown
		    echo 5 >index
		    echo 3 >info/attributes; mkdir worktrees
		    echo /tmp >objects/info/alternates; echo 4 >../fine' \
		    sh "$store"
		[ "$(cat "$store/ORIG_HEAD")" = 1 ]
		[ ! -e "$store/index" ]
		[ "$(cat "$store/../fine")" = 4 ]
		[ ! -e "$store/unknown" ]
		[ ! -e "$store/info/attributes" ]
		[ ! -e "$store/worktrees" ]
		[ ! -e "$store/objects/info/alternates" ]
		cordon tool write_text \
		    "{\"path\":\"$store/unknown\",\"content\":\"x\"}"
		exits 3
	done
	cordon run --allow hooks --allow git -- \
	    sh -c 'echo 2 >node_modules/p/store/unknown'
	[ "$(cat node_modules/p/store/unknown)" = 2 ]
}

@test "far down: in a run inside of a run" {
	setup_far ../q/hooks
	cp "$CORDON" inner
	cordon run -- ./inner run --workspace node_modules -- sh -c '
	    mkdir -p node_modules/p/q/hooks; echo 1 >beside/a
	    echo 2 >node_modules/p/store/unknown; echo 3 >node_modules/p/q/fine'
	[ "$(cat node_modules/p/q/fine)" = 3 ]
	[ ! -e node_modules/p/q/hooks ]
	[ ! -e node_modules/p/store/unknown ]
}

@test "far down: more repositories than have lists of their own are closed" {
	setup_far hooks
	for i in $(seq 100); do
		cp -r node_modules/p/store "many/$i/store"
	done
	cordon run -- sh -c 'for d in many/*/store; do echo x >$d/unknown; done
	    echo fine >beside/a'
	[ -z "$(find many -name unknown)" ]
	[ "$(cat beside/a)" = fine ]
}

@test "far down: a configuration that cannot be understood closes its tree" {
	setup_far hooks
	echo '[core' >node_modules/p/r/.git/config
	mkdir node_modules/p/s
	cordon run -- sh -c 'echo x >node_modules/p/r/a; echo y >node_modules/p/s/a'
	[ ! -e node_modules/p/r/a ]
	[ "$(cat node_modules/p/s/a)" = y ]
}

# Nobody knew of it when the run began: the broker looks at each directory.
@test "a repository that the host makes meanwhile, exchanged all the time" {
	setup_far hooks
	cat >race.py <<-'END'
	import ctypes, os, threading, time
	libc = ctypes.CDLL(None)
	open('ready', 'w').close()
	while not os.path.exists('go'):
	    time.sleep(0.01)
	names = ['many/7/repo', 'many/7/other']
	done = False
	exchanged = refused = 0
	def exchange():
	    global exchanged
	    while not done:
	        exchanged += libc.renameat2(-100, names[0].encode(), -100,
	            names[1].encode(), 2) == 0
	thread = threading.Thread(target=exchange)
	thread.start()
	for i in range(6000):
	    try:
	        with open(names[i % 2] + '/config', 'a') as file:
	            file.write('#evil\n')
	    except OSError:
	        refused += 1
	for i in range(1000):
	    try:
	        os.unlink(names[i % 2] + '/config.worktree')
	    except OSError:
	        pass
	done = True
	thread.join()
	print(exchanged > 100, 0 < refused < 6000)
	END
	(
		while [ ! -e ready ]; do sleep 0.01; done
		mkdir many/7/other
		touch many/7/other/config
		git init -q --bare many/7/repo
		touch many/7/repo/config.worktree
		touch go
	) &
	cordon run -- /usr/bin/python3 race.py
	wait
	prints 'True True'
	if [ -e many/7/repo/HEAD ]; then repo=repo; else repo=other; fi
	[ -e "many/7/$repo/HEAD" ]
	[ -e "many/7/$repo/config.worktree" ]
	! grep -q evil "many/7/$repo/config" || { say 'written'; return 1; }
}

@test "in what the caller's environment names" {
	setup_git
	git config -f "$HOME/mine" core.hooksPath scripts/hooks
	GIT_CONFIG_GLOBAL=$HOME/mine hooks_are_in . scripts/hooks
	rm -r scripts
	(
		unset GIT_CONFIG_NOSYSTEM
		GIT_CONFIG_SYSTEM=$HOME/mine hooks_are_in . scripts/hooks
	)
	rm -r scripts
	cordon run -- mkdir scripts scripts/hooks
	[ -d scripts/hooks ] # nothing names it now
	cordon run -- touch scripts/hooks/pre-commit
	[ -e scripts/hooks/pre-commit ]
	rm -r scripts
	GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=x \
	    GIT_CONFIG_KEY_1=Core.HooksPath GIT_CONFIG_VALUE_1=one/hooks \
	    hooks_are_in . one/hooks
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=include.path \
	    GIT_CONFIG_VALUE_0=$HOME/mine hooks_are_in . scripts/hooks
	GIT_CONFIG_PARAMETERS="'a.b'='x' 'core.hookspath'='it'\\''s/hooks'" \
	    hooks_are_in . "it's/hooks"
	GIT_CONFIG_PARAMETERS="'core.hooksPath=two/hooks' 'a.b'" \
	    hooks_are_in . two/hooks
	for bad in "'core.hooksPath" "core.hooksPath=x"; do
		GIT_CONFIG_PARAMETERS=$bad cordon run -- true
		exits 125
		complains 'GIT_CONFIG_PARAMETERS: it cannot be understood'
	done
	GIT_CONFIG_COUNT=x cordon run -- true
	exits 125
}

@test "the user's file itself, where it lies in the workspace" {
	setup_git
	echo '[alias]' >mine
	echo '[alias]' >dotfile
	ln -s "$PWD/dotfile" "$HOME/.gitconfig"
	GIT_CONFIG_GLOBAL=$PWD/mine cordon run -- sh -c \
	    'echo x >>mine; echo x >>dotfile; echo y >other'
	[ "$(cat mine)" = '[alias]' ]
	[ "$(cat dotfile)" = '[alias]' ]
	[ "$(cat other)" = y ]
}
