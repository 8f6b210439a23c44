"""Questions about the game that the curriculum asks itself, with answers stored in memory."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass

from autocraft.errors import MemoryFault
from autocraft.learning.asking import FEW_TRIES, Adviser, NoRoom, Unusable
from autocraft.protocols import Memory, MemoryRecord
from autocraft.session.atomic import sha256
from autocraft.text.prompts import Data

ALIKE = 0.975
"""The similarity from which a question counts as asked before. Voyager's distance below 0.05 is the same."""
MOST_SHOWN = 5
MOST_ASKED = 10
KIND = "question"
UNKNOWN = "Answer: Unknown"
_THINGS = ("blocks", "items", "mobs")
_QUESTION = re.compile(r"^[ \t]*(?:Question )?\d+[:.)]\s*(.+\?)\s*$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Questions:
    """Asks and answers questions about the game. `memory` keeps the answers for later runs."""

    adviser: Adviser
    memory: Memory

    async def context(self, task: str) -> str:
        """Return how to do a task, by the model. Return '' without a model, or if it does not know."""
        if not self.adviser.asks_model:
            return ""
        words = re.sub(r" ores?\b|\.", "", task.lower().replace("_", " "))
        question = f"How to {words} in Minecraft?"
        answer = await self.answer(question)
        return f"Question: {question}\n{answer}" if helps(answer) else ""

    async def about(self, observation: str, biome: str) -> str:
        """Return questions and answers on what is seen, the most useful ones. Return '' without a model."""
        if not self.adviser.asks_model:
            return ""
        place = biome.replace("_", " ") or "place where I am"
        questions = [f"What are the {things} that I can find in the {place} in Minecraft?" for things in _THINGS]
        with suppress(Unusable, NoRoom):
            seen = {"observation": Data("world", observation)}
            questions += await self.adviser.ask("question", "learn_questions.j2", _read, seen, FEW_TRIES)
        pairs = [(question, await self.answer(question)) for question in dict.fromkeys(questions)]
        useful = [(question, answer) for question, answer in pairs if helps(answer)]
        return "\n".join(f"Question: {question}\n{answer}" for question, answer in useful[:MOST_SHOWN])

    async def answer(self, question: str) -> str:
        """Return the answer that memory has to a question like this, else the model's. It may be "Answer: Unknown"."""
        stored = await asyncio.to_thread(self._stored, question)
        if stored:
            return stored
        asked = {"question": Data("question", question)}
        try:
            answer = await self.adviser.ask("question", "learn_answer.j2", _read_answer, asked, FEW_TRIES)
        except (Unusable, NoRoom):
            return UNKNOWN
        await asyncio.to_thread(self._keep, question, answer)
        return answer

    def _stored(self, question: str) -> str:
        try:
            near = self.memory.get_relevant(question, 1, where={"kind": KIND}, exact=True)
        except MemoryFault:
            return ""
        return str(near[0].metadata.get("answer", "")) if near and near[0].score >= ALIKE else ""

    def _keep(self, question: str, answer: str) -> None:
        if not self.memory.remembers or not helps(answer):
            return
        try:
            self.memory.add_many([row_of(question, answer)])
        except MemoryFault:  # the answer is asked for again next time
            return


async def _read(text: str) -> list[str]:
    """Return the questions in an answer. Raises Unusable."""
    questions = [question.strip() for question in _QUESTION.findall(text)]
    if not questions:
        raise Unusable('it had no line "Question 1: ...?"')
    return questions[:MOST_ASKED]


async def _read_answer(text: str) -> str:
    """Return an answer that begins with "Answer:". Raises Unusable."""
    if not text:
        raise Unusable("it was empty")
    return text if text.startswith("Answer:") else f"Answer: {text}"


def row_of(question: str, answer: str) -> MemoryRecord:
    """Return a question with its answer as a row of memory. It has one id in all runs, so it is stored once."""
    return MemoryRecord(f"{KIND}:{sha256(question)[:16]}", question, {"kind": KIND, "answer": answer})


def helps(answer: str) -> bool:
    """Return whether an answer says anything."""
    return UNKNOWN not in answer and "language model" not in answer
