"""`Voyager`: the class of Voyager's README, with its parameters."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autocraft.agent.ending import RunEnded
from autocraft.app import Request, Run, open_request
from autocraft.errors import BrainError, UsageError
from autocraft.features import MODES
from autocraft.learning.ckpt import read_ckpt
from autocraft.learning.ckpt_export import write_ckpt
from autocraft.learning.learner import Learner
from autocraft.learning.questions import KIND
from autocraft.learning.record import Record
from autocraft.session.reading import Events
from autocraft.skills.export import check_new
from autocraft.text.phrases import did_you_mean

SETTINGS: Mapping[str, str] = {
    "openai_api_key": "openai.api_key",
    "max_iterations": "learn.iterations",
    "reset_placed_if_failed": "learn.give_back",
    "action_agent_model_name": "models.action.model",
    "action_agent_temperature": "models.action.temperature",
    "action_agent_task_max_retries": "learn.tries",
    "action_agent_show_chat_log": "learn.chat_log",
    "action_agent_show_execution_error": "learn.show_errors",
    "curriculum_agent_model_name": "models.curriculum.model",
    "curriculum_agent_temperature": "models.curriculum.temperature",
    "curriculum_agent_qa_model_name": "models.question.model",
    "curriculum_agent_qa_temperature": "models.question.temperature",
    "curriculum_agent_mode": "learn.curriculum",
    "critic_agent_model_name": "models.critic.model",
    "critic_agent_temperature": "models.critic.temperature",
    "critic_agent_mode": "learn.critic",
    "skill_manager_model_name": "models.describe.model",
    "skill_manager_temperature": "models.describe.temperature",
    "openai_api_request_timeout": "openai.answer_seconds",
    "skill_library_dir": "skills.skills_dir",
}
"""Parameter -> the setting that it sets. Without it, the setting keeps its own default."""
UNUSED = ("azure_login", "server_port", "env_wait_ticks", "env_request_timeout")
"""Parameters that have no meaning here. They are accepted."""
FIXED: Mapping[str, object] = {
    "curriculum_agent_warm_up": None,
    "curriculum_agent_core_inventory_items": None,
    "skill_manager_retrieval_top_k": 5,
}
"""Parameters that cannot be changed here, and their value."""
OWN = ("mc_port", "ckpt_dir", "resume")
_VOYAGERS = ("skill", "code", "skills.json")
"""What a folder with one of Voyager's libraries holds."""
_MODES = ("curriculum_agent_mode", "critic_agent_mode")


