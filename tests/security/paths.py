"""Paths that try to leave the workspace, each with a careless program that it deceives.

`House` replaces the words for places outside: OUT is the absolute folder of the bait, ROOT the workspace, HOME the
person's home.
"""

from __future__ import annotations

import contextlib
import ntpath
import os
import stat
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from urllib.parse import unquote

Reading = Callable[[str], str]


def as_it_is(name: str) -> str:
    return name


def on_windows(name: str) -> str:
    """Return the path by the rules of Windows: backslashes separate folders."""
    return name


def as_c(name: str) -> str:
    """Return the name as C does: a string ends at its first zero."""
    return name.partition("\0")[0]


def folded(name: str) -> str:
    """Replace look-alike characters by plain ones, as some file systems and servers do."""
    return unicodedata.normalize("NFKC", name)


def visible(name: str) -> str:
    """Drop invisible characters, as many input fields do."""
    return "".join(char for char in name if unicodedata.category(char) not in ("Cf", "Cc", "Zl", "Zp"))


def slashed(name: str) -> str:
    return name.replace("\\", "/")


def trimmed(name: str) -> str:
    """Drop blanks and dots at the end of each part, as Windows and strip() do."""
    return "/".join(part if part in ("..", ".") else part.strip(" ") for part in name.split("/"))


@dataclass(frozen=True)
class Escape:
    """A path that tries to escape. `careless` is what a program does with the name before it opens the file."""

    name: str
    careless: Reading = as_it_is


def _all(names: str, careless: Reading = as_it_is) -> list[Escape]:
    return [Escape(name, careless) for name in names.split()]


ESCAPES = [
    # ------------------------------------------------------------ up and away
    *_all("""../outside/secret.txt ../outside .. ../ ../. ./.. ./../outside/secret.txt a/../../outside/secret.txt
    a/b/../../../outside/secret.txt .//..//outside//secret.txt ../workspace/../outside/secret.txt
    a/./.././../outside/secret.txt ../../NAME/outside/secret.txt ../workspace-2/secret.txt ../workspace-2
    a/../../workspace-2/secret.txt link/../outside/secret.txt"""),
    # ------------------------------------------------------------ absolute
    *_all("""OUT/secret.txt OUT ROOT/../outside/secret.txt ROOT/a/../../outside/secret.txt ROOT-2/secret.txt ROOT-2
    //OUT/secret.txt ///OUT/secret.txt /etc/passwd /etc / //etc/passwd OUT/../outside/secret.txt"""),
    # ------------------------------------------------------------ links
    *_all("""link/secret.txt link link/ ./link/secret.txt a/../link/secret.txt linked.txt a/linked.txt chain/secret.txt
    chain up/outside/secret.txt up whole/etc/passwd whole relative/secret.txt self/../outside/secret.txt
    link/deep/../secret.txt hard.txt a/hard.txt dangling.txt proc/1/status devices/null"""),
    # ------------------------------------------------------------ devices and the like
    *_all("""/dev/null /dev/zero /dev/tty /dev/fd/0 /dev/stdin /proc/self/environ /proc/self/cmdline /proc/self/mem
    /proc/self/root/etc/passwd /proc/self/cwd /proc/self/fd /proc/version /sys/kernel pipe socket"""),
    # ------------------------------------------------------------ homes
    *_all("~/secret.txt ~ ~root ~root/.bashrc", os.path.expanduser),
    *_all("$HOME/secret.txt ${HOME}/secret.txt", os.path.expandvars),
    # ------------------------------------------------------------ spelled otherwise
    *_all("%2e%2e/outside/secret.txt %2e%2e%2foutside%2fsecret.txt ..%2foutside%2fsecret.txt", unquote),
    *_all(
        "．．/outside/secret.txt ../outside／secret.txt ‥/outside/secret.txt ．．／outside／secret.txt "
        "․․/outside/secret.txt",
        folded,
    ),
    Escape("../outside/secret.txt\0.png", as_c),
    Escape("\0../outside/secret.txt", lambda name: name.lstrip("\0")),
    Escape("..\0/outside/secret.txt", lambda name: name.replace("\0", "")),
    Escape(".\u200b./outside/secret.txt", visible),
    Escape("\u202e../outside/secret.txt", visible),
    Escape("\ufeff../outside/secret.txt", visible),
    Escape("..\n/outside/secret.txt", visible),
    Escape("\x1b../outside/secret.txt", visible),
    Escape(".. /outside/secret.txt", trimmed),
    Escape(" ../outside/secret.txt", str.strip),
    Escape("../outside/secret.txt ", str.strip),
    Escape("file://OUT/secret.txt", lambda name: name.removeprefix("file://")),
    # ------------------------------------------------------------ Windows
    *_all(r"..\outside\secret.txt a\..\..\outside\secret.txt ..\/outside/secret.txt", slashed),
    *_all(
        r"""C:\secret.txt C:/secret.txt c:secret.txt C:..\secret.txt \\server\share\secret.txt //server/share/secret.txt
        \\?\C:\secret.txt \\.\PhysicalDrive0 \secret.txt CON con.txt NUL nul.log AUX PRN COM1 com9.txt LPT1
        COM¹ LPT³.txt
        a/NUL/b.txt CONIN$ CONOUT$""",
        on_windows,
    ),
    # ------------------------------------------------------------ case
    *_all("../OUTSIDE/secret.txt LINK/secret.txt Linked.TXT", str.lower),
    # ------------------------------------------------------------ too long
    Escape("../" * 2_000 + "etc/passwd", lambda name: name[-3_000:]),
    Escape("a/../" * 900 + "../outside/secret.txt", os.path.normpath),
    Escape("x" * 300),
    Escape("é" * 200),
    Escape("a/" * 3_000 + "b"),
]


def reaches(root: Path, escape: Escape, name: str) -> str:
    """Return the file outside of `root`, or the special file, that a careless program reaches. Return '' for none."""
    if escape.careless is on_windows:
        return "leaves on Windows" if _leaves_on_windows(root.name, name) else ""
    try:
        path = os.path.join(root, escape.careless(name))  # noqa: PTH118  (as such a program does it)
        real = Path(os.path.realpath(path))
        if real != root and not real.is_relative_to(root):
            return _taken(real)
        found = Path(path).stat()
    except (OSError, ValueError) as error:
        return f"breaks with {type(error).__name__}" if len(os.fsencode(name)) > 255 else ""
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        return "would hang"
    return _taken(Path(path)) if found.st_nlink > 1 and stat.S_ISREG(found.st_mode) else ""


def _taken(path: Path) -> str:
    """Return the first thing at this path, or that something could be put there."""
    if path.is_dir():
        return f"lists {sorted(os.listdir(path))[:3]}"  # noqa: PTH208
    if not path.exists():
        return "could make it" if path.parent.is_dir() else ""
    if not path.is_file():
        return "opens a special file"
    with contextlib.suppress(OSError), path.open("rb") as file:
        return f"reads {file.read(20)!r}"
    return "opens it"


def _leaves_on_windows(folder: str, name: str) -> bool:
    """Tell whether Windows would open a device, or a file outside of the workspace."""
    base = PureWindowsPath("W:/work") / folder
    path = base / name
    reserved = getattr(ntpath, "isreserved", None) or (lambda part: PureWindowsPath(part).is_reserved())
    return any(map(reserved, PureWindowsPath(name).parts)) or not path.is_relative_to(base) or ".." in path.parts
