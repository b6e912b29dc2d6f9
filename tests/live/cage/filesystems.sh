#!/bin/bash
# The boundary on other file systems than the one that /tmp is on: grants are of
# inodes, real names come from /proc, second names by number; each of them could
# be different there.  For root, in a mount namespace of its own.
#
#	trysys -i root filesystems.sh
set -u

[ "${1-}" = apart ] || exec unshare -m --propagation private "$0" apart
cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /tmp/cordon-filesystems-XXXXXX)
points=0 failures=0

cleanup()
{
	cd /
	umount "$stage"/at/* 2>/dev/null
	rm -rf "$stage"
}
trap cleanup EXIT

ok()
{
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - ${2//$'\n'/ }"
	else
		echo "not ok $points - ${2//$'\n'/ }"
		failures=$((failures + 1))
	fi
}

mkdir -p "$stage"/{home,at}
export HOME="$stage/home" XDG_STATE_HOME="$stage/state"
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
cat >"$stage/policy.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: filesystems}
spec:
  denyRead: ["**/*.env", "secrets/**"]
  denyModify: ["**/*.lock"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END

inside()
{
	"$cordon" run --quiet --policy "$stage/policy.yaml" --profile dev \
	    -- sh -c "$1" 2>>"$stage/stderr"
}

# refused WHAT SCRIPT: works outside, prints nothing and fails inside.
refused()
{
	local got
	got=$(sh -c "$2" 2>/dev/null) && [ -n "$got" ]
	ok $? "control: $1 ($got)"
	! got=$(inside "$2") && [ -z "$got" ]
	ok $? "$1: refused ($got)"
}

works()
{
	local got
	got=$(inside "$2")
	ok $? "$1 ($got $(tail -n 1 "$stage/stderr" 2>/dev/null))"
}

# What holds in a directory of this file system, which is where we are.
holds()
{
	mkdir secrets sub && echo SECRET >secrets/s && echo SECRET >x.env &&
	    echo public >pub && echo before >a.lock || return 1
	ln secrets/s sub/second && ln x.env sub/third || return 1
	works "173: $1: reading" 'cat pub'
	works "173: $1: making, renaming, removing" \
	    'echo x >new && mv new sub/new && mkdir d && mv d sub/d && rmdir sub/d && rm sub/new'
	works "173: $1: metadata" 'chmod 600 pub && touch -d @1 pub && chmod 644 pub'
	works "173: $1: links of its own" 'ln pub sub/pub && cat sub/pub && rm sub/pub'
	refused "173: $1: a denied directory" 'cat secrets/s'
	refused "173: $1: a pattern" 'cat x.env'
	refused "173: $1: a pattern, later" 'echo SECRET >late.env && cat late.env && rm late.env'
	refused "173: $1: second names" 'cat sub/second'
	refused "173: $1: of a pattern" 'cat sub/third'
	refused "173: $1: by a link" 'ln -sf ../secrets/s sub/link && cat sub/link'
	refused "173: $1: modifying" 'chmod 644 a.lock && echo done'
	[ "$(cat a.lock secrets/s x.env)" = $'before\nSECRET\nSECRET' ]
	ok $? "173: $1: and nothing has changed"
	"$cordon" doctor >/dev/null 2>&1
	ok $? "173: $1: doctor is content"
}

# on NAME COMMAND...: COMMAND mounts something on at/NAME.
on()
{
	local name=$1 status
	shift
	mkdir -p "$stage/at/$name"
	"$@" "$stage/at/$name" 2>>"$stage/stderr"
	status=$?
	if [ $status != 0 ]; then
		ok 0 "173: $name: this machine cannot mount it, so nobody works there"
		return
	fi
	mkdir "$stage/at/$name/w" && cd "$stage/at/$name/w" && holds "$name"
	ok $? "173: $name: all of it was tried"
	cd "$stage" || exit 1
}

image()
{
	truncate -s 64M "$stage/$1.img" && "mkfs.$1" -q "$stage/$1.img" &&
	    mount -o loop "$stage/$1.img" "$2"
}

layers()
{
	mkdir -p "$stage/at/layers"
	mount -t tmpfs none "$stage/at/layers" &&
	    mkdir "$stage"/at/layers/{low,up,work} &&
	    mount -t overlay overlay -o "lowerdir=$stage/at/layers/low,upperdir=$stage/at/layers/up,workdir=$stage/at/layers/work" "$1"
}

on tmpfs mount -t tmpfs none
on ext4 image ext4
on ext2 image ext2
on overlay layers
umount "$stage/at/overlay" 2>/dev/null

# ----- 174: directories that ignore case ------------------------------------------

folding()
{
	truncate -s 64M "$stage/fold.img" &&
	    mkfs.ext4 -q -O casefold -E encoding=utf8 "$stage/fold.img" &&
	    mount -o loop "$stage/fold.img" "$1"
}
mkdir -p "$stage/at/folded"
if folding "$stage/at/folded" 2>>"$stage/stderr" &&
    mkdir "$stage/at/folded/w" && chattr +F "$stage/at/folded/w"; then
	cd "$stage/at/folded/w" || exit 1
	mkdir secrets && echo SECRET >secrets/s && echo SECRET >x.env
	refused '174: another case of a directory' 'cat SECRETS/S'
	refused '174: another case of a pattern' 'cat X.ENV'
	cd "$stage" || exit 1
else
	ok 0 '174: this kernel has no directories that ignore case (ext4 with casefold is not mounted: CONFIG_UNICODE), so there are none to protect'
fi

echo "1..$points"
[ "$failures" -eq 0 ]
