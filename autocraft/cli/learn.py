"""`autocraft learn`: learn from tasks of its own, and keep the programs that work as skills."""

from __future__ import annotations

from typing import Annotated

import typer

from autocraft.cli.options import RUN, Flags, GroupedCommand, Profile, Resume, Web, new_app, path_of, with_settings
from autocraft.errors import UsageError

EXAMPLES = """Examples:

\b
  autocraft learn --iterations 8 --continuous
  autocraft learn --server localhost:25565 --model gpt-5
  autocraft learn --manual-curriculum --manual-critic
  autocraft learn --from-ckpt ../Voyager/ckpt
  autocraft learn --resume last

Exit codes: 0 all iterations done, or the task reached, 1 error, 2 usage, 3 limit or stuck, 4 stopped, 130 Ctrl-C."""

app = new_app()


@app.command(cls=GroupedCommand, epilog=EXAMPLES)
@with_settings("learn", "skills.skills_dir", *RUN, "web_page")
def learn(
    flags: Flags,
    resume: Resume = "",
    manual_curriculum: Annotated[
        bool, typer.Option("--manual-curriculum", help="The same as --curriculum manual.")
    ] = False,
    manual_critic: Annotated[bool, typer.Option("--manual-critic", help="The same as --critic manual.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One event a line on standard output.")] = False,
    web: Web = False,
    profile: Profile = "",
) -> int:
    """Learn as Voyager does: propose tasks, write programs, keep those that work."""
    from autocraft.app import Request
    from autocraft.cli.run import pursue
    from autocraft.features import MODES
    from autocraft.learning.ckpt import read_ckpt

    if flags["from_ckpt"] and resume:
        raise UsageError("--from-ckpt belongs to a new run: a resumed one goes on from its own journal")
    for name, manual in (("curriculum", manual_curriculum), ("critic", manual_critic)):
        if manual and flags[name] not in (None, "manual"):
            raise UsageError(f"--manual-{name} is the same as --{name} manual: leave one of the two out")
        flags = {**flags, name: "manual"} if manual else flags
    if flags["from_ckpt"]:
        read_ckpt(path_of(flags["from_ckpt"]).absolute())  # what is wrong with it is said before a session begins
    return pursue(Request((), flags, resume, profile, as_json, mode=MODES["learn"]), web=web)
