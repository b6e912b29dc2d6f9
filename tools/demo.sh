#!/bin/sh
# A few scenes in a workspace of their own, each with the command it runs.
#
#	tools/demo.sh [COMMAND]		(default: build/cordon)
#
# It is a test as well: a scene that does not go as told ends it with 1.
# Nothing outside a temporary directory is written; no root is needed.
set -eu

command=${1:-$(dirname "$0")/../build/cordon}
command=$(cd "$(dirname "$command")" && pwd)/$(basename "$command")
[ -x "$command" ] || { echo "demo: '$command' is not there" >&2; exit 1; }

stage=$(mktemp -d)
stage=$(cd "$stage" && pwd -P)
trap 'rm -rf "$stage"' EXIT
export HOME="$stage/home" TMPDIR="$stage"
unset XDG_CONFIG_HOME XDG_STATE_HOME ORBIT_ACTIVITY_FS_PROFILE
mkdir -p "$HOME/.ssh" "$stage/bin" "$stage/app/src" "$stage/app/.git/hooks"
ln -s "$command" "$stage/bin/cordon"
PATH=$stage/bin:$PATH
cd "$stage/app"
echo 'ref: refs/heads/main' >.git/HEAD
touch src/main.c prod.env "$HOME/.ssh/id_ed25519"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR+set}" ] && [ "${TERM:-dumb}" != dumb ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi

scene()
{
	printf '\n%s%s%s\n' "$bold" "$1" "$plain"
}

# show STATUS TEXT COMMAND...: prints it, runs it, and holds it to both.
show()
{
	want=$1 text=$2
	shift 2
	printf '  $'
	for word; do
		case $word in
		*[!A-Za-z0-9_./=:-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	echo
	status=0
	"$@" >"$stage/shown" 2>&1 || status=$?
	sed 's/^/  /' "$stage/shown"
	if [ "$status" -ne "$want" ]; then
		echo "demo: exit status $status, expected $want" >&2
		exit 1
	fi
	if ! grep -qF -- "$text" "$stage/shown"; then
		echo "demo: expected to read: $text" >&2
		exit 1
	fi
}

scene '1. Nothing written yet: the workspace is open, what the host would run is not'
show 0 'allow  modify  src/main.c' cordon check --op modify src/main.c
show 3 'deny  modify  .git/hooks/pre-commit' \
    cordon check --op modify .git/hooks/pre-commit

scene '2. A boundary, written down once'
cat >policy.yaml <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: demo}
spec:
  denyRead: ["**/*.env"]
  fsProfiles:
    dev:
      read: ["./**"]
      modify: ["src/**", "!src/vendor/**"]
END
show 0 'denyRead' cat policy.yaml
show 0 'policy.yaml: ok' cordon policy validate policy.yaml

scene '3. A denial names the line that caused it'
show 0 'policy.yaml:8:14 (policy)' \
    cordon check --policy policy.yaml --profile dev src/main.c
show 3 'policy.yaml:5:14 (policy)' \
    cordon check --policy policy.yaml --profile dev prod.env

scene '4. Why: every rule that matched, the last one wins'
show 3 '!src/vendor/**' cordon check --policy policy.yaml --profile dev \
    --explain --op modify src/vendor/lib.c

scene '5. A mistake is an error with its place and a remedy, never a guess'
sed 's/modify:/write:/' policy.yaml >mistake.yaml
show 2 'mistake.yaml:9:7: error: ' cordon check --policy mistake.yaml src/main.c

scene '6. The floor: no policy opens a credential, no link leads around it'
ln -s "$HOME/.ssh" src/notes
show 3 '<floor> (floor)' cordon check src/notes/id_ed25519

scene '7. The same answers for programs'
show 3 '"decision":"deny"' \
    cordon check --json --policy policy.yaml --profile dev prod.env

scene '8. And the kernel sees to it, for every process of a run'
if ! cordon run --quiet -- true 2>"$stage/why"; then
	echo '  This host cannot hold the rules of the next scenes:'
	sed 's/^/  /' "$stage/why"
	exit 0
fi
show 0 'hello from inside' \
    cordon run -- sh -c 'echo hello from inside >src/new && cat src/new'
show 1 'Permission denied' cordon run -- cat "$HOME/.ssh/id_ed25519"

scene '9. A deny inside what is allowed holds too, and says which line it was'
show 1 'policy.yaml:9' cordon run --policy policy.yaml --profile dev \
    -- sh -c 'echo mine >src/lib.c && mkdir src/vendor'
show 1 'policy.yaml:5' \
    cordon run --policy policy.yaml --profile dev -- cat prod.env
show 1 'policy.yaml:5' \
    cordon run --policy policy.yaml --profile dev -- cp src/lib.c src/new.env

scene '10. What this host cannot hold is named, and nothing is started'
show 125 'network-names: ' cordon run --network example.org -- true

scene '11. What happened is recorded, and one page tells it'
show 0 'intact' cordon audit verify
show 0 'policy.yaml:5' sh -c \
    'cordon audit report -o report.html && grep -om1 "policy.yaml:5" report.html'

scene '12. Does the kernel agree with the policy? Tried, call by call'
show 0 ' 0 disagreements' cordon verify --quiet --policy policy.yaml --profile dev

printf '\nEverything went as told.\n'
