# runtime_write_roots with a star at the end: a database and what lies beside it.

load helper

with_roots() # ROOT
{
	policy "$T/p.yaml" <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: p}
		spec:
		  runtime_write_roots: ["$1"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"]}
	END
}

use_database='
import os, sqlite3, sys
c = sqlite3.connect(os.path.expanduser(sys.argv[1]))
c.execute("pragma journal_mode=wal")
c.execute("create table if not exists t(a)")
c.execute("insert into t values(1)")
c.commit()
print(c.execute("select count(*) from t").fetchone()[0], "rows")
print("wal" if os.path.exists(os.path.realpath(os.path.expanduser(sys.argv[1])) + "-wal") else "no wal")'

@test "a database and its sidecars, also those made later; nothing beside them" {
	mkdir "$HOME/.orbit"
	echo secret >"$HOME/.orbit/token"
	with_roots '~/.orbit/orbit.db*'
	for isolation in none namespaces; do
		cordon run --isolation $isolation --policy "$T/p.yaml" \
		    --profile dev -- /usr/bin/python3 -c "$use_database" \
		    '~/.orbit/orbit.db'
		exits 0
		prints 'wal'
		cordon run --isolation $isolation --policy "$T/p.yaml" \
		    --profile dev -- sh -c 'cd "$1"
			echo evil >other; echo evil >token; cat token
			echo x >orbit.db-x && mv orbit.db-x stolen
			mkdir d' sh "$HOME/.orbit"
		lacks secret
		[ ! -e "$HOME/.orbit/other" ]
		[ ! -e "$HOME/.orbit/stolen" ]
		[ ! -e "$HOME/.orbit/d" ]
		[ "$(cat "$HOME/.orbit/token")" = secret ]
		rm -f "$HOME/.orbit/orbit.db-x"
	done
	[ "$(/usr/bin/python3 -c "$use_database" "$HOME/.orbit/orbit.db")" = "3 rows
wal" ]
	cordon check --policy "$T/p.yaml" --profile dev --op modify \
	    "$HOME/.orbit/orbit.db-wal"
	exits 0
	cordon check --policy "$T/p.yaml" --profile dev --op modify \
	    "$HOME/.orbit/orbit.d"
	exits 3
	cordon verify --policy "$T/p.yaml" --profile dev
	exits 0
}

@test "it lifts the deny of a project in the workspace, for these names alone" {
	mkdir -p .cordon data
	policy .cordon/policy.yaml <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: project}
		spec:
		  denyModify: ["data/**"]
	END
	policy "$XDG_CONFIG_HOME/cordon/policy.yaml" <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: user}
		spec:
		  runtime_write_roots: ["$W/data/orbit.db*"]
		  fsProfiles:
		    unrestricted: {read: ["./**"], modify: ["./**"]}
	END
	cordon run -- sh -c 'echo a >data/orbit.db; echo b >data/orbit.db-shm
	    echo evil >data/other; :'
	[ "$(cat data/orbit.db)" = a ]
	[ "$(cat data/orbit.db-shm)" = b ]
	[ ! -e data/other ]
}

@test "a directory that is missing, and other patterns, are errors" {
	with_roots '~/.nowhere/orbit.db*'
	cordon run --policy "$T/p.yaml" --profile dev -- true
	exits 125
	complains 'there is no directory'
	for root in '~/.orbit/*' '~/.o*/orbit.db' '~/.orbit/orbit.db**' \
	    '~/.orbit/o*.db*' '~/.orbit/orbit.d?' '~*' '/*'; do
		with_roots "$root"
		cordon policy validate "$T/p.yaml"
		exits 2
		complains "must not contain '*' or '?'"
	done
	mkdir "$HOME/a*" "$HOME/ab"
	with_roots '~/link/x*'
	ln -s 'a*' "$HOME/link"
	cordon run --policy "$T/p.yaml" --profile dev -- true
	exits 125
	complains "has a '*' or '?' in its name"
}
