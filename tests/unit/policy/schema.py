#!/usr/bin/env python3
"""The JSON Schema agrees with the loader, says an independent validator.

Every golden policy that loads is valid; every one that does not is invalid,
except where a schema cannot know (UNSEEN), and there it is valid.
"""

import os
import sys

try:
    import json
    import jsonschema
    import yaml
except ImportError as error:
    print('ok 1 # SKIP %s' % error)
    print('1..1')
    sys.exit(os.environ.get('CORDON_MUST_WORK') == '1')

# What is no longer visible when YAML has become data, and what needs more
# than one place to look at.
UNSEEN = set('''
    bytes-byte-order-mark bytes-lone-carriage-return bytes-text-direction
    bytes-utf16 yaml-alias yaml-key-twice yaml-lone-bang yaml-plain-over-lines
    yaml-tag-directive yaml-too-deep version-fraction
    rule-denied rule-intricate rule-not-covered exception-place
'''.split())
# Another reader takes these for something else, or for nothing.
UNREAD = set('''
    bytes-hidden-line-end yaml-complex-key yaml-tags yaml-two-documents
    yaml-unquoted-bang yaml-unquoted-star-name
'''.split())


class Core(yaml.SafeLoader):
    """Scalars as YAML 1.2 reads them: `yes` and dates are text."""


Core.yaml_implicit_resolvers = {}
for tag, pattern, first in (
        ('null', r'^(?:~|null|Null|NULL|)$', list('~nN') + ['']),
        ('bool', r'^(?:true|True|TRUE|false|False|FALSE)$', list('tTfF')),
        ('int', r'^[-+]?[0-9]+$', list('-+0123456789')),
        ('float', r'^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$',
         list('-+.0123456789')),
):
    Core.add_implicit_resolver('tag:yaml.org,2002:' + tag,
                               yaml.resolver.re.compile(pattern), first)
Core.add_constructor('tag:yaml.org,2002:int',
                     lambda loader, node: int(loader.construct_scalar(node)))


def read(path):
    """The document as data; what cannot be read is valid nowhere."""
    try:
        with open(path, 'rb') as file:
            return yaml.load(file, Core)
    except (yaml.YAMLError, ValueError):
        return None


def main():
    source = os.environ.get('CORDON_SOURCE', '.')
    folder = os.path.join(source, 'tests/golden/policy')
    with open(os.path.join(source, 'schema/cordon-policy.schema.json'),
              encoding='utf-8') as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    names = set(os.listdir(folder))
    points = failures = 0

    for name in sorted(names - UNREAD):
        case = os.path.join(folder, name)
        want = name in UNSEEN or \
            os.path.exists(os.path.join(case, 'expect.yaml'))
        problems = list(validator.iter_errors(
            read(os.path.join(case, 'policy.yaml'))))
        good = want == (not problems)
        points += 1
        failures += not good
        print('%sok %d - %s is %svalid' % ('' if good else 'not ', points,
                                           name, '' if want else 'in'))
        for problem in problems if not good else []:
            print('# %s: %s' % (problem.json_path, problem.message[:200]))
    points += 1
    missing = (UNSEEN | UNREAD) - names
    failures += len(missing) > 0
    print('%sok %d - every exception is a case %s' % (
        'not ' if missing else '', points, ' '.join(missing)))
    print('1..%d' % points)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
