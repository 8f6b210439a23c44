"""Finds how this system protects the person from programs, by one trial before the first program.

There are two ways, each with the filter of system calls, and with Landlock where the kernel has it: namespaces, and for
root also a user id that nobody has. If neither works, no program runs unless the person sets `none`.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from autocraft.children import Lifetime, start_waiting
from autocraft.errors import CommandError
from autocraft.sandbox import linux
from autocraft.sandbox.folder import SandboxFolder
from autocraft.sandbox.settings import CodeSettings
from autocraft.sandbox.start import SUPERVISOR_ENVIRONMENT, Protection, Report, may_change_user, supervisor_command

_OTHER_PYTHONS = ("/usr/local/bin/python3", "/usr/bin/python3")
_TRIAL = "import json, threading\nt = threading.Thread(target=print)\nt.start()\nopen('tried', 'w').write('yes')\n"
_TRIAL_SECONDS = 20.0


def find(settings: CodeSettings) -> Protection:
    """Return the protection of programs on this system. Raises CommandError if there is none to be had."""
    if settings.off_by:
        raise CommandError(f"no program is run because of {settings.off_by}")
    faults = []
    for parts in [()] if settings.protection == "none" else _ways():
        protection, fault = _try(parts, settings.network)
        if protection is not None:
            return protection
        faults.append(fault)
    if settings.protection == "none":
        raise CommandError(f"no program can be run here ({faults[0]})")
    raise CommandError(
        f"no program is run, as nothing here keeps it from your files ({'; '.join(faults)}); allow user namespaces as "
        "docs/systems.md says, or set code.protection to none to run programs without protection"
    )


def check_confining(*, network: bool) -> None:
    """Raise CommandError if this system cannot confine a program of others, by a trial."""
    if sys.platform != "linux":
        raise CommandError("this system can confine no program: docs/systems.md says which can")
    protection, fault = _try(confining_parts(), network)
    if protection is None:
        raise CommandError(f"no program can be confined here ({fault}): allow user namespaces as docs/systems.md says")


def confining_parts() -> tuple[str, ...]:
    """Return the parts that confine a program of others, which keeps the person's user id."""
    return ("namespaces", *_landlock(), "seccomp")


def _landlock() -> tuple[str, ...]:
    return ("landlock",) if linux.landlock_version() else ()


def _ways() -> list[tuple[str, ...]]:
    """Return the ways to try, the strongest first, each as its parts in the order in which the launcher sets them."""
    ways = [("namespaces", "uid"), ("uid",)] if may_change_user() else [("namespaces",)]
    return [(*way, *_landlock(), "seccomp") for way in ways]


@cache
def _try(parts: tuple[str, ...], network: bool) -> tuple[Protection | None, str]:
    """Run a small program with these parts. Return the protection and '', or None and the fault."""
    fault = ""
    for python in _pythons(parts):
        protection = Protection(parts, python, network)
        try:
            with SandboxFolder(CodeSettings()) as folder:
                folder.put("trial.py", _TRIAL.encode())
                if _runs(protection, folder):
                    return protection, ""
                fault = fault or f"{python} does not start under it"
        except CommandError as error:
            fault = str(error)
        except OSError as error:
            fault = error.strerror or str(error)
    return None, fault


def _pythons(parts: tuple[str, ...]) -> list[Path]:
    """Return this interpreter, and those of the system if another user must be able to enter its folder."""
    own = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    if "uid" not in parts or "namespaces" in parts:
        return [own]
    others = [Path(name).resolve() for name in _OTHER_PYTHONS if Path(name).exists()]
    return list(dict.fromkeys([own, *others]))


def _runs(protection: Protection, folder: SandboxFolder) -> bool:
    settings = CodeSettings(network=protection.network)
    with Report() as report:
        child = start_waiting(
            supervisor_command(protection, folder, ["trial.py"], settings, report.writing),
            Lifetime.OWN,
            env=SUPERVISOR_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[report.writing],
        )
        report.close_writing()
        with child:
            try:
                child.wait(_TRIAL_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
        facts = report.read()
    if "failed" in facts:
        raise CommandError(str(facts["failed"]))
    return (folder.work / "tried").exists()
