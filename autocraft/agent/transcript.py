"""The prompt for the model: the system prompt, the history that fits, the present world, and the goals.

What is the same for every goal comes first, so a server finds it in its cache in the next run too. The role ``system``
holds the system prompt alone. Results, memories and observations are data: they go as ``user``
and are marked as data. Whole turns are trimmed, many of the oldest at once. Goals, format and feedback are
never lost.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter

import msgspec

from autocraft.agent.cycles import Cycles
from autocraft.agent.deeds import MOST_TOKENS, DoneCommand
from autocraft.agent.history import History
from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.goals import Goal
from autocraft.protocols import JUDGE, NOBODY, PROGRAM, Json, Message, Risk
from autocraft.session import events
from autocraft.settings.fields import setting
from autocraft.text.prompts import Data, Prompt, render, shorten
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
        least=0,
        env="SMART_TOKEN_LIMIT",
        doc="tokens of a prompt with its answer; 0 takes what the server or autocraft's table says, at most 64000",
    )
    reply_tokens: int = setting(2_000, doc="tokens of the window that are kept free for the answer")
    advice: bool = setting(
        True,
        "--advice/--no-advice",
        doc="end what a model sees of the world with the next command of the built-in planner, where it has one",
    )
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

_PLANNER = Prompt('A line "Next:" below the world is what a planner would do.')
_ERROR = Prompt("Error: {}")
_EDITED = Prompt("The person changed the arguments to {}")
_REFUSED = Prompt("The command {} was not run{}.")
_IN_DOUBT = {
    JUDGE: Prompt(
        ": words stand beside it in your answer, and a model that was asked did not find that you mean to run it now. "
        "If you do, send the bare object with thoughts and command, and nothing around it"
    ),
    NOBODY: Prompt(
        ": words stand beside it in your answer, and nobody could be asked whether you mean to run it now. If you do, "
        "send the bare object with thoughts and command, and nothing around it"
    ),
}
"""Who refused a command that had other words around it -> what the agent is told."""
_FEEDBACK = Prompt("Human feedback: {}")
_ANSWERED = Prompt("The person answered: {}")
_AT_TURN = Prompt("turn {}: {}")
_LEFT_OUT = Prompt("[{} older remarks are left out]")
_TURNS_LEFT_OUT = Prompt("[Turns 1 to {} are left out. This was done in them: {}]")
_RESULTS = {
    (True, True): Prompt("Command {} returned: {}"),
    (True, False): Prompt("Command {} threw the following error: {}"),
    (False, True): Prompt("The person ran {}, which returned: {}"),
    (False, False): Prompt("The person ran {}, which threw the following error: {}"),
}
"""(The agent ran it, it succeeded) -> what the agent is told. Where the agent did not, the person ran it."""
_TOOL = Prompt("of another server")
"""Stands for the name of a tool, which its server chose."""

MOST_WINDOWS = 2
"""The most windows of history, and of feedback, that are stored. A prompt shows one at most."""


class Transcript:
    """Folds the journal's events into messages."""

    def __init__(
        self,
        settings: PromptSettings,
        commands: Callable[[], Sequence[str]],
        agent: str = "main",
        template: str = "system.j2",
    ) -> None:
        """Fold the events of `agent`. Those of the person belong to the main agent.

        `commands` is called at the first prompt, and returns a line for each command. A line that is no `Prompt` holds
        the words of others.
        """
        self.agent = agent
        self.template = template
        self.settings = settings
        self._commands = commands
        self.goals: tuple[Goal, ...] = ()
        self.feedback: deque[tuple[int, str, int]] = deque()
        """(turn, text, tokens) of the newest feedback. Older feedback is only counted."""
        self._feedback_tokens = self._forgotten = 0
        """The tokens of `feedback`, and the number of older remarks."""
        self.history = History(MOST_WINDOWS * settings.most_window)
        self.cycles = Cycles()
        self._proposal: Json | None = None
        self._open: dict[int, DoneCommand] = {}
        """Number of an intent without a result -> what it does, if it changes something."""

    def apply(self, event: events.Event) -> None:
        """Fold in one event. Other agents and types that the model need not know change nothing."""
        self._note_deed(event)
        if event.agent != self.agent and not (self.agent == "main" and event.agent == "person"):
            return
        end = self.cycles.apply(event)
        match event:
            case events.Answer():
                self.history.add(event.turn, "assistant", self._cap(event.text))
            case events.Reply():
                self._proposal = event.args
            case events.InvalidReply():
                self._proposal = None
                self.history.add(event.turn, "user", _ERROR.format(Data("error", self._cap(event.error))))
            case events.Decision():
                self._decision(event)
            case events.Result():
                self._result(event)
            case events.Feedback():
                self._add_feedback(event.turn, event.text)
            case events.Goals():
                self.goals = event.goals
            case events.Message():
                self.history.add(event.turn, "user", Data("main agent", self._cap(event.message)))
        if end:
            self.history.end_turn(self.cycles.length)

    def _note_deed(self, event: events.Event) -> None:
        """Note what a command did: the agent's own, the person's, and one of a program of the main agent."""
        if event.agent != self.agent and not (self.agent == "main" and event.agent in ("person", PROGRAM)):
            return
        match event:
            case events.Intent() if event.risk is not Risk.LOOK:
                self._open[event.seq] = DoneCommand.of(event)
            case events.Result() if deed := self._open.pop(event.intent, None):
                self.history.note(deed, ok=event.ok)

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
            "open": [[seq, msgspec.to_builtins(deed)] for seq, deed in self._open.items()],
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
        self._open = dict(msgspec.convert(data["open"], list[tuple[int, DoneCommand]]))

    @cached_property
    def _fixed(self) -> tuple[Prompt, Prompt, int]:
        """Return what each prompt begins with: the system prompt, the tools of other servers, and their tokens."""
        settings, lines = self.settings, self._commands()
        system = render(
            self.template,
            ai_name=Prompt(settings.ai_name),
            ai_role=Prompt(settings.ai_role),
            commands=[line for line in lines if isinstance(line, Prompt)],
            advice=_PLANNER if settings.advice else Prompt(),
        )
        others = "\n".join(line for line in lines if not isinstance(line, Prompt))
        tools = render("tools.j2", tools=Data("tools", others)) if others else Prompt()
        return system, tools, estimate_tokens(system + tools)

    def messages(self, observation: str, memories: Sequence[str] = (), window: int = 0) -> list[Message]:
        """Return the prompt within `window` tokens (default: the settings' window). Merge equal roles in a row."""
        settings = self.settings
        system, tools, fixed = self._fixed
        near = Data("memory", "\n".join(f"- {text}" for text in memories)) if memories else Prompt()
        goals = [Prompt(goal.shown) for goal in self.goals]
        now = render("now.j2", observation=Data("world", self._cap(observation)), memories=near, goals=goals)
        window = window or settings.window or USUAL_WINDOW
        most = window - min(settings.reply_tokens, window // 4) - fixed
        room = most - estimate_tokens(now) - min(window // EARLIER_SHARE, self._feedback_tokens)
        room -= min(MOST_TOKENS, room // 4) if self.history.last_turn > 1 and self.history.tokens > room else 0
        recent = self.history.recent(room, max(1, most // 2))
        oldest = recent[0].turn if recent else self.history.last_turn + 1
        earlier = self._earlier(oldest, window)
        texts: list[tuple[str, str]] = [("system", system)]
        if tools:
            texts.append(("user", tools))
        if oldest > 1 and self.history.last_turn:
            done = Data("journal", self.history.deeds_before(oldest).text())
            texts.append(("user", _TURNS_LEFT_OUT.format(oldest - 1, done)))
        if earlier:
            texts.append(("user", render("earlier.j2", feedback=earlier)))
        for chunk in recent:
            texts += chunk.messages
        return merge([*texts, ("user", now)])

    def _earlier(self, oldest: int, window: int) -> list[Prompt]:
        """Return the newest feedback of turns that are not sent, the oldest first, within its share of the window."""
        room = window // EARLIER_SHARE
        newest: list[Prompt] = []
        past = [each for each in self.feedback if each[0] < oldest]
        for turn, text, tokens in reversed(past):
            room -= tokens
            if room < 0:
                newest.append(_LEFT_OUT.format(len(past) + self._forgotten - len(newest)))
                break
            newest.append(_AT_TURN.format(turn, Prompt(text)))
        return newest[::-1]

    def _cap(self, text: str) -> str:
        return shorten(text, min(self.settings.result_chars, (self.settings.window or USUAL_WINDOW) // 2))

    def _decision(self, event: events.Decision) -> None:
        if event.kind == "run" and event.command and event.args != self._proposal:
            edits = json.dumps(event.args, ensure_ascii=False)
            self.history.add(event.turn, "user", _EDITED.format(Data("arguments", self._cap(edits))))
        if event.kind == "refuse" and event.command:
            why = Prompt(f": {event.why}") if event.by in ("policy", "goal", "undo") else Prompt()
            if event.doubted and event.by in _IN_DOUBT:
                why = _IN_DOUBT[event.by]
            self.history.add(event.turn, "user", _REFUSED.format(self._name(event.command), why))
        if event.feedback:
            self._add_feedback(event.turn, event.feedback)

    def _add_feedback(self, turn: int, text: str) -> None:
        text = self._cap(text)
        tokens = estimate_tokens(text) + 8
        self.feedback.append((turn, text, tokens))
        self._feedback_tokens += tokens
        while self._feedback_tokens > MOST_WINDOWS * self.settings.most_window and len(self.feedback) > 1:
            self._feedback_tokens -= self.feedback.popleft()[2]
            self._forgotten += 1
        self.history.add(turn, "user", _FEEDBACK.format(Prompt(text)))

    def _result(self, event: events.Result) -> None:
        if event.answered:  # the person's own words, not data
            self.history.add(event.turn, "user", _ANSWERED.format(Prompt(self._cap(event.text))))
            return
        form = _RESULTS[event.agent == self.agent, event.ok]
        name, text = self._name(event.command), self._cap(event.text)
        data = Data(event.command, text) if name is not _TOOL else Data("tool", f"{event.command}\n{text}")
        self.history.add(event.turn, "user", form.format(name, data))

    def _name(self, command: str) -> Prompt:
        """Return the name of a command, or a word for it if somebody else chose the name."""
        return _TOOL if "." in command else Prompt(command)


def merge(texts: Sequence[tuple[str, str]]) -> list[Message]:
    """Return prompts, and stored messages of a `History`, as messages."""
    messages = []
    for role, run in groupby(texts, key=itemgetter(0)):
        first, *others = (text if isinstance(text, Prompt) else Prompt(text) for _, text in run)
        messages.append(Message(role, Prompt("\n\n").join([first, *others]) if others else first))
    return messages
