#!/usr/bin/env python3
"""`cordon mcp serve`, spoken to as clients of both eras do.  TAP.

Nothing here waits for a time: an answer is waited for, or the end of a process.
A command of which nobody can be told is looked for until it is there.
"""

import json
import os
import signal
import subprocess
import tempfile
import time

import harness
from harness import CORDON, denial_of, is_gone, ok, text_of

META = 'io.modelcontextprotocol/'
MODERN = '2026-07-28'
LEGACY = ('2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05')
PATIENCE = 120  # seconds for a command to start
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


# ----- Commands ------------------------------------------------------------------------

ALONE = 'sh -c \'echo $$ >pid; trap "" TERM HUP; ' \
    'setsid sleep 3600 & echo $! >pid2; wait\''


def pids(world):
    """Of a command that runs ALONE, as the host knows them; when it does."""
    found, until = [], time.monotonic() + PATIENCE
    while len(found) < 2:
        if time.monotonic() > until:
            raise SystemExit('Bail out! the command does not start')
        time.sleep(0.01)
        found = [int(text) for text in (world.read('pid'), world.read('pid2'))
                 if text and text.endswith('\n')]
    for name in ('pid', 'pid2'):
        os.remove(os.path.join(world.workspace, name))
    return found


def test_shell(world):
    world.write('script', 'cat ../secr*; ls >here; : >../new\n')
    for era, kind in ERAS:
        client = kind(world)
        got = given(client.call('shell', command='echo out; echo err >&2; '
                                'exit 3'))
        ok(got['stdout'] == 'out\n' and got['stderr'] == 'err\n' and
           got['exit_code'] == 3, '%s: a command' % era, got)
        got = given(client.call('shell', command='sh script'))
        ok('canary' not in json.dumps(got) and
           world.read('../new') is None and world.read('here'),
           '%s: in a cage' % era, got)
        client.end()


def test_long_output(world):
    client = Old(world)
    for what, command in (
            ('plain', 'head -c 900000 /dev/zero | tr "\\\\0" x'),
            ('controls', 'head -c 900000 /dev/zero | tr "\\\\0" "\\\\1"')):
        got = given(client.call('shell', command=command))
        text = got['stdout']
        ok(len(text) in range(100000, 900001) and
           ('left out' in text) == (len(text) < 900000) and
           client.longest < LINE_MAX,
           '%s: %d of 900000 bytes, the longest line has %d' %
           (what, len(text), client.longest), str(got)[:300])
    client.end()


def test_cancelled(world):
    """Of a command that is cancelled nobody is left, and nothing is said."""
    client = Old(world)
    ident = client.begin('tools/call', {
        'name': 'shell', 'arguments': {'command': ALONE, 'timeout_ms': 300000},
        '_meta': {'progressToken': 'p'}})
    started = pids(world)
    ok(given(client.call('read_text', path='file'))['text'] == 'open',
       'others are answered while it runs')
    told = [client.wait(lambda m: m.get('method') == 'notifications/progress')
            for _ in range(2)]
    ok(all(m['params']['progressToken'] == 'p' for m in told) and
       told[0]['params']['progress'] < told[1]['params']['progress'],
       'its progress is told', told)
    ok(not any(is_gone(pid) for pid in started), 'it runs')
    client.send({'id': ident, 'method': 'ping'})
    twice = client.wait(lambda m: 'error' in m)
    ok(twice['id'] is None and code(twice) == -32600, 'its id is in flight')
    client.send({'method': 'notifications/cancelled',
                 'params': {'requestId': ident}})
    while not all(is_gone(pid) for pid in started):
        client.ask('ping')
    ok(True, 'cancelled: all of them are gone')
    client.send({'id': ident, 'method': 'ping'})
    ok(result(client.answer(ident)) == {}, 'and its id is free again')
    rest, status = client.end()
    ok(rest == b'' and status == 0 and
       not any(m.get('id') == ident for m in client.kept),
       'nothing more is said about it', (rest, status, client.kept))

    for what in ('end', 'signal', 'deaf'):
        client = Old(world)
        client.begin('tools/call', {'name': 'shell', 'arguments': {
            'command': ALONE, 'timeout_ms': 300000}})
        started = pids(world)
        if what == 'signal':
            client.process.send_signal(signal.SIGTERM)
        elif what == 'deaf':
            client.process.stdout.close()
        else:
            client.process.stdin.close()
        status = client.process.wait()
        ok(all(is_gone(pid) for pid in started) and
           status == (128 + signal.SIGTERM if what == 'signal' else 0),
           '%s: nobody is left' % what, status)


