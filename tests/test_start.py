"""Starting costs only what is used: which modules a process holds at its end, counted, not timed."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.conftest import STONE_PICKAXE, Place, unmeasured

pytestmark = pytest.mark.sampled(5)

HEAVY = ["openai", "pydantic", "numpy", "rich", "prompt_toolkit", "jinja2", "pinecone", "json_repair", "asyncio"]
MOST_MODULES = 200
"""`autocraft --help` held 148 when this was written, typer alone 143; a heavy import brings at least 60 more."""
MAIN = """
import json, sys
from autocraft.cli import main
sys.argv[0] = "autocraft"
try:
    main()
    code = 0
except SystemExit as ended:
    code = ended.code or 0
sys.stderr.write(json.dumps([code, sorted(sys.modules)]))
"""


def imported(place: Place, *arguments: str, **environment: str) -> tuple[int, list[str], str]:
    """Exit code, loaded modules and standard output of `autocraft ARGUMENTS`."""
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=place.folder,
        env=unmeasured(place.environment | environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, modules, done.stdout


def heavy(modules: list[str]) -> list[str]:
    return [name for name in HEAVY if name in modules]


def test_help_imports_nothing_heavy(place: Place) -> None:
    code, modules, output = imported(place, "--help")
    assert code == 0
    assert "autocraft" in output
    assert heavy(modules) == []
    assert len(modules) < MOST_MODULES
    assert not {name for name in modules if name.split(".")[0] in ("mcp", "mcp_types", "uvicorn", "starlette")}
    ours = [name for name in modules if name.split(".")[0] == "autocraft"]
    assert ours == ["autocraft", "autocraft.cli", "autocraft.errors", "autocraft.features"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(["run", "--help"], 0), (["sessions", "--help"], 0), (["--version"], 0), (["run", "--no-such-flag"], 2)],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_ends_before_a_run_imports_nothing_heavy(place: Place, arguments: list[str], expected: int) -> None:
    code, modules, _ = imported(place, *arguments)
    assert code == expected
    assert heavy(modules) == []


def test_listing_sessions_needs_no_loop_and_no_world(place: Place) -> None:
    code, modules, _ = imported(place, "sessions", "list")
    assert code == 0
    assert heavy(modules) == []
    assert {"autocraft.agent.loop", "autocraft.worlds.crafting", "autocraft.memory"} & set(modules) == set()


def test_a_planner_run_to_its_end_imports_no_model_client(place: Place) -> None:
    code, modules, output = imported(place, "run", *STONE_PICKAXE, "--continuous", "--json")
    assert code == 0
    assert json.loads(output.splitlines()[-1])["reason"] == "goal_reached"
    never = {
        "openai",
        "httpx2",
        "pinecone",
        "json_repair",
        "charset_normalizer",
        "rich",
        "prompt_toolkit",
        "mcp",
        "uvicorn",
    }
    assert never & set(modules) == set()
    assert all(find_spec(name) for name in never), "what is not installed can never be imported"


def test_the_client_is_imported_beside_the_loop(place: Place) -> None:
    """What the person types meanwhile is read: no import of the SDK runs in the thread of the event loop."""
    script = place.folder / "importing.py"
    script.write_text(f"""
import sys, threading

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "openai" and threading.current_thread() is threading.main_thread():
            sys.stderr.write(f"imported in the way: {{name}}\\n")

sys.meta_path.insert(0, Watch())
{MAIN}""")
    arguments = ["run", *STONE_PICKAXE, "-c", "--brain", "openai"]
    model = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "SMART_LLM_MODEL": "m"}
    environment = unmeasured(place.environment | model)
    done = subprocess.run([sys.executable, script, *arguments], cwd=place.folder, env=environment, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
    assert '"openai"' in done.stderr.splitlines()[-1], "it was imported"
    assert "in the way" not in done.stderr


def test_asking_a_model_does_import_its_client(place: Place) -> None:
    """The control: these names are those under which it is loaded."""
    _, modules, _ = imported(place, "run", *STONE_PICKAXE, "-c", "--brain", "openai", OPENAI_API_KEY="k",
                             OPENAI_BASE_URL="http://127.0.0.1:9/v1", SMART_LLM_MODEL="m")  # fmt: skip
    assert {"openai", "httpx2"} <= set(modules)
