#!/bin/bash
# The same random work, plainly and in the cage: whoever does it cannot tell.
#
#	trysys -i IDENTITY exercise.sh
#
# 2000 steps, or 5000 times CORDON_TRIES, always the same ones;
# CORDON_SEED=random makes others, and a number repeats those.
# shellcheck disable=SC1091,SC2154 # common.sh and what it sets
set -u
. "${0%/*}/common.sh"

steps=2000
[ -z "${CORDON_TRIES-}" ] || steps=$((5000 * CORDON_TRIES))
[ "$(id -u)" = 0 ] && seed=272095519 || seed=436847177
seed=${CORDON_SEED:-$seed}
[ "$seed" != random ] || seed=$((RANDOM * 32768 + RANDOM))
echo "# CORDON_SEED=$seed"

# work NAME MODE [OPTION...]: the log and the tree in log.NAME and tree.NAME.
# The same place for all of them: its name has a length.
work()
{
	local name=$1 mode=$2 status
	shift 2
	[ ! -e "$stage/w" ] || { chmod -R u+rwx "$stage/w"; rm -rf "$stage/w"; }
	mkdir -p "$stage/w/below"
	cp "$CORDON_EXERCISE" "$stage/w/exercise"
	cd "$stage/w" || exit 1
	set -- "$@" "$seed" "$steps" "$stage/w/below/root"
	if [ "$mode" = plain ]; then
		./exercise "$@" >"$stage/log.$name" 2>>"$stage/stderr"
	else
		inside "$mode" -- ./exercise "$@" >"$stage/log.$name"
	fi
	status=$?
	"$CORDON_EXERCISE" -t "$stage/w/below" >"$stage/tree.$name"
	return "$status"
}

same()
{
	cmp -s "$stage/log.plain" "$stage/log.$1" &&
	    cmp -s "$stage/tree.plain" "$stage/tree.$1"
}

work plain plain
status=$?
[ "$status" -eq 0 ]
ok $? "$steps steps plainly, of all kinds (status $status)"
[ "$status" -eq 0 ] || tail -n 50 "$stage/log.plain" | sed 's/^/# /'
work again plain
same again
ok $? 'a second time it is the same'
for mode in B C; do
	cd "$stage/w" || exit 1
	inside "$mode" --dry-run -- true | grep -q "^mode *$mode "
	ok $? "the policy makes it mode $mode"
	work "$mode" "$mode"
	ok $? "mode $mode: all of it was done"
	same "$mode"
	ok $? "mode $mode: the same log, the same tree"
	diff "$stage/log.plain" "$stage/log.$mode" | cut -c 1-300 | head -n 40 |
	    sed 's/^/# /'
	diff "$stage/tree.plain" "$stage/tree.$mode" | cut -c 1-300 |
	    head -n 20 | sed 's/^/# /'
	echo secret >"$stage/w/a.secret"
	! inside "$mode" -- sh -c 'echo changed >a.secret'
	ok $? "mode $mode: what is denied is denied"
done
[ "$(cat "$stage/w/a.secret")" = secret ]
ok $? 'and is as it was'

# Who compares must notice: one step more, of which nobody is told.
work lie C -l $((steps - 150))
! cmp -s "$stage/log.plain" "$stage/log.lie" && ! same lie
ok $? 'another log is seen'
work lie C -l "$steps"
cmp -s "$stage/log.plain" "$stage/log.lie" && ! same lie
ok $? 'another tree is seen, where the log is the same'
finish
