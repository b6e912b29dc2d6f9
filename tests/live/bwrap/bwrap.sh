#!/bin/bash
# shellcheck disable=SC2016,SC2009 # words for other shells; all processes
# The backend bwrap, attacked where such sandboxes have failed before.
#
#	trysys -i IDENTITY bwrap.sh
#
# Each refusal has a control: the same thing works outside, or inside where it
# is allowed.  Afterwards the host is looked at.
set -u


cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /var/tmp/cordon-bwrap-XXXXXX)
points=0 failures=0

cleanup()
{
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

is()
{
	[ "$1" = "$2" ]
	ok $? "$3 (is '${1//$'\n'/ }', expected '${2//$'\n'/ }')"
}

mkdir -p "$stage"/{home,state,bin,w/src/deep,w/a/b/secrets,w/ro,w/other}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR CLAUDE_CONFIG_DIR CODEX_HOME
cd "$stage/w" || exit 1
echo public >src/file
echo hidden >a/b/secrets/key
echo fixed >ro/file
echo before >"$stage/given"

# policy NAME READ MODIFY
policy()
{
	cat >"$stage/$1.yaml" <<END
schemaVersion: 2
kind: Policy
metadata: {name: $1}
spec:
  unprotect: ["**"] # mounts do not hold the defaults for what comes later
  fsProfiles:
    dev:
      read: [$2]
      modify: [$3]
END
}
policy p '"./**", "!a/b/secrets/**"' '"./**", "!a/b/secrets/**", "!ro/**"'
policy file '"./**", "!src/file"' '"./**", "!src/file"'
policy later '"./**", "!**/*.env"' '"./**", "!**/*.env"'
policy fixed '"./**"' ''

# inside [OPTION...] -- COMMAND...: in the cage of p.yaml, unless told.
inside()
{
	"$cordon" run --backend bwrap --quiet --policy "$stage/p.yaml" \
	    --profile dev "$@" 2>"$stage/stderr"
}

# under POLICY [OPTION...] -- COMMAND...
under()
{
	"$cordon" run --backend bwrap --policy "$stage/$1.yaml" \
	    --profile dev "${@:2}" 2>"$stage/stderr"
}

# refuses WHAT SCRIPT: fails inside.
refuses()
{
	local out
	out=$(inside -- sh -c "$2" 2>&1)
	local status=$?
	[ "$status" -ne 0 ] && [ "$status" -ne 125 ]
	ok $? "$1: refused ($status $out)"
}

allows()
{
	local out
	out=$(inside -- sh -c "$2" 2>&1)
	local status=$?
	ok "$status" "$1: works ($status $out $(head -n 1 "$stage/stderr"))"
}

# said TEXT: in what the command told.
said()
{
	grep -qF -- "$1" "$stage/stderr"
	ok $? "it says '$1'"
}

# with FILE COMMAND...: something else in the place of /usr/bin/bwrap.
with()
{
	# shellcheck disable=SC2016 # for that shell
	unshare -Urm sh -c 'mount --bind "$1" /usr/bin/bwrap && shift &&
	    exec "$@"' sh "$@"
}

# ----- It runs ------------------------------------------------------------------

before=$(find "$stage/w" | sort)
allows 'reading' 'cat src/file >/dev/null'
allows 'writing' 'echo new >src/new && rm src/new'
allows 'renaming a directory' 'mv src/deep src/deeper && mv src/deeper src/deep'
refuses 'what may not be read' 'cat a/b/secrets/key'
refuses 'what may not be listed' 'ls a/b/secrets'
refuses 'what may not be modified' 'echo x >ro/file'
allows 'but read' 'cat ro/file'
refuses 'what lies beside the workspace' "cat $stage/given"
refuses 'making something in the root' 'mkdir /new'
is "$(cat ro/file)" fixed 'the host is as it was'
is "$(find "$stage/w" | sort)" "$before" 'no file is left behind'

# ----- The wrapper itself --------------------------------------------------------

printf '#!/bin/sh\ntouch %s/executed\nexit 0\n' "$stage" >"$stage/bin/bwrap"
chmod +x "$stage/bin/bwrap"
PATH="$stage/bin:$PATH" bwrap
[ -e "$stage/executed" ]
ok $? 'a wrapper earlier on PATH would be executed'
rm -f "$stage/executed"
PATH="$stage/bin:$PATH" inside -- true
ok $? 'a run with it on PATH'
PATH="$stage/bin:$PATH" "$cordon" plan --backend bwrap --policy \
    "$stage/p.yaml" --profile dev >/dev/null
[ ! -e "$stage/executed" ]
ok $? 'it is never executed'

is "$(inside --env GIVEN='a b=c' -- sh -c 'echo "$GIVEN"')" 'a b=c' \
    'the command has its own'
# While it runs, nobody reads the variables of the run in a command line.
mkfifo src/pipe
LD_LIBRARY_PATH=/nowhere GCONV_PATH=/nowhere GIVEN_TOKEN=whisper \
    inside --env GIVEN_TOKEN -- \
    sh -c "echo up >src/up; cat src/pipe; : $stage" </dev/null >/dev/null 2>&1 &
runner=$!
for ((i = 0; i < 3000; i++)); do
	[ ! -e src/up ] || break
	sleep 0.02
done
[ -e src/up ]
ok $? 'it runs'
ps ax -o args | grep -v grep | grep -q whisper
is $? 1 'its variables are in no command line'
environ=$(for process in /proc/[0-9]*; do
	tr '\0' ' ' <"$process/cmdline" | grep -q "^/usr/bin/bwrap .*$stage" &&
	    wc -c <"$process/environ"
done 2>/dev/null | sort -u)
is "$environ" 0 'bwrap has no environment at all'
echo go >src/pipe
wait "$runner"
rm -f src/up src/pipe

is "$(inside -- sh -c 'ls /proc/self/fd | tr "\n" " "')" '0 1 2 3 ' \
    'nothing is open but input and output (3: the listing)'

# ----- /proc and /sys -------------------------------------------------------------

[ -e /proc/$$/cmdline ]
ok $? 'there is a process of the host'
refuses 'seeing processes of the host' "
    for p in /proc/[0-9]*/cmdline; do
	tr '\\0' ' ' <\$p | grep -q 'bwrap[.]sh' && exit 0
    done; exit 1"
refuses 'the settings of the kernel' 'echo 1 >/proc/sys/kernel/printk'
refuses 'settings that are root'\''s' 'echo 0 >/proc/sys/vm/drop_caches'
refuses '/proc at all' 'echo 0 >/proc/self/oom_score_adj'
refuses 'the magic key' 'echo h >/proc/sysrq-trigger'
refuses '/sys' 'for f in /sys/kernel/*; do
    if [ -f "$f" ] && [ -w "$f" ]; then exit 0; fi; done; exit 1'
refuses 'making something in /sys' 'mkdir /sys/fs/cgroup/cordon-test'
refuses 'making something in /dev' 'touch /dev/new'
allows 'but in /dev/shm' 'echo x >/dev/shm/new'
# To what it is: should it not be refused, nothing happens.
refuses 'changing the mode of /dev/null' 'chmod 666 /dev/null'
random='import fcntl; fcntl.ioctl(open("/dev/urandom"), 0x80045200, b"1234")'
/usr/bin/python3 -c "$random"
ok $? 'a device has commands of its own'
refuses 'commands of devices' "/usr/bin/python3 -c '$random'"
allows '/dev/null is there' 'echo x >/dev/null && ! [ -s /dev/null ]'

# ----- Masks stay where they are ---------------------------------------------------

allows 'what has no mask is moved' 'mv other o2 && mv o2 other'
refuses 'moving what is masked' 'mv a/b/secrets a/b/moved'
refuses 'moving a directory above it' 'mv a/b a/moved'
refuses 'moving one above that' 'mv a moved'
refuses 'removing it' 'rm -r a/b/secrets'
refuses 'exchanging it' 'python3 - <<END
import ctypes, sys
c = ctypes.CDLL(None)
sys.exit(0 if c.renameat2(-100, b"a", -100, b"other", 2) == 0 else 1)
END'
refuses 'moving what may not be modified' 'mv ro other/ro'
[ -e a/b/secrets/key ] && [ -e ro/file ]
ok $? 'all lies where it was'
refuses 'unmounting it' 'umount a/b/secrets || umount -l a/b/secrets'
refuses 'mounting' 'mount --bind src other'
refuses 'a user namespace' 'unshare -U true'
refuses 'a user namespace to unmount in' 'unshare -Urm umount -l a/b/secrets'
refuses 'entering that of somebody else' 'nsenter -t 1 -U true'

# ----- Input and output ---------------------------------------------------------------

is "$(inside -- cat <"$stage/given")" before 'a file is read as input'
inside -- sh -c 'echo hacked >/proc/self/fd/0' <"$stage/given"
inside -- sh -c 'echo hacked >/dev/stdin' <"$stage/given"
inside -- sh -c 'chmod 777 /proc/self/fd/0; chmod 777 /dev/stdin' \
    <"$stage/given"
is "$(cat "$stage/given")" before 'and cannot be written'
is "$(stat -c %a "$stage/given")" 644 'nor its mode be changed'
sh -c 'echo control >/proc/self/fd/0' <"$stage/given"
is "$(cat "$stage/given")" control '(outside it can)'
echo 'old secret' >"$stage/out"
inside -- sh -c 'cat /proc/self/fd/1 >src/stolen; echo new' >>"$stage/out"
is "$(cat "$stage/out")" "$(printf 'old secret\nnew')" 'output goes to a file'
is "$(cat src/stolen 2>/dev/null)" '' 'which cannot be read by way of it'
rm -f src/stolen
inside -- sh -c 'for i in 1 2 3; do echo o$i; echo e$i >&2; done' \
    >"$stage/both" 2>&1
# stderr of inside() is another file, so ask for both by hand
"$cordon" run --backend bwrap --quiet --policy "$stage/p.yaml" --profile dev \
    -- sh -c 'for i in 1 2 3; do echo o$i; echo e$i >&2; done' \
    >"$stage/both" 2>&1
is "$(tr '\n' ' ' <"$stage/both")" 'o1 e1 o2 e2 o3 e3 ' 'both stay in order'
head -c 3000000 /dev/zero >"$stage/large"
is "$(inside -- wc -c <"$stage/large" | tr -d ' ')" 3000000 'all of it arrives'
inside -- head -c 3000000 /dev/zero >"$stage/large2"
cmp -s "$stage/large" "$stage/large2"
ok $? 'and gets out'
inside -- true <"$stage/large"
ok $? 'who does not read it does not mind'
inside -- true <"$stage"
is $? 125 'a directory as input is refused'
inside -- true </dev/zero
ok $? 'a device that is nothing is not'
# Not everybody may read the kernel's messages, of the same driver.
if (: </dev/kmsg) 2>/dev/null; then
	inside -- true </dev/kmsg
	is $? 125 'those that are more are'
fi
# Opened for both, so that nobody waits for the other side.
mkfifo -m 600 "$stage/named"
inside -- sh -c 'chmod 666 /proc/self/fd/0' <>"$stage/named"
is $? 125 'a named pipe, too'
is "$(stat -c %a "$stage/named")" 600 'and its mode is as it was'
sh -c 'chmod 640 /proc/self/fd/0' <>"$stage/named"
is "$(stat -c %a "$stage/named")" 640 '(outside it can be changed)'
is "$(echo word | inside -- cat)" word 'a pipe without a name is input'

# ----- What it does not hold is said ------------------------------------------------------

under file -- true
is $? 125 'a mask on a file: somebody may rename another over it: refused'
said mask-replaced
under file --enforcement degraded -- cat src/file
is $? 1 'degraded, it is masked'
said 'not enforced: a file that is denied by its name'
echo one >x.env
under later -- true
is $? 125 'a pattern for what comes later: refused'
said '**/*.env'
under later --enforcement degraded -- sh -c 'cat x.env && exit 9
    echo two >y.env && cat y.env' >/dev/null
is $? 0 'degraded: what is there is masked, what comes later is not'
said mask
ln x.env other/name
under later --enforcement degraded -- cat other/name >"$stage/seen"
is "$(cat "$stage/seen")" one 'a second name of what a pattern denies is open'
"$cordon" plan --backend bwrap --policy "$stage/later.yaml" --profile dev \
    --json 2>/dev/null | grep -q '"id":"other-names"'
ok $? 'which the plan says'
rm -f x.env y.env other/name
under fixed -- sh -c 'cat src/file >/dev/null && ! touch src/new'
ok $? 'a policy without masks needs no such word'
ln a/b/secrets/key other/name
policy exact '"./**", "!a/b/secrets/key"' '"./**", "!a/b/secrets/**"'
under exact --enforcement required -- true
is $? 125 'a second name of what is denied: refused'
rm -f other/name

# ----- Where it is missing or does not work -------------------------------------------------

run=("$cordon" run --backend bwrap --policy "$stage/p.yaml" --profile dev)
with /dev/null "${run[@]}" -- sh -c 'echo x >src/ran' 2>"$stage/stderr"
is $? 125 'without bwrap: refused'
said /usr/bin/bwrap
with /bin/false "${run[@]}" -- sh -c 'echo x >src/ran' 2>"$stage/stderr"
is $? 125 'with one that does not work: refused'
said /usr/bin/bwrap
for other in /dev/null /bin/false; do
	with "$other" "${run[@]}" --enforcement degraded -- \
	    sh -c 'echo x >src/ran' 2>"$stage/stderr"
	is $? 125 "degraded is not without ($other): refused"
	said /usr/bin/bwrap
	PATH="$stage/bin:$PATH" with "$other" "${run[@]}" -- true \
	    2>"$stage/stderr"
	is $? 125 "nor is there another one on PATH ($other)"
done
[ ! -e src/ran ] && [ ! -e "$stage/executed" ]
ok $? 'and nothing ran'
with /bin/false "${run[@]}" --enforcement best-effort -- touch src/ran \
    2>"$stage/stderr"
is $? 0 'only who asks for it goes on without'
said 'OS sandbox unavailable, using application-level checks only'
[ -e src/ran ]
ok $? 'then it ran'
grep -q '"kind":"sandbox.fallback".*"backend":"bwrap"' \
    "$stage/state/cordon/audit.jsonl"
ok $? 'which is recorded'
rm -f src/ran

# One that mounts something else than it was told.
cp /usr/bin/bwrap "$stage/bin/real"
cat >"$stage/bin/liar" <<END
#!/bin/bash
tr '\\0' '\\n' </proc/self/fd/\$2 | sed "\$(cat $stage/lie)" |
    tr '\\n' '\\0' >$stage/words
exec 200<$stage/words
shift 2
exec $stage/bin/real --args 200 "\$@"
END
chmod +x "$stage/bin/liar"
# On an older kernel it is told all; here little more than the root.
as_now=(env)
as_old=(setarch --uname-2.6)
as=("${as_now[@]}")
lie()
{
	echo "$2" >"$stage/lie"
	with "$stage/bin/liar" "${as[@]}" "${run[@]}" -- \
	    sh -c 'echo x >src/ran' 2>"$stage/stderr"
	is $? "$3" "$1"
}
lie 'a bwrap that is told little' '' 0
[ -e src/ran ]
ok $? 'then it runs'
rm -f src/ran
lie 'one that has another /proc' 's/^--proc$/--tmpfs/' 125
lie 'one that has no /dev of its own' '/^--tmpfs$/{N;d}' 125
as=("${as_old[@]}")
lie 'a bwrap that is told all' '' 0
[ -e src/ran ]
ok $? 'then it runs, too'
rm -f src/ran
lie 'one that leaves a mask writable' 's/^--ro-bind$/--bind/' 125
lie 'one that mounts another directory' "s,^$stage/w/ro\$,$stage/w/other," 125
lie 'one that leaves a mask away' "/^--tmpfs\$/{N;/secrets/{s/.*/--dir\n\/dev\/x/}}" 125
lie 'one that does not pin' "/^--bind\$/{N;N;/\/w\/a\$/d}" 125
[ ! -e src/ran ]
ok $? 'and nothing ran'

# ----- Many mounts, which bwrap is not told --------------------------------------------------

mkdir many many/{1..40}
for i in many/*; do echo "in $i" >"$i/file"; done
policy many '"./**"' "$(printf '"many/%d/**", ' {1..6} {8..39})"'"src/**"'
policy few '"./**"' '"many/1/**", "many/2/**", "src/**"'
policy hole '"./**", "!many/7/**"' \
    "$(printf '"many/%d/**", ' {1..6} {8..40})"'"many/new/**"'
run_many=("$cordon" run --backend bwrap --profile dev)
# shellcheck disable=SC2016 # for the shell inside
each='for i in 1 6 7 8 39 40; do
	cat many/$i/file >/dev/null 2>&1 || echo "unread $i"
	(: >many/$i/made) 2>/dev/null && echo "made $i"
done; (: >many/made) 2>/dev/null && echo "made in many"; :'
before=$(find "$stage/w" | sort)
echo '' >"$stage/lie"
for case in 'many now' 'many old' 'few now' 'few old'; do
	name=${case% *}
	as=("${as_now[@]}")
	[ "$case" = "$name now" ] || as=("${as_old[@]}")
	with "$stage/bin/liar" "${as[@]}" "${run_many[@]}" \
	    --policy "$stage/$name.yaml" -- sh -c "$each" >"$stage/got" \
	    2>"$stage/stderr"
	is $? 0 "$case: runs $(head -n 1 "$stage/stderr")"
	told=$(grep -c "^$stage/w/many/" "$stage/words")
	case $case in
	*now) is "$told" 0 "$case: bwrap is told none" ;;
	*old) [ "$told" -gt 0 ]; ok $? "$case: all ($told)" ;;
	esac
	want='made 1 made 6 made 8 made 39 '
	[ "$name" = many ] || want='made 1 '
	is "$(tr '\n' ' ' <"$stage/got")" "$want" \
	    "$case: each is what it should be"
	[ "$name" != many ] || is "$(cd many && echo */made)" \
	    '1/made 39/made 6/made 8/made' "$case: on the host as well"
	rm -f many/*/made
done
# What everybody has is the same, whoever made it.
# shellcheck disable=SC2016 # for the shell inside
look='cd / && stat -c "%n %F %a %t:%T" dev dev/* dev/pts/* dev/shm proc tmp |
    sort; df --output=fstype /dev /dev/pts /dev/shm /proc /tmp; readlink /dev/*
    for i in /dev/x /x /proc/x; do (: >$i) 2>/dev/null && echo "made $i"; done
    : >/dev/shm/x && : >/tmp/x && : >/dev/null && echo made'
for i in now old; do
	as=("${as_now[@]}")
	[ "$i" = now ] || as=("${as_old[@]}")
	"${as[@]}" "${run_many[@]}" --policy "$stage/few.yaml" -- sh -c \
	    "$look" 2>&1 >"$stage/looks-$i" | grep -v '^cordon: '
done
is "$(diff "$stage/looks-now" "$stage/looks-old")" '' '/dev and its like'
[ "$(tail -n 1 "$stage/looks-now")" = made ] &&
    [ "$(grep -c '^dev/' "$stage/looks-now")" -ge 14 ]
ok $? 'all of it is there'
"${run_many[@]}" --policy "$stage/hole.yaml" --enforcement degraded -- \
    sh -c "$each" >"$stage/got" 2>"$stage/stderr"
is "$(tr '\n' ' ' <"$stage/got")" \
    'made 1 made 6 unread 7 made 8 made 39 made 40 ' 'one of them is closed'
rm -f many/*/made
[ "$(find "$stage/w" | sort)" = "$before" ]
ok $? 'and no mount point is left behind'
# In the moment before they are mounted.
cat >"$stage/bin/replacer" <<END
#!/bin/bash
mv $stage/w/many/5 $stage/w/many5
ln -s $stage/home $stage/w/many/5
exec $stage/bin/real "\$@"
END
chmod +x "$stage/bin/replacer"
with "$stage/bin/replacer" "${run_many[@]}" --policy "$stage/many.yaml" -- \
    sh -c 'echo x >src/ran' 2>"$stage/stderr"
