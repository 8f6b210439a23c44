"""Change the code in many small ways, and count how many of the changes a test notices.

    python -m scripts.mutants --count 400 --workers 2 --out mutants.json

First, one run of the fast tier finds out which tests call which function, also in the programs that tests start. Then
each mutant (one operator, condition, number, call or return value changed in one function) is tried on the tests that
call its function, the most specific first, as long as these take a small share of the first run. The table says for
each package how many mutants were noticed. `--again FILE` tries the mutants of an earlier run that it did not notice,
where the code of today still has them. Linux only; no file of the checkout is changed, since all is done in copies.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SHARE = 0.03
"""Tests for each mutant: those that took this share of the first run, however busy the machine was then."""
LEAST = 8
"""Mutants of a small package."""
LIMIT = 240.0
"""Seconds after which the tests of a mutant are ended; it counts as noticed."""
SWAPS: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
}  # fmt: skip
HITS = """
def _install() -> None:
    import builtins, mmap, os
    pid = os.getpid()
    data = bytearray({size})
    while pid > 1:
        if os.path.exists(f"{folder}/{{pid}}"):
            data = mmap.mmap(os.open(f"{folder}/{{pid}}", os.O_RDWR), {size})
            break
        pid = int(open(f"/proc/{{pid}}/stat").read().rpartition(")")[2].split()[1])
    builtins._hit = lambda number: data.__setitem__(number, 1)
_install()
"""
"""What the mapped copy of the package begins with: `_hit(number)` marks a function as called, for its worker."""
PLUGIN = """
import json, os, time
import pytest

FILE = "{folder}/" + str(os.getpid())
with open(FILE, "wb") as file:
    file.write(bytes({size}))

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with open(FILE, "r+b") as file:
        file.write(bytes({size}))
    begun = time.monotonic()
    result = yield
    seconds = time.monotonic() - begun
    with open(FILE, "rb") as file:
        called = [number for number, mark in enumerate(file.read()) if mark]
    with open("{folder}/called.jsonl", "a") as file:
        file.write(json.dumps([item.nodeid, round(seconds, 3), called]) + "\\n")
    return result
"""
"""A plugin of pytest for the mapping run: after each test it writes which functions were called."""


@dataclass(frozen=True)
class Mutant:
    """One change: in `path`, the text from `start` to `end` becomes `new`. `function` is `path:line name`."""

    path: str
    start: int
    end: int
    old: str
    new: str
    function: str
    line: int

    @property
    def package(self) -> str:
        parts = Path(self.path).parts
        return parts[1] if len(parts) > 2 else parts[0]

    @property
    def name(self) -> str:
        """The function's name alone."""
        return self.function.rpartition(" ")[2]

    @property
    def below(self) -> int:
        """Lines from the beginning of the function."""
        return self.line - int(self.function.rpartition(" ")[0].rpartition(":")[2])


@dataclass(frozen=True)
class Outcome:
    """What the tests said of a mutant: how many of them ran, and which failed first."""

    mutant: Mutant
    tests: int
    noticed: bool
    failed: tuple[str, ...] = ()


class Called(NamedTuple):
    """A test: its seconds in the mapping run, and the functions that it called."""

    test: str
    seconds: float
    functions: frozenset[str]


# ---------------------------------------------------------------- which mutants there are


