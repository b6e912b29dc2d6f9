#!/usr/bin/env python3
"""What the host's git reads without a check, and a run can write: the index,
MERGE_RR, MERGE_AUTOSTASH, symlinks in a git directory.  Each attack is shown to
work when the file is written outside; then it is tried in a run, and the host
uses git as anybody does.

    trysys -i IDENTITY git_index.py CORDON
"""

import os
import shutil
import subprocess
import sys
import tempfile

CORDON = sys.argv[1]
points = failures = 0


def ok(good, text, why=''):
    global points, failures
    points += 1
    failures += not good
    print('%s %d - %s' % ('ok' if good else 'not ok', points, text))
    if not good:
        print('\n'.join('# ' + line for line in str(why).splitlines()))
    sys.stdout.flush()


# In a run and outside: adds an entry to an index, without any check.
ATTACK = r'''
import hashlib, os, struct, sys
def added(data, mode, oid, path):
    version, count = struct.unpack('>LL', data[4:12])
    assert version == 2
    entries, at = [], 12
    for _ in range(count):
        end = data.index(b'\0', at + 62)
        size = (62 + end - at - 62 + 8) // 8 * 8
        entries.append((data[at + 62:end], data[at:at + size]))
        at += size
    name = path.encode()
    one = b'\0' * 24 + struct.pack('>L', mode) + b'\0' * 12 + \
        bytes.fromhex(oid) + struct.pack('>H', min(len(name), 0xfff)) + name
    entries.append((name, one + b'\0' * (8 - len(one) % 8)))
    entries.sort()
    out = struct.pack('>4sLL', b'DIRC', 2, len(entries)) + \
        b''.join(entry for _, entry in entries)
    return out + hashlib.sha1(out).digest()
git, mode, oid, path, way = sys.argv[1:]
evil = added(open(git + '/index', 'rb').read(), int(mode, 8), oid, path)
def write(name, flags=0):
    fd = os.open(git + '/' + name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(fd, evil)
    return fd
def direct():
    write('index')
def lock():
    write('index.lock')
    os.rename(git + '/index.lock', git + '/index')
def linked():
    write('index.lock')
    os.unlink(git + '/index')
    os.link(git + '/index.lock', git + '/index')
def other():
    write('index.other')
    os.rename(git + '/index.other', git + '/index')
def exchanged():
    import ctypes
    write('index.lock')
    if ctypes.CDLL(None, use_errno=True).renameat2(-100, (git + '/index.lock')
            .encode(), -100, (git + '/index').encode(), 2) != 0:
        raise OSError('exchange')
def symlink():
    write('index.other')
    os.unlink(git + '/index')
    os.symlink('index.other', git + '/index')
def kept():
    good = open(git + '/index', 'rb').read()
    fd = os.open(git + '/index.lock', os.O_RDWR | os.O_CREAT)
    os.write(fd, good)
    os.rename(git + '/index.lock', git + '/index')
    os.pwrite(fd, evil, 0)
def shared():
    write('sharedindex_x')
    os.rename(git + '/sharedindex_x', git + '/sharedindex.' + '1' * 40)
globals()[way]()
'''


class Place:
    def __init__(self, top):
        self.top = top
        self.home = top + '/home'
        self.work = top + '/ws'
        os.makedirs(self.home + '/.ssh')
        os.makedirs(self.work)
        self.env = {'HOME': self.home, 'PATH': os.environ['PATH'],
                    'GIT_CONFIG_NOSYSTEM': '1', 'LC_ALL': 'C.UTF-8'}
        write(self.home + '/.ssh/id', 'SECRET\n')
        write(self.home + '/.gitconfig',
              '[user]\n\tname = n\n\temail = e@example.invalid\n'
              '[init]\n\tdefaultBranch = main\n')
        write(top + '/attack.py', ATTACK)
        write(self.work + '/f', '1\n')
        write(self.work + '/.husky/pre-commit', '#!/bin/sh\n')
        self.git('init', '-q')
        self.git('add', '.')
        self.git('commit', '-q', '-m', 'first')

    def git(self, *words, cwd=None):
        return subprocess.run(('git',) + words, cwd=cwd or self.work,
                              env=self.env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def run(self, *command, isolation='none'):
        return subprocess.run(
            (CORDON, 'run', '--quiet', '--isolation', isolation, '--read',
             self.top + '/attack.py', '--') + command, cwd=self.work,
            env=self.env, capture_output=True, text=True,
            stdin=subprocess.DEVNULL)

    def head(self):
        return self.git('rev-parse', 'HEAD').stdout.strip()

    def evil_repository(self):
        """Outside of the workspace, with a program that git executes."""
        where = self.top + '/evil'
        os.makedirs(where)
        self.git('init', '-q', cwd=where)
        write(where + '/f', '1')
        self.git('add', 'f', cwd=where)
        self.git('commit', '-q', '-m', 'x', cwd=where)
        write(self.top + '/monitor', '#!/bin/sh\ntouch %s/PWNED\nexit 1\n' %
              self.top)
        os.chmod(self.top + '/monitor', 0o755)
        self.git('config', 'core.fsmonitor', self.top + '/monitor', cwd=where)
        oid = self.git('rev-parse', 'HEAD', cwd=where).stdout.strip()
        self.pwned()    # the configuration was used above, too
        return where, oid

    def pwned(self):
        there = os.path.exists(self.top + '/PWNED')
        if there:
            os.unlink(self.top + '/PWNED')
        return there


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)


