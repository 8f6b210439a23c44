"""The picture of the window: where things lie in it, and where icons come from."""

from __future__ import annotations

import io
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from PIL import Image

from autocraft.crafting.describe import table_text
from autocraft.crafting.picture import HEIGHT, WIDTH, Resolution, corner, window_array, window_image
from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import COUNT
from autocraft.crafting.table import CraftingTable
from autocraft.crafting.textures import OWN, SIDE, VARIABLE, icon, letters, texture_folder
from autocraft.errors import UsageError
from autocraft.installation import install_line
from tests.conftest import STONE_PICKAXE, Place

pytestmark = pytest.mark.sampled(10)

LOGS = CraftingTable({10: ("oak_log", 4), 1: ("coal", 1)})
RED, BLUE = (250, 10, 20, 255), (10, 20, 250, 255)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Textures of one item: a red square of 16 dots."""
    Image.new("RGBA", (16, 16), RED).save(tmp_path / "oak_log.png")
    return tmp_path


def cut(pixels: NDArray[Any], slot: int) -> NDArray[Any]:
    left, top = corner(slot)
    return pixels[top : top + SIDE, left : left + SIDE]


def test_the_image_is_a_png_with_its_words() -> None:
    made = window_image(LOGS, OWN)
    assert made.kind == "image/png"
    assert made.alt == table_text(LOGS)
    with Image.open(io.BytesIO(made.data), formats=["PNG"]) as picture:
        assert picture.size == (WIDTH, HEIGHT)
        assert (numpy.array(picture) == window_array(LOGS, "high", OWN)).all()


def test_46_slots_lie_apart_inside_the_window_each_with_a_name_above_it() -> None:
    pixels = window_array(CraftingTable(), "high", OWN)
    covered = numpy.zeros((HEIGHT, WIDTH), dtype=int)
    names = set()
    for slot in range(COUNT):
        left, top = corner(slot)
        covered[top : top + SIDE, left : left + SIDE] += 1
        rim = 14 if slot == 0 else 0
        strip = pixels[top - rim - 18 : top - rim - 2, left : left + SIDE]
        assert (strip < 120).any(), slot
        names.add(strip.tobytes())
    assert covered.max() == 1
    assert covered.sum() == COUNT * SIDE * SIDE
    assert len(names) == COUNT


@pytest.mark.parametrize("slot", range(1, COUNT))
@pytest.mark.sampled(8)
def test_an_item_changes_its_own_slot_alone(slot: int) -> None:
    empty = window_array(CraftingTable(), "high", OWN)
    pixels = window_array(CraftingTable({slot: ("diamond_sword", 1)}), "high", OWN)
    changed = (empty != pixels).any(axis=2)
    assert cut(changed, slot).any()
    assert changed.sum() == cut(changed, slot).sum()


def test_counts_from_two_on_stand_at_the_lower_right() -> None:
    one, two, many = (cut(window_array(CraftingTable({10: ("coal", n)}), "high", OWN), 10) for n in (1, 2, 64))
    for more in (two, many):
        changed = (one != more).any(axis=2)
        rows, columns = changed.nonzero()
        assert rows.min() >= SIDE // 2
        assert columns.min() >= SIDE // 4
    assert (two != many).any()


def test_the_output_of_the_grid_is_shown() -> None:
    shown = window_array(CraftingTable({1: ("oak_log", 1)}), "high", OWN)
    assert (cut(shown, 0) != cut(window_array(CraftingTable(), "high", OWN), 0)).any()


@pytest.mark.parametrize(("resolution", "shrunk"), [("medium", 2), ("low", 4)])
def test_smaller_resolutions(resolution: Resolution, shrunk: int) -> None:
    assert window_array(LOGS, resolution, OWN).shape == (HEIGHT // shrunk, WIDTH // shrunk, 3)


def test_an_array_is_the_callers_own() -> None:
    first = window_array(LOGS, "high", OWN)
    first[:] = 0
    assert window_array(LOGS, "high", OWN).any()


@pytest.mark.sampled(1)
def test_every_item_has_a_tile_with_letters() -> None:
    tiles: dict[int, list[str]] = {}
    for item in sorted(load_book().items):
        assert 2 <= len(letters(item)) <= 4, item
        tile = numpy.array(icon(item, None))
        assert tile.shape == (SIDE, SIDE, 4)
        tiles.setdefault(zlib.crc32(tile.tobytes()), []).append(item)
    assert [same for same in tiles.values() if len(same) > 4] == []
    assert len(tiles) > 0.95 * len(load_book().items)


def test_textures_of_a_folder_by_argument_or_variable_and_our_tile_for_the_rest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = window_array(LOGS, "high", OWN)
    pixels = window_array(LOGS, "high", folder)
    assert tuple(cut(pixels, 10)[10, 10]) == RED[:3]
    assert (cut(pixels, 1) == cut(own, 1)).all()
    monkeypatch.setenv(VARIABLE, str(folder))
    assert (window_array(LOGS) == pixels).all()
    assert (window_array(LOGS, "high", OWN) == own).all()
    monkeypatch.setenv(VARIABLE, OWN)
    assert (window_array(LOGS) == own).all()


def test_textures_of_the_package_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    found = texture_folder()
    assert found is not None
    assert (found / "oak_log.png").exists()
    assert (window_array(LOGS) != window_array(LOGS, "high", OWN)).any()


def test_without_the_package_there_are_tiles_and_it_is_never_imported() -> None:
    program = """
