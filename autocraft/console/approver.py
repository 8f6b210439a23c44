"""The person as Approver: asks questions, carries out slash commands and edits, and returns decisions."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol

from autocraft.agent.context import RunContext
from autocraft.agent.threads import run_in_thread
from autocraft.commands.control import revise_goals
from autocraft.console.choices import AGAIN, choices_of
from autocraft.console.grammar import Again, Always, Authorise, Edit, Feedback, Slash, Stop, plain, understand
from autocraft.console.read import Reader, TypedAhead
from autocraft.console.slash import run_slash
from autocraft.errors import AutocraftError, InvalidCommand, UnreadableReply
from autocraft.goals.revisions import EXAMPLES, revise
from autocraft.json_fix import read
from autocraft.protocols import EARLIER_GOALS, END_OF_INPUT, TAKEN_BACK, Args, Call, Decision, Delta, Proposal
from autocraft.session.events import Event, Question
from autocraft.session.events import Feedback as FeedbackEvent
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean_line, exact_json

WIDENING = ("continuous", "budget", "mode", "do", "undo")
"""Slash commands that run something or allow more. They count only at a question on the screen."""
NARROWING = (("mode", ""), ("mode", "ask"))
"""Those of them that allow nothing."""
STRAY = ("y", "n", "a")
"""Lines that mean nothing but an answer. Before a question they are dropped."""
SHOWING = ("help", "history", "inventory", "tokens", "memory", "page", "keys", "save")
"""Slash commands that only show something. They count at once while the model waits for an answer in words."""
WORDS = ""
"""The name, in place of that of a slash command, of words that change the goal."""


class View(Protocol):
    """Draws for a person or a machine. `folded` is the last text that was shown in part."""

    folded: str

    def event(self, event: Event) -> None: ...

    def question(self, proposal: Proposal, again: str, brief: bool = False) -> None: ...

    def asks(self, question: str, again: str, bot: str = "") -> None: ...

    def delta(self, delta: Delta) -> None: ...

    def say(self, text: str) -> None: ...


class Queue:
    """The questions of several bots to one person: one is on the screen, the others wait."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._asks: object = None

    @asynccontextmanager
    async def place(self, bot: object) -> AsyncIterator[None]:
        """Wait until a bot may ask. It may ask again before it has its answer, as for a helper that /do starts."""
        if self._asks is bot:
            yield
            return
        async with self._lock:
            self._asks = bot
            try:
                yield
            finally:
                self._asks = None


