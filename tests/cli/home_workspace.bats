# A workspace that contains the user's home: what the host's login, shells,
# desktop and service manager execute from there stays as it is.

load helper

# A program of the run tries to write each of the names below $1; those that
# exist afterwards are printed.
names='.bashrc .profile .bash_profile .bash_login .bash_logout .zshrc .zshenv
	.zprofile .zlogin .gitconfig .config/git/config .config/fish/config.fish
	.config/systemd/user/a.service .config/autostart/a.desktop
	.config/environment.d/a.conf .local/bin/ls .pam_environment .xprofile
	.xinitrc .xsession .vimrc .config/nvim/init.lua .ssh/authorized_keys
	.local/share/systemd/user/a.service .local/share/applications/a.desktop
	.local/share/dbus-1/services/a.service .emacs.d/init.el .inputrc
	.config/tmux/tmux.conf .cargo/bin/cargo .forward .rhosts .claude.json
	.selected_editor bin/ls'

attack()
{
	local home=$1
	shift
	cordon run "$@" -- sh -c 'home=$1; shift
	    for i; do
		mkdir -p "$home/$(dirname "$i")" 2>/dev/null
		echo evil 2>/dev/null >"$home/$i"
	    done
	    mkdir -p "$home/project/src" && echo fine >"$home/project/src/a" &&
	    echo fine >"$home/notes"' \
	    sh "$home" $names
	exits 0
}

# Nothing of it was written; beside it, everything.
held()
{
	local name bad=

	for name in $names; do
		grep -qsx evil "$1/$name" && bad="$bad $name"
	done
	if [ -n "$bad" ]; then
		say "written:$bad"
		return 1
	fi
	[ "$(cat "$1/project/src/a")" = fine ]
	[ "$(cat "$1/notes")" = fine ]
}

@test "the home itself, when it is named" {
	echo 'alias ll=ls' >"$HOME/.bashrc"
	attack "$HOME" --workspace "$HOME"
	held "$HOME"
	[ "$(cat "$HOME/.bashrc")" = 'alias ll=ls' ]
	complains '(<defaults>)'
}

@test "a directory above it" {
	attack "$HOME" --workspace "$T"
	held "$HOME"
}

@test "with a policy of one's own, without namespaces" {
	policy "$T/own.yaml" <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: p}
		spec:
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"]}
	END
	attack "$HOME" --workspace "$HOME" --policy "$T/own.yaml" --profile dev
	held "$HOME"
	attack "$HOME" --workspace "$HOME" --isolation none
	held "$HOME"
}

@test "behind bwrap what is there stays, too" {
	command -v bwrap >/dev/null || skip 'bwrap is not installed'
	mkdir "$HOME/project"
	echo old >"$HOME/.bashrc"
	cd "$HOME"
	cordon run --workspace . --backend bwrap --enforcement best-effort -- \
	    sh -c 'echo evil >.bashrc; echo fine >project/a'
	[ "$(cat .bashrc)" = old ]
	[ "$(cat project/a)" = fine ]
}

@test "a home that is reached by a symlink" {
	mv "$HOME" "$T/real"
	ln -s real "$HOME"
	attack "$HOME" --workspace "$HOME"
	held "$T/real"
}

@test "renames and links put nothing there either" {
	mkdir -p "$HOME/.config"
	cordon run --workspace "$HOME" -- sh -c 'cd "$1"; echo evil >a
	    mv a .bashrc; ln a .zshrc; ln -s a .profile
	    mkdir d; echo evil >d/a.desktop; mv d .config/autostart; :' \
	    sh "$HOME"
	[ -f "$HOME/a" ]
	[ -d "$HOME/d" ]
	for name in .bashrc .zshrc .profile .config/autostart; do
		[ ! -e "$HOME/$name" ] && [ ! -L "$HOME/$name" ]
	done
}

@test "a directory above such files that is missing is not made a symlink" {
	rm -rf "$HOME/.config" "$HOME/.local"
	export XDG_STATE_HOME=$T/state
	cordon run --workspace "$HOME" -- sh -c 'cd "$1"
	    for i in .config .local go .ipython .bun; do
		mkdir -p evil/$i; ln -s evil/$i $i; done
	    ln -s evil other' sh "$HOME"
	for name in .config .local go .ipython .bun; do
		[ ! -L "$HOME/$name" ]
	done
	[ -L "$HOME/other" ]
}

