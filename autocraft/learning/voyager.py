"""`Voyager`: the class of Voyager's README, with its parameters and methods."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar

from autocraft.agent.ending import RunEnded
from autocraft.app import Request, Run, open_request
from autocraft.console.attended import is_attended
from autocraft.errors import AutocraftError, BrainError, CommandError, UsageError
from autocraft.features import MODES
from autocraft.learning.ckpt import read_ckpt
from autocraft.learning.ckpt_folder import check_ckpt, session_of
from autocraft.learning.learner import Learner
from autocraft.learning.record import Record
from autocraft.protocols import Message
from autocraft.session.atomic import sha256
from autocraft.session.events import End
from autocraft.session.folder import find
from autocraft.session.reading import Events
from autocraft.settings.config import read_run_config
from autocraft.skills.parse import parse
from autocraft.skills.store import Library
from autocraft.skills.voyager import read_folder, take_in
from autocraft.text.phrases import count, did_you_mean

T = TypeVar("T")
PARAMETERS: Mapping[str, str] = {
    "mc_port": "",
    "azure_login": "",
    "server_port": "",
    "openai_api_key": "openai.api_key",
    "env_wait_ticks": "",
    "env_request_timeout": "",
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
    "curriculum_agent_warm_up": "learn.warm_up",
    "curriculum_agent_core_inventory_items": "learn.core_items",
    "curriculum_agent_mode": "learn.curriculum",
    "critic_agent_model_name": "models.critic.model",
    "critic_agent_temperature": "models.critic.temperature",
    "critic_agent_mode": "learn.critic",
    "skill_manager_model_name": "models.describe.model",
    "skill_manager_temperature": "models.describe.temperature",
    "skill_manager_retrieval_top_k": "learn.shown",
    "openai_api_request_timeout": "openai.answer_seconds",
    "ckpt_dir": "",
    "skill_library_dir": "skills.skills_dir",
    "resume": "",
}
"""Parameter -> the setting that it sets, in Voyager's order, in which parameters may be given by position.

A setting without its parameter keeps its own default. `mc_port`, `ckpt_dir` and `resume` are read apart. The others
without a setting have no meaning here, and are accepted.
"""
CKPT = "ckpt"
"""The default of `ckpt_dir`."""
_VOYAGERS = ("skill", "code", "skills.json")
"""What a folder with one of Voyager's libraries holds."""
_MODES = ("curriculum_agent_mode", "critic_agent_mode")


class Learned(TypedDict):
    """What a run has reached. `skills` has the code and the description of each skill that it kept, by name.

    `end` has the `reason` of the run's end, the `exit` code that `autocraft learn` would have, and `why` in words.
    """

    completed_tasks: list[str]
    failed_tasks: list[str]
    skills: dict[str, dict[str, str]]
    end: dict[str, Any]


