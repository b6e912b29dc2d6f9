#!/bin/bash
# What an attempt that is refused leaves behind: an event, and a line at the end
# of the run.  In namespaces also where Landlock alone refuses it.
#
#	trysys -i IDENTITY attempts.sh
set -u

cordon=$CORDON_COMMAND
umask 022
PATH=/usr/local/bin:/usr/bin:/bin
stage=$(mktemp -d /var/tmp/cordon-attempts-XXXXXX)
points=0 failures=0
trap 'rm -rf "$stage"' EXIT

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - ${2//$'\n'/ }"
	else
		echo "not ok $points - ${2//$'\n'/ }"
		sed 's/^/# /' "$stage/stderr"
		sed 's/^/# /' "$stage/stdout"
		failures=$((failures + 1))
	fi
}

unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
mkdir -p "$stage"/{home/.ssh,home/.aws,home/plain,work}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
audit="$stage/state/cordon/audit.jsonl"
: >"$stage/stderr"
: >"$stage/stdout"
echo KEY >"$HOME/.ssh/id_ed25519"
echo KEY >"$HOME/.netrc"
echo KEY >"$HOME/.aws/credentials"
echo plain >"$HOME/plain/file"
cd "$stage/work" || exit 1
echo plain >file
cat >"$stage/p.yaml" <<-END
	schemaVersion: 2
	kind: Policy
	metadata: {name: attempts}
	spec:
	  unprotect: ["**"]
	  fsProfiles:
	    a: {read: ["./**"], modify: ["./**"]}
	    b: {read: ["./**"], modify: ["./**", "!x/**"]}
	    c: {read: ["./**", "!**/*.env"], modify: ["./**"]}
END

# try ISOLATION PROFILE COMMAND...: $stage/stdout, stderr and events.
try()
{
	local options=(--isolation "$1")
	[ "$2" = - ] || options+=(--policy "$stage/p.yaml" --profile "$2")
	rm -f "$audit" "$audit.head"
	"$cordon" run "${options[@]}" -- "${@:3}" >"$stage/stdout" \
	    2>"$stage/stderr" </dev/null
	python3 -c 'import json, sys
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["kind"].endswith(".denied"):
        print(e["kind"], e["call"], e["op"], e["path"], e["layer"],
            e["matched_rule"], e["errno"], len(e["pids"]))' "$audit" \
	    >"$stage/events"
}

# left EVENT: this is the only one.
left()
{
	[ "$(cat "$stage/events")" = "$*" ]
}

told()
{
	grep -q "^cordon: $1; cordon audit show" "$stage/stderr"
}

untold()
{
	! grep -q '^cordon: .*denial' "$stage/stderr"
}

# ----- Reads that Landlock alone refuses --------------------------------------------

for profile in - a b; do
	try namespaces "$profile" cat "$HOME/.ssh/id_ed25519"
	grep -q 'Permission denied' "$stage/stderr" && [ ! -s "$stage/stdout" ]
	ok $? "$profile: a key is not read"
	left "fs.call.denied lookup read $HOME/.ssh floor ~/.ssh 13 0"
	ok $? "$profile: and that it was tried is recorded ($(cat "$stage/events"))"
	told '1 denial: read ~/.ssh (<floor>)'
	ok $? "$profile: and told in the end"

	try namespaces "$profile" sh -c "cat '$HOME/.netrc'; ls '$HOME/.aws'"
	told '2 denials: read ~/.aws (<floor>), read ~/.netrc (<floor>)'
	ok $? "$profile: a file of its own, and a directory"

	try namespaces "$profile" sh -c 'cat file >/dev/null; ls -la ~ /etc /usr
	    cat ~/.ssh/config; stat / .; cat /proc/self/mountinfo'
	[ ! -s "$stage/events" ] && untold
	ok $? "$profile: control: ordinary work leaves none ($(cat "$stage/events"))"

	try namespaces "$profile" cat "$HOME/plain/file"
	grep -q 'Permission denied' "$stage/stderr" && [ ! -s "$stage/events" ]
	ok $? "$profile: control: a read that is not of the floor leaves none"

	try namespaces "$profile" cat "$audit"
	told '1 denial: read .*/audit.jsonl (<floor>)'
	ok $? "$profile: the audit itself"

	try namespaces "$profile" df
	[ "$(grep -c ' lookup read ' "$stage/events")" -ge 3 ] && untold
	ok $? "$profile: df looks at every mount: recorded, not told"

	try namespaces "$profile" sh -c "df >/dev/null 2>&1
	    setsid cat '$HOME/.ssh/id_ed25519' & wait"
	grep -q "lookup read $HOME/.ssh " "$stage/events"
	ok $? "$profile: a background process, behind a df"
done

# The broker judges what changes files: one event is enough.
try namespaces b sh -c "echo x >'$HOME/.ssh/id_ed25519'; cat '$HOME/.ssh/id_ed25519'"
[ "$(grep -c "$HOME/.ssh" "$stage/events")" = 1 ]
ok $? "b: what the broker has recorded is not recorded twice ($(cat "$stage/events"))"

# In mode C it judges reads, with and without namespaces.
for isolation in none namespaces; do
	try "$isolation" c cat "$HOME/.ssh/id_ed25519"
	grep -q 'Permission denied' "$stage/stderr" &&
	    [ ! -s "$stage/stdout" ]
	ok $? "c $isolation: a key is not read"
