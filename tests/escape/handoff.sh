# shellcheck shell=bash disable=SC2154,SC2034,SC2004,SC2016 # run.sh's own
# Family 8: what the host executes later, by the default rules.  Part of run.sh.
command -v git >/dev/null || { echo '# no git: family 8 is left out'; return 0; }
git init -q "$stage/g" && cd "$stage/g" || exit 1
git config user.name n && git config user.email e@example.org
printf '#!/bin/sh\necho ran >>"%s/canary"\n' "$stage" >evil
chmod +x evil
git add evil && git commit -qm first
mkdir -p "$HOME/.config/fish" "$HOME/.config/autostart" "$HOME/.local/bin" \
    "$HOME/.config/systemd/user" "$HOME/.ssh"
reported

# Case, and a file that is written; ~ is the real home.
files='110-hooks .git/hooks/post-index-change
110-config .git/config
110-worktree .git/config.worktree
110-commondir .git/commondir
111-nested sub/.git/config
111-bare bare/HEAD
112-attributes .gitattributes
112-modules .gitmodules
115-bashrc ~/.bashrc
115-profile ~/.profile
115-zshrc ~/.zshrc
115-inputrc ~/.inputrc
115-fish ~/.config/fish/config.fish
115-autostart ~/.config/autostart/x.desktop
115-units ~/.config/systemd/user/x.service
115-bin ~/.local/bin/git
116-envrc .envrc
116-mise .mise.toml
116-tools .tool-versions
117-vscode .vscode/tasks.json
117-idea .idea/workspace.xml
117-devcontainer .devcontainer/devcontainer.json
117-cursor .cursor/rules
117-zed .zed/tasks.json
118-claude .claude/settings.json
118-mcp .mcp.json
118-codex .codex/config.toml
118-gemini .gemini/settings.json
118-policy .cordon/policy.yaml
119-make Makefile
119-npm package.json
119-workflow .github/workflows/x.yml
120-venv .venv/bin/python
120-npm node_modules/.bin/x
121-config ~/.ssh/config
121-keys ~/.ssh/authorized_keys
123-claude .claude/hooks/x
123-git .git/hooks/pre-commit'

write='while read -r name file; do
	case $file in "~"*) file=$1${file#?} ;; esac
	if mkdir -p "$(dirname "$file")" && cat evil >>"$file"; then
		echo "$name escaped"
	else
		echo "$name held"
	fi
done 2>/dev/null'
listing()
{
	(cd "$stage/g" && find . ! -path './.git/objects/*' ! -name tmp) | sort
}

cp -a "$stage/g" "$stage/g2" && cp -a "$HOME" "$stage/home2"
while read -r name got; do
	outside[$name]=$got
done < <(cd "$stage/g2" && sh -c "$write" sh "$stage/home2" <<<"$files")
home_before=$(cd "$HOME" && find . -type f ! -path './.local/state/*' | sort)
while read -r name got; do
	judge own "$name" "$got" "$got"
done < <("$cordon" run --quiet -- sh -c "$write" sh "$HOME" <<<"$files")
[ "$(cd "$HOME" && find . -type f ! -path './.local/state/*' | sort)" = \
    "$home_before" ]
ok $? 'preset: the real home is as it was'
git status >/dev/null && git add -A . >/dev/null 2>&1 && git commit -qm second
ok $? '110: git works on the host afterwards'
[ ! -e "$stage/canary" ]
ok $? '110: and nothing of the cage ran'
cp evil .git/hooks/post-index-change && touch more && git add more
[ -e "$stage/canary" ]
ok $? '110: control: as it would have'
rm .git/hooks/post-index-change

# 122: nothing is left behind by a run that touches nothing, or is killed
before=$(listing)
"$cordon" run --quiet -- true
(exec "$cordon" run --quiet -- sh -c 'echo up; exec sleep 100' \
    >"$stage/up" 2>/dev/null) &
sleeper=$!
for ((i = 0; i < 5000; i++)); do
	[ ! -s "$stage/up" ] || break
	sleep 0.02
done
kill -9 "$sleeper" && wait "$sleeper" 2>/dev/null
if [ "$(listing)" = "$before" ]; then got=held; else got=escaped; fi
tried 122 escaped "$got"
