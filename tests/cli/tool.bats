#!/usr/bin/env bats
# `cordon tool`: its words, its exit codes, where its arguments come from.

load helper

# code WANT: the code of the refusal.
code()
{
	[[ $output == *"\"code\":\"$1\""* ]] || { say "$output"; return 1; }
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

@test "the help names every tool" {
	cordon tool --help
	for name in read_text write_text edit_text list_files glob grep shell worker_call; do
		[[ $output == *"  $name "* ]] || { say "$name"; return 1; }
	done
}
