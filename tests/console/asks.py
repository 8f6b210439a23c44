"""Asks one question after another at this terminal: ``python -m tests.console.asks KIND FOLDER [DEFAULT]``.

KIND is the reader: line, single (one key answers) or plain. With ``-naive`` after it, the reader does not follow its
rule. After it has drawn a question, the whole program waits until somebody opens FOLDER/go, so that keys can be typed
at exactly this moment.
FOLDER/log has a line for each line that was typed: what the reader did with it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, cast

from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.console.choices import Choice
from autocraft.console.live import Live
from autocraft.console.read import TypedAhead
from autocraft.console.terminal import TerminalReader
from autocraft.console.typed import PlainReader, TypedReader
from autocraft.text.redact import Mask

CHOICES = (Choice("run", "y", "yes"), Choice("more", "y -N", ""), Choice("always", "a", ""), Choice("stop", "n", ""))


def line_reader(folder: Path, keys: str) -> TerminalReader:
    mask = Mask()
    live = Live(State(), Limits(), lambda: "test", mask)
    return TerminalReader(lambda line: ["/continuous"], live, mask, folder / "history", keys=keys)


async def no_drain() -> None:
    return


async def ask(kind: str, folder: Path, default: str) -> None:
    way = kind.partition("-")[0]
    reader: Any = PlainReader() if way == "plain" else line_reader(folder, way)
    if kind.endswith("-naive"):
        reader.drain, reader._half_typed = no_drain, lambda: False
    log = (folder / "log").open("w", buffering=1)

    def said(what: str, text: str | None) -> None:
        log.write(json.dumps([what, text]) + "\n")

    reader.on_line = lambda text: said("feedback", text)
    reader.on_interrupt = lambda: said("interrupt", "")
    await reader.open()
    number = 0

    def draw() -> None:
        reader.write(f"QUESTION {number} \n")
        (folder / "go").read_bytes()

    while True:
        number += 1
        try:
            answer = await cast(TypedReader, reader).ask(draw, "Input: ", default, CHOICES)
        except TypedAhead:
            continue
        said("answer", answer)
        if answer is None:
            reader.write("ENDED\n")
            await reader.close()
            return


if __name__ == "__main__":
    asyncio.run(ask(sys.argv[1], Path(sys.argv[2]), *(sys.argv[3:] or [""])))
