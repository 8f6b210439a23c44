"""The examples of docs/evaluation.md and docs/crafting.md are run as they stand there."""

from __future__ import annotations

from tests.conftest import ROOT, Place, python_examples


def codes(page: str) -> list[str]:
    return python_examples(ROOT / "docs" / page)


def run(place: Place, code: str) -> tuple[str, str]:
    done = place.python("-c", code)
    return done.stdout, done.stderr


def test_the_model_of_the_docs_runs(place: Place) -> None:
    [code] = codes("evaluation.md")
    out, err = run(place, code)
    assert (err, out.split()) == ("", ["0.0", "mover/page.html"])
    assert (place.folder / "mover" / "page.html").stat().st_size > 10_000


def test_the_environments_of_the_docs_run(place: Place) -> None:
    environment, gym = codes("crafting.md")
    assert run(place, environment) == (
        "{10: {'type': 'oak_log', 'quantity': 3}, 11: {'type': 'oak_planks', 'quantity': 4}} True "
        "moved 4 oak_planks from [0] to [I2]; [0] is now empty (664, 704, 3)\n"
        "smelted 3 oak_log from [I1] into 3 charcoal in [I3]\n"
        "nothing was changed: [I3] holds 3 charcoal, so no oak_planks can go there; first free slot: [I1]\n",
        "",
    )
    assert run(place, gym) == (
        "Craft an item of type: writable_book 0.0 False True "
        "moved 1 ink_sac from [I26] to [A1]; [0] now shows 1 black_dye\n",
        "",
    )
