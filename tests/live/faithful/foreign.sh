#!/bin/bash
# What belongs to others is refused in the cage as it is to the same user
# without capabilities; whoever performs the calls has no more of them.
#
#	trysys -i root foreign.sh
# shellcheck disable=SC1091,SC2154 # common.sh and what it sets
set -u
. "${0%/*}/common.sh"

minder=
chmod 755 "$stage"
touch "$stage/probe"
if ! chown 1001 "$stage/probe" 2>/dev/null; then
	ok 0 'nothing belongs to others here # SKIP not root'
	finish
fi

# work NAME UID MODE [OPTION...]: the answers in NAME.
work()
{
	local name=$1 uid=$2 mode=$3 status
	local as=(setpriv --reuid "$uid" --regid "$uid" --groups "$uid,1003")
	shift 3
	rm -rf "$stage/w"
	mkdir -p "$stage/w/f"
	cp "$CORDON_FOREIGN" "$stage/w/foreign"
	chown -R "$uid" "$stage/home" "$stage/w"
	cd "$stage/w" || exit 1
	minder=$("$CORDON_FOREIGN" -s f "$uid")
	if [ "$mode" = plain ]; then
		"${as[@]}" ./foreign "$@" f >"$stage/$name"
	else
		touch "$stage/stderr"
		"${as[@]}" "$cordon" run --quiet --policy "$stage/$mode.yaml" \
		    --profile dev -- ./foreign "$@" f >"$stage/$name" \
		    2>>"$stage/stderr"
	fi
	status=$?
	kill "$minder"
	return "$status"
}

for uid in 0 65534; do
	work "plain.$uid" "$uid" plain
	ok $? "uid $uid: plainly, without capabilities"
	for mode in B C; do
		work "$mode.$uid" "$uid" "$mode"
		ok $? "uid $uid, mode $mode"
		diff "$stage/plain.$uid" "$stage/$mode.$uid" >"$stage/diff"
		ok $? "uid $uid, mode $mode: the same"
		head -n 40 "$stage/diff" | sed 's/^/# /'
	done
done
# It is capabilities that this is about.
work all 0 plain -c
for call in 'read dir/none' 'chown dir/file' 'setcap own/file' \
    'mknod a disk' 'connect socket' 'bind dir/new' 'chmod dir/file' \
    'trusted.b own/file' 'user.b dir/file' \
    'unlink sticky/all' 'truncate dir/none' 'mkdir locked/new' \
    'utimes dir/file' 'rename dir/file'; do
	grep -qx "$call: ok" "$stage/all" &&
	    grep -q "^$call: E" "$stage/plain.0"
	ok $? "$call: allowed to who has them, and to nobody else"
done
finish
