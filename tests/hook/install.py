#!/usr/bin/env python3
"""`cordon hook install`, `uninstall` and `status`.  TAP.

Settings are made at random, from a fixed seed, with comments and in any spelling,
and read by Python's own reader before and after: only our entries may differ,
and uninstalling gives the bytes back.  CORDON_TRIES times as many.
"""

import hashlib
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

import agent
from agent import CORDON, DIALECTS, PATIENCE, World, ok

COUNT = 25 * int(os.environ.get('CORDON_TRIES', '1'))
EVENTS = {'cursor': ['preToolUse', 'beforeShellExecution',
                     'beforeMCPExecution', 'beforeReadFile']}


def events(name):
    return EVENTS.get(name, [DIALECTS[name]['event']])


def state(world, name, *more):
    run = world.cordon('hook', 'status', '--json', *more, name)
    return (run.returncode,
            json.loads(run.stdout)['state'] if run.stdout else run.stderr)


def install(world, name, *more):
    return world.cordon('hook', 'install', *more, name)


def uninstall(world, name, *more):
    return world.cordon('hook', 'uninstall', *more, name)


# ----- Documents ------------------------------------------------------------------------

def spell(r, value, comments=True):
    def gap():
        text = ''.join(r.choices([' ', '\t', '\n', ''], k=2))
        if comments and r.random() < 0.15:
            text += r.choice(['// "hooks": [\n', '/* } , ] */', '//\n'])
        return text
    if isinstance(value, dict):
        parts = [gap() + json.dumps(key) + gap() + ':' +
                 gap() + spell(r, one, comments) + gap()
                 for key, one in value.items()]
        ends = '{}'
    elif isinstance(value, list):
        parts = [gap() + spell(r, one, comments) + gap() for one in value]
        ends = '[]'
    else:
        return json.dumps(value, ensure_ascii=r.random() < 0.5)
    text = ','.join(parts)
    if comments and parts and r.random() < 0.2:
        text += ',' + gap()
    return ends[0] + (text or gap()) + ends[1]


def settings(r, name):
    def entry():
        one = {'type': 'command', 'command': r.choice(
            ['true', 'echo "hook claude --installed"', "it's", 'é'])}
        return one if name == 'cursor' else {
            'matcher': r.choice(['*', 'Bash', '']),
            'hooks': [one] * r.randrange(3)}
    made = {'model': 'x', 'permissions': {'allow': ['Bash(ls)', '}']},
            'n': [1, 2.5e3, None, True]}
    if r.random() < 0.7:
        made['hooks'] = {
            event: [entry() for _ in range(r.randrange(3))]
            for event in events(name) + ['Stop'] if r.random() < 0.6}
    keys = r.sample(list(made), r.randrange(len(made) + 1))
    return {key: made[key] for key in keys}


def without(text):
    """Comments and last commas away: what Python can read."""
    out, i, last = [], 0, None
    while i < len(text):
        if text[i] == '"':
            end = i + 1
            while text[end] != '"':
                end += 2 if text[end] == '\\' else 1
            out.append(text[i:end + 1])
            i, last = end + 1, '"'
        elif text.startswith('//', i):
            while i < len(text) and text[i] != '\n':
                i += 1
        elif text.startswith('/*', i):
            i = text.index('*/', i) + 2
        else:
            if text[i] in '}]' and last == ',':
                at = max(k for k, part in enumerate(out) if part == ',')
                out[at] = ''
            if not text[i].isspace():
                last = text[i]
            out.append(text[i])
            i += 1
    return json.loads(''.join(out))


def stripped(value, name):
    """As it was before, if all is well."""
    value = json.loads(json.dumps(value))
    for event in events(name):
        entries = value['hooks'][event]
        value['hooks'][event] = [one for one in entries
                                 if '--installed=' not in json.dumps(one)]
    return value


def same_but_for_empty(before, after):
    """Lists and groups that we made may be empty now."""
    before, after = json.loads(json.dumps(before)), after
    after['hooks'] = {key: one for key, one in after['hooks'].items()
                      if one or key in before.get('hooks', {})}
    if not after['hooks'] and 'hooks' not in before:
        del after['hooks']
    return before == after


def check_random(world, name):
    place = 'home/' + DIALECTS[name]['file']
    os.makedirs(os.path.dirname(world.path(place)), exist_ok=True)
    r = random.Random('%s %s' % (name, os.environ.get('CORDON_SEED', '')))
    wrong = []
    for _ in range(COUNT):
        before = settings(r, name)
        text = spell(r, before)
        world.write(place, text)
        os.chmod(world.path(place), 0o640)
        first = install(world, name)
        added = world.read(place)
        again = install(world, name)
        if (first.returncode or again.returncode or
                world.read(place) != added or
                b'nothing changes' not in again.stderr or
                not same_but_for_empty(before,
                                       stripped(without(added), name)) or
                state(world, name)[1] not in ('installed', 'untrusted') or
                os.stat(world.path(place)).st_mode & 0o777 != 0o640):
            wrong.append(('install', text, added, first, again))
        gone = uninstall(world, name)
        if gone.returncode or world.read(place) != text:
            wrong.append(('uninstall', text, world.read(place), gone))
    ok(not wrong, '%s: %d documents get the hook, and their bytes back' %
       (name, COUNT), wrong[:1])
    os.unlink(world.path(place))


