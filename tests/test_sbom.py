"""The list of components in the wheel: all that is installed, in the form of CycloneDX, with nothing left out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import release
from scripts.sbom import NAME, sbom
from tests.conftest import ROOT, unmeasured

VERSION = release.version_here()
LIST: dict[str, Any] = sbom(ROOT, VERSION)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def of_scope(scope: str, kind: str = "pypi") -> set[tuple[str, str]]:
    """Return the names and versions of the components of a scope."""
    return {
        (each["name"], each["version"])
        for each in LIST["components"]
        if each["scope"] == scope and each["purl"].startswith(f"pkg:{kind}/")
    }


def pins(lock: str) -> set[tuple[str, str]]:
    """Return the names and versions of a lock file, which pip reads."""
    lines = re.findall(r"^[^ \n]+[^\\\n]+", (ROOT / lock).read_text("utf-8"), re.M)
    return {(each.name, str(each.specifier).removeprefix("==")) for each in map(Requirement, lines)}


def test_what_is_always_installed_is_exactly_the_lock() -> None:
    assert of_scope("required") == pins("requirements.lock")
    names = {name for name, _ in of_scope("required")}
    assert {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]} <= names


def test_what_extras_name_is_there_in_a_tested_version() -> None:
    lines = [line for each in PROJECT["optional-dependencies"].values() for line in each]
    assert {name for name, _ in of_scope("optional")} == {canonicalize_name(Requirement(line).name) for line in lines}
    assert of_scope("optional") <= pins("requirements-dev.lock") | pins("requirements-ray.lock")


def test_what_npm_brings_is_there_with_its_hash() -> None:
    for lock in (ROOT / "autocraft").rglob("package-lock.json"):
        if "node_modules" in lock.parts:
            continue
        packages = json.loads(lock.read_text("utf-8"))["packages"]
        wanted = {(path.rpartition("node_modules/")[2], each["version"]) for path, each in packages.items() if path}
        assert len(wanted) > 2 and wanted <= of_scope("optional", "npm"), lock
    packages = [each for each in LIST["components"] if each["purl"].startswith("pkg:npm/")]
    assert all(re.fullmatch("[0-9a-f]{128}", each["hashes"][0]["content"]) for each in packages)


def test_the_program_names_what_it_uses_itself() -> None:
    [edges] = LIST["dependencies"]
    assert edges["ref"] == LIST["metadata"]["component"]["bom-ref"] == f"pkg:pypi/autocraft-agent@{VERSION}"
    references = [each["bom-ref"] for each in LIST["components"]]
    assert len(set(references)) == len(references) and set(edges["dependsOn"]) <= set(references)
    direct = [*PROJECT["dependencies"], *(line for each in PROJECT["optional-dependencies"].values() for line in each)]
    names = {re.split("[/@]", each)[1] for each in edges["dependsOn"]}
    assert names == {canonicalize_name(Requirement(line).name) for line in direct}


def test_the_same_files_give_the_same_list() -> None:
    assert sbom(ROOT, VERSION) == LIST and sbom(ROOT, "9.9.9")["serialNumber"] != LIST["serialNumber"]


@pytest.mark.full
def test_the_wheel_holds_the_list(tmp_path: Path) -> None:
    """Also that which is built from the source package alone, as the release builds it."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=unmeasured(os.environ), check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(NAME)]
        assert name == f"autocraft_agent-{VERSION}.dist-info/sboms/{release.SBOM}"
        assert json.loads(archive.read(name)) == LIST
