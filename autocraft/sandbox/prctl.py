"""What a process tells the kernel about itself. Standard library only, and little of it, as each start waits for it.

Each function raises OSError that names the call.
"""

from __future__ import annotations

import ctypes
import os

_SET_PDEATHSIG, _SET_NO_NEW_PRIVS, _SET_CHILD_SUBREAPER = 1, 38, 36
_SIGKILL, _SIGPIPE = 9, 13  # to import the module signal takes as long as all the rest


def call(name: str, *args: object) -> int:
    """Call a function of the C library. Raises OSError if it returns an error."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(getattr(libc, name)(*args))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def die_with_parent() -> None:
    """Let the kernel kill this process when its parent ends. A change of the user id cancels this."""
    call("prctl", _SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent has ended."""
    call("prctl", _SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def give_up_privileges() -> None:
    """Deny later programs all rights by set-uid bits and file capabilities."""
    call("prctl", _SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def heed_closed_pipes() -> None:
    """Let a closed pipe end this process, as it ends most programs. Python had switched that off."""
    ctypes.CDLL(None).signal(_SIGPIPE, None)
