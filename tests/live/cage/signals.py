#!/usr/bin/env python3
"""Sends every kind of signal to OUTSIDE and to relatives; says what came of it.

    signals.py OUTSIDE
"""
import ctypes
import os
import signal
import struct
import sys
import threading

outside = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {'x86_64': (200, 234, 129, 297), 'aarch64': (130, 131, 138, 240)}
TKILL, TGKILL, SIGQUEUE, TGSIGQUEUE = NUMBERS[os.uname().machine]
PIDFD_SEND_SIGNAL = 424


def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), 'no')


def attempt(what, act):
    try:
        act()
        print(what, 'done')
    except OSError as error:
        print(what, 'refused' if error.errno in (1, 9) else error.errno)


def queued(number):
    words = ctypes.create_string_buffer(128)
    struct.pack_into('iii', words, 0, number, 0, -1)
    return words


def child():
    """Ends by the first signal it gets."""
    pid = os.fork()
    if pid == 0:
        signal.pause()
        os._exit(0)
    return pid


def ended_by(pid):
    return os.WTERMSIG(os.waitpid(pid, 0)[1])


TERM = signal.SIGTERM
attempt('ask outside', lambda: os.kill(outside, 0))
attempt('kill outside', lambda: os.kill(outside, TERM))
attempt('kill its group', lambda: os.killpg(os.getpgid(outside), TERM))
attempt('kill parent', lambda: os.kill(os.getppid(), 0))
attempt('tkill outside', lambda: call(TKILL, outside, TERM))
attempt('tgkill outside', lambda: call(TGKILL, outside, outside, TERM))
attempt('queue outside', lambda: call(SIGQUEUE, outside, TERM, queued(TERM)))
attempt('queue to its thread', lambda: call(TGSIGQUEUE, outside, outside,
                                            TERM, queued(TERM)))
attempt('pidfd outside', lambda: signal.pidfd_send_signal(
    os.pidfd_open(outside), TERM))
place = os.open('/proc/%d' % outside, os.O_RDONLY | os.O_DIRECTORY)
attempt('/proc outside', lambda: call(PIDFD_SEND_SIGNAL, place, TERM, None, 0))

for name, send in {
        'kill': lambda pid: os.kill(pid, TERM),
        'tkill': lambda pid: call(TKILL, pid, TERM),
        'tgkill': lambda pid: call(TGKILL, pid, pid, TERM),
        'queue': lambda pid: call(SIGQUEUE, pid, TERM, queued(TERM)),
        'pidfd': lambda pid: signal.pidfd_send_signal(os.pidfd_open(pid),
                                                      TERM)}.items():
    pid = child()
    attempt(name + ' child', lambda: send(pid))
    print('it ended by', ended_by(pid))
attempt('ask who is gone', lambda: os.kill(pid, 0))

leader = os.fork()
if leader == 0:
    os.setpgid(0, 0)
    signal.pause()
os.waitid(os.P_PID, leader, os.WNOHANG | os.WEXITED)
try:
    os.setpgid(leader, leader)
except OSError:
    pass
attempt('kill group of child', lambda: os.killpg(leader, TERM))
print('it ended by', ended_by(leader))

came = []
signal.signal(signal.SIGUSR1, lambda *a: came.append(1))
os.kill(os.getpid(), signal.SIGUSR1)
signal.raise_signal(signal.SIGUSR1)
ready, go = threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: (ready.set(), go.wait()))
thread.start()
ready.wait()
signal.pthread_kill(thread.ident, signal.SIGUSR1)
go.set()
thread.join()
print('own process', len(came))
signal.signal(signal.SIGUSR2, signal.SIG_IGN)
attempt('kill own group', lambda: os.kill(0, signal.SIGUSR2))
attempt('kill everybody', lambda: os.kill(-1, signal.SIGUSR2))
