#!/bin/bash
# Real runs to report on: a build, a few denials, a nested repository.
#
#	runs.sh CORDON DIRECTORY	then DIRECTORY/report.html is their report
set -eu

cordon=$1 top=$2
mkdir -p "$top/home" "$top/shop"
export HOME="$top/home" XDG_STATE_HOME="$top/state" LC_ALL=C.UTF-8
unset XDG_CONFIG_HOME XDG_RUNTIME_DIR
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
    GIT_COMMITTER_EMAIL=a@b
cd "$top/shop"
git init -q -b main .
cat >Makefile <<'END'
shop: shop.c
	cc -O2 -o shop shop.c
END
printf '#include <stdio.h>\nint main(void) { puts("open"); }\n' >shop.c
echo 'SECRET=1' >prod.env
cat >"$top/policy.yaml" <<'END'
schemaVersion: 2
kind: Policy
metadata: {name: shop}
spec:
  denyRead: ["**/*.env"]
  denyModify: ["**/.git/hooks/**", "**/.git/config"]
  fsProfiles:
    dev: {read: ["./**"], modify: ["./**"]}
END
# Files that were there before: what they are is nothing new.
sleep 0.1

"$cordon" run --quiet -- sh -c 'make -s && ./shop' >/dev/null
"$cordon" run --quiet -- sh -c '
	echo evil >.git/hooks/pre-commit
	mkdir .vscode
	echo x >.envrc
	git config core.hooksPath /tmp
	exit 1' >/dev/null 2>&1 || [ $? -eq 1 ]
"$cordon" run --quiet --policy "$top/policy.yaml" --profile dev -- sh -c '
	cat prod.env
	mkdir -p .github/workflows
	echo "on: push" >.github/workflows/ci.yml
	echo "{\"scripts\":{\"test\":\"true\"}}" >package.json
	for i in 1 2 3 4 5; do cat prod.env; done' >/dev/null 2>&1 ||
	[ $? -eq 1 ]
"$cordon" run --quiet --allow nested-git -- sh -c '
	mkdir vendor && cd vendor && git init -q lib && cd lib &&
	printf "#!/bin/sh\n" >.git/hooks/post-checkout &&
	chmod +x .git/hooks/post-checkout && echo "export X=1" >.envrc &&
	mkdir -p ".vscode" && echo "{}" >.vscode/tasks.json'
mkdir -p "$(printf 'odd<b>\033[31mname\342\200\256')"
# shellcheck disable=SC2016 # for the inner shell
"$cordon" run --quiet -- sh -c 'touch "$1/.envrc" "$1/Makefile"
	mkdir "$1/.git"' sh "$(printf 'odd<b>\033[31mname\342\200\256')" 2>/dev/null ||
	[ $? -eq 1 ]
"$cordon" run --quiet -- no-such-program 2>/dev/null || [ $? -eq 127 ]
"$cordon" audit report -o "$top/report.html"
