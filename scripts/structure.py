"""Measures how the parts of autocraft are joined: ``python -m scripts.structure`` prints the figures.

`tests/test_structure.py` holds the bounds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "autocraft"
OWNERS = {
    **dict.fromkeys(("planner", "openai", "scripted"), "brains"),
    **dict.fromkeys(("none", "local", "pinecone", "pgvector"), "memory"),
    **dict.fromkeys(("crafting", "minecraft"), "worlds"),
}
"""Names of brains, memories and worlds -> the package that may compare them."""
NAMED = re.compile(r"\b(brain|memory|world|kind|player|target|source)(\.name|\.kind)?$")
ASSEMBLY = ("app.py", "agent", "brains/choose.py", "worlds/choose.py", "console/opening.py", "commands/families.py")


def modules() -> dict[str, ast.Module]:
    """Return the modules by their dotted names."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def root_modules() -> list[str]:
    """Return the modules at the root of the package."""
    return sorted(path.stem for path in PACKAGE.glob("*.py"))


def imports(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Return what each module imports of autocraft, anywhere in it."""
    graph = {}
    for name, tree in trees.items():
        found: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{each.name}" for each in node.names}
                found |= {each if each in trees else node.module for each in whole}
            elif isinstance(node, ast.Import):
                found |= {each.name for each in node.names}
        graph[name] = {each for each in found if each in trees and each not in (name, "autocraft")}
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other."""
    reach = {name: _reached(graph, name) for name in graph}
    groups = {tuple(sorted({name, *(each for each in reach[name] if name in reach[each])})) for name in graph}
    return [list(group) for group in sorted(groups) if len(group) > 1]


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph[name]
    return found


def comparisons(trees: Mapping[str, ast.Module]) -> list[str]:
    """Return where the name of a brain, a memory or a world is compared outside the package that owns it."""
    found = []
    for name, tree in trees.items():
        package = name.split(".")[1] if "." in name else ""
        for node in ast.walk(tree):
            if not isinstance(node, ast.Compare):
                continue
            values = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            owners = {OWNERS[each] for each in values if isinstance(each, str) and each in OWNERS}
            if owners - {package} and NAMED.search(ast.unparse(node.left)):
                found.append(f"{name}:{node.lineno}")
    return found


def switches(trees: Mapping[str, ast.Module]) -> list[str]:
    """Return where a family or a world decides by the name of the command that is called."""
    found = []
    for name, tree in trees.items():
        if name.split(".")[1:2] in (["commands"], ["worlds"]):
            nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Compare))
            found += [f"{name}:{node.lineno}" for node in nodes if ast.unparse(node.left) == "call.name"]
    return found


def lambdas() -> list[str]:
    """Return the lambdas without arguments in what joins the parts: they put off a question about the order."""
    found = []
    for place in ASSEMBLY:
        paths = [PACKAGE / place] if place.endswith(".py") else sorted((PACKAGE / place).rglob("*.py"))
        for path in paths:
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            late = (node for node in nodes if isinstance(node, ast.Lambda) and not node.args.args)
            found += [f"{path.relative_to(PACKAGE)}:{node.lineno}" for node in late]
    return found


def constructors(trees: Mapping[str, ast.Module]) -> dict[str, int]:
    """Return class -> how many values it is made of, for the classes of a live run; plain values are not counted."""
    found = {}
    for name, tree in trees.items():
        if name.split(".")[1:2] not in (["agent"], ["commands"], ["console"], ["app"]):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not _is_value(node):
                found[f"{name}.{node.name}"] = sum(1 for _ in _parameters(node))
    return found


def _is_value(node: ast.ClassDef) -> bool:
    """Tell whether a class is a frozen dataclass or a fold, which has only its own state."""
    frozen = any("frozen=True" in ast.unparse(each) for each in node.decorator_list)
    methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    return frozen or "to_json" in methods


def _parameters(node: ast.ClassDef) -> Iterator[str]:
    decorated = any("dataclass" in ast.unparse(each) for each in node.decorator_list)
    for each in node.body:
        if decorated and isinstance(each, ast.AnnAssign) and "init=False" not in ast.unparse(each):
            yield ast.unparse(each.target)
        elif not decorated and isinstance(each, ast.FunctionDef) and each.name == "__init__":
            yield from (arg.arg for arg in [*each.args.args[1:], *each.args.kwonlyargs])


def main() -> None:
    trees = modules()
    made = constructors(trees)
    largest = max(made, key=lambda name: made[name])
    print(f"modules at the root: {len(root_modules())}")
    print(f"circles of imports: {circles(imports(trees))}")
    print(f"comparisons with a name: {comparisons(trees)}")
    print(f"switches on the command: {switches(trees)}")
    print(f"late lambdas: {lambdas()}")
    print(f"largest constructor: {largest}, {made[largest]}")
    print(f"lines of app.py: {len((PACKAGE / 'app.py').read_text(encoding='utf-8').splitlines())}")


if __name__ == "__main__":
    main()