# ----- By hand ---------------------------------------------------------------------------

def check_new(world, name):
    place = 'home/' + DIALECTS[name]['file']
    ok(state(world, name) == (1, 'absent'), name + ': status says no')
    shown = install(world, name, '--dry-run')
    ok(shown.returncode == 0 and b'--installed=file' in shown.stdout and
       world.read(place) is None, name + ': --dry-run only shows', shown)
    done = install(world, name)
    ok(done.returncode == 0 and done.stdout == shown.stdout,
       name + ': what was shown is done', done)
    made = json.loads(world.read(place))
    found = agent.commands(world, name)
    ok(len(found) == 1 and shlex.split(found[0])[:3] == [
        CORDON, 'hook', name] and
       found[0].endswith(" || sh -c 'echo blocked by cordon >&2; exit 2'"),
       name + ': by its absolute path, and whatever happens it is a 2', found)
    ok(all(len(made['hooks'][event]) == 1 for event in events(name)),
       name + ': on every event that asks', made)
    ok(os.stat(world.path(place)).st_mode & 0o777 == 0o600,
       name + ': for nobody else to read')
    want = (1, 'untrusted') if name == 'codex' else (0, 'installed')
    ok(state(world, name) == want, '%s: status says %s' % (name, want[1]),
       state(world, name))
    if name == 'claude':
        ok(made['hooks']['PreToolUse'][0]['hooks'][0]['onFailure'] == 'block',
           'claude: a failure blocks, by its own word, too')
    if name == 'cursor':
        ok(made['version'] == 1 and all(
            made['hooks'][event][0]['failClosed'] for event in events(name)),
           'cursor: the same')
        ok(b'documentation' in done.stderr, 'cursor: it says how it knows')
    if name == 'codex':
        ok(b'not trusted' in done.stderr and b'/hooks' in done.stderr,
           'codex: that it must be trusted is said', done)
    other = world.cordon('hook', 'install', name, '--', '--profile', 'x')
    ok(other.returncode == 0 and state(world, name)[1] == 'other' and
       "'--profile' 'x'" in agent.commands(world, name)[0] and
       len(json.loads(world.read(place))['hooks'][events(name)[0]]) == 1,
       name + ': with other options it takes the place of the first', other)
    # Agents write their settings themselves, in their own way.
    world.write(place, json.dumps(json.loads(world.read(place)), indent=2))
    gone = uninstall(world, name)
    ok(gone.returncode == 0 and world.read(place) is None,
       name + ': a file that was not there is not there again', gone)
    ok(uninstall(world, name).returncode == 0,
       name + ': there is nothing to be done a second time')


def check_refused(world, name):
    place = world.path('home/' + DIALECTS[name]['file'])
    for what, text in (('no JSON', '{'), ('a list', '[]'), ('empty', ''),
                       ('hooks that are none', '{"hooks":[]}'),
                       ('an event that is none',
                        '{"hooks":{"%s":{}}}' % events(name)[0]),
                       ('a key twice', '{"a":1,"a":2}')):
        with open(place, 'w', encoding='utf-8') as file:
            file.write(text)
        run = install(world, name)
        with open(place, encoding='utf-8') as file:
            ok(run.returncode == 2 and run.stderr != b'' and
               file.read() == text,
               '%s: %s is refused and stays' % (name, what), run)
    os.unlink(place)
    world.write('elsewhere.json', '{}')
    os.symlink(world.path('elsewhere.json'), place)
    run = install(world, name)
    ok(run.returncode == 2 and b'symbolic link' in run.stderr and
       world.read('elsewhere.json') == '{}',
       name + ': a link is not followed', run)
    os.unlink(place)
    folder = os.path.dirname(place)
    os.rename(folder, folder + '.was')
    os.symlink(world.workspace, folder)
    run = install(world, name)
    ok(run.returncode == 2 and sorted(os.listdir(world.workspace)) ==
       ['secret.txt', 'src'], name + ': nor is one to a directory', run)
    os.unlink(folder)
    os.rename(folder + '.was', folder)
    if os.geteuid() == 0:
        with open(place, 'w', encoding='utf-8') as file:
            file.write('{}')
        try:
            os.chown(place, 12345, 12345)
        except OSError:    # a namespace of one user
            os.unlink(place)
            return
        run = install(world, name)
        ok(run.returncode == 2 and b'somebody else' in run.stderr,
           name + ': a file of somebody else is left alone', run)
        os.unlink(place)


