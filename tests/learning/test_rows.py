"""`docs/voyager.md` has a row for each part of Voyager, and names nothing that does not exist."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from functools import cache

import pytest
import typer

from autocraft.cli.learn import app as learn
from autocraft.cli.report import app as report
from autocraft.cli.skills import app as skills
from autocraft.learning.voyager import PARAMETERS
from autocraft.settings.fields import kinds
from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "voyager.md").read_text(encoding="utf-8")
LEAST = {"1.1": 22, "1.2": 8, "1.3": 3, "1.4": 16, "1.5": 7, "1.6": 5, "1.7": 7, "1.8": 8, "1.9": 11, "1.10": 14,
         "1.11": 2, "1.12": 12}  # fmt: skip
"""Part of Voyager's inventory -> its rows."""
ROOTS = ("autocraft", "")


def rows() -> list[tuple[str, list[str]]]:
    """Return each row with the number of its part."""
    found, part = [], ""
    for line in TEXT.splitlines():
        part = line.split()[1] if line.startswith("## ") else part
        if line.startswith("| ") and not line.startswith("| Voyager |"):
            found.append((part, [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]))
    return found


@cache
def options() -> frozenset[str]:
    """Return all options of the commands that the table names."""
    found: set[str] = set()
    for app in (learn, report, skills):
        command = typer.main.get_command(app)
        for each in (command, *getattr(command, "commands", {}).values()):
            found |= {name for parameter in each.params for name in parameter.opts}
    return frozenset(found)


@cache
def defined_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def is_setting(name: str) -> bool:
    section, _, field = name.rpartition(".")
    known = kinds([section])
    return section in known and field in [each.name for each in fields(known[section])]


def missing(row: list[str]) -> list[str]:
    """Return what a row names that does not exist."""
    wrong = []
    for name in re.findall(r"`([^`]+)`", row[1]):
        if name.startswith("--"):
            known = name in options()
        elif "/" in name or name.endswith(".py"):
            known = any((ROOT / root / name).is_file() for root in ROOTS)
        else:
            known = is_setting(name)
        wrong += [] if known else [name]
    for name in re.findall(r"`([^`]+)`", row[3]):
        path, _, test = name.partition("::")
        wrong += [] if (ROOT / path).is_file() and test in defined_in(path) else [name]
    return wrong


def test_each_part_has_its_rows_and_each_row_says_where_or_why() -> None:
    counted = {part: sum(each == part for each, _ in rows()) for part in LEAST}
    assert {part: often for part, often in counted.items() if often < LEAST[part]} == {}
    for _, row in rows():
        assert len(row) == 4, row
        assert row[3].startswith("`tests/"), row
        assert row[1] != "–" or row[2], row


@pytest.mark.parametrize("part", LEAST)
def test_what_the_rows_name_exists(part: str) -> None:
    assert [name for each, row in rows() if each == part for name in missing(row)] == []


def test_a_name_that_does_not_exist_would_be_found() -> None:
    control = ["", "`learn.tires` `--no-such` `learning/nothing.py`", "", "`tests/learning/test_rows.py::test_nothing`"]
    assert len(missing(control)) == 4


def test_every_parameter_of_the_class_has_a_row() -> None:
    first = " ".join(row[0] for part, row in rows() if part == "1.1")
    words = {"temperature": "_temperature", "mode": "_mode", "top_k": "_top_k", "error": "_error"}
    for name in PARAMETERS:
        short = next((word for word, ending in words.items() if name.endswith(ending)), name)
        assert name in first or short in first, name
