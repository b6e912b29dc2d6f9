#!/usr/bin/env python3
"""Facts about workers and their tools, asked of `cordon tool`.

    trysys -i IDENTITY vectors.py KIND.jsonl...
"""

import json
import os
import sys

from called import Stage, done, ok

FILES = ('portfolio/a.pdf', 'portfolio/a.txt', 'pipeline/d.pdf',
         'framework/f.md', 'other/a.md', 'elsewhere/y.md', '../x.md')


def code_of(answer):
    return 'ok' if answer['ok'] else answer['error']['code']


def make_files(stage, vector):
    for name in FILES:
        stage.write(os.path.join('work', name), 'x')
    for line in vector.get('fixture', []):
        _, name, size = line.split(' ')
        path = stage.write('work/' + name, '')
        os.truncate(path, int(size.split('=')[1]))


def worker_tool(stage, vector):
    make_files(stage, vector)
    worker = stage.write('worker.yaml', vector['worker'])
    arguments = dict(vector['args'])
    if arguments.get('content') == '<10000001 bytes>':
        arguments['content'] = 'x' * 10000001
    code, answer, said = stage.call(
        vector['tool'], arguments, '--worker', worker, '--approve-with',
        'exit 0', stdin=True)
    want = vector['expect']
    if answer is None:
        return said
    if want == 'network_blocked':
        return answer['ok'] and answer['result']['exit_code'] != 0 or answer
    if want == 'os_denied':
        return answer['ok'] and answer['result']['exit_code'] != 0 and \
            not os.path.exists(stage.path('work/pipeline/new.pdf')) or answer
    if want == 'ok_after_approval':
        refused = stage.call(vector['tool'], arguments, '--worker', worker)
        return answer['ok'] and answer['result']['exit_code'] == 0 and \
            os.path.exists(stage.path('work/portfolio/new.md')) and \
            (refused[0], code_of(refused[1])) == (4, 'approval') or \
            (answer, refused)
    exits = {'ok': 0}.get(want, 3)
    return (code_of(answer), code) == (want, exits) or (code, answer)


def attachments(stage, vector):
    make_files(stage, {})
    names = []
    for i, file in enumerate(vector['files']):
        path = stage.write('work/' + file['path'], '')
        os.truncate(path, file['bytes'])
        names.append(file['path'])
    worker = stage.write('worker.yaml', json.dumps({
        'name': 'parent',
        'sandbox': {'paths': {'all': {'root': '.', 'mode': 'rw'}}},
        'attachment_policy': vector['policy']}))
    stage.write('work/child.yaml', 'name: child\n')
    code, answer, said = stage.call(
        'worker_call', {'worker': 'child.yaml', 'attachments': names},
        '--worker', worker)
    return answer is not None and code_of(answer) == vector['expect'] and \
        (not answer['ok'] or
         len(answer['result']['attachments']) == len(names)) or \
        (code, answer, said)


def shell_rules(stage, vector):
    document = {'name': 'w', 'shell_rules': vector['rules']}
    if vector['default'] is not None:
        document['shell_default'] = vector['default']
    worker = stage.write('worker.yaml', json.dumps(document))
    code, answer, said = stage.call('shell', {'command': vector['command']},
                                    '--worker', worker, '--dry-run')
    want = vector['expect']
    decision = {'needs_approval': 'ask'}.get(want.get('decision'),
                                             want.get('decision'))
    if decision is None:
        decision = {True: 'ask', False: 'allow', None: 'deny'}[
            want.get('approval')]
    exits = {'allow': 0, 'ask': 4, 'deny': 3}[decision]
    return answer is not None and code == exits and \
        answer['decision'] == decision and \
        answer['match'] == want['match'] and \
        answer['grants'] == want.get('grants', {}) or (code, answer, said)


def proc_gate(stage, vector):
    document = {'name': 'w'}
    if vector['activity_scoped'] or vector['allowed_programs']:
        document['programs'] = vector['allowed_programs']
    worker = stage.write('worker.yaml', json.dumps(document))
    code, answer, said = stage.call('shell', {'command': vector['program']},
                                    '--worker', worker)
    want = vector['expect']
    if answer is None:
        return said
    if want == 'allowed':
        return code == 0 and answer['result']['exit_code'] == 0 or answer
    if (code, code_of(answer)) != (3, 'program'):
        return answer
    if want == 'denied':
        return True
    event = stage.events('exec.denied')[-1]
    return {key: event[key] for key in want['audit']} == want['audit'] or event


def main():
    for name in sys.argv[1:]:
        kind = os.path.basename(name).split('.')[0]
        with open(name) as file:
            vectors = [json.loads(line) for line in file]
        ok(len(vectors) > 0, '%s has vectors' % kind)
        for vector in vectors:
            stage = Stage()
            try:
                got = globals()[kind](stage, vector)
            finally:
                stage.end()
            ok(got is True, vector['id'], got)
    done()


main()
