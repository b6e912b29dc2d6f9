#!/usr/bin/env python3
"""A worker document that an agent wrote, called from a session without a worker:
it can only narrow.  Files, a unix socket and a loopback server are real, and the
host is looked at afterwards.  The same documents as the user's own (--worker)
are the positive control.

    trysys -i IDENTITY authority.py
"""

import json
import os
import socket
import subprocess
import threading

from called import CORDON, Stage, done, ok


class Listener:
    """Counts who connects."""

    def __init__(self, family, address):
        self.came = 0
        self.socket = socket.socket(family)
        self.socket.bind(address)
        self.socket.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client = self.socket.accept()[0]
            self.came += 1
            client.close()


def worked(answer):
    """Did the tool, and the one that it called?"""
    while answer.get('ok') and 'answer' in (answer.get('result') or {}):
        answer = answer['result']['answer'] or {}
    return answer.get('ok', False)


class Server:
    """`cordon mcp serve`, and its client."""

    def __init__(self, stage, *options):
        self.process = subprocess.Popen(
            [CORDON, 'mcp', 'serve', '--audit', stage.audit, *options],
            cwd=stage.work, env=stage.env, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.number = 0
        self.ask('initialize', protocolVersion='2025-06-18', capabilities={},
                 clientInfo={'name': 'test', 'version': '1'})
        self.send(method='notifications/initialized')

    def send(self, **message):
        self.process.stdin.write(json.dumps(
            {'jsonrpc': '2.0', **message}) + '\n')
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        while True:
            line = self.process.stdout.readline()
            if not line:
                return {}
            message = json.loads(line)
            if message.get('id') == self.number:
                return message

    def call(self, tool, arguments):
        """(did it work, all that was said)"""
        result = self.ask('tools/call', name=tool,
                          arguments=arguments).get('result', {})
        given = result.get('structuredContent', {})
        return worked({'ok': not result.get('isError', True),
                       'result': given}), json.dumps(given or result)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def makes_of(stage):
    """Each way to name a worker to an agent's tool: (name, call, end)."""

    def once(tool, arguments):
        code, answer, said = stage.call(tool, arguments)
        return code == 0 and worked(answer), json.dumps(answer) + said

    server = Server(stage)
    return (('tool', once, lambda: None), ('serve', server.call, server.end))


def documents(stage, sockets):
    """(name, document, what the refusal names)"""
    outside, rule = stage.path('outside'), 'python3 try.py'
    here = {'root': '.', 'mode': 'rw'}

    def grants(**given):
        return {'shell_rules': [{'pattern': rule, 'approval_required': False,
                                 'grants': given}]}

    return (
        ('unrestricted', {'modules': {'filesystem': {'constraints': {
            'unrestricted': True}}}}, 'modules'),
        ('allowed_paths', {'modules': {'shell': {'constraints': {
            'allowed_paths': [outside]}}}}, outside),
        ('relative', {'modules': {'shell': {'constraints': {
            'allowed_paths': ['../outside']}}}}, '../outside'),
        ('paths', {'sandbox': {'paths': {
            'o': {'root': outside, 'mode': 'rw'}, 'w': here}}}, outside),
        ('paths-ro', {'sandbox': {'paths': {
            'o': {'root': outside}, 'w': here}}}, outside),
        ('above', {'sandbox': {'paths': {
            'o': {'root': '..', 'mode': 'rw'}}}}, "'..'"),
        ('root', {'sandbox': {'paths': {
            'o': {'root': '/', 'mode': 'rw'}}}}, "'/'"),
        ('network', {'sandbox': {'network': True}}, 'sandbox.network'),
        ('grants-network', grants(network=True), rule),
        ('grants-read', grants(read=[outside]), rule),
        ('grants-write', grants(write=[outside]), rule),
        ('grants-sockets', grants(sockets=sockets), rule),
        ('no-sandbox', {'sandbox': {'require_os_sandbox': False}},
         'require_os_sandbox'),
        ('fallback', {'executor': {'allow_fallback': True}},
         'allow_fallback'),
        ('executor', {'executor': {'sandbox': 'none'}}, 'executor.sandbox'),
        ('bwrap', {'executor': {'sandbox': 'linux-bwrap'}},
         'executor.sandbox'),
    )


TRY = '''
import socket
def attempt(what, do):
    try:
        print(what, do())
    except OSError:
        print(what, 'refused')
def connect(family, address):
    s = socket.socket(family)
    s.settimeout(20)
    s.connect(address)
    s.recv(1)       # until it is counted
    return 'done'
attempt('read', lambda: open(%(secret)r).read())
attempt('write', lambda: open(%(target)r, 'a').write('changed'))
attempt('tcp', lambda: connect(socket.AF_INET, ('127.0.0.1', %(port)d)))
attempt('unix', lambda: connect(socket.AF_UNIX, %(socket)r))
'''


class World:
    def __init__(self, stage):
        self.stage = stage
        self.secret = stage.write('outside/secret', 'not-for-agents')
        self.target = stage.write('outside/target', 'as it was')
        for path in (stage.path('outside'), self.secret, self.target):
            os.chmod(path, 0o777)
        self.tcp = Listener(socket.AF_INET, ('127.0.0.1', 0))
        self.unix = Listener(socket.AF_UNIX, stage.path('outside/s'))
        os.chmod(stage.path('outside/s'), 0o777)
        stage.write('work/file', 'open')
        stage.write('work/sub/file', 'open')
        stage.write('work/try.py', TRY % {
            'secret': self.secret, 'target': self.target,
            'port': self.tcp.socket.getsockname()[1],
            'socket': stage.path('outside/s')})

    def untouched(self):
        with open(self.target) as file:
            return (file.read() == 'as it was' and self.tcp.came == 0 and
                    self.unix.came == 0)

    def reset(self):
        self.stage.write('outside/target', 'as it was')
        self.tcp.came = self.unix.came = 0


ATTEMPTS = (
    ('shell', {'command': 'python3 try.py'}),
    ('read_text', {'path': '../outside/secret'}),
    ('write_text', {'path': '../outside/target', 'content': 'changed'}),
)


def refusals(world):
    stage = world.stage
    all_documents = documents(stage, [stage.path('outside/s')])
    for name, document, _ in all_documents:
        stage.write('work/%s.yaml' % name,
                    json.dumps({'name': 'child', **document}))
    for way, call, end in makes_of(stage):
        for name, _, word in all_documents:
            for tool, arguments in ATTEMPTS:
                good, said = call('worker_call', {
                    'worker': name + '.yaml', 'tool': tool,
                    'arguments': arguments})
                ok(not good and json.dumps(word)[1:-1] in said and
                   'not-for-agents' not in said and world.untouched(),
                   '%s: %s cannot %s' % (way, name, tool), said)
        end()


def narrowing(world):
    """The called worker has what both allow."""
    stage = world.stage
    stage.write('work/narrow.yaml', json.dumps({
        'name': 'child', 'sandbox': {'network': False, 'paths': {
            's': {'root': './sub', 'mode': 'ro'}}}}))
    stage.write('work/plain.yaml', json.dumps({'name': 'child'}))
    stage.write('work/sub/greedy.yaml', json.dumps({
        'name': 'child', 'sandbox': {'paths': {
            's': {'root': './sub', 'mode': 'rw'}}}}))
    inner = {'worker': 'sub/greedy.yaml', 'tool': 'read_text',
             'arguments': {'path': 'sub/file'}}
    for way, call, end in makes_of(stage):
        for worker, path, want in (('plain', 'file', True),
                                   ('plain', 'sub/file', True),
                                   ('narrow', 'sub/file', True),
                                   ('narrow', 'file', False)):
            good, said = call('worker_call', {
                'worker': worker + '.yaml', 'tool': 'read_text',
                'arguments': {'path': path}})
            ok(good == want, '%s: %s reads %s: %s' % (way, worker, path, want),
               said)
        good, said = call('worker_call', {
            'worker': 'plain.yaml', 'tool': 'shell',
            'arguments': {'command': 'python3 try.py'}})
        ok(good and said.count('refused') == 4 and world.untouched(),
           '%s: a command of a plain worker stays inside' % way, said)
        good, said = call('worker_call', {
            'worker': 'plain.yaml', 'tool': 'worker_call',
            'arguments': {'worker': 'unrestricted.yaml', 'tool': 'read_text',
                          'arguments': {'path': world.secret}}})
        ok(not good and 'not-for-agents' not in said,
           '%s: nor does one that it calls' % way, said)
        good, said = call('worker_call', {
            'worker': 'narrow.yaml', 'tool': 'worker_call',
            'arguments': inner})
        ok(not good and 'may not write' in said, '%s: one below a narrow worker has no more' % way, said)
        end()


POLICY = """schemaVersion: 2
kind: Policy
metadata: {name: p}
spec:
  fsProfiles:
    plain: {read: ["./**"], modify: ["./**"]}
    deploy:
      read: ["./**"]
      modify: ["./**"]
      host: {modify: [%(outside)s]}
      sockets: [%(outside)s/s]
      network: full
    docs: {read: ["sub/**"], modify: []}
"""


def profiles(world):
    """A called worker names a profile that has more than the session."""
    stage = world.stage
    policy = stage.write('home/p.yaml',
                         POLICY % {'outside': stage.path('outside')})
    stage.write('work/deploy.yaml', 'name: child\nfsProfile: deploy\n')
    stage.write('work/docs.yaml', 'name: child\nfsProfile: docs\n')

    def call(worker, tool, arguments, *options):
        _, answer, said = stage.call('worker_call', {
            'worker': worker, 'tool': tool, 'arguments': arguments},
            '--policy', policy, *options)
        return worked(answer or {}), json.dumps(answer) + said

    for options in ((), ('--profile', 'plain')):
        for tool, arguments in ATTEMPTS:
            good, said = call('deploy.yaml', tool, arguments, *options)
            ok((not good or said.count('refused') == 4) and
               'not-for-agents' not in said and world.untouched(),
               'fsProfile: no more by %s, session %s' % (tool, options), said)
        good, said = call('deploy.yaml', 'read_text', {'path': 'file'},
                          *options)
        ok(good, 'fsProfile: what both have is there', said)
        for path, want in (('sub/file', True), ('file', False)):
            good, said = call('docs.yaml', 'read_text', {'path': path},
                              *options)
            ok(good == want, 'fsProfile: a narrow one: %s' % path, said)
    good, said = call('deploy.yaml', 'shell', {'command': 'python3 try.py'},
                      '--profile', 'deploy')
    ok('not-for-agents' in said and said.count('done') == 2 and
       not world.untouched(),
       'control: the session with that profile has it all', said)
    world.reset()


def swapped(world):
    """The agent puts a link to elsewhere into the place of the workspace."""
    stage = world.stage
    for name in ('src/a/app', 'far/app'):
        os.makedirs(stage.path(name))
        os.chmod(stage.path(name), 0o777)
    stage.write('far/app/secret', 'not-for-agents')
    stage.write('src/w.yaml', 'name: child\n')
    call = {'worker': stage.path('src/w.yaml'), 'tool': 'read_text',
            'arguments': {'path': 'secret'}}
    server = Server(stage, '--workspace', stage.path('src/a/app'), '--write',
                    stage.path('src'))
    stage.write('src/a/app/secret', 'its own')
    good, said = server.call('worker_call', call)
    ok(good and 'its own' in said, 'control: the workspace as it is', said)
    os.unlink(stage.path('src/a/app/secret'))
    os.rmdir(stage.path('src/a/app'))
    os.rmdir(stage.path('src/a'))
    os.symlink(stage.path('far'), stage.path('src/a'))
    good, said = server.call('worker_call', call)
    ok(not good and 'not-for-agents' not in said,
       'a workspace that was replaced is not that of a called worker', said)
    server.end()


def controls(world):
    """What the user names may grant, and what he gives is no more to ask for."""
    stage = world.stage
    _, answer, said = stage.call('read_text', {'path': world.secret},
                                 '--worker', stage.path('work/paths.yaml'))
    ok(answer['ok'] and answer['result']['text'] == 'not-for-agents',
       "control: the user's own worker opens it", (answer, said))
    for options, worker in ((('--write', stage.path('outside')),
                             'allowed_paths.yaml'),
                            (('--read', stage.path('outside')),
                             'paths-ro.yaml')):
        _, answer, said = stage.call('worker_call', {
            'worker': worker, 'tool': 'read_text',
            'arguments': {'path': world.secret}}, *options)
        ok(answer['ok'] and 'not-for-agents' in json.dumps(answer),
           'control: %s gives what %s asks for' % (options[0], worker),
           (answer, said))
    stage.write('work/sub.yaml', json.dumps({
        'name': 'child', 'sandbox': {'paths': {'s': {'root': './sub'}}}}))
    _, answer, said = stage.call('worker_call', {
        'worker': 'sub.yaml', 'tool': 'read_text',
        'arguments': {'path': world.secret}}, '--read', stage.path('outside'))
    ok(not worked(answer) and 'not-for-agents' not in json.dumps(answer),
       'a worker with roots has none of --read beside them', (answer, said))
    _, answer, said = stage.call('worker_call', {
        'worker': 'network.yaml', 'tool': 'shell',
        'arguments': {'command': 'python3 try.py'}}, '--network', 'full')
    ok(answer['ok'] and 'tcp done' in json.dumps(answer) and
       world.tcp.came == 1, 'control: so does --network full',
       (answer, said))
    world.reset()
    for network in ('none', 'loopback', '192.0.2.1:443'):
        _, answer, said = stage.call('worker_call', {
            'worker': 'network.yaml', 'tool': 'shell',
            'arguments': {'command': 'python3 try.py'}}, '--network', network)
        ok(not worked(answer) and world.untouched(),
           '--network %s is less than it asks for' % network, (answer, said))


def main():
    stage = Stage()
    try:
        world = World(stage)
        refusals(world)
        narrowing(world)
        profiles(world)
        swapped(world)
        controls(world)
    finally:
        stage.end()
    done()


main()
