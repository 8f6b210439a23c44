"""The prompt for the model: the system prompt, the history that fits, and the present world.

The role ``system`` holds the system prompt alone. Results, memories and observations are data: they go as ``user``
and are marked as data. Whole turns are trimmed, many of the oldest at once. Goals, format and feedback are
never lost.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import msgspec

from autocraft.agent.cycles import Cycles
from autocraft.agent.history import History
from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.goals import Goal
from autocraft.protocols import Json, Message
from autocraft.session import events
from autocraft.settings.fields import setting
from autocraft.text.prompts import as_data, harmless, render, shorten
from autocraft.usage import estimate_tokens


@frozen
class PromptSettings:
    """The agent's name and role, and the size of its prompt."""

    ai_name: str = setting("Crafter", "--ai-name", doc="name of the agent", power=True)
    ai_role: str = setting(
        "an AI that plays Minecraft by crafting what it is asked for", "--ai-role", doc="role of the agent", power=True
    )
    window: int = setting(
        0,
        env="SMART_TOKEN_LIMIT",
        doc="tokens of a prompt with its answer; 0 takes what the server or autocraft's table says, at most 64000",
    )
    reply_tokens: int = setting(2_000, doc="tokens of the window that are kept free for the answer")
    result_chars: int = setting(6_000, doc="characters of one result or answer that are kept in the history")

    def __post_init__(self) -> None:
        for name in ("ai_name", "ai_role"):
            if not getattr(self, name).strip():
                raise UsageError(f"prompt.{name} is empty: say who the agent is, or leave it out")

    @property
    def most_window(self) -> int:
        """Return the tokens of the largest prompt."""
        return self.window or MOST_WINDOW


USUAL_WINDOW, MOST_WINDOW = 16_000, 64_000
"""The window of a model of which nothing is known, and the most that is used unless the person sets it."""
EARLIER_SHARE = 4
"""Feedback of turns that are not sent takes at most a quarter of the window."""

MOST_WINDOWS = 2
"""The most windows of history, and of feedback, that are stored. A prompt shows one at most."""


