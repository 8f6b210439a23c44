"""Write `autocraft/crafting/data` from plancraft 0.4.9: recipes, stack sizes and the benchmark's examples.

    python scripts/make_crafting_data.py plancraft-0.4.9-py3-none-any.whl

The argument is the wheel, or the folder `plancraft/` unpacked from it (its `.dist-info` beside it). A second run
writes the same bytes. `crafting/recipes.py` and `examples.py` read them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

VERSION = "0.4.9"
OUT = Path(__file__).resolve().parent.parent / "autocraft" / "crafting" / "data"
KINDS = {"crafting_shaped": "shaped", "crafting_shapeless": "shapeless", "smelting": "smelting"}
SPLITS = ("train", "val", "test")

NOTICE = """# Where these files come from

All of them are written by `scripts/make_crafting_data.py` from the Python package plancraft, version {version}
(<https://pypi.org/project/plancraft/>, <https://github.com/gautierdagan/plancraft>, paper arXiv 2412.21033).

- `recipes.json`: the shaped, shapeless and smelting recipes of Minecraft 1.16, with tags resolved, and the stack sizes
  of its items. These are facts of the game; no text, texture or font of it is here.
- `train.json.gz`, `val.json.gz`, `test.json.gz`: the examples of the Plancraft benchmark, with the fields that can be
  worked out from the others left out.

Plancraft is under this licence:

{licence}
"""


class Source:
    """Reads files of the package, from the wheel or from a folder."""

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            root = path.parent
            self.files = {
                file.relative_to(root).as_posix(): file.read_bytes()
                for folder in (path, *root.glob(f"plancraft-{VERSION}.dist-info"))
                for file in sorted(folder.rglob("*"))
                if file.suffix == ".json" or file.name == "LICENSE"
            }
        else:
            with zipfile.ZipFile(path) as wheel:
                names = [name for name in wheel.namelist() if name.endswith((".json", "/LICENSE"))]
                self.files = {name: wheel.read(name) for name in names}

    def json(self, name: str) -> Any:
        return json.loads(self.files[f"plancraft/{name}"])

    def folder(self, name: str) -> dict[str, Any]:
        """Return the content of each JSON file of a folder by its name without suffix."""
        found = sorted(file for file in self.files if file.startswith(f"plancraft/{name}/"))
        return {Path(file).stem: json.loads(self.files[file]) for file in found}

    @property
    def licence(self) -> str:
        return next(data.decode() for name, data in self.files.items() if name.endswith("/LICENSE")).strip()


def plain(name: str) -> str:
    return name.removeprefix("#").removeprefix("minecraft:")


def choices(ingredient: Any, tags: dict[str, Any]) -> list[str]:
    """Return the items that an ingredient accepts, in the game's order, with the tags resolved."""
    if isinstance(ingredient, list):
        return list(dict.fromkeys(item for part in ingredient for item in choices(part, tags)))
    if isinstance(ingredient, dict):
        ingredient = ingredient["item"] if "item" in ingredient else f"#{ingredient['tag']}"
    if ingredient.startswith("#"):
        return choices(tags[plain(ingredient)]["values"], tags)
    return [plain(ingredient)]


def recipe_row(recipe: Any, tags: dict[str, Any]) -> list[Any] | None:
    """Return [kind, output, count, ingredients]. Return None for a recipe that crafts nothing.

    The ingredients are rows of cells, a list, or one ingredient.
    """
    kind = KINDS.get(plain(recipe["type"]))
    if kind is None:
        return None
    result = recipe["result"] if isinstance(recipe["result"], dict) else {"item": recipe["result"]}
    head = [kind, plain(result["item"]), result.get("count", 1)]
    if kind == "shaped":
        key = {sign: choices(part, tags) for sign, part in recipe["key"].items()}
        return [*head, [[[] if sign == " " else key[sign] for sign in row] for row in recipe["pattern"]]]
    if kind == "shapeless":
        return [*head, [choices(part, tags) for part in recipe["ingredients"]]]
    return [*head, choices(recipe["ingredient"], tags)]


def recipes_text(source: Source) -> str:
    """Return the text of recipes.json, with one recipe a line."""
    tags = source.folder("environment/tags")
    rows = [recipe_row(recipe, tags) for recipe in source.folder("environment/recipes").values()]
    # No grid fits two recipes of 1.16, so their order decides nothing. It is only kept stable.
    lines = sorted((row for row in rows if row), key=lambda row: (row[1], row[0], json.dumps(row)))
    items: dict[int, list[str]] = {64: [], 16: [], 1: []}
    for item in source.json("environment/assets/constants.json")["items"]:
        items[item["stackSize"] if item["stackable"] else 1].append(item["type"])
    body = ",\n".join(compact(row) for row in lines)
    stacks = ",\n".join(f'"{size}":{compact(sorted(names))}' for size, names in items.items())
    return f'{{"version":1,"stack_sizes":{{\n{stacks}}},\n"recipes":[\n{body}\n]}}\n'


def recipe_type(path: Iterable[str] | None, made_by: dict[str, set[str]]) -> str:
    """Return Plancraft's label: the kind of all recipes of all items on the path, or `mixed` for several kinds."""
    if path is None:
        return "impossible"
    kinds = {kind for item in path for kind in made_by[item]}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def example_rows(source: Source, split: str, made_by: dict[str, set[str]]) -> list[dict[str, Any]]:
    small = {example["id"] for example in source.json(f"data/{split}.small.json")} if split != "train" else set()
    rows = []
    for example in source.json(f"data/{split}.json"):
        slots = sorted((int(slot), held) for slot, held in example["slotted_inventory"].items())
        row = {
            "id": example["id"],
            "target": example["target"],
            "slots": {str(slot): [held["type"], held["quantity"]] for slot, held in slots},
            "level": example["complexity_split"],
            "complexity": whole(example["complexity"]),
            "recipe_type": recipe_type(example["optimal_path"], made_by),
            "recipes": whole(example["optimal_path_length"]),
        }
        flags = {"unseen_in_train": example["unseen_in_train"], "unseen_in_val": example["unseen_in_val"]}
        flags["small"] = example["id"] in small
        rows.append(row | {name: True for name, value in flags.items() if value})
    return rows


def whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("plancraft", type=Path, help=f"wheel of plancraft {VERSION}, or its unpacked folder plancraft/")
    path = parser.parse_args().plancraft
    if not path.exists():
        print(f"there is no {path}: give the wheel of plancraft {VERSION} or its folder", file=sys.stderr)
        return 2
    try:
        source = Source(path)
        text = recipes_text(source)
    except (zipfile.BadZipFile, KeyError) as error:
        print(f"{path} is not plancraft {VERSION} ({error}): give its wheel or its folder", file=sys.stderr)
        return 2
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "recipes.json").write_text(text, encoding="utf-8")
    made_by: dict[str, set[str]] = {}
    for kind, output, *_ in json.loads(text)["recipes"]:
        made_by.setdefault(output, set()).add(kind)
    for split in SPLITS:
        rows = example_rows(source, split, made_by)
        lines = "[\n" + ",\n".join(compact(row) for row in rows) + "\n]\n"
        (OUT / f"{split}.json.gz").write_bytes(gzip.compress(lines.encode(), 9, mtime=0))
    (OUT / "NOTICE.md").write_text(NOTICE.format(version=VERSION, licence=source.licence), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
