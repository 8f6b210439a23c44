"""Declares settings, and lists the classes that have them.

A module of settings imports only this module, so that the command line reads its options quickly.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any, get_type_hints

from autocraft import features
from autocraft.errors import UsageError
from autocraft.text.phrases import beginning, did_you_mean, join_words

ROLES = {
    **dict.fromkeys(("smart", "action", "curriculum", "critic"), "smart"),
    **dict.fromkeys(("fast", "question", "describe"), "fast"),
}
"""Role in which a model is asked -> the role whose settings it takes for those that are not set."""
SECTIONS = {
    "agents": "autocraft.agent.options:AgentSettings",
    "code": "autocraft.sandbox.settings:CodeSettings",
    "commands": "autocraft.commands.settings:CommandSettings",
    "console": "autocraft.console.settings:ConsoleSettings",
    "gate": "autocraft.agent.options:GateSettings",
    "image": "autocraft.commands.image:ImageSettings",
    "limits": "autocraft.agent.limits:Limits",
    "memory": "autocraft.memory.choose:MemorySettings",
    "minecraft": "autocraft.worlds.minecraft.settings:MinecraftSettings",
    **{f"models.{role}": "autocraft.settings.roles:RoleSettings" for role in ROLES},
    "openai": "autocraft.brains.endpoint:OpenAISettings",
    "policy": "autocraft.agent.policy:PolicySettings",
    "programs": "autocraft.sandbox.settings:ProgramSettings",
    "prompt": "autocraft.agent.transcript:PromptSettings",
    "run": "autocraft.settings.run:RunSettings",
    "session": "autocraft.session.folder:SessionSettings",
    "skills": "autocraft.skills:SkillSettings",
    "web": "autocraft.commands.web.settings:WebSettings",
    **features.SECTIONS,
}
"""The dataclass of each section as module and name. It is imported only when its fields are needed.

A name with a dot is a table in a table.
"""

MOST = 10**9
"""The largest number that a setting takes, where it says no other."""
ANY = sys.float_info.max
"""The largest number at all, for a limit that somebody sets very high to have none."""
SEED = 2**53 - 1
"""The largest seed: the largest whole number that JavaScript counts exactly."""


def setting(
    default: Any,
    option: str = "",
    *,
    env: str | None = "",
    doc: str = "",
    secret: bool = False,
    power: bool = False,
    runs: bool = False,
    key: str = "",
    also: str = "",
    names: bool = False,
    words: tuple[str, ...] = (),
    least: float | None = None,
    most: float = MOST,
) -> Any:
    """Make a dataclass field with its environment name. With `env` None only TOML files set it.

    `option` is its name on the command line with a word for its value, such as ``--server HOST:PORT``. Without it the
    setting is not an option. `secret` values are kept out of everything that is written. A setting gives `power` if it
    chooses code that runs, where data go, a folder, who is asked, or how much a protection allows. A new setting gives
    power unless it is plainly harmless. `key` names the key that is sent to the endpoint of this setting. A setting
    with a key always gives power. `also` is another place of the setting in a file, which comes first there.
    `names` says that its list holds names, not texts. `runs` says that it names something that autocraft starts or
    obeys, which may not lie in the workspace (`settings/obeyed.py`). `words` are the values that a text may have,
    beside the default. A number is more than 0, or with `least` at least that, and at most `most`.
    """
    about: dict[str, Any] = {"env": env, "doc": doc, "option": option, "secret": secret, "power": power or bool(key)}
    about |= {"key": key, "also": also, "names": names, "runs": runs, "words": words, "least": least, "most": most}
    return dataclasses.field(default=default, metadata=about, repr=not secret)


def check_value(field: dataclasses.Field[Any], value: Any, source: str) -> None:
    """Raise UsageError for a value that a setting cannot have. `source` names the setting and where it is from."""
    if value == field.default:
        return
    if (words := field.metadata["words"]) and value not in words:
        hint = did_you_mean(value, words, "did you mean {}? ")
        raise UsageError(f"{source} is {beginning(value, 60)!r}: {hint}choose {join_words(words, 'or')}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        least, most = field.metadata["least"], field.metadata["most"]
        low = value > 0 if least is None else value >= least  # not true for nan either
        if low and value <= most:
            return
        if least is not None and most != MOST:
            need = f"a number from {least:,} to {most:,}"
        elif not low:
            need = "more than 0" if least is None else f"{least:,} or more"
        else:
            need = f"at most {most:,}" if most < ANY else "a smaller number"
        raise UsageError(f"{source} is {beginning(str(value), 20)}: give {need}")


def option_of(field: dataclasses.Field[Any]) -> tuple[list[str], str]:
    """Return the names of a setting on the command line, none if it is no option, and a word for its value, or ""."""
    words = field.metadata["option"].split()
    names = [word for word in words if word.startswith("-")]
    return names, " ".join(words[len(names) :]) or "|".join(field.metadata["words"])


@cache
def hints_of(kind: type) -> Mapping[str, Any]:
    """Return the types of the fields of a class of settings, by name."""
    return get_type_hints(kind)


def kinds(names: Iterable[str]) -> dict[str, type]:
    """Return the dataclasses of these sections, and of the tables in them, by name, without unknown names."""
    wants = set(names)
    return {name: resolve_name(SECTIONS[name]) for name in sorted(SECTIONS) if wants & {name, name.partition(".")[0]}}