def test_unread(world):
    """A client that does not read is not told more than it takes."""
    world.write('big', '\x01' * (1024 * 1024))     # 3 MiB in an answer

    def ask(client):
        return [client.begin('tools/call', {'name': 'read_text', 'arguments': {
            'path': 'big'}}) for _ in range(24)]
    client = Old(world)
    idents = ask(client)
    good = [len(given(client.answer(ident)).get('text', '')) == 256 * 1024
            for ident in idents]
    ok(all(good) and client.longest in range(3 * 1024 * 1024, LINE_MAX),
       'whenever it reads it gets all of it', (good, client.longest))
    client.end()

    ended = []
    for late in (False, True):
        client = Old(world)
        client.begin('tools/call', {'name': 'shell', 'arguments': {
            'command': ALONE, 'timeout_ms': 300000}})
        started = pids(world)
        ask(client)
        for _ in range(50):
            client.begin('ping', {})
        client.process.stdin.close()
        if late:            # it took something, and then nothing any more
            client.process.stdout.read(4 * 1024 * 1024)
        ended.append((client, started, ' on' if late else ''))
    for client, started, on in ended:
        status = client.process.wait()
        ok(status == 0 and all(is_gone(pid) for pid in started),
           'one that ends and does not read%s: nobody is left' % on,
           (status, client.said()))


def test_many(world):
    client = Old(world)
    idents = [client.begin('tools/call', {'name': 'shell', 'arguments': {
        'command': 'echo %d' % i}}) for i in range(100)]
    good = [given(client.answer(ident))['stdout'] == '%d\n' % i
            for i, ident in enumerate(idents)]
    ok(all(good), '100 commands at once')
    client.end()


# ----- Approval --------------------------------------------------------------------------

WORKER = '''
name: careful
sandbox: {paths: {ws: {root: ., mode: rw}}}
shell_default: {approval_required: false}
shell_rules: [{pattern: touch, approval_required: true, grants: {}}]
tool_rules: {write_text: {approval_required: true}}
'''
CAN_ASK = {'elicitation': {}}


def worker(world):
    world.write('../worker.yaml', WORKER)
    return '--worker', os.path.join(world.top, 'worker.yaml')


def test_asks_older(world):
    client = Old(world, *worker(world), capabilities=CAN_ASK)

    def asked(name, **arguments):
        ident = client.begin('tools/call', {'name': name,
                                            'arguments': arguments})
        return ident, client.wait(lambda m: m.get('method') ==
                                  'elicitation/create')
    ident, question = asked('shell', command='touch yes')
    ok('touch yes' in question['params']['message'] and
       question['params']['message'].endswith(
           ' in ' + os.path.realpath(world.workspace)) and
       question['params']['requestedSchema'] ==
       {'type': 'object', 'properties': {}} and world.read('yes') is None,
       'somebody is asked first', question)
    ok(given(client.call('read_text', path='file'))['text'] == 'open',
       'others are answered meanwhile')
    client.send({'id': question['id'], 'result': {'action': 'accept',
                                                  'content': {}}})
    ok(given(client.answer(ident))['exit_code'] == 0 and
       world.read('yes') == '', 'accepted: it is done')
    client.send({'id': question['id'], 'result': {'action': 'accept'}})
    for said in ({'result': {'action': 'decline'}},
                 {'result': {'action': 'cancel'}}, {'result': {}},
                 {'error': {'code': -1, 'message': 'x'}}):
        ident, question = asked('write_text', path='no', content='x')
        client.send(dict(said, id=question['id']))
        answer = client.answer(ident)
        ok(denial_of(answer).get('code') == 'approval' and
           world.read('no') is None, 'refused after %s' % json.dumps(said),
           answer)
    ident, question = asked('shell', command='touch no')
    client.send({'method': 'notifications/cancelled',
                 'params': {'requestId': ident}})
    gone = client.wait(lambda m: m.get('method') == 'notifications/cancelled')
    client.send({'id': question['id'], 'result': {'action': 'accept'}})
    ok(gone['params']['requestId'] == question['id'] and
       result(client.ask('ping')) == {}, 'cancelled: the question, too', gone)
    asked('shell', command='touch no')
    rest, status = client.end()
    ok(rest == b'' and status == 0 and world.read('no') is None,
       'at the end it is not done', (rest, status))


