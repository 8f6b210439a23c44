"""The prompt for a program, in the order of Voyager's, and the reader of the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from autocraft.agent.state import State
from autocraft.agent.transcript import USUAL_WINDOW, PromptSettings
from autocraft.errors import CommandError, UnreadableReply
from autocraft.json_fix.reply import Reply
from autocraft.learning.asking import without_thoughts
from autocraft.learning.progress import Progress
from autocraft.learning.settings import LearnSettings
from autocraft.protocols import Answer, Message
from autocraft.session.events import Event
from autocraft.skills.parse import parse
from autocraft.text.prompts import Data, Prompt, prompt_folder, render
from autocraft.usage import estimate_tokens

_FENCE = re.compile(r"^[ \t]*```(?:javascript|js)[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_NO_PROGRAM = "The answer holds no program. Write it in one block that begins with ```javascript and ends with ```."
_CUT = "The answer was cut off before its program ended. Write a shorter plan, and a program that does less at once."
_SHORTAGES = (
    re.compile(r"I cannot make \w+ because I need: ([^;]*)"),
    re.compile(r"I cannot make \w+ because there is no (crafting table) nearby"),
    re.compile(r"I need at least an? (.*?) to mine \w+"),
)


class ActionPrompt:
    """Writes the prompt for the next program of a task.

    `skills` are the programs to show, the nearest first. `names` are those of all other skills that can be called.
    `game` says in words which game is played.
    """

    def __init__(self, settings: PromptSettings, learning: LearnSettings, progress: Progress, state: State) -> None:
        self.settings = settings
        self.learning = learning
        self.progress = progress
        self.state = state
        self.skills: Sequence[str] = ()
        self.names: Sequence[str] = ()
        self.game = ""

    def apply(self, event: Event) -> None:
        """Do nothing: `progress` is the fold."""

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]:
        """Return the prompt. Within a `window` of tokens, the last skills are left out first."""
        progress, learning, attempt = self.progress, self.learning, self.progress.attempt
        texts = {
            "program": progress.code,
            "error": progress.error if learning.show_errors else "",
            "chat log": "\n".join([*progress.said, *progress.reflexes]) if learning.chat_log else "",
            "world": observation,
            "task": progress.wording,
            "context": progress.task.context if progress.task else "",
            "critique": attempt.critique if attempt else "",
        }
        parts: dict[str, object] = {
            name.replace(" ", "_"): Data(name, text) if text else _NONE for name, text in texts.items()
        }
        words = [*progress.words, *(each.text for each in self.state.pending_feedback)]
        parts["feedback"] = [Prompt(each) for each in words]
        parts["game"] = Data("game", self.game) if self.game else Prompt()
        parts["names"] = Data("skills", ", ".join(self.names)) if self.names else Prompt()
        size = window or self.settings.window or USUAL_WINDOW
        most = size - min(self.settings.reply_tokens, size // 4)
        skills = [Data("skill", code) for code in self.skills]
        system = render("learn_program.j2", "system", primitives=primitives())
        while True:
            now = render("learn_program.j2", "user", skills=skills, **parts)
            if not skills or estimate_tokens(system) + estimate_tokens(now) <= most:
                return [Message("system", system), Message("user", now)]
            skills.pop()


_NONE = Prompt("none")


@cache
def primitives() -> Prompt:
    """Return the functions that every program may call, with a comment on each."""
    return Prompt((prompt_folder() / "learn_primitives.js").read_text(encoding="utf-8").strip())


def read_program(answer: Answer) -> Reply:
    """Return the program of an answer as the command that runs it. Raises UnreadableReply."""
    text = without_thoughts(answer.text).replace("\r\n", "\n")
    blocks, rest = [block[1] for block in _FENCE.finditer(text)], _FENCE.sub("", text)
    if answer.finish_reason == "length" and (not blocks or "```" in rest):
        raise UnreadableReply(_CUT, ("no program", "length"))
    if answer.refusal or not blocks:
        raise UnreadableReply(_NO_PROGRAM, ("no program",))
    code = "\n".join(block.strip("\n") for block in blocks)
    try:
        parse(code)
    except CommandError as error:
        raise UnreadableReply(f"The program cannot be read: {error}", ("program",)) from None
    thoughts = rest.strip().removesuffix("Code:").strip()
    return Reply("run_program", {"code": code}, {"text": thoughts} if thoughts else {})


def shortages(messages: Sequence[str]) -> str:
    """Return what a program lacked by its own words, such as "I also need 2 more stick."; empty for nothing."""
    lines = [match[1].rstrip(".") for line in messages for each in _SHORTAGES if (match := each.search(line))]
    lines = ["a nearby crafting table" if each == "crafting table" else each for each in lines]
    return f"I also need {', '.join(dict.fromkeys(lines))}." if lines else ""
