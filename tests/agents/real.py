#!/usr/bin/env python3
"""Real agents, offline, with a mock of their model.  TAP.

    real.py AGENT [nobody]

The agent carries out a plan of real tool calls: in its own home without cordon
(the control), then twice inside `cordon run`.  What the model saw is asked of
the mock's log, what happened of the files, what was refused of the audit.

The agents come from npm (../mcp/kit/install.sh kit).  Without them this is a
skip; CORDON_MUST_WORK=1 makes it a failure.  CORDON_TRIES: that many times.
All of it in a network namespace that has only lo.  `nobody`: as uid 65534, in
a home of its own and with the agents mounted where it can read them.
"""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

CORDON = os.environ['CORDON']
HERE = os.path.dirname(os.path.abspath(__file__))
INSTALL = os.path.join(HERE, '../mcp/kit/install.sh')
PATIENCE = 600  # seconds, for what takes a few
SECRET = 'the-secret-itself'

count = failures = 0


def ok(good, what, why=''):
    global count, failures
    count += 1
    print('%sok %d - %s' % ('' if good else 'not ', count,
                            what.replace('#', '')), flush=True)
    if not good:
        failures += 1
        print('# ' + str(why).replace('\n', '\n# '), flush=True)


def skip(why):
    global count
    if os.environ.get('CORDON_MUST_WORK') == '1':
        ok(False, 'must not be skipped here: ' + why)
    else:
        count += 1
        print('ok %d # SKIP %s' % (count, why), flush=True)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def read(path):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read()
    except FileNotFoundError:
        return None


