"""Autocraft: a terminal agent that plays Minecraft under a person's eye.

The names below are what other programs may use: they stay, or change with a line in CHANGELOG.md. Everything else is
internal. `docs/python_api.md` has an example of each. A name is imported when it is first used, so that
``import autocraft`` does no work.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it, without importing typing
if TYPE_CHECKING:
    from typing import Any

    from autocraft.brains.choose import BrainOptions as BrainOptions
    from autocraft.crafting import plancraft as plancraft
    from autocraft.errors import AutocraftError as AutocraftError
    from autocraft.errors import BrainError as BrainError
    from autocraft.errors import CommandError as CommandError
    from autocraft.errors import UnreadableReply as UnreadableReply
    from autocraft.errors import UsageError as UsageError
    from autocraft.evaluation.evaluator import Evaluator as Evaluator
    from autocraft.evaluation.model import Model as Model
    from autocraft.goals import Goal as Goal
    from autocraft.json_fix.reading import parse_command as parse_command
    from autocraft.learning.brains import LearningBrain as LearningBrain
    from autocraft.learning.voyager import Voyager as Voyager
    from autocraft.memory import open_memory as open_memory
    from autocraft.memory.choose import MemoryOptions as MemoryOptions
    from autocraft.protocols import Answer as Answer
    from autocraft.protocols import Brain as Brain
    from autocraft.protocols import Call as Call
    from autocraft.protocols import Check as Check
    from autocraft.protocols import Command as Command
    from autocraft.protocols import Delta as Delta
    from autocraft.protocols import Family as Family
    from autocraft.protocols import Memory as Memory
    from autocraft.protocols import MemoryRecord as MemoryRecord
    from autocraft.protocols import Message as Message
    from autocraft.protocols import Observation as Observation
    from autocraft.protocols import Plan as Plan
    from autocraft.protocols import Reach as Reach
    from autocraft.protocols import Result as Result
    from autocraft.protocols import Risk as Risk
    from autocraft.protocols import Settled as Settled
    from autocraft.protocols import Step as Step
    from autocraft.protocols import World as World
    from autocraft.protocols import command as command
    from autocraft.protocols import commands_of as commands_of
    from autocraft.python_api import LiveRun as LiveRun
    from autocraft.python_api import open_run as open_run
    from autocraft.session.events import Event as Event
    from autocraft.session.events import Question as Question
    from autocraft.settings.config import Config as Config
    from autocraft.worlds.choose import WorldOptions as WorldOptions

__version__ = "0.2.0"

_MODULES = {
    "brains.choose": "BrainOptions",
    "errors": "AutocraftError BrainError CommandError UnreadableReply UsageError",
    "evaluation.evaluator": "Evaluator",
    "evaluation.model": "Model",
    "goals": "Goal",
    "json_fix.reading": "parse_command",
    "learning.brains": "LearningBrain",
    "learning.voyager": "Voyager",
    "memory": "open_memory",
    "memory.choose": "MemoryOptions",
    "protocols": "Answer Brain Call Check Command Delta Family Memory MemoryRecord Message Observation Plan Reach "
    "Result Risk Settled Step World command commands_of",
    "crafting": "plancraft",
    "python_api": "LiveRun open_run",
    "session.events": "Event Question",
    "settings.config": "Config",
    "worlds.choose": "WorldOptions",
}
"""Module -> the names that it holds."""
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Import a public name. Raises AttributeError for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module 'autocraft' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"autocraft.{_HOMES[name]}")
    if not hasattr(module, name):  # a module of that package
        import_module(f"{module.__name__}.{name}")
    return globals().setdefault(name, getattr(module, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
