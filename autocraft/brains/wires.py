"""The two interfaces of an endpoint: Chat Completions and Responses. A request is always written for the first.

The second is translated both ways: its parameters, and its events to chunks of the first, so one builder reads both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autocraft.brains.endpoint import OpenAISettings
from autocraft.brains.faults import ModelFailed, judge, report_of
from autocraft.protocols import Json

CALL_A_TOOL = "Call one of the tools in place of the JSON object. What you think goes as text before the call."
_SAME = ("model", "temperature", "stream", "prompt_cache_key", "tool_choice", "parallel_tool_calls")
_LIMITS = ("max_tokens", "max_completion_tokens")
_CUT = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Why an answer is incomplete -> its `finish_reason` in chat completions."""
_PARTS = {"output_text": "content", "refusal": "refusal", "summary_text": "reasoning", "reasoning_text": "reasoning"}
_DELTAS = {
    "response.output_text.delta": "content",
    "response.refusal.delta": "refusal",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
}


class ChatWire:
    """Chat Completions."""

    lingers = True  # something may follow the end of an answer, such as its usage

    async def send(self, client: Any, request: Json) -> Any:
        """Send the parameters. Return the SDK's raw answer."""
        return await client.chat.completions.with_raw_response.create(messages=[], **_as_it_is(request))

    def chunk(self, row: Any, fresh: bool, settings: OpenAISettings, model: str) -> Any:
        """Return one event of a stream, or a whole answer, as a chunk of a chat completion."""
        return row


class ResponsesWire:
    """Responses. Nothing is stored at the endpoint."""

    lingers = False

    async def send(self, client: Any, request: Json) -> Any:
        """Send the parameters. Return the SDK's raw answer."""
        return await client.responses.with_raw_response.create(**_as_it_is(as_responses(request)))

    def chunk(self, row: Any, fresh: bool, settings: OpenAISettings, model: str) -> Any:
        """Return one event, or a whole answer, as a chunk; None for one that says nothing. `fresh` if none came before.

        Raises ModelFailed for an error that came in place of an answer.
        """
        if not isinstance(row, dict):
            return None
        kind = row.get("type")
        if kind in _DELTAS:
            return _chunk({_DELTAS[kind]: row.get("delta")})
        if kind == "response.output_item.added":
            return _chunk(_call(row.get("item"), row.get("output_index"), arguments=False))
        if kind in ("response.function_call_arguments.delta", "response.function_call_arguments.done"):
            function = {"arguments": row.get("delta", row.get("arguments")), "whole": "arguments" in row}
            return _chunk({"tool_calls": [{"index": row.get("output_index"), "function": function}]})
        if kind == "error" or (kind is None and row.get("error")):
            raise ModelFailed(judge(report_of(0, row), settings, model))
        body = row.get("response") if isinstance(kind, str) else row
        return _last_event(body, fresh, settings, model) if isinstance(body, dict) else None


WIRES: dict[str, ChatWire | ResponsesWire] = {"chat": ChatWire(), "responses": ResponsesWire()}


def _as_it_is(request: Json) -> Json:
    """Return arguments with which the SDK sends a request as it is. It compares others with its types, item by item."""
    named = {name: request[name] for name in ("model", "stream", "extra_headers") if name in request}
    return named | {"extra_body": {name: request[name] for name in request if name != "extra_headers"}}


def as_responses(request: Json) -> Json:
    """Return the parameters of a chat completion as Responses names them. Those that it lacks are left out."""
    first, *rest = request["messages"]
    system = first["content"] if first["role"] == "system" else ""
    messages = rest if system else request["messages"]
    body: Json = {name: request[name] for name in _SAME if name in request} | {"store": False}
    body |= {"input": [_message(message) for message in messages]} | ({"instructions": system} if system else {})
    body |= next(({"max_output_tokens": request[name]} for name in _LIMITS if name in request), {})
    text: Json = {"verbosity": request["verbosity"]} if "verbosity" in request else {}
    if "response_format" in request:
        form = request["response_format"]
        text["format"] = {"type": form["type"], **form.get("json_schema", {})}
    body |= {"text": text} if text else {}
    if "reasoning_effort" in request:
        body["reasoning"] = {"effort": request["reasoning_effort"]}
    if "tools" in request:
        body["tools"] = [{"type": "function", **tool["function"], "strict": False} for tool in request["tools"]]
    return body


def tools_of(schema: Json) -> list[Json]:
    """Return the commands of a `command_schema` as functions that a model may call.

    Their names have no dots, so a command with one is called by its synonym.
    """
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    commands = [each["properties"] for each in schema["properties"]["command"]["anyOf"]]
    return [
        {"type": "function", "function": {"name": name, "parameters": each["args"] | definitions}}
        for each in commands
        for name in [each["name"]["const"].replace(".", "__")]
    ]


def _message(message: Json) -> Json:
    if not isinstance(message["content"], list):
        return message
    parts = [
        {"type": "input_image", "image_url": part["image_url"]["url"]}
        if part["type"] == "image_url"
        else {"type": "input_text", "text": part["text"]}
        for part in message["content"]
    ]
    return {"role": message["role"], "content": parts}


def _chunk(delta: Json, finish: str = "", usage: Any = None) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish or None}], "usage": usage}


def _call(item: Any, index: Any, *, arguments: bool) -> Json:
    """Return a function call as a piece of a chat completion, {} for an item of another kind."""
    if not isinstance(item, dict) or item.get("type") != "function_call":
        return {}
    function = {"name": item.get("name"), **({"arguments": item.get("arguments")} if arguments else {})}
    return {"tool_calls": [{"index": index, "id": item.get("call_id"), "function": function}]}


def _last_event(body: Json, fresh: bool, settings: OpenAISettings, model: str) -> Json | None:
    """Return the end of an answer, with all of it if nothing came before; None if it has not ended."""
    status = body.get("status")
    if status in ("failed", "cancelled") or (body.get("error") and status != "completed"):
        error = body.get("error") or f"the answer was {status}"
        raise ModelFailed(judge(report_of(0, {"error": error}), settings, model))
    if status not in ("completed", "incomplete"):
        return None
    output = body.get("output")
    delta = _whole(output) if fresh and isinstance(output, list) else {}
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else ""
    finish = "stop" if status == "completed" else _CUT.get(str(reason), "length")
    return _chunk(delta, finish, body.get("usage"))


def _whole(output: Sequence[Any]) -> Json:
    """Return the items of an answer as one piece of a chat completion."""
    delta: Json = {"content": "", "refusal": "", "reasoning": "", "tool_calls": []}
    for index, item in enumerate(each for each in output if isinstance(each, dict)):
        delta["tool_calls"] += _call(item, index, arguments=True).get("tool_calls", [])
        parts = item.get("content") or item.get("summary")
        for part in parts if isinstance(parts, list) else []:
            name = _PARTS.get(str(part.get("type"))) if isinstance(part, dict) else None
            text = name and (part.get("text") or part.get("refusal"))
            if name and isinstance(text, str):
                delta[name] += text
    return delta
