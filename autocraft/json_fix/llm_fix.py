"""Stage four: one try by a model. Its repair counts only if it repeats what is in the answer.

A cut argument, a refusal and a narration are never sent, since a model could only invent what is missing. The caller of
`read_or_fix` passes the `fixer`, because brains are in a higher layer, and counts its call in the limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any

from autocraft.errors import AutocraftError, UnreadableReply
from autocraft.json_fix.reading import check_calls, read
from autocraft.json_fix.repairs import describe
from autocraft.json_fix.reply import FORMAT, Json, Registry, Reply, unreadable
from autocraft.protocols import Answer
from autocraft.text.prompts import Data, Prompt, as_it_was, render

Fixer = Callable[[Prompt], Awaitable[Answer | str]]
"""Takes the prompt, and returns the model's answer."""

FIXABLE = frozenset({"garbled", "doubtful", "two commands", "positional", "arguments", "no command"})
SHORT = 12
"""The model may spell shorter strings in another way. The answer must contain longer ones."""
MAX_CHARS = 60_000
_WORTH = re.compile(r"[{(:<]")


async def read_or_fix(answer: Answer | str, *, registry: Registry | None = None, fixer: Fixer | None = None) -> Reply:
    """Read an answer by stages one to four. Raises UnreadableReply, and any AutocraftError of the fixer."""
    try:
        return read(answer, registry=registry)
    except UnreadableReply as error:
        text = answer if isinstance(answer, str) else answer.text
        # whether a model could repair it without inventing anything
        fixable = error.flags[0] in FIXABLE and len(text) <= MAX_CHARS and _WORTH.search(text)
        if fixer is None or not fixable:
            raise
        repair = await _ask(fixer, prompt(text, error.flags, registry))
        return _accept(repair, answer, text, error, registry)


def prompt(text: str, flags: tuple[str, ...], registry: Registry | None = None) -> Prompt:
    """Return the prompt for the fast model, with the answer as data."""
    names = sorted(registry.names()) if registry is not None else []
    lines = [f"- {name}({', '.join(registry.parameters(name))})" for name in names] if registry is not None else []
    return render(
        "fix_answer.j2",
        schema=Prompt(FORMAT.split(": ", 1)[1]),
        commands=Data("commands", "\n".join(lines)) if lines else Prompt(),
        problems=Data("problems", " ".join(describe(flags))),
        answer=Data("answer", text),
    )


async def _ask(fixer: Fixer, request: Prompt) -> Answer | str:
    try:
        return await fixer(request)
    except AutocraftError:
        raise
    except Exception as error:
        raise unreadable("fix refused", type(error).__name__) from error


def _accept(
    repair: Answer | str, answer: Answer | str, text: str, error: UnreadableReply, registry: Registry | None
) -> Reply:
    if as_it_was(text) == text:  # an escape of a bracket is then only how the prompt has shown it
        repair = as_it_was(repair) if isinstance(repair, str) else repair._replace(text=as_it_was(repair.text))
    try:
        reply = read(repair, registry=registry)
        check_calls(answer, reply, registry)
    except UnreadableReply:
        raise UnreadableReply(str(error), (*error.flags, "fix refused")) from None
    has_name = re.search(rf"(?<![\w.]){re.escape(reply.name)}(?![\w.])", text) is not None
    if not has_name or not _stands_in(reply.args, text):
        raise UnreadableReply(str(error), (*error.flags, "fix refused"))
    return reply._replace(stage="llm fix", flags=error.flags)


def _stands_in(args: Json, text: str) -> bool:
    """Return whether `text` holds every number and every long string of `args`, the strings between delimiters."""
    waiting: list[Any] = [args]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, str):
            if len(item) >= SHORT and not any(_is_delimited(form, text) for form in _spellings(item)):
                return False
        elif isinstance(item, (int, float)) and not isinstance(item, bool) and not _number_in(item, text):
            return False
    return True


def _number_in(value: int | float, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(json.dumps(value))}(?!\w|\.\d)", text) is not None


def _spellings(value: str) -> set[str]:
    """Return the possible spellings of a string: with or without escaped backslashes, quotes and line breaks."""
    forms = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    for backslash, quote, breaks in product((False, True), repeat=3):
        form = value.replace("\\", "\\\\") if backslash else value
        form = form.replace('"', '\\"') if quote else form
        forms.add(form.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") if breaks else form)
    return forms


def _is_delimited(form: str, text: str) -> bool:
    """Return whether `text` holds the whole `form`, with a quote, tag or line end on both sides."""
    at = text.find(form)
    while at >= 0:
        before, after = text[:at].rstrip(" ")[-1:], text[at + len(form) :].lstrip(" ")[:1]
        if before in "\"'`“”„‘’<>=:(\n" and after in "\"'`“”‘’<)\n":
            return True
        at = text.find(form, at + len(form))
    return False
