#!/bin/bash
# Who listens on a unix socket acts for whoever connects: docker, agents that
# hold keys, the bus, the screen, tmux, systemd.  Refused unless the policy
# names it, by the real command.
#
#	trysys -i IDENTITY sockets.sh
# shellcheck disable=SC1091,SC2154 # backend.sh and what it sets
set -u
. "${0%/*}/backend.sh"

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-sockets-XXXXXX)
points=0 failures=0
server=''

cleanup()
{
	[ -z "$server" ] || kill "$server"
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
		sed 's/^/# /' "$stage/log"
		failures=$((failures + 1))
	fi
}

# Each where it would be, below a directory of ours.
names=(
	run/docker.sock
	run/podman/podman.sock
	run/containerd/containerd.sock
	tmp/ssh-XXXXabcd/agent.123
	home/.gnupg/S.gpg-agent
	run/user/1000/gnupg/S.gpg-agent.ssh
	run/user/1000/bus
	run/dbus/system_bus_socket
	tmp/.X11-unix/X0
	run/user/1000/wayland-0
	tmp/tmux-1000/default
	run/systemd/private
	run/user/1000/systemd/private
	work/left-by-somebody.sock
)
mkdir "$stage"/{home,work,came}
: >"$stage/log"
for name in "${names[@]}"; do
	mkdir -p "$stage/$(dirname "$name")"
done
PATH=/usr/local/bin:/usr/bin:/bin # the system's tools: everybody may use them
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR

# Says hello to everybody, and notes that they came.
cat >"$stage/serve.py" <<'END'
import os, select, socket, sys
stage, names = sys.argv[1], sys.argv[2:]
at = {}
for name in names:
    s = socket.socket(socket.AF_UNIX)
    os.chdir(os.path.dirname(os.path.join(stage, name)))
    s.bind(os.path.basename(name))
    s.listen(8)
    at[s] = name
open(stage + "/ready", "w").close()
while True:
    for s in select.select(list(at), [], [])[0]:
        c = s.accept()[0]
        open(stage + "/came/" + at[s].replace("/", "_"), "w").close()
        c.sendall(b"hello")
        c.close()
END
cat >"$stage/work/ask.py" <<'END'
import socket, sys
try:
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    print(s.recv(5).decode())
except OSError as e:
    print(type(e).__name__)
END
python3 "$stage/serve.py" "$stage" "${names[@]}" </dev/null >/dev/null 2>&1 &
server=$!
while [ ! -e "$stage/ready" ]; do sleep 0.05; done
cd "$stage/work" || exit 1

# asks NAME OPTION...: what the one inside hears.
asks()
{
	local name=$1
	shift
	rm -f "$stage"/came/*
	"$cordon" run "$@" -- python3 ask.py "$stage/$name" 2>"$stage/log"
}

# Who cannot judge them has none at all, and says so.
denied=PermissionError all_denied=''
if short broker-sockets; then
	denied=OSError all_denied=yes
fi

# tells: the refusal is recorded, or was told before.
tells()
{
	if [ -n "$all_denied" ]; then
		grep -q '^cordon: unix sockets with a path are refused' \
		    "$stage/log"
	else
		grep -q '^cordon: 1 denial: connect ' "$stage/log"
	fi
}

for name in "${names[@]}"; do
	[ "$(python3 ask.py "$stage/$name")" = hello ]
	ok $? "$name: there outside"
	got=$(asks "$name")
	[ "$got" = "$denied" ] && [ -z "$(ls "$stage/came")" ]
	ok $? "$name: refused ($got)"
	tells
	ok $? "$name: and said so"
	got=$(asks "$name" --read "$stage/$(dirname "$name")" --network full)
	[ "$got" = "$denied" ] && [ -z "$(ls "$stage/came")" ]
	ok $? "$name: nor for who may read there and has the network ($got)"
done

# ----- Listed -----------------------------------------------------------------------

policy()
{
	printf '%s\n' 'schemaVersion: 2' 'kind: Policy' \
	    'metadata: {name: sockets}' 'spec:' '  fsProfiles:' \
	    '    dev:' '      read: ["./**"]' '      modify: ["./**"]' \
	    "      sockets: [\"$stage/$1\"]" >"$stage/policy.yaml"
}

for name in "${names[@]}"; do
	policy "$name"
	got=$(asks "$name" --policy "$stage/policy.yaml" --profile dev)
	case $all_denied$name in
	yes*)
		[ "$got" = "$denied" ] && [ -z "$(ls "$stage/came")" ] &&
		    short broker-sockets --policy "$stage/policy.yaml" \
		    --profile dev
		ok $? "$name: listed, and refused, as was told ($got)" ;;
	home/.gnupg/*) # on the floor: no policy opens it
		[ "$got" = PermissionError ]
		ok $? "$name: listed, but what is on the floor stays there" ;;
	*)
		[ "$got" = hello ] && [ -n "$(ls "$stage/came")" ]
		ok $? "$name: listed ($got)"
		[ ! -s "$stage/log" ]
		ok $? "$name: in silence" ;;
	esac
done
policy run/docker.sock
for name in run/podman/podman.sock run/user/1000/bus tmp/tmux-1000/default; do
	got=$(asks "$name" --policy "$stage/policy.yaml" --profile dev)
	[ "$got" = "$denied" ] && [ -z "$(ls "$stage/came")" ]
	ok $? "$name: refused when another one is listed ($got)"
done

# ----- One's own --------------------------------------------------------------------

cat >own.py <<'END'
import os, socket, sys
path = os.path.join(os.path.expandvars(sys.argv[1]), "own.sock")
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen(1)
client = socket.socket(socket.AF_UNIX)
client.connect(path)
client.sendall(b"mine")
print(server.accept()[0].recv(4).decode())
END
own=''
if [ -n "$all_denied" ]; then
	own=OSError
	sed -i '1a try: socket.socket(socket.AF_UNIX)\
except OSError: sys.exit(print("OSError"))' own.py
fi
# shellcheck disable=SC2016 # the cage's own
for where in . '$HOME' '$TMPDIR'; do
	got=$("$cordon" run -- python3 own.py "$where" 2>"$stage/log")
	[ "$got" = "${own:-mine}" ]
	ok $? "a socket of its own in $where works ($got)"
	rm -f own.sock
done

echo "1..$points"
[ "$failures" -eq 0 ]
