"""Finds which protection of programs the system offers, by one trial before the first program.

`auto` means the strongest that works, and refuses to run programs if none protects the person's files. If the parts are
named, exactly these are required.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from autocraft.errors import CommandError
from autocraft.sandbox.folder import RunFolder
from autocraft.sandbox.settings import CodeSettings
from autocraft.sandbox.start import SUPERVISOR_ENVIRONMENT, Protection, Report, may_change_user, supervisor_command

_OTHER_PYTHONS = ("/usr/local/bin/python3", "/usr/bin/python3")
_TRIAL = "import json, threading\nt = threading.Thread(target=print)\nt.start()\nopen('tried', 'w').write('yes')\n"
_TRIAL_SECONDS = 20.0


def find(settings: CodeSettings) -> Protection:
    """Return the protection that these settings ask for. Raises CommandError if the system does not offer it."""
    if settings.parts is not None:
        return _protection_of(settings.parts, settings.network)
    root = may_change_user()
    for parts in [("namespaces", "uid"), ("uid", "landlock"), ("uid",)] if root else [("namespaces",), ("landlock",)]:
        for trial in ((*parts, "seccomp"), parts):
            protection, _ = _try(trial, settings.network)
            if protection is not None:
                return protection
    raise CommandError(
        "no program is run, as nothing here keeps it from your files (neither namespaces nor Landlock work); "
        "set code.protection to none to run programs without protection"
    )


def _protection_of(parts: tuple[str, ...], network: bool) -> Protection:
    root = may_change_user()
    if "uid" in parts and not root:
        raise CommandError("code.protection names uid, which only root can do; leave it out")
    if "namespaces" in parts and root and "uid" not in parts:
        raise CommandError("code.protection names namespaces, which need uid beside them for root; add it")
    protection, why = _try(parts, network)
    if protection is None:
        raise CommandError(f"code.protection {','.join(parts) or 'none'} does not work here ({why}); set it to auto")
    return protection


@cache
def _try(parts: tuple[str, ...], network: bool) -> tuple[Protection | None, str]:
    """Run a small program with these parts. Return the protection and '', or None and why it does not work."""
    why = ""
    for python in _pythons(parts):
        protection = Protection(parts, python, network)
        try:
            with RunFolder(CodeSettings()) as folder:
                folder.put("trial.py", _TRIAL.encode())
                if _runs(protection, folder):
                    return protection, ""
                why = why or f"{python} does not start under it"
        except CommandError as error:
            why = str(error)
        except OSError as error:
            why = error.strerror or str(error)
    return None, why


def _pythons(parts: tuple[str, ...]) -> list[Path]:
    """Return this interpreter, and those of the system if another user must be able to enter its folder."""
    own = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    if "uid" not in parts or "namespaces" in parts:
        return [own]
    others = [Path(name).resolve() for name in _OTHER_PYTHONS if Path(name).exists()]
    return list(dict.fromkeys([own, *others]))


def _runs(protection: Protection, folder: RunFolder) -> bool:
    settings = CodeSettings(network=protection.network)
    with Report() as report:
        child = subprocess.Popen(
            supervisor_command(protection, folder, ["trial.py"], settings, report.writing),
            env=SUPERVISOR_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[report.writing],
            start_new_session=True,
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
