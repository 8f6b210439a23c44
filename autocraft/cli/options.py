"""Options of the verbs. Those that are settings are made from the settings' own fields."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from typer.core import TyperCommand, TyperGroup

from autocraft.cli import completion
from autocraft.errors import UsageError
from autocraft.settings.fields import hints_of, kinds, option_of
from autocraft.unpacking import TooMuch, bounded, bounded_lines

Verb = Callable[..., int | None]
"""What a verb is: it returns its exit code, or None for 0."""
Flags = Mapping[str, Any]
"""The settings that a verb was given: name of the field -> value, None where it was left out."""
Words = Annotated[
    list[str] | None, typer.Argument(metavar="GOAL", help="What to reach, such as: craft 1 stone_pickaxe")
]
Goals = Annotated[
    list[str] | None, typer.Option("--goal", "-g", metavar="TEXT", help="The same; repeat it for several goals.")
]
Profile = Annotated[
    str,
    typer.Option(
        help="ollama, openrouter, anthropic, gemini … (docs/settings.md), or your own.",
        autocompletion=completion.profiles,
    ),
]
Resume = Annotated[
    str,
    typer.Option(
        help="Go on with a kept run: its id, or last; without one, pick it.", autocompletion=completion.sessions
    ),
]
Web = Annotated[bool, typer.Option("--web", help="Show the run on a page of this computer, and ask there too.")]
RUN = ("run", "gate", "limits", "minecraft", "prompt", "commands", "openai", "console", "session")
"""The sections whose options every verb has that opens a run."""
_TITLES = {
    "learn": "Learning",
    "mcp": "Clients",
    "run": "World, brain and files",
    "gate": "What runs without a question",
    "limits": "Limits",
    "minecraft": "With --world minecraft",
    **dict.fromkeys(
        [f"minecraft.{name}" for name in ("username", "bots", "auth", "unknown", "listen_to")],
        "The bots, with --world minecraft",
    ),
    "prompt": "What a model is told",
    "commands": "What a model is told",
    "openai": "Model",
    "console": "What is shown",
    "web_page": "What is shown",
    "session": "What is kept",
}
"""Section or setting -> the title of its options in the help of a verb that has all of them."""


PICK = "?"
"""The value of --resume without one: the person picks a session."""
_BARE = {"--resume": PICK, "--html": "report.html"}
"""Option that may stand without its value -> the value that it has then."""


_TYPE = re.compile(r" <([\w\[\]]+)>$")
_TYPE_WORDS = {"str": " TEXT", "int": " N", "float": " NUMBER", "path": " PATH"}
"""Type of Python in a help text -> the word for a value of it. An argument has a word of its own."""


def _with_value(params: Iterable[Any]) -> set[str]:
    """Return the names of the options that have a value."""
    return {name for each in params if not getattr(each, "is_flag", False) for name in each.opts}


class _Worded:
    """A verb, or a group of them, whose help has words for values in place of types of Python."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write = formatter.write_dl

        def write_words(rows: list[tuple[str, str]], *rest: Any, **more: Any) -> None:
            named = ((_TYPE.sub(lambda found: _TYPE_WORDS.get(found[1], ""), name), text) for name, text in rows)
            write(list(named), *rest, **more)

        formatter.write_dl = write_words
        self.write_options(ctx, formatter)

    def write_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)  # type: ignore[misc]


class PlainCommand(_Worded, TyperCommand):
    """A verb with few options."""


class PlainGroup(_Worded, TyperGroup):
    """A group of verbs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the options of the group behind a verb too, as in ``skills list --state-dir FOLDER``."""
        names = _with_value(self.params)
        own: list[str] = []
        others: list[str] = []
        words = iter(args)
        for word in words:
            if word == "--":
                others += [word, *words]
            elif word in names:
                own += [word, *itertools.islice(words, 1)]
            else:
                (own if word.partition("=")[0] in names else others).append(word)
        return super().parse_args(ctx, [*own, *others])


class App(typer.Typer):
    """The verbs of a module."""

    def command(self, name: str | None = None, *, cls: type[TyperCommand] | None = PlainCommand, **more: Any) -> Any:
        return super().command(name, cls=cls, **more)


