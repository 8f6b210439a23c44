"""Every exception that autocraft raises, as one tree.

    AutocraftError
    ├── UsageError                 what the person typed or set is wrong          exit 2
    ├── SessionError               a session cannot be opened or is damaged
    │   └── InUse                  another run holds this session or workspace
    ├── BrainError                 the model could not answer
    │   ├── ContextOverflow        the prompt is longer than the model can take in
    │   └── ScriptEnded            the scripted brain has no answer left
    ├── LimitReached               the next call to a model would break a limit    exit 3
    ├── NodeMissing                Node or its packages are not there and cannot be fetched
    ├── WorldLost                  the Minecraft server cannot be reached (worlds/minecraft/faults.py)
    ├── MemoryFault                the memory store cannot be read or written
    ├── UnreadableReply            an answer holds no command that may be dispatched
    ├── ShownOtherwise             what a person approved is not what was shown any more
    ├── InvalidCommand             the command is unknown, or its arguments are wrong
    │   └── InvalidAction          a slot, quantity or line that no action can have (crafting/plancraft.py)
    └── CommandError               a valid command could not be carried out
        ├── IllegalMove            the rules of the crafting world forbid it
        ├── BotFault               the bot did not carry it out to its end (worlds/minecraft/faults.py)
        └── PathRefused            the path leaves the workspace

The text of each says what to do next, in one line. `CommandError`, `InvalidCommand` and `UnreadableReply`
are told to the model and the run goes on; the others end it.
"""


class AutocraftError(Exception):
    """Base of all; its text is shown to the person as one line."""

    exit_code = 1


class UsageError(AutocraftError):
    """A flag, a setting or a goal that the person gave cannot be used."""

    exit_code = 2


class SessionError(AutocraftError):
    """A session folder is missing, damaged beyond its last line, or of a newer format."""


class InUse(SessionError):
    """Another process holds the lock of this session or workspace."""


class BrainError(AutocraftError):
    """The model cannot be reached or refuses; the run can be resumed."""


class ContextOverflow(BrainError):
    """The prompt does not fit; `limit` is the model's window in tokens, None where the endpoint does not say."""

    def __init__(self, text: str, limit: int | None = None) -> None:
        super().__init__(text)
        self.limit = limit


class ScriptEnded(BrainError):
    """The scripted brain was asked for more answers than its file holds."""


class LimitReached(AutocraftError):
    """A limit that the person set leaves no room for what comes next; `resume_with` is the flag that gives more."""

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

    `flags` name what was seen, for example ``("truncated",)``; the model is told the text.
    """

    def __init__(self, text: str, flags: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.flags = flags


class InvalidCommand(AutocraftError):
    """The registry does not know the command, or its arguments do not fit its signature."""


class ShownOtherwise(AutocraftError):
    """What an approved command was shown with has changed before it ran; the person is asked again."""


class CommandError(AutocraftError):
    """A command could not be carried out; its text goes to the model as the result."""


class IllegalMove(CommandError):
    """A move or smelt that the rules forbid; nothing was changed."""


class PathRefused(CommandError):
    """A path that is not inside the workspace, or that names a device."""
