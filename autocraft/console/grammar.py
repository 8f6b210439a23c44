"""The meaning of a line typed at a question: Auto-GPT's grammar without its traps.

Only a clear authorisation authorises. An unclear line asks again. Longer text is feedback. The live page, the form of
an MCP client and the function of a program answer by such lines too: `authorising_line` and `words_line` write them.
"""

from __future__ import annotations

import re

from autocraft.frozen import frozen


@frozen
class Authorise:
    """``y`` (turns 0), or ``y -N``: run this and the next `turns` - 1.

    With ``y -N programs`` they may be programs too. `words` are a remark to the model: ``y, but keep the torches``.
    """

    turns: int = 0
    programs: bool = False
    words: str = ""


@frozen
class Stop:
    """``n``, or the end of input."""


@frozen
class Always:
    """``a``: always allow this command name."""


@frozen
class Edit:
    """``e``: change the arguments first."""


@frozen
class Slash:
    """A slash command and the rest of its line. `by` is the player who said it in the world."""

    name: str
    rest: str = ""
    by: str = ""


@frozen
class Again:
    """Not understood, or too short to be sure: ask again and say why."""

    why: str


@frozen
class Feedback:
    """The command is refused, and this text goes to the model."""

    text: str


Meaning = Authorise | Stop | Always | Edit | Slash | Again | Feedback

_YES = re.compile(r"y(?:\s*-(?P<turns>[0-9]{1,9})(?P<programs>\s+programs)?)?\s*(?:,(?P<words>.*))?", re.IGNORECASE)
"""What authorises: ``y``, ``y -3`` or ``y -3 programs``, each alone or with a comma and words."""
_NEAR_YES = re.compile(r"y(?:\s+-.*|-\s*[0-9].*|\s*[0-9]\w*)", re.IGNORECASE)
"""What was meant as ``y -N``, and is not it."""
_TYPED_AS = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2212"}
_TYPED_AS |= {0xFF01 + n: chr(0x21 + n) for n in range(94)} | {0x3000: " "}
"""Letters of other keyboards -> the letter that is meant: dashes, and the full-width letters of East Asia."""
_HOW_MANY = "type y -N with N at least 1, such as y -3"
_GOAL = re.compile(r"goal\s*:(.*)", re.IGNORECASE)
_UNSURE = frozenset(["yes", "no", "q", "quit", "exit", "help", "h", "ok", "okay", "stop", "cancel", "continue"])


def plain(line: str) -> str:
    """Return a line as it is compared with keys: dashes of all kinds as hyphens, full-width letters as ASCII."""
    return line.strip().translate(_TYPED_AS)


def understand(line: str | None) -> Meaning:
    """Return the meaning of one answer. A pasted block of several lines is one answer, and always feedback."""
    if line is None:
        return Stop()
    text, keys = line.strip(), plain(line)
    if keys.startswith("//"):
        text = text[2:].strip()
        return Feedback(text) if text else Again("there is no feedback after //")
    if "\n" in text or "\r" in text:
        return Feedback(text)
    match keys.lower():
        case "":
            return Again("an empty line is not an answer: type y for yes, n to exit, or your feedback")
        case "n":
            return Stop()
        case "a":
            return Always()
        case "e":
            return Edit()
        case "?":
            return Slash("help")
        case word if word in _UNSURE:
            return Again(f"'{text}' is not clear: type y for yes, n to exit, or ? for help")
    if yes := _YES.fullmatch(keys):
        return _authorise(yes, text)
    if _NEAR_YES.fullmatch(keys):
        return Again(f"'{text}' is not understood: {_HOW_MANY}")
    if goal := _GOAL.fullmatch(keys):
        words = text[goal.start(1) :].strip()
        return Slash("goal", words) if words else Again("there is no goal after 'goal:'")
    if keys.startswith("/"):
        name = keys[1:].partition(" ")[0]
        return Slash(name.lower(), text[1 + len(name) :].strip())
    return Feedback(text)


def _authorise(yes: re.Match[str], text: str) -> Meaning:
    """Return the authorisation of a line, whose words stand in `text`. ``y -0`` and no words ask again."""
    turns, words = yes["turns"], text[yes.start("words") :].strip() if yes["words"] else ""
    if turns is not None and int(turns) == 0:
        return Again(f"'{text}' is not understood: {_HOW_MANY}")
    if yes["words"] is not None and not words:
        return Again("there is no remark after the comma: type y alone, or y, with your words")
    return Authorise(int(turns or 0), yes["programs"] is not None, words)


def authorising_line(turns: int = 0, *, programs: bool = False, words: str = "") -> str:
    """Return the line that authorises this, as the person would type it. Line ends of `words` become spaces."""
    line = f"y -{turns}{' programs' if programs else ''}" if turns else "y"
    remark = " ".join(words.split())
    return f"{line}, {remark}" if remark else line


def words_line(text: str) -> str:
    """Return the line for words that were given in a field of their own: they never authorise.

    ``goal: TEXT`` replaces the goals, as at the terminal. Everything else is feedback, or an answer in words.
    """
    words = text.strip()
    return words if _GOAL.fullmatch(words) else f"// {words}"
