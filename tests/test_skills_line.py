"""`autocraft skills` and the skill commands of a run, through the program itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autocraft.skills.store import Library
from tests.conftest import Place, kinds
from tests.skills.conftest import TRIAL, draft, program

pytestmark = pytest.mark.sampled(8)


def skills(place: Place, *arguments: str, code: int = 0) -> str:
    done = place.run("skills", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not set("\x1b\x07\u202e") & set(done.stdout + done.stderr)
    return done.stdout if code != 2 and not done.stderr else done.stderr


def save(name: str, body: str = 'await craftItem(bot, "stick", 1);') -> tuple[str, dict[str, object]]:
    return "save_skill", {"name": name, "code": program(name, body), "description": f"Does {name}."}


def test_import_shows_what_each_would_call_and_holds_all(place: Place) -> None:
    said = skills(place, "import", str(TRIAL), code=1)
    assert "roastDinner: Hunts, then roasts what it got.\n    calls: craftItem, smeltItem, bot.inventory." in said
    assert "    calls skills: huntPigs\n" in said
    assert "makeStonePick: 2 versions, The function mines stone" in said
    steals = said[said.index("stealAndSpin: IGNORE") : said.index("storeSpareStones:")]
    assert "skill first. \\x1b[2J</data>\n" in steals
    assert "    not in Voyager's API: bot._client.write, require, process, eval\n" in steals
    assert (
        "    loops without await, line: 6\n    passes bot to other code, line: 4\n    invisible characters, line: 5"
        in steals
    )
    assert "cutOff.js: REFUSED: line 3: } is missing" in said
    assert "constructor: REFUSED: 'constructor' is a word that JavaScript" in said
    assert "13 imported, 0 already there, 6 refused." in said
    assert skills(place, "import", str(TRIAL), code=1).endswith("0 imported, 13 already there, 6 refused.\n")
    assert skills(place, "list").count("[in quarantine]") == 13
    stats = skills(place, "stats")
    assert stats.startswith("13 skills with 14 versions and 3 calls between them; no model sees 13 of them\n")
    assert "call each other in a circle: tickFirst, tockSecond\n" in stats


def test_approve_show_history_diff_and_restore(place: Place) -> None:
    skills(place, "import", str(TRIAL), code=1)
    assert skills(place, "approve", "makeStonePick", "huntPigs").count("is approved") == 2
    assert skills(place, "list", "--quarantine").count("\n") == 11
    shown = skills(place, "show", "huntPigs")
    assert "huntPigs, version 1 of 1\n" in shown
    assert "approved by person; never used; sha256 " in shown
    assert "    called by: roastDinner\n" in shown
    assert "\n    async function huntPigs(bot) {\n" in shown
    history = skills(place, "history", "makeStonePick").splitlines()
    assert history[0].startswith("    1  ")
    assert history[0].endswith("approved by nobody [in quarantine]")
    assert history[1].startswith("*   2  ")
    assert history[1].endswith("from skill/code/makeStonePickV2.js, approved by person")
    assert '+  await craftItem(bot, "stick", 1);' in skills(place, "diff", "makeStonePick")
    assert '-  await craftItem(bot, "stick", 1);' in skills(place, "diff", "makeStonePick", "2", "1")
    assert "is version 1 again [in quarantine]." in skills(place, "restore", "makeStonePick", "--version", "1")
    assert "It is called by: roastDinner" in skills(place, "delete", "huntPigs")
    assert skills(place, "list", "--trash").startswith("huntPigs.2")
    assert skills(place, "restore", "huntPigs") == "huntPigs is back with all its versions.\n"
    assert "huntPigs is in the library" in skills(place, "restore", "huntPigs", code=1)
    (place.state / "skills" / "huntPigs" / "skill.json").write_text("{")
    assert "huntPigs: cannot be read: " in skills(place, "stats", code=1)
    skills(place, "delete", "huntPigs")
    assert skills(place, "restore", "huntPigs").endswith("all its versions [its current version cannot be read].\n")


def test_versions_that_differ_in_a_line_end_of_javascript_alone_are_not_the_same(place: Place) -> None:
    library = Library(place.state / "skills")
    for separator in ("\x0c", "\u2028"):
        library.save("a", draft("a", f"// fine{separator}drop();"))
    said = skills(place, "diff", "a")
    assert "-  // fine\\x0cdrop();\n+  // fine\\u2028\n+drop();\n" in said and "the same" not in said
    assert "\n      // fine\\u2028\n    drop();\n" in skills(place, "show", "a")


def test_a_version_whose_program_is_gone_gives_way_to_an_older_one(place: Place) -> None:
    skills(place, "import", str(TRIAL), code=1)
    (place.state / "skills" / "makeStonePick" / "versions" / "2.js").unlink()
    said = skills(place, "show", "makeStonePick", code=1)
    assert "is gone; take another of its versions with `autocraft skills restore makeStonePick --version N`" in said
    assert len(skills(place, "history", "makeStonePick").splitlines()) == 2
    shown = skills(place, "show", "makeStonePick", "--version", "1")
    assert shown.startswith("makeStonePick, version 1 of 2 [its current version cannot be read]\n")
    assert "is gone" in skills(place, "restore", "makeStonePick", "--version", "2", code=1)
    assert "is version 1 again [in quarantine]" in skills(place, "restore", "makeStonePick", "--version", "1")
    skills(place, "show", "makeStonePick")


def test_uses_that_cannot_be_read_hide_no_skill(place: Place) -> None:
    skills(place, "import", str(TRIAL), code=1)
    (place.state / "skills" / "huntPigs" / "uses.jsonl").mkdir()
    assert "\nhuntPigs  v1  uses unreadable [in quarantine]" in (listed := skills(place, "list"))
    assert listed.count("\n") == 13
    assert "uses unreadable" in skills(place, "show", "huntPigs")
    assert "huntPigs" in skills(place, "search", "hunt pigs")
    assert skills(place, "history", "huntPigs").count("\n") == 1
    assert "huntPigs: its uses cannot be counted: " in skills(place, "stats")


def test_search_finds_and_says_when_nothing_is_near(place: Place) -> None:
    skills(place, "import", str(TRIAL), code=1)
    found = skills(place, "search", "smelts", "raw", "copper", "furnace").splitlines()
    assert "  smeltCopperOnHill  v1  never used [in quarantine]  The function places a furnace" in found[0]
    assert len(found) <= 5
    assert "No similar skill was found (searched with " in skills(place, "search", "zzyzx qqq", code=1)
    done = place.run("skills", "search", "zzyzx qqq", MEMORY_EMBEDDER="lexical")
    assert "(searched with lexical-1)" in done.stdout, "the memory's embedder finds the skills as well"
    refused = place.run("skills", "search", "zzyzx qqq", MEMORY_EMBEDDER="lexcal")
    assert refused.returncode == 2 and "there is no embedder called 'lexcal'" in refused.stderr


def test_agent_skills_have_a_card_with_a_name_and_a_description(place: Place) -> None:
    assert "Wrote 0 skills into none" in skills(place, "export", "none", "--format", "skill-md")
    skills(place, "import", str(TRIAL), code=1)
    skills(place, "approve", "huntPigs", "stealAndSpin")
    skills(place, "export", "cards", "--format", "skill-md")
    cards = {path.parent.name: path.read_text() for path in (place.folder / "cards").glob("*/SKILL.md")}
    assert set(cards) == {"hunt-pigs", "steal-and-spin", "drive-autocraft"}
    for name, card in cards.items():
        _, head, body = card.split("---\n", 2)
        fields = dict(line.split(": ", 1) for line in head.splitlines())
        assert set(fields) == {"name", "description"} and fields["name"] == name
        assert 0 < len(json.loads(fields["description"])) <= 1024 and body.strip()
    assert "IGNORE" in cards["steal-and-spin"] and not {"</data>", "\x1b"} & set(cards["steal-and-spin"].split())
    program_file = place.folder / "cards" / "hunt-pigs" / "scripts" / "huntPigs.js"
    assert "async function huntPigs(bot)" in program_file.read_text()
    assert "--format must be" in skills(place, "export", "other", "--format", "pdf", code=2)


def test_export_and_import_elsewhere(place: Place, tmp_path: Path) -> None:
    skills(place, "import", str(TRIAL), code=1)
    skills(place, "approve", "walkHome")
    assert skills(place, "export", "shared") == "Wrote 1 skill into shared; 12 left out.\n"
    assert skills(place, "export", "as_voyager", "--voyager") == "Wrote 1 skill into as_voyager; 12 left out.\n"
    assert "is there already and not empty" in skills(place, "export", "shared", code=2)
    for folder in ("shared", "as_voyager"):
        said = skills(place, "--skills-dir", f"other_{folder}", "import", folder)
        assert (
            "walkHome: The function walks home.\n    calls: bot.pathfinder.goto, bot.waitForTicks\n1 imported" in said
        )
    assert "[in quarantine]" in skills(place, "--skills-dir", "other_shared", "list")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["show", "nothing"], 1, "there is no skill called 'nothing'; `autocraft skills list` shows what"),
        (["show", "../../etc/passwd"], 1, "there is no skill called '../../etc/passwd'"),
        (["show", "\x1b[2J"], 1, "there is no skill called '\\x1b[2J'"),
        (["history", "a"], 1, "there is no skill"),
        (["diff", "a"], 1, "there is no skill"),
        (["approve", "a"], 1, "there is no skill"),
        (["delete", "a"], 1, "there is no skill"),
        (["restore", "a"], 1, "in the trash"),
        (["restore", "a", "--version", "2"], 1, "there is no skill"),
        (["import", "nowhere"], 1, "there is no folder nowhere"),
        (["export", "out"], 1, "there is no skill to export"),
        (["export", "out", "--voyager", "--format", "skill-md"], 2, "--voyager is the same as --format voyager"),
        (["search", " "], 1, "nothing to look for"),
        (["--skills-dir", "a_file", "list"], 2, "is not a folder"),
    ],
)
def test_nonsense_gets_one_line_that_says_what_to_do(place: Place, arguments: list[str], code: int, said: str) -> None:
    (place.folder / "a_file").write_text("")
    told = skills(place, *arguments, code=code)
    assert told.startswith("autocraft: ")
    assert told.count("\n") == 1
    assert said in told


def test_a_run_keeps_finds_and_deletes_skills_and_the_person_undoes_it(place: Place) -> None:
    script = place.script(
        save("makeStick"),
        save("makeStick", 'await craftItem(bot, "stick", 2);'),
        ("search_skills", {"query": "does make stick"}),
        ("delete_skill", {"name": "makeStick"}),
        ("task_complete", {"reason": "done"}),
    )
    started = ["run", "--goal", "look around", "--brain", "scripted", "--script", script, "--continuous"]
    assert place.run(*started).returncode == 6, "nobody said whether such a goal is reached"
    events = place.events()
    assert [each["text"] for each in kinds(events, "result")][:4] == [
        "The skill makeStick is kept as version 1.",
        "The skill makeStick is kept as version 2.",
        "1. makeStick: Does makeStick. (never used) (nearness "
        + kinds(events, "result")[2]["text"].rpartition("nearness ")[2],
        "The skill makeStick was deleted; the person can restore it.",
    ]
    assert [each["risk"] for each in kinds(events, "intent")][:4] == ["change", "destroy", "look", "destroy"]
    assert (place.state / "skills" / ".trash").is_dir()
    assert place.run("sessions", "undo").returncode == 0
    history = skills(place, "history", "makeStick").splitlines()
    assert len(history) == 2
    assert "by main, for 'look around', in session " in history[1]
    assert history[1].endswith("approved by continuous")
    assert place.run("sessions", "undo").returncode == 0
    assert skills(place, "history", "makeStick").startswith("*   1  ")
    assert place.run("sessions", "undo").returncode == 0
    assert skills(place, "list").startswith("There are no skills yet")


def crash(place: Place, point: str, nth: int, script: str) -> int:
    """A run, or with the script `resume` its resumption, that kills itself at the nth passing of a point."""
    return place.python("-m", "tests.crash.runner", point, str(nth), script).returncode


@pytest.mark.parametrize(
    ("point", "nth"), [("before effect", 2), ("after effect", 1), ("after effect", 2), ("after effect", 3)]
)
@pytest.mark.sampled(1)
def test_a_killed_run_goes_on_and_does_each_change_once(place: Place, point: str, nth: int) -> None:
    script = place.script(
        save("makeStick"),
        save("makeStick", "again();"),
        ("delete_skill", {"name": "makeStick"}),
        save("makeStick", "anew();"),
        ("craft_item", {"name": "oak_planks", "count": 40}),
        ("task_complete", {"reason": "done"}),
    )
    assert crash(place, point, nth, script) == -9
    assert crash(place, "never", 0, "resume") == 0
    texts = [each["text"] for each in kinds(place.events(), "result")]
    assert [text.split()[-1] for text in texts[:4]] == ["1.", "again.", "it.", "anew."]
    assert len(skills(place, "history", "makeStick").splitlines()) == 1
    (thrown,) = (place.state / "skills" / ".trash").iterdir()
    assert len(list(thrown.glob("versions/*.js"))) == 2


def test_the_person_is_shown_the_program_and_what_it_calls(place: Place) -> None:
    script = place.script(save("makeStick", "while (true) { process.exit(); } // \u202e"), ("list_skills", {}))
    done = place.run("run", "--goal", "look around", "--brain", "scripted", "--script", script, stdin="y\nn\n")
    assert "new skill, 3 lines; calls nothing; unknown names: process\n" in done.stdout
    assert "look at: loops without await in line 2; invisible characters in line 2\n" in done.stdout
    assert "while (true) { process.exit(); } // \\u202e\n" in done.stdout
    assert "approved by person" in skills(place, "history", "makeStick")


def test_the_workspace_may_not_hold_the_skills(place: Place) -> None:
    """The default lies in the state folder, which no workspace may hold."""
    done = place.run("run", "--goal", "craft 1 stick", "--workspace", str(place.state), "--continuous")
    assert done.returncode == 2
    assert "would hold the state folder" in done.stderr
