"""Runs one reader over a corpus and times it: ``python json_readers.py READER CORPUS.jsonl ROUNDS``.

Prints one JSON line an answer: the command as the scorer of the tests reads it, and its CPU time in each round in
microseconds. It needs only the reader itself, so that a peer can run in an environment of its own. An answer that
takes a reader over two seconds counts as not read. A reader that wants all memory dies, and not the machine.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT = 2.0
MEMORY = 4 << 30
"""Bytes of memory that a reader may have."""


def ours() -> Callable[[str], Any]:
    sys.path.insert(0, str(ROOT))
    from autocraft.json_fix import parse_command

    return parse_command


def ours_asked() -> Callable[[str], Any]:
    """Return our reader where a person or a judge says yes to each command that it is unsure about."""
    sys.path.insert(0, str(ROOT))
    from autocraft.json_fix import parse_command

    return partial(parse_command, accept_unsure=True)


def json_repair() -> Callable[[str], Any]:
    from json_repair import loads

    return loads


def fast_json_repair() -> Callable[[str], Any]:
    import fast_json_repair

    reader: Callable[[str], Any] = fast_json_repair.loads
    return reader


def baml() -> Callable[[str], Any]:
    """Return BAML's parser of answers, for a function that returns a command."""
    from types import ModuleType

    from baml_py import BamlRuntime  # type: ignore[import-not-found, unused-ignore]
    from pydantic import create_model

    runtime = BamlRuntime.from_files("baml", {"read.baml": _BAML}, {})
    context, types = runtime.create_context_manager(), ModuleType("types")
    command = create_model("Command", name=(str, ...), args=(dict[str, Any], ...))
    types.Command = command  # type: ignore[attr-defined]
    types.Reading = create_model("Reading", command=(command, ...))  # type: ignore[attr-defined]

    def read(text: str) -> Any:
        value = runtime.parse_llm_response("Read", text, types, types, types, False, context, None, None, {})
        return value.model_dump()

    return read


_SCALAR = "string | int | float | bool | null"
_BAML = f"""
client<llm> Model {{
  provider openai
  options {{
    model "none"
    api_key "none"
  }}
}}
class Command {{
  name string
  args map<string, {_SCALAR} | ({_SCALAR})[] | map<string, {_SCALAR}>>
}}
class Reading {{
  command Command
}}
function Read(text: string) -> Reading {{
  client Model
  prompt #"{{{{ text }}}} {{{{ ctx.output_format }}}}"#
}}
"""


def json_loads() -> Callable[[str], Any]:
    return json.loads


def orjson() -> Callable[[str], Any]:
    from orjson import loads

    return loads


def auto_gpt() -> Callable[[str], Any]:
    """Return a reader with Auto-GPT's stages, written after notes on the version of April 2023.

    Each stage passes on what it cannot read. The fourth stage, a model, is left out: what reaches it is refused.
    """
    return _auto_gpt


def _auto_gpt(text: str) -> Any:
    text = text.replace("\t", "")
    for attempt in (text, _corrected(text), text[text.find("{") : text.rfind("}") + 1]):
        try:
            return json.loads(attempt)
        except (ValueError, RecursionError):
            continue
    return None


def _corrected(text: str) -> str:
    for _ in range(200):
        try:
            json.loads(text)
        except RecursionError:
            break
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Invalid \\escape"):
                break
            text = text[: error.pos] + text[error.pos + 1 :]
        else:
            return text
    text = re.sub(r"(\w+):", r'"\1":', text)
    missing = text.count("{") - text.count("}")
    return text + "}" * missing if missing > 0 else text.rstrip("}") + "}" * (text.rstrip("}").count("{"))


READERS = {
    each.__name__: each
    for each in (ours, ours_asked, json_repair, fast_json_repair, baml, auto_gpt, json_loads, orjson)
}


def _too_slow(*_: object) -> None:
    raise TimeoutError


def measure(reader: Callable[[str], Any], text: str, rounds: int) -> tuple[Any, list[float]]:
    """Return what the reader read from `text` (None for an exception), and its CPU times in microseconds."""
    times: list[float] = []
    value = None
    for _ in range(rounds):
        signal.setitimer(signal.ITIMER_REAL, LIMIT)
        started = time.process_time()
        try:
            value = reader(text)
        except Exception:  # noqa: BLE001 - a peer may raise anything
            value = None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        times.append((time.process_time() - started) * 1e6)
    return value, times


def main(name: str, corpus: str, rounds: str) -> None:
    sys.path.insert(0, str(ROOT))
    from tests.json_fix import score

    try:
        reader = READERS[name]()
    except ImportError:
        print(json.dumps({"missing": name}))
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _too_slow)
    for line in Path(corpus).read_text(encoding="utf-8").splitlines():
        value, microseconds = measure(reader, json.loads(line), int(rounds))
        try:
            print(json.dumps({"got": score.to_command(value), "us": microseconds}), flush=True)
        except (RecursionError, ValueError, TypeError):
            print(json.dumps({"got": None, "us": microseconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
