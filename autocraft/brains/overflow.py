"""Detects an error about a prompt that is too long, and the limit that it names. Each server words this differently."""

from __future__ import annotations

import re

_CODES = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
_N = r"[^\d]{0,40}?(\d[\d,_]*)"
_LIMITS = [
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"maximum context (?:length|size|window)(?: of| is| was)?{_N}",  # OpenAI, vLLM, llama-cpp-python, OpenRouter
        rf"maximum model length(?: of| is)?{_N}",  # vLLM
        rf"available context size{_N}",  # llama.cpp
        rf"loaded with context length of(?: only)?{_N}",  # LM Studio
        rf"reached context length of{_N}",  # LM Studio, in the middle of an answer
        rf"too large for model with{_N}",  # Mistral
        r"too long:?[^>]{0,40}>\s*(\d[\d,_]*)",  # Anthropic behind a router
        rf"exceeds? the (?:configured )?(?:limit|maximum)(?: number)?(?: of)?(?: input)? ?(?:tokens allowed)?{_N}",
        rf"exceeds? (?:the )?limit of{_N}",  # vLLM's scheduler
        rf"must (?:be|have) (?:<=|less than|at most){_N}",  # text-generation-inference
        rf"request too large.{{0,200}}?limit{_N}",  # a token budget a minute that one request breaks
    )
]
_WORDS = re.compile(
    r"maximum context (?:length|size|window)|maximum model length|available context size|context length of only"
    r"|reached context length|exceeds?(?: the| max(?:imum)?)? context|(?:prompt|input) is too long|prompt too long"
    r"|too many tokens|input token count|input tokens exceed|reduce the length of the (?:messages|prompt|input)"
    r"|too large for model with|is too long and exceeds limit|max_new_tokens\W+must be|request too large",
    re.IGNORECASE,
)


def is_overflow(text: str, code: str = "") -> bool:
    return code in _CODES or _WORDS.search(text) is not None


def limit_in(text: str) -> int | None:
    """Return the context window in tokens that the text names. Return None if it names none."""
    for pattern in _LIMITS:
        match = pattern.search(text)
        if match:
            number = int(re.sub(r"[,_]", "", match[1]))
            return number or None
    return None
