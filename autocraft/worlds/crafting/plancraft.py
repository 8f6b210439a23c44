"""The names of the package plancraft 0.4.9, which `environment.py` and `gym.py` define."""

from __future__ import annotations

from typing import Any

from autocraft.worlds.crafting.environment import (
    Action,
    InvalidAction,
    Item,
    MoveAction,
    Observation,
    PlancraftEnvironment,
    SmeltAction,
    StopAction,
    convert_from_slot_index,
    convert_to_slot_index,
    get_objective_str,
    inventory_of,
    parse_action,
    table_from_inventory,
    target_and_inventory_to_text_obs,
)

__all__ = [
    "Action",
    "InvalidAction",
    "Item",
    "MoveAction",
    "Observation",
    "PlancraftEnvironment",
    "SmeltAction",
    "StopAction",
    "convert_from_slot_index",
    "convert_to_slot_index",
    "get_objective_str",
    "inventory_of",
    "parse_action",
    "table_from_inventory",
    "target_and_inventory_to_text_obs",
]


def __getattr__(name: str) -> Any:
    """Import a name of `gym.py` when it is used. Raises UsageError if gymnasium is not installed."""
    if name in ("CraftingEnv", "register"):
        from autocraft.worlds.crafting import gym

        return getattr(gym, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
