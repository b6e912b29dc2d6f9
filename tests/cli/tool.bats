#!/usr/bin/env bats
# `cordon tool`: its words, its exit codes, where its arguments come from.

load helper

# code WANT: the code of the refusal.
code()
{
	[[ $output == *"\"code\":\"$1\""* ]] || { say "$output"; return 1; }
}

# A process of a run may have made the other parts.
@test "a tool does not complete a git repository" {
	mkdir -p .git/objects .git/refs/remotes/x/objects
	echo 'ref: refs/heads/main' >.git/HEAD
	touch .git/refs/remotes/x/config
	cordon tool write_text \
	    '{"path":".git/refs/remotes/x/HEAD","content":"ref: refs/heads/m"}'
	exits 0
	rm .git/refs/remotes/x/HEAD
	mkdir .git/refs/remotes/x/refs
	cordon tool write_text \
	    '{"path":".git/refs/remotes/x/HEAD","content":"ref: refs/heads/m"}'
	exits 3
	prints 'would complete or configure a git repository'
	[ ! -e .git/refs/remotes/x/HEAD ]
	cordon tool write_text --allow nested-git \
	    '{"path":".git/refs/remotes/x/HEAD","content":"ref: refs/heads/m"}'
	exits 0
}

@test "each code has its exit status" {
	echo x >f
	cordon tool read_text '{"path":"f"}'
	exits 0
	[ "$output" = '{"schema":1,"ok":true,"result":{"path":"f","text":"x\n","size":2,"next_offset":null,"lossy":false}}' ]
	cordon tool read_text '{"path":"none"}'
	exits 1
	code missing
	cordon tool write_text '{"path":"none/f","content":""}'
	exits 1
	code missing
	cordon tool read_text '{"path":"."}'
	exits 2
	code invalid
	cordon tool read_text '{"paht":"f"}'
	exits 2
	code invalid
	cordon tool read_text '{"path":"/etc/passwd"}'
	exits 3
	code outside
}

@test "arguments from standard input" {
	echo '{"path":"f","content":"1"}' >arguments
	cordon tool write_text - <arguments
	exits 0
	[ "$(cat f)" = 1 ]
	cordon tool write_text - </dev/null
	exits 2
	code invalid
}

@test "names: older ones, unknown ones, none" {
	cordon tool sandbox_read_text '{"path":"f"}'
	exits 2
	[[ $output == *"is called 'read_text' now"* ]]
	cordon tool raed_text '{"path":"f"}'
	exits 2
	[[ $output == *"did you mean 'read_text'?"* ]]
	cordon tool
	exits 2
	cordon tool read_text
	exits 2
}

@test "what needs approval needs somebody who gives it" {
	mkdir ../doc
	echo '{"name": "w", "tool_rules": {"write_text": {"approval_required": true}}}' >../doc/w.yaml
	cordon tool write_text '{"path":"f","content":"1"}' --worker ../doc/w.yaml </dev/null
	exits 4
	code approval
	[ ! -e f ]
	cordon tool write_text '{"path":"f","content":"1"}' --worker ../doc/w.yaml --dry-run
	exits 4
	[ ! -e f ]
	cordon tool write_text '{"path":"f","content":"1"}' --worker ../doc/w.yaml --approve-with 'exit 3'
	exits 4
	[ ! -e f ]
	cordon tool write_text '{"path":"f","content":"1"}' --worker ../doc/w.yaml --approve-with 'cat >../asked'
	exits 0
	[ "$(cat f)" = 1 ]
	grep -q '"prompt":"write_text path=f content=1"' ../asked
	cordon tool write_text '{"path":"../g","content":"1"}' --worker ../doc/w.yaml --approve-with 'touch ../again'
	exits 3
	code outside
	[ ! -e ../again ]
}

@test "what somebody approves is shown whole" {
	mkdir ../doc
	echo '{"name": "w", "tool_rules": {"worker_call": {"approval_required": true}, "edit_text": {"approval_required": true}}}' >../doc/w.yaml
	echo 'name: child' >child.yaml
	echo x >f
	cordon tool worker_call '{"worker":"child.yaml","attachments":["f"],"tool":"shell","arguments":{"command":"echo this is longer than what a text may be to be shown; touch g"}}' \
		--worker ../doc/w.yaml --approve-with 'cat >../asked; exit 1'
	exits 4
	grep -q 'attachments=f tool=shell .*; touch g' ../asked
	[ ! -e g ]
	cordon tool edit_text '{"path":"f","old":"x","new":"y","all":true}' --worker ../doc/w.yaml --approve-with 'cat >../asked'
	exits 0
	grep -q '"prompt":"edit_text path=f old=x new=y all=true"' ../asked
	printf '{"worker":"child.yaml","arguments":{"text":"%02100d"}}' 0 >arguments
	cordon tool worker_call - --worker ../doc/w.yaml --approve-with 'touch ../again' <arguments
	exits 4
	[ ! -e ../again ]
}

@test "filters hold before a file is looked into, and are named" {
	mkdir ../doc
	echo '{"name": "w", "sandbox": {"paths": {"docs": {"root": ".", "mode": "rw", "suffixes": [".md"], "max_file_bytes": 9}}}}' >../doc/w.yaml
	echo secret >f.env
	echo secret >f.md
	echo 'more than nine' >long.md
	for old in secret other; do
		cordon tool edit_text "{\"path\":\"f.env\",\"old\":\"$old\",\"new\":\"\"}" --worker ../doc/w.yaml
		exits 3
		code suffix
		[[ $output == *'"matched_rule":"suffixes","layer":"worker","source":"../doc/w.yaml","line":1}'* ]]
	done
	cordon tool edit_text '{"path":"long.md","old":"zz","new":""}' --worker ../doc/w.yaml
	exits 3
	code size
	[[ $output == *'"matched_rule":"max_file_bytes","layer":"worker"'* ]]
	[ "$(cat f.env)" = secret ]
	cordon tool edit_text '{"path":"f.md","old":"secret","new":"1"}' --worker ../doc/w.yaml
	exits 0
	[ "$(cat f.md)" = 1 ]
}

