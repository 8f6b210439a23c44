"""Parses a JavaScript program and finds what it would call. It never runs the program.

This informs the person who approves it, and the library's graph. It is no protection. The sandbox protects.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from autocraft.errors import CommandError
from autocraft.skills.scopes import FUNCTIONS, Scope, names_bound, scope_of
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


class Program(NamedTuple):
    """One program. All names are in the order of its text, and lines count from 1.

    `bot` are the paths on bot, such as ``inventory.count``. `free` are the names that it uses and does not declare.
    `makes` are the arguments of craftItem, smeltItem, mineBlock and killMob, `places` those of placeItem.

    The others are lines. `blind_loops`: while, do and for loops without an await. `handed_on`: bot is given to
    something else. `unnamed`: a path of bot is computed. `computed`: the argument of such a function is computed.
    `hidden`: there are invisible characters, or escapes in a name.
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
    """Parse a program. `name` is its main function, by default the last async one whose only parameter is bot.

    Raises CommandError with line and reason if the code is not such a program.
    """
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    data = encode(code)
    root = Parser(Language(tree_sitter_javascript.language())).parse(data).root_node
    if root.has_error:
        raise _syntax_error(root)
    functions = _functions(root)
    main = _main(functions, name)
    parameters = {own: names_bound(node.child_by_field_name("parameters")) for own, node in functions.items()}
    reading = _Reading({own: names[:1] for own, names in parameters.items()})
    reading.walk(root)
    hidden = {line for line, row in enumerate(code.split("\n"), 1) if any(hidden_in(row.removesuffix("\r")))}
    return Program(
        main,
        tuple(own for own in functions if own != main),
        tuple(reading.bot),
        tuple(reading.free),
        tuple(reading.makes),
        tuple(sorted(reading.blind_loops())),
        tuple(sorted(reading.handed_on)),
        tuple(sorted(reading.escaped | hidden)),
        tuple(reading.places),
        tuple(sorted(reading.computed)),
        tuple(sorted(reading.unnamed)),
    )


def encode(code: str) -> bytes:
    """Return a program's bytes. Raises CommandError if it is empty, too long or has a lone surrogate."""
    if not code.strip():
        raise CommandError("the program is empty; write `async function name(bot) { … }`")
    try:
        data = code.encode("utf-8")
    except UnicodeEncodeError:
        raise CommandError("the program holds half a character (a lone surrogate); write it again without it") from None
    if len(data) > MOST_BYTES:
        raise CommandError(f"a program may have {MOST_BYTES:,} bytes and this has {len(data):,}; make it shorter")
    return data


# ---------------------------------------------------------------- the top level


def _functions(root: Node) -> dict[str, Node]:
    """Return the functions at the top level by name. Raises CommandError if it has anything else."""
    functions: dict[str, Node] = {}
    for node in root.children:
        inner = [each.type for each in node.named_children]
        if node.type in _QUIET or (node.type == "expression_statement" and inner == ["string"]):
            continue
        if node.type not in _TOP:
            raise CommandError(
                f"line {line_of(node)}: only functions may stand at the top of a program, not {_excerpt(node)}; "
                "put it into a function"
            )
        name = text_of(node.child_by_field_name("name"))
        if name in functions:
            raise CommandError(f"line {line_of(node)}: two functions are called {name}; rename one of them")
        functions[name] = node
    if not functions:
        raise CommandError("no function is in the program; write `async function name(bot) { … }`")
    return functions


def _main(functions: dict[str, Node], name: str) -> str:
    """Return the name of the main function. Raises CommandError if there is none."""
    mains = [function_name for function_name, node in functions.items() if _is_main(node)]
    if name and name not in mains:
        if name in functions:
            form = f"`async function {name}(bot)`, with bot alone"
            raise CommandError(f"line {line_of(functions[name])}: {name} must be {form}")
        nearest = mains[-1] if mains else next(reversed(functions))
        raise CommandError(f"no function is called {name}, the last one is {nearest}; give both the same name")
    if not mains:
        last = next(reversed(functions))
        if not any(_is_async(node) for node in functions.values()):
            raise CommandError(f"no async function: the main function must be `async function {last}(bot)`")
        raise CommandError("no async function takes a single argument named bot; write `async function name(bot)`")
    return name or mains[-1]


def _is_async(node: Node) -> bool:
    return node.type != "class_static_block" and any(child.type == "async" for child in node.children)


def _is_main(node: Node) -> bool:
    parameters = node.child_by_field_name("parameters")
    return node.type == "function_declaration" and _is_async(node) and text_of(parameters).strip("() \t\r\n") == "bot"


