#!/bin/bash
# The tools people work with do their work in a fresh workspace.
#
#	trysys -i IDENTITY tools.sh
set -u

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /tmp/cordon-tools-XXXXXX)
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
PATH=/usr/local/bin:/usr/bin:/bin # the system's tools: everybody may use them
export HOME="$stage/home" XDG_STATE_HOME="$stage/home/.local/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cd "$stage/w" || exit 1

# works WHAT WANTED SCRIPT: the script succeeds inside and prints that.
works()
{
	local got status
	got=$("$cordon" run --quiet -- sh -c "$3" \
	    2>"$stage/log")
	status=$?
	printf '%s\n' "$got" >>"$stage/log"
	[ "$status" -eq 0 ] && [[ $got == *"$2"* ]]
	ok $? "$1"
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

works 'git status' '?? a.c' 'git status --short'
works 'git commit' 'second' \
    'git add a.c && git commit -q -m second && git log --oneline'
[ "$(git log -1 --format=%an)" = Somebody ]
ok $? 'with the name of the person'
works 'gcc' '' 'gcc -Wall -o b a.c && ./b'
works 'make' 'made' 'make'
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
	works 'npm install from a tarball' 'from the tarball' \
	    'cd app && npm install --offline --silent ../tiny/tiny-1.0.0.tgz &&
	    node_modules/.bin/tiny'
fi
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
	works 'cargo build' 'from the crate' \
	    'cd crate && cargo build --offline -q && target/debug/c'
fi

echo "1..$points"
[ "$failures" -eq 0 ]
