"""The episodes as one block of text: JSON, with every string once and slots as changes, gzipped, in base64.

Base64 has no `<`, so nothing in it can end its element. `js/unpack.js` unpacks it; both agree on the fields of
`_episode` and the places of `_step`.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

from autocraft.crafting.slots import COUNT, key_of
from autocraft.evaluation.results import EpisodeResult, StepResult
from autocraft.evaluation.scores import outcome
from autocraft.protocols import Json

CAPS = (20_000, 8_000, 4_000, 2_000, 1_000, 500, 250, 100, 0)
"""Most characters of one text: the first cap with which everything fits is used."""
_SLOT = {key_of(slot): slot for slot in range(COUNT)}


def pack(results: Sequence[EpisodeResult], room: int) -> str:
    """Return base64 text of at most `room` characters, if a cap makes that possible."""
    strings, keys, packed = dict[str, int](), dict[str, int](), ""
    episodes = [_episode(result, _key(result, keys), strings) for result in results]
    longest = max(map(len, strings), default=0)
    for cap in [candidate for place, candidate in enumerate(CAPS) if candidate < longest or place == 0]:
        content = {"strings": [_cut(text, cap) for text in strings], "episodes": episodes}
        data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        packed = base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()
        if len(packed) <= room:
            break
    return packed


def _number(text: str, strings: dict[str, int]) -> int:
    """Return the number of a text in `strings`, which get each text once."""
    return strings.setdefault(text, len(strings))


def _cut(text: str, cap: int) -> str | list[Any]:
    """Return a text, or [its beginning, characters left out] if it is too long."""
    return text if len(text) <= cap else [text[:cap], len(text) - cap]


def _key(result: EpisodeResult, counts: dict[str, int]) -> str:
    """Return the link to an episode, "TEST0018-0". A duplicate gets a number, so that each can be reached."""
    key = f"{result.example_id}-{result.seed}"
    counts[key] = counts.get(key, 0) + 1
    return key if counts[key] == 1 else f"{key}~{counts[key]}"


def _episode(result: EpisodeResult, key: str, strings: dict[str, int]) -> Json:
    slots = [result.start, *(step.slots for step in result.steps)]
    return {
        "key": key,
        "id": result.example_id,
        "seed": result.seed,
        "target": result.target,
        "level": result.complexity,
        "type": result.recipe_type,
        "success": result.success and not result.void,
        "outcome": outcome(result),
        "turns": result.number_of_steps,
        "actions": result.actions,
        "minimum": result.minimum,
        "proven": result.minimum_proven,
        "package": result.package_actions,
        "tokens": [result.prompt_tokens, result.completion_tokens],
        "cost": result.cost,
        "seconds": round(result.seconds, 2),
        "error": _number(result.error, strings),
        "start": _changes({}, result.start),
        "steps": [_step(step, before, strings) for step, before in zip(result.steps, slots, strict=False)],
        "dialogue": [[message["role"], _number(message["content"], strings)] for message in result.dialogue],
    }


def _step(step: StepResult, before: Json, strings: dict[str, int]) -> list[Any]:
    texts = [_number(text, strings) for text in (step.action, step.answer, step.text)]
    return [step.kind, int(step.ok), *texts, step.moves, _changes(before, step.slots)]


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Any]:
    """Return what changed, flat: slot number, item, count, and so on; 0 of "" is an emptied slot."""
    changes: list[Any] = []
    for slot, number in _SLOT.items():
        if before.get(slot) != after.get(slot):
            changes += [number, *after.get(slot, ["", 0])]
    return changes
