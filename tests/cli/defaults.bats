# What the host would later execute stays as it is, whatever documents are
# loaded: the layer 'defaults'.

load helper

dev()
{
	policy "$1" <<END
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  ${2:-denyRead: []}
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
}

# A program of the run tries to write each; which of them exist afterwards?
written()
{
	local name

	for name in .git/hooks/x .vscode/tasks.json sub/.mcp.json lefthook.yml \
	    .githooks/pre-commit src/a; do
		[ -e "$name" ] && printf '%s ' "$name"
	done
	:
}

attack()
{
	mkdir -p .git/hooks .vscode sub .githooks src
	cordon run "$@" -- sh -c 'for i in .git/hooks/x .vscode/tasks.json \
	    sub/.mcp.json lefthook.yml .githooks/pre-commit src/a; do
		echo evil 2>/dev/null >$i; done; :'
	exits 0
}

@test "a policy of one's own adds to the defaults" {
	dev own.yaml
	attack --policy own.yaml --profile dev
	[ "$(written)" = 'src/a ' ]
	complains '(<defaults>)'
}

@test "the shipped policies, the user's and the starter, too" {
	for file in "$CORDON_SOURCE/policies/coding-agent.yaml"; do
		attack --policy "$file" --profile implementer
		[ "$(written)" = 'src/a ' ]
	done
	rm src/a
	cordon policy init
	attack --policy .cordon/policy.yaml --profile implementer
	[ "$(written)" = 'src/a ' ]
}

@test "the layer is named, and the pure question does not know it" {
	dev own.yaml
	cordon check --policy own.yaml --profile dev --op modify .vscode/x
	exits 3
	prints 'deny  modify  .vscode/x  .vscode/**  <defaults> (defaults)'
	cordon check --policy own.yaml --profile dev --as agent --json \
	    --op modify a/.claude/x
	prints '"layer":"defaults"'
	prints '"source":"<defaults>"'
	cordon check --policy own.yaml --profile dev --as policy --op modify \
	    .vscode/x
	exits 0
	cordon plan --policy own.yaml --profile dev --json
	prints '"rule":"!**/.vscode/**"'
}

@test "packages bring such files along" {
	dev own.yaml
	cordon check --policy own.yaml --profile dev --op modify \
	    node_modules/p/.vscode/x a/vendor/p/.claude/x .venv/l/.idea/x
	exits 0
	for path in target/p/.vscode/x node_modules/p/.git/config \
	    .claude/node_modules/p/.claude/x; do
		cordon check --policy own.yaml --profile dev --op modify $path
		exits 3
	done
}

@test "unprotect takes entries out, and is said" {
	dev own.yaml 'unprotect: [".vscode/**"]'
	attack --policy own.yaml --profile dev
	[ "$(written)" = '.vscode/tasks.json src/a ' ]
	complains "not protected by the defaults: '.vscode/**' (unprotect, own.yaml:5)"
	cordon plan --policy own.yaml --profile dev --json
	prints '"rule":".vscode/**","op":"modify","layer":"defaults"'
}

@test "--allow takes a group or an entry out, and is said" {
	dev own.yaml
	attack --policy own.yaml --profile dev --allow editors
	[ "$(written)" = '.vscode/tasks.json src/a ' ]
	complains "not protected by the defaults: 'editors' (--allow)"
	rm .vscode/tasks.json
	attack --allow .mcp.json --allow hooks
	[ "$(written)" = 'sub/.mcp.json lefthook.yml .githooks/pre-commit src/a ' ]
	cordon run --allow nothing -- true
	exits 125
	complains 'names neither a group nor an entry of the defaults'
}

@test "unprotect of a project counts only when it is trusted" {
	mkdir -p .cordon
	dev .cordon/policy.yaml 'unprotect: ["**"]'
	attack
	[ "$(written)" = 'src/a ' ]
	complains "'unprotect' is ignored"
	cordon trust .
	attack
	[ "$(written)" = '.git/hooks/x .vscode/tasks.json sub/.mcp.json lefthook.yml .githooks/pre-commit src/a ' ]
}

