#!/usr/bin/env bats
# Man pages and completions say what --help says; each of them is read by the
# program it is meant for.

load helper

# need TOOL: it is there, or the test is skipped where it may be.
need()
{
	command -v "$1" >/dev/null && return
	[ "${CORDON_MUST_WORK:-0}" != 1 ] || { echo "no $1"; return 1; }
	skip "no $1"
}

# listed [GROUP]: the commands that a page lists.
listed()
{
	"$CORDON" "$@" --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z -]*[a-z]\)  .*/\1/p'
}

# Once: every command (groups are left out), and `COMMAND:OPTION` for each.
setup_file()
{
	local name below
	listed | while read -r name; do
		below=$(listed "$name")
		echo "${below:-$name}"
	done >"$BATS_FILE_TMPDIR/commands"
	while read -r name; do
		# shellcheck disable=SC2086 # a command can be two words
		"$CORDON" $name --help | sed -n \
		    "/^Options:$/,/^$/s/^  --\([a-z-]*\).*/$name:\1/p"
	done <"$BATS_FILE_TMPDIR/commands" | sort >"$BATS_FILE_TMPDIR/options"
}

page()
{
	"$CORDON" manual "$1" >"$T/$1"
}

# has_options <FOUND: they are all of them, and no others.
has_options()
{
	sort | diff "$BATS_FILE_TMPDIR/options" -
}

# options COMMAND: as they are typed.
options()
{
	sed -n "s/^$1:/--/p" "$BATS_FILE_TMPDIR/options"
}

@test "there are commands and options to look for" {
	[ "$(wc -l <"$BATS_FILE_TMPDIR/commands")" -ge 11 ]
	grep -qx 'policy validate' "$BATS_FILE_TMPDIR/commands"
	grep -qx 'run:no-sandbox' "$BATS_FILE_TMPDIR/options"
}

