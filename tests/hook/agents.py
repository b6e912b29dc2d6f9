#!/usr/bin/env python3
"""Real agents with the hook that `cordon hook install` gave them.  TAP.

    agents.py AGENT

The agent carries out a plan of real tool calls, offline, with a mock of its
model (tests/agents).  What ran is asked of the files, what the model heard of
the mock's log.  Codex runs a hook only when it is trusted: trust is put on record
as its own list of hooks names it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../agents'))

import real                                        # noqa: E402
from real import CORDON, DONE, PATIENCE, ok, read, write    # noqa: E402

POLICY = '''schemaVersion: 2
kind: Policy
metadata: {name: hook}
spec:
  denyRead: ["**/*.env"]
  fsProfiles:
    dev: {read: ["**"], modify: ["**"]}
'''


class Hooked:
    """A place where nothing but the hook stands before the agent's tools."""

    def __init__(self, place, name):
        self.place, self.name = place, name
        write(place.top + '/hook.yaml', POLICY)
        self.program = CORDON
        prepare = place.agent.prepare

        def with_hook(where, model, server):
            prepare(where, model, server)
            self.install(where)
        place.agent.prepare = with_hook

    def cordon(self, *args):
        return subprocess.run(
            [self.program, 'hook', *args], cwd=self.place.workspace,
            env=self.place.env, capture_output=True, text=True,
            timeout=PATIENCE, check=False)

    def options(self):
        return ('--', '--policy', self.place.top + '/hook.yaml', '--profile',
                'dev')

    def install(self, place):
        done = self.cordon('install', self.name, *self.options())
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        if self.name == 'codex' and self.trusted:
            self.trust(place)

    trusted = True

    def trust(self, place):
        """As a person does with /hooks; its own list names the hash."""
        server = subprocess.Popen(
            [place.kit + '/bin/codex', 'app-server'], cwd=place.workspace, env=place.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)

        def say(message):
            server.stdin.write(json.dumps(dict(message, jsonrpc='2.0')) + '\n')
            server.stdin.flush()

        def ask(number, method, params):
            say({'id': number, 'method': method, 'params': params})
            for line in server.stdout:
                answer = json.loads(line)
                if answer.get('id') == number:
                    return answer['result']
            raise RuntimeError('no answer')

        try:
            ask(1, 'initialize', {'clientInfo': {'name': 't', 'version': '1'}})
            say({'method': 'initialized'})
            found = ask(2, 'hooks/list', {'cwds': [place.workspace]})
        finally:
            server.kill()
            server.communicate()
        hook, = found['data'][0]['hooks']
        with open(place.home + '/.codex/config.toml', 'a',
                  encoding='utf-8') as file:
            file.write('\n[hooks.state.%s]\ntrusted_hash = "%s"\n' % (
                json.dumps(hook['key']), hook['currentHash']))

    def settings(self):
        """Where the hook stands."""
        status = self.cordon('status', '--json', self.name, *self.options())
        return json.loads(status.stdout)['file']

    def run(self, plan, trusted=True):
        self.trusted = trusted
        return self.place.run([*plan, DONE], guarded=False)


def plan(place):
    """What is allowed and what is denied, in turn."""
    top = place.top
    return [
        {'shell': 'echo inside >in.txt'},
        {'shell': 'cat prod.env >leak.txt'},
        {'shell': 'echo x >%s/outside/a' % top},
        real.call(place.agent, 'echo', top + '/outside/b'),
        real.call(place.agent, 'echo', place.workspace + '/in.txt'),
    ] + ([
        {'write': {'path': place.workspace + '/../outside/c',
                   'content': 'x'}},
        {'write': {'path': place.workspace + '/tool.txt', 'content': 'x'}},
    ] if place.agent.writes else []) + [
        {'shell': 'dd if=prod.env of=leak.txt'},
    ]


def clean(place):
    for name in ('in.txt', 'leak.txt', 'tool.txt'):
        if os.path.exists(place.workspace + '/' + name):
            os.unlink(place.workspace + '/' + name)
    for name in os.listdir(place.outside):
        os.unlink(place.outside + '/' + name)


