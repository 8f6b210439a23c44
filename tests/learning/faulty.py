"""Runs the oracle with some wrong programs: ``python -m tests.learning.faulty ITERATIONS EVERY [RESUME]``.

Each program whose number is a multiple of EVERY only says that it is done.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module

from autocraft.app import Request, open_request
from autocraft.features import MODES, PARTS
from autocraft.learning.oracle import OracleBrain

WRONG = "Code:\n```javascript\nasync function pretend(bot) {\n  bot.chat('It is done.')\n}\n```"


class FaultyOracle(OracleBrain):
    """Writes programs as the oracle does, but some of them do nothing."""

    every = 2

    async def _program(self) -> str:
        right = await super()._program()
        return right if (self.progress.iteration + 1) % self.every else WRONG


async def learn(iterations: int, every: int, resume: str) -> int:
    PARTS["brain"]["faulty"] = "tests.learning.faulty:FaultyOracle"
    import_module("tests.learning.faulty").FaultyOracle.every = every  # __main__ has another class
    flags = {"brain": "faulty", "world": "minecraft", "iterations": iterations, "continuous": True, "speed": 0.0}
    flags = {"continuous": True} if resume else flags
    run = await open_request(Request((), flags, resume, json=True, mode=MODES["learn"]))
    return (await run.go()).exit


if __name__ == "__main__":
    sys.exit(asyncio.run(learn(int(sys.argv[1]), int(sys.argv[2]), *(sys.argv[3:] or [""]))))
