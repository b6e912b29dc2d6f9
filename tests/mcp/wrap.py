#!/usr/bin/env python3
"""`cordon mcp wrap` on documents that nobody thought of.  TAP.

Made at random, from a fixed seed, and read by Python's own readers before and
after: only the commands and arguments of servers may differ, and --undo gives
the bytes back.  CORDON_TRIES times as many.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import tomllib
except ImportError:    # Python before 3.11
    tomllib = None

CORDON = os.environ['CORDON']
COUNT = 40 * int(os.environ.get('CORDON_TRIES', '1'))
WORDS = ['node', 'npx', '-y', './s', 'a b', '"', "it's", '\\', 'é', '$X', '#',
         '//', '/* */', ',', ']', '}', '--', 'mcp', 'guard', 'cordon', '\t']

count = failures = 0


def ok(good, what, why=''):
    global count, failures
    count += 1
    print('%sok %d - %s' % ('' if good else 'not ', count, what), flush=True)
    if not good:
        failures += 1
        print('# ' + str(why).replace('\n', '\n# '), flush=True)


# ----- Documents -----------------------------------------------------------------

def server(r):
    if r.random() < 0.2:
        return {'url': 'https://x/' + r.choice(WORDS)}
    made = {'command': r.choice(WORDS)}
    if r.random() < 0.7:
        made['args'] = r.choices(WORDS, k=r.randrange(4))
    if r.random() < 0.4:
        made['env'] = {'A': r.choice(WORDS)}
    pairs = list(made.items())
    r.shuffle(pairs)
    return dict(pairs)


def servers(r):
    return {'s%d%s' % (i, r.choice(['', '-x', '.y', ' z', '"'])): server(r)
            for i in range(r.randrange(4))}


def space(r, lines=True):
    return ''.join(r.choices([' ', '\t', '\n' if lines else ' ', ''], k=2))


def comment(r):
    return r.choice(['', '', '// "args": [\n', '/* } \n"command" */', '\n'])


def jsonc(r, value):
    """Any spelling that means value."""
    def around(text):
        return space(r) + comment(r) + text + comment(r) + space(r)
    if isinstance(value, dict):
        parts = [around(jsonc(r, k)) + ':' + around(jsonc(r, v))
                 for k, v in value.items()]
    elif isinstance(value, list):
        parts = [around(jsonc(r, v)) for v in value]
    else:
        text = json.dumps(value, ensure_ascii=r.random() < 0.5)
        return text
    last = ',' if parts and r.random() < 0.3 else ''
    inner = ','.join(parts) + last + comment(r)
    return ('{%s}' if isinstance(value, dict) else '[%s]') % inner


def toml_string(r, text, lines=True):
    kinds = ['basic']
    if "'" not in text:
        kinds.append('literal')
    if lines and not text.endswith(('"', '\\')) and '"' not in text:
        kinds.append('lines')
    kind = r.choice(kinds)
    if kind == 'literal':
        return "'%s'" % text
    escaped = json.dumps(text, ensure_ascii=r.random() < 0.5)
    if kind == 'lines':
        return '""' + escaped[:1] + r.choice(['', '\n', '\\\n  \n ']) + \
            escaped[1:] + '""'
    return escaped


def toml_key(r, text):
    bare = text.replace('-', '').isalnum() and text.isascii()
    return text if bare and r.random() < 0.7 else toml_string(r, text, False)


def toml_value(r, value, inline=False):
    if isinstance(value, str):
        return toml_string(r, value, not inline)
    if isinstance(value, list):
        gap = ' ' if inline else r.choice([' ', '\n', ' # ] "x"\n'])
        items = [toml_value(r, v, inline) for v in value]
        last = ',' if items and r.random() < 0.3 else ''
        return '[' + gap + (',' + gap).join(items) + last + gap + ']'
    return '{' + ', '.join('%s = %s' % (toml_key(r, k),
                                        toml_value(r, v, True))
                           for k, v in value.items()) + '}'


def toml(r, all_servers):
    out = ['model = "x" # [mcp_servers.no]', 'd = 1979-05-27 07:32:00',
           "t = '''\n[mcp_servers.no]\ncommand = \"n\"\n'''", '']
    late = []
    for name, made in all_servers.items():
        form = r.randrange(3)
        key = 'mcp_servers.' + toml_key(r, name)
        if form == 0:
            out.append('%s = %s' % (key, toml_value(r, made, True)))
        elif form == 1:
            out += ['%s%s . %s = %s %s' % (space(r, False), key, toml_key(r, k),
                                         toml_value(r, v),
                                         r.choice(['', '# "']))
                    for k, v in made.items()]
        else:
            late.append('[%s]%s' % (key, r.choice(['', ' # x'])))
            late += ['%s%s = %s' % (space(r, False), toml_key(r, k),
                                    toml_value(r, v))
                     for k, v in made.items()]
    if not all_servers:
        late.append('[mcp_servers]')
    end = r.choice(['\n', '\r\n'])
    text = '\n'.join(out + late) + '\n'
    return text if end == '\n' or '"""' in text or "'''" in text else \
        text.replace('\n', end)


