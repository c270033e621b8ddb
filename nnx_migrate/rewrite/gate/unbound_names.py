"""Names that are read in a scope where nothing binds them, as Python itself decides it."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import symtable
from collections.abc import Iterator

from nnx_migrate.analysis.ir.parse import readable, walk

#: What Python binds in a module or in a class without being told.
_GIVEN = frozenset(dir(builtins)) | {
    *("__annotations__", "__builtins__", "__class__", "__doc__", "__file__", "__loader__"),
    *("__module__", "__name__", "__package__", "__path__", "__qualname__", "__spec__"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Names:
    """The names that a file reads, each with the scope that reads it ("/f/lambda").

    Args:
        bound: those that the scope, one around it or the module binds.
        unbound: the others.
    """

    bound: frozenset[tuple[str, str]]
    unbound: frozenset[tuple[str, str]]

    def fresh(self, before: Names) -> set[str]:
        """The names that are unbound now where they were not."""
        known = {name for _, name in before.unbound}
        return {
            name
            for scope, name in self.unbound
            if name not in known or (scope, name) in before.bound - before.unbound
        }


def names_of(text: str, tree: ast.Module) -> Names:
    """Find who binds what a file reads.

    A name that `from m import *` may bring is bound.

    Args:
        tree: the parsed text.

    Raises:
        SyntaxError: Python has no scopes for it: a name is nonlocal that nothing around it binds.
    """
    tables = [
        (scope, table.get_symbols())
        for scope, table in _tables(symtable.symtable(readable(text), "<text>", "exec"), "")
    ]
    module = {symbol.get_name() for symbol in tables[0][1] if _binds(symbol)}
    bound, unbound = set[tuple[str, str]](), set[tuple[str, str]]()
    for scope, symbols in tables:
        for symbol in symbols:
            name = symbol.get_name()
            if symbol.is_declared_global() and _binds(symbol):
                module.add(name)
            if symbol.is_referenced():
                (unbound if symbol.is_global() else bound).add((scope, name))
    if "annotations" in module:  # Python does not look at them, where that is of __future__
        somewhere = {s.get_name() for _, symbols in tables for s in symbols if _binds(s)}
        names = {("annotations", name) for name in _in_annotations(tree)}
        bound |= {(scope, name) for scope, name in names if name in somewhere}
        unbound |= names - bound
    known = {(scope, name) for scope, name in unbound if name in module or name in _GIVEN}
    if unbound - known and _imports_all(tree):
        known = unbound
    return Names(frozenset(bound | known), frozenset(unbound - known))


def _tables(table: symtable.SymbolTable, scope: str) -> Iterator[tuple[str, symtable.SymbolTable]]:
    yield scope, table
    for child in table.get_children():
        yield from _tables(child, f"{scope}/{child.get_name()}")


def _binds(symbol: symtable.Symbol) -> bool:
    return (
        symbol.is_assigned()
        or symbol.is_imported()
        or symbol.is_parameter()
        or symbol.is_namespace()
    )


def _in_annotations(tree: ast.Module) -> set[str]:
    annotations = (
        getattr(node, field, None)
        for node in walk(tree)
        if isinstance(node, ast.arg | ast.AnnAssign | ast.FunctionDef | ast.AsyncFunctionDef)
        for field in ("annotation", "returns")
    )
    return {
        name.id
        for annotation in annotations
        if annotation is not None
        for name in walk(annotation)
        if isinstance(name, ast.Name)
    }


def _imports_all(tree: ast.Module) -> bool:
    """Whether it has a `from m import *`."""
    imports = (node for node in walk(tree) if isinstance(node, ast.ImportFrom))
    return any(alias.name == "*" for node in imports for alias in node.names)
