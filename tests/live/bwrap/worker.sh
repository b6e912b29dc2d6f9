#!/bin/bash
# One worker, three enforcers: what `check` says of its paths, what bwrap makes
# of them (the command that a plan prints, and a run), and what the profile for
# macOS says.
#
#	trysys -i IDENTITY worker.sh WORKER.yaml SBPL-ASK
set -u

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /var/tmp/cordon-worker-XXXXXX)
trap 'rm -rf "$stage"' EXIT
points=0 failures=0

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

mkdir -p "$stage"/{home/.ssh,out,w/{portfolio/deep,pipeline,framework,other}}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
PATH=/usr/local/bin:/usr/bin:/bin
w=$stage/w
cd "$w" || exit 1
for file in portfolio/a.md portfolio/deep/b.txt pipeline/c.pdf framework/d.md \
    other/e.md f.md "$stage/out/g.md" "$HOME/.ssh/key"; do
	echo "text of $file" >"$file"
done
cp "$1" "$stage/worker.yaml"
worker=(--worker "$stage/worker.yaml")

# What it may, by hand; nothing here was computed.
expected=(
	'allow read portfolio/a.md' 'allow modify portfolio/a.md'
	'allow read portfolio/deep/b.txt' 'allow modify portfolio/deep/b.txt'
	'allow read pipeline/c.pdf' 'deny modify pipeline/c.pdf'
	'allow read framework/d.md' 'deny modify framework/d.md'
	'deny read other/e.md' 'deny modify other/e.md'
	'deny read f.md' 'deny modify f.md'
	"deny read $stage/out/g.md" "deny modify $stage/out/g.md"
	"deny read $HOME/.ssh/key" "deny modify $HOME/.ssh/key"
	'allow read /etc/passwd' 'deny modify /etc/passwd'
	'allow read /usr/bin/env' 'deny modify /usr/bin/env'
)

# In a shell inside: reads, or opens for writing without a change.
# shellcheck disable=SC2016 # for that shell
try='while read -r op path; do
	case $op in
	read) cat "$path" >/dev/null 2>&1 ;;
	modify) (: >>"$path") 2>/dev/null ;;
	esac && echo allow || echo deny
done'

questions()
{
	printf '%s\n' "${expected[@]}" | cut -d ' ' -f 2-
}

# agrees WHO: the answers, one for each, from standard input.
agrees()
{
	local got i
	mapfile -t got
	for i in "${!expected[@]}"; do
		[ "${got[i]-nothing}" = "${expected[i]%% *}" ]
		ok $? "$1: ${expected[i]#"${expected[i]%% *}" } (${got[i]-nothing})"
	done
}

agrees check < <(questions | while read -r op path; do
	"$cordon" check "${worker[@]}" --as process --op "$op" "$path" |
	    cut -d ' ' -f 1
done)

"$cordon" plan "${worker[@]}" --backend bwrap --format argv -- sh -c "$try" \
    >"$stage/argv" 2>"$stage/stderr"
agrees 'bwrap, the command that is printed' < <(questions | sh "$stage/argv")
agrees 'bwrap, a run' < <(questions | "$cordon" run "${worker[@]}" \
    --backend bwrap --enforcement degraded --quiet -- sh -c "$try" \
    2>"$stage/stderr")

"$cordon" plan "${worker[@]}" --backend seatbelt --format sbpl >"$stage/sbpl"
ok $? 'a profile for macOS'
agrees seatbelt < <(questions | sed "s,^\([a-z]*\) \([^/]\),\1 $w/\2," |
    "$2" "$stage/sbpl")

# No network: neither here nor there.
! grep -q -- --share-net "$stage/argv"
ok $? 'bwrap shares no network'
! grep -q '^(allow network' "$stage/sbpl"
ok $? 'nor does the profile'
sed 's/network: false/network: true/' "$1" >"$stage/worker.yaml"
"$cordon" plan "${worker[@]}" --backend bwrap --format argv -- true \
    2>/dev/null | grep -q -- --share-net
ok $? 'control: with network: true bwrap does'
"$cordon" plan "${worker[@]}" --backend seatbelt --format sbpl |
    grep '^(allow network' >/dev/null
ok $? 'and the profile'

cmp -s portfolio/a.md <(echo 'text of portfolio/a.md') &&
    [ "$(find "$w" -type f | wc -l)" = 6 ]
ok $? 'nothing has changed'

echo "1..$points"
[ "$failures" -eq 0 ]
