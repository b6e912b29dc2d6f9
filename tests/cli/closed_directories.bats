# A directory that cannot be listed may hold another name of a file: in mode C
# only files are refused of which not every name was seen.

load helper

prepare()
{
	policy "$T/p.yaml" <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: p}
		spec:
		  denyRead: ["closed/**", "**/*.key"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"]}
	END
	mkdir closed store
	echo fine >whole
	ln whole store/whole
	echo secret >closed/x
	ln closed/x alias
	echo secret >a.key
	ln a.key open
	chmod 000 closed
	# Times of files are older than the run.
	sleep 2
}

reads() # FILE
{
	cordon run --policy "$T/p.yaml" --profile dev "${@:2}" -- cat "$1"
}

teardown()
{
	chmod 700 "$T/work/closed" 2>/dev/null
	cd /
	rm -rf "${T:?}"
}

@test "a file is read when all its names were seen, and refused when not" {
	reads whole
	exits 0
	prints fine
	reads store/whole
	prints fine
	# The control: its other name is in the closed directory.
	reads alias
	exits 1
	lacks secret
	complains "chmod u+rx '$W/closed'"
	# And a denied name that was seen holds as ever.
	reads open
	lacks secret
}

@test "after chmod the rules decide" {
	chmod 700 closed
	reads alias
	lacks secret
	complains 'closed/**'
	reads whole
	prints fine
	ln whole "$T/outside"
	reads whole # its third name is outside, where no rule of these holds
	prints fine
}

@test "a name that is moved during the run is not counted twice" {
	# A directory of many, so that the scan takes a while.
	mkdir many
	(cd many && seq 3000 | xargs touch)
	cordon run --policy "$T/p.yaml" --profile dev -- sh -c '
	    (while :; do mv alias many/alias; mv many/alias alias; done) \
		2>/dev/null & mover=$!
	    i=0
	    while [ $i -lt 5 ]; do cat alias many/alias; i=$((i+1)); done
	    kill $mover; :' 2>/dev/null
	lacks secret
}

@test "new links of a file that is not known to be whole stay refused" {
	cordon run --policy "$T/p.yaml" --profile dev -- sh -c '
	    ln alias second; rm -f alias; cat second alias; :'
	lacks secret
}
