"""Declares a setting, and lists the classes that have some.

A module of settings imports this alone, so that the command line reads the options there quickly.
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
"""Where the dataclass of each section is; it is imported only when its fields are asked for."""


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

    `option` is its name on the command line with what stands for its value, such as ``--server HOST:PORT``; a setting
    without one is no option. `secret` values are kept out of everything that is written. A setting gives `power` when
    it chooses code that runs, where data go, a folder, who is asked, or how much a protection allows; new settings do
    unless they are plainly harmless. `key` names the key that is sent to what this setting chooses; such a setting
    always gives power.
    """
    about = {"env": env, "doc": doc, "option": option, "secret": secret, "power": power or bool(key), "key": key}
    return dataclasses.field(default=default, metadata=about, repr=not secret)


def kinds(names: Iterable[str]) -> dict[str, type]:
    """Return the dataclasses of these sections; a name that is no section has none."""
    found = {}
    for name in sorted(set(names) & SECTIONS.keys()):
        module, _, kind = SECTIONS[name].partition(":")
        found[name] = getattr(import_module(module), kind)
    return found
