#!/usr/bin/env python3
"""`cordon mcp serve`, spoken to as clients of both eras do.  TAP.

Nothing here waits for a time: an answer is waited for, or the end of a process.
"""

import json
import signal
import subprocess
import tempfile

import harness
from harness import CORDON, denial_of, ok, text_of

META = 'io.modelcontextprotocol/'
MODERN = '2026-07-28'
LEGACY = ('2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05')
LINE_MAX = 8 * 1024 * 1024      # well below what clients take: 10 MiB

class Server:
    """It, and its client, which is us."""

    def __init__(self, world, *options):
        self.errors = tempfile.TemporaryFile(dir=world.top)
        self.process = subprocess.Popen(
            [CORDON, 'mcp', 'serve', *options], env=world.env,
            cwd=world.workspace, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors)
        self.number = 100
        self.kept = []      # messages that somebody else waits for
        self.longest = 0

    def send(self, line):
        if isinstance(line, dict):
            line = json.dumps(dict({'jsonrpc': '2.0'}, **line))
        if isinstance(line, str):
            line = line.encode()
        self.process.stdin.write(line + b'\n')
        self.process.stdin.flush()

    def next(self):
        line = self.process.stdout.readline()
        self.longest = max(self.longest, len(line))
        return json.loads(line) if line else None

    def wait(self, fits):
        """The next message that fits; the others are kept."""
        for i, message in enumerate(self.kept):
            if fits(message):
                return self.kept.pop(i)
        while True:
            message = self.next()
            if message is None or fits(message):
                return message
            self.kept.append(message)

    def answer(self, ident):
        return self.wait(lambda m: 'method' not in m and
                         m.get('id') == ident) or {}

    def begin(self, method, params):
        self.number += 1
        self.send({'id': self.number, 'method': method, 'params': params})
        return self.number

    def ask(self, method, **params):
        return self.answer(self.begin(method, params))

    def call(self, name, **arguments):
        return self.ask('tools/call', name=name, arguments=arguments)

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        return rest, self.process.wait()

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors='replace')


class Old(Server):
    """A client that says `initialize`."""

    def __init__(self, world, *options, version=LEGACY[0], capabilities=None):
        super().__init__(world, *options)
        self.hello = self.ask('initialize', protocolVersion=version,
                              capabilities=capabilities or {},
                              clientInfo={'name': 'test', 'version': '1'})
        self.send({'method': 'notifications/initialized'})


class New(Server):
    """A client that names its version each time."""

    def __init__(self, world, *options, capabilities=None):
        super().__init__(world, *options)
        self.meta = {META + 'protocolVersion': MODERN,
                     META + 'clientCapabilities': capabilities or {}}

    def begin(self, method, params):
        meta = dict(self.meta, **params.get('_meta', {}))
        return super().begin(method, dict(params, _meta=meta))


ERAS = (('the older era', Old), ('the newer era', New))


def result(answer):
    return answer.get('result', {})


def code(answer):
    return answer.get('error', {}).get('code')


def given(answer):
    """What a tool gave: the same as text and as structure."""
    structured = result(answer).get('structuredContent')
    if result(answer).get('isError') is not False or \
            json.loads(text_of(answer)) != structured:
        return {'not a result': answer}
    return structured


# ----- Opening -------------------------------------------------------------------

def test_opening(world):
    for version in LEGACY + ('1999-01-01',):
        client = Old(world, version=version)
        hello = result(client.hello)
        want = version if version in LEGACY else LEGACY[0]
        ok(hello.get('protocolVersion') == want and
           hello.get('serverInfo', {}).get('name') == 'cordon' and
           'tools' in hello.get('capabilities', {}) and
           'resultType' not in hello,
           'initialize %s: %s' % (version, want), client.hello)
        rest, status = client.end()
        ok(rest == b'' and status == 0, 'and it ends with its client',
           (rest, status, client.said()))

    client = Old(world)
    ok(result(client.ask('ping')) == {} and
       code(client.ask('server/discover')) == -32601 and
       code(client.ask('resources/list')) == -32601 and
       code(client.ask('logging/setLevel', level='info')) == -32601,
       'ping; methods that are not there')
    client.end()

    client = New(world)
    found = result(client.ask('server/discover'))
    ok(found.get('supportedVersions') == [MODERN] and
       found.get('resultType') == 'complete' and
       found.get('cacheScope') == 'public' and
       isinstance(found.get('ttlMs'), int) and
       found.get('_meta', {}).get(META + 'serverInfo', {}).get('name') ==
       'cordon', 'server/discover', found)
    ok(code(client.ask('ping')) == -32601 and
       code(client.ask('initialize')) == -32601,
       'what the newer era has no more')
    client.meta[META + 'protocolVersion'] = '2099-01-01'
    answer = client.ask('tools/list')
    ok(code(answer) == -32022 and answer['error']['data'] ==
       {'supported': [MODERN], 'requested': '2099-01-01'},
       'a version that nobody knows', answer)
    client.meta = {META + 'protocolVersion': MODERN}
    ok(code(client.ask('tools/list')) == -32602, 'no capabilities')
    client.meta = {}
    ok(code(client.ask('tools/list')) == -32602, 'no version')
    client.end()


