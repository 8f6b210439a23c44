"""Print the branch coverage of each package, and fail if one is under its floor.

    python -m scripts.coverage_floors coverage.json

The file is what `coverage json` writes in this folder. pyproject.toml has the floors in percent, under
[tool.autocraft.coverage]. Modules outside the folders of `autocraft/` count as the package "autocraft".
`make coverage` runs this.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


@dataclass(frozen=True)
class Covered:
    """Lines and branches of a package that tests ran, out of how many there are."""

    lines: int = 0
    all_lines: int = 0
    branches: int = 0
    all_branches: int = 0

    def __add__(self, other: Covered) -> Covered:
        return Covered(
            self.lines + other.lines,
            self.all_lines + other.all_lines,
            self.branches + other.branches,
            self.all_branches + other.all_branches,
        )

    @property
    def percent(self) -> float:
        """Return the share of lines and branches together, as coverage counts them. Return 100 without any line."""
        return percent(self.lines + self.branches, self.all_lines + self.all_branches)


def percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 100.0


def package_of(file: str) -> str:
    """Return the package of a file: brains for autocraft/brains/openai.py, autocraft for autocraft/app.py."""
    parts = PurePath(file).parts
    return parts[1] if len(parts) > 2 else parts[0]


def by_package(files: Mapping[str, Any]) -> dict[str, Covered]:
    """Sum up the files of a report by package. Raises KeyError for a report without branches.

    Files outside this folder are left out, because some tests work in a copy of the checkout.
    """
    packages: dict[str, Covered] = {}
    for name, file in files.items():
        if PurePath(name).is_absolute():
            continue
        counts = file["summary"]
        one = Covered(
            counts["covered_lines"], counts["num_statements"], counts["covered_branches"], counts["num_branches"]
        )
        package = package_of(name)
        packages[package] = packages.get(package, Covered()) + one
    return dict(sorted(packages.items()))


def table(packages: Mapping[str, Covered], floors: Mapping[str, float]) -> Iterable[str]:
    """Yield one line for each package, and one for all."""
    yield f"{'package':<12} {'covered':>8} {'floor':>6} {'lines':>15} {'branches':>15}"
    for name, one in [*packages.items(), ("all", sum(packages.values(), Covered()))]:
        floor = f"{floors[name]:g}" if name in floors else "-"
        lines, branches = f"{one.lines}/{one.all_lines}", f"{one.branches}/{one.all_branches}"
        yield f"{name:<12} {one.percent:>7.1f}% {floor:>6} {lines:>15} {branches:>15}"


def failures(packages: Mapping[str, Covered], floors: Mapping[str, float]) -> list[str]:
    """Yield one line for each floor that is not met, or that names no package."""
    lines = []
    for name, floor in floors.items():
        if name not in packages:
            lines.append(f"{name} has a floor and is no package: correct [tool.autocraft.coverage] in pyproject.toml")
        elif packages[name].percent < floor:
            lines.append(f"{name} has {packages[name].percent:.1f} % and needs {floor:g} %: add tests for it")
    return lines


def main(arguments: list[str]) -> int:
    """Return 1 if a floor is not met, and 2 if there is no usable report."""
    if len(arguments) != 1:
        print("usage: python -m scripts.coverage_floors coverage.json", file=sys.stderr)
        return 2
    try:
        packages = by_package(json.loads(Path(arguments[0]).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError) as error:
        reason = f"{type(error).__name__}: {error}"
        print(f"coverage_floors: no report with branches ({reason}): run make coverage", file=sys.stderr)
        return 2
    floors = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["autocraft"]["coverage"]
    print("\n".join(table(packages, floors)))
    lines = failures(packages, floors)
    for line in lines:
        print(f"coverage_floors: {line}", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
