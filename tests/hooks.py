"""Calls the hooks of a command as the registry finds them. The registry's handling of errors is left out."""

from __future__ import annotations

from typing import Any

from autocraft.protocols import Call, Json, Settled, commands_of


def preview(family: object, call: Call) -> str:
    return str(_called(family, call.name, "preview", call) or "")


def evidence(family: object, call: Call) -> Json:
    return dict(_called(family, call.name, "evidence", call) or {})


def settle(family: object, call: Call, evidence: Json) -> Settled:
    found: Settled = _called(family, call.name, "settle", call, evidence) or Settled("not done")
    return found


def undo(family: object, evidence: Json) -> str:
    """Undo the effect that the evidence describes, by the hook of its command, else by that of any command."""
    return str(_called(family, evidence.get("do", "write_to_file"), "undo", None, evidence))


def _called(family: object, name: str, hook: str, *args: Any) -> Any:
    command = next(each for each in commands_of(family) if each.name == name)
    found = command.hook(hook)
    return None if found is None else found(*args)
