"""Approval as data: the person's rules about commands. The first rule that matches decides.

A rule matches the bound command, never its text: the canonical name, the values of the arguments (paths relative to
the workspace), the risk of this call, and the agent. A rule that asks or denies also matches what the call touches:
every file that it reads or writes, every address, and every command that it carries out.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple, cast

from autocraft.commands.registry import Registry
from autocraft.commands.synonyms import with_own_names
from autocraft.commands.web.address import read_url, wide_spellings
from autocraft.errors import CommandError, InvalidCommand, UsageError
from autocraft.frozen import frozen
from autocraft.protocols import PROGRAM, Call, Json, Reach, Risk
from autocraft.settings.fields import setting
from autocraft.settings.sources import SETTINGS_FILE, SettingsFile
from autocraft.text.phrases import did_you_mean

Then = Literal["allow", "ask", "deny"]
_THEN = ("allow", "ask", "deny")
_HINT = ", did you mean '{}'"
_KEYS = ("command", "args", "risk", "agent", "then", "why")
_URL = re.compile(r"([^:]*)://([^/?#\\@]*)([/?#].*|)", re.DOTALL)


@frozen
class PolicySettings:
    """The rules about commands."""

    rule: tuple[Any, ...] = setting((), env=None, doc="rules; the first that matches a command decides", power=True)


@frozen
class Rule:
    """One rule. Patterns are globs: ``*``, ``?``, ``[abc]``; ``*`` matches ``/`` too, but not in an allowed host."""

    number: int
    then: Then
    command: str = "*"
    args: Mapping[str, str] = field(default_factory=dict)
    risk: Risk | None = None
    agent: str = "*"
    why: str = ""

    def matches(self, call: Call, reach: Reach) -> bool:
        """Tell whether the rule is about `call`, which touches `reach`."""
        matches_arg = self._allows_arg if self.then == "allow" else self._stops_arg
        return (
            fnmatchcase(call.name, self.command)
            and self._is_about(call)
            and self.risk in (None, call.risk)
            and all(matches_arg(reach, name, pattern) for name, pattern in self.args.items())
        )

    def _is_about(self, call: Call) -> bool:
        """Tell whether the rule is about the agent of a call.

        What stops the main agent stops its helpers and programs too, and what stops a helper stops its programs.
        """
        stops = self.then != "allow" and call.agent != "person"
        agents = ("main", call.agent, _owner(call)) if stops else (call.agent,)
        return any(fnmatchcase(agent, self.agent) for agent in agents)

    def _allows_arg(self, reach: Reach, name: str, pattern: str) -> bool:
        """Tell whether the argument is there and matches as it is, or by each part of a list or spelling of a URL."""
        value = reach.args.get(name)
        if name not in reach.args:
            return False
        if name == "url" and value != pattern:
            return all(_is_address_like(url, pattern) for url in _addresses_of(reach))
        parts = value if isinstance(value, list) and value else [value]
        return fnmatchcase(_text(value), pattern) or all(fnmatchcase(_text(part), pattern) for part in parts)

    def _stops_arg(self, reach: Reach, name: str, pattern: str) -> bool:
        """Tell whether any part of the argument matches, or anything that the call touches by it."""
        value = reach.args.get(name)
        parts = [] if name not in reach.args else [value, *(value if isinstance(value, list) else [])]
        targets = _targets_of(reach, name)
        if targets is None:
            return any(fnmatchcase(_text(part), pattern) for part in parts)
        return any(fnmatchcase(_fold_case(_text(part)), _fold_case(pattern)) for part in [*parts, *targets])

    @property
    def text(self) -> str:
        """Return the rule on one line, as in ``deny write_to_file file=notes/*``."""
        parts = [self.then, self.command, *(f"{name}={pattern}" for name, pattern in self.args.items())]
        parts += [] if self.risk is None else [f"risk {self.risk.value}"]
        parts += [] if self.agent == "*" else [f"by {self.agent}"]
        return " ".join(parts)

    @property
    def reason(self) -> str:
        """Return what the rule does, in words for the model and the person."""
        does = {"allow": "allows", "ask": "asks about", "deny": "denies"}[self.then]
        return f"rule {self.number} of the policy {does} it ({self.text})" + (f": {self.why}" if self.why else "")


@frozen
class Policy:
    """The rules of one run, in order. A policy without rules needs no registry."""

    rules: Sequence[Rule] = ()
    registry: Registry | None = None

    def first(self, call: Call) -> Rule | None:
        """Return the first rule that matches this call, or a stricter one about a command that it carries out.

        Return None if no rule is about it.
        """
        if not self.rules or self.registry is None:
            return None
        reach = self.registry.reach(call)
        own = next((rule for rule in self.rules if rule.matches(call, reach)), None)
        return max([own, *map(self.first, reach.calls)], key=_strictness)

    def denied(self) -> set[str]:
        """Return the names of the commands that no call of the main agent may run, whatever its arguments."""
        names = [] if self.registry is None else [command.name for command in self.registry.everything()]
        return {name for name in names if self._always_denies(name)}

    def _always_denies(self, name: str) -> bool:
        for rule in self.rules:
            if fnmatchcase(name, rule.command):
                always = not rule.args and rule.risk is None and fnmatchcase("main", rule.agent)
                if always or rule.then != "deny":
                    return always and rule.then == "deny"
        return False

    def denial(self, call: Call) -> str:
        """Return why the policy denies this call; empty if it does not."""
        rule = self.first(call)
        return rule.reason if rule is not None and rule.then == "deny" else ""

    def objection(self, call: Call, onward: Call) -> str:
        """Return why the running `call` must not go on as `onward`, as after a redirect; empty if it may.

        A rule that asks objects, unless the person was asked about `call` by the same rule. A call that a rule
        allowed goes on only if a rule allows `onward` too.
        """
        began, rule = self.first(call), self.first(onward)
        if rule is not None and (rule.then == "deny" or (rule.then == "ask" and rule != began)):
            return rule.reason
        if began is not None and began.then == "allow" and (rule is None or rule.then != "allow"):
            return f"no rule of the policy allows that (it began by rule {began.number}, {began.text})"
        return ""


class PolicyRules(NamedTuple):
    """The rules of a policy as tables, and where they come from in words."""

    tables: Sequence[object] = ()
    source: str = ""


def read_policy(tables: Sequence[object], source: str, registry: Registry) -> Policy:
    """Return the policy of these tables. Raises UsageError naming `source` and the number of the first bad rule."""
    rules = []
    for number, table in enumerate(tables, 1):
        try:
            rules.append(_canonical(_rule(number, table), registry))
        except UsageError as error:
            raise UsageError(f"{source}: rule {number}: {error}") from None
    return Policy(rules, registry)


def read_policy_file(path: Path, check_confirmed: Callable[[SettingsFile, str], None]) -> PolicyRules:
    """Return the tables ``[[policy.rule]]`` of a file. Raises UsageError if it cannot be read or holds something else.

    An autocraft.toml may hold other settings too. It may have lost its rules since a resumed run began with them. If
    it has rules, `check_confirmed` raises UsageError unless a person has confirmed it.
    """
    try:
        file = path.read_bytes()
        data = tomllib.loads(file.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"the policy {path} cannot be read: {why}; correct it or name another with --policy") from None
    policy = data.get("policy")
    policy = policy if isinstance(policy, dict) else {}
    rules = policy.get("rule")
    if path.name == SETTINGS_FILE:
        if not isinstance(rules, list) or not rules:
            return PolicyRules((), str(path))
        check_confirmed(SettingsFile(path, file, data), "policy.rule")
        return PolicyRules(rules, str(path))
    if not isinstance(rules, list) or data.keys() != {"policy"} or policy.keys() != {"rule"}:
        raise UsageError(f"the policy {path} must hold tables [[policy.rule]] and nothing else")
    return PolicyRules(rules, str(path))


def _rule(number: int, table: object) -> Rule:
    """Return a table as a rule. Raises UsageError for a bad value."""
    if not isinstance(table, dict):
        raise UsageError("it is not a table; write it as [[policy.rule]]")
    for key in table:
        if key not in _KEYS:
            raise UsageError(
                f"{key!r} is not a key of a rule{did_you_mean(key, _KEYS, _HINT)}; there are {', '.join(_KEYS)}"
            )
    then = table.get("then")
    if then is None:
        raise UsageError("it does not say what to do: add then, which is allow, ask or deny")
    if then not in _THEN:
        raise UsageError(f"then must be allow, ask or deny, not {then!r}")
    risk = table.get("risk")
    if risk is not None and risk not in [each.value for each in Risk]:
        raise UsageError(f"risk must be look, change or destroy, not {risk!r}")
    args = table.get("args", {})
    if not isinstance(args, dict) or not all(isinstance(pattern, str) for pattern in args.values()):
        raise UsageError('args must be patterns by name, such as { file = "notes/*" }')
    words = {key: table.get(key, default) for key, default in (("command", "*"), ("agent", "*"), ("why", ""))}
    for key, value in words.items():
        if not isinstance(value, str):
            raise UsageError(f"{key} must be text, not {value!r}")
    return Rule(number, cast(Then, then), args=args, risk=None if risk is None else Risk(risk), **words)


def _canonical(rule: Rule, registry: Registry) -> Rule:
    """Return the rule with canonical names. Raises UsageError for an unknown name, as it would match nothing."""
    exact = not any(char in rule.command for char in "*?[")
    command = registry.find(rule.command) if exact else None
    if exact and command is None:
        names = [command.name for command in registry.everything()]
        raise UsageError(f"there is no command {rule.command!r}{did_you_mean(rule.command, names, _HINT)}")
    commands = [command] if command else [c for c in registry.everything() if fnmatchcase(c.name, rule.command)]
    if not commands:
        raise UsageError(f"no command is like {rule.command!r}, so it would never match")
    args: Json = dict(rule.args)
    if command:
        try:
            args = with_own_names(command.name, args, registry.parameters(command.name))
        except InvalidCommand as error:
            raise UsageError(str(error)) from None
    names = sorted({parameter.name for command in commands for parameter in command.parameters})
    for name in args:
        if name not in names:
            who = f"{commands[0].name} has no" if len(commands) == 1 else f"no command like {rule.command!r} has an"
            raise UsageError(f"{who} argument {name!r}{did_you_mean(name, names, _HINT)}")
    return replace(rule, command=command.name if command else rule.command, args=args)


def _strictness(rule: Rule | None) -> int:
    """Return the rank of a rule. One that allows an inner command adds nothing to the rule of the outer one."""
    return 0 if rule is None else _THEN.index(rule.then)


def _owner(call: Call) -> str:
    """Return the agent that runs the program of an effect. Return its own agent for any other call."""
    intents = list(call.run.state.open_intents.values()) if call.agent == PROGRAM and call.run is not None else []
    return next((intent.agent for intent in reversed(intents) if intent.agent != PROGRAM), call.agent)


def _targets_of(reach: Reach, name: str) -> Sequence[str] | None:
    """Return the files, folders, addresses or other names that an argument of this name means; None without any."""
    match name:
        case "file" | "files":
            return reach.paths
        case "directory":
            folders = {str(folder) for path in reach.paths for folder in PurePosixPath(path).parents}
            return ["" if folder == "." else folder for folder in sorted(folders)]
        case "url":
            return [wide for url in _addresses_of(reach) for wide in wide_spellings(url)]
    return reach.names.get(name)


def _addresses_of(reach: Reach) -> Sequence[str]:
    """Return the addresses that a call asks. If its family does not say, return what its argument means."""
    if reach.urls or "url" not in reach.args:
        return reach.urls
    value, urls = reach.args["url"], list[str]()
    for part in map(_text, value if isinstance(value, list) and value else [value]):
        try:
            urls += read_url(part).spellings
        except CommandError:
            urls.append(part)
    return urls


def _is_address_like(url: str, pattern: str) -> bool:
    """Tell whether scheme, host and path of `url` match those of `pattern`, which may begin with the host."""
    scheme, mark, rest = pattern.partition("://")
    if not mark:
        return fnmatchcase(url, pattern) and _is_address_like(url, f"*://{pattern}")
    host, slash, path = rest.partition("/")
    patterns = (scheme.lower(), host.lower(), slash + path or ("*" if host.endswith("*") else "/"))
    found = _URL.fullmatch(url)
    return found is not None and all(map(fnmatchcase, found.groups(), patterns))


def _fold_case(text: str) -> str:
    """Return a path or address as name servers and file systems that ignore case read it."""
    return unicodedata.normalize("NFC", text).casefold()


def _text(value: object) -> str:
    """Return an argument as the text that a pattern is compared with."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
