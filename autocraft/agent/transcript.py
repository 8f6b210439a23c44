"""What the model sees: our prompt, the history that fits, the world as it is now.

Roles: ``system`` holds our prompt alone; results, memories and observations are data and go as ``user``, marked
as such. History is trimmed by whole turns, newest first; goals, format and the person's feedback are never lost.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from autocraft.errors import UsageError
from autocraft.goals import Goal
from autocraft.protocols import Json, Message
from autocraft.settings.fields import setting
from autocraft.text.prompts import as_data, harmless, render
from autocraft.usage import estimate_tokens


@dataclass(frozen=True)
class PromptSettings:
    """Who the agent is, and how much it may be told."""

    ai_name: str = setting("Crafter", "--ai-name", doc="name of the agent", power=True)
    ai_role: str = setting(
        "an AI that plays Minecraft by crafting what it is asked for", "--ai-role", doc="what the agent is", power=True
    )
    window: int = setting(16_000, env="SMART_TOKEN_LIMIT", doc="tokens that the model can take in")
    reply_tokens: int = setting(2_000, doc="tokens of the window that are kept free for the answer")
    result_chars: int = setting(6_000, doc="characters of one result or answer that are kept in the history")

    def __post_init__(self) -> None:
        for name in ("ai_name", "ai_role"):
            if not getattr(self, name).strip():
                raise UsageError(f"prompt.{name} is empty: say who the agent is, or leave it out")


EARLIER_SHARE = 4
"""A quarter of the window at most restates feedback of turns that are not sent any more."""

KEPT_WINDOWS = 2
"""How many windows full of history, and of feedback, are kept; a prompt shows one at most."""


@dataclass(slots=True)
class _Chunk:
    """One turn of the history: all of it is sent, or none."""

    turn: int
    messages: list[tuple[str, str]] = field(default_factory=list)
    tokens: int = 0


class Transcript:
    """Folds the journal's events into messages."""

    def __init__(
        self, settings: PromptSettings, commands: Sequence[str], agent: str = "main", template: str = "system.j2"
    ) -> None:
        """`agent` is whose events are folded; the person's belong to the main one."""
        self.agent = agent
        self.template = template
        self.settings = settings
        self.commands = commands
        self.goals: tuple[Goal, ...] = ()
        self.feedback: deque[tuple[int, str, int]] = deque()
        """(turn, words, tokens) of the newest; what no prompt has room for is only counted."""
        self._heard = self._forgotten = 0
        """Tokens of the feedback that is kept, and how many remarks are not."""
        self._chunks: deque[_Chunk] = deque()
        self._tokens = 0
        self._asked: Json | None = None

    def apply(self, event: Json) -> None:
        """Fold one event in; types that the model need not know, and other agents, are passed over."""
        if event["agent"] != self.agent and not (self.agent == "main" and event["agent"] == "person"):
            return
        say = getattr(self, f"_{event['type']}", None)
        if say is not None:
            say(event)

    @property
    def _bounds(self) -> list[int]:
        """What the fold depends on besides the events."""
        return [self.settings.window, self.settings.result_chars]

    def to_json(self) -> Json:
        """All that was folded, in plain values."""
        return {
            "bounds": self._bounds,
            "goals": [goal.to_json() for goal in self.goals],
            "feedback": list(self.feedback),
            "forgotten": self._forgotten,
            "chunks": [[chunk.turn, chunk.tokens, chunk.messages] for chunk in self._chunks],
            "asked": self._asked,
        }

    def restore(self, data: Json) -> None:
        """Take what `to_json` gave. Raises ValueError where it was folded for another window, or is something else."""
        if data["bounds"] != self._bounds:
            raise ValueError("this was folded for another window")
        self.goals = tuple(map(Goal.from_json, data["goals"]))
        self.feedback = deque((turn, text, tokens) for turn, text, tokens in data["feedback"])
        self._heard, self._forgotten = sum(tokens for _, _, tokens in self.feedback), data["forgotten"]
        self._chunks = deque(
            _Chunk(turn, [(role, text) for role, text in messages], tokens) for turn, tokens, messages in data["chunks"]
        )
        self._tokens = sum(chunk.tokens for chunk in self._chunks)
        self._asked = data["asked"]

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]:
        """The whole prompt, within `window` tokens (the settings' by default); equal roles in a row are merged."""
        settings = self.settings
        system = render(self.template, settings=settings, goals=[g.text for g in self.goals], commands=self.commands)
        now = render("now.j2", observation=as_data("world", self._cap(observation)), memories=_memories(memories))
        window = window or settings.window
        room = window - settings.reply_tokens - estimate_tokens(system) - estimate_tokens(now)
        room -= min(window // EARLIER_SHARE, self._heard)
        kept: list[_Chunk] = []
        for chunk in reversed(self._chunks):
            if chunk.tokens > room:
                break
            room -= chunk.tokens
            kept.append(chunk)
        oldest = kept[-1].turn if kept else self._last_turn() + 1
        earlier = self._earlier(oldest, window)
        said = [("system", system)]
        if earlier:
            said.append(("user", render("earlier.j2", feedback=earlier)))
        for chunk in reversed(kept):
            said += chunk.messages
        return _merged([*said, ("user", now)])

    def _earlier(self, oldest: int, window: int) -> list[str]:
        """Feedback of turns that are not sent, the newest of it within its share of the window."""
        room = window // EARLIER_SHARE
        kept: list[str] = []
        past = [(text, tokens) for turn, text, tokens in self.feedback if turn < oldest]
        for text, tokens in reversed(past):
            room -= tokens
            if room < 0:
                kept.append(f"[{len(past) + self._forgotten - len(kept)} older remarks are left out]")
                break
            kept.append(text)
        return kept[::-1]

    def _last_turn(self) -> int:
        return self._chunks[-1].turn if self._chunks else 0

    def _add(self, turn: int, role: str, text: str) -> None:
        if not self._chunks or turn > self._chunks[-1].turn:
            self._chunks.append(_Chunk(turn))
        tokens = estimate_tokens(text) + 4
        chunk = self._chunks[-1]
        chunk.messages.append((role, text))
        chunk.tokens += tokens
        self._tokens += tokens
        while self._tokens > KEPT_WINDOWS * self.settings.window and len(self._chunks) > 1:
            self._tokens -= self._chunks.popleft().tokens

    def _cap(self, text: str) -> str:
        limit = min(self.settings.result_chars, self.settings.window // 2)
        if len(text) <= limit:
            return text
        head = limit * 2 // 3
        tail = limit - head
        return f"{text[:head]}\n[{len(text) - limit} characters left out]\n{text[-tail:]}"

    # one method for each type of event that the model is told of

    def _goal(self, event: Json) -> None:
        self.goals = tuple(map(Goal.from_json, event["goals"]))

    def _answer(self, event: Json) -> None:
        self._add(event["turn"], "assistant", harmless(self._cap(event["text"])))

    def _reply(self, event: Json) -> None:
        self._asked = event.get("args")
        if not event["ok"]:
            self._add(event["turn"], "user", f"Error: {harmless(self._cap(event['error']))}")

    def _decision(self, event: Json) -> None:
        if event["kind"] == "run" and event["command"] and event["args"] != self._asked:
            changed = json.dumps(event["args"], ensure_ascii=False)
            self._add(event["turn"], "user", f"The person changed the arguments to {harmless(self._cap(changed))}")
        if event["kind"] == "refuse" and event["command"]:
            why = f": {event['why']}" if event.get("by") == "policy" else ""
            self._add(event["turn"], "user", f"The command {event['command']} was not run{why}.")
        if event["feedback"]:
            self._hear(event["turn"], event["feedback"])

    def _note(self, event: Json) -> None:
        if "message" in event:
            self._add(event["turn"], "user", as_data("main agent", self._cap(event["message"])))

    def _feedback(self, event: Json) -> None:
        self._hear(event["turn"], event["text"])

    def _hear(self, turn: int, text: str) -> None:
        text = self._cap(text)
        tokens = estimate_tokens(text) + 4
        self.feedback.append((turn, text, tokens))
        self._heard += tokens
        while self._heard > KEPT_WINDOWS * self.settings.window and len(self.feedback) > 1:
            self._heard -= self.feedback.popleft()[2]
            self._forgotten += 1
        self._add(turn, "user", f"Human feedback: {text}")

    def _result(self, event: Json) -> None:
        if event.get("answered"):  # the person's own words, not data
            self._add(event["turn"], "user", f"The person answered: {self._cap(event['text'])}")
            return
        own = event["agent"] == self.agent
        who = f"Command {event['command']}" if own else f"The person ran {event['command']}, which"
        said = "returned" if event["ok"] else "threw the following error"
        self._add(event["turn"], "user", f"{who} {said}: {as_data(event['command'], self._cap(event['text']))}")


def _memories(texts: Sequence[str]) -> str:
    return as_data("memory", "\n".join(f"- {text}" for text in texts)) if texts else ""


def _merged(said: Sequence[tuple[str, str]]) -> list[Message]:
    runs = groupby(said, key=itemgetter(0))
    return [Message(role, "\n\n".join(text for _, text in run)) for role, run in runs]