def _syntax_error(root: Node) -> CommandError:
    """Return an error that names the first place where the parser failed."""
    node = root
    while not (node.is_missing or (node.is_error and not any(child.has_error for child in node.children))):
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    if node.is_missing:
        return CommandError(f"line {line_of(node)}: {node.type} is missing; correct the program and propose it again")
    return CommandError(f"line {line_of(node)}: syntax error at {_excerpt(node)}; correct it and propose it again")


# ---------------------------------------------------------------- inside the functions


@dataclass(slots=True)
class _Reading:
    """One walk over the tree. `first` has the first parameters of the program's own functions."""

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
        """Visit every node once, with its scope and the function that it is in."""
        waiting: list[tuple[Node, Scope, Node]] = [(root, Scope(), root)]
        while waiting:
            node, scope, function = waiting.pop()
            scope, twice = scope_of(node, scope)
            if twice:
                raise CommandError(f"line {line_of(node)}: {twice} is declared twice in one block; rename one of them")
            if node.type in FUNCTIONS:
                function = node
            waiting += [(child, scope, function) for child in reversed(self._read(node, scope, function))]

    def blind_loops(self) -> set[int]:
        """Return the lines of the loops without an await of their own function."""
        blind = set()
        for function, loop in self._loops:
            waits = sorted(self._awaits[function])
            at = bisect_left(waits, loop.start_byte)
            if at == len(waits) or waits[at] >= loop.end_byte:
                blind.add(line_of(loop))
        return blind

    def _read(self, node: Node, scope: Scope, function: Node) -> list[Node]:
        """Record the facts of this node. Return the nodes to visit next."""
        kind = node.type
        if kind in _CHAIN:
            return self._chain(node)
        if kind == "identifier" and node.text == b"await" and _is_async(function):
            self._awaits[function.id].append(node.start_byte)  # the parser reads `await (x)()` as a call of await
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
                raise CommandError(f"line {line_of(node)}: await is in a function that is not async; write async")
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
        """Record a name that is written with escapes, since it looks like another name."""
        if b"\\" in (node.text or b""):
            self.escaped.add(line_of(node))

    def _chain(self, node: Node) -> list[Node]:
        """Record ``a.b["c"]`` as one path. Return the other expressions in it."""
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
        """Record what a call by name makes or places. Return the nodes to visit next.

        A first argument bot is left out where the function may take it.
        """
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        argument_list = node.child_by_field_name("arguments")
        if function is None or function.type != "identifier":
            return node.children
        if argument_list is None or argument_list.type != "arguments":
            return node.children
        name, arguments = text_of(function), [part for part in argument_list.named_children if part.type != "comment"]
        names = self.makes if name in _MAKERS else self.places if name == "placeItem" else None
        if names is not None and len(arguments) > 1:
            if arguments[1].type == "string":
                names[_key(arguments[1])] = None
            else:
                self.computed.add(line_of(arguments[1]))
        own = self.first.get(name)
        takes_bot = own == ["bot"] if own is not None else not (scope.has(name) or name == "await")
        if arguments and takes_bot and arguments[0].type == "identifier" and text_of(arguments[0]) == "bot":
            arguments = arguments[1:]
        return [function, *arguments]


def _read_of(node: Node) -> list[Node]:
    """Return the parts of a function's child to visit.

    Of parameters, these are defaults and patterns, since the declaration of bot is no use of it.
    """
    if node.type != "formal_parameters":
        return [node]
    parts: list[Node] = []
    for parameter in node.named_children:
        name = parameter.child_by_field_name("left") if parameter.type == "assignment_pattern" else parameter
        default = parameter.child_by_field_name("right")
        if name is not None and name.type != "identifier":
            parts.append(parameter)
        elif default is not None:
            parts.append(default)
    return parts


# ---------------------------------------------------------------- texts


def line_of(node: Node) -> int:
    return int(node.start_point[0]) + 1


def text_of(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def _key(node: Node | None) -> str:
    """Return a property's name, or ``[…]`` for a computed one that is not a plain string."""
    if node is not None and node.type == "string":
        return "".join(text_of(part) for part in node.named_children)[:80]
    return text_of(node)[:80] if node is not None and node.type.endswith("property_identifier") else "[…]"


def _excerpt(node: Node) -> str:
    """Return the beginning of a node's text, on one line."""
    text = " ".join(text_of(node).split())
    return f"`{text[:40]}…`" if len(text) > 40 else f"`{text or 'the end'}`"
