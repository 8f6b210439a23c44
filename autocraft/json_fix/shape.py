"""What counts as a command: the forms in which models put a name and its arguments into an object.

`find` returns the command of one object that was read, None when there is none, and raises UnreadableReply where
there is one that must not be dispatched. Neighbours: `heuristic.py` and `brace_slice.py` bring the objects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from autocraft.json_fix.reply import Json, Registry, unreadable

NAME_KEYS = ("name", "tool", "tool_name", "action", "action_name", "command", "function")
ARG_KEYS = ("args", "arguments", "parameters", "params", "input", "action_input", "kwargs")
COMMAND_KEYS = frozenset({"command", "thoughts", "tool_calls", "commands", *ARG_KEYS})
"""Keys that make an object look as if it holds the command; if it cannot be read, nothing else is dispatched."""
_RESERVED = frozenset({*NAME_KEYS, *ARG_KEYS, "commands", "thoughts", "tool_calls"})
_BESIDE = frozenset(
    [
        "thoughts",
        "thought",
        "reasoning",
        "plan",
        "criticism",
        "speak",
        "text",
        "why",
        "reason",
        "explanation",
        "comment",
        "id",
        "type",
        "index",
        "status",
        "confidence",
        "done",
        "call_id",
    ]
)
"""What may stand beside a command that has no arguments without being taken for an argument."""
_USUAL = {"name", "args"}
_KNOWN = frozenset({*ARG_KEYS, *NAME_KEYS, "thoughts", "thought"})
_NOT_NOW = frozenset({"example", "examples", "previous", "last_command", "history", "format", "schema", "state"})
_NAME = re.compile(r"[^\W\d][\w.\-:/]{0,127}")
_PLACEHOLDERS = frozenset(
    [
        "command",
        "command_name",
        "commandname",
        "name",
        "tool",
        "tool_name",
        "function",
        "function_name",
        "action",
        "action_name",
        "your_command",
        "your_command_name",
        "string",
    ]
)
MAX_DEPTH = 100


@dataclass(frozen=True)
class State:
    """What the reader knows about the containers of an object; nothing, when it was strict JSON."""

    open: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()
    mended: bool = False


STRICT = State()


@dataclass(slots=True)
class Found:
    """A command as it was found. `bare` is true when no key `command` led to it."""

    name: str
    args: Json
    thoughts: Json = field(default_factory=dict)
    bare: bool = False
    extras: bool = False
    """Whether unknown keys stand beside the arguments: with a bracket too many, these may belong into them."""

    def same(self, other: Found) -> bool:
        return self is other or (self.name == other.name and equal(self.args, other.args))


def equal(left: Any, right: Any) -> bool:
    """Equality of JSON values that keeps true apart from 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return isinstance(left, bool) is isinstance(right, bool) and left == right


def find(value: Any, state: State = STRICT, registry: Registry | None = None) -> Found | None:
    """The command in an object, a list of one, or a string of JSON."""
    finder = _Finder(state, registry)
    if type(value) is dict and type(command := value.get("command")) is dict and command.keys() == _USUAL:
        name, args = command["name"], command["args"]
        if type(name) is str and type(args) is dict and name.strip():
            finder.check_containers(args)
            return finder.checked(name.strip(), args, _thoughts(value))
    return finder.find(value, 0)


