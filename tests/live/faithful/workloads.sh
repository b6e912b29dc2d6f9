#!/bin/bash
# What people do with a computer comes to the same plainly and in the cage.
#
#	trysys -i IDENTITY workloads.sh
#
# 100 files, or 250 times CORDON_TRIES.
# shellcheck disable=SC1091,SC2154 # common.sh and what it sets
set -u
. "${0%/*}/common.sh"

PATH=/usr/local/bin:/usr/bin:/bin
many=100
[ -z "${CORDON_TRIES-}" ] || many=$((250 * CORDON_TRIES))
export MANY=$many LC_ALL=C TZ=UTC
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
export GIT_AUTHOR_DATE='2001-02-03T04:05:06' GIT_COMMITTER_DATE='2001-02-03T04:05:06'
export GIT_CONFIG_NOSYSTEM=1

# What is in the workspace now; how git keeps it is git's own business.
tree()
{
	find . -path ./.git -prune -o -printf '%p %y %m %n %l' \
	    \( -type f -printf ' %s\n' -o -printf '\n' \) | sort
	find . -path ./.git -prune -o -type f ! -name 'db*' -print0 | sort -z |
	    xargs -0 -r cat | cksum
}

# one NAME MODE: sets the stage plainly, does the work, tells what is there.
one()
{
	local name=$1 mode=$2 status
	rm -rf "$stage/w"
	mkdir "$stage/w"
	cd "$stage/w" || exit 1
	"before_$name" >"$stage/before" 2>&1 || cat "$stage/before"
	declare -f "work_$name" >work.sh
	echo "work_$name" >>work.sh
	if [ "$mode" = plain ]; then
		bash work.sh >"$stage/out.$mode" 2>"$stage/err.$mode"
	else
		inside "$mode" --env MANY --env LC_ALL --env TZ \
		    --env GIT_AUTHOR_NAME --env GIT_AUTHOR_EMAIL \
		    --env GIT_COMMITTER_NAME --env GIT_COMMITTER_EMAIL \
		    --env GIT_AUTHOR_DATE --env GIT_COMMITTER_DATE \
		    -- bash work.sh >"$stage/out.$mode"
	fi
	status=$?
	tree >"$stage/tree.$mode"
	return "$status"
}

works()
{
	local name=$1 tool mode
	for tool; do
		command -v "$tool" >/dev/null && continue
		[ -z "${CORDON_MUST_WORK-}" ]
		ok $? "$name # SKIP $tool is not installed"
		return
	done
	one "$name" plain
	ok $? "$name: plainly, $(wc -l <"$stage/out.plain") lines"
	for mode in B C; do
		one "$name" "$mode"
		ok $? "$name: mode $mode"
		diff "$stage/out.plain" "$stage/out.$mode" >"$stage/diff" &&
		    diff "$stage/tree.plain" "$stage/tree.$mode" >>"$stage/diff"
		ok $? "$name: mode $mode: the same"
		head -n 20 "$stage/diff" | sed 's/^/# /'
	done
}

# ----- git ----------------------------------------------------------------------

before_git()
{
	local i
	mkdir -p src/{a,b,c,d,e}/{f,g,h}
	for ((i = 0; i < many; i++)); do
		echo "file $i" >"src/$(printf '%b' "\\$((141 + i % 5))")/$(printf \
		    '%b' "\\$((146 + i % 3))")/$i.txt"
	done
	git init -q -b main . && git add -A && git commit -q -m first
}