is $? 125 'a link in the place of one of them: refused'
[ ! -e src/ran ]
ok $? 'and nothing ran'
rm many/5 && mv many5 many/5
rm -r many

# Somebody puts a link in the place of the directory that it is to begin in.
cat >"$stage/bin/swapper" <<END
#!/bin/bash
if [ -e $stage/swap ]; then
	mv $stage/w/other $stage/w/away
	ln -s "\$(cat $stage/swap)" $stage/w/other
fi
exec $stage/bin/real "\$@"
END
chmod +x "$stage/bin/swapper"
swapped()
{
	(cd other && with "$stage/bin/swapper" "${run[@]}" --workspace \
	    "$stage/w" -- \
	    sh -c 'echo x >ran' 2>"$stage/stderr")
	status=$?
	[ ! -L other ] || { rm other && mv away other; }
}
swapped
[ "$status" = 0 ] && [ -e other/ran ]
ok $? "a directory that stays ($status)"
rm -f other/ran
for to in "$stage/home" "$stage/w/ro"; do
	echo "$to" >"$stage/swap"
	swapped
	[ "$status" != 0 ] && [ ! -e other/ran ] && [ ! -e "$to/ran" ]
	ok $? "one that became a link to ${to#"$stage/"} ($status)"
done
rm -f "$stage/swap"

