"""What the tests of `cordon tool` share: a stage, calls, points."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

CORDON = os.environ['CORDON_COMMAND']
points = 0
failures = 0


def ok(good, text, why=''):
    global points, failures
    points += 1
    failures += not good
    print('%s %d - %s' % ('ok' if good else 'not ok', points,
                          text.replace('#', '').replace('\n', '\\n')))
    if not good:
        for line in str(why).splitlines():
            print('# ' + line)
    sys.stdout.flush()
    return good


def done():
    print('1..%d' % points)
    sys.exit(failures > 0)


class Stage:
    """A home and a workspace of their own, and an audit beside them."""

    def __init__(self):
        self.top = os.path.realpath(tempfile.mkdtemp(prefix='cordon-tool-'))
        os.chmod(self.top, 0o755)
        self.work = self.path('work')
        self.audit = self.path('home/audit.jsonl')
        os.makedirs(self.work)
        os.makedirs(self.path('home'))
        self.env = {'HOME': self.path('home'), 'LC_ALL': 'C.UTF-8',
                    'PATH': '/usr/local/bin:/usr/bin:/bin',
                    'GIT_CONFIG_NOSYSTEM': '1'}
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS'):
            if name in os.environ:
                self.env[name] = os.environ[name]

    def path(self, name):
        return os.path.join(self.top, name)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(text)
        return path

    def call(self, tool, arguments, *options, stdin=None):
        """(exit code, answer, what it said)"""
        text = arguments if isinstance(arguments, str) else \
            json.dumps(arguments)
        got = subprocess.run(
            [CORDON, 'tool', tool, '-' if stdin else text, '--audit',
             self.audit, *options], input=text if stdin else '',
            cwd=self.work, env=self.env, capture_output=True, text=True,
            start_new_session=True)
        try:
            return got.returncode, json.loads(got.stdout), got.stderr
        except ValueError:
            return got.returncode, None, got.stdout + got.stderr

    def events(self, kind):
        with open(self.audit) as file:
            return [event for event in map(json.loads, file)
                    if event['kind'] == kind]

    def end(self):
        shutil.rmtree(self.top, ignore_errors=True)
