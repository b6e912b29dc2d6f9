#!/bin/bash
# Without a cage the suite must fail, nearly everywhere: what is told of here is
# run.sh itself.
set -u
work=$(mktemp -d /tmp/cordon-escape-control-XXXXXX)
trap 'rm -rf "$work"' EXIT
cat >"$work/cordon" <<END
#!/bin/bash
# Plans, and then runs the command as if there were none.
[ "\$1" = run ] || exec "$CORDON_COMMAND" "\$@"
while [ "\$1" != -- ]; do shift; done
shift
exec "\$@"
END
chmod +x "$work/cordon"
CORDON_COMMAND=$work/cordon "$(dirname "$0")/run.sh" A C >"$work/out" 2>&1
status=$?
failed=$(grep -c '^not ok.*ESCAPED' "$work/out")
changed=$(grep -c '^not ok.* as it was' "$work/out")
[ "$status" -ne 0 ] && echo "ok 1 - it fails ($status)" ||
    echo "not ok 1 - it fails ($status)"
[ "$failed" -ge 100 ] && echo "ok 2 - $failed attacks get through" ||
    echo "not ok 2 - $failed attacks get through"
[ "$changed" -ge 2 ] && echo "ok 3 - and what they changed is seen ($changed)" ||
    echo "not ok 3 - and what they changed is seen ($changed)"
echo 1..3
