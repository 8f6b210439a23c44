"""What the page shows: a fold of the events, the incoming answer, and the question that waits."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import asdict
from pkgutil import resolve_name
from typing import Protocol

from autocraft.agent.context import RunContext
from autocraft.console.choices import Choice
from autocraft.console.live import Live
from autocraft.console.read import ignore
from autocraft.errors import AutocraftError
from autocraft.features import MODES
from autocraft.page import tidy
from autocraft.page.drawing import Plot
from autocraft.protocols import Delta, Json, VisibleWorld
from autocraft.report.page import building_drawing, figures, ground_of, item_plot, outcome_words, step_json, way_map
from autocraft.report.story import Story
from autocraft.session.events import End, Event, Reply
from autocraft.session.reading import Events
from autocraft.web.question import Question, Refused, Wants

STEPS = 12
"""Steps on the page, the newest first."""
FIGURES = ("Turns", "Tokens", "Cost", "Kinds of items")
"""Those of a report that hold of the last steps too."""
_INCOMING = 4_000
_PAUSE = 0.05
"""Seconds between two checks for changes, even if changes arrive faster."""
_BEAT = 1.0
"""Seconds after which a quiet page is looked at again, as its status counts them."""
_MOST_PAGES = 8


class OwnParts(Protocol):
    """What the page of a mode shows in place of the goals and figures of a run, and beside its steps."""

    @property
    def goals(self) -> list[str]: ...

    def apply(self, event: Event) -> None:
        """Fold in one event."""

    def figures(self) -> list[tuple[str, str]]: ...

    def plots(self) -> list[Plot]: ...

    def to_json(self) -> Json:
        """Return what the page draws in its own box."""


class LivePage:
    """The state of the page. `parts` holds all of it, so a reloaded page misses nothing."""

    def __init__(self, run: RunContext, *, opens: bool) -> None:
        """Take `opens`: whether the page shows the view through the player's eyes without being asked."""
        self._live = Live(run.state, run.options.limits, lambda: run.priced.brain.name, run.journal.mask)
        self._session = run.session
        self._world = run.world
        self._story = Story()
        page = MODES[run.options.verb].page
        self._own: OwnParts | None = resolve_name(page)() if page else None
        for event in Events(run.journal.folder):
            self._fold(event)
        self._drawn: dict[str, str] = {}
        """Part -> its JSON, for the parts that change with events alone."""
        self._question: Question | None = None
        self.paused = False
        """Whether the page has paused the run, which has asked nothing since."""
        self._asked = 0
        """The number of questions so far, which is the id of the last one."""
        self.say: Callable[[str], None] = ignore
        """Tells the person at the terminal."""
        self._fetching = ""
        """How far the view is that is being fetched."""
        self.opens = opens
        self._pages: set[asyncio.Event] = set()
        self._over = False

    def event(self, event: Event) -> None:
        """Fold in one event."""
        self._fold(event)
        del self._story.steps[:-60]  # a long run stays small
        del self._story.points[1:-1]
        self._live.event(event)
        self._drawn = {}
        self._notify()

    def _fold(self, event: Event) -> None:
        self._story.apply(event)
        if self._own is not None:
            self._own.apply(event)

    def delta(self, delta: Delta) -> None:
        self._live.delta(delta)
        self._notify()

    # ------------------------------------------------------------ the question

    def ask(self, wants: Wants, text: str, default: str, choices: Sequence[Choice] = ()) -> Question:
        """Show a question with the buttons of its choices, and an id that no other one of this run has."""
        question = f"{text}\n{default}".strip("\n") if default else text
        self._asked += 1
        self.paused = False
        self._question = Question(self._asked, wants, question, default, tuple(choices))
        self._notify()
        return self._question

    def withdraw(self) -> None:
        """Remove the question from the page. An answer that was not accepted before this is never accepted."""
        if self._question is not None and not self._question.acceptance.done():
            self._question.acceptance.set_result(False)
        self._question = None
        self._notify()

    async def view(self) -> str:
        """Return the address of the page that shows what the player sees. Raises Refused."""
        if not isinstance(self._world, VisibleWorld):
            raise Refused("there is nothing to see in this world")
        loop = asyncio.get_running_loop()
        try:
            return await self._world.view(lambda line: _soon(loop, self._fetched, line))
        except AutocraftError as error:
            raise Refused(f"the view cannot be shown: {error}") from None
        finally:
            self._fetched("")

    def _fetched(self, line: str) -> None:
        """Show how far the view is: each step on the page, and beginning and end at the terminal."""
        self._fetching = line.strip()
        if line and not line.startswith(" "):
            self.say(line)
        self._notify()

    @property
    def goals(self) -> list[str]:
        return [tidy.line(goal, 400) for goal in (self._story.goals if self._own is None else self._own.goals)]

    @property
    def waiting(self) -> bool:
        """Return whether a question waits for an answer."""
        return self._question is not None

    def overtake(self) -> None:
        """Let the question be asked anew: words of the page came that were begun before it was seen."""
        if self._question is not None:
            self._question.overtake()

    async def answer(self, answer: Json) -> None:
        """Give an answer of the page to the question that it names. Raises Refused."""
        question = self._question
        if question is None or type(answer.get("id")) is not int or answer["id"] != question.id:
            raise Refused("this question is answered or withdrawn")
        await question.answer(answer)

    # ------------------------------------------------------------ what a browser gets

    def parts(self) -> dict[str, str]:
        """Return each part of the page as JSON."""
        if not self._drawn:
            self._drawn = {name: json.dumps(value) for name, value in self._values().items()}
        question = None if self._question is None else self._question.to_json()
        quick = {
            "status": self._live.status(200),
            "incoming": self._live.incoming(_INCOMING),
            "question": question,
            "fetching": self._fetching,
        }
        return self._drawn | {name: json.dumps(value) for name, value in quick.items()}

    async def changes(self) -> AsyncGenerator[str]:
        """Yield all parts, then those that change, as server-sent events, until the run is over. Raises Refused."""
        if len(self._pages) >= _MOST_PAGES:
            raise Refused("too many pages are open", 429)
        change, last = asyncio.Event(), dict[str, str]()
        self._pages.add(change)
        try:
            while True:
                change.clear()
                over = self._over
                new = {name: text for name, text in self.parts().items() if last.get(name) != text}
                last |= new
                yield "".join(f"event: {name}\ndata: {text}\n\n" for name, text in new.items()) or ": \n\n"
                if over:
                    yield "event: over\ndata: {}\n\n"
                    return
                await asyncio.sleep(_PAUSE)
                try:
                    async with asyncio.timeout(_BEAT):
                        await change.wait()
                except TimeoutError:
                    pass
        finally:
            self._pages.discard(change)

    def close(self) -> None:
        """End all pages, once they have the last parts."""
        self.withdraw()
        self._over = True
        self._notify()

    def _notify(self) -> None:
        for each in self._pages:
            each.set()

    def _values(self) -> Json:
        """Return the parts that events change. All texts are tidied, and bounded."""
        story = self._story
        replies = [step.reply for step in story.steps if isinstance(step.reply, Reply)]
        plan = replies[-1].steps if replies else []
        items = story.points[-1].items if story.points else {}
        own = self._own
        rows = [row for row in figures(story) if row[0] in FIGURES] if own is None else own.figures()
        plots = [item_plot(story)] if own is None else own.plots()
        plots = [*map(building_drawing, list(story.buildings.values())[-1:]), *plots]
        plots.append(way_map(story, ground_of(story)))
        return {
            "goal": {
                "session": tidy.line(self._session),
                "goals": self.goals,
                "visible": isinstance(self._world, VisibleWorld),
                "opens": self.opens,
            },
            "figures": [(name, tidy.line(value)) for name, value in rows],
            "plan": [tidy.line(step, 400) for step in plan[:40]],
            "inventory": [(tidy.line(item, 60), count) for item, count in sorted(items.items())],
            "steps": [step_json(step, story.start) for step in reversed(story.steps[-STEPS:])],
            "plots": [drawing(plot) for plot in plots if plot.shapes],
            "learned": None if own is None else own.to_json(),
            "end": _end(story),
        }


def drawing(plot: Plot) -> Json:
    """Return what a page needs of a plot to draw it."""
    names = ("name", "title", "said", "width", "height")
    return {**{name: getattr(plot, name) for name in names}, "shapes": [asdict(each) for each in plot.shapes]}


def _soon(loop: asyncio.AbstractEventLoop, show: Callable[[str], None], line: str) -> None:
    """Show a line of another thread, unless the run has ended meanwhile."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(show, line)


def _end(story: Story) -> Json | None:
    if not isinstance(story.end, End):
        return None
    word, why = outcome_words(story)
    return {"word": word, "why": why, "good": story.end.exit == 0}
