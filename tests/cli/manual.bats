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

# Every command, a line each; groups are left out.
commands()
{
	listed | while read -r name; do
		if [ -n "$(listed "$name")" ]; then
			listed "$name"
		else
			echo "$name"
		fi
	done
}

# options COMMAND: without the dashes.
options()
{
	# shellcheck disable=SC2086 # a command can be two words
	"$CORDON" $1 --help | sed -n '/^Options:$/,/^$/s/^  --\([a-z-]*\).*/\1/p'
}

page()
{
	"$CORDON" manual "$1" >"$T/$1"
}

@test "there are commands and options to look for" {
	[ "$(commands | wc -l)" -ge 11 ]
	commands | grep -qx 'policy validate'
	options run | grep -qx no-sandbox
}

@test "cordon.1 has every option of every command" {
	page cordon.1
	commands | while read -r name; do
		sed -n "/^\.SS \"cordon $name\( \|\"\)/,/^\.S[SH]/p" \
		    "$T/cordon.1" >"$T/section"
		[ -s "$T/section" ] || { echo "no section: $name"; exit 1; }
		options "$name" | sed 's/-/\\-/g' | while read -r option; do
			grep -qF "\\fB\\-\\-$option\\fR" "$T/section" ||
			    { echo "$name lacks $option"; exit 1; }
		done
	done
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
	for name in $(listed); do
		completes '' | grep -qx -- "$name"
	done
	commands | while read -r name; do
		# shellcheck disable=SC2086 # a command can be two words
		completes $name -- | sort >"$T/got"
		options "$name" | sed 's/^/--/' | sort | diff - "$T/got"
	done
	[ "$(completes run --preset s)" = strict ]
	[ "$(completes run --preset = s)" = strict ]
	[ "$(completes policy val)" = validate ]
	mkdir directory && touch file
	[ "$(completes run --workspace '')" = directory ]
	completes check --policy f | grep -qx file
	completes run -- tru | grep -qx true
	[ -z "$(completes run --profile '')" ]
}

@test "zsh reads its completions, and they have every option" {
	page zsh
	commands | while read -r name; do
		sed -n "/^	'$name')/,/;;/p" "$T/zsh" >"$T/section"
		options "$name" | while read -r option; do
			grep -q -- "--$option[=[]" "$T/section" ||
			    { echo "$name lacks $option"; exit 1; }
		done
	done
	need zsh
	zsh -n "$T/zsh"
}

# offers LINE: what fish completes it to.
offers()
{
	fish --no-config -c "source '$T/fish'; complete -C '$1'" | cut -f 1
}

@test "fish has every option" {
	page fish
	commands | while read -r name; do
		options "$name" | while read -r option; do
			grep -q "__cordon_in $name; .* -l $option " "$T/fish" ||
			    { echo "$name lacks $option"; exit 1; }
		done
	done
}

@test "fish offers commands, options and words" {
	need fish
	page fish
	for name in $(listed); do
		offers 'cordon ' | grep -qx -- "$name"
	done
	offers 'cordon check --' | sort >"$T/got"
	options check | sed 's/^/--/' | sort | diff - "$T/got"
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
