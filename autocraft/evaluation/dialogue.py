"""The few-shot dialogue of an episode: the model's input and output, one line an action, as in the paper."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Literal

from autocraft.agent.cycles import Cycles
from autocraft.agent.history import History
from autocraft.agent.transcript import USUAL_WINDOW, PromptSettings, merge
from autocraft.evaluation.lines import part_with_action
from autocraft.evaluation.tools import TALK
from autocraft.protocols import Message
from autocraft.session.events import Answer, Event, InvalidReply, Result
from autocraft.text.prompts import Data, Prompt
from autocraft.usage import estimate_tokens

_MOST_CHARACTERS = 2_000


class Dialogue:
    """Folds the journal's events into messages. An observation follows an action, but not a thought.

    With feedback it follows an answer that cannot be read as well, since its last lines say what to do.
    """

    def __init__(
        self, settings: PromptSettings, opening: Sequence[Message], tools: Collection[str], *, feedback: bool
    ) -> None:
        self.settings = settings
        self.opening = list(opening)
        self.own_messages: list[Message] = []
        """All of the episode's own messages."""
        self._history = History(sys.maxsize)
        self._cycles = Cycles()
        self._tools = tools
        self._feedback = feedback
        self._pending: Prompt | None = Prompt()

    def apply(self, event: Event) -> None:
        """Fold one event in. With feedback, repetitions are shortened to one line."""
        if self._cycles.apply(event) and self._feedback:
            self._history.end_turn(self._cycles.loose.length)
        match event:
            case Answer():
                text = part_with_action(event.text, self._tools)[:_MOST_CHARACTERS].strip()
                self._say(event.turn, "assistant", text or "(nothing)")
            case InvalidReply() if self._feedback:
                self._pending = Prompt(event.error)
            case InvalidReply():
                self._say(event.turn + 1, "user", Prompt(event.error))
            case Result() if event.command in TALK:
                self._say(event.turn + 1, "user", Prompt(event.text))
            case Result():
                text = Prompt(event.text) if event.ok else Data("error", event.text)
                self._pending = text if self._feedback else Prompt()

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]:
        """Return the opening and the newest turns that fit into `window` tokens."""
        if self._pending is not None:
            self._say(
                len(self.own_messages) // 2 + 1,
                "user",
                Prompt("\n").join(filter(None, [self._pending, Prompt(observation)])),
            )
            self._pending = None
        window = window or self.settings.window or USUAL_WINDOW
        most = window - self.settings.reply_tokens - sum(estimate_tokens(each.content) + 4 for each in self.opening)
        chunks = self._history.recent(most, max(1, most // 2)) or list(self._history.chunks)[-1:]
        return [*self.opening, *merge([message for chunk in chunks for message in chunk.messages])]

    def _say(self, turn: int, role: Literal["user", "assistant"], text: str) -> None:
        self.own_messages.append(Message(role, text))
        self._history.add(turn, role, text)