def check_project(world, name):
    place = world.path('ws/' + DIALECTS[name]['file'])
    run = install(world, name, '--workspace', world.workspace)
    with open(place, encoding='utf-8') as file:
        text = file.read()
    ok(run.returncode == 0 and "'--workspace' '%s'" % world.workspace in
       json.dumps(json.loads(text)), name + ": in a project's settings", run)
    ok(state(world, name)[1] == 'absent' and
       state(world, name, '--workspace', '.')[1] in ('installed', 'untrusted'),
       name + ': and there alone')
    run = uninstall(world, name, '--workspace', '.')
    ok(run.returncode == 0 and not os.path.exists(place),
       name + ': and out again', run)
    os.rmdir(os.path.dirname(place))


def check_off(world):
    for name, text in (('claude', '{"disableAllHooks":true}'),
                       ('gemini', '{"hooksConfig":{"enabled":false}}')):
        world.write('home/' + DIALECTS[name]['file'], text)
        run = install(world, name)
        ok(state(world, name) == (1, 'off') and b'turns hooks off' in
           run.stderr, name + ': settings that turn hooks off are seen', run)
        uninstall(world, name)
        os.unlink(world.path('home/' + DIALECTS[name]['file']))
    install(world, 'codex')
    file = world.path('home/.codex/hooks.json')
    command, = agent.commands(world, 'codex')
    # As Codex 0.166 makes it, seen in its hooks/list.
    digest = hashlib.sha256(json.dumps(
        {'event_name': 'pre_tool_use', 'matcher': '*', 'hooks': [
            {'type': 'command', 'command': command, 'timeout': 30,
             'async': False}]}, sort_keys=True,
        separators=(',', ':')).encode()).hexdigest()
    for whose, known, want in (
            (file, digest, (0, 'installed')),
            ('/other/hooks.json', digest, (1, 'untrusted')),
            (file, '0' * 64, (1, 'untrusted'))):
        world.write('home/.codex/config.toml',
                    '[hooks.state."%s:pre_tool_use:0:0"]\n'
                    'trusted_hash = "sha256:%s"\n' % (whose, known))
        ok(state(world, 'codex') == want,
           'codex: %s, by what is on record' % want[1], state(world, 'codex'))
    uninstall(world, 'codex')
    os.unlink(world.path('home/.codex/config.toml'))


def check_quoting(world):
    """A program and options that a shell would take apart."""
    place = world.path("it's a \"dir\" $(x)")
    os.mkdir(place)
    program = os.path.join(place, 'cordon')
    with open(CORDON, 'rb') as src, open(program, 'wb') as dst:
        dst.write(src.read())
    os.chmod(program, 0o755)
    run = subprocess.run([program, 'hook', 'install', 'claude', '--',
                          '--profile', "a 'b' $c"], env=world.env,
                         cwd=world.workspace, capture_output=True,
                         timeout=PATIENCE, check=False)
    command, = agent.commands(world, 'claude')
    ok(shlex.split(command)[:6] == [program, 'hook', 'claude',
                                    '--installed=file', '--profile',
                                    "a 'b' $c"],
       'names are quoted for the shell', (run, command))
    asked = agent.Asked(world, 'claude', 'x')
    ok(asked.status == 2 and 'could not judge' in asked.heard,
       'and it is found by that name', asked)
    uninstall(world, 'claude')


def findings(world):
    run = world.cordon('doctor', '--json')
    return {one['id']: one['severity']
            for one in json.loads(run.stdout)['findings']
            if one['id'].startswith('hook-')}


def check_doctor(world):
    """Agents that this user has, and whether they ask."""
    before = findings(world)
    ok(before == {'hook-' + name: 'note' for name in DIALECTS},
       'doctor: nobody asks', before)
    install(world, 'claude')
    install(world, 'codex')
    world.cordon('hook', 'install', 'gemini', '--', '--profile', 'x')
    now = findings(world)
    ok(now == dict(before, **{'hook-claude': 'ok', 'hook-gemini': 'ok'}),
       'doctor: two do, and Codex does not trust it', now)
    os.rename(world.path('home/.cursor'), world.path('home/gone'))
    ok('hook-cursor' not in findings(world),
       'doctor: who is not here is not spoken of')
    for name in ('claude', 'codex', 'gemini'):
        uninstall(world, name)


def main():
    with tempfile.TemporaryDirectory() as top:
        world = World(top)
        for name in DIALECTS:
            check_new(world, name)
            check_random(world, name)
            check_refused(world, name)
            check_project(world, name)
        check_off(world)
        check_quoting(world)
        check_doctor(world)
        for args in (['install'], ['install', 'nobody'],
                     ['install', 'claude', 'codex'], ['uninstall'],
                     ['status', 'nobody']):
            run = world.cordon('hook', *args)
            ok(run.returncode == 2 and run.stderr != b'',
               'wrong usage: hook ' + ' '.join(args), run)
    return agent.done()


if __name__ == '__main__':
    sys.exit(main())