# One that outlives cordon and its shepherd, killed before anything was looked
# at.  Somebody goes on reading what bwrap says, or that would end it.
cat >"$stage/bin/orphan" <<END
#!/bin/bash
cordon=\$(ps -o ppid= -p \$PPID)
says=\$(tr '\\0' '\\n' </proc/self/fd/\$2 | sed -n '/^--json-status-fd\$/{n;p}')
exec 201</proc/self/fd/\$says
{
	if [ -e $stage/kill ]; then
		kill -STOP \$cordon
		kill -9 \$PPID \$cordon
		while kill -0 \$cordon 2>/dev/null; do sleep 0.02; done
	fi
	$stage/bin/real "\$@"
	echo ended >$stage/ended
} </dev/null >/dev/null 2>&1 &
wait
END
chmod +x "$stage/bin/orphan"
orphan()
{
	rm -f "$stage/ended"
	with "$stage/bin/orphan" "${run[@]}" -- sh -c 'echo x >src/ran' \
	    >/dev/null 2>&1
	for ((i = 0; i < 3000; i++)); do
		[ ! -e "$stage/ended" ] || break
		sleep 0.02
	done
	[ -e "$stage/ended" ]
	ok $? "it ended ($1)"
}
orphan 'with cordon there'
[ -e src/ran ]
ok $? 'then it ran'
rm -f src/ran
touch "$stage/kill"
orphan 'cordon killed'
[ ! -e src/ran ]
ok $? 'who is not told to go on does not'
rm -f src/ran "$stage/kill"

