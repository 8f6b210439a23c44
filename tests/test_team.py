"""Several bots of one run in the crafting world: what ends the run once the first one can not go on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autocraft.agent.context import RunContext
from autocraft.agent.ending import accepted_end
from autocraft.agent.loop import Agent
from autocraft.agent.open_memory import feedback_rows
from autocraft.agent.options import RunOptions
from autocraft.agent.policy import Policy
from autocraft.agent.spec import AgentSpec
from autocraft.agent.state import State
from autocraft.agent.team import Team
from autocraft.agent.transcript import Transcript
from autocraft.brains.priced import PricedBrain
from autocraft.brains.scripted import ScriptedBrain
from autocraft.commands.registry import Registry
from autocraft.console.approver import HumanApprover
from autocraft.console.events import JsonScreen
from autocraft.console.read import Reader
from autocraft.goals.revisions import read_goal
from autocraft.memory.none import NoMemory
from autocraft.protocols import Approver, Call, Risk, command, commands_of
from autocraft.session.events import End, Feedback, Goals, Note, Result
from autocraft.session.journal import BotJournal, Journal
from autocraft.text.redact import Mask
from autocraft.worlds.crafting import CraftingWorld


class Long:
    """A family whose command ends only when the run does."""

    family = "own"

    @command(help="Work on and on", risk=Risk.CHANGE, cancellable=True)
    async def work(self, call: Call) -> str:
        await asyncio.Event().wait()
        return ""


class Typist(Reader):
    """A person who types `answers` at the questions, and ends the input after them."""

    def __init__(self, *answers: str) -> None:
        super().__init__()
        self.answers = list(answers)

    async def ask(self, draw: Callable[[], None], prompt: str, *rest: Any, **more: Any) -> str | None:
        return self.answers.pop(0) if self.answers else None


def team_of(folder: Path, typist: Typist, name: str, /, **args: Any) -> Team:
    """Return two bots of a run: the first one has no answer, the other one gives this command."""
    script, world = folder / "script", CraftingWorld()
    script.write_text(json.dumps({"text": json.dumps({"command": {"name": name, "args": args}}), "bot": 2}))
    person: HumanApprover | None = None

    def make_approver(run: RunContext) -> Approver:
        nonlocal person
        person = person or HumanApprover(typist, JsonScreen(), run, Mask(), attended=True)
        return person if person.run is run else person.of_bot(run)

    def agent(journal: Journal, number: int, first: RunContext | None) -> Agent:
        state, registry = State(), Registry([*world.commands(), *commands_of(Long())])
        transcript = Transcript(RunOptions().prompt, registry.describe)
        journal.listeners += [state.apply, transcript.apply]
        priced = PricedBrain(ScriptedBrain(script, bot=number, bots=2), {})
        parts = (journal, world, NoMemory(), priced, RunOptions(), state, registry, Policy())
        run = RunContext(*parts, make_approver, first=first)
        return Agent(run, AgentSpec(state, run.options.limits, registry, transcript, run.memory))

    journal = Journal(folder)
    first = agent(journal, 1, None)
    team = Team(first, [agent(BotJournal(journal, "bot2"), 2, first.context)])
    journal.append(Goals(goals=(read_goal("craft 4 oak_planks", world.items),), options={}, world=world.snapshot()))
    return team


def played(team: Team, *, continuous: bool, on_note: Callable[[], None] = lambda: None) -> End:
    """Return the end of a run. `on_note` is called when the first bot goes no further."""

    def see(event: Any) -> None:
        if isinstance(event, Note) and event.text.startswith("the first bot goes no further"):
            on_note()

    async def play() -> End:
        team.begin(continuous=continuous)
        team.first.context.journal.viewers.append(see)
        return await asyncio.wait_for(team.run(), 60)

    return asyncio.run(play())


def test_what_is_typed_counts_while_the_others_do_the_rest(tmp_path: Path) -> None:
    """The first bot has left, and the command of the other one never ends."""
    typist = Typist()
    team = team_of(tmp_path, typist, "work")
    end = played(team, continuous=True, on_note=lambda: typist.on_line("/quit"))
    assert (end.reason, end.why) == ("stopped", "you left with /quit")


def test_goals_that_the_others_reach_end_the_run_though_words_to_the_first_bot_have_no_answer(tmp_path: Path) -> None:
    team = team_of(tmp_path, Typist(), "craft_item", name="oak_planks", count=4)
    team.first.context.journal.append(Feedback(text="be quick"))
    end = played(team, continuous=True)
    assert team.first.state.has_feedback
    assert end.reason == "goal_reached", end.why


def test_the_person_ends_the_run_at_the_question_of_the_last_bot(tmp_path: Path) -> None:
    end = played(team_of(tmp_path, Typist("n"), "work"), continuous=False)
    assert (end.reason, end.why) == ("stopped", "you chose n")


def test_words_that_a_kill_kept_from_the_other_bot_reach_it_at_the_resume_once(tmp_path: Path) -> None:
    team = team_of(tmp_path, Typist(), "work")
    state = team.others[0].state
    team.first.context.journal.append(Feedback(text="be quick"))
    team.begin(continuous=True)
    assert [words.text for words in state.pending_feedback] == ["be quick"]
    team.begin(continuous=True)
    assert len(state.pending_feedback) == 1
    asyncio.run(team.others[0].thinker.think())
    team.begin(continuous=True)
    assert not state.pending_feedback, "it has answered them"


def test_words_at_a_question_about_one_bot_reach_that_one_alone(tmp_path: Path) -> None:
    team = team_of(tmp_path, Typist("use birch", "dig deeper", "be quick"), "work")
    first, other = team.first, team.others[0]

    async def ask() -> None:
        team.begin(continuous=False)
        await first.ask_way_on("Stuck?")
        await other.ask_way_on("Stuck?")
        await first.ask_way_on("Paused.", alone=False)
        await asyncio.sleep(0)  # what is for all is passed on in the next turn of the loop

    asyncio.run(ask())
    assert [words.text for words in first.state.pending_feedback] == ["use birch", "be quick"]
    assert [words.text for words in other.state.pending_feedback] == ["dig deeper", "be quick"]
    rows = [row for agent in (first, other) for row in feedback_rows(agent.state, "S", "crafting", Mask())]
    assert [row.text.rpartition(": ")[2] for row in rows] == ["use birch", "be quick", "dig deeper"]


def test_a_resume_goes_on_with_what_another_bot_claimed(tmp_path: Path) -> None:
    team = team_of(tmp_path, Typist(), "work")
    team.begin(continuous=True)
    turn = team.others[0].state.turn
    turn.result = Result(intent=1, command="task_complete", ok=True, text="x", seconds=0, end="claimed", proof={})
    team.begin(continuous=True)
    assert accepted_end(turn.result) is not None
    team.begin(continuous=True, resumed="S")
    assert accepted_end(team.others[0].state.turn.result) is None
