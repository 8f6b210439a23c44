"""Reads the one command in a model's answer, also in a broken one. It refuses an answer rather than guess.

Four stages: strict JSON (`plain`), one object with faults (`heuristic`), an object among other things (`brace_slice`),
and one call to a model (`llm_fix`). `reading` calls them. `frame` says what the place of a command means: yes, no or
unsure. The parts below them by subject:
- the scan of an answer: `scan` (its state), `tags`, `tokens` (the lists); `sources` (quotations of the prompt);
- objects: `reader` with `strings`, `lexicon`;
- other forms: `calls` (tool calls of the model families, ``f(a=1)``, Action), `yamlish`;
- what counts as a command: `shape` with `keys`, `values`; while an answer streams: `prefix`;
- results and messages: `reply`.
`docs/json_fix.md` is the policy.
"""

from __future__ import annotations

from autocraft.json_fix.llm_fix import read_or_fix
from autocraft.json_fix.reading import parse_command, read
from autocraft.json_fix.reply import Registry, Reply, describe, repair_diff

__all__ = ["Registry", "Reply", "describe", "parse_command", "read", "read_or_fix", "repair_diff"]
