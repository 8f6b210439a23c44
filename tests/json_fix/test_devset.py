"""The development sets by their scorer: each case is read exactly, or refused where that is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autocraft.json_fix import parse_command
from tests.json_fix import score

HERE = Path(__file__).parent
SETS = {name: score.load(str(HERE / f"{name}.jsonl")) for name in ("devset", "adversarial_dev", "public_cases")}
SENTENCES = ("negation", "shown", "injection")
"""Categories of hostile answers in which sentences speak of a command. A person may be asked about them."""
LEAST_AT_ONCE = {"devset": 0.96, "adversarial_dev": 1, "public_cases": 1}


def verdicts(name: str, *, accept_unsure: bool) -> dict[str, str]:
    """Return ``exact``, ``refused`` or ``WRONG`` for each case."""
    found = {}
    for case in SETS[name]:
        got = score.to_command(parse_command(case["text"], accept_unsure=accept_unsure))
        exact = any(score.match(got, reading) for reading in [case["expected"], *case["accept"]])
        found[case["id"]] = "exact" if exact else "refused" if got is None else "WRONG"
    return found


@pytest.mark.parametrize("name", SETS)
def test_no_case_is_read_wrongly_and_nearly_all_are_exact_at_once(name: str) -> None:
    found = verdicts(name, accept_unsure=False)
    assert [case for case, verdict in found.items() if verdict == "WRONG"] == []
    assert list(found.values()).count("exact") >= LEAST_AT_ONCE[name] * len(found)


@pytest.mark.parametrize("name", SETS)
def test_with_a_person_all_are_exact_but_sentences_about_a_command(name: str) -> None:
    found = verdicts(name, accept_unsure=True)
    categories: dict[str, Any] = {case["id"]: case["category"] for case in SETS[name]}
    assert [case for case, verdict in found.items() if verdict != "exact" and categories[case] not in SENTENCES] == []
