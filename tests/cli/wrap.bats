# cordon mcp wrap: a client's file behind the guard, and back.

load helper

prepare()
{
	cat >.mcp.json <<-'END'
	{
	  "mcpServers": {
	    "files": { "command": "node", "args": ["files.js", "."] },
	    "remote": { "type": "http", "url": "https://example.org/mcp" }
	  }
	}
	END
	cp .mcp.json before
	PATH=$(dirname "$CORDON"):$PATH
}

same()
{
	cmp "$1" "$2"
}

@test "it shows the difference, then writes it, and nothing else" {
	cordon mcp wrap .mcp.json
	exits 0
	cp "$T/stdout" shown
	prints '-    "files": { "command": "node", "args": ["files.js", "."] },'
	prints '+    "files": { "command": "cordon", "args": ["mcp", "guard", "--wrapped=args", "--", "node", "files.js", "."] },'
	lacks example.org
	complains "'remote' is left alone: it is remote"
	diff -U0 --label .mcp.json --label .mcp.json before .mcp.json >wanted || true
	same shown wanted
}

@test "a second time nothing happens" {
	cordon mcp wrap .mcp.json
	cp .mcp.json once
	cordon mcp wrap .mcp.json
	exits 0
	[ -z "$output" ]
	complains "'.mcp.json' stays as it is"
	same once .mcp.json
}

@test "--undo gives the bytes back" {
	cordon mcp wrap .mcp.json -- --network full
	prints '"--wrapped=args", "--network", "full", "--", "node"'
	cordon mcp wrap --undo .mcp.json
	exits 0
	prints '+    "files": { "command": "node", "args": ["files.js", "."] },'
	same before .mcp.json
	cordon mcp wrap --undo .mcp.json
	exits 0
	[ -z "$output" ]
	same before .mcp.json
}

@test "--undo leaves what a person guarded" {
	echo '{"servers":{"a":{"command":"cordon","args":["mcp","guard","--","n"]}}}' >m.json
	cp m.json hand
	cordon mcp wrap m.json
	exits 0
	cordon mcp wrap --undo m.json
	exits 0
	complains 'somebody else guarded it'
	same hand m.json
}

@test "what only says itself guarded is named, with its options" {
	echo '{"servers":{"a":{"command":"cordon","args":["mcp","guard","--backend","none","--","n"]}}}' >m.json
	cp m.json hand
	cordon mcp wrap m.json
	exits 1
	complains "'a' is left open: it says itself guarded, by these options: \"--backend\" \"none\""
	same hand m.json
	cordon mcp wrap --quiet m.json
	exits 1
	complains "'a' is left open"
	cordon mcp wrap m.json -- --backend none
	exits 0
	complains "'a' is left alone: it is guarded already"
	same hand m.json
}

@test "another program of our name is guarded like any other" {
	echo '{"servers":{"a":{"command":"./cordon","args":["mcp","guard","--","n"]}}}' >m.json
	cp m.json hand
	cordon mcp wrap m.json
	exits 0
	prints '"--wrapped=args", "--", "./cordon", "mcp","guard","--","n"]'
	cordon mcp wrap --undo m.json
	exits 0
	same hand m.json
}

@test "what is left open is named, and the status is 1" {
	echo '{"mcpServers":{"a":{"command":"n"},"b":{"command":"n","url":""}},"mcp":{"c":{"command":["n"]}}}' >m.json
	cp m.json hand
	cordon mcp wrap m.json
	exits 1
	prints '"--wrapped=bare", "--", "n"'
	complains "'b' is left open: it has both a command and a url"
	complains "'mcp.c' is left open: cordon knows of no servers at this place"
	cordon mcp wrap --json m.json
	exits 1
	prints_line '{"schema":1,"file":"m.json","server":"mcp.c","changed":false,"left":"cordon knows of no servers at this place","open":true}'
	cordon mcp wrap --undo m.json
	exits 0
	same hand m.json
	printf '[mcp_servers]\n[profiles.x.mcp_servers.y]\ncommand = "n"\n' >m.toml
	cordon mcp wrap m.toml
	exits 1
	complains "'profiles.x.mcp_servers.y' is left open"
}

# serve: starts the only server of m.json as a client does; prints what it says.
serve()
{
	python3 - <<-'END'
	import json, os, subprocess
	s = json.load(open('m.json'))['mcpServers']['a']
	p = subprocess.run([s['command'], *s['args']], cwd=s.get('cwd', '.'),
	    env=dict(os.environ, **s.get('env', {})), stdin=subprocess.DEVNULL,
	    capture_output=True, text=True)
	print(p.stdout, p.stderr)
	END
}

