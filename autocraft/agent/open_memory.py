"""The memory of a run, as its settings choose it, and what the person said as rows of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autocraft import extensions
from autocraft.agent.state import State
from autocraft.brains.endpoint import OpenAISettings
from autocraft.features import PARTS
from autocraft.memory import keeps_files, open_memory, remembers
from autocraft.memory.choose import MemoryOptions, MemorySettings, namespace_of
from autocraft.memory.embed import open_embedder
from autocraft.protocols import PERSON, Memory, MemoryRecord
from autocraft.session.events import Decision, Feedback
from autocraft.session.folder import private_folder
from autocraft.text.redact import Mask


def open_memory_of(
    backend: str,
    chosen: MemorySettings,
    endpoint: OpenAISettings,
    root: Path,
    *,
    durable: bool,
    goals: Sequence[str] = (),
    given: Memory | None = None,
) -> Memory:
    """Open the memory of this name, or take the one that a program has `given`.

    `endpoint` may embed its texts, and `root` holds all state.

    Raises UsageError for impossible settings, and MemoryFault if the store cannot be opened.
    """
    if not remembers(backend):
        return open_memory(backend)
    namespace = namespace_of(chosen.namespace, goals)
    if given is not None:
        kept: Memory = extensions.make("memory", backend, None, given)
        return kept
    if backend not in PARTS["memory"]:
        extensions.load("memory", backend)  # an unknown name makes no folder
        folder = private_folder(root / "memories" / backend)
        memory: Memory = extensions.make("memory", backend, MemoryOptions(chosen, folder, namespace, durable))
        return memory
    server: dict[str, Any] = {}
    if chosen.embedder == "openai":
        url = endpoint.url if endpoint.usable else ""
        server = {"model": chosen.embedding_model, "api_key": endpoint.key, "base_url": url}
    embedder = open_embedder(chosen.embedder, **server)
    if chosen.floor is not None:
        embedder.floor = chosen.floor
    options: dict[str, Any] = {}
    if keeps_files(backend):
        folder = private_folder(root / "memory")
        options = {"path": folder, "durable": durable}
    return open_memory(backend, embedder=embedder, namespace=namespace, **options, **chosen.server(backend))


def feedback_rows(state: State, session: str, place: str, mask: Mask) -> list[MemoryRecord]:
    """Return a row for each feedback of the person that no answer has taken into account. Helpers have none.

    Words for all bots are stored by the first one, words for one bot by that one. The words of a player in the world
    are not stored. A row names the goal, so that it is near to the same goal later.
    """
    decision = state.turn.decision
    pending = [event for event in state.pending_feedback if not event.by and (event.alone or not event.bot)]
    remarks: list[tuple[Feedback | Decision, str]] = [(event, event.text) for event in pending]
    if decision is not None and decision.by in PERSON and decision.feedback:
        remarks.append((decision, decision.feedback))
    goal = state.goal_text
    metadata = {"session": session, "kind": "feedback", "goal": goal, "place": place}
    return [
        MemoryRecord(
            f"{session}:feedback:{event.seq}",
            mask.text(f"The person said about the goal {goal!r}: {text}"),
            {**metadata, "time": int(event.time or time.time())},
        )
        for event, text in remarks
        if state.agent == "main" and text.strip()
    ]
