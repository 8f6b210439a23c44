"""Stage four: one try by a model, which chooses among what the answer says and adds nothing.

Only the command's own part of the answer counts: thoughts, and words around it, are left out. Each name, key, text,
number and literal of a repair must stand there as a whole token, and nothing of that part may be missing in the repair.
The repairer may say what it likes around its repair. The caller of `read_or_fix` passes the `fixer`, because brains are
in a higher layer, and counts its call in the limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import product
from typing import Any

from autocraft.errors import AutocraftError, UnreadableReply
from autocraft.json_fix import keys, plain
from autocraft.json_fix.reading import check_calls, read
from autocraft.json_fix.reply import FORMAT, REFUSALS, Json, Registry, Reply, describe, unreadable
from autocraft.json_fix.shape import FoundCommand
from autocraft.protocols import Answer
from autocraft.text.prompts import Data, Prompt, as_it_was, render, shorten

Fixer = Callable[[Prompt], Awaitable[Answer | str]]
"""Takes the prompt, and returns the model's answer."""

FIXABLE = frozenset({"garbled", "doubtful", "two commands", "arguments"})
"""Reasons of refusals after which a model may choose. It could only invent what was cut off or has no name."""
MAX_CHARS = 60_000
_WORTH = re.compile(r"[{(:<]")
_THOUGHTS = re.compile(r"<(think|thinking|reasoning|scratchpad)>.*?</\1\s*>|\A.*</think\s*>", re.DOTALL | re.IGNORECASE)
_COMMAND = re.compile(r"[\"'“”‘’]?\bcommand[\"'“”‘’]?\s{0,9}[:：=]", re.IGNORECASE)
_OTHER_START = re.compile(r"[{｛]|<(?=[A-Za-z|｜])|^[ \t]*Action\s*:|[A-Za-z_]\w*\(", re.MULTILINE)
_OWN_THOUGHTS = re.compile(r",?\s{0,9}[\"'“”‘’]?\bthoughts?[\"'“”‘’]?\s{0,9}[:：]", re.IGNORECASE)
_ENDS = "}]｝］)>"
_BEFORE_TEXT, _AFTER_TEXT = "\"'`“”„‘’«»<>=:(\n", "\"'`“”‘’«»<),}]\n"
_BEFORE_WORD, _AFTER_WORD = "\"'`“”„‘’«»{[(:：=,，<>/| \t\n", "\"'`“”‘’«»}])(:：=,，<> \t\n"
_QUOTES = "\"'`“”„‘’«»"
_NO_QUOTES = dict.fromkeys(map(ord, _QUOTES))
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|(?<=\s)#[^\n]*", re.DOTALL)
_WORD = re.compile(r"\w+")
_STRUCTURE = frozenset({"json", "invoke", "parameter", *keys.RESERVED, *keys.CALL_KEYS})
"""Words of the format, which a repair need not keep."""


async def read_or_fix(
    answer: Answer | str,
    *,
    registry: Registry | None = None,
    fixer: Fixer | None = None,
    sources: Sequence[str] = (),
) -> Reply:
    """Read an answer by stages one to four. Raises UnreadableReply, and any AutocraftError of the fixer."""
    try:
        return read(answer, registry=registry, sources=sources)
    except UnreadableReply as error:
        text = answer if isinstance(answer, str) else answer.text
        fixable = error.flags[0] in FIXABLE and len(text) <= MAX_CHARS and _WORTH.search(text)
        if fixer is None or not fixable or "length" in error.flags:
            raise
        repair = await _ask(fixer, prompt(text, error.flags, registry))
        return _accept(repair, answer, text, error, registry, sources)


def prompt(text: str, flags: tuple[str, ...], registry: Registry | None = None) -> Prompt:
    """Return the prompt for the model, with the answer as data."""
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
    repair: Answer | str,
    answer: Answer | str,
    text: str,
    error: UnreadableReply,
    registry: Registry | None,
    sources: Sequence[str],
) -> Reply:
    """Return the repair as a reply of the answer. Raises UnreadableReply if it is another command."""
    if as_it_was(text) == text:  # an escape of a bracket is then only how the prompt has shown it
        repair = as_it_was(repair) if isinstance(repair, str) else repair._replace(text=as_it_was(repair.text))
    refused = UnreadableReply(f"{error} {REFUSALS['fix refused'][0]}", (*error.flags, "fix refused"))
    try:
        reply = read(repair, registry=registry)
        check_calls(answer, reply, registry)
    except UnreadableReply:
        raise refused from None
    reply = reply._replace(thoughts={}, stage="llm fix", flags=error.flags)
    if error.flags[0] == "two commands":  # a choice between whole commands, which the repairer may not know either
        from autocraft.json_fix.sources import holds  # it compiles many patterns, which few answers need

        command = FoundCommand(reply.name, reply.args)
        if any(holds(each, command, registry) for each in sources) or not holds(text, command, registry, exactly=True):
            raise refused
        return reply._replace(doubt=text)
    begin, end = own_part(text)
    if not chooses(reply.name, reply.args, text[begin:end]):
        raise refused
    return reply._replace(doubt=_doubt(text, reply, sources, registry))


