#!/bin/bash
# Namespaces of the run's own: what they add, and that no rule is lost by them,
# wherever the workspace lies.
#
#	trysys -i IDENTITY apart.sh
set -u

cordon=$CORDON_COMMAND
umask 022
PATH=/usr/local/bin:/usr/bin:/bin
stage=$(mktemp -d /var/tmp/cordon-apart-XXXXXX)
other=$(mktemp -d /tmp/cordon-apart-XXXXXX)
sleeper=''
points=0 failures=0

cleanup()
{
	[ -z "$sleeper" ] || kill "$sleeper"
	rm -rf "$stage" "$other"
}
trap cleanup EXIT

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - ${2//$'\n'/ }"
	else
		echo "not ok $points - ${2//$'\n'/ }"
		sed 's/^/# /' "$stage/stderr"
		failures=$((failures + 1))
	fi
}

# settle STAGE: everything is there from now on.
settle()
{
	stage=$1
	mkdir -p "$stage"/{home,deep/w/secrets,out}
	: >"$stage/stderr"
	export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
	echo outside >"$stage/out/file"
	chmod 600 "$stage/out/file"
	cd "$stage/deep/w" || exit 1
	echo plain >file
	echo SECRET >secrets/s
	echo SECRET >x.env
	echo before >x.lock
	ln -s / root-link
	cat >"$stage/b.yaml" <<-END
		$head
		  denyModify: ["**/*.lock"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"]}
	END
	cat >"$stage/c.yaml" <<-END
		$head
		  denyRead: ["**/*.env", "secrets/**"]
		  denyModify: ["**/*.lock"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"]}
	END
}

unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
head='schemaVersion: 2
kind: Policy
metadata: {name: apart}
spec:'
settle "$stage"

# inside POLICY SCRIPT [OPTION...]: what it printed; "-" is the preset.
inside()
{
	local options=(--quiet --isolation namespaces "${@:3}")
	[ "$1" = - ] || options+=(--policy "$stage/$1.yaml" --profile dev)
	"$cordon" run "${options[@]}" -- sh -c "$2" 2>"$stage/stderr"
}

# works WHAT POLICY SCRIPT EXPECTED, and refused WHAT POLICY SCRIPT
works()
{
	local got
	got=$(inside "$2" "$3") && [ "$got" = "$4" ]
	ok $? "$2: $1 ($got)"
}

refused()
{
	local got
	! got=$(inside "$2" "$3") && [ -z "$got" ] &&
	    grep -q 'Permission denied\|not permitted' "$stage/stderr"
	ok $? "$2: $1: refused ($got)"
}

"$cordon" plan --isolation namespaces | grep -q '^isolation  namespaces$'
ok $? 'the plan says so'

# ----- What they add ---------------------------------------------------------------

for kind in pid ipc mnt net user; do
	got=$(inside - "readlink /proc/self/ns/$kind")
	[ -n "$got" ] && [ "$got" != "$(readlink "/proc/self/ns/$kind")" ]
	ok $? "$kind: its own ($got)"
done
for network in full loopback; do
	got=$(inside - 'readlink /proc/self/ns/net' --network $network)
	[ "$got" = "$(readlink /proc/self/ns/net)" ]
	ok $? "network $network is that of the host ($got)"
done
sleep 10107 &
sleeper=$!
got=$(inside - "ls /proc | grep -c '^[0-9]'; ls -d /proc/$sleeper 2>&1 |
	grep -c 'No such'; kill -0 $sleeper 2>&1 | grep -c 'No such'")
[ "$(echo "$got" | sed 1d | tr '\n' ' ')" = '1 1 ' ] &&
    [ "$(echo "$got" | head -n 1)" -lt 8 ]
ok $? "only its own processes are seen ($got)"
kill -0 "$sleeper"
ok $? 'control: there is another one'
for place in /tmp /dev/shm; do
	echo host >"$place/cordon-apart-$$"
	works "$place is empty" - "cat $place/cordon-apart-$$ 2>/dev/null;
		echo mine >$place/cordon-apart-$$; cat $place/cordon-apart-$$
		chmod 640 $place/cordon-apart-$$; mkdir $place/d$$
		mv $place/cordon-apart-$$ $place/d$$/x; cat $place/d$$/x" \
	    'mine
mine'
	[ "$(cat "$place/cordon-apart-$$")" = host ] && [ ! -e "$place/d$$" ]
	ok $? "and the host's is as it was"
	rm -f "$place/cordon-apart-$$"
done
seconds=$((100000 + $$)) # nobody else's
inside - "setsid sleep $seconds & (setsid sh -c 'sleep $seconds & sleep $seconds' &)
	sleep 0.1; exit 7" >/dev/null
[ $? -eq 7 ]
ok $? 'it ends with its own status'
! grep -qsz "^$seconds\$" /proc/[0-9]*/cmdline
ok $? 'and nobody is left'
echo host >"/tmp/cordon-apart-$$"
got=$(inside - "cat /tmp/cordon-apart-$$" --write /tmp)
[ "$got" = host ]
ok $? "a /tmp that is granted is the host's ($got)"
rm -f "/tmp/cordon-apart-$$"

# ----- What holds as before --------------------------------------------------------

held()
{
	local policy got link
	for policy in - b c; do
		# shellcheck disable=SC2016 # for the shell inside
		works 'the workspace' $policy 'cat file; echo x >made
			chmod 600 made; mv made moved; ln moved second
			rm moved second; pwd; echo t >$TMPDIR/t; chmod 600 $TMPDIR/t
			cat $TMPDIR/t' "plain
$PWD
t"
		# shellcheck disable=SC2016 # for the shell inside
		works 'itself' $policy 'cat /proc/self/comm
			read -r x </proc/$$/comm
			echo $x; cat /dev/fd/0 <file' 'cat
sh
plain'
		refused 'the first process' $policy 'cat /proc/1/environ'
		got=$(inside $policy "cat $stage/out/file")
		[ -z "$got" ] && [ -n "$(cat "$stage/stderr")" ]
		ok $? "$policy: outside: not there ($got)"
	done
	link=root-link$stage/deep/w
	for policy in b c; do
		refused 'a denied change' $policy 'echo x >>x.lock'
		refused 'of its mode' $policy 'chmod 777 x.lock'
		refused 'of its name' $policy 'mv x.lock y'
		refused 'by way of a link' $policy "chmod 777 $link/x.lock"
	done
	refused 'a denied file' c 'cat x.env'
	refused 'in a denied directory' c 'cat secrets/s'
	refused 'by way of a link' c "cat $link/secrets/s"
	refused 'by way of /proc' c 'cat /proc/self/cwd/secrets/s'
	refused 'under a second name' c 'ln secrets/s y'
	cat secrets/s >/dev/null
	ok $? 'control: it can be read outside'
	[ "$(cat x.lock)" = before ]
	ok $? 'nothing was changed'
	# Only Landlock holds these: nobody listens.
	for got in 'mkdir new' 'touch file' 'rm file' 'mv file new' 'ln file new'; do
		! "$cordon" run --quiet --isolation namespaces --preset strict -- \
		    sh -c "$got" 2>"$stage/stderr"
		ok $? "strict: $got: refused"
	done
	[ "$(cat file)" = plain ] && [ ! -e new ]
	ok $? 'nothing was changed'
	"$cordon" verify --isolation namespaces --policy "$stage/c.yaml" \
	    --profile dev >"$stage/stdout" 2>"$stage/stderr"
	ok $? "verify agrees ($(tail -n 1 "$stage/stdout"))"

	# A descriptor of the host's is of the host, whatever its name is inside.
	got=$(inside c 'cat; chmod 666 /dev/stdin 2>&1' <"$stage/out/file")
	case $got in
	outside*denied*) [ "$(stat -c %a "$stage/out/file")" = 600 ] ;;
	*) false ;;
	esac
	ok $? "what was given is read, and not changed ($got)"
	got=$(inside c 'cat /dev/stdin/file' <"$stage/out")
	[ -z "$got" ]
	ok $? "nor is a directory a way out ($got)"
	got=$(inside c 'cat /dev/stdin/self/environ /dev/stdin/1/environ' </proc)
	[ -z "$got" ]
	ok $? 'nor is a /proc of the host'
}

held

# Below /tmp: of that there is nothing but what was granted.
rm -rf "$stage"
settle "$other"
echo host >"/tmp/cordon-apart-$$"
new=/tmp/cordon-apart-new-$$
got=$(inside c "cat /tmp/cordon-apart-$$;
	echo x >$new; mkdir $new; mv /tmp/${stage#/tmp/} $new
	chmod 777 /tmp; ln file $new; rmdir /tmp/${stage#/tmp/}")
[ -z "$got" ] && [ ! -e $new ]
ok $? "/tmp is empty but for the workspace ($got)"
rm -f "/tmp/cordon-apart-$$"
held

echo "1..$points"
[ "$failures" -eq 0 ]