@test "cordon.1 has every option of every command" {
	page cordon.1
	awk '/^\.SS "cordon / {
		sub(/^\.SS "cordon /, "")
		sub(/( \[OPTIONS\].*)?"?$/, "")
		name = $0
	}
	/^\\fB\\-\\-/ {
		gsub(/\\f[BR]/, "", $1)
		gsub(/\\-/, "-", $1)
		print name ":" substr($1, 3)
	}' "$T/cordon.1" | has_options
}

@test "cordon-policy.5 has every key" {
	page cordon-policy.5
	"$CORDON" policy schema | python3 -c 'import json, sys
for part in json.load(sys.stdin)["$defs"].values():
    print(*part.get("properties", []), sep="\n")' | grep . | sort -u \
	    >"$T/keys"
	[ "$(wc -l <"$T/keys")" -gt 30 ]
	while read -r key; do
		grep -qxF "\\fB$key\\fR" "$T/cordon-policy.5" ||
		    { echo "no $key"; return 1; }
	done <"$T/keys"
}

@test "man reads both pages without a complaint" {
	need man
	for name in cordon.1 cordon-policy.5; do
		page "$name"
		man --warnings -l "$T/$name" >"$T/text" 2>"$T/said"
		[ ! -s "$T/said" ] || { cat "$T/said"; return 1; }
		grep -q '^NAME' "$T/text"
	done
}

@test "mandoc finds nothing wrong with them" {
	need mandoc
	for name in cordon.1 cordon-policy.5; do
		page "$name"
		mandoc -T lint -W warning "$T/$name"
	done
}

# completes WORD...: what bash offers for the last of them.
completes()
{
	bash -c 'source "$1" || exit
	compopt() { :; }
	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_cordon && printf "%s\n" "${COMPREPLY[@]}"' - "$T/bash" cordon "$@"
}

@test "bash offers every command, every option and the words of a value" {
	page bash
	listed | while read -r name; do
		completes '' | grep -qx -- "$name"
	done
	while read -r name; do
		# shellcheck disable=SC2086 # a command can be two words
		completes $name -- | sed "s/^--/$name:/"
	done <"$BATS_FILE_TMPDIR/commands" | has_options
	[ "$(completes run --preset s)" = strict ]
	[ "$(completes run --preset = s)" = strict ]
	[ "$(completes policy val)" = validate ]
	mkdir directory && touch file
	[ "$(completes run --workspace '')" = directory ]
	completes check --policy f | grep -qx file
	completes run -- tru | grep -qx true
	[ -z "$(completes run --profile '')" ]
}

# specs WORD...: what zsh's own functions would be told, and whether they could
# still look for programs.
specs()
{
	zsh -f -c 'file=$1 && shift
	_arguments() { print -rl -- "$@" "programs:$+commands[true]" }
	_describe() { print -rl -- "${(P@)2}" }
	words=(cordon "$@") CURRENT=$(($# + 1))
	source $file' - "$T/zsh" "$@"
}

@test "zsh's completions have every option" {
	page zsh
	sed "s/^	'\([a-z ]*\)')$/=\1/; s/^ *	*    '[*]*--\([a-z-]*\)[=[].*/-\1/" \
	    "$T/zsh" | awk '/^=/ { name = substr($0, 2) }
	/^-/ { print name ":" substr($0, 2) }' | has_options
}

@test "zsh reads them" {
	need zsh
	page zsh
	zsh -n "$T/zsh"
	specs '' | grep -q '^run:'
	specs policy '' | grep -q '^validate:'
	specs run --pre | grep -qF -- '--preset=[workspace (default)'
	specs run --pre | grep -qx 'programs:1'
	specs policy validate '' | grep -q _files
}

# offers LINE: what fish completes it to.
offers()
{
	fish --no-config -c "source '$T/fish'; complete -C '$1'" | cut -f 1
}

@test "fish's completions have every option" {
	page fish
	sed -n "s/.*-n '__cordon_in \([a-z -]*\); and not [a-z_]*' -l \([a-z-]*\) .*/\1:\2/p" \
	    "$T/fish" | has_options
}

@test "fish offers commands, options and words" {
	need fish
	page fish
	offers 'cordon ' >"$T/got"
	listed | while read -r name; do
		grep -qx -- "$name" "$T/got"
	done
	offers 'cordon check --' | sort >"$T/got"
	options check | sort | diff - "$T/got"
	[ "$(offers 'cordon run --preset s')" = strict ]
	[ "$(offers 'cordon policy val')" = validate ]
	offers 'cordon run -- tru' | grep -qx true
	! offers 'cordon run -- --pol' | grep -q policy
}

@test "docs/limits.md has whatever a plan reports" {
	local page=$CORDON_SOURCE/docs/limits.md policy=$T/p.yaml n=0 host text
	policy "$policy" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  denyRead: ["**/*.env"]
  denyExec: [bin/x]
  fsProfiles:
    unrestricted:
      read: ["**"]
      modify: ["**"]
      network: [example.org, "10.0.0.1"]
      limits: {processes: 100, memory: 1G}
END
	for host in landlock_abi=0 landlock_abi=1 landlock_abi=4 \
	    landlock_abi=7 seccomp_notify=0 seccomp_filter=0; do
		CORDON_TEST_HOST=$host "$CORDON_TEST" plan --json \
		    --isolation namespaces --policy "$policy" >"$T/plan" || :
		python3 - "$T/plan" >"$T/texts" <<'END'
import json, sys
plan = json.load(open(sys.argv[1]))
for row in plan["limits"] + plan["shortfall"]:
    print("| `%s` | %s |" % (row["id"], row["text"]))
for row in plan["rules"]:
    if row["why"]:
        print("- " + row["why"])
END
		while read -r text; do
			n=$((n + 1))
			grep -qF -- "$text" "$page" ||
			    { echo "$host: $text"; return 1; }
		done <"$T/texts"
	done
	[ "$n" -gt 60 ]
}

@test "another page is refused" {
	cordon manual perl
	exits 2
	complains "no page 'perl'"
}