def _doubt(text: str, reply: Reply, sources: Sequence[str], registry: Registry | None) -> str:
    """Return the words around the command of the answer if they leave open whether it is meant.

    The frame of the repaired answer is that of the same answer with the repair in the place of its broken part.
    """
    start = _OTHER_START.search(text)
    begin = 0 if start is None else start.start()
    end = max(map(text.rfind, _ENDS)) + 1 or len(text)
    whole = json.dumps({"command": {"name": reply.name, "args": reply.args}})
    return read(f"{text[:begin]}{whole}{text[max(begin, end) :]}", registry=registry, sources=sources).doubt


def own_part(text: str) -> tuple[int, int]:
    """Return the span of the answer that is its command: from its key or opening to the end of its structure."""
    visible = max((match.end() for match in _THOUGHTS.finditer(text)), default=0)
    start = _COMMAND.search(text, visible) or _OTHER_START.search(text, visible)
    begin = visible if start is None else start.start()
    later = _OWN_THOUGHTS.search(text, begin)
    end = len(text) if later is None else later.start()
    last = max(text.rfind(sign, begin, end) for sign in _ENDS) + 1
    return begin, last if last > begin else end


def chooses(name: str, args: Json, part: str) -> bool:
    """Return whether a command only chooses among the tokens of `part`, and leaves none of them out."""
    rest = part
    tokens = sorted(_tokens(name, args), key=lambda token: -len(json.dumps(token)))
    used = set[str]()
    for token in tokens:
        if isinstance(token, str):
            spellings, sides = _spellings(token), (_BEFORE_TEXT, _AFTER_TEXT)
            if plain.strictly(token)[1]:  # only its quotes show that it is no number or literal
                sides = (_QUOTES, _QUOTES)
            elif _WORD.fullmatch(token):
                sides = (_BEFORE_WORD, _AFTER_WORD)
        else:
            literal = json.dumps(token)
            spellings = {literal, str(token)} if isinstance(token, bool) or token is None else {literal}
            sides = (_BEFORE_WORD.translate(_NO_QUOTES), _AFTER_WORD)
        taken = next((found for form in spellings if (found := _take(rest, form, *sides)) is not None), None)
        if taken is None:
            return False
        rest = taken
        used.update(_WORD.findall(str(token)))
    left = _WORD.findall(_COMMENT.sub(" ", rest))
    return all(word.lower() in _STRUCTURE or word in used for word in left)


def _tokens(name: str, args: Json) -> list[Any]:
    """Return the name, and all keys, texts, numbers and literals of the arguments."""
    tokens: list[Any] = [name]
    waiting: list[Any] = [args]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            tokens += item
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif item != "":
            tokens.append(item)
    return tokens


def _take(text: str, form: str, before: str, after: str) -> str | None:
    """Return the text without the first whole token `form`. Return None if it has none.

    A whole token has a sign of `before` in front of it and one of `after` behind it.
    """
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        left, right = text[at - 1 : at] if at else "\n", text[end : end + 1] or "\n"
        if left in before and right in after:
            return f"{text[:at]}\0{text[end:]}"
        at = text.find(form, at + 1)
    return None


def _spellings(value: str) -> set[str]:
    """Return the possible spellings of a string: with or without escaped backslashes, quotes and line breaks."""
    forms = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    for backslash, quote, breaks in product((False, True), repeat=3):
        form = value.replace("\\", "\\\\") if backslash else value
        form = form.replace('"', '\\"') if quote else form
        forms.add(form.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") if breaks else form)
    return forms


# ------------------------------------------------------------ the judge of unsure commands

MOST_SHOWN = 6_000
"""Most characters of the answer that the model is shown."""
_YES_OR_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


def judge_question(answer: str, name: str, args: Json) -> Prompt:
    """Return the prompt that asks whether the author of `answer` means this command to be run now."""
    command = json.dumps({"name": name, "args": args}, ensure_ascii=False)
    return render(
        "judge_answer.j2",
        command=Data("command", shorten(command, MOST_SHOWN)),
        answer=Data("answer", shorten(answer, MOST_SHOWN)),
    )


def says_yes(text: str) -> bool:
    """Return whether the model said yes. Anything but a plain yes at the start is a no."""
    found = _YES_OR_NO.match(_THOUGHTS.sub("", text))
    return found is not None and found[1].lower() == "yes"
