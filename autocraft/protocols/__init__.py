"""The protocols between the packages, and the plain values that pass between them."""

from __future__ import annotations

from autocraft.protocols.approver import (
    EARLIER_GOALS,
    END_OF_INPUT,
    JUDGE,
    NOBODY,
    PERSON,
    TAKEN_BACK,
    Approver,
    Decision,
    Proposal,
)
from autocraft.protocols.brain import Answer, Brain, Delta, Image, Message
from autocraft.protocols.commands import (
    FAMILIES,
    Call,
    Command,
    CommandMethod,
    Family,
    Hook,
    Reach,
    Result,
    Settled,
    command,
    commands_of,
)
from autocraft.protocols.memory import Memory, MemoryRecord
from autocraft.protocols.values import PROGRAM, Args, Json, Risk
from autocraft.protocols.world import Check, LiveWorld, Observation, Plan, SparingWorld, Step, VisibleWorld, World, peek

__all__ = [
    "EARLIER_GOALS",
    "END_OF_INPUT",
    "FAMILIES",
    "JUDGE",
    "NOBODY",
    "PERSON",
    "PROGRAM",
    "TAKEN_BACK",
    "Answer",
    "Approver",
    "Args",
    "Brain",
    "Call",
    "Check",
    "Command",
    "CommandMethod",
    "Decision",
    "Delta",
    "Family",
    "Hook",
    "Image",
    "Json",
    "LiveWorld",
    "Memory",
    "MemoryRecord",
    "Message",
    "Observation",
    "Plan",
    "Proposal",
    "Reach",
    "Result",
    "Risk",
    "Settled",
    "SparingWorld",
    "Step",
    "VisibleWorld",
    "World",
    "command",
    "commands_of",
    "peek",
]
