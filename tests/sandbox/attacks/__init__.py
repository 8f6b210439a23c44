"""Programs that try to get out of the machine, to stay for ever, to take too much, or to act without a grant.

Each is a part of a file, from ``//# name | options`` to the next. It defines ``async function f (bot)`` and returns
THROUGH, or says it in the chat, when it has what it wanted. `BOUND` stands for how far it goes: without an end in the
sandbox, and in the control (`control.js`, the same text unprotected) only as far as proves the point.
"""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from autocraft.node import find_node

THROUGH = "THROUGH"
HERE = Path(__file__).parent
CONTROL = HERE.parent / "control.js"
STOPPED = ("limit:steps", "limit:seconds")
"""Where the machine is slow, the clock may be first."""
FULL = ("limit:memory", *STOPPED)


@dataclass(frozen=True)
class Attack:
    """`ends` are the ends that are right in the sandbox, as ``kind:which``; empty for any but a dead process.

    `control` is BOUND in the control, which shows that the attack got through by THROUGH, by ``silence`` (it ended, and
    its main function never did), by ``death`` or by having ``acted``.
    """

    name: str
    text: str
    ends: tuple[str, ...] = ()
    control: int = 1
    shows: str = THROUGH

    @property
    def code(self) -> str:
        return self.text.replace("BOUND", "Infinity")

    def got(self, end: str, shown: str) -> str:
        """Return what is wrong with how the attack ended in the sandbox. Return '' if it was contained."""
        if THROUGH in shown:
            return f"it showed {shown[:100]!r}"
        right = end in self.ends if self.ends else end not in ("limit:process", "")
        return "" if right else f"it ended by {end}"

    def in_the_control(self, folder: Path) -> str:
        """Return what the unprotected control lets through. Return '' if the attack fails even there."""
        file = folder / "program.js"
        file.write_text(self.text.replace("BOUND", str(self.control)), encoding="utf-8")
        stack = ["--stack-size=60000"] if self.shows == "death" else []
        command = [str(find_node()), *stack, "--max-old-space-size=1000", str(CONTROL), str(file)]
        done = subprocess.run(command, env={}, capture_output=True, timeout=60)
        said = done.stdout.decode("utf-8", "replace")
        if self.shows == "death":
            return "its process died" if done.returncode in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT) else ""
        if self.shows == "silence":
            return "it never ended" if not said else ""
        if self.shows == "acted":
            return "a forged line" if any(_forged(line) for line in said.split("\n")) else ""
        return THROUGH if THROUGH in said else ""


def _forged(line: str) -> bool:
    try:
        return "act" in json.loads(line)
    except ValueError:
        return False


def attacks(family: str) -> list[Attack]:
    """Those of one file."""
    usual = {
        "loops": Attack("", "", STOPPED),
        "memory": Attack("", "", FULL),
        "recursion": Attack("", "", ("threw:", *FULL), 500_000, "death"),
        "nesting": Attack("", "", ("threw:", *FULL)),
    }.get(family, Attack("", ""))
    found = []
    for part in (HERE / f"{family}.js").read_text(encoding="utf-8").split("//# ")[1:]:
        title, _, text = part.partition("\n")
        name, *options = title.split(" | ")
        attack = dataclasses.replace(usual, name=name, text=text)
        for option in options:
            match option.split(" ", 1):
                case ["ends", ends]:
                    attack = dataclasses.replace(attack, ends=tuple(ends.split(", ")))
                case ["control", number]:
                    attack = dataclasses.replace(attack, control=int(number))
                case ["shows", shows]:
                    attack = dataclasses.replace(attack, shows=shows)
                case _:
                    raise ValueError(f"{family}.js, {name}: what is {option!r}?")
        found.append(attack)
    return found


__all__ = ["FULL", "STOPPED", "THROUGH", "Attack", "attacks"]
