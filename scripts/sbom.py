"""List what autocraft is built from and uses, as CycloneDX, and put the list into the wheel.

The build of the wheel calls `Sbom` (pyproject.toml). The list holds the versions of the lock files, with which
autocraft is tested; `pip install` may choose others that pyproject.toml allows. What only an extra or npm brings is
optional.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import tempfile
import tomllib
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "autocraft-agent.cdx.json"
REQUIRED_LOCK, EXTRAS_LOCKS = "requirements.lock", ("requirements-dev.lock", "requirements-ray.lock")
_PIN = re.compile(r"^([a-z0-9-]+)==([^ ;]+)", re.M)
_REQUIREMENT = re.compile(r"^[A-Za-z0-9._-]+")
Json = dict[str, Any]


class Sbom(BuildHookInterface[Any]):
    """Adds the list to each wheel that is built, but not to a link to a checkout."""

    def initialize(self, version: str, build_data: Json) -> None:
        if version == "editable":
            return
        self.folder = Path(tempfile.mkdtemp())
        text = json.dumps(sbom(Path(self.root), self.metadata.version), indent=1)
        (self.folder / NAME).write_text(text + "\n", encoding="utf-8")
        build_data["sbom_files"].append(str(self.folder / NAME))

    def finalize(self, version: str, build_data: Json, artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self.folder)


def sbom(root: Path, version: str) -> Json:
    """Return the list for the checkout at `root`, in the form of CycloneDX 1.6. The same files give the same list."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    own = _component(project["name"], version, type="application")
    own["licenses"] = [{"license": {"id": project["license"]}}]
    components = list(_components(root, project))
    direct = {_name(line) for line in (*project["dependencies"], *_extras(project))}
    uses = [each["bom-ref"] for each in components if each["name"] in direct]
    found = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"lifecycles": [{"phase": "build"}], "component": own},
        "components": components,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": uses}],
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(found, sort_keys=True))
    return found | {"serialNumber": f"urn:uuid:{number}"}


def _components(root: Path, project: Mapping[str, Any]) -> Iterator[Json]:
    """Yield what is always installed, what extras name, and what npm brings by the package locks in the wheel."""
    required = dict.fromkeys(_pins(root / REQUIRED_LOCK))
    for name, version in required:
        yield _component(name, version, scope="required")
    extras = {_name(line) for line in _extras(project)}
    pins = dict.fromkeys(pin for lock in EXTRAS_LOCKS for pin in _pins(root / lock))
    for name, version in pins:
        if name in extras and (name, version) not in required:
            yield _component(name, version, scope="optional")
    packages: dict[str, Json] = {}
    for lock in sorted((root / "autocraft").rglob("package-lock.json")):
        if "node_modules" not in lock.parts:
            packages |= {each["bom-ref"]: each for each in _npm_components(lock)}
    yield from packages.values()


def _npm_components(lock: Path) -> Iterator[Json]:
    for path, package in json.loads(lock.read_text("utf-8"))["packages"].items():
        if not path or "version" not in package:  # the list itself, and links into it
            continue
        name = package.get("name", path.rpartition("node_modules/")[2])
        found = _component(name, package["version"], kind="npm", scope="optional")
        kind, _, digest = package.get("integrity", "").partition("-")
        if kind == "sha512":
            found["hashes"] = [{"alg": "SHA-512", "content": base64.b64decode(digest).hex()}]
        yield found


def _component(name: str, version: str, *, kind: str = "pypi", type: str = "library", **more: Any) -> Json:
    purl = f"pkg:{kind}/{quote(name)}@{quote(version)}"
    return {"type": type, "bom-ref": purl, "name": name, "version": version, "purl": purl, **more}


def _pins(lock: Path) -> list[tuple[str, str]]:
    return _PIN.findall(lock.read_text("utf-8"))


def _extras(project: Mapping[str, Any]) -> list[str]:
    return [line for lines in project["optional-dependencies"].values() for line in lines]


def _name(requirement: str) -> str:
    """Return the name of a requirement as lock files write it."""
    found = _REQUIREMENT.match(requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()
