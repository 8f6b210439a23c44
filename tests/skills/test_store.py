"""The library on real files: versions, the trash, quarantine, and what others put into its folder."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from autocraft.errors import CommandError
from autocraft.skills import files, store
from autocraft.skills.store import Library
from tests.skills.conftest import draft, program


def card(library: Library, name: str) -> Path:
    return library.folder / name / "skill.json"


def test_a_skill_is_plain_files_that_are_read_back(library: Library) -> None:
    said = draft("craftA", author="main", approved_by="person", task="craft 1 stick", session="s", call="s:3")
    said = replace(said, before=("2 oak_planks",), after=("4 stick",))
    skill, saved = library.save("craftA", said)
    assert (saved, skill.current, skill.description) == (True, 1, "Does craftA.")
    assert (library.folder / "craftA/versions/1.js").read_text() == program("craftA")
    kept = json.loads(card(library, "craftA").read_text())
    assert (kept["format"], kept["name"], kept["current"]) == (1, "craftA", 1)
    assert kept["versions"][0]["task"] == "craft 1 stick"
    assert "quarantine" not in kept["versions"][0]
    again = Library(library.folder).entry("craftA")
    assert (again.skill, again.code, again.hold) == (skill, program("craftA"), "")
    assert stat.S_IMODE(card(library, "craftA").stat().st_mode) == 0o600


def test_nothing_is_made_by_looking(library: Library) -> None:
    assert (library.names(), library.entries(), library.list_trash()) == ([], ([], {}), [])
    with pytest.raises(CommandError, match="there is no skill called 'craftA'"):
        library.entry("craftA")
    assert not library.folder.exists()


def test_old_versions_stay_and_come_back(library: Library) -> None:
    library.save("craftA", draft("craftA", "one();"))
    library.save("craftA", draft("craftA", "two();", description="Does it better."))
    skill, saved = library.save("craftA", draft("craftA", "two();", description="Does it better."))
    assert (saved, skill.current, len(skill.versions)) == (False, 2, 2)
    library.set_current("craftA", 1)
    assert library.entry("craftA").skill.description == "Does craftA."
    assert library.code("craftA") == program("craftA", "one();")
    assert library.code("craftA", 2) == program("craftA", "two();")
    skill, _ = library.save("craftA", draft("craftA", "three();"))
    assert [each.number for each in skill.versions] == [1, 2, 3]
    with pytest.raises(CommandError, match="has no version 9; it has 1, 2, 3"):
        library.set_current("craftA", 9)


def test_deleted_and_restored_with_all_versions(library: Library) -> None:
    for body in ("one();", "two();"):
        library.save("craftA", draft("craftA", body))
    kept = library.delete("craftA", "0123456789ab")
    assert library.names() == []
    assert library.list_trash() == [kept]
    assert kept.startswith("craftA.")
    assert kept.endswith(".0123456789ab")
    library.save("craftA", draft("craftA", "other();"))
    with pytest.raises(CommandError, match="there is a skill called craftA already"):
        library.restore("craftA")
    library.delete("craftA")
    assert library.restore(kept) == "craftA"
    assert len(library.entry("craftA").skill.versions) == 2
    assert len(library.list_trash()) == 1


def test_a_folder_without_its_card_is_put_aside_not_wiped(library: Library) -> None:
    library.save("a", draft("a", "old();"))
    library.delete("a")
    for again in ("save", "restore"):
        (library.folder / "a/versions").mkdir(parents=True)
        (library.folder / "a/versions/1.js").write_text("by hand")
        library.save("a", draft("a", "fresh();")) if again == "save" else library.restore("a")
        assert "fresh" in library.code("a")
        library.delete("a")
    aside = list((library.folder / ".trash").glob(".a.*/versions/1.js"))
    assert [each.read_text() for each in aside] == ["by hand"] * 2
    assert len(library.list_trash()) == 2


@pytest.mark.parametrize(
    "name",
    ["", "a b", "../x", "a/b", "a\\b", ".a", "a.js", "1a", "é", "a\n", "a" * 65, "con", "NUL", "COM1", "await", "eval",
     "__proto__", "constructor", "toString", "bot", "craftItem", "Vec3", "Math", "globalThis", "\ud800", "a\x00"],
)  # fmt: skip
def test_names_that_are_no_plain_names(library: Library, name: str) -> None:
    for change in (lambda: library.save(name, draft("a")), lambda: library.add(name, [draft("a")])):
        with pytest.raises(CommandError) as caught:
            change()
        assert "choose another" in str(caught.value) or "use a letter" in str(caught.value)
    for look in (library.entry, library.delete, library.approve, library.code):
        with pytest.raises(CommandError, match="there is no skill called"):
            look(name)
    assert not library.folder.exists() or library.names() == []


def test_names_that_one_file_system_takes_for_the_same(library: Library) -> None:
    library.save("craftStick", draft("craftStick"))
    with pytest.raises(CommandError, match="there is a skill called craftStick already"):
        library.save("craftstick", draft("craftstick"))
    with pytest.raises(CommandError, match="did you mean craftStick"):
        library.entry("craftstick")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"description": " "}, "there is no description"),
        ({"description": "x" * 2001}, "2,000 characters"),
        ({"description": "\ud800"}, "half a character"),
        ({"before": ("x" * 201,)}, "conditions are 32 lines"),
        ({"code": "async function craftA(bot) {"}, "line 1: } is missing"),
        ({"code": program("craftB")}, "no function is called craftA"),
    ],
)
def test_what_cannot_be_kept_leaves_nothing(library: Library, said: dict[str, object], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        library.save("craftA", replace(draft("craftA"), **said))  # type: ignore[arg-type]
    assert library.names() == []


def test_the_library_and_a_skill_are_capped(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_SKILLS", 2)
    monkeypatch.setattr(store, "MOST_VERSIONS", 2)
    for name in ("a", "b"):
        library.save(name, draft(name))
    with pytest.raises(CommandError, match="holds 2 skills, which is the most"):
        library.save("c", draft("c"))
    library.save("a", draft("a", "two();"))
    with pytest.raises(CommandError, match="more than 2 versions"):
        library.save("a", draft("a", "three();"))
    monkeypatch.setattr(files, "MOST_JSON_BYTES", 1_000)
    with pytest.raises(CommandError, match=r"skill\.json would have more than 1,000 bytes"):
        library.save("b", draft("b", "two();", description="x" * 900))
    assert library.skill("b").current == 1, "a card that could not be read again is not written"


def test_a_caller_that_is_mistaken_about_what_is_there(library: Library) -> None:
    with pytest.raises(CommandError, match="was deleted after this was approved"):
        library.save("a", draft("a"), new=False)
    library.save("a", draft("a"), new=True)
    with pytest.raises(CommandError, match="was created after this was approved"):
        library.save("a", draft("a", "other();"), new=True)


def test_quarantine_until_approved(library: Library) -> None:
    library.add("a", [draft("a", "one();", quarantine=True), draft("a", "two();", quarantine=True)], 1)
    assert library.entry("a").hold == "in quarantine"
    with pytest.raises(CommandError, match="in quarantine until the person approves it"):
        library.save("a", draft("a", "mine();"))
    approved = library.approve("a")
    assert (approved.version().approved_by, library.entry("a").hold) == ("person", "")
    library.set_current("a", 2)
    assert library.entry("a").hold == "in quarantine"
    with pytest.raises(CommandError, match="already"):
        library.add("a", [draft("a")])


def test_a_program_changed_by_hand_waits_for_the_person(library: Library) -> None:
    library.save("a", draft("a", approved_by="person"))
    path = library.folder / "a/versions/1.js"
    assert library.entry("a").hold == ""
    path.write_text(program("a", "changed();"))
    assert library.entry("a").hold == "changed by hand since it was written"
    library.approve("a")
    assert (library.entry("a").hold, library.code("a")) == ("", program("a", "changed();"))
    path.write_text("async function a(bot) {")
    assert library.entry("a").fault.startswith("line 1")
    with pytest.raises(CommandError, match="is missing"):
        library.approve("a")


def test_another_process_is_seen_at_once(library: Library) -> None:
    other = Library(library.folder)
    library.save("a", draft("a", "one();"))
    assert other.entry("a").code == program("a", "one();")
    library.save("a", draft("a", "two();"))
    assert other.entry("a").code == program("a", "two();")
    library.delete("a")
    assert other.names() == []


DAMAGED = [
    "",
    "{",
    "[]",
    "null",
    "[" * 100_000,
    "\ud800".encode("utf-8", "surrogatepass"),
    {"format": 2},
    {"name": "b"},
    {"current": 7},
    {"current": "1"},
    {"current": True},
    {"current": 1.0},
    {"versions": []},
    {"versions": [7]},
    {"versions": {}},
    {"versions": [{"number": 1}, {"number": 1}]},
    {"versions": [{"number": True, "sha256": "", "created": "", "description": ""}]},
    {"versions": [{"number": 1, "description": 7}]},
    {"versions": [{"number": 1, "before": ["x", 3]}]},
    {"versions": [{"number": 1, "quarantine": "no"}]},
    {"versions": [{"number": 1, "author": "x" * 5000}]},
]


@pytest.mark.parametrize("damage", DAMAGED, ids=lambda each: str(each)[:40])
def test_a_damaged_card_is_named_and_hides_no_other(library: Library, damage: object) -> None:
    for name in ("a", "b"):
        library.save(name, draft(name))
    whole = json.loads(card(library, "a").read_text())
    if isinstance(damage, bytes):
        card(library, "a").write_bytes(damage)
    else:
        text = json.dumps({**whole, **damage}) if isinstance(damage, dict) else str(damage)
        card(library, "a").write_text(text)
    good, bad = library.entries()
    assert [each.name for each in good] == ["b"]
    assert list(bad) == ["a"]
    assert bad["a"].startswith("the skill a cannot be read: ")
    with pytest.raises(CommandError, match="the skill a cannot be read"):
        library.save("a", draft("a", "other();"))
    library.delete("a")
    assert library.names() == ["b"]


def test_pipes_symlinks_and_endless_files_are_left_alone(library: Library, tmp_path: Path) -> None:
    secret = tmp_path / "secret.js"
    secret.write_text(program("a"))
    for name in ("a", "b", "c", "d"):
        library.save(name, draft(name))
    for name in ("a", "b", "c"):
        (library.folder / name / "versions/1.js").unlink()
    (library.folder / "a/versions/1.js").symlink_to(secret)
    os.mkfifo(library.folder / "b/versions/1.js")
    (library.folder / "c/versions/1.js").write_text(" " * 70_000)
    (library.folder / "elsewhere").symlink_to(tmp_path)
    (library.folder / "half").mkdir()
    good, bad = library.entries()
    assert [each.name for each in good] == ["d"]
    assert "must be a plain file" in bad["a"]
    assert "is not a plain file" in bad["b"]
    assert "more than 65,536 bytes" in bad["c"]


def test_a_folder_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="check the folder of the skills"):
        Library(tmp_path / "file" / "skills").save("a", draft("a"))
    held = Library(tmp_path / "skills")
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.05)
    with files.lock_library(held.folder), pytest.raises(Exception, match="in use by another run"):
        held.save("a", draft("a"))
    held.save("a", draft("a"))
