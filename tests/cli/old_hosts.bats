#!/usr/bin/env bats
# Hosts that can do less: every ABI of Landlock, no seccomp, nothing at all.
# cordon-test believes what CORDON_TEST_HOST says; the kernel below is the real
# one, so that what is still held is held for real.

load helper

prepare()
{
	printf '#!/bin/sh\ntouch ran\n' >mark
	chmod +x mark
	echo mine >"$T/outside"
}

# on HOST ARG...: the command on such a host.
on()
{
	local host=$1
	shift
	status=0
	CORDON_TEST_HOST=$host "$CORDON_TEST" "$@" >"$T/stdout" \
	    2>"$T/stderr" || status=$?
	output=$(cat "$T/stdout")
	# shellcheck disable=SC2034 # for complains
	stderr=$(cat "$T/stderr")
}

# The ids of what is lost.
lost()
{
	json shortfall | python3 -c 'import json, sys
print(*[s["id"] for s in json.load(sys.stdin)])'
}

# lacks_what HOST <<END: code of the plan and what is lost, for each ABI.
lacks_what()
{
	while read -r abi code want; do
		on "landlock_abi=$abi$1" plan --json
		exits "$code"
		[ "$(lost)" = "$want" ] || { say "abi $abi: $(lost)"; return 1; }
	done
}

@test "each ABI says what it lacks" {
	lacks_what '' <<'END'
0 1 landlock
1 0 landlock-abi-2
2 0
3 0
4 0
5 0
6 0
7 0
END
}

@test "and more where nobody can be asked" {
	broker='broker-modify broker-metadata broker-sockets broker-pty'
	lacks_what ,seccomp_notify=0 <<END
0 1 landlock
1 1 landlock-abi-2 landlock-abi-3 landlock-abi-6-abstract landlock-abi-6-signals $broker
2 1 landlock-abi-3 landlock-abi-6-abstract landlock-abi-6-signals $broker
3 1 landlock-abi-6-abstract landlock-abi-6-signals $broker
4 1 landlock-abi-6-abstract landlock-abi-6-signals $broker
5 1 landlock-abi-6-abstract landlock-abi-6-signals $broker
6 1 $broker
7 1 $broker
END
}

@test "what an old host cannot hold is refused, and named" {
	while read -r host id; do
		on "$host" run -- ./mark
		exits 125
		complains "$id: "
		complains "'--enforcement degraded' starts without"
	done <<'END'
seccomp_notify=0 broker-modify
yama_scope=2 yama
END
	[ ! -e ran ]
	for abi in 2 3 4 5 6 7; do
		rm -f ran
		on landlock_abi=$abi run -- ./mark
		exits 0
		[ -e ran ]
		quiet
	done
}

@test "each ABI holds what it can" {
	for abi in 1 2 3 4 5 6 7; do
		rm -f ran
		on "landlock_abi=$abi" run --quiet --enforcement degraded -- \
		    ./mark
		exits 0
		[ -e ran ]
		on "landlock_abi=$abi" run --quiet --enforcement degraded -- \
		    sh -c "echo x >'$T/outside'"
		[ "$status" -ne 0 ]
		[ "$(cat "$T/outside")" = mine ]
		on "landlock_abi=$abi" run --quiet --enforcement degraded -- \
		    cat "$T/outside"
		[ "$status" -ne 0 ]
	done
}

@test "without Landlock nothing starts but by best effort" {
	for how in required degraded; do
		on landlock_abi=0 run --enforcement $how -- ./mark
		exits 125
		complains 'OS sandbox required but unavailable'
	done
	[ ! -e ran ]
	on landlock_abi=0 run --enforcement best-effort -- ./mark
	exits 0
	complains 'OS sandbox unavailable, using application-level checks only'
	[ -e ran ]
}

@test "without Landlock the filter is still put on" {
	on landlock_abi=0 run --quiet --enforcement best-effort -- \
	    grep -x 'Seccomp:[[:space:]]*2' /proc/self/status
	exits 0
}

@test "without seccomp a run is refused" {
	policy look.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: look}
spec: {fsProfiles: {look: {read: ["./**"]}}}
END
	on seccomp_filter=1 run --preset strict --policy look.yaml \
	    --profile look -- true
	exits 0
	on seccomp_filter=0 run --preset strict --policy look.yaml \
	    --profile look -- true
	exits 125
	complains seccomp
}

@test "a fallback is what the vectors say" {
	while read -r available runs warning; do
		rm -f ran
		on "$available" run --enforcement best-effort -- ./mark
		[ "$runs" = True ]
		exits 0
		[ -e ran ]
		case $warning in
		None) case $stderr in *unavailable*) return 1 ;; esac ;;
		*) complains "$warning" ;;
		esac
	done < <(python3 -c 'import json, sys
for line in open(sys.argv[1]):
    v = json.loads(line)
    assert not v["require_os_sandbox"], v
    e = v["expect"]
    print("landlock_abi=%d" % (7 if v["available"] else 0), e["run"],
        e.get("warn"))' "$CORDON_SOURCE/tests/vectors/fallback.jsonl")
}
