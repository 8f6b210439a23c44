"""Stages one to three in order: from an answer to a `Reply`, or to an `UnreadableReply` with the reason."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import Any

from autocraft.errors import UnreadableReply
from autocraft.json_fix import plain, shape
from autocraft.json_fix.reply import Json, Registry, Reply, Stage, unreadable
from autocraft.json_fix.values import equal
from autocraft.json_fix.work import Work
from autocraft.protocols import Answer

_ENTITIES = re.compile(r"\{\s{0,80}&quot;")
"""An object whose quotes are written as entities."""
_HIDDEN = "\x00\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_HIDDEN_START = re.compile(
    rf"\s*+(?:[{_HIDDEN}]|\x1b\[[\d;]{{0,20}}[A-Za-z])(?:[{_HIDDEN}\s]|\x1b\[[\d;]{{0,20}}[A-Za-z])*+"
)
_SHOWN = frozenset('{}[]<>"`.:')
"""Visible signs. An answer that starts and ends with one has no invisible characters there."""
_COLOUR_END = re.compile(r"\x1b\[[\d;]{0,20}[A-Za-z]\Z")
_PREFIXED = re.compile(r"(?=>\s*\{)(?:>[^\n]*(?:\n|\Z))+")


def parse_command(text: str) -> Json | None:
    """Return ``{"command": {"name": …, "args": {…}}}`` of an answer, or None if it holds no usable command."""
    try:
        reply = read(text)
    except UnreadableReply:
        return None
    return {"command": {"name": reply.name, "args": reply.args}}


def read(answer: Answer | str, *, registry: Registry | None = None, work: Work | None = None) -> Reply:
    """Read the command of an answer by stages one to three. Raises UnreadableReply and nothing else.

    `registry` decides between possible shapes. Whether the command exists is checked later. `work` counts characters.
    """
    if isinstance(answer, str):
        return _read(answer, registry, work or Work())
    text = answer.text
    if answer.refusal:
        raise unreadable("refusal")
    if answer.tool_calls and not text.strip():
        return _reply(_command_in(list(answer.tool_calls), registry), "plain", ())
    cut = answer.finish_reason == "length"
    try:
        reply = _read(text, registry, work or Work())
    except UnreadableReply as error:
        if cut:
            error.flags = (*error.flags, "length")
        raise
    if cut and "yaml" in reply.flags:  # nothing in YAML shows where it was meant to end
        raise unreadable("truncated", "length")
    check_calls(answer, reply, registry)
    return reply


def check_calls(answer: Answer | str, reply: Reply, registry: Registry | None) -> None:
    """Raise UnreadableReply if a tool call beside the text of the answer is another command than `reply`."""
    other = None
    with suppress(UnreadableReply):  # a call that cannot be read contradicts nothing
        other = shape.find([] if isinstance(answer, str) else list(answer.tool_calls), registry=registry)
    if other is not None and not (other.name == reply.name and equal(other.args, reply.args)):
        raise unreadable("two commands")


def _command_in(value: object, registry: Registry | None) -> shape.FoundCommand:
    command = shape.find(value, registry=registry)
    if command is None:
        raise unreadable("no command")
    return command


def _read(text: str, registry: Registry | None, work: Work, *, inner: bool = False) -> Reply:
    if not text or text.isspace():
        raise unreadable("empty")
    work.chars += len(text)
    value, partly = plain.whole(text)
    if isinstance(value, (dict, list)):
        if plain.repeats(text):
            raise unreadable("two commands")
        return _reply(_command_in(value, registry), "plain", ())
    if isinstance(value, str) and not inner:
        return _read(value, registry, work, inner=True)
    visible = text if text[0] in _SHOWN and text[-1] in _SHOWN else _visible(text)
    if len(visible) < len(text):
        return _read(visible, registry, work, inner=inner)
    heuristic, choose = _tolerant_stages()
    if text[0] == ">" and not inner and _PREFIXED.fullmatch(text.strip()):
        return _read(re.sub(r"(?m)^> ?", "", text.strip()), registry, work, inner=True)
    objects = heuristic.Objects(text, work)
    whole = heuristic.read_whole(objects, registry, partly=partly)
    if whole is not None:
        command, source = whole
        return _reply(command, "heuristic", source.flags or ("odd blanks",))
    if "&quot;" in text and not inner and _ENTITIES.search(text) and '"' not in text:
        from html import unescape

        return _read(unescape(text), registry, work, inner=True)
    command, flags, (start, end) = choose.choose(objects, registry)
    around = text[:start].strip() or text[end:].strip()
    return _reply(command, "brace slice", (*flags, "text around") if around else flags)


@cache
def _tolerant_stages() -> tuple[Any, Any]:
    """Import stages two and three. They compile many patterns, which a model that keeps the format never needs."""
    from autocraft.json_fix import choose, heuristic

    return heuristic, choose


def _visible(text: str) -> str:
    """Return the text without invisible characters at its start and end, and a single line without its margin."""
    hidden = _HIDDEN_START.match(text)
    text = text[hidden.end() :] if hidden is not None else text
    tail = text[-30:].rstrip(_HIDDEN)
    text = text[:-30] + _COLOUR_END.sub("", tail)
    return text.lstrip() if "\n" not in text.strip() else text


def _reply(command: shape.FoundCommand, stage: Stage, flags: tuple[str, ...]) -> Reply:
    return Reply(command.name, command.args, command.thoughts, stage, tuple(dict.fromkeys(flags)) if flags else ())
