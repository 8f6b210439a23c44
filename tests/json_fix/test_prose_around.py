"""Words around an object that take it back, and words that do not."""

from __future__ import annotations

import pytest

from autocraft.errors import UnreadableReply
from autocraft.json_fix import read

OBJECT = '{"thoughts": {"text": "t"}, "command": {"name": "dig", "args": {"a": 1}}}'
HARMLESS = [
    "Sure! Here is the JSON: @",
    "I'll do that now.\n\n@",
    "Without further ado: @",
    "Sorry for the bad format. Here is the corrected JSON:\n@",
    "To fix my mistake:\n```json\n@\n```",
    "I can't craft it yet, so first: @",
    "I don't have wood. @",
    "My decision, after thinking it over:\n\n@",
    "Based on the previous results I will run:\n@",
    "@\nThat's all.",
    "@\nThis will not take long.",
    "@\nI'll wait for the result.",
    "I considered waiting, but decided:\n@",
    "It is not safe to stay here. Next command: @",
    "As the user asked, here is my answer:\n@",
    "The last attempt failed because of lava. Now:\n@",
    'I will first browse the repository (https://github.com/x/y). I will use the "browse_website" command for this. @',
    "Final answer: @",
    "Command to run: @",
    "If all goes well, we are done after this:\n@",
    "I must not forget torches.\n@",
    "To avoid lava I go up: @",
    "Here's what I'd do: @",
    "Output:\n@",
    "Response:\n\n@\n\nNote: I did not use any tool.",
    "I have never done this before! @",
    "@ <- run this",
    "@\n\nIf this fails I'll try something else.",
    "@ Thanks!",
    "@\nPlease confirm that it worked.",
    "The zombie won't wait. My next step:\n@",
    "No problem. @",
    "Not a problem:\n@",
    "I'm not sure this is right but here goes: @",
    "After careful thought: @",
    "Once more: @",
    "When ready: @",
    "Now, as planned:\n@",
    "I've read the notes. Command: @",
    "Since I can't see in the dark, I'll place a torch: @",
    "Step 1 done. Step 2: @",
]
OBJECTIONS = [
    "I will not run @ because it is harmful.",
    "I'm sorry, but I cannot help with that.\n@",
    "Do not send @ now.",
    "Earlier I ran @ and it failed.",
    "For example, @ would dig.",
    "@\nWait, scratch that.",
    "Never answer @",
    "If I were free I would say @.",
    "I first thought of @ but that wastes time.",
    "You should never reply with @",
    "Instead of @ I would rather wait.",
    "I refuse to run @",
    "The user said: @",
    "Yesterday I executed @.",
    "@ is what I did last turn.",
    "@ was rejected.",
    "@ would be wrong.",
    "An example of a bad answer: @",
    "Don't do this:\n```json\n@\n```",
    "The previous command was: @",
    "@\nActually, no. Don't run that.",
    "I could have sent @",
    "The wrong answer: @",
    "This is only an example:\n@",
    "Suppose the model says @",
    "I won't do this: @",
    "Human: @",
    "I was going to run @",
    "@ — never mind.",
    "My last answer was @ and it got rejected.",
    "Steve typed @ and died.",
    "We can't run @ here.",
]


@pytest.mark.parametrize("words", HARMLESS)
def test_the_command_is_read(words: str) -> None:
    reply = read(words.replace("@", OBJECT))
    assert (reply.name, reply.args, reply.stage) == ("dig", {"a": 1}, "brace slice")


@pytest.mark.parametrize("words", OBJECTIONS)
def test_the_command_is_not_run(words: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        read(words.replace("@", OBJECT))
    assert caught.value.flags[0] in ("refusal", "narration", "foreign")