def test_both(world):
    """A client that looks for the newer era, and opens the older one then."""
    client = New(world)
    ok(result(client.ask('server/discover')).get('supportedVersions') ==
       [MODERN], 'discovered')
    client.send({'id': 0, 'method': 'initialize', 'params': {
        'protocolVersion': LEGACY[0], 'capabilities': {},
        'clientInfo': {'name': 'x', 'version': '1'}}})
    ok(result(client.answer(0)).get('protocolVersion') == LEGACY[0],
       'then initialized')
    client.send({'id': 1, 'method': 'tools/list'})
    ok('resultType' not in result(client.answer(1)) and
       result(client.ask('tools/list')).get('resultType') == 'complete',
       'each request is answered in its own way')
    client.end()
    client = Server(world)
    client.send({'id': 0, 'method': 'server/discover', 'params': {}})
    ok(code(client.answer(0)) == -32602, 'discovery that says nothing')
    ok(result(client.ask('initialize', protocolVersion=LEGACY[0],
                         capabilities={})).get('protocolVersion') ==
       LEGACY[0], 'does not harm what follows')
    client.end()


# ----- Tools ---------------------------------------------------------------------

def test_list(world):
    lists = []
    for era, kind in ERAS:
        client = kind(world)
        answer = result(client.ask('tools/list'))
        tools = {t['name']: t for t in answer.get('tools', [])}
        lists.append(answer.get('tools'))
        ok('nextCursor' not in answer and 'read_text' in tools,
           '%s: the tools' % era, answer)
        ok(('ttlMs' in answer) == (kind is New), '%s: caching' % era)
        ok(code(client.ask('tools/list', cursor='x')) == -32602,
           '%s: no other page' % era)
        client.end()
    ok(lists[0] == lists[1], 'the same for both')
    for tool in lists[0]:
        notes = tool['annotations']
        ok(tool['title'] and tool['description'] and
           tool['inputSchema']['additionalProperties'] is False and
           tool['inputSchema']['type'] == 'object' and
           tool['outputSchema']['type'] == 'object' and
           len(notes) == 5, '%s says what it is' % tool['name'], tool)
        reads = tool['name'] in ('read_text', 'list_files', 'glob', 'grep')
        ok(notes['readOnlyHint'] == reads and
           notes['destructiveHint'] == (not reads) and
           notes['openWorldHint'] == (tool['name'] in
                                      ('shell', 'worker_call')),
           '%s: honestly' % tool['name'], notes)


def test_call(world):
    for era, kind in ERAS:
        client = kind(world)
        ok(given(client.call('read_text', path='file'))['text'] == 'open',
           '%s: a file is read' % era)
        answer = client.call('read_text', path=world.secret)
        denial = denial_of(answer)
        ok(result(answer).get('isError') is True and
           'structuredContent' not in result(answer) and
           denial.get('code') == 'outside' and
           denial.get('message') == text_of(answer) and
           set(denial) == {'code', 'message', 'matched_rule', 'layer',
                           'source', 'line'},
           '%s: another is refused' % era, answer)
        ok(result(answer).get('resultType') ==
           ('complete' if kind is New else None), '%s: in its way' % era)
        ok(denial_of(client.call('read_text')).get('code') == 'invalid' and
           denial_of(client.call('read_text', path='file', x=1)).get('code')
           == 'invalid', '%s: arguments that are wrong' % era)
        ok(code(client.call('no_such_tool')) == -32602 and
           code(client.ask('tools/call')) == -32602 and
           code(client.ask('tools/call', name=7)) == -32602 and
           code(client.ask('tools/call', name='read_text',
                           arguments=['file'])) == -32602,
           '%s: calls that are none' % era)
        client.end()


