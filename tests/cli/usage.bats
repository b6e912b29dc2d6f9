#!/usr/bin/env bats
# Options, commands, help pages: what the command line accepts and says.

load helper

# refused TEXT ARG...: a usage error, exit 2, nothing on stdout.
refused()
{
	text=$1
	shift
	cordon "$@"
	exits 2
	[ -z "$output" ] || { say "$*"; return 1; }
	complains "$text" || { say "$*"; return 1; }
}

@test "unknown options, with what was probably meant" {
	refused "unknown option '--jsn'" check --jsn x
	complains "did you mean '--json'?"
	refused "unknown option '--polcy'" check --polcy=p x
	complains "did you mean '--policy'?"
	refused "unknown option '--frobnicate'" check --frobnicate x
	complains "'cordon check --help' lists the options"
}

@test "options are never abbreviated" {
	refused "unknown option '--js'" check --js x
	refused "unknown option '--pol'" check --pol p x
	refused "unknown option '--explai'" check --explai x
}

@test "options of another command, of no command, short ones" {
	refused "unknown option '--op'" policy show --op read
	refused "unknown option '--explain'" policy validate --explain x
	refused "unknown option '--backend'" check --backend none x
	refused "unknown option '-j'" check -j x
	refused "unknown option '-h'" check -h
	complains "did you mean '--help'?"
}

@test "values: missing, empty, too many" {
	refused "'--profile' needs a value" check x --profile
	refused "'--profile' needs a value" check --profile= x
	refused "'--profile' needs a value" check --profile '' x
	refused "'--json' takes no value" check --json=yes x
	refused "'--profile' is given twice" check --profile a --profile b x
	refused "'fly' is no value for '--op'" check --op fly x
	refused "'root' is no value for '--as'" check --as root x
	refused "'lax' is no preset" check --preset lax x
}

@test "a value may look like an option" {
	policy ./--json <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: x}
spec: {}
END
	cordon check --as policy --policy --json x
	exits 0
	prints 'allow  read  x'
}

@test "operands: missing and too many" {
	refused 'which path?' check
	refused 'needs FILE...' policy validate
	refused 'needs GLOBAL WORKSPACE' policy merge a
	refused "'c' is one argument too many" policy merge a b c
	refused "'x' is one argument too many" policy list x
	refused "'y' is one argument too many" policy show x y
	refused 'takes one of' trust --list x
	refused 'takes one of' trust --list --revoke x
	refused "go with '--as block'" check --data-dir d x
	refused "there is no schema of 'other'" policy schema other
	refused "'--policy' does not go with" policy show --policy p x
}

@test "commands: none, unknown, nearly right" {
	refused 'which command?'
	refused "unknown command 'frobnicate'" frobnicate
	refused "unknown command 'chekc'" chekc
	complains "did you mean 'cordon check'?"
	refused "unknown command 'policy valdate'" policy valdate x
	complains "did you mean 'cordon policy validate'?"
	refused "'cordon policy' needs a command" policy
	refused "unknown command ''" ''
}

# page ARG...: a help page that names its exit codes.
page()
{
	cordon "$@"
	exits 0
	quiet
	prints 'Usage: cordon'
	prints 'Exit codes:'
	prints_line "$(grep -E '^  0  .+' "$T/stdout" | head -n 1)"
	grep -qE '^  2  .+' "$T/stdout" || { say "$*"; return 1; }
	grep -qE '^Examples:$' "$T/stdout" || { say "$*"; return 1; }
	! grep -qE '^.{81}' "$T/stdout" || { say "$*: too wide"; return 1; }
}


@test "every command has a help page, reached three ways" {
	page --help
	page help
	while read -r words; do
		# shellcheck disable=SC2086 # two words
		page $words --help
		pages=$output
		# shellcheck disable=SC2086
		page help $words
		[ "$output" = "$pages" ]
		# shellcheck disable=SC2086
		page --help $words
		[ "$output" = "$pages" ]
	done <<END
check
trust
doctor
policy
policy validate
policy lint
policy show
policy list
policy merge
policy schema
policy init
policy reference
END
}

@test "help lists what there is" {
	page --help
	for name in check policy trust doctor; do
		grep -qE "^  $name +[a-z]" "$T/stdout"
	done
	page policy --help
	for name in validate lint show list merge schema init; do
		grep -qE "^  policy $name +[a-z]" "$T/stdout"
	done
	lacks 'policy reference'
	page check --help
	for option in policy profile preset workspace read write network as \
	    op data-dir config-path stdin explain json quiet help; do
		grep -qE "^  --$option( |$)" "$T/stdout"
	done
	for code in 0 2 3 4; do
		grep -qE "^  $code  " "$T/stdout"
	done
}

@test "--help wins over missing operands, not over wrong options" {
	page policy merge --help
	refused "unknown option '--x'" policy merge --x --help
	refused "there is no help about 'nothing'" help nothing
}

@test "--version" {
	cordon --version
	exits 0
	quiet
	[[ $output =~ ^cordon\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}
