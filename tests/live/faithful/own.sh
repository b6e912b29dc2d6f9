#!/bin/bash
# What a process may write about itself in /proc: its name, how soon it is to be
# killed when memory is short.  Through the broker, as plainly; and about nobody
# else.
#
#	trysys -i IDENTITY own.sh
# shellcheck disable=SC1091,SC2154 # common.sh and what it sets
set -u
. "${0%/*}/common.sh"

mkdir "$stage/w" && cd "$stage/w" || exit 1
cat >own <<'END'
#!/bin/bash
echo named >/proc/self/comm && echo comm
echo first >/proc/$$/comm && cat /proc/$$/comm
echo second >/proc/$$/task/$$/comm && cat /proc/$$/comm
echo third >/proc/thread-self/comm && cat /proc/$$/comm
echo 700 >/proc/self/oom_score_adj && echo oom
echo 600 >/proc/$$/oom_score_adj && cat /proc/self/oom_score_adj
printf 12 >/proc/$$/coredump_filter && cat /proc/$$/coredump_filter
echo x >/proc/self/cmdline || echo no
echo x >/proc/self/nothing || echo no
END
cat >others <<'END'
#!/bin/bash
sleep 60 &
echo other >/proc/$!/comm && echo wrote
echo 500 >/proc/$!/oom_score_adj && echo wrote
echo 500 >/proc/$PPID/oom_score_adj && echo wrote
echo 500 >/proc/1/oom_score_adj && echo wrote
echo 1 >/proc/sys/vm/drop_caches && echo wrote
echo h >/proc/sysrq-trigger && echo wrote
kill $!
END
chmod +x own others

plain=$(bash own 2>>"$stage/stderr")
[ "$(grep -c . <<<"$plain")" -ge 8 ] && grep -q 600 <<<"$plain"
ok $? "a process writes about itself (${plain//$'\n'/ })"
got=$(sleep 60 & echo 500 >/proc/$!/oom_score_adj && echo wrote; kill $!)
[ "$got" = wrote ]
ok $? 'control: and about others, outside'
for mode in B C; do
	got=$(inside "$mode" -- ./own)
	[ "$got" = "$plain" ]
	ok $? "mode $mode: as plainly (${got//$'\n'/ })"
	got=$(inside "$mode" -- ./others)
	[ "$got" = '' ]
	ok $? "mode $mode: not about others (${got//$'\n'/ })"
done
finish
