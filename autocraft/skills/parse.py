"""What a JavaScript program is and what it would call, read with a real parser and never run.

It is for the person who approves and for the library's graph, not a wall: the sandbox is the wall.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autocraft.errors import CommandError
from autocraft.skills.scopes import FUNCTIONS, Scope, bound, opened
from autocraft.text.sanitize import hidden_in

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_BYTES = 64 * 1024
"""The longest program, in bytes of UTF-8."""
_MAKERS = frozenset({"craftItem", "smeltItem", "mineBlock", "killMob"})
_CHAIN = frozenset({"member_expression", "subscript_expression"})
_LOOPS = frozenset({"while_statement", "do_statement", "for_statement"})
_TOP = frozenset({"function_declaration", "generator_function_declaration"})
_QUIET = frozenset({"comment", "empty_statement", "hash_bang_line"})


@dataclass(frozen=True, slots=True)
class Program:
    """One program, in the order of its text; lines count from 1.

    `bot` are the paths used on bot, such as ``inventory.count``; `free` the names that it uses and does not declare;
    `makes` the names given to craftItem, smeltItem, mineBlock and killMob, `places` those given to placeItem.
    `blind_loops` are the lines of while, do and for loops without an await, `handed_on` those where bot leaves the
    program's sight, `unnamed` those where a part of it is named by computing, `computed` those where a primitive is
    told by no plain text what to make or place, `hidden` those with characters that do not show, or escapes in a name.
    """

    main: str
    helpers: tuple[str, ...]
    bot: tuple[str, ...]
    free: tuple[str, ...]
    makes: tuple[str, ...]
    blind_loops: tuple[int, ...]
    handed_on: tuple[int, ...]
    hidden: tuple[int, ...]
    places: tuple[str, ...] = ()
    computed: tuple[int, ...] = ()
    unnamed: tuple[int, ...] = ()


def parse(code: str, name: str = "") -> Program:
    """Read a program. `name` is its main function; without it that is the last async one whose only parameter is bot.

    Raises CommandError with line and reason for what is no such program.
    """
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    data = encoded(code)
    root = Parser(Language(tree_sitter_javascript.language())).parse(data).root_node
    if root.has_error:
        raise _syntax_error(root)
    functions = _functions(root)
    main = _main(functions, name)
    reading = _Reading({each: bound(node.child_by_field_name("parameters"))[:1] for each, node in functions.items()})
    reading.walk(root)
    return Program(
        main,
        tuple(each for each in functions if each != main),
        tuple(reading.bot),
        tuple(reading.free),
        tuple(reading.makes),
        tuple(sorted(reading.blind_loops())),
        tuple(sorted(reading.handed_on)),
        tuple(sorted(reading.escaped.union(_hidden_lines(code)))),
        tuple(reading.places),
        tuple(sorted(reading.computed)),
        tuple(sorted(reading.unnamed)),
    )


def encoded(code: str) -> bytes:
    """The bytes of a program. Raises CommandError for one that is empty, too long or holds half a character."""
    if not code.strip():
        raise CommandError("the program is empty; write `async function name(bot) { … }`")
    try:
        data = code.encode("utf-8")
    except UnicodeEncodeError:
        raise CommandError("the program holds half a character (a lone surrogate); write it again without it") from None
    if len(data) > MOST_BYTES:
        raise CommandError(f"a program may have {MOST_BYTES:,} bytes and this has {len(data):,}; make it shorter")
    return data


def _hidden_lines(code: str) -> Iterator[int]:
    """Yield the number of each line with a character that does not show."""
    for number, row in enumerate(code.split("\n"), 1):
        if any(hidden_in(row.removesuffix("\r"))):
            yield number


# ---------------------------------------------------------------- what stands at the top


def _functions(root: Node) -> dict[str, Node]:
    """The functions at the top level by name; nothing else may stand there."""
    found: dict[str, Node] = {}
    for node in root.children:
        if node.type in _QUIET or (node.type == "expression_statement" and _is_directive(node)):
            continue
        if node.type not in _TOP:
            raise CommandError(
                f"line {line_of(node)}: only functions may stand at the top of a program, not {_shown(node)}; "
                "put it into a function"
            )
        name = text_of(node.child_by_field_name("name"))
        if name in found:
            raise CommandError(f"line {line_of(node)}: two functions are called {name}; rename one of them")
        found[name] = node
    if not found:
        raise CommandError("no function is in the program; write `async function name(bot) { … }`")
    return found


def _main(functions: dict[str, Node], name: str) -> str:
    mains = [each for each, node in functions.items() if _is_main(node)]
    if name and name not in mains:
        if name in functions:
            raise CommandError(
                f"line {line_of(functions[name])}: {name} must be `async function {name}(bot)`, with bot alone"
            )
        meant = mains[-1] if mains else next(reversed(functions))
        raise CommandError(f"no function is called {name}, the last one is {meant}; give both the same name")
    if not mains:
        last = next(reversed(functions))
        if not any(_is_async(node) for node in functions.values()):
            raise CommandError(f"no async function: the main function must be `async function {last}(bot)`")
        raise CommandError("no async function takes a single argument named bot; write `async function name(bot)`")
    return name or mains[-1]


def _is_async(node: Node) -> bool:
    return node.type != "class_static_block" and any(child.type == "async" for child in node.children)


def _is_main(node: Node) -> bool:
    given = node.child_by_field_name("parameters")
    return node.type == "function_declaration" and _is_async(node) and text_of(given).strip("() \t\r\n") == "bot"


def _is_directive(node: Node) -> bool:
    return len(node.named_children) == 1 and node.named_children[0].type == "string"


def _syntax_error(root: Node) -> CommandError:
    """The first place that the parser could make nothing of."""
    node = root
    while not (node.is_missing or (node.is_error and not any(child.has_error for child in node.children))):
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    if node.is_missing:
        return CommandError(f"line {line_of(node)}: {node.type} is missing; correct the program and propose it again")
    return CommandError(f"line {line_of(node)}: syntax error at {_shown(node)}; correct it and propose it again")


# ---------------------------------------------------------------- what stands inside


@dataclass(slots=True)
class _Reading:
    """One walk over the tree; `first` are the first parameters of the program's own functions."""

    first: dict[str, list[str]]
    bot: dict[str, None] = field(init=False, default_factory=dict)
    free: dict[str, None] = field(init=False, default_factory=dict)
    makes: dict[str, None] = field(init=False, default_factory=dict)
    places: dict[str, None] = field(init=False, default_factory=dict)
    handed_on: set[int] = field(init=False, default_factory=set)
    computed: set[int] = field(init=False, default_factory=set)
    unnamed: set[int] = field(init=False, default_factory=set)
    escaped: set[int] = field(init=False, default_factory=set)
    _loops: list[tuple[int, Node]] = field(init=False, default_factory=list)
    _awaits: dict[int, list[int]] = field(init=False, default_factory=lambda: defaultdict(list))

    def walk(self, root: Node) -> None:
        """Every node once, with its scope and the function that it stands in."""
        waiting: list[tuple[Node, Scope, Node]] = [(root, Scope(), root)]
        while waiting:
            node, scope, function = waiting.pop()
            scope, twice = opened(node, scope)
            if twice:
                raise CommandError(f"line {line_of(node)}: {twice} is declared twice in one block; rename one of them")
            if node.type in FUNCTIONS:
                function = node
            waiting += [(child, scope, function) for child in reversed(self._read(node, scope, function))]

    def blind_loops(self) -> set[int]:
        """The lines of loops in which their own function never waits."""
        blind = set()
        for function, loop in self._loops:
            waits = sorted(self._awaits[function])
            at = bisect_left(waits, loop.start_byte)
            if at == len(waits) or waits[at] >= loop.end_byte:
                blind.add(line_of(loop))
        return blind

    def _read(self, node: Node, scope: Scope, function: Node) -> list[Node]:
        """Note what this node tells; returns the nodes to go on with."""
        kind = node.type
        if kind in _CHAIN:
            return self._chain(node)
        if kind == "identifier" and node.text == b"await" and _is_async(function):
            self._awaits[function.id].append(node.start_byte)  # the parser takes `await (x)()` for a call of await
        elif kind in ("identifier", "shorthand_property_identifier"):
            self._name(node, scope)
        elif kind.endswith("property_identifier"):
            self._escapes(node)
        elif kind == "import":
            self.free["import"] = None
        elif kind in _LOOPS:
            self._loops.append((function.id, node))
        elif kind == "await_expression" or (
            kind == "for_in_statement" and any(c.type == "await" for c in node.children)
        ):
            if not _is_async(function):
                raise CommandError(f"line {line_of(node)}: await stands in a function that is not async; write async")
            self._awaits[function.id].append(node.start_byte)
        elif kind in ("call_expression", "new_expression"):
            return self._call(node, scope)
        elif kind in FUNCTIONS:
            return [part for child in node.children for part in _read_of(child)]
        return node.children

    def _name(self, node: Node, scope: Scope) -> None:
        name = text_of(node)
        self._escapes(node)
        if name == "bot":
            self.handed_on.add(line_of(node))
        elif not scope.has(name):
            self.free[name] = None

    def _escapes(self, node: Node) -> None:
        """A name that is written with escapes reads as another one."""
        if b"\\" in (node.text or b""):
            self.escaped.add(line_of(node))

    def _chain(self, node: Node) -> list[Node]:
        """``a.b["c"]`` as one path; what else stands in it goes on."""
        parts: list[str] = []
        rest: list[Node] = []
        at: Node | None = node
        while at is not None and at.type in _CHAIN:
            key = at.child_by_field_name("property") or at.child_by_field_name("index")
            parts.append(_key(key))
            if key is not None:
                rest.append(key)
            at = at.child_by_field_name("object")
        if at is not None and at.type == "identifier" and text_of(at) == "bot":
            self.bot[".".join(reversed(parts))] = None
            if parts[-1] == "[…]":
                self.unnamed.add(line_of(at))
        elif at is not None:
            rest.append(at)
        return rest

    def _call(self, node: Node, scope: Scope) -> list[Node]:
        """A call by name: what it is told to make, and whether it may be given bot."""
        called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        given = node.child_by_field_name("arguments")
        if called is None or given is None or called.type != "identifier" or given.type != "arguments":
            return node.children
        name, arguments = text_of(called), [each for each in given.named_children if each.type != "comment"]
        told = self.makes if name in _MAKERS else self.places if name == "placeItem" else None
        if told is not None and len(arguments) > 1:
            if arguments[1].type == "string":
                told[_key(arguments[1])] = None
            else:
                self.computed.add(line_of(arguments[1]))
        own = self.first.get(name)
        takes_bot = own == ["bot"] if own is not None else not (scope.has(name) or name == "await")
        if arguments and takes_bot and arguments[0].type == "identifier" and text_of(arguments[0]) == "bot":
            arguments = arguments[1:]
        return [called, *arguments]


def _read_of(node: Node) -> list[Node]:
    """What of a function's part is read: of parameters only defaults and patterns, as to declare bot is no use."""
    if node.type != "formal_parameters":
        return [node]
    found: list[Node] = []
    for each in node.named_children:
        name = each.child_by_field_name("left") if each.type == "assignment_pattern" else each
        default = each.child_by_field_name("right")
        if name is not None and name.type != "identifier":
            found.append(each)
        elif default is not None:
            found.append(default)
    return found


# ---------------------------------------------------------------- texts


def line_of(node: Node) -> int:
    return int(node.start_point[0]) + 1


def text_of(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def _key(node: Node | None) -> str:
    """A property's name; a computed one that is no plain string is ``[…]``."""
    if node is not None and node.type == "string":
        return "".join(text_of(each) for each in node.named_children)[:80]
    return text_of(node)[:80] if node is not None and node.type.endswith("property_identifier") else "[…]"


def _shown(node: Node) -> str:
    """The beginning of a node's text, on one line."""
    text = " ".join(text_of(node).split())
    return f"`{text[:40]}…`" if len(text) > 40 else f"`{text or 'the end'}`"
