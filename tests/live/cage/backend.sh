# What tests of the cage have to know of the backend, when it is not the native
# one: CORDON_BACKEND names it, CORDON_REAL_COMMAND is the command behind
# CORDON_COMMAND.  What a backend does not hold its plan must say; then a test
# expects just that, and nothing else.
# shellcheck shell=bash

backend=${CORDON_BACKEND-native}

# short WHAT [OPTION...]: says the plan of another backend that it does not hold
# this (a rule, as the plan writes it), or has it this shortfall?
short()
{
	[ "$backend" != native ] || return 1
	"$CORDON_REAL_COMMAND" plan --backend "$backend" "${@:2}" --json \
	    2>/dev/null | python3 -c '
import json, sys
plan = json.loads(sys.stdin.readline())
sys.exit(not any(s["id"] == sys.argv[1] for s in plan["shortfall"]) and
    not any(r["rule"] == sys.argv[1] and r["by"].startswith("NOT ENFORCED")
	for r in plan["rules"]))' "$1"
}
