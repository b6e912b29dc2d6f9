#!/bin/bash
# The vectors of the kind os_enforce: what a process gets, from the kernel.
#
#	trysys -i IDENTITY vectors.sh os_enforce.jsonl
set -u

umask 022
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-vectors-XXXXXX)
trap 'rm -rf "$stage" "/tmp/cordon-x-$$"' EXIT
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

unset XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_STATE_HOME

# A home as it may be found, and the workspace in it.
prepare()
{
	export HOME="$stage/$1"
	mkdir -p "$HOME"/.omega/{data,workspace,stores} "$HOME/w"
	echo private >"$HOME/.omega/data/memory.db"
	echo private >"$HOME/.omega/config.toml"
	rm -f "/tmp/cordon-x-$$"
	cp "$CORDON_PROBE" "$HOME/w/probe"
	cd "$HOME/w" || exit 1
}

# field NAME LINE: the string of a key; the lines are of one form.
field()
{
	sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" <<<"$2"
}

# The call of an access, as words of the probe.
words()
{
	case $1 in
	create | read) echo "$1 $2" ;;
	rename-away) echo "rename $2 $2.away" ;;
	'link-into workspace') echo "link $2 linked" ;;
	*) echo "unknown $1" ;;
	esac
}

while IFS= read -r line; do
	id=$(field id "$line")
	path=$(field path "$line")
	for where in outside inside; do
		prepare "$where-$id"
		real=${path/#\$HOME/$HOME}
		[ "$real" != /tmp/x ] || real=/tmp/cordon-x-$$
		# shellcheck disable=SC2046 # words
		set -- ./probe $(words "$(field access "$line")" "$real")
		if [ $where = outside ]; then
			got=$("$@")
			[ "$got" = ok ]
			ok $? "$id: works outside ($got)"
			continue
		fi
		before=$(find "$HOME/.omega" -printf '%p %i %s %n\n' | sort)
		got=$("$CORDON_COMMAND" run --quiet \
		    --preset "$(field sandbox "$line")" -- "$@" 2>"$stage/err")
		status=$?
		case $(field expect "$line") in
		ok) [ "$status" = 0 ] && [ "$got" = ok ] ;;
		refused) [ "$status" = 1 ] && [ -n "$got" ] &&
		    [ "$(find "$HOME/.omega" -printf '%p %i %s %n\n' | sort)" \
		    = "$before" ] ;;
		*) false ;;
		esac
		ok $? "$id: $(field access "$line") $path: $(field expect \
		    "$line") ($got $status $(head -n 1 "$stage/err"))"
	done
done <"$1"

echo "1..$points"
[ "$failures" -eq 0 ]
