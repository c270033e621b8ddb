"""What a file imports and exports."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expression_walker import ExpressionWalker
from nnx_migrate.sources.imports.scan import translated


class ImportWalker(ExpressionWalker):
    """Walks expressions and import statements.

    Args:
        module: the dotted name of the module.
        is_package: whether it is an `__init__.py`.
        meant: the dotted names that first names of absolute imports stand for.
    """

    def __init__(self, module: str, is_package: bool, meant: Mapping[str, str]) -> None:
        super().__init__()
        self.meant = meant
        self.module = module
        self.is_package = is_package
        self.star_imports: list[str] = []
        self.exports: frozenset[str] = frozenset()

    def walk_import(self, node: ast.Import) -> None:
        for alias in node.names:
            target = translated(alias.name, self.meant)
            self.imports.add(target)
            if alias.asname:
                self.bind(alias.asname, ir.ImportRef(target))
            else:
                head = alias.name.split(".")[0]
                self.bind(head, ir.ImportRef(translated(head, self.meant)))

    def walk_import_from(self, node: ast.ImportFrom) -> None:
        base = self.absolute(node.module, node.level)
        for alias in node.names:
            self.words.add(alias.name)
            if alias.name == "*":
                self.imports.add(base)
                self.star_imports.append(base)
            else:
                target = f"{base}.{alias.name}" if base else alias.name
                self.imports.add(target)
                self.bind(alias.asname or alias.name, ir.ImportRef(target))

    def without_flax(self, node: ast.stmt, handler: ast.ExceptHandler) -> set[str]:
        """Names that a handler binds to something else where Flax cannot be imported.

        `try: from flax import nnx`, with `except ImportError: nnx = None`: a file that can't import
        it has no code of nnx.
        """
        caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {each.id for each in caught if isinstance(each, ast.Name)}
        if not isinstance(node, ast.Try) or not names & {"ImportError", "ModuleNotFoundError"}:
            return set()
        found = set()
        for statement in node.body:
            match statement:
                case ast.ImportFrom(module="flax", level=0):
                    found |= {a.asname or a.name for a in statement.names if a.name == "nnx"}
                case ast.Import():
                    of_flax = (a for a in statement.names if a.name in {"flax", "flax.nnx"})
                    found |= {each.asname or "flax" for each in of_flax}
        return found

    def absolute(self, module: str | None, level: int) -> str:
        if level == 0:
            return translated(module or "", self.meant)
        parts = self.module.split(".")
        drop = level - 1 if self.is_package else level
        prefix = parts[: len(parts) - drop] if drop else parts
        return ".".join([*prefix, *([module] if module else [])])

    def note_exports(self, targets: list[ast.expr], value: ast.expr | None) -> None:
        if value is not None and any(
            isinstance(t, ast.Name) and t.id == "__all__" for t in targets
        ):
            self.exports |= _texts(value)


def _texts(value: ast.expr) -> frozenset[str]:
    """The texts in an expression that gives names; with "*" where it computes others."""
    nodes = list(ast.walk(value))
    found = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    computed = any(isinstance(node, ast.ListComp | ast.GeneratorExp) for node in nodes)
    return frozenset(found | {ir.ALL_NAMES} if computed else found)
