#!/bin/bash
# What takes time, or two, comes to the same plainly and in the cage.
#
#	trysys -i IDENTITY moments.sh
# shellcheck disable=SC1091,SC2154 # common.sh and what it sets
set -u
. "${0%/*}/common.sh"

mkdir "$stage/w" "$stage/w/m"
cp "$CORDON_MOMENTS" "$stage/w/moments"
cd "$stage/w" || exit 1

./moments m >"$stage/plain"
ok $? 'plainly'
lines=$(wc -l <"$stage/plain")
[ "$lines" -eq 47 ]
ok $? "it says all of it ($lines lines)"
for mode in B C; do
	inside "$mode" -- ./moments m >"$stage/$mode"
	ok $? "mode $mode"
	diff "$stage/plain" "$stage/$mode" >"$stage/diff"
	ok $? "mode $mode: the same"
	sed 's/^/# /' "$stage/diff"
done
finish
