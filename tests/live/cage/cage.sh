#!/bin/bash
# What the cage refuses and what it lets through, on the real kernel.
#
#	trysys -i IDENTITY cage.sh
#
# Every refusal has a control: the same thing done outside works, unless this
# user cannot do it anyway.  Afterwards the state of the host is looked at.
# shellcheck disable=SC1091,SC2154 # backend.sh and what it sets
set -u
. "${0%/*}/backend.sh"

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-cage-XXXXXX)
points=0 failures=0
server='' victim='' control='' guests=0

cleanup()
{
	[ -z "$server" ] || kill "$server"
	[ -z "$victim" ] || kill "$victim"
	chmod -R u+rwx "$stage" 2>/dev/null
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
		failures=$((failures + 1))
	fi
}

mkdir "$stage"/{home,home/.ssh,home/project,w,w/sub,out,srv,srv/came}
echo secret >"$stage/home/.ssh/id_ed25519"
echo private >"$stage/home/notes"
echo before >"$stage/out/file"
echo before >"$stage/w/file"
cp "$CORDON_PROBE" "$stage/w/probe"
cp "$CORDON_PROBE" "$stage/out/probe"
export HOME="$stage/home" XDG_STATE_HOME="$stage/home/.local/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR CLAUDE_CONFIG_DIR CODEX_HOME
cd "$stage/w" || exit 1

(exec "$stage/out/probe" serve "$stage/srv") </dev/null >/dev/null 2>&1 &
server=$!
SECRET=in-my-environment "$stage/out/probe" victim <"$stage/out/file" >/dev/null 2>&1 &
victim=$!
while [ ! -e "$stage/srv/ports" ]; do sleep 0.05; done
# shellcheck disable=SC2046 # words
declare $(cat "$stage/srv/ports")
# shellcheck disable=SC2154 # declared by the line above
: "$tcp" "$tcp6" "$mptcp" "$udp" "$abstract"

options=(--quiet)
inside()
{
	"$cordon" run "${options[@]}" -- "$@" 2>"$stage/stderr"
}