@test "variables and a directory that choose for the guard leave a server open" {
	policy "$XDG_CONFIG_HOME/cordon/policy.yaml" <<-'END'
	schemaVersion: 2
	kind: Policy
	metadata: {name: mine}
	spec:
	  denyRead: ["**/*.env"]
	END
	echo KEPT >prod.env
	echo 'cat prod.env >&2; echo "has $A" >&2' >server.sh
	server='"command":"sh","args":["server.sh"]'
	echo "{\"mcpServers\":{\"a\":{$server,\"env\":{\"A\":\"one\"}}}}" >m.json
	cordon mcp wrap m.json -- --env A
	exits 0
	serve >said
	grep -q 'has one' said
	! grep -q KEPT said
	for also in '"env":{"XDG_CONFIG_HOME":"/nonexistent"}' '"env":{"HOME":"/nonexistent"}' '"env":{"HOME=/x":""}' \
	    '"env":{"XDG_STATE_HOME":"/x"}' '"env":{"PATH":"/x"}' '"cwd":"/"' '"envFile":"x"'; do
		echo "{\"mcpServers\":{\"a\":{$server,$also}}}" >m.json
		cp m.json hand
		cordon mcp wrap m.json
		exits 1
		complains "'a' is left open: its "
		same hand m.json
	done
	echo '{"mcpServers":{"a":{"command":"env","args":["-C","/","HOME=/x","sh","server.sh"]}}}' >m.json
	cordon mcp wrap m.json
	exits 0
}

@test "--dry-run changes nothing" {
	cordon mcp wrap --dry-run .mcp.json
	exits 0
	prints '--wrapped=args'
	same before .mcp.json
}

@test "Codex' configuration" {
	printf 'model = "x" # m\n[mcp_servers.a]\ncommand = "n" # c\nenv = { A = "1" }\n' >config.toml
	cp config.toml t
	cordon mcp wrap config.toml
	exits 0
	prints '+args = ["mcp", "guard", "--wrapped=bare", "--", "n"]'
	prints '+command = "cordon" # c'
	cordon mcp wrap --undo config.toml
	exits 0
	same t config.toml
}

@test "what cannot be read is left alone, and says where" {
	printf '{\n"mcpServers": {"a": {"command": 7}}}\n' >bad.json
	cp bad.json b
	cordon mcp wrap bad.json
	exits 2
	complains "bad.json: line 2: 'command' is no string"
	same b bad.json
	printf '[mcp_servers.a]\ncommand = "n\n' >bad.toml
	cordon mcp wrap bad.toml
	exits 2
	complains 'bad.toml: line 2: this string has no end'
	cordon mcp wrap missing.json
	exits 2
	echo '{"a":1}' >none.json
	cordon mcp wrap none.json
	exits 2
	complains 'it holds no MCP servers'
}

@test "its mode stays, a link stays a link" {
	chmod 640 .mcp.json
	mkdir d
	ln -s ../.mcp.json d/link.json
	cordon mcp wrap d/link.json
	exits 0
	[ -L d/link.json ]
	[ "$(stat -c %a .mcp.json)" = 640 ]
	grep -q wrapped .mcp.json
	[ -z "$(find . -name '.mcp.json?*')" ]
}

@test "a terminal is not driven by what is shown" {
	printf '{"servers": {"a": {"command": "n" /* \033[2J */}}}\n' >m.json
	cordon mcp wrap m.json
	exits 0
	prints '\x1b[2J'
	[ "$(tr -d '\n' <"$T/stdout" | tr -d '[:print:]' | wc -c)" = 0 ]
}

@test "JSON tells of each server" {
	cordon mcp wrap --json .mcp.json
	exits 0
	prints_line '{"schema":1,"file":".mcp.json","server":"files","changed":true,"left":null,"open":false}'
	prints_line '{"schema":1,"file":".mcp.json","server":"remote","changed":false,"left":"it is remote","open":false}'
}

@test "usage" {
	cordon mcp wrap
	exits 2
	cordon mcp wrap a b
	exits 2
	cordon mcp wrap .mcp.json -- --
	exits 2
	same before .mcp.json
}

@test "by our place where PATH does not lead to us" {
	PATH=/usr/bin:/bin cordon mcp wrap .mcp.json
	exits 0
	prints "\"command\": \"$(realpath "$CORDON")\""
	cordon mcp wrap .mcp.json
	exits 0
	complains "'files' is left alone: it is guarded already"
	PATH=/usr/bin:/bin cordon mcp wrap --undo .mcp.json
	same before .mcp.json
}

@test "what is written runs the server behind the guard" {
	echo '{"mcpServers":{"a":{"command":"sh","args":["-c","exit 7"]}}}' >m.json
	cordon mcp wrap m.json
	exits 0
	mapfile -t words < <(python3 -c 'import json
a = json.load(open("m.json"))["mcpServers"]["a"]
print("\n".join(a["args"]))')
	cordon "${words[@]}" </dev/null
	exits 7
}
