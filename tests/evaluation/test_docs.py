"""The example of docs/evaluation.md is run as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import Place

ROOT = Path(__file__).parents[2]


def test_the_model_of_the_docs_runs(place: Place) -> None:
    page = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    environment = place.environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=place.folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert (done.stderr, done.stdout.split()) == ("", ["0.0", "mover/page.html"])
    assert (place.folder / "mover" / "page.html").stat().st_size > 10_000
