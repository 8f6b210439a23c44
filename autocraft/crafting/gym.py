"""Plancraft's examples as a gymnasium environment. It needs the extra gym.

`register()` registers it as autocraft/Crafting-v0. Importing this module changes nothing in gymnasium.
"""

from __future__ import annotations

import string
from typing import Any, Literal, SupportsFloat

from autocraft.crafting.environment import (
    Action,
    InvalidAction,
    MoveAction,
    PlancraftEnvironment,
    SmeltAction,
    StopAction,
    inventory_of,
    parse_action,
    target_and_inventory_to_text_obs,
)
from autocraft.crafting.examples import Example, Split, load_example, load_examples
from autocraft.crafting.picture import HEIGHT, WIDTH
from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import COUNT, OUTPUT
from autocraft.crafting.textures import check_pillow
from autocraft.errors import UsageError
from autocraft.installation import install_line

try:
    import gymnasium
    import numpy
    from gymnasium import spaces
except ImportError:
    raise UsageError(f"gymnasium is not installed: run {install_line('gym')}") from None

ID = "autocraft/Crafting-v0"
MAX_STEPS = 30
KINDS = ("move", "smelt", "stop")
_LINE_LENGTH = 200
_TEXT_LENGTH = 8_000

Values = dict[str, Any]


def register() -> None:
    """Register the environment for `gymnasium.make("autocraft/Crafting-v0", split="val")`. It can be called again."""
    if ID not in gymnasium.registry:
        gymnasium.register(ID, entry_point=f"{__name__}:{CraftingEnv.__name__}")


