# What a run may take of the user's quotas when no policy limits it.

load helper

# field NAME: the soft limit of that name, of this process
field="sed -n 's/^Max \(processes\|pending signals\) *\([0-9a-z]*\).*/\1 \2/p' \
    /proc/self/limits"

as_user()
{
	if [ "$(id -u)" -ne 0 ]; then
		cordon "$@"
		return
	fi
	dir=$T
	while [ "$dir" != /tmp ] && [ "$dir" != / ]; do
		chmod a+x "$dir"
		dir=$(dirname "$dir")
	done
	chown -R 65534:65534 "$T"
	CORDON_AS="setpriv --reuid 65534 --regid 65534 --clear-groups"
	status=0
	$CORDON_AS "$CORDON" "$@" >"$T/stdout" 2>"$T/stderr" || status=$?
	output=$(<"$T/stdout")
	stderr=$(<"$T/stderr")
}

bound() # NAME: of the plan
{
	python3 -c 'import json, sys
for b in json.load(open(sys.argv[1]))["bounds"]:
	if b["name"] == sys.argv[2]: print(b["value"], b["from"])' \
	    "$T/stdout" "$1"
}

@test "processes and queued signals are bounded, and the plan says so" {
	as_user plan --json
	exits 0
	processes=$(bound processes)
	signals=$(bound 'pending signals')
	case $processes in
	*default*) ;;
	*) skip "no bound here: $processes" ;;
	esac
	for isolation in none auto; do
		as_user run --isolation $isolation -- sh -c "$field"
		exits 0
		prints_line "processes ${processes%% *}"
		prints_line "pending signals ${signals%% *}"
	done
	# It is a bound, and there is room.
	[ "${processes%% *}" -lt "$(ulimit -Hu | sed s/unlimited/999999999/)" ]
	[ "${processes%% *}" -gt 8192 ]
	as_user run -- sh -c 'for i in 1 2 3 4 5 6 7 8; do
	    (sleep 0; echo started) & done; wait'
	exits 0
	[ "$(grep -c started "$T/stdout")" -eq 8 ]
}

@test "a policy replaces it; without a sandbox there is none" {
	policy p.yaml <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: p}
		spec:
		  enforcement: degraded
		  fsProfiles:
		    dev:
		      read: ["./**"]
		      limits: {processes: 4000, wall: 1m}
	END
	as_user plan --json --policy p.yaml --profile dev
	[ "$(bound processes)" = '4000 policy' ]
	[ "$(bound wall)" = '60000 policy' ]
	as_user plan --policy p.yaml --profile dev
	prints 'processes 4000 (policy)'
	as_user run --no-sandbox -- sh -c "$field"
	exits 0
	[ "$(eval "$field")" = "$output" ]
}

@test "root starts without a bound of processes, and the plan says so" {
	[ "$(id -u)" -eq 0 ] || skip 'for root'
	cordon plan
	exits 0
	prints 'processes not limited (root: set limits.processes)'
	cordon run -- true
	exits 0
}