@test "start files that are symlinks hold where they end" {
	mkdir -p "$HOME/dotfiles/fish" "$HOME/.config/systemd/user" "$HOME/tool"
	echo old >"$HOME/dotfiles/bashrc"
	echo old >"$HOME/dotfiles/a.service"
	echo old >"$HOME/tool/run"
	ln -s dotfiles/bashrc "$HOME/.bashrc"
	ln -s dotfiles/zshrc "$HOME/.zshrc"
	ln -s ../dotfiles/fish "$HOME/.config/fish"
	ln -s ../../../dotfiles/a.service "$HOME/.config/systemd/user/"
	mkdir -p "$HOME/.local/bin"
	ln -s ../../tool/run "$HOME/.local/bin/run"
	cordon run --workspace "$HOME" -- sh -c 'cd "$1"
	    for i in dotfiles/bashrc dotfiles/zshrc dotfiles/fish/config.fish \
	        dotfiles/a.service tool/run tool/other dotfiles/README; do
		echo evil >$i; done; :' sh "$HOME"
	[ "$(cat "$HOME/dotfiles/bashrc")" = old ]
	[ ! -e "$HOME/dotfiles/zshrc" ]
	[ ! -e "$HOME/dotfiles/fish/config.fish" ]
	[ "$(cat "$HOME/dotfiles/a.service")" = old ]
	[ "$(cat "$HOME/tool/run")" = old ]
	[ "$(cat "$HOME/tool/other")" = evil ]
	[ "$(cat "$HOME/dotfiles/README")" = evil ]
}

@test "directories on PATH in the home, and XDG_CONFIG_HOME" {
	mkdir -p "$HOME/scripts" "$HOME/settings/autostart"
	PATH=$PATH:$HOME/scripts XDG_CONFIG_HOME=$HOME/settings \
	    cordon run --workspace "$HOME" -- sh -c 'cd "$1"
	    echo evil >scripts/ls; echo evil >settings/autostart/a.desktop
	    echo fine >settings/other; :' sh "$HOME"
	[ ! -e "$HOME/scripts/ls" ]
	[ ! -e "$HOME/settings/autostart/a.desktop" ]
	[ -e "$HOME/settings/other" ]
}

@test "check and plan name the layer; a workspace beside the home has no such rule" {
	cordon check --workspace "$HOME" --op modify "$HOME/.bashrc"
	exits 3
	prints '(defaults)'
	cordon check --workspace "$HOME" --op read "$HOME/.bashrc"
	exits 0
	cordon check --workspace "$HOME" --op modify "$HOME/notes"
	exits 0
	cordon plan --workspace "$HOME"
	prints '.config/systemd/**'
	cordon plan
	lacks '.config/systemd/**'
	cordon check --op modify .bashrc bin/x
	exits 0
}

@test "--allow and unprotect take entries out, and say so" {
	cordon run --workspace "$HOME" --allow '~/.bashrc' -- sh -c '
	    echo fine >"$1/.bashrc"; echo evil >"$1/.zshrc"; :' sh "$HOME"
	[ "$(cat "$HOME/.bashrc")" = fine ]
	[ ! -e "$HOME/.zshrc" ]
	cordon run --workspace "$HOME" --allow home -- sh -c '
	    echo fine >"$1/.zshrc"' sh "$HOME"
	[ "$(cat "$HOME/.zshrc")" = fine ]
	complains "home"
	policy "$T/own.yaml" <<-END
		schemaVersion: 2
		kind: Policy
		metadata: {name: p}
		spec:
		  unprotect: [".vimrc"]
		  fsProfiles:
		    dev: {read: ["./**"], modify: ["./**"]}
	END
	cordon run --workspace "$HOME" --policy "$T/own.yaml" --profile dev -- \
	    sh -c 'echo fine >"$1/.vimrc"; echo evil >"$1/.exrc"; :' sh "$HOME"
	[ "$(cat "$HOME/.vimrc")" = fine ]
	[ ! -e "$HOME/.exrc" ]
}

@test "the refusal of a home that is not named warns" {
	cd "$HOME"
	cordon run -- true
	exits 125
	complains 'change to the directory of a project'
	complains 'opens everything here'
	cordon run --workspace . -- true
	exits 0
}

@test "a directory on PATH behind symlinks, and links inside protected ones" {
	mkdir -p "$HOME"/dots/bin "$HOME"/real/b "$HOME"/tools/r "$HOME"/bin
	ln -s dots/bin "$HOME/mybin"
	ln -s real "$HOME/hop"
	ln -s r "$HOME/tools/l"
	echo good >"$HOME/tools/r/mytool"
	ln -s ../tools/l/mytool "$HOME/bin/mytool"
	PATH="$HOME/mybin:$HOME/hop/b:$HOME/bin:$PATH" cordon run \
	    --workspace "$HOME" -- sh -c 'cd "$1"; rm mybin hop tools/l
	    mkdir -p mybin hop/b tools/l; echo evil >mybin/ls
	    echo evil >hop/b/cat; echo evil >tools/l/mytool
	    echo evil >dots/bin/ls; echo fine >real/free' sh "$HOME"
	[ "$(readlink "$HOME/mybin")" = dots/bin ]
	[ "$(readlink "$HOME/hop")" = real ]
	[ "$(readlink "$HOME/tools/l")" = r ]
	[ ! -e "$HOME/dots/bin/ls" ]
	[ ! -e "$HOME/real/b/cat" ]
	[ "$(cat "$HOME/bin/mytool")" = good ]
	[ "$(cat "$HOME/real/free")" = fine ]
}
