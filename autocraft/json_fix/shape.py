"""What counts as a command: the forms in which models put a name and its arguments into an object.

`find` returns the command of one object that was read, None when there is none, and raises UnreadableReply where
there is one that must not be dispatched.
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
    ["thoughts", "thought", "reasoning", "plan", "criticism", "speak", "text", "why", "reason", "explanation",
     "comment", "id", "type", "index", "status", "confidence", "done", "call_id"]
)  # fmt: skip
"""What may stand beside a command that has no arguments without being taken for an argument."""
_PAIR_NAMES = ("action", "tool", "tool_name", "function", "name")
_USUAL = {"name", "args"}
_WHOLE = {"thoughts", "command"}
_NEIGHBOURS = frozenset(
    ["thoughts", "thought", "reasoning", "plan", "criticism", "speak", "text", "why", "reason", "explanation",
     "comment", "note", "notes", "id", "type", "index", "confidence", "done", "call_id", "tool_call_id", "role",
     "content",
     "refusal", *NAME_KEYS, *ARG_KEYS, "commands", "tool_calls", "function_call", "tool_call", "functioncall"]
)  # fmt: skip
"""What may stand beside a command that comes without thoughts."""
_KNOWN = frozenset({*ARG_KEYS, *NAME_KEYS, "thoughts", "thought"})
_WRAPS = frozenset(
    ["response", "answer", "reply", "message", "data", "content", "json", "final", "final_answer", "assistant", "next",
     "thoughts", "thought", "output"]
)  # fmt: skip
"""Keys that may hold the object with the command. Under any other key it is somebody else's."""
_FOREIGN = frozenset(
    ["error", "errors", "result", "results", "observation", "tool_response", "tool_result", "returned", "stdout",
     "stderr", "rejected", "example", "examples", "previous", "history", "description", "parameters_schema",
     "input_schema", "schema", "exit_code", "executed", "from", "sender", "source"]
)  # fmt: skip
"""Keys that speak of a command which was run, refused or only shown."""
_RECORDS = _FOREIGN | {"status", "output", "accepted"}
"""The same inside a command, where nothing but its own parts stands."""
_SCHEMA = frozenset({"type", "properties", "required", "title", "additionalproperties", "$schema", "description"})
_SCHEMA_TYPES = frozenset(
    ["string", "integer", "number", "boolean", "object", "array", "null", "int", "str", "float", "bool"]
)
_SLOT = re.compile(r"<[A-Za-z][\w \-]{0,40}>")
_TYPES = frozenset({"function", "function_call", "tool_use", "tool_call", "command", "action", "custom", "call"})
_NAME = re.compile(r"[^\W\d][\w.\-:/]{0,127}")
_PLACEHOLDERS = frozenset(
    ["command", "command_name", "commandname", "name", "tool", "tool_name", "function", "function_name", "action",
     "action_name", "your_command", "your_command_name", "string"]
)  # fmt: skip
_CONTAINERS = frozenset({dict, list})
MAX_DEPTH = 100
MOST_CALLS = 50
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class Raw(str):
    """The text of a parameter whose type the model did not write."""

    __slots__ = ()


@dataclass(frozen=True)
class State:
    """What the reader knows about the containers of an object; nothing, when it was strict JSON."""

    open: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()
    late: frozenset[int] = frozenset()
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


def _plain_name(name: str) -> str:
    """The name without the module that a family puts before each."""
    return name.strip().removeprefix("functions.").removeprefix("default_api.")


def _check_definition(args: Json) -> None:
    """Refuse arguments that are a JSON Schema, name only the types of values, or are slots to fill in."""
    if args.get("type") == "object" and _SCHEMA.issuperset(key.lower() for key in args):
        raise unreadable("definition")
    if isinstance(args.get("properties"), dict) and ("required" in args or args.get("type") == "object"):
        raise unreadable("definition")
    if all(map(_is_type, args.values())):
        raise unreadable("definition")
    if all(isinstance(item, str) and _SLOT.fullmatch(item) for item in args.values()):
        raise unreadable("placeholder")


def _is_type(value: Any) -> bool:
    """Whether a value says of which type it should be: ``"integer"``, or ``{"type": "integer", …}``."""
    if isinstance(value, dict):
        value = value.get("type")
    return isinstance(value, str) and value in _SCHEMA_TYPES


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
        if type(name) is str and type(args) is dict and name.strip() and value.keys() <= _WHOLE:
            finder.check_containers(args)
            return finder.checked(name.strip(), args, _thoughts(value))
    return finder.find(value, 0)


