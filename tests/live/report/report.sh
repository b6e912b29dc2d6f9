#!/bin/bash
# The report of real runs: what must be in it, and how a browser shows it.
#
#	report.sh CORDON
set -u

here=$(dirname "$0")
for program in cc git make python3; do
	command -v "$program" >/dev/null && continue
	[ "${CORDON_MUST_WORK:-0}" = 1 ] && { echo "Bail out! no $program"; exit 1; }
	echo "1..0 # SKIP there is no $program"
	exit 0
done
stage=$(mktemp -d /tmp/cordon-report-XXXXXX)
trap 'rm -rf "$stage"' EXIT
points=0 failures=0

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - $2"
	else
		echo "not ok $points - $2"
		failures=$((failures + 1))
	fi
}

holds()
{
	grep -qF -- "$1" "$stage/report.html"
	ok $? "it tells of ${2-$1}"
}

lacks()
{
	! grep -qF -- "$1" "$stage/report.html"
	ok $? "it does not hold ${2-$1}"
}

"$here/runs.sh" "$1" "$stage" || { echo 'Bail out! no runs'; exit 1; }
shop=$stage/shop
holds 'The log is intact.'
holds "$shop/vendor/lib/.git/config"
holds "$shop/vendor/lib/.git/hooks/post-checkout"
holds "$shop/vendor/lib/.envrc"
holds "$shop/vendor/lib/.vscode/tasks.json"
holds "$shop/package.json"
holds "$shop/.github/workflows/ci.yml"
holds "$shop/shop" 'a program that was built'
holds '<b>6&times;</b>' 'denials by rule'
holds '**/*.env'
holds '--allow nested-git' 'what was granted'
holds 'not started:' 'a run that was refused'
lacks "$shop/Makefile</code>" 'what was there before'
lacks 'odd<b>' 'a name as HTML'
lacks "$(printf '\033')" 'a control character'
holds 'odd&lt;b&gt;\u{1b}[31mname\u{202e}/.envrc' 'that name, escaped'

python3 "$here/browse.py" "$stage/report.html" >"$stage/tap"
while read -r line; do
	case $line in
	ok*) ok 0 "browser: ${line#* - }" ;;
	'not ok'*) ok 1 "browser: ${line#* - }" ;;
	'#'*) echo "$line" ;;
	1..0*)
		points=$((points + 1))
		echo "ok $points - browser # SKIP ${line#*SKIP }" ;;
	esac
done <"$stage/tap"
echo "1..$points"
[ "$failures" -eq 0 ]
