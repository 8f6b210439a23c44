"""The scopes of a JavaScript program: which names it declares where. `parse.py` looks names up in them.

As in the language, `var` and parameters belong to a function. `let`, `const`, `class` and functions belong to their
block. Nothing here is recursive, so any depth of nesting is possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    {
        "function_declaration",
        "function_expression",
        "generator_function_declaration",
        "generator_function",
        "arrow_function",
        "method_definition",
    }
)
_NAMED = frozenset({"function_declaration", "generator_function_declaration", "class_declaration"})
_BLOCKS = frozenset({"program", "statement_block", "switch_body", "for_statement", "class_static_block"})
_OWN_NAME = frozenset({"function_expression", "generator_function", "class"})


@dataclass(slots=True, eq=False)
class Scope:
    """The names of one function or block. `parent` is the scope around it."""

    names: set[str] = field(default_factory=set)
    parent: Scope | None = None

    def has(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.parent
        return False


def scope_of(node: Node, around: Scope) -> tuple[Scope, str]:
    """Return the scope inside `node`, and a name that is declared twice, or ''.

    A node that opens no scope is in the scope `around` it.
    """
    names: list[str] = []
    twice = ""
    if node.type in FUNCTIONS:
        names += names_bound(node.child_by_field_name("parameters"))
        names += names_bound(node.child_by_field_name("parameter"))
        names += [*_vars(node), "arguments"]
    if node.type in _OWN_NAME:
        names += _texts(node.child_by_field_name("name"))
    if node.type in _BLOCKS:
        own, strict = _block(node)
        names += own
        twice = next((name for name, count in Counter(strict).items() if count > 1), "")
    if node.type == "program":
        names += _vars(node)
    if node.type == "for_in_statement" and node.child_by_field_name("kind") is not None:
        names += names_bound(node.child_by_field_name("left"))
    if node.type == "catch_clause":
        names += names_bound(node.child_by_field_name("parameter"))
    return (Scope(set(names), around), twice) if names else (around, "")


def names_bound(pattern: Node | None) -> list[str]:
    """Return the names that a pattern such as ``{a, b: [c], ...d}`` declares, in their order."""
    names: list[str] = []
    waiting = [pattern] if pattern is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            names += _texts(node)
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            waiting += [part for part in [node.child_by_field_name("left")] if part is not None]
        elif node.type == "pair_pattern":
            waiting += [part for part in [node.child_by_field_name("value")] if part is not None]
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern", "formal_parameters"):
            waiting += reversed(node.named_children)
    return names


def _block(node: Node) -> tuple[list[str], list[str]]:
    """Return the names that a block declares, and those of them that it may declare only once."""
    result: list[str] = []
    strict: list[str] = []
    children = node.named_children
    if node.type == "switch_body":
        children = [statement for case in children for statement in case.named_children]
    for child in children:
        if child.type == "lexical_declaration":
            names = [name for part in child.named_children for name in names_bound(part.child_by_field_name("name"))]
            strict += names
            result += names
        elif child.type in _NAMED:
            result += _texts(child.child_by_field_name("name"))
    return result, strict


def _vars(function: Node) -> Iterator[str]:
    """Yield the names that `var` declares in a function, but not in functions inside it."""
    waiting = list(function.children)
    while waiting:
        node = waiting.pop()
        if node.type in FUNCTIONS:
            continue
        if node.type == "variable_declaration":
            for part in node.named_children:
                yield from names_bound(part.child_by_field_name("name"))
        if node.type == "for_in_statement":
            kind = node.child_by_field_name("kind")
            if kind is not None and kind.text == b"var":
                yield from names_bound(node.child_by_field_name("left"))
        waiting += node.children


def _texts(node: Node | None) -> list[str]:
    return [] if node is None or node.text is None else [node.text.decode("utf-8", "replace")]