work_git()
{
	set -e
	git status --short
	git switch -q -c other
	for f in src/a/*/*.txt; do echo changed >>"$f"; done
	git rm -q -r src/b/f
	git mv src/c/g src/c/moved
	git add -A
	git commit -q -m second
	git switch -q main
	git ls-files | wc -l
	echo more >src/new.txt
	git add src/new.txt
	git commit -q -m third
	git merge -q -m merged other
	git log --format='%H %s'
	git diff --stat HEAD~1 | tail -n 1
	echo loose >src/loose.txt
	git stash -q -u
	git stash pop -q
	git status --short
	git rebase -q HEAD~1
	git gc -q
	git fsck --strict
	git grep -c changed | wc -l
	git tag -a -m one one
	git worktree list | wc -l
	git archive HEAD | tar -t | cksum
	git clean -q -f -d
	git reset -q --hard one
	git rev-parse HEAD
}

# ----- make ---------------------------------------------------------------------

before_make()
{
	local i n=$((many / 12))
	for ((i = 0; i < n; i++)); do
		echo "#include \"all.h\"
int f$i(void) { return $i; }" >"f$i.c"
		echo "int f$i(void);"
	done >all.h
	{
		echo '#include <stdio.h>'
		echo '#include "all.h"'
		echo 'int main(void) { int n = 0;'
		for ((i = 0; i < n; i++)); do echo "n += f$i();"; done
		echo 'printf("%d", n); return 0; }'
	} >main.c
	cat >Makefile <<'M'
objects := $(patsubst %.c,%.o,$(wildcard *.c))
program: $(objects) lib.a
	$(CC) -o $@ main.o lib.a
lib.a: $(filter-out main.o,$(objects))
	rm -f $@ && ar rcD $@ $^
%.o: %.c
	$(CC) -O1 -MD -c -o $@ $<
-include $(objects:.o=.d)
M
}

work_make()
{
	set -e
	make -s -j2
	./program
	make -s -j2
	touch f1.c
	make -s -j2 --debug=b | grep -c 'remake' || :
	./program
	nm lib.a | grep -c ' T '
}

# ----- sqlite3 ------------------------------------------------------------------

before_sqlite3()
{
	:
}

# Two writers and a reader at once: locks, and memory that they share.
work_sqlite3()
{
	set -e
	sqlite3 db 'PRAGMA journal_mode=wal; CREATE TABLE t(w, n);'
	for w in 1 2; do
		for ((i = 0; i < MANY / 10; i++)); do
			echo "INSERT INTO t VALUES($w, $i);"
		done | sqlite3 -cmd '.timeout 60000' db &
	done
	sqlite3 -cmd '.timeout 60000' db 'SELECT count(*) >= 0 FROM t;'
	wait
	sqlite3 db 'SELECT w, count(*), sum(n) FROM t GROUP BY w;'
	sqlite3 db 'PRAGMA integrity_check; PRAGMA journal_mode=delete; VACUUM;'
	sqlite3 db '.dump' | sort | cksum
	sqlite3 db 'BEGIN; DELETE FROM t; ROLLBACK; SELECT count(*) FROM t;'
}

# ----- rsync, cp, tar -----------------------------------------------------------

before_rsync()
{
	local i
	mkdir -p from/deep/er from/empty
	for ((i = 0; i < many; i++)); do
		echo "$i" >"from/deep/$i"
		chmod "$((i % 2 ? 644 : 600))" "from/deep/$i"
	done
	ln from/deep/1 from/hard
	ln -s deep/1 from/soft
	ln -s /nowhere from/dangling
	mkfifo from/fifo
	chmod 1777 from/empty
	chmod 2755 from/deep/er
	setfattr -n user.a -v value from/deep/1 2>/dev/null
	find from -exec touch -h -d '2002-03-04T05:06:07.89' {} +
	mkdir way
}

work_rsync()
{
	set -e
	rsync -aHX from/ to/
	rsync -aHX --itemize-changes from/ to/
	rm to/deep/1
	echo other >to/deep/2
	touch to/more
	rsync -aHX --delete --itemize-changes from/ to/ | sort
	cp -a from copied
	cp -al from linked
	tar -C from -cf way/a.tar .
	mkdir unpacked
	tar -C unpacked -xpf way/a.tar
	rm way/a.tar
	for d in to copied unpacked; do
		(cd $d && find . -printf '%p %y %m %n %T@ %l\n' | sort | cksum)
	done
	mv copied moved
	rm -r linked
	find moved -type f | wc -l
}

works git
works make gcc ar nm
works sqlite3
works rsync tar
finish
