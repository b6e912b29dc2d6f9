#!/bin/bash
# The host's devices, its /proc and the program of bwrap, as a run is given them:
# nobody in it changes their modes, owners or times, and its own he does.
#
#	trysys -i IDENTITY sealed.sh
set -u

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /var/tmp/cordon-sealed-XXXXXX)
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

# state: of what is the host's
state()
{
	stat -c '%n %a %u %g %Z' /dev /dev/{null,zero,full,random,urandom,tty} \
	    /dev/ptmx /usr/bin/bwrap /proc/cpuinfo /proc/version
}

# inside [OPTION...] -- COMMAND...
inside()
{
	"$cordon" run --backend bwrap --enforcement degraded --quiet "$@"
}

# refuses TITLE FILE: of what was tried there nothing worked.  But for one that
# changes nothing, and is let through to everybody on what has no owner at all.
refuses()
{
	local worked
	worked=$(grep -P '\tok$' "$2" | grep -v '/ns/.*chown_-1' |
	    tr '\t\n' ' ;')
	[ -z "$worked" ] && [ -s "$2" ]
	ok $? "$1: nothing works ($(cut -f 3 "$2" | sort | uniq -c |
	    tr -s ' \n' ' '))${worked:+, but $worked}"
}

mkdir -p "$stage"/{home,w}
export HOME="$stage/home"
unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR
cd "$stage/w" || exit 1
cp "$CORDON_SOURCE/tests/live/bwrap/sealed.py" try.py
echo x >mine
state >"$stage/before"

# ----- Control: the same calls where they may work ------------------------------------

# works FILE: how many of them
works()
{
	grep -c "$(printf '\tok$')" "$1"
}

echo x >copy
python3 try.py try "$stage/outside" copy
inside -- python3 try.py try out mine </dev/null
diff <(grep -v open_by_handle "$stage/outside" | cut -f 2-) \
    <(grep -v open_by_handle out | cut -f 2-) >"$stage/diff"
ok $? "what works outside works on a file of its own $(tr '\n' ';' \
    <"$stage/diff")"
[ "$(works out)" -ge 5 ]
ok $? "which is most of it ($(works out))"
inside -- sh -c 'chmod 741 mine && touch -d @5000 mine' </dev/null
[ "$(stat -c '%a %Y' mine)" = '741 5000' ]
ok $? 'and is seen outside'

# ----- By name ----------------------------------------------------------------------------

names=(/dev /dev/null /dev/zero /dev/full /dev/random /dev/urandom /proc
    /proc/cpuinfo /proc/version /proc/self/stat /proc/1 /proc/self/exe
    /proc/self/root /proc/self/ns/time /proc/self/ns/user /usr/bin/bwrap
    /dev/stdin /proc/self/fd/0)
