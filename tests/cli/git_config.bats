# The configuration of a repository is replaced by cordon itself, and only if it
# differs in what cannot name a program.

load helper

prepare()
{
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.invalid
	export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.invalid
	git init -q -b main "$T/up"
	git -C "$T/up" commit -q --allow-empty -m one
	git -C "$T/up" branch side
	git clone -q "$T/up" .
	chmod 640 .git/config
	cp .git/config "$T/before"
}

# The configuration is as it was, and nothing is left beside it.
unchanged()
{
	cmp .git/config "$T/before"
	[ "$(cd .git && echo config*)" = config ]
}

@test "everyday work: branches, their upstream, a remote, a name" {
	cordon run -- sh -ec '
	    git checkout -q -b side origin/side
	    git branch -m side other
	    git config user.name "A B"
	    git config user.email a@b
	    git remote add new https://example.org/r.git
	    git remote add ssh git@example.org:r.git
	    git config branch.other.description "two
	lines"
	    git checkout -q main
	    git checkout -q -b gone origin/side
	    git checkout -q main
	    git branch -q -D gone
	    git branch -q --unset-upstream'
	exits 0
	[ "$(git config user.name)" = 'A B' ]
	[ "$(git config branch.other.remote)" = origin ]
	[ "$(git config branch.other.merge)" = refs/heads/side ]
	[ "$(git remote get-url new)" = https://example.org/r.git ]
	[ "$(git config remote.ssh.fetch)" = '+refs/heads/*:refs/remotes/ssh/*' ]
	[ -z "$(git config --get-regexp 'branch\.(main|gone|side)\.')" ]
	[ "$(cd .git && echo config*)" = config ]
	[ "$(stat -c %a .git/config)" = 640 ]
}

@test "in a nested repository, and in one far down" {
	mkdir -p $(seq -f 'many/%g/x' 300) node_modules
	for at in nested node_modules/far; do
		git clone -q "$T/up" "$at"
		cordon run -- git -C "$at" checkout -q -b side origin/side
		exits 0
		[ "$(git -C "$at" config branch.side.remote)" = origin ]
		cordon run -- git -C "$at" config core.fsmonitor ./evil
		[ "$status" -ne 0 ]
		[ -z "$(git -C "$at" config core.fsmonitor)" ]
	done
}

@test "what names a program, another file or another place is refused" {
	for change in 'core.fsmonitor ./evil' 'core.hooksPath evil' \
	    'alias.s !evil' 'include.path ../evil' 'core.pager evil' \
	    'filter.x.clean evil' 'remote.origin.url https://example.org/r' \
	    'remote.origin.uploadpack evil' 'remote.new.url ext::sh' \
	    'remote.new.url /evil' 'remote.new.uploadpack evil' \
	    'branch.main.remote ./evil' 'branch.main.mergeoptions evil' \
	    'url.ext::sh.insteadOf https://' 'user.signingkey x' \
	    'core.worktree /' 'extensions.worktreeConfig true'; do
		# shellcheck disable=SC2086 # two words
		cordon run -- git config $change
		[ "$status" -ne 0 ]
		unchanged
	done
	complains 'change the configuration of a repository'
	cordon run -- git remote remove origin
	[ "$status" -ne 0 ]
	[ "$(git remote get-url origin)" = "$T/up" ]
}

@test "a policy that denies it decides" {
	cat >"$T/policy.yaml" <<-'END'
		schemaVersion: 2
		kind: Policy
		metadata: {name: p}
		spec:
		  denyModify: [".git/config"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"]}
	END
	cordon run --policy "$T/policy.yaml" --profile dev -- \
	    git config user.name x
	[ "$status" -ne 0 ]
	unchanged
	sed -i /denyModify/d "$T/policy.yaml"
	cordon run --policy "$T/policy.yaml" --profile dev -- \
	    git config user.name x
	exits 0
	[ "$(git config user.name)" = x ]
}

# A configuration that is allowed, and one that is not.
make_both()
{
	{ cat .git/config; printf '[user]\n\tname = x\n'; } >good
	{ cat .git/config; printf '[core]\n\tfsmonitor = ./evil\n'; } >bad
}

@test "links, exchanges, moved directories and other names" {
	make_both
	cordon run -- sh -c '
	    cp good .git/config.lock; mv .git/config.lock .git/config2
	    rm -f .git/config.lock
	    ln -s ../bad .git/config.lock; mv -T .git/config.lock .git/config
	    rm -f .git/config.lock; ln bad .git/config.lock
	    mv -T .git/config.lock .git/config; rm -f .git/config.lock
	    mkdir .git/config.lock; mv -T .git/config.lock .git/config
	    rmdir .git/config.lock; mkfifo .git/config.lock
	    mv -T .git/config.lock .git/config; rm -f .git/config.lock
	    cp bad .git/config.cordon; cp good config.lock; mv config.lock .git/config
	    ln config.lock .git/config; rm -f config.lock'
	unchanged
	cordon run -- /usr/bin/python3 -c '
import ctypes, shutil
libc = ctypes.CDLL(None, use_errno=True)
shutil.copy("good", ".git/config.lock")
for flags in 1, 2, 4:
    assert libc.renameat2(-100, b".git/config.lock", -100, b".git/config",
        flags) == -1
import os
os.link("good", "other")
os.unlink(".git/config.lock")
os.link("other", ".git/config.lock")
try:
    os.rename(".git/config.lock", ".git/config")
    raise SystemExit(7)
except PermissionError:
    os.unlink(".git/config.lock")'
	exits 0
	unchanged
}

@test "a file with another name is not replaced" {
	make_both
	ln .git/config "$T/second"
	cordon run -- sh -c 'cp good .git/config.lock
	    mv .git/config.lock .git/config || rm .git/config.lock'
	unchanged
	rm "$T/second"
	cordon run -- sh -c 'cp good .git/config.lock
	    mv .git/config.lock .git/config'
	exits 0
	cmp .git/config good
}

@test "what is installed is what was looked at" {
	make_both
	cat >race.py <<-'END'
		import os, threading
		good, bad = open("good", "rb").read(), open("bad", "rb").read()
		good += b"#" * (len(bad) - len(good)) if len(bad) > len(good) else b""
		stop = False
		def rewrite():
		    while not stop:
		        try:
		            fd = os.open(".git/config.lock", os.O_WRONLY)
		        except OSError:
		            continue
		        for text in (bad, good) * 20:
		            os.pwrite(fd, text, 0)
		        os.close(fd)
		threads = [threading.Thread(target=rewrite) for _ in range(2)]
		for t in threads: t.start()
		for i in range(300):
		    with open(".git/config.lock", "wb") as f: f.write(good)
		    try:
		        os.rename(".git/config.lock", ".git/config")
		    except OSError:
		        pass
		    if b"fsmonitor" in open(".git/config", "rb").read():
		        os._exit(7)
		stop = True
		for t in threads: t.join()
		try: os.unlink(".git/config.lock")
		except OSError: pass
	END
	cordon run -- /usr/bin/python3 race.py
	exits 0
	[ -z "$(git config core.fsmonitor)" ]
	[ "$(git config user.name)" = x ]
}
