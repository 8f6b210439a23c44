"""A program before its run, and the record of one of its effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from autocraft.protocols import Json, Risk
from autocraft.session.atomic import sha256
from autocraft.session.events import Result
from autocraft.skills.known import Outlook
from autocraft.skills.parse import Program


class PreparedProgram(NamedTuple):
    """A parsed program, with the skills that it calls and the commands that all of them may call."""

    code: str
    program: Program
    outlook: Outlook
    skills: Mapping[str, str]
    commands: Mapping[str, Risk | None]
    """Name -> tier, or None if it depends on the arguments."""

    @property
    def main(self) -> str:
        return self.program.main

    @property
    def sha256(self) -> str:
        """Return one hash over its text and the skills that it calls."""
        return sha256("\0".join([self.code, *(f"{name}\0{code}" for name, code in sorted(self.skills.items()))]))


class EffectRecord(NamedTuple):
    """One effect of a program: its call and its result event. The result is None if it was refused or cut off."""

    id: str
    name: str
    args: Json
    result: Result | None
    refused: bool = False

    @property
    def ok(self) -> bool:
        return self.result is not None and self.result.ok
