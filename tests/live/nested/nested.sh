#!/bin/bash
# A run inside of a run: both policies hold, for every process of the inner one,
# whatever it does to become another's; and whoever is beside it in the outer
# one cannot make its policy another.
#
#	trysys -i IDENTITY nested.sh
#
# Every refusal has a control: the same in the outer run alone.
# shellcheck disable=SC2016 # scripts for a shell inside
set -u

umask 022
stage=$(mktemp -d /tmp/cordon-nested-XXXXXX)
points=0 failures=0
trap 'rm -rf "$stage"' EXIT

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - ${2//$'\n'/ }"
	else
		echo "not ok $points - ${2//$'\n'/ }"
		failures=$((failures + 1))
		sed 's/^/# /' "$stage/stderr" | tail -n 10
	fi
}

mkdir -p "$stage"/{home,elsewhere,w/{secrets,sub/deep}}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cd "$stage/w" || exit 1
cp "$CORDON_COMMAND" cordon
cp "$CORDON_GUEST" guest
cp "$CORDON_LIAR" liar
echo SECRET >secrets/s
echo SECRET >"$stage/elsewhere/s"
echo public >pub
ln secrets/s sub/alias

policy()
{
	echo 'schemaVersion: 2'
	echo 'kind: Policy'
	echo "metadata: {name: $1}"
	echo 'spec:'
	cat
}
policy inner >inner.yaml <<'END'
  denyRead: ["secrets/**"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["sub/**"]}
END
policy outer-a >"$stage/A.yaml" <<'END'
  unprotect: ["**"] # mode A
  fsProfiles:
    all: {read: ["./**"], modify: ["./**"], network: full}
END
policy outer-b >"$stage/B.yaml" <<'END'
  denyModify: ["**/*.lock"]
  fsProfiles:
    all: {read: ["./**"], modify: ["./**"], network: full}
END
policy outer-c >"$stage/C.yaml" <<'END'
  denyRead: ["**/*.env"]
  denyModify: ["**/*.lock"]
  fsProfiles:
    all: {read: ["./**"], modify: ["./**"], network: full}
END

mode=A
# outer SCRIPT: in the outer run alone.
outer()
{
	timeout 120 ./cordon run --quiet --policy "$stage/$mode.yaml" \
	    --profile all -- sh -c "$1" 2>"$stage/stderr" </dev/null
}
inner='./cordon run --quiet --policy inner.yaml --profile dev --'
plain='./cordon run --quiet --'

# only_outer SCRIPT WHAT: prints SECRET in the outer run, nothing inside.
only_outer()
{
	local got
	got=$(outer "$1")
	[[ $got == *SECRET* ]]
	ok $? "$mode: control: $2 ($got)"
	got=$(outer "$inner sh -c '$1'")
	[[ $got != *SECRET* ]] && grep -q 'denied' "$stage/stderr"
	ok $? "$mode: inside: $2 is refused ($got)"
}

