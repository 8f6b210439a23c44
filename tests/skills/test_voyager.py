"""Reading other libraries: every program parsed, none run, all in quarantine; and writing one again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from autocraft.errors import AutocraftError, CommandError, UsageError
from autocraft.skills.export import export
from autocraft.skills.store import Library
from autocraft.skills.voyager import Candidate, read_folder, take_in
from tests.skills.conftest import TRIAL, draft, program

GOOD = [
    "craftTorchesForCave", "huntPigs", "makeStonePick", "mineIronBelow", "onlyListed", "plantRowOfSaplings",
    "roastDinner", "smeltCopperOnHill", "stealAndSpin", "storeSpareStones", "tickFirst", "tockSecond", "walkHome",
]  # fmt: skip


def by_name(folder: Path) -> dict[str, Candidate]:
    return {each.name: each for each in read_folder(folder)}


def test_a_voyager_trial() -> None:
    found = by_name(TRIAL)
    assert found == by_name(TRIAL / "skill")
    bad = {name: each.problem for name, each in found.items() if each.problem}
    assert list(bad) == ["arrowOnly.js", "cutOff.js", "forgotAsync.js", "skills.json: noProgram", "wantsMore.js"]
    assert bad["cutOff.js"].startswith("line 3: } is missing")
    assert bad["forgotAsync.js"].startswith("line 2: await is in a function")
    assert [name for name in found if name not in bad] == ["constructor", *GOOD]
    picks = found["makeStonePick"]
    assert [draft.source for draft in picks.drafts] == ["skill/code/makeStonePick.js", "skill/code/makeStonePickV2.js"]
    assert picks.current == 2
    said = {name: each.drafts[each.current - 1].description for name, each in found.items() if each.drafts}
    assert said["huntPigs"] == "The function kills up to two pigs nearby."
    assert said["makeStonePick"] == "The function mines stone and crafts a stone pickaxe."
    assert said["roastDinner"] == "Hunts, then roasts what it got."
    assert said["onlyListed"] == "only listed"
    assert all(draft.quarantine and not draft.approved_by for each in found.values() for draft in each.drafts)


def test_a_later_file_that_is_not_the_listed_one_is_kept_but_not_current(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    for stem, body in (("a", "one();"), ("aV2", "two();"), ("aV10", "ten();")):
        (tmp_path / "code" / f"{stem}.js").write_text(program("a", body))
    (tmp_path / "code" / "bV2.js").write_text(program("bV2"))
    (tmp_path / "skills.json").write_text(json.dumps({"a": {"code": program("a", "two();")}}))
    found = by_name(tmp_path)
    assert list(found) == ["a", "bV2"]
    assert [each.code for each in found["a"].drafts] == [program("a", f"{body}();") for body in ("one", "two", "ten")]
    assert found["a"].current == 2


@pytest.mark.parametrize("text", ["", "[]", "7", "{", '{"a": 1}', '{"a": {"code": []}}', '{"../x": {"code": "y"}}'])
def test_a_damaged_list_costs_nothing_else(tmp_path: Path, text: str) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.js").write_text(program("a"))
    (tmp_path / "skills.json").write_text(text)
    found = by_name(tmp_path)
    assert found.pop("a").drafts[0].code == program("a")
    ((name, each),) = found.items()
    assert name.startswith("skills.json")
    assert each.problem


def test_a_folder_of_files(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("no program")
    with pytest.raises(CommandError, match=r"holds no \.js file"):
        read_folder(tmp_path)
    blank = "\n" * 60_000  # which an expression must not read again for each of its lines
    (tmp_path / "a.js").write_text(f"/* Chops\n * wood. {blank}*/\n" + program("chop"))
    (tmp_path / "big.js").write_text(" " * 70_000)
    (tmp_path / "latin.js").write_bytes(b"// \xe9\n")
    (tmp_path / "link.js").symlink_to(tmp_path / "a.js")
    (tmp_path / "folder.js").mkdir()
    os.mkfifo(tmp_path / "pipe.js")
    found = by_name(tmp_path)
    assert found.pop("chop").drafts[0].description == "Chops wood."
    assert sorted(found) == ["big.js", "folder.js", "latin.js", "link.js", "pipe.js"]
    assert all(each.problem for each in found.values())
    with pytest.raises(CommandError, match="there is no folder"):
        read_folder(tmp_path / "none")


def test_versions_in_a_folder_of_files(tmp_path: Path) -> None:
    """As when Voyager's `code` folder itself is named."""
    folder = tmp_path / "trial1" / "skill" / "code"
    folder.mkdir(parents=True)
    for stem, count in (("a", 1), ("aV2", 2), ("aV10", 10), ("zz", 5)):
        (folder / f"{stem}.js").write_text(program("a", f'await craftItem(bot, "stick", {count});'))
    found = by_name(folder)
    assert [each.code.count(f'"stick", {n})') for each, n in zip(found["a"].drafts, (1, 2, 10), strict=True)] == [1] * 3
    assert found["a"].current == 3
    assert found["zz.js"].problem == "a.js holds a as well; give one of them another name"
    with pytest.raises(CommandError, match="name one of its folders trial1"):
        read_folder(tmp_path)


