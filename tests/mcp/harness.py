"""What the tests of this folder have in common: TAP, and a world of their own."""

import os
import subprocess
import sys
import tempfile

CORDON = os.environ['CORDON']

points = {'all': 0, 'bad': 0}


def ok(good, what, why=''):
    points['all'] += 1
    what = what.replace('#', '\\x23').replace('\n', '\\x0a')
    print('%sok %d - %s' % ('' if good else 'not ', points['all'], what),
          flush=True)
    if not good:
        points['bad'] += 1
        print('# ' + str(why).replace('\n', '\n# ')[:8000], flush=True)
    return good


class World:
    """A directory of our own, with a workspace, a state and a secret."""

    def __init__(self, top):
        self.top = top
        self.workspace = os.path.join(top, 'ws')
        self.secret = os.path.join(top, 'secret')
        os.mkdir(self.workspace)
        self.write(self.secret, 'canary')
        self.write('file', 'open')
        self.env = {
            'PATH': os.environ.get('PATH', '/usr/bin:/bin'),
            'HOME': os.path.join(top, 'home'),
            'XDG_STATE_HOME': os.path.join(top, 'state'),
            'XDG_CONFIG_HOME': os.path.join(top, 'config'),
        }
        for name in ('HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'):
            os.mkdir(self.env[name], 0o700)

    def write(self, name, text):
        """Relative names are of the workspace."""
        with open(os.path.join(self.workspace, name), 'w',
                  encoding='utf-8') as file:
            file.write(text)

    def read(self, name):
        try:
            with open(os.path.join(self.workspace, name),
                      encoding='utf-8') as file:
                return file.read()
        except FileNotFoundError:
            return None

    def cordon(self, *words, **more):
        return subprocess.run([CORDON, *words], env=self.env,
                              cwd=self.workspace, capture_output=True,
                              text=True, check=False, **more)


def text_of(answer):
    return answer.get('result', {}).get('content', [{}])[0].get('text', '')


def denial_of(answer):
    return answer.get('result', {}).get('_meta', {}).get('cordon/denial', {})


def is_gone(pid):
    try:
        with open('/proc/%d/stat' % pid, encoding='ascii') as file:
            return file.read().rsplit(')', 1)[1].split()[0] == 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return True


def main(tests, kind):
    """Each of them, or those named on the command line, in its own world."""
    wanted = sys.argv[1:]
    for test in tests:
        if wanted and test.__name__ not in wanted:
            continue
        with tempfile.TemporaryDirectory(prefix='cordon-mcp.') as top:
            test(kind(os.path.realpath(top)))
    print('1..%d' % points['all'])
    sys.exit(1 if points['bad'] or points['all'] == 0 else 0)