def content(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError:
        return None


def in_place(test):
    top = os.path.realpath(tempfile.mkdtemp(prefix='cordon-index-',
                                            dir='/var/tmp'))
    os.chmod(top, 0o755)
    try:
        test(Place(top))
    finally:
        shutil.rmtree(top, ignore_errors=True)


def attack(place, path, mode, oid, way, outside=False):
    words = ('python3', place.top + '/attack.py', '.git', mode, oid, path,
             way)
    if outside:
        return subprocess.run(words, cwd=place.work, env=place.env,
                              capture_output=True, text=True)
    return place.run(*words)


WAYS = ('direct', 'lock', 'linked', 'other', 'exchanged', 'symlink', 'kept',
        'shared')


def test_gitlink(place):
    where, oid = place.evil_repository()
    good = content(place.work + '/.git/index')
    for way in WAYS:
        done = attack(place, where, '160000', oid, way)
        place.git('status')
        place.git('diff')
        ok(not place.pwned() and
           place.git('ls-files').stdout.split() == ['.husky/pre-commit', 'f'],
           'a repository elsewhere as a submodule: %s' % way, done.stderr)
        lock = place.work + '/.git/index.lock'
        if os.path.exists(lock):
            os.unlink(lock)
    ok(content(place.work + '/.git/index') is not None and good is not None,
       'the index is there')
    attack(place, where, '160000', oid, 'direct', outside=True)
    place.git('status')
    ok(place.pwned(), 'control: it works when it is written outside')


def test_paths(place):
    oid = place.git('hash-object', '-w', 'f').stdout.strip()
    home = os.path.relpath(place.home, place.work)
    for path in (place.home + '/.ssh/id', home + '/.ssh/id',
                 '.git/hooks/post-index-change', home + '/.bashrc'):
        done = attack(place, path, '100644', oid, 'lock')
        ok(done.returncode != 0 and
           place.git('ls-files').stdout.split() == ['.husky/pre-commit', 'f'],
           'an index with %s' % path.replace(place.top, ''), done.stderr)
        os.unlink(place.work + '/.git/index.lock')
    done = attack(place, 'new/file', '100644', oid, 'lock')
    ok(done.returncode == 0 and 'new/file' in place.git('ls-files').stdout,
       'control: one with an ordinary path', done.stderr)


def test_rerere(place):
    key = place.home + '/.ssh/id'
    name = '1' * 40
    text = '%s\t%s\0' % (name, key)
    script = ('import os\nos.makedirs(".git/rr-cache/%s")\n'
              'open(".git/rr-cache/%s/preimage", "w").write("x")\n'
              'open(".git/MERGE_RR", "w").write(%r)\n' % (name, name, text))
    post = place.work + '/.git/rr-cache/%s/postimage' % name
    done = place.run('python3', '-c', script)
    place.git('commit', '-q', '--allow-empty', '-m', 'second')
    ok(done.returncode != 0 and content(post) is None,
       'rerere does not copy a key to where a run reads it', done.stderr)
    shutil.rmtree(place.work + '/.git/rr-cache', ignore_errors=True)
    subprocess.run(('python3', '-c', script), cwd=place.work)
    place.git('commit', '-q', '--allow-empty', '-m', 'third')
    ok(content(post) == b'SECRET\n', 'control: it does when it is written '
       'outside', content(post))


def test_autostash(place):
    hook = place.work + '/.husky/pre-commit'
    write(hook, '#!/bin/sh\nevil\n')
    stash = place.git('stash', 'create').stdout.strip()
    place.git('checkout', '-q', '.')
    script = 'echo %s >.git/MERGE_AUTOSTASH' % stash
    done = place.run('sh', '-c', script)
    place.git('commit', '-q', '--allow-empty', '-m', 'second')
    ok(done.returncode != 0 and content(hook) == b'#!/bin/sh\n',
       'a stash that the next commit applies', done.stderr)
    subprocess.run(('sh', '-c', script), cwd=place.work)
    place.git('commit', '-q', '--allow-empty', '-m', 'third')
    ok(content(hook) == b'#!/bin/sh\nevil\n',
       'control: it does when it is written outside', content(hook))


def test_links(place):
    target = place.home + '/.bashrc'
    for link, make in (('logs/refs/heads/evil', 'ln -s %s .git/%s'),
                       ('logs/refs/x', 'ln -s %s x; mv x .git/%s'),
                       ('refs/heads/evil', 'ln -s %s x; ln x .git/%s')):
        write(target, '')
        done = place.run('sh', '-c', make % (target, link))
        ok(done.returncode != 0 and
           not os.path.lexists(place.work + '/.git/' + link),
           'a symlink in a git directory: ' + link, done.stderr)
    other = os.path.join(place.home, '.local/state/cordon/homes')
    names = os.listdir(other)
    for text in ('d/cordon/homes/%s/ev' % names[0], '/proc/self/cwd',
                 '/proc/1/cwd', 'd/proc/12/cwd', '../../../../../proc',
                 '/dev/fd/3'):
        done = place.run('ln', '-s', text, 'led')
        ok(names and done.returncode != 0 and
           not os.path.lexists(place.work + '/led'),
           'a symlink that leads to a run: ' + text[:20], done.stderr)
    done = place.run('sh', '-c', 'ln -s f g; ln -s ../f .husky-link; '
                     'ln -s /usr/bin/env h; ln -s nothing/proc/x i; test -L g')
    ok(done.returncode == 0 and os.path.islink(place.work + '/g'),
       'control: elsewhere they are made', done.stderr)


EVERYDAY = '''set -e
for v in 2 3 4; do git update-index --index-version $v; echo $v >v$v
git add v$v; git commit -q -m v$v; done
git mv v2 moved; git rm -q v3; git commit -q -m names
git update-index --chmod=+x v4; git add -N .; git stash -q || :
mkdir many; cd many; seq 12000 | xargs touch; cd ..
git -c index.threads=2 add many; git -c index.threads=2 commit -q -m many
git -c index.threads=2 status --short; git update-index --split-index
echo 1 >s; git add s; git update-index --no-split-index; git commit -q -m s
git update-index --untracked-cache; git status --short
git checkout -q HEAD~1 -- many; git reset -q --hard
git merge-base HEAD HEAD~1 >/dev/null; git fsck --no-dangling
'''


def test_everyday(place):
    first = place.head()
    for isolation in ('none', 'auto'):
        done = place.run('sh', '-c', EVERYDAY, isolation=isolation)
        ok(done.returncode == 0 and place.git('status', '--short').stdout == ''
           and place.git('fsck').returncode == 0,
           'every kind of index that git writes, isolation %s' % isolation,
           done.stdout + done.stderr + place.git('status', '--short').stdout)
        place.git('reset', '-q', '--hard', first)
        place.git('clean', '-q', '-d', '-f')
    place.git('commit', '-q', '--allow-empty', '-m', 'second')
    done = place.run('sh', '-c', '''set -e
git checkout -q -b c HEAD~1; echo c >f; git commit -q -a -m c
git checkout -q main; echo d >f; git commit -q -a -m d; ! git merge c
echo e >f; git add f; git commit -q -m merged''')
    ok(done.returncode == 0, 'a conflict', done.stderr)
    place.git('config', 'rerere.enabled', 'true')
    done = place.run('sh', '-c', '''set -e
git checkout -q -b c2 HEAD~1; echo c2 >f; git commit -q -a -m c2
git checkout -q main; echo d2 >f; git commit -q -a -m d2; ! git merge c2
echo e >f; git add f; git commit -q -m merged2''')
    ok(done.returncode == 0, 'and where rerere is on', done.stderr)


RACER = r'''
import os, sys, time
role, where, tries = sys.argv[1], sys.argv[2], int(sys.argv[3])
head, other, refs = where + '/HEAD', where + '/X_HEAD', where + '/refs'
open(sys.argv[4] + role, 'w').close()
while not all(os.path.exists(sys.argv[4] + each) for each in 'rh'):
    time.sleep(0.01)
def complete():
    return os.path.exists(head) and os.path.exists(refs)
def look():
    """What was made last is taken away, by the one that made it."""
    if complete():
        time.sleep(0.3)
        if complete():
            print('COMPLETE')
            sys.exit()
for _ in range(tries):
    try:
        if role == 'r':
            os.mkdir(refs)
            look()
            os.rmdir(refs)
        else:
            os.rename(other, head)
            look()
            os.rename(head, other)
    except OSError:
        look()
'''


def test_two_runs(place):
    """Each makes one part of a repository; neither sees the other's before."""
    write(place.top + '/racer.py', RACER)
    where = place.work + '/.git'
    os.rename(where + '/HEAD', where + '/X_HEAD')
    shutil.rmtree(where + '/refs')
    runs = [subprocess.Popen(
        (CORDON, 'run', '--quiet', '--isolation', 'none', '--read',
         place.top + '/racer.py', '--', 'python3', place.top + '/racer.py',
         role, where, '1000', place.work + '/go.'), cwd=place.work,
        env=place.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True) for role in 'rh']
    said = ''.join(run.communicate()[0] for run in runs)
    ok('COMPLETE' not in said and not (
        os.path.exists(where + '/HEAD') and os.path.exists(where + '/refs')),
       'two runs do not complete a repository together', said)
    for name in ('/HEAD', '/refs'):
        if os.path.exists(where + name):
            os.rename(where + name, where + name + '.old')
    done = place.run('mkdir', '.git/refs')
    ok(done.returncode == 0 and os.path.exists(where + '/refs'),
       'control: a part alone is made', done.stderr)


def test_taken_apart(place):
    """What is no repository any more could be written, and repaired."""
    where, oid = place.evil_repository()
    for way in ('os.unlink(".git/HEAD")', 'os.rename(".git/HEAD", ".git/X_HEAD")',
                'os.rename(".git/objects", ".git/lfs")',
                'os.rename(".git/refs", ".git/logs/refs/refs")',
                'os.system("git pack-refs --all"); '
                'shutil.rmtree(".git/refs")'):
        done = place.run('python3', '-c', 'import os, shutil; ' + way)
        ok(done.returncode != 0 and place.git('status').returncode == 0,
           'a repository is not taken apart: ' + way, done.stderr)
    os.rename(place.work + '/.git/HEAD', place.work + '/.git/X_HEAD')
    attack(place, where, '160000', oid, 'direct')
    os.rename(place.work + '/.git/X_HEAD', place.work + '/.git/HEAD')
    place.git('status')
    ok(not place.pwned(), 'nor is the index of one that is incomplete '
       'written')
    done = place.run('sh', '-c', 'git checkout -q -b new; git branch -D main; '
                     'git pack-refs --all --prune; git gc -q')
    ok(done.returncode == 0, 'control: git changes HEAD and refs',
       done.stderr)


def test_sha256(place):
    where = place.work + '/sub'
    os.makedirs(where)
    place.git('init', '-q', '--object-format=sha256', cwd=where)
    write(where + '/f', '1')
    done = place.run('sh', '-c', 'cd sub; git add f; git commit -q -m 1')
    ok(done.returncode == 0 and
       place.git('ls-files', cwd=where).stdout == 'f\n',
       'a repository of SHA-256', done.stderr)


def test_worktree(place):
    tree = place.top + '/wt'
    place.git('worktree', 'add', '-q', '-b', 'side', tree)
    where, oid = place.evil_repository()
    index = place.work + '/.git/worktrees/wt/index'
    place.work, main = tree, place.work
    git = main + '/.git/worktrees/wt'
    for way in ('direct', 'lock'):
        done = place.run('python3', place.top + '/attack.py', git, '160000',
                         oid, where, way)
        place.git('status')
        ok(not place.pwned() and done.returncode != 0,
           'the index of a linked worktree: ' + way, done.stderr)
        if os.path.exists(index + '.lock'):
            os.unlink(index + '.lock')
    done = place.run('sh', '-c', 'echo 2 >f; git commit -q -a -m second')
    ok(done.returncode == 0, 'control: git writes it', done.stderr)


for each in (test_gitlink, test_paths, test_rerere, test_autostash,
             test_links, test_two_runs, test_taken_apart, test_everyday, test_sha256, test_worktree):
    in_place(each)
print('1..%d' % points)
sys.exit(failures > 0)
