"""The tags, tokens and fences that may be around a command. All others are foreign. Values only."""

from __future__ import annotations

import re

THINKING = frozenset(
    ["think", "thinking", "reasoning", "scratchpad", "thought", "thoughts", "reflection", "analysis", "seed:think",
     "mm:think", "antml:thinking", "antml:reasoning"]
)  # fmt: skip
"""Tags around thoughts. Their content is never examined."""

THINKING_TOKENS: dict[str, str] = {
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|channel>thought": "<channel|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
}
"""Special tokens around thoughts: opener -> closer."""

THOUGHT = re.compile(
    rf"</?(?:{'|'.join(map(re.escape, sorted(THINKING)))})\b|"
    + "|".join(re.escape(token) for pair in THINKING_TOKENS.items() for token in pair),
    re.IGNORECASE,
)
"""The start or the end of thoughts."""

TOOL_TAGS = frozenset(
    ["tool_call", "tool_calls", "function_call", "function_calls", "toolcall", "toolcalls", "tool_use",
     "seed:tool_call", "minimax:tool_call", "antml:function_calls", "atem:function_calls"]
)  # fmt: skip
"""Tags around a call. The words around such a call are judged as those around an object with thoughts."""

WRAPPER_TAGS = frozenset(
    ["response", "answer", "reply", "final", "final_answer", "final_response", "assistant", "json", "command", "action"]
)
"""Tags around the whole answer."""

TOOL_TOKENS = frozenset(
    ["<|tool_call|>", "<|/tool_call|>", "<|tool_calls|>", "<|python_tag|>", "<|python_start|>", "<|python_end|>",
     "<|START_ACTION|>", "<|END_ACTION|>", "<|tool_call_start|>", "<|tool_call_end|>", "<|action_start|>",
     "<|action_end|>", "<|plugin|>", "<|tools_prefix|>", "<|tools_suffix|>", "[TOOL_CALLS]", "[/TOOL_CALLS]"]
)  # fmt: skip
"""Special tokens with the meaning of such tags."""

WRAPPER_TOKENS = frozenset(
    ["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|begin_of_solution|>", "<|end_of_solution|>", "<|START_TEXT|>",
     "<|END_TEXT|>", "<|open|>response<|sep|>", "<|close|>response<|sep|>"]
)  # fmt: skip

END_TOKENS = frozenset(
    ["<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>", "<|end|>", "<|return|>", "<|call|>",
     "<|END_OF_TURN_TOKEN|>", "<|assistant_end|>", "<｜end▁of▁sentence｜>", "<|end_of_sentence|>", "<|eot|>",
     "<|user|>", "</s>", "<eos>", "<end_of_turn>", "<|end_of_turn|>", "<turn|>", "[EOS]",
     "[DONE]", "[/INST]", "<|close|>message<|sep|>"]
)  # fmt: skip
"""Tokens that end the model's turn. A text after one is not the model's."""

OWN_ROLES = frozenset({"assistant", "model", "ai", "bot"})

PROSE = frozenset({"", "text", "txt", "plaintext", "plain", "md", "markdown"})
"""Languages of a fence that may hold words about the command."""

FENCES = frozenset(
    ["", "json", "jsonc", "json5", "jsonl", "hjson", "javascript", "js", "typescript", "ts", "python", "py", "yaml",
     "yml", "xml", "text", "txt", "plaintext", "tool_code", "tool_call", "tool_calls", "command", "action", "answer",
     "response", "output"]
)  # fmt: skip
"""Languages of a fence that may hold the answer."""
