"""Check our JavaScript. `make lint-js` and `make coverage-js` run ``python -m scripts.javascript VERB``.

The tools and the types come from npm into `scripts/js/node_modules`, in exact versions. None of them is shipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from autocraft.node import find_node, find_npm

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "scripts" / "js"
PROJECTS = ("minecraft", "sandbox", "facade", "page", "report", "web")
LINTED = ("autocraft", "tests", "benchmarks", "scripts/js/eslint.config.js")
COVERED = (
    "tests/sandbox/test_programs.py",
    "tests/worlds/minecraft/test_commands.py",
    "tests/worlds/minecraft/test_server_survival.py",
    "tests/worlds/minecraft/test_programs.py",
)
"""What `cover` runs when no tests are named."""


def _run(script: Path, *arguments: str) -> int:
    """Run a script of Node in the checkout, and return its exit status."""
    node = find_node()
    path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.run([node, script, *arguments], cwd=ROOT, env=os.environ | {"PATH": path}, check=False).returncode


def install(folder: Path = TOOLS) -> int:
    """Fetch the packages of a folder in the versions of its `package-lock.json`: by default our tools."""
    flags = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    return _run(find_npm(find_node()), "ci", "--prefix", str(folder), *flags)


def peers() -> int:
    """Fetch what the benchmarks measure beside our code."""
    return install(ROOT / "benchmarks" / "peers")


def lint() -> int:
    """Run the linter, then the type checker over each project. Run all of them, even if one finds something."""
    modules = TOOLS / "node_modules"
    found = [_run(modules / "eslint/bin/eslint.js", "--config", str(TOOLS / "eslint.config.js"), "autocraft")]
    for project in PROJECTS:
        found.append(_run(modules / "typescript/bin/tsc", "--project", str(TOOLS / f"tsconfig.{project}.json")))
    return int(any(found))


def cover(tests: Sequence[str]) -> int:
    """Run these tests with each Node child measured, and print lines and branches of each folder."""
    with tempfile.TemporaryDirectory(prefix="coverage-js-") as name:
        folder = Path(name)
        raw, report = folder / "raw", folder / "report"
        raw.mkdir()
        plugin = ["-p", "tests.javascript_coverage", "-p", "no:cacheprovider"]
        command = [sys.executable, "-m", "pytest", "-q", *plugin, *(tests or COVERED), "-m", "not full and not llm"]
        environment = os.environ | {"AUTOCRAFT_JS_COVERAGE": str(raw)}
        tested = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        flags = ["--temp-directory", str(raw), "--reports-dir", str(report), "--reporter", "json-summary"]
        flags += ["--src", "autocraft", "--all", "--include", "autocraft/**/*.js", "--exclude-node-modules"]
        found = _run(TOOLS / "node_modules/c8/bin/c8.js", "report", *flags)
        if found:
            return found
        print(f"{len(list(raw.iterdir()))} Node processes were measured")
        _print_folders(json.loads((report / "coverage-summary.json").read_text(encoding="utf-8")))
        return tested


def _print_folders(files: dict[str, dict[str, dict[str, float]]]) -> None:
    """Print lines and branches for each folder. V8 does not see the code that QuickJS or a browser runs."""
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0, 0, 0])
    for name, file in files.items():
        if name == "total" or "/facade/" in name or "/page/" in name or name.endswith(("inside.js", "web/page.js")):
            continue
        folder = Path(name).parent.relative_to(ROOT).as_posix()
        for key in (folder, "all"):
            for at, part in enumerate(("lines", "branches")):
                sums[key][2 * at] += file[part]["covered"]
                sums[key][2 * at + 1] += file[part]["total"]
    for folder, (lines, of_lines, branches, of_branches) in sorted(sums.items(), key=lambda pair: pair[0] == "all"):
        print(
            f"{folder:58} lines {100 * lines / max(1, of_lines):5.1f} %  "
            f"branches {100 * branches / max(1, of_branches):5.1f} %"
        )


def main(arguments: Sequence[str]) -> int:
    verb, *rest = arguments or [""]
    if verb == "install":
        return install()
    if verb == "peers":
        return peers()
    if verb == "lint":
        return lint()
    if verb == "cover":
        return cover(rest)
    print("give install, peers, lint or cover", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
