"""The index of one file: one walk over its syntax tree, one compact, picklable record."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.flax.transforms import AS_VALUE
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.statement_walker import StatementWalker
from nnx_migrate.analysis.ir.main_guard import is_main_guard
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.sources.text import Source

#: First names of absolute imports, with the dotted names that they stand for in a file.
Meant = tuple[tuple[str, str], ...]


def index_module(source: Source, module: str, meant: Meant = ()) -> ir.ModuleIndex:
    """Index a file.

    Args:
        source: the decoded file.
        module: its dotted module name ("pkg.models"; "pkg" for `pkg/__init__.py`).
        meant: what its imports stand for, where that is not what they say.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser or the walk.
    """
    return index_tree(parse(source.text), module, source, meant)


def index_tree(tree: ast.Module, module: str, source: Source, meant: Meant = ()) -> ir.ModuleIndex:
    is_package = source.path.name == "__init__.py"
    walker = StatementWalker(module, is_package, dict(meant))
    walker.walk_body(tree.body)
    walker.place_growths()
    functions = {builder.key: builder.build() for builder in walker.functions}
    paths = walker.paths | {f"{name}.{AS_VALUE}" for name in _modules_as_values(walker, functions)}
    return ir.ModuleIndex(
        module,
        str(source.path),
        is_package,
        functions,
        walker.classes,
        tuple(walker.star_imports),
        tuple(sorted(walker.imports)),
        walker.exports,
        tuple(sorted(walker.words)),
        tuple(sorted(paths)),
        source.stands,
        meant,
        source.lines,
        any(map(is_main_guard, tree.body)),
    )


def _modules_as_values(
    walker: StatementWalker, functions: Mapping[str, ir.Function]
) -> Iterator[str]:
    """The names that stand for a module `nnx` and are more than the base of an attribute."""
    for path in walker.values:
        if "." in path:
            yield path
            continue
        bound = (function.bindings.get(path, ()) for function in functions.values())
        if any(
            isinstance(each, ir.ImportRef) and each.target.rpartition(".")[2] == "nnx"
            for values in bound
            for each in values
        ):
            yield path