def test_asks_newer(world):
    client = New(world, *worker(world), capabilities=CAN_ASK)

    def again(action, **arguments):
        first = result(client.call('shell', **arguments))
        return first, {
            'name': 'shell', 'arguments': arguments,
            'requestState': first.get('requestState'),
            'inputResponses': {'approval': {'action': action}}}
    first, retry = again('accept', command='touch yes')
    ok(first.get('resultType') == 'input_required' and
       'touch yes' in first['inputRequests']['approval']['params']['message']
       and world.read('yes') is None, 'somebody is asked first', first)
    ok(given(client.ask('tools/call', **retry))['exit_code'] == 0 and
       world.read('yes') == '', 'accepted: it is done')
    os.remove(os.path.join(world.workspace, 'yes'))
    ok(code(client.ask('tools/call', **retry)) == -32602 and
       world.read('yes') is None, 'once')
    for action in ('decline', 'cancel', 'maybe'):
        answer = client.ask('tools/call', **again(action,
                                                  command='touch no')[1])
        ok(denial_of(answer).get('code') == 'approval', '%s: refused' %
           action, answer)
    _, retry = again('accept', command='touch no')
    for what, changes in (
            ('another command', {'arguments': {'command': 'touch other'}}),
            ('another tool', {'name': 'write_text', 'arguments': {
                'path': 'other', 'content': ''}}),
            ('a forged state', {'requestState': retry['requestState'][:-1] +
                                ('0' if retry['requestState'][-1] != '0'
                                 else '1')}),
            ('no answer', {'inputResponses': {}})):
        answer = client.ask('tools/call', **dict(retry, **changes))
        ok(code(answer) == -32602, 'not for %s' % what, answer)
    client.end()
    other = New(world, *worker(world), capabilities=CAN_ASK)
    ok(code(other.ask('tools/call', **retry)) == -32602,
       'not for another server')
    other.end()
    ok(world.read('no') is None and world.read('other') is None,
       'and nothing was done')


def test_answers_older(world):
    """Who may answer a question of ours, to what, and how often."""
    client = Old(world, *worker(world), capabilities=CAN_ASK)
    yes = {'result': {'action': 'accept'}}

    def ask(command):
        ident = client.begin('tools/call', {'name': 'shell',
                                            'arguments': {'command': command}})
        return ident, client.wait(lambda m: m.get('method') ==
                                  'elicitation/create')['id']
    first, one = ask('touch one')
    second, two = ask('touch two')
    ok(one != two, 'each question has a name of its own', (one, two))
    for ident in (one + '0', one[:-1], one.upper(), ' ' + one, first, 0, ''):
        client.send(dict(yes, id=ident))
    for line in (dict(yes, id=one, method='x'), dict(yes, id=None)):
        client.send(line)
        client.wait(lambda m: 'error' in m)
    answer = client.ask('tools/call', name='shell', arguments={
        'command': 'touch one'}, requestState=one, inputResponses={
            'approval': {'action': 'accept'}}, _meta={
                META + 'protocolVersion': MODERN,
                META + 'clientCapabilities': CAN_ASK})
    ok(code(answer) == -32602, 'nor in the way of the newer era', answer)
    ok(world.read('one') is None and world.read('two') is None,
       'what is no answer approves nothing')
    client.send(dict(yes, id=two))
    ok(given(client.answer(second))['exit_code'] == 0 and
       world.read('one') is None and world.read('two') == '',
       'an answer is for its own question')
    os.remove(os.path.join(world.workspace, 'two'))
    client.send(dict(yes, id=two))
    third, three = ask('touch two')
    client.send(dict(yes, id=two))
    client.send({'id': three, 'result': {'action': 'decline'}})
    ok(denial_of(client.answer(third)).get('code') == 'approval' and
       world.read('two') is None, 'and counts once')
    client.send({'id': one, 'result': {'action': 'decline'}})
    ok(denial_of(client.answer(first)).get('code') == 'approval' and
       world.read('one') is None, 'as the other one does')
    client.end()


