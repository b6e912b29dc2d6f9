#!/usr/bin/env python3
"""Opens a page in a real browser, at the width of a phone and of a desk.

    browse.py PAGE.html                  TAP: no sideways scrolling, no request,
                                         no error, and what stands in it is seen
    browse.py PAGE.html SHOT.png WIDTH HEIGHT    a picture of its top

Chromium is spoken to through a pipe (DevTools protocol), so no port is open and
nothing else is needed.  Without it the test is skipped, or fails when
CORDON_MUST_WORK=1.
"""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'chrome')
PATIENCE = 120          # seconds for one answer, on a machine that is busy


class Browser:
    def __init__(self, program, profile):
        to_us, from_it = os.pipe()
        to_it, from_us = os.pipe()

        def descriptors():
            # 3 and 4 may be among the four: move them out of the way first.
            read, write = os.dup2(to_it, 30), os.dup2(from_it, 31)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.log = open(os.path.join(profile, 'log'), 'w+')
        self.process = subprocess.Popen(
            [program, '--headless=new', '--no-sandbox', '--disable-gpu',
             '--disable-dev-shm-usage', '--no-first-run',
             '--disable-background-networking', '--disable-component-update',
             '--remote-debugging-pipe', '--user-data-dir=' + profile,
             'about:blank'],
            preexec_fn=descriptors, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={'PATH': os.environ.get('PATH', '/usr/bin:/bin'),
                 'HOME': profile})
        os.close(to_it)
        os.close(from_it)
        self.read, self.write = to_us, from_us
        self.waiting, self.events, self.last = b'', [], 0

    def receive(self, until):
        while b'\0' not in self.waiting:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                raise TimeoutError('no answer of the browser')
            got = os.read(self.read, 1 << 16)
            if not got:
                self.log.seek(0)
                raise EOFError('the browser is gone: ' + self.log.read()[-500:])
            self.waiting += got
        message, self.waiting = self.waiting.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.last += 1
        message = {'id': self.last, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        os.write(self.write, json.dumps(message).encode() + b'\0')
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(until)
            if answer.get('id') == self.last:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error']))
                return answer['result']
            self.events.append(answer)

    def wait(self, method):
        until = time.monotonic() + PATIENCE
        while not any(e.get('method') == method for e in self.events):
            self.events.append(self.receive(until))

    def close(self):
        try:
            self.call('Browser.close')
        except (OSError, EOFError, RuntimeError, TimeoutError):
            self.process.kill()
        self.process.wait()
        os.close(self.read)
        os.close(self.write)
        self.log.close()


class Page:
    """One tab that watches what the page does, at one size."""

    def __init__(self, browser, url, width, height):
        self.browser = browser
        target = browser.call('Target.createTarget', url='about:blank')
        self.session = browser.call('Target.attachToTarget', flatten=True,
                                    targetId=target['targetId'])['sessionId']
        for domain in ('Page', 'Network', 'Log', 'Runtime'):
            self.call(domain + '.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width,
                  height=height, deviceScaleFactor=1, mobile=width < 600)
        browser.events = []
        self.call('Page.navigate', url=url)
        browser.wait('Page.loadEventFired')

    def call(self, method, **params):
        return self.browser.call(method, session=self.session, **params)

    def ask(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression,
                           returnByValue=True)
        return answer['result'].get('value')

    def seen(self, *methods):
        return [e for e in self.browser.events if e.get('method') in methods]


points = failures = 0


def ok(good, text, why=''):
    global points, failures
    points += 1
    failures += not good
    print('%s %d - %s' % ('ok' if good else 'not ok', points, text))
    if not good:
        print('# %s' % str(why)[:2000].replace('\n', '\n# '))


def check(browser, url, width, height):
    page = Page(browser, url, width, height)
    wide = page.ask('document.documentElement.scrollWidth')
    inside = page.ask('window.innerWidth')
    ok(inside == width and wide <= width,
       '%d pixels: no sideways scrolling' % width,
       'window %s, page %s' % (inside, wide))
    outside = page.ask('''[...document.querySelectorAll("body *")]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.outerHTML.slice(0, 200)).slice(0, 3)''')
    ok(outside == [], '%d pixels: nothing stands outside' % width, outside)
    requests = [e['params']['request']['url']
                for e in page.seen('Network.requestWillBeSent')]
    ok([r for r in requests if r != url and not r.startswith('data:')] == [],
       '%d pixels: no request but the file itself' % width, requests)
    errors = page.seen('Runtime.exceptionThrown', 'Log.entryAdded',
                       'Runtime.consoleAPICalled')
    ok(errors == [], '%d pixels: no error and no complaint' % width, errors)
    small = page.ask('''[...document.querySelectorAll("body *")].filter(e =>
        e.children.length == 0 && e.textContent.trim() &&
        parseFloat(getComputedStyle(e).fontSize) < 12).length''')
    ok(small == 0, '%d pixels: letters that can be read' % width, small)
    return page


def check_content(page):
    ok(page.ask('document.scripts.length') == 0, 'it has no script')
    ok(page.ask('document.querySelectorAll("[src],iframe,object,embed,form")'
                '.length') == 0, 'nothing that loads or sends')
    titles = page.ask('[...document.querySelectorAll("h2")]'
                      '.map(e => e.textContent)')
    for title in ('Look at these before you use them', 'Runs',
                  'Denied, by rule', 'Denied, by path', 'Grants', 'Timeline'):
        ok(title in titles, 'a section: ' + title, titles)
    # The control: a script in that page would not run, and be complained of.
    page.browser.events = []
    page.ask('''{const s = document.createElement("script");
        s.textContent = "document.title = 'ran'";
        document.body.append(s);}''')
    ok(page.ask('document.title') != 'ran', 'its own policy forbids scripts')
    page.ask('''{const i = new Image(); i.src = "http://192.0.2.1/x.png";
        document.body.append(i);}''')
    ok(page.ask('document.images.length') == 1 and
       [e for e in page.seen('Network.responseReceived')] == [],
       'and pictures from elsewhere')


def picture(browser, url, file, width, height):
    page = Page(browser, url, width, height)
    data = page.call('Page.captureScreenshot', format='png')['data']
    pathlib.Path(file).write_bytes(base64.b64decode(data))


def main():
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        if os.environ.get('CORDON_MUST_WORK') == '1':
            print('not ok 1 - there is no chromium\n1..1')
            return 1
        print('1..0 # SKIP there is no chromium')
        return 0
    url = pathlib.Path(sys.argv[1]).resolve().as_uri()
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        try:
            if len(sys.argv) > 2:
                picture(browser, url, sys.argv[2], int(sys.argv[3]),
                        int(sys.argv[4]))
                return 0
            check(browser, url, 390, 844)
            check_content(check(browser, url, 1280, 800))
        finally:
            browser.close()
    print('1..%d' % points)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
