"""Changes a library until it kills itself: ``python -m tests.skills.changer FOLDER NTH``.

Nothing is replaced: an audit hook counts every file that is opened, renamed, made or removed in the library, just
before it happens, and sends SIGKILL at the chosen number. Without a number it prints how many there were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from autocraft.skills.store import Library
from autocraft.skills.uses import record_use
from tests.skills.conftest import draft

WATCHED = ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.truncate")


def change(library: Library) -> None:
    """Make every kind of change, also of skills that exist already."""
    library.save("a", draft("a", "one();"))
    library.save("a", draft("a", "two();"))
    record_use(library.folder, "a", 2, True)
    library.add("b", [draft("b", "one();", quarantine=True), draft("b", "two();", quarantine=True)])
    library.approve("b")
    library.set_current("a", 1)
    library.delete("a")
    library.save("a", draft("a", "three();"))
    library.delete("a")
    library.restore(library.list_trash()[-1])


def main(folder: str, nth: int) -> None:
    passed = 0

    def watch(event: str, args: tuple[object, ...]) -> None:
        nonlocal passed
        if event in WATCHED and isinstance(args[0], str | os.PathLike) and folder in os.fspath(args[0]):
            passed += 1
            if passed == nth:
                os.kill(os.getpid(), signal.SIGKILL)

    library = Library(Path(folder))
    sys.addaudithook(watch)
    change(library)
    print(passed)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
