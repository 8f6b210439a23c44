"""The person's rules: a table of name, arguments, risk, agent and mode, and what becomes of each call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autocraft.agent.gate import Gate, GateVerdict
from autocraft.agent.policy import read_policy, read_policy_file
from autocraft.app import Request, open_request
from autocraft.commands.registry import Registry
from autocraft.errors import UsageError
from autocraft.protocols import Risk
from autocraft.session.events import Event
from autocraft.settings.settings import Settings
from autocraft.worlds.crafting import CraftingWorld
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.vocabulary import whole_registry

pytestmark = pytest.mark.sampled(18)

RULES = """
[[policy.rule]]            # 1
command = "write_file"     # a synonym
args = { filename = "save/*" }
then = "deny"
why = "the save is mine"

[[policy.rule]]            # 2
command = "*_file"
args = { file = "notes/*.txt" }
then = "allow"

[[policy.rule]]            # 3
command = "*"
risk = "destroy"
agent = "scout*"
then = "deny"

[[policy.rule]]            # 4
command = "craft_item"
args = { name = "diamond_*", count = "[1-9]" }
then = "ask"
why = "diamonds are dear"

[[policy.rule]]            # 5
agent = "person"
then = "allow"

[[policy.rule]]            # 6
risk = "look"
then = "allow"
"""
MODES = ("asking", "continuous", "alone")
"""The person is asked; is there but asked nothing; is not there."""
TABLE: list[tuple[str, dict[str, Any], str, dict[str, tuple[str, int]]]] = [
    ("write_to_file", {"file": "save/a", "text": "x"}, "main", dict.fromkeys(MODES, ("refuse", 1))),
    ("write_to_file", {"file": "save/a", "text": "x"}, "person", dict.fromkeys(MODES, ("refuse", 1))),
    ("create_file", {"filename": "./x/../save/a", "contents": "x"}, "main", dict.fromkeys(MODES, ("refuse", 1))),
    ("write_to_file", {"file": "link/a", "text": "x"}, "main", dict.fromkeys(MODES, ("refuse", 1))),
    ("append_to_file", {"file": "save/a", "text": "x"}, "main",
     {"asking": ("ask", 0), "continuous": ("run", 0), "alone": ("run", 0)}),
    ("write_to_file", {"file": "notes/a.txt", "text": "x"}, "main", dict.fromkeys(MODES, ("run", 2))),
    ("write_to_file", {"file": "notes/deep/a.txt", "text": "x"}, "main", dict.fromkeys(MODES, ("run", 2))),
    ("delete_file", {"file": "notes/a.txt"}, "scout 1", dict.fromkeys(MODES, ("run", 2))),
    ("write_to_file", {"file": "notes/../save.txt", "text": "x"}, "main",
     {"asking": ("ask", 0), "continuous": ("run", 0), "alone": ("run", 0)}),
    ("write_to_file", {"file": "old.txt", "text": "x"}, "scout 1", dict.fromkeys(MODES, ("refuse", 3))),
    ("write_to_file", {"file": "new.txt", "text": "x"}, "scout 1",
     {"asking": ("ask", 0), "continuous": ("run", 0), "alone": ("run", 0)}),
    ("craft_item", {"name": "diamond_axe"}, "main",
     {"asking": ("ask", 4), "continuous": ("ask", 4), "alone": ("refuse", 4)}),
    ("craft_item", {"name": "diamond_axe", "count": 10}, "main",
     {"asking": ("ask", 0), "continuous": ("run", 0), "alone": ("run", 0)}),
    ("craft_item", {"name": "diamond_axe", "count": "2"}, "main",
     {"asking": ("ask", 4), "continuous": ("ask", 4), "alone": ("refuse", 4)}),
    ("craft_item", {"name": "stick"}, "person", dict.fromkeys(MODES, ("run", 5))),
    ("craft_item", {"name": "stick"}, "main",
     {"asking": ("ask", 0), "continuous": ("run", 0), "alone": ("run", 0)}),
    ("show_inventory", {}, "main", dict.fromkeys(MODES, ("run", 6))),
    ("search_files", {}, "scout 1", dict.fromkeys(MODES, ("run", 6))),
]  # fmt: skip


@pytest.fixture
def gates(place: Place) -> Iterator[Callable[[str, str], Gate]]:
    """The gate of a real run in one of the modes, with these rules in a policy file."""
    opened = []

    def start(mode: str, rules: str) -> Gate:
        (place.folder / "policy.toml").write_text(rules)
        flags = {
            "policy": place.folder / "policy.toml",
            "state_dir": place.state,
            "workspace": place.folder / "workspace",
            "continuous": None if mode == "asking" else True,
            "brain": "planner",
        }
        run = asyncio.run(open_request(Request(["craft 1 stick"], flags, json=True)))
        opened.append(run)
        run.person.attended = mode != "alone"
        return run.agent.gate

    yield start
    for run in opened:
        asyncio.run(run.context.exits.aclose())


@pytest.mark.parametrize("mode", MODES)
def test_the_first_rule_that_matches_decides(gates: Callable[[str, str], Gate], place: Place, mode: str) -> None:
    gate = gates(mode, RULES)
    (place.folder / "workspace" / "save").mkdir(parents=True)
    (place.folder / "workspace" / "link").symlink_to("save")
    (place.folder / "workspace" / "old.txt").write_text("x")
    found, wanted = [], []
    for name, args, agent, outcomes in TABLE:
        judged = gate.judge(gate.registry.bind(name, args, agent=agent))
        found.append((name, args, agent, judged.then, judged.rule.number if judged.rule else 0))
        wanted.append((name, args, agent, *outcomes[mode]))
    assert found == wanted


def test_a_rule_goes_before_every_standing_permission(gates: Callable[[str, str], Gate]) -> None:
    gate = gates("asking", '[[policy.rule]]\ncommand = "craft_item"\nthen = "deny"\nwhy = "not now"\n')
    call = gate.registry.bind("craft_item", {"name": "stick"})
    gate.state.budget, gate.state.allowed = 5, {"craft_item": call.risk}
    reason = "rule 1 of the policy denies it (deny craft_item): not now"
    judged = gate.judge(call)
    assert (judged.then, judged.by, judged.why) == ("refuse", "policy", reason)
    assert gate.judge(gate.registry.bind("do_nothing", {})) == GateVerdict("run", "budget")


# ---------------------------------------------------------------- in a run


def rules(place: Place, text: str) -> tuple[str, str]:
    (place.folder / "rules.toml").write_text(text)
    return "--policy", "rules.toml"


DENIED = "rule 1 of the policy denies it (deny craft_item name=stick): no sticks"
NO_STICKS = '[[policy.rule]]\ncommand = "craft_item"\nargs = { name = "stick" }\nthen = "deny"\nwhy = "no sticks"\n'


def test_the_model_is_told_why_and_the_decision_names_the_rule(place: Place) -> None:
    script = place.script(("craft_item", {"name": "stick"}), ("craft_item", {"name": "oak_planks"}))
    start = ("run", "--goal", "get 1 oak_planks", "--inventory", "oak_log=1", "--brain", "scripted", "--script", script)
    done = place.run(*start, "--continuous", *rules(place, NO_STICKS))
    assert 'NEXT ACTION:  COMMAND = craft_item  ARGUMENTS = {"name": "stick", "count": 1}\n' in done.stdout
    first, second = kinds(place.events(), "decision")[:2]
    assert (first["kind"], first["by"]) == ("refuse", "policy")
    assert first["rule"] == {"number": 1, "text": "deny craft_item name=stick"}
    assert first["why"].endswith(": no sticks")
    assert (second["kind"], second["by"], second["rule"]) == ("run", "continuous", None)
    from autocraft.agent.transcript import PromptSettings, Transcript

    made = Transcript(PromptSettings(), list)
    for event in place.events():
        made.apply(Event.from_json(event))
    said = "\n".join(message.content for message in made.messages("", []))
    assert "The command craft_item was not run: rule 1 of the policy denies it" in said


def test_a_model_that_repeats_what_is_denied_is_stopped(place: Place) -> None:
    script = place.script(*[("craft_item", {"name": "stick"})] * 9)
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script, "--continuous")
    done = place.run(*start, *rules(place, NO_STICKS))
    assert done.returncode == 3
    assert len(kinds(place.events(), "decision")) == 3


def test_allow_runs_without_a_question_and_says_which_rule(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, *rules(place, '[[policy.rule]]\nthen = "allow"\n'), stdin="")
    assert done.returncode == 0, done.stderr
    assert "COMMAND AUTHORISED BY RULE 1 OF YOUR POLICY" in done.stdout
    assert not kinds(place.events(), "question")


def test_the_toml_file_holds_rules_too_and_policy_overrides_them(place: Place) -> None:
    (place.folder / "autocraft.toml").write_text('[[policy.rule]]\nthen = "allow"\n', encoding="utf-8-sig")
    place.confirm()
    assert place.run("run", *STONE_PICKAXE, stdin="").returncode == 0
    assert place.run("run", *STONE_PICKAXE, "--policy", "autocraft.toml", stdin="").returncode == 0
    done = place.run("run", *STONE_PICKAXE, *rules(place, NO_STICKS), stdin="n\n")
    assert done.returncode == 4


def test_do_passes_the_policy_and_says_which_rule(place: Place) -> None:
    script = place.script(("do_nothing", {}))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script)
    typed = "/do craft_item name=stick\n/do craft_item name=oak_planks\nn\n"
    done = place.run(*start, "--inventory", "oak_log=4", *rules(place, NO_STICKS), stdin=typed)
    assert (
        "craft_item was not run: rule 1 of the policy denies it (deny craft_item name=stick): no sticks" in done.stdout
    )
    assert [event["args"]["name"] for event in kinds(place.events(), "intent")] == ["oak_planks"]


def test_what_the_person_edits_passes_it_again(place: Place) -> None:
    script = place.script(("craft_item", {"name": "oak_planks"}), ("do_nothing", {}))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script, "--inventory", "oak_log=4")
    place.run(*start, *rules(place, NO_STICKS), stdin='e\n{"name": "stick"}\ny\nn\n')
    decision = kinds(place.events(), "decision")[0]
    assert (decision["kind"], decision["by"], decision["rule"]["number"]) == ("refuse", "policy", 1)
    assert decision["edited"] == {"name": ["oak_planks", "stick"]}
    assert not kinds(place.events(), "intent")


def test_what_was_edited_is_in_the_journal(place: Place) -> None:
    script = place.script(("craft_item", {"name": "oak_planks"}), ("do_nothing", {}))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script, "--inventory", "oak_log=4")
    place.run(*start, stdin='e\n{"name": "oak_planks", "count": 8}\ny\nn\n')
    decision = kinds(place.events(), "decision")[0]
    assert (decision["kind"], decision["by"], decision["edited"]) == ("run", "person", {"count": [1, 8]})


def test_a_resumed_run_keeps_its_policy(place: Place) -> None:
    script = place.script(("do_nothing", {}), ("craft_item", {"name": "stick"}), ("do_nothing", {}))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script)
    place.run(*start, *rules(place, NO_STICKS), stdin="y\n")
    place.run("run", "--resume", "last", "--continuous")
    assert ("refuse", "policy") in [(event["kind"], event["by"]) for event in kinds(place.events(), "decision")]
    (place.folder / "rules.toml").unlink()
    done = place.run("run", "--resume", "last", "--continuous")
    assert done.returncode == 2
    assert (
        "rules.toml cannot be read: No such file or directory; correct it or name another with --policy" in done.stderr
    )


def test_undo_keeps_to_the_rules_however_it_is_called(place: Place) -> None:
    script = place.script(("write_to_file", {"file": "a", "text": "b"}), ("do_nothing", {}))
    no_undo = '[[policy.rule]]\nrisk = "destroy"\nthen = "deny"\n'
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script)
    place.run(*start, *rules(place, no_undo), stdin="y\n/undo\n/do undo\nn\n")
    assert (place.folder / "workspace" / "a").read_text() == "b"
    undone = place.run("sessions", "undo")
    assert (undone.returncode, (place.folder / "workspace" / "a").read_text()) == (1, "b")
    assert len([e for e in kinds(place.events(), "note") if e["text"].startswith("undo was not run")]) == 3


def test_a_run_resumed_in_another_folder_keeps_the_rules_of_its_autocraft_toml(place: Place) -> None:
    script = place.script(("do_nothing", {}), ("craft_item", {"name": "stick"}))
    (place.folder / "autocraft.toml").write_text(f"[prompt]\nai_name = 'Tim'\n{NO_STICKS}")
    place.confirm()
    place.run("run", "--goal", "be nice", "--brain", "scripted", "--script", script, stdin="y\n")
    other = Place(place.folder / "other")
    other.folder.mkdir()
    other.run("run", "--resume", "last", "--continuous", AUTOCRAFT_STATE_DIR=str(place.state))
    assert ("refuse", "policy") in [(event["kind"], event["by"]) for event in kinds(place.events(), "decision")]
    (place.folder / "autocraft.toml").write_text("[prompt]\nai_name = 'Tim'\n")
    done = other.run("run", "--resume", "last", "--continuous", AUTOCRAFT_STATE_DIR=str(place.state))
    assert "policy" not in done.stderr


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ('then = "allow"', 'then = "deny"'),
        ('then = "allow"', 'then = "ask"'),
        ('then = "allow"', 'risk = "look"\nthen = "allow"'),
    ],
)
def test_a_recorded_approval_is_judged_anew_when_the_rules_have_changed(place: Place, before: str, now: str) -> None:
    """Killed between decision and intent, the approved command would else run under a rule that is gone."""
    script = place.script(("craft_item", {"name": "oak_planks"}), ("do_nothing", {}))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script, "--inventory", "oak_log=4")
    place.run(*start, *rules(place, f"[[policy.rule]]\n{before}\n"), "--max-steps", "1", stdin="")
    path = place.state / "sessions" / place.session() / "events.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if json.loads(line)["type"] == "intent")
    path.write_text("".join(lines[:at]))
    rules(place, f"[[policy.rule]]\n{now}\n")
    place.run("run", "--resume", "last", "--max-steps", "1", stdin="n\n")
    assert not kinds(place.events(), "intent")


# ---------------------------------------------------------------- bad rules


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('then = "alow"', "then must be allow, ask or deny, not 'alow'"),
        ("", "it does not say what to do: add then"),
        ('then = ["deny"]', "then must be allow, ask or deny"),
        ('then = "deny"\ncomand = "x"', "'comand' is not a key of a rule, did you mean 'command'"),
        ('then = "deny"\ncommand = "write_to_fil"', "there is no command 'write_to_fil', did you mean 'write_to_file'"),
        ('then = "deny"\ncommand = "wirte_*"', "no command is like 'wirte_*', so it would never match"),
        ('then = "deny"\ncommand = "[z"', "no command is like '[z'"),
        ('then = "deny"\ncommand = 5', "command must be text, not 5"),
        (
            'then = "deny"\ncommand = "read_file"\nargs = { fil = "x" }',
            "read_file has no argument 'fil', did you mean 'file'",
        ),
        ('then = "deny"\ncommand = "*_file"\nargs = { name = "x" }', "no command like '*_file' has an argument 'name'"),
        ('then = "deny"\nargs = ["x"]', "args must be patterns by name"),
        ('then = "deny"\nargs = { count = 5 }', "args must be patterns by name"),
        ('then = "deny"\nrisk = "high"', "risk must be look, change or destroy, not 'high'"),
        ('then = "deny"\nrisk = ["look"]', "risk must be look, change or destroy"),
        (
            'then = "deny"\ncommand = "read_file"\nargs = { file = "a", filename = "b" }',
            "read_file: the argument 'file' is given twice",
        ),
    ],
)
def test_a_bad_rule_is_one_line_with_its_number(place: Place, rule: str, said: str) -> None:
    flag = rules(place, f'[[policy.rule]]\nthen = "allow"\n[[policy.rule]]\n{rule}\n')
    done = place.run("run", *STONE_PICKAXE, *flag, stdin="")
    assert done.returncode == 2
    assert f"rules.toml: rule 2: {said}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("= 5", "cannot be read"),
        pytest.param("x = " + "[" * 6000, "cannot be read", id="deep"),
        ("", "must hold tables [[policy.rule]] and nothing else"),
        ("[policy]\nrule = 5", "must hold tables [[policy.rule]]"),
        ("[[rule]]\nthen = 'deny'", "must hold tables [[policy.rule]]"),
        ("[policy]\nrule = []\nother = 1", "must hold tables [[policy.rule]]"),
    ],
)
def test_a_bad_policy_file_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "rules.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_policy_file(tmp_path / "rules.toml", Settings({}, {}, folder=tmp_path).check_confirmed)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rules", [(5,), ("x",), (None,)])
def test_what_is_no_table_is_no_rule(tmp_path: Path, rules: tuple[object, ...]) -> None:
    with pytest.raises(UsageError, match=r"here: rule 1: it is not a table"):
        read_policy(rules, "here", whole_registry(tmp_path))


@pytest.mark.parametrize(
    "name", ["iron_golem", "Iron-Golem", "minecraft:iron  golem", " iron_golem\ufeff", "cow,IRON GOLEM"]
)
def test_a_thing_of_minecraft_has_the_same_rules_and_risk_in_every_spelling(tmp_path: Path, name: str) -> None:
    registry = Registry(MinecraftWorld(MinecraftSettings(), tmp_path, tmp_path).commands())
    deny, allow = (
        read_policy([{"args": {"name": pattern}, "then": then}], "here", registry)
        for pattern, then in (("iron_golem", "deny"), ("cow*", "allow"))
    )
    assert registry.bind("kill_mob", {"name": name.split(",")[-1]}).risk is Risk.DESTROY
    toss = registry.bind("toss", {"name": name})
    assert deny.denial(toss) and allow.first(toss) is None
    for other in ("cow", "player:iron_golem"):
        assert not deny.denial(registry.bind("kill_mob", {"name": other}))
    assert not deny.denial(registry.bind("follow", {"name": "Iron_Golem"})), "a player may have that name"


def _crafting(folder: Path) -> CraftingWorld:
    return CraftingWorld()


def _minecraft(folder: Path) -> MinecraftWorld:
    return MinecraftWorld(MinecraftSettings(), folder, folder)


@pytest.mark.parametrize(
    ("world", "command", "argument", "pattern", "stopped", "free"),
    [
        (_minecraft, "mine_block", "name", "oak_log", ["log", "wood", "Minecraft:Log"], ["birch_log"]),
        (_minecraft, "mine_block", "name", "log", ["oak_log", "wood"], ["planks"]),
        (_minecraft, "mine_block", "name", "iron_ore", ["raw_iron", "deepslate_iron_ore"], ["gold_ore"]),
        (_minecraft, "toss", "name", "oak_planks", ["dirt,planks"], ["dirt,stick"]),
        (_minecraft, "explore_until", "block", "bricks", ["Brick-Block"], ["deepslate_bricks"]),
        (_crafting, "craft_item", "name", "oak_planks", ["minecraft:oak_planks", "Oak Planks"], ["stick"]),
        (_crafting, "craft_item", "name", "stick", ["sticks", "STICK"], ["oak_planks", "no such item"]),
        (_crafting, "move", "source", "I1", ["[I1]", " i1 "], ["I10"]),
        (_crafting, "move", "target", "A1", ["[a1]"], ["0", "A11"]),
    ],
)
def test_a_rule_about_a_thing_holds_for_every_name_by_which_the_world_finds_it(
    tmp_path: Path,
    world: Callable[[Path], CraftingWorld | MinecraftWorld],
    command: str,
    argument: str,
    pattern: str,
    stopped: list[str],
    free: list[str],
) -> None:
    registry = Registry(world(tmp_path).commands())
    deny, allow = (
        read_policy([{"command": command, "args": {argument: pattern}, "then": then}], "here", registry)
        for then in ("deny", "allow")
    )
    others = {"move": {"source": "I2", "target": "A2"}, "explore_until": {"direction": "up"}}.get(command, {})
    calls = {each: registry.bind(command, {**others, argument: each}) for each in (pattern, *stopped, *free)}
    assert [each for each, call in calls.items() if deny.denial(call)] == [pattern, *stopped]
    assert [each for each, call in calls.items() if allow.first(call)] == [pattern]


def test_a_policy_may_not_lie_in_the_workspace(place: Place) -> None:
    (place.folder / "workspace").mkdir()
    (place.folder / "workspace" / "rules.toml").write_text(NO_STICKS)
    for name in ("workspace/rules.toml", "link.toml"):
        if name == "link.toml":
            (place.folder / name).symlink_to("workspace/rules.toml")
        done = place.run("run", *STONE_PICKAXE, "--policy", name, stdin="")
        assert done.returncode == 2
        assert "where the model could change it: move that elsewhere" in done.stderr


# ---------------------------------------------------------------- --dry-run


def test_dry_run_shows_the_planners_whole_plan_and_carries_nothing_out(place: Place) -> None:
    flag = rules(
        place, NO_STICKS + '[[policy.rule]]\ncommand = "craft_*"\nargs = { name = "*pickaxe" }\nthen = "ask"\n'
    )
    done = place.run("run", *STONE_PICKAXE, "--dry-run", "--continuous", *flag)
    assert done.returncode == 0, done.stderr
    estimate, *lines = done.stdout.splitlines()
    assert estimate == "About 3 steps (as many as the planner needs). This brain costs nothing."
    assert [line.split()[1] for line in lines[:-1:2]] == ["craft_item"] * 3
    assert [line.strip() for line in lines[1::2]] == [
        "would run in continuous mode",
        f"would be refused: {DENIED}",
        "would be refused: rule 2 of the policy asks about it (ask craft_* name=*pickaxe), and nobody can be asked",
    ]
    assert lines[-1] == "Nothing was carried out."
    assert not (place.state / "sessions").exists()


def test_dry_run_shows_the_moves_that_a_low_level_run_takes(place: Place) -> None:
    start = ("run", "--goal", "craft 1 stick", "--inventory", "oak_log=1", "--low-level", "--json")
    rows = [json.loads(line) for line in place.run(*start, "--dry-run").stdout.splitlines()]
    assert place.run(*start, "--continuous").returncode == 0
    asked = [(event["command"], event["args"]) for event in kinds(place.events(), "intent")]
    assert [(row["command"], row["args"]) for row in rows] == asked
    assert "move" in {row["command"] for row in rows}


def test_dry_run_judges_all_answers_of_a_script(place: Place) -> None:
    script = place.script(("read_file", {"file": "a\x1b[2J"}), "no command", ("do_nothing", {}))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script, "--dry-run", "--auto-look")
    done = place.run(*start)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "would run without a question, since it only reads" in done.stdout
    assert "2. an answer that cannot be used: The answer holds no command." in done.stdout
    rows = [json.loads(line) for line in place.run(*start, "--json").stdout.splitlines()]
    assert [row.get("command") for row in rows] == ["read_file", None, "do_nothing"]
    assert [row.get("then") for row in rows] == ["run", None, "run"]


def test_dry_run_of_what_is_impossible(place: Place) -> None:
    done = place.run("run", "--goal", "craft 1 diamond_axe", "--inventory", "oak_log=1", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "impossible" in done.stdout


def test_dry_run_belongs_to_a_new_run(place: Place) -> None:
    done = place.run("run", "--resume", "last", "--dry-run")
    assert done.returncode == 2
    assert "--dry-run belongs to a new run" in done.stderr
