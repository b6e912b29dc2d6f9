# limits.open_files that are small: a run always starts, or is always refused
# with a text that says what to do.

load helper

with_limit() # N
{
	policy "$T/p.yaml" <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: p}
		spec:
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"],
		          limits: {open_files: $1}}
	END
}

@test "the native backend starts with each from 8 to 20" {
	for n in 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		with_limit $n
		for isolation in none namespaces; do
			cordon run --isolation $isolation --policy "$T/p.yaml" \
			    --profile dev -- /bin/sh -c 'ulimit -n'
			exits 0
			prints_line $n
		done
	done
}

@test "bwrap is refused below what it needs, and starts from there on" {
	command -v bwrap >/dev/null || skip 'bwrap is not installed'
	for n in 1 4 8 11 12 15; do
		with_limit $n
		cordon run --backend bwrap --enforcement best-effort \
		    --policy "$T/p.yaml" --profile dev -- /bin/sh -c 'ulimit -n'
		exits 125
		complains "limits.open_files is $n, and bwrap itself needs 16"
	done
	for n in 16 17 20; do
		with_limit $n
		cordon run --backend bwrap --enforcement best-effort \
		    --policy "$T/p.yaml" --profile dev -- /bin/sh -c 'ulimit -n'
		exits 0
		prints_line $n
	done
}
