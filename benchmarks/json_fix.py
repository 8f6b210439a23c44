"""The reader of broken answers beside its peers: accuracy and time on one generated corpus, and time against size.

The corpus comes from the generator of the tests, so every answer's command is known; then come the three development
sets of the tests. Each reader runs in a process of its own (`peers/json_readers.py`, `peers/jsonrepair.js`), peers in
`.venv-bench` or in the environment that ``AUTOCRAFT_BENCH_PYTHON`` names. Figures are kept in `results/json_fix.json`,
the plot in `docs/img/json_fix_size.svg`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autocraft.errors import NodeMissing
from autocraft.json_fix import parse_command
from autocraft.node import find_node
from benchmarks.measure import PEERS, ROOT, Json, Row, change, keep, kept, machine, print_machine, print_table, spread
from benchmarks.plot import lines
from tests.json_fix import score
from tests.json_fix.answer_breaker import Case, cases

SEED, ANSWERS, ROUNDS, TURNS = 20, 1_500, 9, 3
READERS = {
    "ours": "autocraft, at once",
    "ours_asked": "autocraft, with a person or a judge",
    "json_repair": "json_repair",
    "fast_json_repair": "fast-json-repair",
    "jsonrepair": "jsonrepair",
    "baml": "BAML",
    "auto_gpt": "Auto-GPT's stages 1 to 3",
    "json_loads": "json.loads",
    "orjson": "orjson",
}
AIMS = (
    ("broken answers", "us", "json_repair", 0.5),
    ("words around an object", "us_words", "json_repair", 1.5),
    ("strict JSON", "us_strict", "json_loads", 4),
)
"""The most that our reader should take, as a share of another's time. The least of all rounds counts."""
LIMIT = 2.0
"""Seconds that count for an answer at which a reader died."""
SETS = ("devset", "adversarial_dev", "public_cases")
OWN = ("ours", "ours_asked", "json_repair", "auto_gpt", "json_loads", "orjson")
"""Readers that need nothing but the environment of the checkout. The others are peers in one of their own."""
SIZES = [250_000 * step for step in range(1, 9)]
LARGE = 5_000_000
OPEN = '{"command": {"name": "x", "args": {"a": "'
ADVERSARIAL = {
    "{": ("", "{"),
    "[": ("", "["),
    '{"': ("", '{"'),
    "[{": ("", "[{"),
    '"': ("", '"'),
    "unclosed string": (OPEN, "x"),
    "\\d in a string": (OPEN, "\\d"),
    "nested fences": ("", "```json\n"),
    "alternating quotes": (OPEN, "\"a'"),
}
PLOT = ROOT / "docs" / "img" / "json_fix_size.svg"


def main() -> None:
    about, before = machine(), kept("json_fix")
    corpus = list(cases(SEED, ANSWERS))
    rows = {name: row(results, corpus) for name, results in read_in_turns(corpus).items()}
    print_machine(about)
    print_readers(rows, before)
    sets = {name: set_row(name) for name in SETS}
    print_sets(sets)
    times = {name: [seconds(name, size) for size in SIZES] for name in ADVERSARIAL}
    largest = {name: seconds(name, LARGE) for name in ADVERSARIAL}
    print_sizes(times, largest)
    PLOT.parent.mkdir(parents=True, exist_ok=True)
    title = "Time to read hostile text of growing size"
    PLOT.write_text(lines(title, "MB", "seconds", [size / 1e6 for size in SIZES], times), encoding="utf-8")
    kept_sizes = {"adversarial": {"sizes": SIZES, "seconds": times, "five_mb": largest}}
    present = {name: each if each is not None else before.get(name) for name, each in rows.items()}
    keep("json_fix", {**about, "seed": SEED, "answers": ANSWERS}, {**present, "sets": sets, **kept_sizes})


# ------------------------------------------------------------ accuracy and time


