"""Renders a page: one HTML file that loads nothing, whose templates escape every text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from autocraft.session.atomic import write_named

if TYPE_CHECKING:
    from jinja2 import Environment


def write(path: Path, text: str) -> int:
    """Write a page to `path`, completely or not at all. Return its bytes. Raises UsageError if it cannot be written."""
    page = text.encode()
    write_named(path, page)
    return len(page)


def render(package: str, name: str, values: Mapping[str, object], script: str = "", *, live: bool = False) -> str:
    """Return the page that a template of a package makes of these values.

    The page's policy allows this script and the style alone, by their hashes. A `live` page may ask its own server.
    """
    style = read("style.css")
    frame = {
        "style": style,
        "style_hash": policy_hash(style),
        "script": script,
        "script_hash": policy_hash(script),
        "live": live,
    }
    return _templates(package).get_template(name).render({**values, **frame})


def _templates(package: str) -> Environment:
    """Return the templates of a package and of this folder."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(partial(read, package=package)),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def read(name: str, package: str = __package__) -> str:
    """Return a file of a package, or of this folder if the package has none of that name."""
    own = resources.files(package).joinpath(name)
    return (own if own.is_file() else resources.files(__package__).joinpath(name)).read_text("utf-8")


def joined_scripts(package: str, *names: str) -> str:
    """Return the script of a page with pictures of items: the parts of this folder, then these files of a package."""
    return "\n".join(read(name, package) for name in ("js/make.js", "js/items.js", *names))


def policy_hash(text: str) -> str:
    """Return the hash of this text for a Content-Security-Policy. The text must be between its tags without a
    change."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
