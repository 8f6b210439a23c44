"""The peer of typing while an answer streams: the least that a prompt of prompt_toolkit can be, with nothing else."""

from prompt_toolkit import PromptSession

PromptSession().prompt("ready> ")
