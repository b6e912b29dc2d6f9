"""Agents as they were measured: what each of them makes of its hook.

All of them go on with the tool unless the hook says no in one of the ways they
understand.  The hook is the one that `cordon hook install` put into the agent's
settings, run by a shell as the agent runs it.
"""

import json
import os
import subprocess

CORDON = os.environ['CORDON']
PATIENCE = 120    # seconds; machines are busy

count = failures = 0


def ok(good, what, why=''):
    global count, failures
    count += 1
    print('%sok %d - %s' % ('' if good else 'not ', count,
                            what.replace('#', '')), flush=True)
    if not good:
        failures += 1
        print('# ' + str(why).replace('\n', '\n# '), flush=True)


def skip(why):
    global count
    if os.environ.get('CORDON_MUST_WORK') == '1':
        ok(False, 'must not be skipped here: ' + why)
    else:
        count += 1
        print('ok %d # SKIP %s' % (count, why), flush=True)


def done():
    print('1..%d' % count)
    return 1 if failures else 0


class World:
    """A home, a workspace, and what lies beside them."""

    def __init__(self, top):
        self.top = os.path.realpath(top)
        self.home = os.path.join(self.top, 'home')
        self.workspace = os.path.join(self.top, 'ws')
        os.makedirs(self.home)
        os.makedirs(self.workspace + '/src')
        self.write('ws/src/a.c', 'inside')
        self.write('ws/secret.txt', 'SECRET')
        self.write('outside.txt', 'OUTSIDE')
        self.write('policy.yaml', POLICY)
        self.env = {'HOME': self.home, 'PATH': os.environ['PATH']}

    def path(self, name):
        return os.path.join(self.top, name)

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)

    def read(self, name):
        try:
            with open(self.path(name), encoding='utf-8') as file:
                return file.read()
        except FileNotFoundError:
            return None

    def cordon(self, *args, **more):
        return subprocess.run([CORDON, *args], env=self.env,
                              cwd=self.workspace, capture_output=True,
                              timeout=PATIENCE, check=False, **more)


POLICY = '''schemaVersion: 2
kind: Policy
metadata: {name: test}
spec:
  fsProfiles:
    dev:
      read: ["./**", "!secret.txt"]
      modify: ["src/**"]
'''

# How each of them names things, as measured; Cursor by its documentation.
DIALECTS = {
    'claude': {
        'file': '.claude/settings.json',
        'event': 'PreToolUse',
        'keys': {'session_id': 's', 'transcript_path': '/t', 'prompt_id': 'p',
                 'permission_mode': 'default', 'effort': 'high',
                 'tool_use_id': 'u'},
        'read': lambda p: ('Read', {'file_path': p}),
        'write': lambda p: ('Write', {'file_path': p, 'content': 'x'}),
        'shell': lambda c: ('Bash', {'command': c, 'description': 'd'}),
        'mcp': 'mcp__fs__',
    },
    'codex': {
        'file': '.codex/hooks.json',
        'event': 'PreToolUse',
        'keys': {'session_id': 's', 'transcript_path': '/t',
                 'permission_mode': 'default', 'tool_use_id': 'u',
                 'turn_id': 't', 'model': 'm'},
        'read': lambda p: ('view_image', {'path': p}),
        'write': lambda p: ('apply_patch', {
            'command': '*** Begin Patch\n*** Add File: %s\n+x\n'
                       '*** End Patch\n' % p}),
        'shell': lambda c: ('Bash', {'command': c}),
        'mcp': 'mcp__fs__',
    },
    'gemini': {
        'file': '.gemini/settings.json',
        'event': 'BeforeTool',
        'keys': {'session_id': 's', 'transcript_path': '/t',
                 'timestamp': '2026-01-01T00:00:00.000Z'},
        'read': lambda p: ('read_file', {'file_path': p}),
        'write': lambda p: ('write_file', {'file_path': p, 'content': 'x'}),
        'shell': lambda c: ('run_shell_command', {'command': c}),
        'mcp': 'mcp_fs_',
    },
    'cursor': {
        'file': '.cursor/hooks.json',
        'event': 'preToolUse',
        'keys': {'conversation_id': 's', 'generation_id': 'g',
                 'model': 'm', 'cursor_version': '2'},
        'read': lambda p: ('Read', {'file_path': p}),
        'write': lambda p: ('Write', {'file_path': p, 'content': 'x'}),
        'shell': lambda c: ('Shell', {'command': c}),
        'mcp': 'MCP:',
    },
}


def event(world, name, tool, given):
    made = dict(DIALECTS[name]['keys'], cwd=world.workspace,
                hook_event_name=DIALECTS[name]['event'], tool_name=tool,
                tool_input=given)
    if name == 'cursor':
        made['workspace_roots'] = [world.workspace]
    return made


def commands(world, name, which=None):
    """What the agent would run, from its own settings."""
    text = world.read('home/' + DIALECTS[name]['file'])
    found = []
    for entry in json.loads(text)['hooks'][which or DIALECTS[name]['event']]:
        found += [hook['command'] for hook in entry.get('hooks', [entry])]
    return found


def says_no(name, status, output, said):
    """What blocks, as measured; everything else runs."""
    if status == 2:
        return name != 'codex' or said != b''
    if status != 0:
        return False
    try:
        told = json.loads(output)
    except ValueError:
        return False
    if name in ('claude', 'codex'):
        return told.get('hookSpecificOutput', {}).get(
            'permissionDecision') == 'deny'
    if name == 'gemini':
        return told.get('decision') == 'deny'
    return told.get('permission') == 'deny'


class Asked:
    """One call of a tool: was it blocked, what did the model hear?"""

    def __init__(self, world, name, text, which=None, **more):
        self.blocked, self.heard, self.output = False, '', []
        if isinstance(text, dict):
            text = json.dumps(text)
        if isinstance(text, str):
            text = text.encode()
        for command in commands(world, name, which):
            run = subprocess.run(['sh', '-c', command], input=text,
                                 env=dict(world.env, **more),
                                 cwd=world.workspace, capture_output=True,
                                 timeout=PATIENCE, check=False)
            self.status = run.returncode
            self.output.append(run.stdout.decode())
            self.heard += run.stderr.decode()
            self.blocked |= says_no(name, run.returncode, run.stdout,
                                    run.stderr)

    def __str__(self):
        return 'status %s\n%s\n%s' % (self.status, self.output, self.heard)


def perform(world, name, kind, what):
    """A tool call from end to end: ask, and do it unless told no."""
    tool, given = DIALECTS[name][kind](what)
    asked = Asked(world, name, event(world, name, tool, given))
    asked.result = None
    if asked.blocked:
        return asked
    if kind == 'shell':
        asked.result = subprocess.run(
            what, shell=True, cwd=world.workspace, capture_output=True,
            timeout=PATIENCE, check=False).stdout.decode()
    else:
        place = os.path.join(world.workspace, what)
        if kind == 'read':
            with open(place, encoding='utf-8') as file:
                asked.result = file.read()
        else:
            with open(place, 'w', encoding='utf-8') as file:
                file.write('x')
            asked.result = ''
    return asked
