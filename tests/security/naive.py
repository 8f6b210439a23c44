"""Runs autocraft with a plain terminal that is read like a pipe: the control, which accepts text typed ahead."""

from __future__ import annotations

from autocraft.cli import main
from autocraft.console import opening
from autocraft.console.read import LineReader, Reader


def as_a_pipe(typing: bool, *, prompt: bool = True) -> Reader:
    return LineReader(prompt=prompt)


if __name__ == "__main__":
    opening._line_reader = as_a_pipe
    main()
