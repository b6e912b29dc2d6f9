# What a run leaves in repositories that would run at the host's next git is told
# at its end and stands in the report.

load helper

prepare()
{
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.invalid
	export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.invalid
	git init -q -b main .
	git commit -q --allow-empty -m one
	git commit -q --allow-empty -m two
}

# The report lists $1 as $2.
reports()
{
	cordon audit report -o "$T/report.html"
	exits 0
	grep -q "$2" "$T/report.html"
	grep -q "$1" "$T/report.html"
}

silent()
{
	case $stderr in
	*"look at it before you use git"*) say "told for nothing"; return 1 ;;
	esac
}

# Until the clock of the file system has moved on.
later()
{
	touch "$T/now"
	until touch "$T/later" && [ "$T/later" -nt "$T/now" ]; do :; done
}

# A list of things to do: break, and then $1.
interrupted()
{
	cordon run -- env GIT_SEQUENCE_EDITOR="sh -c 'printf \"break\\n$1\\n\" >\"\$1\"' sh" \
	    GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
	    GIT_COMMITTER_EMAIL=a@b git rebase -q -i HEAD~1
	[ -e .git/rebase-merge/git-rebase-todo ]
}

@test "an unfinished rebase with exec, until it is aborted" {
	interrupted "exec touch $T/canary"
	complains "unfinished rebase that runs commands: $W/.git/rebase-merge"
	reports "$W/.git/rebase-merge" 'unfinished rebase that runs commands'
	cordon run -- true
	complains 'unfinished rebase that runs commands'
	git rebase --abort
	cordon run -- true
	silent
	[ ! -e "$T/canary" ]
}

@test "its short form, in a linked worktree" {
	git worktree add -q wt -b side
	mkdir .git/worktrees/wt/rebase-merge
	cordon run -- sh -c \
	    'echo " x touch a" >.git/worktrees/wt/rebase-merge/git-rebase-todo'
	complains "$W/.git/worktrees/wt/rebase-merge"
}

@test "without commands it is told once, by the run that left it" {
	interrupted 'noop # exec'
	complains "unfinished rebase: $W/.git/rebase-merge ("
	later
	cordon run -- true
	silent
	git rebase --abort
	cordon run -- git status
	silent
}

# The prompt that git brings for shells expands what should be numbers.
@test "what should be a number and is none" {
	interrupted noop
	for name in msgnum end head-name; do
		cp .git/rebase-merge/$name kept
		cordon run -- sh -c 'echo "\$(touch x)" >.git/rebase-merge/$1' \
		    sh $name
		complains "that a shell's prompt would run: $W/.git/rebase-merge ("
		cordon run -- true
		complains "that a shell's prompt would run"
		cp kept .git/rebase-merge/$name
	done
	later
	cordon run -- true
	silent
	for name in next last; do
		mkdir .git/rebase-apply
		cordon run -- sh -c 'echo "1\$x" >.git/rebase-apply/$1' sh $name
		complains "that a shell's prompt would run: $W/.git/rebase-apply ("
		rm -r .git/rebase-apply
	done
}

@test "an autostash, a cherry-pick and a merge that a run leaves" {
	interrupted noop
	cordon run -- sh -c 'git rev-parse HEAD >.git/rebase-merge/autostash'
	complains "that applies changes at its end: $W/.git/rebase-merge ("
	git rebase --quit
	git stash drop -q || :
	cordon run -- sh -c 'mkdir .git/sequencer
	    echo "pick $(git rev-parse HEAD) x" >.git/sequencer/todo'
	complains "unfinished cherry-pick or revert: $W/.git/sequencer ("
	later
	cordon run -- true
	silent
	rm -r .git/sequencer
	cordon run -- sh -c 'git rev-parse HEAD >.git/MERGE_HEAD'
	complains "unfinished merge: $W/.git/MERGE_HEAD ("
	rm .git/MERGE_HEAD
	cordon run -- git -c user.name=a -c user.email=a@b commit -q \
	    --allow-empty -m three
	exits 0
	silent
}

@test "a merge strategy that is a path: git would execute it" {
	interrupted noop
	cordon run -- sh -c 'echo x/../evil >.git/rebase-merge/strategy'
	complains "$W/.git/rebase-merge"
	cordon run -- sh -c 'echo ort >.git/rebase-merge/strategy'
	case $stderr in *commands*) say "told for nothing"; return 1 ;; esac
	cordon run -- sh -c 'mkdir -p .git/sequencer
	    printf "[options]\n\tstrategy = x/../evil\n" >.git/sequencer/opts'
	complains "unfinished cherry-pick that runs commands: $W/.git/sequencer"
}

@test "repositories that were not there, where they may be made" {
	git init -q old
	git init -q --bare bare
	cordon run --allow nested-git -- sh -c 'git init -q new
	    git init -q --bare deep/er; touch old/a bare/b'
	exits 0
	complains "new git repository: $W/deep/er, $W/new/.git ("
	reports "$W/deep/er" 'new git repository'
	cordon run --allow nested-git -- sh -c 'touch new/a'
	silent
}

@test "repositories that bwrap lets come to be" {
	cordon run --backend bwrap --enforcement best-effort -- sh -c 'mkdir a
	    mkdir a/objects a/refs; echo ref: refs/heads/main >a/HEAD'
	[ -e a/HEAD ]
	complains "new git repository: $W/a ("
}

@test "somebody else makes one while a run makes a part of one" {
	mkfifo go
	"$CORDON" run -- sh -c 'mkdir -p b/objects; read line <go' \
	    2>"$T/stderr" &
	until [ -d b/objects ]; do sleep 0.05; done
	git init -q --bare other
	echo >go
	wait $!
	stderr=$(<"$T/stderr")
	complains "new git repository: $W/other ("
}
