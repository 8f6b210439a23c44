"""Gives a run its page."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from socket import socket

from autocraft.agent.context import RunContext
from autocraft.console.approver import Person
from autocraft.errors import UsageError
from autocraft.text.phrases import pip_install
from autocraft.web.settings import PageSettings


def share(run: RunContext, person: Person, chosen: PageSettings) -> tuple[Person, socket]:
    """Return the person, who answers at the terminal and at a page, and the socket of the page. Raises UsageError.

    Without a terminal the page alone is asked.
    """
    chosen.check()
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(f"the live page needs {' and '.join(missing)}: {pip_install('mcp')}")
    from autocraft.web.live import LivePage
    from autocraft.web.loopback import listen
    from autocraft.web.reader import PagePerson, PageReader, SharedView
    from autocraft.web.server import PageServer

    listening = listen(chosen.web_port, "--web-port")
    server = PageServer(LivePage(run), listening)
    run.journal.viewers.append(server.live.event)
    typing = sys.stdin is not None and sys.stdin.isatty()
    reader = PageReader(person.reader, server, person.view.say, typing=typing)
    return PagePerson(reader, SharedView(person.view, reader, server, run), run, person.own_mask), listening
