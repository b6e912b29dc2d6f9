#!/usr/bin/env python3
"""What an approval lets through: this one command, and what stands in it.

    trysys -i IDENTITY approvals.py

A real git pushes to a real git daemon on loopback.  Whatever is tried beside
it, before and behind it, is looked for at a listener and in the repository.
"""

import json
import os
import socket
import subprocess
import threading
import time

from called import CORDON, Stage, done, ok

WORKER = {
    'name': 'pusher',
    'shell_rules': [
        {'pattern': 'git push', 'approval_required': True,
         'grants': {'network': True}},
        {'pattern': 'git commit', 'approval_required': False, 'grants': {}},
        {'pattern': 'git status', 'approval_required': False},
        {'pattern': 'git st', 'approval_required': False},
        {'pattern': 'knock', 'approval_required': True,
         'grants': {'network': True}},
        {'pattern': 'bash', 'approval_required': False},
        {'pattern': 'cat', 'approval_required': True},
    ],
}


class Listener:
    """Counts who comes; never answers."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(('127.0.0.1', 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        self.came = []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            peer, address = self.socket.accept()
            peer.close()
            self.came.append(address)

    def seen(self):
        """All that came before now: ours is the last in the queue."""
        with socket.create_connection(('127.0.0.1', self.port)) as ours:
            address = ours.getsockname()
            while address not in self.came:
                time.sleep(0.01)
        self.came.remove(address)
        return len(self.came)


def git(stage, *args, cwd=None):
    return subprocess.run(['git', *args], cwd=cwd or stage.work,
                          env=stage.env, capture_output=True, text=True,
                          check=True).stdout


def serve(stage):
    """A git daemon that takes pushes; its port."""
    git(stage, 'init', '-q', '--bare', stage.path('srv/x.git'),
        cwd=stage.top)
    probe = socket.socket()
    probe.bind(('127.0.0.1', 0))
    port = probe.getsockname()[1]
    probe.close()
    daemon = subprocess.Popen(
        ['git', 'daemon', '--listen=127.0.0.1', '--port=%d' % port,
         '--base-path=' + stage.path('srv'), '--export-all', '--reuseaddr',
         '--enable=receive-pack'], env=stage.env, stderr=subprocess.DEVNULL)
    for _ in range(6000):
        try:
            socket.create_connection(('127.0.0.1', port)).close()
            return daemon, port
        except OSError:
            time.sleep(0.01)
    raise RuntimeError('no git daemon')


def head(stage):
    got = subprocess.run(['git', 'rev-parse', '-q', '--verify', 'main'],
                         cwd=stage.path('srv/x.git'), env=stage.env,
                         capture_output=True, text=True)
    return got.stdout.strip()


def prepare(stage, port):
    for key, value in (('user.name', 'Somebody'),
                       ('user.email', 'somebody@example.org'),
                       ('init.defaultBranch', 'main'),
                       ('safe.directory', '*')):
        git(stage, 'config', '--global', key, value, cwd=stage.top)
    git(stage, 'init', '-q')
    stage.write('work/f', '1\n')
    git(stage, 'add', 'f')
    git(stage, 'commit', '-q', '-m', 'first')
    git(stage, 'remote', 'add', 'origin',
        'git://127.0.0.1:%d/x.git' % port)


KNOCK = 'echo >/dev/tcp/127.0.0.1/%d'


def smuggle(stage, worker, port, listener):
    """None of these reaches anybody, though every question gets a yes."""
    knock = KNOCK % port
    # A hook of another command, and an alias, as the host made them.
    hook = stage.write('work/.git/hooks/pre-commit',
                       '#!/bin/bash\n%s\nexit 0\n' % knock)
    os.chmod(hook, 0o755)
    git(stage, 'config', 'alias.st', '!bash -c "%s"; git status' % knock)
    stage.write('work/f', '2\n')
    for command in (
            'git push; bash -c "%s"' % knock,
            'git push && bash -c "%s"' % knock,
            'git push || bash -c "%s"' % knock,
            'git push | bash -c "%s"' % knock,
            'git push & bash -c "%s"' % knock,
            'git push\nbash -c "%s"' % knock,
            'git push $(bash -c "%s")' % knock,
            'git push `bash -c "%s"`' % knock,
            'git push <(bash -c "%s")' % knock,
            'X=1 git push',
            'git push >/dev/tcp/127.0.0.1/%d' % port,
            'git -c core.sshCommand=x push',
            'bash -c "%s"' % knock,
            'git commit -q -a -m second',
            'git st'):
        stage.call('shell', {'command': command}, '--worker', worker,
                   '--approve-with', 'exit 0')
        ok(listener.seen() == 0, 'nobody comes through: %s' % command)
    os.remove(hook)
    git(stage, 'config', '--unset', 'alias.st')
    # The control: what these would do where nobody stands in the way.
    subprocess.run(['bash', '-c', knock], check=True)
    ok(listener.seen() == 1, 'the listener hears who comes')


def channels(stage, worker):
    push = {'command': 'git push -q origin main'}
    code, answer, _ = stage.call('shell', push, '--worker', worker)
    ok(code == 4 and answer['error']['code'] == 'approval' and
       'nobody can be asked' in answer['error']['message'] and
       head(stage) == '', 'without a channel it is refused', answer)
    code, answer, _ = stage.call('shell', push, '--worker', worker,
                                 '--dry-run')
    ok(code == 4 and answer == {
        'schema': 1, 'decision': 'ask', 'match': 'git push',
        'grants': {'network': True},
        'prompt': 'git push -q origin main (requires network)'},
       'a dry run says what would be asked', answer)
    for command, why in (('exit 1', 'says no'), ('exit 255', 'fails'),
                         ('kill -9 $$', 'is killed'),
                         ('/no/such/command', 'is not there')):
        code, answer, _ = stage.call('shell', push, '--worker', worker,
                                     '--approve-with', command)
        ok(code == 4 and answer['error']['code'] == 'approval' and
           head(stage) == '', 'a command that %s is no yes' % why, answer)
    kinds = [event['kind'] for kind in ('grant.requested', 'grant.denied')
             for event in stage.events(kind)]
    ok(kinds.count('grant.requested') == kinds.count('grant.denied') == 5,
       'every question and every no is recorded', kinds)


PLANT = """set -e
mkdir -p ~/.config/git ~/hooks
printf '#!/bin/bash\\n%s\\nexit 0\\n' >~/hooks/pre-push
chmod +x ~/hooks/pre-push
for file in ~/.config/git/config ~/.gitconfig; do
	printf '[core]\\n\\thooksPath = %%s\\n' ~/hooks >$file
