#!/bin/bash
# The tools people work with do their work in a fresh workspace.
#
#	trysys -i IDENTITY tools.sh
# shellcheck disable=SC1091,SC2154 # backend.sh and what it sets
set -u
. "${0%/*}/backend.sh"

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d "${CORDON_STAGE:-/tmp}"/cordon-tools-XXXXXX)
trap 'rm -rf "$stage"' EXIT
points=0 failures=0

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - $2"
	else
		echo "not ok $points - $2"
		sed 's/^/# /' "$stage/log"
		failures=$((failures + 1))
	fi
}

mkdir "$stage"/{home,w}
audit=$stage/home/.local/state/cordon/audit.jsonl
PATH=/usr/local/bin:/usr/bin:/bin # the system's tools: everybody may use them
export HOME="$stage/home" XDG_STATE_HOME="$stage/home/.local/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cd "$stage/w" || exit 1

# works WHAT WANTED SCRIPT: the script succeeds inside and prints that; unless
# it needs what the backend refuses, and says so ($needed, a shortfall).
needed=''
works()
{
	local got status
	got=$("$cordon" run --quiet -- "${trace[@]}" sh -c "$3" 2>"$stage/log")
	status=$?
	printf '%s\n' "$got" >>"$stage/log"
	if short "$needed"; then
		[ "$status" -ne 0 ] && [ "$status" -ne 125 ]
		ok $? "$1: refused ($status), as the plan says ($needed)"
		return
	fi
	[ "$status" -eq 0 ] && [[ $got == *"$2"* ]]
	ok $? "$1"
}
trace=()

