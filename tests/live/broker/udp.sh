#!/bin/bash
# Where only loopback may be reached, no datagram of another machine arrives;
# where others may be reached, only what they answer.  Tried with one, which is a
# network namespace behind a pair of interfaces.
#
#	udp.sh		CORDON_COMMAND: the command
set -u

if [ "${CORDON_UDP_APART:-}" != 1 ]; then
	if ! unshare -rn sh -c 'ip link add here type veth peer name there' 2>/dev/null
	then
		echo '1..0 # SKIP no network namespaces, ip(8) or veth here'
		exit 0
	fi
	export CORDON_UDP_APART=1
	exec unshare -rn "$0"
fi

cordon=$CORDON_COMMAND
stage=$(mktemp -d /tmp/cordon-udp-XXXXXX)
points=0 failures=0
export HOME=$stage/home XDG_STATE_HOME=$stage/state
mkdir "$HOME" "$stage/w"
cd "$stage/w" || exit 1

# The other machine: 10.99.77.2, fd99:77::2.
unshare -n sleep 300 &
other=$!
trap 'kill "$other"; rm -rf "$stage"' EXIT
ip link set lo up
ip link add here type veth peer name there
until ip link set there netns "$other" 2>/dev/null; do sleep 0.05; done
on_other() { nsenter -t "$other" -n "$@"; }
until ! [ /proc/self/ns/net -ef "/proc/$other/ns/net" ]; do sleep 0.05; done
ip addr add 10.99.77.1/24 dev here
ip -6 addr add fd99:77::1/64 dev here nodad
ip link set here up
on_other ip addr add 10.99.77.2/24 dev there
on_other ip -6 addr add fd99:77::2/64 dev there nodad
on_other ip link set there up

# It answers at port 9000.
cat >"$stage/answer.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
s.bind(('::', 9000))
print('ready', flush=True)
while True:
    data, sender = s.recvfrom(100)
    s.sendto(b'answer', sender)
END
nsenter -t "$other" -n /usr/bin/python3 "$stage/answer.py" >"$stage/answers" &
answers=$!
trap 'kill "$answers" "$other"; rm -rf "$stage"' EXIT
until grep -q ready "$stage/answers"; do sleep 0.05; done

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

# How a socket gets a port without being bound to an address that is judged.
cat >receive.py <<'END'
import ctypes, os, socket, struct, sys

family, way = sys.argv[1:]
here = {'4': '127.0.0.1', '6': '::1'}[family]
other = {'4': '10.99.77.2', '6': 'fd99:77::2'}[family]
kind = {'4': socket.AF_INET, '6': socket.AF_INET6}[family]
s = socket.socket(kind, socket.SOCK_DGRAM)
own = socket.socket(kind, socket.SOCK_DGRAM)
own.bind((here, 0))
if way == 'sends':
    s.sendto(b'x', own.getsockname()[:2])
elif way == 'binds':
    s.bind(('', 0))
elif way == 'disconnects':
    s.connect(own.getsockname()[:2])
    s.send(b'x')
    ctypes.CDLL(None).connect(s.fileno(), bytes(16), 16)
    s.sendto(b'x', own.getsockname()[:2])
elif way == 'asks':
    s.sendto(b'x', (other, 9000))
elif way == 'mapped': # IPv4 by a socket of IPv6
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.sendto(b'x', ('::ffff:' + other, 9000))
elif way == 'connects': # and ends it, before the answer may be there
    s.connect((other, 9000))
    s.send(b'x')
    ctypes.CDLL(None).connect(s.fileno(), bytes(16), 16)
    s.sendto(b'x', (other, 9000))
elif way == 'many': # more than are remembered
    for i in range(100):
        s.sendto(b'x', (other, 20000 + i))
    s.sendto(b'x', (other, 9000))
elif way == 'options':
    accept = (ctypes.c_ubyte * 8)(6, 0, 0, 0, 255, 255, 255, 255)
    program = struct.pack('HxxxxxxP', 1, ctypes.addressof(accept))
    s.sendto(b'x', (other, 9000))
    for option, value in (26, program), (27, 0), (44, 1), (50, 0):
        try:
            s.setsockopt(socket.SOL_SOCKET, option, value)
            print('took option', option)
        except OSError:
            pass
elif way == 'listens':
    s.bind(('', 7001))
    s.sendto(b'x', (other, 9000))
port = s.getsockname()[1]
with open('port.new', 'w') as file:
    file.write(str(port))
os.rename('port.new', 'port')
s.settimeout(10)
while True: # until one of this machine says that it is enough
    data, sender = s.recvfrom(100)
    if data == b'enough':
        print('end')
        break
    print('got', data.decode(), sender[0], flush=True)
END
send='import socket, sys
to, port, text = sys.argv[1:]
s = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET,
    socket.SOCK_DGRAM)
s.sendto(text.encode(), (to, int(port)))'

# receive NETWORK FAMILY WAY: what a run receives, in $stage/got.
receive()
{
	local at=127.0.0.1 from=10.99.77.1 port

	[ "$2" = 4 ] || { at=::1 from=fd99:77::1; }
	rm -f port
	"$cordon" run --network "$1" --isolation none -- \
	    /usr/bin/python3 receive.py "$2" "$3" >"$stage/got" 2>&1 &
	for _ in $(seq 200); do
		[ -s port ] && break
		sleep 0.05
	done
	port=$(cat port)
	for _ in 1 2 3; do
		on_other /usr/bin/python3 -c "$send" "$from" "$port" attack
	done
	/usr/bin/python3 -c "$send" "$at" "$port" neighbor
	/usr/bin/python3 -c "$send" "$at" "$port" enough
	wait $!
}

for family in 4 6; do
	for way in sends binds disconnects; do
		# There it keeps the address that it was connected from.
		[ "$family$way" != 6disconnects ] || continue
		receive full "$family" "$way"
		grep -q 'got attack' "$stage/got"
		ok $? "IPv$family, $way: it arrives under full (the control)"
		for network in loopback '127.0.0.1,[::1]'; do
			receive "$network" "$family" "$way"
			! grep -q 'got attack' "$stage/got"
			ok $? "IPv$family, $way: nothing arrives under $network"
			grep -q 'got neighbor' "$stage/got" &&
			    grep -q '^end' "$stage/got"
			ok $? "IPv$family, $way: but from loopback it does"
		done
	done
done

# Addresses of other machines in the list.  An answer arrives, before what they
# send later; the control of all of them is that it does under full.
list="127.0.0.1,[::1],10.99.77.2,[fd99:77::2],0.0.0.0:7001,[::]:7001"
for family in 4 6; do
	for way in sends binds asks mapped connects many options listens; do
		case $family$way in
		6mapped | 6connects) continue ;; # as above
		esac
		receive full "$family" "$way"
		grep -q 'got attack' "$stage/got"
		ok $? "IPv$family, $way: it arrives under full (the control)"
		receive "$list" "$family" "$way"
		if [ "$way" != listens ]; then
			! grep -q 'got attack\|took option' "$stage/got" &&
			    grep -q '^end' "$stage/got"
			ok $? "IPv$family, $way: only what was asked for arrives"
		else
			grep -q 'got attack' "$stage/got"
			ok $? "IPv$family, $way: as allowed, it arrives"
		fi
		grep -q 'got neighbor' "$stage/got"
		ok $? "IPv$family, $way: and what this machine sends"
		case $way in
		sends | binds) continue ;;
		esac
		grep -q 'got answer' "$stage/got"
		ok $? "IPv$family, $way: and the answer"
	done
done
echo "1..$points"
[ "$failures" = 0 ]