def check_plan(hooked):
    place, name = hooked.place, hooked.name
    done, heard = hooked.run(plan(place))
    ok(read(place.workspace + '/in.txt') == 'inside\n',
       name + ': what is allowed runs', (done, heard))
    ok(read(place.workspace + '/leak.txt') is None,
       name + ': a denied read does not', heard)
    ok(os.listdir(place.outside) == [],
       name + ': a denied write does not', heard)
    ok('cordon refused' in heard.get(1, '') and 'hook.yaml:5' in
       heard.get(1, ''), name + ': the model reads the rule and its line',
       heard)
    ok('cordon refused' in heard.get(2, ''),
       name + ': and of what lies outside', heard)
    ok('cordon refused' in heard.get(len(plan(place)) - 1, ''),
       name + ': and of a name inside of a word', heard)
    ok('cordon refused' in heard.get(3, ''),
       name + ': and of a call of an MCP tool', heard)
    ok('got ' in heard.get(4, ''),
       name + ': an MCP tool that stays inside is called', heard)
    if place.agent.writes:
        ok(read(place.workspace + '/tool.txt') in ('x', 'x\n'),
           name + ': its tool writes inside', heard)
    status = hooked.cordon('status', name, *hooked.options())
    ok(status.returncode == 0, name + ': status says that it runs', status)


def check_broken(hooked):
    """A hook that fails, in every way there is: nothing runs."""
    place, name = hooked.place, hooked.name
    step = [{'shell': 'echo ran >ran.txt'}]

    def blocked(what):
        done, heard = hooked.run(step)
        ok(read(place.workspace + '/ran.txt') is None and heard,
           '%s: %s blocks' % (name, what), (done, heard))

    write(place.top + '/hook.yaml', 'spec: [')
    blocked('a policy that is broken')
    os.unlink(place.top + '/hook.yaml')
    blocked('one that is gone')
    write(place.top + '/hook.yaml', POLICY)
    hooked.program = place.top + '/cordon'
    install = hooked.install

    def spoil(text):
        def then(where):
            shutil.copy(CORDON, hooked.program)
            install(where)
            os.unlink(hooked.program)
            if text is not None:
                write(hooked.program, text)
                os.chmod(hooked.program, 0o755)
        return then

    for what, text in (('a cordon that is gone', None),
                       ('one that is killed', '#!/bin/sh\nkill -9 $$\n'),
                       ('one that crashes', '#!/bin/sh\nkill -SEGV $$\n'),
                       ('one that talks nonsense and fails',
                        '#!/bin/sh\necho nonsense; exit 1\n')):
        if os.path.exists(hooked.program):
            os.unlink(hooked.program)
        hooked.install = spoil(text)
        blocked(what)
    if os.path.exists(hooked.program):
        os.unlink(hooked.program)
    hooked.install, hooked.program = install, CORDON
    done, heard = hooked.run(step)
    ok(read(place.workspace + '/ran.txt') == 'ran\n',
       name + ': with a good one again it runs', (done, heard))
    os.unlink(place.workspace + '/ran.txt')


def check_untrusted(hooked):
    """What the documentation says of Codex, so that we hear when it changes."""
    place = hooked.place
    done, heard = hooked.run([{'shell': 'echo x >%s/a' % place.outside}],
                             trusted=False)
    ok(read(place.outside + '/a') == 'x\n',
       'codex: a hook that nobody trusts is skipped', (done, heard))
    status = hooked.cordon('status', 'codex', *hooked.options())
    ok(status.returncode == 1 and 'not trusted' in status.stdout,
       'codex: and status says so', status)
    os.unlink(place.outside + '/a')


def run_tests(kit, name):
    # Codex wants no home below /tmp.
    with tempfile.TemporaryDirectory(prefix='hook.',
                                     dir=os.path.dirname(kit)) as top:
        place = real.Place(kit, os.path.realpath(top), real.AGENTS[name]())
        hooked = Hooked(place, name)
        check_plan(hooked)
        clean(place)
        check_broken(hooked)
        if name == 'codex':
            check_untrusted(hooked)


def main():
    real.alone()
    found = subprocess.run([real.INSTALL, '--look', real.HERE + '/kit'],
                           text=True, capture_output=True, check=False)
    kit, name = found.stdout.strip(), sys.argv[1]
    if found.returncode != 0:
        real.skip(found.stderr.strip())
    elif not os.path.exists(kit + '/bin/' + name):
        real.skip('there is no %s for this machine' % name)
    else:
        for _ in range(int(os.environ.get('CORDON_TRIES', '1'))):
            run_tests(kit, name)
    print('1..%d' % real.count)
    return 1 if real.failures or real.count == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