# whole WHAT WANTED SCRIPT: it works, and no rename or link met a border within
# (not --seccomp-bpf: strace would not see what the broker answers).
whole()
{
	trace=(strace -f -qq -o trace -e
	    'trace=rename,renameat,renameat2,link,linkat')
	if ! command -v strace >/dev/null; then
		trace=()
	fi
	works "$@"
	[ ${#trace[@]} -gt 0 ] || return
	trace=()
	! short "$needed" || return
	cp trace "$stage/log"
	[ -s trace ] && ! grep -q EXDEV trace
	ok $? "$1: no EXDEV in $(wc -l <trace) renames and links"
	rm -f trace
}

# borders: how many refusals with EXDEV were recorded.
borders()
{
	grep '"kind":"fs.call.denied"' "$audit" 2>/dev/null |
	    grep -c '"errno":18'
}

needs()
{
	local tool
	for tool; do
		if ! command -v "$tool" >/dev/null; then
			echo "$tool is not installed" >"$stage/log"
			[ -z "${CORDON_MUST_WORK-}" ]
			ok $? "$tool # SKIP not installed"
			return 1
		fi
	done
}

git config --global user.name Somebody
git config --global user.email somebody@example.org
git init -q . && git commit -q --allow-empty -m first
printf 'int main(void) { return 0; }\n' >a.c
# shellcheck disable=SC2016 # for make
printf 'all: a\na: a.c\n\t$(CC) -o a a.c\n\t./a && echo made\n' >Makefile

needs strace
works 'git status' '?? a.c' 'git status --short'
whole 'git commit' 'second' \
    'git add a.c && git commit -q -m second && git log --oneline'
[ "$(git log -1 --format=%an)" = Somebody ]
ok $? 'with the name of the person'
whole 'git branch, stash, merge, rebase, gc' 'third' \
    'git checkout -q -b side && mkdir -p d/e && mv a.c d/e/b.c &&
    git add -A && git commit -q -m third && git mv d f &&
    git commit -q -m fourth && echo more >>Makefile && git stash -q -u &&
    git checkout -q - && git merge -q --no-ff -m merged side &&
    git rebase -q --root && git branch aside && git tag one &&
    git stash pop -q && git checkout -q Makefile && git gc -q &&
    git fsck --no-progress && mv f/e/b.c a.c && git log --oneline'
git worktree add -q -b tree ../tree
cd ../tree || exit 1
whole 'git commit in a worktree' 'from a worktree' \
    'echo x >x && git add x && git commit -q -m "from a worktree" &&
    git log --oneline'
cd ../w || exit 1
[ "$(git log -1 --format=%s tree)" = 'from a worktree' ]
ok $? 'which the repository has'
git fsck --no-progress >"$stage/log" 2>&1
ok $? 'and is whole'
needed=root-metadata # programs are made executable
works 'gcc' '' 'gcc -Wall -o b a.c && ./b'
whole 'make' 'made' 'make && mkdir out && mv a out/A && mv out in &&
    in/A && echo made'
needed=''
works 'ls ~ shows the home of the cage' '.gitconfig' 'ls -A ~'
if needs node npm; then
	mkdir tiny app
	printf '{"name":"tiny","version":"1.0.0","bin":{"tiny":"t.js"}}' \
	    >tiny/package.json
	printf '#!/usr/bin/env node\nconsole.log("from the tarball")\n' \
	    >tiny/t.js
	printf '{"name":"app","version":"1.0.0"}' >app/package.json
	works 'node' '42' 'node -e "console.log(6 * 7)"'
	works 'npm pack' 'tiny-1.0.0.tgz' 'cd tiny && npm pack --silent'
	needed=root-metadata
	whole 'npm install from a tarball' 'from the tarball' \
	    'cd app && npm install --offline --silent ../tiny/tiny-1.0.0.tgz &&
	    node_modules/.bin/tiny'
fi
needed=root-metadata
if needs python3; then
	works 'python3 -m venv' 'in v' \
	    'python3 -m venv v && v/bin/python -c "import sys
print(\"in\", sys.prefix.rsplit(\"/\", 1)[1])"'
fi
if needs cargo; then
	mkdir -p crate/src
	printf '[package]\nname = "c"\nversion = "0.1.0"\n' >crate/Cargo.toml
	printf 'fn main() { println!("from the crate"); }\n' \
	    >crate/src/main.rs
	whole 'cargo build' 'from the crate' \
	    'cd crate && cargo build --offline -q && target/debug/c'
fi

# ----- A tree full of hard links, as pnpm makes it ----------------------------------

# Packages in a store at $1, linked into node_modules.
# shellcheck disable=SC2016 # for the shell inside
links='mkdir -p "$1" && for p in a b c d e; do
	mkdir -p "$1/$p/lib" &&
	echo "module.exports = \"$p\"" >"$1/$p/index.js" &&
	for f in 1 2 3 4 5 6 7 8 9; do echo "$p$f" >"$1/$p/lib/$f.js"; done
done
for p in a b c d e; do
	at=node_modules/.pnpm/$p@1.0.0/node_modules
	mkdir -p "$at/tmp_$p/lib" && ln "$1/$p/index.js" "$at/tmp_$p/" &&
	ln "$1/$p"/lib/* "$at/tmp_$p/lib/" && mv "$at/tmp_$p" "$at/$p" &&
	ln -s ".pnpm/$p@1.0.0/node_modules/$p" "node_modules/$p" || exit 1
done'
# shellcheck disable=SC2016 # for the shell inside
use='cat node_modules/a/index.js node_modules/e/lib/9.js &&
    [ "$(stat -L -c %h node_modules/b/index.js)" -gt 1 ] &&
    cp node_modules/b/index.js new && mv new node_modules/b/index.js &&
    echo changed >>node_modules/c/lib/1.js &&
    chmod 600 node_modules/c/lib/2.js &&
    ln node_modules/d/index.js node_modules/d/again.js &&
    mv node_modules/.pnpm node_modules/moved &&
    mv node_modules/moved node_modules/.pnpm && echo used'
mkdir pnpm
cd pnpm || exit 1
needed=mount-borders
whole 'hard links from a store in the home of the cage' 'used' \
    "set -- ~/store; $links && $use && rm -r node_modules"
mkdir "$stage/store"
sh -c "set -- '$stage/store'; $links"
needed=root-metadata
whole 'hard links that the host made, from a store outside' 'used' "$use"
needed=''
grep -q changed "$stage/store/c/lib/1.js"
ok $? 'one file under both its names'
works 'the tree can be removed' 'gone' 'rm -r node_modules && echo gone'
[ "$(cat "$stage"/store/*/lib/2.js | wc -l)" = 5 ]
ok $? 'and the store stays'
cd .. || exit 1

# ----- Controls ---------------------------------------------------------------------

: >"$stage/log"
[ "$(borders)" = 0 ]
ok $? 'nobody met EXDEV'
mkdir -p node_modules/p mod .git/modules
echo x >mod/config
cp "$CORDON_PROBE" probe
if [ "$backend" = native ]; then
	set -- node_modules moved
else
	set -- mod .git/modules/mod # what mounts can hold
fi
"$cordon" run --quiet -- ./probe rename "$@" >"$stage/log"
grep -qx EXDEV "$stage/log" &&
    { [ "$backend" != native ] || [ "$(borders)" = 1 ]; }
ok $? 'control: who changes what is allowed below meets it'

echo "1..$points"
[ "$failures" -eq 0 ]
