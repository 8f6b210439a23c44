"""A stand-in for an endpoint with the Responses interface: it sends the published events of this interface.

The formats are those of the official SDK's types. `test_responses.py` checks this.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tests.brains.stand_in import Reply

USAGE = {
    "input_tokens": 11,
    "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 18,
}


def body(status: str = "completed", output: Sequence[Any] = (), **more: Any) -> dict[str, Any]:
    """Return the object `response`."""
    made = {"id": "resp_1", "object": "response", "created_at": 1.0, "model": "m", "output": list(output)}
    made |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
    return made | {"status": status, "error": None, "incomplete_details": None, "usage": USAGE, **more}


def message(*parts: Any) -> dict[str, Any]:
    """Return an item of the output with these parts."""
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": list(parts)}


def text(words: str) -> dict[str, Any]:
    return {"type": "output_text", "text": words, "annotations": []}


def refusal(words: str) -> dict[str, Any]:
    return {"type": "refusal", "refusal": words}


def call(name: str, arguments: str) -> dict[str, Any]:
    """Return an item of the output that calls a function."""
    made = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "status": "completed"}
    return made | {"name": name, "arguments": arguments}


def event(number: int, kind: str, **fields: Any) -> bytes:
    """Return a server-sent event with its name and number."""
    data = json.dumps({"type": kind, "sequence_number": number, **fields})
    return f"event: {kind}\ndata: {data}\n\n".encode()


def texts(*pieces: str, kind: str = "output_text") -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a text that comes in pieces."""
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    extra: dict[str, Any] = {"logprobs": []} if kind == "output_text" else {}
    return [(f"response.{kind}.delta", {**place, "delta": piece, **extra}) for piece in pieces]


def called(name: str, *pieces: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a function call whose arguments come in pieces."""
    added = ("response.output_item.added", {"output_index": 1, "item": call(name, "") | {"status": "in_progress"}})
    place = {"item_id": "fc_1", "output_index": 1}
    deltas = [("response.function_call_arguments.delta", {**place, "delta": piece}) for piece in pieces]
    done = ("response.function_call_arguments.done", {**place, "name": name, "arguments": "".join(pieces)})
    return [added, *deltas, done]


def streamed(events: Iterable[tuple[str, dict[str, Any]]], last: dict[str, Any] | None = None) -> Reply:
    """Return a stream of these events between its first and its last event. Without `last` it is cut off."""
    rows = [("response.created", {"response": body("in_progress", usage=None)}), *events]
    if last is not None:
        rows.append((f"response.{last['status']}", {"response": last}))
    return Reply(chunks=[event(number, kind, **fields) for number, (kind, fields) in enumerate(rows)],
                 kind="text/event-stream", end="proper" if last else "cut")  # fmt: skip


def whole(*output: Any, **more: Any) -> Reply:
    """Return an answer in one piece."""
    return Reply(chunks=[json.dumps(body(output=output, **more)).encode()])
