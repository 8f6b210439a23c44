"""The examples of Voyager's README, with only the import changed, on the practice server and a model on loopback."""

from __future__ import annotations

import json

import pytest

from autocraft.learning.ckpt import read_ckpt
from tests.brains.test_roles import own_file
from tests.commands.programs import with_programs
from tests.conftest import Place, kinds
from tests.learning.test_ckpt import voyagers
from tests.learning.test_endpoint import ROLES, Model, model  # noqa: F401 - a fixture
from tests.learning.test_voyager import trial
from tests.worlds.minecraft.playing import node_environment

BEGIN = """from voyager import Voyager

# You can also use mc_port instead of azure_login, but azure_login is highly recommended
azure_login = {
    "client_id": "YOUR_CLIENT_ID",
    "redirect_url": "https://127.0.0.1/auth-response",
    "secret_value": "[OPTIONAL] YOUR_SECRET_VALUE",
    "version": "fabric-loader-0.14.18-1.19", # the version Voyager is tested on
}
openai_api_key = "YOUR_API_KEY"
"""
FIRST = """
voyager = Voyager(
    azure_login=azure_login,
    openai_api_key=openai_api_key,
)

# start lifelong learning
voyager.learn()
"""
SECOND = """
voyager = Voyager(
    azure_login=azure_login,
    openai_api_key=openai_api_key,
    ckpt_dir="YOUR_CKPT_DIR",
    resume=True,
)
voyager.learn()
"""
THIRD = """
# First instantiate Voyager with skill_library_dir.
voyager = Voyager(
    azure_login=azure_login,
    openai_api_key=openai_api_key,
    skill_library_dir="./skill_library/trial1", # Load a learned skill library.
    ckpt_dir="YOUR_CKPT_DIR", # Feel free to use a new dir. Do not use the same dir as skill library.
    resume=False, # Do not resume from a skill library because this is not learning.
)

# Run task decomposition
task = "YOUR TASK" # e.g. "Craft a diamond pickaxe"
sub_goals = voyager.decompose_task(task=task)

# inference
voyager.inference(sub_goals=sub_goals)
"""
MINE = """async function mineLog(bot) {
  const near = () => bot.findBlock({ matching: mcData.blocksByName.oak_log.id, maxDistance: 32 })
  for (const [x, z] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
    if (!near()) await exploreUntil(bot, new Vec3(x, 0, z), 60, near)
  }
  await mineBlock(bot, 'oak_log', 1)
}"""


@pytest.mark.full
@pytest.mark.parametrize("example", ["first", "second", "third"])
def test_an_example_runs_with_only_the_import_changed(place: Place, model: Model, example: str) -> None:  # noqa: F811
    own_file(place.folder, "".join(f'[models.{role}]\nmodel = "{role}"\n' for role in ROLES))
    settings = {
        "AUTOCRAFT_CONTINUOUS": "yes",
        "AUTOCRAFT_ITERATIONS": "4",
        "AUTOCRAFT_SPEED": "0",
        "AUTOCRAFT_SEED": "1",
    }
    environment = {**settings, "OPENAI_BASE_URL": model.stand_in.url, **with_programs(), **node_environment()}
    model.queue["action"] = [f"Code:\n```javascript\n{MINE}\n```"] * 4
    code = BEGIN.replace("from voyager", "from autocraft")
    ckpt = place.folder / ("ckpt" if example == "first" else "YOUR_CKPT_DIR")
    if example == "first":
        environment["AUTOCRAFT_ITERATIONS"] = "1"
        done = place.python("-c", code + FIRST, **environment)
    elif example == "second":
        voyagers(ckpt)
        model.queue["curriculum"] = ["Task: Mine 1 oak_log"]
        done = place.python("-c", code + SECOND, **environment)
    else:
        trial(place.folder / "skill_library" / "trial1")
        model.queue["curriculum"] = ['["Mine 1 oak_log", "Craft 4 oak_planks"]']
        model.queue["action"][1:] = ["```js\nasync function go(bot) {\n  await craftOakPlanks(bot)\n}\n```"]
        asked = place.python("-c", code + THIRD, **environment)
        way = asked.stderr.split("approval: autocraft ")[1].split()
        assert place.run(*way).stdout.count("is approved") == 2
        done = place.python("-c", code + THIRD, **environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    end = place.events()[-1]
    assert end["reason"] == ("goal_reached" if example == "third" else "learned"), end
    assert [event["outcome"] for event in kinds(place.events(), "attempt")][-1] == "goal"
    assert (read_ckpt(ckpt).iteration, json.loads((ckpt / "autocraft.json").read_text())["session"]) == (
        {"first": 1, "second": 4, "third": 2}[example],
        place.session(),
    )