class CraftingEnv(gymnasium.Env[Values, Any]):
    """An episode plays one example. The reward is 1 for the target outside [0], or for a stop if it is impossible.

    An action is four numbers (kind of `KINDS`, source, target, quantity), the space that learners expect, or with
    ``actions="text"`` a line such as "move: from [I2] to [A1] with quantity 1". An illegal action costs a step, and
    info says why: "example", "steps", "message", "legal", and at the end "reason". An observation has "items" and
    "quantities" by slot number, "target" (an index into `item_names`; 0 is no item), the package's "text", and with
    ``images=True`` the "image".
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012  # gymnasium's own shape

    def __init__(
        self,
        split: Split = "train",
        *,
        actions: Literal["numbers", "text"] = "numbers",
        images: bool = False,
        max_steps: int = MAX_STEPS,
        render_mode: str | None = None,
    ) -> None:
        """Raise UsageError for an invalid argument, or for images without Pillow."""
        if actions not in ("numbers", "text"):
            raise UsageError(f"actions is {str(actions)[:60]!r}: choose numbers or text")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UsageError(f"render_mode is {str(render_mode)[:60]!r}: choose ansi, rgb_array or None")
        if type(max_steps) is not int or max_steps < 1:
            raise UsageError(f"max_steps is {str(max_steps)[:60]!r}: give a whole number above 0")
        if images or render_mode == "rgb_array":
            check_pillow()
        self.render_mode = render_mode
        self.max_steps = max_steps
        self.images = images
        self.item_names = ("", *sorted(load_book().stack_sizes))
        self._numbers = {item: number for number, item in enumerate(self.item_names)}
        self._ids = list(load_examples(split))
        self._table = PlancraftEnvironment()
        self._example: Example | None = None
        self._latest = self._table.step()
        self._ended = True
        self.steps = 0
        self.action_space = _action_space(actions)
        self.observation_space = self._observation_space()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Values, dict[str, Any]]:
        """Begin the example of `options`, as {"example": "TEST0018"}, or a random one. Raises UsageError."""
        super().reset(seed=seed)
        rest = dict(options or {})
        name = rest.pop("example", None)
        if rest:
            raise UsageError(f"options: there is no {str(next(iter(rest)))[:60]!r}; the one option is example")
        if name is None:
            name = self._ids[int(self.np_random.integers(len(self._ids)))]
        elif not isinstance(name, str):
            raise UsageError(f"options: example is {str(name)[:60]!r}: give an id such as TEST0018")
        self._example = load_example(name)
        self._table.reset(inventory_of(self._example.table()))
        self._latest, self._ended, self.steps = self._table.step(), False, 0
        return self._observation(), self._info("", True)

    def step(self, action: Any) -> tuple[Values, SupportsFloat, bool, bool, dict[str, Any]]:
        """Execute an action. Raises UsageError if no episode runs, InvalidAction outside the action space."""
        if self._ended or self._example is None:
            raise UsageError("no episode is running: call reset() first")
        table_action = self._action(action)
        self.steps += 1  # an invalid action has raised before and costs no step
        if isinstance(table_action, str):
            message, legal = f"nothing was changed: {table_action}", False
        else:
            self._latest = self._table.step(table_action)
            message, legal = self._latest["message"], self._latest["legal"]
        info = self._info(message, legal)
        success, reason = self._ending(table_action)
        truncated = not reason and self.steps >= self.max_steps
        if reason or truncated:
            self._ended = True
            info["reason"] = reason or "max_steps_reached"
        return self._observation(), float(success), bool(reason), truncated, info

    def render(self) -> Any:
        """Return the text or the image of the observation, None without a render_mode. Raises UsageError."""
        if self.render_mode is None:
            return None
        if self._example is None:
            raise UsageError("no episode is running: call reset() first")
        return self._text() if self.render_mode == "ansi" else self._latest["image"].copy()

    def _action(self, action: Any) -> Action | str:
        """Return an action, or why no table can execute it. Raises InvalidAction outside the action space."""
        if isinstance(self.action_space, spaces.Text):
            if not isinstance(action, str):
                raise InvalidAction(f"{str(action)[:60]!r} is not a line: with actions='text', give a string")
            try:
                return parse_action(action)
            except InvalidAction as error:
                return str(error)
        try:
            kind, source, target, quantity = (int(number) for number in action)
        except (TypeError, ValueError, OverflowError):
            kind = -1
        if kind not in range(len(KINDS)):
            raise InvalidAction(
                f"{str(action)[:60]!r} is not an action: give kind (0 to 2), source, target and quantity"
            )
        if KINDS[kind] == "stop":
            return StopAction()
        try:
            return (MoveAction if KINDS[kind] == "move" else SmeltAction)(source, target, quantity)
        except InvalidAction as error:
            if {source, target} <= set(range(COUNT)) and 1 <= quantity <= 64:
                return str(error)
            raise

    def _ending(self, action: Action | str) -> tuple[bool, str]:
        """Return whether the episode is won and why it ends, (False, "") while it goes on."""
        assert self._example is not None
        items = self._latest["inventory"].items()
        if any(item["type"] == self._example.target for slot, item in items if slot != OUTPUT):
            return True, "success"
        if isinstance(action, StopAction):
            correct = self._example.impossible
            return correct, "correctly_identified_impossible" if correct else "incorrect_stop"
        return False, ""

    def _observation(self) -> Values:
        assert self._example is not None
        items = numpy.zeros(COUNT, dtype=numpy.int64)
        quantities = numpy.zeros(COUNT, dtype=numpy.uint8)
        for slot, item in self._latest["inventory"].items():
            items[slot], quantities[slot] = self._numbers[item["type"]], item["quantity"]
        target = numpy.int64(self._numbers[self._example.target])
        values: Values = {"items": items, "quantities": quantities, "target": target, "text": self._text()}
        if self.images:
            values["image"] = self._latest["image"].copy()
        return values

    def _text(self) -> str:
        assert self._example is not None
        return target_and_inventory_to_text_obs(self._example.target, self._latest["inventory"])

    def _info(self, message: str, legal: bool) -> dict[str, Any]:
        assert self._example is not None
        return {"example": self._example.id, "steps": self.steps, "message": message, "legal": legal}

    def _observation_space(self) -> spaces.Dict:
        names = len(self.item_names)
        parts: dict[str, spaces.Space[Any]] = {
            "items": spaces.MultiDiscrete([names] * COUNT),
            "quantities": spaces.Box(0, 64, (COUNT,), numpy.uint8),
            "target": spaces.Discrete(names),
            "text": spaces.Text(_TEXT_LENGTH, charset=string.ascii_letters + string.digits + "_-[]: \n"),
        }
        if self.images:
            parts["image"] = spaces.Box(0, 255, (HEIGHT, WIDTH, 3), numpy.uint8)
        return spaces.Dict(parts)


def _action_space(actions: str) -> spaces.Space[Any]:
    if actions == "text":
        return spaces.Text(_LINE_LENGTH, charset=string.printable)
    return spaces.MultiDiscrete([len(KINDS), COUNT, COUNT, 64], start=[0, 0, 0, 1])