# How many the server has seen, of any kind.
came()
{
	cat "$stage"/srv/came/* 2>/dev/null | wc -c
}

# outside PROBE...: $control is what it says.  The server is as slow as the
# machine: who comes to it is seen before anybody else is counted.
outside()
{
	local i
	control=$(./probe "$@" 2>/dev/null)
	case $1:$control in
	tcp:ok | tcp6:ok | mptcp:ok | fastopen:ok | udp:ok | unix:ok | \
	    unix-dgram:ok | unix-pair:ok) guests=$((guests + 1)) ;;
	esac
	for ((i = 0; i < 3000; i++)); do
		[ "$(came)" -lt "$guests" ] || break
		sleep 0.02
	done
}

# denies WHAT PROBE...: works outside (or this user cannot), refused inside.
denies()
{
	local what=$1 got status
	shift
	outside "$@"
	undo
	got=$(inside ./probe "$@")
	status=$?
	[ "$status" -ne 0 ] && [ "$got" != ok ] && [ "$status" -ne 125 ]
	ok $? "$what: refused ($got $status; outside $control)"
}

# Only where it works outside does a refusal inside prove anything.
must_deny()
{
	outside "${@:2}"
	undo
	[ "$control" = ok ]
	ok $? "$1: works outside ($control)"
	denies "$@"
}

allows()
{
	local what=$1 got status
	shift
	got=$(inside ./probe "$@")
	status=$?
	[ "$status" -eq 0 ] && [ "$got" = ok ]
	ok $? "$what: works ($got $status)"
	[ "$status" -eq 0 ] || sed 's/^/# /' "$stage/stderr"
}

# unless SHORTFALL ERRNO WHAT PROBE...: as allows; refused by who says so.
unless()
{
	local short=$1 errno=$2 what=$3 got
	shift 3
	if ! short "$short" "${options[@]}"; then
		allows "$what" "$@"
		return
	fi
	got=$(inside ./probe "$@")
	[ "$got" = "$errno" ]
	ok $? "$what: refused ($got), as the plan says ($short)"
}

# What a control did to the host is undone, so that what comes next counts.
undo()
{
	rm -rf "$stage"/out/{new,dir,moved} "$stage/home/new" moved linked
	echo before >"$stage/out/file"
	[ -e file ] || echo before >file
	umount sub 2>/dev/null
}

# ----- Files --------------------------------------------------------------------

allows 'reading the workspace' read file
allows 'writing in the workspace' write file
[ "$(tail -n 1 file)" = changed ]
ok $? 'what was written is there'
allows 'making a file in the workspace' create sub/new
allows 'renaming in the workspace' rename sub/new sub/newer
allows 'removing in the workspace' unlink sub/newer
allows 'a directory in the workspace' mkdir sub/dir
allows 'a fifo in the workspace' fifo sub/fifo
allows 'reading the system' read /etc/passwd
allows 'listing the system' list /usr
allows 'executing the system' exec /bin/echo ok
allows '/dev/null' write /dev/null
allows '/dev/urandom' read /dev/urandom

must_deny 'reading the real home' read "$stage/home/notes"
must_deny 'reading a key' read "$stage/home/.ssh/id_ed25519"
must_deny 'listing the real home' list "$stage/home"
must_deny 'listing keys' list "$stage/home/.ssh"
must_deny 'writing in the real home' create "$stage/home/new"
must_deny 'reading outside' read "$stage/out/file"
must_deny 'writing outside' write "$stage/out/file"
must_deny 'truncating outside' truncate "$stage/out/file"
must_deny 'making a file outside' create "$stage/out/new"
must_deny 'a directory outside' mkdir "$stage/out/dir"
must_deny 'executing outside' exec "$stage/out/probe" stat /
must_deny 'moving in what may not be read' rename "$stage/out/file" moved
must_deny 'a second name for what may not be read' link "$stage/out/file" linked
ln -s "$stage/out/file" link-out
must_deny 'reading through a link' read link-out
must_deny 'writing through a link' write link-out
denies 'moving out' rename file "$stage/out/moved"
[ -e file ]
ok $? 'the file is still in its place'
# With namespaces it is another /tmp.
[ -n "${CORDON_REAL_COMMAND-}" ] ||
	denies 'writing in /tmp' create "/tmp/cordon-cage-new-$$"
rm -f "/tmp/cordon-cage-new-$$"
denies 'writing to the system' create /usr/cordon-new
denies 'writing to /etc' create /etc/cordon-new
rm -f /usr/cordon-new /etc/cordon-new
denies 'a device node' mknod sub/device
rm -f sub/device
denies 'the password hashes' read /etc/shadow
must_deny 'access mode 3' mode3 /dev/null
got=$(inside cat /proc/self/status | grep -c '^CapEff:[[:space:]]*0000000000000000$')
[ "$got" = 1 ]
ok $? 'no capability is left'
got=$(inside grep -c '^CapBnd:[[:space:]]*0000000000000000$' /proc/self/status)
[ "$got" = 1 ] || [ "$(id -u)" != 0 ]
ok $? 'nor can one be had'

exec 9<"$stage/out/file"
got=$(./probe fd 9)
[ "$got" = ok ]
ok $? 'an open descriptor can be read outside'
got=$(inside ./probe fd 9)
[ "$got" = EBADF ]
ok $? "an inherited descriptor is closed ($got)"
exec 9<&-

# ----- What belongs to a file besides its bytes ------------------------------------

# The file outside can be read here, so that a descriptor of it is no licence.
state()
{
	stat -c '%f %u %g %X %Y' "$1"
	python3 -c 'import os, sys
print([(n, os.getxattr(sys.argv[1], n)) for n in os.listxattr(sys.argv[1])])' \
	    "$1"
	lsattr "$1" 2>/dev/null
}
options+=(--read "$stage/out")
allows 'the file outside can be read' read "$stage/out/file"
for what in chmod fchmod fchmodat2 chown lchown fchown utimes futimes setxattr \
    fsetxattr removexattr setflags; do
	# Not every file system has them all; nor does every kernel.
	case $what:$(./probe "$what" "$stage/out/file") in
	*:ok) ;;
	setflags:ENOTTY | setflags:EOPNOTSUPP | *xattr:EOPNOTSUPP | \
	    *:ENOSYS)
		ok 0 "$what # SKIP not here"
		continue ;;
	*) ok 1 "$what: works outside"; continue ;;
	esac
	[ "$what" != removexattr ] || ./probe setxattr "$stage/out/file" >/dev/null
	before=$(state "$stage/out/file")
	got=$(inside ./probe "$what" "$stage/out/file")
	[ "$got" = EPERM ] || [ "$got" = EACCES ] ||
	    [ "$backend:$got" = bwrap:EROFS ]
	ok $? "$what outside: refused ($got)"
	[ "$(state "$stage/out/file")" = "$before" ]
	ok $? "$what outside: all is as it was"
	[ "$what" != removexattr ] || ./probe setxattr file >/dev/null
	unless root-metadata EPERM "$what inside" "$what" file
done
if short root-metadata "${options[@]}"; then
	[ "$(stat -c %Y file)" -gt 5000 ]
	ok $? 'which really changes nothing'
else
	[ "$(stat -c %Y file)" = 2000 ]
	ok $? 'which really changes it'
	inside sh -c 'chmod 751 sub && touch -d @5000 sub'
	[ "$(stat -c '%a %Y' sub)" = '751 5000' ]
	ok $? 'a directory too'
	# shellcheck disable=SC2016 # the cage's own
	inside sh -c 'echo x >~/f && chmod 711 ~/f && echo x >$TMPDIR/f &&
	    chmod 700 $TMPDIR/f && touch -d @5000 ~/f $TMPDIR/f'
	ok $? 'and what lies in its home and tmp'
fi
inside sh -c 'chmod u+s file || chmod g+s file'
[ $? -eq 1 ] && [ ! -u file ] && [ ! -g file ]
ok $? 'but nothing becomes set-user-ID'
rm -f file
echo before >file
options=(--quiet)

# ----- Home, tmp, environment -----------------------------------------------------

got=$(inside sh -c 'cd && pwd && ls -A' | head -n 1)
case $got in
"$stage/home/.local/state/cordon/homes/"*) ok 0 'HOME is its own' ;;
*) ok 1 "HOME is its own ($got)" ;;
esac
inside sh -c 'echo kept >~/cache'
got=$(inside sh -c 'cat ~/cache')
[ "$got" = kept ]
ok $? 'and stays'
# shellcheck disable=SC2016 # the cage's own
got=$(inside sh -c 'echo x >$TMPDIR/f && cat $TMPDIR/f && echo $TMPDIR')
[ "${got%%$'\n'*}" = x ] && [ ! -e "${got##*$'\n'}" ]
ok $? 'TMPDIR is private, and gone afterwards'
got=$(SECRET_TOKEN=x LD_PRELOAD=/nowhere.so inside env)
case $got in
*SECRET_TOKEN* | *LD_PRELOAD*) ok 1 'the environment is composed' ;;
*PATH=*) ok 0 'the environment is composed' ;;
*) ok 1 'the environment is composed' ;;
esac

# ----- The network ------------------------------------------------------------------

must_deny 'TCP' tcp "$tcp"
denies 'TCP over IPv6' tcp6 "$tcp6"
denies 'multipath TCP' mptcp "$mptcp"
must_deny 'UDP' udp "$udp"
denies 'TCP Fast Open' fastopen "$tcp"
must_deny 'listening' listen
denies 'a raw socket' socket 2 3 1
denies 'a packet socket' socket 17 3 0
denies 'a ping socket' socket 2 2 1
denies 'vsock' socket 40 1 0
denies 'the crypto sockets' socket 38 5 0
denies 'bluetooth' socket 31 3 1
must_deny 'an abstract socket' unix "$abstract"
must_deny 'a socket with a name' unix "$stage/srv/socket"
must_deny 'a datagram socket with a name' unix-dgram "$stage/srv/dgram"
must_deny 'a pair turned to a name' unix-pair "$stage/srv/dgram"
denies 'kernel audit by netlink' netlink 9
allows 'the list of interfaces' netlink 0
allows 'a pair of one'\''s own' stream-pair
outside unix "$stage/srv/socket" # those before are seen by then
[ "$(came)" = "$guests" ]
ok $? "nobody came but those outside ($(came) of $guests)"

options+=(--network full)
allows 'TCP when the network is open' tcp "$tcp"
allows 'UDP when the network is open' udp "$udp"
allows 'UDP out of an interface when it is open' udp-device "$udp"
denies 'an abstract socket all the same' unix "$abstract"
options=(--quiet --network loopback)
unless broker-network EAFNOSUPPORT 'TCP to this machine' tcp "$tcp"
unless broker-network EAFNOSUPPORT 'UDP to this machine' udp "$udp"
must_deny 'UDP out of an interface' udp-device "$udp"
options=(--quiet)

# ----- Processes ----------------------------------------------------------------------

denies 'tracing outside' ptrace "$victim"
must_deny 'environment of a process outside' read "/proc/$victim/environ"
must_deny 'memory of a process outside' open "/proc/$victim/mem"
must_deny 'a file of a process outside' read "/proc/$victim/fd/0"
must_deny 'the root of a process outside' list "/proc/$victim/root/"
must_deny 'its working directory' list "/proc/$victim/cwd/"
denies 'its descriptors' pidfd-getfd "$victim"
must_deny 'a signal to the outside' kill "$victim"
kill -0 "$victim"
ok $? 'the process outside lives'
allows 'a child of one'\''s own' own-child
allows 'one'\''s own /proc' read /proc/self/environ

# ----- The kernel's other doors ---------------------------------------------------------

must_deny 'a key in the keyring' keyring "cordon-$$"
got=$(./probe with-key "mine-$$" /bin/grep -c "mine-$$" /proc/keys)
ok "$((got != 1))" "who has a key sees it ($got)"
got=$(./probe with-key "mine-$$" "$cordon" run "${options[@]}" -- \
    /bin/grep -c "mine-$$" /proc/keys 2>/dev/null)
ok "$((got != 0))" "no key of the caller's is in the cage ($got)"
must_deny 'System V memory' shm
denies 'a message queue' mq "/cordon-$$"
denies 'io_uring' uring
must_deny 'openat2' openat2 file
denies 'the x32 door' x32
denies 'the 32-bit door' int80
denies 'a user namespace' unshare 0x10000000
denies 'a mount namespace' unshare 0x00020000
denies 'a network namespace' unshare 0x40000000
denies 'a user namespace by clone' clone-user
denies 'a mount' mount sub
denies 'chroot' chroot sub

# ----- Many directories -----------------------------------------------------------------

# More than one rule of the broker's own bound is made for (CDN_GRANTS_MANY).
mkdir -p "$stage"/many/{1..80} "$stage"/many/{fixed,1/fixed}
{
	printf '%s\n' 'schemaVersion: 2' 'kind: Policy' 'metadata: {name: many}' \
	    'spec:' '  unprotect: ["**"]' '  fsProfiles:' '    dev:' '      read: ["./**"]' '      modify:'
	printf '        - "%s/**"\n' {1..80}
	printf '        - "!1/fixed/**"\n'
} >"$stage/out/many.yaml"
# shellcheck disable=SC2016 # the cage's own
write='n=0; for d in */ 1/fixed/; do : >"$d/new" && n=$((n + 1)); done; : >new; : >file; echo $n'
got=$(cd "$stage/many" && echo before >file &&
    "$cordon" run "${options[@]}" --policy "$stage/out/many.yaml" --profile dev -- \
	/bin/bash -c "$write" 2>/dev/null)
made=$(cd "$stage/many" && find . -name new | wc -l)
[ "$got" = 80 ] && [ "$made" = 80 ]
ok $? "80 of 82 directories are written in ($got, $made there)"
[ ! -e "$stage/many/new" ] && [ ! -e "$stage/many/fixed/new" ] &&
    [ ! -e "$stage/many/1/fixed/new" ] && [ "$(cat "$stage/many/file")" = before ]
ok $? 'nothing beside them or in them that may not be'
got=$(cd "$stage/many" && /bin/bash -c "$write" 2>/dev/null)
[ "$got" = 82 ] && [ -e "$stage/many/new" ]
ok $? "outside all of it can be written ($got)"

# ----- Nothing is left -------------------------------------------------------------------

[ "$(cat "$stage/out/file")" = before ] && [ ! -e "$stage/out/new" ]
ok $? 'nothing outside has changed'
left=$(ls -A "$stage/home/.local/state/cordon/tmp" 2>/dev/null)
[ -z "$left" ]
ok $? "no private tmp is left ($left)"
stray=$(cd "$stage/w" && printf '%s ' *)
[ "$stray" = 'file link-out probe sub ' ]
ok $? "no file of ours in the workspace ($stray)"

echo "1..$points"
[ "$failures" -eq 0 ]
