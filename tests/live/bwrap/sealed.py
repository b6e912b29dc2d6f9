#!/usr/bin/python3
"""Metadata of what a sandbox sees: who can change it?

	sealed.py try OUT TARGET...	each call on each of them, the results in
					a file; a number is a descriptor
	sealed.py walk OPEN...		chmod on all names there are; OPEN: where
					it may work
	sealed.py tty COMMAND...	runs it on a terminal of its own
	sealed.py input FILE COMMAND...	runs it with that as its input, and says
					whether anybody opened it once more

Nothing is ever given another value than it has, so that a hole does no harm.
"""
import array
import ctypes
import errno
import fcntl
import os
import pty
import stat
import struct
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
AT_EMPTY_PATH = 0x1000
AT_FDCWD = -100
GETFLAGS, SETFLAGS = 0x80086601, 0x40086602
TIOCGPTN = 0x80045430
IN_OPEN = 0x20
FCHMODAT2, SETXATTRAT, GETATTR, SETATTR = 452, 463, 468, 469
NAME_TO_HANDLE, OPEN_HANDLE = (264, 265) if os.uname().machine == "aarch64" \
    else (303, 304)


def call(number, *arguments):
	words = [ctypes.c_long(a) if isinstance(a, int) else a
	    for a in (number, *arguments)]
	if libc.syscall(*words) < 0:
		error = ctypes.get_errno()
		raise OSError(error, os.strerror(error))


def same_times(st):
	return st.st_atime_ns, st.st_mtime_ns


def same_acl(st):
	entries = [(1, st.st_mode >> 6 & 7), (4, st.st_mode >> 3 & 7),
	    (32, st.st_mode & 7)]
	return struct.pack("<I", 2) + b"".join(
	    struct.pack("<HHI", tag, bits, 0xffffffff) for tag, bits in entries)


def flags(target):
	fd = target if isinstance(target, int) else \
	    os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
	try:
		value = array.array("L", [0])
		fcntl.ioctl(fd, GETFLAGS, value)
		fcntl.ioctl(fd, SETFLAGS, value)
	finally:
		if fd != target:
			os.close(fd)


def place(target):
	if isinstance(target, int):
		return target, b"", AT_EMPTY_PATH
	return AT_FDCWD, os.fsencode(target), 0


def attributes(target):
	fd, path, how = place(target)
	value = ctypes.create_string_buffer(24)
	call(GETATTR, fd, path, value, 24, how)
	call(SETATTR, fd, path, value, 24, how)


def attribute_at(target, st):
	fd, path, how = place(target)
	acl = same_acl(st)
	buffer = ctypes.create_string_buffer(acl, len(acl))
	arguments = struct.pack("<QII", ctypes.addressof(buffer), len(acl), 0)
	call(SETXATTRAT, fd, path, how, b"system.posix_acl_access", arguments,
	    len(arguments))


def by_handle(target):
	fd, path, how = place(target)
	handle = ctypes.create_string_buffer(struct.pack("<Ii", 128, 0), 136)
	mount = ctypes.c_int()
	call(NAME_TO_HANDLE, fd, path, handle, ctypes.byref(mount), how)
	call(OPEN_HANDLE, AT_FDCWD, handle, os.O_RDONLY)


# What each of them does with a target and its state.
TRIES = {
    "chmod": lambda t, st: os.chmod(t, stat.S_IMODE(st.st_mode)),
    "fchmodat2": lambda t, st: call(FCHMODAT2, *place(t)[:2],
	stat.S_IMODE(st.st_mode), place(t)[2]),
    "chown": lambda t, st: os.chown(t, st.st_uid, st.st_gid),
    "chown -1": lambda t, st: os.chown(t, -1, -1),
    "utimes": lambda t, st: os.utime(t, ns=same_times(st)),
    "setxattr": lambda t, st: os.setxattr(t, "system.posix_acl_access",
	same_acl(st)),
    "setxattrat": attribute_at,
    "setxattr user": lambda t, st: os.setxattr(t, "user.cordon", b"x"),
    "removexattr": lambda t, st: os.removexattr(t, "user.cordon"),
    "setflags": lambda t, st: flags(t),
    "file_setattr": lambda t, st: attributes(t),
    "open_by_handle_at": lambda t, st: by_handle(t),
}


def attempt(what, target, st):
	try:
		TRIES[what](target, st)
	except OSError as e:
		return errno.errorcode[e.errno]
	return "ok"


def try_all(arguments):
	with open(arguments[0], "w") as out:
		for name in arguments[1:]:
			target = int(name) if name.isdigit() else name
			st = os.stat(target)
			for what in TRIES:
				print(name, what.replace(" ", "_"),
				    attempt(what, target, st), sep="\t",
				    file=out)


def names():
	yield "/"
	with open("/proc/self/mountinfo") as f:
		for line in f:
			yield line.split()[4].encode().decode("unicode_escape")
	for top in ("/dev", "/proc"):
		for dir, dirs, files in os.walk(top):
			if dir.count("/") > 3 and "/fd" not in dir and \
			    "/ns" not in dir:
				dirs.clear()
			yield dir
			for name in files + dirs:
				yield os.path.join(dir, name)


def is_open(path, st, places):
	if stat.S_ISFIFO(st.st_mode) or stat.S_ISSOCK(st.st_mode):
		return True # without a name outside
	real = os.path.realpath(path)
	return any(real == p or real.startswith(p + "/") for p in places)


def walk(places):
	tried = 0
	for path in sorted(set(names())):
		try:
			st = os.stat(path)
			tried += 1
			os.chmod(path, stat.S_IMODE(st.st_mode))
		except OSError:
			continue
		if not is_open(path, st, places):
			print("changed", path, os.path.realpath(path))
	print("tried", "enough" if tried > 100 else tried)


def on_terminal(command):
	pid, fd = pty.fork()
	if pid == 0:
		os.execvp(command[0], command)
	number = array.array("i", [0])
	fcntl.ioctl(fd, TIOCGPTN, number)
	name = f"/dev/pts/{number[0]}"
	before = os.stat(name)
	while True:
		try:
			data = os.read(fd, 65536)
		except OSError: # the last one has closed it
			break
		sys.stdout.buffer.write(data.replace(b"\r\n", b"\n"))
	sys.stdout.flush()
	status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
	try:
		after = os.stat(name)
		print("terminal", "same" if (before.st_mode, before.st_uid,
		    before.st_gid) == (after.st_mode, after.st_uid,
		    after.st_gid) else "CHANGED")
	except FileNotFoundError:
		print("terminal", "gone")
	sys.exit(status)


def with_input(words):
	with open(words[0], "rb", buffering=0) as file:
		watch = libc.inotify_init1(os.O_NONBLOCK)
		if libc.inotify_add_watch(watch, words[0].encode(), IN_OPEN) < 0:
			sys.exit("inotify_add_watch")
		status = subprocess.run(words[1:], stdin=file).returncode
	try:
		print("opened" if os.read(watch, 4096) else "")
	except BlockingIOError:
		print("not opened")
	sys.exit(status)


{"try": try_all, "walk": walk, "tty": on_terminal,
    "input": with_input}[sys.argv[1]](sys.argv[2:])