@dataclass
class _Finder:
    state: State
    registry: Registry | None

    def find(self, value: Any, depth: int) -> Found | None:
        if isinstance(value, list):
            return self._only([self.find(item, depth + 1) for item in value[:50]]) if depth < 4 else None
        if not isinstance(value, dict) or depth > 3:
            return None
        keys = _folded(value)
        thoughts = _thoughts(keys)
        if "command" in keys:
            return self._command(keys["command"], value, keys, thoughts, depth + 1)
        for key in ("commands", "tool_calls"):
            if isinstance(keys.get(key), list):
                found = self.find(keys[key], depth + 1)
                return self._with(found, thoughts)
        for key in ("function", "function_call", "tool_call"):
            if isinstance(keys.get(key), dict):
                return self.find(keys[key], depth + 1)
        names = [key for key in ("action", "tool", "tool_name", "function", "name") if isinstance(keys.get(key), str)]
        if names and any(key in keys for key in ARG_KEYS):
            return self._pair(names[0], keys, thoughts, bare=True)
        if len(keys) == 1 and isinstance(only := next(iter(keys.values())), dict):
            wraps = len(only) == 1 or "command" in _folded(only)
            return self.find(only, depth + 1) if wraps and not _NOT_NOW.intersection(keys) else None
        inside = [
            self.find(item, depth + 1)
            for key, item in list(keys.items())[:20]
            if key not in _NOT_NOW and isinstance(item, dict) and "command" in _folded(item)
        ]
        return self._only(inside)

    def _only(self, found: list[Found | None]) -> Found | None:
        commands = [item for item in found if item is not None]
        if any(not item.same(commands[0]) for item in commands[1:]):
            raise unreadable("two commands")
        return commands[0] if commands else None

    def _command(self, command: Any, outer: Json, keys: Json, thoughts: Json, depth: int) -> Found | None:
        """The value of a key `command`: a pair, a name, JSON in a string, or ``{name: args}``."""
        if depth > 4:
            return None
        if isinstance(command, list):
            each = [self._command(item, outer, {}, {}, depth + 1) for item in command[:50]]
            return self._with(self._only(each), thoughts)
        if isinstance(command, str):
            if command.lstrip()[:1] == "{":
                from autocraft.json_fix import plain

                inner = plain.loads(command)
                return self._with(inner and self.find({"command": inner}, depth), thoughts)
            return self._pair("command", keys, thoughts) if keys else None
        if not isinstance(command, dict):
            return None
        inner_keys = _folded(command)
        thoughts = thoughts or _thoughts(inner_keys)
        name_key = next((key for key in NAME_KEYS if isinstance(inner_keys.get(key), str)), None)
        if name_key is not None:
            beside = {key: item for key, item in keys.items() if key in ARG_KEYS}
            if beside and not any(key in inner_keys for key in ARG_KEYS):
                return self._pair(name_key, {**beside, name_key: inner_keys[name_key]}, thoughts)
            return self._pair(name_key, inner_keys, thoughts)
        if len(command) == 1:
            ((name, args),) = command.items()
            if isinstance(args, dict) and name.strip().lower() not in _RESERVED and _NAME.fullmatch(name.strip()):
                self.check_containers(args)
                return self.checked(name.strip(), args, thoughts)
        if isinstance(inner_keys.get("function"), dict):
            return self._with(self.find(inner_keys["function"], depth), thoughts)
        if isinstance(inner_keys.get("command"), dict):
            return self._with(self.find(command, depth), thoughts)
        return None

    def _with(self, found: Found | None, thoughts: Json) -> Found | None:
        return found and replace(found, thoughts=shallow(thoughts) or found.thoughts)

    def _pair(self, name_key: str, keys: Json, thoughts: Json, *, bare: bool = False) -> Found | None:
        name = keys[name_key].strip()
        if not name:
            return None
        given = [key for key in ARG_KEYS if key in keys]
        values = [self._arguments(keys[key]) for key in given]
        for value in values:
            self.check_containers(value)
        if any(not equal(value, values[0]) for value in values[1:]):
            raise unreadable("doubtful")
        if not values:
            if self.state.open:
                raise unreadable("truncated")
            args = self._flat(name, {key: item for key, item in keys.items() if key != name_key})
        else:
            args = values[0]
        extras = bool(values) and not _KNOWN.issuperset(keys)
        return self.checked(name, args, thoughts, bare=bare, extras=extras)

    def _flat(self, name: str, others: Json) -> Json:
        """Arguments that stand beside the name, taken only where the registry knows them all."""
        extra = {key: item for key, item in others.items() if key not in _BESIDE}
        if not extra:
            return {}
        known = self.registry.accepts(name) if self.registry is not None else None
        if known is not None and set(extra) <= set(known):
            self.check_containers(extra)
            return extra
        raise unreadable("arguments")

    def _arguments(self, value: Any) -> Json:
        if value is None or value == "" or value == []:
            if isinstance(value, list) and id(value) in self.state.open:
                raise unreadable("truncated")
            return {}
        if isinstance(value, str):
            from autocraft.json_fix import plain

            value = plain.loads(value)
        if isinstance(value, list):
            raise unreadable("positional")
        if not isinstance(value, dict):
            raise unreadable("arguments")
        return value

    def checked(
        self, name: str, args: Json, thoughts: Json, *, bare: bool = False, extras: bool = False
    ) -> Found | None:
        folded = name.lower().strip("<>[]{}").replace(" ", "_")
        if folded in _PLACEHOLDERS or name[:1] in "<{[" or set(args) & {"arg name", "arg_name"}:
            raise unreadable("placeholder")
        if not _NAME.fullmatch(name):
            return None
        if self.state.mended and any(isinstance(args.get(key), dict) for key in ("thoughts", "command")):
            raise unreadable("truncated")  # the brace that should have closed args is missing
        return Found(name, args, shallow(thoughts), bare, extras)

    def check_containers(self, args: Json) -> None:
        """Refuse arguments of which a part was cut, is doubtful or lies too deep."""
        level: list[Any] = [args]
        for _ in range(MAX_DEPTH):
            if self.state.open and any(id(item) in self.state.open for item in level):
                raise unreadable("truncated")
            if self.state.doubtful and any(id(item) in self.state.doubtful for item in level):
                raise unreadable("doubtful")
            level = _children(level)
            if not level:
                return
        raise unreadable("too deep")


def _children(level: list[Any]) -> list[Any]:
    return [
        child
        for item in level
        for child in (item.values() if isinstance(item, dict) else item)
        if isinstance(child, (dict, list))
    ]


def shallow(thoughts: Json) -> Json:
    """Thoughts without what is nested too deeply to be written down again."""
    kept = {}
    for key, value in thoughts.items():
        level = [value] if isinstance(value, (dict, list)) else []
        for _ in range(MAX_DEPTH):
            if not level:
                break
            level = _children(level)
        if not level:
            kept[key] = value
    return kept


def _folded(value: Json) -> Json:
    return {key.strip().lower(): item for key, item in value.items()}


def _thoughts(keys: Json) -> Json:
    thoughts = keys.get("thoughts", keys.get("thought"))
    if isinstance(thoughts, dict):
        return thoughts
    if isinstance(thoughts, str):
        return {"text": thoughts}
    reasoning = keys.get("reasoning")
    return {"reasoning": reasoning} if isinstance(reasoning, str) else {}
