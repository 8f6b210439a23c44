"""Opens the console of a run for a terminal, a pipe or a machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from autocraft.agent.context import RunContext
from autocraft.console.approver import HumanApprover, View
from autocraft.console.read import Reader
from autocraft.console.settings import ConsoleSettings
from autocraft.text.redact import Mask


def open_console(
    run: RunContext,
    options: ConsoleSettings,
    history: Path,
    own_mask: Mask,
    given: tuple[Reader, View] | None = None,
    *,
    as_json: bool,
) -> HumanApprover:
    """Return the person. `history` is the file of typed lines. Nothing is read before the reader is opened.

    A program has `given` what asks and shows in place of the terminal.
    """
    reader, view, is_terminal = (*given, True) if given else _reader_and_view(run, options, history, as_json)
    if options.notify.strip():
        from autocraft.console.notify import Notifier

        run.journal.viewers.append(Notifier(options.notify, run.session, view.say).event)
    return HumanApprover(reader, view, run, own_mask, attended=is_terminal or not run.options.gate.continuous)


def _reader_and_view(
    run: RunContext, settings: ConsoleSettings, history: Path, as_json: bool
) -> tuple[Reader, View, bool]:
    """Return reader, screen, and whether a person types. `history` is the file of typed lines."""
    typing, watching = (stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    if as_json:
        from autocraft.console.events import JsonScreen

        return _line_reader(typing, prompt=False), JsonScreen(), typing
    from autocraft.console.render import Screen

    if settings.plain or not (typing and watching) or os.environ.get("TERM") == "dumb":
        reader = _line_reader(typing)
        colour = watching and not settings.plain
        name = run.options.prompt.ai_name
        return reader, Screen(reader.write, name, run.state, settings, terminal=colour, window=watching), typing
    from autocraft.console.terminal import open_terminal

    return *open_terminal(run, settings, history), True


def _line_reader(typing: bool, *, prompt: bool = True) -> Reader:
    """Return the reader of whole lines: from a terminal if a person types, else from a pipe."""
    from autocraft.console.read import LineReader
    from autocraft.console.typed import PlainReader

    return PlainReader(prompt=prompt) if typing and os.name != "nt" else LineReader(prompt=prompt)
