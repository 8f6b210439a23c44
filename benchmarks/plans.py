"""Plans Plancraft's examples with the fewest actions: totals, proofs and times. The verifier checks each plan.

``python -m benchmarks plans`` measures test and val, ``python -m benchmarks.plans train`` a split by name. The times
are those of planning alone, on one core. The file that the verifier reads is in a temporary folder. The package's
planner needs 4193 actions on test and 3924 on val (plancraft 0.4.9, `get_subplans` carried out in its environment).
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from autocraft.crafting.examples import load_examples
from autocraft.crafting.minimal.planner import minimal_plan
from autocraft.crafting.minimal.plans import plan_record
from autocraft.crafting.verify.files import verify_file

PACKAGE = {"test": 4193, "val": 3924}


def measure(split: str) -> dict[str, Any]:
    """Plan and verify a split. Return its figures."""
    examples = load_examples(split)
    times, records, bounds = [], [], Counter[str]()
    for example in examples.values():
        table = example.table()
        began = time.perf_counter()
        plan = minimal_plan(table, [example.goal])
        times.append((time.perf_counter() - began) * 1000)
        bounds[plan.certificate.get("bound") or str(plan.proof.get("kind"))] += 1
        records.append(plan_record(table, [example.goal], plan, example.id))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{split}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        began = time.perf_counter()
        verdicts = Counter(each.verdict for each in verify_file(path))
        verifying = time.perf_counter() - began
    times.sort()
    return {
        "split": split,
        "examples": len(examples),
        "actions": sum(len(record.get("actions", ())) for record in records),
        "the package": PACKAGE.get(split, "not measured"),
        "verified": dict(verdicts),
        "proven by": dict(bounds),
        "median ms": round(times[len(times) // 2], 2),
        "99 % ms": round(times[len(times) * 99 // 100], 1),
        "longest ms": round(times[-1]),
        "verifying s": round(verifying, 1),
    }


def main(splits: list[str]) -> None:
    for split in splits or ["test", "val"]:
        for name, value in measure(split).items():
            print(f"{name:>12}  {value}")
        print()


if __name__ == "__main__":
    main([each for each in sys.argv[1:] if each in ("train", "val", "test")])