def test_answers_newer(world):
    client = New(world, *worker(world), capabilities=CAN_ASK)
    call = {'name': 'shell', 'arguments': {'command': 'touch made'}}
    yes = {'inputResponses': {'approval': {'action': 'accept'}}}

    def state(command='touch made'):
        return result(client.call('shell', command=command))['requestState']
    token = state()
    parts = token.split('.')

    def with_part(i, text):
        return '.'.join(parts[:i] + [text] + parts[i + 1:])
    for i, what in enumerate([
            with_part(0, 'f' * 16), with_part(1, 'f' * 16),
            with_part(2, 'f' * 64), with_part(3, 'f' * 64),
            with_part(3, parts[3].upper()), with_part(3, ''), token + '0',
            token[:-1], ' ' + token, '', '.' * len(token), 'x' * len(token),
            '\u00e4' * (len(token) // 2), 7, None, [token], {'x': token},
            '.'.join(state('touch other').split('.')[:3] + parts[3:])]):
        answer = client.ask('tools/call', **call, **yes, requestState=what)
        ok(code(answer) == -32602, 'no state of ours, %d' % i, answer)
    for what in ({}, [], 'accept', {'approval': 'accept'},
                 {'cordon/approval': {'action': 'accept'}}):
        answer = client.ask('tools/call', **call, requestState=token,
                            inputResponses=what)
        ok(code(answer) == -32602, 'no answer: %s' % json.dumps(what), answer)
    answer = client.ask('tools/call', **call, **yes)
    ok(result(answer).get('resultType') == 'input_required',
       'an answer without a state', answer)
    for arguments in ({'command': 'touch  made'}, {'command': 'touch made2'},
                      {'command': 'touch made', 'timeout_ms': 1000}):
        answer = client.ask('tools/call', name='shell', arguments=arguments,
                            requestState=token, **yes)
        ok(code(answer) == -32602, 'not for %s' % json.dumps(arguments),
           answer)
    client.send({'id': token, 'result': {'action': 'accept'}})
    ok(code(client.ask('ping')) == -32601 and world.read('made') is None and
       world.read('made2') is None, 'nothing was done')
    idents = [client.begin('tools/call', dict(call, requestState=token, **yes))
              for _ in range(3)]
    answers = [client.answer(ident) for ident in idents]
    ok(sum('result' in a for a in answers) == 1 and
       world.read('made') == '', 'the one that counts, counts once', answers)
    client.end()


def test_floods(world):
    """131: questions without end."""
    client = Old(world, *worker(world), capabilities=CAN_ASK)
    idents = {client.begin('tools/call', {'name': 'shell', 'arguments': {
        'command': 'touch no'}}) for _ in range(200)}
    questions, answers = 0, []
    while len(answers) < 200:
        message = client.next()
        if message.get('method') == 'elicitation/create':
            questions += 1
            client.send({'id': message['id'], 'result': {'action': 'decline'}})
        else:
            answers.append(message)
    ok({m['id'] for m in answers} == idents and world.read('no') is None and
       all(denial_of(m).get('code') == 'approval' for m in answers),
       '131: of 200 calls each is refused', answers[-1])
    ok(0 < questions < 200 and
       any('too many approvals' in text_of(m) for m in answers),
       '131: and not about each is somebody asked', questions)
    client.end()


def test_asks_nobody(world):
    for era, kind in ERAS:
        for capabilities in ({}, {'elicitation': {'url': {}}}):
            client = kind(world, *worker(world), capabilities=capabilities)
            answer = client.call('shell', command="touch 'a b'")
            ok(denial_of(answer).get('code') == 'approval' and
               text_of(answer).endswith(
                   "cordon tool --worker '%s/worker.yaml' shell '{\"command\":"
                   " \"touch '\\''a b'\\''\"}'" % world.top) and
               world.read('a b') is None,
               '%s: who cannot ask is told the command' % era, answer)
            client.end()
    line = text_of(answer).rsplit('run  cordon ', 1)[1]
    done = subprocess.run(['sh', '-c', '"$CORDON" ' + line], text=True,
                          env=dict(world.env, CORDON=CORDON),
                          cwd=world.workspace, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    ok(done.returncode == 4 and 'approval' in done.stdout,
       'which asks for approval, too', done)


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
    client.process.stdout.close()    # which it sees without a word from us
    ok(client.process.wait() == 0, 'a client that hears nothing is gone')
    client.process.stdin.close()
    for words in (['mcp', 'serve', 'x'], ['mcp', 'serve', '--nonsense'],
                  ['mcp', 'serve', '--policy', '/no/such/file']):
        done = world.cordon(*words)
        ok(done.returncode == 2 and done.stdout == '' and done.stderr,
           'cordon %s: 2' % ' '.join(words), done)


TESTS = [test_opening, test_both, test_list, test_call, test_pages,
         test_hostile, test_shell, test_long_output, test_cancelled,
         test_unread, test_many,
         test_asks_older, test_asks_newer, test_answers_older,
         test_answers_newer, test_floods, test_asks_nobody, test_ends]

harness.main(TESTS, harness.World)
