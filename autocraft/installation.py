"""How this autocraft was installed, and the line that adds an extra to it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "autocraft-agent"
MAKE = {"minecraft": "make minecraft"}
"""Extra -> what the Makefile of a clone has for it."""


def install_line(extra: str = "", prefix: Path | None = None, source: Path | None = None) -> str:
    """Return the command that installs autocraft again, with an extra.

    `prefix` is the folder of this Python's packages, and `source` the folder or the wheel that autocraft was installed
    from. Without them they are looked up. Where the source is not known, the line names it in words.
    """
    prefix = prefix or Path(sys.prefix)
    source = source or installed_from()
    if source is not None and prefix == source / ".venv" and (source / "Makefile").is_file():
        if extra in MAKE:
            return f"{MAKE[extra]} in {shlex.quote(str(source))}"
        return _pip(prefix, extra, source)
    parts = prefix.parts
    if "pipx" in parts:
        return f"pipx install --force {_what(extra, source)}"
    if {"uv", "tools"} <= {*parts}:
        return f"uv tool install --force {_what(extra, source)}"
    return _pip(prefix, extra, source)


def installed_from() -> Path | None:
    """Return the folder or the wheel that autocraft was installed from, or None if it is not known or is gone."""
    from importlib import metadata

    try:
        text = metadata.distribution(NAME).read_text("direct_url.json")
        address = urlsplit(json.loads(text or "{}").get("url", ""))
    except (metadata.PackageNotFoundError, ValueError, AttributeError):
        return None
    path = Path(unquote(address.path).removeprefix("/" if os.name == "nt" else ""))
    return path if address.scheme == "file" and path.exists() else None


def _pip(prefix: Path, extra: str, source: Path | None) -> str:
    """Return the line for the environment at `prefix`. One that uv made has no pip."""
    has_pip = any(prefix.glob("lib/python*/site-packages/pip")) or (prefix / "Lib/site-packages/pip").is_dir()
    bare = prefix == Path(sys.base_prefix)
    python = (
        "python3" if bare else shlex.quote(str(prefix / ("Scripts/python.exe" if os.name == "nt" else "bin/python")))
    )
    tool = f"{python} -m pip install" if has_pip or bare else f"uv pip install --python {python}"
    return f"{tool} {_what(extra, source)}"


def _what(extra: str, source: Path | None) -> str:
    """Return what to install: a folder or a wheel with an extra. autocraft is on no package index yet."""
    more = f"[{extra}]" if extra else ""
    if source is None:
        return f"'.{more}' in autocraft's folder" if more else ". in autocraft's folder"
    if source.suffix == ".whl":
        return shlex.quote(f"{NAME}{more} @ {source.as_uri()}") if more else shlex.quote(str(source))
    return shlex.quote(f"{source}{more}")
