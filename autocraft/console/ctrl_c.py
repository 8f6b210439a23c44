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
def watch_ctrl_c() -> Iterator[socket.socket]:
    """Let Ctrl-C raise KeyboardInterrupt. Yield a socket that can be read as soon as the signal has come.

    Only the main thread gets signals. In other threads the socket stays silent.
    """
    signals, wakeup = socket.socketpair()
    with signals, wakeup:
        if threading.current_thread() is not threading.main_thread():
            yield signals
            return
        for end in (signals, wakeup):
            end.setblocking(False)
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        before = signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        try:
            yield signals
        finally:
            signal.set_wakeup_fd(before)
            signal.signal(signal.SIGINT, handler)