for mode in A B C; do
	# ----- Both policies hold -------------------------------------------------
	got=$(outer "$inner sh -c 'cat pub; echo x >sub/new && cat sub/new'")
	[ "$got" = $'public\nx' ]
	ok $? "$mode: inside: what both allow works ($got)"
	only_outer 'cat secrets/s' 'what the inner policy denies'
	only_outer 'cat /proc/self/cwd/secrets/s' 'the same by another name'
	only_outer 'cd secrets && cat s' 'the same from within'
	rm -f sub/new2
	outer "$inner sh -c 'echo x >pub; echo x >new; mv pub sub/; chmod 600 pub; touch secrets/t'"
	[ "$(cat pub)" = public ] && [ ! -e new ] && [ ! -e secrets/t ] &&
	    [ "$(stat -c %a pub)" = 644 ]
	ok $? "$mode: inside: nothing is changed that one of them denies"
	outer 'echo x >new && rm new && chmod 600 pub && chmod 644 pub'
	ok $? "$mode: control: the outer one may"
	got=$(outer "./cordon run --quiet --read '$stage/elsewhere' --write '$stage/elsewhere' -- sh -c 'cat $stage/elsewhere/s; echo x >$stage/elsewhere/s'")
	[ "$got" = '' ] && [ "$(cat "$stage/elsewhere/s")" = SECRET ]
	ok $? "$mode: inside: nobody gives himself what the outer one denies ($got)"

	# ----- Whoever one becomes ---------------------------------------------------
	got=$(outer './guest read secrets/s')
	[ "$(grep -c '^read' <<<"$got")" = 8 ]
	ok $? "$mode: control: the secret is read in eight ways ($got)"
	got=$(outer "$inner ./guest read secrets/s")
	[ "$(grep -c '^no' <<<"$got")" = 8 ] && ! grep -q '^read' <<<"$got"
	ok $? "$mode: inside: in none ($got)"
	got=$(outer "$inner ./guest read pub")
	[ "$(grep -c '^read' <<<"$got")" = 8 ]
	ok $? "$mode: inside: but another file in all ($got)"

	# ----- Reaching for those outside ---------------------------------------------
	got=$(outer './guest stay secrets/s >here & p=$!; until [ -s here ]; do sleep 0.02; done; ./guest touch $p; kill $p; rm here')
	[ "$(grep -c '^read' <<<"$got")" -ge 7 ]
	ok $? "$mode: control: beside each other nearly all is reached ($got)"
	got=$(outer './guest stay secrets/s >here & p=$!; until [ -s here ]; do sleep 0.02; done; '"$inner"' ./guest touch $p; kill $p; rm here')
	[ "$(grep -c '^no' <<<"$got")" = 12 ]
	ok $? "$mode: inside: nothing of it ($got)"
	got=$(outer "$inner"' sh -c "./guest touch \$PPID"; '"$inner"' ./guest touch $$')
	[ "$(grep -c '^no' <<<"$got")" = 24 ]
	ok $? "$mode: inside: nor of whoever started it ($got)"
	got=$(outer "$inner sh -c 'echo \$\$ >sub/pid; exec sleep 60' & p=\$!; until [ -s sub/pid ]; do sleep 0.02; done; ./guest touch \$(cat sub/pid); kill \$p; wait; rm sub/pid")
	! grep -q '^read.*\(trace\|mem\|descr\)' <<<"$got"
	ok $? "$mode: nor does the outer one look into the inner one ($got)"

	# ----- A run in the inner run --------------------------------------------------
	got=$(outer "$inner ./cordon run --quiet -- sh -c 'cat pub secrets/s; echo x >pub; echo third'")
	[ "$got" = $'public\nthird' ] && [ "$(cat pub)" = public ]
	ok $? "$mode: a third run has all three ($got)"
	got=$(outer "$plain $plain $plain $plain echo deep")
	[ $? = 125 ] && [ "$got" = '' ]
	ok $? "$mode: a fifth is refused ($got $(cat "$stage/stderr"))"
	got=$(outer "$plain $plain $plain echo deep")
	[ "$got" = deep ]
	ok $? "$mode: control: a fourth is not"

	# ----- How it ends ---------------------------------------------------------------
	for status in 0 1 7 125; do
		outer "$inner sh -c 'exit $status'"
		[ $? = $status ]
		ok $? "$mode: status $status comes through"
	done
	outer "$inner sh -c 'kill -KILL \$\$'"
	[ $? = 137 ]
	ok $? "$mode: and a signal"
	outer "$inner ./no-such-program"
	[ $? = 127 ]
	ok $? "$mode: and that there is no such program"
	got=$(outer "echo typed | $inner cat | tr a-z A-Z")
	[ "$got" = TYPED ]
	ok $? "$mode: pipes ($got)"
	got=$(outer "$inner sh -c 'trap \"echo got it; exit 3\" TERM; echo ready; while :; do sleep 0.1; done' >out & p=\$!; until grep -q ready out; do sleep 0.02; done; kill -TERM \$p; wait \$p; echo \$?; cat out; rm out")
	[[ $got == *$'\nready\ngot it' ]]
	ok $? "$mode: signals are passed on ($got)"

	# The one that stands for it is stopped, and so is it; and goes on.
	cat >sub/stop <<-END
		$inner sh -c 'echo \$\$ >sub/pid; exec ./guest await sub/go' & p=\$!
		until [ -s sub/pid ]; do sleep 0.02; done
		state() { cut -d' ' -f3 </proc/\$(cat sub/pid)/stat; }
		kill -TSTP \$(pgrep -P \$p)
		until [ "\$(state)" = T ]; do sleep 0.02; done
		touch sub/go
		state
		kill -CONT \$(pgrep -P \$p)
		wait \$p
		echo \$?
	END
	got=$(outer 'sh sub/stop')
	[ "$got" = $'T\nwent on\n0' ]
	ok $? "$mode: it stops, and goes on ($got)"
	rm -f sub/stop sub/go sub/pid

	# Killed, the one who waits for it takes all of it along.
	rm -f sub/pid
	outer "$inner sh -c './guest daemon sub/pid; sleep 60' & p=\$!; until [ -s sub/pid ]; do sleep 0.02; done; kill -KILL \$p; wait \$p; true"
	pid=$(cat sub/pid)
	[ -n "$pid" ] && ! kill -0 "$pid" 2>/dev/null && [ ! -e "/proc/$pid/exe" ]
	ok $? "$mode: whoever kills the inner cordon ends the inner run ($pid)"
	rm -f sub/pid
	outer "$inner ./guest daemon sub/pid; until [ -s sub/pid ]; do sleep 0.02; done; $inner true"
	pid=$(cat sub/pid)
	[ -n "$pid" ] && [ ! -e "/proc/$pid/exe" ]
	ok $? "$mode: and its end ends all of it ($pid)"
	rm -f sub/pid
	outer "$inner sh -c './guest daemon sub/pid; sleep 60' & until [ -s sub/pid ]; do sleep 0.02; done; exit 5"
	[ $? = 5 ] && pid=$(cat sub/pid) && [ -n "$pid" ] && [ ! -e "/proc/$pid/exe" ]
	ok $? "$mode: and so does the end of the outer one ($pid)"
	rm -f sub/pid
	if [ "$mode" = B ]; then # seconds, as long as those who do not listen have
		timeout 120 ./cordon run --quiet --timeout 2s --policy "$stage/$mode.yaml" --profile all -- \
		    sh -c "trap '' TERM; $inner sh -c 'trap \"\" TERM; ./guest daemon sub/pid; while :; do sleep 1; done'; while :; do sleep 1; done" \
		    2>"$stage/stderr" </dev/null
		[ $? = 124 ] && ! { [ -s sub/pid ] && [ -e "/proc/$(cat sub/pid)/exe" ]; }
		ok $? "$mode: and its deadline"
		rm -f sub/pid
	fi

	# ----- What is said to the outer one -----------------------------------------------
	got=$(outer './guest garbage; ./guest reach; '"$inner"' cat pub; '"$inner"' cat secrets/s')
	[ "$got" = $'asked 200\nreached\npublic' ]
	ok $? "$mode: bytes that mean nothing do nothing ($got)"
	got=$(outer './guest flood 100; '"$inner"' cat pub')
	[ "$got" = $'8\npublic' ]
	ok $? "$mode: no more than eight at a time, and those go with who asked ($got)"
	if [ "$mode" = A ]; then # it waits for them, but not for ever
		got=$(outer './guest fill & until [ -e sub/full ]; do sleep 0.02; done; '"$inner"' cat pub; echo $?; kill $!; rm sub/full')
		[ "$got" = 125 ] && grep -q '8 runs are inside' "$stage/stderr"
		ok $? "$mode: where there is no room it is said ($got)"
	fi
	got=$(outer "$inner sh -c 'touch sub/up; until [ -e sub/go ]; do sleep 0.02; done; cat secrets/s pub' >out 2>&1 & p=\$!; until [ -e sub/up ]; do sleep 0.02; done; for q in \$(pgrep -f -- --stand-in); do ./guest steal \$q 3; done; touch sub/go; wait \$p; cat out; rm -f out sub/up sub/go")
	[[ $got == *taken* && $got == *public* && $got != *SECRET* ]]
	ok $? "$mode: its stream in other hands changes nothing ($got)"
	got=$(outer "sleep 60 & $inner ./guest steal \$! 0; kill \$!")
	[ "$got" = 'not taken' ]
	ok $? "$mode: and inside nobody takes any ($got)"
