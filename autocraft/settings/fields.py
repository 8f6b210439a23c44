"""Declares settings, and lists the classes that have them.

A module of settings imports only this module, so that the command line reads its options quickly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from importlib import import_module
from typing import Any

SECTIONS = {
    "agents": "autocraft.agent.options:AgentSettings",
    "code": "autocraft.sandbox.settings:CodeSettings",
    "commands": "autocraft.commands.families:CommandSettings",
    "console": "autocraft.console.settings:ConsoleSettings",
    "gate": "autocraft.agent.options:GateSettings",
    "image": "autocraft.commands.image:ImageSettings",
    "learn": "autocraft.learning.settings:LearnSettings",
    "limits": "autocraft.agent.limits:Limits",
    "memory": "autocraft.memory.choose:MemorySettings",
    "minecraft": "autocraft.worlds.minecraft.settings:MinecraftSettings",
    "openai": "autocraft.brains.endpoint:OpenAISettings",
    "policy": "autocraft.agent.policy:PolicySettings",
    "programs": "autocraft.sandbox.settings:ProgramSettings",
    "prompt": "autocraft.agent.transcript:PromptSettings",
    "run": "autocraft.settings.run:RunSettings",
    "session": "autocraft.session.folder:SessionSettings",
    "skills": "autocraft.skills:SkillSettings",
    "web": "autocraft.commands.web.settings:WebSettings",
}
"""The dataclass of each section as module and name. It is imported only when its fields are needed."""


def setting(
    default: Any,
    option: str = "",
    *,
    env: str = "",
    doc: str = "",
    secret: bool = False,
    power: bool = False,
    key: str = "",
) -> Any:
    """Make a dataclass field with its environment name.

    `option` is its name on the command line with a word for its value, such as ``--server HOST:PORT``. Without it the
    setting is not an option. `secret` values are kept out of everything that is written. A setting gives `power` if it
    chooses code that runs, where data go, a folder, who is asked, or how much a protection allows. A new setting gives
    power unless it is plainly harmless. `key` names the key that is sent to the endpoint of this setting. A setting
    with a key always gives power.
    """
    about = {"env": env, "doc": doc, "option": option, "secret": secret, "power": power or bool(key), "key": key}
    return dataclasses.field(default=default, metadata=about, repr=not secret)


def kinds(names: Iterable[str]) -> dict[str, type]:
    """Return the dataclasses of these sections by name, without unknown names."""
    found = {}
    for name in sorted(set(names) & SECTIONS.keys()):
        module, _, kind = SECTIONS[name].partition(":")
        found[name] = getattr(import_module(module), kind)
    return found
