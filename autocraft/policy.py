"""Approval as data: the person's rules about commands, of which the first that matches decides.

A rule matches a command as it was parsed and bound, never its text: the canonical name, each argument's value (paths
as they stand in the workspace), the risk of this very call, and who wants it. Neighbours: `gate.py` asks the policy
before any standing permission, `effects.py` and `console/slash.py` keep to what it denies.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, cast

from autocraft.commands.registry import Registry
from autocraft.commands.synonyms import renamed
from autocraft.errors import InvalidCommand, UsageError
from autocraft.protocols import Args, Call, Json, Risk
from autocraft.settings import setting

Then = Literal["allow", "ask", "deny"]
_THEN = ("allow", "ask", "deny")
_RISKS = {risk.label: risk for risk in Risk}
SETTINGS_FILE = "autocraft.toml"
_KEYS = ("command", "args", "risk", "agent", "then", "why")


@dataclass(frozen=True)
class PolicySettings:
    """The rules of autocraft.toml, as it gives them."""

    rule: tuple[Any, ...] = setting((), doc="rules about commands; the first that matches decides")


@dataclass(frozen=True)
class Rule:
    """One rule. Patterns are globs over the whole of a text: ``*``, ``?``, ``[abc]``; ``*`` matches ``/`` too."""

    number: int
    then: Then
    command: str = "*"
    args: Mapping[str, str] = field(default_factory=dict)
    risk: Risk | None = None
    agent: str = "*"
    why: str = ""

    def matches(self, call: Call, args: Args) -> bool:
        """`args` are those of `call`, in the form in which they are compared."""
        return (
            fnmatchcase(call.name, self.command)
            and fnmatchcase(call.agent, self.agent)
            and self.risk in (None, call.risk)
            and all(name in args and fnmatchcase(_text(args[name]), pattern) for name, pattern in self.args.items())
        )

    @property
    def text(self) -> str:
        """The rule on one line, as in ``deny write_to_file file=notes/*``."""
        parts = [self.then, self.command, *(f"{name}={pattern}" for name, pattern in self.args.items())]
        parts += [] if self.risk is None else [f"risk {self.risk.label}"]
        parts += [] if self.agent == "*" else [f"by {self.agent}"]
        return " ".join(parts)

    @property
    def reason(self) -> str:
        """What the model and the person are told of it."""
        does = {"allow": "allows", "ask": "asks about", "deny": "denies"}[self.then]
        return f"rule {self.number} of the policy {does} it ({self.text})" + (f": {self.why}" if self.why else "")


class Policy:
    """The rules of one run, in order."""

    def __init__(self, rules: Sequence[Rule] = (), registry: Registry | None = None) -> None:
        self.rules = tuple(rules)
        self._registry = registry

    def first(self, call: Call) -> Rule | None:
        """The rule that decides about this call."""
        if not self.rules:
            return None
        args = self._registry.plain(call) if self._registry is not None else call.args
        return next((rule for rule in self.rules if rule.matches(call, args)), None)

    def denied(self, call: Call) -> str:
        """Why this call must not run at all; empty when the policy does not deny it."""
        rule = self.first(call)
        return rule.reason if rule is not None and rule.then == "deny" else ""


def read_policy(tables: Sequence[object], source: str, registry: Registry) -> Policy:
    """The policy of these tables. Raises UsageError naming `source` and the number of the first bad rule."""
    rules = []
    for number, table in enumerate(tables, 1):
        try:
            rules.append(_known(_rule(number, table), registry))
        except UsageError as error:
            raise UsageError(f"{source}: rule {number}: {error}") from None
    return Policy(rules, registry)


def read_policy_file(path: Path) -> Sequence[object]:
    """The tables ``[[policy.rule]]`` of a file. Raises UsageError where it cannot be read or holds something else.

    An autocraft.toml, which a resumed run may be held to, has its other settings, and may have no rules any more.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"the policy {path} cannot be read: {why}; mend it or name another with --policy") from None
    policy = data.get("policy")
    policy = policy if isinstance(policy, dict) else {}
    rules = policy.get("rule")
    if path.name == SETTINGS_FILE:
        return rules if isinstance(rules, list) else ()
    if not isinstance(rules, list) or data.keys() != {"policy"} or policy.keys() != {"rule"}:
        raise UsageError(f"the policy {path} must hold tables [[policy.rule]] and nothing else")
    return rules


def _rule(number: int, table: object) -> Rule:
    """One table as a rule, its values checked."""
    if not isinstance(table, dict):
        raise UsageError("it is no table; write it as [[policy.rule]]")
    for key in table:
        if key not in _KEYS:
            raise UsageError(f"{key!r} is no part of a rule{_hint(key, _KEYS)}; there are {', '.join(_KEYS)}")
    then = table.get("then")
    if then is None:
        raise UsageError("it does not say what to do: add then, which is allow, ask or deny")
    if then not in _THEN:
        raise UsageError(f"then must be allow, ask or deny, not {then!r}")
    risk = table.get("risk")
    if risk is not None and not (isinstance(risk, str) and risk in _RISKS):
        raise UsageError(f"risk must be look, change or destroy, not {risk!r}")
    args = table.get("args", {})
    if not isinstance(args, dict) or not all(isinstance(pattern, str) for pattern in args.values()):
        raise UsageError('args must be patterns by name, such as { file = "notes/*" }')
    words = {key: table.get(key, default) for key, default in (("command", "*"), ("agent", "*"), ("why", ""))}
    for key, value in words.items():
        if not isinstance(value, str):
            raise UsageError(f"{key} must be text, not {value!r}")
    return Rule(number, cast(Then, then), args=args, risk=None if risk is None else _RISKS[risk], **words)


def _known(rule: Rule, registry: Registry) -> Rule:
    """The rule under our own names; a slip of the pen in a name would match nothing and say so to nobody."""
    exact = not any(char in rule.command for char in "*?[")
    named = registry.named(rule.command) if exact else None
    if exact and named is None:
        names = [each.name for each in registry.everything()]
        raise UsageError(f"there is no command {rule.command!r}{_hint(rule.command, names)}")
    commands = [named] if named else [c for c in registry.everything() if fnmatchcase(c.name, rule.command)]
    if not commands:
        raise UsageError(f"no command is like {rule.command!r}, so it would never match")
    args: Json = dict(rule.args)
    if named:
        try:
            args = renamed(named.name, args, registry.parameters(named.name))
        except InvalidCommand as error:
            raise UsageError(str(error)) from None
    known = sorted({parameter.name for each in commands for parameter in each.parameters})
    for name in args:
        if name not in known:
            who = f"{commands[0].name} has no" if len(commands) == 1 else f"no command like {rule.command!r} has an"
            raise UsageError(f"{who} argument {name!r}{_hint(name, known)}")
    return Rule(rule.number, rule.then, named.name if named else rule.command, args, rule.risk, rule.agent, rule.why)


def _hint(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f", did you mean {close[0]!r}" if close else ""


def _text(value: object) -> str:
    """An argument as the text that a pattern is compared with."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