done

# ----- Who stands in for it, and lies -------------------------------------------------

mode=C
got=$(outer './liar well sh -c "touch sub/ran; exit 7"; echo $?')
[ "$got" = 7 ] && [ -e sub/ran ]
ok $? "control: a program of the library's hands its run over ($got)"
rm -f sub/ran
for act in none few many signal; do
	outer "./liar $act touch sub/ran"
	outer './liar well true' && [ ! -e sub/ran ]
	ok $? "without its descriptors nothing is started ($act)"
done
outer './liar twice touch sub/ran; ./liar well true' && [ -e sub/ran ]
ok $? 'what comes twice is taken once'
rm -f sub/ran
got=$(outer './liar paths sh -c "cat /proc/self/fd/0/s; cat <&0; ls -l /proc/self/fd/0/; cat pub"')
[ "$got" = public ]
ok $? "names that it is given open nothing ($got)"
outer './liar stream sh -c "./guest daemon sub/pid; sleep 60" & until [ -s sub/pid ]; do sleep 0.02; done; exit 6'
[ $? = 6 ] && [ ! -e "/proc/$(cat sub/pid)/exe" ]
ok $? 'who keeps its stream open ends with the outer run'
rm -f sub/pid

# ----- Who holds himself to less ------------------------------------------------------

