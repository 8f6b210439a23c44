"""Opens the agent of a learning run from the parts of a run."""

from __future__ import annotations

from collections.abc import Callable

from autocraft.agent.context import RunContext
from autocraft.agent.loop import Agent
from autocraft.agent.spec import AgentSpec
from autocraft.commands.skills import SkillCommands
from autocraft.errors import UsageError
from autocraft.learning.action import ActionPrompt, read_program
from autocraft.learning.asking import Adviser
from autocraft.learning.brains import LearningBrain
from autocraft.learning.ckpt_folder import CkptFolder, check_ckpt
from autocraft.learning.critic import Critic
from autocraft.learning.curriculum import Curriculum
from autocraft.learning.keeper import SkillKeeper
from autocraft.learning.learner import Learner
from autocraft.learning.progress import Progress
from autocraft.learning.questions import Questions
from autocraft.learning.settings import LearnSettings
from autocraft.learning.writing import call_of
from autocraft.memory.none import NoMemory
from autocraft.protocols import Delta
from autocraft.skills.index import Index


class LearningAgent(Agent):
    """The agent that learns. Its rules, `Learner`, use its own gate and model."""

    def __init__(
        self, run: RunContext, settings: LearnSettings, progress: Progress, on_delta: Callable[[Delta], None]
    ) -> None:
        index = _index_of(run)
        prompt = ActionPrompt(run.options.prompt, settings, progress, run.state)
        parts = (run.state, run.options.limits, run.registry, prompt, NoMemory())
        super().__init__(run, AgentSpec(*parts, role="action", reader=read_program, on_delta=on_delta, spell=call_of))
        brain = run.priced.brain
        if isinstance(brain, LearningBrain):
            brain.attach(progress, run.world, prompt, run.journal)
        adviser = Adviser(self.thinker.model)
        questions = Questions(adviser, run.memory)
        self.rules = Learner(
            run,
            settings,
            progress,
            prompt,
            Curriculum(settings, adviser, questions, run.world, run.approver, progress),
            Critic(settings.critic, adviser, run.world, run.approver, progress),
            SkillKeeper(run, self.gate, index, adviser, progress, settings.shown),
            CkptFolder(settings.ckpt_dir, run, index.library) if settings.ckpt_dir else None,
        )


def learning_agent(
    run: RunContext, settings: LearnSettings, on_delta: Callable[[Delta], None]
) -> tuple[Agent, Progress]:
    """Return the agent that learns, and the fold of its events.

    `on_delta` gets the pieces of an incoming answer. Raises UsageError for invalid settings, and if
    programs or skills are switched off.
    """
    settings.check()
    if settings.ckpt_dir is not None:
        check_ckpt(settings.ckpt_dir, run.session, settings.from_ckpt)
    progress = Progress()
    return LearningAgent(run, settings, progress, on_delta), progress


def _index_of(run: RunContext) -> Index:
    """Return the index of the skills that the run's own commands store. Raises UsageError if one is switched off."""
    for name in ("run_program", "save_skill"):
        command = run.registry.find(name)
        off = "this run" if command is None else run.registry.off_by(command)
        if command is None or off:
            raise UsageError(f"learning needs the command {name}, and {off} switches it off")
    assert command is not None
    family: SkillCommands = command.owner
    return family.index