class HumanApprover:
    """Asks the person. Implements `protocols.Approver`."""

    def __init__(
        self,
        reader: Reader,
        view: View,
        run: RunContext,
        own_mask: Mask,
        *,
        attended: bool,
        queue: Queue | None = None,
    ) -> None:
        """Take `own_mask`, which cuts the person's own secrets out of the texts by which they decide.

        All bots of a run share a `queue`, in which their questions to the one person wait. Lines that answer no
        question go to the first of them.
        """
        self.reader = reader
        self.view = view
        self.run = run
        self.own_mask = own_mask
        self.attended = attended
        self._slashes: list[Slash] = []
        self._draft = ""
        """Arguments that the person typed for the command of the question, with a fault in them."""
        self._shown: tuple[object, ...] = ()
        """The question on the screen; empty if none can be seen."""
        self._may_stop = False
        """Whether an `n` was typed while something ran. The next one pauses the run."""
        self.queue = queue or Queue()
        if queue is None:
            reader.on_line = self.receive_line
        run.journal.listeners.append(self._hear)

    def of_bot(self, run: RunContext) -> HumanApprover:
        """Return the same person as another bot of the run asks them."""
        return HumanApprover(self.reader, self.view, run, self.own_mask, attended=self.attended, queue=self.queue)

    def receive_line(self, line: str) -> None:
        """Take a line that was finished without a question on the screen: feedback for the next step, never consent."""
        text = line.strip()
        if plain(text).lower() in STRAY:
            self._stray(text)
            return
        meaning = understand(text)
        if isinstance(meaning, Slash):
            if meaning.name in WIDENING and (meaning.name, meaning.rest) not in NARROWING:
                self.view.say(f"/{meaning.name} was not carried out: it works only at a question that you have seen.")
                return
            self._slashes.append(meaning)
            self.view.say(f"Noted: /{clean_line(meaning.name)} takes effect before the next step.")
            return
        text = meaning.text if isinstance(meaning, Feedback) else text
        said = FeedbackEvent(text=text)
        if text and self._changes_goals and not said.stops and self._read(text):
            self._slashes.append(Slash(WORDS, text))
            self.view.say("Noted: it changes the goal before the next step.")
        elif text:
            self.run.journal.append(said)
            ends = "ends what is running at its next safe point" if said.stops and self.run.executor.running else ""
            self.view.say(f"Noted: your feedback {ends or 'takes effect at the next step'}; it authorises nothing.")

    def _hear(self, event: Event) -> None:
        """Take the words of a player in the world. They may change the goal; "stop" ends what y -N and a allow."""
        if not isinstance(event, FeedbackEvent) or not self._changes_goals:
            return
        if event.stops:
            self._slashes.append(Slash("stop"))
        if event.by or event.stops:
            self._slashes.append(Slash(WORDS, event.text, event.by))

    def _read(self, words: str) -> bool:
        """Tell whether words change the goal."""
        return revise(words, self.run.state.goals, self.run.world.items) is not None

    def _stray(self, text: str) -> None:
        """Drop a letter that answers no question that was seen. A second `n` pauses, as Ctrl-C does."""
        stops = plain(text).lower() == "n" and self.run.approver is self  # the run of a client cannot pause
        if stops and self._may_stop:
            self._may_stop = False
            self.reader.on_interrupt()
            return
        self._may_stop = stops
        hint = "type n again to pause the run and to be asked whether it ends" if stops else "it authorises nothing"
        self.view.say(f"Ignored: {text} was typed before you saw a question; {hint}.")

    def delta(self, delta: Delta) -> None:
        """Show a piece of an incoming answer."""
        self.view.delta(delta)

    async def attend(self) -> None:
        """Carry out the slash commands that were typed while the run was working."""
        await self.reader.drain()
        while self._slashes:
            await self._slash(self._slashes.pop(0))

    async def decide(self, proposal: Proposal) -> Decision:
        """Ask until the answer is clear. Return the decision. Feedback typed before the question refuses a command."""
        async with self.queue.place(self):
            return await self._decide(proposal)

    async def _decide(self, proposal: Proposal) -> Decision:
        again, self._draft, self._shown = "", "", ()
        proposal = proposal._replace(bot=self.run.journal.bot)
        goals = self.run.state.goals
        while True:
            await self.attend()
            self._may_stop = False
            if proposal.call is not None and proposal.call.agent == "main" and not self.run.state.pursues(goals):
                return Decision("refuse", proposal.call, by="goal", why=EARLIER_GOALS)
            if proposal.call is not None and self.run.state.feedback_since(proposal.heard):
                return Decision("refuse", proposal.call, by="feedback", why="your feedback came first")
            if proposal.call is not None:
                proposal = await run_in_thread(self._fresh, proposal, proposal.call)
            if self._slashes or (proposal.call is not None and self.run.state.feedback_since(proposal.heard)):
                continue  # lines came during the preview
            self._journal(proposal, again)
            try:
                draw = self._drawing(proposal, again, brief=self._shown == _content(proposal))
                line = await self.reader.ask(draw, "Input: ", choices=choices_of(proposal))
                self._shown = _content(proposal)
                decision = await self._understood(proposal, line)
            except TypedAhead:
                again, self._shown = AGAIN, ()
                continue
            if isinstance(decision, Decision):
                return decision._replace(by=self.reader.by) if decision.by == "person" else decision
            proposal, again = decision

    async def answer(self, question: str) -> str | None:
        """Ask a question in words. Return the line typed at it, or None without an answer.

        Slash commands are not answers. Only those that show something count at once.
        """
        if not self.attended:
            return None
        async with self.queue.place(self):
            return await self._answer(question)

    async def _answer(self, question: str) -> str | None:
        again = ""
        while True:
            await self.reader.drain()
            event = Question(command="ask_human", args={"question": question}, again=again, wants="words")
            event = self.run.journal.append(event, sync=True)
            try:
                line = await self.reader.ask(partial(self.view.asks, question, again, event.bot), "Answer: ")
            except TypedAhead:
                again = AGAIN
                continue
            if line is None:
                return None
            meaning = understand(line)
            match meaning:
                case Slash(name):
                    if name == "quit":
                        self._slashes.append(meaning)
                        return None
                    if name in SHOWING:
                        await self._slash(meaning)
                    else:
                        self.receive_line(line)
                    again = AGAIN
                case Feedback(text):
                    return text
                case _ if line.strip():
                    return line.strip()
                case _:
                    again = "an empty line is not an answer; /quit leaves the run"

    def _drawing(self, proposal: Proposal, again: str, *, brief: bool) -> Callable[[], None]:
        """Return what draws a question: the first time only its last row, if it is `brief`, and then the whole."""
        times = iter([brief])
        return lambda: self.view.question(proposal, again, next(times, False))

    def _fresh(self, proposal: Proposal, proposed: Call) -> Proposal:
        """Return the proposal with the present risk and preview, since files may have changed meanwhile."""
        registry = self.run.registry
        call = registry.bind(proposed.name, proposed.args, agent=proposed.agent)
        fingerprint = registry.fingerprint(call)  # first, so that a later change leads to another question
        preview = self.own_mask.text(registry.preview(call))
        call = replace(call, fingerprint=fingerprint, doubt=proposed.doubt)
        return proposal._replace(call=call, preview=preview)

    def _journal(self, proposal: Proposal, again: str) -> None:
        """Journal every question as it is shown, also an edited or repeated one."""
        call = proposal.call
        question = Question(
            agent=call.agent if call else "main",
            command=call.name if call else None,
            args=call.args if call else None,
            risk=call.risk if call else None,
            why=proposal.why,
            preview=proposal.preview,
            again=again,
            doubt=call.doubt if call else "",
        )
        self.run.journal.append(question)

    async def _understood(self, proposal: Proposal, line: str | None) -> Decision | tuple[Proposal, str]:
        """Return a decision, or the next question and its reason."""
        call = proposal.call
        match understand(line):
            case Authorise(turns, programs, words) if call is not None or not turns:
                return Decision("run", call, turns=turns, programs=programs, feedback=words, why=self._unread(words))
            case Stop() if line is not None:
                return Decision("stop", call, why="you chose n")
            case Stop() if sys.stdin is not None and sys.stdin.isatty():
                return Decision("stop", call, why="you ended the input of the terminal, as Ctrl-D does")
            case Stop():
                return Decision("stop", call, by="nobody", why=END_OF_INPUT)
            case Always() if call is not None:
                return Decision("run", call, always=True)
            case Edit() if call is not None:
                return await self._edit(proposal, call)
            case Authorise() | Always() | Edit():
                return proposal, "there is no command to authorise: type y to go on, n to exit, or feedback"
            case Slash() as slash:
                worked = await self._slash(slash, call)
                if call is not None and worked and "undo" in (slash.name, slash.rest.partition(" ")[0]):
                    return Decision("refuse", call, by="undo", why=TAKEN_BACK)
                return proposal, AGAIN
            case Again(why):
                return proposal, why
            case Feedback(text) if not self._changes_goals:
                return Decision("refuse", call, feedback=text, why=self._unread(text))
            case Feedback(text):
                said = self.run.journal.append(FeedbackEvent(text=text))
                if not said.stops:
                    await self._revise(text)
                return proposal._replace(heard=said.seq), AGAIN  # nobody reads the words, so they refuse nothing

    @property
    def _changes_goals(self) -> bool:
        """Whether words change the goals: the built-in planner plays, which cannot read, and not a client of MCP."""
        return self.run.approver is self and not self.run.priced.brain.asks_model and bool(self.run.state.goals)

    async def _revise(self, words: str, by: str = "") -> None:
        """Change the goals as the words of the person, or of the player `by`, say. Tell what became of them."""
        if plain(words).lower().strip(" .!") == "stop":
            return
        news = await revise_goals(self.run, words, by)
        self.view.say(clean_line(news or f"{self._unread(words)}. It understands {EXAMPLES}"))

    def _unread(self, words: str) -> str:
        """Return what the person should know of their words: that nobody reads them. Return "" otherwise."""
        brain = self.run.priced.brain
        if not words or brain.asks_model:
            return ""
        return f"the {clean_line(brain.name)} cannot read your words; type y, e or n, or choose a model"

    async def _slash(self, slash: Slash, call: Call | None = None) -> bool:
        """Carry out a slash command while `call` waits. Return whether it worked without a text to show."""
        if slash.name == "page" and self.view.folded:
            await self.reader.page(self.view.folded)
            self._shown = ()  # it has scrolled away
            return True
        if (slash.name, slash.rest) == ("mode", "continuous") and not await self._confirms():
            return True
        if slash.name == WORDS:
            await self._revise(slash.rest, slash.by)
            return True
        text = await run_slash(self.run, self.reader, slash.name, slash.rest, call)
        if text:
            self.view.say(self.run.journal.mask.text(text))
        return not text

    async def _confirms(self) -> bool:
        """Ask for the typed word by which no command is asked about any more. A key or a button cannot give it."""
        self._shown = ()
        text = (
            "No command will be asked about from the next one on, until /stop. Anything but the word changes nothing."
        )
        try:
            line = await self.reader.ask(partial(self.view.say, text), "Type continuous: ")
        except TypedAhead:
            line = None
        if line is None or plain(line) != "continuous":
            self.view.say("The mode stays as it was.")
            return False
        return True

    async def _edit(self, proposal: Proposal, call: Call) -> tuple[Proposal, str]:
        """Let the person edit the arguments. Return the validated command, to be shown and asked about again."""
        text = exact_json(json.dumps(call.args, ensure_ascii=False))  # the editor's terminal must not obey an argument
        hint = f"New arguments for {call.name} as JSON; an empty line keeps the old ones."
        line = await self.reader.ask(partial(self.view.say, hint), "Arguments: ", self._draft or text)
        self._draft = ""
        if line is None or not line.strip():
            return proposal, "the arguments stay as they were"
        try:
            args = await run_in_thread(_arguments, call.name, line)
            new = await run_in_thread(self.run.registry.bind, call.name, args, agent=call.agent)
        except AutocraftError as error:
            self._draft = line
            return proposal, f"{clean_line(str(error))}; the arguments stay as they were. Type e to correct yours"
        return proposal._replace(call=replace(new, doubt=call.doubt)), "The command with your arguments:"


def _content(proposal: Proposal) -> tuple[object, ...]:
    """Return all that the person sees of a question."""
    call = proposal.call
    about = () if call is None else (call.name, call.args, call.risk, call.fingerprint, call.warning, call.doubt)
    return (*about, proposal.why, proposal.preview)


def _arguments(name: str, line: str) -> Args:
    """Read the arguments that the person typed, as an answer of the model is read. Raises InvalidCommand."""
    try:
        reply = read(f'{{"command": {{"name": {json.dumps(name)}, "args": {line}}}}}')
    except UnreadableReply:
        reply = None
    if reply is None or reply.name != name or not line.lstrip().startswith("{"):
        raise InvalidCommand('write the arguments as one JSON object, such as {"name": "stick"}')
    return reply.args
