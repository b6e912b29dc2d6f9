#!/bin/bash
# cordon verify: it agrees where it should, finds every bug that is planted,
# and leaves things as they were.
#
#	trysys -i IDENTITY verify.sh
set -u

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /tmp/cordon-verify.sh-XXXXXX)
trap 'rm -rf "$stage"' EXIT
points=0 failures=0

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - $2"
	else
		echo "not ok $points - $2"
		sed 's/^/# /' "$stage/stdout" "$stage/stderr" | head -n 40
		failures=$((failures + 1))
	fi
}

# ----- The workspace -------------------------------------------------------------

mkdir -p "$stage"/{home/.ssh,w/{src,sub,secrets,.git/hooks},in,out}
echo key >"$stage/home/.ssh/id_ed25519"
echo before | tee "$stage"/{in,out}/file >/dev/null
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cat >"$stage/policy.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: holds}
spec:
  denyRead: ["**/*.env", "secrets/**"]
  denyModify: [".git/hooks/**", "**/*.lock"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
    tree: {read: ["./**"], modify: ["src/**"]}
END
cd "$stage/w" || exit 1
for file in a.env sub/b.env secrets/s x.lock sub/y.lock .git/hooks/h \
    .git/config src/main.c sub/file; do
	echo before >"$file"
done
ln -s ../secrets src/link
cp /bin/true sub/program

state()
{
	find . "$stage/in" "$stage/out" "$stage/home/.ssh" -type d \
	    -printf '%p %i %m %u\n' -o -printf '%p %i %m %u %s %T@ %C@ %n\n' |
	    sort
	find . "$stage/in" "$stage/out" -type f -exec cat {} + | cksum
}

policy=(--policy "$stage/policy.yaml" --profile dev)
tree=(--policy "$stage/policy.yaml" --profile tree)
declared=(--read "$stage/in" --write "$stage/out")

# try COMMAND ARG...: status; counts in $agree, $disagree, $known.
try()
{
	local command=$1 status=0
	shift
	"$command" verify --seed "$points" "$@" >"$stage/stdout" \
	    2>"$stage/stderr" || status=$?
	agree=$(sed -n 's/^\([0-9]*\) agreements.*/\1/p' "$stage/stdout")
	disagree=$(sed -n 's/.* \([0-9]*\) disagreements.*/\1/p' \
	    "$stage/stdout")
	known=$(sed -n 's/.* \([0-9]*\) known.*/\1/p' "$stage/stdout")
	return "$status"
}

# agrees TEXT COMMAND ARG...
agrees()
{
	local text=$1
	shift
	try "$@" && [ "${disagree:-1}" = 0 ] && [ "${agree:-0}" -ge 100 ]
	ok $? "$text: $agree agreements"
}

# ----- It agrees -----------------------------------------------------------------

before=$(state)
agrees 'the default preset' "$cordon"
agrees 'strict' "$cordon" --preset strict
agrees 'protect' "$cordon" --preset protect
agrees 'denies inside what is allowed' "$cordon" "${policy[@]}"
agrees 'one directory may be modified' "$cordon" "${tree[@]}"
agrees 'declared roots' "$cordon" "${declared[@]}"
agrees 'a list of addresses' "$cordon" --network 127.0.0.1,10.1.2.3:80
agrees 'the network' "$cordon" --network full
agrees 'mode C for everything' "$cordon" --trace "${policy[@]}"
# Where a run can have namespaces of its own.
if "$cordon" plan --isolation namespaces >/dev/null 2>&1; then
	apart=(--isolation namespaces)
	agrees 'namespaces' "$cordon" "${apart[@]}"
	agrees 'namespaces, strict' "$cordon" "${apart[@]}" --preset strict
	agrees 'namespaces, protect' "$cordon" "${apart[@]}" --preset protect
	agrees 'namespaces, denies inside' "$cordon" "${apart[@]}" \
	    "${policy[@]}"
fi
[ "$before" = "$(state)" ]
ok $? 'files are as they were, to the time of their last change'

# Each operation and each way is among what was tried.
try "$cordon" --verbose "${policy[@]}" --network loopback
missing=0
for word in read modify exec connect bind escape; do
	grep -q "^agrees  $word  " "$stage/stdout" || missing=1
done
for call in 'open for reading' 'open the directory' 'open for writing' \
    removexattr O_TMPFILE create mkdir symlink mkfifo bind \
    'create, open for reading' 'create, chmod' 'create, truncate' \
    'create, rename' 'create, link' connect 'connect (tcp)' 'connect (udp)' \
    'bind (tcp)'; do
	grep -qF "  ($call)" "$stage/stdout" || { echo "# $call"; missing=1; }
done
ok $missing 'every operation is tried, in every way'
{ grep -q '^agrees  escape  ptrace$' "$stage/stdout" &&
    grep -q '^agrees  escape  unshare$' "$stage/stdout" &&
    [ "$(grep -c '^agrees  escape' "$stage/stdout")" -ge 20 ]; }
ok $? 'the ways out are closed'

# ----- Planted bugs ----------------------------------------------------------------

declare -A clean
# finds PLANT WHAT TEXT ARG...: a line of the findings begins with WHAT.
finds()
{
	local plant=$1 what=$2 text=$3 status=0
	shift 3
	if [ -z "${clean[$*]-}" ]; then
		try "$CORDON_TEST" "$@"
		ok $? "without a bug nothing is found: $text"
		clean[$*]=1
	fi
	CORDON_TEST_PLANT=$plant try "$CORDON_TEST" "$@" || status=$?
	[ "$status" = 1 ] && grep -q "^$what" "$stage/stdout"
	ok $? "found: $text"
}

finds drop-rule 'leaks  modify  .*lock' 'a rule is forgotten' "${policy[@]}"
finds drop-read 'leaks  read  .*secrets/s' 'a rule of reading is' \
    "${policy[@]}"
finds drop-rule 'leaks  modify  .*lock' 'a rule is forgotten, in mode B' \
    "${tree[@]}" --write "$stage/w"
finds wrong-right 'leaks  modify  .*/in' 'a right too many, mode A' \
    --preset strict "${declared[@]}"
finds wrong-right 'leaks  modify  .*/in' 'a right too many, mode B' \
    "${declared[@]}"
finds wrong-right 'leaks  modify  .*/in' 'a right too many, mode C' \
    "${declared[@]}" "${policy[@]}"
finds less-right 'refuses  modify  .*/out' 'a right is missing' \
    "${declared[@]}"
finds no-metadata 'leaks  modify  .*(removexattr)' 'metadata not judged' \
    "${policy[@]}"
finds no-open 'refuses  modify  .*(create)' 'open not judged' "${policy[@]}"
finds no-rename 'refuses  modify  .*rename)' 'rename not judged' \
    "${policy[@]}"
finds no-connect 'leaks  connect' 'connect not judged' "${policy[@]}"
CORDON_TEST_PLANT=no-metadata try "$cordon" "${policy[@]}"
ok $? 'the command that is installed has none of them'
[ "$before" = "$(state)" ]
ok $? 'files are as they were, also where bugs were'

# ----- What is not held is known ------------------------------------------------------

# knows HOST TEXT ARG...
knows()
{
	local host=$1 text=$2
	shift 2
	CORDON_TEST_HOST=$host try "$CORDON_TEST" --enforcement best-effort \
	    "$@" && [ "${known:-0}" -gt 0 ]
	ok $? "$text: ${known:-0} known not to hold"
}

knows seccomp_notify=0 'no broker' "${policy[@]}"
knows seccomp_notify=0 'no broker, the default preset'
knows landlock_abi=5,seccomp_notify=0 'signals are not held'
knows landlock_abi=0 'no Landlock' --preset strict
knows seccomp_filter=0,seccomp_notify=0 'no seccomp' "${policy[@]}"

# ----- Ends ----------------------------------------------------------------------------

try "$cordon" --network example.org
[ $? = 1 ] && grep -q network-names "$stage/stderr"
ok $? 'what cannot be held here is not verified'

# Whenever it is told to stop, whatever it was doing.
for moment in 0.02 0.05 0.1; do
	timeout -s TERM $moment "$cordon" verify "${policy[@]}" \
	    >"$stage/stdout" 2>"$stage/stderr"
done
# Somebody else's that runs now has such a directory as well, and removes it.
left=$(find "$stage/w" /tmp -maxdepth 2 -user "$(id -un)" \
    -name 'cordon-verify-*' -newer "$stage/policy.yaml" 2>/dev/null)
for _ in {1..800}; do
	present=''
	for name in $left; do [ ! -e "$name" ] || present=$name; done
	[ -n "$present" ] || break
	sleep 0.25
done
[ -z "$present" ] && [ "$before" = "$(state)" ]
ok $? 'stopped at any time, nothing is left'

echo "1..$points"
[ $failures = 0 ]
