"""What a player reaches that understands nothing and copies the written line. It needs no model.

    python -m benchmarks.advice [--split test.small] [--limit N]

For each set of tools, Plancraft's examples are played by the loop of `autocraft eval --advice`. The player answers with
the last line in backticks of the newest message. The table has the share of the possible examples that it reaches, its
actions against the minimum, and how many impossible examples it calls impossible. It ends with the exemplars: how many
of their answers are the written line: all but one, which is wrong on purpose. Exit code 1 if a possible example is
missed or takes more than 1.5 times the minimum of actions, or an impossible one is not named.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autocraft import Evaluator, Model
from autocraft.evaluation.conditions import Conditions
from autocraft.evaluation.fewshot import opening
from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.tools import MOST_ACTIONS, example_words
from autocraft.protocols import Json

LINE = re.compile(r"`((?:move|smelt|craft_item|smelt_item|impossible): [^`]+)`")


class Copier(Model):
    """Answers with the last written line of the newest message, else with a thought."""

    name = "copier"

    def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
        lines = LINE.findall(observation["message"])
        return lines[-1] if lines else "think: no line is written"


def report(results: Sequence[EpisodeResult]) -> tuple[list[str], bool]:
    """Return the lines for one set of tools, and whether every example is as it should be."""
    lines = []
    for level in ("easy", "medium", "hard"):
        group = [each for each in results if each.complexity == level]
        lines.append(f"  {level:8} {_share(group)}")
    possible = [each for each in results if not each.impossible]
    wins = [each for each in possible if each.success and each.minimum]
    ratios = [(each.actions / each.minimum, each.example_id) for each in wins if each.minimum]
    total = sum(each.actions for each in wins) / max(1, sum(each.minimum or 0 for each in wins))
    worst = max(ratios, default=(0.0, ""))
    impossible = [each for each in results if each.impossible]
    actions = f"actions {total:.3f} times the minimum, at most {worst[0]:.2f} ({worst[1]})"
    lines.append(f"  {'all':8} {_share(possible)}; {actions}")
    lines.append(f"  impossible: {sum(each.success for each in impossible)} of {len(impossible)} named")
    missed = [each.example_id for each in results if not each.success]
    good = not missed and worst[0] <= MOST_ACTIONS
    return [*lines, *([f"  missed: {', '.join(missed[:20])}"] if missed else [])], good


def _share(group: Sequence[EpisodeResult]) -> str:
    turns = sum(each.number_of_steps for each in group if each.success) / max(1, sum(each.success for each in group))
    return f"{sum(each.success for each in group)} of {len(group)} in {turns:.1f} turns"


def exemplars(conditions: Conditions) -> tuple[int, int]:
    """Return how many answers of the few-shot dialogue have a written line before them, and how many are this line."""
    messages = opening(conditions.commands, observe=example_words(conditions), advice=conditions.advice)[1:]
    pairs = zip(messages[::2], messages[1::2], strict=True)
    written = [(LINE.findall(user.content)[-1], said.content) for user, said in pairs if LINE.search(user.content)]
    return len(written), sum(line == answer for line, answer in written)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.advice", description=__doc__.splitlines()[0])
    parser.add_argument("--split", default="test.small")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--max-steps", type=int, default=30)
    chosen = parser.parse_args(arguments)
    fine = True
    for high in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            evaluator = Evaluator(
                split=chosen.split, limit=chosen.limit, max_steps=chosen.max_steps, high_level=high, advice=True,
                out=Path(folder) / "out",
            )  # fmt: skip
            results = evaluator.run(Copier()).results
        lines, good = report(results)
        print(f"{chosen.split}, {'with craft_item and smelt_item' if high else 'the tools of the paper'}:")
        print("\n".join(lines), flush=True)
        written, followed = exemplars(evaluator.conditions)
        print(f"  exemplars: {followed} of {written} answers with a written line before them are this line")
        fine = fine and good
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
