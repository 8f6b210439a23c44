"""Reads the one command in a model's answer, however broken; refuses rather than guess.

Four stages, one module each: `plain` (strict JSON), `heuristic` (a tolerant reader, then json-repair as a second
opinion), `brace_slice` (every object of the answer, chosen by shape) and `llm_fix` (one call to a model). They share
`reader`, `quotes`, `strings` and `lexicon` (the tolerant reader), `shape` (what counts as a command), `wrappers` and
`yamlish` (tool-call tags, `f(a=1)`, YAML), `prose` (refusals, narration) and `reply` (the value and the flags).
`docs/json_fix.md` is the policy.
"""

from __future__ import annotations

from autocraft.json_fix.llm_fix import read_or_fix
from autocraft.json_fix.mended import describe, mended
from autocraft.json_fix.reading import parse_command, read
from autocraft.json_fix.reply import Registry, Reply

__all__ = ["Registry", "Reply", "describe", "mended", "parse_command", "read", "read_or_fix"]
