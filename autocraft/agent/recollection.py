"""The memory of a run, as its settings choose it, and what the person said as rows of it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from autocraft.agent.state import State
from autocraft.brains.endpoint import OpenAISettings
from autocraft.memory import keeps_files
from autocraft.memory.choose import MemorySettings, open_configured
from autocraft.protocols import PERSON, Memory, MemoryRecord
from autocraft.session.events import Decision, Feedback
from autocraft.session.folder import SessionSettings, private_folder
from autocraft.settings.run import RunSettings
from autocraft.settings.settings import Settings
from autocraft.text.redact import Mask


def open_memory_of(settings: Settings, *, durable: bool, goals: Sequence[str] = ()) -> Memory:
    """Open the memory that the settings choose.

    Raises UsageError for impossible settings, and MemoryFault if the store cannot be opened.
    """
    options, endpoint = settings.fill(MemorySettings, "memory"), settings.fill(OpenAISettings, "openai")
    name, folder = settings.fill(RunSettings, "run").memory, settings.fill(SessionSettings, "session").root / "memory"
    return open_configured(
        name,
        options,
        folder=private_folder(folder) if keeps_files(name) else folder,
        durable=durable,
        goals=goals,
        api_key=endpoint.key,
        base_url=endpoint.url if endpoint.usable else "",
    )


def feedback_rows(state: State, session: str, place: str, mask: Mask) -> list[MemoryRecord]:
    """Return a row for each feedback of the person that no answer has taken into account. Helpers have none.

    The words of a player in the world are not stored. A row names the goal, so that it is near to the same goal later.
    """
    decision = state.turn.decision
    pending = [event for event in state.pending_feedback if not event.by]
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