import sys
from autocraft.crafting.textures import texture_folder
found = texture_folder()
assert found is not None and "plancraft" not in sys.modules
sys.modules["plancraft"] = None  # as if it were not installed
texture_folder.__globals__["_package_folder"].cache_clear()
assert texture_folder() is None
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={}, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("wrong", ["missing", "empty", "file", "zero\0byte"])
def test_a_folder_without_pngs_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match=r"textures: .* is not a folder with files such as oak_log\.png") as caught:
        window_image(LOGS, tmp_path / wrong)
    assert "\n" not in str(caught.value)
    if "\0" not in wrong:
        monkeypatch.setenv(VARIABLE, str(tmp_path / wrong))
        with pytest.raises(UsageError, match=VARIABLE):
            window_image(LOGS)


@pytest.mark.parametrize("wrong", [5, b"x", "~nobody-of-this-name/textures", "x" * 5000])
def test_what_is_no_path_is_the_same_error(wrong: Any) -> None:
    with pytest.raises(UsageError, match="is not a folder") as caught:
        window_array(LOGS, "low", wrong)
    assert len(str(caught.value)) < 300


def broken(path: Path, kind: str) -> None:
    """Write a file that is no picture we take."""
    picture = Image.new("RGBA", (16, 16), RED)
    data = io.BytesIO()
    picture.save(data, "PNG")
    if kind == "cut":
        path.write_bytes(data.getvalue()[: len(data.getvalue()) // 2])
    elif kind == "noise":
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\x00" * 50)
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "jpeg":
        picture.convert("RGB").save(path, "JPEG")
    elif kind == "too many bytes":
        path.write_bytes(data.getvalue() + b"\0" * (1 << 20))
    elif kind == "too many dots":
        Image.new("1", (20_000, 20_000)).save(path, "PNG")
    else:
        path.mkdir()


@pytest.mark.parametrize("kind", ["cut", "noise", "empty", "jpeg", "too many bytes", "too many dots", "folder"])
def test_a_bad_file_counts_as_missing(folder: Path, kind: str) -> None:
    broken(folder / "coal.png", kind)
    assert icon("coal", folder).tobytes() == icon("coal", None).tobytes()


def test_animated_strips_show_their_first_square(folder: Path) -> None:
    strip = Image.new("RGBA", (16, 64), BLUE)
    strip.paste(RED, (0, 0, 16, 16))
    strip.save(folder / "coal.png")
    assert {tuple(dot) for dot in numpy.array(icon("coal", folder)).reshape(-1, 4)} == {RED}


def test_large_and_palette_textures_are_scaled(folder: Path) -> None:
    Image.new("RGB", (200, 200), RED[:3]).quantize(4).save(folder / "coal.png")
    assert icon("coal", folder).size == (SIDE, SIDE)


RUN = ["run", *STONE_PICKAXE, "--continuous"]
GYM = "from autocraft.crafting.gym import CraftingEnv; CraftingEnv"
CLI = "from autocraft.cli import main; main()"


def without_pillow(place: Place, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a Python that cannot import PIL."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules['PIL'] = None; {code}", *arguments],
        cwd=place.folder,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("arguments", [[*RUN, "--images"], ["eval", "--limit", "1", "--brain", "planner", "--images"]])
def test_without_pillow_a_run_with_pictures_ends_in_one_line(place: Place, arguments: list[str]) -> None:
    done = without_pillow(place, CLI, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == f"autocraft: pictures need Pillow: {install_line('images')}"
    assert "Traceback" not in done.stderr


def test_without_pillow_everything_else_goes_on(place: Place) -> None:
    done = without_pillow(place, CLI, *RUN)
    assert done.returncode == 0, done.stderr
    done = without_pillow(place, f"{GYM}().reset(seed=1)[0]['text']")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("options", ["images=True", "render_mode='rgb_array'"])
def test_without_pillow_the_gym_environment_with_pictures_says_what_to_install(place: Place, options: str) -> None:
    done = without_pillow(place, f"{GYM}({options})")
    assert done.stderr.splitlines()[-1].endswith(f"pictures need Pillow: {install_line('images')}")
