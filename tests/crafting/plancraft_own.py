"""A plug-in of pytest that runs the own tests of the package plancraft against our environment.

It changes the imports, as a person would who moves a program: the package's modules get our environment, actions and
texts. What the package imports for its models and its uploads, and what is not installed here, is stood in for. It
writes which tests called our environment or our actions, with their outcomes, to the file of AUTOCRAFT_REACHED.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import pytest

from autocraft.crafting import environment as ours

MODULES = ("environment.actions", "environment.env", "environment.planner", "environment.search", "environment",
           "simple", "models.dummy", "models.oracle", "models.act", "evaluator", "utils")  # fmt: skip
NAMES = ("PlancraftEnvironment", "MoveAction", "SmeltAction", "StopAction", "convert_to_slot_index",
         "convert_from_slot_index", "get_objective_str", "target_and_inventory_to_text_obs")  # fmt: skip
MODELS = "plancraft.models.bbox_model"
MISSING = (MODELS, "torch", "torchvision", "transformers", "wandb", "imageio", "openai", "huggingface_hub", "einops")
"""The part of the package that needs torch, and what it imports that may not be installed here."""
reached: set[str] = set()
outcomes: dict[str, str] = {}


class StandIns(MetaPathFinder, Loader):
    """Finds each package of `names`, with all its modules, whose names are anything."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = set(names)

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        found = fullname in self.names or fullname.partition(".")[0] in self.names
        return ModuleSpec(fullname, self, is_package=True) if found else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__getattr__ = lambda name: MagicMock()  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        return


def pytest_configure(config: pytest.Config) -> None:
    sys.meta_path.insert(0, StandIns(MISSING))
    for module in MODULES:
        found = importlib.import_module(f"plancraft.{module}")
        for name in NAMES:
            if hasattr(found, name):
                setattr(found, name, getattr(ours, name))
    _count(ours.PlancraftEnvironment)


def _count(kind: type) -> None:
    """Note the test that runs when a method of `kind` is called."""
    for name, method in list(vars(kind).items()):
        if callable(method) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, _noting(method))


def _noting(method: Any) -> Any:
    def noted(*args: Any, **options: Any) -> Any:
        reached.add(os.environ["PYTEST_CURRENT_TEST"].split(" (")[0])
        return method(*args, **options)

    return noted


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    rows = {test: outcome for test, outcome in outcomes.items() if test in reached}
    Path(os.environ["AUTOCRAFT_REACHED"]).write_text(json.dumps({"reached": rows, "all": outcomes}))
