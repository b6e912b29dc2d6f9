#!/usr/bin/env python3
"""What the documents show is what happens.

In every *.md of the repository:
  - each relative link leads to a file that is there;
  - a ```yaml block that begins with schemaVersion is a valid policy;
  - one that begins with name is the document of a worker, and lies as
    worker.yaml where the blocks below it are played;
  - a ```console block is played: behind `$ ` the command, below it all it
    prints, but for the ids of runs.  The block runs in a directory with a
    prod.env and a .git, in which the last policy above it lies as policy.yaml.
"""

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r'^```(\w+)\n(.*?)^```$', re.M | re.S)
LINK = re.compile(r'\]\(([^)#:]+)(?:#[^)]*)?\)')

SOURCE = os.environ['CORDON_SOURCE']
CORDON = os.environ['CORDON']
points = 0
failures = 0


def ok(good, text, why=''):
    global points, failures
    points += 1
    failures += not good
    print('%s %d - %s' % ('ok' if good else 'not ok', points,
                          text.replace('#', '')))
    if not good:
        for line in why.splitlines():
            print('# ' + line)


def workspace(top):
    folder = os.path.join(top, 'work')
    os.makedirs(os.path.join(folder, '.git', 'hooks'))
    with open(os.path.join(folder, 'prod.env'), 'w') as file:
        file.write('SECRET=1\n')
    return folder


def without_ids(text):
    return re.sub(r'\b[0-9a-f]{16}\b', 'RUN', text)


def run(command, folder):
    # Beside the workspace: what lies in it the command may change.
    home = os.path.join(os.path.dirname(folder), 'home')
    os.makedirs(home, exist_ok=True)
    environment = {'HOME': home, 'LC_ALL': 'C.UTF-8', 'NO_COLOR': '1',
                   'PATH': os.path.dirname(CORDON) + ':' + os.environ['PATH']}
    for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS'):
        if name in os.environ:
            environment[name] = os.environ[name]
    return subprocess.run(['sh', '-c', command], cwd=folder, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


def play(block, document, policy, worker):
    """Runs one console block, command by command, and compares."""
    with tempfile.TemporaryDirectory() as top:
        folder = workspace(top)
        if policy:
            with open(os.path.join(folder, 'policy.yaml'), 'w') as file:
                file.write(policy)
        if worker:
            with open(os.path.join(folder, 'worker.yaml'), 'w') as file:
                file.write(worker)
        for part in re.split(r'^\$ ', block, flags=re.M)[1:]:
            command, _, want = part.partition('\n')
            got = run(command, folder).stdout
            ok(without_ids(got) == without_ids(want), '%s: %s' % (document, command),
               'it shows:\n%sit prints:\n%s' % (want, got))


def check_policy(text, document):
    with tempfile.TemporaryDirectory() as top:
        folder = workspace(top)
        with open(os.path.join(folder, 'policy.yaml'), 'w') as file:
            file.write(text)
        done = run('cordon policy validate policy.yaml', folder)
        ok(done.returncode == 0, '%s: its policy is valid' % document,
           done.stdout)


def check_document(document):
    path = os.path.join(SOURCE, document)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for link in LINK.findall(BLOCK.sub('', text)):
        there = os.path.join(os.path.dirname(path), link)
        ok(os.path.exists(there), '%s links to %s' % (document, link))
    policy = worker = None
    for kind, block in BLOCK.findall(text):
        if kind == 'yaml' and block.startswith('schemaVersion: 2'):
            policy = block
            check_policy(policy, document)
        elif kind == 'yaml' and block.startswith('name: '):
            worker = block
        elif kind == 'console':
            play(block, document, policy, worker)


def main():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted(f for f in folders
                            if not f.startswith(('.', 'build')))
        for name in sorted(names):
            if name.endswith('.md'):
                check_document(os.path.relpath(os.path.join(folder, name),
                                               SOURCE))
    print('1..%d' % points)
    return 1 if failures else 0


sys.exit(main())