class GroupedCommand(PlainCommand):
    """A verb whose help lists its options under the titles of their sections."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Complete the options of `_BARE` that stand without a value."""
        names = _with_value(self.params)
        full: list[str] = []
        for word, after in zip(args, [*args[1:], "--"], strict=False):
            is_bare = word in _BARE.keys() & names and after.startswith("-") and after != "-"
            full += [word, _BARE[word]] if is_bare else [word]
        return super().parse_args(ctx, full)

    def write_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                own = "Arguments" if param.param_type_name == "argument" else "Options"
                groups.setdefault(getattr(param, "rich_help_panel", None) or own, []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records, col_max=32)


def goals_of(words: list[str] | None) -> list[str]:
    """Return the goals in the words of a command line: unquoted words are one goal, quoted ones a goal each."""
    words = words or []
    return words if any(" " in word for word in words) else [" ".join(words)] * bool(words)


def new_app() -> typer.Typer:
    """Make the app of one verb, or of a group of them."""
    return App(cls=PlainGroup, no_args_is_help=True, rich_markup_mode=None, add_completion=False)


def with_settings(*names: str) -> Callable[[Verb], Verb]:
    """Give a verb the options of a whole section, or of one field as ``section.field``. They come to it as `flags`."""

    def decorate(verb: Verb) -> Verb:
        options = {each.name: each for name in names for each in _parameters(*name.split("."))}

        @wraps(verb)
        def call(**values: Any) -> int | None:
            return verb(flags={name: values.pop(name) for name in options}, **values)

        own = [each for each in inspect.signature(verb, eval_str=True).parameters.values() if each.name != "flags"]
        call.__signature__ = inspect.Signature([*own, *options.values()])  # type: ignore[attr-defined]
        return call

    return decorate


def path_of(text: str | Path) -> Path:
    """Return a path with the home folder for ~, which a shell leaves as it is after =. Raises UsageError."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise UsageError(f"no user of that name has a home folder here: write the whole path, not {text}") from None


def read_text(file: Path | None) -> str:
    """Return the text of a file, or of standard input without one. Raises UsageError."""
    with _opened(file) as source:
        return b"".join(bounded(source)).decode("utf-8-sig", "replace")


def read_lines(file: Path | None, longest: int) -> Iterator[str]:
    """Yield the lines of a file, or of standard input without one. Raises UsageError, also for too long a line."""
    with _opened(file) as source:
        for line in bounded_lines(source, longest):
            yield line.decode("utf-8", "replace")


@contextmanager
def _opened(file: Path | None) -> Iterator[BinaryIO]:
    """Open a file, or standard input without one. Raises UsageError for what cannot be read, or is too much."""
    if file is None and sys.stdin is None:
        raise UsageError("standard input is closed: give a file")
    if file is None and sys.stdin.isatty():
        print("Type or paste the text. Ctrl-D in an empty line ends it.", file=sys.stderr)
    try:
        if file is None:
            yield sys.stdin.buffer
        else:
            with file.open("rb") as source:
                yield source
    except TooMuch as error:
        raise UsageError(f"cannot read {file or 'standard input'}: {error}; give a part of it") from None
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}; give a file that exists") from None


def root_folder(flags: Flags) -> Path:
    """Return the folder of sessions and memory. Raises UsageError."""
    from autocraft.settings.config import read_config

    return read_config(flags).session.root


def _parameters(section: str, only: str = "") -> Iterator[inspect.Parameter]:
    """Yield a parameter for each field of a section that is an option, or for the field `only`."""
    kind = kinds([section])[section]
    hints = hints_of(kind)
    for field in dataclasses.fields(kind):
        names, value = option_of(field)
        if names and only in ("", field.name):
            doc = field.metadata["doc"]
            text = f"{doc[:1].upper()}{doc[1:]}."
            setting = f"{section}.{field.name}"
            title = None if only else _TITLES.get(setting, _TITLES.get(section))
            values = completion.of_setting(setting, value)
            parameter = typer.Option(
                None, *names, metavar=value or None, help=text, rich_help_panel=title, autocompletion=values
            )
            hint = hints[field.name]
            annotation = (list[str] if typing.get_origin(hint) is tuple else hint) | None
            yield inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=parameter, annotation=annotation
            )
