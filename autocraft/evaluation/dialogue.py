"""The few-shot dialogue of an episode: what the model was shown and said, one line an action, as in the paper."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autocraft.agent.transcript import PromptSettings
from autocraft.evaluation.lines import kept_part
from autocraft.evaluation.tools import TALK
from autocraft.protocols import Message
from autocraft.session.events import Answer, Event, InvalidReply, Result
from autocraft.usage import estimate_tokens

_MOST_CHARACTERS = 2_000


class Dialogue:
    """Folds the journal's events into messages. After an action the world is shown; after a thought it is not."""

    def __init__(
        self, settings: PromptSettings, opening: Sequence[Message], allowed: Collection[str], *, feedback: bool
    ) -> None:
        self.settings = settings
        self.opening = list(opening)
        self.said: list[Message] = []
        """The episode's own messages, none left out."""
        self._allowed = allowed
        self._feedback = feedback
        self._news: str | None = ""

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        match event:
            case Answer():
                kept = kept_part(event.text, self._allowed)[:_MOST_CHARACTERS].strip()
                self.said.append(Message("assistant", kept or "(nothing)"))
            case InvalidReply():
                self.said.append(Message("user", event.error))
            case Result() if event.command in TALK:
                self.said.append(Message("user", event.text))
            case Result():
                self._news = event.text if self._feedback else ""

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]:
        """The opening and what was said, within `window` tokens: the oldest turns are left out first."""
        if self._news is not None:
            self.said.append(Message("user", f"{self._news}\n{observation}".strip()))
            self._news = None
        room = (window or self.settings.window) - self.settings.reply_tokens - sum(map(_tokens, self.opening))
        kept: list[Message] = []
        for message in reversed(self.said):
            room -= _tokens(message)
            if room < 0 and kept:
                break
            kept.append(message)
        while len(kept) > 1 and kept[-1].role == "assistant":  # an answer without its question explains nothing
            kept.pop()
        return [*self.opening, *reversed(kept)]


def _tokens(message: Message) -> int:
    return estimate_tokens(message.content) + 4
