"""Programs that fill the disk in every way that was thought of, as root and as a normal user.

The protections are those of `test_resources.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.security import filling
from tests.security.count import Tally
from tests.security.test_resources import folder, start, ways

__all__ = ["folder"]


def report_of(who: str, folder: Path, mode: str, *how: str) -> dict[str, Any]:
    """What `filling.py` says; its temporary folder is empty again afterwards."""
    out, errors = start(who, mode, folder, *how, module="tests.security.filling").communicate(timeout=900)
    assert out, errors
    found: dict[str, Any] = json.loads(out)
    assert list((folder / "tmp").iterdir()) == []
    return found


@pytest.mark.parametrize(("who", "way"), ways())
@pytest.mark.full
def test_no_way_to_fill_the_disk_gets_by_its_limit(
    who: str, way: str, folder: Path, tally: Callable[[str], Tally]
) -> None:
    report = report_of(who, folder, way)
    if "refused" in report:
        assert os.geteuid() or who == "a user", "root can always have another user id"
        pytest.skip(report["refused"])
    assert report.keys() == filling.ATTACKS.keys()
    count = tally("disk")
    for name, how in report.items():
        count.add(f"{name} under {way} as {who}", "" if how in filling.HELD else how)
    count.done()


@pytest.mark.full
def test_each_of_them_takes_all_it_wants_where_nothing_is_counted(folder: Path) -> None:
    report = report_of("me", folder, "none", "uncounted")
    assert report == dict.fromkeys(filling.ATTACKS, filling.FULL)


def test_a_folder_that_is_mounted_writable_and_not_counted_is_filled(folder: Path) -> None:
    report = report_of("a user" if os.geteuid() == 0 else "me", folder, "auto", "writable")
    if "refused" in report:
        pytest.skip(report["refused"])
    assert report == {"its own interpreter's folder": filling.FULL}
