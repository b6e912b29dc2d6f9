#!/bin/bash
# Where names are compared without regard to case: a file system of a foreign
# host (FUSE) counts as one of these, so a deny holds there for every spelling,
# and the kernel agrees with `check`.  Needs root, which alone may mount it; the
# runs are root's, of nobody, and of a user namespace.
set -u

cordon=$CORDON_COMMAND
umask 022
stage=$(mktemp -d /tmp/cordon-fold-XXXXXX)
points=0 failures=0 server=
finish()
{
	cd /
	umount -l "$stage/w" 2>/dev/null
	[ -z "$server" ] || wait "$server"
	rm -rf "$stage"
}
trap finish EXIT

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

chmod 755 "$stage"
mkdir "$stage"/{under,w,home}
bindfs -f -o allow_other,default_permissions "$stage/under" "$stage/w" \
    2>"$stage/bindfs" &
server=$!
for ((i = 0; i < 6000; i++)); do
	mountpoint -q "$stage/w" && break
	kill -0 "$server" 2>/dev/null || break
	sleep 0.01
done
if ! mountpoint -q "$stage/w"; then
	server=
	echo "1..0 # SKIP no FUSE here: $(head -n 1 "$stage/bindfs")"
	[ "${CORDON_MUST_WORK:-0}" != 1 ]
	exit
fi
cat >"$stage/policy.yaml" <<'P'
schemaVersion: 2
kind: Policy
metadata: {name: fold}
spec:
  denyRead: ["**/*.env", "secrets/**", "Private/**"]
  denyModify: ["hooks/**"]
  fsProfiles:
    dev: {read: ["**"], modify: ["**"]}
P

# as WHO COMMAND...
as()
{
	local who=$1
	shift
	export HOME="$stage/home/$who"
	export XDG_STATE_HOME="$HOME/state"
	case $who in
	root) "$@" ;;
	nobody) setpriv --reuid 65534 --regid 65534 --clear-groups "$@" ;;
	userns) setpriv --reuid 65534 --regid 65534 --clear-groups \
	    unshare -Ur "$@" ;;
	esac
}

# inside WHO COMMAND...
inside()
{
	local who=$1
	shift
	as "$who" "$cordon" run --quiet --workspace "$stage/w" \
	    --policy "$stage/policy.yaml" --profile dev -- "$@" 2>/dev/null
}

# By the mount, which remembers names for a while.
furnish() # WHO
{
	rm -rf "$stage"/w/* "$stage/home/${1:?}"
	mkdir -p "$stage/home/$1" "$stage"/w/{Secrets,private,plain}
	echo secret | tee "$stage"/w/{A.ENV,b.env,Secrets/X,private/k} \
	    >/dev/null
	echo plain | tee "$stage"/w/{A.TXT,plain/c} >/dev/null
	[ "$1" = root ] || chown -R 65534:65534 "$stage/w" "$stage/home/$1"
}

cd "$stage/w" || exit 1
for who in root nobody userns; do
	furnish "$who"
	for path in A.TXT plain/c; do
		[ "$(inside "$who" cat "$path")" = plain ]
		ok $? "$who reads $path"
	done
	for path in A.ENV b.env Secrets/X private/k; do
		[ "$(as "$who" cat "$path")" = secret ]
		ok $? "$who reads $path without a boundary"
		[ -z "$(inside "$who" cat "$path")" ]
		ok $? "$who does not read $path inside"
		as "$who" "$cordon" check --workspace "$stage/w" --policy \
		    "$stage/policy.yaml" --profile dev "$path" >/dev/null
		[ $? = 3 ]
		ok $? "check says so, too: $path"
	done
	inside "$who" sh -c 'mkdir Hooks; echo x >hooks; echo x >HOOKS/y
	    mv A.ENV d.txt; ln A.ENV e.txt; mv Secrets s2; mv private p2'
	[ ! -e "$stage/under/Hooks" ] && [ ! -e "$stage/under/hooks" ] &&
	    [ ! -e "$stage/under/HOOKS" ]
	ok $? "$who makes no directory of another spelling"
	[ "$(find "$stage/under" -type f | sort | xargs grep -lx secret |
	    wc -l)" = 4 ] && [ -e "$stage/under/A.ENV" ] &&
	    [ -e "$stage/under/Secrets/X" ] && [ -e "$stage/under/private/k" ]
	ok $? "$who moves nothing away from its deny"
	inside "$who" sh -c 'mkdir made && echo x >made/F && mv made Moved &&
	    mv A.TXT B.TXT'
	[ -e "$stage/under/Moved/F" ] && [ -e "$stage/under/B.TXT" ]
	ok $? "$who makes and moves what is allowed"
done
echo "1..$points"
[ $failures -eq 0 ]