class Voyager:
    """Learns as `autocraft learn` does. `options` are further options of it, such as ``{"continuous": True}``.

    It plays Minecraft, also if the settings name another world. Without `mc_port` it plays on the practice server. The
    folder `ckpt_dir` names the session, and is written again after each task. With `resume`, `learn` goes on with the
    session that the folder names, or takes over a folder of Voyager's. Raises UsageError for an unknown or a wrong
    parameter.
    """

    def __init__(self, *given: Any, options: Mapping[str, Any] | None = None, **parameters: Any) -> None:
        parameters = self._named(given, parameters)
        self._resume = bool(parameters.pop("resume", None))
        ckpt = parameters.pop("ckpt_dir", None)
        self._ckpt = Path(CKPT if ckpt is None else ckpt).absolute()
        self._foreign = self._library_of(parameters)
        self._flags = {"world": "minecraft", **self._flags_of(parameters), **(options or {})}
        self._runner: asyncio.Runner | None = None
        self._rollout: _Rollout | None = None
        self._session = ""
        """The session of `learn`, once it is known."""
        self._from_ckpt = False
        self.exit_code = 0
        """The exit code that `autocraft learn` would have had for the last run."""
        if self._resume:
            self._find_session()
        else:
            self._check_ckpt()

    def _named(self, given: Sequence[Any], parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters by name. Raises UsageError for an unknown one, and for one that is given twice."""
        by_position = dict(zip(PARAMETERS, given, strict=False))
        twice = sorted(by_position.keys() & parameters.keys())
        if twice or len(given) > len(PARAMETERS):
            which = f" {twice[0]}" if twice else ""
            raise UsageError(f"Voyager takes {len(PARAMETERS)} parameters, each once: leave one{which} out")
        for name in parameters:
            if name not in PARAMETERS:
                hint = did_you_mean(name, PARAMETERS, "did you mean {}?")
                raise UsageError(f"Voyager has no parameter {name!r}; {hint}")
        return by_position | parameters

    def _flags_of(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that the parameters set. Raises UsageError."""
        for name in _MODES:
            if parameters.get(name) not in (None, "auto", "manual"):
                raise UsageError(f"{name} is {str(parameters[name])[:40]!r}: choose auto or manual")
        flags = {PARAMETERS[name]: value for name, value in parameters.items() if PARAMETERS[name]}
        warm_up = parameters.get("curriculum_agent_warm_up")
        if warm_up is not None:
            if not isinstance(warm_up, Mapping):
                raise UsageError("curriculum_agent_warm_up must be a dictionary, such as {'biome': 10}")
            flags["learn.warm_up"] = [f"{name}={least}" for name, least in warm_up.items()]
        port = parameters.get("mc_port")
        if port is not None:
            if type(port) is not int or not 0 < port < 65536:
                raise UsageError(f"mc_port is {str(port)[:40]!r}: give the port that Minecraft shows, such as 25565")
            flags["server"] = f"localhost:{port}"
        return flags

    @staticmethod
    def _library_of(parameters: dict[str, Any]) -> Path | None:
        """Return the folder of skills if it is one of Voyager's, and take it out of the parameters."""
        folder = parameters.get("skill_library_dir")
        if folder is None or not any((Path(str(folder)) / name).exists() for name in _VOYAGERS):
            return None
        del parameters["skill_library_dir"]
        return Path(str(folder)).absolute()

    # ------------------------------------------------------------ the folder

    def _check_ckpt(self) -> None:
        """Raise UsageError if a run cannot write `ckpt_dir`, because it is there and not empty."""
        try:
            check_ckpt(self._ckpt, self._session)
        except CommandError as error:
            raise UsageError(str(error)) from None

    def _find_session(self) -> None:
        """Find the session that the folder names. If there is none, check what a new run takes over from the folder."""
        root = self._root()
        try:
            session = session_of(self._ckpt)
        except CommandError as error:
            raise UsageError(str(error)) from None
        if session:
            try:
                find(root, session)
                self._session = session
                return
            except AutocraftError:  # the folder came from another computer, or the session was deleted
                pass
        if not read_ckpt(self._ckpt).iteration and session:
            raise UsageError(f"{self._ckpt} names the session {session}, which is not in {root}, and holds nothing")
        self._from_ckpt = True

    def _root(self) -> Path:
        """Return the folder of the sessions."""
        return read_run_config(self._flags, "", MODES["learn"]).session.root

    # ------------------------------------------------------------ Voyager's methods

    def learn(self, reset_env: bool = True) -> Learned:
        """Learn until the iterations are used up, or go on with it. Return what is reached.

        Raises an AutocraftError if a fault ended the run, such as a wrong key. It can be gone on with.
        """
        return self._run(self._learn())

    def inference(
        self,
        task: str | None = None,
        sub_goals: Sequence[str] = (),
        reset_mode: str = "hard",
        reset_env: bool = True,
    ) -> Learned:
        """Solve a task or these sub-goals with the skills of the library. Return what `learn` returns.

        The run is new, and on the practice server its world is new too. Raises UsageError without a task and
        sub-goals.
        """
        if not task and not sub_goals:
            raise UsageError("inference needs a task or sub_goals: name what to reach")
        return self._run(self._go({"task": task or "", "sub_goal": list(sub_goals), **self._new_ckpt()}))

    def decompose_task(self, task: str) -> list[str]:
        """Return the sub-goals of a task, by the model. Without a model the task is its own sub-goal.

        No session is kept. Raises BrainError if the model names none.
        """
        return self._run(self._decompose(task))

    def rollout(
        self, *, task: str, context: str = "", reset_env: bool = True
    ) -> tuple[list[Message], int, bool, dict[str, Any]]:
        """Try a task until it is reached or given up. Return what the last `step` returned."""
        self.reset(task, context, reset_env)
        while True:
            messages, reward, done, info = self.step()
            if done:
                return messages, reward, done, info

    def reset(self, task: str, context: str = "", reset_env: bool = True) -> list[Message]:
        """Begin a new run for one task. Return the prompt for its first program. No skill is kept."""
        self._end_rollout()
        flags = {"sub_goal": [task], "context": context, "give_up": True}
        request = self._request(flags)
        self._rollout = _Rollout()
        try:
            return self._run(self._rollout.begin(request))
        except BaseException:
            self._rollout = None
            raise

    def step(self) -> tuple[list[Message], int, bool, dict[str, Any]]:
        """Ask for a program, run it and judge it. Return the next prompt, 0, whether it is the end, and what is known.

        Raises ValueError before `reset`, as Voyager does.
        """
        if self._rollout is None:
            raise ValueError("Agent must be reset before stepping")
        messages, done, info = self._run(self._rollout.step())
        if done:
            self._end_rollout()
        return messages, 0, done, info

    def close(self) -> None:
        """End a run that `reset` began. It can be resumed."""
        self._end_rollout()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------ runs

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine gives. Those of a rollout share one loop, since its run goes on between them."""
        if self._runner is None:
            self._runner = asyncio.Runner()
        try:
            return self._runner.run(work)
        finally:
            if self._rollout is None:
                self._runner.close()
                self._runner = None

    def _end_rollout(self) -> None:
        """End the run of a rollout. Raises the fault that had ended it."""
        rollout, runner = self._rollout, self._runner
        if rollout is not None and runner is not None:
            end = runner.run(rollout.close())
            self._rollout = self._runner = None
            runner.close()
            self._check_end(end)

    def _request(self, flags: Mapping[str, Any], resume: str = "", *, trial: bool = False) -> Request:
        """Return the request for a run. A resumed run keeps its world. Raises UsageError for skills that wait."""
        own = {name: value for name, value in self._flags.items() if not resume or name not in ("world", "server")}
        if self._foreign is not None:
            own["skills_dir"] = str(self._bring_in(self._foreign))
        return Request(flags={**own, **flags}, resume=resume, mode=MODES["learn"], trial=trial)

    async def _learn(self) -> Learned:
        flags: dict[str, Any] = {"ckpt_dir": str(self._ckpt)}
        if self._from_ckpt and not self._session:
            flags["from_ckpt"] = str(self._ckpt)
        if not self._resume and not self._session:
            self._check_ckpt()
        return await self._go(flags, self._session, learns=True)

    def _new_ckpt(self) -> dict[str, str]:
        """Return the folder for a run that does not learn, if it is free."""
        try:
            check_ckpt(self._ckpt, "")
        except (UsageError, CommandError):
            return {}
        return {"ckpt_dir": str(self._ckpt)}

    async def _go(self, flags: Mapping[str, Any], resume: str = "", *, learns: bool = False) -> Learned:
        """Play a run to its end. Return what it has reached."""
        run = await open_request(self._request(flags, resume))
        if learns:
            self._session = run.context.session
        end = await run.go()
        self._check_end(end)
        record = await asyncio.to_thread(Record.of, Events(run.context.journal.folder))
        progress, library = record.progress, _learner(run).keeper.index.library
        return {
            "completed_tasks": progress.completed,
            "failed_tasks": progress.failed,
            "skills": _skills_of(library, record.own_skills),
            "end": {"reason": end.reason, "exit": end.exit, "why": end.why},
        }

    def _check_end(self, end: End) -> None:
        """Note the exit code. Raise the fault that ended a run."""
        self.exit_code = end.exit
        if end.reason == "error":
            raise AutocraftError(end.why)

    async def _decompose(self, task: str) -> list[str]:
        run = await open_request(self._request({"task": task}, trial=True))  # it leaves no session
        async with run.context.exits:
            await run.context.enter()
            observation = await run.context.world.observe()
            try:
                return await _learner(run).curriculum.decompose(observation)
            except RunEnded as ended:
                raise BrainError(ended.why) from None

    # ------------------------------------------------------------ libraries of Voyager's

    def _bring_in(self, folder: Path) -> Path:
        """Bring one of Voyager's libraries in, once, and ask the person about skills that nobody approved.

        Return autocraft's own folder for it. Raises UsageError if nobody can be asked or the answer is no.
        """
        own = self._root() / "libraries" / f"{folder.name}-{sha256(str(folder))[:8]}"
        library = Library(own)
        try:
            for each in read_folder(folder):
                if not each.problem and each.name not in library.names():
                    take_in(library, each)
            waiting = library.waiting()
        except CommandError as error:
            raise UsageError(str(error)) from None
        if not waiting:
            return own
        skills = count(len(waiting), "skill")
        way = f"autocraft skills --skills-dir {own} approve --all"
        if not _asked(f"{skills} of {folder} were written by others: {', '.join(waiting)}. Let the model use them?"):
            raise UsageError(f"{skills} of {folder} wait for your approval: {way}")
        for name in waiting:
            library.approve(name)
        return own


def _asked(question: str) -> bool:
    """Ask the person at the terminal. Return False if there is none, or for any answer but y."""
    if not is_attended():
        return False
    if sys.platform != "win32":
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed before the question is no consent
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def _learner(run: Run) -> Learner:
    rules = run.agent.rules
    assert isinstance(rules, Learner)
    return rules


def _skills_of(library: Library, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return code and description of each skill, by name."""
    found = {}
    for name in names:
        try:
            entry = library.entry(name)
        except CommandError:  # the person has deleted it since
            continue
        found[name] = {"code": entry.code, "description": entry.skill.description}
    return found


class _Rollout:
    """A run that goes on by one turn for each `step`."""

    def __init__(self) -> None:
        self.run: Run
        self.playing: asyncio.Task[End]
        self.ready, self.permit = asyncio.Event(), asyncio.Event()
        self.conversations: list[tuple[str, str, str]] = []
        self.messages: list[Message] = []
        self.leaving = False

    async def begin(self, request: Request) -> list[Message]:
        """Open the run and go to its first prompt. Return the prompt. Raises what ended the run before it."""
        self.run = await open_request(request)
        self.playing = asyncio.create_task(self.run.go(self._play, signals=False))
        await self._wait()
        if self.playing.done():
            end = self.playing.result()
            raise AutocraftError(end.why)
        return self.messages

    async def step(self) -> tuple[list[Message], bool, dict[str, Any]]:
        """Take one turn. Return the next prompt, whether the task is over, and what is known of it."""
        self.permit.set()
        await self._wait()
        progress = _learner(self.run).progress
        attempt, turn = progress.attempt, self.run.context.state.turn
        success = attempt is not None and attempt.outcome == "goal"
        over = self.playing.done() or (attempt is not None and attempt.over)
        info: dict[str, Any] = {"task": progress.text, "success": success, "conversations": self.conversations}
        if success and turn.intent is not None:
            info |= {"program_code": progress.code, "program_name": parse(progress.code).main}
        return self.messages, over, info

    async def close(self) -> End:
        """End the run. Return its end."""
        self.leaving = True
        self.permit.set()
        return await self.playing

    async def _wait(self) -> None:
        """Wait for the next prompt or the end of the run."""
        self.ready.clear()
        ready = asyncio.create_task(self.ready.wait())
        await asyncio.wait([ready, self.playing], return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()

    async def _play(self) -> End:
        return await self.run.agent.repeat(self._turn)

    async def _turn(self) -> None:
        """Prepare a turn, wait for the permission to take it, and take it. Raises RunEnded."""
        agent = self.run.agent
        await agent.check()
        self.messages = await agent.thinker.prompt(sent=False) if agent.thinker.brain.reads_prompt else []
        self.ready.set()
        await self.permit.wait()
        self.permit.clear()
        if self.leaving:
            raise RunEnded("stopped", "the program that began the run closed it")
        await agent.turn()
        answer = agent.state.turn.answer
        if answer is not None:
            system, human = ([each.content for each in self.messages] + ["", ""])[:2]
            self.conversations.append((system, human, answer.text))