done
printf 'url = http://127.0.0.1:%d/\\n' >~/.curlrc
cp ~/.curlrc ~/.config/curlrc
git config core.hooksPath
"""


def planted(stage, worker, port, listener):
    """What a command leaves in the home is not obeyed by one with a grant."""
    before = listener.seen()
    stage.write('work/plant.sh', PLANT % (KNOCK % port, port))
    code, answer, _ = stage.call('shell', {'command': 'bash plant.sh'},
                                 '--worker', worker)
    ok(code == 0 and answer['result']['stdout'].endswith('/hooks\n'),
       'the control: git obeys what was planted', answer)
    code, answer, _ = stage.call(
        'shell', {'command': 'git push -q --dry-run origin main'},
        '--worker', worker, '--approve-with', 'exit 0')
    ok(code == 0 and answer['result']['exit_code'] == 0 and
       listener.seen() == before, 'but not when it has a grant', answer)
    os.remove(stage.path('work/plant.sh'))


def push(stage, worker):
    asked = stage.path('asked')
    code, answer, said = stage.call(
        'shell', {'command': 'git push -q origin main'}, '--worker', worker,
        '--approve-with', "cat >'%s'" % asked)
    ok(code == 0 and answer['result']['exit_code'] == 0 and
       head(stage) == git(stage, 'rev-parse', 'main').strip(),
       'an approved push arrives', (answer, said))
    with open(asked) as file:
        question = json.load(file)
    ok(question['prompt'] == 'git push -q origin main (requires network)' and
       question['argv'] == ['git', 'push', '-q', 'origin', 'main'] and
       question['cwd'] == stage.work and question['grants']['network'] and
       len(question['digest']) == 64, 'the question says all of it', question)
    event = stage.events('grant.approved')[-1]
    ok(event['digest'] == question['digest'] and
       event['grants'] == {'network': True}, 'the yes is recorded', event)


def after(stage, worker, port, listener):
    before = listener.seen()
    code, answer, _ = stage.call(
        'shell', {'command': 'bash -c "%s"' % (KNOCK % port)},
        '--worker', worker, '--approve-with', 'exit 0')
    ok(code == 0 and answer['result']['exit_code'] != 0 and
       listener.seen() == before, 'the next command has no network', answer)


def ceiling(stage, worker):
    """A host's policy stands above what is approved."""
    policy = stage.write('p.yaml', 'schemaVersion: 2\nkind: Policy\n'
                         'metadata: {name: p}\nspec: {denyRead: ["f"]}\n')
    code, answer, _ = stage.call('shell', {'command': 'cat f'}, '--worker',
                                 worker, '--policy', policy,
                                 '--approve-with', 'touch %s' %
                                 stage.path('asked2'))
    ok(code == 3 and not os.path.exists(stage.path('asked2')),
       'nobody is asked about what is denied anyway', answer)
    for asked in ({'command': 'git push ./f'},
                  {'command': 'git push', 'cwd': 'f'}):
        code, answer, _ = stage.call('shell', asked, '--worker', worker,
                                     '--policy', policy,
                                     '--approve-with', 'exit 0')
        error = answer['error']
        ok(code == 3 and error['matched_rule'] == 'f' and
           error['layer'] == 'policy' and error['source'] == policy and
           error['line'] == 4, 'nor with a grant, and the line is named',
           answer)


