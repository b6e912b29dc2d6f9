#!/usr/bin/python3
"""What is typed while a run is suspended or in the background is not for it.

	keys.py CORDON

A shell on a terminal of its own starts a run of which one process ignores every
stop signal and reads its input and /dev/tty; another also puts itself into the
foreground.  They get what is typed while the run is in front (the control), and
not a byte of a password that is typed into the shell later.  They also do to
their terminal what they can; the shell's is as it was.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

MOST = 60 # seconds; nothing is decided by them
points = failures = 0

SPY = r'''
import fcntl, os, signal, struct, sys, termios, threading, time
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
grab, spoil = "grab" in sys.argv, "spoil" in sys.argv
signal.signal(signal.SIGIO, signal.SIG_IGN)
if os.fork() > 0:
	while True: # the leader does as it is told
		time.sleep(100)
for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGHUP):
	signal.signal(number, signal.SIG_IGN)
tty = os.open("/dev/tty", os.O_RDWR)
if spoil:
	os.set_blocking(0, False)
	termios.tcflow(tty, termios.TCIOFF)
	fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack("HHHH", 3, 7, 0, 0))
	fcntl.ioctl(tty, termios.TIOCEXCL)
	try: # else SIGIO would end bwrap
		fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
		fcntl.fcntl(0, fcntl.F_SETFL,
		    fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
	except OSError:
		pass
def read(fd): # it waits there: the kernel asks who may only once
	while True:
		try:
			os.write(log, os.read(fd, 4096))
		except OSError:
			time.sleep(0.01)
for fd in (0, tty):
	threading.Thread(target=read, args=(fd,)).start()
time.sleep(0.1)
os.close(os.open(sys.argv[1] + ".ready", os.O_CREAT | os.O_WRONLY, 0o600))
while grab:
	try:
		os.tcsetpgrp(tty, os.getpgrp())
	except OSError:
		pass
	time.sleep(0.01)
'''


def ok(good, what):
	global points, failures
	points += 1
	failures += not good
	print("ok" if good else "not ok", points, "-", what, flush=True)


class Shell:
	"""A shell at the other end of a terminal."""

	def __init__(self):
		self.screen = b""
		self.pid, self.fd = pty.fork()
		if self.pid == 0:
			for number in (signal.SIGINT, signal.SIGQUIT,
			    signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
				signal.signal(number, signal.SIG_DFL)
			os.environ.update(PS1="outer: ", TERM="dumb")
			os.execvp("bash", ["bash", "--norc", "--noprofile",
			    "--noediting", "-i"])
		fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
		    struct.pack("HHHH", 24, 80, 0, 0))
		self.sees(b"outer: ")

	def look(self, seconds):
		ready, _, _ = select.select([self.fd], [], [], seconds)
		if not ready:
			return
		try:
			self.screen += os.read(self.fd, 65536)
		except OSError: # the shell is gone
			time.sleep(seconds)

	def sees(self, text):
		end = time.monotonic() + MOST
		while text not in self.screen and time.monotonic() < end:
			self.look(0.05)
		found = text in self.screen
		if not found:
			print("#", self.screen[-800:], "lacks", text)
		self.screen = self.screen.partition(text)[2]
		return found

	def type(self, text):
		os.write(self.fd, text)

	def waits(self, test):
		"""The screen is read meanwhile, or the run would block."""
		end = time.monotonic() + MOST
		while not (got := test()) and time.monotonic() < end:
			self.look(0.05)
		return got

	def state(self):
		size = fcntl.ioctl(self.fd, termios.TIOCGWINSZ, b" " * 8)
		with open(f"/proc/{self.pid}/fdinfo/0") as f:
			flags = [line for line in f if line.startswith("flags")]
		settings = termios.tcgetattr(self.fd)
		return size, flags, settings[:4]

	def close(self):
		os.close(self.fd)
		os.waitpid(self.pid, 0)


def content(name):
	try:
		with open(name, "rb") as f:
			return f.read()
	except (FileNotFoundError, ProcessLookupError): # it ends just now
		return b""


def asks_password(shell):
	"""As sudo does; it is typed slowly, as there is a race to win."""
	shell.type(b"stty -echo; echo as'king'; head -n 1 | sed 's/^/got: /';"
	    b" stty echo\n")
	good = shell.sees(b"asking")
	for byte in b"hunter2-hunter2\n":
		time.sleep(0.03)
		shell.type(bytes([byte]))
	good = shell.sees(b"got: hunter2-hunter2") and good
	return shell.sees(b"outer: ") and good


def ends(shell):
	"""Its command does, and the shell is back."""
	cordon = child_of(shell.pid)
	os.kill(cordon, signal.SIGTERM)
	return ended(shell, cordon, b"status 143")


def ended(shell, cordon, how):
	shell.waits(lambda: not content(f"/proc/{cordon}/cmdline"))
	time.sleep(0.2)
	shell.screen = b""
	shell.type(b"echo status $?\n")
	return shell.sees(how)


def after_suspend(mode, command, kind):
	log = f"{mode}-{kind}"
	shell = Shell()
	before = shell.state()
	shell.type(f"{command} python3 spy.py {log} {kind}\n".encode())
	shell.waits(lambda: os.path.exists(log + ".ready"))
	shell.type(b"in-front\n")
	ok(shell.waits(lambda: b"in-front" in content(log)),
	    f"{mode}, {kind}: control: in front it gets what is typed")
	shell.screen = b""
	shell.type(b"\x1a")
	ok(shell.sees(b"Stopped") and shell.sees(b"outer: "),
	    f"{mode}, {kind}: it is suspended")
	ok(asks_password(shell), f"{mode}, {kind}: the shell got the password")
	time.sleep(0.3)
	ok(content(log) == b"in-front\n",
	    f"{mode}, {kind}: the run got no byte of it ({content(log)})")
	shell.type(b"fg\n")
	time.sleep(0.3)
	shell.type(b"once-more\n")
	ok(shell.waits(lambda: b"once-more" in content(log)),
	    f"{mode}, {kind}: it continues")
	ok(ends(shell), f"{mode}, {kind}: and ends")
	shell.waits(lambda: shell.state() == before)
	ok(shell.state() == before, f"{mode}, {kind}: the terminal is as it was")
	shell.close()


def child_of(pid):
	with open(f"/proc/{pid}/task/{pid}/children") as f:
		return int(f.read().split()[0])


def in_background(mode, command):
	log = f"{mode}-background"
	shell = Shell()
	shell.type(f"{command} python3 spy.py {log} grab spoil &\n".encode())
	shell.waits(lambda: os.path.exists(log + ".ready"))
	ok(asks_password(shell), f"{mode}, background: the shell got the password")
	time.sleep(0.3)
	ok(content(log) == b"", f"{mode}, background: the run did not "
	    f"({content(log)})")
	shell.close()


def without_us():
	"""The control of all: the same program, not in a run, has it."""
	shell = Shell()
	shell.type(b"python3 spy.py bare\n")
	shell.waits(lambda: os.path.exists("bare.ready"))
	shell.type(b"\x1a")
	shell.waits(lambda: b"Stopped" in shell.screen)
	end = time.monotonic() + MOST
	while b"hunter" not in content("bare") and time.monotonic() < end:
		shell.type(b"hunter2-hunter2\n") # the shell reads as well
		shell.look(0.05)
	ok(b"hunter" in content("bare"),
	    "control: without a run such a process reads what is typed")
	for pid in all_below(shell.pid):
		try:
			os.kill(pid, signal.SIGKILL)
		except ProcessLookupError:
			pass # it ended by itself
	shell.close()


def time_while_suspended(mode, command):
	shell = Shell()
	command = command.replace(" --quiet", " --quiet --timeout 2s")
	shell.type(f"{command} sh -c 'echo $$ >pid; exec sleep 3600'\n".encode())
	shell.waits(lambda: content("pid"))
	time.sleep(0.3)
	shell.type(b"\x1a")
	ok(shell.sees(b"Stopped"), f"{mode}: a run with a time limit is suspended")
	run = [pid for pid in all_below(shell.pid) if
	    content(f"/proc/{pid}/cmdline") == b"sleep\x003600\x00"]
	ok(run and shell.waits(lambda: not any(
	    content(f"/proc/{pid}/cmdline") for pid in run)),
	    f"{mode}: its time is over all the same ({run})")
	cordon = child_of(shell.pid)
	shell.type(b"fg\n")
	ok(ended(shell, cordon, b"status 124"),
	    f"{mode}: which is what it ended by")
	os.unlink("pid")
	shell.close()


def blocked(mode, command):
	"""Nobody takes what the terminal shows: the run ends in time all the same."""
	shell = Shell()
	command = command.replace(" --quiet", " --timeout 1s")
	shell.type(f"{command} yes\n".encode())
	before = shell.waits(lambda: b"y\r\n" * 9 in shell.screen)
	cordon, end = child_of(shell.pid), time.monotonic() + MOST
	while os.path.exists(f"/proc/{cordon}") and time.monotonic() < end:
		time.sleep(0.1)
	ok(before and time.monotonic() < end,
	    f"{mode}: a blocked terminal does not keep it")
	shell.close()


def all_below(pid):
	found = []
	try:
		for task in os.listdir(f"/proc/{pid}/task"):
			with open(f"/proc/{pid}/task/{task}/children") as f:
				found += [int(word) for word in f.read().split()]
	except OSError:
		pass
	return found + [each for child in found for each in all_below(child)]


MODES = {
    "none": "--isolation none",
    "namespaces": "--isolation namespaces",
    "bwrap": "--backend bwrap --enforcement degraded",
}

with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="cordon-keys-") as stage:
	os.makedirs(stage + "/home")
	os.makedirs(stage + "/w")
	os.chdir(stage + "/w")
	os.environ["HOME"] = stage + "/home"
	for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
		os.environ.pop(name, None)
	with open("spy.py", "w") as f:
		f.write(SPY)
	without_us()
	for mode, words in MODES.items():
		command = f"{sys.argv[1]} run --quiet {words} --"
		if subprocess.run(command.split() + ["true"],
		    stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
		    check=False).returncode != 0:
			ok(not os.environ.get("CORDON_MUST_WORK"),
			    f"{mode} # SKIP cannot be here")
			continue
		after_suspend(mode, command, "read")
		after_suspend(mode, command, "spoil")
		after_suspend(mode, command, "grab")
		in_background(mode, command)
		time_while_suspended(mode, command)
		blocked(mode, command)
	os.chdir("/")
print(f"1..{points}")
sys.exit(failures != 0)
