#!/bin/sh
# The tree keeps its layers, and the script that says so can see a violation:
# each is planted in a copy and must be reported at its place.
set -eu

source=${CORDON_SOURCE:?}
check=$source/tools/check-layers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
points=0

result() # STATUS TEXT
{
	points=$((points + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $points - $2"
	else
		echo "not ok $points - $2"
		sed 's/^/# /' "$work/out"
	fi
}

fresh()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree/src/engine/match" "$work/tree/src/engine/policy" \
	    "$work/tree/src/enforce/sys" "$work/tree/src/front/cli" \
	    "$work/tree/src/api" "$work/tree/src/base"
	echo '#include <cordon/cordon.h>' >"$work/tree/src/base/base.h"
	printf '#include "base/base.h"\n#include <unistd.h>\n' \
	    >"$work/tree/src/base/base.c"
	cp "$work/tree/src/base/base.h" "$work/tree/src/engine/match/x.h"
}

# planted FILE LINE-OF-CODE MESSAGE: is reported as src/FILE:1: MESSAGE
planted()
{
	fresh
	mkdir -p "$(dirname "$work/tree/src/$1")"
	printf '%s\n' "$2" >"$work/tree/src/$1"
	status=0
	"$check" "$work/tree" >"$work/out" 2>&1 || status=$?
	seen=1
	if [ "$status" -eq 1 ] &&
	    grep -qxF "src/$1:1: $3" "$work/out"; then
		seen=0
	fi
	result $seen "caught in $1: $2"
}

# fine FILE LINE-OF-CODE: is no violation
fine()
{
	fresh
	printf '%s\n' "$2" >"$work/tree/src/$1"
	status=0
	"$check" "$work/tree" >"$work/out" 2>&1 || status=$?
	result $status "fine in $1: $2"
}

status=0
"$check" "$source" >"$work/out" 2>&1 || status=$?
result $status 'the tree keeps its layers'

# The table for people says the same as the table of the script.
status=0
python3 - "$source" >"$work/out" 2>&1 <<'END' || status=$?
import re, runpy, sys
script = runpy.run_path(sys.argv[1] + '/tools/check-layers')['ROOMS']
last = {room.split('/')[-1] for room in script}
shown = {}
for line in open(sys.argv[1] + '/ARCHITECTURE.md', encoding='utf-8'):
    row = re.match(r'\| ([\w/, ]+) \| ([^|]+) \| [^|]+ \|$', line)
    for room in row.group(1).split(', ') if row else ():
        if room in script:
            uses = set(re.findall(r'[\w.]+', row.group(2))) & last
            shown[room] = uses if row.group(2) != 'all above' else None
for room, uses in script.items():
    want = set(uses.split())
    if shown.get(room, 'missing') not in (want, None):
        print('%s: the script has %s, ARCHITECTURE.md %s' %
              (room, sorted(want), shown.get(room, 'no row')))
        sys.exit(1)
END
result $status 'ARCHITECTURE.md shows the same table'

fine engine/match/a.c '#include "base/base.h"'
fine engine/match/a.c '#include "engine/match/x.h"'
fine engine/match/a.c '/* #include <unistd.h> and open() in words */'
fine engine/match/a.c 'int a = loader->read(1) + loader.open(2);'
fine engine/match/a.c 'const char *a = "read(this)";'
fine engine/policy/a.c '#include <yaml.h>'
fine engine/policy/digest.c '#include <sha2.h>'
fine enforce/sys/a.c '#include <fcntl.h>'
fine api/a.c '#include "engine/match/x.h"'
fine front/cli/a.c 'int main(void) { printf("x"); exit(1); }'

planted base/a.c '#include "engine/match/x.h"' \
    'base may not use engine/match'
planted engine/match/a.c '#include "engine/policy/x.h"' \
    'engine/match may not use engine/policy'
planted engine/policy/a.c '#include "enforce/sys/x.h"' \
    'engine/policy may not use enforce/sys'
planted front/cli/a.c '#include "engine/match/x.h"' \
    'front/cli may not use engine/match'
planted front/cli/a.c '#  include  "api/x.h"' 'front/cli may not use api'
planted engine/match/a.c '#include <unistd.h>' \
    'the engine may not use <unistd.h>'
planted engine/match/a.c '#include <sys/stat.h>' \
    'the engine may not use <sys/stat.h>'
planted engine/match/a.c '#include <pthread.h>' \
    'the engine may not use <pthread.h>'
planted engine/match/a.c '#include <yaml.h>' '<yaml.h> belongs to engine/policy/'
planted engine/policy/a.c '#include <sha2.h>' \
    '<sha2.h> belongs to engine/policy/digest.|enforce/|front/mcp/state.'
planted engine/match/a.c 'char *a(void) { return getenv("HOME"); }' \
    'the engine may not call getenv()'
planted engine/match/a.c 'int a(void) { return open ("/", 0); }' \
    'the engine may not call open()'
planted enforce/sys/a.c 'int a(void) { exit(1); }' \
    'the library may not call exit()'
planted api/a.c 'int a(void) { return printf("x"); }' \
    'the library may not call printf()'
planted engine/match/x.c '#include <string.h>' \
    'its own header "engine/match/x.h", or one of its room that includes it, must come first'
planted engine/match/a.c '#include "x.h"' \
    '"x.h" is not the name of a file in a room'
planted engine/guess/a.c '#include "base/base.h"' \
    'the room engine/guess is not in the table of tools/check-layers'

rm -rf "$work/tree/src"
mkdir "$work/tree/src"
status=0
"$check" "$work/tree" >"$work/out" 2>&1 || status=$?
result $((1 - status)) 'an empty tree is not a success'
echo "1..$points"
