"""Print the sizes and the structure of the package. Exit 1 if there is a circle of imports or a second wiring.

Run `python scripts/structure.py`; `-v` names the places. Sizes are for readers: no test holds them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "autocraft"
OPENING = ("app", "agent.families")
"""Modules that open a run and join its parts."""
ASSEMBLY = (*OPENING, "agent.context", "agent.spec", "commands.settings", "brains.choose", "worlds.choose")
"""The same, with the values that they join and the tables that they choose from."""
AGENT_PARTS = ("Ending", "Thinker", "Gate")
OWNERS = {
    **dict.fromkeys(("planner", "openai", "scripted"), "brains"),
    **dict.fromkeys(("none", "local", "pinecone", "pgvector"), "memory"),
    **dict.fromkeys(("crafting", "minecraft"), "worlds"),
}
"""Names of brains, memories and worlds -> the package that may compare them."""
SPEAKS_OF_ONE = re.compile(r"brain|memory|backend|world|player|\b(kind|target|source)(\.name|\.kind)?\b")


@dataclass(frozen=True)
class Module:
    """One parsed file of the package; `name` is relative to it."""

    name: str
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]

    def place(self, node: ast.AST) -> str:
        return f"{self.name}:{getattr(node, 'lineno', 1)}"


class Structure:
    """All modules of a package, and what can be counted in them. Each figure is a list of places."""

    def __init__(self, package: Path = PACKAGE) -> None:
        self.package = package
        self.modules = {module.name: module for module in (self._read(path) for path in sorted(package.rglob("*.py")))}

    def _read(self, path: Path) -> Module:
        parts = path.relative_to(self.package).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        return Module(".".join(parts).removesuffix(".__init__"), text, ast.parse(text))

    def root_modules(self) -> list[str]:
        return [path.name for path in sorted(self.package.glob("*.py"))]

    def late_lambdas(self) -> list[str]:
        """Return the lambdas of the assembly and of the agent that only pass on a name which may be bound later."""
        return [
            module.place(node)
            for module in self.modules.values()
            if module.name in (*ASSEMBLY, "console.opening") or module.package == "agent"
            for node in module.nodes
            if isinstance(node, ast.Lambda)
            and any(
                isinstance(each, ast.Name) and each.id not in _parameters(node.args) for each in ast.walk(node.body)
            )
        ]

    def wirings(self) -> list[str]:
        """Return the functions that construct a part of an agent, or a class derived from one."""
        parts = set(AGENT_PARTS)
        classes = [(m, n) for m in self.modules.values() for n in m.nodes if isinstance(n, ast.ClassDef)]
        for _ in classes:
            parts |= {node.name for _, node in classes if any(_name_of(base) in parts for base in node.bases)}
        places: dict[str, None] = {}
        for module in self.modules.values():
            for function in module.nodes:
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    calls = [each for each in ast.walk(function) if isinstance(each, ast.Call)]
                    if any(_name_of(each.func) in parts for each in calls):
                        places[f"{module.place(function)} {function.name}"] = None
        return list(places)

    def constructors(self) -> list[str]:
        """Return each class that is no plain value with its number of constructor fields, the largest first."""
        sizes = [
            (_fields(node), f"{module.place(node)} {node.name}")
            for module in self.modules.values()
            for node in module.nodes
            if isinstance(node, ast.ClassDef)
        ]
        return [f"{size} {place}" for size, place in sorted(sizes, reverse=True) if size]

    def long_modules(self) -> list[str]:
        """Return each module with its number of lines, the longest first."""
        sizes = sorted(((len(_lines(module)), module.name) for module in self.modules.values()), reverse=True)
        return [f"{size} {name}" for size, name in sizes]

    def long_functions(self) -> list[str]:
        """Return each function with its number of lines, the longest first."""
        sizes = [
            ((node.end_lineno or 0) - node.lineno + 1, f"{module.place(node)} {node.name}")
            for module in self.modules.values()
            for node in module.nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        return [f"{size} {place}" for size, place in sorted(sizes, reverse=True)]

    def event_subscripts(self) -> list[str]:
        """Return where an event is read by subscript outside the session package."""
        return [
            module.place(node)
            for module in self.modules.values()
            for node in module.nodes
            if module.package != "session"
            and isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id == "event"
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        ]

    def name_comparisons(self) -> list[str]:
        """Return where the name of a brain, memory or world is compared outside its own package."""
        return [
            f"{module.place(node)} {ast.unparse(node)}"
            for module in self.modules.values()
            for node in module.nodes
            if isinstance(node, ast.Compare) and _compares_a_name(node, module.package)
        ]

    def circles(self) -> list[str]:
        """Return the groups of modules that import each other, imports inside functions included."""
        graph = {module.name: set(self._imports(module)) for module in self.modules.values()}
        reach = {name: _reached(graph, name) for name in graph}
        groups = {tuple(sorted(each for each in reach[name] if name in reach[each])) for name in graph}
        return [" ".join(group) for group in sorted(groups) if group]

    def opening_lines(self) -> list[str]:
        return self._number(OPENING)

    def python_lines(self) -> list[str]:
        return self._number(self.modules)

    def _number(self, names: Iterable[str]) -> list[str]:
        modules = [self.modules[name] for name in names if name in self.modules]
        return [f"{module.name}:{line}" for module in modules for line, _ in enumerate(_lines(module), 1)]

    def _imports(self, module: Module) -> Iterator[str]:
        root = self.package.name
        for node in module.nodes:
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == root:
                source = node.module.removeprefix(root).removeprefix(".")
                for each in node.names:
                    inner = f"{source}.{each.name}".removeprefix(".")
                    target = inner if inner in self.modules else source
                    if target and target != module.name:
                        yield target


def _parameters(arguments: ast.arguments) -> set[str]:
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _fields(node: ast.ClassDef) -> int:
    """Return how many fields a constructor takes.

    Return 0 for a plain value (a frozen class, a tuple, a dict), and for a dataclass without arguments.
    """
    dataclass_ = next((each for each in node.decorator_list if "dataclass" in ast.unparse(each)), None)
    bases = {_name_of(base) for base in node.bases}
    if (dataclass_ and "frozen=True" in ast.unparse(dataclass_)) or bases & {"NamedTuple", "TypedDict", "Protocol"}:
        return 0
    if dataclass_:
        texts = [ast.unparse(each.value) if each.value else "" for each in node.body if isinstance(each, ast.AnnAssign)]
        return sum("init=False" not in value for value in texts) if "" in texts else 0
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return len(_parameters(each.args)) - 1
    return 0


def _compares_a_name(node: ast.Compare, package: str) -> bool:
    """Tell whether one side is a name that another package owns, and the other side holds such a name."""
    sides = [node.left, *node.comparators]
    constants = {each.value for side in sides for each in ast.walk(side) if isinstance(each, ast.Constant)}
    owners = {OWNERS[each] for each in constants if isinstance(each, str) and each in OWNERS}
    return bool(owners - {package}) and SPEAKS_OF_ONE.search(ast.unparse(node)) is not None


def _reached(graph: Mapping[str, set[str]], name: str) -> set[str]:
    names: set[str] = set()
    waiting = [name]
    while waiting:
        for each in graph.get(waiting.pop(), ()):
            if each not in names:
                names.add(each)
                waiting.append(each)
    return names


def _lines(module: Module) -> list[str]:
    return module.text.splitlines()


@dataclass(frozen=True)
class Figure:
    """A figure of the report; with `largest`, the number before the first place. A size has no bound (None)."""

    title: str
    places: Callable[[Structure], list[str]]
    largest: bool = False
    most: int | None = None

    def measure(self, structure: Structure) -> int:
        places = self.places(structure)
        return int(places[0].split()[0]) if self.largest else len(places)


FIGURES = (
    Figure("circles of imports", Structure.circles, most=0),
    Figure("places that wire an agent", Structure.wirings, most=1),
    Figure("modules", Structure.long_modules),
    Figure("lines of Python", Structure.python_lines),
    Figure("modules at the root", Structure.root_modules),
    Figure("longest module, in lines", Structure.long_modules, largest=True),
    Figure("longest function, in lines", Structure.long_functions, largest=True),
    Figure("largest constructor, in fields", Structure.constructors, largest=True),
    Figure("lines that open a run", Structure.opening_lines),
    Figure("late-binding lambdas in the assembly", Structure.late_lambdas),
    Figure('event["…"] outside session/', Structure.event_subscripts),
    Figure("comparisons with names of brains, memories and worlds", Structure.name_comparisons),
)
"""What is printed. `tests/test_structure.py` fails if a figure is over its bound. Sizes have no bound."""


def main(arguments: list[str]) -> int:
    structure = Structure()
    over = 0
    for figure in FIGURES:
        value = figure.measure(structure)
        bad = figure.most is not None and value > figure.most
        over += bad
        print(f"{figure.title:<56}{value:>8,}{f'  over {figure.most}' if bad else ''}")
        if "-v" in arguments and not figure.title.startswith("lines"):
            print("".join(f"    {place}\n" for place in figure.places(structure)[:20]), end="")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
