"""Opens a run with its page."""

from __future__ import annotations

from importlib.util import find_spec

from autocraft.app import Request, Run, open_request
from autocraft.errors import UsageError
from autocraft.installation import install_line
from autocraft.settings.config import read_config
from autocraft.web.settings import PageSettings


async def open_shared(request: Request) -> Run:
    """Open a run that is served as a page, and asks there too. Without a terminal it asks at the page alone.

    Raises what `app.open_request` raises.
    """
    options = read_config(request.flags, request.profile).of(PageSettings)
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(f"the live page needs {' and '.join(missing)}: {install_line('mcp')}")
    from autocraft.console.typed import TypedReader
    from autocraft.web.loopback import listen
    from autocraft.web.reader import PageReader, SharedView
    from autocraft.web.server import PageServer

    listening = listen(options.web_port, "--web-port")
    try:
        run = await open_request(request)
    except BaseException:
        listening.close()
        raise
    server = PageServer(run.context, listening, opens=options.web_open)
    run.context.journal.viewers.append(server.live.event)
    person = run.person
    reader = PageReader(person.reader, server, person.view.say, typing=isinstance(person.reader, TypedReader))
    reader.on_line = person.receive_line
    person.reader, person.view, person.attended = reader, SharedView(person.view, reader, server, run.context), True
    return run
