#!/bin/bash
# One policy, and everything that has been thought of to get around it: every
# call, by every name of the place, on what was there before, what the child
# makes, what somebody outside makes, and what an editor saves.
#
#	trysys -i IDENTITY holds.sh
#
# A refusal counts where the same thing works outside (in a copy, first) and
# works inside on a file beside it.  Afterwards what was denied is as it was.
set -u

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /tmp/cordon-holds-XXXXXX)
points=0 failures=0
reader=''

cleanup()
{
	[ -z "$reader" ] || kill "$reader"
	rm -rf "$stage"
}
trap cleanup EXIT

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

# ----- The workspace -------------------------------------------------------------

mkdir "$stage"/{home,w}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cat >"$stage/policy.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: holds}
spec:
  unprotect: ["**"] # the defaults refuse symlinks into .git, which are tried here
  denyRead: ["**/*.env", "secrets/**"]
  denyModify: [".git/hooks/**", "**/*.lock"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END

cd "$stage/w" || exit 1
mkdir -p links made pub sub/deep secrets/deep .git/hooks
for file in a.env sub/b.env .env secrets/s secrets/deep/s; do
	echo SECRET >"$file"
done
for file in x.lock sub/y.lock .git/hooks/h; do echo before >"$file"; done
echo public >pub/a
cp -a "$stage/w" "$stage/twin"

# What must be the same afterwards.
state()
{
	find .git x.lock sub/y.lock secrets a.env sub/b.env .env \
	    -printf '%p %i %m %u %s %T@ %n %y\n' | sort
	cat x.lock sub/y.lock .git/hooks/* a.env sub/b.env .env secrets/s
	getfattr -Rd . 2>/dev/null | grep -A1 -E 'env|lock|hooks|secrets'
}

# ----- Asking ----------------------------------------------------------------------

cp "$CORDON_WAYS" ways
before=$(state)
coproc inside {
	exec "$cordon" run --quiet --policy "$stage/policy.yaml" \
	    --profile dev -- ./ways 2>"$stage/stderr"
}
# shellcheck disable=SC2154 # coproc sets them
to=${inside[1]} from=${inside[0]} run=$inside_PID

# ask REQUEST: the lines of the answer, without the dot.
ask()
{
	local line
	echo "$1" >&"$to"
	while IFS= read -r -t 600 line <&"$from"; do
		[ "$line" != . ] || return 0
		printf '%s\n' "$line"
	done
	echo gone
}

# What works where nobody forbids it: real[FAMILY CALL SPELLING].
declare -A real
for family in read modify new list move; do
	while read -r call spelling result _; do
		[ "$result" != ok ] || real["$family $call $spelling"]=1
	done < <(cd "$stage/twin" && echo "alone $family sub/$family" |
	    "$CORDON_WAYS")
done
echo "# ${#real[@]} ways outside"

# denied WHAT FAMILY TARGET CONTROL: a point for each call.
denied()
{
	local what=$1 family=$2 call spelling got control last='' n=0 wrong=''
	while read -r call spelling got control; do
		if [ "$call" != "$last" ]; then
			tell "$what" "$family" "$3" "$last" "$n" "$wrong"
			last=$call n=0 wrong=''
		fi
		[ -n "${real["$family $call $spelling"]:-}" ] || continue
		n=$((n + 1))
		case $got-$control in
		EACCES-ok | EXDEV-ok | E*-never) ;;
		*) wrong+=" $spelling:$got/$control" ;;
		esac
	done < <(ask "try $family $3 $4"; echo end)
}

tell()
{
	[ -n "$4" ] || return 0
	if [ "$5" = 0 ]; then
		echo "# $4: not even outside"
		return
	fi
	[ -z "$6" ]
	ok $? "$1: $2 $3 by $4, $5 spellings${6:+:}$6"
}

# says WHAT REQUEST RESULT
says()
{
	local got
	got=$(ask "$2")
	# shellcheck disable=SC2254 # a pattern
	case $got in
	$3) ok 0 "$1: ${2:0:60}: $got" ;;
	*) ok 1 "$1: ${2:0:60}: $got, not $3" ;;
	esac
}

unchanged()
{
	local now
	now=$(state)
	[ "$now" = "$before" ]
	ok $? "$1: what was denied is as it was"
	[ "$now" = "$before" ] ||
	    diff <(echo "$before") <(echo "$now") | sed 's/^/# /'
}

# ----- What was there before ---------------------------------------------------------

denied before read a.env sub/c1
denied before read sub/b.env sub/deep/c1
denied before read .env pub/c1
denied before read secrets/s pub/c1
denied before read secrets/deep/s sub/deep/c1
denied before list secrets pub/d1
denied before move secrets pub/d1
denied before modify a.env pub/c1
denied before modify secrets/s pub/c1
denied before modify x.lock pub/c1
denied before modify sub/y.lock sub/deep/c1
denied before modify .git/hooks/h pub/c1
denied before new .git/hooks/new pub/n1
denied before new sub/deep/new.lock sub/deep/n1
denied before move .git/hooks pub/d1
denied before move .git pub/d1
unchanged before

# What only looks like it is another file.
mkdir secrets2 SECRETS pub/secrets
for file in secrets2/s SECRETS/s pub/secrets/s a.envx a.env.txt a.ENV; do
	echo public >"$file"
	says alike "peek $file" 'data public'
done
says alike "peek secrets2/../secrets/s" EACCES
ln -s ../secrets/s links/40
for ((i = 41; i <= 81; i++)); do ln -s $((i - 1)) "links/$i"; done
says '41 links' 'peek links/81' ELOOP
says '40 links' 'peek links/79' EACCES
long=$(printf 'pub/../%.0s' {1..700})
says 'too long' "peek ${long}secrets/s" ENAMETOOLONG
says 'not too long' "peek ${long:0:2800}secrets/s" EACCES
says 'not too long' "peek ${long:0:2800}pub/a" 'data public'

# A directory that holds such files may be moved: they stay what they are.
mkdir -p made/holds && echo SECRET >made/holds/e.env
says moved 'peek made/holds/e.env' EACCES
says moved 'rename made/holds pub/holds' ok
[ "$(cat pub/holds/e.env)" = SECRET ]
ok $? 'moved: with all that is in it'
says moved 'peek pub/holds/e.env' EACCES
says moved 'rename secrets pub/s' EACCES
says moved 'rename .git pub/g' EXDEV
says moved 'rename pub/a made/a.env' EACCES
says moved 'rename pub/holds/e.env made/e' EACCES

# ----- What the child makes --------------------------------------------------------------

says child 'make made/young public' ok
says child 'save sub/young public' ok
for file in late.env sub/late.env secrets/late sub/late.lock .git/hooks/late; do
	says child "make $file x" EACCES
	says child "save $file x" EACCES
	denied child new "$file" pub/n2
done
unchanged child

# ----- What somebody outside makes ---------------------------------------------------------

before=$(echo SECRET >sub/out.env; echo SECRET >secrets/out
    echo before >sub/out.lock; echo before >.git/hooks/out; state)
denied outsider read sub/out.env pub/c3
denied outsider read secrets/out pub/c3
denied outsider modify sub/out.lock pub/c3
denied outsider modify .git/hooks/out pub/c3
unchanged outsider
mkdir "$stage/tree" "$stage/tree/deep"
echo SECRET >"$stage/tree/deep/in.env"
echo before >"$stage/tree/deep/in.lock"
echo public >"$stage/tree/deep/in"
mv "$stage/tree" sub/tree
ln -s ../secrets/s pub/to-secret
ln -s a pub/to-public
says outsider 'peek sub/tree/deep/in' 'data public'
says outsider 'peek sub/tree/deep/in.env' EACCES
denied outsider read sub/tree/deep/in.env pub/c3
denied outsider modify sub/tree/deep/in.lock pub/c3
says outsider 'peek pub/to-secret' EACCES
says outsider 'peek pub/to-public' 'data public'

# ----- What an editor saves -------------------------------------------------------------------

save()
{
	echo "$2" >"$1.tmp" && mv "$1.tmp" "$1"
}

save a.env SECRET
save secrets/s SECRET
save x.lock before
save .git/hooks/h before
save pub/a newer
rm -r secrets/deep && mkdir secrets/deep && echo SECRET >secrets/deep/s
before=$(state)
says editor 'peek pub/a' 'data newer'
denied editor read a.env pub/c4
denied editor read secrets/s pub/c4
denied editor read secrets/deep/s pub/c4
denied editor modify x.lock pub/c4
denied editor modify .git/hooks/h pub/c4
unchanged editor
mv secrets "$stage/old" && mkdir secrets && echo SECRET >secrets/s
denied 'another directory' read secrets/s pub/c4
denied 'another directory' list secrets pub/d4
rm -r secrets && mv "$stage/old" secrets
before=$(state)
says 'editor inside' 'save pub/a newest' ok
says 'editor inside' 'peek pub/a' 'data newest'
says 'editor inside' 'save x.lock newest' EACCES
says 'editor inside' 'save .git/hooks/h newest' EACCES
unchanged 'editor inside'
says 'editor inside' 'save a.env newest' EACCES

# ----- Doors in /proc -------------------------------------------------------------------------

# shellcheck disable=SC2217 # it only holds it
sleep 1000 <secrets/s &
reader=$!
until [ "$(readlink "/proc/$reader/fd/0")" = "$stage/w/secrets/s" ]; do
	sleep 0.02
done
for entry in root cwd; do
	path=/proc/$reader/$entry/
	[ $entry = cwd ] || path+=$stage/w/
	cat "$path/secrets/s" >/dev/null
	ok $? "control: $entry of another process leads there"
	says '/proc' "peek $path/secrets/s" E*
	says '/proc' "peek $path/pub/a" E*
done
cat "/proc/$reader/fd/0" >/dev/null
ok $? 'control: so does a descriptor of his'
says '/proc' "peek /proc/$reader/fd/0" E*
says '/proc' "open /proc/$reader/environ" E*
says '/proc' "open /proc/$reader/mem" E*
says '/proc' "open /proc/self/environ" ok
kill "$reader"
reader=''

# ----- The end ----------------------------------------------------------------------------------

exec {to}>&-
wait "$run"
ok $? "the run ends well"
[ ! -s "$stage/stderr" ]
ok $? 'and says nothing'
sed 's/^/# /' "$stage/stderr"
[ -z "$(ls -A "$stage/home")" ]
ok $? 'nothing is left in the home'

echo "1..$points"
[ "$failures" -eq 0 ]
