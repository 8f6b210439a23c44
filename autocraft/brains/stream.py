"""Builds an Answer from what an endpoint sends, piece by piece or at once. Malformed parts are skipped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from autocraft.json_fix.prefix import Prefix
from autocraft.protocols import Answer, Delta, Json
from autocraft.text.characters import Pieces, well_formed
from autocraft.usage import Usage, read_usage

MOST_CHARACTERS = 1_000_000
"""The most characters that are read of an answer. It then ends like one that ran out of tokens."""
MOST_CALLS = 100
_LONGEST_NAME = 200


@dataclass(slots=True)
class _Call:
    """One tool call, whose arguments come in pieces."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def json(self) -> Json:
        """Return the call as the endpoint would have sent it at once."""
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {**({"id": self.id} if self.id else {}), "type": "function", "function": function}

    def split(self) -> list[_Call]:
        """Return the calls that an endpoint sent as this one: one for each object in a row of whole objects."""
        rest, parts = "".join(self.arguments).strip(), list[_Call]()
        with suppress(ValueError, RecursionError):
            while rest.startswith("{") and len(parts) < MOST_CALLS:
                end = json.JSONDecoder().raw_decode(rest)[1]
                parts.append(_Call(self.id, self.name, [rest[:end]]))
                rest = rest[end:].lstrip()
        return [self] if rest or len(parts) < 2 else parts

    def command(self, thoughts: str, *, cut: bool) -> str:
        """Return the call as the JSON that the prompt asks for. Broken arguments, and those that a `cut` left out, are
        not closed, so that they stay visibly broken."""
        text = json.dumps({"thoughts": {"text": thoughts.strip()}}, ensure_ascii=False)[1:-1]
        name = json.dumps(self.name, ensure_ascii=False)
        arguments = "".join(self.arguments).strip() or ("" if cut else "{}")
        start = f'{{{f"{text}, " if thoughts.strip() else ""}"command": {{"name": {name}, "args": {arguments}'
        try:
            json.loads(arguments)
        except (ValueError, RecursionError):
            return start
        return start + "}}"


class AnswerBuilder:
    """The answer so far."""

    def __init__(self, *, stop_early: bool = False, native: bool = False) -> None:
        """With `native` a call was asked for, so the text beside it is what the model thinks."""
        self._native = native
        self.finish = ""
        self.usage: Usage | None = None
        self.size = self.bytes = 0
        self._parts: dict[str, list[str]] = {"text": [], "reasoning": [], "refusal": []}
        self._shown = {part: Pieces() for part in self._parts}
        self._calls: dict[int, _Call] = {}
        self._prefix = Prefix() if stop_early else None

    @property
    def certain(self) -> bool:
        """Return whether the command is complete and certain, if the person chose to stop there."""
        return self._prefix is not None and self._prefix.certain and not self._calls

    @property
    def full(self) -> bool:
        return self.size >= MOST_CHARACTERS

    def take(self, chunk: Any) -> Iterator[Delta]:
        """Add one chunk of a stream, or a whole completion. Yield what can be shown of it."""
        if not isinstance(chunk, dict):
            return
        self.usage = read_usage(chunk.get("usage")) or self.usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index") not in (0, None):
            return
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"][:_LONGEST_NAME]
        piece = choice.get("delta") or choice.get("message")
        if not isinstance(piece, dict):
            return
        raw = piece.get("content")
        thinking = _joined(raw, "thinking") if isinstance(raw, list) else ""  # as Mistral's models send it
        if visible := self._add("reasoning", piece.get("reasoning_content") or piece.get("reasoning") or thinking):
            yield Delta("reasoning", visible)
        content = _joined(raw, "text") if isinstance(raw, list) else raw
        if self._prefix is not None and isinstance(content, str):
            self._prefix.take(content)
        if visible := self._add("text", content):
            yield Delta("text", visible)
        self._add("refusal", piece.get("refusal"))
        calls = piece.get("tool_calls")
        if isinstance(piece.get("function_call"), dict):  # the form before tool calls
            calls = [{"index": 0, "function": piece["function_call"]}]
        for at, call in enumerate(calls if isinstance(calls, list) else []):
            if isinstance(call, dict):
                self._take_call(call, at)

    def answer(self) -> Answer:
        """Return the answer, well-formed. Only at the end is it known which surrogates have no partner."""
        text, reasoning, refusal = ("".join(parts) for parts in self._parts.values())
        calls = [part for _, call in sorted(self._calls.items()) for part in call.split()]
        finish = "length" if self.full else self.finish or "stop"
        if calls and (self._native or not text.strip()):
            text = "\n".join(call.command(text, cut=finish == "length") for call in calls)
        parts = (text, finish, reasoning, refusal, tuple(call.json() for call in calls))
        text, finish, reasoning, refusal, tool_calls = well_formed(parts)
        return Answer(text, finish, self.usage, reasoning, refusal, tool_calls)

    def _add(self, part: str, text: Any) -> str:
        """Add a piece. Return what can be shown of it now."""
        if not isinstance(text, str) or not text:
            return ""
        self._parts[part].append(self._counted(text))
        return self._shown[part].take(self._parts[part][-1])

    def _counted(self, text: str) -> str:
        """Return what may still be read of a piece, and count it."""
        text = text[: MOST_CHARACTERS - self.size]
        self.size += len(text)
        self.bytes += len(text.encode("utf-8", "replace"))
        return text

    def _take_call(self, call: Json, at: int) -> None:
        """Add a piece of a call; name and arguments come in parts.

        Pieces of one call have its index, but some endpoints send none, or the same one for all calls.
        """
        function = call["function"] if isinstance(call.get("function"), dict) else {}
        id, name = (
            text[:_LONGEST_NAME] if isinstance(text, str) else "" for text in (call.get("id"), function.get("name"))
        )
        own = call["index"] if type(call.get("index")) is int else None
        index = max([at, *self._calls]) if own is None else own
        if name or (id and own is None):
            index = self._place(at, id, name) if own is None else self._place(own, "", name)
        if index not in self._calls and len(self._calls) >= MOST_CALLS:
            return
        tool_call = self._calls.setdefault(index, _Call())
        tool_call.id = id or tool_call.id
        if name != tool_call.name:  # some repeat it in each piece
            tool_call.name = (tool_call.name + name)[:_LONGEST_NAME]
        arguments = function.get("arguments")
        if isinstance(arguments, dict):  # some send an object where a string is due
            arguments = json.dumps(arguments, ensure_ascii=False)
        if isinstance(arguments, str) and not (function.get("whole") and any(tool_call.arguments)):
            tool_call.arguments.append(self._counted(arguments))  # some send no pieces before the whole

    def _place(self, at: int, id: str, name: str) -> int:
        """Return the first free index from `at` if another id, or another name after arguments, begins a new call."""
        while call := self._calls.get(at):
            if not (id and call.id and id != call.id) and not (name and any(call.arguments) and name != call.name):
                break
            at += 1
        return at


def _joined(parts: Sequence[Any], kind: str) -> str:
    """Return the text of all parts of one kind. A part may hold a list of parts."""
    values = [part.get(kind) for part in parts if isinstance(part, dict) and part.get("type") in (kind, None)]
    texts = [_joined(value, "text") if isinstance(value, list) else value for value in values]
    return "".join(text for text in texts if isinstance(text, str))