class Transcript:
    """Folds the journal's events into messages."""

    def __init__(
        self, settings: PromptSettings, commands: Sequence[str], agent: str = "main", template: str = "system.j2"
    ) -> None:
        """Fold the events of `agent`. Those of the person belong to the main agent."""
        self.agent = agent
        self.template = template
        self.settings = settings
        self.commands = commands
        self.goals: tuple[Goal, ...] = ()
        self.feedback: deque[tuple[int, str, int]] = deque()
        """(turn, text, tokens) of the newest feedback. Older feedback is only counted."""
        self._feedback_tokens = self._forgotten = 0
        """The tokens of `feedback`, and the number of older remarks."""
        self.history = History(MOST_WINDOWS * settings.most_window)
        self.cycles = Cycles()
        self._proposal: Json | None = None

    def apply(self, event: events.Event) -> None:
        """Fold in one event. Other agents and types that the model need not know change nothing."""
        if event.agent != self.agent and not (self.agent == "main" and event.agent == "person"):
            return
        end = self.cycles.apply(event)
        match event:
            case events.Answer():
                self.history.add(event.turn, "assistant", harmless(self._cap(event.text)))
            case events.Reply():
                self._proposal = event.args
            case events.InvalidReply():
                self._proposal = None
                self.history.add(event.turn, "user", f"Error: {harmless(self._cap(event.error))}")
            case events.Decision():
                self._decision(event)
            case events.Result():
                self._result(event)
            case events.Feedback():
                self._add_feedback(event.turn, event.text)
            case events.Goals():
                self.goals = event.goals
            case events.Message():
                self.history.add(event.turn, "user", as_data("main agent", self._cap(event.message)))
        if end:
            self.history.end_turn(self.cycles.length)

    @property
    def _bounds(self) -> list[int]:
        """Return the settings that the fold depends on."""
        return [self.settings.window, self.settings.result_chars]

    def to_json(self) -> Json:
        """Return the fold in plain values."""
        return {
            "bounds": self._bounds,
            "goals": msgspec.to_builtins(self.goals),
            "feedback": list(self.feedback),
            "forgotten": self._forgotten,
            "history": self.history.to_json(),
            "cycles": msgspec.to_builtins(self.cycles),
            "asked": self._proposal,
        }

    def restore(self, data: Json) -> None:
        """Take over what `to_json` returned. Raises ValueError if it was folded for another window or is not a fold."""
        if data["bounds"] != self._bounds:
            raise ValueError("this was folded for another window")
        self.goals = msgspec.convert(data["goals"], tuple[Goal, ...])
        self.feedback = deque(msgspec.convert(data["feedback"], list[tuple[int, str, int]]))
        self._feedback_tokens, self._forgotten = sum(tokens for _, _, tokens in self.feedback), data["forgotten"]
        self.history.restore(data["history"])
        self.cycles = msgspec.convert(data["cycles"], Cycles)
        self._proposal = data["asked"]

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]:
        """Return the prompt within `window` tokens (default: the settings' window). Merge equal roles in a row."""
        settings = self.settings
        system = render(self.template, settings=settings, goals=[g.text for g in self.goals], commands=self.commands)
        near = as_data("memory", "\n".join(f"- {text}" for text in memories)) if memories else ""
        now = render("now.j2", observation=as_data("world", self._cap(observation)), memories=near)
        window = window or settings.window or USUAL_WINDOW
        most = window - min(settings.reply_tokens, window // 4) - estimate_tokens(system)
        room = most - estimate_tokens(now) - min(window // EARLIER_SHARE, self._feedback_tokens)
        recent = self.history.recent(room, max(1, most // 2))
        oldest = recent[0].turn if recent else self.history.last_turn + 1
        earlier = self._earlier(oldest, window)
        texts = [("system", system)]
        if earlier:
            texts.append(("user", render("earlier.j2", feedback=earlier)))
        for chunk in recent:
            texts += chunk.messages
        return merge([*texts, ("user", now)])

    def _earlier(self, oldest: int, window: int) -> list[str]:
        """Return the newest feedback of turns that are not sent, within its share of the window."""
        room = window // EARLIER_SHARE
        newest: list[str] = []
        past = [(text, tokens) for turn, text, tokens in self.feedback if turn < oldest]
        for text, tokens in reversed(past):
            room -= tokens
            if room < 0:
                newest.append(f"[{len(past) + self._forgotten - len(newest)} older remarks are left out]")
                break
            newest.append(text)
        return newest[::-1]

    def _cap(self, text: str) -> str:
        return shorten(text, min(self.settings.result_chars, (self.settings.window or USUAL_WINDOW) // 2))

    def _decision(self, event: events.Decision) -> None:
        if event.kind == "run" and event.command and event.args != self._proposal:
            edits = json.dumps(event.args, ensure_ascii=False)
            self.history.add(event.turn, "user", f"The person changed the arguments to {harmless(self._cap(edits))}")
        if event.kind == "refuse" and event.command:
            why = f": {event.why}" if event.by == "policy" else ""
            self.history.add(event.turn, "user", f"The command {event.command} was not run{why}.")
        if event.feedback:
            self._add_feedback(event.turn, event.feedback)

    def _add_feedback(self, turn: int, text: str) -> None:
        text = self._cap(text)
        tokens = estimate_tokens(text) + 4
        self.feedback.append((turn, text, tokens))
        self._feedback_tokens += tokens
        while self._feedback_tokens > MOST_WINDOWS * self.settings.most_window and len(self.feedback) > 1:
            self._feedback_tokens -= self.feedback.popleft()[2]
            self._forgotten += 1
        self.history.add(turn, "user", f"Human feedback: {text}")

    def _result(self, event: events.Result) -> None:
        if event.answered:  # the person's own words, not data
            self.history.add(event.turn, "user", f"The person answered: {self._cap(event.text)}")
            return
        who = f"Command {event.command}" if event.agent == self.agent else f"The person ran {event.command}, which"
        verb = "returned" if event.ok else "threw the following error"
        self.history.add(event.turn, "user", f"{who} {verb}: {as_data(event.command, self._cap(event.text))}")


def merge(texts: Sequence[tuple[str, str]]) -> list[Message]:
    runs = groupby(texts, key=itemgetter(0))
    return [Message(role, "\n\n".join(text for _, text in run)) for role, run in runs]
