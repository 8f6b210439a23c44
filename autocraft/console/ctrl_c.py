"""Ctrl-C at a question outside a run: it ends the wait whenever it comes.

A signal that comes in the moment before a wait begins would be seen only when the wait ends. So the interpreter
writes a byte into a socket for each signal, and whoever waits for a line waits for that socket as well.
"""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hear_ctrl_c() -> Iterator[socket.socket]:
    """Let Ctrl-C raise KeyboardInterrupt, and yield a socket that can be read as soon as it has come.

    Signals belong to the main thread: in any other one the socket stays silent.
    """
    heard, told = socket.socketpair()
    with heard, told:
        if threading.current_thread() is not threading.main_thread():
            yield heard
            return
        for end in (heard, told):
            end.setblocking(False)
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        try:
            yield heard
        finally:
            signal.set_wakeup_fd(before)
            signal.signal(signal.SIGINT, handler)
