"""Build the packages of a release, check them, and set its tag.

    python -m scripts.release           # check only
    python -m scripts.release --tag     # check, then set the tag v0.2.0 on this commit
    python -m scripts.release --tagged  # check a commit that has its tag

The packages are left in dist/. Nothing is pushed or uploaded. `make release` runs this, also in the workflow that
publishes a tag (`.github/workflows/release.yml`).
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date
from email.parser import BytesParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
REQUIRED = (
    "autocraft/py.typed",
    "autocraft/prompts/system.j2",
    "autocraft/sandbox/node/package-lock.json",
    "autocraft/crafting/data/recipes.json",
    "autocraft/worlds/minecraft/node/package-lock.json",
)
"""Files that the wheel cannot do without. That it holds every file of git's is checked too."""
SBOM = "autocraft-agent.cdx.json"
FOREIGN = ("tests/", "benchmarks/", "scripts/", "docs/", "node_modules/", ".venv/")


class NotReady(Exception):
    """Raised if the release cannot be made. The text has one reason a line."""


def git(*arguments: str) -> str:
    """Return the output of git. Raises NotReady if it fails."""
    process = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if process.returncode:
        raise NotReady(f"git {arguments[0]} says: {process.stderr.strip()}")
    return process.stdout


def version_here() -> str:
    """Read the version from autocraft/__init__.py. Raises NotReady if there is none."""
    found = re.search(r'^__version__ = "(\d+\.\d+\.\d+)"$', (ROOT / "autocraft/__init__.py").read_text("utf-8"), re.M)
    if found is None:
        raise NotReady("autocraft/__init__.py holds no version such as 0.2.0")
    return found[1]


def wrong_in_checkout(version: str, today: date, *, tagged: bool) -> Iterator[str]:
    """Yield what is wrong before anything is built: changes, a tag that is or is not there, the changelog.

    A `tagged` commit may be of an earlier day.
    """
    changed = git("status", "--porcelain").splitlines()
    if changed:
        yield f"{len(changed)} files are not committed, such as {changed[0][3:]}: commit them"
    if tagged and f"v{version}" not in git("tag", "--points-at", "HEAD").split():
        yield f"this commit has not the tag of its version: make release TAG=yes sets v{version}"
    if not tagged and git("tag", "--list", f"v{version}").strip():
        yield f"the tag v{version} is there already: set a higher __version__ in autocraft/__init__.py"
    sections = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    wanted = f"[{version}] - {'' if tagged else today.isoformat()}"
    if not sections or not (sections[0].startswith(wanted) if tagged else sections[0] == wanted):
        yield f"CHANGELOG.md must begin with the section ## {wanted}; it begins with ## {' '.join(sections[:1])}"


def build() -> tuple[Path, Path]:
    """Build both packages into an empty dist/, the wheel from the sdist. Raises NotReady if that fails."""
    shutil.rmtree(DIST, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise NotReady(f"the packages cannot be built:\n{done.stdout.strip()}")
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    return sdist, wheel


def expected_in_wheel() -> set[str]:
    """Return the files that the wheel must hold: those of git below autocraft/ and prompts/."""
    files = git("ls-files", "autocraft", "prompts").splitlines()
    return {f"autocraft/{file}" if file.startswith("prompts/") else file for file in files}


def wrong_in_wheel(names: Sequence[str], expected: set[str]) -> Iterator[str]:
    """Yield the files that are missing in the wheel, and those that do not belong there."""
    for name in sorted({*REQUIRED, *expected} - set(names)):
        yield f"the wheel lacks {name}"
    if not any(name.endswith(f".dist-info/sboms/{SBOM}") for name in names):
        yield f"the wheel lacks {SBOM}, the list of its components"
    for name in names:
        if not name.startswith(("autocraft/", "autocraft_agent-")) or any(f"/{part}" in f"/{name}" for part in FOREIGN):
            yield f"the wheel holds {name}, which is not part of the program"


def wrong_in_sdist(names: Sequence[str]) -> Iterator[str]:
    """Yield the files that are missing for somebody who builds from the sdist."""
    inside = {name.partition("/")[2] for name in names}
    for name in ("pyproject.toml", "Makefile", "requirements.lock", "LICENSE", "README.md", "tests/conftest.py"):
        if name not in inside:
            yield f"the sdist lacks {name}"


def wrong_in_metadata(text: bytes, version: str) -> Iterator[str]:
    """Yield the metadata that a package index would refuse or could not show."""
    from packaging.metadata import ExceptionGroup, Metadata

    try:
        Metadata.from_email(text)
    except ExceptionGroup as group:
        yield from (f"the metadata is wrong: {error}" for error in group.exceptions)
    message = BytesParser().parsebytes(text)
    if message["Version"] != version:
        yield f"the wheel says version {message['Version']} and autocraft/__init__.py {version}"
    page = str(message.get_payload())
    for link in re.findall(r"\]\(([^)\s]*)\)|<img[^>]*src=[\"']([^\"']*)", page):
        target = "".join(link)
        if not target.startswith(("https://", "#")):
            yield f"the page on the index would have a broken link to {target}"


def check(today: date, *, tagged: bool) -> str:
    """Check everything and return the version. Raises NotReady with all reasons."""
    version = version_here()
    wrong = list(wrong_in_checkout(version, today, tagged=tagged))
    sdist, wheel = build()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA")))
    wrong += wrong_in_wheel(names, expected_in_wheel())
    wrong += wrong_in_metadata(metadata, version)
    with tarfile.open(sdist) as source:
        wrong += wrong_in_sdist(source.getnames())
    if wrong:
        raise NotReady("\n".join(wrong))
    for package in (wheel, sdist):
        print(f"{package.name}: {package.stat().st_size:,} bytes")
    return version


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 if the release cannot be made."""
    parser = argparse.ArgumentParser(prog="python -m scripts.release", description="Check a release and set its tag.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--tag", action="store_true", help="set the tag; without this, everything is only checked")
    which.add_argument("--tagged", action="store_true", help="check a commit that has its tag already")
    asked = parser.parse_args(arguments)
    try:
        version = check(date.today(), tagged=asked.tagged)
        if asked.tagged:
            print(f"autocraft {version} is ready to be published: the packages are in dist/")
            return 0
        if not asked.tag:
            print(f"autocraft {version} can be released: make release TAG=yes sets the tag v{version}")
            return 0
        git("tag", "--annotate", f"v{version}", "--message", f"autocraft {version}")
    except NotReady as error:
        for line in str(error).splitlines():
            print(f"release: {line}", file=sys.stderr)
        return 1
    print(f"The tag v{version} is set. Push it: the workflow release builds the packages again, and publishes them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