done
[ "$(cat "$HOME/.ssh/id_ed25519" "$HOME/.netrc" "$HOME/.aws/credentials")" = \
    $'KEY\nKEY\nKEY' ]
ok $? "the keys are as they were"
! grep -q "$stage" /proc/self/mountinfo
ok $? "and nothing of it is mounted here"

try namespaces - sh -c "cat '$HOME/.netrc'; :"
left "fs.call.denied lookup read $HOME/.netrc floor ~/.netrc 13 0"
ok $? "a single file ($(cat "$stage/events"))"

# ----- Rare calls --------------------------------------------------------------------

cat >rare.py <<-END
	import ctypes, fcntl, platform, termios
	libc = ctypes.CDLL(None, use_errno=True)
	x86 = platform.machine() == "x86_64"
	def call(on_x86, on_arm, *args):
	    if libc.syscall(on_x86 if x86 else on_arm, *args) >= 0:
	        print("done", on_x86)
	call(165, 40, b"x", b"/mnt", b"tmpfs", 0, 0)
	call(272, 97, 0x10000000)
	call(250, 219, 0, -3, 1)
	try:
	    fcntl.ioctl(0, termios.TIOCSTI, b"x")
	    print("typed")
	except OSError:
	    pass
END
for isolation in none namespaces; do
	for profile in a b c; do
		try "$isolation" "$profile" python3 rare.py
		[ ! -s "$stage/stdout" ]
		ok $? "$profile $isolation: rare calls are refused"
		[ "$(sed -n 's/^call.denied \([a-z0-9]*\) .*/\1/p' \
		    "$stage/events" | tr '\n' ' ')" = \
		    'mount unshare keyctl ioctl ' ]
		ok $? "$profile $isolation: each leaves an event"
		try "$isolation" "$profile" python3 -c 'print("fine")'
		! grep -q '^call.denied' "$stage/events"
		ok $? "$profile $isolation: control: a program without them, none"
	done
done

# A process outside; in namespaces only cordon's own first one can be named.
cat >trace.py <<-END
	import ctypes, os, platform, signal, sys
	libc = ctypes.CDLL(None, use_errno=True)
	number = 101 if platform.machine() == "x86_64" else 117
	child = os.fork()
	if child == 0:
	    signal.pause()
	for pid in int(sys.argv[1]), child:
	    print(libc.syscall(number, 0x4206, pid, 0, 0) >= 0)
	os.kill(child, 9)
END
for isolation in none namespaces; do
	for profile in a b c; do
		pid=$$
		[ "$isolation" = none ] || pid=1
		try "$isolation" "$profile" python3 trace.py "$pid"
		[ "$(cat "$stage/stdout")" = $'False\nTrue' ]
		ok $? "$profile $isolation: tracing a process outside, control: inside"
		[ "$(grep -c '^call.denied ptrace ' "$stage/events")" = 1 ]
		ok $? "$profile $isolation: leaves an event ($(cat "$stage/events"))"
	done
done

# ----- Watching -----------------------------------------------------------------------

cat >watch.py <<-END
	import ctypes, errno, os, sys
	libc = ctypes.CDLL(None, use_errno=True)
	fd = libc.inotify_init1(0)
	def watch(path, mask=0x100):
	    r = libc.inotify_add_watch(fd, path.encode(), mask)
	    return "ok" if r > 0 else errno.errorcode[ctypes.get_errno()]
	home = sys.argv[1]
	print(watch(home + "/.ssh"), watch(home), watch(home + "/.netrc"))
	print(watch("missing"), watch("file", 0x01000100), watch("file", 0))
	os.symlink(home + "/.ssh", "link")
	print(watch("link"), watch("link", 0x02000004), watch("/etc"))
	os.unlink("link")
	print(watch("."))
	open("new", "w").close()
	events = os.read(fd, 4096)
	print(b"new" in events)
	os.unlink("new")
END
for isolation in none namespaces; do
	for profile in - a b c; do
		try "$isolation" "$profile" python3 watch.py "$HOME"
		[ "$(cat "$stage/stdout")" = 'EACCES EACCES EACCES
ENOENT ENOTDIR EINVAL
EACCES ok ok
ok
True' ]
		ok $? "$profile $isolation: what may not be read is not watched"
		[ "$(grep -c '^fs.call.denied inotify_add_watch read ' \
		    "$stage/events")" -ge 3 ]
		ok $? "$profile $isolation: and the attempt is recorded"
	done
done

# ----- The user's quotas --------------------------------------------------------------

cat >quota.py <<-END
	import ctypes
	libc = ctypes.CDLL(None, use_errno=True)
	n = 0
	while n < 100000 and libc.inotify_init1(0) >= 0:
	    n += 1
	print(n)
END
most=$(cat /proc/sys/fs/inotify/max_user_instances)
# shellcheck disable=SC2016 # for the shell inside
try namespaces - sh -c 'ulimit -n "$(ulimit -H -n)"; python3 quota.py'
n=$(cat "$stage/stdout")
[ "$n" -ge 1 ] && [ "$n" -le $((most / 2)) ]
ok $? "a run has half of the user's inotify instances at most ($n of $most)"

echo "1..$points"
[ "$failures" = 0 ]