def functions_of(tree: ast.Module, path: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield each function that does something, with its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _body(node):
            yield f"{path}:{node.lineno} {node.name}", node


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """Return the statements after the docstring. Return [] for the body of a Protocol's method."""
    constants = [isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in node.body]
    return [] if all(constants) else node.body[1:] if constants[0] else node.body


def mutants_of(path: str, text: str) -> list[Mutant]:
    """Return all mutants of a module. Some cannot be compiled."""
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for name, function in functions_of(ast.parse(text), path):
        for node in _nodes(_body(function)):
            for new in _changes(node):
                start = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
                end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
                old = text.encode()[start:end].decode()
                found.append(Mutant(path, start, end, old, new, name, node.lineno))  # type: ignore[attr-defined]
    return found


def changed(text: str, mutant: Mutant) -> str:
    data = text.encode()
    return (data[: mutant.start] + mutant.new.encode() + data[mutant.end :]).decode()


def _nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield what stands in a function, without its inner functions and without the insides of f-strings."""
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.JoinedStr):
            yield node
            yield from _nodes(ast.iter_child_nodes(node))


def _changes(node: ast.AST) -> Iterator[str]:
    """Yield the texts that may take the place of a node."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in SWAPS:
            yield f"({ast.unparse(ast.Compare(left, [SWAPS[type(op)]()], [right]))})"  # type: ignore[list-item]
        case ast.BoolOp(op=op, values=values):
            yield f"({ast.unparse(ast.BoolOp(SWAPS[type(op)](), values))})"  # type: ignore[arg-type]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SWAPS:
            yield f"({ast.unparse(ast.BinOp(left, SWAPS[type(op)](), right))})"  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield f"({ast.unparse(ast.IfExp(test, orelse, body))})"
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Constant(value=int() as value):
            yield str(value + 1)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return None"
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield "pass"
        case ast.Break():
            yield "continue"
        case ast.Continue():
            yield "break"


def sample(count: int, seed: int, packages: Collection[str] = ()) -> list[Mutant]:
    """Return about `count` mutants, of some packages or of all: from each its share of them, and at least `LEAST`."""
    by_package: defaultdict[str, list[Mutant]] = defaultdict(list)
    for file in sorted((ROOT / "autocraft").rglob("*.py")):
        path = str(file.relative_to(ROOT))
        for mutant in mutants_of(path, file.read_text(encoding="utf-8")):
            if not packages or mutant.package in packages:
                by_package[mutant.package].append(mutant)
    number = sum(map(len, by_package.values()))
    chance = random.Random(seed)
    found: list[Mutant] = []
    for _, mutants in sorted(by_package.items()):
        chance.shuffle(mutants)
        usable = (each for each in mutants if _compiles(each))
        found += itertools.islice(usable, max(LEAST, count * len(mutants) // number))
    return found


def found_again(earlier: Iterable[Mutant]) -> list[Mutant]:
    """Return these mutants in the code of today: the same change in a function of the same name, at the nearest line.

    A function is looked for in its own file, and in all of autocraft if the file is gone. What is gone is left out.
    """
    files = sorted((ROOT / "autocraft").rglob("*.py"))
    mutants = [
        each for file in files for each in mutants_of(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))
    ]
    found = []
    for old in earlier:
        same = [each for each in mutants if (each.name, each.old, each.new) == (old.name, old.old, old.new)]
        if (ROOT / old.path).is_file():
            same = [each for each in same if each.path == old.path]
        found += sorted(same, key=lambda each: abs(each.below - old.below))[:1]
    return found


def _compiles(mutant: Mutant) -> bool:
    try:
        compile(changed((ROOT / mutant.path).read_text(encoding="utf-8"), mutant), mutant.path, "exec")
    except (SyntaxError, ValueError):
        return False
    return True


# ---------------------------------------------------------------- which tests call which function


def copy_of_checkout(folder: Path) -> Path:
    """Copy the files that git knows, with a link to `.venv`. Return the folder."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").symlink_to((ROOT / ".venv").resolve())
    return folder


def called_by_tests(folder: Path, workers: int) -> list[Called]:
    """Run the fast tier on a copy whose functions mark that they are called. Return what each test called."""
    copy = copy_of_checkout(folder / "map")
    marks = folder / "marks"
    marks.mkdir()
    names: list[str] = []
    for file in sorted((copy / "autocraft").rglob("*.py")):
        path = str(file.relative_to(copy))
        file.write_text(_marked(path, file.read_text(encoding="utf-8"), names), encoding="utf-8")
    first = copy / "autocraft" / "__init__.py"
    size = {"folder": marks, "size": len(names)}
    head, future, rest = first.read_text(encoding="utf-8").partition("from __future__ import annotations\n")
    first.write_text(head + future + HITS.format(**size) + rest, encoding="utf-8")
    (copy / "marks_of_tests.py").write_text(PLUGIN.format(**size))
    command = [".venv/bin/python", "-m", "pytest", "-p", "marks_of_tests", "-p", "no:cacheprovider"]
    command += ["-n", str(workers), "--dist", "worksteal", "-m", "not full and not llm"]
    subprocess.run(command, cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)}, check=False)
    lines = (marks / "called.jsonl").read_text().splitlines()
    return [
        Called(test, took, frozenset(names[each] for each in each_)) for test, took, each_ in map(json.loads, lines)
    ]


def _marked(path: str, text: str, names: list[str]) -> str:
    """Return the module with a call of `_hit` at the beginning of each function. Add the functions to `names`.

    A program that is started by its file does not import the package, and so has no `_hit`.
    """
    lines = text.encode().splitlines(keepends=True)
    mark = b"__import__('builtins').__dict__.get('_hit', int)(%d)"
    places = []
    for name, node in functions_of(ast.parse(text), path):
        first = _body(node)[0]
        decorators = getattr(first, "decorator_list", [])
        places.append((min([first.lineno, *(each.lineno for each in decorators)]), first.col_offset, len(names)))
        names.append(name)
    for line, column, number in sorted(places, reverse=True):
        before, after = lines[line - 1][:column], lines[line - 1][column:]
        end = b"; " if before.strip() else b"\n" + before
        lines[line - 1] = before + mark % number + end + after
    return b"".join(lines).decode()


# ---------------------------------------------------------------- the mutants are tried


def tests_for(function: str, called: Sequence[Called]) -> list[str]:
    """Return the tests that call a function, those that call the fewest others first, up to `SHARE`."""
    tests: list[str] = []
    seconds, most = 0.0, SHARE * sum(each.seconds for each in called)
    for each in sorted((one for one in called if function in one.functions), key=lambda one: len(one.functions)):
        seconds += each.seconds
        if tests and seconds > most:
            break
        tests.append(each.test)
    return tests


def tried(mutant: Mutant, tests: Sequence[str], copy: Path) -> Outcome:
    """Run the tests on the copy with this mutant, and take the mutant back."""
    if not tests:
        return Outcome(mutant, 0, noticed=False)
    file = copy / mutant.path
    text = file.read_text(encoding="utf-8")
    file.write_text(changed(text, mutant), encoding="utf-8")
    command = [
        ".venv/bin/python",
        "-m",
        "pytest",
        "--maxfail",
        "3",
        "-p",
        "no:cacheprovider",
        "-rfE",
        "--tb=no",
        *tests,
    ]
    try:
        done = subprocess.Popen(
            command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        try:
            said, _ = done.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)
            return Outcome(mutant, len(tests), noticed=True, failed=("time",))
        lines = [line.split(" ")[1] for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return Outcome(mutant, len(tests), noticed=done.returncode != 0, failed=tuple(lines))
    finally:
        file.write_text(text, encoding="utf-8")
        _end_what_is_left(copy)


def _end_what_is_left(copy: Path) -> None:
    """Kill the processes that were started for this copy."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"PYTHONPATH={copy}\0".encode() in (folder / "environ").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)


def try_all(mutants: Sequence[Mutant], called: Sequence[Called], folder: Path, workers: int) -> Iterator[Outcome]:
    """Yield the outcome of each mutant. Each worker has a copy of the checkout."""
    copies: SimpleQueue[Path] = SimpleQueue()
    for number in range(workers):
        copies.put(copy_of_checkout(folder / f"copy-{number}"))

    def try_one(mutant: Mutant) -> Outcome:
        copy = copies.get()
        try:
            return tried(mutant, tests_for(mutant.function, called), copy)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(try_one, mutants)


def table(outcomes: Iterable[Outcome]) -> str:
    """Return how many mutants of each package were noticed, as a table in Markdown."""
    rows: defaultdict[str, list[bool]] = defaultdict(list)
    for outcome in outcomes:
        rows[outcome.mutant.package].append(outcome.noticed)
    rows["all"] = [noticed for each in rows.values() for noticed in each]
    lines = [f"| {name} | {len(row)} | {sum(row)} | {100 * sum(row) / len(row):.0f} % |" for name, row in rows.items()]
    return "\n".join(["| package | mutants | noticed | share |", "|---|---|---|---|", *lines])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--package", nargs="+", default=(), help="try only the mutants of these")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--map", type=Path, help="file of what each test calls; it is made if it is not there")
    parser.add_argument("--again", type=Path, help="try the mutants that this earlier run did not notice")
    parser.add_argument("--out", type=Path, default=Path("mutants.json"))
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        if options.map and options.map.exists():
            called = [Called(test, took, frozenset(each)) for test, took, each in json.loads(options.map.read_text())]
        else:
            called = called_by_tests(folder, options.workers)
            if options.map:
                options.map.write_text(
                    json.dumps([[each.test, each.seconds, sorted(each.functions)] for each in called])
                )
        if options.again:
            earlier: list[Any] = json.loads(options.again.read_text())
            mutants = found_again(Mutant(**each["mutant"]) for each in earlier if not each["noticed"])
            mutants = [each for each in mutants if not options.package or each.package in options.package]
        else:
            mutants = sample(options.count, options.seed, options.package)
        outcomes = []
        for outcome in try_all(mutants, called, folder, options.workers):
            outcomes.append(outcome)
            sign = "noticed" if outcome.noticed else "NOT NOTICED"
            print(
                f"{len(outcomes)}/{len(mutants)} {sign} {outcome.mutant.function}: {outcome.mutant.new!r}", flush=True
            )
            options.out.write_text(json.dumps([asdict(each) for each in outcomes], indent=1))
    print(table(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