def test_pages(world):
    """However a text is spelled in JSON, no line grows too long."""
    for what, unit in (('plain', 'x' * 63 + '\n'), ('marks', '"\\' * 32),
                       ('controls', '\x01' * 64), ('wide', '\u00e4' * 32)):
        text = unit * (3 * 1024 * 1024 // len(unit.encode()))
        world.write('big', text)
        client = Old(world)
        read, offset, pages = '', 0, 0
        while offset is not None and pages < 1000:
            part = given(client.call('read_text', path='big', offset=offset))
            read += part.get('text', '')
            offset = part.get('next_offset')
            pages += 1
        ok(read == text and pages > 5 and client.longest < LINE_MAX,
           '%s: 3 MiB in %d pages, the longest line has %d bytes' %
           (what, pages, client.longest))
        one = given(client.call('read_text', path='big', limit=16777216))
        ok(text.startswith(one['text']) and client.longest < LINE_MAX,
           '%s: whatever limit is asked for' % what)
        ok(given(client.call('read_text', path='big', limit=3))['next_offset']
           in (2, 3), '%s: a smaller one is kept' % what)
        client.end()


# ----- Hostile lines ---------------------------------------------------------------

CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":' \
    b'"read_text","arguments":%s}}'
HOSTILE = [
    (-32700, CALL % b'{"path":"file","path":"/etc/passwd"}'),
    (-32700, CALL % b'{"path":"file","p\\u0061th":"/etc/passwd"}'),
    (-32700, CALL % b'{"path":"a\\u0000b"}'),
    (-32700, CALL % b'{"path":"\\ud800"}'),
    (-32700, CALL % b'{"path":"\xc0\xaf"}'),
    (-32700, CALL % b'{"path":NaN}'),
    (-32700, CALL % (b'[' * 100 + b']' * 100)),
    (-32700, CALL % b'{"path":"file"}' + b' {}'),
    (-32700, b'\xef\xbb\xbf' + CALL % b'{}'),
    (-32700, b'Content-Length: 20'),
    (-32700, b'{"id":1'),
    (-32600, b'[' + CALL % b'{}' + b']'),
    (-32600, b'7'),
    (-32600, b'{"id":1,"method":"ping"}'),
    (-32600, b'{"jsonrpc":"1.0","id":1,"method":"ping"}'),
    (-32600, b'{"jsonrpc":"2.0","id":null,"method":"ping"}'),
    (-32600, b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}'),
    (-32600, b'{"jsonrpc":"2.0","id":{},"method":"ping"}'),
    (-32600, b'{"jsonrpc":"2.0","id":1,"method":7}'),
    (-32600, b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}'),
    (-32600, b'{"jsonrpc":"2.0","id":1}'),
    (-32602, b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'),
    (-32600, b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' +
     b'y' * 17 * 1024 * 1024 + b'"}}'),
]


def test_hostile(world):
    client = Old(world)
    for want, line in HOSTILE:
        client.send(line)
        answer = client.next()
        ok(code(answer) == want and answer.get('id') in (None, 1),
           '%d: %s' % (want, line[:120].decode(errors='replace')), answer)
    # These have no answer; the next request shows that they are through.
    for line in (b'', b'  \t', b'{"jsonrpc":"2.0","id":"cordon-1","result":{}}',
                 b'{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":""}}',
                 b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":'
                 b'"read_text","arguments":{"path":"file"}}}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled",'
                 b'"params":{"requestId":77}}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled",'
                 b'"params":{"requestId":{}}}'):
        client.send(line)
    ok(given(client.call('read_text', path='file'))['text'] == 'open' and
       not client.kept, 'and then it goes on', client.kept)
    client.send({'id': 'a\u00e4"\\', 'method': 'ping'})
    ok(result(client.answer('a\u00e4"\\')) == {}, 'an id of any characters')
    rest, status = client.end()
    ok(rest == b'' and status == 0, 'to its end', (rest, status))


# ----- The end ------------------------------------------------------------------------

def test_ends(world):
    for number in (signal.SIGTERM, signal.SIGINT):
        client = Old(world)
        client.process.send_signal(number)
        ok(client.process.wait() == 128 + number,
           '%s ends it' % signal.Signals(number).name)
        client.process.stdin.close()
    client = Old(world)
    client.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"')
    rest, status = client.end()
    ok(rest == b'' and status == 0 and 'dropped' in client.said(),
       'half a message at the end is none', (rest, status, client.said()))
    done = subprocess.run(
        [CORDON, 'mcp', 'serve'], env=world.env, cwd=world.workspace,
        input=CALL % b'{"path":"file"}' + b'\n', capture_output=True,
        check=False)
    ok(done.returncode == 0 and code(json.loads(done.stdout)) == -32602,
       'a call and the end of input in one: it is answered', done)
    client = Old(world)
    client.process.stdout.close()
    client.send({'id': 1, 'method': 'ping'})
    ok(client.process.wait() == 0, 'a client that hears nothing is gone')
    client.process.stdin.close()
    for words in (['mcp', 'serve', 'x'], ['mcp', 'serve', '--nonsense'],
                  ['mcp', 'serve', '--policy', '/no/such/file']):
        done = world.cordon(*words)
        ok(done.returncode == 2 and done.stdout == '' and done.stderr,
           'cordon %s: 2' % ' '.join(words), done)


TESTS = [test_opening, test_both, test_list, test_call, test_pages,
         test_hostile, test_ends]

harness.main(TESTS, harness.World)
