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

@test "the help names every tool" {
	cordon tool --help
	for name in read_text write_text edit_text list_files glob grep shell worker_call; do
		[[ $output == *"  $name "* ]] || { say "$name"; return 1; }
	done
}
