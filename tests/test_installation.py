"""How autocraft says what to install: a line that changes the autocraft that is running, however it was installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from autocraft.installation import install_line, installed_from


def environment(prefix: Path, *, pip: bool = True) -> Path:
    """Make what is looked at of an environment."""
    (prefix / "lib/python3.11/site-packages" / ("pip" if pip else "other")).mkdir(parents=True)
    return prefix


@pytest.mark.parametrize(
    ("where", "extra", "line"),
    [
        ("home/.local/share/pipx/venvs/autocraft-agent", "mcp", "pipx install --force '{src}[mcp]'"),
        ("home/.local/share/pipx/venvs/autocraft-agent", "", "pipx install --force {src}"),
        ("home/.local/share/uv/tools/autocraft-agent", "web", "uv tool install --force '{src}[web]'"),
        ("src/.venv", "minecraft", "make minecraft in {src}"),
        ("src/.venv", "web", "{prefix}/bin/python -m pip install '{src}[web]'"),
        ("elsewhere/env", "minecraft", "{prefix}/bin/python -m pip install '{src}[minecraft]'"),
    ],
)
def test_the_line_is_that_of_the_tool_that_installed_it(tmp_path: Path, where: str, extra: str, line: str) -> None:
    source = tmp_path / "src"
    source.mkdir()
    (source / "Makefile").touch()
    prefix = environment(tmp_path / where)
    assert install_line(extra, prefix, source) == line.format(src=source, prefix=prefix)


def test_an_environment_without_pip_is_one_of_uv(tmp_path: Path) -> None:
    prefix = environment(tmp_path / "env", pip=False)
    assert install_line("mcp", prefix, tmp_path) == f"uv pip install --python {prefix}/bin/python '{tmp_path}[mcp]'"


def test_a_wheel_is_named_with_its_address(tmp_path: Path) -> None:
    wheel = tmp_path / "autocraft_agent-1-py3-none-any.whl"
    prefix = environment(tmp_path / "pipx/venvs/x")
    assert install_line("mcp", prefix, wheel) == f"pipx install --force 'autocraft-agent[mcp] @ {wheel.as_uri()}'"


def test_a_folder_with_spaces_is_quoted(tmp_path: Path) -> None:
    source = tmp_path / "my folder"
    source.mkdir()
    line = install_line("", environment(tmp_path / "env"), source)
    assert line.endswith(f"pip install '{source}'")


def test_the_source_of_this_installation_is_known() -> None:
    source = installed_from()
    assert source is None or (source / "autocraft").is_dir() or source.suffix == ".whl"