@test "unprotect knows no exceptions" {
	dev own.yaml 'unprotect: ["!a"]'
	cordon policy validate own.yaml
	exits 2
}

@test "no exception for packages reaches below a protected directory" {
	mkdir -p sub/.vscode/node_modules/p sub/.claude/vendor/.venv/x \
	    sub/node_modules/p
	for path in sub/.vscode/node_modules/p/.claude/x \
	    sub/.vscode/node_modules/p/.mcp.json \
	    sub/.claude/vendor/.venv/x/.envrc \
	    sub/.idea/a/vendor/.vscode/tasks.json sub/.cordon/.venv/.idea/x; do
		cordon check --op modify "$path"
		exits 3
	done
	for path in sub/node_modules/p/.claude/x node_modules/p/.vscode/x \
	    sub/vendor/p/.mcp.json .venv/lib/.envrc; do
		cordon check --op modify "$path"
		exits 0
	done
	cordon run -- sh -c '
	    mkdir -p sub/.vscode/node_modules/p/.claude
	    echo evil >sub/.vscode/node_modules/p/.claude/x
	    mkdir -p sub/node_modules/p/.claude
	    echo fine >sub/node_modules/p/.claude/x'
	exits 0
	[ ! -e sub/.vscode/node_modules/p/.claude ]
	[ "$(cat sub/node_modules/p/.claude/x)" = fine ]
	# Where the directory is open, the exceptions in it count as before.
	cordon run --allow editors -- sh -c '
	    mkdir -p sub/.vscode/node_modules/p/.claude
	    echo fine >sub/.vscode/node_modules/p/.claude/x'
	[ "$(cat sub/.vscode/node_modules/p/.claude/x)" = fine ]
}

# Files that lead hg, sl and jj to a configuration elsewhere, and repositories
# that would hold them.
@test "Mercurial, Sapling and Jujutsu: no new repository, none is led away" {
	mkdir -p old/.hg/store old/.sl/store old/.jj/repo/store old/.jj/working_copy
	echo store >old/.hg/requires
	cordon run -- sh -c 'for d in .hg .sl .jj deep/.hg; do mkdir -p $d; done
	    cd old
	    echo shared >>.hg/requires; echo ~/x >.hg/sharedpath
	    echo x >.hg/shared; echo x >.hg/hgrc; echo x >.sl/config
	    echo x >.sl/requires; echo x >.sl/sharedpath
	    echo x >.jj/repo/config.toml; echo x >.jj/repo/store/git_target
	    mv .jj/repo .jj/other; echo ~/x >.jj/repo
	    mv .hg .hg2; mkdir ../new; ln -s ~/x ../new/.hg
	    echo 1 >.hg/dirstate; echo 2 >.sl/store/a
	    echo 3 >.jj/repo/store/a; echo 4 >.jj/working_copy/a'
	for name in .hg .sl .jj deep/.hg old/.hg/sharedpath old/.hg/shared \
	    old/.hg/hgrc old/.sl/config old/.sl/requires old/.sl/sharedpath \
	    old/.jj/repo/config.toml old/.jj/repo/store/git_target old/.jj/other \
	    old/.hg2 new/.hg; do
		[ ! -e "$name" ] && [ ! -L "$name" ] || { say "$name"; return 1; }
	done
	[ "$(cat old/.hg/requires)" = store ]
	[ "$(cat old/.hg/dirstate old/.sl/store/a old/.jj/repo/store/a \
	    old/.jj/working_copy/a | tr -d '\n')" = 1234 ]
	cordon run --allow mercurial --allow jujutsu --allow sapling -- \
	    mkdir .hg .sl .jj
	[ -d .hg ] && [ -d .sl ] && [ -d .jj ]
}