def test_a_library_with_a_skill_that_is_called_code(library: Library, tmp_path: Path) -> None:
    library.save("code", draft("code"))
    library.save("skill", draft("skill"))
    assert export(library, tmp_path / "out", []) == ["code", "skill"]
    assert [(each.name, each.problem) for each in read_folder(tmp_path / "out")] == [("code", ""), ("skill", "")]


def test_an_export_that_fails_leaves_nothing(library: Library, tmp_path: Path) -> None:
    library.save("a", draft("a", "one();"))
    library.save("b", draft("b", "one();"))
    library.save("b", draft("b", "two();"))
    (library.folder / "b/versions/1.js").unlink()
    with pytest.raises(AutocraftError):
        export(library, tmp_path / "out", ["a", "b"])
    assert list((tmp_path / "out").iterdir()) == []
    assert export(library, tmp_path / "out", ["a"]) == ["a"]


def test_export_and_import_again(library: Library, tmp_path: Path) -> None:
    library.save("a", draft("a", "one();", approved_by="person", before=("1 stick",), author="main"))
    library.save("a", draft("a", "two();"))
    library.add("held", [draft("held", quarantine=True)])
    (library.folder / "a/tests").mkdir()
    (library.folder / "a/tests/plain.json").write_text("{}")
    assert export(library, tmp_path / "out", []) == ["a"]
    assert sorted(str(each.relative_to(tmp_path / "out")) for each in (tmp_path / "out").rglob("*.js*")) == [
        "a/skill.json", "a/tests/plain.json", "a/versions/1.js", "a/versions/2.js",
    ]  # fmt: skip
    (theirs,) = read_folder(tmp_path / "out")
    assert [(each.code, each.quarantine, each.approved_by) for each in theirs.drafts] == [
        (program("a", "one();"), True, ""),
        (program("a", "two();"), True, ""),
    ]
    assert (theirs.drafts[0].before, theirs.drafts[0].author, theirs.current) == (("1 stick",), "main", 2)
    mine = Library(tmp_path / "mine")
    assert [take_in(mine, theirs), take_in(mine, theirs)] == [True, False]
    assert (mine.folder / "a/tests/plain.json").read_text() == "{}", "the tests come with the programs"
    (mine.folder / "a/tests/plain.json").unlink()
    assert not take_in(mine, theirs) and (mine.folder / "a/tests/plain.json").exists(), "a test that was not taken"
    (tmp_path / "out/a/tests/link.json").symlink_to(tmp_path / "out/a/tests/plain.json")
    with pytest.raises(CommandError, match="symbolic link"):
        take_in(Library(tmp_path / "other"), read_folder(tmp_path / "out")[0])
    assert Library(tmp_path / "other").names() == [], "a skill comes with all of its tests or not at all"
    (library.folder / "held/tests").write_text("no folder")
    with pytest.raises(CommandError, match="the tests of held cannot be listed: Not a directory"):
        export(library, tmp_path / "third", ["held"])
    with pytest.raises(UsageError, match="not empty"):
        export(library, tmp_path / "out", [])
    assert export(library, tmp_path / "voyager", ["a", "held"], kind="voyager") == ["a", "held"]
    again = by_name(tmp_path / "voyager")
    assert {name: each.drafts[0].description for name, each in again.items()} == {"a": "Does a.", "held": "Does held."}
    assert again["a"].drafts[0].code == program("a", "two();")


def test_each_agent_skill_has_a_folder_of_its_own(library: Library, tmp_path: Path) -> None:
    """A name in other letters once replaced another skill, or the card that explains autocraft."""
    names = ["$", "craftX", "craft_x", "driveAutocraft"]
    for name in names:
        by = "person" if name == "craftX" else "continuous"
        library.save(name, draft(name, description="Digs \U0001f48e.", approved_by=by))
    out = tmp_path / "out"
    assert export(library, out, [*names, "craftX"], kind="skill-md") == names
    programs = {str(path.relative_to(out)) for path in out.rglob("*.js")}
    folders = ("skill", "craft-x", "craft-x-2", "drive-autocraft-2")
    assert programs == {f"{folder}/scripts/{name}.js" for folder, name in zip(folders, names, strict=True)}
    for folder in folders:
        head = (out / folder / "SKILL.md").read_text("utf-8").split("---\n")[1]
        assert head == f'name: {folder}\ndescription: "Digs \U0001f48e."\n'
    cards = {folder: (out / folder / "SKILL.md").read_text("utf-8") for folder in folders}
    assert [folder for folder, card in cards.items() if "A person has approved it." in card] == ["craft-x"]
    assert sum("No person has approved it." in card for card in cards.values()) == 3, "as after --continuous"
    assert "name: drive-autocraft\n" in (out / "drive-autocraft" / "SKILL.md").read_text("utf-8")


def test_another_library_with_damage_in_it(tmp_path: Path) -> None:
    theirs = Library(tmp_path / "theirs")
    for name in ("a", "b", "c"):
        theirs.save(name, draft(name))
    (theirs.folder / "a/skill.json").write_text("{")
    (theirs.folder / "b/versions/1.js").write_text("not a program (")
    found = by_name(theirs.folder)
    assert found["a"].problem
    assert found["b"].problem.startswith("line 1: ")
    assert found["c"].problem == ""
