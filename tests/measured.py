"""Measures the processes that confine themselves, only in `make coverage`.

Such a process begins as an interpreter without packages, and soon it may not open files. So it writes its data, when
it ends or becomes another program, into a file that was opened before. `collect` makes data files of coverage of it.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PRELUDE = "import sys; sys.path += {paths!r}; from tests.measured import begin; begin({file!r}); "
FILE = "-confined"
"""What the name of coverage's data file and the names of these processes' files differ by."""
_SIZE = 8


def data_file() -> str:
    """Return the data file of the coverage that measures this process. Return '' if it is not measured."""
    if "COVERAGE_PROCESS_CONFIG" not in os.environ:
        return ""
    from coverage import Coverage

    current = Coverage.current()
    return current.config.data_file if current else ""


def measure(data_file: str) -> None:
    """Let the confined processes that this process and its forks start from now on measure themselves."""
    from autocraft.sandbox import confine, start

    paths = [str(ROOT), sysconfig.get_path("purelib"), *(path for path in sys.path if path.endswith("site-packages"))]
    prelude = PRELUDE.format(paths=paths, file=data_file + FILE).replace("{", "{{").replace("}", "}}")
    for module in (confine, start):
        module._CODE = prelude + module._CODE  # type: ignore[attr-defined]  # of both, not of modules in general


def begin(file: str) -> None:
    """Measure this process and its forks. Each appends its data once, when it ends or becomes another program."""
    from coverage import Coverage, CoverageData

    CoverageData(no_disk=True).dumps()  # imports the modules that the end needs
    own = f"{file}.{os.urandom(8).hex()}"  # one file for all would grow beyond what a confined process may write
    opened = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    measured = Coverage(data_file=None, branch=True, include=[f"{ROOT}/autocraft/*"], config_file=False)
    measured.start()

    def first(end: Callable[..., Any]) -> Callable[..., Any]:
        def saved(*arguments: Any) -> Any:
            measured.stop()
            data = measured.get_data().dumps()
            os.write(opened, len(data).to_bytes(_SIZE) + data)
            return end(*arguments)

        return saved

    os._exit, os.execve = first(os._exit), first(os.execve)


def collect(data_file: str) -> None:
    """Write the data of the confined processes as one more data file, for `coverage combine`."""
    from coverage import CoverageData

    path = Path(data_file + FILE)
    files = list(path.parent.glob(f"{path.name}.*"))
    left = b"".join(each.read_bytes() for each in files)
    for each in files:
        each.unlink()
    if not left:
        return
    whole = CoverageData(data_file, suffix=f"confined.{os.getpid()}")
    while left:
        size = int.from_bytes(left[:_SIZE])
        one = CoverageData(no_disk=True)
        one.loads(left[_SIZE : _SIZE + size])
        whole.update(one)
        left = left[_SIZE + size :]
    whole.write()


__all__ = ["begin", "collect", "data_file", "measure"]
