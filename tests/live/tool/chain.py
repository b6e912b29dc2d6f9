#!/usr/bin/env python3
"""A worker that calls a worker that calls a shell: each has less, and it is
the kernel that says so.  And grants of sockets and of directories.

    trysys -i IDENTITY chain.py
"""

import json
import os
import socket
import threading

from called import Stage, done, ok

PROBE = ('for d in $(printf "a b c"); do echo x 2>/dev/null >$d/new && echo w$d; '
         'cat $d/f 2>/dev/null >/dev/null && echo r$d; rm -f $d/new; done')


def paths(**modes):
    return {'sandbox': {'paths': {
        name: {'root': './' + name, 'mode': mode}
        for name, mode in modes.items()}}}


def deeper(levels, tool, arguments):
    for level in reversed(levels):
        tool, arguments = 'worker_call', {
            'worker': level, 'tool': tool, 'arguments': arguments}
    return tool, arguments


def chain(stage):
    top = stage.write('top.yaml', json.dumps(
        {'name': 'top', **paths(a='rw', b='rw', c='ro', docs='ro')}))
    stage.write('work/docs/child.yaml', json.dumps(
        {'name': 'child', **paths(a='rw', b='ro', docs='ro')}))
    stage.write('work/docs/grandchild.yaml', json.dumps(
        {'name': 'grandchild', **paths(a='ro')}))
    stage.write('work/docs/greedy.yaml', json.dumps(
        {'name': 'greedy', **paths(a='rw', c='rw')}))
    for name in 'abc':
        stage.write('work/%s/f' % name, 'x')
    for levels, want in (
            ([], ['wa', 'ra', 'wb', 'rb', 'rc']),
            (['docs/child.yaml'], ['wa', 'ra', 'rb']),
            (['docs/child.yaml', 'docs/grandchild.yaml'], ['ra'])):
        tool, arguments = deeper(levels, 'shell', {'command': PROBE})
        code, answer, said = stage.call(tool, arguments, '--worker', top)
        for _ in levels:
            answer = answer['result']['answer'] if answer['ok'] else answer
        ok(code == 0 and answer['ok'] and
           answer['result']['stdout'].split() == want,
           '%d levels below: %s' % (len(levels), ' '.join(want)),
           (answer, said))
    tool, arguments = deeper(['docs/greedy.yaml'], 'shell',
                             {'command': 'true'})
    code, answer, _ = stage.call(tool, arguments, '--worker', top)
    ok(code == 2 and answer['error']['code'] == 'invalid' and
       'c' in answer['error']['message'],
       'a worker that asks for more is not called', answer)


def grants(stage):
    place = stage.path('run/s')
    os.makedirs(os.path.dirname(place))
    server = socket.socket(socket.AF_UNIX)
    server.bind(place)
    server.listen(8)
    came = []

    def serve():
        while True:
            server.accept()[0].close()
            came.append(1)

    threading.Thread(target=serve, daemon=True).start()
    stage.write('extra/f', 'granted')
    worker = stage.write('grants.yaml', json.dumps({
        'name': 'w', 'shell_rules': [
            {'pattern': 'python3 connect.py', 'approval_required': True,
             'grants': {'sockets': [place]}},
            {'pattern': 'python3 without.py', 'approval_required': True},
            {'pattern': 'cat', 'approval_required': True,
             'grants': {'read': [stage.path('extra')]}}]}))
    code = ('import socket\nsocket.socket(socket.AF_UNIX).connect(%r)\n'
            % place)
    for name in ('connect', 'without'):
        stage.write('work/%s.py' % name, code)
        _, answer, _ = stage.call(
            'shell', {'command': 'python3 %s.py' % name}, '--worker', worker,
            '--approve-with', 'exit 0')
        ok(answer['ok'] and (answer['result']['exit_code'] == 0) ==
           (name == 'connect'), 'a socket, %s its grant' % name, answer)
    _, answer, _ = stage.call(
        'shell', {'command': 'cat ' + stage.path('extra/f')}, '--worker',
        worker, '--approve-with', 'exit 0')
    ok(answer['ok'] and answer['result']['stdout'] == 'granted',
       'a directory that was granted is read', answer)
    _, answer, _ = stage.call(
        'read_text', {'path': stage.path('extra/f')}, '--worker', worker)
    ok(answer['error']['code'] == 'outside',
       'by nobody but that command', answer)


def main():
    stage = Stage()
    try:
        chain(stage)
        grants(stage)
    finally:
        stage.end()
    done()


main()