@test "the document of a called worker is filtered as every file is" {
	mkdir ../doc
	echo '{"name": "w", "sandbox": {"paths": {"docs": {"root": ".", "mode": "rw", "suffixes": [".md"], "max_file_bytes": 40}}}}' >../doc/w.yaml
	echo 'TOPSECRETKEY: abc' >s.txt
	printf 'TOPSECRETKEY: %040d' 0 >s.md
	echo 'name: child' >c.md
	echo 'name: SECRETNAME' >n.txt
	for name in s.txt n.txt; do
		cordon tool worker_call "{\"worker\":\"$name\"}" --worker ../doc/w.yaml
		exits 3
		code suffix
		[[ $output != *SECRET* ]]
	done
	cordon tool worker_call '{"worker":"s.md"}' --worker ../doc/w.yaml
	exits 3
	code size
	[[ $output != *SECRET* ]]
	cordon tool worker_call '{"worker":"c.md"}' --worker ../doc/w.yaml
	exits 0
	prints '"worker":"child"'
}

@test "the audit of an approval has no secrets in it" {
	mkdir ../doc
	echo '{"name": "w", "tool_rules": {"shell": {"approval_required": true}, "write_text": {"approval_required": true}}}' >../doc/w.yaml
	audit=$XDG_STATE_HOME/cordon/audit.jsonl
	cordon tool shell '{"command":"sshpass -p S3CRET true"}' --worker ../doc/w.yaml
	exits 4
	prints S3CRET
	cordon tool shell '{"command":"sshpass -p S3CRET true; true"}' --worker ../doc/w.yaml
	exits 4
	cordon tool shell '{"command":"sshpass -p S3CRET true"}' --worker ../doc/w.yaml --approve-with 'cat >../asked'
	cordon tool write_text '{"path":"f","content":"my S3CRET"}' --worker ../doc/w.yaml
	exits 4
	cordon tool write_text '{"path":"f","content":"my S3CRET"}' --worker ../doc/w.yaml --approve-with 'cat >../asked'
	exits 0
	grep -q 'content=my S3CRET' ../asked || grep -q "content='my S3CRET'" ../asked
	[ "$(cat f)" = 'my S3CRET' ]
	grep -qF "\"prompt\":\"sshpass -p '[REDACTED]' true\"" "$audit"
	grep -qF "\"message\":\"it needs approval, and nobody can be asked: sshpass -p '[REDACTED]' true\"" "$audit"
	grep -q 'content=(9 bytes)' "$audit"
	! grep S3CRET "$audit"
}

@test "a grant goes to no program that a run can write" {
	mkdir -p ../doc .venv/bin
	cat >../doc/w.yaml <<-'END'
	name: w
	shell_rules:
	  - {pattern: git plain, approval_required: false}
	  - {pattern: git, approval_required: true, grants: {network: true}}
	  - {pattern: env, approval_required: true, grants: {network: true}}
	  - {pattern: only, approval_required: true, grants: {network: true}}
	  - {pattern: linked, approval_required: true, grants: {network: true}}
	  - {pattern: .venv/bin/git, approval_required: true, grants: {network: true}}
	END
	printf '#!/bin/sh\necho "$1" >>ran\n' >.venv/bin/git
	chmod +x .venv/bin/git
	cp .venv/bin/git .venv/bin/only
	mkdir ../links
	ln -s "$W/.venv/bin/git" ../links/linked
	PATH=$W/.venv/bin:$T/links:/usr/bin:/bin
	call()
	{
		cordon tool shell "{\"command\":\"$1\"}" --worker ../doc/w.yaml --approve-with true
	}
	call 'git plain'
	exits 0
	[ "$(cat ran)" = plain ]
	rm ran
	call 'git --version'
	exits 0
	prints 'git version'
	call 'env'
	exits 0
	prints '/usr/bin:/bin'
	lacks '.venv/bin'
	call 'only x'
	exits 0
	prints '"exit_code":127'
	prints 'directories that a run can write are not searched'
	call 'linked x'
	exits 3
	prints 'is a file that a run can write'
	[ ! -e ran ]
	call '.venv/bin/git named'
	exits 0
	[ "$(cat ran)" = named ]
}

@test "the help names every tool" {
	cordon tool --help
	for name in read_text write_text edit_text list_files glob grep shell worker_call; do
		[[ $output == *"  $name "* ]] || { say "$name"; return 1; }
	done
}

@test "glob and grep count what they cannot reach" {
	local name
	name=$(printf 'd%.0s' {1..200})
	echo needle >near
	cordon tool glob '{"pattern":"**"}'
	exits 0
	[[ $output != *unreached* ]]
	(for _ in {1..25}; do mkdir "$name" && cd "$name"; done; echo needle >far)
	for arguments in 'glob {"pattern":"**"}' 'grep {"text":"needle"}'; do
		cordon tool "${arguments%% *}" "${arguments#* }"
		exits 0
		[[ $output == *near* && $output == *'"unreached":1'* ]]
	done
}