# One whose shepherd is killed while its child is not ready to die with it.
cat >"$stage/bin/stray" <<END
#!/bin/bash
sleep 1000 &
echo \$! >$stage/stray
kill -9 \$PPID
wait
END
chmod +x "$stage/bin/stray"
with "$stage/bin/stray" timeout 100 "${run[@]}" -- \
    sh -c 'echo x >src/ran' >"$stage/out" 2>&1 # a file: somebody copies it
is $? 125 'its shepherd killed: it ends'
[ -s "$stage/stray" ] && case $(ps -o stat= -p "$(cat "$stage/stray")") in
'' | Z*) true ;;
*) kill -9 "$(cat "$stage/stray")"; false ;;
esac
ok $? 'and who was left, with it'
[ ! -e src/ran ]
ok $? 'nothing ran then'

# The same later, with one of its processes between, who does not die with them.
cat >"$stage/bin/between" <<END
#!/bin/bash
echo \$PPID >$stage/shepherd
{
	$stage/bin/real "\$@"
	:
} &
wait
END
chmod +x "$stage/bin/between"
with "$stage/bin/between" "${run[@]}" -- \
    sh -c "echo up >src/up; exec sleep 3217654.$$" >"$stage/out" 2>&1 &
runner=$!
for ((i = 0; i < 3000; i++)); do
	[ ! -e src/up ] || break
	sleep 0.02