# ----- Judging -----------------------------------------------------------------

def wrapped(made):
    """What a server must have become."""
    args = made.get('args', [])
    if 'url' in made or (made['command'] == 'cordon' and
                         args[:2] == ['mcp', 'guard']):
        return made
    how = '--wrapped=' + ('args' if 'args' in made else 'bare')
    return dict(made, command='cordon',
                args=['mcp', 'guard', how, '--', made['command']] + args)


def is_open(made):
    """It says itself guarded, and is not as we would do it."""
    args = made.get('args', [])
    return wrapped(made) == made and 'url' not in made and \
        not (args[2:3] == ['--'] and len(args) > 3)


def run(*words):
    folder = os.path.dirname(os.path.abspath(CORDON))
    return subprocess.run([CORDON, 'mcp', 'wrap', *words],
                          env=dict(os.environ, PATH=folder + ':/usr/bin:/bin'),
                          stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)


def read(file):
    with open(file, 'rb') as stream:
        return stream.read()


def one(file, text, before, load):
    """None, or what is wrong."""
    with open(file, 'wb') as stream:
        stream.write(text.encode())
    if load is not None and load(text) != before:
        return 'the test itself is wrong: %r' % text
    done = run(file)
    if done.returncode != any(is_open(each) for each in before.values()):
        return '%r\n%r' % (text, done)
    now = read(file).decode()
    if load is not None:
        want = {name: wrapped(made) for name, made in before.items()}
        if load(now) != want:
            return '%r\n%r' % (text, now)
    done = run('--undo', file)
    if done.returncode != 0 or read(file) != text.encode():
        return 'undo: %r\n%r' % (text, read(file))
    return None


def strict(text):
    return json.loads(text)['mcpServers']


def main():
    with tempfile.TemporaryDirectory(prefix='cordon-wrap.') as top:
        for seed in range(COUNT):
            r = random.Random(seed)
            made = servers(r)
            document = {'x': [1, {'command': 'no'}], 'mcpServers': made}
            text = json.dumps(document, indent=r.choice([None, 2, '\t']),
                              ensure_ascii=r.random() < 0.5)
            wrong = [one(top + '/a.json', text, made, strict),
                     one(top + '/b.json', jsonc(r, document), made, None)]
            if tomllib is not None:
                wrong.append(one(
                    top + '/c.toml', toml(r, made), made,
                    lambda t: tomllib.loads(t).get('mcp_servers', {})))
            wrong = [text for text in wrong if text is not None]
            ok(not wrong, 'documents of seed %d' % seed, '\n'.join(wrong))
    print('1..%d' % count)
    return 1 if failures else 0


sys.exit(main())