class Voyager:
    """Learns as `autocraft learn` does. `options` are further options of it, such as ``{"continuous": True}``.

    It plays Minecraft, also if the settings name another world. Without `mc_port` it plays on the practice server. With
    `resume` it takes over the folder `ckpt_dir`, or goes on with the last run if there is no `ckpt_dir`. Without
    `resume` it writes `ckpt_dir` at the end. Raises UsageError for an unknown or a wrong parameter.
    """

    def __init__(
        self,
        mc_port: int | None = None,
        *,
        ckpt_dir: str | None = None,
        resume: bool = False,
        options: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> None:
        names = (*SETTINGS, *UNUSED, *FIXED, *OWN)
        for name, value in parameters.items():
            if name not in names:
                raise UsageError(f"Voyager has no parameter {name!r}; {did_you_mean(name, names, 'did you mean {}?')}")
            if name in FIXED and value not in (None, FIXED[name]):
                raise UsageError(f"{name} cannot be changed here; leave it out")
        for name in _MODES:
            if parameters.get(name) not in (None, "auto", "manual"):
                raise UsageError(f"{name} is {str(parameters[name])[:40]!r}: choose auto or manual")
        library = Path(str(parameters.get("skill_library_dir") or "")).absolute()
        if parameters.get("skill_library_dir") and any((library / name).exists() for name in _VOYAGERS):
            raise UsageError(f"{library} holds skills of Voyager's: bring them in with `autocraft skills import`")
        flags = {SETTINGS[name]: value for name, value in parameters.items() if name in SETTINGS}
        self._flags = {"world": "minecraft", **flags, **(options or {})}
        if mc_port is not None:
            if type(mc_port) is not int or not 0 < mc_port < 65536:
                raise UsageError(f"mc_port is {str(mc_port)[:40]!r}: give the port that Minecraft shows, such as 25565")
            self._flags["server"] = f"localhost:{mc_port}"
        self._resume = "last" if resume and ckpt_dir is None else ""
        self._written = None if resume or ckpt_dir is None else Path(ckpt_dir).absolute()
        self._check_written()
        if resume and ckpt_dir is not None:
            folder = Path(ckpt_dir).absolute()
            read_ckpt(folder)
            self._flags["from_ckpt"] = str(folder)

    def _check_written(self) -> None:
        """Raise UsageError if a run cannot write `ckpt_dir` at its end, because it is there and not empty."""
        if self._written is not None:
            check_new(self._written, "go on from it with resume=True, or name a new folder")

    def learn(self, reset_env: bool = True) -> dict[str, list[str]]:
        """Learn until the iterations are used up. Return the completed tasks, the failed ones and the skills."""
        return asyncio.run(self._go(self._flags, self._resume))

    def inference(
        self,
        task: str | None = None,
        sub_goals: Sequence[str] = (),
        reset_mode: str = "hard",
        reset_env: bool = True,
    ) -> dict[str, list[str]]:
        """Solve a task or these sub-goals with the skills of the library. Return what `learn` returns.

        The run is new, and on the practice server its world is new too. Raises UsageError without a task and
        sub-goals.
        """
        if not task and not sub_goals:
            raise UsageError("inference needs a task or sub_goals: name what to reach")
        flags = {name: value for name, value in self._flags.items() if name != "from_ckpt"}
        return asyncio.run(self._go({**flags, "task": task or "", "sub_goal": list(sub_goals)}, ""))

    def decompose_task(self, task: str) -> list[str]:
        """Return the sub-goals of a task, by the model. Without a model the task is its own sub-goal.

        No session is kept. Raises BrainError if the model names none.
        """
        return asyncio.run(self._decompose(task))

    async def _go(self, flags: Mapping[str, Any], resume: str) -> dict[str, list[str]]:
        self._check_written()
        if resume:  # a resumed run keeps its world
            flags = {name: value for name, value in flags.items() if name not in ("world", "server")}
        run = await open_request(Request(flags=flags, resume=resume, mode=MODES["learn"]))
        folder = run.context.journal.folder
        if self._written is not None:
            run.context.exits.push_async_callback(asyncio.to_thread, self._write, run, self._written)
        await run.go()
        record = await asyncio.to_thread(Record.of, Events(folder))
        progress = record.progress
        return {"completed_tasks": progress.completed, "failed_tasks": progress.failed, "skills": record.own_skills}

    async def _decompose(self, task: str) -> list[str]:
        request = Request(flags={**self._flags, "task": task}, mode=MODES["learn"], trial=True)
        run = await open_request(request)  # a trial leaves no session that a resume could find
        async with run.context.exits:
            await run.context.enter()
            observation = await run.context.world.observe()
            try:
                return await self._learner(run).curriculum.decompose(observation)
            except RunEnded as ended:
                raise BrainError(ended.why) from None

    @staticmethod
    def _learner(run: Run) -> Learner:
        rules = run.agent.rules
        assert isinstance(rules, Learner)
        return rules

    def _write(self, run: Run, folder: Path) -> None:
        """Write the run as a ckpt folder, while its memory is open."""
        record = Record.of(Events(run.context.journal.folder))
        library = self._learner(run).keeper.index.library
        write_ckpt(folder, record, run.context.memory.rows(kind=KIND), library)
