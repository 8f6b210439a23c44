"""The few-shot dialogue of an episode: the model's input and output, one line an action, as in the paper."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autocraft.agent.transcript import PromptSettings
from autocraft.evaluation.lines import part_with_action
from autocraft.evaluation.tools import TALK
from autocraft.protocols import Json, Message
from autocraft.usage import estimate_tokens

_MOST_CHARACTERS = 2_000


class Dialogue:
    """Folds the journal's events into messages. An observation follows an action, but not a thought."""

    def __init__(
        self, settings: PromptSettings, opening: Sequence[Message], allowed: Collection[str], *, feedback: bool
    ) -> None:
        self.settings = settings
        self.opening = list(opening)
        self.said: list[Message] = []
        """All of the episode's own messages."""
        self._allowed = allowed
        self._feedback = feedback
        self._pending: str | None = ""

    def apply(self, event: Json) -> None:
        """Fold one event in."""
        match event["type"]:
            case "answer":
                text = part_with_action(event["text"], self._allowed)[:_MOST_CHARACTERS].strip()
                self.said.append(Message("assistant", text or "(nothing)"))
            case "reply" if not event["ok"]:
                self.said.append(Message("user", event["error"]))
            case "result" if event["command"] in TALK:
                self.said.append(Message("user", event["text"]))
            case "result":
                self._pending = event["text"] if self._feedback else ""

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]:
        """Return the opening and the dialogue within `window` tokens. The oldest turns are left out first."""
        if self._pending is not None:
            self.said.append(Message("user", f"{self._pending}\n{observation}".strip()))
            self._pending = None
        room = (window or self.settings.window) - self.settings.reply_tokens - sum(map(_tokens, self.opening))
        chosen: list[Message] = []
        for message in reversed(self.said):
            room -= _tokens(message)
            if room < 0 and chosen:
                break
            chosen.append(message)
        while len(chosen) > 1 and chosen[-1].role == "assistant":  # an answer without its question is useless
            chosen.pop()
        return [*self.opening, *reversed(chosen)]


def _tokens(message: Message) -> int:
    return estimate_tokens(message.content) + 4
