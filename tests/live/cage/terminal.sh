#!/bin/bash
# A shell in the cage, on a real terminal: keys, jobs, size.
#
#	trysys -i IDENTITY terminal.sh
set -u

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-tty-XXXXXX)
points=0 failures=0
export TMUX_TMPDIR="$stage" HOME="$stage/home" LC_ALL=C.UTF-8
export SHELL=/bin/sh TERM=xterm # tmux asks for both; nobody has no shell
unset TMUX XDG_STATE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR

cleanup()
{
	tmux kill-server 2>/dev/null
	sleep 0.2 # a run that is ended puts its things away
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
		tmux capture-pane -p | sed '/^$/d; s/^/# /'
		failures=$((failures + 1))
	fi
}

# before_long COMMAND...: it succeeds within a time that decides nothing.
before_long()
{
	local i
	for ((i = 0; i < 1200; i++)); do
		"$@" && return 0
		sleep 0.05
	done
	return 1
}

shows()
{
	tmux capture-pane -p | grep -q "${@:2}" -- "$1"
}

# sees TEXT: it appears on the screen.  Not what was typed, so that must differ.
sees()
{
	before_long shows "$1" -F
}

# In front is whom a key finds: of the terminal's group, and not stopped.  Some
# backends know a program by its whole path only.
in_front()
{
	local pid
	pid=$(pgrep -u "$(id -u)" -fx -- "(/[a-z/]*/)?$1") || return
	case $(ps -o stat= -p "$pid") in
	[SR]*+*) ;;
	*) return 1 ;;
	esac
}

# starts COMMAND: it runs, or is back, so that a key finds it in the foreground.
starts()
{
	before_long in_front "$1"
}

types()
{
	tmux send-keys "$@"
}

# answers COMMAND TEXT
answers()
{
	types "$1" Enter
	sees "$2"
}

mkdir "$stage"/{home,w}
cd "$stage/w" || exit 1
if ! command -v tmux >/dev/null; then
	[ -z "${CORDON_MUST_WORK-}" ]
	ok $? 'tmux # SKIP not installed'
	echo "1..$points"
	exit $failures
fi
run="$cordon run --quiet --"
outer="bash --norc --noprofile -i -s outer$$" # each has a name of its own
inner="bash --norc --noprofile -i -s inner$$"
tmux new-session -d -x 80 -y 24 "env PS1='outer: ' $outer" || exit 1
sees 'outer:'
ok $? 'a shell outside'

types "$run env PS1='in''ner: ' $inner" Enter
sees 'inner:'
ok $? 'a shell inside'
types 'no job control in this shell; echo jobs: $-' Enter
sees 'jobs: h'
ok $? 'it runs commands'
before_long shows 'jobs: h[a-zA-Z]*m'
ok $? 'with job control'

types "sleep 1$$; echo after" Enter
starts "sleep 1$$"
types C-c
starts "$inner"
# shellcheck disable=SC2016 # for the shell inside
types 'echo "still here: $PS1"' Enter
sees 'still here: inner'
ok $? 'Ctrl-C ends the command, not the shell'

types "sleep 2$$" Enter
starts "sleep 2$$"
types C-z
sees 'Stopped'
ok $? 'Ctrl-Z stops a job inside'
types 'jobs' Enter
sees "sleep 2$$"
ok $? 'which the shell knows'
types 'kill %1; wait; echo job "gone"' Enter
sees 'job gone'
ok $? 'and can end'

tmux resize-window -x 101 -y 33
types 'stty size' Enter
sees '33 101'
ok $? 'the size of the window is known'

# What is typed while a run ends is flushed: so wait for the shell.
types 'clear; exit 5' Enter
starts "$outer"
# shellcheck disable=SC2016 # for the shell outside
answers 'echo status $?' 'status 5'
ok $? 'its code is passed on'

