# shellcheck shell=bash disable=SC2154,SC2034 # run.sh's own
# Family 11: what a run may use up.  Small limits, so that a hole costs nobody
# anything.  Part of run.sh.
mkdir "$stage/l" && cd "$stage/l" || exit 1
limited()
{
	cat >"$stage/limits.yaml" <<END
schemaVersion: 2
kind: Policy
metadata: {name: limits}
spec:
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"], limits: {$1}}
END
	shift
	"$cordon" run --quiet --enforcement degraded \
	    --policy "$stage/limits.yaml" --profile dev -- "$@"
}

# Makes the policy, and asks what is said of it.
limit_ids()
{
	limited "$1" true
	reported --policy "$stage/limits.yaml" --profile dev
}

# shellcheck disable=SC2016 # Perl's own
forks='for (1..60) {
	defined(my $pid = fork) or exit 1;
	if (!$pid) { sleep 2; exit }
}'
limit_ids 'processes: 20'
tried 150 "$(escaped perl -e "$forks")" \
    "$(escaped limited 'processes: 20' perl -e "$forks")"
# shellcheck disable=SC2016 # Perl's own
memory='my $x = "x" x (300 << 20)'
limit_ids 'memory: 100M'
tried 151 "$(escaped perl -e "$memory")" \
    "$(escaped limited 'memory: 100M' perl -e "$memory")"
limit_ids 'open_files: 50'
tried 152 "$(escaped bash -c 'ulimit -n 200')" \
    "$(escaped limited 'open_files: 50' bash -c 'ulimit -n 200')"
