#!/bin/bash
# The attacks of cases.tsv, each outside first and then in every kind of cage,
# and a table of what came of them.
#
#	trysys -i IDENTITY run.sh [COLUMN...]
#
# Columns: A, B, C (how much the broker has to see), net (C, and one address may
# be connected to), ns (C with namespaces of its own) and bwrap (mounts instead
# of all that).  An attack that works outside must fail inside; one that does not
# fail must be a limit or a shortfall that the plan of that column reports.  One
# that does not even work outside proves nothing, and the table says so.  What
# the host had is looked at afterwards: a probe is not asked how it went.
set -u

if [ "${CORDON_ESCAPE_SESSION:-}" != 1 ]; then
	export CORDON_ESCAPE_SESSION=1
	exec "$CORDON_ESCAPE" session "$0" "$@"
fi

here=$(cd "$(dirname "$0")" && pwd)
cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /tmp/cordon-escape-XXXXXX)
points=0 failures=0 host=''

cleanup()
{
	[ -z "$host" ] || { kill "$host"; wait "$host"; }
	chmod -R u+rwx "$stage" 2>/dev/null
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

# ----- The cases ---------------------------------------------------------------

# where[NUMBER], limit[NUMBER], wording[NUMBER]
declare -A where limit wording
while IFS=$'\t' read -r number place bound words; do
	case $number in
	[0-9]*)
		where[$number]=$place limit[$number]=$bound
		wording[$number]=$words ;;
	esac
done <"$here/cases.tsv"

# ----- The stage ---------------------------------------------------------------

mkdir "$stage"/{home,state,out,out/s,w,w/open,w/s,w/tmp,w-evil}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR CLAUDE_CONFIG_DIR CODEX_HOME
cp "$CORDON_ESCAPE" "$stage/w/probe"
cd "$stage/w" || exit 1

# policy COLUMN SPEC [PROFILE]
policy()
{
	cat >"$stage/$1.yaml" <<END
schemaVersion: 2
kind: Policy
metadata: {name: escape}
spec:
$2
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]${3:-}}
END
}
both='  denyRead: ["s/**"]
  denyModify: ["s/**"]'
# Rules about names that come later cannot be held by regions or mounts alone.
open='  unprotect: ["**"]'
policy A "$open"
policy B '  denyModify: ["s/**"]'
policy C "$both"
policy net "$both" ', network: ["127.0.0.1:1"]'
policy ns "$both"
policy bwrap "$open
$both"

# What lies outside, and what is denied inside, by column.
declare -A unreadable=([A]=$stage/out/s [B]=$stage/out/s [C]=$stage/w/s
    [net]=$stage/w/s [ns]=$stage/w/s [bwrap]=$stage/w/s
    [outside]=$stage/out/s)
declare -A unwritable=([A]=$stage/out/s [B]=$stage/w/s [C]=$stage/w/s
    [net]=$stage/w/s [ns]=$stage/w/s [bwrap]=$stage/w/s
    [outside]=$stage/out/s)

# options COLUMN: of the command.
options()
{
	echo --quiet --policy "$stage/$1.yaml" --profile dev
	[ "$1" != ns ] || echo --isolation namespaces
	[ "$1" != bwrap ] || echo --backend bwrap
}