types "$run sleep 3$$" Enter
starts "sleep 3$$"
types C-z
sees 'Stopped'
ok $? 'Ctrl-Z stops the run, and the shell outside goes on'
types 'clear; fg' Enter
starts "sleep 3$$"
types C-c
starts "$outer"
# shellcheck disable=SC2016 # for the shell outside
answers 'echo ended $?' 'ended 130'
ok $? 'it continues, and Ctrl-C ends it'

types "clear; $run dd bs=9$$ status=none" Enter
starts "dd bs=9$$ status=none"
types 'through the cage' Enter
sees 'through the cage'
types C-d
starts "$outer"
# shellcheck disable=SC2016 # for the shell outside
answers 'echo done $?' 'done 0'
ok $? 'what is typed arrives, and its end'

types "$run sh -c 'stty -echo raw'; echo found \$(stty -a | tr ' ' '\\n' | grep -cx -- 'echo;*')" Enter
sees 'found 1'
ok $? 'the terminal is as it was'

# Beside other programs on the same terminal: each line of theirs begins one.
types "clear; $run sh -c 'read x; echo one; echo two' | cat" Enter
before_long pgrep -u "$(id -u)" -fx 'sh -c read x; echo one; echo two' >/dev/null
types typed Enter
sees two
tmux capture-pane -p | grep -qx two
ok $? 'the end of a pipeline, after a run that reads'
starts "$outer"
types "clear; (sleep 0.5; echo four; echo five) & $run sleep 6$$" Enter
starts "sleep 6$$"
sees five
tmux capture-pane -p | grep -qx five
ok $? 'a job in the background beside a run'
types C-c
starts "$outer"
types "clear; $run sh -c 'stty -opost; printf \"six\\nse\"; printf \"ven\"; exec sleep 5$$'" Enter
starts "sleep 5$$"
before_long shows '^   seven$'
ok $? 'a program that wants raw output has it'
types C-c
starts "$outer"

# The key reaches what is around a run, too.
types "clear; for i in 1 2; do $run sleep 7$$; echo turn \$i; done" Enter
starts "sleep 7$$"
types C-c
starts "$outer"
answers 'echo loop "ended"' 'loop ended'
! shows 'turn [12]'
ok $? 'Ctrl-C ends a loop'
printf '%s\n' "$run sleep 8$$" 'echo second "part"' >script
types 'clear; bash script' Enter
starts "sleep 8$$"
types C-c
starts "$outer"
answers 'echo script "ended"' 'script ended'
! shows 'second part'
ok $? 'and a script'
if [ "${CORDON_BACKEND-}" != bwrap ]; then # which ends with the key itself
	printf '%s\n' "$run sh -c 'trap \"echo caught\" INT; sleep 9$$; exit 3'" \
	    'echo second "part" $?' >script
	types 'clear; bash script' Enter
	starts "sleep 9$$"
	types C-c
	sees 'second part 3'
	ok $? 'but not one whose command handles it'
fi

# Terminals made inside, and those of others.
theirs=$(tmux display-message -p '#{pane_tty}')
types "clear; cat - 4$$" Enter
starts "cat - 4$$"
for preset in workspace protect; do
	got=$("$cordon" run --quiet --preset "$preset" -- \
	    script -qec tty /dev/null </dev/null | tr -d '\r')
	case $got in /dev/pts/*) true ;; *) false ;; esac
	ok $? "$preset: a new terminal ($got)"
	! "$cordon" run --quiet --preset "$preset" -- \
	    sh -c "echo intruder >$theirs" 2>/dev/null </dev/null
	ok $? "$preset: another terminal is not written to"
	"$cordon" run --quiet --preset "$preset" -- \
	    timeout 60 head -c 1 "$theirs" 2>/dev/null </dev/null
	[ $? -eq 1 ]
	ok $? "$preset: nor read"
done
echo greeting >"$theirs"
sees greeting
ok $? 'control: it can be written to from outside'
! tmux capture-pane -p | grep -q intruder
ok $? 'and nobody else did'

echo "1..$points"
[ "$failures" -eq 0 ]
