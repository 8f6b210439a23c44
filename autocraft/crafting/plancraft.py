"""The names of the package plancraft 0.4.9, which `environment.py` and `gym.py` define."""

from __future__ import annotations

from typing import Any

from autocraft.crafting.environment import Action as Action
from autocraft.crafting.environment import InvalidAction as InvalidAction
from autocraft.crafting.environment import Item as Item
from autocraft.crafting.environment import MoveAction as MoveAction
from autocraft.crafting.environment import Observation as Observation
from autocraft.crafting.environment import PlancraftEnvironment as PlancraftEnvironment
from autocraft.crafting.environment import SmeltAction as SmeltAction
from autocraft.crafting.environment import StopAction as StopAction
from autocraft.crafting.environment import convert_from_slot_index as convert_from_slot_index
from autocraft.crafting.environment import convert_to_slot_index as convert_to_slot_index
from autocraft.crafting.environment import get_objective_str as get_objective_str
from autocraft.crafting.environment import inventory_of as inventory_of
from autocraft.crafting.environment import parse_action as parse_action
from autocraft.crafting.environment import table_from_inventory as table_from_inventory
from autocraft.crafting.environment import target_and_inventory_to_text_obs as target_and_inventory_to_text_obs


def __getattr__(name: str) -> Any:
    """Import a name of `gym.py` when it is used. Raises UsageError if gymnasium is not installed."""
    if name in ("CraftingEnv", "register"):
        from autocraft.crafting import gym

        return getattr(gym, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