# plan OPTION...: the ids of all limits and shortfalls, then the mode, the
# isolation, and whether it is enforced.
plan()
{
	local json
	json=$("$cordon" plan --json "$@" 2>/dev/null)
	grep -o '"id":"[^"]*"' <<<"$json" | cut -d '"' -f 4 | tr '\n' ' '
	echo
	[[ $json =~ '"mode":"'([^\"]*)'","isolation":"'([^\"]*)'"' ]] &&
	    echo -n "${BASH_REMATCH[1]} ${BASH_REMATCH[2]} "
	[[ $json != *'"enforced":true'* ]] || echo true
	echo
}

# The host: servers and a process to attack.  Its sockets lie in the workspace,
# where everything may be used.
mkdir host && echo SECRET >host/secret
ESCAPE_SECRET=SECRET "$CORDON_ESCAPE" host "$stage/w/host" </dev/null \
    >/dev/null 2>&1 &
host=$!
for ((i = 0; i < 5000; i++)); do
	[ ! -e host/facts ] || break
	sleep 0.02
done
[ -e host/facts ]
ok $? 'there is somebody to attack'
{
	cat host/facts
	echo "neighbour=$stage/w-evil"
	echo "audit=$stage/state/cordon/audit.jsonl"
} >facts
touch host/came
# So that there is an audit to aim at.
# shellcheck disable=SC2046 # words
"$cordon" run $(options A) -- true
ok $? 'a command runs in the cage'

# anew DIR...: fresh secrets in each.
anew()
{
	local dir
	for dir in "$stage/w-evil" "$stage/w/open" "$@"; do
		rm -rf "$dir" && mkdir "$dir" || exit 1
		"$CORDON_ESCAPE" setup "$dir" >"$dir.was" || exit 1
	done
	rm -rf "$stage/w/tmp" && mkdir "$stage/w/tmp"
}

# What a program is given that it should not have.
attacker()
{
	env LD_LIBRARY_PATH=/nowhere NODE_OPTIONS=--no-warnings PYTHONPATH=/x \
	    PERL5OPT=-w BASH_ENV=/nowhere ENV=/nowhere GIT_DIR=/nowhere \
	    GCONV_PATH=/nowhere PROMPT_COMMAND=true ESCAPE_TOKEN=SECRET \
	    GITHUB_TOKEN=SECRET AWS_SECRET_ACCESS_KEY=SECRET \
	    SSH_AUTH_SOCK=/nowhere "$@"
}

# Until the host has seen everybody who came.
quiet()
{
	local i
	rm -f host/quiet
	kill -USR1 "$host" || return
	for ((i = 0; i < 5000; i++)); do
		[ ! -e host/quiet ] || break
		sleep 0.02
	done
}

# attacks COLUMN [COMMAND...]: the lines of the probes.
attacks()
{
	local r=${unreadable[$1]} m=${unwritable[$1]}
	shift
	anew "$r" "$m"
	quiet
	: >host/came
	# shellcheck disable=SC2094 # nothing is written there
	attacker "$@" ./probe run "$stage/w/facts" "$r" "$m" "$stage/w/tmp" \
	    <"$r/47/secret" 7<"$r/43/secret" 8<"$r" 2>"$stage/stderr"
}

# ----- Outside -----------------------------------------------------------------

declare -A outside result works detail
names=()
while read -r name how; do
	names+=("$name")
	[ "$how" != works ] || works[$name]=1
done < <("$CORDON_ESCAPE" list)
while read -r name got why; do
	outside[$name]=$got detail[$name]=$why
done < <(attacks outside)
possible=0
for name in "${names[@]}"; do
	[ "${outside[$name]:-}" != escaped ] || possible=$((possible + 1))
done
[ "$possible" -ge 80 ]
ok $? "$possible of ${#names[@]} attacks work outside"

# ----- Inside ------------------------------------------------------------------

# judge COLUMN NAME RESULT DETAIL
judge()
{
	local n=${2%%-*} # 83 of 83-chmod
	local bound=${limit[$n]:--} id
	result[$1 $2]=$3
	case $3:${outside[$2]:-} in
	impossible:escaped)
		ok 1 "$1 $2: it is possible ($4)" ;;
	held:* | impossible:*)
		ok 0 "$1 $2: $3 ($4; outside ${outside[$2]:-?})" ;;
	escaped:*)
		for id in ${bound//,/ }; do # ID, or NAME=ID
			[[ $id != *=* || $id = "$2="* ]] || continue
			id=${id#*=}
			case " ${ids[$1]} " in
			*" $id "*)
				result[$1 $2]=$id
				ok 0 "$1 $2: not held, and reported as $id"
				return ;;
			esac
		done
		ok 1 "$1 $2: ESCAPED: ${wording[$n]:-}" ;;
	*)
		ok 1 "$1 $2: no answer ($3 $4)" ;;
	esac
}

# column NAME: all attacks in that kind of cage.
column()
{
	local name got why dir command
	# shellcheck disable=SC2046 # words
	mapfile -t command < <(printf '%s\n' "$cordon" run $(options "$1") --)
	declare -A seen=()
	while read -r name got why; do
		seen[$name]=1
		judge "$1" "$name" "$got" "$why"
	done < <(attacks "$1" "${command[@]}")
	[ "${#seen[@]}" -eq "${#names[@]}" ]
	ok $? "$1: every attack was tried (${#seen[@]} of ${#names[@]})"
	sed 's/^/# /' "$stage/stderr"
	for dir in "$stage/w-evil" "${unreadable[$1]}" "${unwritable[$1]}"; do
		changed=$("$CORDON_ESCAPE" verify "$dir" <"$dir.was")
		[ -z "$changed" ]
		ok $? "$1: $(basename "$dir") is as it was${changed:+:} $changed"
		changed=$(cd "$dir" && find . -mindepth 2 ! -name secret)
		[ -z "$changed" ]
		ok $? "$1: nothing was made there${changed:+:} $changed"
	done
	quiet
	[ ! -s host/came ]
	ok $? "$1: nobody came ($(sort -u host/came | tr '\n' ' '))"
	kill -0 "$host"
	ok $? "$1: who was attacked lives"
	positive "$1" "${command[@]}"
}

# stricter COLUMN NAME: does the plan say that it refuses this everywhere?
stricter()
{
	local id=-
	case $2 in
	15-*) id=broker-sockets ;;
	83-*) id=root-metadata ;;
	esac
	[[ $1 = bwrap && " ${ids[$1]} " == *" $id "* ]]
}

