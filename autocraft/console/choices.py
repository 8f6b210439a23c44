"""The answers that a question offers: one table, which the terminal, the live page and the form of a client draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autocraft.console.grammar import authorising_line
from autocraft.protocols import PROGRAM, Proposal
from autocraft.text.sanitize import clean_line

AGAIN = "The same question again:"
DIGITS = tuple("123456789")
"""Keys that mean a permission for so many turns."""

UNSEEN = 0.5
"""Seconds in which a new question takes no key and no click, since it may be meant for the one before."""


class Choice(NamedTuple):
    """One answer: the name that a page or a form sends, what a person types for it, and what it does."""

    value: str
    line: str
    label: str


def choices_of(proposal: Proposal) -> tuple[Choice, ...]:
    """Return the answers to a question. Words are an answer to every question, and so they are not among them."""
    call = proposal.call
    if call is None:
        return Choice("run", "y", "go on"), Choice("stop", "n", "exit")
    if call.agent == PROGRAM:
        leave = "stop the program"
    else:
        leave = "exit program" if call.agent in ("main", "person") else f"stop {clean_line(call.agent)}"
    return (
        Choice("run", "y", "yes"),
        Choice("more", "y -N", "yes, for N turns"),
        Choice("remark", "y, TEXT", "yes, with a remark"),
        Choice("always", "a", f"always allow {clean_line(call.name)}"),
        Choice("edit", "e", "edit the arguments"),
        Choice("stop", "n", leave),
    )


def answer_line(
    choices: Sequence[Choice], value: object, words: str = "", turns: int = 0, *, programs: bool = False
) -> str:
    """Return the line that a person would type for a choice. Return "" if it is not offered, or is not clear.

    Words belong to a remark alone, and turns to a remark or to `more`.
    """
    lines = {choice.value: choice.line for choice in choices}
    if value not in lines or bool(words.strip()) is not (value == "remark"):
        return ""
    if (turns > 0) is not (value == "more") and not (value == "remark" and "more" in lines):
        return ""
    if value in ("more", "remark"):
        return authorising_line(turns, programs=programs and turns > 0, words=words)
    return lines[str(value)]


def key_line(choices: Sequence[Choice], key: str) -> str:
    """Return the line that one pressed key means: a choice of one letter, or `y -N` for a digit. Return "" for none."""
    letter = key.lower()
    if letter in [choice.line for choice in choices]:
        return letter
    return f"y -{key}" if key in DIGITS and any(choice.value == "more" for choice in choices) else ""
