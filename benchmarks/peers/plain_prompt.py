"""The peer of typing while an answer streams: the smallest possible prompt of prompt_toolkit."""

from prompt_toolkit import PromptSession

PromptSession().prompt("ready> ")
