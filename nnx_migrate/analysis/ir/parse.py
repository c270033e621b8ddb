"""Python's own parser, and walks over its trees."""

from __future__ import annotations

import ast

from nnx_migrate.sources.python_text import parse, readable

__all__ = ["LEAVES", "children", "parse", "readable", "walk"]

#: Fields of nodes that never hold a node that stands somewhere: operators and the like are one
#: object for a whole file, and the rest are names and numbers.
_WITHOUT_NODES = frozenset(
    {"ctx", "op", "ops", "id", "attr", "kind", "type_comment", "lineno", "level", "module"}
)


#: Kinds of nodes that none stands below: some two of three.
LEAVES = frozenset({ast.Name, ast.Constant, ast.alias, ast.Pass})


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node that may hold others."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        found = tuple(field for field in kind._fields if field not in _WITHOUT_NODES)
        self[kind] = found = () if kind in LEAVES else found
        return found


_FIELDS = _Fields()


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, in the order of its fields.

    Other than those of `ast.iter_child_nodes`, none is an operator or a context, and it takes half
    the time.
    """
    found: list[ast.AST] = []
    for field in _FIELDS[node.__class__]:
        value = getattr(node, field, None)
        if value.__class__ is list:
            for item in value:
                if isinstance(item, ast.AST):
                    found.append(item)
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(root: ast.AST) -> list[ast.AST]:
    """A node and all below it, those further up first; without operators, as `children`."""
    found = [root]
    for node in found:  # grows while it is walked
        found += children(node)
    return found
