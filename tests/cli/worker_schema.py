#!/usr/bin/env python3
"""The JSON Schema of workers agrees with the loader, says an independent
validator: every document below is judged by both.

    worker_schema.py COMMAND
"""

import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as error:
    print('ok 1 # SKIP %s' % error)
    print('1..1')
    sys.exit(os.environ.get('CORDON_MUST_WORK') == '1')

WHOLE = '''
name: w
description: text
fsProfile: dev
executor: {sandbox: auto, allow_fallback: false}
sandbox:
  paths:
    a: {root: ./a, mode: rw, suffixes: [.md], max_file_bytes: 10}
    b: {root: ~/b}
  network: false
  require_os_sandbox: true
attachment_policy: {max_count: 0, max_total_bytes: 1M}
tool_rules: {shell: {approval_required: true}}
shell_rules:
  - {pattern: git push, approval_required: true, grants: {network: true, read: [/a], write: [b], sockets: [/s]}}
shell_default: {approval_required: false}
programs: []
modules: {shell: {constraints: {unrestricted: false, allowed_paths: [/tmp]}}}
'''
GOOD = [
    WHOLE, '{}', 'name: w', 'sandbox: {}', 'sandbox: {paths: {}}',
    'executor: {sandbox: linux-bwrap}', 'programs: [git, /usr/bin/make]',
    'sandbox: {paths: {a: {root: x, max_file_bytes: 12K}}}',
    'shell_rules: []', 'modules: {mcp: {}}', 'tool_rules: {}',
    'shell_rules: [{pattern: a, approval_required: false}]',
]
BAD = [
    'nam: x', '[]', 'text', 'name: []', 'name: ""', 'fsProfile: {}',
    'sandbox: {paths: {a: {mode: ro}}}',
    'sandbox: {paths: {a: {root: x, mode: wx}}}',
    'sandbox: {paths: {a: {root: ""}}}',
    'sandbox: {paths: {a: {root: x, suffixes: [md]}}}',
    'sandbox: {paths: {a: {root: x, suffixes: .md}}}',
    'sandbox: {paths: {a: {root: x, max_file_bytes: -1}}}',
    'sandbox: {paths: {a: {root: x, max_file_bytes: many}}}',
    'sandbox: {paths: [a]}', 'sandbox: {network: full}',
    'sandbox: {network: 1}', 'sandbox: {require_os_sandbox: []}',
    'executor: {sandbox: docker}', 'executor: {fallback: true}',
    'attachment_policy: {max_count: x}',
    'tool_rules: {shell: {}}', 'tool_rules: {no_tool: {approval_required: true}}',
    'tool_rules: {shell: {approval_required: 1}}',
    'shell_rules: {}', 'shell_rules: [{pattern: x}]',
    'shell_rules: [{approval_required: true}]',
    'shell_rules: [{pattern: "", approval_required: true}]',
    'shell_rules: [{pattern: a, approval_required: true, grants: {root: x}}]',
    'shell_default: true', 'shell_default: {}', 'programs: git',
    'programs: [[]]', 'modules: []', 'modules: {mcp: {allowed_paths: []}}',
    'modules: {mcp: {constraints: {unrestricted: maybe}}}',
    'modules: {database: {}}',
    'sandboxes: {a: {path: ./a}}',
    'tool_rules: {sandbox_read_text: {approval_required: true}}',
]


def loads(command, text):
    with tempfile.NamedTemporaryFile('w', suffix='.yaml') as file:
        file.write(text)
        file.flush()
        done = subprocess.run([command, 'worker', 'validate', file.name],
                              capture_output=True, text=True, check=False)
    return done.returncode == 0


def main():
    command = sys.argv[1]
    schema = json.loads(subprocess.run(
        [command, 'policy', 'schema', 'worker'], capture_output=True,
        check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    points = failures = 0
    for want, texts in ((True, GOOD), (False, BAD)):
        for text in texts:
            loader = loads(command, text)
            says = validator.is_valid(yaml.safe_load(text))
            good = loader == want and says == want
            points += 1
            failures += not good
            print('%sok %d - %svalid: %s' % (
                '' if good else 'not ', points, '' if want else 'in',
                ' '.join(text.split())[:60].replace('#', '')))
            if not good:
                print('# loader: %s, schema: %s' % (loader, says))
    print('1..%d' % points)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