inside -- python3 try.py try out "${names[@]}" </dev/null
refuses 'by name' out
[ "$(cut -f 1 out | uniq | wc -l)" = ${#names[@]} ]
ok $? 'all of them were tried'
inside --network full -- python3 try.py try out /proc/self/ns/net </dev/null
refuses 'the network that is shared' out

# ----- By descriptor ----------------------------------------------------------------------

for device in null zero full urandom; do
	inside -- python3 try.py try out 0 1 2 /proc/self/fd/{0,1,2} \
	    <"/dev/$device" >/dev/null 2>"/dev/$device"
	refuses "$device as input and output" out
done
inside -- python3 try.py try out 0 1 2 <&- >&- 2>&-
refuses 'what takes the place of closed ones' out
got=$(inside -- sh -c 'head -c 3 | od -An -tx1; echo x >&2' \
    </dev/zero 2>/dev/null)
[ "$got" = ' 00 00 00' ]
ok $? "and they can be used ($got)"
inside -- sh -c '! echo x >/dev/full && echo x >>/dev/null &&
    : >|/dev/null && head -c 1 /dev/urandom' </dev/null >/dev/null 2>&1
ok $? 'also by name'

# One that is refused is not even opened: some do something then.
given()
{
	python3 try.py input "$@" 2>/dev/null
}
if (: </dev/fuse) 2>/dev/null; then
	got=$(given /dev/fuse "$cordon" run --backend bwrap --enforcement \
	    degraded --quiet -- true)
	[ "$? $got" = '125 not opened' ]
	ok $? "a device that is refused is left alone ($got)"
	got=$(given /dev/fuse sh -c ': </dev/fuse')
	[ "$got" = opened ]
	ok $? "(who opens it is seen: $got)"
fi
got=$(given /dev/null "$cordon" run --backend bwrap --enforcement degraded \
    --quiet -- true)
[ "$? $got" = '0 opened' ]
ok $? "(as with one that is not: $got)"

# ----- The first process ---------------------------------------------------------------------

# bwrap itself: when the command begins it may still have the host's /proc, and
# no filter yet.  Nobody gets at either; a process of one's own shows the calls.
cat >first.py <<'END'
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
PTRACE, READ, WRITE = (117, 270, 271) if os.uname().machine == "aarch64" \
    else (101, 310, 311)
ATTACH, GETFD, PIDFD = 16, 438, 434


def call(*words):
	r = libc.syscall(*map(ctypes.c_long, words))
	return "ok" if r >= 0 else errno.errorcode[ctypes.get_errno()]


pid = int(sys.argv[1]) or os.fork()
if pid == 0:
	while True:
		os.read(os.pipe()[0], 1)
pidfd = libc.syscall(ctypes.c_long(PIDFD), ctypes.c_long(pid), ctypes.c_long(0))
print(call(GETFD, pidfd, 0, 0), call(READ, pid, 0, 0, 0, 0, 0),
    call(WRITE, pid, 0, 0, 0, 0, 0), call(PTRACE, ATTACH, pid, 0, 0))
if pid != 1:
	os.kill(pid, 9)
END
got=$(python3 first.py 0)
[ "$got" = 'ok ok ok ok' ]
ok $? "outside one reaches into a process of one's own ($got)"
got=$(inside -- python3 first.py 1 </dev/null)
[ "$got" = 'EPERM EPERM EPERM EPERM' ]
ok $? "nobody reaches into the first one ($got)"
got=$(inside -- sh -c 'ls -A /proc/1 /proc/self/../1 | tr -d "\n"
    ls /proc/$$/fd >/dev/null && echo own' </dev/null)
[ "$got" = '/proc/1:/proc/self/../1:own' ]
ok $? "nor sees what it has ($got)"

# ----- A terminal ---------------------------------------------------------------------------

python3 try.py tty "$cordon" run --backend bwrap --enforcement degraded \
    --quiet -- python3 try.py try out 0 1 2 /proc/self/fd/0 /dev/console \
    /dev/tty >"$stage/log" 2>&1
refuses 'a terminal' out
[ "$(cut -f 1 out | uniq | wc -l)" = 6 ]
ok $? 'under all its names'
grep -qx 'terminal gone\|terminal same' "$stage/log"
ok $? "it is as it was ($(tail -n 1 "$stage/log"))"
python3 try.py tty "$cordon" run --backend bwrap --enforcement degraded \
    --quiet -- sh -c 'tty && echo to-it >/dev/tty && stty size &&
    ps -o tpgid= -p $$ >/dev/null && test -t 0 && test -t 1 && test -t 2 &&
    echo all' >"$stage/log" 2>&1
grep -qx /dev/console "$stage/log" && grep -qx to-it "$stage/log" &&
    grep -qx all "$stage/log"
ok $? "it is one ($(tr '\n' ' ' <"$stage/log"))"

# ----- All names ------------------------------------------------------------------------------

# shellcheck disable=SC2016 # the sandbox's own
inside -- sh -c 'exec python3 try.py walk "$PWD" "$HOME" "$TMPDIR" /tmp \
    /dev/pts /dev/shm >out' </dev/null >/dev/null 2>&1
[ "$(cat out)" = 'tried enough' ]
ok $? "of all names nothing else can be changed ($(head -n 3 out |
    tr '\n' ' '))"

# ----- Where they cannot be sealed ----------------------------------------------------------

# A terminal that has no name here: nothing at all is changed then.
cat >"$stage/nameless.py" <<'END'
import os, pty, sys
master, slave = pty.openpty()
for i in range(3):
	os.dup2(master, i) # who opens this one again gets another
os.execvp(sys.argv[1], sys.argv[1:])
END
# shellcheck disable=SC2016 # of that shell
err=$(python3 "$stage/nameless.py" sh -c '
    "$1" run --backend bwrap --enforcement degraded -- \
    sh -c "chmod 700 mine; echo \$? >out" 2>err' - "$cordon")
[ "$(cat out)" = 1 ] && [ "$(stat -c %a mine)" = 741 ]
ok $? "what has no name: no mode is changed ($(cat out)$err)"
grep -q 'cannot be changed in this run' err
ok $? "and it is said ($(tail -n 1 err))"

# Nor on a kernel that cannot do it, and the plan says so.
old=(setarch --uname-2.6 "$cordon")
"${old[@]}" plan --backend bwrap --json 2>/dev/null | grep -q '"root-metadata"'
ok $? 'before Linux 5.12 the plan says it'
"${old[@]}" run --backend bwrap --enforcement degraded --quiet -- \
    sh -c 'chmod 700 mine; echo $? >out' </dev/null 2>/dev/null
[ "$(cat out)" = 1 ] && [ "$(stat -c %a mine)" = 741 ]
ok $? 'and it is so'
! "$cordon" plan --backend bwrap --json 2>/dev/null | grep -q '"root-metadata"'
ok $? 'here it does not'

state >"$stage/after"
diff "$stage/before" "$stage/after" >"$stage/diff"
ok $? "the host is as it was $(tr '\n' ';' <"$stage/diff")"

echo "1..$points"
[ "$failures" -eq 0 ]