@dataclass
class _Finder:
    state: State
    registry: Registry | None

    def find(self, value: Any, depth: int) -> Found | None:
        if isinstance(value, list) and depth < 4:
            if len(value) > MOST_CALLS:
                raise unreadable("two commands")
            if not all(isinstance(item, dict) for item in value):
                return None
            return self._only([self.find(item, depth + 1) for item in value])
        if not isinstance(value, dict) or depth > 3:
            return None
        keys = _folded(value)
        thoughts = _thoughts(keys)
        command = self._only(self._dispatched(value, keys, thoughts, depth + 1))
        if command is not None:
            self._check_neighbours(keys, thoughts)
            self._check_single(command, keys, depth)
            return self._with(command, thoughts)
        if "command" in keys:
            return None
        held = [
            (key, item) for key, item in keys.items() if isinstance(item, dict) and _holds(item, alone=len(keys) == 1)
        ]
        found = self._only([self.find(item, depth + 1) for _, item in held])
        if found is not None:
            self._check_own(keys)
            beside = keys.keys() - {key for key, _ in held}
            if not (_WRAPS.issuperset(key for key, _ in held) and (_NEIGHBOURS | _WRAPS).issuperset(beside)):
                raise unreadable("foreign")
            if any(isinstance(keys.get(key), str) for key in _PAIR_NAMES):
                raise unreadable("foreign")  # a call whose argument it is
        return found

    def _dispatched(self, value: Json, keys: Json, thoughts: Json, depth: int) -> list[Found | None]:
        """The command of each key that may hold one."""
        found: list[Found | None] = []
        if "command" in keys:
            found.append(self._command(keys["command"], value, keys, thoughts, depth))
            if found[0] is None:
                return []
        for key in ("commands", "tool_calls"):
            if isinstance(keys.get(key), list):
                found.append(self.find(keys[key], depth))
        for key in ("function", "function_call", "tool_call", "functioncall"):
            if isinstance(keys.get(key), dict):
                found.append(self.find(keys[key], depth))
        if "command" not in keys:
            names = [each for each in _PAIR_NAMES if isinstance(keys.get(each), str)]
            if names and any(key in keys for key in ARG_KEYS):
                found.append(self._pair(names[0], keys, thoughts, bare=True))
        return found

    def _check_neighbours(self, keys: Json, thoughts: Json) -> None:
        """Refuse an object whose other keys say that it records, defines or answers a command."""
        self._check_own(keys)
        if _FOREIGN.intersection(keys) or not (thoughts or _NEIGHBOURS.issuperset(keys)):
            raise unreadable("definition" if "description" in keys else "foreign")

    def _check_single(self, command: Found, keys: Json, depth: int) -> None:
        """Refuse an object that holds a second command under a key of another name."""
        arguments = any(key in keys for key in ARG_KEYS)
        for key, item in keys.items():
            if key in _PAIR_NAMES and isinstance(item, str):
                other = item.strip() if key != "name" or arguments else command.name
                if _NAME.fullmatch(other) and _plain_name(other) != command.name:
                    raise unreadable("two commands")
            elif isinstance(item, dict) and key not in _RESERVED and key not in _BESIDE and _is_second(item):
                self._only([command, self.find(item, depth + 1)])

    def _check_own(self, keys: Json) -> None:
        """Refuse an object of another role, or of a type that is no call."""
        if keys.get("role", "assistant") != "assistant":
            raise unreadable("foreign")
        if isinstance(keys.get("type"), str) and keys["type"].lower() not in _TYPES:
            raise unreadable("foreign")

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
            if len(command) > MOST_CALLS:
                raise unreadable("two commands")
            each = [self._command(item, outer, {}, {}, depth + 1) for item in command]
            return self._only(each)
        if isinstance(command, str):
            if command.lstrip()[:1] == "{":
                from autocraft.json_fix import plain

                inner = plain.loads(command)
                return self._alone(inner and self.find({"command": inner}, depth), keys)
            return self._pair("command", keys, thoughts) if keys else None
        if not isinstance(command, dict):
            return None
        inner_keys = _folded(command)
        if self.state.open and "thoughts" in inner_keys:
            self._check_flat(inner_keys)
        thoughts = thoughts or _thoughts(inner_keys)
        name_key = next((key for key in NAME_KEYS if isinstance(inner_keys.get(key), str)), None)
        if name_key is not None:
            if not inner_keys.keys().isdisjoint(ARG_KEYS):
                self._check_inner(inner_keys[name_key].strip(), inner_keys)
            beside = {key: item for key, item in keys.items() if key in ARG_KEYS}
            if beside and not any(key in inner_keys for key in ARG_KEYS):
                return self._pair(name_key, {**beside, name_key: inner_keys[name_key]}, thoughts)
            return self._alone(self._pair(name_key, inner_keys, thoughts), keys)
        if len(command) == 1:
            ((name, args),) = command.items()
            if isinstance(args, dict) and name.strip().lower() not in _RESERVED and _NAME.fullmatch(name.strip()):
                if len(args) == 1 and next(iter(args)).lower() in ARG_KEYS:
                    raise unreadable("doubtful")  # a wrapper, or an argument of that name
                self.check_containers(args)
                return self.checked(name.strip(), args, thoughts)
        if isinstance(inner_keys.get("function"), dict):
            return self._with(self.find(inner_keys["function"], depth), thoughts)
        if isinstance(inner_keys.get("command"), dict):
            return self._with(self.find(command, depth), thoughts)
        return None

    def _check_inner(self, name: str, inner_keys: Json) -> None:
        """Refuse a command that is a record or a definition, has two names, or another command beside its arguments."""
        if _RECORDS.intersection(inner_keys):
            raise unreadable("definition" if "description" in inner_keys else "foreign")
        for key, item in inner_keys.items():
            if key in NAME_KEYS and isinstance(item, str) and item.strip() != name and _NAME.fullmatch(item.strip()):
                raise unreadable("two commands")
            if isinstance(item, dict) and key not in ARG_KEYS and key not in _BESIDE and _is_second(item):
                raise unreadable("two commands")

    def _alone(self, found: Found | None, keys: Json) -> Found | None:
        """Refuse a whole command beside which other arguments stand."""
        if found is not None and any(keys.get(key) and not equal(keys[key], found.args) for key in ARG_KEYS):
            raise unreadable("doubtful")
        return found

    def _check_flat(self, inner_keys: Json) -> None:
        """Refuse nested arguments where a bracket is missing before the thoughts: it may have been one of theirs."""
        for key in ARG_KEYS:
            args = inner_keys.get(key)
            if isinstance(args, dict) and any(isinstance(item, (dict, list)) for item in args.values()):
                raise unreadable("doubtful")

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
        name = _plain_name(name)
        folded = name.lower().strip("<>[]{}").replace(" ", "_").replace("-", "_")
        if folded in _PLACEHOLDERS or name[:1] in "<{[" or any(map(_is_placeholder, args)):
            raise unreadable("placeholder")
        if args:
            _check_definition(args)
        if not _NAME.fullmatch(name):
            return None
        if self.state.mended and any(isinstance(args.get(key), dict) for key in ("thoughts", "command")):
            raise unreadable("truncated")  # the brace that should have closed args is missing
        return Found(name, self._settled(name, args), shallow(thoughts), bare, extras)

    def _settled(self, name: str, args: Json) -> Json:
        """Arguments whose parameter tags gave only text: a plain number or literal is one, unless text is wanted."""
        if Raw not in map(type, args.values()):
            return args
        texts = self.registry.texts(name) if self.registry is not None else ()
        return {
            key: item if type(item) is not Raw else str(item) if key in texts else _plain_scalar(str(item))
            for key, item in args.items()
        }

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
            if self.state.late and any(id(item) in self.state.late for item in level):
                raise unreadable("doubtful")
        raise unreadable("too deep")


