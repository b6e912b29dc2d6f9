# Exceptions of denyModify in a document that is merged over another: what they
# are taken from may be a rule of the other one.

load helper

prepare()
{
	policy user.yaml <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: user}
		spec:
		  denyModify: ["config/**", "!config/local/**"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"]}
	END
	policy part.yaml <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: part}
		spec:
		  denyModify: ["config/local/**", "!config/local/a.yaml"]
	END
	policy only.yaml <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: only}
		spec:
		  denyModify: ["!config/local/a.yaml"]
	END
	policy outside.yaml <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: outside}
		spec:
		  denyModify: ["!config/other/a.yaml"]
	END
	none='must be strictly contained by an earlier denyModify rule'
}

@test "policy merge validates the exception after the merge" {
	cordon policy merge user.yaml part.yaml
	exits 0
	cordon policy merge user.yaml only.yaml
	exits 0
	prints '!config/local/a.yaml'
	cp "$T/stdout" merged.yaml
	cordon policy validate merged.yaml
	exits 0
	cordon policy merge user.yaml outside.yaml
	exits 2
	complains 'outside.yaml:5:16: error'
}

@test "alone, and in the first document, it is still an error" {
	cordon policy validate only.yaml
	exits 2
	complains "$none"
	cordon run --policy only.yaml -- true
	exits 125
	complains "$none"
	cordon policy merge only.yaml user.yaml
	exits 2
	complains "$none"
	# Over a document without such a rule it is meaningless, too.
	policy plain.yaml <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: plain}
		spec:
		  fsProfiles:
		    dev: {read: ["./**"]}
	END
	cordon policy merge plain.yaml only.yaml
	exits 2
	complains "$none"
}

@test "a trusted project over the user's policy" {
	mkdir -p .cordon config/local "$XDG_CONFIG_HOME/cordon"
	cp user.yaml "$XDG_CONFIG_HOME/cordon/policy.yaml"
	cp only.yaml .cordon/policy.yaml
	# Not trusted, it stands alone.
	cordon check --profile dev --op modify config/local/a.yaml
	exits 2
	complains "$none"
	cordon trust
	exits 0
	cordon check --profile dev --op modify config/local/a.yaml
	exits 0
	cordon check --profile dev --op modify config/x
	exits 3
	cordon run --profile dev -- \
	    sh -c 'echo a >config/local/a.yaml; echo evil >config/x; :'
	[ "$(cat config/local/a.yaml)" = a ]
	[ ! -e config/x ]
	cp outside.yaml .cordon/policy.yaml
	cordon trust
	exits 2
	# Without a policy of the user there is nothing to merge it with.
	rm "$XDG_CONFIG_HOME/cordon/policy.yaml"
	cp only.yaml .cordon/policy.yaml
	cordon trust
	exits 2
	complains "$none"
	cordon trust --list
	lacks "$W/.cordon"
}
