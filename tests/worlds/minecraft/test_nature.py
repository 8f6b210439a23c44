"""What the bot knows of blocks and items by the data of each version: what fills a hole, burns, is worn, lies where."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.packages import NODE_FOLDER, PACKAGES

FACTS = """
const nature = require(process.argv[1] + '/nature.js')
const { tierOf, weapons, ALWAYS, LAST, NEVER } = require(process.argv[1] + '/facts.js')
const { supportOf } = require(process.argv[1] + '/../shared/supports.js')
const registry = require(process.argv[1] + '/../shared/need.js')('prismarine-registry')(process.argv[2])
const names = registry.blocksArray.map(({ name }) => name)
console.log(JSON.stringify({
  fillers: nature.fillers(registry), fuels: [...nature.fuels(registry)],
  inside: names.filter((name) => nature.isInside(registry, name)),
  loose: names.filter((name) => nature.isLoose(registry, name)),
  remains: Object.fromEntries(names.map((name) => [name, nature.remains(registry, name)])),
  worn: Object.fromEntries(registry.itemsArray.map(({ name }) => [name, nature.slotFor(name)])),
  dimensions: Object.fromEntries(names.map((name) => [name, nature.dimensionOf(name)])),
  used: names.filter(nature.isUsed), plants: names.filter(nature.isPlant), fronts: names.filter(nature.facesPlacer),
  supports: Object.fromEntries(names.map((name) => [name, supportOf(name)])),
  weapons: weapons(registry), tools: Object.keys(registry.itemsByName).filter((name) => name.endsWith('_pickaxe'))
    .sort((a, b) => tierOf(registry, a) - tierOf(registry, b)),
  meals: Object.keys(registry.foodsByName).map((name) => [name, LAST.test(name), NEVER.test(name), ALWAYS.test(name)])
}))
"""
NOT_FILLERS = {"sand", "gravel", "glass", "crafting_table", "iron_ore", "oak_leaves", "bedrock", "ice", "magma_block"}
NOT_FUELS = {"crafting_table", "ladder", "bow", "oak_stairs", "wooden_pickaxe", "lava_bucket", "crimson_planks"}


@pytest.mark.parametrize("version", ["1.8.8", "1.16.5", "26.1"])
def test_facts_hold_in_each_version(version: str) -> None:
    """Each was a list of names, which knew no block since 1.17."""
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    command: list[str | Path] = [find_node(), "-e", FACTS, NODE_FOLDER / "bot", version]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    facts: dict[str, Any] = json.loads(done.stdout)
    old, new = version == "1.8.8", version == "26.1"
    log, planks, grass = ("log", "planks", "grass") if old else ("oak_log", "oak_planks", "grass_block")
    fillers = facts["fillers"]
    assert {"dirt", "cobblestone", "sandstone", "netherrack", log, planks} <= set(fillers)
    assert not NOT_FILLERS & set(fillers) and fillers.index("dirt") < fillers.index(planks)
    assert not new or {"cobbled_deepslate", "tuff", "pale_oak_planks"} <= set(fillers)
    assert {log, planks, "coal", "coal_block"} <= set(facts["fuels"]) and not NOT_FUELS & set(facts["fuels"])
    assert {"stone", "iron_ore", "dirt", "obsidian", "netherrack"} <= set(facts["inside"])
    assert not {log, "sand", grass, "melon", "cactus"} & set(facts["inside"])
    assert {grass, "dirt", "sand", "gravel"} <= set(facts["loose"])
    assert not {"stone", "anvil", "farmland"} & set(facts["loose"])
    remains = facts["remains"]
    assert (remains[grass], remains["stone"], remains["farmland"]) == ("dirt", "cobblestone", "dirt")
    assert all(remains[name] == name for name in ("bookshelf", "sand", "cobblestone", "glass"))
    worn = facts["worn"]
    assert [worn[f"iron_{piece}"] for piece in ("helmet", "chestplate", "leggings", "boots")] == [
        "head", "torso", "legs", "feet",
    ]  # fmt: skip
    assert worn["stone"] == "" and (old or worn["shield"] == "off-hand")
    where = facts["dimensions"]
    assert (where["netherrack"], where["end_stone"], where["obsidian"]) == ("nether", "end", "overworld")
    assert not new or (where["smooth_basalt"], where["basalt"]) == ("overworld", "nether")
    assert {"chest", "furnace", "lever", "enchanting_table"} <= set(facts["used"])
    assert not {"stone", "bookshelf", "fence", "oak_fence", "bedrock"} & set(facts["used"])
    weapons = facts["weapons"]
    swords = [name for name in weapons if name.endswith("_sword")]
    tiers = ["netherite", "diamond", "iron", "copper", "stone"]
    assert swords[:-2] == [f"{tier}_sword" for tier in tiers if f"{tier}_sword" in worn]
    assert weapons.index("stone_sword") < weapons.index("stone_axe") and not {"stone_pickaxe", "stick"} & set(weapons)
    assert not {"mace", "iron_spear"} & set(weapons)  # they are strong only in a fall, or in a charge
    order = ["golden", "wooden", "stone", "copper", "iron", "diamond", "netherite"]
    assert facts["tools"] == [tool for tier in order if (tool := f"{tier}_pickaxe") in facts["tools"]]
    meals = {name: tuple(kinds) for name, *kinds in facts["meals"]}
    assert meals["bread"] == (False,) * 3 and meals["golden_apple"] == (False, True, True)
    assert meals["rotten_flesh"] == (True, False, False) and meals["poisonous_potato"] == (False, True, False)
    assert old or (meals["chorus_fruit"][2] and (not new or meals["honey_bottle"] == (False, False, True)))
    supports = facts["supports"]
    assert supports["torch"] == "below" and (old or supports["wall_torch"] == supports["ladder"] == "behind")
    assert {supports[name] for name in ("stone", "chest", "lever", "glass")} == {""}
    assert {"furnace", "chest"} <= set(facts["fronts"]) and not {"stone", "hopper"} & set(facts["fronts"])
    plants = set(facts["plants"])
    assert {"tallgrass", "deadbush", "leaves2", "sapling"} <= plants or {"fern", "oak_leaves", "dead_bush"} <= plants
    assert not {"torch", "wheat", "poppy", "air", log} & plants