done
[ -e src/up ] && ps ax -o args | grep -v grep | grep -q "sleep 3217654\\.$$\$"
ok $? 'one that runs'
kill -9 "$(cat "$stage/shepherd")"
wait "$runner" 2>/dev/null
! ps ax -o args | grep -v grep | grep -q "sleep 3217654\\.$$\$"
ok $? 'ends when its shepherd is killed, and cordon with it'
rm -f src/up

# ----- How it ends ------------------------------------------------------------------------------

inside -- sh -c 'exit 7'
is $? 7 'its exit code'
inside -- sh -c 'kill -9 $$'
is $? 137 'a signal that ended it'
inside -- ./nowhere
is $? 127 'no such program'
inside --timeout 1s -- sleep 1000
is $? 124 'too long'
(inside --timeout 1s -- sh -c 'trap "echo bye >src/bye; exit 0" TERM
    sleep 1000 & wait') </dev/null
is "$(cat src/bye 2>/dev/null)" bye 'who is told to end has time to'
rm -f src/bye
# Others do the same at the same time: a nap of its own for each.
inside -- sh -c "setsid sleep 1234567.$$ & exit 0" </dev/null
! ps ax -o args | grep -v grep | grep -q "sleep 1234567\\.$$\$"
ok $? 'nobody is left'
"$cordon" run --backend bwrap --quiet --policy "$stage/p.yaml" --profile dev \
    -- sh -c "echo up >src/up; exec sleep 7654321.$$" </dev/null >/dev/null 2>&1 &
runner=$!
for ((i = 0; i < 3000; i++)); do
	[ ! -e src/up ] || break
	sleep 0.02
done
kill -9 "$runner"
wait "$runner" 2>/dev/null
for ((i = 0; i < 3000; i++)); do
	ps ax -o args | grep -v grep | grep -q "sleep 7654321\\.$$\$" || break
	sleep 0.02
done
! ps ax -o args | grep -v grep | grep -q "sleep 7654321\\.$$\$"
ok $? 'it dies with cordon'
rm -f src/up

# ----- The record and the command -----------------------------------------------------------------

"$cordon" audit list "$stage/state/cordon/audit.jsonl" >"$stage/list" 2>&1
ok $? 'there is a record'
grep -q '"backend":"bwrap"' "$stage/state/cordon/audit.jsonl"
ok $? 'which names the backend'
"$cordon" audit verify "$stage/state/cordon/audit.jsonl" >/dev/null 2>&1
ok $? 'and is whole'
"$cordon" plan --backend bwrap --format argv --policy "$stage/p.yaml" \
    --profile dev -- sh -c 'cat src/file; cat a/b/secrets/key; echo "x  y"' \
    >"$stage/argv" 2>"$stage/stderr"
ok $? 'the command of a plan'
is "$(sh "$stage/argv" 2>/dev/null | tr '\n' ' ')" 'public x  y ' \
    'can be run as it is, and holds'

echo "1..$points"
[ "$failures" -eq 0 ]
