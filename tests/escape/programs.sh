# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # run.sh's own
# 51 to 53: programs that may be read, but not executed.  Part of run.sh.
mkdir "$stage/x" && cd "$stage/x" || exit 1
mkdir bin free && cp /bin/echo bin/tool
cat >"$stage/exec.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: exec}
spec:
  denyExec: ["bin/**"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
run_exec()
{
	"$cordon" run --quiet --policy "$stage/exec.yaml" --profile dev -- "$@"
}

reported --policy "$stage/exec.yaml" --profile dev
loader=$(find /lib64/ /lib/ -maxdepth 2 -name 'ld-linux*.so*' 2>/dev/null |
    head -n 1)
memfd='import os, sys
fd = os.memfd_create("x")
os.write(fd, open(sys.argv[1], "rb").read())
os.execv("/proc/self/fd/%d" % fd, ["tool", "ran"])'
[ "$(escaped run_exec bin/tool ran)" = held ]
ok $? '53: control: the program itself is refused'
tried 51 "$(escaped python3 -c "$memfd" bin/tool)" \
    "$(escaped run_exec python3 -c "$memfd" bin/tool)"
tried 52 "$(escaped "$loader" ./bin/tool ran)" \
    "$(escaped run_exec "$loader" ./bin/tool ran)"
tried 53-copy "$(escaped sh -c 'cp bin/tool free/t && free/t ran')" \
    "$(escaped run_exec sh -c 'cp bin/tool free/t && free/t ran')"
tried 53-env "$(escaped env bin/tool ran)" \
    "$(escaped run_exec env bin/tool ran)"
tried 53-find "$(escaped find bin -name tool -exec '{}' ran ';' -quit)" \
    "$(escaped run_exec sh -c \
	'test "$(find bin -name tool -exec "{}" ran ";")" = ran')"
