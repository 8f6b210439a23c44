"""The short lists of what may stand around a command: tags, tokens and fences. Whatever is on none is foreign.

Values only.
"""

from __future__ import annotations

import re

THINKING = frozenset(
    ["think", "thinking", "reasoning", "scratchpad", "thought", "thoughts", "reflection", "analysis", "seed:think",
     "mm:think", "antml:thinking", "antml:reasoning"]
)  # fmt: skip
"""Tags whose content is thought. It is left out, whatever it holds."""

THINKING_TOKENS: dict[str, str] = {
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|channel>thought": "<channel|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
}
"""The same as special tokens: opener -> closer."""

THOUGHT = re.compile(
    rf"</?(?:{'|'.join(map(re.escape, sorted(THINKING)))})\b|"
    + "|".join(re.escape(token) for pair in THINKING_TOKENS.items() for token in pair),
    re.IGNORECASE,
)
"""Where thoughts open or close."""

TOOL_TAGS = frozenset(
    ["tool_call", "tool_calls", "function_call", "function_calls", "toolcall", "toolcalls", "tool_use",
     "seed:tool_call", "minimax:tool_call", "antml:function_calls", "atem:function_calls"]
)  # fmt: skip
"""Tags around a call, which say that it is one: the words around it are not judged as a sentence without thoughts."""

WRAPPER_TAGS = frozenset(
    ["response", "answer", "reply", "final", "final_answer", "final_response", "assistant", "json", "command", "action"]
)
"""Tags around the answer as a whole."""

TOOL_TOKENS = frozenset(
    ["<|tool_call|>", "<|/tool_call|>", "<|tool_calls|>", "<|python_tag|>", "<|python_start|>", "<|python_end|>",
     "<|START_ACTION|>", "<|END_ACTION|>", "<|tool_call_start|>", "<|tool_call_end|>", "<|action_start|>",
     "<|action_end|>", "<|plugin|>", "<|tools_prefix|>", "<|tools_suffix|>", "[TOOL_CALLS]", "[/TOOL_CALLS]"]
)  # fmt: skip
"""Special tokens that stand for such tags."""

WRAPPER_TOKENS = frozenset(
    ["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|begin_of_solution|>", "<|end_of_solution|>", "<|START_TEXT|>",
     "<|END_TEXT|>", "<|open|>response<|sep|>", "<|close|>response<|sep|>"]
)  # fmt: skip

END_TOKENS = frozenset(
    ["<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>", "<|end|>", "<|return|>", "<|call|>",
     "<|END_OF_TURN_TOKEN|>", "<|assistant_end|>", "<｜end▁of▁sentence｜>", "<|end_of_sentence|>", "<|eot|>",
     "<|user|>", "</s>", "<eos>", "<end_of_turn>", "<turn|>", "[EOS]",
     "<|close|>message<|sep|>"]
)  # fmt: skip
"""Tokens that end the model's turn. Nothing after one is the model's."""

OWN_ROLES = frozenset({"assistant", "model", "ai", "bot"})

PROSE = frozenset({"", "text", "txt", "plaintext", "plain", "md", "markdown"})
"""Languages of a fence that may hold words about the command."""

FENCES = frozenset(
    ["", "json", "jsonc", "json5", "jsonl", "javascript", "js", "python", "py", "yaml", "yml", "xml", "text", "txt",
     "plaintext", "tool_code", "tool_call", "tool_calls", "command", "action", "answer", "response", "output"]
)  # fmt: skip
"""Languages of a fence that may hold the answer."""