def read_in_turns(corpus: Sequence[Case]) -> dict[str, list[Json] | None]:
    """Return what each reader read from each answer, and its microseconds, or None for one that is not installed.

    The readers take turns, so that a minute in which the machine is busy counts for all of them.
    """
    texts = [case.text for case in corpus]
    found = {name: read_texts(name, texts, ROUNDS // TURNS) for name in READERS}
    for _ in range(TURNS - 1):
        for name, results in found.items():
            later = read_texts(name, texts, ROUNDS // TURNS) if results is not None else None
            for result, more in zip(results or (), later or (), strict=True):
                result["us"] += more["us"]
    return found


def read_texts(name: str, texts: Sequence[str], rounds: int) -> list[Json] | None:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(text) + "\n" for text in texts)
        file.flush()
        folder = Path(__file__).parent / "peers"
        command = [_python(name), str(folder / "json_readers.py"), name, file.name, str(rounds)]
        if name == "jsonrepair":
            command = [_node(), str(folder / "jsonrepair.js"), file.name, str(rounds)]
        done = subprocess.run(command, capture_output=True, text=True)
    results = [json.loads(line) for line in done.stdout.split("\n") if line]  # a string may hold other line ends
    if not results or "missing" in results[0]:
        return None
    if done.returncode:  # it died, as a parser may that takes all memory: nothing was read from there on
        results += [{"got": None, "us": [LIMIT * 1e6] * rounds}] * (len(texts) - len(results))
    return [{"got": score.to_command(each["value"]), **each} if "value" in each else each for each in results]


def _node() -> str:
    try:
        return str(find_node())
    except NodeMissing:
        return "node"


def _python(name: str) -> str:
    if name in OWN:
        return sys.executable
    chosen = os.environ.get("AUTOCRAFT_BENCH_PYTHON", str(PEERS / "python"))
    return chosen if Path(chosen).exists() else sys.executable


def row(results: list[Json] | None, corpus: Sequence[Case]) -> Json | None:
    """Return counts and CPU times.

    ``us`` is the median broken answer of each round, ``us_words`` that of words around an object, ``us_strict`` that of
    strict JSON. An exact result is the command, or a refusal if that is right. A WRONG one is another command.
    """
    if results is None:
        return None
    verdicts = [_verdict(result["got"], case) for result, case in zip(results, corpus, strict=True)]
    meant = [verdict for verdict, case in zip(verdicts, corpus, strict=True) if case.command is not None]
    times: dict[str, list[list[float]]] = {"us": [], "us_words": [], "us_strict": []}
    for result, case in zip(results, corpus, strict=True):
        times["us_strict" if case.kind == "valid" else "us"].append(result["us"])
        if case.kind == "prose":
            times["us_words"].append(result["us"])
    least = sorted(min(result["us"]) for result in results)
    return {
        "exact": verdicts.count("exact") / len(verdicts),
        "refused": verdicts.count("refused"),
        "wrong": verdicts.count("WRONG"),
        "recovered": sum(verdict == "exact" for verdict in meant) / len(meant),
        **{name: spread([statistics.median(each) for each in zip(*of, strict=True)]) for name, of in times.items()},
        "us_99": least[len(least) * 99 // 100],
    }


def _verdict(got: Any, case: Case) -> str:
    expected = {"refuse": True} if case.command is None else {"command": case.command}
    if score.match(got, expected) or (got is None and case.may_refuse):
        return "exact"
    return "refused" if got is None else "WRONG"


def set_row(name: str) -> Json:
    """Return for each reader the exact answers of a development set, those that had to be read, and the WRONG ones."""
    cases = score.load(str(ROOT / "tests" / "json_fix" / f"{name}.jsonl"))
    row: Json = {"n": len(cases), "must": sum(map(_must_be_read, cases))}
    for reader in READERS:
        results = read_texts(reader, [case["text"] for case in cases], 1)
        if results is not None:
            found = [_set_verdict(each["got"], case) for each, case in zip(results, cases, strict=True)]
            read = sum(verdict == "exact" and _must_be_read(case) for verdict, case in zip(found, cases, strict=True))
            row[reader] = [found.count("exact"), read, found.count("WRONG")]
    return row


def _must_be_read(case: Json) -> bool:
    return not any(each.get("refuse") for each in [case["expected"], *case["accept"]])


def _set_verdict(got: Any, case: Json) -> str:
    if any(score.match(got, each) for each in [case["expected"], *case["accept"]]):
        return "exact"
    return "refused" if got is None else "WRONG"


def print_sets(sets: dict[str, Json]) -> None:
    table = []
    for reader, shown in READERS.items():
        cells = [
            f"{row[reader][0]}/{row['n']}, {row[reader][1]}/{row['must']}, {row[reader][2]}" if reader in row else "-"
            for row in sets.values()
        ]
        table.append([shown, *cells])
    print_table("development sets: exact, read of those that must be, WRONG", ["reader", *sets], table)


def print_readers(rows: dict[str, Json | None], before: Row) -> None:
    table, missing = [], []
    for name, shown in READERS.items():
        row = rows[name]
        if row is None:
            missing.append(shown)
            table.append([shown, "not installed", *[""] * 8])
            continue
        table.append(
            [
                shown,
                f"{100 * row['exact']:.1f} %",
                f"{100 * row['recovered']:.1f} %",
                str(row["refused"]),
                str(row["wrong"]),
                f"{row['us'][0]:.1f} ({row['us'][1]:.1f}..{row['us'][2]:.1f})",
                f"{row['us_words'][0]:.1f}",
                f"{row['us_strict'][0]:.1f}",
                f"{row['us_99']:.0f}",
                change(row["us"], before.get(name), "us"),
            ]
        )
    head = [
        "reader",
        "exact",
        "recovered",
        "refused",
        "WRONG",
        "broken us",
        "words us",
        "strict us",
        "99 % us",
        "change",
    ]
    print_table(f"{ANSWERS} broken answers, seed {SEED}", head, table)
    for part, name, of, most in AIMS:
        ours, peer = rows["ours"], rows[of]
        if ours and peer:
            print(f"our median of {part} is {ours[name][1] / peer[name][1]:.2f} of {READERS[of]}'s (aim: {most})")
    for shown in missing:
        print(f"{shown}: install it with `make bench`")


# ------------------------------------------------------------ time against size


def seconds(name: str, size: int) -> float:
    """Return the least of three times to read hostile text of `size` characters."""
    head, body = ADVERSARIAL[name]
    text = head + body * ((size - len(head)) // len(body))
    return min(_once(text) for _ in range(3))


def _once(text: str) -> float:
    started = time.perf_counter()
    parse_command(text)
    return time.perf_counter() - started


def print_sizes(times: dict[str, list[float]], largest: dict[str, float]) -> None:
    table = []
    for name, row in times.items():
        per_character = [1e9 * seconds / size for seconds, size in zip(row, SIZES, strict=True)]
        middle, least, most = spread(per_character)
        table.append([name, f"{middle:.0f}", f"{least:.0f}..{most:.0f}", f"{largest[name]:.2f}"])
    print_table("hostile text, 0.25 to 2 MB", ["pattern", "ns a character", "spread", "5 MB in s"], table)


if __name__ == "__main__":
    main()
