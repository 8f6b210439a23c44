"""The peer of a streaming answer: the SDK alone reads it and shows nothing. ``python sdk_stream.py MODEL`` runs it."""

import sys

from openai import OpenAI

stream = OpenAI().chat.completions.create(
    model=sys.argv[1],
    messages=[{"role": "user", "content": "which command?"}],
    stream=True,
    stream_options={"include_usage": True},
)
print(sum(bool(chunk.choices and chunk.choices[0].delta.content) for chunk in stream), "pieces")