policy plain-a >"$stage/A.yaml" <<'END'
  unprotect: ["**"] # mode A
  fsProfiles:
    all: {read: ["./**"], modify: ["sub/**"], network: full}
END
for mode in A B C; do
	./cordon plan --policy "$stage/$mode.yaml" --profile all 2>"$stage/stderr" |
	    grep -q "^mode *$mode "
	ok $? "$mode: it is that mode"
	got=$(outer './guest held')
	[ "$got" = $'held\ncannot' ]
	ok $? "$mode: a filter of his own holds, and there is no domain ($got)"
	got=$(outer './guest reach')
	[ "$got" = reached ]
	ok $? "$mode: control: others are let in ($got)"
	got=$(outer "$inner ./guest held")
	[[ $got == held* && $got != *out* ]]
	ok $? "$mode: the same inside ($got)"
done

# ----- What only the outer one knows ------------------------------------------------

policy linked >"$stage/C.yaml" <<'END'
  denyRead: ["secrets/**"]
  denyModify: ["**/*.lock"]
  fsProfiles:
    all: {read: ["./**"], modify: ["./**"], network: full}
END
mode=C
got=$(outer 'cat sub/alias; cat pub')
[ "$got" = public ]
ok $? "the outer run knows a second name ($got)"
got=$(outer 'cp cordon sub/; cd sub && ./cordon run --quiet -- sh -c "cat alias; cat ../pub; cat deep/../alias; echo in"')
[[ $got == *in && $got != *SECRET* ]]
ok $? "and the inner one may not use it ($got)"
rm -f sub/cordon
got=$(cat sub/alias)
[ "$got" = SECRET ]
ok $? 'control: it is one'

# ----- The network --------------------------------------------------------------------

