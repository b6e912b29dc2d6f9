#!/usr/bin/env python3
"""cases.tsv is complete, and whatever it refers to is there.

<<<<<<< HEAD
<<<<<<< HEAD
<<<<<<< HEAD
<<<<<<< HEAD
Each number from 1 to 186 stands there once.  A case that is tried elsewhere
=======
Each number from 1 to 185 stands there once.  A case that is tried elsewhere
>>>>>>> w-net
=======
Each number from 1 to 187 stands there once.  A case that is tried elsewhere
>>>>>>> w-seen
=======
Each number from 1 to 186 stands there once.  A case that is tried elsewhere
>>>>>>> w-home
=======
Each number from 1 to 190 stands there once.  A case that is tried elsewhere
>>>>>>> w-tools
names a file and a text that it holds; one that is tried here has a probe, or is
named in a script; and no probe is without a case.  Limits are ids that the
plan's tables have (docs/limits.md).
"""

import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
CASES = 212
LATER = {'tools', 'approvals', 'mcp'}

points = failures = 0


def ok(good, text):
    global points, failures
    points += 1
    failures += not good
    print('%sok %d - %s' % ('' if good else 'not ', points, text))


def read(path):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read()
    except OSError:
        return None


def rows():
    for line in read(os.path.join(HERE, 'cases.tsv')).splitlines():
        if not line.startswith('#'):
            yield line.split('\t')


def probes():
    out = subprocess.run([os.environ['CORDON_ESCAPE'], 'list'], check=True,
                         capture_output=True, text=True).stdout
    return {line.split()[0].split('-')[0] for line in out.splitlines()}


def scripts():
    found = set()
    for name in ('policies', 'programs', 'handoff', 'limits'):
        text = read(os.path.join(HERE, name + '.sh'))
        found |= set(re.findall(r'^tried (\d+)', text, re.M))
        found |= set(re.findall(r"^(?:files=')?(\d+)-\w+ \S+'?$", text, re.M))
    return found


def is_there(place):
    file, text = place.split('#', 1)
    content = read(os.path.join(TESTS, file))
    return content is not None and text in content


def check(number, where, limit, have, ids):
    for place in where.split('; '):
        if place.startswith('later: '):
            ok(place[7:] in LATER and where == place,
               '%s: %s' % (number, place))
        elif place in have:
            ok(number in have[place], '%s: there is a %s' % (number, place))
        else:
            ok('#' in place and is_there(place),
               '%s: %s' % (number, place.replace('#', ': ')))
    for one in limit.split(','):
        name, _, name_id = one.rpartition('=')
        ok(one == '-' or (name_id in ids and
                          name.split('-')[0] in ('', number)),
           '%s: limit %s' % (number, one))


def main():
    table = list(rows())
    ok([int(row[0]) for row in table] == list(range(1, CASES + 1)),
       'every case stands there once')
    have = {'probe': probes(), 'part': scripts()}
    page = read(os.path.join(os.path.dirname(TESTS), 'docs', 'limits.md'))
    ids = set(re.findall(r'^\| `([a-z0-9-]+)` \|', page, re.M))
    for number, where, limit, _ in table:
        check(number, where, limit, have, ids)
    for kind, found in have.items():
        wanted = {row[0] for row in table if kind in row[1].split('; ')}
        ok(found == wanted, 'no %s without a case: %s' %
           (kind, ' '.join(sorted(found ^ wanted))))
    print('1..%d' % points)
    return failures > 0


raise SystemExit(main())