# positive COLUMN COMMAND...: the same calls where they are allowed.
positive()
{
	local column=$1 name got why wrong=''
	shift
	unreadable[allowed]=$stage/w/open unwritable[allowed]=$stage/w/open
	local n=0
	while read -r name got why; do
		n=$((n + 1))
		[ "$got" = escaped ] || [ "${outside[$name]}" != escaped ] ||
		    stricter "$column" "$name" || wrong+=" $name:$why"
	done < <(anew; attacker "$@" ./probe run "$stage/w/facts" \
	    "$stage/w/open" "$stage/w/open" "$stage/w/tmp" works \
	    </dev/null 2>"$stage/stderr")
	[ -z "$wrong" ] && [ "$n" -eq "${#works[@]}" ]
	ok $? "$column: what is allowed works ($n)${wrong:+, but}$wrong"
}

declare -A ids
columns=()
for column in A B C net ns bwrap; do
	[ $# -eq 0 ] || [[ " $* " == *" $column "* ]] || continue
	# shellcheck disable=SC2046 # words
	{ read -r "ids[$column]" && read -r mode isolation enforced; } \
	    < <(plan $(options "$column"))
	case $column:${mode:-}:${isolation:-}:${enforced:-} in
	[ABC]:"$column":*:true | net:C:*:true | ns:*:namespaces:true | \
	    bwrap:none:namespaces:true) ;;
	ns:*)
		echo '# ns: not built'
		continue ;;
	*)
		ok 1 "$column: the plan is mode ${mode:-?}, ${enforced:-?}"
		continue ;;
	esac
	ok 0 "$column: the plan is mode $mode, isolation $isolation"
	columns+=("$column")
	column "$column"
done

# ----- What is not one call -----------------------------------------------------

# tried NAME OUTSIDE INSIDE: both are `escaped` or `held`.
tried()
{
	outside[$1]=$2
	judge own "$1" "$3" "$3"
}

# reported OPTION...: what is said of a cage of its own.
reported()
{
	read -r "ids[own]" < <(plan "$@")
}

# escaped COMMAND...: says whether it worked.
escaped()
{
	if "$@" >/dev/null 2>&1; then echo escaped; else echo held; fi
}

if [ $# -eq 0 ]; then
	for part in policies programs handoff limits; do
		cd "$stage/w" || exit 1
		# shellcheck source=/dev/null # each is checked on its own
		. "$here/$part.sh"
	done
fi

# ----- The table ----------------------------------------------------------------

counts=(0 0 0 0)

# cell COLUMN NAME
cell()
{
	local got=${result[$1 $2]:--} possible=${outside[$2]:-escaped}
	case $got:$possible in
	-:*) ;;
	escaped:*) got=ESCAPED; counts[3]=$((counts[3] + 1)) ;;
	held:escaped) counts[0]=$((counts[0] + 1)) ;;
	held:* | impossible:*) got="($got)"; counts[1]=$((counts[1] + 1)) ;;
	*) counts[2]=$((counts[2] + 1)) ;;
	esac
	printf '%-18s' "$got"
}

# Right of the columns stands what has rules of its own.
echo "# as $(id -un) ($(id -u)); in brackets: not possible outside, either"
printf '# %-17s%-34s' case '' && printf '%-18s' "${columns[@]}" own && echo
while read -r name; do
	printf '# %-17s%-34.33s' "$name" "${wording[${name%%-*}]:-}"
	for column in "${columns[@]}" own; do
		cell "$column" "$name"
	done
	echo
done < <(printf '%s\n' "${!result[@]}" | cut -d ' ' -f 2 | sort -Vu)
for name in "${names[@]}"; do
	[ "${outside[$name]}" = escaped ] || echo "# outside, $name:" \
	    "${outside[$name]} ${detail[$name]:-}"
done
elsewhere=0 later=0
for n in "${!where[@]}"; do
	case ${where[$n]} in
	later:*) later=$((later + 1)) ;;
	*'#'*) elsewhere=$((elsewhere + 1)) ;;
	esac
done
echo "# ${#where[@]} cases: $elsewhere also or only in other tests, $later" \
    "later; here ${counts[0]} held, ${counts[1]} not possible outside," \
    "${counts[2]} reported as a limit, ${counts[3]} escaped"
echo "1..$points"
[ "$failures" -eq 0 ]
