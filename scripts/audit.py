"""Look for known faults in what autocraft uses: pip-audit for the lock files, npm audit for the package locks.

`make audit` runs ``python -m scripts.audit``. It returns 1 if it finds a fault. A list of faults that cannot be had, as
without a network, is skipped with one line. pip-audit has an environment of its own, `.venv-audit`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autocraft.errors import NodeMissing
from autocraft.node import find_node, find_npm

ROOT = Path(__file__).resolve().parents[1]
INDEX = "https://pypi.org"
TOOL = ROOT / ".venv-audit"
_SECONDS = 15


class Skipped(Exception):
    """Raised if a list of faults cannot be had. The text says why."""


def python_faults() -> list[str]:
    """Return a line for each known fault of a Python package. Raises Skipped."""
    if not _reachable(INDEX):
        raise Skipped(f"{INDEX} cannot be reached")
    python = TOOL / "bin" / "python"
    if not (TOOL / ".installed").exists():
        lock = str(ROOT / "requirements-audit.lock")
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", lock]
        for command in ([sys.executable, "-m", "venv", str(TOOL)], [str(python), *install]):
            subprocess.run(command, check=True)
        (TOOL / ".installed").touch()
    locks = [part for lock in sorted(ROOT.glob("requirements*.lock")) for part in ("-r", str(lock))]
    flags = ["--disable-pip", "--require-hashes", "--progress-spinner=off", "--format=json"]
    done = subprocess.run([python, "-m", "pip_audit", *flags, *locks], capture_output=True, text=True, check=False)
    try:
        rows = json.loads(done.stdout)["dependencies"]
    except ValueError:
        raise SystemExit(f"audit: pip-audit failed: {done.stderr.strip()}") from None
    if not any("vulns" in row for row in rows):  # as a mirror of the index answers
        raise Skipped(f"{INDEX} knows no faults of any package")
    return list(faults_of_python(rows))


def faults_of_python(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each fault in the rows of pip-audit."""
    for row in rows:
        for fault in row.get("vulns", ()):
            fixed = ", ".join(fault["fix_versions"]) or "no version yet"
            yield f"{row['name']} {row['version']}: {fault['id']}, mended in {fixed}"


def node_faults() -> list[str]:
    """Return a line for each known fault of a package of Node. Raises Skipped."""
    try:
        node = find_node()
        npm = find_npm(node)
    except NodeMissing as error:
        raise Skipped(str(error)) from None
    lines = []
    for lock in _package_locks():
        flags = ["audit", "--package-lock-only", "--json", "--fetch-retries=0", "--prefix", str(lock.parent)]
        done = subprocess.run([node, npm, *flags], capture_output=True, text=True, check=False)
        report = json.loads(done.stdout)
        if "vulnerabilities" not in report:
            raise Skipped(report.get("message") or report.get("error", {}).get("summary") or "npm says no reason")
        place = lock.parent.relative_to(ROOT).as_posix()
        lines += [f"{place}: {line}" for line in faults_of_node(report)]
    return lines


def faults_of_node(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each package with a fault of its own in a report of npm."""
    for name, found in report["vulnerabilities"].items():
        for fault in found["via"]:
            if isinstance(fault, dict):  # a text is the name of another package in the report
                yield f"{name} {found['range']}: {fault['title']} ({fault['severity']}, {fault['url']})"


def _package_locks() -> list[Path]:
    command = ["git", "ls-files", "*package-lock.json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.splitlines()]


def _reachable(address: str) -> bool:
    """Tell whether a server answers, whatever it says."""
    try:
        urllib.request.urlopen(address, timeout=_SECONDS).close()  # noqa: S310 - https, as it stands above
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def main() -> int:
    """Print the faults. Return 1 if there are any."""
    found = 0
    for tool, look in (("pip-audit", python_faults), ("npm audit", node_faults)):
        try:
            lines = look()
        except Skipped as why:
            print(f"audit: {tool} is skipped: {why}")
            continue
        found += len(lines)
        print("\n".join([f"audit: {tool} found {len(lines)} known faults", *lines]))
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
