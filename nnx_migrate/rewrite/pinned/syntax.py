"""What graph mode is written with, read from the syntax of one file alone."""

from __future__ import annotations

import ast
import dataclasses
import functools

from nnx_migrate.analysis.flax.transforms import SETTERS
from nnx_migrate.rewrite.text.edits import Edit, Text


@dataclasses.dataclass(frozen=True, eq=False)
class Syntax:
    """A file as a tree that knows its parents, and the names that it has for `flax.nnx`."""

    text: Text
    root: ast.Module

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(self.root))

    @functools.cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    @functools.cached_property
    def aliases(self) -> frozenset[str]:
        """The texts that stand for flax.nnx: "nnx", "flax.nnx"."""
        found: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and node.module == "flax" and not node.level:
                found |= {a.asname or a.name for a in node.names if a.name == "nnx"}
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name == "flax.nnx" and alias.asname:
                        found.add(alias.asname)
                    elif alias.name.partition(".")[0] == "flax":
                        found.add(f"{alias.asname or 'flax'}.nnx")
        return frozenset(found)

    @functools.cached_property
    def members(self) -> dict[str, str]:
        """What names of the file stand for in flax.nnx: of `from flax.nnx import jit as j`."""
        return {
            alias.asname or alias.name: f"{node.module}.{alias.name}"[len("flax.nnx.") :]
            for node in self.nodes
            if isinstance(node, ast.ImportFrom) and not node.level
            if node.module in {"flax.nnx", "flax.nnx.compat"}
            for alias in node.names
        }

    def nnx_name(self, node: ast.AST | None) -> str:
        """What an expression names of nnx ("jit", "compat.jit"); empty where it names nothing."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            head = node.value
            if isinstance(head, ast.Name | ast.Attribute) and ast.unparse(head) in self.aliases:
                return ".".join([node.attr, *parts])
            parts.insert(0, node.attr)
            node = head
        if isinstance(node, ast.Name) and node.id in self.members:
            return ".".join([self.members[node.id], *parts])
        return ""

    def setter(self, node: ast.AST | None, name: str) -> bool:
        """Whether an expression is `nnx.<name>(True)`."""
        return (
            isinstance(node, ast.Call)
            and len(node.args) == 1
            and not node.keywords
            and is_constant(node.args[0], True)
            and self.nnx_name(node.func) == name
        )

    def covered(self, node: ast.AST | None) -> ast.expr | None:
        """What stands in `nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(...))`."""
        for name in SETTERS:
            if not (isinstance(node, ast.Call) and self.setter(node.func, name)):
                return None
            if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
                return None
            node = node.args[0]
        return node if isinstance(node, ast.expr) else None

    def without(self, start: int, end: int) -> Edit | None:
        """The edit that takes text out; None where a comment would go with it."""
        return None if "#" in self.text.text[start:end] else Edit(start, end, "")

    def without_lines(self, first: ast.expr, last: ast.expr) -> Edit | None:
        """The edit that takes decorators out, which have their lines for themselves."""
        begin = self.text.line_start(first.lineno)
        end_line = last.end_lineno or last.lineno
        if end_line >= len(self.text.line_starts):
            return None
        end = self.text.line_start(end_line + 1)
        begun = self.text.text[begin : self.text.span(first)[0]].strip()
        ended = self.text.text[self.text.span(last)[1] : end].strip()
        return self.without(begin, end) if begun == "@" and not ended else None


def is_constant(node: ast.AST | None, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
