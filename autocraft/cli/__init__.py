"""The command line: each command is a few lines that hand over to the room that does the work.

Here is the list of them; the files beside this declare them by family. Nothing heavy is imported before a command is
chosen.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated, Any

import typer

from autocraft import __version__
from autocraft.cli import library, memories, runs, sessions, tools, trust
from autocraft.errors import AutocraftError

app = typer.Typer(
    name="autocraft",
    help="A terminal agent that plays Minecraft under a person's eye.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"autocraft {__version__}")
        raise typer.Exit


app.command(epilog=runs.EXAMPLES)(runs.run)
app.command()(runs.prompt)
app.command()(sessions.report)
app.command()(tools.commands)
app.command()(tools.models)
app.command()(tools.plan)
app.command("eval")(tools.evaluate)
app.command("practice-server")(tools.practice_server)
app.command()(trust.trust)
app.command("fix-json")(tools.fix_json)
app.add_typer(sessions.app, name="sessions")
app.add_typer(library.app, name="skills")
app.add_typer(memories.app, name="memory")


def _pages() -> Any:
    """What prints errors; imported for the first of them."""
    from autocraft.console import pages

    return pages


def main() -> None:
    """The console script: an error of ours is one line and its exit code, never a traceback."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins with Ctrl-C ignored
    if os.name == "nt":
        from colorama import just_fix_windows_console

        just_fix_windows_console()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")  # a byte that is no UTF-8
    try:
        app()
    except AutocraftError as error:
        _pages().print_error(str(error))
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        print(file=sys.stderr)
        raise SystemExit(130) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(1) from None
    except OSError as error:
        _pages().print_error(f"{error.strerror or error}: {error.filename or 'the disk or a stream'}")
        raise SystemExit(1) from None
    except Exception:  # noqa: BLE001 - nobody is above to catch it
        _pages().print_fault()
        raise SystemExit(1) from None
