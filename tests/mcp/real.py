#!/usr/bin/env python3
"""Real servers, clients and the official conformance suite, with the guard
between them and with our own server.  TAP.

What they need comes from npm, by kit/install.sh.  Without it this is a skip;
CORDON_MUST_WORK=1 makes it a failure.  CORDON_TRIES: that many times.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

CORDON = os.environ['CORDON']
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'kit')
PATIENCE = 8    # runs of the suite
MODULES = 'node_modules/@modelcontextprotocol'

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


class Place:
    """The kit, and a workspace with a state of its own."""

    def __init__(self, kit, top):
        self.kit, self.top = kit, top
        self.node = os.path.realpath(kit + '/bin/node')
        self.workspace = os.path.join(top, 'ws')
        os.mkdir(self.workspace)
        self.env = dict(os.environ, CORDON_KIT=kit, HOME=top,
                        XDG_STATE_HOME=top + '/state',
                        XDG_CONFIG_HOME=top + '/config')

    def guard(self, *server):
        return [CORDON, 'mcp', 'guard', '--workspace', self.workspace,
                '--read', self.kit, '--read', HERE, '--', *server]

    def module(self, name):
        return os.path.join(self.kit, MODULES, name, 'dist/index.js')


# ----- The conformance suite ---------------------------------------------------

def outcome(results):
    """Every check of every scenario, with what came of it."""
    found = []
    for file in glob.glob(results + '/*/checks.json'):
        scenario = re.sub(r'-\d{4}-\d\d-\d\dT[\dZ-]+$', '',
                          os.path.basename(os.path.dirname(file)))
        with open(file, encoding='utf-8') as checks:
            found += [(scenario, check['id'], check['status'])
                      for check in json.load(checks)]
    return sorted(found)


def suite(place, revision, name, *server):
    folder = os.path.join(place.top, revision + '-' + name)
    done = subprocess.run(
        [HERE + '/conformance.sh', revision, folder, '--', *server],
        env=place.env, cwd=place.workspace, stdin=subprocess.DEVNULL,
        capture_output=True, check=False)
    return done.returncode, outcome(folder + '/results')


def compare(place, revision, fixture):
    """
    Alone, and behind the guard.  The suite waits for some messages for so many
    milliseconds only: on a busy machine either may miss one, so they are
    compared anew until both had the time.  What the guard loses it always does.
    """
    for i in range(PATIENCE):
        alone = suite(place, revision, 'alone%d' % i, *fixture)
        guarded = suite(place, revision, 'guarded%d' % i,
                        *place.guard(*fixture))
        if alone[0] == 0 and guarded == alone:
            break
    return alone, guarded


def test_conformance(place):
    fixture = [place.node, HERE + '/fixture_server.mjs']
    for revision in ('2025-11-25', '2026-07-28'):
        alone, guarded = compare(place, revision, fixture)
        lossy = suite(place, revision, 'lossy', place.node,
                      HERE + '/lossy_mid.mjs', '--', *fixture)
        ok(alone[0] == 0 and len(alone[1]) > 50,
           '%s: the fixture conforms, %d checks' % (revision, len(alone[1])),
           alone)
        ok(guarded == alone, '%s: behind the guard, too, check by check' %
           revision, set(guarded[1]) ^ set(alone[1]))
        if revision == '2026-07-28':
            ok(lossy[0] != 0 and lossy[1] != alone[1],
               '%s: a middle that loses something does not' % revision)


# ----- Servers from npm ----------------------------------------------------------

class Client:
    """A client of the older era, which both servers speak."""

    def __init__(self, place, *server):
        self.errors = tempfile.TemporaryFile(dir=place.top)
        self.process = subprocess.Popen(
            place.guard(place.node, *server), env=place.env,
            cwd=place.workspace, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors)
        self.number = 0
        self.ask('initialize', protocolVersion='2025-06-18', capabilities={},
                 clientInfo={'name': 'test', 'version': '1'})
        self.put({'jsonrpc': '2.0', 'method': 'notifications/initialized'})

    def put(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b'\n')
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.number += 1
        self.put({'jsonrpc': '2.0', 'id': self.number, 'method': method,
                  'params': params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                self.errors.seek(0)
                return {'ended': self.errors.read().decode()}
            answer = json.loads(line)
            if answer.get('id') == self.number and 'method' not in answer:
                return answer

    def call(self, name, **arguments):
        return self.ask('tools/call', name=name, arguments=arguments)

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        return self.process.wait()


def is_good(answer):
    return 'result' in answer and not answer['result'].get('isError')


def denial(answer):
    return answer.get('result', {}).get('_meta', {}).get('cordon/denial')


def test_filesystem(place):
    client = Client(place, place.module('server-filesystem'), place.workspace)
    tools = client.ask('tools/list')
    ok(len(tools.get('result', {}).get('tools', [])) > 5,
       'server-filesystem lists its tools', tools)
    file = os.path.join(place.workspace, 'note')
    for content in ('// comment', '/* c */', '/help'):
        answer = client.call('write_file', path=file, content=content)
        written = open(file, encoding='utf-8').read() \
            if os.path.exists(file) else None
        ok(is_good(answer) and written == content,
           'it writes content: %s' % content, answer)
    ok(is_good(client.call('read_text_file', path=file)), 'and reads it')
    for tool, path in (('read_text_file', '/etc/passwd'),
                       ('write_file', place.workspace + '/.git/config'),
                       ('read_multiple_files', None)):
        given = {'paths': [file, '/etc/passwd']} if path is None else \
            {'path': path, 'content': 'x'}
        answer = client.call(tool, **given)
        ok(denial(answer) is not None,
           'refused: %s, by %s' % (tool, denial(answer)), answer)
    ok(client.end() in (0, 137, 143), 'it ends')


def test_everything(place):
    client = Client(place, place.module('server-everything'))
    answer = client.call('echo', message='/* not a path */')
    ok(is_good(answer) and '/* not a path */' in json.dumps(answer),
       'server-everything answers', answer)
    ok(denial(client.call('echo', message='/etc/passwd')) is not None,
       'and is not asked about what looks like a path')
    ok(client.end() in (0, 137, 143), 'it ends')


def inspect(place, *words, command=None):
    config = os.path.join(place.top, 'inspector.json')
    command = command or place.guard(
        place.node, place.module('server-filesystem'), place.workspace)
    with open(config, 'w', encoding='utf-8') as file:
        json.dump({'mcpServers': {'fs': {'command': command[0],
                                         'args': command[1:]}}}, file)
    # It passes few variables on to a server, HOME among them.
    return subprocess.run(
        [os.path.join(place.kit, 'node_modules/.bin/mcp-inspector'),
         '--cli', '--config', config, '--server', 'fs', *words],
        env=dict(place.env, PATH=os.path.dirname(place.node) + ':' +
                 os.environ['PATH']), cwd=place.workspace,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def test_inspector(place):
    done = inspect(place, '--method', 'tools/list', '--strict')
    ok(done.returncode == 0, 'Inspector finds nothing wrong with the list',
       done.stdout + done.stderr)
    done = inspect(place, '--method', 'tools/call', '--tool-name',
                   'read_text_file', '--tool-arg', 'path=/etc/passwd')
    ok(done.returncode == 5 and 'cordon refused' in done.stdout,
       'and shows the refusal of a call', done.stdout + done.stderr)


# ----- The official client -------------------------------------------------------

def test_sdk(place):
    note = os.path.join(place.workspace, 'note')
    with open(note, 'w', encoding='utf-8') as file:
        file.write('hello')
    for major in ('1', '2'):
        done = subprocess.run(
            [place.node, HERE + '/sdk_client.mjs', place.kit, major,
             place.workspace, note, '/etc/passwd', '--',
             *place.guard(place.node, place.module('server-filesystem'),
                          place.workspace)],
            env=place.env, cwd=place.workspace, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False)
        got = json.loads(done.stdout) if done.returncode == 0 else {}
        inside, outside = got.get('files', [{}, {}])
        ok(got.get('tools', 0) > 5 and inside.get('text') == 'hello',
           'SDK %s: lists the tools and reads a file' % major, done)
        ok(outside.get('isError') is True and
           outside.get('denial', {}).get('field') == 'path' and
           'cordon refused' in outside.get('text', ''),
           'SDK %s: sees why another is refused' % major, done)
        ok("root 'file:///' is kept" in done.stderr,
           'SDK %s: not every root that it offers arrives' % major, done)


# ----- Our own server ------------------------------------------------------------

# What these scenarios ask for that it does not have: tools of the suite's
# own, resources, prompts.
LACKS = {
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
    'sep-2549-resources-read-caching-hints',
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
    'sep-2575-server-sends-subscription-ack',
    'sep-2575-server-tags-subscription-id',
    'sep-2575-server-honors-notification-filter',
    'sep-2575-server-sends-prompts-list-changed-on-subscription',
    'sep-2575-server-sends-tools-list-changed-on-subscription',
}
SCENARIOS = {
    '2025-11-25': ('server-initialize', 'ping', 'tools-list'),
    '2026-07-28': ('server-stateless', 'tools-list', 'caching'),
}
WORKER = '''
name: careful
sandbox: {paths: {ws: {root: ., mode: rw}}}
shell_default: {approval_required: false}
shell_rules: [{pattern: touch, approval_required: true, grants: {}}]
'''


def serve(place, *options):
    return [CORDON, 'mcp', 'serve', '--workspace', place.workspace, *options]


def test_serve_conformance(place):
    for revision, scenarios in SCENARIOS.items():
        found = suite(place, revision, 'serve', *serve(place))[1]
        for scenario in scenarios:
            checks = [c for c in found if c[0] == 'server-' + scenario]
            bad = [c for c in checks if c[2] not in ('SUCCESS', 'INFO') and
                   c[1] not in LACKS]
            good = [c for c in checks if c[2] == 'SUCCESS']
            ok(good and not bad, '%s: %s, %d checks pass' %
               (revision, scenario, len(good)), checks)


def test_serve_inspector(place):
    with open(place.workspace + '/note', 'w', encoding='utf-8') as file:
        file.write('hello')
    for era in ('legacy', 'modern'):
        done = inspect(place, '--protocol-era', era, '--method', 'tools/list',
                       '--strict', command=serve(place))
        ok(done.returncode == 0 and 'worker_call' in done.stdout,
           'Inspector, %s: finds nothing wrong with our tools' % era,
           done.stdout + done.stderr)
        for path, status in (('note', 0), ('/etc/passwd', 5)):
            done = inspect(place, '--protocol-era', era, '--method',
                           'tools/call', '--tool-name', 'read_text',
                           '--tool-arg', 'path=' + path,
                           command=serve(place))
            ok(done.returncode == status, 'Inspector, %s: %s ends with %d' %
               (era, path, status), done)


def test_serve_sdk(place):
    worker = os.path.join(place.top, 'worker.yaml')
    for file, text in ((place.workspace + '/note', 'hello'), (worker, WORKER)):
        with open(file, 'w', encoding='utf-8') as stream:
            stream.write(text)
    for major in ('1', '2'):
        done = subprocess.run(
            [place.node, HERE + '/sdk_serve.mjs', place.kit, major,
             *serve(place, '--worker', worker)],
            env=place.env, cwd=place.workspace, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False)
        got = json.loads(done.stdout) if done.returncode == 0 else {}
        ok(len(got.get('tools', [])) >= 8 and
           got['inside']['structured']['text'] == 'hello' and
           got['after']['structured']['text'] == 'hello',
           'SDK %s: lists our tools and reads a file' % major, done)
        ok(got.get('outside', {}).get('isError') is True and
           got['outside']['denial']['code'] == 'outside',
           'SDK %s: sees why another is refused' % major, done)
        ok(len(got.get('questions', [])) == 2 and
           got['approved']['structured']['exit_code'] == 0 and
           got['declined']['denial']['code'] == 'approval' and
           os.path.exists(place.workspace + '/yes') and
           not os.path.exists(place.workspace + '/no'),
           'SDK %s: its user approves one command and not the other' % major,
           done)
        ok(got.get('cancelled') == 'cancelled',
           'SDK %s: cancels one that takes long' % major, done)
        if os.path.exists(place.workspace + '/yes'):
            os.remove(place.workspace + '/yes')


# ----- What Node makes of a hostile line -----------------------------------------

RELATIVE = (    # paths in a field that is known to hold one, text elsewhere
    '../secret', './../secret', 'x/../../secret', '..%2fsecret',
    '..%252fsecret', '%2e%2e/secret', '..\\secret', 'link', 'link/../secret',
    '//@/secret')

PATHS = (    # '@' is a directory beside the workspace
    '@/secret', 'file://@/secret',
    'file:@/secret', 'FILE://localhost@/secret', 'file://@/%73ecret',
    '~/secret', ' @/secret', '\t@/secret', '/./@/secret', '@/../@/secret', '/proc/self/root@/secret',
    ['@/secret'], {'a': '@/secret'}, [['note', {'b': ['@/secret']}]],
    {'@/secret': 1}, 'note', 'dir/note', 7, None, True, '')

LINES = (    # arguments as they are written
    '{"path":"note","path":"@/secret"}', '{"path":"@/secret","path":"note"}',
    '{"path":"note","p\\u0061th":"@/secret"}', '{"Path":"@/secret"}',
    '{"PATH":"@/secret"}', '{"p\\u0061th":"@/secret"}',
    '{"path":"\\u002e\\u002e/secret"}', '{"path":"..\\/secret"}',
    '{"path":"\\uff0e\\uff0e/secret"}', '{"path":"note\\u0000/../@"}',
    '{"path":"\\ud800/secret"}', '{"path":NaN}', '{"path":01}',
    '{"path":"note",}', "{'path':'@/secret'}", '{"path":"note"}//',
    '{"__proto__":{"path":"@/secret"}}', '{"path":"@/sec\\u0072et"}',
    '{"path":["note","@/secret"]}', '{"constructor":"@/secret"}',
    '{"a":{"path":"@/secret"},"a":{}}', '[' * 80 + ']' * 80)

FRAMES = (    # whole lines; $ is a call
    '[$]', '\ufeff$', '$ $', '$\r$', 'Content-Length: 9\r', '\x00$', '$\x00',
    '{"id":null,"method":"tools/call","params":{"name":"t","arguments":'
    '{"path":"note"}}}',
    '{"method":"tools/call","params":{"name":"t","arguments":{"path":"note"}}}',
    '{"id":1,"id":2,"method":"tools/call","params":{"name":"t"}}',
    '{"id":1,"method":"ping","Method":"tools/call","params":{"name":"t",'
    '"arguments":{"path":"@/secret"}}}',
    '{"id":1,"method":"tools/call","params":{"name":"t","Arguments":'
    '{"path":"@/secret"}}}',
    '{"id":{},"method":"tools/call","params":{"name":"t"}}')


def hostile_lines(outside):
    """(what the client sends, its id)"""
    number = 0

    def call(arguments):
        return '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":' \
            '{"name":"t","arguments":%s}}' % (number, arguments)
    for arguments in [json.dumps({'path': p}) for p in PATHS + RELATIVE] + \
            [json.dumps({'q': p}) for p in PATHS] + list(LINES):
        number += 1
        yield call(arguments).replace('@', outside)
    for frame in FRAMES:
        number += 1
        yield frame.replace('$', call('{"path":"note"}')).replace(
            '@', outside)


def test_parsed(place):
    """
    Each line is refused, or Node finds nothing outside the workspace in it,
    whatever it makes of it; and what is harmless arrives as Python reads it.
    """
    outside = os.path.join(place.top, 'out')
    os.makedirs(outside)
    os.makedirs(place.workspace + '/dir')
    os.symlink(outside + '/secret', place.workspace + '/link')
    for file in (outside + '/secret', place.workspace + '/note'):
        with open(file, 'w', encoding='utf-8') as stream:
            stream.write('x')
    client = Client(place, HERE + '/parsed_server.mjs')
    arrived = refused = 0
    for line in hostile_lines(outside):
        client.process.stdin.write(line.encode() + b'\n')
        client.put({'jsonrpc': '2.0', 'id': 'end', 'method': 'ping'})
        answers = []
        while True:
            answer = json.loads(client.process.stdout.readline())
            if answer.get('id') == 'end':
                break
            answers.append(answer)
        seen = [a for a in answers if 'parsed' in a.get('result', {})]
        files = [f for a in seen for f in a['result']['files']]
        bad = [f for f in files if f != place.workspace and
               not f.startswith(place.workspace + '/')]
        arrived += len(seen)
        refused += not seen
        ok(not bad and len(seen) <= 1 and
           all(a['result']['parsed'] == json.loads(line)['params']['arguments']
               for a in seen),
           '%s: %s' % ('the same on both sides' if seen else 'refused',
                       ascii(line.replace(place.top, ''))[:160]),
           (bad, answers))
    ok(arrived >= 8 and refused >= 60,
       '%d arrived, %d were refused' % (arrived, refused))
    client.end()


TESTS = (test_conformance, test_filesystem, test_everything, test_inspector,
         test_sdk, test_parsed, test_serve_conformance, test_serve_inspector,
         test_serve_sdk)


def main():
    found = subprocess.run([HERE + '/install.sh', '--look'], text=True,
                           capture_output=True, check=False)
    if found.returncode != 0:
        skip(found.stderr.strip())
    else:
        chosen = [t for t in TESTS if t.__name__ in sys.argv[1:]] or TESTS
        for test in list(chosen) * int(os.environ.get('CORDON_TRIES', '1')):
            with tempfile.TemporaryDirectory(prefix='cordon-mcp.') as top:
                test(Place(found.stdout.strip(), os.path.realpath(top)))
    print('1..%d' % count)
    return 1 if failures or count == 0 else 0


sys.exit(main())
