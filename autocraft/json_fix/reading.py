"""Stages one to three in order: from an answer to a `Reply`, or to an `UnreadableReply` with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from autocraft.errors import UnreadableReply
from autocraft.json_fix import plain, shape
from autocraft.json_fix.reply import Json, Registry, Reply, Stage, unreadable
from autocraft.json_fix.values import equal
from autocraft.protocols import Answer

_ENTITIES = re.compile(r"\{\s{0,80}&quot;")
"""An object whose quotes are written as entities."""
_SHOWN = frozenset('{}[]<>"`.:!?)。')
"""Visible signs. An answer that starts and ends with one, or with a letter, has no invisible characters there."""
_STRICT_STARTS = frozenset('{["' + " \t\r\n")
"""First characters of a text that may be strict JSON and hold a command."""
_PREFIXED = re.compile(r"(?=>\s*\{)(?:>[^\n]*(?:\n|\Z))+")


def parse_command(text: str, *, accept_unsure: bool = False, sources: Sequence[str] = ()) -> Json | None:
    """Return ``{"command": {"name": …, "args": {…}}}`` of an answer, or None if it holds no usable command.

    A command that a person or a judge would have to decide about is returned only with `accept_unsure`. `sources` are
    the texts that the prompt showed as data. A command that an answer quotes from them is never returned.
    """
    try:
        reply = read(text, sources=sources)
    except UnreadableReply:
        return None
    if reply.doubt and not accept_unsure:
        return None
    return {"command": {"name": reply.name, "args": reply.args}}


def read(answer: Answer | str, *, registry: Registry | None = None, sources: Sequence[str] = ()) -> Reply:
    """Read the command of an answer by stages one to three. Raises UnreadableReply and nothing else.

    `registry` decides between possible shapes. Whether the command exists is checked later. `sources` are the texts
    that the prompt showed as data. If the reply has a `doubt`, a person or a judge must decide about it.
    """
    if isinstance(answer, str):
        return _read(answer, registry, sources)
    text = answer.text
    if answer.refusal:
        raise unreadable("refusal")
    if answer.tool_calls and not text.strip():
        return _reply(_command_in(list(answer.tool_calls), registry), "plain", ())
    cut = answer.finish_reason == "length"
    try:
        reply = _read(text, registry, sources, ended=answer.finish_reason == "stop")
    except UnreadableReply as error:
        if cut:
            error.flags = (*error.flags, "length")
        if error.flags != ("no command",) or not answer.tool_calls:
            raise
        reply = _reply(_command_in(list(answer.tool_calls), registry), "plain", ())  # the text is its thoughts
        return reply._replace(thoughts=reply.thoughts or {"text": text.strip()})
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


def _read(
    text: str, registry: Registry | None, sources: Sequence[str], *, inner: bool = False, ended: bool = False
) -> Reply:
    """Read a text. `inner` says that it is a text inside another one, which may hold no third."""
    if not text or text.isspace():
        raise unreadable("empty")
    value, partly = plain.whole(text) if text[0] in _STRICT_STARTS else (None, True)
    if isinstance(value, (dict, list)):
        if plain.repeats(text, value):
            raise unreadable("two commands")
        return _reply(_command_in(value, registry), "plain", ())
    if isinstance(value, str) and not inner:
        return _read(value, registry, sources, inner=True)
    return _read_broken(text, registry, sources, partly=partly, inner=inner, ended=ended)


def _read_broken(
    text: str, registry: Registry | None, sources: Sequence[str], *, partly: bool, inner: bool, ended: bool
) -> Reply:
    """Read a text that is not strict JSON by stages two and three."""
    # these modules compile many patterns, which a model that keeps the format never needs
    from autocraft.json_fix.heuristic import Objects, read_whole

    if not (_is_shown(text[0]) and _is_shown(text[-1])):
        from autocraft.json_fix import lexicon

        visible = lexicon.visible(text)
        if len(visible) < len(text):
            value = plain.loads(visible)
            if not visible or isinstance(value, (dict, list, str)):
                return _read(visible, registry, sources, inner=inner)
            text = visible
    if text[0] == ">" and not inner and _PREFIXED.fullmatch(text.strip()):
        return _read(re.sub(r"(?m)^> ?", "", text.strip()), registry, sources, inner=True)
    objects = Objects(text)
    whole = read_whole(objects, registry, partly=partly)
    if whole is not None:
        command, source = whole
        return _reply(command, "heuristic", source.flags or ("odd blanks",))
    if "&quot;" in text and not inner and _ENTITIES.search(text) and '"' not in text:
        from html import unescape

        return _read(unescape(text), registry, sources, inner=True)
    from autocraft.json_fix import brace_slice, frame

    found = brace_slice.read(objects, registry, sources, ended=ended)
    around = text[: found.start].strip() or text[found.end :].strip()
    doubt = brace_slice.surroundings(text, found.start, found.end) if frame.TABLE[found.place] == "unsure" else ""
    return _reply(found.command, "brace slice", (*found.flags, "text around") if around else found.flags, doubt)


def _is_shown(char: str) -> bool:
    return char in _SHOWN or char.isalnum()


def _reply(command: shape.FoundCommand, stage: Stage, flags: tuple[str, ...], doubt: str = "") -> Reply:
    return Reply(
        command.name, command.args, command.thoughts, stage, tuple(dict.fromkeys(flags)) if flags else (), doubt
    )