def prompts(stage, worker):
    command = "cat 'f\x1b[2J\n\u202egood' \u200bx"
    code, answer, _ = stage.call('shell', {'command': command}, '--worker',
                                 worker, '--dry-run')
    ok(code == 4 and answer['prompt'] ==
       "cat 'f\\x1b[2J\\n\\u{202e}good' '\\u{200b}x'",
       'a prompt shows what cannot be seen', answer)


def at_terminal(stage, worker, before, after, cwd='.'):
    """`cat f` asked for at a terminal: what was shown, and the answer."""
    asked = json.dumps({'command': 'cat f', 'cwd': cwd})
    out = stage.path('answer')
    pid, master = os.forkpty()
    if pid == 0:
        os.chdir(stage.work)
        # Somebody else is at the terminal first, and stays in front of it.
        os.dup2(os.open(out, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 1)
        os.read(0, 1)
        os.execve(CORDON, [CORDON, 'tool', 'shell', asked,
                           '--worker', worker, '--audit', stage.audit],
                  stage.env)
    os.write(master, b'\n' + before)
    shown = b''
    while b'yes or no: ' not in shown:
        shown += os.read(master, 4096)
    os.write(master, after)
    while True:
        try:
            if not os.read(master, 4096):
                break
        except OSError:
            break
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(master)
    with open(out) as file:
        return code, json.load(file), shown.decode()


def terminal(stage, worker):
    code, answer, shown = at_terminal(stage, worker, b'', b'yes\n')
    ok(code == 0 and answer['result']['exit_code'] == 0 and
       'asks to run: cat f' in shown, 'a person types yes', (answer, shown))
    code, answer, _ = at_terminal(stage, worker, b'', b'y\n')
    ok(code == 4 and not answer['ok'], 'y is no yes', answer)
    code, answer, _ = at_terminal(stage, worker, b'yes\n', b'\n')
    ok(code == 4 and not answer['ok'],
       'what was typed before the question is no answer', answer)
    stage.write('work/d\u202e\x9b2J/f', '1\n')
    code, answer, shown = at_terminal(stage, worker, b'', b'yes\n',
                                      'd\u202e\x9b2J')
    ok(code == 0 and '/d\\xe2\\x80\\xae\\xc2\\x9b2J' in shown and
       '\u202e' not in shown and '\x9b' not in shown,
       'nor does the name of a directory change what is seen', shown)


def main():
    stage = Stage()
    listener = Listener()
    daemon, port = serve(stage)
    try:
        worker = stage.write('worker.yaml', json.dumps(WORKER))
        prepare(stage, port)
        channels(stage, worker)
        smuggle(stage, worker, listener.port, listener)
        planted(stage, worker, listener.port, listener)
        push(stage, worker)
        after(stage, worker, listener.port, listener)
        ceiling(stage, worker)
        prompts(stage, worker)
        terminal(stage, worker)
    finally:
        daemon.terminate()
        daemon.wait()
        stage.end()
    done()


main()
