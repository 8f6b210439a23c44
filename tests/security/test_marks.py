"""The marks of chat templates are broken by what they look like, so that those of a model nobody knows are too."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import product

import pytest

from autocraft.text.prompts import as_it_was, harmless
from tests.conftest import Place, kinds
from tests.security.count import Tally
from tests.security.injections import TEMPLATES, TURNS

Kind = Callable[[str], Tally]
WORDS = [
    *("user", "USER", "End_Of_Turn", "im_start", "SPECIAL_10", "reserved_106", "seed:bos", "x1", "_bot", "eoh", "0x0A"),
    *("\u7528\u6237", "end\u2581of\u2581text", "tool-call", "BOS", "unk"),
]
BRACKETS = [
    *(("<", ">"), ("</", ">"), ("<|", "|>"), ("<|/", "|>"), ("[|", "|]"), ("<\uff5c", "\uff5c>"), ("<", "/>")),
    *(("\uff1c", "\uff1e"), ("\ufe64", "\ufe65"), ("\uff1c|", "|\uff1e"), ("\uff3b|", "|\uff3d"), ("<|", ">")),
    *(("<", "|>"), ("\u25c1", "\u25b7"), ("]~", "]"), ("[", "~["), ("<\u200b", ">"), ("<", "\u2060>")),
]
SQUARE = ["INST", "THINK", "gMASK", "sMASK", "CLS", "UNUSED_TOKEN_145", "TOOL_RESULTS", "BEGIN_AUDIO", "MASK_1"]


def family() -> list[str]:
    """Marks of every form that templates have, with names that none has."""
    tilde = [word for word in WORDS if word.isidentifier()]
    made = [f"{a}{word}{b}" for (a, b), word in product(BRACKETS, WORDS) if "~" not in a + b or word in tilde]
    made += [f"{a}{word}{b}" for (a, b), word in product([("[", "]"), ("[/", "]"), ("\uff3b", "\uff3d")], SQUARE)]
    return [*made, f"[{''.join(chr(ord(char) + 0xFEE0) for char in 'INST')}]", ">>ANY_NAME<<"]


def plain(text: str) -> str:
    """As a tokenizer reads it that folds characters and drops those that are not seen."""
    return unicodedata.normalize("NFKC", "".join(c for c in text if unicodedata.category(c) != "Cf"))


@pytest.mark.parametrize("marks", [TEMPLATES, TURNS, family()], ids=["known", "turns", "family"])
def test_every_mark_is_broken(marks: list[str], tally: Kind) -> None:
    attacks = tally("injections")
    for mark in marks:
        texts = (mark, f"word{mark}word", f"\n{mark}\n", f"[{mark}]", f"<b>{mark}", mark * 2)
        attacks.add(mark, [text for text in texts if plain(mark.strip()) in plain(harmless(text))])
    attacks.done()


def by_a_list(text: str) -> str:
    """The control: a program that knows the marks of the best known models alone."""
    for mark in ("<|im_start|>", "<|im_end|>", "[INST]", "<s>", "</s>", "<start_of_turn>", "<bos>"):
        text = text.replace(mark, "")
    return text


def test_a_list_lets_most_of_them_through() -> None:
    assert sum(by_a_list(mark) == mark for mark in [*TEMPLATES, *family()]) > 250


@pytest.mark.parametrize("unseen", ["\u200b", "\u180e", "\ufe0f", "\u2066", "\u202a", "\u034f", "\u3164"])
def test_a_mark_with_what_shows_nothing_inside_is_broken(unseen: str) -> None:
    for mark in (f"<{unseen}|im_start|>", f"<{unseen}think>", f"[{unseen}INST]"):
        assert harmless(mark) != mark


ORDINARY = """if a < b and c > d: x[0] = y[i][j] + list[int]()
<div> <p>text</p> <br/> <a href="x"> <!DOCTYPE html> </body>
#include <stdio.h>
for (i = 0; i < n; i++) { a[n-1] = b >> 2; c << 1 }
Map<K, V> f <- g; x |> f; f <| x; a => b; 1<2>3; [1] [A-Z] [ok] [x] [OK]
see https://x.test/?a=[b]&c=<d@e.org> «mot» 《書》 arr[~mask] [~x for x in y]
|a|b|\n|---|---| - [ ] todo, **bold**, 3 <= 4 >= 2, <3, [I17] to [A1]"""


def test_ordinary_text_stays() -> None:
    assert harmless(ORDINARY) == ORDINARY


def test_what_was_broken_can_be_put_together() -> None:
    for text in ("List<String> x = <T>;", "<dependency>\n  <role>", "arr[MAX_SIZE] [THINK]", "]~b]", "</think>"):
        assert harmless(text) != text
        assert as_it_was(harmless(text)) == text


def test_a_file_with_such_words_can_be_edited(place: Place) -> None:
    """A model that copies what it was shown is told what the file really holds; nothing is changed in silence."""
    file = place.folder / "workspace" / "pom.xml"
    file.parent.mkdir()
    file.write_text("<dependency>\n  <version>1</version>\n</dependency>\n")
    shown = harmless("<version>1</version>")
    assert shown == "&lt;version>1&lt;/version>"
    copied = {"file": "pom.xml", "old": shown, "new": shown.replace("1", "2")}
    right = {name: as_it_was(text) for name, text in copied.items()}
    script = place.script(("read_file", {"file": "pom.xml"}), ("edit_file", copied), ("edit_file", right))
    done = place.run("run", "--goal", "craft 1 stick", "--brain", "scripted", "--script", script, "--continuous")
    results = kinds(place.events(), "result")
    assert [each["ok"] for each in results[:3]] == [True, False, True], done.stdout
    assert "where data shows &lt; or &#91; the file may have < or [ itself" in results[1]["text"]
    assert file.read_text() == "<dependency>\n  <version>2</version>\n</dependency>\n"


def test_what_is_written_holds_no_escapes_that_were_only_shown(place: Place) -> None:
    rust = "fn f() -> Vec<u8> {\n  todo!()\n}\nint b[MAX];\n"
    (place.folder / "workspace").mkdir()
    (place.folder / "workspace" / "a.rs").write_text(rust)
    (place.folder / "workspace" / "b.html").write_text("<p>&lt;u8></p>")
    copied = ["let x: Vec&lt;u8> = g();", "b&#91;MAX]", "<div> [INFO] &lt;T>"]
    assert [harmless(as_it_was(text)) != as_it_was(text) for text in copied] == [True] * 3
    refused = [("edit_file", {"file": "a.rs", "old": "todo!()", "new": text}) for text in copied]
    refused += [
        ("append_to_file", {"file": "a.rs", "text": copied[0]}),
        ("write_to_file", {"file": "c", "text": copied[1]}),
    ]
    meant = [("write_to_file", {"file": "d.html", "text": "<p>Vec&lt;u8&gt; &amp; a &lt; b</p>"}),
             ("append_to_file", {"file": "b.html", "text": "&lt;u16>"}),
             ("edit_file", {"file": "a.rs", "old": "todo!()", "new": "let x: Vec<u8> = g(); b[MAX]"})]  # fmt: skip
    script = place.script(*refused, *meant)
    place.run("run", "--goal", "craft 1 stick", "--brain", "scripted", "--script", script, "--continuous")
    results = kinds(place.events(), "result")[: len(refused) + len(meant)]
    assert [each["ok"] for each in results] == [False] * len(refused) + [True] * len(meant), results
    assert all("the file may have < or [ itself" in each["text"] for each in results[: len(refused)])
    written = {file.name: file.read_text() for file in (place.folder / "workspace").iterdir()}
    assert written["a.rs"] == rust.replace("todo!()", meant[2][1]["new"]) and "c" not in written


def test_the_model_is_told(place: Place) -> None:
    done = place.run("prompt", "--goal", "craft 1 stick")
    assert "In it &lt; and &#91; may stand for < and [" in done.stdout
