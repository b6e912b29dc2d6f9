#!/bin/bash
# A real browser where sockets are judged: its processes learn from credentials
# passed over unix sockets (SCM_CREDENTIALS) which process is which, and wait
# for ever if these are another's.
#
#	chromium.sh	CORDON_COMMAND: the command
set -u

if ! command -v chromium >/dev/null; then
	echo '1..0 # SKIP no chromium here'
	exit 0
fi
stage=$(mktemp -d /tmp/cordon-chromium-XXXXXX)
export HOME=$stage/home XDG_STATE_HOME=$stage/state
mkdir "$HOME" "$stage/w" "$stage/site"
cd "$stage/w" || exit 1
echo '<p id=p></p><script>p.append("six times seven is " + 6 * 7)</script>' \
    >"$stage/site/page.html"
/usr/bin/python3 -u -m http.server --bind 127.0.0.1 \
    --directory "$stage/site" 0 >"$stage/server" 2>&1 &
server=$!
trap 'kill "$server"; rm -rf "$stage"' EXIT
for _ in $(seq 200); do
	port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$stage/server")
	[ -z "$port" ] || break
	sleep 0.05
done

points=0 failures=0
# browse NETWORK URL TITLE: what it says is in the page that comes out.
browse()
{
	points=$((points + 1))
	# shellcheck disable=SC2016 # of the run
	if "$CORDON_COMMAND" run --network "$1" --timeout 120 -- sh -c '
	    exec chromium --headless --no-sandbox --disable-gpu --disable-quic \
		--no-first-run --disable-background-networking \
		--disable-component-update --disable-sync \
		--disable-dev-shm-usage --user-data-dir="$(mktemp -d)" \
		--dump-dom "$1"' sh "$2" >"$stage/out" 2>"$stage/err" &&
	    grep -q 'six times seven is 42' "$stage/out"
	then
		echo "ok $points - $3"
	else
		echo "not ok $points - $3"
		tail -n 5 "$stage/err" | sed 's/^/# /'
		failures=$((failures + 1))
	fi
}
cp "$stage/site/page.html" .
browse full "http://127.0.0.1:$port/page.html" 'a server, full network (the control)'
browse loopback "http://127.0.0.1:$port/page.html" 'a server on loopback'
browse loopback "file://$PWD/page.html" 'a file'
browse "127.0.0.1,192.0.2.1:443" "http://127.0.0.1:$port/page.html" \
    'a server, with a list of addresses'
echo "1..$points"
[ "$failures" = 0 ]