class Model:
    """The mock, with a plan; on an address of loopback."""

    def __init__(self, place, plan):
        self.log = os.path.join(place.top, 'model.log')
        port = os.path.join(place.top, 'port')
        write(place.top + '/plan.json', json.dumps(plan))
        for file in (self.log, port):
            if os.path.exists(file):
                os.unlink(file)
        self.process = subprocess.Popen(
            [place.node, HERE + '/mock_model.mjs', '--port', '0', '--plan',
             place.top + '/plan.json', '--log', self.log, '--portfile', port],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        self.process.stderr.readline()  # it listens
        self.port = read(port)

    def results(self):
        """What came of each step, as the model saw it; by its number."""
        found = {}
        for line in (read(self.log) or '').splitlines():
            request = json.loads(line)
            if request.get('results'):
                found[len(found)] = json.dumps(request['results'])
        return found

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()


# ----- What differs between the agents --------------------------------------------

class Agent:
    """State and settings below the home, and how it is asked for a plan."""

    writes = True       # it has a tool to write files
    env = {}
    noise = ()          # rules that it runs into by itself, each time
    tried = None        # and what outside begins so
    kept = None         # a file of its own in the workspace that it does without

    def prepare(self, place, model, server):
        """Writes its settings; server: an MCP server, as a list of words."""

    def tool(self, name):
        return 'mcp__fs__' + name

    def refused(self, home):
        """The denials of a plan in the agent's own state: path and rule."""
        return {(home + '/' + path, rule) for path, rule in self.sealed}


class Claude(Agent):
    title = 'Claude Code'
    state, settings = '.claude', '.claude/settings.json'
    hook = '.claude/hooks/evil.sh'
    sealed = (('.claude/settings.json', '~/.claude'),
              ('.claude/hooks', '~/.claude'))
    env = {'ANTHROPIC_API_KEY': 'sk-ant-mock', 'CLAUDE_CODE_MAX_RETRIES': '0',
           'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC': '1'}
    tried = '/tmp/cc-socks-'    # a socket, for those who are not root

    def prepare(self, place, model, server):
        self.env = dict(Claude.env, ANTHROPIC_BASE_URL='http://127.0.0.1:' +
                        model.port)
        write(place.home + '/' + self.settings, json.dumps({
            'env': {'CORDON_TEST_SETTING': 'kept'}}))
        write(place.workspace + '/../mcp.json', json.dumps({'mcpServers': {
            'fs': {'command': server[0], 'args': server[1:]}}}))
        self.servers = place.top + '/mcp.json'

    def command(self):
        return ['claude', '-p', 'do the plan', '--output-format', 'json',
                '--dangerously-skip-permissions', '--mcp-config', self.servers,
                '--strict-mcp-config']


class Codex(Agent):
    title = 'Codex'
    state, settings = '.codex', '.codex/config.toml'
    hook = '.codex/hooks.json'
    sealed = (('.codex/config.toml', '~/.codex'),
              ('.codex/hooks.json', '~/.codex'))
    writes = False
    env = {'OPENAI_API_KEY': 'x'}

    def prepare(self, place, model, server):
        write(place.home + '/' + self.settings, '''
model = "mock"
model_provider = "mock"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:%s/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
[mcp_servers.fs]
command = %s
args = %s
startup_timeout_sec = 300
''' % (model.port, json.dumps(server[0]), json.dumps(server[1:])))

    def command(self):
        return ['codex', 'exec', '--skip-git-repo-check', '--json',
                '--dangerously-bypass-approvals-and-sandbox', 'do the plan']

    def tool(self, name):
        return {'name': name, 'namespace': 'mcp__fs'}


class Gemini(Agent):
    title = 'Gemini CLI'
    state, settings = '.gemini', '.gemini/settings.json'
    hook = '.gemini/extensions/evil/gemini-extension.json'
    sealed = (('.gemini/settings.json', '~/.gemini'),
              ('.gemini/extensions', '~/.gemini'))
    env = {'GEMINI_API_KEY': 'mock', 'GEMINI_CLI_TRUST_WORKSPACE': 'true'}

    def prepare(self, place, model, server):
        self.env = dict(Gemini.env, GOOGLE_GEMINI_BASE_URL=
                        'http://127.0.0.1:' + model.port)
        write(place.home + '/' + self.settings, json.dumps({
            'security': {'auth': {'selectedType': 'gemini-api-key'}},
            'general': {'maxAttempts': 1},
            'privacy': {'usageStatisticsEnabled': False},
            'telemetry': {'enabled': False},
            'mcpServers': {'fs': {'command': server[0], 'args': server[1:],
                                  'timeout': 300000, 'trust': True}}}))

    def command(self):
        return ['gemini', '--yolo', '-m', 'gemini-2.5-flash', '-o', 'json',
                '-p', 'do the plan']

    def tool(self, name):
        return 'mcp_fs_' + name


class Opencode(Agent):
    title = 'opencode'
    kept = '.git/opencode'      # the project's id, computed again without it
    state = '.local/share/opencode'
    settings = '.config/opencode/opencode.json'
    hook = '.config/opencode/plugin/evil.js'
    sealed = (('.config/opencode/opencode.json', '~/.config/opencode'),
              ('.config/opencode/plugin', '~/.config/opencode'))
    env = {'OPENCODE_DISABLE_MODELS_FETCH': '1',
           'OPENCODE_DISABLE_LSP_DOWNLOAD': '1',
           'OPENCODE_DISABLE_AUTOUPDATE': '1'}

    def prepare(self, place, model, server):
        write(place.home + '/' + self.settings, json.dumps({
            'autoupdate': False, 'share': 'disabled', 'permission': 'allow',
            'model': 'mock/mock', 'small_model': 'mock/mock',
            'provider': {'mock': {
                'npm': '@ai-sdk/openai-compatible', 'name': 'mock',
                'options': {'baseURL': 'http://127.0.0.1:%s/v1' % model.port,
                            'apiKey': 'x'},
                'models': {'mock': {'name': 'mock', 'tool_call': True,
                                    'limit': {'context': 100000,
                                              'output': 8000}}}}},
            'mcp': {'fs': {'type': 'local', 'command': server,
                           'timeout': 300000}}}))

    def command(self):
        return ['opencode', 'run', '--format', 'json', 'do the plan']

    def tool(self, name):
        return 'fs_' + name


AGENTS = {'claude': Claude, 'codex': Codex, 'gemini': Gemini,
          'opencode': Opencode}


# ----- A home and a workspace ------------------------------------------------------

class Place:
    def __init__(self, kit, top, agent):
        self.kit, self.top, self.agent = kit, top, agent
        self.node = os.path.join(kit, 'bin/node')
        self.home, self.outside = top + '/home', top + '/outside'
        self.workspace = top + '/ws'
        self.audit, self.runs = None, 0
        self.settings = None    # of the agent, when it was started last
        for folder in (self.home, self.outside, self.workspace):
            os.mkdir(folder)
        write(self.home + '/.ssh/id', SECRET)
        write(top + '/p.yaml', POLICY)
        self.env = {
            'HOME': self.home, 'LANG': 'C.UTF-8', 'TERM': 'dumb',
            'NO_COLOR': '1', 'SHELL': '/bin/bash', 'IS_SANDBOX': '1',
            'PATH': ':'.join((kit + '/bin', os.path.dirname(CORDON),
                              '/usr/bin', '/bin'))}
        self.begin()

    def begin(self):
        """A repository; Gemini keeps the user's own git settings away."""
        write(self.workspace + '/prod.env', SECRET)
        self.git('init', '-q', '-b', 'main', '.')
        self.git('config', 'user.name', 'Test')
        self.git('config', 'user.email', 'test@example.org')

    def git(self, *words):
        return subprocess.run(['git', *words], cwd=self.workspace,
                              env=self.env, capture_output=True, text=True,
                              check=True).stdout

    def server(self, guarded):
        server = ['/usr/bin/python3', HERE + '/server.py']
        if not guarded:
            return server
        # Inside a run its cage is one more, beside that of the agent.
        return [CORDON, 'mcp', 'guard', '--quiet', '--read', HERE, '--',
                *server]

    def run(self, plan, guarded, options=None):
        """The agent with a plan; inside cordon when there are options."""
        model = Model(self, plan)
        try:
            self.agent.prepare(self, model, self.server(guarded))
            self.settings = read(self.home + '/' + self.agent.settings)
            command = self.agent.command()
            if options is not None:
                self.runs += 1
                self.audit = '%s/audit%d.jsonl' % (self.top, self.runs)
                command = [CORDON, 'run', '--audit', self.audit, '--read',
                           HERE, '--read', self.top + '/mcp.json', *options,
                           '--', *command]
            done = subprocess.run(
                command, cwd=self.workspace, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, check=False,
                timeout=PATIENCE, env=dict(self.env, **self.agent.env))
            return done, model.results()
        finally:
            model.end()

    def events(self, kind=''):
        return [event for event in map(json.loads,
                                       (read(self.audit) or '').splitlines())
                if kind in event['kind']]


POLICY = '''schemaVersion: 2
kind: Policy
metadata: {name: test}
spec:
  denyRead: ["**/*.env"]
  denyModify: [".git/hooks/**"]
  fsProfiles:
    dev: {read: ["**"], modify: ["**"], network: loopback}
'''

DONE = {'text': 'PLAN COMPLETE'}


def call(agent, name, path):
    tool = agent.tool(name)
    if isinstance(tool, str):
        tool = {'name': tool}
    return {'tool': dict(tool, input={'path': path})}


def steps(place):
    """By name, in order: what the agent is to do."""
    agent, home = place.agent, place.home
    found = {
        'inside': {'shell': 'echo inside >in.txt; cat in.txt'},
        'written': {'write': {'path': place.workspace + '/tool.txt',
                              'content': 'by a tool'}},
        'outside': {'shell': 'echo x >%s/a; echo rc=$?' % place.outside},
        'secret': {'shell': 'cat %s/.ssh/id; echo rc=$?' % home},
        'mcp-inside': call(agent, 'echo', place.workspace + '/in.txt'),
        'mcp-outside': call(agent, 'echo', place.outside + '/b'),
        'commit': {'shell': 'git add in.txt && git commit -qm agent && '
                            'git log --format=%s'},
        'settings': {'shell': 'echo evil >>%s/%s; echo rc=$?' % (
            home, agent.settings)},
        'hook': {'shell': 'mkdir -p %s; echo evil >%s/%s; echo rc=$?' % (
            os.path.dirname(home + '/' + agent.hook), home, agent.hook)},
        'git-hook': {'shell': 'echo evil >.git/hooks/post-commit; echo rc=$?'},
        'env': {'shell': 'cat prod.env; echo rc=$?'},
    }
    if not agent.writes:
        del found['written']
    return found


def play(place, wanted, guarded, options=None):
    done, results = place.run(list(wanted.values()) + [DONE], guarded, options)
    seen = {name: results.get(i, '') for i, name in enumerate(wanted)}
    return done, seen


def told(done, seen):
    return json.dumps(seen, indent=1) + '\n' + done.stdout[-2000:] + \
        '\n' + done.stderr[-4000:]


# ----- Without cordon -----------------------------------------------------------------

def test_control(place):
    """All that is refused below works where there is no boundary."""
    wanted = steps(place)
    done, seen = play(place, wanted, False)
    home, agent = place.home, place.agent
    ok(done.returncode == 0 and all(seen.values()),
       'control: the plan is carried out', told(done, seen))
    ok(read(place.outside + '/a') == 'x\n' and SECRET in seen['secret'] and
       SECRET in seen['env'], 'control: outside is written, secrets are read',
       told(done, seen))
    ok(read(home + '/' + agent.settings) != place.settings and
       'evil' in (read(home + '/' + agent.settings) or '') and
       'evil' in (read(home + '/' + agent.hook) or '') and
       'evil' in (read(place.workspace + '/.git/hooks/post-commit') or ''),
       'control: settings and hooks are rewritten', told(done, seen))
    ok('agent' in seen['commit'], 'control: git commit', seen['commit'])
    ok('outside/b' in seen['mcp-outside'] and
       'refused' not in seen['mcp-outside'],
       'control: the server gets the call', seen['mcp-outside'])


def clean(place):
    """After the control: the agent knows its home, and nothing is left."""
    agent = place.agent
    os.unlink(place.outside + '/a')
    for file in (place.home + '/' + agent.settings,
                 place.home + '/' + agent.hook,
                 place.workspace + '/.git/hooks/post-commit'):
        os.unlink(file)
    folder = os.path.dirname(place.home + '/' + agent.hook)
    while not os.listdir(folder):
        os.rmdir(folder)
        folder = os.path.dirname(folder)
    shutil.rmtree(place.workspace)
    os.mkdir(place.workspace)
    place.begin()


# ----- Inside -------------------------------------------------------------------------

def check_files(place, done, seen):
    agent = place.agent
    ok(done.returncode == 0 and all(seen.values()),
       'the plan is carried out', told(done, seen))
    ok(read(place.workspace + '/in.txt') == 'inside\n' and
       (not agent.writes or
        read(place.workspace + '/tool.txt') == 'by a tool'),
       'the workspace is written', told(done, seen))
    ok(not os.path.exists(place.outside + '/a') and
       'ermission denied' in seen['outside'],
       'outside is not, and the model sees why', seen['outside'])
    ok(SECRET not in seen['secret'] and 'ermission denied' in seen['secret'],
       'a key is not read', seen['secret'])
    ok('in.txt' in seen['mcp-inside'] and 'refused' not in seen['mcp-inside'],
       'MCP: a call inside arrives', seen['mcp-inside'])
    ok('cordon refused this call' in seen['mcp-outside'] and
       'outside workspace' in seen['mcp-outside'],
       'MCP: one outside is refused by the guard, with the reason',
       seen['mcp-outside'])
    ok('agent' in seen['commit'] and place.git('log', '--format=%s') ==
       'agent\n' * len(place.git('log', '--format=%s').splitlines()),
       'git commit works', seen['commit'])
    ok(read(place.home + '/' + agent.settings) == place.settings and
       'ermission denied' in seen['settings'],
       'the settings of the agent are not rewritten', seen['settings'])
    ok(not os.path.exists(place.home + '/' + agent.hook) and
       'ermission denied' in seen['hook'],
       'nor its hooks made', seen['hook'])
    ok(not os.path.exists(place.workspace + '/.git/hooks/post-commit'),
       'nor those of git', seen['git-hook'])


def denials(place):
    """What was refused: operation, path, rule, and which line said so."""
    return {(event['op'], event['path'], event['matched_rule'],
             event['source'], event['line'])
            for event in place.events('denied')
            if event['kind'] not in ('net.denied', 'call.denied')}


def expected(place, *more):
    """The denials of the plan, whatever the documents are, and those more."""
    agent, home = place.agent, place.home
    source = '<agent %s>' % agent.command()[0]
    return {('modify', place.outside + '/a', '<outside workspace>', None,
             None),
            *(('modify', path, rule, source, None)
              for path, rule in agent.refused(home)), *more}


def is_noise(place, denial):
    """What nobody planned: an agent's own files that it does without, the
    directories it was installed to and above the workspace, which it looks
    into, the floor that the guard looks at, and what is root's alone."""
    op, path, rule, source, _ = denial
    home = pwd.getpwuid(os.geteuid()).pw_dir
    if place.agent.tried is not None and path.startswith(place.agent.tried):
        return True
    if place.agent.kept is not None and \
            path == place.workspace + '/' + place.agent.kept:
        return op == 'modify' and source == '<defaults>'
    if op == 'modify':
        return rule in place.agent.noise and path.startswith(place.home + '/')
    if rule == '<outside workspace>':
        return path == place.kit or \
            place.workspace.startswith(path.rstrip('/') + '/')
    if source == '<floor>' and path.startswith(('/etc/', '/var/lib/')):
        return path.startswith(rule)
    return source == '<floor>' and path == home + rule[1:] and \
        rule in OF_AGENTS


OF_AGENTS = ('~/.claude', '~/.codex', '~/.gemini', '~/.config/opencode',
             '~/.local/share/opencode')


def check_audit(place, wanted):
    seen = denials(place)
    rest = {denial for denial in seen - wanted if not is_noise(place, denial)}
    ok(wanted <= seen and not rest,
       'the audit has exactly these denials, each with its rule and line',
       {'missing': wanted - seen, 'not expected': rest})
    ok(all(event['matched_rule'] == '<no matching rule>' and
           not event['path'].startswith(('127.', '[::1]'))
           for event in place.events('net.denied')),
       'and of the network only what is no loopback',
       place.events('net.denied'))


def sizes(top):
    """Every file below, and how large it is."""
    return {os.path.relpath(os.path.join(folder, name), top):
            os.path.getsize(os.path.join(folder, name))
            for folder, _, names in os.walk(top) for name in names
            if not os.path.islink(os.path.join(folder, name))}


def sessions(place):
    """What the agent remembers: files of its state in private homes."""
    return sum(size for name, size in sizes(
        place.home + '/.local/state/cordon/homes').items()
               if '/' + place.agent.state + '/' in '/' + name)


def real_state(place):
    """All of the state in the real home, by content."""
    found = {}
    for top in {place.home + '/' + place.agent.state,
                os.path.dirname(place.home + '/' + place.agent.settings)}:
        for name in sizes(top):
            with open(os.path.join(top, name), 'rb') as file:
                found[top + '/' + name] = file.read()
    found.pop(place.home + '/' + place.agent.settings, None)  # of the test
    return found


def test_default(place):
    """No document; the model on loopback, and nothing else."""
    wanted = steps(place)
    del wanted['env']
    before, real = sessions(place), real_state(place)
    done, seen = play(place, wanted, True, ['--network', 'loopback'])
    check_files(place, done, seen)
    ok(real and real_state(place) == real,
       'nothing of its real state is written',
       set(real.items()) ^ set(real_state(place).items()))
    ok('network is' not in done.stderr,
       '--network loopback: nothing to say', done.stderr)
    check_audit(place, expected(
        place, ('modify', place.workspace + '/.git/hooks/post-commit',
                '**/.git/hooks/**', '<defaults>', None)))
    ok(len(place.events('tool_allowlist.harness_delegated')) == 1,
       'and that the agent keeps its own list of tools, once')
    outer = place.events('run.start')[0]['run']
    ok([event['inside'] for event in place.events('run.start')[1:]] ==
       [outer] * (len(place.events('run.start')) - 1) and
       len(place.events('run.start')) > 1,
       'its MCP server has a cage of its own, inside', place.events('run.st'))
    ok(sessions(place) > before, 'the agent keeps what it remembers',
       (before, sessions(place)))


def test_policy(place):
    """Once more, with a policy that denies reading inside."""
    for name in ('in.txt', 'tool.txt'):
        if os.path.exists(place.workspace + '/' + name):
            os.unlink(place.workspace + '/' + name)
    wanted = steps(place)
    wanted['commit'] = {'shell': 'echo 2 >>in.txt; git add in.txt; git commit '
                                 '-qm agent; git log --format=%s; '
                                 'echo inside >in.txt'}
    done, seen = play(place, wanted, True,
                      ['--policy', place.top + '/p.yaml', '--profile', 'dev'])
    check_files(place, done, seen)
    ok(SECRET not in seen['env'] and 'ermission denied' in seen['env'],
       'what the policy denies is not read', seen['env'])
    policy = place.top + '/p.yaml'
    check_audit(place, expected(
        place,
        ('read', place.workspace + '/prod.env', '**/*.env', policy, 5),
        ('modify', place.workspace + '/.git/hooks/post-commit',
         '**/.git/hooks/**', '<defaults>', None),
        ('read', place.home + '/.ssh/id', '~/.ssh', '<floor>', None)))


def test_host_home(place):
    """In the real home, too, its state is the run's own."""
    before, real = sessions(place), real_state(place)
    done, seen = play(place, {'inside': {'shell': 'echo x >host.txt'}}, True,
                      ['--home', 'host', '--network', 'loopback'])
    ok(done.returncode == 0 and
       os.path.exists(place.workspace + '/host.txt'),
       '--home host: the plan is carried out', told(done, seen))
    ok(real_state(place) == real and sessions(place) > before,
       '--home host: its state is written, but not the real one',
       set(real.items()) ^ set(real_state(place).items()))


def test_network(place):
    """Nobody is there to answer: it is said at once.

    Some agents then ask again for minutes, so that the run is ended: what is
    looked at happens before, or never.
    """
    done, seen = play(place, {'inside': {'shell': 'echo x >net.txt'}}, True,
                      ['--network', 'none', '--timeout', '5s'])
    ok('cordon: network is closed, and %s cannot reach its model' %
       place.agent.command()[0] in done.stderr,
       '--network none: a clear message', done.stderr)
    ok(not any(seen.values()) and
       not os.path.exists(place.workspace + '/net.txt'),
       'and nothing reaches the model', seen)
    done, seen = play(place, {'inside': {'shell': 'echo x >net.txt'}}, True,
                      [])
    ok('cordon: network is open for %s; --network none|loopback|IP[:PORT] '
       'closes it' % place.agent.command()[0] in done.stderr and
       os.path.exists(place.workspace + '/net.txt'),
       'without the option it is open, and that is said', told(done, seen))


def commands_of(title):
    """Of the page for newcomers, what stands below that title."""
    page = read(os.path.join(HERE, '../../docs/agents.md'))
    part = page.split('\n## %s\n' % title)[1].split('\n## ')[0]
    return part.split('```sh\n')[1].split('```')[0].splitlines()


def test_page(place):
    """The three commands of docs/agents.md, as they stand there."""
    commands = commands_of(place.agent.title)
    ok(len(commands) == 3, 'docs/agents.md: three commands', commands)
    for command in commands:
        model = Model(place, [DONE])
        place.agent.prepare(place, model, place.server(True))
        done = subprocess.run(
            ['sh', '-c', command], cwd=place.workspace,
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, timeout=PATIENCE,
            env=dict(place.env, **place.agent.env))
        asked = bool(read(model.log))
        model.end()
        ok(done.returncode == 0 and
           (asked and 'PLAN COMPLETE' in done.stdout
            if command.startswith('cordon run') else not asked),
           'docs/agents.md: ' + command, done.stdout[-2000:] + done.stderr)


def run_tests(kit, name, where):
    # Codex wants no home below /tmp.
    with tempfile.TemporaryDirectory(prefix='run.', dir=where) as top:
        place = Place(kit, os.path.realpath(top), AGENTS[name]())
        test_control(place)
        clean(place)
        test_default(place)
        test_policy(place)
        test_host_home(place)
        if os.geteuid() == NOBODY:
            return  # the rest is the same for everybody
        test_network(place)
        test_page(place)


# ----- Apart from the world ------------------------------------------------------------

NOBODY = 65534


def alone():
    """In a network of our own: nobody is called who is not there."""
    if os.environ.get('CORDON_TEST_ALONE') == '1':
        return
    os.environ['CORDON_TEST_ALONE'] = '1'
    words = ['unshare', '-n', '-m'] if os.geteuid() == 0 else [
        'unshare', '-Urn', '-m']
    lo = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
    os.execvp(words[0], [*words, *lo, sys.executable, *sys.argv])


def as_nobody(kit, top):
    """A child with all it needs mounted below `top`; its status."""
    source = os.path.realpath(os.path.join(HERE, '../..'))
    os.chmod(top, 0o755)
    for name, what in (('kit', kit), ('src', source),
                       ('bin', os.path.dirname(CORDON))):
        os.mkdir(top + '/' + name)
        subprocess.run(['mount', '--bind', what, top + '/' + name],
                       check=True)
    os.mkdir(top + '/home')
    os.chown(top + '/home', NOBODY, NOBODY)
    return subprocess.run(
        ['setpriv', '--reuid', str(NOBODY), '--regid', str(NOBODY),
         '--clear-groups', '/usr/bin/python3',
         top + '/src/tests/agents/real.py', sys.argv[1], 'nobody'],
        check=False, cwd=top, env=dict(
            os.environ, CORDON=top + '/bin/cordon', HOME=top + '/home',
            CORDON_TEST_KIT=top + '/kit')).returncode


def start_nobody(kit):
    """The mounts are of our own namespace, and go before the directory."""
    top = tempfile.mkdtemp(prefix='cordon-agents.', dir='/var/tmp')
    try:
        return as_nobody(kit, top)
    finally:
        for name in ('kit', 'src', 'bin'):
            subprocess.run(['umount', top + '/' + name], check=True)
            os.rmdir(top + '/' + name)
        shutil.rmtree(top)


def find_kit():
    if os.environ.get('CORDON_TEST_KIT'):
        return os.environ['CORDON_TEST_KIT'], ''
    found = subprocess.run([INSTALL, '--look', HERE + '/kit'], text=True,
                           capture_output=True, check=False)
    return found.stdout.strip(), found.stderr.strip()


def main():
    alone()
    kit, why = find_kit()
    name, nobody = sys.argv[1], 'nobody' in sys.argv[2:]
    if kit == '':
        skip(why)
    elif not os.path.exists(kit + '/bin/' + name):
        skip('there is no %s for this machine' % name)
    elif nobody and os.geteuid() == 0:
        return start_nobody(kit)
    elif nobody and os.geteuid() != NOBODY:
        skip('only root can become nobody')
    else:
        where = os.environ['HOME'] if nobody else os.path.dirname(kit)
        for _ in range(int(os.environ.get('CORDON_TRIES', '1'))):
            run_tests(kit, name, where)
    print('1..%d' % count)
    return 1 if failures or count == 0 else 0


if __name__ == '__main__':    # tests/hook uses what is above, too
    sys.exit(main())