def _children(level: list[Any]) -> list[Any]:
    found: list[Any] = []
    for item in level:
        found += [each for each in (item.values() if type(item) is dict else item) if type(each) in _CONTAINERS]
    return found


def shallow(thoughts: Json) -> Json:
    """Thoughts without what is nested too deeply to be written down again."""
    if not _children([thoughts]):
        return thoughts
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


def _plain_scalar(text: str) -> Any:
    """The number or literal that `text` spells exactly as JSON would write it, else `text`."""
    return int(text) if _INTEGER.fullmatch(text) else _LITERALS.get(text, text)


def _is_placeholder(key: str) -> bool:
    return key in ("arg name", "arg_name") or (key[:1] == "<" and key[1:-1].isidentifier() and key[-1] == ">")


def _holds(value: Json, *, alone: bool) -> bool:
    """Whether an object inside another one may hold the command."""
    return "command" in _folded(value) or (alone and len(value) == 1)


def _is_second(value: Json) -> bool:
    """Whether an object beside a command looks like one as well."""
    keys = {key.strip().lower() for key in value}
    return "command" in keys or not (keys.isdisjoint(NAME_KEYS) or keys.isdisjoint(ARG_KEYS))


def _folded(value: Json) -> Json:
    """The same with keys in lower case. Raises UnreadableReply where two keys become one and differ."""
    folded = {key.strip().lower(): item for key, item in value.items()}
    if len(folded) < len(value) and any(not equal(item, folded[key.strip().lower()]) for key, item in value.items()):
        raise unreadable("two commands" if "command" in folded else "doubtful")
    return folded


def _thoughts(keys: Json) -> Json:
    thoughts = keys.get("thoughts", keys.get("thought"))
    if isinstance(thoughts, dict):
        return thoughts
    if isinstance(thoughts, str):
        return {"text": thoughts}
    reasoning = keys.get("reasoning")
    return {"reasoning": reasoning} if isinstance(reasoning, str) else {}
