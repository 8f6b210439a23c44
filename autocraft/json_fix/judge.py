"""The question to a model where nobody else can decide: does the author of an answer mean its command?

The model answers yes or no, and can change nothing: the command stays the one that was read. The text of the answer is
data in its prompt.
"""

from __future__ import annotations

import json
import re

from autocraft.json_fix.reply import Json
from autocraft.text.prompts import Data, Prompt, render, shorten

MOST_SHOWN = 6_000
"""Most characters of the answer that the model is shown."""
_YES_OR_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)
_THOUGHTS = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.IGNORECASE | re.DOTALL)


def question(answer: str, name: str, args: Json) -> Prompt:
    """Return the prompt that asks whether the author of `answer` means this command to be run now."""
    command = json.dumps({"name": name, "args": args}, ensure_ascii=False)
    return render(
        "judge_answer.j2",
        command=Data("command", shorten(command, MOST_SHOWN)),
        answer=Data("answer", shorten(answer, MOST_SHOWN)),
    )


def is_yes(text: str) -> bool:
    """Return whether the model said yes. Anything but a plain yes at the start is a no."""
    found = _YES_OR_NO.match(_THOUGHTS.sub("", text, count=1))
    return found is not None and found[1].lower() == "yes"
