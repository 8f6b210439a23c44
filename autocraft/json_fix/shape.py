"""Finds the command in an object, in all forms in which models write a name and its arguments.

`find` returns the command of an object, or None if it has none. It raises UnreadableReply for a command that must not
run.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from autocraft.json_fix import keys as by_key
from autocraft.json_fix import plain
from autocraft.json_fix.reply import Json, Registry, unreadable
from autocraft.json_fix.values import STRICT, Raw, State, check_containers, equal, shallow

MOST_CALLS = 50
_NAMES = [{key} for key in by_key.NAME_KEYS]
_VOID = {"command", *by_key.ARG_KEYS}
_FENCED = re.compile(r"\s*```(?:json)?\s*(\{.*\})\s*```\s*", re.DOTALL)
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_KEY = re.compile("(?:[\"'“”‘’]command|command[\"'“”‘’])\\s{0,9}:")
_NAME = re.compile(r"[^\W\d][\w.\-:/]{0,127}")


@dataclass(slots=True)
class FoundCommand:
    """A command with its thoughts. `bare` is True if it was not the value of a key `command`."""

    name: str
    args: Json
    thoughts: Json = field(default_factory=dict)
    bare: bool = False
    extras: bool = False
    """Whether unknown keys are beside the arguments. After one bracket too many, they may be arguments."""
    no_args: bool = False
    """Whether it has no place for arguments."""

    def same(self, other: FoundCommand) -> bool:
        return self is other or (self.name == other.name and equal(self.args, other.args))


def _plain_name(name: str) -> str:
    """Return the name without the prefix that a model family puts before each name."""
    name = name.strip()
    return name.removeprefix("functions.").removeprefix("default_api.") if "." in name else name


def find(value: Any, state: State = STRICT, registry: Registry | None = None) -> FoundCommand | None:
    """Find the command in an object, in a list of one object, or in JSON inside a string."""
    if type(value) is dict and (usual := _usual(value)) is not None:
        check_containers(usual.args, state)
        return check_command(usual, state, registry)
    return _Finder(state, registry).find(value, 0)


def _usual(value: Json) -> FoundCommand | None:
    """Return the command of an object in the very format that was asked for. Return None for any other object."""
    command, thoughts = value.get("command"), value.get("thoughts", {})
    if type(command) is not dict or type(thoughts) is not dict or len(value) != 1 + ("thoughts" in value):
        return None
    name, args = command.get("name"), command.get("args")
    if type(name) is not str or type(args) is not dict or len(command) != 2 or not name.strip():
        return None
    return None if "command" in thoughts else FoundCommand(name, args, thoughts)


def check_command(command: FoundCommand, state: State, registry: Registry | None) -> FoundCommand | None:
    """Return `command` with its name and values in their final form, or None if the name is not a name.

    Raises UnreadableReply if it only shows a command.
    """
    args = command.args
    command.name = _plain_name(command.name)
    by_key.check_meant(command.name, args)
    if not _NAME.fullmatch(command.name):
        return None
    if state.mended and (isinstance(args.get("thoughts"), dict) or isinstance(args.get("command"), dict)):
        raise unreadable("truncated")  # the brace that should have closed args is missing
    if Raw in map(type, args.values()):
        known = registry is not None and registry.accepts(command.name) is not None
        texts = registry.texts(command.name) if registry is not None else ()
        command.args = _with_types(args, texts, known=known)
    command.thoughts = shallow(command.thoughts)
    return command


def _with_types(args: Json, texts: Collection[str], *, known: bool) -> Json:
    """Return the final arguments, with the text of parameter tags in their types.

    A parameter in `texts` stays text. If the command is `known`, the text of any other one is read as strict JSON, and
    stays text if it is none. Otherwise only whole numbers and literals are read.
    """
    typed = _json if known else _plain_scalar
    return {
        key: item if type(item) is not Raw else str(item) if key in texts else typed(str(item))
        for key, item in args.items()
    }


def _json(text: str) -> Any:
    value, sound = plain.strictly(text.strip())
    return value if sound else text


def _plain_scalar(text: str) -> Any:
    """Return the number or literal that `text` spells exactly as JSON does. Otherwise return `text`."""
    return int(text) if _INTEGER.fullmatch(text) else _LITERALS.get(text, text)


def none_in(text: str) -> str:
    """Return the reason why no command was found: there is none, or its key is in a part that cannot be read."""
    return "no command" if "command" not in text or _KEY.search(text) is None else "garbled"


def is_void(value: Json) -> bool:
    """Return whether an object that holds no command has a place for one, or arguments, or is a name alone."""
    return any(key.strip().lower() in _VOID for key in value) or value.keys() in _NAMES


@dataclass
class _Finder:
    state: State
    registry: Registry | None

    def find(self, value: Any, depth: int) -> FoundCommand | None:
        if isinstance(value, list) and depth < 4:
            if len(value) > MOST_CALLS:
                raise unreadable("two commands")
            if not all(isinstance(item, dict) for item in value):
                return None
            for item in value:
                by_key.check_own(by_key.lower_keys(item))
            each = [self.find(item, depth + 1) for item in value]
            if None in each and any(each):
                raise unreadable("foreign")  # a record of which the command is a part
            return self._only(each)
        if not isinstance(value, dict) or depth > 3:
            return None
        keys = by_key.lower_keys(value)
        content = _message_content(keys)
        if content is not None:
            return self.find(content, depth + 1)
        thoughts = by_key.thoughts(keys)
        command = self._only(self._commands_by_key(value, keys, thoughts, depth + 1))
        if command is not None:
            self._check_neighbours(keys)
            self._check_single(command, keys, depth)
            return self._with_thoughts(command, thoughts)
        if "command" in keys:
            return None
        objects = {key: item for key, item in keys.items() if isinstance(item, dict)}
        inside = {
            key: item
            for key, item in objects.items()
            if "command" in by_key.lower_keys(item) or len(item) == len(keys) == 1
        }
        inner = self._only([self.find(item, depth + 1) for item in inside.values()])
        if inner is not None:
            by_key.check_own(keys)
            if not by_key.WRAPS.issuperset(inside) or not (by_key.NEIGHBOURS | by_key.WRAPS).issuperset(keys):
                raise unreadable("foreign")
            if any(isinstance(keys.get(key), str) for key in by_key.PAIR_NAMES):
                raise unreadable("foreign")  # a call whose argument it is
        return inner

    def _commands_by_key(self, value: Json, keys: Json, thoughts: Json, depth: int) -> list[FoundCommand | None]:
        """Return the command of each key that may hold one."""
        commands: list[FoundCommand | None] = []
        if "command" in keys:
            commands.append(self._command(keys["command"], value, keys, thoughts, depth))
            if commands[0] is None:
                return []
        for key in ("commands", "tool_calls"):
            if isinstance(keys.get(key), list):
                commands.append(self.find(keys[key], depth))
        for key in ("function", "function_call", "tool_call", "functioncall", "action", "tool"):
            if isinstance(keys.get(key), dict):
                commands.append(self.find(keys[key], depth))
        if "command" not in keys:
            names = [each for each in by_key.PAIR_NAMES if isinstance(keys.get(each), str)]
            if names and any(key in keys for key in by_key.ARG_KEYS):
                commands.append(self._pair(names[0], keys, thoughts, bare=True))
        return commands

    def _check_neighbours(self, keys: Json) -> None:
        """Refuse an object whose other keys say that it records, defines or answers a command."""
        by_key.check_own(keys)
        if not by_key.NEIGHBOURS.issuperset(keys):
            raise unreadable("definition" if "description" in keys else "foreign")

    def _check_single(self, command: FoundCommand, keys: Json, depth: int) -> None:
        """Refuse an object that holds a second command under a key of another name."""
        arguments = any(key in keys for key in by_key.ARG_KEYS)
        if isinstance(keys.get("thoughts"), dict) and isinstance(keys["thoughts"].get("command"), dict):
            self._only([command, self.find(keys["thoughts"], depth + 1)])
        for key, item in keys.items():
            if key in by_key.PAIR_NAMES and isinstance(item, str):
                other = item.strip() if key != "name" or arguments else command.name
                if _NAME.fullmatch(other) and _plain_name(other) != command.name:
                    raise unreadable("two commands")
            elif by_key.is_second(key, item, by_key.PARTS):
                self._only([command, self.find(item, depth + 1)])

    def _only(self, candidates: list[FoundCommand | None]) -> FoundCommand | None:
        commands = [item for item in candidates if item is not None]
        if any(not item.same(commands[0]) for item in commands[1:]):
            raise unreadable("two commands")
        return commands[0] if commands else None

    def _command(self, command: Any, outer: Json, keys: Json, thoughts: Json, depth: int) -> FoundCommand | None:
        """Read the value of a key `command`: a pair, a name, JSON in a string, or ``{name: args}``."""
        if depth > 4:
            return None
        if isinstance(command, list):
            if len(command) > MOST_CALLS:
                raise unreadable("two commands")
            each = [self._command(item, outer, {}, {}, depth + 1) for item in command]
            return self._only(each)
        if isinstance(command, str):
            if command.lstrip()[:1] == "{":
                inner = _inner_json(command)
                return self._check_alone(inner and self.find({"command": inner}, depth), keys)
            if command.rstrip().endswith(")"):
                return self._check_alone(self._written_call(command.strip(), outer, keys, thoughts), keys)
            return self._pair("command", keys, thoughts) if keys else None
        if not isinstance(command, dict):
            return None
        inner_keys = by_key.lower_keys(command)
        if self.state.open and "thoughts" in inner_keys:
            self._check_flat(inner_keys)
        thoughts = thoughts or by_key.thoughts(inner_keys)
        name_key = next((key for key in by_key.NAME_KEYS if isinstance(inner_keys.get(key), str)), None)
        if name_key is not None:
            if not inner_keys.keys().isdisjoint(by_key.ARG_KEYS):
                self._check_inner(inner_keys[name_key].strip(), inner_keys)
            beside = {key: item for key, item in keys.items() if key in by_key.ARG_KEYS}
            if beside and not any(key in inner_keys for key in by_key.ARG_KEYS):
                return self._pair(name_key, {**beside, name_key: inner_keys[name_key]}, thoughts)
            return self._check_alone(self._pair(name_key, inner_keys, thoughts), keys)
        if len(command) == 1:
            ((name, args),) = command.items()
            if isinstance(args, dict) and name.strip().lower() not in by_key.RESERVED and _NAME.fullmatch(name.strip()):
                if len(args) == 1 and next(iter(args)).lower() in by_key.ARG_KEYS:
                    raise unreadable("doubtful")  # a wrapper, or an argument of that name
                check_containers(args, self.state)
                return check_command(FoundCommand(name, args, thoughts), self.state, self.registry)
        return None

    def _written_call(self, text: str, outer: Any, keys: Json, thoughts: Json) -> FoundCommand | None:
        """Read a string that is one whole call ``f(a=1)``. Return None if it starts as no call does."""
        from autocraft.json_fix import calls  # a model that keeps the format never needs its patterns

        start = calls.call_start(text, 0)
        if start is None:
            return None
        call = calls.call(text, start)
        if call.end < len(text):
            raise unreadable("garbled")
        if self.state.open and not call.value["args"]:
            raise unreadable("truncated")
        if "\\" in text or id(outer) in self.state.doubtful or keys.keys() - by_key.BESIDE - _VOID:
            raise unreadable("doubtful")  # escaped for the string or for the call, or a key that may be an argument
        return _Finder(call.state, self.registry)._pair("name", call.value, thoughts)

    def _check_inner(self, name: str, inner_keys: Json) -> None:
        """Refuse a command that is a record or a definition, has two names, or another command beside its arguments."""
        if not (by_key.NEIGHBOURS - {"refusal"}).issuperset(inner_keys):
            # an argument, or a word about the command
            raise unreadable("definition" if "description" in inner_keys else "doubtful")
        for key, item in inner_keys.items():
            is_name = key in by_key.NAME_KEYS and isinstance(item, str) and _NAME.fullmatch(item.strip())
            if (is_name and item.strip() != name) or by_key.is_second(key, item, by_key.ARG_KEYS):
                raise unreadable("two commands")

    def _check_alone(self, command: FoundCommand | None, keys: Json) -> FoundCommand | None:
        """Refuse a whole command beside which other arguments stand."""
        if command is not None and any(keys.get(key) and not equal(keys[key], command.args) for key in by_key.ARG_KEYS):
            raise unreadable("doubtful")
        return command

    def _check_flat(self, inner_keys: Json) -> None:
        """Refuse nested arguments where a bracket is missing before the thoughts: it may have been one of theirs."""
        for key in by_key.ARG_KEYS:
            args = inner_keys.get(key)
            if isinstance(args, dict) and any(isinstance(item, (dict, list)) for item in args.values()):
                raise unreadable("doubtful")

    def _with_thoughts(self, command: FoundCommand | None, thoughts: Json) -> FoundCommand | None:
        return command and replace(command, thoughts=shallow(thoughts) or command.thoughts)

    def _pair(self, name_key: str, keys: Json, thoughts: Json, *, bare: bool = False) -> FoundCommand | None:
        name = keys[name_key].strip()
        if not name:
            return None
        arg_keys = [key for key in by_key.ARG_KEYS if key in keys]
        values = [self._arguments(keys[key]) for key in arg_keys]
        for value in values:
            check_containers(value, self.state)
        if any(not equal(value, values[0]) for value in values[1:]):
            raise unreadable("doubtful")
        if not values:
            if self.state.open:
                raise unreadable("truncated")
            args = self._flat(name, {key: item for key, item in keys.items() if key != name_key})
        else:
            args = values[0]
        extras = bool(values) and not by_key.KNOWN.issuperset(keys)
        return check_command(
            FoundCommand(name, args, thoughts, bare, extras, not values and not args), self.state, self.registry
        )

    def _flat(self, name: str, others: Json) -> Json:
        """Return arguments beside the name. They count only if the registry knows all of them."""
        extra = {key: item for key, item in others.items() if key not in by_key.BESIDE}
        if not extra:
            return {}
        parameters = self.registry.accepts(name) if self.registry is not None else None
        if parameters is not None and set(extra) <= set(parameters):
            check_containers(extra, self.state)
            return extra
        raise unreadable("arguments")

    def _arguments(self, value: Any) -> Json:
        if value is None or value == "" or value == []:
            if isinstance(value, list) and id(value) in self.state.open:
                raise unreadable("truncated")
            return {}
        if isinstance(value, str):
            value = plain.loads(value)
        if isinstance(value, list):
            raise unreadable("positional")
        if not isinstance(value, dict):
            raise unreadable("arguments")
        return value


def _message_content(keys: Json) -> Json | None:
    """Return the object that a message of the assistant, or `response`, holds as text. Return None for others."""
    key = "response" if keys.keys() == {"response"} else "content"
    content = keys.get(key)
    own = key == "response" or keys.get("role") == "assistant"
    if not own or not isinstance(content, str) or content.lstrip()[:1] not in ("{", "`"):
        return None
    if any(keys[each] for each in keys.keys() - {"role", key}):
        return None
    fenced = _FENCED.fullmatch(content)
    value = _inner_json(content if fenced is None else fenced[1])
    return value if isinstance(value, dict) else None


def _inner_json(text: str) -> Any:
    """Return the value of strict JSON that is a string of the answer. Return None for any other text."""
    value = plain.loads(text)
    if value is not None and plain.repeats(text, value):
        raise unreadable("two commands")
    return value
