#!/usr/bin/python3
"""A signal that comes while the start of a run under bwrap is recorded.

	early.py CORDON

Somebody else holds the record, so the run waits, and there it is told to end:
by a signal, or by a key on its terminal.  It ends at once, before the record is
free again, and nothing was executed; without a signal it goes on then.  Without
a terminal bwrap has begun by then, and ends with it.
"""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import time

MOST = 60 # seconds; nothing is decided by them
OFD_SETLK = 37
points = failures = 0


def ok(good, what):
	global points, failures
	points += 1
	failures += not good
	print("ok" if good else "not ok", points, "-", what, flush=True)


def before_long(test):
	end = time.monotonic() + MOST
	while not (got := test()) and time.monotonic() < end:
		time.sleep(0.02)
	return got


def lock(file, kind):
	fcntl.fcntl(file, OFD_SETLK, struct.pack("hhqqi4x", kind, 0, 0, 0, 0))


def is_waiting(pid, name):
	"""Has it opened the file that is locked?  Not we, before its exec."""
	try:
		if os.path.samefile(f"/proc/{pid}/exe", sys.executable):
			return False
		fds = os.listdir(f"/proc/{pid}/fd")
		return any(os.path.realpath(f"/proc/{pid}/fd/{fd}") == name
		    for fd in fds)
	except OSError:
		return False


def below(pid):
	"""All children of it, and theirs."""
	found = []
	try:
		for task in os.listdir(f"/proc/{pid}/task"):
			with open(f"/proc/{pid}/task/{task}/children") as f:
				found += [int(word) for word in f.read().split()]
	except OSError:
		pass
	return found + [each for child in found for each in below(child)]


def is_bwrap(pid):
	try:
		with open(f"/proc/{pid}/cmdline", "rb") as f:
			return f.read().startswith(b"/usr/bin/bwrap\0")
	except OSError:
		return False


def begun(pid):
	return [each for each in below(pid) if is_bwrap(each)]


def ran():
	try:
		os.rmdir("ran")
	except FileNotFoundError:
		return False
	return True


def on_pipes(command):
	# As a shell's: whoever started the test may ignore them.
	return subprocess.Popen(command, stdin=subprocess.DEVNULL,
	    preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL)
		for s in SIGNALS])


def by_signal(command, log, number):
	with open(log + ".head", "r+b") as head:
		lock(head, fcntl.F_WRLCK)
		run = on_pipes(command)
		waits = before_long(lambda: is_waiting(run.pid, log + ".head"))
		wrappers = before_long(lambda: begun(run.pid))
		if number:
			run.send_signal(number)
			ended = before_long(lambda: run.poll() is not None)
		lock(head, fcntl.F_UNLCK)
	if number is None:
		ok(waits and run.wait(MOST) == 0 and ran(),
		    "control: when the record is free it is executed")
		return
	name = signal.Signals(number).name
	ok(wrappers and before_long(
	    lambda: not any(is_bwrap(each) for each in wrappers)),
	    f"{name}: bwrap had begun, and ends with it")
	ok(waits and ended, f"{name}: it ends while the record is held")
	ok(run.wait(MOST) != 0 and not ran(),
	    f"{name}: nothing was executed ({run.returncode})")


def by_key(command, log, key, name):
	with open(log + ".head", "r+b") as head:
		lock(head, fcntl.F_WRLCK)
		pid, fd = pty.fork()
		if pid == 0:
			for number in SIGNALS:
				signal.signal(number, signal.SIG_DFL)
			os.execv(command[0], command)
		waits = before_long(lambda: is_waiting(pid, log + ".head"))
		os.write(fd, key)
		status = before_long(lambda: os.waitpid(pid, os.WNOHANG)[0])
		lock(head, fcntl.F_UNLCK)
	os.close(fd)
	if not status:
		os.waitpid(pid, 0)
	ok(waits and status == pid, f"{name}: it ends while the record is held")
	ok(not ran(), f"{name}: nothing was executed")


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
with tempfile.TemporaryDirectory(dir="/var/tmp") as stage:
	os.makedirs(stage + "/home")
	os.makedirs(stage + "/w")
	os.chdir(stage + "/w")
	os.environ["HOME"] = stage + "/home"
	log = stage + "/log"
	base = [sys.argv[1], "run", "--quiet", "--backend", "bwrap",
	    "--enforcement", "degraded", "--audit", log, "--"]
	ok(on_pipes(base + ["true"]).wait(MOST) == 0, "a run")
	for number in (None, *SIGNALS):
		by_signal(base + ["mkdir", "ran"], log, number)
	by_key(base + ["mkdir", "ran"], log, b"\x03", "Ctrl-C")
	by_key(base + ["mkdir", "ran"], log, b"\x1c", "Ctrl-\\")
	os.chdir("/")
print(f"1..{points}")
sys.exit(failures != 0)