mode=A
python='import socket; socket.socket(socket.AF_INET); print("inet")'
if command -v python3 >/dev/null; then
	got=$(outer "./cordon run --quiet --network full -- python3 -c '$python'")
	[ "$got" = inet ]
	ok $? "both have a network ($got)"
	got=$(outer "./cordon run --quiet --network none -- python3 -c '$python'")
	[ "$got" = '' ]
	ok $? "the inner one has none ($got)"
	got=$(timeout 60 ./cordon run --quiet --network none -- ./cordon run --quiet --network full -- python3 -c "$python" 2>"$stage/stderr")
	[ "$got" = '' ]
	ok $? "the outer one has none ($got)"
fi

# ----- Where it is not offered ----------------------------------------------------------

policy limited >"$stage/A.yaml" <<'END'
  denyModify: ["**/*.lock"]
  fsProfiles:
    all: {read: ["./**"], modify: ["./**"], limits: {cpu: 1h}}
END
got=$(outer "$plain echo in")
[ $? = 125 ] && [ "$got" = '' ]
ok $? "not where limits would have to be shared ($got)"
got=$(outer './guest reach')
[ "$got" = nobody ]
ok $? "nobody is there ($got)"
got=$(outer "$inner cat pub")
[ $? = 125 ] && [ "$got" = '' ]
ok $? "nor with a policy that somebody has to judge ($got)"
policy limited-a >"$stage/A.yaml" <<'END'
  unprotect: ["**"] # mode A
  fsProfiles:
    all: {read: ["./**"], modify: ["sub/**"], limits: {cpu: 1h}}
END
policy reader >reader.yaml <<'END'
  unprotect: ["**"] # mode A
  denyRead: ["secrets/**"]
  fsProfiles:
    dev: {read: ["./**"]}
END
got=$(outer "$inner cat pub")
[ $? = 125 ] && [ "$got" = '' ]
ok $? "nor where the kernel could hold a part of it ($got)"
got=$(outer "./cordon run --quiet --policy reader.yaml --profile dev -- sh -c 'cat pub secrets/s; echo x >sub/made'")
[ "$got" = public ] && [ ! -e sub/made ]
ok $? "but what the kernel alone can hold has a cage within ($got)"
got=$(outer 'cat secrets/s; echo x >sub/made && rm sub/made && echo made')
[ "$got" = $'SECRET\nmade' ]
ok $? "control: that one may ($got)"
got=$(timeout 60 ./cordon run --quiet --preset strict -- ./cordon run --quiet -- ./guest touch 1 2>"$stage/stderr")
[ "$(grep -c '^no' <<<"$got")" = 12 ]
ok $? "in a strict run the inner one is strict ($got)"
[ "$(./guest reach)" = nobody ]
ok $? 'and outside of all runs nobody is there'

# ----- The record -----------------------------------------------------------------------

./cordon audit verify >/dev/null 2>"$stage/stderr"
ok $? 'the record of all of it is whole'
log="$stage/state/cordon/audit.jsonl"
id=$(grep '"kind":"run.start"' "$log" | grep -om1 '"inside":"[0-9a-f]*"}$' | cut -d'"' -f4)
[ -n "$id" ] && grep "\"run\":\"$id\"" "$log" | grep '"kind":"run.start"' | grep -qv '"inside"'
ok $? "and says which run is inside of which ($id)"
unended=$(grep '"kind":"run.start"' "$log" | grep '"inside":"' | grep -o '"run":"[0-9a-f]*"' |
    while read -r run; do grep "$run" "$log" | grep -q '"kind":"run.end"' || echo "$run"; done)
[ -z "$unended" ]
ok $? "each of those has an end there ($unended)"
[ "$(cat secrets/s pub "$stage/elsewhere/s")" = $'SECRET\npublic\nSECRET' ]
ok $? 'and nothing has changed'
echo "1..$points"
[ "$failures" -eq 0 ]
