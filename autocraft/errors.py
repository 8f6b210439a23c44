"""The exceptions of autocraft as one tree. Those that other modules define have their module behind them.

    AutocraftError
    ├── UsageError                 what the person typed or set is wrong          exit 2
    ├── SessionError               a session cannot be opened or is damaged
    │   ├── OtherFormat            another build of autocraft wrote it
    │   └── InUse                  another run holds this session or workspace
    │       ├── LeftInUse          a process of a run that was killed holds it, and will end
    │       └── NoLock             its lock cannot be opened
    ├── BrainError                 the model could not answer
    │   ├── ContextOverflow        the prompt is longer than the model can take in
    │   └── ScriptEnded            the scripted brain has no answer left
    ├── LimitReached               the run is at a limit, or its next call would break one    exit 3
    ├── NodeMissing                Node or its packages are not there and cannot be fetched
    ├── WorldLost                  the Minecraft server cannot be reached (worlds/minecraft/faults.py)
    ├── MemoryFault                the memory store cannot be read or written
    ├── UnreadableReply            an answer holds no command that may be dispatched
    ├── ApprovalStale             what a person approved has changed since it was shown
    ├── InvalidCommand             the command is unknown, or its arguments are wrong
    │   └── InvalidAction          a slot, quantity or line that no action can have (crafting/environment.py)
    ├── Stopped                    the person stopped a program (sandbox/program.py)
    └── CommandError               a valid command could not be carried out
        ├── IllegalMove            the rules of the crafting world forbid it
        ├── BotFault               the bot did not carry it out to its end (worlds/minecraft/faults.py)
        ├── Refused                an effect of a program was refused (sandbox/program.py)
        ├── NoFile                 the workspace has no such file
        ├── NotEnough              ingredients are missing (crafting/execute.py)
        └── PathRefused            the path leaves the workspace
            └── NotAsked           other programs obey the file, and the person was not asked about it

    Beside the tree:
    RunEnded                       control flow: the run is over (agent/ending.py)
    FileSwapped                    an OSError: another process replaced a file that was just written (session/atomic.py)
    NotSynced                      an OSError: a change was made, and the disk did not confirm it (session/atomic.py)
    Refusal                        an endpoint did something that is not accepted (http_client.py)
    Unsound                        a plan's claim does not hold (crafting/verify/question.py)

Each text says in one line what to do next. The model reads the text of `CommandError`, `InvalidCommand` and
`UnreadableReply`, and the run goes on; `ApprovalStale` makes the gate ask again. The others end the run.
"""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

Spell = Callable[[str, dict[str, Any]], str]
"""Writes a command with its arguments as an agent has to write it."""


class AutocraftError(Exception):
    """Base of the tree. The person sees its text as one line."""

    exit_code = 1


class UsageError(AutocraftError):
    """A flag, a setting or a goal that the person gave cannot be used."""

    exit_code = 2


class SessionError(AutocraftError):
    """A session folder is missing, damaged beyond its last line, or of a newer format."""


class OtherFormat(SessionError):
    """A session was written by another build of autocraft, whose format this one does not read."""


class InUse(SessionError):
    """Another process holds the lock of this session or workspace."""


class LeftInUse(InUse):
    """The run that took the lock has ended. A process that it started holds the lock, and ends by itself."""


class NoLock(InUse):
    """The file of the lock cannot be opened, so waiting does not help."""


class BrainError(AutocraftError):
    """The model cannot be reached or refuses; the run can be resumed."""

    usage: Any = None
    """The `Usage` of the answers that were cut off before. None if no endpoint was asked."""


class ContextOverflow(BrainError):
    """The prompt does not fit. `limit` is the model's window in tokens, None if the endpoint does not say."""

    def __init__(self, text: str, limit: int | None = None) -> None:
        super().__init__(text)
        self.limit = limit


class ScriptEnded(BrainError):
    """The scripted brain was asked for more answers than its file holds."""


class LimitReached(AutocraftError):
    """A limit of the person leaves no room for the next step. `resume_with` is the flag that raises the limit."""

    exit_code = 3

    def __init__(self, text: str, resume_with: str = "") -> None:
        super().__init__(text)
        self.resume_with = resume_with


class NodeMissing(AutocraftError):
    """Node or its packages are not there and cannot be fetched."""


class MemoryFault(AutocraftError):
    """The memory store cannot be opened, read or written."""


class UnreadableReply(AutocraftError):
    """No command could be read from an answer without guessing.

    `flags` name the damage, for example ``("truncated",)``. The model reads the text.
    """

    def __init__(self, text: str, flags: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.flags = flags


class InvalidCommand(AutocraftError):
    """The registry does not know the command, or its arguments do not fit its signature."""


class ApprovalStale(AutocraftError):
    """The files that an approved command was shown with have changed before it ran. The person is asked again."""


class Advice(NamedTuple):
    """A sentence that goes with an error. The first of `commands` that is on offer stands for ``{}`` in its text.

    `args` has the arguments of those commands that would succeed now.
    """

    text: str
    commands: tuple[str, ...] = ()
    args: Mapping[str, dict[str, Any]] = MappingProxyType({})

    def words(self, commands: Collection[str], spell: Spell | None = None) -> str:
        """Return the sentence. Return "" if it needs a command and none of them is on offer.

        With `spell`, a command with known arguments is written in full.
        """
        name = next((name for name in self.commands if name in commands), "")
        if not name and self.commands:
            return ""
        return self.text.format(f"`{spell(name, self.args[name])}`" if spell and name in self.args else name)


class CommandError(AutocraftError):
    """A command could not be carried out. The model reads the text, and the advice that it can follow."""

    def __init__(self, text: str = "", *advice: Advice) -> None:
        super().__init__(text)
        self.advice = advice

    def with_advice(self, commands: Collection[str], spell: Spell | None = None) -> str:
        """Return the text with the advice for an agent that has the commands `commands`."""
        return "; ".join(filter(None, (str(self), *(each.words(commands, spell) for each in self.advice))))


class IllegalMove(CommandError):
    """A move or smelt that the rules forbid; nothing was changed."""


class NoFile(CommandError):
    """The workspace has no file of this name."""

    def __init__(self, name: str, near: str = "") -> None:
        near = f"; did you mean {near}?" if near else ""
        super().__init__(
            f"there is no file {name} in the workspace{near}", Advice("{} lists what there is", ("list_files",))
        )


class PathRefused(CommandError):
    """A path that is not inside the workspace, or that names a device."""


class NotAsked(PathRefused):
    """Files that other programs obey, and about whose change the person was not asked. `files` are name -> why."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        name, why = next(iter(files.items()))
        super().__init__(f"{name} changes only after a question of its own, as {why}; nobody was asked, so leave it")
